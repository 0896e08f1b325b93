/* Places in one piece of memory for the updates of a factorisation that are kept beside the stacks.
 *
 * The analysis goes through the factorisation without values: it inserts an update where it is made and removes those
 * of a front's children when the front is done.  An update takes the first gap that is long enough.  No MPI, no
 * threads.
 */
#ifndef ICF_SOLVER_UPDATE_MEMORY_H
#define ICF_SOLVER_UPDATE_MEMORY_H

#include "base/status.h"
#include "base/types.h"

/* An update that is alive. */
typedef struct icf_live_update {
    int64_t begin, end;
    icf_lid parent; /* the front that it goes into */
} icf_live_update;

typedef struct icf_update_memory {
    icf_live_update *live; /* (nlive) by begin */
    icf_lid nlive;
    int64_t most; /* values needed so far */
    size_t live_capacity;
} icf_update_memory;

void icf_update_memory_init(icf_update_memory *memory);
void icf_update_memory_clear(icf_update_memory *memory);

/* Forgets all updates. */
void icf_update_memory_reset(icf_update_memory *memory);

/* Places an update of that many values, for the front `parent`.
 *   begin [out] its first value */
ICF_MUST_CHECK icf_status icf_update_memory_insert(icf_update_memory *memory, int64_t length, icf_lid parent,
                                                   int64_t *begin);

/* Removes the updates that go into a front. */
void icf_update_memory_remove(icf_update_memory *memory, icf_lid parent);

#endif
