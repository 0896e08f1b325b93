/* What the files of the free motion share: what is kept for a deformable body, and what a motion is computed with. */
#ifndef ICF_STEP_DEFORMABLE_KEPT_H
#define ICF_STEP_DEFORMABLE_KEPT_H

#include "step/deformable_motion.h"

/* What is kept for one deformable. */
typedef struct icf_deformable_kept {
    icf_fem *fem;
    icf_split_mesh *split;           /* NULL: whole */
    icf_linear_solver *solver, *pcg; /* created on first use */
    int32_t *dof;                    /* (vertices + 1) */
    int64_t *diag_at, *off_at;       /* of the block matrix */
    double *rhs;                     /* (3 vertices) right-hand side while a solution is found */
    size_t rhs_capacity;
    icf_arena tree_memory;    /* of rest and tets */
    icf_triangle_tree rest;   /* of the surface at rest; empty where it cannot touch deformable bodies */
    icf_item_tree tets;       /* of the tetrahedra at rest; empty where it cannot touch itself */
    icf_deformable_work work; /* of the last free motion */
} icf_deformable_kept;

/* What a free motion is computed with. */
typedef struct icf_deformable_system {
    icf_context *context;
    icf_deformable_kept *kept;
    double dt; /* s */
    double relative_tolerance;
} icf_deformable_system;

/* The worst status of the ranks that compute a motion together. */
ICF_MUST_CHECK static inline icf_status icf_deformable_agree(const icf_deformable_system *system,
                                                             const icf_deformable_motion *motion, icf_status status)
{
    return motion->split ? icf_agree(system->context, status) : status;
}

/* Rows and columns of supported vertices in val: unit diagonal and nothing else. */
void icf_deformable_hold(const icf_deformable_motion *motion, double *val);

#endif
