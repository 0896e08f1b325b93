/* Linear solver of a group of ranks. */
#include "solver/factor_group.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "solver/mumps_instance.h"
#include "solver/ordering.h"

enum { DOFS = ICF_GROUP_DOFS, BLOCK = ICF_GROUP_DOFS * ICF_GROUP_DOFS };

/* A grow-only array. */
#define ARRAY(type, name) \
    type *name;           \
    size_t name##_capacity

struct icf_group_solver {
    icf_mumps mumps;
    icf_ordering ordering;
    uint64_t key; /* of the pattern and numbering of the last analysis */
    bool analyzed;
    ARRAY(int, row); /* (entries) from 1 */
    ARRAY(int, column);
    ARRAY(double, value);
    ARRAY(int, rhs_row); /* (owned dofs) from 1 */
    ARRAY(double, rhs);
    ARRAY(int, solution_row); /* rows that MUMPS leaves on this rank */
    ARRAY(double, solution);
    ARRAY(int, counts); /* (4 size) */
    ARRAY(int, out_row);
    ARRAY(double, out_value);
    ARRAY(int, in_row);
    ARRAY(double, in_value);
    /* the graph, on the first rank */
    ARRAY(int, pairs); /* block pairs of this rank */
    ARRAY(int, all_pairs);
    ARRAY(int, pair_counts);
    ARRAY(icf_lid, ptr);
    ARRAY(icf_lid, idx);
    ARRAY(int32_t, dof);
    ARRAY(icf_lid, order);
    ARRAY(int, position);
};

#define GROW(name, n) ICF_TRY(ICF_GROW(solver->name, solver->name##_capacity, n))

icf_status icf_group_solver_create(icf_context *context, MPI_Comm comm, icf_group_solver **solver)
{
    *solver = icf_alloc(sizeof **solver);
    if (!*solver) return ICF_ERROR_MEMORY;
    memset(*solver, 0, sizeof **solver);
    (*solver)->mumps.context = context;
    (*solver)->mumps.comm = comm;
    icf_ordering_init(&(*solver)->ordering);
    return ICF_OK;
}

void icf_group_solver_destroy(icf_group_solver **solver)
{
    if (!*solver) return;
    icf_group_solver *s = *solver;
    icf_mumps_end(&s->mumps);
    icf_ordering_clear(&s->ordering);
    void *const memory[] = {s->row,          s->column,    s->value,  s->rhs_row,   s->rhs,
                            s->solution_row, s->solution,  s->counts, s->out_row,   s->in_row,
                            s->in_value,     s->out_value, s->pairs,  s->all_pairs, s->pair_counts,
                            s->ptr,          s->idx,       s->dof,    s->order,     s->position};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) icf_free(memory[k]);
    ICF_FREE(*solver);
}

/* ---- order, on the first rank ---- */

/* Block pairs of this rank by global number, larger first. */
static icf_status list_pairs(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix)
{
    GROW(pairs, 2 * (size_t)matrix->ptr[matrix->nblock] + 2);
    size_t k = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j)
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const int a = (int)group->number[matrix->idx[e]], b = (int)group->number[j];
            solver->pairs[k++] = ICF_MAX(a, b);
            solver->pairs[k++] = ICF_MIN(a, b);
        }
    return ICF_OK;
}

static icf_status gather_pairs(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix,
                               size_t *n)
{
    const int size = group->size, mine = 2 * matrix->ptr[matrix->nblock];
    icf_status status = list_pairs(solver, group, matrix);
    if (status == ICF_OK) status = ICF_GROW(solver->pair_counts, solver->pair_counts_capacity, 2 * size);
    ICF_TRY(icf_group_agree(group, status));
    int *counts = solver->pair_counts, *at = counts + size;
    MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, group->comm);
    *n = 0;
    if (group->rank == 0) {
        for (int r = 0; r < size; ++r) {
            at[r] = (int)*n;
            *n += (size_t)counts[r];
        }
        status = ICF_GROW(solver->all_pairs, solver->all_pairs_capacity, *n + 1);
    }
    ICF_TRY(icf_group_agree(group, status));
    MPI_Gatherv(solver->pairs, mine, MPI_INT, solver->all_pairs, counts, at, MPI_INT, 0, group->comm);
    *n /= 2;
    return ICF_OK;
}

