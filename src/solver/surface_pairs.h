/* Contacts with deformable bodies: what a pair with at least one of them adds to the contact family.
 *
 * A contact point is carried by up to three vertices of a deformable body, v = sum of b_i v_i, and by the twist of a
 * rigid one (physics: deformable bodies).  Private to the contact family (contact_constraints.c), whose laws and
 * iterates it shares.
 */
#ifndef ICF_SOLVER_SURFACE_PAIRS_H
#define ICF_SOLVER_SURFACE_PAIRS_H

#include "solver/contact_constraints.h"

/* Gives the pairs of blocks that the contacts of the pair couple. */
ICF_MUST_CHECK icf_status icf_surface_pair_couple(const icf_contact_constraints *family,
                                                  const icf_contact_pair_view *view, icf_couple couple, void *user);

/* Marks the blocks that carry contacts of the pair. */
void icf_surface_pair_mark_varying(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                                   bool *varies);

/* Adds J v of the contacts, in their frames, to out (contacts x 3). */
void icf_surface_pair_velocity(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                               const double *v, double (*out)[3]);

/* Adds J^T gamma of the contacts' impulses to impulse (dofs). */
void icf_surface_pair_add_impulse(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                                  double *impulse);

/* Adds J^T G J of the direction Hessian to H, G as the last evaluation left it. */
void icf_surface_pair_add_hessian(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                                  icf_block_matrix *hessian);

/* F^T G F: a Hessian in a contact frame, in the world. */
static inline icf_mat3 icf_contact_to_world(const icf_sym3 *g, const icf_mat3 *frame)
{
    const double *m = g->m;
    const double full[9] = {m[0], m[1], m[3], m[1], m[2], m[4], m[3], m[4], m[5]};
    double gf[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            gf[3 * i + j] =
                full[3 * i] * frame->m[j] + full[3 * i + 1] * frame->m[3 + j] + full[3 * i + 2] * frame->m[6 + j];
    icf_mat3 world;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            world.m[3 * i + j] = frame->m[i] * gf[j] + frame->m[3 + i] * gf[3 + j] + frame->m[6 + i] * gf[6 + j];
    return world;
}

#endif
