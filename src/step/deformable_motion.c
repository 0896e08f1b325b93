/* Free motion of deformable bodies.
 *
 *     x0, v0 -> rotations, loads -> A and v* of the material's kind -> what detection wants to know
 *
 * deformable_linear.c finds A and v* of the corotational material, deformable_newton.c those of the others.
 */
#include "step/deformable_motion.h"

#include <string.h>

#include "base/memory.h"
#include "contact/self_contact.h"
#include "scene/inertia.h"
#include "step/deformable_linear.h"
#include "step/deformable_newton.h"

struct icf_deformable_cache {
    icf_context *context;
    icf_deformable_kept *of; /* (n) by index in the scene */
    size_t n;
    bool split; /* the meshes that ranks share have been made */
};

icf_status icf_deformable_cache_create(icf_context *context, icf_deformable_cache **cache)
{
    *cache = icf_alloc(sizeof **cache);
    if (!*cache) return ICF_ERROR_MEMORY;
    **cache = (icf_deformable_cache){.context = context};
    return ICF_OK;
}

void icf_deformable_cache_destroy(icf_deformable_cache **cache)
{
    if (!*cache) return;
    for (size_t k = 0; k < (*cache)->n; ++k) {
        icf_deformable_kept *of = &(*cache)->of[k];
        icf_fem_destroy(&of->fem);
        icf_split_mesh_destroy(&of->split);
        icf_linear_solver_destroy(&of->solver);
        icf_linear_solver_destroy(&of->pcg);
        icf_free(of->dof);
        icf_free(of->diag_at);
        icf_free(of->off_at);
        icf_free(of->rhs);
        icf_arena_clear(&of->tree_memory);
    }
    icf_free((*cache)->of);
    ICF_FREE(*cache);
}

/* ---- what is kept ---- */

static icf_status grow_cache(icf_deformable_cache *cache, size_t n)
{
    if (cache->n >= n) return ICF_OK;
    size_t capacity = cache->n;
    ICF_TRY(ICF_GROW(cache->of, capacity, n));
    memset(cache->of + cache->n, 0, (n - cache->n) * sizeof *cache->of);
    cache->n = n;
    return ICF_OK;
}

/* Positions of the blocks in the values of A. */
static icf_status place_blocks(icf_deformable_kept *of)
{
    const icf_fem_pattern pattern = icf_fem_get_pattern(of->fem);
    const size_t n = (size_t)pattern.nvertex, noff = (size_t)pattern.ptr[n];
    of->dof = icf_alloc((n + 1) * sizeof *of->dof);
    of->diag_at = icf_alloc((n + 1) * sizeof *of->diag_at);
    of->off_at = icf_alloc((noff + 1) * sizeof *of->off_at);
    if (!of->dof || !of->diag_at || !of->off_at) return ICF_ERROR_MEMORY;
    for (size_t i = 0; i <= n; ++i) {
        of->dof[i] = (int32_t)(3 * i);
        of->diag_at[i] = (int64_t)(9 * i);
    }
    for (size_t k = 0; k <= noff; ++k) of->off_at[k] = (int64_t)(9 * (n + k));
    return ICF_OK;
}

static bool can_touch_itself(const icf_deformable *deformable)
{
    return deformable->material >= 0 && deformable->self_contact;
}

static bool can_touch_deformables(const icf_scene *scene, const icf_deformable *deformable)
{
    return deformable->material >= 0 && (scene->ndeformable > 1 || deformable->self_contact);
}

/* Trees of the surface and the tetrahedra at rest, where contact looks for them. */
static icf_status build_trees(const icf_scene *scene, const icf_deformable *deformable, icf_deformable_kept *of)
{
    if (can_touch_itself(deformable)) ICF_TRY(icf_self_contact_build(deformable, &of->tree_memory, &of->tets));
    if (!can_touch_deformables(scene, deformable)) return ICF_OK;
    return icf_triangle_tree_build(&of->rest, &of->tree_memory, deformable->surface.ntriangle,
                                   (const icf_lid(*)[3])deformable->surface.triangle, deformable->mesh.vertex);
}

