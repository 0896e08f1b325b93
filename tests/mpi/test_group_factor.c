/* Linear solver of a group, against the block solver of one rank. */
#include "sample_part.h"
#include "solver/cheapest_order.h"
#include "solver/factor_group.h"
#include "solver/group_fronts.h"

/* ---- solution against that of one rank ---- */

/* Solves with the current factor; returns the largest difference to x over the largest of x. */
static double difference(icf_group_solver *solver, part *p, const icf_block_matrix *whole, const double *x)
{
    double *y = own_right_hand_side(p, whole);
    assert_int_equal(icf_group_solver_solve(solver, &p->group, y, y), ICF_OK);
    const double largest = largest_difference(p, whole, y, x);
    free(y);
    return largest;
}

static icf_group_solver *make_solver(icf_context *context)
{
    icf_group_solver *solver;
    assert_int_equal(icf_group_solver_create(context, context->comm, &solver), ICF_OK);
    return solver;
}

static void factor_part(icf_group_solver *solver, icf_linear kind, part *p)
{
    assert_int_equal(icf_group_solver_analyze(solver, kind, &p->group, &p->matrix.matrix), ICF_OK);
    assert_int_equal(icf_group_solver_factor(solver, &p->group, &p->matrix.matrix, false), ICF_OK);
}

static void check(icf_context *context, icf_linear kind, sample_matrix sample, owner_of owner)
{
    const icf_block_matrix *whole = &sample.matrix;
    double *x = solve_alone(context, whole);
    part p = make_part(whole, owner, context);
    icf_group_solver *solver = make_solver(context);
    factor_part(solver, kind, &p);
    assert_near(difference(solver, &p, whole, x), 0.0, 1e-11);
    icf_group_solver_destroy(&solver);
    assert_null(solver);
    free_part(&p);
    free(x);
    sample_free(&sample);
}

static void grids(void **state)
{
    const owner_of owners[] = {by_turns, in_blocks, on_the_last};
    for (size_t k = 0; k < sizeof owners / sizeof *owners; ++k) {
        check(*state, ICF_LINEAR_BLOCK, sample_grid(7, 6, 5, 6, 2.0, 1), owners[k]);
        check(*state, ICF_LINEAR_BLOCK, sample_grid(12, 11, 1, 3, 2.0, 2), owners[k]);
        check(*state, ICF_LINEAR_MUMPS, sample_grid(7, 6, 5, 6, 2.0, 3), owners[k]);
    }
    check(*state, ICF_LINEAR_AUTO, sample_grid(11, 10, 10, 6, 2.0, 4), in_blocks); /* nested dissection */
}

static void random_graphs_of_all_block_sizes(void **state)
{
    const int32_t six[] = {6}, three[] = {3}, mixed[] = {6, 3, 1, 17, 64, 2};
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        check(*state, ICF_LINEAR_BLOCK, sample_random(120, six, 1, 4.0, 2.0, seed), by_turns);
        check(*state, ICF_LINEAR_BLOCK, sample_random(150, three, 1, 6.0, 2.0, seed), in_blocks);
        check(*state, ICF_LINEAR_BLOCK, sample_random(60, mixed, 6, 5.0, 2.0, seed), by_turns);
        check(*state, ICF_LINEAR_MUMPS, sample_random(60, mixed, 6, 5.0, 2.0, seed), in_blocks);
    }
}

/* Fewer blocks or supernodes than ranks, no edges, one dense front. */
static void special_graphs(void **state)
{
    const int32_t six[] = {6}, three[] = {3};
    check(*state, ICF_LINEAR_BLOCK, sample_random(1, six, 1, 0.0, 0.0, 1), by_turns);
    check(*state, ICF_LINEAR_BLOCK, sample_random(2, six, 1, 2.0, 2.0, 1), in_blocks);
    check(*state, ICF_LINEAR_BLOCK, sample_random(50, three, 1, 0.0, 0.0, 1), by_turns);
    check(*state, ICF_LINEAR_BLOCK, sample_arrow(60, 31, 6, 2.0, 1), by_turns);
    check(*state, ICF_LINEAR_BLOCK, sample_random(60, six, 1, 59.0, 1.0, 1), by_turns);
    check(*state, ICF_LINEAR_BLOCK, sample_grid(80, 1, 1, 6, 2.0, 1), on_the_last);
}

