/* MUMPS over the ranks of a group. */
#include "solver/group_mumps.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "solver/mumps_instance.h"

struct icf_group_mumps {
    icf_mumps mumps;
    ICF_GROUP_ARRAY(int, row); /* (entries) from 1 */
    ICF_GROUP_ARRAY(int, column);
    ICF_GROUP_ARRAY(double, value);
    ICF_GROUP_ARRAY(int, position); /* (dofs) pivot order, on the first rank */
    ICF_GROUP_ARRAY(int, rhs_row);  /* (owned dofs) from 1 */
    ICF_GROUP_ARRAY(double, rhs);
    ICF_GROUP_ARRAY(int, solution_row); /* rows that MUMPS leaves on this rank */
    ICF_GROUP_ARRAY(double, solution);
    ICF_GROUP_ARRAY(int, counts); /* (4 size) */
    ICF_GROUP_ARRAY(int, out_row);
    ICF_GROUP_ARRAY(double, out_value);
    ICF_GROUP_ARRAY(int, in_row);
    ICF_GROUP_ARRAY(double, in_value);
};

#define RENEW(name, n) ICF_TRY(ICF_RENEW(mumps->name, mumps->name##_capacity, n))

icf_status icf_group_mumps_create(icf_context *context, MPI_Comm comm, icf_group_mumps **mumps)
{
    *mumps = icf_alloc(sizeof **mumps);
    if (!*mumps) return ICF_ERROR_MEMORY;
    memset(*mumps, 0, sizeof **mumps);
    (*mumps)->mumps.context = context;
    (*mumps)->mumps.comm = comm;
    return ICF_OK;
}

void icf_group_mumps_destroy(icf_group_mumps **mumps)
{
    if (!*mumps) return;
    icf_group_mumps *m = *mumps;
    icf_mumps_end(&m->mumps);
    void *const memory[] = {m->row,      m->column, m->value,   m->position,  m->rhs_row, m->rhs,     m->solution_row,
                            m->solution, m->counts, m->out_row, m->out_value, m->in_row,  m->in_value};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) icf_free(memory[k]);
    ICF_FREE(*mumps);
}

/* ---- analysis ---- */

/* Pivot order of the dofs. */
static icf_status order_dofs(icf_group_mumps *mumps, const icf_group *group, const icf_block_matrix *whole,
                             const icf_lid *order)
{
    if (group->rank != 0) return ICF_OK;
    RENEW(position, (size_t)whole->dof[whole->nblock] + 1);
    int place = 0;
    for (icf_lid k = 0; k < whole->nblock; ++k)
        for (int32_t i = whole->dof[order[k]]; i < whole->dof[order[k] + 1]; ++i) mumps->position[i] = ++place;
    return ICF_OK;
}

/* Rows and columns of a dense block; of a diagonal block the lower triangle. */
static void list_block(icf_group_mumps *mumps, const int32_t *dof, icf_cnt row, icf_cnt column, int64_t *k)
{
    for (int32_t c = dof[column]; c < dof[column + 1]; ++c)
        for (int32_t r = row == column ? c : dof[row]; r < dof[row + 1]; ++r, ++*k) {
            mumps->row[*k] = r + 1;
            mumps->column[*k] = c + 1;
        }
}

static icf_status list_entries(icf_group_mumps *mumps, const icf_group *group, const icf_group_pattern *pattern,
                               const icf_block_matrix *matrix)
{
    const int32_t *dof = pattern->matrix.dof, first = icf_group_first_dof(pattern, group, group->rank);
    const int32_t nowned = icf_group_first_dof(pattern, group, group->rank + 1) - first;
    RENEW(row, matrix->nval + 1);
    RENEW(column, matrix->nval + 1);
    RENEW(value, matrix->nval + 1);
    RENEW(rhs_row, nowned + 1);
    RENEW(rhs, nowned + 1);
    int64_t k = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        list_block(mumps, dof, group->number[j], group->number[j], &k);
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e)
            list_block(mumps, dof, group->number[matrix->idx[e]], group->number[j], &k);
    }
    for (int32_t i = 0; i < nowned; ++i) mumps->rhs_row[i] = first + i + 1;
    mumps->mumps.id.nnz_loc = k;
    mumps->mumps.id.nloc_rhs = mumps->mumps.id.lrhs_loc = nowned;
    return ICF_OK;
}

static void copy_values(icf_group_mumps *mumps, const icf_block_matrix *matrix)
{
    double *next = mumps->value;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const double *diagonal = matrix->val + matrix->diag_at[j];
        const int n = matrix->dof[j + 1] - matrix->dof[j];
        for (int c = 0; c < n; ++c)
            for (int r = c; r < n; ++r) *next++ = diagonal[c * n + r];
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const icf_lid i = matrix->idx[e];
            const int size = (matrix->dof[i + 1] - matrix->dof[i]) * n;
            memcpy(next, matrix->val + matrix->off_at[e], (size_t)size * sizeof *next);
            next += size;
        }
    }
}

