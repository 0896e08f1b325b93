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
#include "geometry/narrow.h"
#include "geometry/narrow_facet.h"

#define SAME_COSINE (1.0 - 5e-7) /* normals within 1e-3 rad */
#define ONE_PLANE   1e-4         /* of the body's size */
#define DEEPER      1e-9         /* of the body's size */

enum { HULL_MAX = 64 };

static bool comes_before(const icf_contact_point *p, const icf_contact_point *q)
{
    return p->distance != q->distance ? p->distance < q->distance : p->feature < q->feature;
}

static void sort_by_distance(icf_surface_work *work)
{
    for (icf_lid i = 1; i < work->npoint; ++i) {
        const icf_contact_point point = work->point[i];
        icf_lid j = i;
        for (; j > 0 && comes_before(&point, &work->point[j - 1]); --j) work->point[j] = work->point[j - 1];
        work->point[j] = point;
    }
}

static bool is_same_normal(const icf_contact_point *p, const icf_contact_point *q)
{
    return icf_dot(p->normal, q->normal) >= SAME_COSINE;
}

static void drop_twins(double merge, icf_surface_work *work)
{
    icf_lid n = 0;
    for (icf_lid i = 0; i < work->npoint; ++i) {
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

/* A point of a group in its plane. */
typedef struct {
    double u, v;
    icf_lid point;
} plane_point;

static bool lies_before(const plane_point *p, const plane_point *q)
{
    return p->u != q->u ? p->u < q->u : p->v < q->v;
}

static void sort_in_plane(int n, plane_point *p)
{
    for (int i = 1; i < n; ++i) {
        const plane_point item = p[i];
        int j = i;
        for (; j > 0 && lies_before(&item, &p[j - 1]); --j) p[j] = p[j - 1];
        p[j] = item;
    }
}

static double turn(const plane_point *a, const plane_point *b, const plane_point *c)
{
    return (b->u - a->u) * (c->v - a->v) - (b->v - a->v) * (c->u - a->u);
}

/* Convex hull of sorted points, counter-clockwise (Andrew's monotone chains).
 *   hull [out] (2 n)
 * Returns the number of its corners. */
static int find_hull(int n, const plane_point *p, plane_point *hull)
{
    int m = 0;
    for (int i = 0; i < n; ++i) {
        while (m >= 2 && turn(&hull[m - 2], &hull[m - 1], &p[i]) <= 0.0) --m;
        hull[m++] = p[i];
    }
    const int lower = m + 1;
    for (int i = n - 2; i >= 0; --i) {
        while (m >= lower && turn(&hull[m - 2], &hull[m - 1], &p[i]) <= 0.0) --m;
        hull[m++] = p[i];
    }
    return m > 1 ? m - 1 : m;
}

/* Distance of corner k of a hull from the line between its neighbours. */
static double bulge(int n, const plane_point *hull, int k)
{
    const plane_point *p = &hull[(k + n - 1) % n], *x = &hull[k], *q = &hull[(k + 1) % n];
    const double length = hypot(q->u - p->u, q->v - p->v);
    return length > 0.0 ? fabs(turn(p, x, q)) / length : hypot(x->u - p->u, x->v - p->v);
}

/* Drops the flattest corners, one by one. */
static int thin(int n, double merge, plane_point *hull)
{
    while (n > 2) {
        int flattest = 0;
        for (int k = 1; k < n; ++k)
            if (bulge(n, hull, k) < bulge(n, hull, flattest)) flattest = k;
        if (bulge(n, hull, flattest) > merge) break;
        --n;
        for (int k = flattest; k < n; ++k) hull[k] = hull[k + 1];
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
static int list_group(const icf_surface_work *work, icf_lid seed, double size, bool *listed, plane_point *group)
{
    const icf_contact_point *first = &work->point[seed];
    const icf_vec3 n = first->normal, some = fabs(n.x) < 0.6 ? icf_vec3_make(1, 0, 0) : icf_vec3_make(0, 1, 0);
    const icf_vec3 u = icf_unit(icf_cross(n, some)), v = icf_cross(n, u);
    int count = 0;
    for (icf_lid i = seed; i < work->npoint && count < HULL_MAX; ++i) {
        if (listed[i] || !is_in_group(first, &work->point[i], size)) continue;
        const icf_vec3 x = icf_sub(work->point[i].on_b, first->on_b);
        listed[i] = true;
        group[count++] = (plane_point){icf_dot(x, u), icf_dot(x, v), i};
    }
    return count;
}

/* Marks what is kept of the seed's group. */
static void keep_corners(const icf_surface_work *work, icf_lid seed, double merge, double size, bool *listed,
                         bool *kept)
{
    plane_point group[HULL_MAX], hull[2 * HULL_MAX];
    const int n = list_group(work, seed, size, listed, group);
    sort_in_plane(n, group);
    const int m = thin(find_hull(n, group, hull), merge, hull);
    double nearest = INFINITY;
    for (int k = 0; k < m; ++k) {
        kept[hull[k].point] = true;
        nearest = fmin(nearest, work->point[hull[k].point].distance);
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

static void sort_by_feature(icf_surface_work *work)
{
    for (icf_lid i = 1; i < work->npoint; ++i) {
        const icf_contact_point point = work->point[i];
        icf_lid j = i;
        for (; j > 0 && work->point[j - 1].feature > point.feature; --j) work->point[j] = work->point[j - 1];
        work->point[j] = point;
    }
}

void icf_surface_reduce(double merge, double size, icf_surface_work *work)
{
    enum { most = 1024 };
    sort_by_distance(work);
    drop_twins(merge, work);
    work->npoint = ICF_MIN(work->npoint, most);
    bool listed[most] = {false}, kept[most] = {false};
    for (icf_lid i = 0; i < work->npoint; ++i)
        if (!listed[i]) keep_corners(work, i, merge, size, listed, kept);
    icf_lid n = 0;
    for (icf_lid i = 0; i < work->npoint; ++i)
        if (kept[i]) work->point[n++] = work->point[i];
    work->npoint = n;
    choose_few(work);
    sort_by_feature(work);
}
