/* Parts of an island where nearly all of the residual is.
 *
 * Newton's global direction is spoilt by a few contacts that open, close or turn, and one step length for all bodies
 * makes all wait for them: after two iterations 99 % of the squared residual of a pile of 4,000 bodies is on 50 of
 * them.  A part is such bodies that touch, with their neighbours; all others keep their velocities while the part is
 * solved, which is the same convex problem on fewer blocks (nonlinear elimination: Lanzkron, Rose and Wilkes 1996).
 *
 *     residual of each block -> blocks above a threshold -> their neighbours -> connected parts -> a problem each
 *
 * Parts share no contact: solved one after the other or at once, they give the same.  Only islands of rigid bodies with
 * contacts alone have parts.
 *
 * Of an island that a group of ranks solves, a rank has the parts whose blocks and contacts it alone knows; of others
 * it has a piece (crossing_parts.h).
 *
 * Private to src/solver; no threads inside.  Arrays only grow.
 */
#ifndef ICF_SOLVER_LOCAL_PARTS_H
#define ICF_SOLVER_LOCAL_PARTS_H

#include "solver/contact_constraints.h"
#include "solver/problem.h"

typedef struct icf_local_parts {
    icf_lid n;      /* parts */
    icf_lid nblock; /* blocks in them */
    icf_lid npiece; /* pieces of parts that several ranks know */
    icf_cnt found;  /* blocks in parts, of all ranks */

    icf_lid *part_of; /* (blocks of the problem) part of each, -1: none */
    icf_lid *number;  /* (blocks of the problem) number in its part, -1: in none */
    icf_lid *piece;   /* (blocks of the problem) piece of each, shadows' too, -1: none */
    icf_lid *first;   /* (n + 1) first block of each part in ... */
    icf_lid *block;   /* (nblock) ... blocks of the problem, part by part, ascending */
    icf_lid *pair_at; /* (n + 1) first pair of each part in ... */
    icf_lid *pair;    /* (pairs) ... positions in the family's pairs, part by part, ascending */
    int32_t *dof;     /* (nblock + n) first dofs of each part's blocks and their number, from first[part] + part on */
    double *momentum, *v_star, *v; /* of the parts' blocks */
    icf_contact_pair_view *view;   /* (pairs) */
    icf_lid *set;                  /* (blocks of the problem) scratch */
    double *residual, *reach;      /* (blocks of the problem) scratch: |D grad|^2, the largest of a block's and its
                                      neighbours' */
    double (*dual)[2];             /* (contacts of the problem) kept */
    size_t part_of_capacity, number_capacity, piece_capacity, first_capacity, block_capacity, pair_at_capacity,
        pair_capacity, dof_capacity, momentum_capacity, v_star_capacity, v_capacity, view_capacity, set_capacity,
        residual_capacity, reach_capacity, dual_capacity;
} icf_local_parts;

void icf_local_parts_init(icf_local_parts *parts);
void icf_local_parts_clear(icf_local_parts *parts);

/* The contacts of a problem that may have parts. */
static inline const icf_contact_constraints *icf_problem_contacts(const icf_problem *problem)
{
    return (const icf_contact_constraints *)problem->family[0];
}

/* Whether a problem may have parts, as far as this rank sees it. */
bool icf_local_parts_may(const icf_problem *problem);

/* Room for the parts of a problem that may have them. */
ICF_MUST_CHECK icf_status icf_local_parts_reserve(icf_local_parts *parts, const icf_problem *problem);

/* Finds the parts of the problem; none when the residual is not on few blocks.  Collective over the problem's group.
 *   scale, grad [in] (dofs) D and the gradient, of owned blocks
 *   usual       [in] |D grad|^2 over all ranks, or what it was before: sizes are sorted from 1e-9 of its mean on */
void icf_local_parts_find(icf_local_parts *parts, const icf_problem *problem, const double *scale, const double *grad,
                          double usual);

/* The problem of a part, whose blocks move while all others keep their velocities.
 *   v    [in]  (dofs of the whole) at which the family's velocities are
 *   part [out] problem, kept in parts and family
 *   v of the part is where parts->v is: icf_local_parts_velocity */
void icf_local_parts_restrict(icf_local_parts *parts, const icf_problem *problem, const double *v, icf_lid k,
                              icf_contact_constraints *family, icf_problem *part);

/* Velocities of a part's blocks. */
static inline double *icf_local_parts_velocity(const icf_local_parts *parts, icf_lid k)
{
    return parts->v + 6 * (size_t)parts->first[k];
}

/* Puts the velocities of a part back into those of the whole. */
void icf_local_parts_put_back(const icf_local_parts *parts, icf_lid k, const int32_t *dof, double *v);

/* Keeps the duals of all contacts of the problem. */
void icf_local_parts_keep_duals(icf_local_parts *parts, const icf_problem *problem);

/* Puts them back as they were kept. */
void icf_local_parts_restore_duals(const icf_local_parts *parts, const icf_problem *problem);

#endif
