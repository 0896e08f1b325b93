/* What a file of results or a checkpoint holds, for `icf info`. */
#ifndef ICF_IO_INSPECT_H
#define ICF_IO_INSPECT_H

#include <stdio.h>

#include "base/context.h"
#include "scene/shape.h"

typedef enum icf_file_kind { ICF_FILE_RUN, ICF_FILE_CHECKPOINT } icf_file_kind;

typedef struct icf_file_info {
    icf_file_kind kind;
    icf_cnt version; /* of the format */
    char scene[256]; /* name, cut to fit */
    char model[16];  /* run only */
    double step_size;
    icf_cnt nbody;
    icf_cnt nshape[ICF_SHAPE_COUNT]; /* run: bodies by shape */
    icf_cnt npoint;                  /* run: surface points; 0: written without surfaces */
    icf_cnt nframe;                  /* run: frames */
    icf_cnt ncontact;                /* run: contacts of the last frame */
    icf_cnt first_step, last_step;   /* frames; checkpoint: both its step */
    double first_time, last_time;    /* [s] */
    icf_cnt nvertex, ntet;           /* of deformable bodies; tetrahedra: run only */
    /* names of what a frame holds, separated by commas */
    char fields[512], contact_fields[512], vertex_fields[512];
} icf_file_info;

/* Reads what a file holds.  ICF_ERROR_FILE when it is neither results nor a checkpoint.  Collective. */
ICF_MUST_CHECK icf_status icf_inspect(icf_context *context, const char *path, icf_file_info *info);

/* Prints it as a few lines of text. */
void icf_file_info_print(const icf_file_info *info, const char *path, FILE *out);

#endif
