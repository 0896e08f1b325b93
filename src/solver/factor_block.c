/* Block solver: multifrontal Cholesky H = L L^T of the block matrix in a fill-reducing order.
 *
 * Supernodes are taken in postorder (symbolic.h).  Each assembles a dense front, factors the columns of its
 * pivots and hands the rest, its update, to its parent:
 *
 *     panel = H columns + children's updates      panel, kept as L        (nrow x ncol)
 *     factor panel                                update = -L21 L21^T     (nrow-ncol square), on a stack
 *     update += children's updates
 *
 * The update is written by the product first and the children are added after, so it is never cleared; for
 * that, children must survive until their parent's update is there: updates lie on two stacks, by the parity of
 * the depth in the tree, each of which is a true stack.  A thread works alone with its own object; the order of
 * every sum is fixed by the pattern, so the same matrix gives the same bits.
 *
 * Rejected: dense factors for small islands and left-looking blocks (slower on piles), BLAS for the fronts
 * (slower below some thousand bodies).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solver/front_kernels.h"
#include "solver/linear_kinds.h"

/* Rows of a child's update that lie together in the parent's front too. */
typedef struct row_run {
    int from, to, length; /* first row in the update, first row in the front, rows */
} row_run;

typedef struct block_solver {
    icf_linear_solver head;
    const icf_front_kernels *kernels;
    int64_t *panel_at; /* (nsuper) first value of each panel in factor */
    int *depth;        /* (nsuper) depth in the tree */
    icf_lid *sibling;  /* (nsuper) the sibling before, in postorder; -1: first child or root */
    icf_lid *newest;   /* (nsuper) scratch of the analysis */
    double *factor;    /* all panels, each with a padded leading dimension */
    double *inverse;   /* (dofs) 1 / diagonal of L, elimination order */
    double *stack[2];  /* updates, by parity of the depth */
    double *front;     /* (max_front) a vector of a front, for solves */
    double *permuted;  /* (dofs) right-hand side in elimination order */
    row_run *run;      /* (max_front) */
    size_t panel_capacity, depth_capacity, sibling_capacity, newest_capacity, factor_capacity, inverse_capacity,
        stack_capacity[2], front_capacity, permuted_capacity, run_capacity;
} block_solver;

/* A front while it is assembled and factored. */
typedef struct front {
    double *panel, *update; /* update: NULL until it is there */
    int ld, ldu;            /* leading dimensions */
    int nrow, ncol;
} front;

static int padded(int n)
{
    return (n + ICF_FRONT_ROWS - 1) / ICF_FRONT_ROWS * ICF_FRONT_ROWS;
}

static icf_status block_create(icf_linear_solver **solver)
{
    *solver = icf_linear_solver_alloc(sizeof(block_solver));
    if (!*solver) return ICF_ERROR_MEMORY;
    ((block_solver *)*solver)->kernels = icf_front_kernels_select();
    return ICF_OK;
}

static void block_destroy(icf_linear_solver *solver)
{
    block_solver *self = (block_solver *)solver;
    icf_free(self->panel_at);
    icf_free(self->depth);
    icf_free(self->sibling);
    icf_free(self->newest);
    icf_free(self->factor);
    icf_free(self->inverse);
    icf_free(self->stack[0]);
    icf_free(self->stack[1]);
    icf_free(self->front);
    icf_free(self->permuted);
    icf_free(self->run);
    icf_free(self);
}

/* ---- analysis ---- */

static int64_t update_size(const icf_symbolic *symbolic, icf_lid s)
{
    const int n = symbolic->front_dof[s] - symbolic->pivot_dof[s];
    return (int64_t)padded(n) * n;
}

/* The last child of s in postorder, -1 when it has none. */
static icf_lid last_child(const icf_symbolic *symbolic, icf_lid s)
{
    return symbolic->super_nchild[s] > 0 ? s - 1 : -1;
}

