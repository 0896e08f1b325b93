/* Comparison of one record of a trace with reference values of the same step.
 *
 * The reference cases were computed apart from this library, converged to a relative gradient of 1e-12; each states
 * tolerances from a rerun with perturbed positions.  What is compared, and how closely:
 *   bodies     position, orientation (either sign), linear velocity; angular velocity 20 times as loosely
 *   deformables  vertices and velocities, the vertex that is off most; reaction of the supports, to 1e-6
 *   energy     kinetic and elastic, to 1e-5 of their sum, where there are deformables
 *   contacts   total normal impulse and number of active ones; of those that carry more than a thousandth of the
 *              total, the nearest of the same pair: point, distance, normal (1e-7) and impulse
 *   solver     total cost and contact cost, to 1e-5
 */
#ifndef TESTS_GOLDEN_COMPARE_H
#define TESTS_GOLDEN_COMPARE_H

#include <jansson.h>
#include <stdio.h>

/* Compares a record with a checkpoint.
 *   checkpoint  [in] the reference values of a step
 *   tolerance   [in] the tolerances of the case
 *   record      [in] a line of the trace; what it lacks or holds in another type counts as a difference
 *   out         [in] receives a line for every difference
 * Returns the number of differences. */
int golden_compare(const json_t *checkpoint, const json_t *tolerance, const json_t *record, FILE *out);

#endif
