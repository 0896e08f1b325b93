/* Generated tetrahedral meshes: box, cylinder, sphere, tube.
 *
 * All are centred at the origin, conforming, finalized, with vertices of curved surfaces on the exact surface, so
 * that volumes converge from below with the square of the element size (an inner wall: from above).
 *
 * Errors of all: ICF_ERROR_SCENE with a text when a length or count is not positive, a tube's inner radius is not below
 * the outer, or the mesh would have more than ICF_MAX_TETS tetrahedra; ICF_ERROR_MEMORY.  What the mesh held is
 * dropped.  Local.
 */
#ifndef ICF_SCENE_TET_GENERATE_H
#define ICF_SCENE_TET_GENERATE_H

#include "scene/tet_mesh.h"

/* Box (physics: deformable bodies, mesh).  Node (i, j, k) is i + (nx+1)(j + (ny+1) k); cells k (outer), j, i, each cut
 * in six tetrahedra along v0 - v0+(1,1,1), one for each order of the axes.
 * Groups: x_minus, x_plus, y_minus, y_plus, z_minus, z_plus.
 *   size      [in] edge lengths [m]
 *   divisions [in] (3) nx, ny, nz */
ICF_MUST_CHECK icf_status icf_tet_mesh_box(icf_context *context, icf_tet_mesh *mesh, icf_vec3 size,
                                           const icf_lid divisions[3]);

/* Cylinder along z.  The disk has a node on the axis and 6 k nodes on ring k, counted by angle from +x; layers follow
 * each other from -z to +z, max(1, round(length resolution / radius)) of them; each prism is cut in three
 * tetrahedra by the order of its nodes.  Groups: side, bottom (-z), top (+z).
 *   radius, length [in] [m]
 *   resolution     [in] rings from the axis to the side */
ICF_MUST_CHECK icf_status icf_tet_mesh_cylinder(icf_context *context, icf_tet_mesh *mesh, double radius, double length,
                                                icf_lid resolution);

/* Sphere.  The cones of an icosahedron's 20 faces, each cut in resolution^3 tetrahedra; shells of equal thickness.
 * Nodes: the centre, then shell after shell: the icosahedron's 12 corners, the inner points of its 30 edges, of its 20
 * faces.  Group: surface.
 *   radius     [in] [m]
 *   resolution [in] shells from the centre to the surface */
ICF_MUST_CHECK icf_status icf_tet_mesh_sphere(icf_context *context, icf_tet_mesh *mesh, double radius,
                                              icf_lid resolution);

/* Tube along z: a box grid bent round.  Node (i, j, k) is i + (nr+1)(j + na k), i outwards, j by angle from +x, k
 * along z; cells and tetrahedra as in a box.  nr = resolution; na and nz give cells of about equal edges:
 * max(3, round(pi (inner + outer) / h)) and max(1, round(length / h)), h = (outer - inner) / resolution.
 * Groups: inner, outer, bottom (-z), top (+z), ends (both).
 *   inner, outer [in] radii [m]
 *   length       [in] [m]
 *   resolution   [in] cells through the wall */
ICF_MUST_CHECK icf_status icf_tet_mesh_tube(icf_context *context, icf_tet_mesh *mesh, double inner, double outer,
                                            double length, icf_lid resolution);

#endif