/* The deformable's elements, made when it is first here. */
static icf_status find_kept(icf_deformable_cache *cache, const icf_scene *scene, int32_t index,
                            icf_deformable_kept **of)
{
    ICF_TRY(grow_cache(cache, (size_t)scene->ndeformable));
    *of = &cache->of[index];
    if ((*of)->off_at) return ICF_OK;
    const icf_deformable *deformable = &scene->deformable[index];
    ICF_TRY(icf_fem_create(cache->context, &deformable->mesh, &deformable->elastic, &(*of)->fem));
    ICF_TRY(build_trees(scene, deformable, *of));
    return place_blocks(*of);
}

/* From here on two ranks take about three quarters of the time of one (docs/deformables.md). */
enum { auto_split_above = 10000 };

bool icf_deformable_is_split(const icf_scene *scene, int32_t index)
{
    const icf_cnt above = scene->parallel.split_above;
    return 3 * (icf_cnt)scene->deformable[index].mesh.nvertex >= (above == ICF_SPLIT_AUTO ? auto_split_above : above);
}

static icf_status make_split(icf_deformable_cache *cache, const icf_scene *scene, const icf_deformable *deformable,
                             icf_deformable_kept *of)
{
    ICF_TRY(icf_split_mesh_create(cache->context, deformable, &of->split));
    const icf_status status = icf_fem_create(cache->context, &of->split->mesh, &deformable->elastic, &of->fem);
    const icf_fem_pattern pattern = status == ICF_OK ? icf_fem_get_pattern(of->fem) : (icf_fem_pattern){0};
    ICF_TRY(icf_split_mesh_join(of->split, &pattern, status));
    return icf_agree(cache->context, build_trees(scene, deformable, of));
}

icf_status icf_deformable_split(icf_deformable_cache *cache, const icf_scene *scene)
{
    if (cache->context->size == 1 || cache->split) return ICF_OK;
    ICF_TRY(icf_agree(cache->context, grow_cache(cache, (size_t)scene->ndeformable)));
    for (int32_t k = 0; k < scene->ndeformable; ++k)
        if (icf_deformable_is_split(scene, k)) ICF_TRY(make_split(cache, scene, &scene->deformable[k], &cache->of[k]));
    cache->split = true;
    return ICF_OK;
}

icf_split_mesh *icf_deformable_get_split(const icf_deformable_cache *cache, int32_t index)
{
    return (size_t)index < cache->n ? cache->of[index].split : NULL;
}

/* ---- loads ---- */

static void add_pressure(const icf_deformable *deformable, const icf_vec3 *x, icf_vec3 *load)
{
    for (icf_lid k = 0; k < deformable->npressure; ++k) {
        const icf_lid *v = deformable->pressure[k].triangle;
        const icf_vec3 area = icf_area_vector(x[v[0]], x[v[1]], x[v[2]]);
        for (int c = 0; c < 3; ++c) load[v[c]] = icf_mul_add(load[v[c]], -deformable->pressure[k].value / 3.0, area);
    }
}

/* Where pressure acts: where the material's forces do, so that a body that turns turns both.  Those of nonlinear
 * materials are at the step's end, which is known to first order.  A pressure that stays behind would spin up bodies
 * that it compresses, and stop others.  scratch: (vertices) */
static const icf_vec3 *pressed_at(const icf_deformable_motion *motion, double dt, icf_vec3 *scratch)
{
    const icf_vec3 *x0 = motion->surface.position;
    if (motion->surface.deformable->elastic.model == ICF_ELASTIC_COROTATIONAL) return x0;
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i) scratch[i] = icf_mul_add(x0[i], dt, motion->start[i]);
    return scratch;
}

/* Gravity, given forces and pressure.  scratch: (vertices) */
static void find_loads(icf_deformable_motion *motion, icf_vec3 gravity, double dt, icf_vec3 *scratch)
{
    const icf_deformable *deformable = motion->surface.deformable;
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i) scratch[i] = gravity;
    icf_fem_mass_product(motion->fem, scratch, motion->load);
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i)
        motion->load[i] = icf_add(motion->load[i], deformable->force[i]);
    if (deformable->npressure > 0) add_pressure(deformable, pressed_at(motion, dt, scratch), motion->load);
}

