/* Balls inside of bodies: the contacts that keep a fast body from going through a thin one.
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
 * Compounds.  Their centre of mass need not be inside, and a part that has gone through is held by the contacts of its
 * other side.  So every part has a ball, about its own middle.  Two things differ from a ball about the centre of mass:
 *
 *   reach  the impact that stops one end of a bar makes the other end faster than it was, up to twice.  Impacts take
 *          energy, so that the speed of a point x is at most |v(x)|^2 <= 2 T (1/m + [x] I^-1 [x]^T), T the kinetic
 *          energy of the motion against the other body; a ball is looked for as far as that.
 *   sink   a turn by the angle t lowers a point below where the linear motion has it, by up to t^2 (n.x + |x|) / 4 in
 *          direction n (the largest eigenvalue of the term of second order).  A ball that this would take through is
 *          held off by as much; t is what T could give.
 *
 * Rejected: continuous collision detection, which finds when bodies touch, but not what they do afterwards in the same
 * step; more points in the manifolds of all pairs, which settled scenes would pay for.  Thread-safe.
 */
#ifndef ICF_CONTACT_INNER_BALL_H
#define ICF_CONTACT_INNER_BALL_H

#include "scene/solid.h"

/* Added to the features of inner balls' contacts, which come behind all others of the pair: of the first body's, and
 * twice that of the second body's; and for each part of a compound.  A ball against a compound of more than 4,096
 * parts may have features of another part's ball. */
#define ICF_FEATURE_INNER_BALL ((int64_t)1 << 60)
#define ICF_FEATURE_PART_BALL  ((int64_t)1 << 44)

/* Radius of the largest ball about the origin of a convex shape that is inside [m]; 0 for spheres, which need no second
 * contact, and for all shapes that are not convex.
 *   solids [in] the scene's; not needed for shapes without one */
double icf_inner_radius(const icf_shape *shape, const icf_solid *solids);

/* Whether the inner ball of a convex shape but a sphere may get to another body in a step.
 *   travel [in] how far the two can come nearer to each other [m]
 *   depth  [in] how deep they overlap [m]
 * Takes no time that depends on the shape. */
bool icf_inner_ball_matters(const icf_shape *shape, double travel, double depth);

/* ---- compounds ---- */

/* What an impact can make of a body's motion in a step. */
typedef struct icf_swing {
    double energy;   /* 2 T dt^2 [kg m^2] */
    double inv_mass; /* [1/kg] */
    icf_vec3 turn;   /* sums of the inverse moments of inertia about the two other axes [1/(kg m^2)] */
} icf_swing;

/*   inertia [in] about the axes of the body's frame [kg m^2]
 *   travel  [in] how far the body's centre of mass and another body can come nearer to each other [m]
 *   angle   [in] by which the body turns before impacts, along the same axes [rad] */
icf_swing icf_swing_make(double mass, icf_vec3 inertia, double travel, icf_vec3 angle);

/* How far a point of the body's frame can get; of the corner of a box at its centre: any point in the box [m]. */
double icf_swing_reach(const icf_swing *swing, icf_vec3 point);

/* How far a point of the body's frame can sink below where its linear motion takes it [m].
 *   rise [in] of the point above the centre of mass [m] */
double icf_swing_sink(const icf_swing *swing, icf_vec3 point, double rise);

/* Whether the ball of a part, or the smallest of all, may get to another body; reach and depth as above. */
bool icf_part_ball_matters(double radius, double reach, double depth);

#endif
