/* A sample matrix that ranks of a group give parts of.
 *
 * Every rank makes the same sample matrix and gives its own part of it: the off-diagonal blocks that it holds, with
 * shadows of the blocks that it does not own, and an even share of the diagonal blocks that it touches.
 */
#ifndef ICF_TESTS_MPI_SAMPLE_PART_H
#define ICF_TESTS_MPI_SAMPLE_PART_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ranks.h"
#include "solver/group.h"
#include "solver/linear_solver.h"
#include "unit/sample_block_matrix.h"

typedef int (*owner_of)(icf_lid block, icf_lid n, int size);

static inline int by_turns(icf_lid block, icf_lid n, int size)
{
    (void)n;
    return (int)(block % size);
}

static inline int in_blocks(icf_lid block, icf_lid n, int size)
{
    return (int)((int64_t)block * size / n);
}

static inline int on_the_last(icf_lid block, icf_lid n, int size)
{
    (void)block;
    (void)n;
    return size - 1;
}

/* ---- this rank's part of a matrix ---- */

typedef struct part {
    icf_group group;
    sample_matrix matrix;
    icf_lid nowned;
    icf_lid *local; /* (blocks of the whole) local block, -1 */
    icf_gid *gid;   /* (local blocks) */
    int *owner;
} part;

/* The rank that gives off-diagonal block e. */
static inline int giver(const icf_block_matrix *whole, icf_lid e, icf_lid column, owner_of owner, int size)
{
    return owner(e % 2 ? whole->idx[e] : column, whole->nblock, size);
}

/* Whether a rank touches a block: it owns it or gives an off-diagonal block of it. */
static inline void mark_touched(const icf_block_matrix *whole, owner_of owner, int size, int rank, bool *touched)
{
    for (icf_lid j = 0; j < whole->nblock; ++j) touched[j] = owner(j, whole->nblock, size) == rank;
    for (icf_lid j = 0; j < whole->nblock; ++j)
        for (icf_lid e = whole->ptr[j]; e < whole->ptr[j + 1]; ++e)
            if (giver(whole, e, j, owner, size) == rank) touched[j] = touched[whole->idx[e]] = true;
}

/* Own blocks by ascending id, then shadows. */
static inline icf_lid number_blocks(part *p, const icf_block_matrix *whole, owner_of owner, const icf_context *context)
{
    const size_t n = (size_t)whole->nblock;
    bool *touched = calloc(n + 1, sizeof *touched);
    p->local = calloc(n + 1, sizeof *p->local);
    p->gid = calloc(n + 1, sizeof *p->gid);
    p->owner = calloc(n + 1, sizeof *p->owner);
    mark_touched(whole, owner, context->size, context->rank, touched);
    icf_lid count = 0;
    for (int shadows = 0; shadows < 2; ++shadows) {
        for (icf_lid b = 0; b < whole->nblock; ++b) {
            const int of = owner(b, whole->nblock, context->size);
            if (!shadows) p->local[b] = -1;
            if (!touched[b] || (of != context->rank) != shadows) continue;
            p->local[b] = count;
            p->gid[count] = b;
            p->owner[count++] = of;
        }
        if (!shadows) p->nowned = count;
    }
    free(touched);
    return count;
}

static inline void make_pattern(part *p, const icf_block_matrix *whole, owner_of owner, const icf_context *context)
{
    const icf_lid n = number_blocks(p, whole, owner, context);
    sample_edge *edges = calloc((size_t)whole->ptr[whole->nblock] + 1, sizeof *edges);
    int32_t *sizes = calloc((size_t)n + 1, sizeof *sizes);
    size_t nedge = 0;
    for (icf_lid k = 0; k < n; ++k) sizes[k] = whole->dof[p->gid[k] + 1] - whole->dof[p->gid[k]];
    for (icf_lid j = 0; j < whole->nblock; ++j)
        for (icf_lid e = whole->ptr[j]; e < whole->ptr[j + 1]; ++e) {
            if (giver(whole, e, j, owner, context->size) != context->rank) continue;
            const icf_lid a = p->local[j], b = p->local[whole->idx[e]];
            edges[nedge++] = (sample_edge){ICF_MAX(a, b), ICF_MIN(a, b)};
        }
    p->matrix = sample_pattern(n, sizes, nedge, edges);
    free(edges);
    free(sizes);
}

