/* A mesh whose work is shared out over all ranks. */
#include "step/split_mesh.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "solver/linear_solver.h"
#include "step/mesh_cut.h"

static icf_status allocate(void *array, size_t n, size_t size)
{
    void **to = array;
    *to = n > SIZE_MAX / size - 1 ? NULL : icf_alloc((n + 1) * size);
    return *to ? ICF_OK : ICF_ERROR_MEMORY;
}

/* Room for n elements and one more. */
#define ALLOCATE(array, n) allocate(&(array), (size_t)(n), sizeof *(array))

/* ---- what a rank has ---- */

/* Vertices rank by rank. */
static icf_status list_sequence(icf_split_mesh *split)
{
    const int size = split->context->size;
    ICF_TRY(ALLOCATE(split->sequence, split->nvertex));
    ICF_TRY(ALLOCATE(split->count, 2 * size));
    ICF_TRY(ALLOCATE(split->at, 2 * size));
    memset(split->count, 0, 2 * (size_t)size * sizeof *split->count);
    for (icf_lid v = 0; v < split->nvertex; ++v) ++split->count[split->owner[v]];
    split->at[0] = 0;
    for (int r = 0; r < size; ++r) split->at[r + 1] = split->at[r] + split->count[r];
    for (icf_lid v = 0; v < split->nvertex; ++v) split->sequence[split->at[split->owner[v]]++] = v;
    for (int r = 0; r < size; ++r) split->at[r] -= split->count[r];
    split->nown = split->count[split->context->rank];
    return ICF_OK;
}

/* The tetrahedra at own vertices; the owner of a tetrahedron's lowest vertex counts it. */
static icf_status take_tets(icf_split_mesh *split, const icf_tet_mesh *whole)
{
    icf_tet_mesh *mesh = &split->mesh;
    ICF_TRY(icf_tet_mesh_reserve(mesh, whole->nvertex, 0));
    for (icf_lid v = 0; v < whole->nvertex; ++v) ICF_TRY(icf_tet_mesh_add_vertex(mesh, whole->vertex[v]));
    for (icf_lid t = 0; t < whole->ntet; ++t) {
        const icf_lid *v = whole->tet[t];
        bool mine = false;
        for (int k = 0; k < 4; ++k) mine = mine || icf_split_mesh_owns(split, v[k]);
        if (mine) ICF_TRY(icf_tet_mesh_add_tet(mesh, v[0], v[1], v[2], v[3]));
    }
    ICF_TRY(ALLOCATE(split->counted, mesh->ntet));
    for (icf_lid t = 0; t < mesh->ntet; ++t) {
        icf_lid lowest = mesh->tet[t][0];
        for (int k = 1; k < 4; ++k) lowest = ICF_MIN(lowest, mesh->tet[t][k]);
        split->counted[t] = icf_split_mesh_owns(split, lowest);
    }
    return ICF_OK;
}

/* Own vertices, then those of other ranks in the same tetrahedra.
 *   place [out] (nvertex) place in `vertex`, -1: none */
static icf_status list_vertices(icf_split_mesh *split, icf_lid *place)
{
    icf_lid n = split->nown;
    for (icf_lid v = 0; v < split->nvertex; ++v) place[v] = -1;
    for (icf_lid t = 0; t < split->mesh.ntet; ++t)
        for (int k = 0; k < 4; ++k) place[split->mesh.tet[t][k]] = 0;
    for (icf_lid v = 0; v < split->nvertex; ++v) split->nrim += place[v] == 0 && !icf_split_mesh_owns(split, v);
    ICF_TRY(ALLOCATE(split->vertex, split->nown + split->nrim));
    const icf_lid *own = split->sequence + split->at[split->context->rank];
    for (icf_lid k = 0; k < split->nown; ++k) {
        split->vertex[k] = own[k];
        place[own[k]] = k;
    }
    for (icf_lid v = 0; v < split->nvertex; ++v) {
        if (place[v] < 0 || icf_split_mesh_owns(split, v)) continue;
        split->vertex[n] = v;
        place[v] = n++;
    }
    return ICF_OK;
}

/* ---- the pattern of A ---- */

/* A block of the elements' pattern at places i, j: its column, its row. */
static void arrange(icf_lid i, icf_lid j, icf_lid *column, icf_lid *row)
{
    *column = ICF_MIN(i, j);
    *row = ICF_MAX(i, j);
}

