/* Balls inside of bodies: the contact that keeps a fast body from going through a thin one.
 *
 * A contact is linear in this step's velocities.  A chip that lands on one corner turns by radians in the step: its
 * corner stays above the floor, as the linear contact asks, and its centre of mass goes through.  The largest ball
 * about the centre of mass is part of the body, so that it may not go through either, and how far it is away does not
 * depend on how the body turns.  It gives a contact of its own where the body can travel by more than the ball's radius
 * in the step, or is deeper in the other one than weight would press it: never where bodies rest, and not against
 * half-spaces, which have no other side.
 *
 *          ____
 *        _/ () \_   | v       the corner's contact:  v + w x r >= -(distance of the corner) / dt
 *       /___  __/   v         the ball's contact:    v >= -(distance of the ball) / dt
 *           \/
 *    =====================
 *
 * Rejected: continuous collision detection, which finds when bodies touch, but not what they do afterwards in the same
 * step; more points in the manifolds of all pairs, which settled scenes would pay for.  Thread-safe.
 */
#ifndef ICF_CONTACT_INNER_BALL_H
#define ICF_CONTACT_INNER_BALL_H

#include "scene/solid.h"

/* Added to the features of an inner ball's contacts, which come behind all others of the pair: of the first body's
 * ball, and twice that of the second body's. */
#define ICF_FEATURE_INNER_BALL ((int64_t)1 << 60)

/* Radius of the largest ball about the origin of a convex shape that is inside [m]; 0 for spheres, which need no second
 * contact, and for all shapes that are not convex.
 *   solids [in] the scene's; not needed for shapes without one */
double icf_inner_radius(const icf_shape *shape, const icf_solid *solids);

/* Whether the inner ball of a convex shape but a sphere may get to another body in a step.
 *   travel [in] how far the two can come nearer to each other [m]
 *   depth  [in] how deep they overlap [m]
 * Takes no time that depends on the shape. */
bool icf_inner_ball_matters(const icf_shape *shape, double travel, double depth);

#endif
