/* Bodies of every shape at rest and rolling: alone and on one another, on a half-space and on a mesh, they stand still
 * for five seconds, carried at the depth that their weight asks for; a rolling cylinder keeps its line, speed and
 * energy; a hull of box corners moves as the box.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "geometry/surface_tree.h"
#include "laws/world.h"

static const contact_values soft = {.stiffness = 1e5, .dissipation = 10.0, .relaxation_time = 1e-4, .friction = 0.5};
static const double dt = 0.005, edge = 0.1, density = 1000.0, steady = 2e-6;

/* A body to stand on something: its shape, the way round it stands, and how high its lowest point is below it. */
typedef struct standing {
    const char *name;
    icf_body_def def;
    double height; /* of the body [m] */
} standing;

enum { SPHERE, CAPSULE, BOX, UPRIGHT, LYING, ELLIPSOID, CUBE_HULL, PRISM, TABLE, NSTANDING };

static int32_t add_hull(world *w, int n, const icf_vec3 *point)
{
    icf_solid solid;
    int32_t index;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_convex(&w->context, n, point, ICF_SOLID_PRINCIPAL, &solid), ICF_OK);
    assert_int_equal(icf_scene_add_solid(&w->scene, &solid, &index), ICF_OK);
    return index;
}

static int32_t add_compound(world *w, int n, const icf_part *part)
{
    icf_solid solid;
    int32_t index;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_compound(w->scene.solid, n, part, ICF_SOLID_PRINCIPAL, &solid), ICF_OK);
    assert_int_equal(icf_scene_add_solid(&w->scene, &solid, &index), ICF_OK);
    return index;
}

static icf_body_def shape_def(icf_shape shape)
{
    icf_body_def def = icf_body_def_default();
    def.shape = shape;
    def.material = 0;
    def.mass = density * icf_shape_volume(&shape);
    def.inertia = icf_shape_inertia(&shape, def.mass);
    return def;
}

/* With the user's frame at the origin. */
static icf_body_def solid_def(const world *w, int32_t index)
{
    const icf_solid *solid = &w->scene.solid[index];
    icf_body_def def = icf_body_def_default();
    def.shape = icf_solid_shape(solid, index);
    def.material = 0;
    def.mass = density * solid->volume;
    def.inertia = icf_scale(def.mass, solid->inertia);
    icf_solid_to_body(solid, &def.position, &def.orientation, &def.linear_velocity, def.angular_velocity);
    return def;
}

/* Corners of a cube, each off by about a millionth of its edge. */
static int32_t add_rough_cube(world *w)
{
    icf_vec3 corner[8];
    for (int v = 0; v < 8; ++v) {
        const double off = 1e-7 * (v * v % 7 - 3);
        corner[v] = (icf_vec3){(v & 4 ? 0.5 : -0.5) * edge + off, (v & 2 ? 0.5 : -0.5) * edge - off,
                               (v & 1 ? 0.5 : -0.5) * edge + off * (v % 3 - 1)};
    }
    return add_hull(w, 8, corner);
}

/* A prism of twelve sides: more corners a face than a manifold holds. */
static int32_t add_prism(world *w)
{
    icf_vec3 corner[24];
    for (int k = 0; k < 24; ++k) {
        const double angle = M_PI * (k / 2) / 6.0;
        corner[k] = (icf_vec3){0.5 * edge * cos(angle), 0.5 * edge * sin(angle), (k % 2 ? 0.5 : -0.5) * edge};
    }
    return add_hull(w, 24, corner);
}

/* A table: a plate on two legs, the origin in the middle of its height. */
static int32_t add_table(world *w)
{
    const icf_shape plate = {.type = ICF_SHAPE_BOX, .extent = {0.6 * edge, 0.6 * edge, 0.1 * edge}};
    const icf_shape leg = {.type = ICF_SHAPE_BOX, .extent = {0.1 * edge, 0.5 * edge, 0.4 * edge}};
    const icf_quat same = {1, 0, 0, 0};
    const icf_part part[3] = {{.shape = plate, .position = {0, 0, 0.4 * edge}, .orientation = same},
                              {.shape = leg, .position = {0.4 * edge, 0, -0.1 * edge}, .orientation = same},
                              {.shape = leg, .position = {-0.4 * edge, 0, -0.1 * edge}, .orientation = same}};
    return add_compound(w, 3, part);
}

