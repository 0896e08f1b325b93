/* What the files of the scene writer share. */
#ifndef ICF_IO_SCENE_WRITER_PRIVATE_H
#define ICF_IO_SCENE_WRITER_PRIVATE_H

#include <string.h>

#include "io/scene_writer.h"
#include "io/yaml_write.h"

/* Whether all bits are those of +0: the default value, which is left out. */
static inline bool icf_vec3_is_plus_zero(icf_vec3 v)
{
    static const icf_vec3 zero = {0.0, 0.0, 0.0};
    return memcmp(&v, &zero, sizeof v) == 0;
}

/* Writes a setting of a section on a line of its own. */
void icf_scene_write_setting(FILE *file, const char *key, double value);

/* Writes the keys of a harmonic motion. */
void icf_scene_write_harmonic(icf_flow *out, const icf_harmonic *harmonic);

/* Writes the flow mapping of a body.
 *   in_template [in] a population's: without the keys that the population sets */
void icf_scene_write_body_keys(FILE *file, const icf_scene *scene, const icf_body_def *def, bool in_template);

#endif
