/* Prescribed motion: harmonic displacement, steady turning and translation, belts. */
#include "scene/motion.h"

static const double two_pi = 6.28318530717958647692;

static double angle(const icf_harmonic *harmonic, double t)
{
    return two_pi * harmonic->frequency * t + harmonic->phase;
}

icf_vec3 icf_harmonic_displacement(const icf_harmonic *harmonic, double t)
{
    return icf_scale(harmonic->amplitude * sin(angle(harmonic, t)), harmonic->direction);
}

icf_vec3 icf_harmonic_velocity(const icf_harmonic *harmonic, double t)
{
    const double speed = harmonic->amplitude * two_pi * harmonic->frequency;
    return icf_scale(speed * cos(angle(harmonic, t)), harmonic->direction);
}

/* Rotation by the angle that an angular velocity gives in time t. */
static icf_quat turn(icf_vec3 angular, double t)
{
    const double speed = icf_norm(angular), half = 0.5 * speed * t;
    if (speed == 0.0) return (icf_quat){1.0, 0.0, 0.0, 0.0};
    const icf_vec3 axis = icf_scale(sin(half) / speed, angular);
    return (icf_quat){cos(half), axis.x, axis.y, axis.z};
}

/* From the point that the body turns about to the body's position. */
static icf_vec3 arm(const icf_steady *steady, icf_vec3 origin, double t)
{
    return icf_rotate(turn(steady->angular, t), icf_sub(origin, steady->center));
}

icf_vec3 icf_steady_position(const icf_steady *steady, icf_vec3 origin, double t)
{
    if (icf_norm2(steady->angular) == 0.0) return icf_mul_add(origin, t, steady->linear);
    return icf_add(icf_mul_add(steady->center, t, steady->linear), arm(steady, origin, t));
}

icf_quat icf_steady_orientation(const icf_steady *steady, double t)
{
    return icf_quat_unit(icf_quat_mul(turn(steady->angular, t), steady->start));
}

icf_vec3 icf_steady_velocity(const icf_steady *steady, icf_vec3 origin, double t)
{
    return icf_add(steady->linear, icf_cross(steady->angular, arm(steady, origin, t)));
}

icf_vec3 icf_surface_velocity_at(const icf_surface_velocity *surface, double t)
{
    if (!surface->moving) return (icf_vec3){0};
    return icf_add(surface->constant, icf_harmonic_velocity(&surface->harmonic, t));
}
