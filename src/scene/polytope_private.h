/* Polytopes, private part: what their files share. */
#ifndef ICF_SCENE_POLYTOPE_PRIVATE_H
#define ICF_SCENE_POLYTOPE_PRIVATE_H

#include "scene/polytope.h"

/* Patches of a polytope whose faces, planes and radius are there.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_polytope_set_patches(icf_polytope *polytope);

#endif
