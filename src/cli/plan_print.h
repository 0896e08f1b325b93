/* Printing of a plan: as a table, as JSON. */
#ifndef ICF_CLI_PLAN_PRINT_H
#define ICF_CLI_PLAN_PRINT_H

#include <stdio.h>

#include "scene/scene.h"
#include "step/plan.h"

/* A plan with what it costs. */
typedef struct icf_priced_plan {
    const icf_scene *scene;
    const char *path; /* of the scene */
    icf_cnt step;     /* steps done before the state that was planned for */
    bool calibrated;  /* rates are those of these steps */
    icf_cost_rates rates;
    const icf_plan *plan;
    icf_rank_cost *cost;   /* (ranks) */
    icf_rank_cost one;     /* of everything on one rank */
    double seconds;        /* of a step */
    double seconds_on_one; /* of a step on one rank */
} icf_priced_plan;

/* Prints a summary, the largest islands, and a line a rank; of many ranks those with the longest steps. */
void icf_plan_print(const icf_priced_plan *priced, FILE *file);

/* Prints everything as one JSON object.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_plan_print_json(const icf_priced_plan *priced, FILE *file);

#endif