icf_status icf_group_mumps_analyze(icf_group_mumps *mumps, const icf_group *group, const icf_group_pattern *pattern,
                                   const icf_lid *order, const icf_block_matrix *matrix)
{
    ICF_TRY(icf_mumps_start(&mumps->mumps));
    icf_status status = order_dofs(mumps, group, &pattern->matrix, order);
    if (status == ICF_OK) status = list_entries(mumps, group, pattern, matrix);
    ICF_TRY(icf_group_agree(group, status));
    DMUMPS_STRUC_C *id = &mumps->mumps.id;
    id->icntl[17] = 3;  /* entries where they are */
    id->icntl[19] = 10; /* right-hand side too */
    id->icntl[20] = 1;  /* solution where MUMPS has it */
    id->n = pattern->matrix.dof[pattern->matrix.nblock];
    id->irn_loc = mumps->row;
    id->jcn_loc = mumps->column;
    id->a_loc = mumps->value;
    id->perm_in = mumps->position;
    return icf_mumps_call(&mumps->mumps, ICF_MUMPS_ANALYZE);
}

icf_status icf_group_mumps_factor(icf_group_mumps *mumps, const icf_group *group, const icf_block_matrix *matrix)
{
    const bool finite = icf_block_matrix_is_finite(matrix);
    ICF_TRY(icf_group_agree(group, finite ? ICF_OK : ICF_NOT_POSITIVE_DEFINITE));
    copy_values(mumps, matrix);
    return icf_mumps_factor(&mumps->mumps);
}

/* ---- solution ---- */

static int owner_of_row(const icf_group *group, const icf_group_pattern *pattern, int row)
{
    int low = 0, high = group->size - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (icf_group_first_dof(pattern, group, middle) <= row - 1)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Counts and starts of what goes where and comes whence; room for it. */
static icf_status count_rows(icf_group_mumps *mumps, const icf_group *group, const icf_group_pattern *pattern, int n)
{
    const int size = group->size;
    int *out = mumps->counts, *out_at = out + size, *in = out_at + size, *in_at = in + size;
    memset(out, 0, (size_t)size * sizeof *out);
    for (int k = 0; k < n; ++k) ++out[owner_of_row(group, pattern, mumps->solution_row[k])];
    ICF_MPI_WAIT(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, group->comm));
    int sent = 0, received = 0;
    for (int r = 0; r < size; ++r) {
        out_at[r] = sent;
        in_at[r] = received;
        sent += out[r];
        received += in[r];
    }
    RENEW(out_row, n + 1);
    RENEW(out_value, n + 1);
    RENEW(in_row, received + 1);
    RENEW(in_value, received + 1);
    return ICF_OK;
}

/* Brings the rows of the solution to their owners. */
static icf_status send_home(icf_group_mumps *mumps, const icf_group *group, const icf_group_pattern *pattern, int n,
                            double *x)
{
    const int size = group->size, first = icf_group_first_dof(pattern, group, group->rank);
    ICF_TRY(icf_group_agree(group, count_rows(mumps, group, pattern, n)));
    int *out = mumps->counts, *out_at = out + size, *in = out_at + size, *in_at = in + size;
    for (int k = 0; k < n; ++k) {
        const int at = out_at[owner_of_row(group, pattern, mumps->solution_row[k])]++;
        mumps->out_row[at] = mumps->solution_row[k];
        mumps->out_value[at] = mumps->solution[k];
    }
    for (int r = 0; r < size; ++r) out_at[r] -= out[r];
    ICF_MPI_WAIT(MPI_Alltoallv(mumps->out_row, out, out_at, MPI_INT, mumps->in_row, in, in_at, MPI_INT, group->comm));
    ICF_MPI_WAIT(
        MPI_Alltoallv(mumps->out_value, out, out_at, MPI_DOUBLE, mumps->in_value, in, in_at, MPI_DOUBLE, group->comm));
    for (int k = 0; k < mumps->mumps.id.nloc_rhs; ++k) x[mumps->in_row[k] - 1 - first] = mumps->in_value[k];
    return ICF_OK;
}

static icf_status prepare_solution(icf_group_mumps *mumps, const icf_group *group)
{
    const int n = mumps->mumps.id.info[22]; /* rows that stay here */
    RENEW(solution_row, n + 1);
    RENEW(solution, n + 1);
    RENEW(counts, 4 * (size_t)group->size);
    return ICF_OK;
}

icf_status icf_group_mumps_solve(icf_group_mumps *mumps, const icf_group *group, const icf_group_pattern *pattern,
                                 const double *b, double *x)
{
    ICF_TRY(icf_group_agree(group, prepare_solution(mumps, group)));
    DMUMPS_STRUC_C *id = &mumps->mumps.id;
    if (id->nloc_rhs > 0) memcpy(mumps->rhs, b, (size_t)id->nloc_rhs * sizeof *b);
    id->nrhs = 1;
    id->rhs_loc = mumps->rhs;
    id->irhs_loc = mumps->rhs_row;
    id->lsol_loc = id->info[22];
    id->sol_loc = mumps->solution;
    id->isol_loc = mumps->solution_row;
    ICF_TRY(icf_mumps_call(&mumps->mumps, ICF_MUMPS_SOLVE));
    return send_home(mumps, group, pattern, id->info[22], x);
}