/* Largest heights of the two stacks, by going through the factorisation without values. */
static void stack_heights(const block_solver *self, int64_t most[2])
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    int64_t height[2] = {0, 0};
    most[0] = most[1] = 0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const int parity = self->depth[s] & 1;
        height[parity] += update_size(symbolic, s);
        most[parity] = ICF_MAX(most[parity], height[parity]);
        for (icf_lid child = last_child(symbolic, s); child >= 0; child = self->sibling[child])
            height[!parity] -= update_size(symbolic, child);
    }
}

/* Depths, and the sibling before each supernode. */
static void relate_supernodes(block_solver *self)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    icf_lid *newest = self->newest; /* child of each supernode that was met last */
    for (icf_lid s = symbolic->nsuper - 1; s >= 0; --s) {
        const icf_lid parent = symbolic->super_parent[s];
        self->depth[s] = parent < 0 ? 0 : self->depth[parent] + 1;
        newest[s] = -1;
    }
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const icf_lid parent = symbolic->super_parent[s];
        self->sibling[s] = parent < 0 ? -1 : newest[parent];
        if (parent >= 0) newest[parent] = s;
    }
}

static int64_t place_panels(block_solver *self)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    int64_t at = 0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        self->panel_at[s] = at;
        at += (int64_t)padded(symbolic->front_dof[s]) * symbolic->pivot_dof[s];
    }
    return at;
}

static icf_status block_analyze(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    block_solver *self = (block_solver *)solver;
    ICF_TRY(icf_linear_solver_symbolic(solver));
    const icf_symbolic *symbolic = &solver->symbolic;
    const int32_t ndof = matrix->dof[matrix->nblock];
    ICF_TRY(ICF_GROW(self->panel_at, self->panel_capacity, symbolic->nsuper));
    ICF_TRY(ICF_GROW(self->depth, self->depth_capacity, symbolic->nsuper));
    ICF_TRY(ICF_GROW(self->sibling, self->sibling_capacity, symbolic->nsuper));
    ICF_TRY(ICF_GROW(self->newest, self->newest_capacity, symbolic->nsuper));
    ICF_TRY(ICF_GROW(self->inverse, self->inverse_capacity, ndof));
    ICF_TRY(ICF_GROW(self->permuted, self->permuted_capacity, ndof));
    ICF_TRY(ICF_GROW(self->front, self->front_capacity, symbolic->max_front + ICF_FRONT_ROWS));
    ICF_TRY(ICF_GROW(self->run, self->run_capacity, symbolic->max_front));
    relate_supernodes(self);
    ICF_TRY(ICF_GROW(self->factor, self->factor_capacity, place_panels(self) + ICF_FRONT_ROWS));
    int64_t most[2];
    stack_heights(self, most);
    for (int parity = 0; parity < 2; ++parity)
        ICF_TRY(ICF_GROW(self->stack[parity], self->stack_capacity[parity], most[parity] + ICF_FRONT_ROWS));
    return ICF_OK;
}

/* ---- assembly ---- */

/* Copies a column-major m x n block, or its transpose, into a panel. */
static void scatter(const double *block, int m, int n, bool transpose, double *to, int ld)
{
    if (transpose)
        for (int j = 0; j < m; ++j)
            for (int i = 0; i < n; ++i) to[i + j * ld] = block[j + i * m];
    else
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) to[i + j * ld] = block[i + j * m];
}

static void assemble_matrix(const icf_symbolic *symbolic, const icf_block_matrix *matrix, icf_lid s, const front *f)
{
    memset(f->panel, 0, (size_t)f->ld * (size_t)f->ncol * sizeof *f->panel);
    const icf_lid first = symbolic->super_ptr[s];
    for (icf_lid place = first; place < symbolic->super_ptr[s + 1]; ++place) {
        const int column = symbolic->place_dof[place] - symbolic->place_dof[first];
        const int n = symbolic->place_dof[place + 1] - symbolic->place_dof[place];
        double *to = f->panel + (size_t)column * (size_t)f->ld;
        scatter(matrix->val + matrix->diag_at[symbolic->perm[place]], n, n, false, to + column, f->ld);
        for (icf_lid k = symbolic->entry_ptr[place]; k < symbolic->entry_ptr[place + 1]; ++k) {
            const double *block = matrix->val + matrix->off_at[symbolic->entry_idx[k]];
            const int m = symbolic->entry_dof[k];
            const bool flip = symbolic->entry_flip[k];
            scatter(block, flip ? n : m, flip ? m : n, flip, to + symbolic->entry_row[k], f->ld);
        }
    }
}

