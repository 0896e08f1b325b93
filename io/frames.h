/* Frames of a run in run.h5, and the index files beside it.
 *
 *   /                        attributes: kind "icf run", version, scene, model, step_size, bodies
 *   /static[_STEP]           what stays the same, a row a body: id, shape, size, mass, name, index, moves, rank
 *                            half_spaces: id, normal, offset of each
 *                            surfaces: triangles (points of `points`), triangle_body, triangle_shape
 *   /frame_STEP              attributes step, time, static (name of its static group); a row a body: position,
 *                            orientation (w x y z), linear_velocity, angular_velocity, id
 *                            surfaces: points, speed (float32)
 *   /frame_STEP/contacts     contacts with an impulse: point, normal, force (on the second body), normal_force,
 *                            distance, feature, first_body, second_body (ids), index
 *
 * Each rank writes the rows of the bodies it owns behind those of the ranks before it; nothing is gathered.
 * When rows change their body (bodies migrated), a new static group is written and named by later frames.
 * Space for a frame is reserved before HDF5 touches the file, so that a full disk leaves it whole.
 */
#ifndef ICF_IO_FRAMES_H
#define ICF_IO_FRAMES_H

#include "base/context.h"
#include "contact/contacts.h"
#include "scene/bodies.h"
#include "scene/scene.h"

typedef struct icf_frames icf_frames;

/* Creates DIRECTORY/run.h5, or opens it, drops the frames behind a step and goes on.
 *   restart_step [in] -1: a new file; else the step to cut back to; a missing file is created
 * Keeps context and scene (borrowed).  Collective. */
ICF_MUST_CHECK icf_status icf_frames_open(icf_context *context, const icf_scene *scene, const icf_bodies *bodies,
                                          const char *directory, icf_cnt restart_step, icf_frames **frames);

/* Writes a frame.  After a failure it is not in the file.  Collective.
 *   contacts [in] may be NULL
 *   time     [in] of the step [s]
 *   dt       [in] time over which the contacts' impulses acted [s] */
ICF_MUST_CHECK icf_status icf_frames_write(icf_frames *frames, const icf_bodies *bodies,
                                           const icf_contact_views *contacts, icf_cnt step, double time, double dt);

/* Hands all frames to the operating system, then their index entries.  Collective. */
ICF_MUST_CHECK icf_status icf_frames_flush(icf_frames *frames);

/* Flushes and closes.  Nulls *frames; accepts NULL in it.  Collective. */
ICF_MUST_CHECK icf_status icf_frames_close(icf_frames **frames);

#endif
