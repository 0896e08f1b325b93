/* Hessian pattern by counting sort, values by the families. */
#include "solver/hessian.h"

#include <string.h>

#include "base/memory.h"

void icf_hessian_init(icf_hessian *hessian)
{
    *hessian = (icf_hessian){0};
}

void icf_hessian_clear(icf_hessian *hessian)
{
    icf_free(hessian->ptr);
    icf_free(hessian->idx);
    icf_free(hessian->row);
    icf_free(hessian->col);
    icf_free(hessian->diag_at);
    icf_free(hessian->off_at);
    icf_free(hessian->val);
    icf_free(hessian->varies);
    icf_free(hessian->order);
    icf_free(hessian->is_met);
    icf_free(hessian->met_ptr);
    icf_free(hessian->met_idx);
    icf_free(hessian->met_at);
    icf_hessian_init(hessian);
}

/* Appends a pair of blocks, i < j; user: icf_hessian. */
static icf_status add_pair(void *user, icf_lid i, icf_lid j)
{
    icf_hessian *hessian = user;
    const icf_lid n = hessian->npair;
    ICF_TRY(ICF_GROW(hessian->row, hessian->row_capacity, n + 1));
    ICF_TRY(ICF_GROW(hessian->col, hessian->col_capacity, n + 1));
    hessian->row[n] = j;
    hessian->col[n] = i;
    hessian->npair = n + 1;
    return ICF_OK;
}

static icf_status collect_mesh(icf_hessian *hessian, const icf_momentum_mesh *mesh)
{
    for (icf_lid j = 0; j < mesh->n; ++j)
        for (icf_lid k = mesh->ptr[j]; k < mesh->ptr[j + 1]; ++k)
            ICF_TRY(add_pair(hessian, mesh->first + j, icf_momentum_mesh_block(mesh, mesh->idx[k])));
    return ICF_OK;
}

/* Lists the coupled pairs of A and of all families in row and col. */
static icf_status collect(icf_hessian *hessian, const icf_problem *problem)
{
    hessian->npair = 0;
    for (icf_lid m = 0; m < problem->nmesh; ++m) ICF_TRY(collect_mesh(hessian, &problem->mesh[m]));
    for (int f = 0; f < problem->nfamily; ++f)
        ICF_TRY(problem->family[f]->ops->couple(problem->family[f], add_pair, hessian));
    return ICF_OK;
}

static icf_status compress(icf_hessian *hessian, icf_lid nblock)
{
    const icf_lid n = hessian->npair;
    ICF_TRY(ICF_GROW(hessian->ptr, hessian->ptr_capacity, nblock + 2));
    ICF_TRY(ICF_GROW(hessian->idx, hessian->idx_capacity, n + 1));
    /* ptr[j + 2] counts column j; summed up, ptr[j + 1] is where column j goes on */
    memset(hessian->ptr, 0, (size_t)(nblock + 2) * sizeof *hessian->ptr);
    for (icf_lid k = 0; k < n; ++k) ++hessian->ptr[hessian->col[k] + 2];
    for (icf_lid j = 2; j < nblock + 2; ++j) hessian->ptr[j] += hessian->ptr[j - 1];
    for (icf_lid k = 0; k < n; ++k) hessian->idx[hessian->ptr[hessian->col[k] + 1]++] = hessian->row[k];
    icf_pattern_sort(nblock, hessian->ptr, hessian->idx);
    return ICF_OK;
}

