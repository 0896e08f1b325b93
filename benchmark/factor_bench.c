/* icf_factor_bench: times the linear solvers on a lattice of blocks, on one rank or over many, as one line of JSON
 * each.
 *
 *   [mpirun -n P] icf_factor_bench [NX NY NZ [REPEATS [THREADS]]]
 *
 * NX x NY x NZ blocks of 6 dofs (default 20 x 20 x 12), each next to up to six others, as bodies in a pile are.  One
 * rank alone runs the solvers of one rank with THREADS threads (default 1), several run those of a group; rank p owns
 * the p-th part of the blocks.  Times are the least of REPEATS (default 5) calls, of the slowest rank, after one to
 * warm up.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "solver/factor_group.h"
#include "solver/linear_solver.h"

enum { DOFS = 6, BLOCK = DOFS * DOFS };

/* This rank's blocks: owned, then those after them that they are next to. */
typedef struct lattice {
    icf_lid n[3];
    icf_lid first, nowned, nblock;
    icf_block_matrix matrix;
    int32_t *dof;
    icf_lid *ptr, *idx;
    int64_t *diag_at, *off_at;
    double *val, *x; /* x (dofs) right-hand side and solution */
    icf_gid *gid;
    int *owner;
} lattice;

/* One of the two ways to solve, behind one set of calls. */
typedef struct bench {
    icf_context *context;
    icf_linear kind;
    lattice *lattice;
    icf_linear_solver *alone; /* one rank */
    icf_group_solver *group;  /* several */
    icf_group ranks;
} bench;

static icf_status allocate(lattice *l)
{
    size_t room[8] = {0}, n = (size_t)l->nblock + 1;
    ICF_TRY(ICF_GROW(l->dof, room[0], n));
    ICF_TRY(ICF_GROW(l->ptr, room[1], n));
    ICF_TRY(ICF_GROW(l->idx, room[2], 3 * n));
    ICF_TRY(ICF_GROW(l->diag_at, room[3], n));
    ICF_TRY(ICF_GROW(l->off_at, room[4], 3 * n));
    ICF_TRY(ICF_GROW(l->x, room[5], DOFS * n));
    ICF_TRY(ICF_GROW(l->gid, room[6], n));
    return ICF_GROW(l->owner, room[7], n);
}

/* Pattern: the blocks after block b along each axis stand in its column. */
static icf_lid neighbours(const lattice *l, icf_lid b, icf_lid *next)
{
    const icf_lid at[3] = {b % l->n[0], b / l->n[0] % l->n[1], b / l->n[0] / l->n[1]};
    const icf_lid stride[3] = {1, l->n[0], l->n[0] * l->n[1]};
    icf_lid count = 0;
    for (int axis = 0; axis < 3; ++axis)
        if (at[axis] + 1 < l->n[axis]) next[count++] = b + stride[axis];
    return count;
}

static int64_t make_pattern(lattice *l)
{
    icf_lid nedge = 0;
    int64_t nval = 0;
    for (icf_lid j = 0; j < l->nblock; ++j) {
        icf_lid next[3];
        const icf_lid count = j < l->nowned ? neighbours(l, l->first + j, next) : 0;
        l->dof[j] = DOFS * j;
        l->ptr[j] = nedge;
        l->diag_at[j] = nval;
        nval += BLOCK;
        for (icf_lid k = 0; k < count; ++k, nval += BLOCK) {
            l->off_at[nedge] = nval;
            l->idx[nedge++] = next[k] - l->first;
        }
    }
    l->dof[l->nblock] = DOFS * l->nblock;
    l->ptr[l->nblock] = nedge;
    return nval;
}

/* Diagonal blocks 7 I, the others -I: dominant by the diagonal. */
static void fill(lattice *l)
{
    for (int64_t i = 0; i < l->matrix.nval; ++i) l->val[i] = 0.0;
    for (icf_lid j = 0; j < l->nblock; ++j)
        for (int k = 0; k < BLOCK; k += DOFS + 1) {
            l->val[l->diag_at[j] + k] = j < l->nowned ? 7.0 : 0.0;
            for (icf_lid e = l->ptr[j]; e < l->ptr[j + 1]; ++e) l->val[l->off_at[e] + k] = -1.0;
        }
}

static icf_status make_lattice(lattice *l, const icf_context *context)
{
    const int64_t n = (int64_t)l->n[0] * l->n[1] * l->n[2], size = context->size;
    const icf_lid end = (icf_lid)(n * (context->rank + 1) / size);
    l->first = (icf_lid)(n * context->rank / size);
    l->nowned = end - l->first;
    l->nblock = (icf_lid)ICF_MIN(n, end + (int64_t)l->n[0] * l->n[1]) - l->first;
    ICF_TRY(allocate(l));
    size_t room = 0;
    const int64_t nval = make_pattern(l);
    ICF_TRY(ICF_GROW(l->val, room, (size_t)nval));
    l->matrix = (icf_block_matrix){l->nblock, l->dof, l->ptr, l->idx, l->diag_at, l->off_at, l->val, nval, NULL, NULL};
    fill(l);
    for (icf_lid b = 0; b < l->nblock; ++b) {
        l->gid[b] = l->first + b;
        l->owner[b] = (int)((size * (l->gid[b] + 1) - 1) / n);
    }
    return ICF_OK;
}

static void clear_lattice(lattice *l)
{
    icf_free(l->dof), icf_free(l->ptr), icf_free(l->idx), icf_free(l->diag_at), icf_free(l->off_at);
    icf_free(l->val), icf_free(l->x), icf_free(l->gid), icf_free(l->owner);
}