/* ---- supported vertices ---- */

void icf_deformable_hold(const icf_deformable_motion *motion, double *val)
{
    const icf_deformable *deformable = motion->surface.deformable;
    const icf_fem_pattern pattern = motion->pattern;
    double *off = val + 9 * (size_t)pattern.nvertex;
    for (icf_lid j = 0; j < pattern.nvertex; ++j) {
        const bool column_free = icf_deformable_is_free(deformable, j);
        if (!column_free)
            for (int e = 0; e < 9; ++e) val[9 * (size_t)j + (size_t)e] = e % 4 == 0;
        for (icf_lid k = pattern.ptr[j]; k < pattern.ptr[j + 1]; ++k)
            if (!column_free || !icf_deformable_is_free(deformable, pattern.idx[k]))
                memset(off + 9 * (size_t)k, 0, 9 * sizeof *off);
    }
}

/* ---- all together ---- */

static icf_status allocate(icf_deformable_motion *motion, icf_arena *arena)
{
    const icf_lid n = motion->pattern.nvertex;
    const size_t nvalue = icf_fem_matrix_size(motion->fem);
    motion->v_star = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    motion->v0 = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    motion->start = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    motion->acceleration = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    motion->load = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    motion->inverse = ICF_ARENA_ARRAY(arena, icf_mat3, n);
    motion->a = ICF_ARENA_ARRAY(arena, double, nvalue);
    const bool complete = motion->v_star && motion->v0 && motion->start && motion->acceleration && motion->load &&
                          motion->inverse && motion->a;
    if (!complete) return ICF_ERROR_MEMORY;
    memset(motion->a, 0, nvalue * sizeof *motion->a);
    return ICF_OK;
}

static icf_status allocate_share(icf_deformable_motion *motion, icf_arena *arena)
{
    const icf_split_mesh *split = motion->split;
    motion->diag = ICF_ARENA_ARRAY(arena, double, 9 * (size_t)split->nown);
    motion->off = ICF_ARENA_ARRAY(arena, double, 9 * (size_t)split->ptr[split->nown]);
    motion->density = ICF_ARENA_ARRAY(arena, double, split->mesh.ntet);
    motion->own_residual = ICF_ARENA_ARRAY(arena, icf_vec3, split->nown);
    motion->v1 = ICF_ARENA_ARRAY(arena, icf_vec3, split->nvertex);
    const bool complete = motion->diag && motion->off && motion->density && motion->own_residual && motion->v1;
    return complete ? ICF_OK : ICF_ERROR_MEMORY;
}

static void take_velocities(icf_deformable_motion *motion, const icf_vec3 *v, double end_time)
{
    const icf_deformable *deformable = motion->surface.deformable;
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i) {
        motion->v0[i] = v[i];
        motion->start[i] =
            icf_deformable_is_free(deformable, i) ? v[i] : icf_deformable_support_velocity(deformable, i, end_time);
    }
}

/* Fits the trees to the state. */
static icf_status fit_trees(const icf_deformable_kept *of, icf_surface_state *surface, icf_arena *arena)
{
    if (of->tets.n > 0) ICF_TRY(icf_self_contact_refit(surface, arena, &of->tets));
    if (of->rest.ntriangle == 0) return ICF_OK;
    return icf_triangle_tree_refit(&surface->tree, arena, &of->rest, surface->position);
}

static void invert_block(icf_deformable_motion *motion, icf_lid i)
{
    icf_mat3 block;
    memcpy(block.m, motion->a + 9 * (size_t)i, sizeof block.m);
    motion->inverse[i] =
        icf_deformable_is_free(motion->surface.deformable, i) ? icf_mat3_inverse_free(&block, 0) : (icf_mat3){{0}};
}

