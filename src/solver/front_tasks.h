/* A tree of fronts for the threads of one rank: subtrees that are independent, and the fronts above them.
 *
 * A factor has the same bits however the tree is cut (fronts.h): it is cut into as few subtrees as keep the threads
 * busy, since one thread alone is faster with a front than all together.  What solutions take off the rows above
 * subtrees is added subtree by subtree: their tree is cut as for PARTS workers, whatever the number of threads, so that
 * every bit follows from the symbolic factor alone.
 *
 *     factor:  subtrees by any thread each, dearest first; then the fronts above, each by all threads
 *     solve:   up:    subtrees by any thread each, what they take off rows above them kept apart and added in their
 *                     order; fronts above by one thread
 *              down:  fronts above by one thread, subtrees by any thread each
 *
 * One thread factors the whole tree in one run, with its small stack.  Private to src/solver; one object a caller.
 */
#ifndef ICF_SOLVER_FRONT_TASKS_H
#define ICF_SOLVER_FRONT_TASKS_H

#include "solver/front_cut.h"
#include "solver/fronts.h"
#include "solver/update_memory.h"

typedef struct icf_front_tasks {
    icf_fronts *fronts;          /* borrowed */
    icf_front_cut factor, solve; /* cuts; that of factors when there are several threads */
    int nthread;                 /* threads, for which there is room */
    icf_update_memory update_memory;
    int64_t *kept_at;       /* (nsuper) where the kept updates begin */
    double *work;           /* kept updates */
    icf_front_stack *stack; /* (nthread) */
    int nstack;
    int64_t *taken_at; /* (subtrees of solutions + 1) first value of each in taken */
    double *taken;     /* what each subtree takes off the rows below its root */
    double *vector;    /* (nthread x dofs) */
    size_t kept_at_capacity, work_capacity, taken_at_capacity, taken_capacity, vector_capacity;
} icf_front_tasks;

void icf_front_tasks_init(icf_front_tasks *tasks);
void icf_front_tasks_clear(icf_front_tasks *tasks);

/* Cuts the tree of fronts, which are analysed, for solutions. */
ICF_MUST_CHECK icf_status icf_front_tasks_analyze(icf_front_tasks *tasks, icf_fronts *fronts);

/* Sets the number of threads, cuts the tree for them and makes room: to be called before every factorisation, after its
 * precision is set. */
ICF_MUST_CHECK icf_status icf_front_tasks_reserve(icf_front_tasks *tasks, int nthread);

/* Factors; returns false when a pivot is not positive and finite. */
bool icf_front_tasks_factor(icf_front_tasks *tasks, const icf_block_matrix *matrix);

/* Solves.  x [in,out] (dofs) in elimination order. */
void icf_front_tasks_solve(icf_front_tasks *tasks, double *x);

#endif
