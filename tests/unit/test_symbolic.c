/* Symbolic factorisation against the elimination of a dense pattern, one block after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample_block_matrix.h"
#include "solver/symbolic.h"

/* Random permutation; seed 0 gives the identity. */
static icf_lid *make_order(icf_lid n, uint64_t seed)
{
    icf_lid *order = calloc((size_t)n + 1, sizeof *order);
    for (icf_lid i = 0; i < n; ++i) order[i] = i;
    for (icf_lid i = n - 1; i > 0 && seed > 0; --i) {
        const icf_lid j = (icf_lid)(sample_uniform(&seed) * (i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    return order;
}

/* Pattern of the factor (n x n, row-major) by elimination of one block after the other. */
static bool *eliminate(const icf_block_matrix *m, const icf_lid *order)
{
    const size_t n = (size_t)m->nblock;
    bool *filled = calloc(n * n + 1, sizeof *filled);
    size_t *place = calloc(n + 1, sizeof *place);
    for (size_t k = 0; k < n; ++k) place[order[k]] = k;
    for (size_t j = 0; j < n; ++j) {
        filled[j * n + j] = true;
        for (icf_lid e = m->ptr[j]; e < m->ptr[j + 1]; ++e) {
            const size_t a = place[m->idx[e]], b = place[j];
            filled[ICF_MAX(a, b) * n + ICF_MIN(a, b)] = true;
        }
    }
    for (size_t k = 0; k < n; ++k)
        for (size_t j = k + 1; j < n; ++j)
            for (size_t i = j; filled[j * n + k] && i < n; ++i)
                if (filled[i * n + k]) filled[i * n + j] = true;
    free(place);
    return filled;
}

static int64_t count_filled(const bool *filled, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n * n; ++i) sum += filled[i];
    return sum;
}

static void check_permutation(const icf_symbolic *s, const icf_block_matrix *m)
{
    assert_int_equal(s->nblock, m->nblock);
    for (icf_lid k = 0; k < s->nblock; ++k) {
        assert_int_equal(s->iperm[s->perm[k]], k);
        assert_int_equal(s->place_dof[k + 1] - s->place_dof[k], m->dof[s->perm[k] + 1] - m->dof[s->perm[k]]);
    }
    assert_int_equal(s->place_dof[0], 0);
}

static void check_tree_and_counts(const icf_symbolic *s, const bool *filled)
{
    const icf_lid n = s->nblock;
    for (icf_lid k = 0; k < n; ++k) {
        icf_lid count = 0, parent = -1;
        for (icf_lid i = n - 1; i >= k; --i) {
            if (!filled[i * n + k]) continue;
            ++count;
            if (i > k) parent = i;
        }
        assert_int_equal(s->colcount[k], count);
        assert_int_equal(s->parent[k], parent);
    }
}

/* Supernodes cover all places, lie in postorder, and their parents own the first row below them. */
static void check_supernodes(const icf_symbolic *s)
{
    assert_int_equal(s->super_ptr[0], 0);
    assert_int_equal(s->super_ptr[s->nsuper], s->nblock);
    icf_lid *first = calloc((size_t)s->nsuper + 1, sizeof *first),
            *nchild = calloc((size_t)s->nsuper + 1, sizeof *nchild);
    for (icf_lid i = 0; i < s->nsuper; ++i) first[i] = i;
    for (icf_lid i = 0; i < s->nsuper; ++i) {
        assert_true(s->super_ptr[i + 1] > s->super_ptr[i]);
        for (icf_lid k = s->super_ptr[i]; k < s->super_ptr[i + 1]; ++k) assert_int_equal(s->super_of[k], i);
        const icf_lid parent = s->super_parent[i];
        assert_int_equal(s->struct_ptr[i] == s->struct_ptr[i + 1], parent < 0);
        if (parent < 0) continue;
        assert_int_equal(s->super_of[s->struct_idx[s->struct_ptr[i]]], parent);
        if (nchild[parent] == 0) first[parent] = first[i];
        ++nchild[parent];
    }
    for (icf_lid i = 0; i < s->nsuper; ++i) {
        assert_int_equal(nchild[i], s->super_nchild[i]);
        for (icf_lid j = first[i]; j < i; ++j) assert_true(s->super_parent[j] <= i && s->super_parent[j] > j);
        if (first[i] > 0) assert_true(s->super_parent[first[i] - 1] < 0 || s->super_parent[first[i] - 1] >= i);
    }
    free(first);
    free(nchild);
}

/* Rows below are those of the last pivot, ascending, and hold those of every pivot. */
static void check_rows(const icf_symbolic *s, const bool *filled)
{
    const icf_lid n = s->nblock;
    for (icf_lid f = 0; f < s->nsuper; ++f) {
        const icf_lid last = s->super_ptr[f + 1] - 1;
        int64_t r = s->struct_ptr[f];
        icf_lid dof = s->pivot_dof[f];
        assert_int_equal(dof, s->place_dof[last + 1] - s->place_dof[s->super_ptr[f]]);
        for (icf_lid i = last + 1; i < n; ++i) {
            const bool below = r < s->struct_ptr[f + 1] && s->struct_idx[r] == i;
            assert_int_equal(below, filled[i * n + last]);
            for (icf_lid k = s->super_ptr[f]; k < last; ++k) assert_true(below || !filled[i * n + k]);
            if (!below) continue;
            assert_int_equal(s->struct_row[r++], dof);
            dof += s->place_dof[i + 1] - s->place_dof[i];
        }
        assert_int_equal(r, s->struct_ptr[f + 1]);
        assert_int_equal(dof, s->front_dof[f]);
    }
}

/* First dof of place k in the front of f, by search. */
static icf_lid row_in_front(const icf_symbolic *s, icf_lid f, icf_lid k)
{
    if (s->super_of[k] == f) return s->place_dof[k] - s->place_dof[s->super_ptr[f]];
    for (int64_t r = s->struct_ptr[f]; r < s->struct_ptr[f + 1]; ++r)
        if (s->struct_idx[r] == k) return s->struct_row[r];
    return -1;
}

static void check_relative_rows(const icf_symbolic *s)
{
    for (icf_lid f = 0; f < s->nsuper; ++f)
        for (int64_t r = s->struct_ptr[f]; r < s->struct_ptr[f + 1]; ++r)
            assert_int_equal(s->struct_relative[r], row_in_front(s, s->super_parent[f], s->struct_idx[r]));
}

/* Every off-diagonal block is assembled once, in the earlier of its two columns. */
static void check_entries(const icf_symbolic *s, const icf_block_matrix *m)
{
    const icf_lid nnz = m->ptr[m->nblock];
    icf_lid *column = calloc((size_t)nnz + 1, sizeof *column);
    for (icf_lid j = 0; j < m->nblock; ++j)
        for (icf_lid e = m->ptr[j]; e < m->ptr[j + 1]; ++e) column[e] = j;
    assert_int_equal(s->entry_ptr[0], 0);
    assert_int_equal(s->entry_ptr[s->nblock], nnz);
    for (icf_lid k = 0; k < s->nblock; ++k)
        for (icf_lid at = s->entry_ptr[k]; at < s->entry_ptr[k + 1]; ++at) {
            const icf_lid e = s->entry_idx[at];
            assert_true(column[e] >= 0);
            const icf_lid row = s->entry_flip[at] ? column[e] : m->idx[e];
            const icf_lid col = s->entry_flip[at] ? m->idx[e] : column[e];
            assert_int_equal(s->iperm[col], k);
            assert_int_equal(s->entry_dof[at], m->dof[row + 1] - m->dof[row]);
            assert_true(s->iperm[row] > k);
            assert_int_equal(s->entry_row[at], row_in_front(s, s->super_of[k], s->iperm[row]));
            column[e] = -1;
        }
    free(column);
}

/* Totals by their definitions: columns one by one, the stack by playing the factorisation. */
static void check_totals(const icf_symbolic *s)
{
    double flops = 0.0;
    int64_t nvalue = 0, used = 0, peak = 0;
    icf_lid max_front = 0;
    int64_t *pushed = calloc((size_t)s->nsuper + 1, sizeof *pushed);
    size_t npushed = 0;
    for (icf_lid f = 0; f < s->nsuper; ++f) {
        assert_int_equal(s->value_ptr[f], nvalue);
        nvalue += (int64_t)s->front_dof[f] * s->pivot_dof[f];
        max_front = ICF_MAX(max_front, s->front_dof[f]);
        for (icf_lid c = 0; c < s->pivot_dof[f]; ++c) flops += pow(s->front_dof[f] - c, 2);
        for (icf_lid c = 0; c < s->super_nchild[f]; ++c) used -= pushed[--npushed];
        pushed[npushed] = (int64_t)(s->front_dof[f] - s->pivot_dof[f]) * (s->front_dof[f] - s->pivot_dof[f]);
        used += pushed[npushed++];
        peak = ICF_MAX(peak, used);
    }
    assert_int_equal(used, 0);
    assert_int_equal(s->value_ptr[s->nsuper], nvalue);
    assert_int_equal(s->nvalue, nvalue);
    assert_int_equal(s->nstack, peak);
    assert_int_equal(s->max_front, max_front);
    assert_true(fabs(s->flops - flops) <= 1e-12 * flops);
    free(pushed);
}

/* Merged zeros of each supernode stay below what its width allows. */
static void check_merged_zeros(const icf_symbolic *s)
{
    for (icf_lid f = 0; f < s->nsuper; ++f) {
        const int64_t pivot = s->pivot_dof[f], below = s->front_dof[f] - pivot,
                      total = pivot * (pivot + 1) / 2 + pivot * below;
        const double limit = pivot <= 18 ? 0.5 : pivot <= 48 ? 0.25 : 0.06;
        int64_t nonzero = 0;
        for (icf_lid k = s->super_ptr[f]; k < s->super_ptr[f + 1]; ++k) {
            /* equal widths in a supernode are assumed by the caller */
            const int64_t width = s->place_dof[k + 1] - s->place_dof[k];
            nonzero += width * (width + 1) / 2 + width * width * (s->colcount[k] - 1);
        }
        assert_true((double)(total - nonzero) <= limit * (double)total);
    }
}

static void check_all(icf_symbolic *s, const sample_matrix *sample, uint64_t seed, bool equal_widths)
{
    const icf_block_matrix *m = &sample->matrix;
    const size_t n = (size_t)m->nblock;
    icf_lid *order = make_order(m->nblock, seed);
    assert_int_equal(icf_symbolic_build(s, m, order), ICF_OK);
    check_permutation(s, m);
    bool *given = eliminate(m, order), *final = eliminate(m, s->perm);
    assert_int_equal(count_filled(given, n), count_filled(final, n));
    check_tree_and_counts(s, final);
    check_supernodes(s);
    check_rows(s, final);
    check_relative_rows(s);
    check_entries(s, m);
    check_totals(s);
    if (equal_widths) check_merged_zeros(s);
    free(given);
    free(final);
    free(order);
}

static void agrees_with_dense_elimination(void **state)
{
    (void)state;
    const int32_t six[] = {6}, mixed[] = {6, 3, 1, 17, 64, 2};
    icf_symbolic s;
    icf_symbolic_init(&s);
    for (icf_lid n = 1; n <= 60; n += n < 8 ? 1 : 13)
        for (uint64_t seed = 0; seed < 12; ++seed) {
            sample_matrix a = sample_random(n, six, 1, (double)(seed % 5), 1.0, seed);
            sample_matrix b = sample_random(n, mixed, 6, 2.5, 1.0, seed);
            check_all(&s, &a, seed, true);
            check_all(&s, &b, seed, false);
            sample_free(&a);
            sample_free(&b);
        }
    icf_symbolic_clear(&s);
}

static void agrees_on_special_graphs(void **state)
{
    (void)state;
    icf_symbolic s;
    icf_symbolic_init(&s);
    sample_matrix samples[] = {
        sample_grid(40, 1, 1, 6, 1.0, 1), sample_grid(9, 9, 1, 6, 1.0, 1), sample_grid(4, 4, 4, 3, 1.0, 1),
        sample_arrow(50, 0, 6, 1.0, 1),   sample_arrow(50, 49, 6, 1.0, 1), sample_arrow(50, 20, 3, 1.0, 1),
        sample_grid(1, 1, 1, 6, 1.0, 1),
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
        for (uint64_t seed = 0; seed < 4; ++seed) check_all(&s, &samples[i], seed, true);
        sample_free(&samples[i]);
    }
    icf_symbolic_clear(&s);
}

static void a_chain_in_its_order_has_no_fill(void **state)
{
    (void)state;
    sample_matrix chain = sample_grid(30, 1, 1, 6, 1.0, 1);
    icf_lid *order = make_order(30, 0);
    icf_symbolic s;
    icf_symbolic_init(&s);
    assert_int_equal(icf_symbolic_build(&s, &chain.matrix, order), ICF_OK);
    int64_t blocks = 0;
    for (icf_lid k = 0; k < 30; ++k) blocks += s.colcount[k];
    assert_int_equal(blocks, 30 + 29);
    icf_symbolic_clear(&s);
    free(order);
    sample_free(&chain);
}

/* Smallest stack over all orders of the children that are still to come (bits of left). */
static int64_t try_orders(const icf_lid *child, unsigned left, int64_t used, const int64_t *peak, const int64_t *update)
{
    int64_t best = left ? INT64_MAX : 0;
    for (int i = 0; left >> i; ++i) {
        if (!(left >> i & 1u)) continue;
        const int64_t rest = try_orders(child, left & ~(1u << i), used + update[child[i]], peak, update);
        best = ICF_MIN(best, ICF_MAX(used + peak[child[i]], rest));
    }
    return best;
}

/* No other order of children needs a smaller stack; returns the number of supernodes with a choice. */
static int check_stack_is_smallest(const icf_symbolic *s)
{
    int64_t *peak = calloc((size_t)s->nsuper + 1, sizeof *peak),
            *update = calloc((size_t)s->nsuper + 1, sizeof *update);
    int64_t smallest = 0;
    int nchoice = 0;
    for (icf_lid f = 0; f < s->nsuper; ++f) {
        icf_lid child[8];
        int nchild = 0;
        for (icf_lid c = 0; c < f; ++c) {
            if (s->super_parent[c] != f) continue;
            assert_true(nchild < 8);
            child[nchild++] = c;
        }
        update[f] = (int64_t)pow(s->front_dof[f] - s->pivot_dof[f], 2);
        peak[f] = ICF_MAX(update[f], try_orders(child, (1u << nchild) - 1, 0, peak, update));
        smallest = ICF_MAX(smallest, peak[f]);
        nchoice += nchild > 1;
    }
    assert_int_equal(s->nstack, smallest);
    free(peak);
    free(update);
    return nchoice;
}

static void children_are_ordered_for_the_smallest_stack(void **state)
{
    (void)state;
    int nchoice = 0;
    icf_symbolic s;
    icf_symbolic_init(&s);
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        sample_matrix m = sample_grid(7, 6, 1, 1 + (int32_t)seed % 8, 1.0, seed);
        icf_lid *order = make_order(42, seed);
        assert_int_equal(icf_symbolic_build(&s, &m.matrix, order), ICF_OK);
        nchoice += check_stack_is_smallest(&s);
        free(order);
        sample_free(&m);
    }
    assert_true(nchoice > 100);
    icf_symbolic_clear(&s);
}

/* Once sizes have settled the object keeps its memory. */
static void takes_no_memory_when_settled(void **state)
{
    (void)state;
    icf_symbolic s;
    icf_symbolic_init(&s);
    sample_matrix large = sample_grid(8, 8, 2, 6, 1.0, 1), small = sample_grid(5, 5, 2, 6, 1.0, 1);
    icf_lid *order = make_order(128, 0);
    assert_int_equal(icf_symbolic_build(&s, &large.matrix, order), ICF_OK);
    void *memory[4] = {s.memory[0], s.memory[1], s.memory[2], s.tree.memory};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(icf_symbolic_build(&s, &small.matrix, order), ICF_OK);
        assert_int_equal(icf_symbolic_build(&s, &large.matrix, order), ICF_OK);
    }
    assert_ptr_equal(memory[0], s.memory[0]);
    assert_ptr_equal(memory[1], s.memory[1]);
    assert_ptr_equal(memory[2], s.memory[2]);
    assert_ptr_equal(memory[3], s.tree.memory);
    icf_symbolic_clear(&s);
    free(order);
    sample_free(&large);
    sample_free(&small);
}

static void an_empty_matrix_is_fine(void **state)
{
    (void)state;
    const int32_t none[] = {6};
    sample_matrix m = sample_random(0, none, 1, 0.0, 1.0, 1);
    icf_symbolic s;
    icf_symbolic_init(&s);
    const icf_lid order[] = {0};
    assert_int_equal(icf_symbolic_build(&s, &m.matrix, order), ICF_OK);
    assert_int_equal(s.nsuper, 0);
    assert_int_equal(s.nvalue, 0);
    assert_int_equal(s.max_front, 0);
    icf_symbolic_clear(&s);
    sample_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_dense_elimination),
        cmocka_unit_test(agrees_on_special_graphs),
        cmocka_unit_test(a_chain_in_its_order_has_no_fill),
        cmocka_unit_test(children_are_ordered_for_the_smallest_stack),
        cmocka_unit_test(takes_no_memory_when_settled),
        cmocka_unit_test(an_empty_matrix_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