/* Positions of the dense blocks in val: diagonals first, then the rest column by column. */
static icf_status place_blocks(icf_hessian *hessian, const icf_problem *problem)
{
    const icf_lid nblock = problem->nblock, noff = hessian->ptr[nblock];
    const int32_t *dof = problem->dof;
    ICF_TRY(ICF_GROW(hessian->diag_at, hessian->diag_capacity, nblock));
    ICF_TRY(ICF_GROW(hessian->off_at, hessian->off_capacity, noff + 1));
    int64_t at = 0;
    for (icf_lid j = 0; j < nblock; ++j) {
        const int64_t size = dof[j + 1] - dof[j];
        hessian->diag_at[j] = at;
        at += size * size;
    }
    for (icf_lid j = 0; j < nblock; ++j)
        for (icf_lid k = hessian->ptr[j]; k < hessian->ptr[j + 1]; ++k) {
            const icf_lid i = hessian->idx[k];
            hessian->off_at[k] = at;
            at += (int64_t)(dof[i + 1] - dof[i]) * (dof[j + 1] - dof[j]);
        }
    ICF_TRY(ICF_RENEW(hessian->val, hessian->val_capacity, at));
    hessian->matrix = (icf_block_matrix){.nblock = nblock,
                                         .dof = dof,
                                         .ptr = hessian->ptr,
                                         .idx = hessian->idx,
                                         .diag_at = hessian->diag_at,
                                         .off_at = hessian->off_at,
                                         .val = hessian->val,
                                         .nval = at};
    return ICF_OK;
}

/* Where there are meshes, most of H is A. */
static icf_status mark_varying(icf_hessian *hessian, const icf_problem *problem)
{
    hessian->matrix.varies = NULL;
    if (problem->nmesh == 0) return ICF_OK;
    ICF_TRY(ICF_GROW(hessian->varies, hessian->varies_capacity, problem->nblock));
    for (icf_lid b = 0; b < problem->nblock; ++b) hessian->varies[b] = false;
    for (int f = 0; f < problem->nfamily; ++f)
        problem->family[f]->ops->mark_varying(problem->family[f], hessian->varies);
    hessian->matrix.varies = hessian->varies;
    return ICF_OK;
}

/* Blocks of A alone in the orders of their meshes, with few bodies after them: contacts change that order little, and
 * it need not be found again whenever they change. */
static icf_status suggest_order(icf_hessian *hessian, const icf_problem *problem)
{
    enum { few_bodies = 16 };
    icf_lid nvertex = 0, next = 0, at = 0;
    bool known = problem->nmesh > 0;
    for (icf_lid m = 0; m < problem->nmesh; ++m) {
        nvertex += problem->mesh[m].n;
        known = known && problem->mesh[m].order;
    }
    hessian->matrix.order = NULL;
    if (!known || problem->nblock - nvertex > few_bodies) return ICF_OK;
    ICF_TRY(ICF_GROW(hessian->order, hessian->order_capacity, problem->nblock));
    for (icf_lid m = 0; m < problem->nmesh; ++m)
        for (icf_lid k = 0; k < problem->mesh[m].n; ++k)
            hessian->order[next++] = problem->mesh[m].first + problem->mesh[m].order[k];
    for (icf_lid m = 0; m <= problem->nmesh; ++m) {
        const icf_lid end = m < problem->nmesh ? problem->mesh[m].first : problem->nblock;
        while (at < end) hessian->order[next++] = at++;
        if (m < problem->nmesh) at += problem->mesh[m].n;
    }
    hessian->matrix.order = hessian->order;
    return ICF_OK;
}

icf_status icf_hessian_build(icf_hessian *hessian, const icf_problem *problem)
{
    ICF_TRY(collect(hessian, problem));
    ICF_TRY(compress(hessian, problem->nblock));
    ICF_TRY(place_blocks(hessian, problem));
    ICF_TRY(suggest_order(hessian, problem));
    return mark_varying(hessian, problem);
}

/* Adds the blocks of a mesh: its rows are among those of H's columns, both ascending.  Of a block with a shadow each of
 * its two ranks gives half. */
static void add_mesh(const icf_block_matrix *matrix, const icf_momentum_mesh *mesh)
{
    for (icf_lid j = 0; j < mesh->n; ++j) {
        icf_lid e = matrix->ptr[mesh->first + j];
        for (icf_lid k = mesh->ptr[j]; k < mesh->ptr[j + 1]; ++k) {
            while (matrix->idx[e] < icf_momentum_mesh_block(mesh, mesh->idx[k])) ++e;
            const double share = mesh->idx[k] < mesh->n ? 1.0 : 0.5;
            double *block = matrix->val + matrix->off_at[e];
            for (int i = 0; i < 9; ++i) block[i] += share * mesh->value[9 * (size_t)k + (size_t)i];
        }
    }
}

