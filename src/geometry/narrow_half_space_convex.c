/* Half-space against cylinder, ellipsoid and convex polytope.
 *
 * A cylinder gives four points of the rim of each end, the lowest one and those a quarter turn on: one of them is the
 * nearest point however it lies, two carry it on its side, four on its end.  Turning the four about the axis changes
 * neither their common stiffness nor that against tilting, so it does no harm that the lowest point of an upright
 * cylinder is a matter of round-off.  An ellipsoid gives its lowest point.  A polytope gives corners of the face that
 * it lies on or nearly lies on and all vertices that overlap, if there is room: one that did and were left out would
 * let the body sink until it came in, and throw it back.  Where more overlap than that, the face's corners stay, with
 * the lowest vertex and those that would be the lowest if it were tilted a little: a choice by height alone would
 * change from step to step, and one by outline alone would leave out vertices of that face for high ones beside it.
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

/* ---- polytopes ---- */

#define LEVEL  1e-4 /* of the radius: lower by less than this is not lower */
#define FACING 1e-3 /* of the cosine: about 2.5 degrees */

#define CLEARLY 3e-3 /* of the radius: lower by more than this when tilted is worth a contact */
#define TILT    0.02 /* [rad] */
#define SKEW    (0.70710678118654752 * TILT)

static const double tilt[][2] = {{TILT, 0},    {-TILT, 0},     {0, TILT},     {0, -TILT},
                                 {SKEW, SKEW}, {-SKEW, -SKEW}, {-SKEW, SKEW}, {SKEW, -SKEW}};

enum { NLOW = 256, NPOLYGON = 64, NFLAT = 8, NFOLDED = 6, NTILT = sizeof tilt / sizeof *tilt };

/* A polytope over a half-space. */
typedef struct over_plane {
    const icf_polytope *polytope;
    icf_vec3 normal; /* of the half-space, in the polytope's frame */
    double height;   /* of the frame's origin [m] */
    double distance; /* candidate distance [m] */
} over_plane;

/* The lowest vertices below the candidate distance. */
typedef struct low_vertices {
    int n;
    int32_t vertex[NLOW];
    double height[NLOW];
} low_vertices;

/* Those that give contacts. */
typedef struct kept_vertices {
    int n;
    int32_t vertex[ICF_MANIFOLD_MAX];
    double lowest; /* [m] */
} kept_vertices;

static double height_of(const over_plane *over, int32_t vertex)
{
    return over->height + icf_dot(over->normal, icf_polytope_vertex(over->polytope, vertex));
}

static int highest_of(const low_vertices *low)
{
    int highest = 0;
    for (int k = 1; k < low->n; ++k)
        if (low->height[k] > low->height[highest]) highest = k;
    return highest;
}

/* Of more than there is room for the highest gives way. */
static void find_low(const over_plane *over, low_vertices *low)
{
    low->n = 0;
    for (int32_t i = 0; i < over->polytope->nvertex; ++i) {
        const double height = height_of(over, i);
        if (height >= over->distance) continue;
        const bool is_full = low->n == NLOW;
        const int place = is_full ? highest_of(low) : low->n++;
        if (is_full && low->height[place] <= height) continue;
        low->vertex[place] = i;
        low->height[place] = height;
    }
}

static int lowest_of(const low_vertices *low)
{
    int lowest = 0;
    for (int k = 1; k < low->n; ++k)
        if (low->height[k] < low->height[lowest]) lowest = k;
    return lowest;
}

static void keep(kept_vertices *kept, int32_t vertex, double height)
{
    kept->vertex[kept->n++] = vertex;
    kept->lowest = fmin(kept->lowest, height);
}

/* Of the patches at a vertex the widest of those that face the half-space, but for FACING, as much as any. */
static int32_t patch_below(const over_plane *over, int32_t vertex)
{
    const icf_polytope *p = over->polytope;
    const int32_t *begin = p->vertex_face + p->vertex_ptr[vertex], *end = p->vertex_face + p->vertex_ptr[vertex + 1];
    double most = 1.0;
    for (const int32_t *f = begin; f < end; ++f) most = fmin(most, icf_dot(p->normal[*f], over->normal));
    int32_t widest = -1;
    for (const int32_t *f = begin; f < end; ++f)
        if (icf_dot(p->normal[*f], over->normal) <= most + FACING &&
            (widest < 0 || p->width[p->face_patch[*f]] > p->width[widest]))
            widest = p->face_patch[*f];
    return widest;
}

/* Drops the flattest of n corners of a polygon until there are so many. */
static int thin(int n, int most, double (*uv)[2], int32_t *vertex)
{
    const int nplace = n;
    int place[NPOLYGON], dropped[NPOLYGON], ndropped = 0;
    double bulge[NPOLYGON];
    for (int k = 0; k < n; ++k) place[k] = k;
    while (n > most) {
        for (int k = 0; k < n; ++k) bulge[k] = fmax(0.0, icf_plane_turn(uv[(k + n - 1) % n], uv[k], uv[(k + 1) % n]));
        const int flattest = icf_flattest_corner(n, bulge, place, nplace, dropped, &ndropped);
        if (flattest < 0) return most; /* numbers that compare with none */
        --n;
        for (int k = flattest; k < n; ++k) {
            vertex[k] = vertex[k + 1];
            uv[k][0] = uv[k + 1][0];
            uv[k][1] = uv[k + 1][1];
        }
    }
    return n;
}

/* Few corners of a patch, fewer where it is not quite flat, so that others may carry the polytope too; the same ones
 * however it lies: what it rests on does not change from step to step.  vertex (NPOLYGON) */
