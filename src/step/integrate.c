/* Integration of poses and vertices. */
#include "step/integrate.h"

#include <string.h>

icf_status icf_keep_velocities(const icf_scene *scene, const icf_bodies *bodies, icf_arena *arena,
                               icf_start_velocities *start)
{
    *start = (icf_start_velocities){0};
    if (scene->time.integrator != ICF_MIDPOINT || bodies->nowned == 0) return ICF_OK;
    const size_t n = (size_t)bodies->nowned;
    start->linear = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    start->angular = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    if (!start->linear || !start->angular) return ICF_ERROR_MEMORY;
    memcpy(start->linear, bodies->linear_velocity, n * sizeof *start->linear);
    memcpy(start->angular, bodies->angular_velocity, n * sizeof *start->angular);
    return ICF_OK;
}

static icf_vec3 mean(icf_vec3 a, icf_vec3 b)
{
    return icf_scale(0.5, icf_add(a, b));
}

static void integrate_rigid(icf_bodies *bodies, icf_lid i, icf_vec3 v, icf_vec3 w, double dt)
{
    const icf_quat q = bodies->orientation[i];
    const icf_quat rate = icf_quat_mul((icf_quat){0.0, w.x, w.y, w.z}, q);
    const double h = 0.5 * dt;
    bodies->position[i] = icf_mul_add(bodies->position[i], dt, v);
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

void icf_integrate_poses(const icf_scene *scene, icf_bodies *bodies, const icf_start_velocities *start, double t,
                         double dt)
{
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        const icf_vec3 v = bodies->linear_velocity[i], w = bodies->angular_velocity[i];
        if (icf_bodies_is_deformable(bodies, i))
            integrate_deformable(bodies, i, &scene->deformable[bodies->shape[i].index], t, dt);
        else if (icf_bodies_moves(bodies, i) && start->linear)
            integrate_rigid(bodies, i, mean(start->linear[i], v), mean(start->angular[i], w), dt);
        else if (icf_bodies_moves(bodies, i))
            integrate_rigid(bodies, i, v, w, dt);
    }
}
