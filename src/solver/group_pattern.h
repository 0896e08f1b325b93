/* Pattern of a group's whole matrix on every rank of the group: blocks by global number, no values.
 *
 * Each rank gives the block pairs that its own constraints touch.  A rank holds 4 bytes a block pair and 4 a block;
 * the symbolic factor built from it (symbolic.h) takes about ten times that.
 */
#ifndef ICF_SOLVER_GROUP_PATTERN_H
#define ICF_SOLVER_GROUP_PATTERN_H

#include "solver/block_matrix.h"
#include "solver/group.h"

/* A grow-only array. */
#define ICF_GROUP_ARRAY(type, name) \
    type *name;                     \
    size_t name##_capacity

typedef struct icf_group_pattern {
    icf_block_matrix matrix; /* nblock, dof, ptr, idx; varies */
    ICF_GROUP_ARRAY(int32_t, dof);
    ICF_GROUP_ARRAY(icf_lid, ptr);
    ICF_GROUP_ARRAY(icf_lid, idx);
    ICF_GROUP_ARRAY(int32_t, width); /* dofs of the blocks */
    ICF_GROUP_ARRAY(int, pairs);     /* block pairs of this rank, larger number first */
    ICF_GROUP_ARRAY(int, all_pairs);
    ICF_GROUP_ARRAY(bool, varies);
    ICF_GROUP_ARRAY(int, counts); /* (2 size) numbers and starts of what the ranks give */
} icf_group_pattern;

void icf_group_pattern_init(icf_group_pattern *pattern);
void icf_group_pattern_clear(icf_group_pattern *pattern);

/* Gathers the pattern.
 *   matrix [in] blocks of this rank, shadows included; values are not read.  A block varies if it does on any rank.
 * Collective over the group. */
ICF_MUST_CHECK icf_status icf_group_pattern_build(icf_group_pattern *pattern, const icf_group *group,
                                                  const icf_block_matrix *matrix);

/* First dof that the rank owns in the numbering of the whole matrix; for rank = size the number of dofs. */
static inline int32_t icf_group_first_dof(const icf_group_pattern *pattern, const icf_group *group, int rank)
{
    return pattern->matrix.dof[group->rank_first[rank]];
}

#endif