/* Gives all ranks v*, which is v1 as long as nothing is known to touch the body. */
static void share_free_motion(icf_deformable_motion *motion)
{
    icf_split_mesh_share(motion->split, &motion->v_star[0].x, 3);
    memcpy(motion->v1, motion->v_star, (size_t)motion->split->nvertex * sizeof *motion->v1);
}

/* Of a body that is split: what other ranks need of the free motion, A and residual of this rank's vertices. */
static void share_motion(icf_deformable_motion *motion)
{
    icf_split_mesh *split = motion->split;
    icf_split_mesh_extract(split, motion->a, motion->diag, motion->off);
    for (icf_lid k = 0; motion->residual && k < split->nown; ++k)
        motion->own_residual[k] = motion->residual[split->vertex[k]];
    share_free_motion(motion);
    icf_split_mesh_share(split, motion->inverse[0].m, 9);
    motion->surface.owner = split->owner;
    motion->surface.rank = split->context->rank;
}

/* What detection wants to know of the free motion. */
static icf_status describe_surface(const icf_deformable_kept *of, icf_deformable_motion *motion, icf_arena *arena,
                                   double dt)
{
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i)
        if (icf_deformable_owns(motion, i)) invert_block(motion, i);
    if (motion->split) share_motion(motion);
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i)
        motion->acceleration[i] = icf_scale(1.0 / dt, icf_sub(motion->v_star[i], motion->v0[i]));
    motion->surface.velocity = motion->start;
    motion->surface.acceleration = motion->acceleration;
    motion->surface.inverse = motion->inverse;
    return fit_trees(of, &motion->surface, arena);
}

/* A matrix that cannot be factored is, like Newton's failure, one of the step, which may go better in substeps. */
static icf_status report(const icf_deformable_system *system, const icf_deformable_motion *motion, icf_status status)
{
    if (status != ICF_NOT_CONVERGED && status != ICF_NOT_POSITIVE_DEFINITE) return status;
    return icf_fail(system->context, ICF_NOT_CONVERGED, "deformable \"%s\": no free motion was found",
                    motion->surface.deformable->name);
}

static icf_status move(const icf_deformable_system *system, icf_deformable_motion *motion, icf_arena *arena)
{
    const icf_deformable *deformable = motion->surface.deformable;
    const bool linear = deformable->elastic.model == ICF_ELASTIC_COROTATIONAL;
    return report(system, motion,
                  linear ? icf_deformable_move_linearly(system, motion, arena)
                         : icf_deformable_newton(system, motion, arena));
}

icf_status icf_deformable_complete(icf_deformable_cache *cache, icf_arena *arena, int32_t index,
                                   icf_deformable_motion *motion)
{
    const icf_deformable_system system = {.context = cache->context, .kept = &cache->of[index]};
    const bool loose = motion->residual != NULL;
    ICF_TRY(report(&system, motion, icf_deformable_complete_linearly(&system, motion, arena)));
    if (loose && motion->split) share_free_motion(motion);
    return ICF_OK;
}

/* The motion before it has moved. */
static icf_deformable_motion motion_of(const icf_deformable_kept *of, const icf_deformable *deformable,
                                       const icf_vec3 *x)
{
    return (icf_deformable_motion){.surface = {.deformable = deformable, .position = x, .rest = &of->rest},
                                   .fem = of->fem,
                                   .pattern = icf_fem_get_pattern(of->fem),
                                   .split = of->split};
}

static icf_status move_from(icf_deformable_cache *cache, icf_arena *arena, const icf_scene *scene,
                            icf_deformable_kept *of, const icf_vec3 *v, double t, double dt,
                            icf_deformable_motion *motion)
{
    take_velocities(motion, v, t + dt);
    icf_fem_set_state(motion->fem, motion->surface.position);
    find_loads(motion, scene->gravity, dt, motion->acceleration);
    const icf_deformable_system system = {
        .context = cache->context, .kept = of, .dt = dt, .relative_tolerance = scene->solver.relative_tolerance};
    ICF_TRY(move(&system, motion, arena));
    motion->order = of->solver ? icf_linear_solver_order(of->solver) : NULL;
    return describe_surface(of, motion, arena, dt);
}

