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

void icf_body_put_vertex(const icf_deformable_motion *motion, icf_lid vertex, double *v_star, double *v0)
{
    const icf_vec3 none = {0, 0, 0};
    const bool is_free = icf_deformable_is_free(motion->surface.deformable, vertex);
    store_vec3(is_free ? motion->v_star[vertex] : none, v_star);
    store_vec3(is_free ? motion->start[vertex] : none, v0);
}

void icf_body_put_velocities(const icf_free_motion *motion, const icf_bodies *bodies, icf_lid i, double *v_star,
                             double *v0)
{
    if (icf_bodies_is_deformable(bodies, i)) {
        for (icf_lid k = 0; k < bodies->nvertex[i]; ++k)
            icf_body_put_vertex(motion->deformable[i], k, v_star + 3 * (size_t)k, v0 + 3 * (size_t)k);
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
                               .order = of_body->order,
                               .iterations = of_body->iterations,
                               .factor_flops = of_body->factor_flops,
                               .residual = of_body->residual ? &of_body->residual[0].x : NULL};
}

icf_momentum_mesh icf_body_put_shared(const icf_deformable_motion *motion, icf_lid first, const icf_lid *vertex_block,
                                      double *momentum, icf_lid *rim)
{
    const icf_split_mesh *split = motion->split;
    memcpy(momentum, motion->diag, 9 * (size_t)split->nown * sizeof *momentum);
    for (icf_lid k = 0; k < split->nrim; ++k) rim[k] = vertex_block[split->vertex[split->nown + k]];
    return (icf_momentum_mesh){.first = first,
                               .n = split->nown,
                               .ptr = split->ptr,
                               .idx = split->idx,
                               .rim = rim,
                               .value = motion->off,
                               .iterations = motion->iterations,
                               .factor_flops = motion->factor_flops * split->nown / split->nvertex,
                               .residual = motion->residual ? &motion->own_residual[0].x : NULL};
}
