/* Balls inside of bodies. */
#include "contact/inner_ball.h"

#include <math.h>

/* Part of a ball's radius: overlaps that are deeper are looked at. */
static const double deep = 0.25;

double icf_inner_radius(const icf_shape *shape, const icf_solid *solids)
{
    const icf_vec3 centre = {0, 0, 0};
    if (shape->type == ICF_SHAPE_SPHERE) return 0.0;
    return shape->type == ICF_SHAPE_CONVEX ? icf_polytope_inner_radius(&solids[shape->index].polytope, centre)
                                           : icf_shape_half_width(shape);
}

bool icf_inner_ball_matters(const icf_shape *shape, double travel, double depth)
{
    const double width = shape->type == ICF_SHAPE_SPHERE ? 0.0 : icf_shape_half_width(shape);
    return width > 0.0 && (travel > (shape->type == ICF_SHAPE_CONVEX ? 0.5 : 1.0) * width || depth > deep * width);
}

/* ---- compounds ---- */

icf_swing icf_swing_make(double mass, icf_vec3 inertia, double travel, icf_vec3 angle)
{
    const icf_vec3 inverse = {1.0 / inertia.x, 1.0 / inertia.y, 1.0 / inertia.z};
    return (icf_swing){.energy = mass * travel * travel + inertia.x * angle.x * angle.x +
                                 inertia.y * angle.y * angle.y + inertia.z * angle.z * angle.z,
                       .inv_mass = 1.0 / mass,
                       .turn = {inverse.y + inverse.z, inverse.z + inverse.x, inverse.x + inverse.y}};
}

/* Trace of [x] I^-1 [x]^T, which is at least its largest eigenvalue and at most twice that. */
static double turning(const icf_swing *swing, icf_vec3 x)
{
    return x.x * x.x * swing->turn.x + x.y * x.y * swing->turn.y + x.z * x.z * swing->turn.z;
}

double icf_swing_reach(const icf_swing *swing, icf_vec3 point)
{
    return sqrt(swing->energy * (swing->inv_mass + turning(swing, point)));
}

double icf_swing_sink(const icf_swing *swing, icf_vec3 point, double rise)
{
    const double square = icf_norm2(point);
    if (!(square > 0.0)) return 0.0;
    const double angle2 = 0.5 * swing->energy * turning(swing, point) / square; // the mean of two directions
    return fmin(1.0, 0.25 * angle2) * fmax(0.0, rise + sqrt(square));
}

bool icf_part_ball_matters(double radius, double reach, double depth)
{
    return reach > radius || depth > deep * radius;
}