icf_status icf_deformable_move_freely(icf_deformable_cache *cache, icf_arena *arena, const icf_scene *scene,
                                      const icf_bodies *bodies, icf_lid i, double t, double dt,
                                      icf_deformable_motion *motion)
{
    icf_deformable_kept *of;
    ICF_TRY(find_kept(cache, scene, bodies->shape[i].index, &of));
    const icf_deformable *deformable = &scene->deformable[bodies->shape[i].index];
    *motion = motion_of(of, deformable, bodies->vertex_position + bodies->vertex[i]);
    ICF_TRY(allocate(motion, arena));
    of->work = (icf_deformable_work){.tets = deformable->mesh.ntet};
    return move_from(cache, arena, scene, of, bodies->vertex_velocity + bodies->vertex[i], t, dt, motion);
}

icf_status icf_deformable_move_together(icf_deformable_cache *cache, icf_arena *arena, const icf_scene *scene,
                                        int32_t index, const icf_vec3 *x, const icf_vec3 *v, double t, double dt,
                                        icf_deformable_motion *motion)
{
    icf_deformable_kept *of = &cache->of[index];
    *motion = motion_of(of, &scene->deformable[index], x);
    icf_status status = allocate(motion, arena);
    if (status == ICF_OK) status = allocate_share(motion, arena);
    ICF_TRY(icf_agree(cache->context, status));
    of->work = (icf_deformable_work){.tets = of->split->mesh.ntet};
    return icf_agree(cache->context, move_from(cache, arena, scene, of, v, t, dt, motion));
}

icf_deformable_work icf_deformable_last_work(const icf_deformable_cache *cache, int32_t index)
{
    return (size_t)index < cache->n ? cache->of[index].work : (icf_deformable_work){0};
}

void icf_deformable_set_position(icf_deformable_motion *motion, const icf_vec3 *x)
{
    motion->surface.position = x;
    motion->surface.tree.position = x;
}

/* ---- after the step ---- */

/* f += c y. */
static void add(icf_vec3 *f, double c, const icf_vec3 *y, icf_lid n)
{
    for (icf_lid i = 0; i < n; ++i) f[i] = icf_mul_add(f[i], c, y[i]);
}

/* Elastic forces of the step's end as A knows them: linear about x0, of nonlinear materials about x0 + dt v*.
 *   x, y [out] (vertices) scratch */
static void find_elastic(const icf_deformable_motion *motion, const icf_vec3 *v1, double dt, icf_vec3 *x, icf_vec3 *y,
                         icf_vec3 *f)
{
    const bool linear = motion->surface.deformable->elastic.model == ICF_ELASTIC_COROTATIONAL;
    const icf_vec3 *x0 = motion->surface.position, *v_star = motion->v_star;
    const icf_lid n = motion->pattern.nvertex;
    for (icf_lid i = 0; i < n; ++i) {
        x[i] = linear ? x0[i] : icf_mul_add(x0[i], dt, v_star[i]);
        y[i] = linear ? v1[i] : icf_sub(v1[i], v_star[i]);
    }
    icf_fem_stiffness_product(motion->fem, x, y, f);
    icf_fem_force(motion->fem, x, y);
    for (icf_lid i = 0; i < n; ++i) f[i] = icf_mul_add(y[i], dt, f[i]);
}

