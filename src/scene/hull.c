/* Convex hulls by qhull, its reentrant library: nothing is shared between threads.
 *
 * qhull merges what round-off leaves in one plane, so its facets are polygons.  Their corners come in an order round
 * the facet that may run either way; here they are turned to be counter-clockwise seen from outside.
 */
#include "scene/hull.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/qhull_ra.h>

#include "base/memory.h"

void icf_hull_clear(icf_hull *hull)
{
    icf_free(hull->face_ptr);
    icf_free(hull->face_vertex);
    *hull = (icf_hull){0};
}

/* Twice the area vector of a polygon of points. */
static icf_vec3 area_vector(const icf_vec3 *point, int32_t n, const int32_t *corner)
{
    icf_vec3 sum = {0, 0, 0};
    for (int32_t k = 1; k + 1 < n; ++k)
        sum = icf_add(sum, icf_cross(icf_sub(point[corner[k]], point[corner[0]]),
                                     icf_sub(point[corner[k + 1]], point[corner[0]])));
    return sum;
}

/* Appends the polygon of a facet. */
static icf_status add_facet(qhT *qh, facetT *facet, const icf_vec3 *point, icf_hull *hull)
{
    setT *vertices = qh_facet3vertex(qh, facet);
    const int32_t n = qh_setsize(qh, vertices), first = hull->nface == 0 ? 0 : hull->face_ptr[hull->nface];
    icf_status status = ICF_GROW(hull->face_ptr, hull->ptr_capacity, hull->nface + 2);
    if (status == ICF_OK) status = ICF_GROW(hull->face_vertex, hull->vertex_capacity, first + n);
    if (status == ICF_OK) {
        int32_t *corner = hull->face_vertex + first;
        vertexT *vertex, **vertexp;
        int32_t k = 0;
        FOREACHvertex_(vertices) corner[k++] = qh_pointid(qh, vertex->point);
        const icf_vec3 outward = {facet->normal[0], facet->normal[1], facet->normal[2]};
        if (icf_dot(area_vector(point, n, corner), outward) < 0.0)
            for (int32_t i = 0; i < n / 2; ++i) {
                const int32_t kept = corner[i];
                corner[i] = corner[n - 1 - i];
                corner[n - 1 - i] = kept;
            }
        hull->face_ptr[hull->nface] = first;
        hull->face_ptr[++hull->nface] = first + n;
    }
    qh_settempfree(qh, &vertices);
    return status;
}

/* Runs qhull.  Returns its exit code; 0: the hull is there. */
static int run(qhT *qh, int32_t n, const icf_vec3 *point, bool triangles, FILE *log)
{
    char command[16];
    snprintf(command, sizeof command, "qhull Pp%s", triangles ? " Qt" : "");
    qh_zero(qh, log);
    return qh_new_qhull(qh, 3, n, (coordT *)(void *)(icf_vec3 *)(uintptr_t)point, False, command, NULL, log);
}

icf_status icf_hull_build(icf_context *context, int32_t n, const icf_vec3 *point, bool triangles, icf_hull *hull)
{
    *hull = (icf_hull){0};
    if (n < 4) return icf_fail(context, ICF_ERROR_SCENE, "%d points have no volume", n);
    char *text = NULL;
    size_t length = 0;
    FILE *log = open_memstream(&text, &length);
    if (!log) return ICF_ERROR_MEMORY;
    qhT qh;
    icf_status status = ICF_OK;
    const int code = run(&qh, n, point, triangles, log);
    if (code == qh_ERRsingular || code == qh_ERRinput)
        status = icf_fail(context, ICF_ERROR_SCENE, "the points lie in a plane or nearly so: their hull has no volume");
    else if (code == qh_ERRmem)
        status = ICF_ERROR_MEMORY;
    else if (code != 0)
        status = icf_fail(context, ICF_ERROR_SCENE, "qhull found no hull of the points (code %d)", code);
    facetT *facet;
    if (status == ICF_OK) {
        FORALLfacet_(qh.facet_list)
        {
            if (status == ICF_OK && facet != qh.facet_tail) status = add_facet(&qh, facet, point, hull);
        }
    }
    int left, total;
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &left, &total);
    fclose(log);
    free(text);
    if (status != ICF_OK) icf_hull_clear(hull);
    return status;
}
