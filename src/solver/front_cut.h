/* A tree of fronts, cut for workers: subtrees that are independent, and the fronts above them.
 *
 * The cut is that of as many ranks (front_map.h), a function of the symbolic factor and the number of workers alone.
 * Private to src/solver.
 */
#ifndef ICF_SOLVER_FRONT_CUT_H
#define ICF_SOLVER_FRONT_CUT_H

#include "solver/front_map.h"

typedef struct icf_front_cut {
    icf_front_map map;
    icf_lid *subtree; /* (nsubtree) roots, ascending */
    icf_lid *by_cost; /* (nsubtree) the same, dearest first */
    icf_lid *above;   /* (nabove) fronts above, ascending */
    icf_lid nsubtree, nabove;
    size_t subtree_capacity, by_cost_capacity, above_capacity;
} icf_front_cut;

void icf_front_cut_init(icf_front_cut *cut);
void icf_front_cut_clear(icf_front_cut *cut);

ICF_MUST_CHECK icf_status icf_front_cut_build(icf_front_cut *cut, const icf_symbolic *symbolic, int nworker);

/* First front of the subtree of a root. */
static inline icf_lid icf_front_cut_first(const icf_front_cut *cut, icf_lid root)
{
    return root - cut->map.size[root] + 1;
}

#endif