static void count_columns(icf_split_mesh *split, const icf_fem_pattern *pattern, const icf_lid *place)
{
    const icf_lid n = split->nown + split->nrim;
    for (icf_lid k = 0; k <= n; ++k) split->ptr[k] = 0;
    for (icf_lid j = 0; j < pattern->nvertex; ++j)
        for (icf_lid e = pattern->ptr[j]; e < pattern->ptr[j + 1]; ++e) {
            icf_lid column, row;
            arrange(place[pattern->idx[e]], place[j], &column, &row);
            if (column < split->nown) ++split->ptr[column + 1];
        }
    for (icf_lid k = 0; k < n; ++k) split->ptr[k + 1] += split->ptr[k];
}

/* Puts a block into its column, whose rows ascend. */
static void insert(icf_split_mesh *split, icf_lid *filled, icf_lid column, icf_lid row, int64_t from)
{
    icf_lid k = split->ptr[column] + filled[column]++;
    for (; k > split->ptr[column] && split->idx[k - 1] > row; --k) {
        split->idx[k] = split->idx[k - 1];
        split->from[k] = split->from[k - 1];
    }
    split->idx[k] = row;
    split->from[k] = from;
}

static void fill_columns(icf_split_mesh *split, const icf_fem_pattern *pattern, const icf_lid *place, icf_lid *filled)
{
    for (icf_lid k = 0; k < split->nown; ++k) filled[k] = 0;
    for (icf_lid j = 0; j < pattern->nvertex; ++j)
        for (icf_lid e = pattern->ptr[j]; e < pattern->ptr[j + 1]; ++e) {
            const icf_lid i = place[pattern->idx[e]];
            const int64_t from = 9 * ((int64_t)pattern->nvertex + e);
            icf_lid column, row;
            arrange(i, place[j], &column, &row);
            if (column < split->nown) insert(split, filled, column, row, row == i ? from : ~from);
        }
}

static icf_status build_pattern(icf_split_mesh *split, const icf_fem_pattern *pattern, const icf_lid *place)
{
    icf_lid *filled;
    ICF_TRY(ALLOCATE(split->ptr, split->nown + split->nrim));
    count_columns(split, pattern, place);
    ICF_TRY(ALLOCATE(split->idx, split->ptr[split->nown]));
    ICF_TRY(ALLOCATE(split->from, split->ptr[split->nown]));
    ICF_TRY(ALLOCATE(filled, split->nown));
    fill_columns(split, pattern, place, filled);
    icf_free(filled);
    return ICF_OK;
}

/* ---- the group's system ---- */

static icf_status build_blocks(icf_split_mesh *split)
{
    const size_t n = (size_t)(split->nown + split->nrim), noff = (size_t)split->ptr[split->nown];
    ICF_TRY(ALLOCATE(split->dof, n));
    ICF_TRY(ALLOCATE(split->number, n));
    ICF_TRY(ALLOCATE(split->block_owner, n));
    ICF_TRY(ALLOCATE(split->diag_at, n));
    ICF_TRY(ALLOCATE(split->off_at, noff));
    ICF_TRY(ALLOCATE(split->val, 9 * (n + noff)));
    ICF_TRY(ALLOCATE(split->b, 3 * n));
    for (size_t k = 0; k <= n; ++k) split->dof[k] = (int32_t)(3 * k);
    for (size_t k = 0; k < n; ++k) {
        split->number[k] = split->vertex[k];
        split->block_owner[k] = split->owner[split->vertex[k]];
        split->diag_at[k] = (int64_t)(9 * k);
    }
    for (size_t e = 0; e < noff; ++e) split->off_at[e] = (int64_t)(9 * (n + e));
    memset(split->val, 0, 9 * (n + noff) * sizeof *split->val);
    return ICF_OK;
}

static icf_status build_local(icf_split_mesh *split, const icf_fem_pattern *pattern)
{
    icf_lid *place;
    ICF_TRY(ALLOCATE(place, split->nvertex));
    icf_status status = list_vertices(split, place);
    if (status == ICF_OK) status = build_pattern(split, pattern, place);
    icf_free(place);
    if (status == ICF_OK) status = build_blocks(split);
    if (status == ICF_OK) status = ALLOCATE(split->out, (size_t)split->nown * ICF_SPLIT_SHARED);
    if (status == ICF_OK) status = ALLOCATE(split->all, (size_t)split->nvertex * ICF_SPLIT_SHARED);
    return status;
}

