/* Populations: many bodies in a few lines.
 *
 * A population is a rule that gives body k, 0 <= k < n, without the bodies before it, so that any rank generates
 * any range of them with the same bits.  Each body is a copy of one of several templates, picked at random by weight,
 * and may be scaled by a random size, turned at random and given a random velocity.
 *
 *   grid     Bodies sit in the cells of a grid, each shifted at random; k counts cells along x first, then y, then z.
 *   columns  k counts upwards in one column after the other; columns stand along x first, then y.
 *   packing  Bodies lie at random in a region without overlap (geometry/packing.h says where).
 *   emitter  Bodies enter at random places of a region, one after the other, while the scene runs (step/emit.h).
 *
 * Random numbers: Philox4x32-10 with the seed as key and the counter (k, stream, attempt).  Stream 0 picks the template
 * and shifts the body of a grid along x, y and z; the others are named below.  The columns' template and shift are
 * drawn from a linear congruential sequence, three numbers a body (template, x, y), whose place 3 k is jumped to in
 * O(log k): other programs that draw the numbers one after the other get the same scene.
 *
 * Plain data without pointers.  Local, thread-safe.
 */
#ifndef ICF_SCENE_POPULATION_H
#define ICF_SCENE_POPULATION_H

#include "scene/bodies.h"
#include "scene/region.h"
#include "scene/size.h"
#include "scene/solid.h"

typedef struct icf_scene icf_scene;

typedef enum icf_population_kind {
    ICF_POPULATION_GRID,
    ICF_POPULATION_COLUMNS,
    ICF_POPULATION_PACKING,
    ICF_POPULATION_EMITTER
} icf_population_kind;

/* As scenes name them, NULL behind the last. */
extern const char *const icf_population_names[];

/* What random numbers are drawn for. */
typedef enum icf_population_stream {
    ICF_STREAM_PLACE, /* template, and shift of a grid's body */
    ICF_STREAM_SIZE,
    ICF_STREAM_ORIENTATION,
    ICF_STREAM_LINEAR,  /* linear velocity */
    ICF_STREAM_ANGULAR, /* angular velocity */
    ICF_STREAM_POSITION /* one attempt after the other to find room */
} icf_population_stream;

/* A body that a population copies; gid, position and name have no meaning. */
typedef struct icf_template {
    double weight; /* > 0; share of the bodies that are like it, relative to the other templates */
    icf_size size; /* factor on its lengths */
    icf_body_def body;
} icf_template;

typedef struct icf_population {
    icf_population_kind kind;
    icf_cnt n;                         /* bodies */
    icf_cnt nx, ny, nz;                /* cells along each axis; columns: the last column may be lower than nz */
    icf_vec3 spacing;                  /* distance of cells along each axis [m] */
    icf_vec3 origin;                   /* grid: first cell; columns: centre of the columns, height of the lowest [m] */
    double jitter;                     /* largest shift along an axis; columns: along x and y only [m] */
    icf_region region;                 /* packing, emitter: where the bodies are, or enter */
    double gap;                        /* packing, emitter: least distance of two bodies [m] */
    double rate;                       /* emitter: bodies a second */
    double start;                      /* emitter: when its first body is due [s] */
    bool turned;                       /* orientations uniform over all rotations; else those of the templates */
    icf_vec3 linear, angular;          /* velocities added to those of the templates [m/s], [rad/s] */
    double linear_spread;              /* radius of a ball of random velocities, added too [m/s] */
    double angular_spread;             /* [rad/s] */
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

/* n bodies in a region, gap 0. */
icf_population icf_population_packing(icf_cnt n, const icf_region *region);

/* An emitter of n bodies in all, from a region, gap and start 0. */
icf_population icf_population_emitter(icf_cnt n, const icf_region *region, double rate);

/* Generates body k, of packings and emitters without its position.
 *   templates [in]  the scene's templates
 *   first_gid [in]  global id of body 0 of this population
 *   k         [in]  0 <= k < population->n
 *   def       [out] name NULL */
void icf_population_body(const icf_population *population, const icf_template *templates, icf_gid first_gid, icf_cnt k,
                         icf_body_def *def);

/* Random numbers of body k, uniform in (0, 1).
 *   attempt [in]  of those of one stream
 *   u       [out] (4) */
void icf_population_draw(const icf_population *population, icf_cnt k, icf_population_stream stream, uint32_t attempt,
                         double u[4]);

/* Largest distance of a body's surface from its centre of mass over all bodies that can be drawn, and its mean [m];
 * mean volume of a body [m^3], of hulls and compounds by the scene's solids. */
double icf_population_largest_radius(const icf_population *population, const icf_template *templates);
double icf_population_mean_radius(const icf_population *population, const icf_template *templates);
double icf_population_mean_volume(const icf_population *population, const icf_template *templates,
                                  const icf_solid *solids);

#endif
