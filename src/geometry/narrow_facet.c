/* One triangle of a surface against a core: the direction of its contacts.
 *
 *   best separating direction -> allowed at the feature it belongs to?  yes: that is the normal
 *                                                                       no: the face's normal, if in front
 *
 * Direction.  As for two boxes (narrow_box.c): every direction n separates by
 *
 *   s(n) = min over core of n.y - max over triangle of n.x
 *
 * at most by the signed distance.  The best of the face's normal, the box's faces, edge across edge and the nearest
 * points that have a vertex is the signed distance; n points from the triangle to the body.
 *
 * Limit.  That distance is one of the triangle alone.  On a surface the direction counts where it is also one of the
 * surface: at a side or corner n must not rise towards what lies round it,
 *
 *   n.(w - x) <= 0   for all neighbouring vertices w of the touched feature at x,
 *
 *                 n                     n
 *        \        |                      \   |  face's normal
 *         x-------x--------x       x------x--------x          the flat edge in the middle has no direction of its own:
 *        /  convex: allowed              not allowed            a box that comes from the left does not run into it
 *
 * and, on a solid, it must point outward: against the sum of the normals at a side, and that weighted by the angles at
 * a corner (Baerentzen & Aanaes 2005).  Where it is not allowed, what is nearest belongs to a neighbour; but the part
 * of the body that is above this triangle touches it along the face's normal.
 *
 * A box whose face lies on several corners of the surface is to keep them all when it tilts by a little; then only the
 * nearest of two that are joined by an edge would be allowed.  So the face's normal may rise by TILT towards corners at
 * the other end of sides that stick out.
 *
 * Thread-safe; takes no memory.
 */
#include "geometry/narrow_facet.h"

#include "geometry/narrow.h"

#define BIAS  1e-12 /* of the size: a later direction replaces an earlier one only when it is better by more */
#define LEVEL 1e-9  /* of the size or sine: what rises less is level */
#define TILT  0.05  /* sine: a face of a box touches corners next to a nearer one when it is tilted by less */
#define SHARP 1e-3  /* sine: sides that stick out by more are edges in their own right */
#define FACE  1e-8  /* sine: a direction nearer to the face's normal is taken for it */

icf_facet icf_facet_make(const icf_rigid_surface *surface, icf_lid triangle, double size)
{
    icf_facet facet = {.surface = surface, .triangle = triangle, .normal = surface->normal[triangle]};
    icf_triangle_mesh_corners(&surface->mesh, triangle, facet.x);
    double square = 0.0;
    for (int k = 0; k < 3; ++k) square = fmax(square, icf_norm2(icf_sub(facet.x[(k + 1) % 3], facet.x[k])));
    facet.scale = sqrt(square) + size;
    return facet;
}

/* ---- what a feature allows ---- */

static icf_lid vertex_of(const icf_facet *facet, int k)
{
    return facet->surface->mesh.triangle[facet->triangle][k];
}

/* Whether a vertex rises along n above a corner by more than a sine. */
static bool rises(const icf_facet *facet, icf_vec3 normal, int corner, icf_lid vertex, double sine)
{
    const icf_vec3 arm = icf_sub(facet->surface->mesh.vertex[vertex], facet->x[corner]);
    return icf_dot(normal, arm) > sine * icf_norm(arm);
}

/* Whether the side between a vertex and corner c of a triangle sticks out, towards the body. */
static bool sticks_out(const icf_facet *facet, icf_vec3 normal, icf_lid triangle, icf_lid vertex, int c)
{
    const icf_lid *corner = facet->surface->mesh.triangle[triangle];
    const int k = corner[(c + 1) % 3] == vertex ? c : (c + 2) % 3;
    if (facet->surface->neighbour[triangle][k] < 0) return true;
    const double rise = facet->surface->rise[triangle][k];
    return (icf_dot(normal, facet->normal) < 0.0 ? -rise : rise) < -SHARP;
}

static bool side_allows(const icf_facet *facet, int k, icf_vec3 normal)
{
    const icf_rigid_surface *surface = facet->surface;
    const icf_lid neighbour = surface->neighbour[facet->triangle][k];
    if (neighbour < 0) return !surface->is_solid || icf_dot(normal, facet->normal) >= -LEVEL;
    for (int c = 0; c < 3; ++c)
        if (rises(facet, normal, k, surface->mesh.triangle[neighbour][c], LEVEL)) return false;
    if (!surface->is_solid) return true;
    return icf_dot(normal, icf_add(facet->normal, surface->normal[neighbour])) >= -LEVEL;
}

