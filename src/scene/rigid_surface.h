/* Rigid surfaces: triangle meshes and height fields that bodies of fixed or prescribed motion have as their shape.
 *
 * A surface is held once, however many bodies have it, by every rank: bodies that no rank moves are replicated.  It is
 * constant.  A closed surface, and a height field, bounds a solid and is touched from outside alone; a surface with a
 * border is a sheet, which is touched from both sides.
 *
 *   side k of a triangle runs from corner k to corner k + 1 and is opposite to corner k + 2
 *
 * The tree is geometry's (geometry/surface_tree.h); it lives in the surface's arena.
 */
#ifndef ICF_SCENE_RIGID_SURFACE_H
#define ICF_SCENE_RIGID_SURFACE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "scene/triangle_mesh.h"

struct icf_triangle_tree;

/* Most triangles of a surface: those of each part of a body have features of their own (geometry/narrow_facet.h). */
enum { ICF_SURFACE_TRIANGLES = 1 << 25 };

typedef enum icf_surface_source { ICF_SURFACE_MESH, ICF_SURFACE_HEIGHTS } icf_surface_source;

/* What a height field is made of: heights z at x = origin.x + i spacing.x, y = origin.y + j spacing.y. */
typedef struct icf_height_grid {
    icf_lid n[2];      /* heights along x and y, each >= 2 */
    double spacing[2]; /* m, > 0 */
    double origin[2];  /* of height (0, 0) [m] */
} icf_height_grid;

typedef struct icf_rigid_surface {
    icf_surface_source source;
    char *file;    /* as the scene names it, owned */
    char *dataset; /* heights from HDF5: path in the file, owned; NULL: another kind of file */
    double scale;  /* mesh: of the file's lengths; heights: of the file's values */
    double offset; /* heights: added after scaling [m] */
    icf_height_grid grid;

    icf_triangle_mesh mesh;
    icf_triangle_defects defects;
    bool is_solid;           /* touched from outside alone */
    icf_vec3 *normal;        /* (ntriangle) unit */
    icf_lid (*neighbour)[3]; /* (ntriangle) across each side; -1: none.  Of several, the one that rises most */
    double (*rise)[3];       /* (ntriangle) sine by which it rises, seen from the front; -1 where there is none */
    icf_lid *star_ptr;       /* (nvertex + 1) triangles at each vertex */
    icf_lid *star;           /* (3 ntriangle) ascending */
    icf_vec3 *outward;       /* (nvertex) sum of the normals of its triangles, each times its angle there */
    icf_vec3 extent;         /* half edges of a box about the origin that holds it [m] */
    double radius;           /* largest distance from the origin [m] */
    icf_arena arena;         /* of the tree */
    struct icf_triangle_tree *tree; /* NULL until icf_surface_tree_build */
} icf_rigid_surface;

/* Starts empty. */
void icf_rigid_surface_init(icf_rigid_surface *surface);

/* Releases everything; the surface is empty afterwards. */
void icf_rigid_surface_clear(icf_rigid_surface *surface);

/* Finds what contact needs of a surface whose mesh is finalized: defects, normals, neighbours, stars, size.
 * ICF_ERROR_SCENE: too many triangles; ICF_ERROR_MEMORY.  Local, O(n). */
ICF_MUST_CHECK icf_status icf_rigid_surface_finish(icf_context *context, icf_rigid_surface *surface);

/* Fails when bodies cannot have the surface as their shape: triangles without area or there twice, neighbours that look
 * to different sides, a closed surface that is inside out.
 * ICF_ERROR_SCENE, naming the first triangle.  Local. */
ICF_MUST_CHECK icf_status icf_rigid_surface_check(icf_context *context, const icf_rigid_surface *surface,
                                                  const char *what);

/* Mesh of a height field: two triangles a cell, split from corner (i, j) to corner (i + 1, j + 1), upward.
 *   height [in] (n[1] x n[0]) row by row of y [m]
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_rigid_surface_fill_heights(icf_rigid_surface *surface, const double *height);

/* Bytes of memory that the surface takes. */
size_t icf_rigid_surface_bytes(const icf_rigid_surface *surface);

/* As bytes, and back: the same bits; what icf_rigid_surface_finish finds is found again.  ICF_ERROR_MEMORY;
 * ICF_ERROR_INTERNAL: the bytes end too early.  Local. */
ICF_MUST_CHECK icf_status icf_rigid_surface_write(icf_bytes *bytes, const icf_rigid_surface *surface);
ICF_MUST_CHECK icf_status icf_rigid_surface_read(icf_context *context, icf_bytes *bytes, icf_rigid_surface *surface);

#endif
