/* Islands to solvers and threads. */
#include "step/solve_islands.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solver/contact_constraints.h"

/* A factor dearer than this goes to MUMPS, whose BLAS fronts win there (docs/decisions/002) [flop]. */
static const double mumps_flops = 5e10;
/* Islands below this many bodies are never that dear. */
enum { mumps_bodies = 5000 };
/* Below this many contacts in a step, waking a second thread costs more than it gains. */
enum { contacts_worth_a_thread = 200 };

struct icf_island_solver {
    icf_context *context;
    icf_newton **newton; /* (nnewton) one a thread, created on first use */
    int nnewton;
};

/* The inputs of all islands' problems, in the order of islands->body. */
typedef struct island_data {
    const icf_scene *scene;
    const icf_bodies *bodies;
    const icf_islands *islands;
    const bool *skip;
    icf_contacts *contacts;
    icf_contact_iterates iterates;
    icf_lid *block;               /* (bodies) block in its island */
    int32_t *dof;                 /* (largest island + 1) 0, 6, 12, ... */
    icf_momentum_block *momentum; /* (body_ptr[n]) */
    double *v_star, *v0;          /* (body_ptr[n] x 6) */
    double *v;
    icf_newton_result *result;
    icf_status *status; /* (n) */
    icf_linear *kind;   /* (n) */
    icf_lid *order;     /* (n) islands, largest first */
} island_data;

icf_status icf_island_solver_create(icf_context *context, icf_island_solver **solver)
{
    *solver = icf_alloc(sizeof **solver);
    if (!*solver) return ICF_ERROR_MEMORY;
    **solver = (icf_island_solver){.context = context};
    return ICF_OK;
}

void icf_island_solver_destroy(icf_island_solver **solver)
{
    if (!*solver) return;
    for (int t = 0; t < (*solver)->nnewton; ++t) icf_newton_destroy(&(*solver)->newton[t]);
    icf_free((*solver)->newton);
    ICF_FREE(*solver);
}

static icf_status reserve_threads(icf_island_solver *solver)
{
    const int wanted = solver->context->nthread;
    if (solver->nnewton >= wanted) return ICF_OK;
    size_t capacity = (size_t)solver->nnewton;
    ICF_TRY(ICF_GROW(solver->newton, capacity, wanted));
    for (; solver->nnewton < wanted; ++solver->nnewton) {
        solver->newton[solver->nnewton] = NULL;
        ICF_TRY(icf_newton_create(solver->context, &solver->newton[solver->nnewton]));
    }
    return ICF_OK;
}

/* ---- data of the problems ---- */

static void store_twist(icf_vec3 linear, icf_vec3 angular, double *out)
{
    const double twist[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(out, twist, sizeof twist);
}

static void gather_bodies(island_data *data, const icf_free_motion *motion)
{
    const icf_islands *islands = data->islands;
    const icf_bodies *bodies = data->bodies;
    for (icf_lid island = 0; island < islands->n; ++island)
        for (icf_lid k = islands->body_ptr[island]; k < islands->body_ptr[island + 1]; ++k) {
            const icf_lid i = islands->body[k];
            data->block[i] = k - islands->body_ptr[island];
            data->momentum[k] = motion->momentum[i];
            store_twist(motion->linear[i], motion->angular[i], data->v_star + 6 * (size_t)k);
            store_twist(bodies->linear_velocity[i], bodies->angular_velocity[i], data->v0 + 6 * (size_t)k);
        }
}

static icf_lid largest_island(const icf_islands *islands)
{
    icf_lid largest = 0;
    for (icf_lid i = 0; i < islands->n; ++i)
        largest = ICF_MAX(largest, islands->body_ptr[i + 1] - islands->body_ptr[i]);
    return largest;
}

static icf_status allocate(island_data *data, icf_arena *arena)
{
    const icf_lid nislands = data->islands->n, nblock = data->islands->body_ptr[nislands];
    const icf_lid ncontact = data->contacts->n, largest = largest_island(data->islands);
    data->block = ICF_ARENA_ARRAY(arena, icf_lid, data->bodies->n);
    data->dof = ICF_ARENA_ARRAY(arena, int32_t, largest + 1);
    data->momentum = ICF_ARENA_ARRAY(arena, icf_momentum_block, nblock);
    data->v_star = ICF_ARENA_ARRAY(arena, double, 6 * (size_t)nblock);
    data->v0 = ICF_ARENA_ARRAY(arena, double, 6 * (size_t)nblock);
    data->status = ICF_ARENA_ARRAY(arena, icf_status, nislands);
    data->kind = ICF_ARENA_ARRAY(arena, icf_linear, nislands);
    data->order = ICF_ARENA_ARRAY(arena, icf_lid, nislands);
    data->iterates.arm = ICF_ARENA_ARRAY(arena, icf_vec3, ncontact);
    data->iterates.velocity = icf_arena_alloc(arena, (size_t)ncontact * sizeof *data->iterates.velocity);
    data->iterates.direction = icf_arena_alloc(arena, (size_t)ncontact * sizeof *data->iterates.direction);
    data->iterates.dual = icf_arena_alloc(arena, (size_t)ncontact * sizeof *data->iterates.dual);
    const bool complete = data->block && data->dof && data->momentum && data->v_star && data->v0 && data->status &&
                          data->kind && data->order && data->iterates.arm && data->iterates.velocity &&
                          data->iterates.direction && data->iterates.dual;
    if (!complete) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i <= largest; ++i) data->dof[i] = 6 * i;
    return ICF_OK;
}

