/* Scene reader: YAML (JSON is a subset) from libyaml events to settings and bodies, streaming.
 *
 * Settings and materials go into icf_scene, bodies are handed over in chunks as they are read, so that no
 * document tree and no list of all bodies is ever kept.  A name may be used before it is defined; the
 * reader keeps about 30 bytes and the name of a body.  All errors of a file are found in one pass, up to
 * 50, each as `FILE:LINE:COLUMN: key.path: what is wrong`, joined by newlines in the context's message.
 */
#ifndef ICF_IO_SCENE_READER_H
#define ICF_IO_SCENE_READER_H

#include "base/context.h"
#include "scene/bodies.h"
#include "scene/scene.h"

/* One key set on the command line: path and YAML text of the value, e.g. "contact.model", "sap" or
 * "bodies[3].mass", "2" or "bodies.ball.mass", "2" (body by name).  A text that looks like something else
 * must be quoted, as in a file (icf_yaml_text does it).  docs/scene.md has the rules. */
typedef struct icf_override {
    const char *path;
    const char *value;
} icf_override;

/* Reads a scene.
 *   path       [in]  file name; "-" reads standard input
 *   overrides  [in]  (noverride) applied as if they stood in the file instead of what is there; an error in
 *                    one is reported as `--set PATH=VALUE: ...`
 *   scene      [out] settings, materials, combined tables, populations, forces, springs; init'ed here, cleared on
 * failure sink, user [in]  receives the listed bodies; a material index refers to the scene's materials as they stand
 * when reading has finished; populations are read into the scene, not generated ICF_ERROR_SCENE with all errors in the
 * context's message, ICF_ERROR_FILE when the file cannot be read, ICF_ERROR_MEMORY, or what the sink returns.  Bodies
 * may have been handed over before an error is found. Local. */
ICF_MUST_CHECK icf_status icf_scene_read(icf_context *context, const char *path, int noverride,
                                         const icf_override *overrides, icf_scene *scene, icf_body_sink sink,
                                         void *user);

/* The keys a scene may hold, for documentation and its test: path with [] for list elements, e.g.
 * "bodies[].shape.radius".  n-th key or NULL behind the last. */
const char *icf_scene_reader_key(int n);

#endif
