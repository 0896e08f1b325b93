/* Bounds of qualitative cases: a mesh that was inverted or crushed has its shape again at the end of the run.
 *
 * Fed with every record of a trace, in order; what is judged is the first deformable of the scene.
 */
#ifndef TESTS_GOLDEN_BOUNDS_H
#define TESTS_GOLDEN_BOUNDS_H

#include <jansson.h>
#include <stdio.h>

/* A run under way. */
typedef struct golden_bounds {
    double speed; /* largest speed of a vertex so far [m/s]; NaN once a velocity is missing */
    json_t *last; /* record of the last step so far (owned) */
} golden_bounds;

/* Takes note of a record.
 *   bounds  [in, out] zero before the first record
 *   record  [in] a line of the trace */
void golden_bounds_add(golden_bounds *bounds, json_t *record);

/* Judges the run and frees what it took.
 *   bounds    [in, out]
 *   scene     [in] the scene: steps and the mesh at rest, a box or vertices with tets
 *   expected  [in] `bounds` of the case: max_shape_error_rel, the largest entry of F^T F - 1 over the elements at the
 *             end, where every det F > 0; max_speed_ever [m/s]
 *   out       [in] receives a line for every bound that does not hold
 * Returns the number of bounds that do not hold. */
int golden_bounds_check(golden_bounds *bounds, const json_t *scene, const json_t *expected, FILE *out);

#endif
