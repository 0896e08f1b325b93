/* Plan: what a step of a scene would be on P ranks, found out in one process.
 *
 *     bodies -> contacts, islands -> graph -> cut into P parts -> ghosts, islands over borders, placement -> loads
 *
 * Nothing is sent, and nothing moves.  Parts are those of METIS or of the curve, as a run makes them
 * (partition/decompose.h); ghosts, messages and bytes are counted by the rules of halo, components, placement and
 * guests.  Which number a part has differs from a run's, which gives parts to ranks such that few bodies move; only
 * groups' shares of a factor depend on it.
 */
#ifndef ICF_STEP_PLAN_H
#define ICF_STEP_PLAN_H

#include "partition/decompose.h"
#include "scene/scene.h"
#include "step/cost.h"

/* How to cut: like a run that rebalances, or one way always. */
typedef enum icf_plan_cut { ICF_PLAN_AUTO, ICF_PLAN_METIS, ICF_PLAN_CURVE } icf_plan_cut;

typedef struct icf_plan_settings {
    int nrank;
    icf_plan_cut cut;
    icf_cnt step;                  /* of the state: 0 at the scene's start */
    double iterations;             /* Newton iterations of every island; 0: those that solving the step takes */
    double evaluations;            /* line search evaluations in an iteration; not read when the step is solved */
    const struct icf_plan *before; /* plan of the same bodies some steps before whose parts are taken; NULL: cut now */
} icf_plan_settings;

typedef struct icf_plan_island {
    icf_gid id; /* smallest global id of its bodies */
    icf_cnt bodies, contacts;
    int nrank;    /* ranks that own bodies of it */
    int solver;   /* rank that solves it */
    bool lent;    /* the one rank that owns its bodies has another one solve it */
    bool grouped; /* solved by all ranks that own bodies of it; solver is the one that owns most */
    int iterations;
    double flops; /* of one factor */
} icf_plan_island;

enum { ICF_PLAN_ISLANDS = 10 };

typedef struct icf_plan {
    icf_cost_step step;
    icf_lid nbody;
    int *rank;           /* (bodies) rank of each body; -1: does not move, is everywhere */
    icf_rank_load *load; /* (nrank) */
    icf_rank_load total; /* of all ranks; maxima where load has maxima */
    int regions;         /* cut by METIS each; 0: cut along the curve */
    icf_decomposition decomposition;
    int nlargest;
    icf_plan_island largest[ICF_PLAN_ISLANDS]; /* by bodies */
} icf_plan;

void icf_plan_init(icf_plan *plan);
void icf_plan_clear(icf_plan *plan);

/* CPU times of the stages of a step on one rank: geometry and solve are each the shortest of 5 to 40 repetitions of the
 * same step, within two seconds if that makes 5; exchange and memory are 0.  Local. */
ICF_MUST_CHECK icf_status icf_plan_measure(icf_context *context, const icf_scene *scene, icf_bodies *bodies,
                                           icf_cnt step, icf_rank_cost *cost);

/* Makes a plan.
 *   context [in] of one process
 *   bodies  [in] all bodies of the scene, at the step's start
 * ICF_ERROR_MEMORY, ICF_ERROR_USAGE when there are other bodies than in the plan before, or what detection and METIS
 * report.  Local. */
ICF_MUST_CHECK icf_status icf_plan_build(icf_plan *plan, icf_context *context, const icf_scene *scene,
                                         icf_bodies *bodies, const icf_plan_settings *settings);

#endif
