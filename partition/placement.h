/* Placement: where an island that lies on several ranks is solved.
 *
 * Each rank reports its parts to the rank that keeps the book for their label (label modulo ranks), which answers
 * with the rank that owns most bodies of the island (the lowest of equals) and the island's size.
 */
#ifndef ICF_PARTITION_PLACEMENT_H
#define ICF_PARTITION_PLACEMENT_H

#include "partition/components.h"

typedef struct icf_placement {
    int *solver;   /* (parts) rank that solves the island of each part; this rank where it is complete here */
    icf_cnt *size; /* (parts) moving bodies of the whole island */
    size_t solver_capacity, size_capacity;
    struct icf_placement_entry *entry; /* book of the labels kept here */
    size_t entry_capacity;
} icf_placement;

void icf_placement_init(icf_placement *placement);
void icf_placement_clear(icf_placement *placement);

/* Decides for all parts.  Collective. */
ICF_MUST_CHECK icf_status icf_placement_build(icf_placement *placement, const icf_halo *halo, const icf_bodies *bodies,
                                              const icf_islands *islands, const icf_components *components);

#endif
