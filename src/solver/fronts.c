/* Fronts of a multifrontal Cholesky. */
#include "solver/fronts.h"

#include <string.h>

#include "base/flush.h"
#include "base/memory.h"

void icf_fronts_init(icf_fronts *fronts)
{
    *fronts = (icf_fronts){.kernels = icf_front_kernels_select(false)};
}

void icf_fronts_use_single(icf_fronts *fronts, bool single)
{
    fronts->kernels = icf_front_kernels_select(single);
}

void icf_fronts_clear(icf_fronts *fronts)
{
    icf_free(fronts->depth);
    icf_free(fronts->sibling);
    icf_free(fronts->newest);
    icf_free(fronts->run_ptr);
    icf_free(fronts->run);
    icf_free(fronts->panel_at);
    icf_free(fronts->kept);
    icf_free(fronts->factor);
    icf_free(fronts->inverse);
    icf_fronts_init(fronts);
}

void icf_front_stack_init(icf_front_stack *stack)
{
    *stack = (icf_front_stack){0};
}

void icf_front_stack_clear(icf_front_stack *stack)
{
    icf_free(stack->update[0]);
    icf_free(stack->update[1]);
    icf_free(stack->vector);
    icf_front_stack_init(stack);
}

/* ---- analysis ---- */

int64_t icf_front_update_size(const icf_symbolic *symbolic, icf_lid s)
{
    const int n = icf_front_below(symbolic, s);
    return (int64_t)icf_front_padded(n) * n;
}

/* Depths, and the sibling before each supernode. */
static void relate_supernodes(icf_fronts *fronts)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    icf_lid *newest = fronts->newest; /* child of each supernode that was met last */
    for (icf_lid s = symbolic->nsuper - 1; s >= 0; --s) {
        const icf_lid parent = symbolic->super_parent[s];
        fronts->depth[s] = parent < 0 ? 0 : fronts->depth[parent] + 1;
        fronts->kept[s] = NULL;
        newest[s] = -1;
    }
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const icf_lid parent = symbolic->super_parent[s];
        fronts->sibling[s] = parent < 0 ? -1 : newest[parent];
        if (parent >= 0) newest[parent] = s;
    }
}

/* Appends the rows of the update of s to the runs: those that lie together in the parent's front too are one. */
static int64_t add_runs(const icf_symbolic *symbolic, icf_lid s, icf_front_run *run, int64_t begin)
{
    const icf_lid offset = symbolic->pivot_dof[s];
    int64_t end = begin;
    for (int64_t k = symbolic->struct_ptr[s]; k < symbolic->struct_ptr[s + 1]; ++k) {
        const icf_lid place = symbolic->struct_idx[k];
        const int from = symbolic->struct_row[k] - offset, to = symbolic->struct_relative[k];
        const int length = symbolic->place_dof[place + 1] - symbolic->place_dof[place];
        if (end > begin && run[end - 1].to + run[end - 1].length == to)
            run[end - 1].length += length;
        else
            run[end++] = (icf_front_run){from, to, length};
    }
    return end;
}

static icf_status find_runs(icf_fronts *fronts)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    const icf_lid nsuper = symbolic->nsuper;
    ICF_TRY(ICF_GROW(fronts->run_ptr, fronts->run_ptr_capacity, nsuper + 1));
    ICF_TRY(ICF_GROW(fronts->run, fronts->run_capacity, symbolic->struct_ptr[nsuper] + 1));
    fronts->run_ptr[0] = 0;
    for (icf_lid s = 0; s < nsuper; ++s)
        fronts->run_ptr[s + 1] = add_runs(symbolic, s, fronts->run, fronts->run_ptr[s]);
    return ICF_OK;
}

icf_status icf_fronts_analyze(icf_fronts *fronts, const icf_symbolic *symbolic)
{
    fronts->symbolic = symbolic;
    const icf_lid nsuper = symbolic->nsuper;
    ICF_TRY(ICF_GROW(fronts->depth, fronts->depth_capacity, nsuper));
    ICF_TRY(ICF_GROW(fronts->sibling, fronts->sibling_capacity, nsuper));
    ICF_TRY(ICF_GROW(fronts->newest, fronts->newest_capacity, nsuper));
    ICF_TRY(ICF_GROW(fronts->panel_at, fronts->panel_capacity, nsuper));
    ICF_TRY(ICF_GROW(fronts->kept, fronts->kept_capacity, nsuper));
    ICF_TRY(ICF_GROW(fronts->inverse, fronts->inverse_capacity, symbolic->place_dof[symbolic->nblock]));
    relate_supernodes(fronts);
    return find_runs(fronts);
}

