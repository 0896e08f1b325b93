/* Convex polytopes: hull of points, its faces and edges, and what contact manifolds and mass properties need of it.
 *
 * A face is a convex polygon: triangles that lie in one plane are one face.  Everything is in the frame of the points.
 * A polytope is constant once it has been built, and is shared by all bodies of its shape.
 *
 * Patches.  A face of a mesh from a file is seldom flat to the last digit: two triangles of what was meant to be one
 * face make an angle of 1e-6, and a body that rests on them would be said to rest on one of them alone.  So every face
 * knows its patch: the polygon of all vertices that lie within 1e-4 of the polytope's radius below its plane.  Patches
 * say where contact points are; how high the surface is there is said by the planes of the faces themselves, so that
 * distances are those of the exact polytope.  A face without such neighbours is its own patch.
 */
#ifndef ICF_SCENE_POLYTOPE_H
#define ICF_SCENE_POLYTOPE_H

#include "base/bytes.h"
#include "base/context.h"
#include "base/vec.h"

/* Vertices a hull may have: feature ids of a pair of polytopes (geometry/narrow.h) fit into 31 bits. */
enum { ICF_POLYTOPE_VERTICES = 4000 };

/* Part of the radius: vertices below a face's plane by less belong to its patch. */
#define ICF_POLYTOPE_FLAT 1e-4

typedef struct icf_polytope {
    int32_t nvertex, nface, nedge;
    int32_t ncorner;      /* 2 nedge: corners of all faces */
    double *x, *y, *z;    /* (nvertex) vertices [m] */
    icf_vec3 *normal;     /* (nface) unit outward normals */
    double *offset;       /* (nface) normal.x of the face's plane [m] */
    int32_t *face_ptr;    /* (nface + 1) corners of each face */
    int32_t *face_vertex; /* (ncorner) vertices, counter-clockwise seen from outside */
    int32_t *edge;        /* (ncorner) the two vertices of each edge, lower one first */
    int32_t *vertex_ptr;  /* (nvertex + 1) faces of each vertex; it has as many neighbours */
    int32_t *vertex_face; /* (ncorner) ascending */
    int32_t *neighbour;   /* (ncorner) vertices joined to each by an edge */

    int32_t npatch, nside, nplane;
    int32_t *face_patch; /* (nface) patch of each face */
    int32_t *patch_ptr;  /* (npatch + 1) corners of each patch */
    int32_t *patch_side; /* (nside) vertices, counter-clockwise; number of a corner here = number of the side that
                            leaves it */
    int32_t *plane_ptr;  /* (npatch + 1) faces that make up each patch */
    int32_t *plane;      /* (nplane) face */
    double *width;       /* (npatch) smallest width of the polygon [m] */

    int32_t
        start[24]; /* outermost vertex along the directions of icf_polytope_sector: where a climb along edges begins */

    icf_vec3 centre;  /* of volume [m] */
    double volume;    /* m^3 */
    double moment[6]; /* integrals of xx, yy, zz, xy, xz, yz about the centre [m^5] */
    double radius;    /* largest distance of a vertex from the centre [m] */
} icf_polytope;

static inline icf_vec3 icf_polytope_vertex(const icf_polytope *polytope, int32_t i)
{
    return (icf_vec3){polytope->x[i], polytope->y[i], polytope->z[i]};
}

/* Sector of a direction: its largest component and the signs of all. */
static inline int icf_polytope_sector(icf_vec3 d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    return 8 * axis + (d.x > 0.0 ? 4 : 0) + (d.y > 0.0 ? 2 : 0) + (d.z > 0.0 ? 1 : 0);
}

void icf_polytope_init(icf_polytope *polytope);
void icf_polytope_clear(icf_polytope *polytope);

/* Convex hull of points, by qhull.  Vertices keep the order of the points.
 *   n, point [in]  points, not all in one plane [m]
 *   polytope [out] initialised and empty before
 * ICF_ERROR_SCENE: the hull has no volume or too many vertices; the failure in the context says why.  Local. */
ICF_MUST_CHECK icf_status icf_polytope_build(icf_context *context, int32_t n, const icf_vec3 *point,
                                             icf_polytope *polytope);

/* Radius of the largest ball about a point that is inside; 0 for a point that is not. */
double icf_polytope_inner_radius(const icf_polytope *polytope, icf_vec3 centre);

/* Everything moved into another frame: x -> R^T (x - origin).
 *   rotation [in] columns: axes of the new frame */
void icf_polytope_move(icf_polytope *polytope, icf_vec3 origin, const icf_mat3 *rotation);

/* Bytes of memory that its arrays take. */
size_t icf_polytope_bytes(const icf_polytope *polytope);

/* As bytes, and back: the same bits.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_polytope_write(icf_bytes *bytes, const icf_polytope *polytope);
ICF_MUST_CHECK icf_status icf_polytope_read(icf_bytes *bytes, icf_polytope *polytope);

/* Principal axes of a symmetric matrix, each near the axis of its number: a diagonal matrix keeps its axes exactly.
 *   moment [in]  xx, yy, zz, xy, xz, yz
 *   values [out] on the axes
 * Returns the axes as columns, right-handed. */
icf_mat3 icf_principal_axes(const double moment[6], icf_vec3 *values);

#endif
