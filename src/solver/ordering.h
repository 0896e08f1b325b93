/* Fill-reducing orders of a block matrix: approximate minimum degree and nested dissection.
 *
 * Both look at the graph of blocks, not of dofs: the same fill for a fraction of the time.  Minimum degree
 * (libamd) is cheap and good for thin piles and up to about a thousand blocks; nested dissection (METIS) is
 * several times dearer and wins on large three-dimensional graphs.
 *
 * Thread contract: an object belongs to one thread at a time.  METIS is not thread-safe (it draws from rand()
 * and seeds it anew at every call), so its calls are serialised with those of MUMPS.  Results are repeatable.
 */
#ifndef ICF_SOLVER_ORDERING_H
#define ICF_SOLVER_ORDERING_H

#include "base/status.h"
#include "solver/block_matrix.h"

/* Work memory; it only grows. */
typedef struct icf_ordering {
    int *memory;
    size_t capacity;
} icf_ordering;

void icf_ordering_init(icf_ordering *ordering);
void icf_ordering_clear(icf_ordering *ordering);

/* Approximate minimum degree.
 *   matrix [in]  the pattern; values are not read
 *   order  [out] (nblock) block at each place
 * Returns ICF_OK or ICF_ERROR_MEMORY.  Takes no memory when it has had a larger pattern before. */
ICF_MUST_CHECK icf_status icf_order_minimum_degree(icf_ordering *ordering, const icf_block_matrix *matrix,
                                                   icf_lid *order);

/* Nested dissection with the dofs of the blocks as weights; minimum degree for fewer than
 * ICF_DISSECTION_BLOCKS blocks and when METIS fails.  Arguments and result as above; METIS takes memory. */
ICF_MUST_CHECK icf_status icf_order_nested_dissection(icf_ordering *ordering, const icf_block_matrix *matrix,
                                                      icf_lid *order);

#define ICF_DISSECTION_BLOCKS 1000

#endif