static icf_status start(bench *b)
{
    const lattice *l = b->lattice;
    icf_group_init(&b->ranks);
    ICF_TRY(icf_group_build(&b->ranks, b->context->comm, l->nblock, l->nowned, l->gid, l->dof, l->owner));
    if (b->context->size > 1) {
        ICF_TRY(icf_group_solver_create(b->context, b->context->comm, &b->group));
        return icf_group_solver_analyze(b->group, b->kind, &b->ranks, &l->matrix);
    }
    ICF_TRY(icf_linear_solver_create(b->kind, b->context, &b->alone));
    icf_linear_solver_use_threads(b->alone, b->context->nthread);
    return icf_linear_solver_analyze(b->alone, &l->matrix);
}

static void end(bench *b)
{
    icf_linear_solver_destroy(&b->alone);
    icf_group_solver_destroy(&b->group);
    icf_group_clear(&b->ranks);
}

static icf_status factor(bench *b)
{
    if (b->group) return icf_group_solver_factor(b->group, &b->ranks, &b->lattice->matrix, false);
    return icf_linear_solver_factor(b->alone, &b->lattice->matrix);
}

static icf_status solve(bench *b)
{
    double *x = b->lattice->x;
    for (int32_t i = 0; i < DOFS * b->lattice->nowned; ++i) x[i] = 1.0;
    if (b->group) return icf_group_solver_solve(b->group, &b->ranks, x, x);
    return icf_linear_solver_solve(b->alone, x, x);
}

/* Least time of some calls [ms], of the slowest rank. */
static icf_status time_calls(bench *b, icf_status (*call)(bench *), int repeats, double *ms)
{
    *ms = 1e30;
    for (int r = 0; r <= repeats; ++r) {
        MPI_Barrier(b->context->comm);
        const double begin = icf_clock_wall();
        ICF_TRY(call(b));
        const double taken = icf_group_max(&b->ranks, 1e3 * (icf_clock_wall() - begin));
        if (r > 0) *ms = ICF_MIN(*ms, taken);
    }
    return ICF_OK;
}

/* Smallest and largest share of the operations and of the factor that a rank has. */
static icf_status print_shares(bench *b)
{
    icf_group_load load;
    ICF_TRY(icf_group_solver_load(b->group, &load));
    const double flops = load.own.flops / load.total.flops, values = load.own.values / load.total.values;
    const double most[4] = {icf_group_max(&b->ranks, -flops), icf_group_max(&b->ranks, flops),
                            icf_group_max(&b->ranks, -values), icf_group_max(&b->ranks, values)};
    if (b->context->rank > 0) return ICF_OK;
    printf(", \"operations\": %.3g, \"operations_share\": [%.3f, %.3f], \"factor_share\": [%.3f, %.3f]",
           load.total.flops, -most[0], most[1], -most[2], most[3]);
    return ICF_OK;
}

static icf_status run(bench *b, int repeats)
{
    const lattice *l = b->lattice;
    double factor_ms, solve_ms;
    ICF_TRY(start(b));
    ICF_TRY(time_calls(b, factor, repeats, &factor_ms));
    ICF_TRY(time_calls(b, solve, repeats, &solve_ms));
    if (b->context->rank == 0)
        printf("{\"benchmark\": \"factor\", \"lattice\": [%d, %d, %d], \"linear\": \"%s\", \"ranks\": %d, \"threads\": "
               "%d, "
               "\"factor_ms\": %.4g, \"solve_ms\": %.4g",
               l->n[0], l->n[1], l->n[2], b->kind == ICF_LINEAR_MUMPS ? "mumps" : "block", b->context->size,
               b->context->nthread, factor_ms, solve_ms);
    if (b->kind == ICF_LINEAR_BLOCK && b->group) ICF_TRY(print_shares(b));
    if (b->kind == ICF_LINEAR_BLOCK && b->alone) printf(", \"operations\": %.3g", icf_linear_solver_flops(b->alone));
    if (b->context->rank == 0) printf("}\n");
    return ICF_OK;
}

static icf_status run_all(icf_context *context, lattice *l, int repeats)
{
    const icf_linear kinds[] = {ICF_LINEAR_BLOCK, ICF_LINEAR_MUMPS};
    icf_status status = make_lattice(l, context);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && status == ICF_OK; ++k) {
        bench b = {.context = context, .kind = kinds[k], .lattice = l};
        status = run(&b, repeats);
        end(&b);
    }
    clear_lattice(l);
    return status;
}

/* Number in argument i, or the default; 0 when it is none above 0. */
static int number(int argc, char **argv, int i, int otherwise)
{
    return argc > i ? ICF_MAX(0, atoi(argv[i])) : otherwise;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    lattice l = {.n = {number(argc, argv, 1, 20), number(argc, argv, 2, 20), number(argc, argv, 3, 12)}};
    const int repeats = number(argc, argv, 4, 5), threads = number(argc, argv, 5, 1);
    icf_context context;
    icf_status status = ICF_ERROR_USAGE;
    if (l.n[0] > 0 && l.n[1] > 0 && l.n[2] > 0 && repeats > 0 && threads > 0)
        status = icf_context_init(&context, MPI_COMM_WORLD, threads);
    if (status == ICF_OK) {
        status = run_all(&context, &l, repeats);
        icf_context_clear(&context);
    }
    if (status != ICF_OK) fprintf(stderr, "icf_factor_bench: %s\n", icf_status_text(status));
    MPI_Finalize();
    return icf_status_exit_code(status);
}
