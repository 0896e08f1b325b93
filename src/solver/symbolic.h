/* Symbolic factorisation of a block matrix: what a multifrontal Cholesky needs to know before it sees values.
 *
 *   pattern + order -> elimination tree -> fundamental supernodes -> merged supernodes -> fronts
 *
 * A supernode is a run of consecutive blocks of the elimination order (its pivots) whose columns are kept as one
 * dense front: pivots first, then the rows below them.  Small supernodes are merged with their parents when this
 * adds few zeros (symbolic.c).  The final order is a postorder of the supernodes, children in the order that
 * needs the smallest stack of update matrices; it has the fill of the given order plus the merged zeros.
 *
 *   front of s:   pivot_dof x pivot_dof   |                     front_dof = pivot_dof + dofs of the rows below
 *                 ------------------------+----------
 *                 rows below x pivot_dof  |  update, added into the front of super_parent[s]
 *
 * No MPI, no threads inside; one object a thread.  The arrays belong to the object and only grow.
 */
#ifndef ICF_SOLVER_SYMBOLIC_H
#define ICF_SOLVER_SYMBOLIC_H

#include "solver/elimination.h"

typedef struct icf_symbolic {
    icf_lid nblock; /* blocks */
    icf_lid nsuper; /* supernodes */

    /* elimination order; a place is a position in it */
    icf_lid *perm;      /* (nblock) block at each place */
    icf_lid *iperm;     /* (nblock) place of each block */
    icf_lid *place_dof; /* (nblock + 1) first dof of each place in the permuted vector */
    icf_lid *parent;    /* (nblock) elimination tree: place of the parent, -1 at roots */
    icf_lid *colcount;  /* (nblock) blocks in each column of the factor without merged zeros, diagonal included */
    icf_lid *super_of;  /* (nblock) supernode of each place */

    /* supernodes, in postorder */
    icf_lid *super_ptr;    /* (nsuper + 1) first place of each */
    icf_lid *super_parent; /* (nsuper) -1 at roots */
    icf_lid *super_nchild; /* (nsuper) children */
    icf_lid *pivot_dof;    /* (nsuper) dofs of the pivots */
    icf_lid *front_dof;    /* (nsuper) order of the front */
    int64_t *value_ptr;    /* (nsuper + 1) first value of each when all panels front_dof x pivot_dof lie in a row */

    /* rows below the pivots */
    int64_t *struct_ptr;      /* (nsuper + 1) first row of each supernode */
    icf_lid *struct_idx;      /* (struct_ptr[nsuper]) places, ascending */
    icf_lid *struct_row;      /* (struct_ptr[nsuper]) first dof of the row in its own front */
    icf_lid *struct_relative; /* (struct_ptr[nsuper]) first dof of the row in the parent's front */

    /* off-diagonal blocks of the matrix, by the place of the column that they are assembled into */
    icf_lid *entry_ptr; /* (nblock + 1) first entry of each place */
    icf_lid *entry_idx; /* (off-diagonal blocks) position in the matrix's idx and off_at */
    icf_lid *entry_row; /* (off-diagonal blocks) first dof of its row in the front */
    icf_lid *entry_dof; /* (off-diagonal blocks) dofs of its row */
    bool *entry_flip;   /* (off-diagonal blocks) the transposed block is assembled */

    /* totals */
    int64_t nvalue;    /* value_ptr[nsuper] */
    int64_t nstack;    /* largest number of values of full square update matrices alive at once */
    icf_lid max_front; /* largest front_dof */
    double flops;      /* of one factorisation: sum of squared column lengths, merged zeros included */

    /* memory */
    icf_elimination tree;
    void *memory[3];
    size_t capacity[3];
} icf_symbolic;

void icf_symbolic_init(icf_symbolic *symbolic);
void icf_symbolic_clear(icf_symbolic *symbolic);

/* Analyses a pattern for an order.
 *   matrix [in] the pattern (nblock, dof, ptr, idx); values and their positions are not read.  Where it says which
 * blocks vary, no front has pivots of both kinds order  [in] (nblock) block at each place of a fill-reducing order; not
 * kept Returns ICF_OK or ICF_ERROR_MEMORY.  Takes no memory when it has had larger patterns before. */
ICF_MUST_CHECK icf_status icf_symbolic_build(icf_symbolic *symbolic, const icf_block_matrix *matrix,
                                             const icf_lid *order);

#endif