static standing make_standing(world *w, int kind)
{
    const icf_shape cylinder = {.type = ICF_SHAPE_CYLINDER, .radius = 0.5 * edge, .half = 0.5 * edge};
    standing s = {.height = edge};
    switch (kind) {
    case SPHERE:
        s.def = shape_def((icf_shape){.type = ICF_SHAPE_SPHERE, .radius = 0.5 * edge});
        s.name = "sphere";
        break;
    case CAPSULE:
        s.def = shape_def((icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = 0.5 * edge, .half = 0.3 * edge});
        s.name = "lying capsule";
        s.def.orientation = (icf_quat){sqrt(0.5), sqrt(0.5), 0, 0};
        break;
    case BOX:
        s.def = shape_def((icf_shape){.type = ICF_SHAPE_BOX, .extent = {0.4 * edge, 0.6 * edge, 0.5 * edge}});
        s.name = "box";
        break;
    case UPRIGHT: s.def = shape_def(cylinder), s.name = "upright cylinder"; break;
    case LYING:
        s.def = shape_def(cylinder), s.name = "lying cylinder";
        s.def.orientation = (icf_quat){sqrt(0.5), sqrt(0.5), 0, 0};
        break;
    case ELLIPSOID:
        s.def = shape_def((icf_shape){.type = ICF_SHAPE_ELLIPSOID, .extent = {edge, 0.8 * edge, 0.5 * edge}});
        s.name = "ellipsoid";
        break;
    case CUBE_HULL: s.def = solid_def(w, add_rough_cube(w)), s.name = "hull of a rough cube"; break;
    case PRISM: s.def = solid_def(w, add_prism(w)), s.name = "prism"; break;
    default: s.def = solid_def(w, add_table(w)), s.name = "table of parts"; break;
    }
    return s;
}

static double largest_speed(const world *w)
{
    double speed = 0.0;
    for (icf_lid i = 1; i < w->bodies.n; ++i)
        speed = fmax(speed, icf_norm(w->bodies.linear_velocity[i]) +
                                icf_norm(w->bodies.angular_velocity[i]) * w->bodies.radius[i]);
    return speed;
}

/* Runs five seconds; after the first nothing may move, but at this speed [m/s] and, in 4 s, as far [m]. */
static void stand(world *w, const char *what, const char *on, double speed)
{
    icf_vec3 start[4], settled[4];
    double weight = 0.0, largest = 0.0, drift = 0.0;
    for (icf_lid i = 0; i < w->bodies.n; ++i) start[i] = w->bodies.position[i];
    for (icf_lid i = 1; i < w->bodies.n; ++i) weight += gravity * w->bodies.mass[i];
    world_run(w, 1.0);
    for (icf_lid i = 0; i < w->bodies.n; ++i) settled[i] = w->bodies.position[i];
    for (int k = 0; k < 800; ++k) {
        world_step(w);
        largest = fmax(largest, largest_speed(w));
        for (icf_lid i = 1; i < w->bodies.n; ++i)
            drift = fmax(drift, icf_norm(icf_sub(w->bodies.position[i], settled[i])));
    }
    for (icf_lid i = 1; i < w->bodies.n; ++i) {
        // one contact point may carry all of the weight at each level
        const double sunk = start[i].z - w->bodies.position[i].z;
        if (sunk < -1e-6 || sunk > (double)(w->bodies.n - 1) * weight / soft.stiffness + 2e-6)
            fail_msg("%s on %s: body %d sank by %g m", what, on, (int)i, sunk);
    }
    if (largest > speed) fail_msg("%s on %s: moves at %g m/s", what, on, largest);
    if (drift > speed) fail_msg("%s on %s: drifts by %g m", what, on, drift);
    assert_int_equal(w->stats.searches, 0);
}

/* What everything stands on: a half-space, or triangles whose edges go through under the bodies. */
static const char *const floors[] = {"the ground", "a mesh"};

enum { NFLOOR = 2, NSIDE = 11 };

static void add_mesh(world *w)
{
    icf_rigid_surface *surface;
    assert_int_equal(icf_scene_add_rigid_surface(&w->scene, &surface), ICF_OK);
    for (int k = 0; k < NSIDE * NSIDE; ++k) {
        const icf_vec3 at = {0.61 * edge * (k % NSIDE - 5.3), 0.47 * edge * (k / NSIDE - 4.8), 0.0};
        assert_int_equal(icf_triangle_mesh_add_vertex(&surface->mesh, at), ICF_OK);
    }
    for (int k = 0; k < (NSIDE - 1) * (NSIDE - 1); ++k) {
        const int a = k / (NSIDE - 1) * NSIDE + k % (NSIDE - 1);
        assert_int_equal(icf_triangle_mesh_add(&surface->mesh, a, a + 1, a + NSIDE + 1), ICF_OK);
        assert_int_equal(icf_triangle_mesh_add(&surface->mesh, a, a + NSIDE + 1, a + NSIDE), ICF_OK);
    }
    assert_int_equal(icf_triangle_mesh_finalize(&w->context, &surface->mesh, "m"), ICF_OK);
    assert_int_equal(icf_rigid_surface_finish(&w->context, surface), ICF_OK);
    assert_int_equal(icf_surface_tree_build(surface), ICF_OK);
    icf_body_def def = ground_def(icf_vec3_make(0, 0, 1));
    def.shape =
        (icf_shape){.type = ICF_SHAPE_MESH, .radius = surface->radius, .extent = surface->extent, .surface = surface};
    world_add(w, def);
}

