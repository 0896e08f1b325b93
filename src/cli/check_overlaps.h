/* What `icf check` says of bodies that are inside one another at the start. */
#ifndef ICF_CLI_CHECK_OVERLAPS_H
#define ICF_CLI_CHECK_OVERLAPS_H

#include "scene/scene.h"

/* Prints how many pairs overlap, and the deepest of them by name; warns when there are any.
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_check_overlaps(icf_context *context, const icf_scene *scene, const icf_bodies *bodies);

#endif
