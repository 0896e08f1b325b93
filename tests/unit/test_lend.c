/* Lending between ranks: who lends whom, and which islands go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "partition/lend.h"

enum { nmax = 64 };

static int64_t sum_of(int n, const int64_t *work)
{
    int64_t sum = 0;
    for (int r = 0; r < n; ++r) sum += work[r];
    return sum;
}

static int64_t largest_of(int n, const int64_t *work)
{
    int64_t largest = 0;
    for (int r = 0; r < n; ++r) largest = ICF_MAX(largest, work[r]);
    return largest;
}

/* What is left to each rank when all loans are made in full. */
static int make_loans(icf_arena *arena, int n, const int64_t *work, int64_t *after)
{
    const icf_loan *loan;
    int nloan;
    assert_int_equal(icf_lend_match(arena, n, work, &loan, &nloan), ICF_OK);
    assert_true(nloan <= 2 * n);
    for (int r = 0; r < n; ++r) after[r] = work[r];
    for (int k = 0; k < nloan; ++k) {
        assert_true(loan[k].work > 0 && loan[k].lender != loan[k].borrower);
        assert_true(icf_lend_has_surplus(n, work, loan[k].lender));
        after[loan[k].lender] -= loan[k].work;
        after[loan[k].borrower] += loan[k].work;
    }
    return nloan;
}

static void nothing_is_lent(int n, const int64_t *work)
{
    icf_arena arena;
    int64_t after[nmax];
    icf_arena_init(&arena);
    assert_int_equal(make_loans(&arena, n, work, after), 0);
    for (int r = 0; r < n; ++r) assert_false(icf_lend_has_surplus(n, work, r));
    icf_arena_clear(&arena);
}

static void even_ranks_lend_nothing(void **state)
{
    (void)state;
    nothing_is_lent(1, (int64_t[]){5000000});
    nothing_is_lent(4, (int64_t[]){0, 0, 0, 0});
    nothing_is_lent(3, (int64_t[]){7000000, 7000000, 7000000});
    nothing_is_lent(2, (int64_t[]){10000, 0});             /* not worth a message */
    nothing_is_lent(2, (int64_t[]){100500000, 100000000}); /* half a per cent */
    nothing_is_lent(3, (int64_t[]){1, 2, 1});              /* a mean that is no whole number */
}

static void one_rank_has_all(void **state)
{
    (void)state;
    icf_arena arena;
    int64_t after[nmax];
    const int64_t work[4] = {0, 8000000, 0, 0};
    icf_arena_init(&arena);
    assert_int_equal(make_loans(&arena, 4, work, after), 3);
    for (int r = 0; r < 4; ++r) assert_int_equal(after[r], 2000000);
    icf_arena_clear(&arena);
}

/* Whatever the ranks have: nothing is lost, nobody gets more than the mean by borrowing, and who has had most is left
 * with what is not worth lending above it. */
static void any_ranks(void **state)
{
    (void)state;
    icf_arena arena;
    icf_arena_init(&arena);
    uint64_t random = 1;
    for (int kind = 0; kind < 1500; ++kind) {
        int64_t work[nmax], after[nmax];
        const int n = 1 + (int)(icf_lcg_next(&random) * nmax);
        for (int r = 0; r < n; ++r) {
            const double u = icf_lcg_next(&random);
            const double of_kind[3] = {4e6 * u, 1e8 * u * u * u * u, u < 0.2 ? 3e6 : 0.0};
            work[r] = (int64_t)of_kind[kind % 3];
        }
        const int64_t mean = sum_of(n, work) / n;
        icf_arena_reset(&arena);
        make_loans(&arena, n, work, after);
        assert_int_equal(sum_of(n, after), sum_of(n, work));
        for (int r = 0; r < n; ++r) {
            assert_true(after[r] >= 0);
            if (after[r] > work[r]) assert_true(after[r] <= mean);
            if (after[r] < work[r]) assert_true(after[r] >= mean);
        }
        /* 2 % of the mean, or 50 us for each rank that could not take more */
        assert_true(largest_of(n, after) <= mean + ICF_MAX(mean / 50, 50000) + 50000 * (int64_t)n);
    }
    icf_arena_clear(&arena);
}

static icf_lend_island island(int64_t work, icf_gid label)
{
    return (icf_lend_island){.work = work, .label = label, .part = (icf_lid)label, .borrower = 77};
}

static int borrower_of(icf_lid n, const icf_lend_island *islands, icf_gid label)
{
    for (icf_lid k = 0; k < n; ++k)
        if (islands[k].label == label) return islands[k].borrower;
    fail();
    return -1;
}

/* The largest that fit, to the first borrower first; loans of other lenders are none of ours. */
static void the_largest_that_fit(void **state)
{
    (void)state;
    const icf_loan loan[] = {{4, 0, 1000}, {2, 5, 100}, {2, 1, 70}};
    icf_lend_island islands[] = {island(20, 1), island(200, 2), island(60, 3),
                                 island(50, 4), island(30, 5),  island(30, 6)};
    icf_lend_choose(2, 3, loan, 6, islands);
    assert_int_equal(borrower_of(6, islands, 2), -1); /* more than anybody takes */
    assert_int_equal(borrower_of(6, islands, 3), 5);
    assert_int_equal(borrower_of(6, islands, 4), 1); /* 110 with the one before */
    assert_int_equal(borrower_of(6, islands, 5), 5); /* of equals the lower label */
    assert_int_equal(borrower_of(6, islands, 6), -1);
    assert_int_equal(borrower_of(6, islands, 1), 1);
    icf_lend_choose(3, 3, loan, 6, islands);
    for (int k = 0; k < 6; ++k) assert_int_equal(islands[k].borrower, -1);
    icf_lend_choose(2, 3, loan, 0, islands); /* nothing to choose from */
}

/* However the islands are listed. */
static void the_order_does_not_matter(void **state)
{
    (void)state;
    enum { n = 40 };
    icf_lend_island a[n], b[n];
    const icf_loan loan[] = {{0, 1, 500}, {0, 2, 300}, {0, 3, 40}};
    uint64_t random = 9;
    for (int k = 0; k < n; ++k) a[k] = b[n - 1 - k] = island(1 + (int64_t)(10 * icf_lcg_next(&random)), k);
    icf_lend_choose(0, 3, loan, n, a);
    icf_lend_choose(0, 3, loan, n, b);
    int64_t lent[4] = {0};
    for (int k = 0; k < n; ++k) {
        assert_int_equal(a[k].label, b[k].label);
        assert_int_equal(a[k].borrower, b[k].borrower);
        if (a[k].borrower >= 0) lent[a[k].borrower] += a[k].work;
    }
    assert_true(lent[0] == 0 && lent[1] > 0 && lent[1] <= 500 && lent[2] <= 300 && lent[3] <= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(even_ranks_lend_nothing), cmocka_unit_test(one_rank_has_all),
                                       cmocka_unit_test(any_ranks), cmocka_unit_test(the_largest_that_fit),
                                       cmocka_unit_test(the_order_does_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
