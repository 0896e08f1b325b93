/* Census: what a scene holds, counted while its bodies stream by. */
#ifndef ICF_CLI_CENSUS_H
#define ICF_CLI_CENSUS_H

#include <stdio.h>

#include "scene/bodies.h"
#include "scene/scene.h"

typedef struct icf_census {
    icf_cnt n;                         /* bodies */
    icf_cnt shape[ICF_SHAPE_COUNT];    /* bodies of each shape, generated ones not included */
    icf_cnt generated;                 /* bodies of populations that were counted without generating them */
    icf_cnt moving, fixed, prescribed; /* moved by the solver; at rest; moved as the scene says */
    icf_cnt dofs;                      /* degrees of freedom that the solver moves */
    icf_cnt vertices, tets;            /* of the deformable bodies */
    icf_cnt shared_bytes;              /* of the rigid surfaces, hulls and compounds, which every rank holds */
} icf_census;

/* Counts one body. */
void icf_census_add(icf_census *census, const icf_body_def *def);

/* Counts the rigid bodies of all ranks, each where it is owned.  Collective. */
void icf_census_count(icf_census *census, const icf_context *context, const icf_bodies *bodies);

/* Counts the bodies of the scene's populations without generating them; their dofs by the weights of the templates,
 * rounded.  They are not counted by shape. */
void icf_census_add_populations(icf_census *census, const icf_scene *scene);

/* Counts the deformable bodies of the scene. */
void icf_census_add_deformables(icf_census *census, const icf_scene *scene);

/* Counts the memory of what the shapes of bodies refer to (icf_scene_shared_bytes). */
void icf_census_add_shared(icf_census *census, const icf_scene *scene);

/* Memory that a run of a settled pile of these bodies takes on one rank, estimated [bytes]: the bodies, and
 * for each moving one 6 contacts and 10 blocks of the matrix and its factor; of a deformable its elements and factors;
 * rigid surfaces, hulls and compounds. */
double icf_census_memory(const icf_census *census);

/* Prints the bodies: "45: 20 sphere, 24 box, 1 half_space; 40 moving, 5 fixed". */
void icf_census_print_bodies(const icf_census *census, FILE *file);

/* Prints a population: "columns, 1000000 bodies: 50 % sphere, 50 % box"; the shares are those of the weights. */
void icf_census_print_population(const icf_scene *scene, const icf_population *population, FILE *file);

/* Prints model, step and length of a scene: "lagged, regularized; step 0.01 s, 200 steps to t = 2 s". */
void icf_census_print_settings(const icf_scene *scene, FILE *file);

#endif
