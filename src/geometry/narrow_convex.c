/* Convex shapes of every kind against one another: signed distance, normal and contact manifold.
 *
 *   bracket -> best direction of the features -> does it reach the bracket?
 *     yes: manifold along it      no: a narrower bracket, more features; at last every direction there is
 *
 * Nothing ends in a wrong normal because a limit of iterations is reached: a direction is taken when the bracket says
 * that none separates more (to 1e-10 of the size between polytopes, 1e-9 else) or, of bodies that are apart, when it
 * has two points on their surfaces that are as near as it separates.  Otherwise all directions that can be best are
 * tried (icf_convex_search), which is slow and counted.
 *
 * The manifold is taken along that direction whatever it is, as for boxes (narrow_box.c); when none of its points is as
 * near as the direction separates, the two points that are take the place of what they duplicate.  The least
 * distance is exact; of faces that are nearly flat only, to what they are from flat.
 *
 * Thread-safe; takes no memory.
 */
#include "geometry/convex.h"

#define CONFIRMED 1e-11 /* of the size: a point is as near as the direction separates */
#define END       1e-10 /* a point of a segment nearer to an end than this is the end */

static bool is_round(const icf_convex_pair *pair)
{
    return pair->core[0].type == ICF_CORE_ELLIPSOID || pair->core[1].type == ICF_CORE_ELLIPSOID;
}

/* The direction that separates most.  Returns false when the cores are at least `limit` apart. */
static bool find_direction(const icf_convex_pair *pair, double limit, icf_touch *touch, int *nsearch)
{
    icf_expansion e;
    static const double flat[] = {1e-12, 0.0}, smooth[] = {1e-2, 1e-4, 1e-6, 5e-10, 0.0};
    touch->separation = -INFINITY;
    touch->is_tight = false;
    if (icf_convex_expand_begin(pair, &e)) {
        if (e.below >= limit) return false;
        const double *tolerance = pair->is_smooth ? smooth : flat;
        for (int k = 0; tolerance[k] > 0.0; ++k) {
            icf_convex_expand(pair, limit, touch->separation, tolerance[k] * pair->scale, &e);
            if (e.below >= limit) return false;
            if (icf_convex_is_settled(pair, &e, touch)) break;
            // a direction that is no better than the one known mends nothing, before the last
            if (e.below < touch->separation && tolerance[k + 1] > 0.0) continue;
            icf_convex_polish(pair, &e, false, touch);
            if (icf_convex_is_settled(pair, &e, touch)) break;
            if (is_round(pair) && touch->separation < 0.0) icf_convex_expand_round(pair, touch, &e);
        }
        if (!icf_convex_is_settled(pair, &e, touch)) icf_convex_polish(pair, &e, true, touch);
        // level faces of which only a part lies above one another: the polytope has the nearest points
        if (!touch->is_tight) icf_convex_expand_points(&e, touch->on);
        if (icf_convex_is_settled(pair, &e, touch)) return touch->separation < limit;
    }
    ++*nsearch;
    icf_convex_search(pair, touch);
    return touch->separation < limit;
}

/* How much nearer than the points of the manifold the direction separates; infinite without any. */
static double missed(const icf_convex_manifold *manifold, double separation)
{
    double nearest = INFINITY;
    for (int k = 0; k < manifold->n; ++k) nearest = fmin(nearest, manifold->point[k].distance);
    return nearest - separation;
}

/* Feature of the nearest points: what touches, a face (0) or by its outermost vertices. */
static int64_t nearest_feature(const icf_convex_pair *pair, const icf_touch *touch)
{
    int64_t count[2], name[2];
    for (int k = 0; k < 2; ++k) {
        const icf_core *core = &pair->core[k];
        const bool is_face = touch->type == (k == 0 ? ICF_TOUCH_FACE_FIRST : ICF_TOUCH_FACE_SECOND);
        count[k] = core->type == ICF_CORE_POLYTOPE ? core->polytope->nvertex : 18;
        name[k] =
            is_face ? 0 : icf_core_outer_name(core, touch->vertex[k], k == 0 ? touch->normal : icf_neg(touch->normal));
    }
    // above all features of the overlap
    const int64_t base = (int64_t)1 << 30;
    return base + (touch->type * count[0] + name[0]) * count[1] + name[1];
}

/* Adds the nearest points in place of those that they duplicate, whose feature they keep, or of the farthest when there
 * is no room.
 *   soft [in] of a point that duplicates none */
