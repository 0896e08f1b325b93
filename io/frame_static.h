/* The static group of run.h5: what stays the same while every row keeps its body (see frames.h). */
#ifndef ICF_IO_FRAME_STATIC_H
#define ICF_IO_FRAME_STATIC_H

#include "io/h5_file.h"
#include "io/surface.h"
#include "io/xdmf.h"

typedef struct icf_frame_static {
    icf_xdmf_layout layout;
    uint64_t hash; /* of the ids of all rows, and whether there are surfaces */
    icf_rows body, point;
    icf_cnt *point_begin; /* (own bodies + 1) first surface point of each, counted on this rank */
    size_t capacity;
} icf_frame_static;

/* Hash of the ids of all rows in their order.  Collective. */
uint64_t icf_frame_static_hash(const icf_context *context, const icf_bodies *bodies, bool surfaces);

/* Counts rows and points of this rank's bodies and places them among those of the others; the group's name
 * and triangles are not touched.
 *   surfaces [in] templates, or NULL for none
 * Collective. */
ICF_MUST_CHECK icf_status icf_frame_static_build(icf_context *context, const icf_bodies *bodies,
                                                 const icf_surfaces *surfaces, icf_frame_static *fixed);

/* Writes the group under the name in fixed->layout.  Collective. */
ICF_MUST_CHECK icf_status icf_frame_static_write(icf_h5 *h5, const icf_bodies *bodies, const icf_surfaces *surfaces,
                                                 const icf_frame_static *fixed);

/* Reads the layout and hash of a group.  Collective. */
void icf_frame_static_read(icf_h5 *h5, const char *group, icf_xdmf_layout *layout, uint64_t *hash);

void icf_frame_static_clear(icf_frame_static *fixed);

#endif
