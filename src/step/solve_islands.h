/* Solves the convex problems of a step, island by island.
 *
 * Islands are independent: they go to the threads, largest first, each solved by one thread with its own memory.  An
 * island that is larger than all others together is solved before them, its factor by all threads.  The result of an
 * island does not depend on the threads.
 */
#ifndef ICF_STEP_SOLVE_ISLANDS_H
#define ICF_STEP_SOLVE_ISLANDS_H

#include "base/arena.h"
#include "contact/attachments.h"
#include "contact/contacts.h"
#include "partition/island.h"
#include "scene/scene.h"
#include "solver/contact_constraints.h"
#include "solver/newton.h"
#include "step/free_motion.h"

typedef struct icf_island_solver icf_island_solver;

ICF_MUST_CHECK icf_status icf_island_solver_create(icf_context *context, icf_island_solver **solver);

/* Nulls *solver; accepts NULL in it. */
void icf_island_solver_destroy(icf_island_solver **solver);

/* Islands with all that their problems are made of; borrowed. */
typedef struct icf_island_inputs {
    const icf_scene *scene;
    const icf_bodies *bodies;
    const icf_islands *islands; /* of the contacts' pairs, which are followed by the attachments */
    const bool *skip;           /* (islands->n) to leave out */
    const bool *as_group;       /* (islands->n) to solve with the steps of a group; NULL: none */
    icf_pattern_log *log;       /* (islands->n) patterns of these; NULL: not wanted */
    const icf_free_motion *motion;
    icf_contacts *contacts;             /* get impulses */
    icf_contact_iterates iterates;      /* of all contacts, each island or group has its own */
    const icf_attachments *attachments; /* get impulses */
} icf_island_inputs;

/* Velocities that solve all islands' problems.
 *   in      [in,out]
 *   v       [out]    (islands->dof_ptr[body_ptr[n]]) velocities in the order of islands->body; those of supported
 *                    vertices are zero
 *   result  [out]    (islands->n) what each solve did
 *   failed  [out]    first island that did not converge, -1 when all did
 * ICF_NOT_CONVERGED when an island did not converge.  Local. */
ICF_MUST_CHECK icf_status icf_solve_islands(icf_island_solver *solver, icf_arena *arena, const icf_island_inputs *in,
                                            double *v, icf_newton_result *result, icf_lid *failed);

/* Called with an island's problem and the pattern of its Hessian, which are valid during the call. */
typedef icf_status icf_island_visit(void *user, icf_lid island, const icf_problem *problem,
                                    const icf_block_matrix *pattern);

/* Visits all islands, one after the other.  Local. */
ICF_MUST_CHECK icf_status icf_visit_islands(icf_arena *arena, const icf_island_inputs *in, icf_island_visit *visit,
                                            void *user);

#endif