/* Lower pattern by columns. */
static icf_status build_graph(icf_group_solver *solver, icf_lid nblock, size_t npair, icf_block_matrix *graph)
{
    GROW(ptr, (size_t)nblock + 2);
    GROW(idx, npair + 1);
    GROW(dof, (size_t)nblock + 1);
    GROW(order, (size_t)nblock + 1);
    GROW(position, DOFS * (size_t)nblock + 1);
    memset(solver->ptr, 0, ((size_t)nblock + 2) * sizeof *solver->ptr);
    for (size_t k = 0; k < npair; ++k) ++solver->ptr[solver->all_pairs[2 * k + 1] + 2];
    for (icf_lid j = 2; j < nblock + 2; ++j) solver->ptr[j] += solver->ptr[j - 1];
    for (size_t k = 0; k < npair; ++k)
        solver->idx[solver->ptr[solver->all_pairs[2 * k + 1] + 1]++] = solver->all_pairs[2 * k];
    icf_pattern_sort(nblock, solver->ptr, solver->idx);
    for (icf_lid j = 0; j <= nblock; ++j) solver->dof[j] = DOFS * j;
    *graph = (icf_block_matrix){.nblock = nblock, .dof = solver->dof, .ptr = solver->ptr, .idx = solver->idx};
    return ICF_OK;
}

/* Pivot order of the dofs, handed to MUMPS on the first rank. */
static icf_status order_dofs(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix)
{
    size_t npair;
    ICF_TRY(gather_pairs(solver, group, matrix, &npair));
    icf_status status = ICF_OK;
    if (group->rank == 0) {
        const icf_lid nblock = (icf_lid)group->nglobal;
        icf_block_matrix graph;
        status = build_graph(solver, nblock, npair, &graph);
        if (status == ICF_OK) status = icf_order_nested_dissection(&solver->ordering, &graph, solver->order);
        for (icf_lid k = 0; status == ICF_OK && k < nblock; ++k)
            for (int d = 0; d < DOFS; ++d) solver->position[DOFS * solver->order[k] + d] = DOFS * k + d + 1;
    }
    return icf_group_agree(group, status);
}

/* ---- entries ---- */

/* Rows and columns of a dense block; of a diagonal block the lower triangle. */
static void list_block(icf_group_solver *solver, icf_cnt row, icf_cnt column, int64_t *k)
{
    for (int c = 0; c < DOFS; ++c)
        for (int r = row == column ? c : 0; r < DOFS; ++r, ++*k) {
            solver->row[*k] = (int)(DOFS * row + r + 1);
            solver->column[*k] = (int)(DOFS * column + c + 1);
        }
}

static icf_status list_entries(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix)
{
    const int64_t nnz =
        (int64_t)matrix->nblock * (DOFS * (DOFS + 1) / 2) + (int64_t)matrix->ptr[matrix->nblock] * BLOCK;
    GROW(row, nnz + 1);
    GROW(column, nnz + 1);
    GROW(value, nnz + 1);
    GROW(rhs_row, DOFS * (size_t)group->nowned + 1);
    GROW(rhs, DOFS * (size_t)group->nowned + 1);
    int64_t k = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        list_block(solver, group->number[j], group->number[j], &k);
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e)
            list_block(solver, group->number[matrix->idx[e]], group->number[j], &k);
    }
    for (icf_lid i = 0; i < DOFS * group->nowned; ++i) solver->rhs_row[i] = (int)(DOFS * group->first + i + 1);
    solver->mumps.id.nnz_loc = k;
    return ICF_OK;
}

static void copy_values(icf_group_solver *solver, const icf_block_matrix *matrix)
{
    double *next = solver->value;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const double *diagonal = matrix->val + matrix->diag_at[j];
        for (int c = 0; c < DOFS; ++c)
            for (int r = c; r < DOFS; ++r) *next++ = diagonal[c * DOFS + r];
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e, next += BLOCK)
            memcpy(next, matrix->val + matrix->off_at[e], BLOCK * sizeof *next);
    }
}

static uint64_t key_of(const icf_group *group, const icf_block_matrix *matrix)
{
    uint64_t key = icf_hash_word(icf_block_matrix_pattern(matrix), (uint64_t)group->nglobal);
    for (icf_lid i = 0; i < group->nblock; ++i) key = icf_hash_word(key, (uint64_t)group->number[i]);
    return key;
}

