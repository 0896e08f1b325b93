/* Opens a scene on all ranks: one rank reads the file as a stream, settings go to everyone, bodies to their owners.
 *
 * No rank ever holds the whole scene: the reader hands on chunks of bodies by turns, then the ranks cut a space-filling
 * curve together and send every body to its owner; populations are generated where they are owned.  Fixed and
 * prescribed bodies are replicated.
 */
#ifndef ICF_IO_SCENE_OPEN_H
#define ICF_IO_SCENE_OPEN_H

#include "io/scene_reader.h"

/* Opens a scene.  Errors are those of icf_scene_read, on all ranks.  Collective.
 *   scene  [out] settings, the same on every rank; forces and springs of all bodies that a scene lists by name
 *   bodies [out] this rank's bodies, ghosts of fixed and prescribed bodies included; init'ed here */
ICF_MUST_CHECK icf_status icf_scene_open(icf_context *context, const char *path, int noverride,
                                         const icf_override *overrides, icf_scene *scene, icf_bodies *bodies);

#endif
