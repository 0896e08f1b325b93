/* Margins of bodies for the search of candidate pairs. */
#include "contact/margin.h"

double icf_contact_reach(const icf_contact_settings *settings, const icf_material *combined, double dt)
{
    const double mu = ICF_MAX(combined->friction[0], combined->friction[1]);
    if (settings->model == ICF_MODEL_SIMILAR) return dt + mu * dt;
    if (settings->model == ICF_MODEL_SAP) return dt + mu * (dt + combined->relaxation_time);
    return dt;
}

double icf_approach_acceleration(icf_vec3 a, icf_vec3 b)
{
    return fmax(icf_norm(icf_sub(a, b)), fmax(icf_norm(a), icf_norm(b)));
}

double icf_surface_spin(const icf_bodies *bodies, icf_lid i)
{
    const double rate = icf_norm(bodies->angular_velocity[i]);
    return rate > 0.0 ? rate * bodies->radius[i] : 0.0;
}

static icf_vec3 surface_velocity(const icf_bodies *bodies, icf_lid i, double end_time)
{
    return icf_add(bodies->linear_velocity[i], icf_surface_velocity_at(&bodies->surface[i], end_time));
}

icf_vec3 icf_sum_velocities(const icf_bodies *bodies, double end_time, icf_cnt *n)
{
    icf_vec3 sum = {0, 0, 0};
    *n = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_moves(bodies, i)) {
            sum = icf_add(sum, surface_velocity(bodies, i, end_time));
            ++*n;
        }
    return sum;
}

/* Largest reach and barrier distance over all pairs of materials. */
static void largest_reach(const icf_scene *scene, double dt, double *length, double *barrier)
{
    const size_t nmaterial = (size_t)scene->nmaterial;
    *length = dt;
    *barrier = 0.0;
    for (size_t i = 0; i < nmaterial * nmaterial; ++i) {
        const icf_material *combined = &scene->combined[i];
        if (!(combined->stiffness >= 0.0)) continue; /* no rule for this pair, and no bodies of it touch */
        *length = fmax(*length, icf_contact_reach(&scene->contact, combined, dt));
        *barrier = fmax(*barrier, combined->barrier_distance);
    }
}

/* How fast a point can approach another one in the step, each counted against the reference. */
static double approach_speed(icf_vec3 velocity, icf_vec3 acceleration, icf_vec3 reference, icf_vec3 gravity, double dt)
{
    const double half_gravity = 0.5 * icf_norm(gravity);
    return icf_norm(icf_sub(velocity, reference)) + dt * (icf_norm(icf_sub(acceleration, gravity)) + half_gravity);
}

/* The fastest vertex of a deformable body. */
static double surface_approach(const icf_surface_state *surface, icf_vec3 reference, icf_vec3 gravity, double dt)
{
    double largest = 0.0;
    for (icf_lid k = 0; k < surface->deformable->mesh.nvertex; ++k)
        largest = fmax(largest, approach_speed(surface->velocity[k], surface->acceleration[k], reference, gravity, dt));
    return largest;
}

void icf_contact_margins(const icf_scene *scene, const icf_bodies *bodies, icf_lid n, const icf_vec3 *acceleration,
                         const icf_surface_state *const *surface, icf_vec3 reference, double dt, double end_time,
                         double *margin)
{
    if (!scene->contact.auto_distance) {
        for (icf_lid i = 0; i < n; ++i) margin[i] = fmax(0.0, 0.5 * scene->contact.distance);
        return;
    }
    double length, barrier;
    largest_reach(scene, dt, &length, &barrier);
    for (icf_lid i = 0; i < n; ++i) {
        const double approach =
            surface && surface[i]
                ? surface_approach(surface[i], reference, scene->gravity, dt)
                : icf_surface_spin(bodies, i) + approach_speed(surface_velocity(bodies, i, end_time), acceleration[i],
                                                               reference, scene->gravity, dt);
        /* a little more, since a pair's own distance is rounded in another order */
        margin[i] = (1.0 + 1e-9) * (length * approach + 0.5 * barrier);
    }
}
