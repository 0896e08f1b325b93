/* Bodies to blocks. */
#include "step/problem_body.h"

#include <string.h>

static void store_vec3(icf_vec3 v, double *out)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

size_t icf_body_momentum_size(const icf_bodies *bodies, icf_lid i)
{
    return icf_bodies_is_deformable(bodies, i) ? 9 * (size_t)bodies->nvertex[i] : 36;
}

int32_t icf_body_number_dofs(const icf_bodies *bodies, icf_lid i, int32_t first, int32_t *dof)
{
    const icf_lid nblock = icf_bodies_blocks(bodies, i);
    const int32_t size = icf_bodies_is_deformable(bodies, i) ? 3 : 6;
    for (icf_lid b = 0; b <= nblock; ++b) dof[b] = first + size * b;
    return dof[nblock];
}

static void put_vertices(const icf_deformable_motion *motion, icf_lid n, double *v_star, double *v0)
{
    const icf_vec3 none = {0, 0, 0};
    for (icf_lid k = 0; k < n; ++k) {
        const bool is_free = icf_deformable_is_free(motion->surface.deformable, k);
        store_vec3(is_free ? motion->v_star[k] : none, v_star + 3 * (size_t)k);
        store_vec3(is_free ? motion->start[k] : none, v0 + 3 * (size_t)k);
    }
}

void icf_body_put_velocities(const icf_free_motion *motion, const icf_bodies *bodies, icf_lid i, double *v_star,
                             double *v0)
{
    if (icf_bodies_is_deformable(bodies, i)) {
        put_vertices(motion->deformable[i], bodies->nvertex[i], v_star, v0);
        return;
    }
    store_vec3(motion->linear[i], v_star);
    store_vec3(motion->angular[i], v_star + 3);
    store_vec3(bodies->linear_velocity[i], v0);
    store_vec3(bodies->angular_velocity[i], v0 + 3);
}

void icf_body_put_momentum(const icf_free_motion *motion, const icf_bodies *bodies, icf_lid i, double *momentum)
{
    const bool soft = icf_bodies_is_deformable(bodies, i);
    memcpy(momentum, soft ? motion->deformable[i]->a : motion->momentum[i].a,
           icf_body_momentum_size(bodies, i) * sizeof *momentum);
}

icf_momentum_mesh icf_body_momentum_mesh(const icf_free_motion *motion, const icf_bodies *bodies, icf_lid i,
                                         icf_lid first)
{
    const icf_deformable_motion *of_body = motion->deformable[i];
    const icf_lid n = bodies->nvertex[i];
    return (icf_momentum_mesh){.first = first,
                               .n = n,
                               .ptr = of_body->pattern.ptr,
                               .idx = of_body->pattern.idx,
                               .value = of_body->a + 9 * (size_t)n,
                               .order = of_body->order};
}
