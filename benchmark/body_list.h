/* A scene as a plain list, for drivers of other engines: every engine gets exactly the same bodies.
 *
 *   scene DT NSTEP NBODY FRICTION            numbers of the scene; NBODY moving bodies follow somewhere below
 *   ground OFFSET                            half-space z < OFFSET
 *   wall HX HY HZ  X Y Z                     fixed box: half edge lengths, centre
 *   sphere MASS RADIUS  X Y Z
 *   box MASS HX HY HZ  X Y Z
 */
#ifndef ICF_BENCHMARK_BODY_LIST_H
#define ICF_BENCHMARK_BODY_LIST_H

#include "scene/bodies.h"
#include "scene/scene.h"

/* Writes the bodies as they are now.
 * ICF_ERROR_USAGE: a body that the list cannot express (another shape, rotated, moving at the start, partly locked,
 * or gravity not 9.81 m/s^2 down); ICF_ERROR_FILE. */
ICF_MUST_CHECK icf_status icf_body_list_write(icf_context *context, const char *path, const icf_scene *scene,
                                              const icf_bodies *bodies);

#endif
