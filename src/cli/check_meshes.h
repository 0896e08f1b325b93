/* What `icf check` says of the meshes of a scene: sizes and quality of those of deformable bodies, sizes and defects of
 * rigid surfaces. */
#ifndef ICF_CLI_CHECK_MESHES_H
#define ICF_CLI_CHECK_MESHES_H

#include "scene/scene.h"

/* Prints a paragraph for each deformable and each rigid surface, which has its tree, and warns of what is likely to go
 * wrong: turned, inverted or very flat tetrahedra, a mesh in several parts or with an open surface, contact points
 * further apart than round bodies are thick; borders of rigid surfaces and strange sizes.
 *   thinnest [in] smallest radius of a sphere or capsule [m]; infinite: there is none
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_check_meshes(icf_context *context, const icf_scene *scene, double thinnest);

#endif