/* Where the rows of a child's update lie in the parent's front, as runs. */
static int find_runs(block_solver *self, icf_lid child)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    const icf_lid offset = symbolic->pivot_dof[child];
    row_run *run = self->run;
    int n = 0;
    for (int64_t k = symbolic->struct_ptr[child]; k < symbolic->struct_ptr[child + 1]; ++k) {
        const icf_lid place = symbolic->struct_idx[k];
        const int from = symbolic->struct_row[k] - offset, to = symbolic->struct_relative[k];
        const int length = symbolic->place_dof[place + 1] - symbolic->place_dof[place];
        if (n > 0 && run[n - 1].to + run[n - 1].length == to)
            run[n - 1].length += length;
        else
            run[n++] = (row_run){from, to, length};
    }
    return n;
}

/* Adds one column of a child's update, from its diagonal down.
 *   from [in] the column; to [in] the column of the front that takes it, indexed by the front's rows */
static void add_column(const row_run *run, int nrun, int first_run, int diagonal, const double *from, double *to)
{
    for (int r = first_run; r < nrun; ++r) {
        const int skip = r == first_run ? diagonal - run[r].from : 0;
        const double *source = from + run[r].from;
        double *target = to + run[r].to;
        for (int i = skip; i < run[r].length; ++i) target[i] += source[i];
    }
}

/* Adds the columns of a child's update that fall into the parent's panel (into_panel) or update. */
static void extend_add(block_solver *self, icf_lid child, const double *from, const front *f, bool into_panel)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    const int ld = padded(symbolic->front_dof[child] - symbolic->pivot_dof[child]);
    const int nrun = find_runs(self, child);
    for (int r = 0; r < nrun; ++r)
        for (int j = 0; j < self->run[r].length; ++j) {
            const int column = self->run[r].to + j;
            if ((column < f->ncol) != into_panel) continue;
            /* update columns are indexed from the first row below the pivots */
            double *to = into_panel ? f->panel + (size_t)column * (size_t)f->ld
                                    : f->update + (size_t)(column - f->ncol) * (size_t)f->ldu - f->ncol;
            const int diagonal = self->run[r].from + j;
            add_column(self->run, nrun, r, diagonal, from + (size_t)diagonal * (size_t)ld, to);
        }
}

/* Adds all children of s; their updates lie on top of `top`, the last child's uppermost.  Returns where the
 * stack ends below them. */
static double *add_children(block_solver *self, icf_lid s, double *top, const front *f, bool into_panel)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    for (icf_lid child = last_child(symbolic, s); child >= 0; child = self->sibling[child]) {
        top -= update_size(symbolic, child);
        extend_add(self, child, top, f, into_panel);
    }
    return top;
}

/* ---- factorisation ---- */

static icf_status block_factor(icf_linear_solver *solver, const icf_block_matrix *matrix)
{
    block_solver *self = (block_solver *)solver;
    const icf_symbolic *symbolic = &solver->symbolic;
    double *top[2] = {self->stack[0], self->stack[1]}; /* ends of the two stacks */
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const int parity = self->depth[s] & 1, nbelow = symbolic->front_dof[s] - symbolic->pivot_dof[s];
        front f = {.panel = self->factor + self->panel_at[s],
                   .ld = padded(symbolic->front_dof[s]),
                   .ldu = padded(nbelow),
                   .nrow = symbolic->front_dof[s],
                   .ncol = symbolic->pivot_dof[s]};
        assemble_matrix(symbolic, matrix, s, &f);
        add_children(self, s, top[!parity], &f, true);
        double *inverse = self->inverse + symbolic->place_dof[symbolic->super_ptr[s]];
        if (!self->kernels->factor(f.panel, f.ld, f.nrow, f.ncol, inverse)) return ICF_NOT_POSITIVE_DEFINITE;
        if (nbelow > 0) {
            f.update = top[parity];
            top[parity] += update_size(symbolic, s);
            self->kernels->update(f.panel, f.ld, f.nrow, f.ncol, f.update, f.ldu);
        }
        top[!parity] = add_children(self, s, top[!parity], &f, false);
    }
    return ICF_OK;
}

