/* A step over many ranks: ghosts before detection, islands over rank borders, guests.
 *
 * An island that lies on several ranks is solved by one of them, the one that owns most of it: all its bodies come
 * there as guests, contacts are found anew (a function of the bodies alone, so the same bits), the island is solved
 * like any other, and velocities go back to the owners.  Islands that a rank lends to another (step/lend_islands.h) go
 * the same way.
 */
#ifndef ICF_STEP_DISTRIBUTE_H
#define ICF_STEP_DISTRIBUTE_H

#include "partition/components.h"
#include "partition/halo.h"
#include "partition/placement.h"
#include "step/domain.h"
#include "step/group_solve.h"

typedef struct icf_distribution {
    icf_exchange *exchange;
    icf_halo halo;
    icf_components components;
    icf_placement placement;
    icf_received received; /* guests */
    icf_bodies bodies;     /* guests and replicated bodies */
    icf_domain guests;
    icf_group_islands *groups; /* islands solved by groups of ranks */
    icf_broad_phase *near;     /* pairs for the graph of a rebalancing, created on first use */
    double *margin;            /* (owned bodies) */
    size_t margin_capacity;
} icf_distribution;

ICF_MUST_CHECK icf_status icf_distribution_init(icf_distribution *distribution, icf_context *context);
void icf_distribution_clear(icf_distribution *distribution);

/* Islands over several ranks that one of them solves, not their group. */
icf_gather_below icf_find_gather_below(const icf_scene *scene);

/* Reference velocity of the margins: the mean of all moving bodies.  Collective. */
icf_vec3 icf_distribution_reference(const icf_context *context, const icf_bodies *bodies, double end_time);

/* Rebuilds the ghosts of the domain and moves it freely; the mass matrices of owned bodies are there.
 *   acceleration [in] (nowned) of the free motion, of icf_domain_accelerate; not there any more afterwards
 *   near         [in] also bodies that are only near (step/near_graph.h)
 * Collective. */
ICF_MUST_CHECK icf_status icf_distribution_ghosts(icf_distribution *distribution, icf_domain *domain,
                                                  const icf_step_input *input, const icf_vec3 *acceleration, bool near);

/* Finds the islands that lie on several ranks, and those that are lent, marks them as skipped in the domain, brings
 * their bodies to where they are solved and finds the guests' contacts there. status [in] of the domain's detection on
 * this rank; agreed on here Collective. */
ICF_MUST_CHECK icf_status icf_distribution_gather(icf_distribution *distribution, icf_domain *domain,
                                                  const icf_step_input *input, icf_status status,
                                                  icf_step_stats *stats);

/* Sends the guests' velocities to their owners and sets them in the domain.
 *   status [in] of the solves on this rank; agreed on here
 * Collective. */
ICF_MUST_CHECK icf_status icf_distribution_return(icf_distribution *distribution, icf_domain *domain,
                                                  const icf_step_input *input, icf_status status);

#endif
