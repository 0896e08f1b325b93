/* Attachments of a step: vertices of deformable bodies held to points of rigid ones (physics: attachment).
 *
 * vc = v_i - v_B - w_B x (x_i - p_B) wants to be vhat = -g0 / (2 dt), g0 = x_i - (p_B + R_B r_i), with the
 * regularisation R = beta^2 w / (4 pi^2): cost |vc - vhat|^2 / (2 R), impulse (vhat - vc) / R on the vertex.
 */
#ifndef ICF_CONTACT_ATTACHMENTS_H
#define ICF_CONTACT_ATTACHMENTS_H

#include "base/arena.h"
#include "contact/surface_contact.h"
#include "geometry/broad_phase.h"
#include "scene/inertia.h"
#include "scene/scene.h"

/* One vertex that is held. */
typedef struct icf_held_vertex {
    icf_lid vertex;
    bool is_free;                 /* else its velocity is in `bias` */
    icf_vec3 arm;                 /* from the rigid body's centre of mass to the vertex [m] */
    icf_vec3 bias;                /* what is prescribed of vc [m/s] */
    icf_vec3 wanted;              /* vhat [m/s] */
    double compliance;            /* R [1/kg] */
    icf_vec3 velocity, direction; /* vc and dvc of the current iterate [m/s] */
    icf_vec3 impulse;             /* on the vertex [N s] */
} icf_held_vertex;

/* Attachments of a step, by pair of bodies: arrays are the arena's. */
typedef struct icf_attachments {
    icf_lid npair;
    icf_pair *pair;        /* (npair) rigid body, deformable body */
    icf_lid *begin;        /* (npair + 1) first vertex of each pair */
    icf_held_vertex *held; /* (begin[npair]) */
} icf_attachments;

/* Grows the margins of rigid bodies so that the points at which vertices are attached lie in their boxes: ranks that
 * own the vertices then have the bodies as ghosts. margin [in,out] (n) of the bodies [0, n) [m] */
void icf_attachment_margins(const icf_scene *scene, const icf_bodies *bodies, icf_lid n, double *margin);

/* Lists the attachments of which an owned body moves one side; the other is here.
 *   surface  [in] (bodies) of deformable bodies, else NULL; NULL: none
 *   dt       [in] [s]
 * ICF_ERROR_MEMORY; ICF_ERROR_INTERNAL when a body that an owned deformable is attached to is not here.  Local. */
ICF_MUST_CHECK icf_status icf_attachments_build(icf_attachments *attachments, icf_arena *arena,
                                                const icf_bodies *bodies, const icf_inertia *inertia,
                                                const icf_surface_state *const *surface, double dt);

#endif
