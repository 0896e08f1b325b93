/* What a sample point of a deformable body meets on the body's own surface.
 *
 * No distance at rest and no angle can tell a wall that has been pierced from the other side of one's own wall: both
 * are a face behind which the point lies, near it, and turned against it.  What tells is the material:
 *
 *     across a gap                  pierced                       one wall
 *      ____________                  ____________                  ____________
 *     |____________|   other wall   |___._._.____|   other wall   |            |
 *           ^                       | sample |                    |            | the sample's own tetrahedra
 *        sample                                                    ---sample---
 *
 * A sample that is inside a tetrahedron of the body which is not beside it has gone through the surface.  That
 * tetrahedron says which material point is there, and the surface point nearest to it at rest is where it goes out
 * again (material depth: Hirota, Fisher, State, Lee, Fuchs 2001).  Any other sample is outside, and what counts are the
 * faces that it sees and that see it.  "Beside" is by the mesh alone: what shares a vertex with a triangle round the
 * sample.  So a slot may be as narrow as it likes, and the other side of a thin wall is never met, however thin the
 * wall is pressed.
 *
 * Rejected: distances at rest against those now (misses slots that are narrow at rest, and a wall pressed to a third
 * meets itself); faces that are behind and turned against the sample, without the material (both legs of a hairpin do
 * that to each other).
 *
 * A sample whose own tetrahedron is inverted may be inside others without having gone through the surface; until it has
 * recovered it counts as outside.  Results are a function of positions and mesh; of several tetrahedra at a point the
 * one counts in which it is deepest.  Local.
 */
#ifndef ICF_CONTACT_SELF_CONTACT_H
#define ICF_CONTACT_SELF_CONTACT_H

#include "contact/surface_contact.h"

/* Builds the tree of the tetrahedra at rest.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_self_contact_build(const icf_deformable *deformable, icf_arena *arena,
                                                 icf_item_tree *tets);

/* Fits it to the positions of a surface.
 *   rest [in] stays as long as surface->tets
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_self_contact_refit(icf_surface_state *surface, icf_arena *arena,
                                                 const icf_item_tree *rest);

/* The point that a sample meets.
 *   sample  [in]  of the deformable's samples
 *   x       [in]  where it is [m]
 *   outward [in]  its outward area vector, of any length
 *   radius  [in]  of the gaps that matter [m]
 *   hit     [out] only when true is returned */
bool icf_self_contact_closest(const icf_surface_state *surface, icf_lid sample, icf_vec3 x, icf_vec3 outward,
                              double radius, icf_surface_hit *hit);

#endif
