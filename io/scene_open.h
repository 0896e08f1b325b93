/* Opens a scene on all ranks: one rank reads the file as a stream, settings go to everyone, bodies to their owners.
 *
 *   rank 0   file -> reader -> chunks of moving bodies -> rank 0, 1, ... by turns -+
 *                      +-----> settings, replicated bodies -> all ranks            +-> curve -> migration -> owners
 *
 * No rank ever holds the whole scene: the ranks that took the chunks cut a space-filling curve together and send every
 * body to its owner.  Fixed and prescribed bodies are replicated.
 */
#ifndef ICF_IO_SCENE_OPEN_H
#define ICF_IO_SCENE_OPEN_H

#include "io/scene_reader.h"

/* Opens a scene.
 *   scene  [out] settings, the same on every rank; forces and springs of all bodies that a scene lists by name;
 *                cleared on failure
 *   bodies [out] this rank's bodies, ghosts of fixed and prescribed bodies included; init'ed here, empty on failure
 * Errors are those of icf_scene_read, the same on all ranks with the same message.  Collective. */
ICF_MUST_CHECK icf_status icf_scene_open(icf_context *context, const char *path, int noverride,
                                         const icf_override *overrides, icf_scene *scene, icf_bodies *bodies);

#endif
