/* The contacts of a step on one rank, in canonical order: by (first body, second body, feature) of global
 * ids, independent of how pairs were found.
 *
 * Built once a step from the bodies' poses; the solver then works on ranges of it.  Arrays live in the
 * container and only grow.
 */
#ifndef ICF_CONTACT_CONTACTS_H
#define ICF_CONTACT_CONTACTS_H

#include "base/context.h"
#include "contact/law.h"
#include "geometry/broad_phase.h"
#include "scene/bodies.h"
#include "scene/scene.h"

/* Vertices that carry a contact point of a deformable body: v = sum of weight x vertex velocity.  A vertex that the
 * solver does not move has no entry; its velocity is part of the contact's bias. */
typedef struct icf_support {
    int32_t n;
    icf_lid vertex[3]; /* of the body */
    double weight[3];  /* barycentric */
} icf_support;

typedef struct icf_contacts {
    icf_lid n;       /* contacts (candidates) */
    icf_lid npair;   /* body pairs with at least one contact */
    icf_cnt nsearch; /* pairs for which all directions had to be tried (geometry/convex.h) */
    size_t capacity, pair_capacity, support_capacity;

    /* per pair (npair) */
    icf_pair *pair;      /* bodies, gid[a] < gid[b] */
    icf_lid *pair_begin; /* (npair + 1) first contact of each pair */

    /* per contact (n), constant during the step */
    icf_vec3 *point;   /* contact point, world [m] */
    icf_mat3 *frame;   /* rows t1, t2, n (normal from a to b): world to contact */
    double *distance;  /* phi0 [m] */
    int64_t *feature;  /* stable id within the pair */
    double (*bias)[3]; /* b in vc = J v + b, contact frame [m/s]: belts at t_{n+1} */
    double *w;         /* effective inverse mass |W|_F/3 [1/kg] */
    icf_law *law;
    icf_support (*support)[2]; /* of the two bodies; n = 0 for rigid ones.  NULL: no body has been deformable */

    /* results (n) */
    double (*impulse)[3]; /* gamma, contact frame, on b [N s] */
} icf_contacts;

/* Net impulse of the contacts, or of the attachments, of a pair on its second body. */
typedef struct icf_pair_impulse {
    icf_pair pair;    /* local bodies */
    icf_vec3 impulse; /* world [N s] */
} icf_pair_impulse;

/* Contacts and attachments, and the bodies that their pairs refer to. */
typedef struct icf_contact_view {
    const icf_bodies *bodies;
    const icf_contacts *contacts;
    icf_lid nattachment;
    const icf_pair_impulse *attachment; /* (nattachment) of each pair of a rigid and a deformable body */
} icf_contact_view;

/* The contacts of a step on one rank: those between its own bodies, and on several ranks those of its guests; and the
 * forces of supports. */
typedef struct icf_contact_views {
    int n;
    icf_contact_view view[2];
    const icf_vec3 *reaction; /* (bodies of view 0) of owned deformable bodies [N]; NULL: no body is deformable */
    const bool *is_shared;    /* (bodies of view 0) contacts of the body are on several ranks; NULL: of none */
    icf_lid nshared;
    const icf_pair_impulse *shared; /* (nshared) pairs of such bodies that are summed on this rank; bodies of view 0 */
    const double *stress; /* (owned vertices) von Mises, of the owned deformable bodies [Pa]; NULL: not asked for */
} icf_contact_views;

void icf_contacts_init(icf_contacts *contacts);
void icf_contacts_clear(icf_contacts *contacts);

/* Sets the numbers of pairs and contacts and makes room for them; contents are undefined, but for supports, once they
 * have been added: zero. */
ICF_MUST_CHECK icf_status icf_contacts_resize(icf_contacts *contacts, icf_lid npair, icf_lid n);

/* Makes room for the supports of all contacts, zeroed. */
ICF_MUST_CHECK icf_status icf_contacts_add_supports(icf_contacts *contacts);

/* Moves n contacts to another place, over what is there; both ranges may overlap.  Local. */
void icf_contacts_move(icf_contacts *contacts, icf_lid from, icf_lid to, icf_lid n);

/* World impulse of contact i on its second body [N s]. */
icf_vec3 icf_contacts_world_impulse(const icf_contacts *contacts, icf_lid i);

/* World impulse of all contacts of pair k on its second body [N s]. */
icf_vec3 icf_contacts_pair_impulse(const icf_contacts *contacts, icf_lid k);

/* Contact frame of a unit normal: rows t1, t2, n, right-handed, a function of the normal alone.
 * With an axis (anisotropic friction): t1 = the axis projected on the tangent plane (the world axis after
 * its largest component, cyclically, when within 1e-6 of the normal), t2 = n x t1. */
icf_mat3 icf_contact_frame(icf_vec3 normal, const icf_vec3 *axis);

#endif
