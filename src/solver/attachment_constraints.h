/* Attachments as a constraint family: vertices of deformable bodies held to rigid ones. */
#ifndef ICF_SOLVER_ATTACHMENT_CONSTRAINTS_H
#define ICF_SOLVER_ATTACHMENT_CONSTRAINTS_H

#include "contact/attachments.h"
#include "solver/constraint.h"

typedef struct icf_attachment_constraints {
    icf_constraints base;
    const icf_bodies *bodies;
    const icf_attachments *attachments; /* impulses of the island's attachments are written */
    icf_lid npair;
    const icf_lid *pair;                /* (npair) indices into attachments->pair */
    const icf_lid *block;               /* (bodies) block of each local body, of a deformable one its first */
    const icf_lid *const *vertex_block; /* (bodies) of a body that a group shares the block of each vertex, else NULL;
                                           NULL: there is none */
    const int32_t *dof;                 /* (blocks + 1) */
} icf_attachment_constraints;

void icf_attachment_constraints_init(icf_attachment_constraints *family, const icf_bodies *bodies,
                                     const icf_attachments *attachments, icf_lid npair, const icf_lid *pair,
                                     const icf_lid *block, const int32_t *dof);

#endif
