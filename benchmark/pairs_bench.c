/* icf_pairs_bench [REPEATS [THREADS [SIZES]]]: what it costs to find the pairs of bodies that are near each other.
 *
 * Balls on a cubic grid as wide as they are, each shifted at random by up to 3 % of its diameter, on the ground: a
 * settled scene of 10,000 to 1,000,000 bodies, of which each has a pair with some of its 26 neighbours.  The first
 * SIZES scenes (default 3) take turns; at each turn, a scene is done so often that as many bodies have been looked at
 * as the largest scene has, so that what else the machine does meets all of them alike.  Times are the CPU time of a
 * scene's least turn of REPEATS (default 5) over the number of bodies; one line of JSON for each scene, then the ratio
 * of the largest to the smallest.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "geometry/broad_phase.h"

static const double radius = 0.05, shift = 0.003, margin = 0.001; /* m */

typedef struct bench {
    icf_context *context;
    icf_bodies bodies;
    double *margin; /* (bodies) [m] */
    icf_broad_phase *broad;
    icf_lid npair;
    double least; /* CPU time a body [us] */
} bench;

static icf_body_def make_ball(icf_lid gid, icf_vec3 cell, uint64_t *random)
{
    icf_body_def def = icf_body_def_default();
    def.gid = gid;
    def.shape = (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius};
    def.mass = 1.0;
    def.inertia = icf_shape_inertia(&def.shape, def.mass);
    for (int k = 0; k < 3; ++k)
        icf_set(&def.position, k, 2.0 * radius * (icf_get(cell, k) + 0.5) + shift * (2.0 * icf_lcg_next(random) - 1.0));
    return def;
}

/* The ground and n^3 balls. */
static icf_status fill(bench *b, icf_lid n)
{
    uint64_t random = 1;
    icf_body_def ground = icf_body_def_default();
    ground.shape = (icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}};
    ground.motion.type = ICF_MOTION_FIXED;
    ICF_TRY(icf_bodies_add(&b->bodies, &ground, true));
    for (icf_lid k = 0; k < n * n * n; ++k) {
        const icf_body_def ball = make_ball(k + 1, icf_vec3_make(k % n, k / n % n, k / n / n), &random);
        ICF_TRY(icf_bodies_add(&b->bodies, &ball, true));
    }
    b->margin = icf_alloc((size_t)b->bodies.n * sizeof *b->margin);
    if (!b->margin) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < b->bodies.n; ++i) b->margin[i] = margin;
    return icf_broad_phase_create(&b->broad);
}

static void clear(bench *b)
{
    icf_broad_phase_destroy(&b->broad);
    icf_free(b->margin);
    icf_bodies_clear(&b->bodies);
}

/* Finds the pairs n times; keeps the time if it is the least. */
static icf_status time_pairs(bench *b, int n)
{
    const icf_pair *pairs;
    const double start = icf_clock_cpu();
    for (int k = 0; k < n; ++k)
        ICF_TRY(icf_broad_phase_find(b->broad, b->context, &b->bodies, b->margin, &b->npair, &pairs));
    b->least = fmin(b->least, 1e6 * (icf_clock_cpu() - start) / n / b->bodies.n);
    return ICF_OK;
}

enum { NSIZE = 3 };

/* The first call, which takes memory, does not count. */
static icf_status take_turns(int nsize, bench *b, int repeats)
{
    const icf_lid most = b[nsize - 1].bodies.n;
    for (int k = 0; k < nsize; ++k) ICF_TRY(time_pairs(&b[k], 1));
    for (int k = 0; k < nsize; ++k) b[k].least = INFINITY;
    for (int r = 0; r < repeats; ++r)
        for (int k = 0; k < nsize; ++k) ICF_TRY(time_pairs(&b[k], most / b[k].bodies.n));
    return ICF_OK;
}

static void print_times(int nsize, const bench *b)
{
    for (int k = 0; k < nsize; ++k)
        printf("{\"benchmark\": \"pairs\", \"bodies\": %d, \"pairs\": %d, \"threads\": %d, \"us_per_body\": %.3f}\n",
               (int)b[k].bodies.n - 1, (int)b[k].npair, b[k].context->nthread, b[k].least);
    printf("{\"benchmark\": \"pairs\", \"largest_over_smallest\": %.2f}\n", b[nsize - 1].least / b[0].least);
}

static icf_status run(icf_context *context, int repeats, int nsize)
{
    static const icf_lid edge[NSIZE] = {22, 46, 100};
    bench b[NSIZE] = {{0}};
    icf_status status = ICF_OK;
    for (int k = 0; k < nsize; ++k) icf_bodies_init(&b[k].bodies);
    for (int k = 0; k < nsize && status == ICF_OK; ++k) {
        b[k].context = context;
        status = fill(&b[k], edge[k]);
    }
    if (status == ICF_OK) status = take_turns(nsize, b, repeats);
    if (status == ICF_OK) print_times(nsize, b);
    for (int k = 0; k < nsize; ++k) clear(&b[k]);
    return status;
}

/* Argument k, from 1 to most. */
static int argument(int argc, char **argv, int k, int otherwise, int most)
{
    const int value = argc > k ? atoi(argv[k]) : otherwise;
    return ICF_MAX(1, ICF_MIN(value, most));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int repeats = argument(argc, argv, 1, 5, 1000), nsize = argument(argc, argv, 3, NSIZE, NSIZE);
    icf_context context;
    icf_status status = icf_context_init(&context, MPI_COMM_WORLD, argument(argc, argv, 2, 1, 1024));
    if (status == ICF_OK) {
        status = run(&context, repeats, nsize);
        if (status != ICF_OK) fprintf(stderr, "icf_pairs_bench: %s\n", icf_status_text(status));
        icf_context_clear(&context);
    }
    MPI_Finalize();
    return icf_status_exit_code(status);
}
