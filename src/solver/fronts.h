/* Fronts of a multifrontal Cholesky H = L L^T: assembly, factorisation and solves of runs of supernodes.
 *
 * Supernodes are taken in postorder (symbolic.h).  Each assembles a dense front, factors the columns of its
 * pivots and hands the rest, its update, to its parent:
 *
 *     panel = H columns + children's updates      panel, kept as L        (nrow x ncol)
 *     factor panel                                update = -L21 L21^T     (nrow-ncol square)
 *     update += children's updates
 *
 * The update is written by the product first and the children are added after, so it is never cleared; for
 * that, children must survive until their parent's update is there: updates lie on two stacks, by the parity of
 * the depth in the tree, each of which is a true stack.  The updates of some supernodes (roots of subtrees whose
 * parents are factored later or elsewhere) are kept in memory of their own instead.
 *
 * Panels are factored strip by strip: the columns of a strip first, then its product, or that of a few strips
 * together, is taken off the columns to the right while they are in the cache.  Every entry of L takes its terms in one
 * order, which the pattern fixes: entries of H, children from the last to the first, then columns from left to right.
 * So the same matrix gives the same bits, however strips and supernodes are shared out.
 *
 * Private to src/solver.  An object may be used by several threads at once, each with its own stack and supernodes.
 */
#ifndef ICF_SOLVER_FRONTS_H
#define ICF_SOLVER_FRONTS_H

#include "solver/front_kernels.h"
#include "solver/symbolic.h"

/* Work memory of a thread. */
typedef struct icf_front_stack {
    double *update[2]; /* updates, by parity of the depth */
    double *vector;    /* (max_front) a vector of a front, for solves */
    size_t update_capacity[2], vector_capacity;
} icf_front_stack;

typedef struct icf_fronts {
    const icf_symbolic *symbolic;     /* borrowed */
    const icf_front_kernels *kernels; /* of the precision of panels and updates; memory is there for doubles */
    icf_lid *depth;                   /* (nsuper) depth in the tree */
    icf_lid *sibling;                 /* (nsuper) the sibling before, in postorder; -1: first child or root */
    icf_lid *newest;                  /* (nsuper) scratch of the analysis */
    int64_t *run_ptr;                 /* (nsuper + 1) first run of each, and ... */
    icf_front_run *run;               /* ... where the rows of its update lie in the parent's front */
    int64_t *panel_at;                /* (nsuper) first value of each panel in factor */
    double **kept;                    /* (nsuper) memory of an update that does not lie on a stack, NULL: it does */
    double *factor;                   /* all panels, each with a padded leading dimension */
    double *inverse;                  /* (dofs) 1 / diagonal of L, elimination order */
    size_t depth_capacity, sibling_capacity, newest_capacity, run_ptr_capacity, run_capacity, panel_capacity,
        kept_capacity, factor_capacity, inverse_capacity;
} icf_fronts;

/* A front while it is assembled and factored. */
typedef struct icf_front {
    void *panel, *update; /* update: NULL until it is there */
    double *inverse;      /* (ncol) 1 / diagonal of L */
    int ld, ldu;          /* leading dimensions */
    int nrow, ncol;
} icf_front;

void icf_fronts_init(icf_fronts *fronts);
void icf_fronts_clear(icf_fronts *fronts);
void icf_front_stack_init(icf_front_stack *stack);
void icf_front_stack_clear(icf_front_stack *stack);

/* Whether the next factorisation is in single precision (double at first); vectors are in double always. */
void icf_fronts_use_single(icf_fronts *fronts, bool single);

/* Whether it is. */
static inline bool icf_fronts_are_single(const icf_fronts *fronts)
{
    return fronts->kernels->bytes == sizeof(float);
}

/* Takes over a symbolic factor: depths, siblings and runs; nothing is kept beside the stacks, no panel has a place. */
ICF_MUST_CHECK icf_status icf_fronts_analyze(icf_fronts *fronts, const icf_symbolic *symbolic);

/* Places the panels of the supernodes first..last one after the other from *at on; *at becomes their end. */
void icf_fronts_place(icf_fronts *fronts, icf_lid first, icf_lid last, int64_t *at);

/* Makes room for a factor of that many values. */
ICF_MUST_CHECK icf_status icf_fronts_reserve(icf_fronts *fronts, int64_t nvalue);

/* Makes room for factoring first..last, complete subtrees, with this stack. */
ICF_MUST_CHECK icf_status icf_front_stack_reserve(icf_front_stack *stack, const icf_fronts *fronts, icf_lid first,
                                                  icf_lid last);

/* Values of the update of a supernode, a square with a padded leading dimension. */
int64_t icf_front_update_size(const icf_symbolic *symbolic, icf_lid s);

/* The value n places behind p. */
static inline void *icf_front_value(const icf_front_kernels *kernels, const void *p, ptrdiff_t n)
{
    return (char *)p + n * (ptrdiff_t)kernels->bytes;
}

/* Rows below the pivots of s: its update has this order. */
static inline int icf_front_below(const icf_symbolic *symbolic, icf_lid s)
{
    return symbolic->front_dof[s] - symbolic->pivot_dof[s];
}

/* The last child of s in postorder, -1 when it has none; icf_fronts.sibling leads to the others. */
static inline icf_lid icf_front_last_child(const icf_symbolic *symbolic, icf_lid s)
{
    return symbolic->super_nchild[s] > 0 ? s - 1 : -1;
}

/* Where the rows of a child's update lie in the parent's front, as runs. */
static inline const icf_front_run *icf_fronts_runs(const icf_fronts *fronts, icf_lid child, int *nrun)
{
    *nrun = (int)(fronts->run_ptr[child + 1] - fronts->run_ptr[child]);
    return fronts->run + fronts->run_ptr[child];
}

/* Copies the entries of the matrix into columns begin..end-1 of the front of s.
 *   columns [in,out] column `begin`, from row `begin` of the front on, which the caller has cleared */
void icf_front_assemble(const icf_front_kernels *kernels, const icf_symbolic *symbolic, const icf_block_matrix *matrix,
                        icf_lid s, int begin, int end, void *columns, int ld);

/* Factors the supernodes first..last, complete subtrees but for children whose updates are kept.
 * Returns false when a pivot is not positive and finite; factor and kept updates are undefined then. */
bool icf_fronts_factor(icf_fronts *fronts, icf_front_stack *stack, const icf_block_matrix *matrix, icf_lid first,
                       icf_lid last);

/* Factors one supernode whose children's updates and own update are kept, by several threads: they share out its
 * strips. */
bool icf_fronts_factor_one(icf_fronts *fronts, int nthread, const icf_block_matrix *matrix, icf_lid s);

/* Forward solve with the supernodes first..last.  x [in,out] (dofs) in elimination order. */
void icf_fronts_forward(const icf_fronts *fronts, icf_front_stack *stack, icf_lid first, icf_lid last, double *x);

/* Backward solve with the supernodes last..first; x holds the solution of all supernodes above them. */
void icf_fronts_backward(const icf_fronts *fronts, icf_front_stack *stack, icf_lid first, icf_lid last, double *x);

/* Gathers and scatters the rows of the front of s: pivots, or the rows below.
 *   x [in,out] (dofs) in elimination order; vector [in,out] (front_dof) */
void icf_front_gather(const icf_symbolic *symbolic, icf_lid s, const double *x, double *vector);
void icf_front_scatter_pivots(const icf_symbolic *symbolic, icf_lid s, const double *vector, double *x);
void icf_front_scatter_below(const icf_symbolic *symbolic, icf_lid s, const double *vector, double *x);

#endif
