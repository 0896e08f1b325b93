/* The tree of a rigid surface, and which bodies come near it.
 *
 * A surface is one body with one huge box; it is paired with the bodies that come near one of its triangles.
 */
#ifndef ICF_GEOMETRY_SURFACE_TREE_H
#define ICF_GEOMETRY_SURFACE_TREE_H

#include "geometry/collide.h"
#include "geometry/triangle_tree.h"
#include "scene/scene.h"

/* Builds the tree of a finished surface that has none, which owns it.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_surface_tree_build(icf_rigid_surface *surface);

/* Builds the trees of all surfaces of a scene, which bodies know their own from now on: the table stays where it is.
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_surface_trees_attach(icf_scene *scene, icf_bodies *bodies);

/* Box round a placed shape in the frame of a surface's body, grown on every side. */
icf_box icf_surface_box_of(const icf_placed_shape *surface, const icf_placed_shape *shape, double margin);

/* Whether a world box comes near a placed surface: meets the box of a triangle when grown by a margin on every side. */
bool icf_surface_is_near(const icf_placed_shape *surface, const icf_box *box, double margin);

#endif