icf_status icf_group_solver_analyze(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix)
{
    const uint64_t key = key_of(group, matrix);
    int same = solver->analyzed && key == solver->key;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, group->comm);
    if (same) return ICF_OK;
    solver->analyzed = false;
    solver->key = key;
    ICF_TRY(icf_mumps_start(&solver->mumps));
    ICF_TRY(order_dofs(solver, group, matrix));
    ICF_TRY(icf_group_agree(group, list_entries(solver, group, matrix)));
    DMUMPS_STRUC_C *id = &solver->mumps.id;
    id->icntl[17] = 3;  /* entries where they are */
    id->icntl[19] = 10; /* right-hand side too */
    id->icntl[20] = 1;  /* solution where MUMPS has it */
    id->n = (MUMPS_INT)(DOFS * group->nglobal);
    id->irn_loc = solver->row;
    id->jcn_loc = solver->column;
    id->a_loc = solver->value;
    id->perm_in = solver->position;
    ICF_TRY(icf_mumps_call(&solver->mumps, ICF_MUMPS_ANALYZE));
    solver->analyzed = true;
    return ICF_OK;
}

icf_status icf_group_solver_factor(icf_group_solver *solver, const icf_group *group, const icf_block_matrix *matrix)
{
    const bool finite = icf_block_matrix_is_finite(matrix);
    ICF_TRY(icf_group_agree(group, finite ? ICF_OK : ICF_NOT_POSITIVE_DEFINITE));
    copy_values(solver, matrix);
    return icf_mumps_factor(&solver->mumps);
}

/* ---- solution ---- */

static int owner_of_row(const icf_group *group, int row)
{
    const icf_cnt block = (row - 1) / DOFS;
    int low = 0, high = group->size - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (group->rank_first[middle] <= block)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Counts and starts of what goes where and comes whence; room for it. */
static icf_status count_rows(icf_group_solver *solver, const icf_group *group, int n)
{
    const int size = group->size;
    int *out = solver->counts, *out_at = out + size, *in = out_at + size, *in_at = in + size;
    memset(out, 0, (size_t)size * sizeof *out);
    for (int k = 0; k < n; ++k) ++out[owner_of_row(group, solver->solution_row[k])];
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, group->comm);
    int sent = 0, received = 0;
    for (int r = 0; r < size; ++r) {
        out_at[r] = sent;
        in_at[r] = received;
        sent += out[r];
        received += in[r];
    }
    GROW(out_row, n + 1);
    GROW(out_value, n + 1);
    GROW(in_row, received + 1);
    GROW(in_value, received + 1);
    return ICF_OK;
}

/* Brings the rows of the solution to their owners. */
static icf_status send_home(icf_group_solver *solver, const icf_group *group, int n, double *x)
{
    const int size = group->size;
    ICF_TRY(icf_group_agree(group, count_rows(solver, group, n)));
    int *out = solver->counts, *out_at = out + size, *in = out_at + size, *in_at = in + size;
    for (int k = 0; k < n; ++k) {
        const int at = out_at[owner_of_row(group, solver->solution_row[k])]++;
        solver->out_row[at] = solver->solution_row[k];
        solver->out_value[at] = solver->solution[k];
    }
    for (int r = 0; r < size; ++r) out_at[r] -= out[r];
    MPI_Alltoallv(solver->out_row, out, out_at, MPI_INT, solver->in_row, in, in_at, MPI_INT, group->comm);
    MPI_Alltoallv(solver->out_value, out, out_at, MPI_DOUBLE, solver->in_value, in, in_at, MPI_DOUBLE, group->comm);
    for (int k = 0; k < DOFS * group->nowned; ++k) x[solver->in_row[k] - 1 - DOFS * group->first] = solver->in_value[k];
    return ICF_OK;
}

static icf_status prepare_solution(icf_group_solver *solver, const icf_group *group)
{
    const int n = solver->mumps.id.info[22]; /* rows that stay here */
    GROW(solution_row, n + 1);
    GROW(solution, n + 1);
    GROW(counts, 4 * (size_t)group->size);
    return ICF_OK;
}

icf_status icf_group_solver_solve(icf_group_solver *solver, const icf_group *group, const double *b, double *x)
{
    ICF_TRY(icf_group_agree(group, prepare_solution(solver, group)));
    DMUMPS_STRUC_C *id = &solver->mumps.id;
    const int n = DOFS * group->nowned;
    if (n > 0) memcpy(solver->rhs, b, (size_t)n * sizeof *b);
    id->nrhs = 1;
    id->nloc_rhs = n;
    id->lrhs_loc = n;
    id->rhs_loc = solver->rhs;
    id->irhs_loc = solver->rhs_row;
    id->lsol_loc = id->info[22];
    id->sol_loc = solver->solution;
    id->isol_loc = solver->solution_row;
    ICF_TRY(icf_mumps_call(&solver->mumps, ICF_MUMPS_SOLVE));
    return send_home(solver, group, id->info[22], x);
}