static icf_lid bodies_of(const icf_islands *islands, icf_lid island)
{
    return islands->body_ptr[island + 1] - islands->body_ptr[island];
}

static icf_lid pairs_of(const icf_islands *islands, icf_lid island)
{
    return islands->pair_ptr[island + 1] - islands->pair_ptr[island];
}

/* Largest first, equal ones by number: counting by the bits of the size is enough. */
static void sort_by_size(island_data *data)
{
    enum { nbucket = 32 };
    icf_lid begin[nbucket + 1] = {0};
    for (icf_lid i = 0; i < data->islands->n; ++i)
        ++begin[__builtin_clz((unsigned)pairs_of(data->islands, i) | 1u) + 1];
    for (int b = 0; b < nbucket; ++b) begin[b + 1] += begin[b];
    for (icf_lid i = 0; i < data->islands->n; ++i)
        data->order[begin[__builtin_clz((unsigned)pairs_of(data->islands, i) | 1u)]++] = i;
}

/* ---- one island ---- */

static void make_problem(const island_data *data, icf_lid island, icf_contact_constraints *family, icf_problem *problem)
{
    const icf_islands *islands = data->islands;
    const size_t first = (size_t)islands->body_ptr[island];
    icf_contact_constraints_init(family, data->bodies, data->contacts, pairs_of(islands, island),
                                 islands->pair + islands->pair_ptr[island], data->block, data->iterates);
    *problem = (icf_problem){.nblock = bodies_of(islands, island),
                             .dof = data->dof,
                             .momentum = data->momentum[first].a,
                             .v_star = data->v_star + 6 * first,
                             .v0 = data->v0 + 6 * first,
                             .nfamily = 1,
                             .family = {&family->base}};
}

static void solve_island(icf_newton *newton, island_data *data, icf_lid island)
{
    icf_contact_constraints family;
    icf_problem problem;
    make_problem(data, island, &family, &problem);
    double *v = data->v + 6 * (size_t)data->islands->body_ptr[island];
    data->status[island] =
        icf_newton_solve(newton, &data->scene->solver, data->kind[island], &problem, v, &data->result[island]);
}

/* The solver of an island: what the scene says, or by the cost of a factor. */
static icf_status choose_kind(icf_island_solver *solver, island_data *data, icf_lid island)
{
    data->status[island] = ICF_OK;
    data->result[island] = (icf_newton_result){0};
    data->kind[island] = data->scene->solver.linear;
    if (data->kind[island] != ICF_LINEAR_AUTO) return ICF_OK;
    data->kind[island] = ICF_LINEAR_BLOCK;
    if (bodies_of(data->islands, island) < mumps_bodies) return ICF_OK;
    icf_contact_constraints family;
    icf_problem problem;
    double flops;
    make_problem(data, island, &family, &problem);
    ICF_TRY(icf_newton_flops(solver->newton[0], &problem, &flops));
    if (flops > mumps_flops) data->kind[island] = ICF_LINEAR_MUMPS;
    return ICF_OK;
}

/* ---- all islands ---- */

static void solve_all(icf_island_solver *solver, island_data *data)
{
    const icf_lid n = data->islands->n;
    for (icf_lid i = 0; i < n; ++i)
        if (!data->skip[i] && data->kind[i] == ICF_LINEAR_MUMPS) solve_island(solver->newton[0], data, i);
    const int most = data->contacts->n < contacts_worth_a_thread ? 1 : ICF_MIN(n, solver->context->nthread);
    const int nthread = ICF_MAX(1, most);
#pragma omp parallel for num_threads(nthread) if (nthread > 1) schedule(dynamic, 1)
    for (icf_lid k = 0; k < n; ++k)
        if (!data->skip[data->order[k]] && data->kind[data->order[k]] != ICF_LINEAR_MUMPS)
            solve_island(solver->newton[omp_get_thread_num()], data, data->order[k]);
}

static icf_status first_failure(const island_data *data, icf_lid *failed)
{
    *failed = -1;
    icf_status worst = ICF_OK;
    for (icf_lid i = 0; i < data->islands->n; ++i) {
        if (data->status[i] == ICF_OK) continue;
        if (*failed < 0) *failed = i;
        if (data->status[i] > worst) worst = data->status[i];
    }
    return worst == ICF_NOT_POSITIVE_DEFINITE ? ICF_NOT_CONVERGED : worst;
}

icf_status icf_solve_islands(icf_island_solver *solver, icf_arena *arena, const icf_scene *scene,
                             const icf_bodies *bodies, const icf_islands *islands, const bool *skip,
                             const icf_free_motion *motion, icf_contacts *contacts, double *v,
                             icf_newton_result *result, icf_lid *failed)
{
    island_data data = {.scene = scene,
                        .bodies = bodies,
                        .islands = islands,
                        .skip = skip,
                        .contacts = contacts,
                        .v = v,
                        .result = result};
    *failed = -1;
    ICF_TRY(reserve_threads(solver));
    ICF_TRY(allocate(&data, arena));
    gather_bodies(&data, motion);
    sort_by_size(&data);
    for (icf_lid i = 0; i < islands->n; ++i) ICF_TRY(choose_kind(solver, &data, i));
    solve_all(solver, &data);
    return first_failure(&data, failed);
}