/* ---- one solver for many matrices ---- */

static void a_solver_takes_other_values_and_patterns(void **state)
{
    icf_context *context = *state;
    sample_matrix a = sample_grid(7, 6, 5, 6, 2.0, 1), b = sample_grid(5, 6, 7, 6, 2.0, 1);
    part pa = make_part(&a.matrix, in_blocks, context), pb = make_part(&b.matrix, by_turns, context);
    icf_group_solver *solver = make_solver(context);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        sample_fill(&a, 2.0, seed);
        fill_part(&pa, &a.matrix, in_blocks, context);
        factor_part(solver, ICF_LINEAR_BLOCK, &pa);
        double *x = solve_alone(context, &a.matrix);
        assert_near(difference(solver, &pa, &a.matrix, x), 0.0, 1e-11);
        assert_near(difference(solver, &pa, &a.matrix, x), 0.0, 1e-11); /* the factor is still there */
        free(x);
        factor_part(solver, seed == 2 ? ICF_LINEAR_MUMPS : ICF_LINEAR_BLOCK, &pb);
        x = solve_alone(context, &b.matrix);
        assert_near(difference(solver, &pb, &b.matrix, x), 0.0, 1e-11);
        free(x);
    }
    icf_group_solver_destroy(&solver);
    free_part(&pa);
    free_part(&pb);
    sample_free(&a);
    sample_free(&b);
}

/* Some rank says so; no rank is left waiting, and afterwards the solver works again. */
static void bad_matrices_are_refused(void **state)
{
    icf_context *context = *state;
    sample_matrix a = sample_grid(7, 6, 5, 6, 2.0, 1);
    part p = make_part(&a.matrix, by_turns, context);
    double *x = solve_alone(context, &a.matrix), *spoilt = calloc(6 * (size_t)p.group.nblock + 1, sizeof *spoilt);
    icf_group_solver *solver = make_solver(context);
    factor_part(solver, ICF_LINEAR_BLOCK, &p);
    const double bad[] = {-1e6, NAN, INFINITY};
    for (icf_lid block = 0; block < a.matrix.nblock; block += 11)
        for (int k = 0; k < 3; ++k) {
            const icf_lid local = p.local[block];
            double *entry = local < 0 ? NULL : p.matrix.val + p.matrix.diag_at[local];
            const double good = entry ? *entry : 0.0;
            if (entry && p.owner[local] == context->rank) *entry = bad[k];
            const icf_status status = icf_group_solver_factor(solver, &p.group, &p.matrix.matrix, false);
            assert_int_equal(icf_group_agree(&p.group, status), ICF_NOT_POSITIVE_DEFINITE);
            assert_int_equal(icf_group_solver_solve(solver, &p.group, spoilt, spoilt), ICF_OK);
            if (entry) *entry = good;
        }
    factor_part(solver, ICF_LINEAR_BLOCK, &p);
    assert_near(difference(solver, &p, &a.matrix, x), 0.0, 1e-11);
    assert_int_equal(context->failure, ICF_OK);
    icf_group_solver_destroy(&solver);
    free_part(&p);
    free(spoilt);
    free(x);
    sample_free(&a);
}

/* The same solution, bit for bit, from a fresh solver. */
static void bits_repeat(void **state)
{
    icf_context *context = *state;
    sample_matrix a = sample_grid(8, 8, 6, 6, 2.0, 1);
    part p = make_part(&a.matrix, by_turns, context);
    const size_t n = (size_t)p.matrix.dof[p.nowned];
    double *first = calloc(n + 1, sizeof *first), *again = calloc(n + 1, sizeof *again);
    for (int k = 0; k < 3; ++k) {
        icf_group_solver *solver = make_solver(context);
        factor_part(solver, ICF_LINEAR_BLOCK, &p);
        double *x = k == 0 ? first : again;
        for (size_t i = 0; i < n; ++i) x[i] = right_hand_side((int32_t)i);
        assert_int_equal(icf_group_solver_solve(solver, &p.group, x, x), ICF_OK);
        if (k > 0) assert_memory_equal(first, again, n * sizeof *x);
        icf_group_solver_destroy(&solver);
    }
    free(first);
    free(again);
    free_part(&p);
    sample_free(&a);
}

