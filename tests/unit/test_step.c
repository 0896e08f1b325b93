/* The step: free fall, locked degrees of freedom, springs, prescribed bodies; a rank that holds ghosts and
 * non-contiguous global ids takes the same step; the same bits for any number of threads. */
#include "unit/sample_world.h"

#include <math.h>

static void add(world *w, icf_body_def def, bool owned)
{
    assert_int_equal(icf_bodies_add(&w->bodies, &def, owned), ICF_OK);
}

static void start(world *w)
{
    assert_int_equal(icf_simulation_create(&w->context, &w->scene, &w->bodies, 0, &w->simulation), ICF_OK);
}

static icf_step_stats advance(world *w, int n)
{
    icf_step_stats stats = {0};
    for (int k = 0; k < n; ++k) assert_int_equal(icf_simulation_step(w->simulation, &stats), ICF_OK);
    return stats;
}

/* Symplectic Euler: z_n = z0 - g dt^2 n (n + 1) / 2. */
static void free_fall(void **state)
{
    (void)state;
    world w;
    set_up(&w, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    add(&w, sample_sphere(0, 0.1, icf_vec3_make(0, 0, 100)), true);
    start(&w);
    const icf_step_stats stats = advance(&w, 40);
    const double dt = w.scene.time.step;
    assert_near(w.bodies.position[0].z, 100 - 9.81 * dt * dt * 40 * 41 / 2, 1e-12);
    assert_int_equal(stats.islands, 0);
    assert_int_equal(stats.factorizations, 0);
    assert_int_equal(stats.step, 40);
    tear_down(&w);
}

static void locked_degrees_of_freedom_stay(void **state)
{
    (void)state;
    world w;
    set_up(&w, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    add(&w, sample_ground(0), true);
    icf_body_def box = sample_box(1, 0.2, icf_vec3_make(0, 0, 0.15));
    box.orientation = icf_quat_unit((icf_quat){1, 0.05, 0.1, 0.0});
    box.locked = ICF_DOF_VX | ICF_DOF_WX | ICF_DOF_WZ;
    box.linear_velocity.y = 0.5;
    add(&w, box, true);
    start(&w);
    advance(&w, 100);
    assert_true(w.bodies.position[1].x == 0.0);
    assert_true(w.bodies.linear_velocity[1].x == 0.0);
    assert_true(w.bodies.angular_velocity[1].x == 0.0);
    assert_true(w.bodies.angular_velocity[1].z == 0.0);
    assert_true(w.bodies.position[1].y > 1e-3);
    assert_near(icf_quat_norm(w.bodies.orientation[1]), 1.0, 1e-14);
    tear_down(&w);
}

/* Implicit spring: (m + dt^2 k + dt d)(v1 - v0) = -dt (k (x0 + dt v0 - rest) + d v0). */
static void springs_explicit_and_implicit(void **state)
{
    (void)state;
    for (int implicit = 0; implicit < 2; ++implicit) {
        world w;
        set_up(&w, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
        w.scene.gravity = icf_vec3_make(0, 0, 0);
        icf_body_def ball = sample_sphere(3, 0.1, icf_vec3_make(0.3, 0, 1));
        ball.mass = 2.0;
        ball.linear_velocity.x = 0.4;
        add(&w, ball, true);
        icf_spring spring = {
            .body = 3, .axis = {1, 0, 0}, .stiffness = 100, .damping = 3, .rest = 0.1, .implicit = implicit};
        w.scene.spring = &spring;
        w.scene.nspring = 1;
        start(&w);
        const double dt = w.scene.time.step, x0 = 0.3, v0 = 0.4;
        advance(&w, 1);
        const double force = -100 * (x0 + (implicit ? dt * v0 : 0.0) - 0.1) - 3 * v0;
        const double mass = 2.0 + (implicit ? dt * dt * 100 + dt * 3 : 0.0);
        assert_near(w.bodies.linear_velocity[0].x, v0 + dt * force / mass, 1e-14);
        w.scene.spring = NULL;
        w.scene.nspring = 0;
        tear_down(&w);
    }
}

/* A prescribed plate is exactly where its motion says and carries a box with it. */
static void prescribed_motion_carries(void **state)
{
    (void)state;
    world w;
    set_up(&w, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    icf_body_def plate = sample_fixed(0, (icf_shape){.type = ICF_SHAPE_BOX, .extent = {1, 1, 0.1}});
    plate.position.z = -0.1;
    plate.motion = (icf_motion){ICF_MOTION_HARMONIC, .harmonic = {{1, 0, 0}, 0.05, 0.5, 0.3}};
    add(&w, plate, true);
    add(&w, sample_box(1, 0.2, icf_vec3_make(0.0, 0, 0.1)), true);
    start(&w);
    advance(&w, 100);
    const double pi = acos(-1.0), t = 100 * w.scene.time.step;
    assert_near(w.bodies.position[0].x, 0.05 * sin(2 * pi * 0.5 * t + 0.3), 1e-14);
    assert_near(w.bodies.linear_velocity[0].x, 0.05 * pi * cos(2 * pi * 0.5 * t + 0.3), 1e-14);
    assert_near(w.bodies.linear_velocity[1].x, w.bodies.linear_velocity[0].x, 2e-3);
    tear_down(&w);
}

/* A turntable about a point far from its centre carries a box round: its speed is that of the place where it stands. */
static void steady_motion_carries(void **state)
{
    (void)state;
    world w;
    set_up(&w, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    icf_body_def plate = sample_fixed(0, (icf_shape){.type = ICF_SHAPE_BOX, .extent = {1, 1, 0.1}});
    plate.position = icf_vec3_make(0.5, 0, -0.1);
    plate.motion = (icf_motion){.type = ICF_MOTION_VELOCITY};
    plate.motion.steady.linear = icf_vec3_make(0.1, 0, 0);
    plate.motion.steady.angular = icf_vec3_make(0, 0, 1);
    add(&w, plate, true);
    add(&w, sample_box(1, 0.2, icf_vec3_make(0.3, 0, 0.1)), true);
    w.bodies.linear_velocity[1] = icf_vec3_make(0.1, 0.3, 0);
    w.bodies.angular_velocity[1] = icf_vec3_make(0, 0, 1);
    start(&w);
    advance(&w, 200);
    const double t = 200 * w.scene.time.step;
    const icf_vec3 expected = {0.1 * t + 0.3 * cos(t), 0.3 * sin(t), 0.1};
    assert_near(w.bodies.angular_velocity[1].z, 1.0, 2e-2);
    assert_true(icf_norm(icf_sub(w.bodies.position[1], expected)) < 1e-2);
    tear_down(&w);
}

/* A belt that runs into its own surface pushes, but moves no surface: penetration is that of the poses. */
static void penetration_is_that_of_the_poses(void **state)
{
    (void)state;
    world w;
    set_up(&w, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    icf_body_def ground = sample_ground(0);
    ground.surface = (icf_surface_velocity){.moving = true, .constant = {0.1, 0, 0.3}};
    add(&w, ground, true);
    add(&w, sample_sphere(1, 0.1, icf_vec3_make(0, 0, 0.099)), true);
    start(&w);
    const icf_step_stats stats = advance(&w, 1);
    assert_true(stats.active > 0);
    assert_near(stats.penetration_max, fmax(0.0, 0.1 - w.bodies.position[1].z), 1e-15);
    tear_down(&w);
}

/* A heap of spheres and boxes over the ground; `stretch` makes the ids of the same heap non-contiguous. */
enum { nheap = 60 };

static icf_body_def heap_body(int i, icf_gid gid)
{
    const icf_vec3 at = {0.0995 * (i % 3) + 0.0003 * (i % 7), 0.0994 * (i / 3 % 3) + 0.0002 * (i % 5),
                         0.0496 + 0.0995 * (i / 9)};
    icf_body_def def = i % 2 ? sample_sphere(gid, 0.05, at) : sample_box(gid, 0.1, at);
    def.linear_velocity.z = -1.0;
    return def;
}

static void build_heap(world *w, icf_gid first, icf_gid stride)
{
    add(w, sample_ground(first), true);
    for (int i = 0; i < nheap; ++i) add(w, heap_body(i, first + stride * (i + 1)), true);
}

/* The same bodies, of which the lower half and the ground belong to other ranks. */
static void ghosts_and_strange_ids_take_the_same_step(void **state)
{
    (void)state;
    world whole, part;
    set_up(&whole, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    set_up(&part, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    build_heap(&whole, 0, 1);
    const icf_gid first = 1000, stride = 7;
    for (int i = 0; i < nheap; ++i)
        if (i % 3) add(&part, heap_body(i, first + stride * (i + 1)), true);
    const icf_lid nowned = part.bodies.n;
    add(&part, sample_ground(first), false);
    for (int i = 0; i < nheap; ++i)
        if (i % 3 == 0) add(&part, heap_body(i, first + stride * (i + 1)), false);
    assert_int_equal(part.bodies.n, nheap + 1);
    assert_int_equal(part.bodies.nowned, nowned);

    start(&whole);
    start(&part);
    const icf_step_stats a = advance(&whole, 1), b = advance(&part, 1);
    assert_true(a.candidates > 50);
    assert_int_equal(a.candidates, b.candidates);
    for (icf_lid i = 0; i < nowned; ++i) {
        const icf_lid j = (icf_lid)((part.bodies.gid[i] - first) / stride);
        assert_memory_equal(&part.bodies.position[i], &whole.bodies.position[j], sizeof(icf_vec3));
        assert_memory_equal(&part.bodies.orientation[i], &whole.bodies.orientation[j], sizeof(icf_quat));
        assert_memory_equal(&part.bodies.linear_velocity[i], &whole.bodies.linear_velocity[j], sizeof(icf_vec3));
        assert_memory_equal(&part.bodies.angular_velocity[i], &whole.bodies.angular_velocity[j], sizeof(icf_vec3));
    }
    tear_down(&whole);
    tear_down(&part);
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t checksum[4];
    const int threads[4] = {1, 2, 3, 1};
    for (int k = 0; k < 4; ++k) {
        world w;
        set_up(&w, MPI_COMM_SELF, ICF_MODEL_LAGGED, threads[k]);
        for (int heap = 0; heap < 6; ++heap) { /* several islands, enough contacts for threads */
            if (heap == 0) add(&w, sample_ground(0), true);
            for (int i = 0; i < nheap; ++i) {
                icf_body_def def = heap_body(i, 1 + heap * nheap + i);
                def.position.x += 2.0 * heap;
                add(&w, def, true);
            }
        }
        start(&w);
        const icf_step_stats stats = advance(&w, 30);
        assert_true(stats.candidates > 400);
        checksum[k] = icf_bodies_checksum(&w.bodies);
        tear_down(&w);
    }
    for (int k = 1; k < 4; ++k) assert_true(checksum[k] == checksum[0]);
}

/* One iteration is not enough for the whole step; the substeps need one each no more than the whole. */
static void a_step_that_fails_leaves_the_state(void **state)
{
    (void)state;
    world w;
    set_up(&w, MPI_COMM_SELF, ICF_MODEL_LAGGED, 1);
    w.context.level = ICF_LOG_QUIET;
    build_heap(&w, 0, 1);
    w.scene.solver.max_iterations = 0;
    start(&w);
    const uint64_t before = icf_bodies_checksum(&w.bodies);
    icf_step_stats stats;
    assert_int_equal(icf_simulation_step(w.simulation, &stats), ICF_ERROR_SOLVER);
    assert_true(icf_bodies_checksum(&w.bodies) == before);
    const icf_bodies *bodies;
    icf_lid n;
    assert_non_null(icf_simulation_failed_island(w.simulation, &bodies, &n));
    assert_ptr_equal(bodies, &w.bodies);
    assert_true(n > 0);
    assert_int_equal(icf_simulation_step_number(w.simulation), 0);
    tear_down(&w);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall),
        cmocka_unit_test(locked_degrees_of_freedom_stay),
        cmocka_unit_test(springs_explicit_and_implicit),
        cmocka_unit_test(prescribed_motion_carries),
        cmocka_unit_test(steady_motion_carries),
        cmocka_unit_test(penetration_is_that_of_the_poses),
        cmocka_unit_test(ghosts_and_strange_ids_take_the_same_step),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_step_that_fails_leaves_the_state),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
