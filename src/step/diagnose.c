/* Numbers about a finished step. */
#include "step/diagnose.h"

double icf_kinetic_energy(const icf_bodies *bodies)
{
    double energy = 0.0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i) || icf_bodies_is_deformable(bodies, i)) continue;
        const icf_mat3 rotation = icf_quat_matrix(bodies->orientation[i]);
        const icf_vec3 spin = icf_mat3_tmul(&rotation, bodies->angular_velocity[i]), inertia = bodies->inertia[i];
        energy += 0.5 * bodies->mass[i] * icf_norm2(bodies->linear_velocity[i]) +
                  0.5 * (inertia.x * spin.x * spin.x + inertia.y * spin.y * spin.y + inertia.z * spin.z * spin.z);
    }
    return energy;
}

double icf_potential_energy(const icf_bodies *bodies, icf_vec3 gravity)
{
    double energy = 0.0;
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_moves(bodies, i) && !icf_bodies_is_deformable(bodies, i))
            energy -= bodies->mass[i] * icf_dot(gravity, bodies->position[i]);
    return energy;
}

icf_cnt icf_count_active(const icf_contacts *contacts)
{
    icf_cnt n = 0;
    for (icf_lid i = 0; i < contacts->n; ++i) n += contacts->impulse[i][2] > 0.0;
    return n;
}

/* Velocity of a body's point that carries side 0 or 1 of a contact. */
static icf_vec3 point_velocity(const icf_bodies *bodies, const icf_contacts *contacts, icf_lid i, int side,
                               icf_lid body)
{
    if (!icf_bodies_is_deformable(bodies, body))
        return icf_add(bodies->linear_velocity[body],
                       icf_cross(bodies->angular_velocity[body], icf_sub(contacts->point[i], bodies->position[body])));
    const icf_support *support = &contacts->support[i][side];
    icf_vec3 v = {0, 0, 0};
    for (int k = 0; k < support->n; ++k)
        v = icf_mul_add(v, support->weight[k], bodies->vertex_velocity[bodies->vertex[body] + support->vertex[k]]);
    return v;
}

double icf_end_penetration(const icf_contacts *contacts, const icf_bodies *bodies, double dt)
{
    double deepest = 0.0;
    for (icf_lid k = 0; k < contacts->npair; ++k) {
        const icf_pair pair = contacts->pair[k];
        for (icf_lid i = contacts->pair_begin[k]; i < contacts->pair_begin[k + 1]; ++i) {
            const icf_vec3 normal = {contacts->frame[i].m[6], contacts->frame[i].m[7], contacts->frame[i].m[8]};
            const icf_vec3 v =
                icf_sub(point_velocity(bodies, contacts, i, 1, pair.b), point_velocity(bodies, contacts, i, 0, pair.a));
            deepest = fmax(deepest, -(contacts->distance[i] + dt * icf_dot(normal, v)));
        }
    }
    return deepest;
}

/* ---- contact laws ---- */

/* Velocity of a contact with the part that is prescribed, contact frame. */
static icf_vec3 contact_velocity(const icf_contacts *contacts, const icf_bodies *bodies, icf_pair pair, icf_lid i)
{
    icf_vec3 v = {0, 0, 0};
    const icf_lid side[2] = {pair.a, pair.b};
    for (int e = 0; e < 2; ++e)
        if (icf_bodies_moves(bodies, side[e]))
            v = icf_mul_add(v, e == 0 ? -1.0 : 1.0, point_velocity(bodies, contacts, i, e, side[e]));
    const double *bias = contacts->bias[i];
    return icf_add(icf_mat3_mul(&contacts->frame[i], v), icf_vec3_make(bias[0], bias[1], bias[2]));
}

/* Share of its limit that friction takes up; an axis without friction has none. */
static double used_share(const double mu[2], const double force[3])
{
    double share[2];
    for (int axis = 0; axis < 2; ++axis) share[axis] = force[axis] == 0.0 ? 0.0 : force[axis] / mu[axis];
    return hypot(share[0], share[1]) / force[2];
}

/* Puts the errors of one contact with the force [N] and velocity to those of the others.
 *   gap [in] at the step's end, over dt [m/s] */
static void add_errors(const double mu[2], const double force[3], icf_vec3 velocity, double gap,
                       icf_contact_errors *errors)
{
    const double share = used_share(mu, force);
    const double taken = force[0] * velocity.x + force[1] * velocity.y;
    const double most = force[2] * hypot(mu[0] * velocity.x, mu[1] * velocity.y);
    errors->signorini = fmax(errors->signorini, fabs(force[2] * gap));
    if (share > 1.0) errors->coulomb = fmax(errors->coulomb, hypot(force[0], force[1]) * (1.0 - 1.0 / share));
    errors->dissipation = fmax(errors->dissipation, fabs(most + taken));
}

icf_contact_errors icf_find_contact_errors(const icf_contacts *contacts, const icf_bodies *bodies, double dt)
{
    icf_contact_errors errors = {0};
    for (icf_lid k = 0; k < contacts->npair; ++k)
        for (icf_lid i = contacts->pair_begin[k]; i < contacts->pair_begin[k + 1]; ++i) {
            const double *impulse = contacts->impulse[i];
            if (impulse[0] == 0.0 && impulse[1] == 0.0 && impulse[2] == 0.0) continue;
            const double force[3] = {impulse[0] / dt, impulse[1] / dt, impulse[2] / dt};
            const icf_vec3 velocity = contact_velocity(contacts, bodies, contacts->pair[k], i);
            add_errors(contacts->law[i].mu, force, velocity, contacts->distance[i] / dt + velocity.z, &errors);
        }
    return errors;
}
