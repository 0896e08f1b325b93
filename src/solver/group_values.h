/* Entries of a group's matrix to the ranks that assemble them.
 *
 * A rank holds the blocks that its constraints touch.  Each goes to the ranks that have its columns (front_map.h); what
 * comes from several ranks is added in the order of the ranks, a rank's own blocks straight from its matrix.  Lists are
 * made once an analysis; then one exchange with known counts a factorisation.
 */
#ifndef ICF_SOLVER_GROUP_VALUES_H
#define ICF_SOLVER_GROUP_VALUES_H

#include "solver/front_map.h"
#include "solver/group_pattern.h"

/* A block on its way out. */
typedef struct icf_sent_block {
    icf_lid row, column; /* in the local matrix */
    icf_lid entry;       /* off-diagonal block; -1: the diagonal one */
    bool flip;           /* the transposed block is sent */
} icf_sent_block;

typedef struct icf_group_values {
    icf_block_matrix matrix; /* the whole pattern, with the values that this rank assembles */
    ICF_GROUP_ARRAY(int64_t, diag_at);
    ICF_GROUP_ARRAY(int64_t, off_at);
    ICF_GROUP_ARRAY(double, val);
    ICF_GROUP_ARRAY(icf_sent_block, sent); /* by rank */
    ICF_GROUP_ARRAY(int64_t, sent_code);   /* row and column of each in the whole matrix: 2^32 row + column */
    ICF_GROUP_ARRAY(int64_t, code);        /* of what comes, by rank */
    ICF_GROUP_ARRAY(double, out);
    ICF_GROUP_ARRAY(double, in);
    ICF_GROUP_ARRAY(int, counts); /* (8 size) see group_values.c */
    int nsent, nreceived;         /* blocks */
} icf_group_values;

void icf_group_values_init(icf_group_values *values);
void icf_group_values_clear(icf_group_values *values);

/* Makes the lists.
 *   matrix [in] blocks of this rank; values are not read
 * Collective over the group. */
ICF_MUST_CHECK icf_status icf_group_values_analyze(icf_group_values *values, const icf_group *group,
                                                   const icf_group_pattern *pattern, const icf_front_map *map,
                                                   const icf_block_matrix *matrix);

/* Fills values->matrix with the sum of all ranks' blocks.  Collective over the group. */
void icf_group_values_update(icf_group_values *values, icf_group *group, const icf_block_matrix *matrix);

#endif
