/* Tetrahedral meshes of deformable bodies: container, groups, checks.
 *
 * A mesh is filled by a generator (tet_generate.h), a reader (io/mesh_file.h) or by hand, then finalized: checked,
 * tetrahedra oriented, the triangles of groups put outward.  What follows from it: tet_surface.h, tet_quality.h.
 * Indices count from 0, in messages too; vertices and tetrahedra keep the order of their source.  A mesh is the same
 * on every rank that holds it.
 */
#ifndef ICF_SCENE_TET_MESH_H
#define ICF_SCENE_TET_MESH_H

#include "base/context.h"
#include "base/vec.h"

/* Most tetrahedra of a mesh: its faces can be counted by an icf_lid. */
enum { ICF_MAX_TETS = INT32_MAX / 4 };

/* A named set of vertices, and of surface triangles where the source gives some. */
typedef struct icf_mesh_group {
    char *name;               /* owned */
    icf_lid nvertex;          /* number of vertices */
    icf_lid *vertex;          /* (nvertex) after finalize: ascending, each once; those of the triangles included */
    icf_lid ntriangle;        /* number of triangles; 0 for groups of volumes, curves and points */
    icf_lid (*triangle)[3];   /* (ntriangle) after finalize: boundary faces only, outward, each once */
    size_t vertex_capacity;   /* room in vertex */
    size_t triangle_capacity; /* room in triangle */
} icf_mesh_group;

typedef struct icf_tet_mesh {
    icf_lid nvertex;        /* number of vertices */
    icf_vec3 *vertex;       /* (nvertex) rest positions [m] */
    icf_lid ntet;           /* number of tetrahedra */
    icf_lid (*tet)[4];      /* (ntet) vertices; after finalize of positive volume */
    icf_lid ngroup;         /* number of groups */
    icf_mesh_group *group;  /* (ngroup) in the order of the source */
    icf_lid nreoriented;    /* tetrahedra whose last two vertices finalize swapped */
    size_t vertex_capacity; /* room in vertex */
    size_t tet_capacity;    /* room in tet */
    size_t group_capacity;  /* room in group */
} icf_tet_mesh;

/* Starts empty. */
void icf_tet_mesh_init(icf_tet_mesh *mesh);

/* Releases everything; the mesh is empty afterwards. */
void icf_tet_mesh_clear(icf_tet_mesh *mesh);

/* Makes room for vertices and tetrahedra, when their numbers are known.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_tet_mesh_reserve(icf_tet_mesh *mesh, icf_lid nvertex, icf_lid ntet);

/* Append a vertex [m], a tetrahedron.  ICF_ERROR_MEMORY, also when there are too many (2^31 - 1, ICF_MAX_TETS).
 * Amortised O(1); local. */
ICF_MUST_CHECK icf_status icf_tet_mesh_add_vertex(icf_tet_mesh *mesh, icf_vec3 position);
ICF_MUST_CHECK icf_status icf_tet_mesh_add_tet(icf_tet_mesh *mesh, icf_lid a, icf_lid b, icf_lid c, icf_lid d);

/* Index of the group of a name, appended when there is none.
 *   group [out]
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_tet_mesh_add_group(icf_tet_mesh *mesh, const char *name, icf_lid *group);

/* Append a vertex, a triangle to a group.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_mesh_group_add_vertex(icf_mesh_group *group, icf_lid vertex);
ICF_MUST_CHECK icf_status icf_mesh_group_add_triangle(icf_mesh_group *group, icf_lid a, icf_lid b, icf_lid c);

/* Index of a group by name, -1 when there is none. */
icf_lid icf_tet_mesh_find_group(const icf_tet_mesh *mesh, const char *name);

/* Six times the signed volume of a tetrahedron, positive when (b - a, c - a, d - a) is right-handed [m^3]. */
double icf_tet_volume6(icf_vec3 a, icf_vec3 b, icf_vec3 c, icf_vec3 d);

/* Volume of tetrahedron t, signed [m^3]. */
double icf_tet_mesh_volume(const icf_tet_mesh *mesh, icf_lid t);

/* Whether a tetrahedron is flat to round-off: no bits of its volume are left once its corners are rounded. */
bool icf_tet_is_flat(icf_vec3 a, icf_vec3 b, icf_vec3 c, icf_vec3 d);

/* Checks the mesh and brings it into the form that the rest of the library takes: tetrahedra of negative volume have
 * their last two vertices swapped (counted in nreoriented), groups are sorted, their triangles outward; a triangle of a
 * group that is no boundary face is dropped, its vertices stay in the group.
 *   what [in] names the mesh in messages: a path, or a place in the scene
 * ICF_ERROR_SCENE, naming the first offender: no tetrahedra, a coordinate that is not finite, an index out of range, a
 * flat tetrahedron, two tetrahedra on the same vertices, a face of three or more tetrahedra, a vertex in no
 * tetrahedron.  ICF_ERROR_MEMORY.  Local, O(n). */
ICF_MUST_CHECK icf_status icf_tet_mesh_finalize(icf_context *context, icf_tet_mesh *mesh, const char *what);

#endif
