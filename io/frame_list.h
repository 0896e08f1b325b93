/* The frames that a run.h5 holds. */
#ifndef ICF_IO_FRAME_LIST_H
#define ICF_IO_FRAME_LIST_H

#include "io/h5_file.h"

typedef struct icf_frame_list {
    icf_cnt *step; /* (n) ascending */
    size_t n, capacity;
} icf_frame_list;

/* Name of the group of a step's frame. */
void icf_frame_name(icf_cnt step, char name[32]);

/* Step of a frame's group; -1 when the name is not one of a frame. */
icf_cnt icf_frame_step(const char *name);

/* Lists the frames of a file.  Collective. */
ICF_MUST_CHECK icf_status icf_frame_list_read(icf_h5 *h5, icf_frame_list *list);

/* Deletes the group of a step from the file.  Collective. */
void icf_frame_delete(icf_h5 *h5, icf_cnt step);

void icf_frame_list_clear(icf_frame_list *list);

#endif
