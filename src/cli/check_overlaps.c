/* Report of overlapping bodies. */
#include "cli/check_overlaps.h"

#include <inttypes.h>
#include <stdio.h>

#include "geometry/overlap.h"

static void print_overlap(const icf_bodies *bodies, const icf_overlap *overlap)
{
    char buffer_a[ICF_BODY_NAME_BYTES], buffer_b[ICF_BODY_NAME_BYTES];
    const icf_lid a = overlap->pair.a, b = overlap->pair.b;
    printf("           %.6g m deep: %s (%s) and %s (%s)%s\n", overlap->depth, icf_bodies_name(bodies, a, buffer_a),
           icf_shape_name(bodies->shape[a].type), icf_bodies_name(bodies, b, buffer_b),
           icf_shape_name(bodies->shape[b].type), overlap->hidden ? ", wholly inside" : "");
}

/* Bodies that contact does not push out. */
static void warn_hidden(const icf_context *context, const icf_bodies *bodies, const icf_overlaps *overlaps)
{
    char buffer_body[ICF_BODY_NAME_BYTES], buffer_surface[ICF_BODY_NAME_BYTES];
    const icf_pair pair = overlaps->first_hidden.pair;
    const bool reversed = icf_shape_is_surface(&bodies->shape[pair.a]);
    const icf_lid body = reversed ? pair.b : pair.a, surface = reversed ? pair.a : pair.b;
    const bool below = bodies->shape[surface].type == ICF_SHAPE_HEIGHT_FIELD;
    icf_warn(context, "\"%s\" begins wholly %s \"%s\" (%s), where no contact pushes it out (%" PRId64 " such pair%s)",
             icf_bodies_name(bodies, body, buffer_body), below ? "below" : "inside",
             icf_bodies_name(bodies, surface, buffer_surface), icf_shape_name(bodies->shape[surface].type),
             overlaps->nhidden, overlaps->nhidden > 1 ? "s" : "");
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
    if (overlaps.nhidden > 0) warn_hidden(context, bodies, &overlaps);
    return ICF_OK;
}
