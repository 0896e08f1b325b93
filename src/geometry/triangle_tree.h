/* Closest point of a surface of triangles.
 *
 * The triangles are the items of a tree of boxes (item_tree.h).  A tree belongs to one state of a surface, in whose
 * arena it is: those of a rigid surface and of a rest shape are built once, and that of a deformable body is the one
 * of its rest shape, fitted to every step.  Results do not depend on the shape of the tree but for equal distances,
 * where the order of the triangles along the curve decides: they are a function of the surface alone.  Local.
 */
#ifndef ICF_GEOMETRY_TRIANGLE_TREE_H
#define ICF_GEOMETRY_TRIANGLE_TREE_H

#include "geometry/item_tree.h"

typedef struct icf_triangle_tree {
    icf_lid ntriangle;
    const icf_lid (*triangle)[3]; /* (ntriangle) vertices, outward; borrowed */
    const icf_vec3 *position;     /* (vertices) [m]; borrowed */
    icf_item_tree items;          /* triangles */
} icf_triangle_tree;

/* Where a surface is closest to a point. */
typedef struct icf_surface_hit {
    icf_lid triangle;
    double weight[3]; /* barycentric, of the triangle's vertices */
    icf_vec3 point;   /* on the surface [m] */
    icf_vec3 normal;  /* unit; the direction in which the signed distance grows */
    double distance;  /* signed: < 0 behind the surface [m] */
} icf_surface_hit;

/* Says whether a hit counts. */
typedef bool icf_hit_filter(const void *user, const icf_surface_hit *hit);

/* Builds the tree of a state of the surface.
 *   arena [in] gets what the tree needs and nothing else
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_triangle_tree_build(icf_triangle_tree *tree, icf_arena *arena, icf_lid ntriangle,
                                                  const icf_lid (*triangle)[3], const icf_vec3 *position);

/* Fits the tree of a surface to another state of it (icf_item_tree_refit).
 *   built [in] stays as long as the new tree
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_triangle_tree_refit(icf_triangle_tree *tree, icf_arena *arena,
                                                  const icf_triangle_tree *built, const icf_vec3 *position);

/* The box round the whole surface. */
icf_box icf_triangle_tree_box(const icf_triangle_tree *tree);

/* Closest point of the surface within a radius.
 *   filter [in]  NULL: every point counts
 *   hit    [out] only when true is returned */
bool icf_triangle_tree_closest(const icf_triangle_tree *tree, icf_vec3 point, double radius, icf_hit_filter *filter,
                               const void *user, icf_surface_hit *hit);

/* Directions in which a point looks, itself not included. */
typedef struct icf_cone {
    icf_vec3 axis; /* unit */
    double cosine; /* > 0; of the largest angle to the axis */
} icf_cone;

/* The same among the points that are seen in a cone; boxes outside of it are not opened.
 *   filter [in] must not let points outside of the cone count */
bool icf_triangle_tree_closest_in(const icf_triangle_tree *tree, icf_vec3 point, const icf_cone *cone, double radius,
                                  icf_hit_filter *filter, const void *user, icf_surface_hit *hit);

/* Where triangle t of the surface is closest to a point. */
icf_surface_hit icf_triangle_tree_hit(const icf_triangle_tree *tree, icf_lid t, icf_vec3 point);

/* Visits the triangles whose boxes have a point in common with a box, in no particular order.
 * Returns false when a visit did. */
bool icf_triangle_tree_overlap(const icf_triangle_tree *tree, const icf_box *box, icf_item_visit *visit, void *user);

/* Point of a triangle that is closest to p, by its barycentric weights. */
void icf_closest_on_triangle(icf_vec3 p, icf_vec3 a, icf_vec3 b, icf_vec3 c, double weight[3]);

#endif