static bool corner_allows(const icf_facet *facet, int k, icf_vec3 normal, bool is_core_face)
{
    const icf_rigid_surface *surface = facet->surface;
    const icf_lid vertex = vertex_of(facet, k);
    for (icf_lid i = surface->star_ptr[vertex]; i < surface->star_ptr[vertex + 1]; ++i) {
        const icf_lid t = surface->star[i], *corner = surface->mesh.triangle[t];
        for (int c = 0; c < 3; ++c)
            if (corner[c] != vertex && rises(facet, normal, k, corner[c], LEVEL) &&
                !(is_core_face && !rises(facet, normal, k, corner[c], TILT) && sticks_out(facet, normal, t, vertex, c)))
                return false;
    }
    return !surface->is_solid || icf_dot(normal, surface->outward[vertex]) >= 0.0;
}

/* Whether the direction may be the normal of a contact with the surface at the triangle's outermost feature. */
static bool is_allowed(const icf_facet *facet, icf_vec3 normal, bool is_core_face)
{
    double height[3];
    for (int k = 0; k < 3; ++k) height[k] = icf_dot(normal, facet->x[k]);
    const double top = fmax(height[0], fmax(height[1], height[2])) - LEVEL * facet->scale;
    const bool up[3] = {height[0] >= top, height[1] >= top, height[2] >= top};
    if (up[0] && up[1] && up[2]) return !facet->surface->is_solid || icf_dot(normal, facet->normal) > 0.0;
    for (int k = 0; k < 3; ++k)
        if (up[k] && up[(k + 1) % 3]) return side_allows(facet, k, normal);
    return corner_allows(facet, up[0] ? 0 : up[1] ? 1 : 2, normal, is_core_face);
}

/* ---- separating directions ---- */

/* How far the core reaches along a direction from its centre. */
static double reach(const icf_facet_core *core, icf_vec3 direction)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
        if (core->extent[i] > 0.0) sum += core->extent[i] * fabs(icf_dot(direction, core->axis[i]));
    return sum;
}

static double separation(const icf_facet *facet, const icf_facet_core *core, icf_vec3 normal)
{
    double top = -INFINITY;
    for (int k = 0; k < 3; ++k) top = fmax(top, icf_dot(normal, icf_sub(facet->x[k], core->centre)));
    return -reach(core, normal) - top;
}

static void try_direction(const icf_facet *facet, const icf_facet_core *core, icf_vec3 normal, icf_facet_axis *axis)
{
    const double s = separation(facet, core, normal);
    if (s <= axis->separation + BIAS * facet->scale) return;
    axis->separation = s;
    axis->normal = normal;
    axis->is_face = axis->is_core_face = false;
}

static void try_both(const icf_facet *facet, const icf_facet_core *core, icf_vec3 normal, icf_facet_axis *axis)
{
    try_direction(facet, core, normal, axis);
    try_direction(facet, core, icf_neg(normal), axis);
}

/* Faces of the core, and its edges across the sides of the triangle. */
static void try_core(const icf_facet *facet, const icf_facet_core *core, icf_facet_axis *axis)
{
    for (int i = 0; i < 3; ++i)
        if (core->extent[i] > 0.0) {
            const double before = axis->separation;
            try_both(facet, core, core->axis[i], axis);
            axis->is_core_face = axis->is_core_face || (core->dimension == 3 && axis->separation > before);
        }
    for (int i = 0; i < 3; ++i) {
        if (core->extent[i] <= 0.0) continue;
        for (int k = 0; k < 3; ++k) {
            const icf_vec3 side = icf_unit(icf_sub(facet->x[(k + 1) % 3], facet->x[k]));
            double sine;
            const icf_vec3 across = icf_direction(icf_cross(core->axis[i], side), (icf_vec3){0, 0, 0}, &sine);
            if (sine > 1e-10) try_both(facet, core, across, axis);
        }
    }
}

/* Number of corners of the core. */
static int ncorner(const icf_facet_core *core)
{
    return core->dimension == 0 ? 1 : core->dimension == 1 ? 2 : 8;
}

icf_vec3 icf_core_corner(const icf_facet_core *core, int corner)
{
    if (core->dimension == 1)
        return icf_mul_add(core->centre, corner == 0 ? core->extent[2] : -core->extent[2], core->axis[2]);
    icf_vec3 x = core->centre;
    for (int i = 0; i < 3; ++i)
        if (core->extent[i] > 0.0)
            x = icf_mul_add(x, corner & icf_core_bit(i) ? core->extent[i] : -core->extent[i], core->axis[i]);
    return x;
}

