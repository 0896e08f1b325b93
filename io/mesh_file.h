/* Files of meshes: tetrahedra of deformable bodies, triangles of rigid shapes.
 *
 * Of tetrahedra are read Gmsh (2.2 and 4.1), legacy VTK (unstructured grid, versions 1 to 5.1) and VTU (ASCII, base64
 * and appended, with zlib or not), each as text and binary.  The kind is seen from the contents.  Vertices and
 * tetrahedra keep the file's order; other elements only make up groups: those are the named physical groups of Gmsh.
 *
 * Of triangles are read OBJ (faces of any number of corners; groups, texture and normals are ignored) and STL, text and
 * binary (facets of all solids).  Triangles keep the file's order.
 */
#ifndef ICF_IO_MESH_FILE_H
#define ICF_IO_MESH_FILE_H

#include "scene/tet_mesh.h"
#include "scene/triangle_mesh.h"

/* Reads and finalizes a mesh.
 *   path  [in]  the file; messages begin with it
 *   scale [in]  > 0; coordinates are multiplied by it
 *   mesh  [out] initialized; what it held is dropped; empty after a failure
 * ICF_ERROR_FILE: the file cannot be read.  ICF_ERROR_SCENE: it is of no known kind, damaged (with its line or byte),
 * of second order, or no good mesh (icf_tet_mesh_finalize).  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_read_tet_mesh(icf_context *context, const char *path, double scale, icf_tet_mesh *mesh);

/* The same for a surface of triangles, checked and welded (icf_triangle_mesh_finalize).  Vertices are scaled first. */
ICF_MUST_CHECK icf_status icf_read_triangle_mesh(icf_context *context, const char *path, double scale,
                                                 icf_triangle_mesh *mesh);

#endif
