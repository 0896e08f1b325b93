/* How good a tetrahedral mesh is: what `icf check` prints of it.
 *
 * It counts what icf_tet_mesh_finalize refuses or mends, so that a mesh can be looked at before that.
 */
#ifndef ICF_SCENE_TET_QUALITY_H
#define ICF_SCENE_TET_QUALITY_H

#include "scene/tet_mesh.h"

/* A tetrahedron with a dihedral angle below this is a sliver [rad]: 5 degrees. */
#define ICF_SLIVER_ANGLE 0.08726646259971647

typedef struct icf_tet_quality {
    icf_lid nvertex, ntet;     /* sizes of the mesh */
    icf_lid nsurface_triangle; /* boundary faces */
    icf_lid nsurface_vertex;   /* vertices on the surface */
    icf_lid nreoriented;       /* tetrahedra that were turned by finalize */
    icf_lid ninverted;         /* of negative volume */
    icf_lid nflat;             /* of zero volume to round-off */
    icf_lid nsliver;           /* with a dihedral angle below ICF_SLIVER_ANGLE, flat ones included */
    icf_lid nduplicate;        /* on the same vertices as an earlier one */
    icf_lid nunused;           /* vertices in no tetrahedron */
    icf_lid nshared_face;      /* faces of three or more tetrahedra */
    icf_lid nodd_edge;         /* edges of the surface that other than two of its triangles share */
    icf_lid ncomponent;        /* parts that share no vertex, unused vertices not counted */
    double volume;             /* sum of signed volumes [m^3] */
    double surface_area;       /* [m^2] */
    double volume_min;         /* smallest signed volume [m^3] */
    double volume_max;         /* largest [m^3] */
    double edge_min, edge_max; /* shortest and longest edge [m] */
    double dihedral_min;       /* smallest dihedral angle [rad]; 70.5 degrees is the best there is */
    double dihedral_max;       /* largest [rad] */
    double ratio_min;          /* smallest mean ratio 12 (3 V)^(2/3) / sum of squared edges: 1 regular, 0 flat; negative
                                  when inverted */
    double ratio_mean;         /* its mean over tetrahedra */
    icf_lid worst;             /* tetrahedron of the smallest mean ratio, -1 when there is none */
} icf_tet_quality;

/* Measures a mesh whose indices are in range.  ICF_ERROR_MEMORY.  Local, O(n). */
ICF_MUST_CHECK icf_status icf_tet_quality_build(icf_tet_quality *quality, const icf_tet_mesh *mesh);

#endif
