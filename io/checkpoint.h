/* Checkpoint: the complete state of a run, portable between rank counts and bit for bit.
 *
 * One HDF5 file: step, time, the state of every body by global id, a digest of the scene's bodies, so that a
 * restart with other bodies is refused, and a checksum of the state, so that damage is noticed.  Written to a
 * temporary name, synced and renamed.  Materials, forces and the contact model may be others at a restart.
 */
#ifndef ICF_IO_CHECKPOINT_H
#define ICF_IO_CHECKPOINT_H

#include "base/context.h"
#include "scene/bodies.h"
#include "scene/scene.h"

/* Writes DIRECTORY/checkpoint-STEP.h5; gives its path in *path (caller frees with icf_free) unless NULL.
 * Collective. */
ICF_MUST_CHECK icf_status icf_checkpoint_write(icf_context *context, const icf_scene *scene, const icf_bodies *bodies,
                                               icf_cnt step, char **path);

/* Reads a checkpoint into bodies that were built from the same scene; gives its step.
 * ICF_ERROR_FILE: cannot be read or is damaged; ICF_ERROR_SCENE: belongs to other bodies (count, ids,
 * masses, shapes, motions) or another time.step.  After a failure the bodies' state is undefined.
 * Collective. */
ICF_MUST_CHECK icf_status icf_checkpoint_read(icf_context *context, const char *path, const icf_scene *scene,
                                              icf_bodies *bodies, icf_cnt *step);

#endif
