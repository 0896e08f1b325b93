/* Scene writer: a scene as a YAML file that the scene reader reads back to the last bit.
 *
 * Used by `icf make` and to save an island that could not be solved.  Streaming: header, then bodies one by
 * one, then the end; memory does not depend on the number of bodies.
 */
#ifndef ICF_IO_SCENE_WRITER_H
#define ICF_IO_SCENE_WRITER_H

#include <stdio.h>

#include "base/context.h"
#include "scene/bodies.h"
#include "scene/scene.h"

/* Writes everything before the bodies: name, gravity, time, contact, solver, materials, pairs, output. */
void icf_scene_write_begin(FILE *file, const icf_scene *scene);

/* Writes one body. */
void icf_scene_write_body(FILE *file, const icf_scene *scene, const icf_body_def *def);

/* Writes forces and springs (names of the bodies by gid from `name`, which may use a static buffer of the
 * caller) and checks the stream: ICF_ERROR_FILE when anything could not be written. */
ICF_MUST_CHECK icf_status icf_scene_write_end(icf_context *context, FILE *file, const icf_scene *scene,
                                              const char *(*name)(void *user, icf_gid body), void *user);

#endif
