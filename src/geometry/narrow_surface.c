/* Contacts of a rigid surface with a body: the triangles near it one by one, then all points together. */
#include "geometry/narrow_surface.h"

#include "base/memory.h"
#include "geometry/convex.h"
#include "geometry/narrow.h"
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

static icf_placed_shape in_frame_of(const icf_placed_shape *surface, const icf_placed_shape *body)
{
    icf_placed_shape own = *body;
    own.position = icf_to_body(surface, body->position);
    for (int j = 0; j < 3; ++j) {
        const icf_vec3 axis = icf_mat3_tmul(&surface->rotation, icf_mat3_column(&body->rotation, j));
        own.rotation.m[j] = axis.x;
        own.rotation.m[3 + j] = axis.y;
        own.rotation.m[6 + j] = axis.z;
    }
    return own;
}

static bool make_core(const icf_placed_shape *body, icf_facet_core *core)
{
    const icf_shape *shape = body->shape;
    const bool is_box = shape->type == ICF_SHAPE_BOX, is_capsule = shape->type == ICF_SHAPE_CAPSULE;
    if (!is_box && !is_capsule && shape->type != ICF_SHAPE_SPHERE) return false;
    *core = (icf_facet_core){.dimension = is_box       ? 3
                                          : is_capsule ? 1
                                                       : 0,
                             .centre = body->position,
                             .radius = is_box ? 0.0 : shape->radius,
                             .size = icf_shape_radius(shape)};
    for (int i = 0; i < 3; ++i) {
        core->axis[i] = icf_mat3_column(&body->rotation, i);
        core->extent[i] = is_box ? icf_get(shape->extent, i) : is_capsule && i == 2 ? shape->half : 0.0;
    }
    return true;
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

/* The triangles near the body; their order does not matter, as the points are sorted. */
static icf_status list_triangles(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                                 icf_surface_work *work)
{
    const icf_box box = icf_surface_box_of(surface, body, fmax(0.0, distance));
    work->ntriangle = 0;
    work->status = ICF_OK;
    icf_triangle_tree_overlap(surface->shape->surface->tree, &box, list_triangle, work);
    return work->status;
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

/* Where a body whose middle is below a solid's surface, where no triangle has seen it overlap, leaves it: the way that
 * is the middle's shortest.  Returns false when it is not there.
 *   first [in] number of the body's first point */
static bool find_way_out(const icf_rigid_surface *surface, icf_vec3 centre, const icf_surface_work *work, icf_lid first,
                         icf_surface_hit *hit)
{
    if (!surface->is_solid) return false;
    for (icf_lid i = first; i < work->npoint; ++i)
        if (work->point[i].distance < 0.0) return false;
    return icf_triangle_tree_closest(surface->tree, centre, INFINITY, NULL, NULL, hit) && hit->distance < 0.0;
}

/* The contact that pushes the body out, in place of its others.
 *   on_body [in] its outermost point against the normal */
static icf_status push_out(const icf_surface_hit *hit, icf_vec3 on_body, int64_t feature, icf_lid first,
                           icf_surface_work *work)
{
    const double distance = icf_dot(hit->normal, icf_sub(on_body, hit->point));
    work->npoint = first;
    return icf_surface_work_add(
        work,
        &(icf_contact_point){
            .on_a = hit->point, .on_b = on_body, .normal = hit->normal, .distance = distance, .feature = feature});
}

/* ---- one convex body ---- */

/* A sphere, capsule or box: the points of the triangles in the list. */
static icf_status collide_core(const icf_rigid_surface *data, const icf_facet_core *core, double distance,
                               icf_surface_work *work)
{
    const icf_lid first = work->npoint;
    for (icf_lid i = 0; i < work->ntriangle; ++i) {
        const icf_facet facet = icf_facet_make(data, work->triangle[i], core->size);
        icf_facet_axis axis;
        if (icf_facet_find_axis(&facet, core, distance + core->radius, &axis))
            ICF_TRY(icf_facet_add_points(&facet, core, &axis, distance, work));
    }
    icf_surface_hit hit;
    if (!find_way_out(data, core->centre, work, first, &hit)) return ICF_OK;
    const icf_vec3 on_body = icf_mul_add(core->centre, -depth_of(core, hit.normal), hit.normal);
    return push_out(&hit, on_body, 64 * hit.triangle, first, work);
}

/* The same of a cylinder, ellipsoid or hull. */
static icf_status collide_other(const icf_rigid_surface *data, const icf_placed_shape *body, double distance,
                                icf_surface_work *work)
{
    const icf_lid first = work->npoint;
    for (icf_lid i = 0; i < work->ntriangle; ++i) {
        const icf_facet facet = icf_facet_make(data, work->triangle[i], icf_shape_radius(body->shape));
        ICF_TRY(icf_facet_collide_convex(&facet, body, distance, work));
    }
    const icf_vec3 nowhere[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const icf_convex_pair pair = icf_convex_make_triangle_pair(body, nowhere);
    icf_surface_hit hit;
    if (!find_way_out(data, icf_to_world(body, pair.core[0].centre), work, first, &hit)) return ICF_OK;
    const icf_outer outer = icf_core_outer(&pair.core[0], icf_neg(icf_mat3_tmul(&body->rotation, hit.normal)));
    return push_out(&hit, icf_to_world(body, outer.x), ICF_FACET_CODES * hit.triangle, first, work);
}

/* What is known of the points so far. */
typedef struct {
    double merge;  /* the least of the bodies [m] */
    bool is_plain; /* those of half-spaces: there is nothing to merge */
} found_points;

/* Appends the points of a body without parts. */
static icf_status collide_convex(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                                 found_points *found, icf_surface_work *work)
{
    const icf_rigid_surface *data = surface->shape->surface;
    ICF_TRY(list_triangles(surface, body, distance, work));
    if (work->ntriangle == 0) return ICF_OK;
    const icf_placed_shape own = in_frame_of(surface, body);
    const double merge = MERGE * icf_shape_half_width(body->shape);
    bool is_flat;
    ICF_TRY(icf_surface_touch_flat(data, &own, distance, merge, work, &is_flat));
    if (is_flat) return ICF_OK;
    found->is_plain = false;
    found->merge = fmin(found->merge, merge);
    icf_facet_core core;
    return make_core(&own, &core) ? collide_core(data, &core, distance, work)
                                  : collide_other(data, &own, distance, work);
}

/* ---- all of it ---- */

static icf_status collide_compound(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                                   found_points *found, icf_surface_work *work)
{
    const icf_solid *solid = &body->solids[body->shape->index];
    for (int32_t k = 0; k < solid->npart; ++k) {
        const icf_lid first = work->npoint;
        const icf_placed_shape part = icf_place_part(body, &solid->part[k]);
        ICF_TRY(collide_convex(surface, &part, distance, found, work));
        for (icf_lid i = first; i < work->npoint; ++i) work->point[i].feature += ICF_FACET_FEATURES * k;
    }
    return ICF_OK;
}

static void to_world(const icf_placed_shape *surface, icf_surface_work *work)
{
    for (icf_lid i = 0; i < work->npoint; ++i) {
        icf_contact_point *point = &work->point[i];
        point->on_a = icf_to_world(surface, point->on_a);
        point->on_b = icf_to_world(surface, point->on_b);
        point->normal = icf_mat3_mul(&surface->rotation, point->normal);
    }
}

static bool has_contacts(icf_shape_type type)
{
    return type != ICF_SHAPE_NONE && type != ICF_SHAPE_HALF_SPACE && type != ICF_SHAPE_DEFORMABLE &&
           type != ICF_SHAPE_MESH && type != ICF_SHAPE_HEIGHT_FIELD;
}

icf_status icf_collide_surface(const icf_placed_shape *surface, const icf_placed_shape *body, double distance,
                               icf_surface_work *work)
{
    found_points found = {.merge = INFINITY, .is_plain = true};
    work->npoint = 0;
    if (!has_contacts(body->shape->type)) return ICF_OK;
    if (body->shape->type == ICF_SHAPE_COMPOUND)
        ICF_TRY(collide_compound(surface, body, distance, &found, work));
    else
        ICF_TRY(collide_convex(surface, body, distance, &found, work));
    if (work->npoint == 0) return ICF_OK;
    if (!found.is_plain) icf_surface_reduce(found.merge, icf_shape_radius(body->shape), work);
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
