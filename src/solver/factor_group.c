/* Linear solver of a group of ranks. */
#include "solver/factor_group.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/mpi_wait.h"
#include "solver/conjugate.h"
#include "solver/group_fronts.h"
#include "solver/group_mumps.h"
#include "solver/group_order.h"
#include "solver/group_values.h"
#include "solver/group_vectors.h"

struct icf_group_solver {
    icf_context *context;
    MPI_Comm comm;
    icf_linear kind;            /* of the last analysis: mumps or block */
    uint64_t key;               /* of its pattern and numbering */
    bool ordered;               /* pattern, order and symbolic factor are there; ... */
    bool analyzed;              /* ... and what a factorisation wants besides */
    bool repaired;              /* its order is (order_repair.h) */
    bool not_wide;              /* it is known that icf_group_solver_analyze_cheap analyzes it */
    bool usable;                /* the last factor of MUMPS */
    bool single, factor_single; /* the next factor, and the last one, are in single precision */
    icf_group_pattern pattern;
    icf_group_order order;
    icf_symbolic symbolic;
    int *owner; /* (blocks of all ranks) */
    size_t owner_capacity;
    icf_front_map map;
    icf_group_fronts fronts;
    icf_group_values values;
    icf_group_vectors vectors;
    icf_group_mumps *mumps; /* created on first use */
    double *vector;         /* (ICF_CONJUGATE_VECTORS x dofs) of conjugate gradients */
    size_t vector_capacity;
};

icf_status icf_group_solver_create(icf_context *context, MPI_Comm comm, icf_group_solver **solver)
{
    *solver = icf_alloc(sizeof **solver);
    if (!*solver) return ICF_ERROR_MEMORY;
    icf_group_solver *s = *solver;
    *s = (icf_group_solver){.context = context, .comm = comm};
    icf_group_pattern_init(&s->pattern);
    icf_group_order_init(&s->order);
    icf_symbolic_init(&s->symbolic);
    icf_front_map_init(&s->map);
    icf_group_fronts_init(&s->fronts);
    icf_group_values_init(&s->values);
    icf_group_vectors_init(&s->vectors);
    return ICF_OK;
}

void icf_group_solver_destroy(icf_group_solver **solver)
{
    if (!*solver) return;
    icf_group_solver *s = *solver;
    icf_group_mumps_destroy(&s->mumps);
    icf_group_vectors_clear(&s->vectors);
    icf_group_values_clear(&s->values);
    icf_group_fronts_clear(&s->fronts);
    icf_front_map_clear(&s->map);
    icf_free(s->owner);
    icf_free(s->vector);
    icf_symbolic_clear(&s->symbolic);
    icf_group_order_clear(&s->order);
    icf_group_pattern_clear(&s->pattern);
    ICF_FREE(*solver);
}

/* ---- analysis ---- */

static uint64_t key_of(icf_linear kind, const icf_group *group, const icf_block_matrix *matrix)
{
    uint64_t key = icf_hash_word(icf_block_matrix_pattern(matrix), (uint64_t)group->nglobal);
    key = icf_hash_word(key, (uint64_t)kind);
    for (icf_lid i = 0; i < group->nblock; ++i) {
        key = icf_hash_word(key, (uint64_t)group->number[i]);
        key = icf_hash_word(key, (uint64_t)group->gid[i]);
        key = icf_hash_word(key, !matrix->varies || matrix->varies[i]);
    }
    return key;
}

static icf_status map_fronts(icf_group_solver *solver, const icf_group *group)
{
    ICF_TRY(ICF_GROW(solver->owner, solver->owner_capacity, group->nglobal));
    for (int rank = 0; rank < group->size; ++rank)
        for (icf_cnt i = group->rank_first[rank]; i < group->rank_first[rank + 1]; ++i) solver->owner[i] = rank;
    return icf_front_map_build(&solver->map, &solver->symbolic, solver->owner, group->size);
}

static icf_status analyze_own(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix)
{
    const bool *varies = solver->order.varying_last ? solver->pattern.matrix.varies : NULL;
    icf_status status = map_fronts(solver, group);
    if (status == ICF_OK) status = icf_group_fronts_analyze(&solver->fronts, solver->comm, &solver->map, varies);
    if (status == ICF_OK) status = icf_group_vectors_analyze(&solver->vectors, group, &solver->pattern, &solver->map);
    ICF_TRY(icf_group_agree(group, status));
    return icf_group_values_analyze(&solver->values, group, &solver->pattern, &solver->map, matrix);
}

