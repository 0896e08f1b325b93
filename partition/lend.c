/* Who lends which islands to whom. */
#include "partition/lend.h"

#include <stdlib.h>

/* A surplus below this part of the mean, and work below this, is not worth a message [ns]. */
static const double least_part = 0.02;
enum { least_work = 50000 };

/* A rank and how far its work is from the mean. */
typedef struct rank_work {
    int rank;
    int64_t surplus; /* negative: what it may borrow [ns] */
} rank_work;

/* Largest surplus first. */
static int compare_surplus(const void *a, const void *b)
{
    const rank_work *x = a, *y = b;
    if (x->surplus != y->surplus) return x->surplus > y->surplus ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int64_t mean_of(int n, const int64_t *work)
{
    int64_t sum = 0;
    for (int rank = 0; rank < n; ++rank) sum += work[rank];
    return sum / n;
}

/* What is not worth lending [ns]. */
static int64_t least_of(int64_t mean)
{
    return ICF_MAX((int64_t)(least_part * (double)mean), least_work);
}

bool icf_lend_has_surplus(int nrank, const int64_t *work, int rank)
{
    const int64_t mean = mean_of(nrank, work);
    return work[rank] - mean >= least_of(mean);
}

icf_status icf_lend_match(icf_arena *arena, int nrank, const int64_t *work, const icf_loan **loan, int *nloan)
{
    const int64_t mean = mean_of(nrank, work), least = least_of(mean);
    rank_work *order = ICF_ARENA_ARRAY(arena, rank_work, nrank);
    icf_loan *loans = ICF_ARENA_ARRAY(arena, icf_loan, 2 * nrank); /* each ends a lender's surplus or a borrower's */
    int n = 0, lender = 0, borrower = nrank - 1;
    if (!order || !loans) return ICF_ERROR_MEMORY;
    for (int rank = 0; rank < nrank; ++rank) order[rank] = (rank_work){rank, work[rank] - mean};
    qsort(order, (size_t)nrank, sizeof *order, compare_surplus);
    while (order[lender].surplus >= least && order[borrower].surplus < 0) {
        const int64_t amount = ICF_MIN(order[lender].surplus, -order[borrower].surplus);
        if (amount >= least_work) loans[n++] = (icf_loan){order[lender].rank, order[borrower].rank, amount};
        order[lender].surplus -= amount;
        order[borrower].surplus += amount;
        if (order[borrower].surplus == 0) --borrower;
        if (order[lender].surplus < least) ++lender;
    }
    *loan = loans;
    *nloan = n;
    return ICF_OK;
}

/* Largest first. */
static int compare_islands(const void *a, const void *b)
{
    const icf_lend_island *x = a, *y = b;
    if (x->work != y->work) return x->work > y->work ? -1 : 1;
    return (x->label > y->label) - (x->label < y->label);
}

void icf_lend_choose(int lender, int nloan, const icf_loan *loan, icf_lid nisland, icf_lend_island *island)
{
    qsort(island, (size_t)nisland, sizeof *island, compare_islands);
    for (icf_lid k = 0; k < nisland; ++k) island[k].borrower = -1;
    for (int i = 0; i < nloan; ++i) {
        if (loan[i].lender != lender) continue;
        int64_t left = loan[i].work;
        for (icf_lid k = 0; k < nisland && left >= island[nisland - 1].work; ++k) {
            if (island[k].borrower >= 0 || island[k].work > left) continue;
            island[k].borrower = loan[i].borrower;
            left -= island[k].work;
        }
    }
}
