/* Decomposition: which rank shall own which body.
 *
 * Two ways: along a space-filling curve, which needs positions and weights only, distributed, for any size; and
 * METIS k-way on the weighted contact and proximity graph, gathered in compressed form.  A graph of more than a stated
 * size is first cut along the curve into regions, each for some consecutive ranks, whose graphs METIS then cuts at the
 * same time, each on the region's first rank.
 * Bodies that the solver does not move are replicated, not decomposed: their entries of rank are this rank.
 */
#ifndef ICF_PARTITION_DECOMPOSE_H
#define ICF_PARTITION_DECOMPOSE_H

#include "base/context.h"
#include "geometry/broad_phase.h"
#include "partition/exchange.h"
#include "scene/bodies.h"

/* METIS gets graphs of about so many moving bodies at most. */
enum { ICF_METIS_BODIES = 200000 };

/* With fewer moving bodies a rank than this, where they lie is all that matters: along the curve too. */
enum { ICF_METIS_BODIES_A_RANK = 4 };

typedef struct icf_decomposition {
    double cut;       /* part of the edge weight that is cut; 0 along a curve */
    double imbalance; /* largest over mean weight of a rank */
} icf_decomposition;

/* Cuts a Hilbert curve through a cube round all moving bodies into pieces of equal weight.  Independent of how the
 * bodies are distributed at the start; a piece is too heavy by one body at most.
 *   weight [in]  (nowned) > 0; NULL: 1 each
 *   rank   [out] (nowned) new owner of each owned body
 * Collective; O(bodies of the rank) memory; about 85 small sums over the ranks. */
ICF_MUST_CHECK icf_status icf_decompose_curve(icf_context *context, const icf_bodies *bodies, const double *weight,
                                              int *rank, icf_decomposition *result);

/* Ranks 0 .. size - 1 in n runs, as even as they can be. */
typedef struct icf_regions {
    int n, size;
} icf_regions;

/* Regions of about `most` of the bodies each, that METIS cuts.  None, and the curve is all, when no edges join the
 * bodies, when there are so few a rank that there is nothing to cut, and when there are so many that every region has
 * one of several ranks. */
static inline icf_regions icf_regions_of(int64_t nbody, int64_t nedge, int64_t most, int size)
{
    const int64_t n = (nbody + most - 1) / most;
    const bool worth = nedge > 0 && nbody >= ICF_METIS_BODIES_A_RANK * (int64_t)size && (n < size || n == 1);
    return (icf_regions){worth ? (int)n : 0, size};
}

/* First rank of a region; that of region n is size. */
static inline int icf_region_first(icf_regions regions, int region)
{
    return (int)((int64_t)region * regions.size / regions.n);
}

/* Region of a rank. */
static inline int icf_region_of(icf_regions regions, int rank)
{
    return (int)((((int64_t)rank + 1) * regions.n - 1) / regions.size);
}

/* Islands with fewer moving bodies than this are solved by one rank; a deformable body counts by its degrees of
 * freedom. */
typedef struct icf_gather_below {
    icf_cnt rigid, soft; /* of islands without and with a deformable body */
} icf_gather_below;

/* Bodies that one rank shall have (partition/wholes.h). */
typedef struct icf_whole_rule {
    double pair_weight;     /* pairs of at least this weight join their bodies to wholes ... */
    icf_gather_below below; /* ... and wholes of fewer bodies stay together; all 0: none do */
} icf_whole_rule;

/* The graph by which bodies are decomposed. */
typedef struct icf_weighted_pairs {
    const double *weight; /* (nowned) cost of a body, > 0; NULL: 1 each */
    icf_lid npair;
    const icf_pair *pair;      /* (npair) found by this rank, each by one rank only, with an owned body; pairs with
                                  bodies that do not move are skipped */
    const double *pair_weight; /* (npair) >= 1; NULL: 1 each */
    icf_whole_rule whole;
} icf_weighted_pairs;

/* METIS k-way on the graph of owned bodies and pairs, region by region (icf_regions_of).  The parts do not depend on
 * how the bodies are distributed; they are given to ranks such that few bodies move.
 *   most [in]  moving bodies of a region, about; ICF_METIS_BODIES
 *   rank [out] (nowned) new owner of each owned body
 * Collective; the memory on a region's first rank is 80 bytes a body and 24 bytes a pair of the region, and the graph.
 */
ICF_MUST_CHECK icf_status icf_decompose_graph(icf_context *context, icf_exchange *exchange, const icf_bodies *bodies,
                                              const icf_weighted_pairs *pairs, int64_t most, int *rank,
                                              icf_decomposition *result);

#endif
