/* Contact points of deformable bodies (physics: deformable bodies, contact).
 *
 * Each sample point of a surface is a contact of its own, with the signed distance and normal of what it meets - a
 * rigid shape, or the surface of another deformable body or of its own - and the area that belongs to it.  Between two
 * deformable bodies both surfaces are sampled, each with half the stiffness.
 */
#ifndef ICF_CONTACT_SURFACE_CONTACT_H
#define ICF_CONTACT_SURFACE_CONTACT_H

#include "contact/contacts.h"
#include "geometry/collide.h"
#include "geometry/triangle_tree.h"

/* A deformable body's surface in a step. */
typedef struct icf_surface_state {
    const icf_deformable *deformable;
    const icf_vec3 *position;      /* (vertices) at t_n [m] */
    const icf_vec3 *velocity;      /* (vertices) v0; of supported vertices at t_{n+1} [m/s] */
    const icf_vec3 *acceleration;  /* (vertices) (v* - v0) / dt [m/s^2] */
    const icf_mat3 *inverse;       /* (vertices) inverse of the diagonal block of A [1/kg]; zero for supported ones */
    icf_triangle_tree tree;        /* of the surface at t_n; only where it can touch deformable bodies */
    icf_item_tree tets;            /* of its tetrahedra at t_n; only where it can touch itself */
    const icf_triangle_tree *rest; /* of the surface at rest, as tree */
    const int *owner;              /* (vertices) rank that tests the sample points of a vertex: all ranks have the body
                                      and share its work; NULL: its owner alone does */
    int rank;                      /* this one, where there are owners */
} icf_surface_state;

/* A point of a surface by the vertices that carry it. */
typedef struct icf_carried_point {
    int32_t n;
    icf_lid vertex[3];
    double weight[3]; /* barycentric */
} icf_carried_point;

/* A contact point of a surface. */
typedef struct icf_surface_point {
    icf_contact_point contact;  /* both witness points are the sample point */
    double area;                /* m^2 */
    bool of_first;              /* the sample is one of the pair's first body, else of its second */
    icf_carried_point sample;   /* the sample point */
    icf_carried_point opposite; /* the point of the other surface; n = 0: the other body is rigid */
} icf_surface_point;

/* Velocity and acceleration that a point of a rigid body has: v + w x (x - centre), a. */
typedef struct icf_other_motion {
    icf_vec3 centre, linear, angular, acceleration;
} icf_other_motion;

/* What the search for the points of one surface depends on. */
typedef struct icf_surface_query {
    const icf_surface_state *surface;  /* whose samples are tested */
    const icf_surface_state *opposite; /* against this surface; NULL: against the rigid shape */
    icf_placed_shape shape;            /* rigid */
    icf_vec3 extent;                   /* rigid: half of the box round the shape, infinite for a half-space [m] */
    icf_other_motion other;            /* rigid */
    bool other_moves;                  /* else points without a free vertex are left out */
    bool automatic;                    /* candidate distance from the motion: reach x speed; else `distance` */
    double reach, dt;                  /* s */
    double distance;                   /* m */
    double longest;                    /* no candidate distance of the query is above it [m] */
    bool of_first;                     /* the surface is that of the pair's first body */
    int32_t feature;                   /* added to the samples' numbers */
} icf_surface_query;

/* The sample points that are tested. */
const icf_sample_points *icf_surface_samples(const icf_surface_query *query);

/* Numbers that the samples of a surface use up as features against a deformable body. */
int32_t icf_surface_features(const icf_surface_state *surface);

/* Tests one sample point.  Returns whether it is a contact. */
bool icf_surface_test(const icf_surface_query *query, icf_lid sample, icf_surface_point *point);

/* The free vertices that carry a point. */
icf_support icf_surface_support(const icf_surface_state *surface, const icf_carried_point *point);

/* Velocity that supported vertices bring to a point [m/s]. */
icf_vec3 icf_surface_supported_velocity(const icf_surface_state *surface, const icf_carried_point *point);

/* Velocity of the free vertices' part of a point [m/s]. */
icf_vec3 icf_surface_free_velocity(const icf_surface_state *surface, const icf_support *support);

/* Adds sum of b_i^2 (A_ii)^-1 over the free vertices to w (3x3) [1/kg]. */
void icf_surface_add_effective(const icf_surface_state *surface, const icf_support *support, icf_mat3 *w);

#endif
