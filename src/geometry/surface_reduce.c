/* The contact points of a body with a surface: what the triangles found one by one, merged.
 *
 *   1. nearest first; a point at the place of a nearer one with the same normal is dropped
 *   2. points of one normal in one plane: the corners of their convex hull are kept, as far as they stick out; what
 * lies between them says nothing more, whether it comes from sides that are not quite flat or from cracks of the mesh
 *   3. too many: the nearest, then always the point that is farthest from all that are kept
 *
 * "The same normal" and "one plane" have tolerances, which a sheet of triangles from single precision needs; the
 * nearest point is always kept, so the distance of the pair stays exact.  Thread-safe; takes no memory.
 */
#include "base/plane_hull.h"
#include "geometry/narrow.h"
#include "geometry/narrow_facet.h"
#include "geometry/point_sort.h"

#define SAME_COSINE (1.0 - 5e-7) /* normals within 1e-3 rad */
#define ONE_PLANE   1e-4         /* of the body's size */
#define DEEPER      1e-9         /* of the body's size */

enum { HULL_MAX = 64 };

/* A total order of the points: it does not depend on which triangle was looked at first. */
static bool comes_before(const icf_contact_point *p, const icf_contact_point *q)
{
    if (p->distance != q->distance) return p->distance < q->distance;
    if (p->feature != q->feature) return p->feature < q->feature;
    const icf_vec3 x = p->on_b, y = q->on_b;
    return x.x != y.x ? x.x < y.x : x.y != y.y ? x.y < y.y : x.z < y.z;
}

static bool is_same_normal(const icf_contact_point *p, const icf_contact_point *q)
{
    return icf_dot(p->normal, q->normal) >= SAME_COSINE;
}

/* Of sorted points the first `most` of which none is at the place of a nearer one. */
static void drop_twins(double merge, icf_lid most, icf_surface_work *work)
{
    icf_lid n = 0;
    for (icf_lid i = 0; i < work->npoint && n < most; ++i) {
        const icf_contact_point point = work->point[i];
        bool is_new = true;
        for (icf_lid j = 0; j < n && is_new; ++j) {
            const icf_contact_point *kept = &work->point[j];
            is_new = point.feature != kept->feature &&
                     (!is_same_normal(&point, kept) || icf_norm(icf_sub(point.on_b, kept->on_b)) > merge);
        }
        if (is_new) work->point[n++] = point;
    }
    work->npoint = n;
}

/* ---- points in a plane ---- */

/* Points of one normal in one plane. */
typedef struct {
    int32_t n;
    double uv[HULL_MAX][2];
    icf_lid point[HULL_MAX];
} plane_group;

/* Distance of corner k of n corners of a hull from the line between its neighbours. */
static double bulge(const plane_group *group, int32_t n, const int32_t *corner, int32_t k)
{
    const double *p = group->uv[corner[(k + n - 1) % n]], *x = group->uv[corner[k]],
                 *q = group->uv[corner[(k + 1) % n]];
    const double length = hypot(q[0] - p[0], q[1] - p[1]);
    return length > 0.0 ? fabs(icf_plane_turn(p, x, q)) / length : hypot(x[0] - p[0], x[1] - p[1]);
}

/* Drops the flattest corners, one by one; returns how many are left. */
static int32_t thin(const plane_group *group, int32_t n, double merge, int32_t *corner)
{
    while (n > 2) {
        int32_t flattest = 0;
        for (int32_t k = 1; k < n; ++k)
            if (bulge(group, n, corner, k) < bulge(group, n, corner, flattest)) flattest = k;
        if (bulge(group, n, corner, flattest) > merge) break;
        --n;
        for (int32_t k = flattest; k < n; ++k) corner[k] = corner[k + 1];
    }
    return n;
}

/* Whether a point has the normal of a seed and lies in its plane. */
static bool is_in_group(const icf_contact_point *seed, const icf_contact_point *point, double size)
{
    return is_same_normal(seed, point) &&
           fabs(icf_dot(seed->normal, icf_sub(point->on_a, seed->on_a))) <= ONE_PLANE * size;
}

/* The points of the seed's group, in its plane; those that are listed belong to no later group. */
static void list_group(const icf_surface_work *work, icf_lid seed, double size, bool *listed, plane_group *group)
{
    const icf_contact_point *first = &work->point[seed];
    const icf_vec3 u = icf_neg(icf_perpendicular(first->normal)), v = icf_cross(first->normal, u);
    group->n = 0;
    for (icf_lid i = seed; i < work->npoint && group->n < HULL_MAX; ++i) {
        if (listed[i] || !is_in_group(first, &work->point[i], size)) continue;
        const icf_vec3 x = icf_sub(work->point[i].on_b, first->on_b);
        listed[i] = true;
        group->uv[group->n][0] = icf_dot(x, u);
        group->uv[group->n][1] = icf_dot(x, v);
        group->point[group->n++] = i;
    }
}

/* Marks what is kept of the seed's group. */
static void keep_corners(const icf_surface_work *work, icf_lid seed, double merge, double size, bool *listed,
                         bool *kept)
{
    plane_group group;
    int32_t order[HULL_MAX], corner[2 * HULL_MAX];
    list_group(work, seed, size, listed, &group);
    const int32_t all = icf_plane_hull(group.n, (const double(*)[2])group.uv, order, corner);
    const int32_t n = thin(&group, all, merge, corner);
    double nearest = INFINITY;
    for (int32_t k = 0; k < n; ++k) {
        const icf_lid i = group.point[corner[k]];
        kept[i] = true;
        nearest = fmin(nearest, work->point[i].distance);
    }
    if (work->point[seed].distance < nearest - DEEPER * size) kept[seed] = true;
}

/* ---- too many ---- */

/* The kept point that is farthest from the first n. */
static icf_lid find_farthest(const icf_surface_work *work, icf_lid n)
{
    icf_lid farthest = n;
    double largest = -1.0;
    for (icf_lid i = n; i < work->npoint; ++i) {
        double least = INFINITY;
        for (icf_lid j = 0; j < n; ++j)
            least = fmin(least, icf_norm2(icf_sub(work->point[i].on_b, work->point[j].on_b)));
        if (least <= largest) continue;
        largest = least;
        farthest = i;
    }
    return farthest;
}

static void choose_few(icf_surface_work *work)
{
    if (work->npoint <= ICF_SURFACE_POINTS) return;
    for (icf_lid n = 1; n < ICF_SURFACE_POINTS; ++n) {
        const icf_lid i = find_farthest(work, n);
        const icf_contact_point point = work->point[i];
        for (icf_lid j = i; j > n; --j) work->point[j] = work->point[j - 1];
        work->point[n] = point;
    }
    work->npoint = ICF_SURFACE_POINTS;
}

void icf_surface_reduce(double merge, double size, icf_surface_work *work)
{
    enum { most = 1024 };
    icf_sort_points((size_t)work->npoint, work->point, comes_before);
    drop_twins(merge, most, work);
    bool listed[most] = {false}, kept[most] = {false};
    for (icf_lid i = 0; i < work->npoint; ++i)
        if (!listed[i]) keep_corners(work, i, merge, size, listed, kept);
    icf_lid n = 0;
    for (icf_lid i = 0; i < work->npoint; ++i)
        if (kept[i]) work->point[n++] = work->point[i];
    work->npoint = n;
    choose_few(work);
    icf_sort_points((size_t)work->npoint, work->point, icf_point_has_lower_feature);
}
