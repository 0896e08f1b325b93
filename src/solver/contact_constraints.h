/* Contact as a constraint family: the contacts of one island between free bodies.
 *
 * Works on body pairs ("patches"): the velocity of a contact comes from the relative twist of its pair about
 * the centre of mass of the pair's reference body, impulses and Hessians of all contacts of a pair are summed
 * there into one wrench and one 6x6 block, and then shifted to the other body.  Scratch arrays are indexed
 * like the contacts of the step, so that islands share them without overlap.
 */
#ifndef ICF_SOLVER_CONTACT_CONSTRAINTS_H
#define ICF_SOLVER_CONTACT_CONSTRAINTS_H

#include "base/arena.h"
#include "contact/contacts.h"
#include "contact/lagged_lanes.h"
#include "solver/constraint.h"
#include "solver/pair_kernels.h"

/* A pair as the solver sees it.  A body moves here when the solver finds its velocity; of the others, it is part of the
 * bias. */
typedef struct icf_contact_pair_view {
    icf_lid a, b;             /* local bodies */
    icf_lid begin, end;       /* contacts */
    icf_lid a_block, b_block; /* block of each, if it moves */
    int32_t a_dof, b_dof;     /* first degree of freedom of each, if it moves */
    bool a_moves, b_moves;
    bool about_b;               /* b is the reference body, else a */
    bool deformable;            /* at least one of them */
    uint8_t a_locked, b_locked; /* locked degrees of freedom of each, by bits */
    icf_vec3 offset;            /* from a to the reference body's centre of mass; rigid bodies only */
} icf_contact_pair_view;

/* Iterates of all contacts of a step, and its pairs. */
typedef struct icf_contact_iterates {
    icf_contact_pair_view *view; /* (pairs) indexed like the pairs of the contacts */
    icf_vec3 *arm;               /* (n) contact point from the reference body's centre of mass [m] */
    double (*held)[3];           /* (n) bias while some blocks are held (icf_contact_constraints_restrict) */
    double (*velocity)[3];       /* (n) vc at the current iterate, contact frame [m/s] */
    double (*direction)[3];      /* (n) dvc, contact frame [m/s] */
    double (*dual)[2];           /* (n) w of the primal-dual friction Hessian */
    icf_sym3 *hessian;           /* (n) G of the direction at the last evaluation */
    icf_lagged_lanes lanes;      /* (n) constants of the laws, if the family is in lanes */
} icf_contact_iterates;

/* Memory of the iterates of a contact between rigid bodies [bytes]. */
static inline size_t icf_contact_iterate_bytes(void)
{
    return sizeof(icf_vec3) + (3 * 3 + 2 + ICF_LAGGED_CONSTANTS) * sizeof(double) + sizeof(icf_sym3);
}

typedef struct icf_contact_constraints {
    icf_constraints base;
    const icf_pair_kernels *kernels;
    const icf_lagged_kernels *lanes; /* of all laws; NULL: one of them has none, and laws are taken one by one */
    int nthread;                     /* that share the contacts; they change no bit */
    const icf_bodies *bodies;
    icf_contacts *contacts;  /* impulses of the island's contacts are written */
    const double (*bias)[3]; /* (contacts) b in vc = J v + b, contact frame [m/s] */
    icf_lid npair;           /* pairs of the island */
    icf_lid nblock;          /* more than the number of any block of a rigid body that a pair touches */
    bool has_deformable;     /* among the bodies of pairs */
    const icf_lid *pair;     /* (npair) indices into iterates.view, canonical order; NULL: all of them */
    const icf_lid *block; /* (bodies) block of each local body (deformable: of its first vertex), of bodies that move */
    const icf_lid *const *vertex_block; /* (bodies) of a body that a group shares the block of each vertex, else NULL;
                                           NULL: there is none */
    const int32_t *dof;                 /* (blocks + 1) first degree of freedom of each block */
    icf_contact_iterates iterates;
} icf_contact_constraints;

/* Takes the arrays for the contacts of a step from an arena, not initialised. */
ICF_MUST_CHECK icf_status icf_contact_iterates_alloc(icf_contact_iterates *iterates, icf_arena *arena, icf_lid npair,
                                                     icf_lid n);

/* Sets up the family, the views of its pairs, the arms of its contacts and the lanes of their laws, which are set. */
void icf_contact_constraints_init(icf_contact_constraints *family, const icf_bodies *bodies, icf_contacts *contacts,
                                  icf_lid npair, const icf_lid *pair, const icf_lid *block, const int32_t *dof,
                                  icf_contact_iterates iterates);

/* Takes the law of contact i, which is one of the family's, into the lanes; a law without lanes ends them. */
void icf_contact_constraints_put_lane(icf_contact_constraints *family, icf_lid i);

/* Whether a family is one of contacts. */
bool icf_contact_constraints_are(const icf_constraints *family);

/* The view of the k-th pair of the family. */
static inline icf_contact_pair_view *icf_contact_constraints_view(const icf_contact_constraints *family, icf_lid k)
{
    return &family->iterates.view[family->pair ? family->pair[k] : k];
}

/* Lists the pairs of the family by what their blocks are in; two blocks of a pair are in the same, or one is in none.
 *   n        [in]  lists
 *   of_block [in]  (blocks) list of each, -1: none
 *   at       [out] (n + 1) first pair of each list in ...
 *   pair     [out] ... (pairs) positions in the family's pairs, list by list, ascending */
void icf_contact_constraints_list(const icf_contact_constraints *family, icf_lid n, const icf_lid *of_block,
                                  icf_lid *at, icf_lid *pair);

/* The same family for some of the blocks, while the others keep their velocities, which become part of the bias.  It
 * works on the iterates of the whole: contacts that it touches have its iterates afterwards.
 *   part  [out]
 *   whole [in] contacts between rigid bodies; its velocities are those of v
 *   v     [in] (dofs of the whole)
 *   npair [in] pairs of the whole that touch the blocks
 *   pair  [in] (npair) positions in whole->pair, ascending
 *   block [in] (blocks of the whole) number in the part, ascending; -1: held
 *   dof   [in] (blocks of the part + 1) kept
 *   view  [out] (npair) kept */
void icf_contact_constraints_restrict(icf_contact_constraints *part, const icf_contact_constraints *whole,
                                      const double *v, icf_lid npair, const icf_lid *pair, const icf_lid *block,
                                      const int32_t *dof, icf_contact_pair_view *view);

#endif
