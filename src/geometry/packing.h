/* Random packings: bodies at random in a region, none of which overlaps another.
 *
 * Random sequential addition in layers.  The region is cut into horizontal layers at least as thick as the largest body
 * is wide (with the gap), so that bodies of layer j meet those of j - 1, j and j + 1 only.  Layer j holds the bodies
 * whose numbers are in [n V(j), n V(j + 1)), rounded down, V(j) the part of the volume below it: every body has its
 * layer, template, size, orientation and velocity before a place is looked for, so that their statistics are exact.
 *
 *      layer 4   even   first, on its own
 *      layer 3   odd    then, beside the two even ones
 *      layer 2   even   first, on its own
 *
 * In a layer the largest bodies come first.  A body throws darts, points uniform in the layer where the body is inside
 * the region, from its own counter-based random numbers, until one is free; the first darts are free when the spheres
 * round the bodies are apart, the later ones when the bodies themselves are.  A layer thus depends on the
 * seed and on the layers beside it alone, and a rank that wants bodies begin to end - 1 packs their layers and at most
 * one more on either side: the same bits on any number of ranks, in memory for three layers.
 *
 * Local, thread-safe.
 */
#ifndef ICF_GEOMETRY_PACKING_H
#define ICF_GEOMETRY_PACKING_H

#include "scene/scene.h"

/* Generates bodies begin to end - 1 of a packing of the scene by ascending global id, in chunks; those that find no
 * room are left out.
 *   begin, end [in]  0 <= begin <= end <= population->n
 *   first_gid  [in]  global id of body 0 of this population
 *   missing    [out] bodies of the range that found no room
 * ICF_ERROR_MEMORY, or what the sink returns. */
ICF_MUST_CHECK icf_status icf_packing_generate(const icf_scene *scene, const icf_population *population,
                                               icf_gid first_gid, icf_cnt begin, icf_cnt end, icf_body_sink sink,
                                               void *user, icf_cnt *missing);

#endif
