/* Contact points between the surface of a deformable body and a rigid shape (physics: deformable bodies, contact).
 *
 * Each sample point of the surface is a contact of its own, with the rigid shape's signed distance and normal there and
 * the area that belongs to it.
 */
#ifndef ICF_CONTACT_SURFACE_CONTACT_H
#define ICF_CONTACT_SURFACE_CONTACT_H

#include "contact/contacts.h"
#include "geometry/collide.h"

/* A deformable body's surface in a step. */
typedef struct icf_surface_state {
    const icf_deformable *deformable;
    const icf_vec3 *position;     /* (vertices) at t_n [m] */
    const icf_vec3 *velocity;     /* (vertices) v0; of supported vertices at t_{n+1} [m/s] */
    const icf_vec3 *acceleration; /* (vertices) (v* - v0) / dt [m/s^2] */
    const icf_mat3 *inverse;      /* (vertices) inverse of the diagonal block of A [1/kg]; zero for supported ones */
} icf_surface_state;

/* A contact point of a surface. */
typedef struct icf_surface_point {
    icf_contact_point contact; /* both witness points are the sample point */
    double area;               /* m^2 */
    icf_lid sample;            /* in the samples that the shape calls for */
} icf_surface_point;

/* The sample points that are tested against a shape. */
const icf_sample_points *icf_surface_samples(const icf_surface_state *surface, const icf_shape *shape);

/* Velocity and acceleration that a point of the other body has: v + w x (x - centre), a. */
typedef struct icf_other_motion {
    icf_vec3 centre, linear, angular, acceleration;
} icf_other_motion;

/* What the search for points of one pair depends on. */
typedef struct icf_surface_query {
    const icf_surface_state *surface;
    icf_placed_shape shape;
    icf_other_motion other;
    bool other_moves; /* else points without a free vertex are left out */
    bool automatic;   /* candidate distance from the motion: reach x speed; else `distance` */
    double reach, dt; /* s */
    double distance;  /* m */
} icf_surface_query;

/* Tests one sample point.  Returns whether it is a contact. */
bool icf_surface_test(const icf_surface_query *query, icf_lid sample, icf_surface_point *point);

/* Speed at which two points can approach each other in the step beyond their relative velocity: largest of the
 * accelerations of both, and of one alone when the other is held by what it rests on. */
double icf_approach_acceleration(icf_vec3 a, icf_vec3 b);

/* The free vertices that carry a sample point. */
icf_support icf_surface_support(const icf_surface_state *surface, const icf_sample_point *point, int32_t n);

/* Velocity that supported vertices bring to a sample point [m/s]. */
icf_vec3 icf_surface_supported_velocity(const icf_surface_state *surface, const icf_sample_point *point, int32_t n);

/* Velocity of the free vertices' part of a sample point [m/s]. */
icf_vec3 icf_surface_free_velocity(const icf_surface_state *surface, const icf_support *support);

/* Adds sum of b_i^2 (A_ii)^-1 over the free vertices to w (3x3) [1/kg]. */
void icf_surface_add_effective(const icf_surface_state *surface, const icf_support *support, icf_mat3 *w);

#endif
