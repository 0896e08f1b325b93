/* What the generators of tetrahedral meshes share. */
#ifndef ICF_SCENE_TET_GENERATE_PRIVATE_H
#define ICF_SCENE_TET_GENERATE_PRIVATE_H

#include "scene/tet_generate.h"

/* A number that the user gave, and its name for messages. */
typedef struct icf_mesh_number {
    const char *name;
    double value;
} icf_mesh_number;

/* Corners of a cube's six tetrahedra, (corner bits: 1 = +i, 2 = +j, 4 = +k), one for each order of the axes. */
extern const int icf_cube_tet[6][4];

/* Empties the mesh and checks that all numbers are finite and > 0 and the mesh is not too large, then makes room.
 *   what    [in] name of the generator
 *   nvertex, ntet [in] sizes it will have, as floating-point numbers so that they cannot overflow */
ICF_MUST_CHECK icf_status icf_generate_begin(icf_context *context, icf_tet_mesh *mesh, const char *what, int n,
                                             const icf_mesh_number *number, double nvertex, double ntet);

/* Appends a tetrahedron, its last two vertices swapped when its volume is negative. */
ICF_MUST_CHECK icf_status icf_generate_tet(icf_tet_mesh *mesh, const icf_lid vertex[4]);

/* Sides of the body that a vertex lies on, a bit each. */
typedef unsigned (*icf_vertex_sides)(const void *user, icf_lid vertex);

/* Makes a group of each side: the boundary faces whose vertices all lie on it; then finalizes the mesh.
 *   name [in] (nside) names; bit s of `sides` is name[s] */
ICF_MUST_CHECK icf_status icf_generate_finish(icf_context *context, icf_tet_mesh *mesh, const char *what, int nside,
                                              const char *const *name, icf_vertex_sides sides, const void *user);

#endif
