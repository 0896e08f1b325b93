/* Constraint families: what the convex solver asks of the terms of its cost.
 *
 * The solver knows blocks (groups of degrees of freedom) and families of constraints only.  A family holds
 * all equations of one kind in an island, with velocity vc = J v + b, a convex cost l(vc), the impulse
 * gamma = -dl/dvc and a Hessian.  Contact is one family (contact_constraints.h); joint limits, welds,
 * couplers, drives and attachments are others.
 *
 * A family keeps its own iterate: set_velocity evaluates vc, set_direction the change dvc of a Newton step,
 * advance takes the step.  Calls are made by one thread at a time.
 */
#ifndef ICF_SOLVER_CONSTRAINT_H
#define ICF_SOLVER_CONSTRAINT_H

#include "base/status.h"
#include "solver/block_matrix.h"

typedef struct icf_constraints icf_constraints;

/* Receives a coupled pair of blocks, i <= j. */
typedef icf_status (*icf_couple)(void *user, icf_lid i, icf_lid j);

typedef struct icf_constraint_ops {
    const char *name;

    /* Gives all coupled pairs of different blocks, for the pattern of H; a pair may come more than once. */
    icf_status (*couple)(const icf_constraints *self, icf_couple couple, void *user);

    /* Marks the blocks whose part of the Hessian changes from one iteration to the next. */
    void (*mark_varying)(const icf_constraints *self, bool *varies);

    /* The largest stiffness ratio dt^2 k w of the family's true laws, whether or not it acts; 0 where stages change
     * nothing. */
    double (*stiffness_ratio)(const icf_constraints *self);

    /* How many pairs of bodies hit each other at the current vc so that -n' w of what they run into each other is above
     * hard, most of it by their speed. */
    double (*count_hits)(const icf_constraints *self, double hard);

    /* Scales stiffness in cost, impulse and Hessian by a factor <= 1 (continuation); 1 is the true cost. */
    void (*set_stage)(icf_constraints *self, double factor);

    /* vc = J v + b at v (dofs). */
    void (*set_velocity)(icf_constraints *self, const double *v);

    /* Whether the current vc is in the domain of all laws. */
    bool (*feasible)(const icf_constraints *self);

    /* Whether rest may be a better start than v0: the cost of v0 can be huge and misleading (model Similar, whose
     * slip closes the gap). */
    bool (*try_rest)(const icf_constraints *self);

    /* Starts the duals of the direction Hessian: exact at the current vc, or zero. */
    void (*start_dual)(icf_constraints *self, bool exact);

    /* Cost at the current vc [J]; adds J^T gamma to impulse (dofs). */
    double (*evaluate)(icf_constraints *self, double *impulse);

    /* Adds J^T G J of the direction Hessian to H, at vc and duals of the last evaluate. */
    void (*add_hessian)(const icf_constraints *self, icf_block_matrix *hessian);

    /* dvc = J dv. */
    void (*set_direction)(icf_constraints *self, const double *dv);

    /* Adds the first and second derivative of the cost along dvc at vc + alpha dvc; false: infeasible there. */
    bool (*slope)(const icf_constraints *self, double alpha, double *slope, double *curvature);

    /* Adds J^T of the impulses of a second-order correction of the direction, for the step vc + dvc; impulses of the
     * last evaluation are lost. */
    void (*correct)(icf_constraints *self, double *impulse);

    /* Updates the duals for the step alpha dvc; the velocity itself is set by the next set_velocity. */
    void (*advance)(icf_constraints *self, double alpha);
} icf_constraint_ops;

/* Base of every family; a family's struct begins with it. */
struct icf_constraints {
    const icf_constraint_ops *ops;
};

#endif
