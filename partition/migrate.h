/* Migration: moves bodies to the ranks that shall own them.
 */
#ifndef ICF_PARTITION_MIGRATE_H
#define ICF_PARTITION_MIGRATE_H

#include "partition/exchange.h"
#include "scene/bodies.h"

/* Sends every owned body that the solver moves to rank[i] and rebuilds the container: owned bodies by ascending
 * global id, then the replicated bodies (fixed, prescribed; owned by rank 0, ghosts elsewhere).  Ghosts of
 * moving bodies are dropped.
 *   rank   [in]  (nowned) new owner of each owned body; of bodies that do not move it is not read
 *   nmoved [out] bodies that left this rank
 * Collective. */
ICF_MUST_CHECK icf_status icf_migrate(icf_context *context, icf_exchange *exchange, icf_bodies *bodies, const int *rank,
                                      icf_cnt *nmoved);

#endif