/* This rank's share of the values. */
static inline void fill_part(part *p, const icf_block_matrix *whole, owner_of owner, const icf_context *context)
{
    const icf_block_matrix *m = &p->matrix.matrix;
    bool *touched = calloc((size_t)whole->nblock + 1, sizeof *touched);
    int *holders = calloc((size_t)whole->nblock + 1, sizeof *holders);
    for (int rank = 0; rank < context->size; ++rank) {
        mark_touched(whole, owner, context->size, rank, touched);
        for (icf_lid b = 0; b < whole->nblock; ++b) holders[b] += touched[b];
    }
    for (icf_lid k = 0; k < m->nblock; ++k) {
        const icf_lid b = (icf_lid)p->gid[k];
        const int n = m->dof[k + 1] - m->dof[k];
        for (int i = 0; i < n * n; ++i) m->val[m->diag_at[k] + i] = whole->val[whole->diag_at[b] + i] / holders[b];
        for (icf_lid e = m->ptr[k]; e < m->ptr[k + 1]; ++e) {
            const icf_lid c = (icf_lid)p->gid[m->idx[e]];
            const int rows = m->dof[m->idx[e] + 1] - m->dof[m->idx[e]];
            const double *from = whole->val + whole->off_at[icf_block_matrix_find(whole, ICF_MAX(b, c), ICF_MIN(b, c))];
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < rows; ++i)
                    m->val[m->off_at[e] + i + j * rows] = c > b ? from[i + j * rows] : from[j + i * n];
        }
    }
    free(touched);
    free(holders);
}

static inline part make_part(const icf_block_matrix *whole, owner_of owner, const icf_context *context)
{
    part p = {0};
    make_pattern(&p, whole, owner, context);
    fill_part(&p, whole, owner, context);
    icf_group_init(&p.group);
    assert_int_equal(
        icf_group_build(&p.group, context->comm, p.matrix.matrix.nblock, p.nowned, p.gid, p.matrix.matrix.dof, p.owner),
        ICF_OK);
    return p;
}

static inline void free_part(part *p)
{
    icf_group_clear(&p->group);
    sample_free(&p->matrix);
    free(p->local);
    free(p->gid);
    free(p->owner);
}

static inline double right_hand_side(int32_t i)
{
    return sin(1.0 + 3.0 * i);
}

/* The solution on one rank. */
static inline double *solve_alone(icf_context *context, const icf_block_matrix *whole)
{
    const int32_t n = whole->dof[whole->nblock];
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int32_t i = 0; i < n; ++i) x[i] = right_hand_side(i);
    icf_linear_solver *solver;
    assert_int_equal(icf_linear_solver_create(ICF_LINEAR_BLOCK, context, &solver), ICF_OK);
    assert_int_equal(icf_linear_solver_analyze(solver, whole), ICF_OK);
    assert_int_equal(icf_linear_solver_factor(solver, whole), ICF_OK);
    assert_int_equal(icf_linear_solver_solve(solver, x, x), ICF_OK);
    icf_linear_solver_destroy(&solver);
    return x;
}

/* This rank's right-hand side, with room for shadows; to be freed. */
static inline double *own_right_hand_side(const part *p, const icf_block_matrix *whole)
{
    const int32_t *dof = p->matrix.matrix.dof;
    double *b = calloc((size_t)dof[p->matrix.matrix.nblock] + 1, sizeof *b);
    for (icf_lid k = 0; k < p->nowned; ++k)
        for (int32_t i = dof[k]; i < dof[k + 1]; ++i) b[i] = right_hand_side(whole->dof[p->gid[k]] + i - dof[k]);
    return b;
}

/* The largest difference on any rank of what it has found, y, to the whole solution x, over the largest of x. */
static inline double largest_difference(const part *p, const icf_block_matrix *whole, const double *y, const double *x)
{
    const int32_t *dof = p->matrix.matrix.dof;
    double worst = 0.0, largest = 0.0;
    for (icf_lid k = 0; k < p->nowned; ++k)
        for (int32_t i = dof[k]; i < dof[k + 1]; ++i) {
            const double d = fabs(y[i] - x[whole->dof[p->gid[k]] + i - dof[k]]);
            worst = d <= worst ? worst : d;
        }
    for (int32_t i = 0; i < whole->dof[whole->nblock]; ++i) largest = ICF_MAX(largest, fabs(x[i]));
    return icf_group_max(&p->group, worst) / largest;
}

#endif