void icf_fronts_place(icf_fronts *fronts, icf_lid first, icf_lid last, int64_t *at)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    for (icf_lid s = first; s <= last; ++s) {
        fronts->panel_at[s] = *at;
        *at += (int64_t)icf_front_padded(symbolic->front_dof[s]) * symbolic->pivot_dof[s];
    }
}

icf_status icf_fronts_reserve(icf_fronts *fronts, int64_t nvalue)
{
    return ICF_RENEW(fronts->factor, fronts->factor_capacity, nvalue + ICF_FRONT_ROWS);
}

/* Largest heights of the two stacks, by going through the factorisation without values. */
static void stack_heights(const icf_fronts *fronts, icf_lid first, icf_lid last, int64_t most[2])
{
    const icf_symbolic *symbolic = fronts->symbolic;
    int64_t height[2] = {0, 0};
    most[0] = most[1] = 0;
    for (icf_lid s = first; s <= last; ++s) {
        const int parity = fronts->depth[s] & 1;
        if (!fronts->kept[s]) height[parity] += icf_front_update_size(symbolic, s);
        most[parity] = ICF_MAX(most[parity], height[parity]);
        for (icf_lid child = icf_front_last_child(symbolic, s); child >= 0; child = fronts->sibling[child])
            if (!fronts->kept[child]) height[!parity] -= icf_front_update_size(symbolic, child);
    }
}

icf_status icf_front_stack_reserve(icf_front_stack *stack, const icf_fronts *fronts, icf_lid first, icf_lid last)
{
    int64_t most[2];
    stack_heights(fronts, first, last, most);
    for (int parity = 0; parity < 2; ++parity)
        ICF_TRY(ICF_RENEW(stack->update[parity], stack->update_capacity[parity], most[parity] + ICF_FRONT_ROWS));
    return ICF_RENEW(stack->vector, stack->vector_capacity, fronts->symbolic->max_front + ICF_FRONT_ROWS);
}

/* ---- assembly ---- */

/* Blocks come in the order of elimination, from all over the matrix. */
enum { ENTRIES_AHEAD = 4 };

static inline void prefetch_block(const icf_block_matrix *matrix, icf_lid entry)
{
    const char *block = (const char *)(matrix->val + matrix->off_at[entry]);
    for (size_t line = 0; line < 36 * sizeof(double); line += 64) __builtin_prefetch(block + line);
}

void icf_front_assemble(const icf_front_kernels *kernels, const icf_symbolic *symbolic, const icf_block_matrix *matrix,
                        icf_lid s, int begin, int end, void *columns, int ld)
{
    const icf_lid first = symbolic->super_ptr[s], nentry = symbolic->entry_ptr[symbolic->nblock];
    for (icf_lid place = first; place < symbolic->super_ptr[s + 1]; ++place) {
        const int column = symbolic->place_dof[place] - symbolic->place_dof[first];
        const int n = symbolic->place_dof[place + 1] - symbolic->place_dof[place];
        if (column + n <= begin || column >= end) continue;
        const int from = ICF_MAX(begin - column, 0), to = ICF_MIN(end - column, n);
        const ptrdiff_t top = (ptrdiff_t)(column - begin) * ld - begin; /* row 0 of the front */
        kernels->copy(matrix->val + matrix->diag_at[symbolic->perm[place]], n, n, from, to, ICF_FRONT_COPY_LOWER,
                      icf_front_value(kernels, columns, top + column), ld);
        for (icf_lid k = symbolic->entry_ptr[place]; k < symbolic->entry_ptr[place + 1]; ++k) {
            if (k + ENTRIES_AHEAD < nentry) prefetch_block(matrix, symbolic->entry_idx[k + ENTRIES_AHEAD]);
            const double *block = matrix->val + matrix->off_at[symbolic->entry_idx[k]];
            const int m = symbolic->entry_dof[k];
            const bool flip = symbolic->entry_flip[k];
            kernels->copy(block, flip ? n : m, flip ? m : n, from, to,
                          flip ? ICF_FRONT_COPY_TRANSPOSED : ICF_FRONT_COPY_ALL,
                          icf_front_value(kernels, columns, top + symbolic->entry_row[k]), ld);
        }
    }
}

/* Adds the columns of a child's update that fall into columns begin..end-1 of the parent's front, all of them in its
 * panel or all in its update. */