/* ---- solution ---- */

/* Gathers a front's part of the permuted vector. */
static void gather_front(const block_solver *self, icf_lid s, double *x)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    memcpy(x, self->permuted + symbolic->place_dof[symbolic->super_ptr[s]], (size_t)symbolic->pivot_dof[s] * sizeof *x);
    for (int64_t k = symbolic->struct_ptr[s]; k < symbolic->struct_ptr[s + 1]; ++k) {
        const icf_lid begin = symbolic->place_dof[symbolic->struct_idx[k]];
        const icf_lid n = symbolic->place_dof[symbolic->struct_idx[k] + 1] - begin;
        for (icf_lid i = 0; i < n; ++i) x[symbolic->struct_row[k] + i] = self->permuted[begin + i];
    }
}

static void scatter_pivots(block_solver *self, icf_lid s, const double *x)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    memcpy(self->permuted + symbolic->place_dof[symbolic->super_ptr[s]], x, (size_t)symbolic->pivot_dof[s] * sizeof *x);
}

static void scatter_rows(block_solver *self, icf_lid s, const double *x)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    for (int64_t k = symbolic->struct_ptr[s]; k < symbolic->struct_ptr[s + 1]; ++k) {
        const icf_lid begin = symbolic->place_dof[symbolic->struct_idx[k]];
        const icf_lid n = symbolic->place_dof[symbolic->struct_idx[k] + 1] - begin;
        for (icf_lid i = 0; i < n; ++i) self->permuted[begin + i] = x[symbolic->struct_row[k] + i];
    }
}

/* Permutes between the order of the matrix and that of elimination. */
static void permute(block_solver *self, const double *b, double *x)
{
    const icf_symbolic *symbolic = &self->head.symbolic;
    const int32_t *dof = self->head.pattern.dof;
    for (icf_lid place = 0; place < symbolic->nblock; ++place) {
        const icf_lid block = symbolic->perm[place], n = dof[block + 1] - dof[block];
        double *inside = self->permuted + symbolic->place_dof[place];
        for (icf_lid i = 0; i < n; ++i) {
            if (b)
                inside[i] = b[dof[block] + i];
            else
                x[dof[block] + i] = inside[i];
        }
    }
}

static icf_status block_solve(icf_linear_solver *solver, const double *b, double *x)
{
    block_solver *self = (block_solver *)solver;
    const icf_symbolic *symbolic = &solver->symbolic;
    permute(self, b, NULL);
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const int ncol = symbolic->pivot_dof[s], nrow = symbolic->front_dof[s];
        const double *inverse = self->inverse + symbolic->place_dof[symbolic->super_ptr[s]];
        gather_front(self, s, self->front);
        self->kernels->forward(self->factor + self->panel_at[s], padded(nrow), nrow, ncol, inverse, self->front);
        scatter_pivots(self, s, self->front);
        scatter_rows(self, s, self->front);
    }
    for (icf_lid s = symbolic->nsuper - 1; s >= 0; --s) {
        const int ncol = symbolic->pivot_dof[s], nrow = symbolic->front_dof[s];
        const double *inverse = self->inverse + symbolic->place_dof[symbolic->super_ptr[s]];
        gather_front(self, s, self->front);
        self->kernels->backward(self->factor + self->panel_at[s], padded(nrow), nrow, ncol, inverse, self->front);
        scatter_pivots(self, s, self->front);
    }
    permute(self, NULL, x);
    return ICF_OK;
}

const icf_linear_ops icf_block_ops = {.name = "block",
                                      .create = block_create,
                                      .destroy = block_destroy,
                                      .analyze = block_analyze,
                                      .factor = block_factor,
                                      .solve = block_solve};
