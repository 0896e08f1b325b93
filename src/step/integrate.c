/* Integration of poses. */
#include "step/integrate.h"

void icf_integrate_poses(icf_bodies *bodies, double dt)
{
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        const icf_vec3 w = bodies->angular_velocity[i];
        const icf_quat q = bodies->orientation[i];
        const icf_quat rate = icf_quat_mul((icf_quat){0.0, w.x, w.y, w.z}, q);
        const double h = 0.5 * dt;
        bodies->position[i] = icf_mul_add(bodies->position[i], dt, bodies->linear_velocity[i]);
        bodies->orientation[i] =
            icf_quat_unit((icf_quat){q.w + h * rate.w, q.x + h * rate.x, q.y + h * rate.y, q.z + h * rate.z});
    }
}
