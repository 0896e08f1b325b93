/* Report of overlapping bodies. */
#include "cli/check_overlaps.h"

#include <inttypes.h>
#include <stdio.h>

#include "geometry/overlap.h"

static void print_overlap(const icf_bodies *bodies, const icf_overlap *overlap)
{
    char buffer_a[ICF_BODY_NAME_BYTES], buffer_b[ICF_BODY_NAME_BYTES];
    const icf_lid a = overlap->pair.a, b = overlap->pair.b;
    printf("           %.6g m deep: %s (%s) and %s (%s)\n", overlap->depth, icf_bodies_name(bodies, a, buffer_a),
           icf_shape_name(bodies->shape[a].type), icf_bodies_name(bodies, b, buffer_b),
           icf_shape_name(bodies->shape[b].type));
}

icf_status icf_check_overlaps(icf_context *context, const icf_scene *scene, const icf_bodies *bodies)
{
    icf_overlaps overlaps;
    const icf_status status = icf_overlaps_find(context, bodies, scene->solid, &overlaps);
    if (status != ICF_OK) return icf_fail(context, status, "overlaps: %s", icf_status_text(status));
    if (overlaps.npair == 0) {
        printf("overlaps   none\n");
        return ICF_OK;
    }
    printf("overlaps   %" PRId64 " pair%s of %" PRId64 " bodies%s\n", overlaps.npair, overlaps.npair > 1 ? "s" : "",
           overlaps.nbody, overlaps.npair > overlaps.nworst ? "; the deepest:" : ":");
    for (int k = 0; k < overlaps.nworst; ++k) print_overlap(bodies, &overlaps.worst[k]);
    icf_warn(context, "%" PRId64 " pair%s of bodies overlap%s at the start, by up to %.3g m", overlaps.npair,
             overlaps.npair > 1 ? "s" : "", overlaps.npair > 1 ? "" : "s", overlaps.worst[0].depth);
    return ICF_OK;
}