static icf_status analyze_mumps(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix)
{
    icf_status status = ICF_OK;
    if (!solver->mumps) status = icf_group_mumps_create(solver->context, solver->comm, &solver->mumps);
    ICF_TRY(icf_group_agree(group, status));
    return icf_group_mumps_analyze(solver->mumps, group, &solver->pattern, solver->order.order, matrix);
}

static icf_status find_order(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix,
                             icf_order_how how, bool *found)
{
    ICF_TRY(icf_group_pattern_build(&solver->pattern, group, matrix));
    return icf_group_order_find(&solver->order, group, &solver->pattern, how, &solver->symbolic, found);
}

static icf_status analyze(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix)
{
    if (solver->kind == ICF_LINEAR_MUMPS) return analyze_mumps(solver, group, matrix);
    return analyze_own(solver, group, matrix);
}

/* Adds the text of a failure that comes without one. */
static icf_status report(const icf_group_solver *solver, const icf_group *group, icf_status status)
{
    if (status != ICF_ERROR_MEMORY) return status;
    return icf_fail(solver->context, status, "linear solver of a group: no memory for a matrix of %lld blocks",
                    (long long)group->nglobal);
}

/* What is known of a pattern on all ranks. */
typedef enum group_knowledge { UNKNOWN, ORDERED, ANALYZED } group_knowledge;

static group_knowledge look_up(const icf_group_solver *solver, const icf_group *group, uint64_t key, icf_order_how how)
{
    const bool holds = how == ICF_ORDER_FIND || (how == ICF_ORDER_IF_NARROW && solver->not_wide);
    int known = UNKNOWN;
    if (!solver->repaired && key == solver->key && holds)
        known = solver->analyzed ? ANALYZED : solver->ordered ? ORDERED : UNKNOWN;
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_INT, MPI_MIN, group->comm));
    return (group_knowledge)known;
}

/* Orders a pattern that is not known; *found: whether there is an order now. */
static icf_status order_as(icf_group_solver *solver, uint64_t key, const icf_group *group,
                           const icf_block_matrix *matrix, icf_order_how how, bool *found)
{
    solver->ordered = solver->analyzed = false;
    solver->key = key;
    ICF_TRY(find_order(solver, group, matrix, how, found));
    solver->ordered = *found;
    solver->repaired = how == ICF_ORDER_REPAIR;
    solver->not_wide = how == ICF_ORDER_IF_NARROW && *found;
    return ICF_OK;
}

/* Analyzes a pattern that is not known; *found: whether it is now. */
static icf_status analyze_as(icf_group_solver *solver, icf_linear kind, const icf_group *group,
                             const icf_block_matrix *matrix, icf_order_how how, bool *found)
{
    if (kind != ICF_LINEAR_MUMPS) kind = ICF_LINEAR_BLOCK;
    const uint64_t key = key_of(kind, group, matrix);
    const group_knowledge known = look_up(solver, group, key, how);
    *found = true;
    if (known == ANALYZED) return ICF_OK;
    solver->kind = kind;
    if (known != ORDERED) ICF_TRY(report(solver, group, order_as(solver, key, group, matrix, how, found)));
    if (!*found) return ICF_OK;
    ICF_TRY(report(solver, group, analyze(solver, group, matrix)));
    solver->analyzed = true;
    return ICF_OK;
}

icf_status icf_group_solver_analyze(icf_group_solver *solver, icf_linear kind, const icf_group *group,
                                    const icf_block_matrix *matrix)
{
    bool found;
    return analyze_as(solver, kind, group, matrix, ICF_ORDER_FIND, &found);
}

icf_status icf_group_solver_analyze_cheap(icf_group_solver *solver, const icf_group *group,
                                          const icf_block_matrix *matrix, bool *wide)
{
    bool found;
    ICF_TRY(analyze_as(solver, ICF_LINEAR_BLOCK, group, matrix, ICF_ORDER_IF_NARROW, &found));
    *wide = !found;
    return ICF_OK;
}

icf_status icf_group_solver_extend(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix,
                                   bool *good)
{
    return analyze_as(solver, ICF_LINEAR_BLOCK, group, matrix, ICF_ORDER_REPAIR, good);
}

