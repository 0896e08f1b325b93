/* Deformable bodies whose work all ranks share. */
#include "step/split_motion.h"

#include <string.h>

#include "base/mpi_wait.h"

void icf_split_bring(const icf_context *context, const icf_scene *scene, const icf_bodies *bodies, int32_t index,
                     icf_vec3 *x, icf_vec3 *v)
{
    const icf_deformable *deformable = &scene->deformable[index];
    const icf_lid i = icf_bodies_find(bodies, deformable->gid);
    const bool mine = i >= 0 && i < bodies->nowned;
    const size_t bytes = (size_t)deformable->mesh.nvertex * sizeof *x;
    int home = mine ? context->rank : -1;
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &home, 1, MPI_INT, MPI_MAX, context->comm));
    if (mine) memcpy(x, bodies->vertex_position + bodies->vertex[i], bytes);
    if (mine && v) memcpy(v, bodies->vertex_velocity + bodies->vertex[i], bytes);
    ICF_MPI_WAIT(MPI_Bcast(x, 3 * deformable->mesh.nvertex, MPI_DOUBLE, home, context->comm));
    if (v) ICF_MPI_WAIT(MPI_Bcast(v, 3 * deformable->mesh.nvertex, MPI_DOUBLE, home, context->comm));
}

static icf_status move_together(icf_split_motions *split, icf_context *context, icf_deformable_cache *cache,
                                icf_arena *arena, const icf_scene *scene, const icf_bodies *bodies, int32_t index,
                                double t, double dt)
{
    const size_t n = (size_t)scene->deformable[index].mesh.nvertex;
    icf_vec3 *x = ICF_ARENA_ARRAY(arena, icf_vec3, n), *v = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    split->motion[index] = icf_arena_alloc(arena, sizeof **split->motion);
    ICF_TRY(icf_agree(context, x && v && split->motion[index] ? ICF_OK : ICF_ERROR_MEMORY));
    icf_split_bring(context, scene, bodies, index, x, v);
    return icf_deformable_move_together(cache, arena, scene, index, x, v, t, dt, split->motion[index]);
}

icf_status icf_split_motions_find(icf_split_motions *split, icf_context *context, icf_deformable_cache *cache,
                                  icf_arena *arena, const icf_scene *scene, const icf_bodies *bodies, double t,
                                  double dt)
{
    *split = (icf_split_motions){0};
    ICF_TRY(icf_deformable_split(cache, scene));
    bool any = false;
    for (int32_t k = 0; k < scene->ndeformable; ++k) any = any || icf_deformable_get_split(cache, k);
    if (!any) return ICF_OK;
    split->motion = icf_arena_alloc(arena, (size_t)scene->ndeformable * sizeof *split->motion);
    split->touched = ICF_ARENA_ARRAY(arena, int, scene->ndeformable);
    ICF_TRY(icf_agree(context, split->motion && split->touched ? ICF_OK : ICF_ERROR_MEMORY));
    split->n = scene->ndeformable;
    for (int32_t k = 0; k < split->n; ++k) {
        split->motion[k] = NULL;
        if (icf_deformable_get_split(cache, k))
            ICF_TRY(move_together(split, context, cache, arena, scene, bodies, k, t, dt));
    }
    return ICF_OK;
}

static void mark(icf_split_motions *split, const icf_bodies *bodies, icf_pair pair)
{
    if (icf_split_motions_get(split, bodies, pair.a)) split->touched[bodies->shape[pair.a].index] = 1;
    if (icf_split_motions_get(split, bodies, pair.b)) split->touched[bodies->shape[pair.b].index] = 1;
}

void icf_split_motions_touch(icf_split_motions *split, const icf_context *context, const icf_bodies *bodies,
                             const icf_contacts *contacts, const icf_attachments *attachments)
{
    if (split->n == 0) return;
    memset(split->touched, 0, (size_t)split->n * sizeof *split->touched);
    for (icf_lid k = 0; k < contacts->npair; ++k) mark(split, bodies, contacts->pair[k]);
    for (icf_lid k = 0; k < attachments->npair; ++k) mark(split, bodies, attachments->pair[k]);
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, split->touched, split->n, MPI_INT, MPI_MAX, context->comm));
}

icf_status icf_split_motions_complete(icf_split_motions *split, icf_deformable_cache *cache, icf_arena *arena)
{
    for (int32_t k = 0; k < split->n; ++k)
        if (split->motion[k] && !split->touched[k]) ICF_TRY(icf_deformable_complete(cache, arena, k, split->motion[k]));
    return ICF_OK;
}

void icf_split_motions_share(const icf_split_motions *split)
{
    for (int32_t k = 0; k < split->n; ++k)
        if (split->motion[k] && split->touched[k])
            icf_split_mesh_share(split->motion[k]->split, &split->motion[k]->v1[0].x, 3);
}

void icf_split_motion_end(const icf_deformable_motion *motion, double t, double dt, icf_vec3 *x)
{
    const icf_deformable *deformable = motion->surface.deformable;
    for (icf_lid k = 0; k < motion->split->nvertex; ++k)
        x[k] = icf_deformable_is_free(deformable, k) ? icf_mul_add(motion->surface.position[k], dt, motion->v1[k])
                                                     : icf_deformable_support_position(deformable, k, t + dt);
}
