/* Islands to solvers and threads. */
#include "step/solve_islands.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solver/hessian.h"
#include "step/problem_body.h"

/* Below this many contacts in a step, waking a second thread costs more than it gains. */
enum { contacts_worth_a_thread = 200 };
/* Dofs from which on an island may get all threads; the factor of a smaller one is too cheap. */
enum { dofs_worth_all_threads = 1200 };

struct icf_island_solver {
    icf_context *context;
    icf_newton **newton; /* (nnewton) one a thread, created on first use */
    int nnewton;
};

/* The data of all islands' problems, in the order of islands->body. */
typedef struct island_data {
    const icf_island_inputs *in;
    icf_lid *block;          /* (bodies) block in its island; of a deformable body: its first one */
    icf_lid *block_ptr;      /* (n + 1) first block of each island, counted through all of them */
    int32_t *dof;            /* (blocks + n) first dofs of the blocks of an island and their number, from
                                block_ptr[island] + island on */
    double *momentum;        /* diagonal blocks of A, island by island */
    size_t *momentum_ptr;    /* (n) first value of each island */
    icf_momentum_mesh *mesh; /* (deformable bodies) blocks of A between vertices, island by island */
    icf_lid *mesh_ptr;       /* (n + 1) */
    icf_lid *pair, *link;    /* pairs and attachments of the islands, in the order of islands->pair */
    icf_lid *npair;          /* (n) those that are pairs; the others of an island's range are attachments */
    double *v_star, *v0;     /* (dof_ptr[last]) */
    double *v;
    icf_newton_result *result;
    icf_status *status; /* (n) */
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

/* Numbers of blocks and values, and the block of each body. */
static void count_blocks(island_data *data, size_t *nvalue)
{
    const icf_islands *islands = data->in->islands;
    *nvalue = 0;
    data->block_ptr[0] = 0;
    for (icf_lid island = 0; island < islands->n; ++island) {
        icf_lid nblock = 0;
        data->momentum_ptr[island] = *nvalue;
        for (icf_lid k = islands->body_ptr[island]; k < islands->body_ptr[island + 1]; ++k) {
            const icf_lid i = islands->body[k], n = icf_bodies_blocks(data->in->bodies, i);
            data->block[i] = nblock;
            nblock += n;
            *nvalue += icf_body_momentum_size(data->in->bodies, i);
        }
        data->block_ptr[island + 1] = data->block_ptr[island] + nblock;
    }
}

static void gather_island(island_data *data, icf_lid island, icf_lid *nmesh)
{
    const icf_islands *islands = data->in->islands;
    const icf_bodies *bodies = data->in->bodies;
    const int64_t begin = islands->dof_ptr[islands->body_ptr[island]];
    double *momentum = data->momentum + data->momentum_ptr[island];
    int32_t *dof = data->dof + data->block_ptr[island] + island;
    data->mesh_ptr[island] = *nmesh;
    for (icf_lid k = islands->body_ptr[island]; k < islands->body_ptr[island + 1]; ++k) {
        const icf_lid i = islands->body[k];
        const int64_t at = islands->dof_ptr[k];
        icf_body_number_dofs(bodies, i, (int32_t)(at - begin), dof + data->block[i]);
        icf_body_put_velocities(data->in->motion, bodies, i, data->v_star + at, data->v0 + at);
        icf_body_put_momentum(data->in->motion, bodies, i, momentum);
        momentum += icf_body_momentum_size(bodies, i);
        if (icf_bodies_is_deformable(bodies, i))
            data->mesh[(*nmesh)++] = icf_body_momentum_mesh(data->in->motion, bodies, i, data->block[i]);
    }
}

/* Edges of an island that are pairs of contacts, and those that are attachments. */
static void split_edges(island_data *data, icf_lid island)
{
    const icf_islands *islands = data->in->islands;
    const icf_lid begin = islands->pair_ptr[island];
    icf_lid npair = 0, nlink = 0;
    for (icf_lid k = begin; k < islands->pair_ptr[island + 1]; ++k) {
        if (islands->pair[k] < data->in->contacts->npair)
            data->pair[begin + npair++] = islands->pair[k];
        else
            data->link[begin + nlink++] = islands->pair[k] - data->in->contacts->npair;
    }
    data->npair[island] = npair;
}

static void gather_islands(island_data *data)
{
    icf_lid nmesh = 0;
    for (icf_lid island = 0; island < data->in->islands->n; ++island) {
        gather_island(data, island, &nmesh);
        split_edges(data, island);
    }
    data->mesh_ptr[data->in->islands->n] = nmesh;
}

static icf_status allocate(island_data *data, icf_arena *arena)
{
    const icf_islands *islands = data->in->islands;
    const icf_lid n = islands->n, nbody = islands->body_ptr[n], nedge = islands->pair_ptr[n];
    const size_t ndof = (size_t)islands->dof_ptr[nbody];
    data->block = ICF_ARENA_ARRAY(arena, icf_lid, data->in->bodies->n);
    data->block_ptr = ICF_ARENA_ARRAY(arena, icf_lid, n + 1);
    data->momentum_ptr = ICF_ARENA_ARRAY(arena, size_t, n);
    data->mesh = ICF_ARENA_ARRAY(arena, icf_momentum_mesh, data->in->motion->deformable ? nbody : 0);
    data->mesh_ptr = ICF_ARENA_ARRAY(arena, icf_lid, n + 1);
    data->pair = ICF_ARENA_ARRAY(arena, icf_lid, nedge);
    data->link = ICF_ARENA_ARRAY(arena, icf_lid, nedge);
    data->npair = ICF_ARENA_ARRAY(arena, icf_lid, n);
    data->v_star = ICF_ARENA_ARRAY(arena, double, ndof);
    data->v0 = ICF_ARENA_ARRAY(arena, double, ndof);
    data->status = ICF_ARENA_ARRAY(arena, icf_status, n);
    data->order = ICF_ARENA_ARRAY(arena, icf_lid, n);
    const bool complete = data->block && data->block_ptr && data->momentum_ptr && data->mesh && data->mesh_ptr &&
                          data->pair && data->link && data->npair && data->v_star && data->v0 && data->status &&
                          data->order;
    if (!complete) return ICF_ERROR_MEMORY;
    size_t nvalue;
    count_blocks(data, &nvalue);
    data->dof = ICF_ARENA_ARRAY(arena, int32_t, data->block_ptr[n] + n);
    data->momentum = ICF_ARENA_ARRAY(arena, double, nvalue);
    return data->dof && data->momentum ? ICF_OK : ICF_ERROR_MEMORY;
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
    for (icf_lid i = 0; i < data->in->islands->n; ++i)
        ++begin[__builtin_clz((unsigned)pairs_of(data->in->islands, i) | 1u) + 1];
    for (int b = 0; b < nbucket; ++b) begin[b + 1] += begin[b];
    for (icf_lid i = 0; i < data->in->islands->n; ++i)
        data->order[begin[__builtin_clz((unsigned)pairs_of(data->in->islands, i) | 1u)]++] = i;
}

/* ---- one island ---- */

static void make_problem(const island_data *data, icf_lid island, icf_problem_families *families, icf_problem *problem)
{
    const icf_islands *islands = data->in->islands;
    const int64_t first = islands->dof_ptr[islands->body_ptr[island]];
    const int32_t *dof = data->dof + data->block_ptr[island] + island;
    const icf_lid begin = islands->pair_ptr[island], npair = data->npair[island];
    const bool as_group = data->in->as_group && data->in->as_group[island];
    *problem = (icf_problem){.nblock = data->block_ptr[island + 1] - data->block_ptr[island],
                             .dof = dof,
                             .momentum = data->momentum + data->momentum_ptr[island],
                             .nmesh = data->mesh_ptr[island + 1] - data->mesh_ptr[island],
                             .mesh = data->mesh + data->mesh_ptr[island],
                             .v_star = data->v_star + first,
                             .v0 = data->v0 + first,
                             .conjugate = data->in->scene->solver.linear == ICF_LINEAR_AUTO,
                             .as_group = as_group,
                             .log = as_group && data->in->log ? &data->in->log[island] : NULL,
                             .nfamily = 1,
                             .family = {&families->contact.base}};
    icf_contact_constraints_init(&families->contact, data->in->bodies, data->in->contacts, npair, data->pair + begin,
                                 data->block, dof, data->in->iterates);
    const icf_lid nlink = pairs_of(islands, island) - npair;
    if (nlink == 0) return;
    icf_attachment_constraints_init(&families->attachment, data->in->bodies, data->in->attachments, nlink,
                                    data->link + begin, data->block, dof);
    problem->family[problem->nfamily++] = &families->attachment.base;
}

static void solve_island(icf_newton *newton, int nthread, island_data *data, icf_lid island)
{
    const icf_linear linear = data->in->scene->solver.linear;
    const icf_linear kind = linear == ICF_LINEAR_AUTO ? ICF_LINEAR_BLOCK : linear;
    icf_problem_families families;
    icf_problem problem;
    make_problem(data, island, &families, &problem);
    families.contact.nthread = nthread;
    double *v = data->v + data->in->islands->dof_ptr[data->in->islands->body_ptr[island]];
    icf_newton_use_threads(newton, nthread);
    data->status[island] = icf_newton_solve(newton, &data->in->scene->solver, kind, &problem, v, &data->result[island]);
}

/* ---- all islands ---- */

static int64_t dofs_of(const icf_islands *islands, icf_lid island)
{
    return islands->dof_ptr[islands->body_ptr[island + 1]] - islands->dof_ptr[islands->body_ptr[island]];
}

/* Whether one island has more dofs than all others together and is worth all threads; it then comes first. */
static bool one_dominates(const icf_island_solver *solver, island_data *data)
{
    if (solver->context->nthread == 1) return false;
    icf_lid largest = -1;
    int64_t all = 0;
    for (icf_lid k = 0; k < data->in->islands->n; ++k) {
        if (data->in->skip[data->order[k]]) continue;
        const int64_t ndof = dofs_of(data->in->islands, data->order[k]);
        all += ndof;
        if (largest < 0 || ndof > dofs_of(data->in->islands, data->order[largest])) largest = k;
    }
    if (largest < 0) return false;
    const icf_lid island = data->order[largest];
    if (dofs_of(data->in->islands, island) < dofs_worth_all_threads || 2 * dofs_of(data->in->islands, island) <= all)
        return false;
    data->order[largest] = data->order[0];
    data->order[0] = island;
    return true;
}

/* One that dominates takes all threads; then the threads take the islands that are left, largest first.  MUMPS belongs
 * to one thread. */
static void solve_all(icf_island_solver *solver, island_data *data)
{
    const icf_lid n = data->in->islands->n;
    icf_lid solved = 0;
    for (icf_lid i = 0; i < n; ++i) {
        data->status[i] = ICF_OK;
        data->result[i] = (icf_newton_result){0};
    }
    if (one_dominates(solver, data))
        solve_island(solver->newton[0], solver->context->nthread, data, data->order[solved++]);
    const bool alone =
        data->in->contacts->n < contacts_worth_a_thread || data->in->scene->solver.linear == ICF_LINEAR_MUMPS;
    const int nthread = alone ? 1 : ICF_MAX(1, ICF_MIN(n - solved, solver->context->nthread));
#pragma omp parallel for num_threads(nthread) if (nthread > 1) schedule(dynamic, 1)
    for (icf_lid k = solved; k < n; ++k)
        if (!data->in->skip[data->order[k]])
            solve_island(solver->newton[omp_get_thread_num()], 1, data, data->order[k]);
}

static icf_status first_failure(const island_data *data, icf_lid *failed)
{
    *failed = -1;
    icf_status worst = ICF_OK;
    for (icf_lid i = 0; i < data->in->islands->n; ++i) {
        if (data->status[i] == ICF_OK) continue;
        if (*failed < 0) *failed = i;
        if (data->status[i] > worst) worst = data->status[i];
    }
    return worst == ICF_NOT_POSITIVE_DEFINITE ? ICF_NOT_CONVERGED : worst;
}

icf_status icf_solve_islands(icf_island_solver *solver, icf_arena *arena, const icf_island_inputs *in, double *v,
                             icf_newton_result *result, icf_lid *failed)
{
    island_data data = {.in = in, .v = v, .result = result};
    *failed = -1;
    ICF_TRY(reserve_threads(solver));
    ICF_TRY(allocate(&data, arena));
    gather_islands(&data);
    sort_by_size(&data);
    solve_all(solver, &data);
    return first_failure(&data, failed);
}

/* ---- patterns ---- */

static icf_status visit_all(const island_data *data, icf_hessian *hessian, icf_island_visit *visit, void *user)
{
    for (icf_lid island = 0; island < data->in->islands->n; ++island) {
        icf_problem_families families;
        icf_problem problem;
        make_problem(data, island, &families, &problem);
        ICF_TRY(icf_hessian_build(hessian, &problem));
        ICF_TRY(visit(user, island, &problem, &hessian->matrix));
    }
    return ICF_OK;
}

icf_status icf_visit_islands(icf_arena *arena, const icf_island_inputs *in, icf_island_visit *visit, void *user)
{
    island_data data = {.in = in};
    icf_hessian hessian;
    ICF_TRY(allocate(&data, arena));
    gather_islands(&data);
    icf_hessian_init(&hessian);
    const icf_status status = visit_all(&data, &hessian, visit, user);
    icf_hessian_clear(&hessian);
    return status;
}