static void extend_add(const icf_fronts *fronts, icf_lid child, const void *from, const icf_front *f, int begin,
                       int end)
{
    const icf_front_kernels *kernels = fronts->kernels;
    const int ld = icf_front_padded(icf_front_below(fronts->symbolic, child));
    int nrun;
    const icf_front_run *run = icf_fronts_runs(fronts, child, &nrun);
    /* update columns are indexed from the first row below the pivots */
    const bool into_panel = begin < f->ncol;
    void *columns = into_panel ? f->panel : icf_front_value(kernels, f->update, -f->ncol);
    const ptrdiff_t first = into_panel ? 0 : f->ncol, step = into_panel ? f->ld : f->ldu;
    for (int r = 0; r < nrun; ++r) {
        const int from_column = ICF_MAX(0, begin - run[r].to), to_column = ICF_MIN(run[r].length, end - run[r].to);
        if (from_column >= to_column) continue;
        kernels->add_columns(run, nrun, r, from_column, to_column, from, ld,
                             icf_front_value(kernels, columns, (run[r].to + from_column - first) * step), step);
    }
}

/* Adds columns begin..end-1 of all children of s; those that are not kept lie on top of `top`, the last child's
 * uppermost.  Returns where the stack ends below them. */
static void *add_children(const icf_fronts *fronts, icf_lid s, void *top, const icf_front *f, int begin, int end)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    for (icf_lid child = icf_front_last_child(symbolic, s); child >= 0; child = fronts->sibling[child]) {
        if (!fronts->kept[child]) top = icf_front_value(fronts->kernels, top, -icf_front_update_size(symbolic, child));
        extend_add(fronts, child, fronts->kept[child] ? fronts->kept[child] : top, f, begin, end);
    }
    return top;
}

/* ---- factorisation ---- */

static icf_front open_front(const icf_fronts *fronts, icf_lid s)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    return (icf_front){.panel = icf_front_value(fronts->kernels, fronts->factor, fronts->panel_at[s]),
                       .update = fronts->kept[s],
                       .inverse = fronts->inverse + symbolic->place_dof[symbolic->super_ptr[s]],
                       .ld = icf_front_padded(symbolic->front_dof[s]),
                       .ldu = icf_front_padded(icf_front_below(symbolic, s)),
                       .nrow = symbolic->front_dof[s],
                       .ncol = symbolic->pivot_dof[s]};
}

/* Factors the strip of columns that begins with k. */
static bool factor_strip(const icf_front_kernels *kernels, const icf_front *f, int k)
{
    const int width = ICF_MIN(ICF_FRONT_STRIP, f->ncol - k);
    return kernels->factor(icf_front_value(kernels, f->panel, k + (ptrdiff_t)k * f->ld), f->ld, f->nrow - k, width,
                           f->inverse + k);
}

/* Takes the product of columns k..last-1 off columns begin..end-1 to their right, all in the panel or all in the
 * update. */
static void apply(const icf_front_kernels *kernels, const icf_front *f, int k, int last, int begin, int end)
{
    const int above = begin - f->ncol;
    const bool in_panel = begin < f->ncol;
    void *to = in_panel ? icf_front_value(kernels, f->panel, begin + (ptrdiff_t)begin * f->ld)
                        : icf_front_value(kernels, f->update, above + (ptrdiff_t)above * f->ldu);
    kernels->product(icf_front_value(kernels, f->panel, begin + (ptrdiff_t)k * f->ld), f->ld, f->nrow - begin, last - k,
                     end - begin, to, in_panel ? f->ld : f->ldu, in_panel || k > 0);
}

/* Factors columns k..last-1, one strip after the other. */
static bool factor_strips(const icf_front_kernels *kernels, const icf_front *f, int k, int last)
{
    for (; k < last; k += ICF_FRONT_STRIP) {
        const int next = ICF_MIN(k + ICF_FRONT_STRIP, last);
        if (!factor_strip(kernels, f, k)) return false;
        if (next < last) apply(kernels, f, k, next, next, last);
    }
    return true;
}

/* Columns that are taken off the rest of a front at a time, and columns of the rest that one thread takes at a time. */
enum { TOGETHER = 4 * ICF_FRONT_STRIP, BLOCK = 2 * ICF_FRONT_STRIP };

/* Factors a few strips of columns after the other, which are taken off the columns and the update to their right
 * together: these do not fit the cache where fronts are large. */
static bool factor_front(const icf_front_kernels *kernels, const icf_front *f)
{
    for (int k = 0; k < f->ncol; k += TOGETHER) {
        const int last = ICF_MIN(k + TOGETHER, f->ncol);
        if (!factor_strips(kernels, f, k, last)) return false;
        if (last < f->ncol) apply(kernels, f, k, last, last, f->ncol);
        if (f->ncol < f->nrow) apply(kernels, f, k, last, f->ncol, f->nrow);
    }
    return true;
}