static void start_on(world *w, int floor)
{
    world_init(w, ICF_MODEL_LAGGED, dt, soft);
    if (floor == 0)
        world_add(w, ground_def(icf_vec3_make(0, 0, 1)));
    else
        add_mesh(w);
}

static void each_shape_rests(void **state)
{
    (void)state;
    for (int k = 0; k < NSTANDING * NFLOOR; ++k) {
        world w;
        start_on(&w, k % NFLOOR);
        const standing s = make_standing(&w, k / NFLOOR);
        icf_body_def def = s.def;
        def.position.z += 0.5 * s.height;
        world_add(&w, def);
        world_start(&w);
        stand(&w, s.name, floors[k % NFLOOR], steady);
        world_clear(&w);
    }
}

/* What a body can rest on. */
static const int flat[] = {BOX, UPRIGHT, CUBE_HULL, PRISM, TABLE};

static void assert_rests_on(int kind, int below, int floor)
{
    world w;
    char on[64];
    start_on(&w, floor);
    const standing lower = make_standing(&w, below), upper = make_standing(&w, kind);
    icf_body_def def = lower.def;
    def.position.z += 0.5 * lower.height;
    world_add(&w, def);
    def = upper.def;
    def.position.z += lower.height + 0.5 * upper.height;
    world_add(&w, def);
    world_start(&w);
    // what rolls runs down the rough cube's slope of 1e-6: g 1e-6 and less for 5 s
    const bool rolls = kind == SPHERE || kind == CAPSULE || kind == LYING || kind == ELLIPSOID;
    snprintf(on, sizeof on, "%s on %s", lower.name, floors[floor]);
    stand(&w, upper.name, on, rolls && below == CUBE_HULL ? 1e-4 : steady);
    world_clear(&w);
}

static void each_shape_rests_on_each_flat_one(void **state)
{
    (void)state;
    for (size_t below = 0; below < sizeof flat / sizeof *flat; ++below)
        for (int kind = 0; kind < NSTANDING; ++kind)
            for (int floor = 0; floor < NFLOOR; ++floor) assert_rests_on(kind, flat[below], floor);
}

/* On its side, rolling along x at 1 m/s: five seconds later it is where that takes it. */
static void a_rolling_cylinder_keeps_its_line(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m) {
        world w;
        world_init(&w, all_models[m], dt, soft);
        icf_body_def def = make_standing(&w, LYING).def;
        const double radius = 0.5 * edge, sunk = 0.5 * def.mass * gravity / soft.stiffness;
        def.position = (icf_vec3){0, 0, radius - sunk};
        def.linear_velocity = (icf_vec3){1, 0, 0};
        def.angular_velocity = (icf_vec3){0, 1.0 / radius, 0};
        world_add(&w, ground_def(icf_vec3_make(0, 0, 1)));
        world_add(&w, def);
        world_start(&w);
        const double energy = 0.5 * def.mass * (1.0 + 0.5);
        world_run(&w, 5.0);
        const icf_vec3 x = w.bodies.position[1], v = w.bodies.linear_velocity[1];
        assert_true(fabs(x.y) < 1e-9 && fabs(x.x / 5.0 - 1.0) < 2e-3);
        assert_true(fabs(v.y) < 1e-9);
        assert_true(fabs(w.stats.kinetic_energy / energy - 1.0) < 2e-3);
        world_clear(&w);
    }
}

/* From its side, on ground so slippery that rocking takes energy: its lowest state is on its short axis.  Friction that
 * holds takes none, and it would roll on for minutes. */
