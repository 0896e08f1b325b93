/* Placement: where an island that lies on several ranks is solved.
 *
 * Each rank reports its parts to the rank that keeps the book for their label, the one that owns the body of this id.
 * It answers with the island's size and either the rank that owns most of its bodies (of equals the one whose smallest
 * id is the lowest), which will solve it, or, for a large island and for one with a body whose work all ranks share,
 * the group of ranks that have bodies of it, which will solve it together.  So what is sent depends on the parts alone,
 * not on which rank has which.
 */
#ifndef ICF_PARTITION_PLACEMENT_H
#define ICF_PARTITION_PLACEMENT_H

#include "partition/components.h"
#include "partition/decompose.h"

typedef struct icf_placement {
    int *solver; /* (parts) rank that solves the island of each part; this rank, or who it is lent to (lend.h), where it
                    is complete here */
    icf_cnt *size;      /* (parts) moving bodies of the whole island */
    icf_lid *group_ptr; /* (parts + 1) first rank of each part's group; empty groups: solved by one rank */
    int *group;         /* (group_ptr[parts]) ranks, ascending */
    size_t solver_capacity, size_capacity, group_ptr_capacity, group_capacity;
    struct icf_placement_entry *entry; /* book of the labels kept here */
    size_t entry_capacity;
    const int64_t **answer_at; /* (parts) scratch: the answer to each report */
    icf_lid *report_part;      /* (parts) scratch: the part of each report to one book */
    size_t answer_at_capacity, report_part_capacity;
} icf_placement;

void icf_placement_init(icf_placement *placement);
void icf_placement_clear(icf_placement *placement);

/* Decides for all parts.
 *   below [in] smaller islands are solved by one rank
 * Collective. */
ICF_MUST_CHECK icf_status icf_placement_build(icf_placement *placement, const icf_halo *halo, const icf_bodies *bodies,
                                              const icf_islands *islands, const icf_components *components,
                                              icf_gather_below below);

#endif