static bool factor_range(icf_fronts *fronts, icf_front_stack *stack, const icf_block_matrix *matrix, icf_lid first,
                         icf_lid last)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    void *top[2] = {stack->update[0], stack->update[1]}; /* ends of the two stacks */
    for (icf_lid s = first; s <= last; ++s) {
        const int parity = fronts->depth[s] & 1;
        icf_front f = open_front(fronts, s);
        memset(f.panel, 0, (size_t)f.ld * (size_t)f.ncol * fronts->kernels->bytes);
        icf_front_assemble(fronts->kernels, symbolic, matrix, s, 0, f.ncol, f.panel, f.ld);
        add_children(fronts, s, top[!parity], &f, 0, f.ncol);
        if (!f.update) {
            f.update = top[parity];
            top[parity] = icf_front_value(fronts->kernels, top[parity], icf_front_update_size(symbolic, s));
        }
        if (!factor_front(fronts->kernels, &f)) return false;
        top[!parity] = add_children(fronts, s, top[!parity], &f, f.ncol, f.nrow);
    }
    return true;
}

bool icf_fronts_factor(icf_fronts *fronts, icf_front_stack *stack, const icf_block_matrix *matrix, icf_lid first,
                       icf_lid last)
{
    const unsigned before = icf_flush_begin(icf_fronts_are_single(fronts));
    const bool good = factor_range(fronts, stack, matrix, first, last);
    icf_flush_end(before);
    return good;
}

/* ---- one front by several threads ---- */

/* Pieces of a front of so many columns: those of the panel from column `first` on, then those of the update. */
typedef struct pieces {
    int first, width, npanel, n;
} pieces;

static int count_pieces(int columns, int width)
{
    return (columns + width - 1) / width;
}

static pieces cut_front(const icf_front *f, int first, int width)
{
    const int npanel = count_pieces(f->ncol - first, width);
    return (pieces){first, width, npanel, npanel + count_pieces(f->nrow - f->ncol, width)};
}

static void piece_columns(const icf_front *f, const pieces *cut, int piece, int *begin, int *end)
{
    const bool in_panel = piece < cut->npanel;
    *begin = in_panel ? cut->first + piece * cut->width : f->ncol + (piece - cut->npanel) * cut->width;
    *end = ICF_MIN(*begin + cut->width, in_panel ? f->ncol : f->nrow);
}

/* Whether a thread has met a bad pivot; the others then do nothing more. */
static bool is_set(const bool *flag)
{
    bool value;
#pragma omp atomic read
    value = *flag;
    return value;
}

static void set(bool *flag)
{
#pragma omp atomic write
    *flag = true;
}

/* Takes columns k..last-1, which are factored, off columns begin..end-1.  Where the panel goes on there, its next strip
 * is factored at once, while other threads are still at the rest. */
static void advance(const icf_front_kernels *kernels, const icf_front *f, int k, int last, int begin, int end,
                    bool *failed)
{
    if (is_set(failed)) return;
    apply(kernels, f, k, last, begin, end);
    if (begin == last && last < f->ncol && !factor_strip(kernels, f, begin)) set(failed);
}

/* By all threads of a team: as factor_front, a few strips together; the first of them is factored. */
static void advance_team(const icf_front_kernels *kernels, const icf_front *f, int k, int last, bool *failed)
{
    for (int j = k; j + ICF_FRONT_STRIP < last; j += ICF_FRONT_STRIP) {
        const int next = j + ICF_FRONT_STRIP;
#pragma omp for schedule(dynamic, 1)
        for (int begin = next; begin < last; begin += ICF_FRONT_STRIP)
            advance(kernels, f, j, next, begin, ICF_MIN(begin + ICF_FRONT_STRIP, last), failed);
    }
    const pieces rest = cut_front(f, last, BLOCK);
#pragma omp for schedule(dynamic, 1)
    for (int piece = 0; piece < rest.n; ++piece) {
        int begin, end;
        piece_columns(f, &rest, piece, &begin, &end);
        advance(kernels, f, k, last, begin, end, failed);
    }
}

/* Entries of H and children's updates in some columns of the panel. */
static void assemble_columns(const icf_fronts *fronts, const icf_block_matrix *matrix, icf_lid s, const icf_front *f,
                             int begin, int end)
{
    const icf_front_kernels *kernels = fronts->kernels;
    void *columns = icf_front_value(kernels, f->panel, (ptrdiff_t)begin * f->ld);
    memset(columns, 0, (size_t)f->ld * (size_t)(end - begin) * kernels->bytes);
    icf_front_assemble(kernels, fronts->symbolic, matrix, s, begin, end, icf_front_value(kernels, columns, begin),
                       f->ld);
    add_children(fronts, s, NULL, f, begin, end);
}