static icf_status cut(icf_split_mesh *split, const icf_deformable *deformable)
{
    ICF_TRY(ALLOCATE(split->owner, split->nvertex));
    ICF_TRY(icf_mesh_cut(split->context, &deformable->mesh, split->context->size, split->owner));
    ICF_TRY(list_sequence(split));
    return take_tets(split, &deformable->mesh);
}

icf_status icf_split_mesh_create(icf_context *context, const icf_deformable *deformable, icf_split_mesh **split)
{
    *split = icf_alloc(sizeof **split);
    icf_status status = *split ? ICF_OK : ICF_ERROR_MEMORY;
    if (*split) {
        **split = (icf_split_mesh){.context = context, .nvertex = deformable->mesh.nvertex, .comm = MPI_COMM_NULL};
        icf_tet_mesh_init(&(*split)->mesh);
        icf_group_init(&(*split)->group);
        icf_group_pcg_init(&(*split)->pcg);
        status = cut(*split, deformable);
    }
    return icf_agree(context, status);
}

/* Each block between vertices of two ranks is on both. */
static void count_values(icf_split_mesh *split)
{
    double blocks = split->nown;
    for (icf_lid e = 0; e < split->ptr[split->nown]; ++e) blocks += split->idx[e] < split->nown ? 1.0 : 0.5;
    icf_split_mesh_sum(split, &blocks, 1);
    split->nval = 9 * (int64_t)blocks;
}

icf_status icf_split_mesh_join(icf_split_mesh *split, const icf_fem_pattern *pattern, icf_status status)
{
    if (status == ICF_OK) status = build_local(split, pattern);
    ICF_TRY(icf_agree(split->context, status));
    ICF_MPI_WAIT(MPI_Comm_dup(split->context->comm, &split->comm));
    ICF_TRY(icf_group_build(&split->group, split->comm, split->nown + split->nrim, split->nown, split->number,
                            split->dof, split->block_owner));
    count_values(split);
    return icf_agree(split->context, icf_group_solver_create(split->context, split->comm, &split->solver));
}

void icf_split_mesh_destroy(icf_split_mesh **split)
{
    if (!*split) return;
    icf_split_mesh *s = *split;
    icf_group_solver_destroy(&s->solver);
    icf_group_pcg_clear(&s->pcg);
    icf_group_clear(&s->group);
    if (s->comm != MPI_COMM_NULL) MPI_Comm_free(&s->comm);
    void *const arrays[] = {s->owner,   s->vertex, s->counted,  s->ptr,    s->idx, s->from,
                            s->diag_at, s->off_at, s->dof,      s->number, s->val, s->block_owner,
                            s->b,       s->out,    s->sequence, s->count,  s->at,  s->all};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) icf_free(arrays[k]);
    icf_tet_mesh_clear(&s->mesh);
    ICF_FREE(*split);
}

/* ---- during a step ---- */

void icf_split_mesh_extract(const icf_split_mesh *split, const double *val, double *diag, double *off)
{
    for (icf_lid k = 0; k < split->nown; ++k)
        memcpy(diag + 9 * (size_t)k, val + 9 * (size_t)split->vertex[k], 9 * sizeof *diag);
    for (icf_lid e = 0; e < split->ptr[split->nown]; ++e, off += 9) {
        const bool transposed = split->from[e] < 0;
        const double *block = val + (transposed ? ~split->from[e] : split->from[e]);
        for (int k = 0; k < 9; ++k) off[k] = block[transposed ? 3 * (k % 3) + k / 3 : k];
    }
}

/* What this rank gives of A: its diagonal blocks, those between own vertices, and half of those between an own vertex
 * and the rim, of which another rank gives the other half. */
static void fill_matrix(icf_split_mesh *split, const double *val)
{
    double *off = split->val + 9 * (size_t)(split->nown + split->nrim);
    icf_split_mesh_extract(split, val, split->val, off);
    for (icf_lid e = 0; e < split->ptr[split->nown]; ++e)
        for (size_t k = 0; k < 9 && split->idx[e] >= split->nown; ++k) off[9 * (size_t)e + k] *= 0.5;
}

static icf_block_matrix matrix_of(const icf_split_mesh *split)
{
    const icf_lid n = split->nown + split->nrim;
    return (icf_block_matrix){.nblock = n,
                              .dof = split->dof,
                              .ptr = split->ptr,
                              .idx = split->idx,
                              .diag_at = split->diag_at,
                              .off_at = split->off_at,
                              .val = split->val,
                              .nval = 9 * ((int64_t)n + split->ptr[split->nown])};
}

