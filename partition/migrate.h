/* Migration: moves bodies to the ranks that shall own them.
 *
 *   before   rank 0: a b C | D        rank 1: c d | C D        capitals: bodies that the solver does not move
 *   after    rank 0: b c C D          rank 1: a d | C D        (a to 1, c to 0; before the bar: owned)
 *
 * Bodies that the solver does not move are replicated: every rank holds all of them, rank 0 owns them.
 */
#ifndef ICF_PARTITION_MIGRATE_H
#define ICF_PARTITION_MIGRATE_H

#include "partition/exchange.h"
#include "scene/bodies.h"

/* Sends every owned body that the solver moves to rank[i] and rebuilds the container: owned bodies by ascending
 * global id, then the replicated bodies (fixed, prescribed, or with all degrees of freedom locked; owned by rank 0,
 * ghosts elsewhere), which stay as they are.  Ghosts of moving bodies are dropped.  A rank may end with nothing.
 *   bodies [in,out] with all replicated bodies, owned or as ghosts
 *   rank   [in]     (nowned) new owner of each owned body; of bodies that do not move it is not read
 *   nmoved [out]    bodies that left this rank; may be NULL
 * On failure the bodies are lost or incomplete.  Collective. */
ICF_MUST_CHECK icf_status icf_migrate(icf_context *context, icf_exchange *exchange, icf_bodies *bodies, const int *rank,
                                      icf_cnt *nmoved);

#endif