static void an_ellipsoid_settles_on_its_short_axis(void **state)
{
    (void)state;
    world w;
    contact_values slippery = soft;
    slippery.friction = 0.02;
    world_init(&w, ICF_MODEL_LAGGED, dt, slippery);
    icf_body_def def = make_standing(&w, ELLIPSOID).def;
    def.position = (icf_vec3){0, 0, 1.1 * edge};
    def.orientation = icf_quat_unit((icf_quat){0.8, 0.5, 0.3, 0.1});
    world_add(&w, ground_def(icf_vec3_make(0, 0, 1)));
    world_add(&w, def);
    world_start(&w);
    world_run(&w, 40.0);
    const icf_vec3 axis = icf_rotate(w.bodies.orientation[1], icf_vec3_make(0, 0, 1));
    const double sunk = def.mass * gravity / soft.stiffness;
    print_message("%.4f rad from its short axis after 40 s\n", acos(fmin(1.0, fabs(axis.z))));
    assert_true(fabs(axis.z) > cos(0.03));
    assert_true(fabs(w.bodies.position[1].z - (0.5 * edge - sunk)) < 1e-4);
    world_clear(&w);
}

/* A box and the hull of its corners, thrown on the ground and a step: the same motion to the solver's tolerance. */
static void a_hull_of_box_corners_moves_as_the_box(void **state)
{
    (void)state;
    icf_vec3 end[2];
    for (int k = 0; k < 2; ++k) {
        world w;
        world_init(&w, ICF_MODEL_LAGGED, 0.001, soft);
        w.scene.solver.relative_tolerance = 1e-10;
        const icf_vec3 half = {0.5 * edge, 0.4 * edge, 0.3 * edge};
        icf_vec3 corner[8];
        for (int v = 0; v < 8; ++v)
            corner[v] = (icf_vec3){v & 4 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 1 ? half.z : -half.z};
        icf_body_def def = k == 0 ? shape_def((icf_shape){.type = ICF_SHAPE_BOX, .extent = half})
                                  : solid_def(&w, add_hull(&w, 8, corner));
        def.position = (icf_vec3){0, 0, 1.5 * edge};
        def.orientation = icf_quat_unit((icf_quat){1.0, 0.2, 0.1, 0.3});
        def.linear_velocity = (icf_vec3){0.5, 0.2, 0};
        world_add(&w, ground_def(icf_vec3_make(0, 0, 1)));
        world_add(&w, fixed_box_def((icf_vec3){edge, 2 * edge, 0.1 * edge}, (icf_vec3){2 * edge, 0, 0}));
        world_add(&w, def);
        world_start(&w);
        world_run(&w, 0.2);
        end[k] = w.bodies.position[2];
        world_clear(&w);
    }
    assert_true(icf_norm(icf_sub(end[0], end[1])) < 1e-6);
}

/* A lens of many vertices, cut off below to a bottom that is only nearly flat. */
static int32_t add_lens(world *w, uint64_t *random)
{
    enum { n = 160 };
    icf_vec3 point[n];
    for (int k = 0; k < n; ++k) {
        const icf_vec3 d = {icf_lcg_next(random) - 0.5, icf_lcg_next(random) - 0.5, icf_lcg_next(random) - 0.5};
        const icf_vec3 x = icf_scale(edge / icf_norm(d), d);
        const double rough = 1e-5 * edge * icf_lcg_next(random);
        point[k] = (icf_vec3){x.x, 0.8 * x.y, fmax(0.4 * x.z, -0.2 * edge + rough)};
    }
    return add_hull(w, n, point);
}

/* Adds a hull above the floor, turned at random. */
static void drop_hull(world *w, int32_t shape, icf_vec3 position, uint64_t *random)
{
    icf_body_def def = solid_def(w, shape);
    def.position = position;
    def.orientation = icf_quat_unit((icf_quat){1.0, icf_lcg_next(random), icf_lcg_next(random), 0});
    world_add(w, def);
}

static void assert_all_rest(world *w, const char *floor)
{
    world_start(w);
    world_run(w, 6.0);
    for (int k = 0; k < 20; ++k) {
        world_step(w);
        if (!(largest_speed(w) < 1e-5)) fail_msg("on %s one moves at %g m/s", floor, largest_speed(w));
    }
}

/* More vertices are near the ground than give contacts: those that do must hold the body. */
static void hulls_of_many_vertices_come_to_rest(void **state)
{
    (void)state;
    enum { nlens = 8 };
    world w;
    uint64_t random = 5;
    world_init(&w, ICF_MODEL_LAGGED, dt, soft);
    world_add(&w, ground_def(icf_vec3_make(0, 0, 1)));
    for (int k = 0; k < nlens; ++k)
        drop_hull(&w, add_lens(&w, &random), icf_vec3_make(4.0 * edge * k, 0, 1.5 * edge), &random);
    assert_all_rest(&w, "the ground");
    world_clear(&w);
}

