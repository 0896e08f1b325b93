/* Right-hand side and solution of a group: between the owners of the blocks and the ranks that have the columns.
 *
 * Lists are made once an analysis from what every rank knows; then one exchange with known counts each way.
 */
#ifndef ICF_SOLVER_GROUP_VECTORS_H
#define ICF_SOLVER_GROUP_VECTORS_H

#include "solver/front_map.h"
#include "solver/group_pattern.h"

typedef struct icf_group_vectors {
    int32_t ndof;                         /* of the whole matrix */
    int nowned, nheld;                    /* dofs owned here; dofs whose columns are here */
    ICF_GROUP_ARRAY(int32_t, owned);      /* (nowned) owned dofs by rank that has their column, ascending */
    ICF_GROUP_ARRAY(int32_t, held);       /* (nheld) dofs in elimination order by owner, in the order of its list */
    ICF_GROUP_ARRAY(double, owned_value); /* (nowned) */
    ICF_GROUP_ARRAY(double, held_value);  /* (nheld) */
    ICF_GROUP_ARRAY(double, x);           /* (ndof) in elimination order */
    ICF_GROUP_ARRAY(int, counts);         /* (4 size) numbers and starts of owned and held */
} icf_group_vectors;

void icf_group_vectors_init(icf_group_vectors *vectors);
void icf_group_vectors_clear(icf_group_vectors *vectors);

/* Makes the lists.  Local. */
ICF_MUST_CHECK icf_status icf_group_vectors_analyze(icf_group_vectors *vectors, const icf_group *group,
                                                    const icf_group_pattern *pattern, const icf_front_map *map);

/* vectors->x becomes b (owned dofs) in the rows of columns held here, zero elsewhere.  Collective over the group. */
void icf_group_vectors_bring(icf_group_vectors *vectors, icf_group *group, const double *b);

/* x (owned dofs) becomes vectors->x.  Collective over the group. */
void icf_group_vectors_take_home(icf_group_vectors *vectors, icf_group *group, double *x);

#endif
