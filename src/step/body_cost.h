/* What bodies cost a step: seconds by counts of the step and the default rates of the cost model (step/cost.h).
 *
 * A body costs its geometry, its share in the contacts that it has, and an even share of its island's factor and
 * solution, over all iterations of the island.  Counts are the same on any rank, and do not see what else a machine is
 * doing: graphs weighted by them are cut the same way every time.
 */
#ifndef ICF_STEP_BODY_COST_H
#define ICF_STEP_BODY_COST_H

#include "step/domain.h"

/* Newton iterations of an island that nobody has solved yet, and evaluations of l' in each, as in settled piles. */
enum { ICF_USUAL_ITERATIONS = 6, ICF_USUAL_EVALUATIONS = 3 };

/* Costs of a domain's bodies in the step just solved, before contacts that are not this rank's are dropped.  Islands
 * that others solve count as if they took the usual iterations.
 *   cost [out] (bodies) [s]; 0 for bodies that do not move */
void icf_body_costs(const icf_domain *domain, double *cost);

/* The same from contacts alone, when nothing has been solved.
 *   split [in] bodies whose work all ranks share, which cost their owner little */
void icf_body_costs_guess(const icf_bodies *bodies, const icf_split_motions *split, const icf_contacts *contacts,
                          double *cost);

/* Takes a step's costs into the mean over the last steps that owned bodies carry (bodies->cost).
 *   cost [in] (bodies->nowned) */
void icf_body_costs_keep(icf_bodies *bodies, const double *cost);

/* What the geometry of a rigid body takes, wherever its island is solved [s]. */
double icf_body_geometry_cost(void);

/* What solving an owned body's share of its island is expected to take, by the mean that it carries [ns]; 0: not known.
 *   geometry [in] icf_body_geometry_cost() */
static inline int64_t icf_body_expected_work(const icf_bodies *bodies, icf_lid i, double geometry)
{
    const double work = 1e9 * (bodies->cost[i] - geometry);
    return work > 0.0 ? (int64_t)work : 0;
}

#endif