static void insert_nearest(const icf_convex_pair *pair, const icf_touch *touch, double merge, double soft,
                           icf_convex_manifold *manifold)
{
    icf_convex_point nearest = {.on = {touch->on[0], touch->on[1]},
                                .distance = touch->separation,
                                .feature = nearest_feature(pair, touch),
                                .soft = soft};
    int n = 0, farthest = 0;
    for (int k = 0; k < manifold->n; ++k)
        if (icf_norm(icf_sub(manifold->point[k].on[0], nearest.on[0])) > merge) {
            manifold->point[n++] = manifold->point[k];
        } else {
            nearest.feature = ICF_MIN(nearest.feature, manifold->point[k].feature);
            nearest.soft = 0.0;
        }
    for (int k = 1; k < n; ++k)
        if (manifold->point[k].distance > manifold->point[farthest].distance) farthest = k;
    manifold->point[n < ICF_MANIFOLD_MAX ? n++ : farthest] = nearest;
    manifold->n = n;
}

/* Adds the nearest points unless a point is as near.  Of bodies that lie on one another by faces with few points for
 * many corners they come and go with the least tilt; at full stiffness a body at rest would rock between having them
 * and not, so there their stiffness grows from nothing with how much nearer they are. */
static void add_nearest(const icf_convex_pair *pair, const icf_touch *touch, double merge,
                        icf_convex_manifold *manifold)
{
    const double miss = missed(manifold, touch->separation);
    if (miss <= fmax(CONFIRMED * pair->scale, manifold->fold)) return;
    insert_nearest(pair, touch, merge, miss < manifold->slack ? 1.0 - miss / manifold->slack : 0.0, manifold);
}

int icf_convex_touch(const icf_convex_pair *pair, double limit, icf_convex_manifold *manifold)
{
    int nsearch = 0;
    icf_touch touch;
    double merge;
    manifold->n = 0;
    if (!find_direction(pair, limit, &touch, &nsearch)) return nsearch;
    manifold->normal = touch.normal;
    icf_convex_clip(pair, touch.vertex, limit, manifold, &merge);
    icf_convex_add_low(pair, touch.vertex, touch.separation, limit, manifold);
    add_nearest(pair, &touch, merge, manifold);
    return nsearch;
}

/* Point of the surface that belongs to a point of the core, towards a direction; *support: how far it lies beyond. */
static icf_vec3 grown(const icf_core *core, const icf_shape *shape, double scale, icf_vec3 x, icf_vec3 direction,
                      double *support)
{
    *support = core->rounding;
    if (core->type != ICF_CORE_SEGMENT) return icf_mul_add(x, core->rounding, direction);
    // what is an end but for rounding is one
    double z = icf_core_back(core, x).z;
    if (fabs(z) > core->half - END * scale) z = z > 0.0 ? core->half : -core->half;
    return icf_core_place(core, icf_capsule_surface(shape, z, icf_core_own(core, direction), support));
}

void icf_narrow_convex(const icf_placed_shape *a, const icf_placed_shape *b, double distance, icf_manifold *manifold)
{
    if (icf_is_far(a, icf_shape_radius(a->shape), b, icf_shape_radius(b->shape), distance)) return;
    const icf_convex_pair pair = icf_convex_make_pair(a, b);
    const icf_core *first = &pair.core[0], *second = &pair.core[1];
    icf_convex_manifold core;
    manifold->nsearch += icf_convex_touch(&pair, distance + first->rounding + second->rounding, &core);
    const icf_vec3 back = icf_neg(core.normal);
    for (int k = 0; k < core.n; ++k) {
        const icf_convex_point *point = &core.point[k];
        double support[2];
        const icf_vec3 on_a = grown(first, a->shape, pair.scale, point->on[0], core.normal, &support[0]);
        const icf_vec3 on_b = grown(second, b->shape, pair.scale, point->on[1], back, &support[1]);
        icf_manifold_add(manifold, distance,
                         (icf_contact_point){.on_a = icf_to_world(a, on_a),
                                             .on_b = icf_to_world(a, on_b),
                                             .normal = icf_mat3_mul(&a->rotation, core.normal),
                                             .distance = point->distance - support[0] - support[1],
                                             .feature = point->feature,
                                             .soft = point->soft});
    }
    icf_manifold_sort(manifold);
}