bool icf_fronts_factor_one(icf_fronts *fronts, int nthread, const icf_block_matrix *matrix, icf_lid s)
{
    const icf_front f = open_front(fronts, s);
    const pieces all = cut_front(&f, 0, ICF_FRONT_STRIP);
    bool failed = false;
#pragma omp parallel num_threads(nthread)
    {
        const unsigned before = icf_flush_begin(icf_fronts_are_single(fronts));
        int begin, end;
#pragma omp for schedule(dynamic, 1)
        for (int piece = 0; piece < all.npanel; ++piece) {
            piece_columns(&f, &all, piece, &begin, &end);
            assemble_columns(fronts, matrix, s, &f, begin, end);
        }
#pragma omp single
        if (!factor_strip(fronts->kernels, &f, 0)) set(&failed);
        for (int k = 0; k < f.ncol; k += TOGETHER)
            advance_team(fronts->kernels, &f, k, ICF_MIN(k + TOGETHER, f.ncol), &failed);
#pragma omp for schedule(dynamic, 1)
        for (int piece = all.npanel; piece < all.n; ++piece) {
            piece_columns(&f, &all, piece, &begin, &end);
            add_children(fronts, s, NULL, &f, begin, end);
        }
        icf_flush_end(before);
    }
    return !failed;
}

/* ---- solution ---- */

void icf_front_gather(const icf_symbolic *symbolic, icf_lid s, const double *x, double *vector)
{
    memcpy(vector, x + symbolic->place_dof[symbolic->super_ptr[s]], (size_t)symbolic->pivot_dof[s] * sizeof *x);
    for (int64_t k = symbolic->struct_ptr[s]; k < symbolic->struct_ptr[s + 1]; ++k) {
        const icf_lid begin = symbolic->place_dof[symbolic->struct_idx[k]];
        const icf_lid n = symbolic->place_dof[symbolic->struct_idx[k] + 1] - begin;
        for (icf_lid i = 0; i < n; ++i) vector[symbolic->struct_row[k] + i] = x[begin + i];
    }
}

void icf_front_scatter_pivots(const icf_symbolic *symbolic, icf_lid s, const double *vector, double *x)
{
    memcpy(x + symbolic->place_dof[symbolic->super_ptr[s]], vector, (size_t)symbolic->pivot_dof[s] * sizeof *x);
}

void icf_front_scatter_below(const icf_symbolic *symbolic, icf_lid s, const double *vector, double *x)
{
    for (int64_t k = symbolic->struct_ptr[s]; k < symbolic->struct_ptr[s + 1]; ++k) {
        const icf_lid begin = symbolic->place_dof[symbolic->struct_idx[k]];
        const icf_lid n = symbolic->place_dof[symbolic->struct_idx[k] + 1] - begin;
        for (icf_lid i = 0; i < n; ++i) x[begin + i] = vector[symbolic->struct_row[k] + i];
    }
}

void icf_fronts_forward(const icf_fronts *fronts, icf_front_stack *stack, icf_lid first, icf_lid last, double *x)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    for (icf_lid s = first; s <= last; ++s) {
        const int ncol = symbolic->pivot_dof[s], nrow = symbolic->front_dof[s];
        const double *inverse = fronts->inverse + symbolic->place_dof[symbolic->super_ptr[s]];
        icf_front_gather(symbolic, s, x, stack->vector);
        fronts->kernels->forward(icf_front_value(fronts->kernels, fronts->factor, fronts->panel_at[s]),
                                 icf_front_padded(nrow), nrow, ncol, inverse, stack->vector);
        icf_front_scatter_pivots(symbolic, s, stack->vector, x);
        icf_front_scatter_below(symbolic, s, stack->vector, x);
    }
}

void icf_fronts_backward(const icf_fronts *fronts, icf_front_stack *stack, icf_lid first, icf_lid last, double *x)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    for (icf_lid s = last; s >= first; --s) {
        const int ncol = symbolic->pivot_dof[s], nrow = symbolic->front_dof[s];
        const double *inverse = fronts->inverse + symbolic->place_dof[symbolic->super_ptr[s]];
        icf_front_gather(symbolic, s, x, stack->vector);
        fronts->kernels->backward(icf_front_value(fronts->kernels, fronts->factor, fronts->panel_at[s]),
                                  icf_front_padded(nrow), nrow, ncol, inverse, stack->vector);
        icf_front_scatter_pivots(symbolic, s, stack->vector, x);
    }
}
