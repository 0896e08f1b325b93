/* Triangle meshes of rigid shapes: container, welding, what is wrong with a surface.
 *
 * A mesh is filled by a reader (io/mesh_file.h) or by hand, then finalized: checked and welded.  A triangle (a, b, c)
 * looks to the side from which its corners run counter-clockwise.  Indices count from 0, in messages too; triangles
 * keep the order of their source.  Whether the surface may have holes is for the shape to say: icf_triangle_mesh_survey
 * finds what is wrong, icf_triangle_mesh_require_solid refuses what bounds no solid.
 */
#ifndef ICF_SCENE_TRIANGLE_MESH_H
#define ICF_SCENE_TRIANGLE_MESH_H

#include "base/context.h"
#include "base/vec.h"
#include "scene/index_rows.h"

/* Most triangles of a mesh: their edges can be counted by an icf_lid. */
enum { ICF_MAX_TRIANGLES = INT32_MAX / 3 };

/* Coordinates up to which a mesh is taken [m]: doubles are 1/8 m apart there.  Smallest size [m] of one: its moments of
 * inertia, of the fifth power, are still numbers. */
#define ICF_MESH_FARTHEST 1e15
#define ICF_MESH_SMALLEST 1e-15

typedef struct icf_triangle_mesh {
    icf_lid nvertex;          /* number of vertices */
    icf_vec3 *vertex;         /* (nvertex) positions [m]; after finalize no two are equal and each is in a triangle */
    icf_lid ntriangle;        /* number of triangles */
    icf_lid (*triangle)[3];   /* (ntriangle) vertices */
    size_t vertex_capacity;   /* room in vertex */
    size_t triangle_capacity; /* room in triangle */
} icf_triangle_mesh;

/* Starts empty. */
void icf_triangle_mesh_init(icf_triangle_mesh *mesh);

/* Releases everything; the mesh is empty afterwards. */
void icf_triangle_mesh_clear(icf_triangle_mesh *mesh);

/* Makes room for vertices and triangles, when their numbers are known.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_triangle_mesh_reserve(icf_triangle_mesh *mesh, icf_lid nvertex, icf_lid ntriangle);

/* Append a vertex [m], a triangle.  ICF_ERROR_MEMORY, also when there are too many (2^31 - 1, ICF_MAX_TRIANGLES).
 * Amortised O(1); local. */
ICF_MUST_CHECK icf_status icf_triangle_mesh_add_vertex(icf_triangle_mesh *mesh, icf_vec3 position);
ICF_MUST_CHECK icf_status icf_triangle_mesh_add(icf_triangle_mesh *mesh, icf_lid a, icf_lid b, icf_lid c);

/* Checks the mesh and welds it: vertices at the same place become one (bit for bit, -0 as 0), numbered by their first
 * use in a triangle; vertices in no triangle are dropped.
 *   what [in] names the mesh in messages: a path, or a place in the scene
 * ICF_ERROR_SCENE, naming the first offender: no triangles, a coordinate that is not finite or too large, an index out
 * of range, all in one place.
 * ICF_ERROR_MEMORY.  Local, O(n). */
ICF_MUST_CHECK icf_status icf_triangle_mesh_finalize(icf_context *context, icf_triangle_mesh *mesh, const char *what);

/* Corners of a triangle [m]. */
static inline void icf_triangle_mesh_corners(const icf_triangle_mesh *mesh, icf_lid t, icf_vec3 corner[3])
{
    for (int k = 0; k < 3; ++k) corner[k] = mesh->vertex[mesh->triangle[t][k]];
}

/* Twice a triangle's area along its normal [m^2]. */
icf_vec3 icf_triangle_mesh_area2(const icf_triangle_mesh *mesh, icf_lid t);

/* Whether a triangle has no area to round-off: two corners are one, or all on a line. */
bool icf_triangle_mesh_is_degenerate(const icf_triangle_mesh *mesh, icf_lid t);

/* What is wrong with a surface.  Of each kind the number, and the first triangle that shows it (-1: none). */
typedef struct icf_triangle_defects {
    icf_lid ndegenerate, degenerate; /* triangles without area */
    icf_lid nduplicate, duplicate;   /* triangles on the vertices of an earlier one, either way round */
    icf_lid duplicate_of;            /* the earlier one of `duplicate` */
    icf_lid nopen, open;             /* edges of one triangle only */
    icf_lid open_vertex[2];          /* the edge of `open` */
    icf_lid nflipped, flipped;       /* edges whose two triangles look to different sides */
    icf_lid flipped_against;         /* the other triangle at `flipped` */
    icf_lid nbranching, branching;   /* edges of three or more triangles */
    bool closed;     /* every edge is run along as often one way as the other, so that the surface bounds a solid */
    bool inside_out; /* closed, and the solid's volume is negative */
    icf_lid inwards; /* inside out: a triangle of the outside that looks inwards; else -1 */
    double volume;   /* of the solid, when closed; signed, 0 when it is round-off [m^3] */
    double area;     /* m^2 */
    icf_vec3 lo, hi; /* box round the surface [m] */
} icf_triangle_defects;

/* Sides of the triangles (side k of triangle t, from its corner k to the next, is row 3 t + k) in an order in which
 * those between the same two vertices follow one another.
 *   sides [out] the caller clears them
 * ICF_ERROR_MEMORY.  Local, O(n). */
ICF_MUST_CHECK icf_status icf_triangle_mesh_sort_sides(const icf_triangle_mesh *mesh, icf_index_rows *sides);

/* Looks a finalized mesh over.
 *   sides   [in]  sorted
 *   defects [out]
 * ICF_ERROR_MEMORY.  Local, O(n). */
ICF_MUST_CHECK icf_status icf_triangle_mesh_survey_sides(const icf_triangle_mesh *mesh, const icf_index_rows *sides,
                                                         icf_triangle_defects *defects);

/* The same where the sides serve nothing else. */
ICF_MUST_CHECK icf_status icf_triangle_mesh_survey(const icf_triangle_mesh *mesh, icf_triangle_defects *defects);

/* Fails when no triangle has an area.  ICF_ERROR_SCENE.  Local. */
ICF_MUST_CHECK icf_status icf_triangle_mesh_require_area(icf_context *context, const icf_triangle_mesh *mesh,
                                                         const icf_triangle_defects *defects, const char *what);

/* Fails unless the surface bounds a solid: closed, all triangles outward, none twice.  Triangles without area are let
 * pass.
 *   defects [in] of the mesh
 *   what    [in] names the mesh in messages
 * ICF_ERROR_SCENE, naming the first triangle that leaks, is turned, or is there twice; flat.  Local. */
ICF_MUST_CHECK icf_status icf_triangle_mesh_require_solid(icf_context *context, const icf_triangle_mesh *mesh,
                                                          const icf_triangle_defects *defects, const char *what);

#endif
