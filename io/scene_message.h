/* A scene's settings as bytes, for other ranks of the job: everything but the bodies. */
#ifndef ICF_IO_SCENE_MESSAGE_H
#define ICF_IO_SCENE_MESSAGE_H

#include "base/bytes.h"
#include "scene/scene.h"

/* Appends settings, materials with names, pairs, combined tables, forces and springs.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_scene_message_write(icf_bytes *bytes, const icf_scene *scene);

/* Reads a scene that icf_scene_message_write wrote; made here, cleared on failure.
 * ICF_ERROR_MEMORY, or ICF_ERROR_INTERNAL when the bytes are no such message.  Local. */
ICF_MUST_CHECK icf_status icf_scene_message_read(icf_context *context, icf_bytes *bytes, icf_scene *scene);

#endif