void icf_hessian_update(icf_hessian *hessian, const icf_problem *problem)
{
    const icf_block_matrix *matrix = &hessian->matrix;
    if (matrix->nval == 0) return; /* a rank of a group without blocks */
    /* the diagonal blocks of H stand in the order of the blocks of A */
    const size_t ndiag = matrix->ptr[matrix->nblock] > 0 ? (size_t)matrix->off_at[0] : (size_t)matrix->nval;
    memcpy(matrix->val, problem->momentum, ndiag * sizeof(double));
    memset(matrix->val + ndiag, 0, ((size_t)matrix->nval - ndiag) * sizeof(double));
    for (icf_lid m = 0; m < problem->nmesh; ++m) add_mesh(matrix, &problem->mesh[m]);
    for (int f = 0; f < problem->nfamily; ++f)
        problem->family[f]->ops->add_hessian(problem->family[f], &hessian->matrix);
}

/* ---- the blocks that have been met ---- */

icf_status icf_hessian_forget(icf_hessian *hessian)
{
    const icf_block_matrix *matrix = &hessian->matrix;
    const size_t nblock = (size_t)matrix->nblock, noff = (size_t)matrix->ptr[nblock];
    ICF_TRY(ICF_GROW(hessian->is_met, hessian->is_met_capacity, noff + 1));
    ICF_TRY(ICF_GROW(hessian->met_ptr, hessian->met_ptr_capacity, nblock + 1));
    ICF_TRY(ICF_GROW(hessian->met_idx, hessian->met_idx_capacity, noff + 1));
    ICF_TRY(ICF_GROW(hessian->met_at, hessian->met_at_capacity, noff + 1));
    memset(hessian->is_met, 0, noff * sizeof *hessian->is_met);
    memset(hessian->met_ptr, 0, (nblock + 1) * sizeof *hessian->met_ptr);
    hessian->met = *matrix;
    hessian->met.ptr = hessian->met_ptr;
    hessian->met.idx = hessian->met_idx;
    hessian->met.off_at = hessian->met_at;
    return ICF_OK;
}

static bool is_zero(int32_t n, const double *value)
{
    for (int32_t k = 0; k < n; ++k)
        if (value[k] != 0.0) return false;
    return true;
}

static void list_met(icf_hessian *hessian)
{
    const icf_block_matrix *matrix = &hessian->matrix;
    icf_lid n = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        for (icf_lid k = matrix->ptr[j]; k < matrix->ptr[j + 1]; ++k) {
            if (!hessian->is_met[k]) continue;
            hessian->met_idx[n] = matrix->idx[k];
            hessian->met_at[n++] = matrix->off_at[k];
        }
        hessian->met_ptr[j + 1] = n;
    }
}

bool icf_hessian_meet(icf_hessian *hessian)
{
    const icf_block_matrix *matrix = &hessian->matrix;
    const int32_t *dof = matrix->dof;
    bool more = false;
    for (icf_lid j = 0; j < matrix->nblock; ++j)
        for (icf_lid k = matrix->ptr[j]; k < matrix->ptr[j + 1]; ++k) {
            const icf_lid i = matrix->idx[k];
            const int32_t n = (dof[i + 1] - dof[i]) * (dof[j + 1] - dof[j]);
            if (hessian->is_met[k] || is_zero(n, matrix->val + matrix->off_at[k])) continue;
            hessian->is_met[k] = more = true;
        }
    if (more) list_met(hessian);
    return more;
}

void icf_hessian_shift(icf_hessian *hessian, double relative)
{
    const icf_block_matrix *matrix = &hessian->matrix;
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        const int size = matrix->dof[j + 1] - matrix->dof[j];
        double *block = matrix->val + matrix->diag_at[j];
        for (int k = 0; k < size; ++k) block[k * (size + 1)] *= 1.0 + relative;
    }
}
