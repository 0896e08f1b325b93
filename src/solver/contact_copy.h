/* Contacts as numbers, for another rank to solve.
 *
 * A copy of a pair holds what a solve needs of it while only some of its bodies' blocks move: laws, frames and arms,
 * the bias with the velocities of held bodies in it, and duals.
 *
 *     pair      id of block a, of block b (-1: held), offset, locked of a, of b, reference body, contacts
 *     contact   law, w, bias, frame, arm, dual
 *
 * Private to src/solver; local.
 */
#ifndef ICF_SOLVER_CONTACT_COPY_H
#define ICF_SOLVER_CONTACT_COPY_H

#include <string.h>

#include "solver/contact_constraints.h"

enum {
    ICF_COPY_LAW = (int)((sizeof(icf_law) + sizeof(double) - 1) / sizeof(double)),
    ICF_COPY_PAIR = 9,                                  /* numbers of a pair */
    ICF_COPY_CONTACT = ICF_COPY_LAW + 1 + 3 + 9 + 3 + 2 /* of a contact: law, w, bias, frame, arm, dual */
};

/* A global id among numbers, bit by bit. */
static inline double icf_gid_to_number(icf_gid gid)
{
    double number;
    memcpy(&number, &gid, sizeof number);
    return number;
}

static inline icf_gid icf_gid_of_number(double number)
{
    icf_gid gid;
    memcpy(&gid, &number, sizeof gid);
    return gid;
}

/* A family of copies. */
typedef struct icf_contact_copies {
    icf_contact_constraints family;
    icf_contacts contacts;
} icf_contact_copies;

/* Copies a pair of rigid bodies; returns the place behind the copy.
 *   family [in]  restricted to the blocks that move (icf_contact_constraints_restrict)
 *   view   [in]  of the pair, in the restricted family
 *   gid    [in]  (blocks of the family) global ids
 *   to     [out] (ICF_COPY_PAIR + contacts x ICF_COPY_CONTACT) */
double *icf_contact_copy_put(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                             const icf_gid *gid, double *to);

/* Starts a family without pairs.
 *   npair, n [in] pairs and contacts that it will have
 *   dof      [in] (blocks + 1) kept
 *   arena    [in] has its arrays */
ICF_MUST_CHECK icf_status icf_contact_copies_start(icf_contact_copies *copies, icf_lid npair, icf_lid n,
                                                   const int32_t *dof, icf_arena *arena);

/* Adds the pair of a copy; returns the place behind the copy.
 *   nblock, gid [in] (nblock) global ids of the blocks that move, ascending */
const double *icf_contact_copies_add(icf_contact_copies *copies, icf_lid nblock, const icf_gid *gid,
                                     const double *from);

#endif
