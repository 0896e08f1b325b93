/* Lending: ranks with more to solve than the mean lend whole islands to ranks with less, for one step.
 *
 * Bodies change owners when the scene is cut anew; until then islands merge, part and take other numbers of iterations.
 * What the ranks expect to solve is one number each, which all of them know.  From these every rank finds who lends how
 * much to whom, and the lenders choose which of their islands: a function of the numbers alone.
 */
#ifndef ICF_PARTITION_LEND_H
#define ICF_PARTITION_LEND_H

#include "base/arena.h"
#include "base/context.h"
#include "base/memory.h"

/* An island that its rank may lend. */
typedef struct icf_lend_island {
    int64_t work;  /* expected [ns] */
    icf_gid label; /* smallest global id */
    icf_lid part;  /* the caller's */
    int borrower;  /* rank that will solve it; -1: it stays */
} icf_lend_island;

/* What one rank lends another. */
typedef struct icf_loan {
    int lender, borrower;
    int64_t work; /* at most [ns] */
} icf_loan;

/* Whether a rank has enough to lend.
 *   work [in] (nrank) what each rank is to solve [ns] */
bool icf_lend_has_surplus(int nrank, const int64_t *work, int rank);

/* Who lends whom: those with most to lend to those with least to do.  A lender's loans follow each other.
 *   loan [out] (*nloan), from the arena
 * ICF_ERROR_MEMORY or ICF_OK.  Local. */
ICF_MUST_CHECK icf_status icf_lend_match(icf_arena *arena, int nrank, const int64_t *work, const icf_loan **loan,
                                         int *nloan);

/* Chooses what goes to each borrower of one lender: the largest islands that fit.
 *   loan   [in] (nloan) all loans, of which those of the lender count
 *   island [in, out] (nisland) the lender's, sorted by work, then by label; borrowers are set
 * Local. */
void icf_lend_choose(int lender, int nloan, const icf_loan *loan, icf_lid nisland, icf_lend_island *island);

#endif