/* A block with rounded edges and many small faces, none of them flat: a ball of the 6-norm. */
static int32_t add_pebble(world *w, uint64_t *random)
{
    enum { n = 120 };
    icf_vec3 point[n];
    for (int k = 0; k < n; ++k) {
        const icf_vec3 d = {icf_lcg_next(random) - 0.5, icf_lcg_next(random) - 0.5, icf_lcg_next(random) - 0.5};
        const double norm = pow(pow(d.x, 6) + pow(d.y, 6) + pow(d.z, 6), 1.0 / 6.0);
        point[k] = (icf_vec3){edge * d.x / norm, 0.8 * edge * d.y / norm, 0.5 * edge * d.z / norm};
    }
    return add_hull(w, n, point);
}

/* On stiff ground and stiff boxes: whichever of the small faces is lowest, all vertices that reach the floor carry. */
static void hulls_of_many_small_faces_come_to_rest(void **state)
{
    (void)state;
    enum { npebble = 12 };
    const contact_values stiff = {.stiffness = 1e7, .dissipation = 10.0, .relaxation_time = 1e-4, .friction = 0.5};
    for (int floor = 0; floor < 2; ++floor) {
        world w;
        uint64_t random = 11;
        world_init(&w, ICF_MODEL_LAGGED, dt, stiff);
        world_add(&w, floor == 0 ? ground_def(icf_vec3_make(0, 0, 1))
                                 : fixed_box_def((icf_vec3){30 * edge, 30 * edge, edge}, (icf_vec3){0, 0, -edge}));
        for (int k = 0; k < npebble; ++k)
            drop_hull(&w, add_pebble(&w, &random),
                      icf_vec3_make(4.0 * edge * (k % 4 - 1.5), 4.0 * edge * (k / 4 - 1), 1.4 * edge), &random);
        assert_all_rest(&w, floor == 0 ? "the ground" : "a box");
        world_clear(&w);
    }
}

/* A heavy cube near the edge of a body that stands askew on another: the faces overlap in more corners than carry. */
static void faces_of_many_corners_carry_a_load_off_centre(void **state)
{
    (void)state;
    static const int kinds[] = {UPRIGHT, PRISM};
    static const double offset[][2] = {{0.15, 0.05}, {0.25, 0.1}, {-0.1, 0.2}};
    for (int pair = 0; pair < 4; ++pair)
        for (size_t k = 0; k < sizeof offset / sizeof *offset; ++k) {
            world w;
            world_init(&w, ICF_MODEL_LAGGED, dt, soft);
            world_add(&w, ground_def(icf_vec3_make(0, 0, 1)));
            for (int level = 0; level < 2; ++level) {
                const standing s = make_standing(&w, kinds[level == 0 ? pair / 2 : pair % 2]);
                icf_body_def def = s.def;
                def.position = (icf_vec3){0.05 * edge * level, -0.1 * edge * level, (0.5 + level) * edge};
                def.orientation = icf_quat_unit((icf_quat){1.0, 0, 0, 0.2 * level});
                world_add(&w, def);
            }
            icf_body_def load =
                shape_def((icf_shape){.type = ICF_SHAPE_BOX, .extent = {0.1 * edge, 0.1 * edge, 0.1 * edge}});
            load.mass *= 60.0;
            load.inertia = icf_scale(60.0, load.inertia);
            load.position = (icf_vec3){offset[k][0] * edge, offset[k][1] * edge, 2.1 * edge};
            world_add(&w, load);
            world_start(&w);
            world_run(&w, 3.0);
            for (int step = 0; step < 40; ++step) {
                world_step(&w);
                if (!(largest_speed(&w) < 1e-6)) fail_msg("pair %d moves at %g m/s", pair, largest_speed(&w));
            }
            world_clear(&w);
        }
}

int main(void)
{
    MPI_Init(NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_rests),
        cmocka_unit_test(each_shape_rests_on_each_flat_one),
        cmocka_unit_test(a_rolling_cylinder_keeps_its_line),
        cmocka_unit_test(an_ellipsoid_settles_on_its_short_axis),
        cmocka_unit_test(a_hull_of_box_corners_moves_as_the_box),
        cmocka_unit_test(hulls_of_many_vertices_come_to_rest),
        cmocka_unit_test(hulls_of_many_small_faces_come_to_rest),
        cmocka_unit_test(faces_of_many_corners_carry_a_load_off_centre),
    };
    const int result = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return result;
}
