/* Integration of poses and vertices. */
#include "step/integrate.h"

static void integrate_rigid(icf_bodies *bodies, icf_lid i, double dt)
{
    const icf_vec3 w = bodies->angular_velocity[i];
    const icf_quat q = bodies->orientation[i];
    const icf_quat rate = icf_quat_mul((icf_quat){0.0, w.x, w.y, w.z}, q);
    const double h = 0.5 * dt;
    bodies->position[i] = icf_mul_add(bodies->position[i], dt, bodies->linear_velocity[i]);
    bodies->orientation[i] =
        icf_quat_unit((icf_quat){q.w + h * rate.w, q.x + h * rate.x, q.y + h * rate.y, q.z + h * rate.z});
}

/* Free vertices move with their velocities, the others to where their motion says. */
static void integrate_deformable(icf_bodies *bodies, icf_lid i, const icf_deformable *deformable, double t, double dt)
{
    icf_vec3 *x = bodies->vertex_position + bodies->vertex[i];
    const icf_vec3 *v = bodies->vertex_velocity + bodies->vertex[i];
    for (icf_lid k = 0; k < bodies->nvertex[i]; ++k)
        x[k] = icf_deformable_is_free(deformable, k) ? icf_mul_add(x[k], dt, v[k])
                                                     : icf_deformable_support_position(deformable, k, t + dt);
    icf_bodies_enclose(bodies, i);
}

void icf_integrate_poses(const icf_scene *scene, icf_bodies *bodies, double t, double dt)
{
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (icf_bodies_is_deformable(bodies, i))
            integrate_deformable(bodies, i, &scene->deformable[bodies->shape[i].index], t, dt);
        else if (icf_bodies_moves(bodies, i))
            integrate_rigid(bodies, i, dt);
    }
}