/* ---- the factor itself ---- */

typedef struct alone {
    icf_ordering ordering;
    icf_symbolic symbolic;
    icf_fronts fronts;
    icf_front_stack stack;
} alone;

/* The factor of one rank, in the order that the group takes. */
static void factor_alone(alone *a, const icf_block_matrix *whole, bool single)
{
    icf_lid *order = calloc((size_t)whole->nblock + 1, sizeof *order);
    icf_ordering_init(&a->ordering);
    icf_symbolic_init(&a->symbolic);
    icf_fronts_init(&a->fronts);
    icf_front_stack_init(&a->stack);
    assert_int_equal(icf_symbolic_cheapest(&a->symbolic, &a->ordering, whole, order), ICF_OK);
    assert_int_equal(icf_fronts_analyze(&a->fronts, &a->symbolic), ICF_OK);
    int64_t nvalue = 0;
    const icf_lid last = a->symbolic.nsuper - 1;
    icf_fronts_place(&a->fronts, 0, last, &nvalue);
    assert_int_equal(icf_fronts_reserve(&a->fronts, nvalue), ICF_OK);
    assert_int_equal(icf_front_stack_reserve(&a->stack, &a->fronts, 0, last), ICF_OK);
    icf_fronts_use_single(&a->fronts, single);
    assert_true(icf_fronts_factor(&a->fronts, &a->stack, whole, 0, last));
    free(order);
}

static void clear_alone(alone *a)
{
    icf_front_stack_clear(&a->stack);
    icf_fronts_clear(&a->fronts);
    icf_symbolic_clear(&a->symbolic);
    icf_ordering_clear(&a->ordering);
}

/* Compares own columns of a front with those of one rank; returns their number. */
static int compare_columns(const icf_group_fronts *group, const alone *a, icf_lid s)
{
    const icf_front_map *map = group->map;
    const int nrow = a->symbolic.front_dof[s], ld = icf_front_padded(nrow);
    int n = 0;
    for (int c = 0; c < a->symbolic.pivot_dof[s]; ++c) {
        if (icf_front_column_owner(map, s, c) != group->rank) continue;
        const icf_front_kernels *kernels = a->fronts.kernels;
        const ptrdiff_t at = a->fronts.panel_at[s] + (ptrdiff_t)c * ld + c;
        const void *right = icf_front_value(kernels, a->fronts.factor, at), *mine;
        if (icf_front_is_shared(map, s)) { /* its panel is in strips, not in the factor */
            const int k = icf_front_strip_of(map, s, c);
            const icf_front_strip strip = icf_front_strip_at(map, s, k);
            mine = icf_front_value(kernels, icf_group_panel_strip(group, s, k),
                                   (ptrdiff_t)(c - strip.begin) * (strip.ld + 1));
        } else {
            mine = icf_front_value(kernels, group->fronts.factor, group->fronts.panel_at[s] + (ptrdiff_t)c * ld + c);
        }
        assert_memory_equal(mine, right, (size_t)(nrow - c) * kernels->bytes);
        ++n;
    }
    return n;
}

static void assert_sent(icf_sent *sent, icf_sent expected)
{
    assert_int_equal(sent->messages, expected.messages);
    assert_int_equal(sent->bytes, expected.bytes);
    *sent = (icf_sent){0};
}

/* The factor just made, and a solution, sent what the map says. */
static void messages_are_those_of_the_map(icf_group_fronts *group, int32_t ndof, bool single)
{
    icf_front_load *load = calloc((size_t)group->size, sizeof *load);
    double *x = calloc((size_t)ndof, sizeof *x);
    assert_int_equal(icf_front_map_loads(group->map, load), ICF_OK);
    icf_sent factor = load[group->rank].factor;
    if (single) factor.bytes /= 2;
    assert_sent(&group->sent, factor);
    icf_group_fronts_solve(group, x);
    assert_sent(&group->sent, load[group->rank].solve);
    free(x);
    free(load);
}

enum { UNTOUCHED = 0x5a };

static void mark_memory(icf_group_fronts *group)
{
    memset(group->fronts.factor, UNTOUCHED, group->fronts.factor_capacity * sizeof(double));
    memset(group->work, UNTOUCHED, group->work_capacity * sizeof(double));
}

