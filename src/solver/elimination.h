/* Elimination tree of a block matrix for a given order, with postorder and column counts.
 *
 * First half of the symbolic factorisation (symbolic.h is the second).  A node is a block numbered by its place
 * in the given order.  Everything is linear in the number of blocks and off-diagonal blocks (times the inverse
 * Ackermann function).  No MPI, no threads inside; one object a thread.
 */
#ifndef ICF_SOLVER_ELIMINATION_H
#define ICF_SOLVER_ELIMINATION_H

#include "base/status.h"
#include "solver/block_matrix.h"

typedef struct icf_elimination {
    icf_lid n;          /* nodes */
    icf_lid *node_of;   /* (n) node of each block */
    icf_lid *width;     /* (n) dofs of each node */
    icf_lid *row_ptr;   /* (n + 1) earlier neighbours of each node: ... */
    icf_lid *row_idx;   /* (off-diagonal blocks) ... the nodes */
    icf_lid *col_ptr;   /* (n + 1) later neighbours of each node: ... */
    icf_lid *col_idx;   /* (off-diagonal blocks) ... the nodes ... */
    icf_lid *col_entry; /* (off-diagonal blocks) ... and the off-diagonal block that joins them */
    icf_lid *parent;    /* (n) elimination tree, > the node; -1 at roots */
    icf_lid *number;    /* (n) postorder number of each node */
    icf_lid *post;      /* (n) node of each postorder number */
    icf_lid *first;     /* (n) smallest postorder number in the subtree of each node */
    icf_lid *count;     /* (n) blocks in each column of the factor, diagonal included */
    icf_lid *dofs;      /* (n) dofs of those blocks */
    icf_lid *scratch;   /* (4 n) free for use after the build */
    icf_lid *memory;    /* all of the above */
    size_t capacity;
} icf_elimination;

void icf_elimination_init(icf_elimination *tree);
void icf_elimination_clear(icf_elimination *tree);

/* Builds tree, postorder and counts.
 *   matrix [in] the pattern; values are not read
 *   order  [in] (nblock) block at each place of the order
 * Returns ICF_OK or ICF_ERROR_MEMORY.  Takes no memory when it has had a larger pattern before. */
ICF_MUST_CHECK icf_status icf_elimination_build(icf_elimination *tree, const icf_block_matrix *matrix,
                                                const icf_lid *order);

#endif
