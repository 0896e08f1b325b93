/* Contacts of a rigid surface with a body: the triangles near it one by one, then all points together. */
#include "geometry/narrow_surface.h"

#include <stdlib.h>

#include "base/memory.h"
#include "geometry/narrow.h"
#include "geometry/narrow_facet.h"
#include "geometry/surface_tree.h"

#define MERGE 1e-3 /* of the body's smallest half edge: points nearer to one another are one */

void icf_surface_work_init(icf_surface_work *work)
{
    *work = (icf_surface_work){0};
}

void icf_surface_work_clear(icf_surface_work *work)
{
    icf_free(work->triangle);
    icf_free(work->point);
    icf_surface_work_init(work);
}

/* ---- the body in the surface's frame ---- */

static bool make_core(const icf_placed_shape *surface, const icf_placed_shape *body, icf_facet_core *core)
{
    const icf_shape *shape = body->shape;
    const bool is_box = shape->type == ICF_SHAPE_BOX, is_capsule = shape->type == ICF_SHAPE_CAPSULE;
    if (!is_box && !is_capsule && shape->type != ICF_SHAPE_SPHERE) return false;
    *core = (icf_facet_core){.dimension = is_box       ? 3
                                          : is_capsule ? 1
                                                       : 0,
                             .centre = icf_to_body(surface, body->position),
                             .radius = is_box ? 0.0 : shape->radius,
                             .size = icf_shape_radius(shape)};
    for (int i = 0; i < 3; ++i) {
        core->axis[i] = icf_mat3_tmul(&surface->rotation, icf_mat3_column(&body->rotation, i));
        core->extent[i] = is_box ? icf_get(shape->extent, i) : is_capsule && i == 2 ? shape->half : 0.0;
    }
    return true;
}

/* Lengths within the body's faces below which points are one. */
static double merge_distance(const icf_facet_core *core)
{
    double smallest = core->size;
    for (int i = 0; i < 3; ++i)
        if (core->extent[i] > 0.0) smallest = fmin(smallest, core->extent[i]);
    return MERGE * smallest;
}

/* ---- triangles ---- */

static bool list_triangle(void *user, icf_lid triangle)
{
    icf_surface_work *work = user;
    work->status = ICF_GROW(work->triangle, work->triangle_capacity, (size_t)work->ntriangle + 1);
    if (work->status != ICF_OK) return false;
    work->triangle[work->ntriangle++] = triangle;
    return true;
}

static int compare(const void *a, const void *b)
{
    const icf_lid x = *(const icf_lid *)a, y = *(const icf_lid *)b;
    return (x > y) - (x < y);
}

/* The triangles near the body, ascending: an order that does not depend on the tree. */
static icf_status list_triangles(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                                 icf_surface_work *work)
{
    const icf_box box = icf_surface_box_of(surface, body, fmax(0.0, distance));
    work->ntriangle = work->npoint = 0;
    work->status = ICF_OK;
    icf_triangle_tree_overlap(surface->shape->surface->tree, &box, list_triangle, work);
    ICF_TRY(work->status);
    if (work->ntriangle > 1) qsort(work->triangle, (size_t)work->ntriangle, sizeof *work->triangle, compare);
    return ICF_OK;
}

/* ---- a body inside a solid ---- */

/* How far the core reaches against a direction from its centre, radius included. */
static double depth_of(const icf_facet_core *core, icf_vec3 direction)
{
    double sum = core->radius;
    for (int i = 0; i < 3; ++i)
        if (core->extent[i] > 0.0) sum += core->extent[i] * fabs(icf_dot(direction, core->axis[i]));
    return sum;
}

/* A body whose middle is below a solid's surface, where no triangle has seen it overlap: out the way that is the
 * middle's shortest. */
static icf_status push_out(const icf_rigid_surface *surface, const icf_facet_core *core, icf_surface_work *work)
{
    for (icf_lid i = 0; i < work->npoint; ++i)
        if (work->point[i].distance < 0.0) return ICF_OK;
    icf_surface_hit hit;
    if (!icf_triangle_tree_closest(surface->tree, core->centre, INFINITY, NULL, NULL, &hit)) return ICF_OK;
    if (!(hit.distance < 0.0)) return ICF_OK;
    const double reach = depth_of(core, hit.normal);
    work->npoint = 0;
    return icf_surface_work_add(work, &(icf_contact_point){.on_a = hit.point,
                                                           .on_b = icf_mul_add(core->centre, -reach, hit.normal),
                                                           .normal = hit.normal,
                                                           .distance = hit.distance - reach,
                                                           .feature = 64 * hit.triangle});
}

/* ---- all of it ---- */

static void to_world(const icf_placed_shape *surface, icf_surface_work *work)
{
    for (icf_lid i = 0; i < work->npoint; ++i) {
        icf_contact_point *point = &work->point[i];
        point->on_a = icf_to_world(surface, point->on_a);
        point->on_b = icf_to_world(surface, point->on_b);
        point->normal = icf_mat3_mul(&surface->rotation, point->normal);
    }
}

icf_status icf_collide_surface(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                               icf_surface_work *work)
{
    const icf_rigid_surface *data = surface->shape->surface;
    icf_facet_core core;
    work->npoint = 0;
    if (!make_core(surface, body, &core)) return ICF_OK;
    ICF_TRY(list_triangles(surface, body, distance, work));
    if (work->ntriangle == 0) return ICF_OK;
    for (icf_lid i = 0; i < work->ntriangle; ++i) {
        const icf_facet facet = icf_facet_make(data, work->triangle[i], &core);
        icf_facet_axis axis;
        if (icf_facet_find_axis(&facet, &core, distance + core.radius, &axis))
            ICF_TRY(icf_facet_add_points(&facet, &core, &axis, distance, work));
    }
    if (data->is_solid) ICF_TRY(push_out(data, &core, work));
    icf_surface_reduce(merge_distance(&core), core.size, work);
    to_world(surface, work);
    return ICF_OK;
}

icf_status icf_collide_distance(const icf_placed_shape *a, const icf_placed_shape *b, double limit,
                                icf_surface_work *work, double *distance)
{
    *distance = INFINITY;
    if (icf_shape_is_surface(a->shape) || icf_shape_is_surface(b->shape)) {
        const bool reversed = !icf_shape_is_surface(a->shape);
        ICF_TRY(icf_collide_surface(reversed ? b : a, reversed ? a : b, limit, work));
        for (icf_lid i = 0; i < work->npoint; ++i) *distance = fmin(*distance, work->point[i].distance);
        return ICF_OK;
    }
    icf_contact_point nearest;
    if (icf_collide_nearest(a, b, limit, &nearest)) *distance = nearest.distance;
    return ICF_OK;
}

void icf_surface_closest(const icf_placed_shape *surface, icf_vec3 point, icf_surface_hit *hit)
{
    const icf_rigid_surface *data = surface->shape->surface;
    icf_triangle_tree_closest(data->tree, icf_to_body(surface, point), INFINITY, NULL, NULL, hit);
    if (!data->is_solid && hit->distance < 0.0) {
        hit->normal = icf_neg(hit->normal);
        hit->distance = -hit->distance;
    }
    hit->point = icf_to_world(surface, hit->point);
    hit->normal = icf_mat3_mul(&surface->rotation, hit->normal);
}