static void assert_untouched(const double *memory, size_t capacity)
{
    const unsigned char *byte = (const unsigned char *)memory;
    for (size_t k = capacity / 2 * sizeof(double); k < capacity * sizeof(double); ++k)
        assert_int_equal(byte[k], UNTOUCHED);
}

/* Panels and kept updates in single precision fill the first half of the memory that is there for doubles. */
static void half_is_untouched(const icf_group_fronts *group)
{
    assert_untouched(group->fronts.factor, group->fronts.factor_capacity);
    assert_untouched(group->work, group->work_capacity);
}

/* Every rank has a part of the factor, in the bits that one rank would give it; all parts together are the factor. */
static void check_bits(const icf_context *context, bool single)
{
    sample_matrix sample = sample_grid(11, 11, 9, 6, 2.0, 1);
    int owner[11 * 11 * 9]; /* dealt out */
    for (int i = 0; i < 11 * 11 * 9; ++i) owner[i] = (7 * i + 3) % context->size;
    alone a;
    icf_front_map map;
    icf_group_fronts group;
    factor_alone(&a, &sample.matrix, single);
    icf_front_map_init(&map);
    icf_group_fronts_init(&group);
    assert_int_equal(icf_front_map_build(&map, &a.symbolic, owner, context->size), ICF_OK);
    assert_int_equal(icf_group_fronts_analyze(&group, context->comm, &map, NULL), ICF_OK);
    icf_group_fronts_use_single(&group, single);
    mark_memory(&group);
    assert_int_equal(group.nshared > 0, context->size > 1);
    for (int k = 0; k < 2; ++k) {
        assert_true(icf_group_fronts_factor(&group, &sample.matrix, false));
        int64_t n = 0;
        for (icf_lid s = 0; s < a.symbolic.nsuper; ++s)
            if (icf_front_has_rank(&map, s, context->rank)) n += compare_columns(&group, &a, s);
        assert_true(n > 0);
        assert_int_equal(sum_counts(context, n), sample.dof[sample.matrix.nblock]);
        messages_are_those_of_the_map(&group, sample.dof[sample.matrix.nblock], single);
    }
    if (single) half_is_untouched(&group);
    icf_group_fronts_clear(&group);
    icf_front_map_clear(&map);
    clear_alone(&a);
    sample_free(&sample);
}

static void the_factor_has_the_bits_of_one_rank(void **state)
{
    check_bits(*state, false);
    check_bits(*state, true);
}

/* Makes the diagonal blocks that vary larger, and the blocks between two of them. */
static void change_varying(const icf_block_matrix *matrix, const bool *varies, double factor)
{
    for (icf_lid j = 0; j < matrix->nblock; ++j) {
        if (!varies[j]) continue;
        const int n = matrix->dof[j + 1] - matrix->dof[j];
        for (int k = 0; k < n; ++k) matrix->val[matrix->diag_at[j] + k * (n + 1)] *= factor;
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const int m = matrix->dof[matrix->idx[e] + 1] - matrix->dof[matrix->idx[e]];
            for (int k = 0; k < m * n && varies[matrix->idx[e]]; ++k) matrix->val[matrix->off_at[e] + k] *= 0.5;
        }
    }
}

/* Two factors with one map give one solution, bit by bit. */
static void assert_same_solutions(icf_group_fronts *a, icf_group_fronts *b, int32_t ndof)
{
    double *x = calloc((size_t)ndof, sizeof *x), *y = calloc((size_t)ndof, sizeof *y);
    for (icf_lid s = 0; s < a->symbolic->nsuper; ++s)
        for (int column = 0; column < a->symbolic->pivot_dof[s]; ++column) {
            const int32_t row = a->symbolic->place_dof[a->symbolic->super_ptr[s]] + column;
            if (icf_front_column_owner(a->map, s, column) == a->rank) x[row] = y[row] = random_number(7, row);
        }
    icf_group_fronts_solve(a, x);
    icf_group_fronts_solve(b, y);
    for (icf_lid s = 0; s < a->symbolic->nsuper; ++s)
        for (int column = 0; column < a->symbolic->pivot_dof[s]; ++column) {
            const int32_t row = a->symbolic->place_dof[a->symbolic->super_ptr[s]] + column;
            if (icf_front_column_owner(a->map, s, column) == a->rank) assert_true(x[row] == y[row]);
        }
    free(x);
    free(y);
}

