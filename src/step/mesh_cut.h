/* Cutting a mesh of tetrahedra for several ranks. */
#ifndef ICF_STEP_MESH_CUT_H
#define ICF_STEP_MESH_CUT_H

#include "base/context.h"
#include "scene/tet_mesh.h"

/* Gives every vertex to a part, by METIS on the graph of the mesh's edges, vertices weighted by their neighbours.
 *   npart [in]  >= 1; with fewer vertices some parts are empty
 *   part  [out] (mesh->nvertex)
 * The same on every rank that has the mesh.  ICF_ERROR_MEMORY, ICF_ERROR_INTERNAL when METIS fails.  Local. */
ICF_MUST_CHECK icf_status icf_mesh_cut(icf_context *context, const icf_tet_mesh *mesh, int npart, int *part);

#endif
