/* The blocks of H that have been met: none at first, those that are not zero, for ever, with the values of H. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample_block_matrix.h"
#include "solver/hessian.h"

/* A family that couples the pairs of a sample matrix and knows nothing else. */
typedef struct pairs {
    icf_constraints base;
    const icf_block_matrix *matrix;
} pairs;

static icf_status couple(const icf_constraints *self, icf_couple give, void *user)
{
    const icf_block_matrix *m = ((const pairs *)self)->matrix;
    for (icf_lid j = 0; j < m->nblock; ++j)
        for (icf_lid k = m->ptr[j]; k < m->ptr[j + 1]; ++k) ICF_TRY(give(user, j, m->idx[k]));
    return ICF_OK;
}

static const icf_constraint_ops OPS = {.name = "pairs", .couple = couple};

/* A Hessian with the pattern of a sample; all values 0. */
static void build(icf_hessian *hessian, const icf_block_matrix *m)
{
    pairs family = {.base.ops = &OPS, .matrix = m};
    const icf_problem problem = {.nblock = m->nblock, .dof = m->dof, .nfamily = 1, .family = {&family.base}};
    assert_int_equal(icf_hessian_build(hessian, &problem), ICF_OK);
    assert_true(hessian->matrix.nval == m->nval);
    for (int64_t i = 0; i < m->nval; ++i) hessian->matrix.val[i] = 0.0;
}

static int64_t size_of(const icf_block_matrix *m, icf_lid j, icf_lid k)
{
    return (int64_t)(m->dof[m->idx[k] + 1] - m->dof[m->idx[k]]) * (m->dof[j + 1] - m->dof[j]);
}

/* Sets one entry of off-diagonal block k, in column j. */
static void set_entry(icf_hessian *hessian, icf_lid j, icf_lid k, uint64_t *random, double value)
{
    const icf_block_matrix *m = &hessian->matrix;
    m->val[m->off_at[k] + (int64_t)(sample_uniform(random) * (double)size_of(m, j, k))] = value;
}

static void clear_values(icf_hessian *hessian)
{
    for (int64_t i = 0; i < hessian->matrix.nval; ++i) hessian->matrix.val[i] = 0.0;
}

/* `met` has the marked off-diagonal blocks, in the order of H, and shares all else with it. */
static void assert_met(const icf_hessian *hessian, const bool *marked)
{
    const icf_block_matrix *all = &hessian->matrix, *met = &hessian->met;
    icf_lid n = 0;
    assert_int_equal(met->nblock, all->nblock);
    assert_ptr_equal(met->dof, all->dof);
    assert_ptr_equal(met->val, all->val);
    assert_ptr_equal(met->diag_at, all->diag_at);
    assert_true(met->nval == all->nval);
    assert_int_equal(met->ptr[0], 0);
    for (icf_lid j = 0; j < all->nblock; ++j) {
        for (icf_lid k = all->ptr[j]; k < all->ptr[j + 1]; ++k) {
            if (!marked[k]) continue;
            assert_true(n < met->ptr[j + 1]);
            assert_int_equal(met->idx[n], all->idx[k]);
            assert_true(met->off_at[n++] == all->off_at[k]);
        }
        assert_int_equal(met->ptr[j + 1], n);
    }
}

static void assert_same_product(const icf_hessian *hessian)
{
    const size_t n = (size_t)hessian->matrix.dof[hessian->matrix.nblock];
    double *x = calloc(n + 1, sizeof *x), *y = calloc(n + 1, sizeof *y), *z = calloc(n + 1, sizeof *z);
    uint64_t random = 5;
    for (size_t i = 0; i < n; ++i) x[i] = sample_uniform(&random) - 0.5;
    icf_block_matrix_multiply(&hessian->matrix, x, y);
    icf_block_matrix_multiply(&hessian->met, x, z);
    for (size_t i = 0; i < n; ++i) assert_true(y[i] == z[i]);
    free(x);
    free(y);
    free(z);
}

/* Gives each block a value by chance, all others of H being zero; whether one was not marked yet. */
static bool touch(icf_hessian *hessian, double chance, uint64_t *random, bool *marked)
{
    const icf_block_matrix *m = &hessian->matrix;
    bool more = false;
    clear_values(hessian);
    for (icf_lid b = 0; b < m->nblock; ++b) m->val[m->diag_at[b]] = 1.0 + sample_uniform(random);
    for (icf_lid j = 0; j < m->nblock; ++j)
        for (icf_lid k = m->ptr[j]; k < m->ptr[j + 1]; ++k) {
            if (sample_uniform(random) >= chance) continue;
            set_entry(hessian, j, k, random, sample_uniform(random) - 0.5);
            more = more || !marked[k];
            marked[k] = true;
        }
    return more;
}

