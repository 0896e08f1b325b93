/* Tetrahedral meshes from one rank to all: a file is read, or a mesh generated, by one of them. */
#ifndef ICF_PARTITION_MESH_MESSAGE_H
#define ICF_PARTITION_MESH_MESSAGE_H

#include "scene/tet_mesh.h"

/* Gives all ranks the root's mesh, groups included, with the same bits.
 *   mesh [in,out] initialized on every rank; what it held elsewhere than on the root is dropped
 * Collective; whoever reads the mesh agrees on the outcome before (icf_agree).  ICF_ERROR_MEMORY on all ranks: the mesh
 * is empty but on the root. */
ICF_MUST_CHECK icf_status icf_tet_mesh_broadcast(icf_context *context, icf_tet_mesh *mesh, int root);

#endif
