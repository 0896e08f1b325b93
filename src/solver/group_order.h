/* Elimination order of a group's matrix: the one that a rank alone finds with the blocks by global id, so that the
 * factor does not depend on which rank owns what.  Found on the first rank.
 */
#ifndef ICF_SOLVER_GROUP_ORDER_H
#define ICF_SOLVER_GROUP_ORDER_H

#include "base/sort.h"
#include "solver/group_pattern.h"
#include "solver/order_repair.h"
#include "solver/ordering.h"

typedef struct icf_group_order {
    icf_ordering ordering;
    icf_order_repair repair;
    bool varying_last;                /* what varies in a series of factorisations is at the end */
    ICF_GROUP_ARRAY(icf_lid, order);  /* (2 blocks) block at each place, by the group's numbers; scratch */
    ICF_GROUP_ARRAY(icf_gid, gid);    /* (blocks) first rank: global ids */
    ICF_GROUP_ARRAY(icf_keyed, item); /* (2 blocks) first rank: blocks by global id, scratch */
    ICF_GROUP_ARRAY(int, counts);     /* (2 size) */
    ICF_GROUP_ARRAY(icf_lid, place);  /* (blocks) first rank: where a block is among the global ids */
    ICF_GROUP_ARRAY(icf_lid, ptr);    /* first rank: the pattern by global ids */
    ICF_GROUP_ARRAY(icf_lid, idx);
    ICF_GROUP_ARRAY(int32_t, dof);
    ICF_GROUP_ARRAY(bool, varies);
} icf_group_order;

void icf_group_order_init(icf_group_order *self);
void icf_group_order_clear(icf_group_order *self);

/* How an order is looked for. */
typedef enum icf_order_how {
    ICF_ORDER_FIND,      /* the cheapest */
    ICF_ORDER_IF_NARROW, /* unless it pays to leave pairs out that are zero (icf_symbolic_cheap) */
    ICF_ORDER_REPAIR     /* the last one, for more pairs, unless it is time for a new one (order_repair.h) */
} icf_order_how;

/* Finds an order and the symbolic factor for it.
 *   pattern  [in]     of all blocks
 *   symbolic [in,out] on all ranks; [in] that of the last one, to repair it
 *   found    [out]    whether there is one
 * Collective over the group. */
ICF_MUST_CHECK icf_status icf_group_order_find(icf_group_order *self, const icf_group *group,
                                               const icf_group_pattern *pattern, icf_order_how how,
                                               icf_symbolic *symbolic, bool *found);

#endif