icf_status icf_deformable_support_force(const icf_deformable_motion *motion, icf_arena *arena, const icf_vec3 *v1,
                                        double dt, icf_vec3 *force)
{
    const icf_deformable *deformable = motion->surface.deformable;
    const icf_deformable_material *elastic = &deformable->elastic;
    const icf_lid n = motion->pattern.nvertex;
    const icf_vec3 *x0 = motion->surface.position;
    *force = icf_vec3_make(0, 0, 0);
    if (deformable->nmotion == 0) return ICF_OK;
    icf_vec3 *f = ICF_ARENA_ARRAY(arena, icf_vec3, n), *u = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    icf_vec3 *y = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    if (!f || !u || !y) return ICF_ERROR_MEMORY;
    find_elastic(motion, v1, dt, u, y, f);
    add(f, -1.0, motion->load, n);
    for (icf_lid i = 0; i < n; ++i)
        u[i] = icf_add(icf_scale(1.0 / dt, icf_sub(v1[i], motion->v0[i])), icf_scale(elastic->mass_damping, v1[i]));
    icf_fem_mass_product(motion->fem, u, y);
    add(f, 1.0, y, n);
    icf_fem_stiffness_product(motion->fem, x0, v1, y);
    add(f, elastic->stiffness_damping, y, n);
    for (icf_lid i = 0; i < n; ++i) u[i] = icf_sub(v1[i], motion->v0[i]);
    icf_fem_geometric_product(motion->fem, u, y);
    add(f, dt, y, n);
    for (icf_lid i = 0; i < n; ++i)
        if (!icf_deformable_is_free(deformable, i) && icf_deformable_owns(motion, i)) *force = icf_add(*force, f[i]);
    return ICF_OK;
}

double icf_deformable_elastic_energy(const icf_deformable_motion *motion, const icf_vec3 *x)
{
    const icf_split_mesh *split = motion->split;
    if (!split) return icf_fem_energy(motion->fem, x);
    double energy = 0.0;
    icf_fem_energy_density(motion->fem, x, motion->density);
    for (icf_lid t = 0; t < split->mesh.ntet; ++t)
        if (split->counted[t]) energy += motion->density[t] * icf_tet_mesh_volume(&split->mesh, t);
    return energy;
}

void icf_deformable_add_energy(const icf_deformable_motion *motion, const icf_vec3 *x, const icf_vec3 *v,
                               icf_vec3 gravity, icf_step_stats *stats)
{
    /* what only the step itself needed makes room */
    icf_vec3 *momentum = motion->acceleration;
    icf_fem_mass_product(motion->fem, v, momentum);
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i)
        if (icf_deformable_owns(motion, i)) stats->kinetic_energy += 0.5 * icf_dot(v[i], momentum[i]);
    for (icf_lid i = 0; i < motion->pattern.nvertex; ++i)
        if (icf_deformable_owns(motion, i))
            stats->potential_energy -= icf_fem_vertex_mass(motion->fem, i) * icf_dot(gravity, x[i]);
    stats->elastic_energy += icf_deformable_elastic_energy(motion, x);
}

icf_status icf_deformable_stress(icf_deformable_cache *cache, icf_arena *arena, const icf_scene *scene,
                                 const icf_bodies *bodies, icf_lid i, double *stress)
{
    icf_deformable_kept *of;
    ICF_TRY(find_kept(cache, scene, bodies->shape[i].index, &of));
    const icf_vec3 *x = bodies->vertex_position + bodies->vertex[i];
    double *of_tet = ICF_ARENA_ARRAY(arena, double, scene->deformable[bodies->shape[i].index].mesh.ntet);
    if (!of_tet) return ICF_ERROR_MEMORY;
    icf_fem_set_state(of->fem, x);
    icf_fem_von_mises(of->fem, x, of_tet);
    icf_fem_vertex_mean(of->fem, of_tet, stress);
    return ICF_OK;
}

icf_status icf_deformable_stress_together(icf_deformable_cache *cache, icf_arena *arena, int32_t index,
                                          const icf_vec3 *x, double *stress)
{
    const icf_deformable_kept *of = &cache->of[index];
    double *of_tet = ICF_ARENA_ARRAY(arena, double, of->split->mesh.ntet);
    ICF_TRY(icf_agree(cache->context, of_tet ? ICF_OK : ICF_ERROR_MEMORY));
    icf_fem_set_state(of->fem, x);
    icf_fem_von_mises(of->fem, x, of_tet);
    icf_fem_vertex_mean(of->fem, of_tet, stress);
    icf_split_mesh_share(of->split, stress, 1);
    return ICF_OK;
}
