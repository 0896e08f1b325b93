/* A space-filling curve through the boxes of a scene: neighbours on it are near each other in space. */
#ifndef ICF_GEOMETRY_CURVE_H
#define ICF_GEOMETRY_CURVE_H

#include "base/sort.h"
#include "geometry/box_tree.h"

enum { ICF_CURVE_AXIS_BITS = 19, ICF_CURVE_BITS = 3 * ICF_CURVE_AXIS_BITS };

/* The cube that the curve fills, 2^ICF_CURVE_AXIS_BITS cells along an edge, and what was met on the way. */
typedef struct icf_curve {
    icf_vec3 center;     /* of the cube [m] */
    double scale;        /* cells a metre; 0 when all boxes have one centre */
    double longest_edge; /* of all boxes [m] */
} icf_curve;

/* Fits the cube to the centres of boxes: of n items, item k has the box boxes[items[k].value].  A box that
 * has left for far away must not coarsen the curve for the others: the cube reaches 16 mean deviations
 * from the centre at most.  Centres that are not finite count for nothing. */
icf_curve icf_curve_fit(icf_lid n, const icf_keyed *items, const icf_box *boxes);

/* Bits of three numbers below 2^21 by turns, the highest of x first. */
uint64_t icf_interleave(uint32_t x, uint32_t y, uint32_t z);

/* Place of a point along the Morton curve, below 2^ICF_CURVE_BITS; what is outside of the cube is taken to
 * its faces. */
uint64_t icf_curve_key(const icf_curve *curve, icf_vec3 point);

#endif
