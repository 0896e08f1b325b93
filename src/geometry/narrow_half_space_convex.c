/* Half-space against cylinder, ellipsoid and convex polytope.
 *
 * A cylinder gives four points of the rim of each end, the lowest one and those a quarter turn on: one of them is the
 * nearest point however it lies, two carry it on its side, four on its end.  Turning the four about the axis changes
 * neither their common stiffness nor that against tilting, so it does no harm that the lowest point of an upright
 * cylinder is a matter of round-off.  An ellipsoid gives its lowest point.  A polytope gives its vertices; of more than
 * a manifold holds, the lowest one and those whose hull, seen along the normal, is largest.
 */
#include "base/plane_hull.h"
#include "geometry/narrow.h"
#include "geometry/thin.h"
#include "scene/solid.h"

static void add_point(const icf_shape *half_space, icf_vec3 x, int64_t feature, double limit, icf_manifold *manifold)
{
    const double height = icf_dot(half_space->normal, x) - half_space->offset;
    icf_manifold_add(manifold, limit,
                     (icf_contact_point){.on_a = icf_mul_add(x, -height, half_space->normal),
                                         .on_b = x,
                                         .normal = half_space->normal,
                                         .distance = height,
                                         .feature = feature});
}

void icf_narrow_half_space_cylinder(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                    icf_manifold *manifold)
{
    const icf_vec3 down = icf_neg(icf_mat3_tmul(&b->rotation, a->shape->normal));
    const double radius = b->shape->radius, half = b->shape->half;
    double across;
    const icf_vec3 lowest = icf_direction((icf_vec3){down.x, down.y, 0.0}, (icf_vec3){1, 0, 0}, &across);
    const icf_vec3 side = {-lowest.y, lowest.x, 0.0};
    for (int end = 0; end < 2; ++end)
        for (int quarter = 0; quarter < 4; ++quarter) {
            const double sign = quarter < 2 ? 1.0 : -1.0;
            icf_vec3 x = icf_scale(sign * radius, quarter % 2 == 0 ? lowest : side);
            x.z = end == 0 ? half : -half;
            add_point(a->shape, icf_to_world(b, x), 4 * end + quarter, distance, manifold);
        }
}

void icf_narrow_half_space_ellipsoid(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                     icf_manifold *manifold)
{
    const icf_vec3 down = icf_neg(icf_mat3_tmul(&b->rotation, a->shape->normal)), r = b->shape->extent;
    const icf_vec3 s = {r.x * down.x, r.y * down.y, r.z * down.z};
    const double h = 1.0 / icf_norm(s);
    add_point(a->shape, icf_to_world(b, (icf_vec3){r.x * s.x * h, r.y * s.y * h, r.z * s.z * h}), 0, distance,
              manifold);
}

#define LEVEL 1e-7 /* of the radius: lower by less than this is not lower */

/* Vertices below the candidate distance, in the plane of the half-space. */
enum { NLOW = 256, NKEPT = 8 };
typedef struct {
    int n;
    int32_t vertex[NLOW];
    double uv[NLOW][2], height[NLOW];
} low_vertices;

/* Drops the flattest corners until there are `room`, but never `keep`. */
static int thin(const low_vertices *low, int n, int room, int keep, int32_t *corner)
{
    const int nplace = n;
    int place[2 * NLOW], dropped[2 * NLOW], ndropped = 0;
    double bulge[2 * NLOW];
    for (int k = 0; k < n; ++k) place[k] = k;
    while (n > room) {
        for (int k = 0; k < n; ++k)
            bulge[k] = corner[k] == keep ? INFINITY
                                         : icf_plane_turn(low->uv[corner[(k + n - 1) % n]], low->uv[corner[k]],
                                                          low->uv[corner[(k + 1) % n]]);
        const int flattest = icf_flattest_corner(n, bulge, place, nplace, dropped, &ndropped);
        --n;
        for (int k = flattest; k < n; ++k) corner[k] = corner[k + 1];
    }
    return n;
}

void icf_narrow_half_space_convex(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                  icf_manifold *manifold)
{
    const icf_polytope *p = &b->solids[b->shape->index].polytope;
    const icf_vec3 normal = icf_mat3_tmul(&b->rotation, a->shape->normal);
    const double height = icf_dot(a->shape->normal, b->position) - a->shape->offset;
    const icf_vec3 u = icf_perpendicular(normal), v = icf_cross(normal, u);
    low_vertices low;
    low.n = 0;
    int lowest = 0;
    for (int32_t i = 0; i < p->nvertex; ++i) {
        const icf_vec3 x = icf_polytope_vertex(p, i);
        const double h = height + icf_dot(normal, x);
        if (h >= distance) continue;
        // of more than there is room for the highest gives way
        int place = low.n;
        if (low.n == NLOW)
            for (place = 0, lowest = 0; lowest < NLOW; ++lowest)
                if (low.height[lowest] > low.height[place]) place = lowest;
        if (low.n == NLOW && low.height[place] <= h) continue;
        low.vertex[place] = i;
        low.height[place] = h;
        low.uv[place][0] = icf_dot(u, x);
        low.uv[place][1] = icf_dot(v, x);
        if (low.n < NLOW) ++low.n;
    }
    if (low.n == 0) return;
    lowest = 0;
    double highest = low.height[0];
    for (int k = 1; k < low.n; ++k) {
        if (low.height[k] < low.height[lowest]) lowest = k;
        highest = fmax(highest, low.height[k]);
    }
    int32_t corner[2 * NLOW], n = low.n;
    for (int k = 0; k < n; ++k) corner[k] = k;
    if (n > NKEPT) {
        int32_t order[NLOW];
        n = icf_plane_hull(n, (const double(*)[2])low.uv, order, corner);
        // the lowest is kept, but where all are as low and another would do
        const bool is_level = highest - low.height[lowest] <= LEVEL * b->shape->radius;
        const int keep = is_level ? -1 : lowest;
        bool has_lowest = is_level;
        for (int k = 0; k < n; ++k) has_lowest |= corner[k] == lowest;
        n = thin(&low, n, NKEPT, keep, corner);
        if (!has_lowest) corner[n++] = lowest;
    }
    for (int k = 0; k < n; ++k)
        add_point(a->shape, icf_to_world(b, icf_polytope_vertex(p, low.vertex[corner[k]])), low.vertex[corner[k]],
                  distance, manifold);
    icf_manifold_sort(manifold);
}
