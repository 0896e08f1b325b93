/* Populations: many bodies in a few lines.
 *
 * A population is a rule that gives body k, 0 <= k < n, without the bodies before it, so that any rank generates
 * any range of them with the same bits.  Bodies sit in the cells of a grid, each shifted at random, and each a copy
 * of one of several templates, picked at random by weight.
 *
 *   grid     k counts cells along x first, then y, then z.  Random numbers: Philox4x32-10 of (seed, k), whose four
 *            words pick the template and shift the body along x, y and z.
 *   columns  k counts upwards in one column after the other; columns stand along x first, then y.  Random numbers: a
 *            linear congruential sequence, three a body (template, x, y), whose place 3 k is jumped to in O(log k).
 *            Other programs that draw the numbers one after the other get the same scene.
 *
 * Plain data without pointers.  Local, thread-safe.
 */
#ifndef ICF_SCENE_POPULATION_H
#define ICF_SCENE_POPULATION_H

#include "scene/bodies.h"

typedef struct icf_scene icf_scene;

typedef enum icf_population_kind { ICF_POPULATION_GRID, ICF_POPULATION_COLUMNS } icf_population_kind;

/* A body that a population copies; gid, position and name have no meaning. */
typedef struct icf_template {
    double weight; /* > 0; share of the bodies that are like it, relative to the other templates */
    icf_body_def body;
} icf_template;

typedef struct icf_population {
    icf_population_kind kind;
    icf_cnt n;                         /* bodies */
    icf_cnt nx, ny, nz;                /* cells along each axis; columns: the last column may be lower than nz */
    icf_vec3 spacing;                  /* distance of cells along each axis [m] */
    icf_vec3 origin;                   /* grid: first cell; columns: centre of the columns, height of the lowest [m] */
    double jitter;                     /* largest shift along an axis; columns: along x and y only [m] */
    uint64_t seed;                     /* of the random numbers */
    icf_cnt first;                     /* number of its first body among those of all populations of the scene */
    int32_t first_template, ntemplate; /* its part of the scene's templates */
    double weight;                     /* sum of its templates' weights */
} icf_population;

enum { ICF_POPULATION_SEED = 12345 }; /* when the scene gives none */

/* A grid of nx x ny x nz bodies (each > 0), spacing, origin and jitter 0. */
icf_population icf_population_grid(icf_cnt nx, icf_cnt ny, icf_cnt nz);

/* n bodies in columns of a height (both > 0), spacing, origin and jitter 0.  The number of columns is
 * n/height rounded up = nx ny, ny its largest divisor not above its square root.  O(sqrt(n/height)). */
icf_population icf_population_columns(icf_cnt n, icf_cnt height);

/* Generates body k.
 *   templates [in]  the scene's templates
 *   first_gid [in]  global id of body 0 of this population
 *   k         [in]  0 <= k < population->n
 *   def       [out] name NULL */
void icf_population_body(const icf_population *population, const icf_template *templates, icf_gid first_gid, icf_cnt k,
                         icf_body_def *def);

/* Generates bodies begin to end - 1 of all populations of a scene, numbered one population after the other, by
 * ascending global id, in chunks.  Global ids follow those of the listed bodies.
 *   begin, end [in] 0 <= begin <= end <= scene->ngenerated
 *   sink, user [in] receives the bodies
 * Returns what the sink returns when it is not ICF_OK.  Local. */
ICF_MUST_CHECK icf_status icf_population_generate(const icf_scene *scene, icf_cnt begin, icf_cnt end,
                                                  icf_body_sink sink, void *user);

#endif
