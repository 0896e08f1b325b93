/* Patches of a polytope: the polygons that nearly flat groups of faces make (polytope.h).
 *
 * The vertices within ICF_POLYTOPE_FLAT of a face's plane are projected onto it; the hull of the projections, which is
 * what the polytope looks like from above but for what lies deeper, is the patch.  Faces with the same polygon share
 * it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plane_hull.h"
#include "scene/polytope_private.h"

/* Room for one patch under construction. */
typedef struct patch_work {
    int32_t n;       /* vertices near the plane */
    int32_t *vertex; /* (n) */
    double (*uv)[2]; /* (n) in the plane */
    int32_t *corner; /* hull of them */
    int32_t *order;
    int32_t nplane;
    int32_t *plane; /* faces whose corners are all near the plane */
    bool *near;     /* (nvertex) */
} patch_work;

static void free_work(patch_work *work)
{
    icf_free(work->vertex);
    icf_free(work->uv);
    icf_free(work->corner);
    icf_free(work->order);
    icf_free(work->plane);
    icf_free(work->near);
}

static bool take_work(const icf_polytope *p, patch_work *work)
{
    const size_t n = (size_t)p->nvertex;
    *work = (patch_work){.vertex = icf_alloc(n * sizeof *work->vertex),
                         .uv = icf_alloc(n * sizeof *work->uv),
                         .corner = icf_alloc(2 * n * sizeof *work->corner),
                         .order = icf_alloc(n * sizeof *work->order),
                         .plane = icf_alloc((size_t)p->nface * sizeof *work->plane),
                         .near = icf_alloc(n * sizeof *work->near)};
    return work->vertex && work->uv && work->corner && work->order && work->plane && work->near;
}

/* Vertices and faces near the plane of face f. */
static void find_near(const icf_polytope *p, int32_t f, patch_work *work)
{
    const icf_vec3 n = p->normal[f], u = icf_perpendicular(n), v = icf_cross(n, u);
    work->n = work->nplane = 0;
    for (int32_t i = 0; i < p->nvertex; ++i) {
        const icf_vec3 x = icf_polytope_vertex(p, i);
        work->near[i] = p->offset[f] - icf_dot(n, x) <= ICF_POLYTOPE_FLAT * p->radius;
        if (!work->near[i]) continue;
        work->uv[work->n][0] = icf_dot(u, x);
        work->uv[work->n][1] = icf_dot(v, x);
        work->vertex[work->n++] = i;
    }
    for (int32_t g = 0; g < p->nface; ++g) {
        bool is_near = icf_dot(n, p->normal[g]) > 0.5;
        for (int32_t k = p->face_ptr[g]; k < p->face_ptr[g + 1] && is_near; ++k)
            is_near = work->near[p->face_vertex[k]];
        if (is_near) work->plane[work->nplane++] = g;
    }
}

/* Smallest distance between two parallel lines that hold the polygon. */
static double smallest_width(const patch_work *work, int32_t n)
{
    double width = INFINITY;
    for (int32_t k = 0; k < n; ++k) {
        const double *a = work->uv[work->corner[k]], *b = work->uv[work->corner[(k + 1) % n]];
        const double length = hypot(b[0] - a[0], b[1] - a[1]);
        double reach = 0.0;
        for (int32_t l = 0; l < n; ++l) reach = fmax(reach, icf_plane_turn(a, b, work->uv[work->corner[l]]) / length);
        width = fmin(width, reach);
    }
    return width;
}

/* An earlier patch with the same corners, or -1. */
static int32_t find_patch(const icf_polytope *p, const patch_work *work, int32_t n)
{
    for (int32_t patch = 0; patch < p->npatch; ++patch) {
        if (p->patch_ptr[patch + 1] - p->patch_ptr[patch] != n) continue;
        const int32_t *side = p->patch_side + p->patch_ptr[patch];
        for (int32_t shift = 0; shift < n; ++shift) {
            if (side[shift] != work->vertex[work->corner[0]]) continue;
            int32_t same = 1;
            while (same < n && side[(shift + same) % n] == work->vertex[work->corner[same]]) ++same;
            if (same == n) return patch;
        }
    }
    return -1;
}

/* Capacities of the arrays that grow. */
typedef struct patch_room {
    size_t ptr, side, plane_ptr, plane, width;
} patch_room;

static icf_status add_patch(icf_polytope *p, const patch_work *work, int32_t n, patch_room *room)
{
    ICF_TRY(ICF_GROW(p->patch_ptr, room->ptr, p->npatch + 2));
    ICF_TRY(ICF_GROW(p->plane_ptr, room->plane_ptr, p->npatch + 2));
    ICF_TRY(ICF_GROW(p->width, room->width, p->npatch + 1));
    ICF_TRY(ICF_GROW(p->patch_side, room->side, p->nside + n));
    ICF_TRY(ICF_GROW(p->plane, room->plane, p->nplane + work->nplane));
    if (p->npatch == 0) p->patch_ptr[0] = p->plane_ptr[0] = 0;
    for (int32_t k = 0; k < n; ++k) p->patch_side[p->nside++] = work->vertex[work->corner[k]];
    for (int32_t k = 0; k < work->nplane; ++k) p->plane[p->nplane++] = work->plane[k];
    p->width[p->npatch] = smallest_width(work, n);
    p->patch_ptr[++p->npatch] = p->nside;
    p->plane_ptr[p->npatch] = p->nplane;
    return ICF_OK;
}

icf_status icf_polytope_set_patches(icf_polytope *p)
{
    patch_work work;
    patch_room room = {0};
    p->face_patch = icf_alloc((size_t)p->nface * sizeof *p->face_patch);
    icf_status status = take_work(p, &work) && p->face_patch ? ICF_OK : ICF_ERROR_MEMORY;
    for (int32_t f = 0; f < p->nface && status == ICF_OK; ++f) {
        find_near(p, f, &work);
        const int32_t n = icf_plane_hull(work.n, (const double(*)[2])work.uv, work.order, work.corner);
        p->face_patch[f] = find_patch(p, &work, n);
        if (p->face_patch[f] >= 0) continue;
        p->face_patch[f] = p->npatch;
        status = add_patch(p, &work, n, &room);
    }
    free_work(&work);
    return status;
}