/* The fronts of blocks that vary are factored again from kept updates, to the bits of a whole factor. */
static void check_factored_again(const icf_context *context, bool single)
{
    sample_matrix sample = sample_grid(10, 10, 10, 3, 2.0, 1);
    const icf_lid n = sample.matrix.nblock;
    bool *varies = calloc((size_t)n, sizeof *varies);
    for (icf_lid b = 0; b < n; ++b) varies[b] = b < 20; /* along an edge */
    icf_lid *order = calloc(2 * (size_t)n, sizeof *order);
    alone a;
    factor_alone(&a, &sample.matrix, false);
    for (icf_lid k = 0; k < n; ++k) order[k] = a.symbolic.perm[k];
    bool last;
    assert_int_equal(icf_symbolic_try_varying_last(&a.symbolic, &sample.matrix, varies, order, &last), ICF_OK);
    assert_true(last);
    icf_front_map map;
    icf_group_fronts again, whole;
    icf_front_map_init(&map);
    icf_group_fronts_init(&again);
    icf_group_fronts_init(&whole);
    assert_int_equal(icf_front_map_build(&map, &a.symbolic, NULL, context->size), ICF_OK);
    assert_int_equal(icf_group_fronts_analyze(&again, context->comm, &map, varies), ICF_OK);
    assert_int_equal(icf_group_fronts_analyze(&whole, context->comm, &map, NULL), ICF_OK);
    icf_group_fronts_use_single(&again, single);
    icf_group_fronts_use_single(&whole, single);
    assert_true(icf_group_fronts_factor(&again, &sample.matrix, false));
    const icf_cnt all = again.sent.bytes;
    for (int k = 1; k < 4; ++k) {
        change_varying(&sample.matrix, varies, 1.0 + 0.1 * k);
        again.sent = (icf_sent){0};
        assert_true(icf_group_fronts_factor(&again, &sample.matrix, true));
        assert_true(icf_group_fronts_factor(&whole, &sample.matrix, false));
        assert_true(again.sent.bytes <= all);
        assert_same_solutions(&again, &whole, sample.dof[n]);
    }
    icf_group_fronts_clear(&whole);
    icf_group_fronts_clear(&again);
    icf_front_map_clear(&map);
    clear_alone(&a);
    free(order);
    free(varies);
    sample_free(&sample);
}

static void what_varies_is_factored_again(void **state)
{
    check_factored_again(*state, false);
    check_factored_again(*state, true);
}

/* A deep pile as a lattice: each rank has at least 60 % of an even share of the work and of the factor. */
static void work_and_memory_are_shared_evenly(void **state)
{
    icf_context *context = *state;
    sample_matrix sample = sample_grid(16, 16, 16, 6, 2.0, 1);
    part p = make_part(&sample.matrix, in_blocks, context);
    icf_group_solver *solver = make_solver(context);
    assert_int_equal(icf_group_solver_analyze(solver, ICF_LINEAR_AUTO, &p.group, &p.matrix.matrix), ICF_OK);
    icf_group_load load;
    assert_int_equal(icf_group_solver_load(solver, &load), ICF_OK);
    assert_true(load.own.flops >= 0.6 * load.total.flops / context->size);
    assert_true(load.own.values >= 0.6 * load.total.values / context->size);
    assert_true(load.own.flops <= 1.3 * load.total.flops / context->size);
    double sum[2] = {load.own.flops, load.own.values};
    icf_group_sum(&p.group, sum, 2);
    assert_near(sum[0], load.total.flops, 1e-9 * load.total.flops);
    assert_near(sum[1], load.total.values, 1e-9 * load.total.values);
    icf_group_solver_destroy(&solver);
    free_part(&p);
    sample_free(&sample);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        mpi_test(grids),
        mpi_test(random_graphs_of_all_block_sizes),
        mpi_test(special_graphs),
        mpi_test(a_solver_takes_other_values_and_patterns),
        mpi_test(bad_matrices_are_refused),
        mpi_test(bits_repeat),
        mpi_test(the_factor_has_the_bits_of_one_rank),
        mpi_test(what_varies_is_factored_again),
        mpi_test(work_and_memory_are_shared_evenly),
    };
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