/* Forgets what it had, and meets more and more. */
static void meet_all(icf_hessian *hessian, uint64_t *random)
{
    const icf_lid noff = hessian->matrix.ptr[hessian->matrix.nblock];
    bool *marked = calloc((size_t)noff + 1, sizeof *marked);
    assert_int_equal(icf_hessian_forget(hessian), ICF_OK);
    assert_met(hessian, marked);
    for (int round = 0; round < 12; ++round) {
        const bool more = touch(hessian, round == 0 ? 0.0 : round == 11 ? 1.0 : 0.1, random, marked);
        assert_int_equal(icf_hessian_meet(hessian), more);
        assert_met(hessian, marked);
        assert_same_product(hessian);
        assert_false(icf_hessian_meet(hessian));
    }
    assert_int_equal(hessian->met.ptr[hessian->matrix.nblock], noff);
    clear_values(hessian);
    assert_false(icf_hessian_meet(hessian)); /* what is zero again stays */
    assert_met(hessian, marked);
    free(marked);
}

static void what_is_not_zero_is_met(void **state)
{
    (void)state;
    const int32_t mixed[] = {6, 3, 1, 17, 64, 2};
    const icf_lid sizes[] = {1, 2, 60, 5, 30, 100, 7}; /* the same object grows and shrinks */
    uint64_t random = 1;
    icf_hessian hessian;
    icf_hessian_init(&hessian);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        sample_matrix s = sample_random(sizes[i], mixed, 6, 4.0, 1.0, i);
        build(&hessian, &s.matrix);
        meet_all(&hessian, &random);
        meet_all(&hessian, &random);
        sample_free(&s);
    }
    icf_hessian_clear(&hessian);
}

/* Each entry of a block counts, however small, and minus zero does not. */
static void any_entry_makes_a_block_met(void **state)
{
    (void)state;
    const int32_t sizes[] = {3, 2};
    const double values[] = {1.0, -1e300, 5e-324, -5e-324, INFINITY, NAN};
    sample_edge edge[] = {{1, 0}};
    sample_matrix s = sample_pattern(2, sizes, 1, edge);
    icf_hessian hessian;
    icf_hessian_init(&hessian);
    build(&hessian, &s.matrix);
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
        for (int64_t entry = 0; entry < 6; ++entry) {
            double *block = hessian.matrix.val + hessian.matrix.off_at[0];
            assert_int_equal(icf_hessian_forget(&hessian), ICF_OK);
            block[entry] = -0.0;
            assert_false(icf_hessian_meet(&hessian));
            block[entry] = values[i];
            assert_true(icf_hessian_meet(&hessian));
            assert_int_equal(hessian.met.ptr[1], 1);
            block[entry] = 0.0;
        }
    icf_hessian_clear(&hessian);
    sample_free(&s);
}

/* Diagonal blocks are always there, and count for nothing. */
static void blocks_alone_meet_nothing(void **state)
{
    (void)state;
    const int32_t six[] = {6};
    sample_matrix s = sample_random(40, six, 1, 0.0, 1.0, 1);
    const bool none[1] = {false};
    icf_hessian hessian;
    icf_hessian_init(&hessian);
    build(&hessian, &s.matrix);
    for (int64_t i = 0; i < hessian.matrix.nval; ++i) hessian.matrix.val[i] = 1.0;
    assert_int_equal(icf_hessian_forget(&hessian), ICF_OK);
    assert_false(icf_hessian_meet(&hessian));
    assert_met(&hessian, none);
    icf_hessian_clear(&hessian);
    sample_free(&s);
}

/* A shift of the diagonal is seen by both. */
static void a_shift_is_shared(void **state)
{
    (void)state;
    const int32_t six[] = {6};
    uint64_t random = 3;
    sample_matrix s = sample_random(30, six, 1, 4.0, 1.0, 1);
    bool marked[200] = {false};
    icf_hessian hessian;
    icf_hessian_init(&hessian);
    build(&hessian, &s.matrix);
    assert_int_equal(icf_hessian_forget(&hessian), ICF_OK);
    touch(&hessian, 0.5, &random, marked);
    assert_true(icf_hessian_meet(&hessian));
    const double before = hessian.met.val[hessian.met.diag_at[7]];
    icf_hessian_shift(&hessian, 0.25);
    assert_true(hessian.met.val[hessian.met.diag_at[7]] == 1.25 * before);
    assert_same_product(&hessian);
    icf_hessian_clear(&hessian);
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_zero_is_met),
        cmocka_unit_test(any_entry_makes_a_block_met),
        cmocka_unit_test(blocks_alone_meet_nothing),
        cmocka_unit_test(a_shift_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