icf_status icf_group_solver_flops(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix,
                                  double *flops)
{
    const uint64_t key = key_of(ICF_LINEAR_BLOCK, group, matrix);
    bool found;
    if (look_up(solver, group, key, ICF_ORDER_FIND) == UNKNOWN)
        ICF_TRY(report(solver, group, order_as(solver, key, group, matrix, ICF_ORDER_FIND, &found)));
    *flops = solver->symbolic.flops;
    return ICF_OK;
}

icf_status icf_group_solver_load(const icf_group_solver *solver, icf_group_load *load)
{
    *load = (icf_group_load){0};
    if (!solver->analyzed || solver->kind == ICF_LINEAR_MUMPS) return ICF_OK;
    icf_front_load *ranks = icf_alloc((size_t)solver->map.nrank * sizeof *ranks);
    if (!ranks) return ICF_ERROR_MEMORY;
    const icf_status status = icf_front_map_loads(&solver->map, ranks);
    if (status == ICF_OK) load->own = ranks[solver->fronts.rank];
    for (int rank = 0; status == ICF_OK && rank < solver->map.nrank; ++rank)
        icf_front_load_add(&load->total, &ranks[rank]);
    icf_free(ranks);
    return status;
}

/* ---- factor and solution ---- */

/* Counts what the fronts sent as the group's. */
static void count_sent(icf_group_solver *solver, icf_group *group)
{
    icf_sent_add(&group->sent, solver->fronts.sent.messages, solver->fronts.sent.bytes);
    solver->fronts.sent = (icf_sent){0};
}

void icf_group_solver_use_single(icf_group_solver *solver, bool single)
{
    solver->single = single;
}

icf_status icf_group_solver_factor(icf_group_solver *solver, icf_group *group, const icf_block_matrix *matrix,
                                   bool again)
{
    if (solver->kind == ICF_LINEAR_MUMPS) {
        const icf_status status = icf_group_mumps_factor(solver->mumps, group, matrix);
        solver->usable = status == ICF_OK;
        return status;
    }
    if (solver->repaired) icf_order_repair_count(&solver->order.repair, &solver->symbolic);
    icf_group_values_update(&solver->values, group, matrix);
    again = again && solver->order.varying_last && solver->single == solver->factor_single;
    icf_group_fronts_use_single(&solver->fronts, solver->single);
    solver->factor_single = solver->single;
    const bool good = icf_group_fronts_factor(&solver->fronts, &solver->values.matrix, again);
    count_sent(solver, group);
    return good ? ICF_OK : ICF_NOT_POSITIVE_DEFINITE;
}

icf_status icf_group_solver_solve(icf_group_solver *solver, icf_group *group, const double *b, double *x)
{
    if (solver->kind == ICF_LINEAR_MUMPS && !solver->usable) return ICF_OK;
    if (solver->kind == ICF_LINEAR_MUMPS) return icf_group_mumps_solve(solver->mumps, group, &solver->pattern, b, x);
    icf_group_vectors_bring(&solver->vectors, group, b);
    icf_group_fronts_solve(&solver->fronts, solver->vectors.x);
    count_sent(solver, group);
    icf_group_vectors_take_home(&solver->vectors, group, x);
    return ICF_OK;
}

/* The last factor as a preconditioner. */
typedef struct factored {
    icf_group_solver *solver;
    icf_group *group;
} factored;

static icf_status precondition(void *data, const double *r, double *z)
{
    const factored *with = data;
    return icf_group_solver_solve(with->solver, with->group, r, z);
}

icf_status icf_group_solver_solve_to(icf_group_solver *solver, icf_group *group, const icf_block_matrix *matrix,
                                     double tolerance, int iterations, const double *b, double *x)
{
    const size_t n = (size_t)matrix->dof[matrix->nblock];
    icf_status status = ICF_GROW(solver->vector, solver->vector_capacity, ICF_CONJUGATE_VECTORS * n);
    ICF_TRY(report(solver, group, icf_group_agree(group, status)));
    factored with = {solver, group};
    const icf_conjugate system = {.matrix = matrix,
                                  .group = group,
                                  .precondition = precondition,
                                  .data = &with,
                                  .tolerance = tolerance,
                                  .limit = (size_t)iterations};
    icf_cnt taken = 0;
    return icf_conjugate_solve(&system, solver->vector, b, x, &taken);
}