/* Factors A on all ranks, in single precision or double. */
static icf_status factor(icf_split_mesh *split, const icf_block_matrix *matrix, bool single)
{
    icf_group_solver_use_single(split->solver, single);
    return icf_group_agree(&split->group, icf_group_solver_factor(split->solver, &split->group, matrix, false));
}

/* The solution in place of the right-hand side b; ICF_NOT_CONVERGED when single precision is not exact enough. */
static icf_status solve_single(icf_split_mesh *split, const icf_block_matrix *matrix, double tolerance)
{
    ICF_TRY(factor(split, matrix, true));
    return icf_group_solver_solve_to(split->solver, &split->group, matrix, tolerance, ICF_SINGLE_ITERATIONS, split->b,
                                     split->b);
}

static icf_status solve_double(icf_split_mesh *split, const icf_block_matrix *matrix)
{
    ICF_TRY(factor(split, matrix, false));
    return icf_group_solver_solve(split->solver, &split->group, split->b, split->b);
}

static void take_own(icf_split_mesh *split, const icf_vec3 *x)
{
    for (icf_lid k = 0; k < split->nown; ++k) memcpy(split->b + 3 * (size_t)k, &x[split->vertex[k]], sizeof *x);
}

static void put(const icf_split_mesh *split, icf_vec3 *x)
{
    for (icf_lid k = 0; k < split->nown + split->nrim; ++k)
        memcpy(&x[split->vertex[k]], split->b + 3 * (size_t)k, sizeof *x);
}

icf_status icf_split_mesh_solve(icf_split_mesh *split, const double *val, double tolerance, icf_vec3 *x)
{
    const icf_block_matrix matrix = matrix_of(split);
    fill_matrix(split, val);
    ICF_TRY(icf_group_solver_analyze(split->solver, ICF_LINEAR_BLOCK, &split->group, &matrix));
    take_own(split, x);
    icf_status status = solve_single(split, &matrix, tolerance);
    if (status == ICF_NOT_CONVERGED || status == ICF_NOT_POSITIVE_DEFINITE) {
        take_own(split, x);
        status = solve_double(split, &matrix);
    }
    ICF_TRY(status);
    icf_group_to_shadows(&split->group, split->b);
    put(split, x);
    return ICF_OK;
}

icf_status icf_split_mesh_factor_flops(icf_split_mesh *split, double *flops)
{
    const icf_block_matrix matrix = matrix_of(split);
    return icf_group_solver_flops(split->solver, &split->group, &matrix, flops);
}

icf_status icf_split_mesh_precondition(icf_split_mesh *split, const double *val)
{
    const icf_block_matrix matrix = matrix_of(split);
    fill_matrix(split, val);
    ICF_TRY(icf_group_pcg_analyze(&split->pcg, &split->group, &matrix));
    return icf_group_pcg_factor(&split->pcg, &split->group, &matrix);
}

icf_status icf_split_mesh_conjugate(icf_split_mesh *split, double tolerance, icf_cnt most, const icf_vec3 *b,
                                    icf_vec3 *y, icf_cnt *taken)
{
    const icf_block_matrix matrix = matrix_of(split);
    take_own(split, b);
    ICF_TRY(icf_group_pcg_solve(&split->pcg, &split->group, &matrix, tolerance, most, split->b, split->b, taken));
    icf_group_to_shadows(&split->group, split->b);
    put(split, y);
    return ICF_OK;
}

void icf_split_mesh_share(icf_split_mesh *split, double *x, int n)
{
    const int size = split->context->size;
    const size_t bytes = (size_t)n * sizeof *x;
    int *count = split->count + size, *at = split->at + size;
    for (int r = 0; r < size; ++r) {
        count[r] = n * split->count[r];
        at[r] = n * split->at[r];
    }
    for (icf_lid k = 0; k < split->nown; ++k)
        memcpy(split->out + (size_t)k * (size_t)n, x + (size_t)split->vertex[k] * (size_t)n, bytes);
    ICF_MPI_WAIT(
        MPI_Allgatherv(split->out, n * split->nown, MPI_DOUBLE, split->all, count, at, MPI_DOUBLE, split->comm));
    for (icf_lid k = 0; k < split->nvertex; ++k)
        memcpy(x + (size_t)split->sequence[k] * (size_t)n, split->all + (size_t)k * (size_t)n, bytes);
}

void icf_split_mesh_sum(icf_split_mesh *split, double *x, int n)
{
    icf_group_sum(&split->group, x, n);
}
