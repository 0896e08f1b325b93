/* Surface of a tetrahedral mesh, and the points of it that are tested for contact (physics: deformable bodies).
 *
 * The surface is the faces of exactly one tetrahedron.  For contact each of its triangles is cut in n^2 equal parts;
 * the corners of the parts are sample points, at barycentric multiples of 1/n, those on shared edges counted once.
 */
#ifndef ICF_SCENE_TET_SURFACE_H
#define ICF_SCENE_TET_SURFACE_H

#include "scene/tet_mesh.h"

typedef struct icf_tet_surface {
    icf_lid ntriangle;        /* number of boundary faces */
    icf_lid (*triangle)[3];   /* (ntriangle) vertices, outward, in the order of (tetrahedron, face) */
    icf_lid *tet;             /* (ntriangle) the tetrahedron it is a face of */
    icf_lid nvertex;          /* number of vertices on the surface */
    icf_lid *vertex;          /* (nvertex) ascending */
    icf_lid nodd_edge;        /* edges that other than two triangles share (parts that touch along an edge) */
    icf_lid nshared_face;     /* faces of three or more tetrahedra; such a mesh is wrong */
    icf_lid shared_face_tet;  /* first tetrahedron with such a face, -1 */
    size_t triangle_capacity; /* room in triangle */
    size_t tet_capacity;      /* room in tet */
    size_t vertex_capacity;   /* room in vertex */
} icf_tet_surface;

/* Vertices of face f of a tetrahedron, outward when its volume is positive: (1,2,3) (0,3,2) (0,1,3) (0,2,1). */
extern const int icf_tet_face[4][3];

void icf_tet_surface_init(icf_tet_surface *surface);
void icf_tet_surface_clear(icf_tet_surface *surface);

/* Finds the surface of a mesh whose indices are in range.  ICF_ERROR_MEMORY.  Local, O(n). */
ICF_MUST_CHECK icf_status icf_tet_surface_build(icf_tet_surface *surface, const icf_tet_mesh *mesh);

/* Point sum_i multiple[i]/n x[vertex[i]] of the surface. */
typedef struct icf_sample_point {
    int32_t nvertex;     /* 1: a vertex, 2: on an edge, 3: inside a triangle */
    icf_lid vertex[3];   /* (nvertex) ascending; -1 behind */
    int32_t multiple[3]; /* (nvertex) > 0, their sum is n; 0 behind */
    icf_lid feature;     /* the vertex, or vertices of the mesh + rank among the points that are no vertices */
} icf_sample_point;

typedef struct icf_sample_points {
    int32_t n;                /* subdivision */
    icf_lid npoint;           /* number of sample points */
    icf_sample_point *point;  /* (npoint) by ascending feature: surface vertices, then the others by their list of
                                 (vertex, multiple) */
    icf_lid ntriangle;        /* number of parts: n^2 a triangle of the surface */
    icf_lid (*triangle)[3];   /* (ntriangle) sample points, outward; those of surface triangle t are n^2 t .. */
    icf_lid *ptr;             /* (npoint + 1) the parts that point p is a corner of are idx[ptr[p] .. ptr[p + 1] - 1] */
    icf_lid *idx;             /* (3 ntriangle) parts, ascending for each point */
    size_t point_capacity;    /* room in point */
    size_t triangle_capacity; /* room in triangle */
    size_t ptr_capacity;      /* room in ptr */
    size_t idx_capacity;      /* room in idx */
} icf_sample_points;

enum { ICF_MAX_SUBDIVISION = 64 };

void icf_sample_points_init(icf_sample_points *points);
void icf_sample_points_clear(icf_sample_points *points);

/* Cuts the surface.  With n = 1 the points are the surface vertices, the parts the surface triangles.
 *   nvertex [in] vertices of the mesh
 *   n       [in] 1 .. ICF_MAX_SUBDIVISION
 * ICF_ERROR_INTERNAL: n out of range; ICF_ERROR_MEMORY, also when there would be more than 2^31 - 1 points or parts.
 * Local, O(n^2 ntriangle). */
ICF_MUST_CHECK icf_status icf_sample_points_build(icf_sample_points *points, const icf_tet_surface *surface,
                                                  icf_lid nvertex, int32_t n);

/* Where a sample point is [m], or what its velocity is: sum of the vertices' values, weighted.
 *   value [in] (vertices of the mesh) */
icf_vec3 icf_sample_point_at(const icf_sample_point *point, int32_t n, const icf_vec3 *value);

/* Outward area vector of a triangle [m^2]. */
static inline icf_vec3 icf_area_vector(icf_vec3 a, icf_vec3 b, icf_vec3 c)
{
    return icf_scale(0.5, icf_cross(icf_sub(b, a), icf_sub(c, a)));
}

#endif