static int find_corners(const icf_polytope *p, int32_t patch, int32_t *vertex)
{
    const icf_vec3 normal = p->normal[p->plane[p->plane_ptr[patch]]];
    const icf_vec3 u = icf_perpendicular(normal), v = icf_cross(normal, u);
    const int32_t begin = p->patch_ptr[patch], end = p->patch_ptr[patch + 1];
    const int32_t stride = (end - begin + NPOLYGON - 1) / NPOLYGON;
    double uv[NPOLYGON][2];
    int n = 0;
    for (int32_t k = begin; k < end; k += stride) {
        const icf_vec3 x = icf_polytope_vertex(p, p->patch_side[k]);
        vertex[n] = p->patch_side[k];
        uv[n][0] = icf_dot(u, x);
        uv[n++][1] = icf_dot(v, x);
    }
    const bool is_folded = p->plane_ptr[patch + 1] - p->plane_ptr[patch] > 1;
    return thin(n, is_folded ? NFOLDED : NFLAT, uv, vertex);
}

static double depth_when_tilted(const over_plane *over, icf_vec3 slope, int32_t vertex, double height)
{
    return icf_dot(slope, icf_polytope_vertex(over->polytope, vertex)) - height;
}

/* Keeps what is lowest when the polytope is tilted a little along `slope`, if it is clearly lower then than what is
 * kept: of a polygon with many corners a few do. */
static void keep_tilted(const over_plane *over, const low_vertices *low, icf_vec3 slope, kept_vertices *kept)
{
    double depth = -INFINITY;
    int deepest = -1;
    for (int k = 0; k < kept->n; ++k)
        depth = fmax(depth, depth_when_tilted(over, slope, kept->vertex[k], height_of(over, kept->vertex[k])));
    depth += CLEARLY * over->polytope->radius;
    for (int k = 0; k < low->n; ++k) {
        const double here = depth_when_tilted(over, slope, low->vertex[k], low->height[k]);
        if (here <= depth) continue;
        depth = here;
        deepest = k;
    }
    if (deepest >= 0) keep(kept, low->vertex[deepest], low->height[deepest]);
}

static bool is_kept(const kept_vertices *kept, int32_t vertex)
{
    for (int k = 0; k < kept->n; ++k)
        if (kept->vertex[k] == vertex) return true;
    return false;
}

/* Keeps all vertices that overlap, if there is room for all. */
static void keep_overlapping(const low_vertices *low, kept_vertices *kept)
{
    int n = kept->n;
    for (int k = 0; k < low->n; ++k) n += low->height[k] < 0.0 && !is_kept(kept, low->vertex[k]);
    if (n > ICF_MANIFOLD_MAX) return;
    for (int k = 0; k < low->n; ++k)
        if (low->height[k] < 0.0 && !is_kept(kept, low->vertex[k])) keep(kept, low->vertex[k], low->height[k]);
}

/* Keeps the lowest of the vertices that do not overlap yet while there is room. */
static void keep_lowest(const low_vertices *low, kept_vertices *kept)
{
    while (kept->n < ICF_MANIFOLD_MAX) {
        int lowest = -1;
        for (int k = 0; k < low->n; ++k)
            if (low->height[k] >= 0.0 && (lowest < 0 || low->height[k] < low->height[lowest]) &&
                !is_kept(kept, low->vertex[k]))
                lowest = k;
        if (lowest < 0) return;
        keep(kept, low->vertex[lowest], low->height[lowest]);
    }
}

/* The corners of the patch that the polytope lies on, if it lies, and no others of it; the lowest vertex, unless one of
 * these is nearly as low; then those that would be lowest soon. */
static void choose(const over_plane *over, low_vertices *low, kept_vertices *kept)
{
    const icf_polytope *p = over->polytope;
    const int lowest = lowest_of(low);
    int32_t corner[NPOLYGON];
    const int ncorner = find_corners(p, patch_below(over, low->vertex[lowest]), corner);
    for (int k = 0; k < ncorner; ++k) {
        const double height = height_of(over, corner[k]);
        if (height < over->distance) keep(kept, corner[k], height);
    }
    keep_overlapping(low, kept);
    if (low->height[lowest] < kept->lowest - LEVEL * p->radius) keep(kept, low->vertex[lowest], low->height[lowest]);
    keep_lowest(low, kept);
    const icf_vec3 u = icf_perpendicular(over->normal), v = icf_cross(over->normal, u);
    for (int k = 0; k < NTILT && kept->n < ICF_MANIFOLD_MAX; ++k)
        keep_tilted(over, low, icf_add(icf_scale(tilt[k][0], u), icf_scale(tilt[k][1], v)), kept);
}

void icf_narrow_half_space_convex(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                  icf_manifold *manifold)
{
    const over_plane over = {.polytope = &b->solids[b->shape->index].polytope,
                             .normal = icf_mat3_tmul(&b->rotation, a->shape->normal),
                             .height = icf_dot(a->shape->normal, b->position) - a->shape->offset,
                             .distance = distance};
    low_vertices low;
    kept_vertices kept = {.lowest = INFINITY};
    find_low(&over, &low);
    if (low.n > 0) choose(&over, &low, &kept);
    for (int k = 0; k < kept.n; ++k)
        add_point(a->shape, icf_to_world(b, icf_polytope_vertex(over.polytope, kept.vertex[k])), kept.vertex[k],
                  distance, manifold);
    icf_manifold_sort(manifold);
}
