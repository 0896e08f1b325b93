/* Large deformable bodies, whose directions conjugate gradients find while that promises to be cheaper than a factor:
 * the motion is that of the block solver, on any number of threads, and a factor takes over where they are in vain. */
#include <mpi.h>
#include <stdio.h>

#include "laws/soft.h"
#include "solver/linear_solver.h"

enum { nstep = 8 };

/* What some steps took. */
typedef struct work {
    icf_cnt conjugate, factors;
    double flops;
} work;

/* A cube of 3,375 vertices that lands on its lower face.
 *   contact [in] stiffness per area [Pa/m]; top [in] more bodies */
static void open_cube(world *w, const char *linear, int nthread, double contact, const char *top)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "time: {step: 0.01, steps: 1}\nsolver: {relative_tolerance: 1.0e-9, linear: %s}\n"
        "materials:\n  hard: {friction: 0.5}\n  soft: {friction: 0.5, stiffness_per_area: %g, dissipation: 10}\n"
        "bodies:\n"
        "  - {name: ground, shape: {type: half_space, normal: [0, 0, 1], offset: 0}, material: hard, motion: fixed}\n"
        "%sdeformables:\n"
        "  - {mesh: {box: {size: [0.2, 0.2, 0.2], divisions: [14, 14, 14]}}, youngs_modulus: 1.0e4, "
        "poissons_ratio: 0.4, density: 1000, position: [0, 0, 0.1], linear_velocity: [0.2, 0, -0.5], "
        "material: soft}\n",
        linear, contact, top);
    soft_open_text(w, nthread, text);
}

static work run(world *w)
{
    work sum = {0};
    for (int k = 0; k < nstep; ++k) {
        world_step(w);
        sum.conjugate += w->stats.pcg;
        sum.factors += w->stats.factorizations;
        sum.flops += w->stats.flops;
    }
    return sum;
}

static double largest_difference(const world *a, const world *b)
{
    double largest = 0.0;
    for (icf_lid i = 0; i < a->bodies.nvertex[icf_bodies_find(&a->bodies, soft_description(a, 0)->gid)]; ++i)
        largest = fmax(largest, icf_norm(icf_sub(soft_velocity(a, 0)[i], soft_velocity(b, 0)[i])));
    return largest;
}

static const char ball[] = "  - {name: ball, shape: {type: sphere, radius: 0.05}, mass: 1, position: [0, 0, 0.2499], "
                           "linear_velocity: [0, 0, -1], material: hard}\n";

/* The same cube, with directions as they are found and by factors alone. */
static void open_both(world *a, world *b, double contact, const char *top)
{
    open_cube(a, "auto", 1, contact, top);
    open_cube(b, "block", 1, contact, top);
}

static void clear_both(world *a, world *b)
{
    world_clear(a);
    world_clear(b);
}

/* The same motion as by factors, to the tolerance; conjugate gradients have found directions of it. */
static void compare(double contact, const char *top, double tolerance, work *conjugate, work *block)
{
    world a, b;
    open_both(&a, &b, contact, top);
    *conjugate = run(&a);
    *block = run(&b);
    assert_near(largest_difference(&a, &b), 0.0, tolerance);
    printf("%g: %d %d %g; %d %g; diff %g\n", contact, (int)conjugate->conjugate, (int)conjugate->factors,
           conjugate->flops, (int)block->factors, block->flops, largest_difference(&a, &b));
    assert_true(conjugate->conjugate > 0 && block->conjugate == 0);
    clear_both(&a, &b);
}

static void the_motion_is_that_of_a_factor(void **state)
{
    (void)state;
    work conjugate, block;
    compare(1e7, "", 1e-7, &conjugate, &block);
    compare(1e7, ball, 1e-7, &conjugate, &block);
}

/* Operations of so many iterations for the cube alone. */
static double flops_of(icf_cnt iterations)
{
    world w;
    icf_fem *fem;
    open_cube(&w, "auto", 1, 1e7, "");
    const icf_deformable *cube = soft_description(&w, 0);
    assert_int_equal(icf_fem_create(&w.context, &cube->mesh, &cube->elastic, &fem), ICF_OK);
    const double flops = icf_linear_solver_pcg_flops((int64_t)icf_fem_matrix_size(fem));
    icf_fem_destroy(&fem);
    world_clear(&w);
    return flops * (double)iterations;
}

/* Once it lies still, a step has a few directions, and most need no factor. */
static void at_rest_few_factors_are_made(void **state)
{
    (void)state;
    world a, b;
    open_both(&a, &b, 1e7, "");
    a.scene.solver.relative_tolerance = b.scene.solver.relative_tolerance = 1e-5;
    for (int k = 0; k < 4; ++k) {
        run(&a);
        run(&b);
    }
    const work conjugate = run(&a), block = run(&b);
    printf("rest %d %d %g; %d %g\n", (int)conjugate.conjugate, (int)conjugate.factors, conjugate.flops,
           (int)block.factors, block.flops);
    assert_true(conjugate.flops < 0.3 * block.flops);
    assert_true(conjugate.flops < 1.1 * flops_of(conjugate.conjugate));
    clear_both(&a, &b);
}

/* Contacts so stiff that conjugate gradients come to no end: factors do, and the step is solved. */
static void stiff_contacts_get_a_factor(void **state)
{
    (void)state;
    work conjugate, block;
    compare(1e12, "", 1e-6, &conjugate, &block);
    /* beside the iterations that led to directions: those that did not, and factors */
    assert_true(conjugate.flops > 1.5 * flops_of(conjugate.conjugate));
}

/* Where directions need no factor, corrections of model Similar have none, and the condition number makes its own. */
static void others_do_not_count_on_a_factor(void **state)
{
    (void)state;
    world w;
    open_cube(&w, "auto", 1, 1e7, "");
    w.scene.contact.model = ICF_MODEL_SIMILAR;
    w.scene.solver.condition = true;
    w.scene.solver.relative_tolerance = 1e-2; /* no factor before the condition number's */
    const work taken = run(&w);
    assert_true(taken.conjugate > 0);
    assert_true(isfinite(w.stats.condition_max) && w.stats.condition_max > 1.0);
    world_clear(&w);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    world a, b;
    open_cube(&a, "auto", 1, 1e7, ball);
    open_cube(&b, "auto", 2, 1e7, ball);
    run(&a);
    run(&b);
    assert_true(largest_difference(&a, &b) == 0.0);
    clear_both(&a, &b);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motion_is_that_of_a_factor), cmocka_unit_test(at_rest_few_factors_are_made),
        cmocka_unit_test(stiff_contacts_get_a_factor),    cmocka_unit_test(others_do_not_count_on_a_factor),
        cmocka_unit_test(threads_change_no_bit),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
