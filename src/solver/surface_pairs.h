/* Contacts with deformable bodies: what a pair with at least one of them adds to the contact family.
 *
 * A contact point is carried by up to three vertices of a deformable body, v = sum of b_i v_i, and by the twist of a
 * rigid one (physics: deformable bodies).  Private to the contact family (contact_constraints.c), whose laws and
 * iterates it shares.
 */
#ifndef ICF_SOLVER_SURFACE_PAIRS_H
#define ICF_SOLVER_SURFACE_PAIRS_H

#include "solver/contact_constraints.h"

/* A pair as the solver sees it. */
typedef struct icf_contact_pair_view {
    icf_lid a, b; /* local bodies */
    bool a_moves, b_moves;
    bool deformable;    /* at least one of them */
    icf_vec3 offset;    /* x_b - x_a, when both move; rigid bodies only */
    icf_lid begin, end; /* contacts */
} icf_contact_pair_view;

/* Gives the pairs of blocks that the contacts of the pair couple. */
ICF_MUST_CHECK icf_status icf_surface_pair_couple(const icf_contact_constraints *family,
                                                  const icf_contact_pair_view *view, icf_couple couple, void *user);

/* Marks the blocks that carry contacts of the pair. */
void icf_surface_pair_mark_varying(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                                   bool *varies);

/* Adds J v of the contacts, in their frames, to out (contacts x 3). */
void icf_surface_pair_velocity(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                               const double *v, double (*out)[3]);

/* Cost at the current velocities [J]; sets the contacts' impulses and adds J^T gamma to impulse (dofs). */
double icf_surface_pair_evaluate(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                                 double *impulse);

/* Adds J^T G J of the direction Hessian to H. */
void icf_surface_pair_add_hessian(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                                  icf_block_matrix *hessian);

/* F^T G F: a Hessian in a contact frame, in the world. */
icf_mat3 icf_contact_to_world(const icf_sym3 *g, const icf_mat3 *frame);

#endif