static void try_between(const icf_facet *facet, const icf_facet_core *core, icf_vec3 from, icf_vec3 to,
                        icf_facet_axis *axis)
{
    double length;
    const icf_vec3 normal = icf_direction(icf_sub(to, from), (icf_vec3){0, 0, 0}, &length);
    if (length > 0.0 && icf_norm2(normal) > 0.0) try_direction(facet, core, normal, axis);
}

/* Nearest points of which one is a corner, of triangle and core that are apart. */
static void try_corners(const icf_facet *facet, const icf_facet_core *core, icf_facet_axis *axis)
{
    for (int v = 0; v < ncorner(core); ++v) {
        const icf_vec3 corner = icf_core_corner(core, v);
        double weight[3];
        icf_closest_on_triangle(corner, facet->x[0], facet->x[1], facet->x[2], weight);
        icf_vec3 nearest = icf_scale(weight[0], facet->x[0]);
        for (int k = 1; k < 3; ++k) nearest = icf_mul_add(nearest, weight[k], facet->x[k]);
        try_between(facet, core, nearest, corner, axis);
    }
    for (int k = 0; k < 3; ++k) {
        icf_vec3 nearest = core->centre;
        const icf_vec3 arm = icf_sub(facet->x[k], core->centre);
        for (int i = 0; i < 3; ++i)
            if (core->extent[i] > 0.0)
                nearest = icf_mul_add(nearest, icf_clamp(icf_dot(arm, core->axis[i]), core->extent[i]), core->axis[i]);
        try_between(facet, core, facet->x[k], nearest, axis);
    }
}

/* Whether the corner of the core that is nearest to the face's plane lies over the face: no other direction is then
 * better. */
static bool is_over_face(const icf_facet *facet, const icf_facet_core *core, icf_vec3 normal)
{
    icf_vec3 lowest = core->centre;
    for (int i = 0; i < 3; ++i)
        if (core->extent[i] > 0.0)
            lowest = icf_mul_add(lowest, icf_dot(normal, core->axis[i]) > 0.0 ? -core->extent[i] : core->extent[i],
                                 core->axis[i]);
    for (int k = 0; k < 3; ++k) {
        const icf_vec3 outward = icf_cross(icf_sub(facet->x[(k + 1) % 3], facet->x[k]), facet->normal);
        if (icf_dot(outward, icf_sub(lowest, facet->x[k])) > 0.0) return false;
    }
    return true;
}

bool icf_facet_limit_axis(const icf_facet *facet, icf_vec3 centre, icf_facet_axis *axis)
{
    if (icf_norm(icf_cross(axis->normal, facet->normal)) < FACE) {
        axis->normal = icf_dot(axis->normal, facet->normal) < 0.0 ? icf_neg(facet->normal) : facet->normal;
        axis->is_face = true;
    }
    axis->is_deep = axis->is_face && !(axis->separation > 0.0);
    if (is_allowed(facet, axis->normal, axis->is_core_face)) return true;

    // what lies over the face touches it along the face's normal: of bodies that are apart on the side to which the
    // separating direction points, of others on the side of the body's middle
    const icf_vec3 towards = axis->separation > 0.0 ? axis->normal : icf_sub(centre, facet->x[0]);
    const double side = icf_dot(facet->normal, towards);
    if (facet->surface->is_solid && !(side > 0.0)) return false;
    axis->is_deep = !(axis->separation > 0.0);
    axis->normal = side < 0.0 ? icf_neg(facet->normal) : facet->normal;
    axis->is_limited = axis->is_face = true;
    return true;
}

bool icf_facet_find_axis(const icf_facet *facet, const icf_facet_core *core, double limit, icf_facet_axis *axis)
{
    *axis = (icf_facet_axis){.separation = -INFINITY};
    try_both(facet, core, facet->normal, axis);
    if (axis->separation >= limit) return false;
    axis->is_face = true;
    if (!(axis->separation > 0.0 && is_over_face(facet, core, axis->normal))) {
        try_core(facet, core, axis);
        if (axis->separation >= limit) return false;
        if (axis->separation > 0.0) try_corners(facet, core, axis);
        if (axis->separation >= limit) return false;
    }
    if (!icf_facet_limit_axis(facet, core->centre, axis)) return false;
    if (axis->is_limited) axis->separation = separation(facet, core, axis->normal);
    return axis->separation < limit;
}
