/* Narrow phase: dispatch of a pair to its family, in canonical order.
 *
 * Every family sees its shapes in one order only, so that swapping the arguments gives the same numbers
 * mirrored: different types in the order of icf_shape_type, equal types in an order that the sizes decide
 * and, for equal sizes, the poses.  Between equal sizes the deciding quantity is the position difference along
 * a fixed oblique direction: it is far from zero for neighbours in stacks, rows and their diagonals, so
 * that the roles of two resting bodies (and with them their feature ids) do not change from step to step.
 *
 * Two shapes that agree in every bit have no order; they keep the order given (their normal cannot be its own
 * negative).  Coincident sphere centres have normal +z in both orders by convention (narrow_sphere.c).
 * Thread-safe; takes no memory.
 */
#include "geometry/collide.h"

#include "geometry/narrow.h"
#include "geometry/narrow_parts.h"

/* Against the shapes that one routine serves. */
#define WITH_CONVEX                                                                      \
    [ICF_SHAPE_CYLINDER] = icf_narrow_convex, [ICF_SHAPE_ELLIPSOID] = icf_narrow_convex, \
    [ICF_SHAPE_CONVEX] = icf_narrow_convex

/* Routines by type, lower type first; NULL: no contact. */
static icf_narrow_routine *const routines[ICF_SHAPE_COUNT][ICF_SHAPE_COUNT] = {
    [ICF_SHAPE_HALF_SPACE] = {[ICF_SHAPE_SPHERE] = icf_narrow_half_space_sphere,
                              [ICF_SHAPE_CAPSULE] = icf_narrow_half_space_capsule,
                              [ICF_SHAPE_BOX] = icf_narrow_half_space_box,
                              [ICF_SHAPE_CYLINDER] = icf_narrow_half_space_cylinder,
                              [ICF_SHAPE_ELLIPSOID] = icf_narrow_half_space_ellipsoid,
                              [ICF_SHAPE_CONVEX] = icf_narrow_half_space_convex},
    [ICF_SHAPE_SPHERE] = {[ICF_SHAPE_SPHERE] = icf_narrow_sphere_sphere,
                          [ICF_SHAPE_CAPSULE] = icf_narrow_sphere_capsule,
                          [ICF_SHAPE_BOX] = icf_narrow_sphere_box,
                          [ICF_SHAPE_CYLINDER] = icf_narrow_sphere_cylinder,
                          [ICF_SHAPE_ELLIPSOID] = icf_narrow_convex,
                          [ICF_SHAPE_CONVEX] = icf_narrow_convex},
    [ICF_SHAPE_CAPSULE] =
        {[ICF_SHAPE_CAPSULE] = icf_narrow_capsule_capsule, [ICF_SHAPE_BOX] = icf_narrow_capsule_box, WITH_CONVEX},
    [ICF_SHAPE_BOX] = {[ICF_SHAPE_BOX] = icf_narrow_box_box, WITH_CONVEX},
    [ICF_SHAPE_CYLINDER] = {WITH_CONVEX},
    [ICF_SHAPE_ELLIPSOID] = {WITH_CONVEX},
    [ICF_SHAPE_CONVEX] = {WITH_CONVEX},
};

/* -1, 0, 1: lexicographic order of two lists of n numbers. */
static int compare(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; ++i)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Order of two finite shapes of one type by size. */
static int compare_sizes(const icf_shape *a, const icf_shape *b)
{
    const bool has_solid = icf_shape_has_solid(a);
    const bool has_axes = has_solid || a->type == ICF_SHAPE_BOX || a->type == ICF_SHAPE_ELLIPSOID;
    const double size_a[4] = {has_axes ? a->extent.x : a->radius, has_axes ? a->extent.y : a->half,
                              has_axes ? a->extent.z : 0.0, has_solid ? a->index : 0.0};
    const double size_b[4] = {has_axes ? b->extent.x : b->radius, has_axes ? b->extent.y : b->half,
                              has_axes ? b->extent.z : 0.0, has_solid ? b->index : 0.0};
    return compare(size_a, size_b, 4);
}

/* Order of two poses. */
static int compare_poses(const icf_placed_shape *a, const icf_placed_shape *b)
{
    const icf_vec3 oblique = {0.31, 0.53, 0.79};
    const double along = icf_dot(icf_sub(b->position, a->position), oblique);
    if (along != 0.0) return along > 0.0 ? -1 : 1;
    const double position_a[3] = {a->position.x, a->position.y, a->position.z};
    const double position_b[3] = {b->position.x, b->position.y, b->position.z};
    const int order = compare(position_a, position_b, 3);
    return order != 0 ? order : compare(a->rotation.m, b->rotation.m, 9);
}

/* Whether the second shape comes first in canonical order. */
static bool is_reversed(const icf_placed_shape *a, const icf_placed_shape *b)
{
    if (a->shape->type != b->shape->type) return a->shape->type > b->shape->type;
    if (a->shape->type == ICF_SHAPE_SPHERE) return false;
    const int order = compare_sizes(a->shape, b->shape);
    return (order != 0 ? order : compare_poses(a, b)) > 0;
}

void icf_contact_point_mirror(icf_contact_point *point)
{
    const icf_vec3 on_a = point->on_a;
    point->on_a = point->on_b;
    point->on_b = on_a;
    point->normal = icf_neg(point->normal);
}

void icf_manifold_sort(icf_manifold *manifold)
{
    for (int i = 1; i < manifold->n; ++i) {
        const icf_contact_point point = manifold->point[i];
        int j = i;
        for (; j > 0 && manifold->point[j - 1].feature > point.feature; --j)
            manifold->point[j] = manifold->point[j - 1];
        manifold->point[j] = point;
    }
}

void icf_collide(const icf_placed_shape *a, const icf_placed_shape *b, double distance, icf_manifold *manifold)
{
    manifold->n = manifold->nsearch = 0;
    const bool reversed = is_reversed(a, b);
    const icf_placed_shape *first = reversed ? b : a, *second = reversed ? a : b;
    icf_narrow_routine *const routine = routines[first->shape->type][second->shape->type];
    if (!routine) return;
    routine(first, second, distance, manifold);
    for (int i = 0; i < manifold->n && reversed; ++i) icf_contact_point_mirror(&manifold->point[i]);
}

icf_status icf_collide_parts(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                             icf_contact_list *list)
{
    list->n = 0;
    if (a->shape->type == ICF_SHAPE_NONE || b->shape->type == ICF_SHAPE_NONE) return ICF_OK;
    const bool reversed = is_reversed(a, b);
    ICF_TRY(icf_narrow_parts(reversed ? b : a, reversed ? a : b, distance, list));
    for (size_t i = 0; i < list->n && reversed; ++i) icf_contact_point_mirror(&list->point[i]);
    return ICF_OK;
}

bool icf_collide_nearest(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                         icf_contact_point *point)
{
    if (a->shape->type == ICF_SHAPE_COMPOUND) return icf_nearest_part(a, b, distance, point);
    if (b->shape->type == ICF_SHAPE_COMPOUND) {
        const bool is_near = icf_nearest_part(b, a, distance, point);
        if (is_near) icf_contact_point_mirror(point);
        return is_near;
    }
    icf_manifold manifold;
    icf_collide(a, b, distance, &manifold);
    for (int k = 0; k < manifold.n; ++k)
        if (k == 0 || manifold.point[k].distance < point->distance) *point = manifold.point[k];
    return manifold.n > 0;
}
