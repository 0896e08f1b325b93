/* Scene writer: a scene as a YAML file that the scene reader reads back to the last bit.
 *
 * Used by `icf make` and to save an island that could not be solved.  Streaming: header, then bodies one by
 * one, then the end; memory does not depend on the number of bodies.  Numbers have the fewest digits that
 * read back to the same bits; a body is one line, without the keys that have their default value.
 * Local, single thread.  Errors of the stream are found by icf_scene_write_end.
 */
#ifndef ICF_IO_SCENE_WRITER_H
#define ICF_IO_SCENE_WRITER_H

#include <stdio.h>

#include "base/context.h"
#include "scene/bodies.h"
#include "scene/scene.h"

/* Writes everything before the bodies: name, gravity, time, contact, solver, materials, pairs, output. */
void icf_scene_write_begin(FILE *file, const icf_scene *scene);

/* Writes one body; a name that is NULL is left out (the reader then calls it "body<position>").  Mass,
 * inertia and velocities are written for dynamic bodies only. */
void icf_scene_write_body(FILE *file, const icf_scene *scene, const icf_body_def *def);

/* Writes the populations of the scene, behind the bodies. */
void icf_scene_write_populations(FILE *file, const icf_scene *scene);

/* Writes forces and springs (names of the bodies by gid from `name`, which may use a static buffer of the
 * caller) and checks the stream: ICF_ERROR_FILE when anything could not be written.
 *   name [in] gives a body's name; NULL leaves out the force or spring.  May be NULL without forces and springs */
ICF_MUST_CHECK icf_status icf_scene_write_end(icf_context *context, FILE *file, const icf_scene *scene,
                                              const char *(*name)(void *user, icf_gid body), void *user);

/* Writes the contents of a file; an error of the stream alone is found by the caller. */
typedef icf_status (*icf_write_contents)(void *user, FILE *file);

/* Writes a file that appears whole or not at all; devices and pipes are written to as they are.
 *   path     [in] file that is created or replaced
 *   contents [in] writes it; gets user
 * ICF_ERROR_FILE, or what contents returned.  Local. */
ICF_MUST_CHECK icf_status icf_scene_write_file(icf_context *context, const char *path, icf_write_contents contents,
                                               void *user);

/* Saves some bodies of this rank as they are now, with the forces and springs on them, as a scene of its own.
 * Deformable bodies are written with their mesh, supports, attachments to bodies that are written and forces; vertices
 * are attached where they are now, motions of supports start anew, and pressure is left out (the file says so).
 * The file appears whole or not at all.
 *   path  [in] file that is written or replaced
 *   nlist [in] number of bodies
 *   list  [in] (nlist) local indices, ascending
 * ICF_ERROR_FILE.  Local. */
ICF_MUST_CHECK icf_status icf_scene_write_bodies(icf_context *context, const char *path, const icf_scene *scene,
                                                 const icf_bodies *bodies, icf_lid nlist, const icf_lid *list);

#endif
