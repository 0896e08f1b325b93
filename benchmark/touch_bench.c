/* icf_touch_bench [REPEATS]: what the contact points of a pair of bodies cost.
 *
 * For each kind of shape 256 pairs of bodies about as large as one another, turned at random: they overlap by up to 2 %
 * of their size or are apart by as much, below the candidate distance, as bodies in a pile are.  Kinds take turns; at
 * each turn a kind's pairs are done 40 times, so that shapes and code are in the cache.  Times are the CPU time of a
 * kind's least turn of REPEATS (default 9) over the pairs; one line of JSON for each kind, with the mean number of
 * contact points.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/random.h"
#include "geometry/collide.h"
#include "scene/solid.h"

enum { NPAIR = 256, NROUND = 40, NVERTEX = 32, NKIND = 5 };

static const double size = 0.1, gap = 0.002; /* m */

typedef struct kind {
    const char *name;
    icf_shape shape;
    icf_placed_shape placed[NPAIR][2];
    double npoint; /* mean a pair */
    double least;  /* CPU time a pair [us] */
} kind;

static double between(uint64_t *random, double low, double high)
{
    return low + (high - low) * icf_lcg_next(random);
}

static icf_vec3 direction(uint64_t *random)
{
    icf_vec3 x;
    do {
        for (int k = 0; k < 3; ++k) icf_set(&x, k, between(random, -1.0, 1.0));
    } while (icf_norm(x) > 1.0 || icf_norm(x) < 0.1);
    return icf_unit(x);
}

/* The hull of points on a ball that is a little flattened. */
static icf_status make_hull(icf_context *context, uint64_t *random, icf_solid *solid)
{
    icf_vec3 point[NVERTEX];
    for (int k = 0; k < NVERTEX; ++k) {
        point[k] = icf_scale(size, direction(random));
        point[k].z *= 0.7;
    }
    icf_solid_init(solid);
    return icf_solid_build_convex(context, NVERTEX, point, ICF_SOLID_PRINCIPAL, solid);
}

/* Puts the second of two turned bodies where it overlaps the first a little or nearly does. */
static void place_pair(const icf_shape *shape, const icf_solid *solid, uint64_t *random, icf_placed_shape placed[2])
{
    for (int k = 0; k < 2; ++k) {
        const icf_vec3 axis = direction(random);
        const double half = between(random, 0.0, M_PI / 2.0);
        const icf_quat turn = {cos(half), sin(half) * axis.x, sin(half) * axis.y, sin(half) * axis.z};
        placed[k] = (icf_placed_shape){shape, {0, 0, 0}, icf_quat_matrix(turn), solid};
    }
    icf_contact_point nearest;
    placed[1].position = icf_scale(3.0 * size, direction(random));
    if (!icf_collide_nearest(&placed[0], &placed[1], INFINITY, &nearest)) return;
    const double wanted = between(random, -gap, gap);
    placed[1].position = icf_mul_add(placed[1].position, wanted - nearest.distance, nearest.normal);
}

static void time_kind(kind *k)
{
    icf_manifold manifold;
    long npoint = 0;
    const double start = icf_clock_cpu();
    for (int round = 0; round < NROUND; ++round)
        for (int i = 0; i < NPAIR; ++i) {
            icf_collide(&k->placed[i][0], &k->placed[i][1], gap, &manifold);
            npoint += manifold.n;
        }
    k->least = fmin(k->least, 1e6 * (icf_clock_cpu() - start) / (NROUND * NPAIR));
    k->npoint = (double)npoint / (NROUND * NPAIR);
}

static void run(const icf_solid *hull, uint64_t *random, int repeats)
{
    static kind kinds[NKIND];
    const icf_shape shapes[NKIND] = {{.type = ICF_SHAPE_SPHERE, .radius = size},
                                     {.type = ICF_SHAPE_CAPSULE, .radius = 0.5 * size, .half = 0.5 * size},
                                     {.type = ICF_SHAPE_BOX, .extent = {size, 0.8 * size, 0.6 * size}},
                                     {.type = ICF_SHAPE_CYLINDER, .radius = size, .half = 0.7 * size},
                                     icf_solid_shape(hull, 0)};
    static const char *const names[NKIND] = {"spheres", "capsules", "boxes", "cylinders", "hulls of 32 vertices"};
    for (int k = 0; k < NKIND; ++k) {
        kinds[k] = (kind){.name = names[k], .shape = shapes[k], .least = INFINITY};
        for (int i = 0; i < NPAIR; ++i) place_pair(&kinds[k].shape, hull, random, kinds[k].placed[i]);
    }
    for (int r = 0; r < repeats; ++r)
        for (int k = 0; k < NKIND; ++k) time_kind(&kinds[k]);
    for (int k = 0; k < NKIND; ++k)
        printf("{\"benchmark\": \"touch\", \"pair\": \"%s\", \"points\": %.2f, \"us_per_pair\": %.3f}\n", kinds[k].name,
               kinds[k].npoint, kinds[k].least);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int repeats = argc > 1 ? ICF_MAX(1, atoi(argv[1])) : 9;
    uint64_t random = 1;
    icf_context context;
    icf_status status = icf_context_init(&context, MPI_COMM_WORLD, 1);
    if (status == ICF_OK) {
        icf_solid hull;
        status = make_hull(&context, &random, &hull);
        if (status == ICF_OK) run(&hull, &random, repeats);
        if (status != ICF_OK) fprintf(stderr, "icf_touch_bench: %s\n", icf_status_text(status));
        icf_solid_clear(&hull);
        icf_context_clear(&context);
    }
    MPI_Finalize();
    return icf_status_exit_code(status);
}
