/* Contacts of a rigid surface with a body: the triangles near it one by one, then all points together. */
#include "geometry/narrow_surface.h"

#include <stdlib.h>

#include "base/memory.h"
#include "geometry/convex.h"
#include "geometry/narrow_facet.h"
#include "geometry/narrow_parts.h"
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

static bool is_core(const icf_shape *shape)
{
    return shape->type == ICF_SHAPE_BOX || shape->type == ICF_SHAPE_CAPSULE || shape->type == ICF_SHAPE_SPHERE;
}

/* Of other shapes only place and size are set. */
static icf_facet_core make_core(const icf_placed_shape *surface, const icf_placed_shape *body)
{
    const icf_shape *shape = body->shape;
    const bool is_box = shape->type == ICF_SHAPE_BOX, is_capsule = shape->type == ICF_SHAPE_CAPSULE;
    icf_facet_core core = {.dimension = is_box       ? 3
                                        : is_capsule ? 1
                                                     : 0,
                           .centre = icf_to_body(surface, body->position),
                           .radius = is_capsule || shape->type == ICF_SHAPE_SPHERE ? shape->radius : 0.0,
                           .size = icf_shape_radius(shape)};
    for (int i = 0; i < 3; ++i) {
        core.axis[i] = icf_mat3_tmul(&surface->rotation, icf_mat3_column(&body->rotation, i));
        core.extent[i] = is_box ? icf_get(shape->extent, i) : is_capsule && i == 2 ? shape->half : 0.0;
    }
    return core;
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
    work->ntriangle = 0;
    work->status = ICF_OK;
    icf_triangle_tree_overlap(surface->shape->surface->tree, &box, list_triangle, work);
    ICF_TRY(work->status);
    if (work->ntriangle > 1) qsort(work->triangle, (size_t)work->ntriangle, sizeof *work->triangle, compare);
    return ICF_OK;
}

/* ---- a body inside a solid ---- */

/* A point inside the body, and how far the body reaches against a direction from it. */
static icf_vec3 middle_of(const icf_placed_shape *surface, const icf_placed_shape *body, const icf_facet_core *core)
{
    if (body->shape->type != ICF_SHAPE_CONVEX) return core->centre;
    return icf_to_body(surface, icf_to_world(body, icf_convex_core(body).centre));
}

static double reach_of(const icf_placed_shape *surface, const icf_placed_shape *body, icf_vec3 direction)
{
    const icf_core core = icf_convex_core(body);
    const icf_vec3 against = icf_neg(icf_mat3_tmul(&body->rotation, icf_mat3_mul(&surface->rotation, direction)));
    return icf_dot(against, icf_sub(icf_core_outer(&core, against).x, core.centre)) + core.rounding;
}

/* A body whose middle is below a solid's surface, where no triangle has seen it overlap: out the way that is the
 * middle's shortest. */
static icf_status push_out(const icf_placed_shape *surface, const icf_placed_shape *body, const icf_facet_core *core,
                           icf_lid first, icf_surface_work *work)
{
    for (icf_lid i = first; i < work->npoint; ++i)
        if (work->point[i].distance < 0.0) return ICF_OK;
    const icf_vec3 middle = middle_of(surface, body, core);
    icf_surface_hit hit;
    if (!icf_triangle_tree_closest(surface->shape->surface->tree, middle, INFINITY, NULL, NULL, &hit)) return ICF_OK;
    if (!(hit.distance < 0.0)) return ICF_OK;
    const double reach = reach_of(surface, body, hit.normal);
    work->npoint = first;
    return icf_surface_work_add(work, &(icf_contact_point){.on_a = hit.point,
                                                           .on_b = icf_mul_add(middle, -reach, hit.normal),
                                                           .normal = hit.normal,
                                                           .distance = hit.distance - reach,
                                                           .feature = 64 * (int64_t)hit.triangle});
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

static icf_status add_triangle(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                               const icf_facet_core *core, icf_lid triangle, icf_surface_work *work)
{
    const icf_facet facet = icf_facet_make(surface->shape->surface, triangle, core);
    if (!is_core(body->shape)) return icf_facet_add_convex(&facet, surface, body, distance, work);
    icf_facet_axis axis;
    if (!icf_facet_find_axis(&facet, core, distance + core->radius, &axis)) return ICF_OK;
    return icf_facet_add_points(&facet, core, &axis, distance, work);
}

/* Appends the contacts of a body without parts, in the surface's frame. */
static icf_status collide_convex(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                                 icf_surface_work *work)
{
    const icf_facet_core core = make_core(surface, body);
    const icf_lid first = work->npoint;
    ICF_TRY(list_triangles(surface, body, distance, work));
    if (work->ntriangle == 0) return ICF_OK;
    for (icf_lid i = 0; i < work->ntriangle; ++i)
        ICF_TRY(add_triangle(surface, body, distance, &core, work->triangle[i], work));
    if (surface->shape->surface->is_solid) ICF_TRY(push_out(surface, body, &core, first, work));
    icf_surface_reduce(first, merge_distance(&core), core.size, work);
    return ICF_OK;
}

static int compare_features(const void *a, const void *b)
{
    const int64_t x = ((const icf_contact_point *)a)->feature, y = ((const icf_contact_point *)b)->feature;
    return (x > y) - (x < y);
}

/* Each part has contacts of its own. */
static icf_status collide_compound(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                                   icf_surface_work *work)
{
    const icf_solid *solid = &body->solids[body->shape->index];
    for (int32_t p = 0; p < solid->npart; ++p) {
        const icf_placed_shape part = icf_place_part(body, &solid->part[p]);
        const icf_lid first = work->npoint;
        ICF_TRY(collide_convex(surface, &part, distance, work));
        for (icf_lid i = first; i < work->npoint; ++i)
            work->point[i].feature = p + solid->npart * work->point[i].feature;
    }
    if (work->npoint > 1) qsort(work->point, (size_t)work->npoint, sizeof *work->point, compare_features);
    return ICF_OK;
}

icf_status icf_collide_surface(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                               icf_surface_work *work)
{
    work->npoint = 0;
    switch (body->shape->type) {
    case ICF_SHAPE_SPHERE:
    case ICF_SHAPE_CAPSULE:
    case ICF_SHAPE_BOX:
    case ICF_SHAPE_CYLINDER:
    case ICF_SHAPE_ELLIPSOID:
    case ICF_SHAPE_CONVEX: ICF_TRY(collide_convex(surface, body, distance, work)); break;
    case ICF_SHAPE_COMPOUND: ICF_TRY(collide_compound(surface, body, distance, work)); break;
    default: break;
    }
    to_world(surface, work);
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
