/* Prescribed motion: harmonic displacement, its velocity, belts. */
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

icf_vec3 icf_surface_velocity_at(const icf_surface_velocity *surface, double t)
{
    if (!surface->moving) return (icf_vec3){0};
    return icf_add(surface->constant, icf_harmonic_velocity(&surface->harmonic, t));
}
