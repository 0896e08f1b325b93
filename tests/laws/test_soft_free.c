/* Free motions that are known loosely: the rest is added where nothing touches the body, and counts where something
 * does. */
#include <mpi.h>
#include <stdlib.h>

#include "base/random.h"
#include "laws/soft.h"
#include "step/deformable_motion.h"

static const double dt = 0.01;

/* A cube whose lower face is at a height.
 *   supports [in] keys of the deformable */
static void open_cube(world *w, int divisions, double height, const char *supports)
{
    soft_open(w,
              "time: {step: %g, steps: 1}\nsolver: {relative_tolerance: 1.0e-9}\n"
              "materials:\n  soft: {friction: 0.5, stiffness_per_area: 1.0e+7, dissipation: 10}\n"
              "bodies:\n  - {name: ground, shape: {type: half_space, normal: [0, 0, 1], offset: 0}, material: soft, "
              "motion: fixed}\n"
              "deformables:\n  - {mesh: {box: {size: [0.2, 0.2, 0.2], divisions: [%d, %d, %d]}}, "
              "youngs_modulus: 1.0e4, poissons_ratio: 0.4, density: 1000, position: [0, 0, %g], material: soft%s}\n",
              dt, divisions, divisions, divisions, height + 0.1, supports);
}

static void shake(world *w)
{
    uint64_t random = 1;
    for (size_t i = 0; i < w->bodies.nvertices; ++i)
        for (int k = 0; k < 3; ++k) icf_set(&w->bodies.vertex_velocity[i], k, icf_lcg_next(&random) - 0.5);
}

/* y = A (v* - v0) at free vertices, else 0. */
static void find_momentum(const icf_deformable_motion *motion, icf_vec3 *y)
{
    const icf_lid n = motion->pattern.nvertex;
    icf_vec3 *dv = malloc((size_t)n * sizeof *dv);
    assert_non_null(dv);
    for (icf_lid i = 0; i < n; ++i) dv[i] = icf_sub(motion->v_star[i], motion->v0[i]);
    icf_fem_matrix_product(motion->fem, motion->a, dv, y);
    for (icf_lid i = 0; i < n; ++i)
        if (!icf_deformable_is_free(motion->surface.deformable, i)) y[i] = icf_vec3_make(0, 0, 0);
    free(dv);
}

static double largest(icf_lid n, const icf_vec3 *y)
{
    double norm = 0.0;
    for (icf_lid i = 0; i < n; ++i) norm = fmax(norm, icf_norm(y[i]));
    return norm;
}

/* A v* with its residual is what A v* is without, and a step takes the latter. */
static void check_rest(int divisions, const char *supports, bool by_iterations)
{
    world w;
    icf_arena arena;
    icf_deformable_cache *cache;
    icf_deformable_motion motion;
    open_cube(&w, divisions, 1.0, supports);
    shake(&w);
    const icf_lid n = soft_description(&w, 0)->mesh.nvertex;
    const icf_lid body = icf_bodies_find(&w.bodies, soft_description(&w, 0)->gid);
    icf_vec3 *loose = malloc((size_t)n * sizeof *loose), *exact = malloc((size_t)n * sizeof *exact);
    assert_true(loose && exact);
    icf_arena_init(&arena);
    assert_int_equal(icf_deformable_cache_create(&w.context, &cache), ICF_OK);
    assert_int_equal(icf_deformable_move_freely(cache, &arena, &w.scene, &w.bodies, body, 0.0, dt, &motion), ICF_OK);
    assert_int_equal(motion.iterations > 0, by_iterations);
    assert_non_null(motion.residual);
    find_momentum(&motion, loose);
    assert_true(largest(n, motion.residual) > 1e-9 * largest(n, loose));
    assert_true(largest(n, motion.residual) < 1e-3 * largest(n, loose));
    for (icf_lid i = 0; i < n; ++i) loose[i] = icf_add(loose[i], motion.residual[i]);
    assert_int_equal(icf_deformable_complete(cache, &arena, w.bodies.shape[body].index, &motion), ICF_OK);
    assert_null(motion.residual);
    find_momentum(&motion, exact);
    const double size = largest(n, exact);
    for (icf_lid i = 0; i < n; ++i) exact[i] = icf_sub(exact[i], loose[i]);
    assert_true(largest(n, exact) < 1e-12 * size);
    world_step(&w);
    assert_memory_equal(soft_velocity(&w, 0), motion.v_star, (size_t)n * sizeof *loose);
    icf_deformable_cache_destroy(&cache);
    icf_arena_clear(&arena);
    free(loose);
    free(exact);
    world_clear(&w);
}

static const char moved[] =
    ", fixed: [{group: x_minus, motion: {type: harmonic, direction: [1, 0, 0], amplitude: 0.5, frequency: 10}}]";

static void what_moves_freely_gets_the_rest(void **state)
{
    (void)state;
    check_rest(5, "", false);
    check_rest(14, "", true);
    check_rest(5, moved, false);
    check_rest(14, moved, true);
}

/* What contacts and gravity give is what the body gets. */
static void check_balance(int divisions)
{
    world w;
    open_cube(&w, divisions, 0.0, "");
    shake(&w);
    for (int k = 0; k < 3; ++k) {
        const icf_vec3 before = soft_momentum(&w, 0);
        world_step(&w);
        assert_true(w.stats.active > 0);
        const icf_vec3 given = icf_add(soft_contact_impulse(&w, 0), icf_vec3_make(0, 0, -8.0 * gravity * dt));
        const icf_vec3 missing = icf_sub(icf_sub(soft_momentum(&w, 0), before), given);
        assert_true(icf_norm(missing) < 1e-8 * icf_norm(given));
    }
    world_clear(&w);
}

static void what_is_touched_gets_all_momentum(void **state)
{
    (void)state;
    check_balance(5);
    check_balance(14);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_moves_freely_gets_the_rest),
        cmocka_unit_test(what_is_touched_gets_all_momentum),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
