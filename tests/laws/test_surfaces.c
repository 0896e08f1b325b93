/* Bodies on rigid surfaces: on a flat mesh they move as on a half-space, at rest they stay, nothing goes through a thin
 * sheet. */
#include "world.h"

#include "base/random.h"
#include "geometry/surface_tree.h"

static const contact_values hard = {.stiffness = 1e6, .dissipation = 10.0, .relaxation_time = 1e-3, .friction = 0.4};

/* ---- surfaces ---- */

typedef double height_function(double x, double y);

static double flat(double x, double y)
{
    (void)x;
    (void)y;
    return 0.0;
}

static double waves(double x, double y)
{
    return 0.05 * sin(5.0 * x) * sin(4.0 * y);
}

static void finish(world *w, icf_rigid_surface *surface)
{
    assert_int_equal(icf_triangle_mesh_finalize(&w->context, &surface->mesh, "m"), ICF_OK);
    assert_int_equal(icf_rigid_surface_finish(&w->context, surface), ICF_OK);
    assert_int_equal(icf_rigid_surface_check(&w->context, surface, "m"), ICF_OK);
    assert_int_equal(icf_surface_tree_build(surface), ICF_OK);
}

/* A height field of n x n points over the square of half edge `half`: a surface that is touched from above. */
static icf_rigid_surface *add_heights(world *w, icf_lid n, double half, height_function *height)
{
    icf_rigid_surface *surface;
    double values[101 * 101];
    assert_int_equal(icf_scene_add_rigid_surface(&w->scene, &surface), ICF_OK);
    surface->source = ICF_SURFACE_HEIGHTS;
    const double spacing = 2.0 * half / (n - 1);
    surface->grid = (icf_height_grid){{n, n}, {spacing, spacing}, {-half, -half}};
    for (icf_lid j = 0; j < n; ++j)
        for (icf_lid i = 0; i < n; ++i) values[j * n + i] = height(i * spacing - half, j * spacing - half);
    assert_int_equal(icf_rigid_surface_fill_heights(surface, values), ICF_OK);
    finish(w, surface);
    return surface;
}

/* The surface of a box as a mesh. */
static icf_rigid_surface *add_box(world *w, icf_vec3 e)
{
    static const int triangle[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                        {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    icf_rigid_surface *surface;
    assert_int_equal(icf_scene_add_rigid_surface(&w->scene, &surface), ICF_OK);
    for (int v = 0; v < 8; ++v)
        assert_int_equal(icf_triangle_mesh_add_vertex(
                             &surface->mesh, icf_vec3_make(v & 4 ? e.x : -e.x, v & 2 ? e.y : -e.y, v & 1 ? e.z : -e.z)),
                         ICF_OK);
    for (int t = 0; t < 12; ++t)
        assert_int_equal(icf_triangle_mesh_add(&surface->mesh, triangle[t][0], triangle[t][1], triangle[t][2]), ICF_OK);
    finish(w, surface);
    return surface;
}

static icf_lid add_surface_body(world *w, const icf_rigid_surface *surface, icf_quat orientation)
{
    icf_body_def def = ground_def(icf_vec3_make(0, 0, 1));
    def.shape =
        (icf_shape){.type = ICF_SHAPE_MESH, .radius = surface->radius, .extent = surface->extent, .surface = surface};
    def.orientation = orientation;
    return world_add(w, def);
}

/* ---- bodies ---- */

static icf_body_def capsule_def(double mass, double radius, double half, icf_vec3 position)
{
    icf_body_def def = sphere_def(mass, radius, position);
    def.shape = (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = radius, .half = half};
    def.inertia = icf_shape_inertia(&def.shape, mass);
    return def;
}

static icf_body_def shape_def(icf_shape shape, icf_vec3 position)
{
    icf_body_def def = sphere_def(1.0, 1.0, position);
    def.shape = shape;
    def.inertia = icf_shape_inertia(&shape, def.mass);
    return def;
}

static icf_shape make_cylinder(double radius, double half)
{
    return (icf_shape){.type = ICF_SHAPE_CYLINDER, .radius = radius, .half = half};
}

/* A body of a solid, which the world takes; its centre of mass at the position. */
static icf_body_def solid_def(world *w, icf_solid *solid, icf_vec3 position)
{
    int32_t index;
    icf_body_def def = sphere_def(1.0, 1.0, position);
    def.inertia = solid->inertia;
    assert_int_equal(icf_scene_add_solid(&w->scene, solid, &index), ICF_OK);
    def.shape = icf_solid_shape(&w->scene.solid[index], index);
    return def;
}

/* A prism of nine sides. */
static icf_body_def prism_def(world *w, double radius, double half, icf_vec3 position)
{
    icf_vec3 corner[18];
    icf_solid solid;
    for (int k = 0; k < 18; ++k) {
        const double angle = 2.0 * 3.14159265358979323846 * (k / 2) / 9.0;
        corner[k] = icf_vec3_make(radius * cos(angle), radius * sin(angle), k % 2 ? half : -half);
    }
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_convex(&w->context, 18, corner, ICF_SOLID_CENTRAL, &solid), ICF_OK);
    return solid_def(w, &solid, position);
}

/* A plate on a leg that is a box and one that is a cylinder, symmetric about the middle of its height but for that. */
static icf_body_def table_def(world *w, icf_vec3 position)
{
    const icf_quat same = {1, 0, 0, 0};
    const icf_part part[3] = {
        {.shape = {.type = ICF_SHAPE_BOX, .extent = {0.15, 0.15, 0.02}}, .orientation = same},
        {.shape = {.type = ICF_SHAPE_BOX, .extent = {0.03, 0.1, 0.08}}, .position = {0.1, 0, 0}, .orientation = same},
        {.shape = make_cylinder(0.05, 0.08), .position = {-0.1, 0, 0}, .orientation = same}};
    icf_solid solid;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_compound(NULL, 3, part, ICF_SOLID_CENTRAL, &solid), ICF_OK);
    return solid_def(w, &solid, position);
}

static icf_quat turn_about(icf_vec3 axis, double angle)
{
    const double s = sin(0.5 * angle);
    return (icf_quat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

static const icf_vec3 x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};

/* A box and a capsule that slide and turn, and a ball that begins to roll, all across many triangles. */
static void add_sliding(world *w)
{
    icf_body_def box = box_def(1.0, icf_vec3_make(0.15, 0.1, 0.05), icf_vec3_make(-1.03, 0.017, 0.05));
    box.orientation = turn_about(z_axis, 0.9);
    box.linear_velocity = icf_vec3_make(2.5, 0.3, 0.0);
    box.angular_velocity = icf_vec3_make(0, 0, 1.0);
    world_add(w, box);
    icf_body_def ball = sphere_def(1.0, 0.1, icf_vec3_make(-1.03, 1.017, 0.1));
    ball.linear_velocity = icf_vec3_make(2.0, -0.3, 0.0);
    world_add(w, ball);
    icf_body_def rod = capsule_def(1.0, 0.1, 0.2, icf_vec3_make(-1.03, -1.017, 0.1));
    rod.orientation = turn_about(x_axis, 0.5 * 3.14159265358979323846);
    rod.linear_velocity = icf_vec3_make(1.5, 0.3, 0.0);
    world_add(w, rod);
}

/* A hull, an ellipsoid, a cylinder and a table that fall on an edge or corner, tumble and come to rest. */
static void add_falling(world *w)
{
    for (int k = 0; k < 4; ++k) {
        const icf_vec3 at = {0.3 * k - 1.03, 0.8 * k - 1.183, 0.3};
        icf_body_def def = k == 0 ? prism_def(w, 0.12, 0.07, at)
                           : k == 1
                               ? shape_def((icf_shape){.type = ICF_SHAPE_ELLIPSOID, .extent = {0.15, 0.1, 0.05}}, at)
                           : k == 2 ? shape_def(make_cylinder(0.1, 0.2), at)
                                    : table_def(w, at);
        def.orientation = turn_about(icf_unit(icf_vec3_make(1, 0.3 * k, 0.2)), 0.7 + 0.2 * k);
        def.linear_velocity = icf_vec3_make(1.0, 0.2, 0.0);
        def.angular_velocity = icf_vec3_make(0.5, 1.0, 0.3);
        world_add(w, def);
    }
}

/* Steps a flat mesh of n x n heights and a half-space with the same bodies, which stay together. */
static void assert_carries_alike(icf_model model, icf_lid n, void (*add_bodies)(world *w))
{
    world mesh, plane;
    world_init(&mesh, model, 0.005, hard);
    world_init(&plane, model, 0.005, hard);
    add_surface_body(&mesh, add_heights(&mesh, n, 4.0, flat), (icf_quat){1, 0, 0, 0});
    world_add(&plane, ground_def(z_axis));
    add_bodies(&mesh);
    add_bodies(&plane);
    const icf_vec3 start = mesh.bodies.position[1];
    world_start(&mesh);
    world_start(&plane);
    for (int k = 0; k < 300; ++k) {
        world_step(&mesh);
        world_step(&plane);
        for (icf_lid i = 1; i < mesh.bodies.n; ++i) {
            const icf_vec3 difference = icf_sub(mesh.bodies.position[i], plane.bodies.position[i]);
            if (!(icf_norm(difference) < 1e-9))
                fail_msg("%s, n %d, step %d, body %d: %g m apart", model_name(model), n, k, i, icf_norm(difference));
        }
    }
    assert_true(mesh.bodies.position[1].x > start.x + 0.1);
    world_clear(&mesh);
    world_clear(&plane);
}

/* The half-space is the exact solution. */
static void a_flat_mesh_carries_as_a_half_space(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m)
        for (icf_lid n = 2; n <= 62; n += 30) {
            assert_carries_alike(all_models[m], n, add_sliding);
            assert_carries_alike(all_models[m], n, add_falling);
        }
}

/* Settles, then bodies 1 to n stay for 5 s: they neither sink nor move faster than friction creeps. */
static void assert_rests(world *w, icf_vec3 up, icf_lid n)
{
    icf_vec3 settled[8];
    assert_true(n < 8);
    world_run(w, 0.5);
    for (icf_lid i = 1; i <= n; ++i) settled[i] = w->bodies.position[i];
    world_run(w, 5.0);
    for (icf_lid i = 1; i <= n; ++i) {
        // regularised friction creeps by less than its stiction tolerance of 1e-4 m/s
        assert_near(icf_norm(icf_sub(w->bodies.position[i], settled[i])), 0.0, 5.0 * 1e-4);
        assert_near(icf_dot(up, icf_sub(w->bodies.position[i], settled[i])), 0.0, 1e-9);
        assert_near(icf_norm(w->bodies.linear_velocity[i]), 0.0, 1e-4);
        assert_near(icf_norm(w->bodies.angular_velocity[i]), 0.0, 1e-4);
    }
}

/* On a slope of 0.2 rad with friction 0.4, made of many triangles, five seconds: no body moves by more than it does
 * while it settles, and all are still. */
static void bodies_rest_on_a_slope(void **state)
{
    (void)state;
    world w;
    world_init(&w, ICF_MODEL_LAGGED, 0.005, hard);
    const icf_quat slope = turn_about(y_axis, 0.2);
    add_surface_body(&w, add_heights(&w, 101, 2.0, flat), slope);
    const icf_vec3 up = icf_rotate(slope, z_axis);
    icf_body_def box = box_def(1.0, icf_vec3_make(0.15, 0.1, 0.05), icf_scale(0.05, up));
    box.orientation = slope;
    world_add(&w, box);
    icf_body_def rod = capsule_def(1.0, 0.1, 0.2, icf_add(icf_vec3_make(0, 0.7, 0), icf_scale(0.1, up)));
    rod.orientation = turn_about(y_axis, 0.2 + 0.5 * 3.14159265358979323846); // along the slope: it cannot roll
    world_add(&w, rod);
    icf_body_def ball = sphere_def(1.0, 0.1, icf_add(icf_vec3_make(0, -0.7, 0), icf_scale(0.1, up)));
    ball.locked = ICF_DOF_WX | ICF_DOF_WY | ICF_DOF_WZ;
    world_add(&w, ball);
    world_start(&w);
    assert_rests(&w, up, 3);
    world_clear(&w);
}

/* The same of a cylinder that stands, one that lies along the slope, the hull of a prism and a table of parts; an
 * ellipsoid that may not turn. */
static void other_shapes_rest_on_a_slope(void **state)
{
    (void)state;
    world w;
    world_init(&w, ICF_MODEL_LAGGED, 0.005, hard);
    const icf_quat slope = turn_about(y_axis, 0.2);
    add_surface_body(&w, add_heights(&w, 101, 2.0, flat), slope);
    const icf_vec3 up = icf_rotate(slope, z_axis);
    enum { nbody = 5 };
    static const double height[nbody] = {0.08, 0.1, 0.07, 0.08, 0.05};
    for (int k = 0; k < nbody; ++k) {
        const icf_vec3 at = icf_add(icf_vec3_make(0.013, 0.7 * (k - 2), 0), icf_scale(height[k], up));
        icf_body_def def = {0};
        switch (k) {
        case 0: def = shape_def(make_cylinder(0.1, 0.08), at); break;
        case 1: def = shape_def(make_cylinder(0.1, 0.2), at); break;
        case 2: def = prism_def(&w, 0.12, 0.07, at); break;
        case 3: def = table_def(&w, at); break;
        default:
            def = shape_def((icf_shape){.type = ICF_SHAPE_ELLIPSOID, .extent = {0.15, 0.1, 0.05}}, at);
            def.locked = ICF_DOF_WX | ICF_DOF_WY | ICF_DOF_WZ;
        }
        def.orientation = k == 1 ? turn_about(y_axis, 0.2 + 0.5 * 3.14159265358979323846) : slope;
        world_add(&w, def);
    }
    world_start(&w);
    assert_rests(&w, up, nbody);
    world_clear(&w);
}

/* Dropped on waves, boxes come to rest with all contacts and stay: over the last second they move by less than the
 * creep of friction, and do not sink. */
static void boxes_rest_on_waves(void **state)
{
    (void)state;
    world w;
    world_init(&w, ICF_MODEL_LAGGED, 0.005, hard);
    add_surface_body(&w, add_heights(&w, 61, 2.0, waves), (icf_quat){1, 0, 0, 0});
    enum { nbox = 9 };
    for (int k = 0; k < nbox; ++k) {
        icf_body_def box = box_def(1.0, icf_vec3_make(0.12, 0.1, 0.06),
                                   icf_vec3_make(0.5 * (k % 3 - 1) + 0.03 * k, 0.5 * (k / 3 - 1), 0.25));
        box.orientation = turn_about(z_axis, 0.4 * k);
        world_add(&w, box);
    }
    world_start(&w);
    world_run(&w, 4.0);
    icf_vec3 settled[nbox + 1];
    for (icf_lid i = 1; i <= nbox; ++i) settled[i] = w.bodies.position[i];
    world_run(&w, 1.0);
    for (icf_lid i = 1; i <= nbox; ++i) {
        assert_near(icf_norm(icf_sub(w.bodies.position[i], settled[i])), 0.0, 2e-4);
        assert_true(w.bodies.position[i].z > waves(w.bodies.position[i].x, w.bodies.position[i].y));
    }
    assert_true(w.stats.penetration_max < 1e-4);
    world_clear(&w);
}

/* A body of one of seven shapes, stretched up to six times. */
static icf_body_def thrown_def(world *w, int k, icf_vec3 at)
{
    const double size = k / 7 % 2 == 0 ? 0.01 : 0.05;
    const icf_vec3 e = {size * (0.3 + 0.15 * (k % 11)), size * (0.3 + 0.19 * (k % 9)), size * (0.3 + 0.13 * (k % 13))};
    icf_body_def def;
    switch (k % 7) {
    case 0: return sphere_def(0.1, size, at);
    case 1: return capsule_def(0.1, e.x, e.y, at);
    case 2: return box_def(0.1, e, at);
    case 3: def = shape_def(make_cylinder(e.x, e.y), at); break;
    case 4: def = prism_def(w, e.x, e.y, at); break;
    default: def = shape_def((icf_shape){.type = ICF_SHAPE_ELLIPSOID, .extent = e}, at);
    }
    def.inertia = icf_scale(0.1 / def.mass, def.inertia);
    def.mass = 0.1;
    return def;
}

/* Throws small and large bodies at 10 m/s down at a surface, with steps of 5 ms in which they fly 50 mm: all stay above
 * it while they bounce. */
static void assert_stops(world *w, height_function *height)
{
    w->scene.gravity = icf_vec3_make(0, 0, 0);
    for (int k = 0; k < 225; ++k) {
        const icf_vec3 at = {0.5 * (k % 15) - 3.53, 0.5 * (double)(k / 15) - 3.52, 0.2 + 0.001 * k};
        icf_body_def def = thrown_def(w, k, at);
        def.orientation = turn_about(icf_unit(icf_vec3_make(1 + k % 7, k % 5, k % 3)), 0.7 * k);
        def.linear_velocity = icf_vec3_make(0.5 * (k % 3), 0.2 * (k % 4), -10.0);
        world_add(w, def);
    }
    world_start(w);
    for (int step = 0; step < 20; ++step) {
        world_step(w);
        for (icf_lid i = 1; i < w->bodies.n; ++i) {
            const icf_vec3 x = w->bodies.position[i];
            if (!(x.z > height(x.x, x.y))) fail_msg("step %d: body %d is at z = %g m", step, i, x.z);
        }
    }
}

static void nothing_goes_through_a_thin_plate(void **state)
{
    (void)state;
    world w;
    world_init(&w, ICF_MODEL_LAGGED, 0.005, hard);
    add_surface_body(&w, add_box(&w, icf_vec3_make(4.0, 4.0, 0.0005)), (icf_quat){1, 0, 0, 0});
    assert_stops(&w, flat);
    world_clear(&w);
}

static void nothing_goes_through_a_wavy_sheet(void **state)
{
    (void)state;
    world w;
    world_init(&w, ICF_MODEL_LAGGED, 0.005, hard);
    icf_rigid_surface *sheet = add_heights(&w, 101, 4.0, waves);
    sheet->is_solid = false; // no thickness: it has two sides
    add_surface_body(&w, sheet, (icf_quat){1, 0, 0, 0});
    assert_stops(&w, waves);
    world_clear(&w);
}

/* ---- compounds ---- */

static double draw(uint64_t *random, double from, double to)
{
    return from + (to - from) * icf_lcg_next(random);
}

static icf_vec3 draw_vector(uint64_t *random)
{
    const double x = draw(random, -1, 1), y = draw(random, -1, 1);
    return icf_vec3_make(x, y, draw(random, -1, 1));
}

/* The hull of ten points in a box of edges as 4 : 2 : 1, as a part. */
static icf_shape draw_splinter(world *w, uint64_t *random, double size)
{
    icf_vec3 point[10];
    icf_solid solid;
    int32_t index;
    for (int k = 0; k < 10; ++k) {
        const icf_vec3 x = draw_vector(random);
        point[k] = icf_vec3_make(size * x.x, 0.5 * size * x.y, 0.25 * size * x.z);
    }
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_convex(&w->context, 10, point, ICF_SOLID_GIVEN, &solid), ICF_OK);
    assert_int_equal(icf_scene_add_solid(&w->scene, &solid, &index), ICF_OK);
    return icf_solid_shape(&w->scene.solid[index], index);
}

enum { npart_most = 12, nthrown = 225 };

static icf_shape make_box(double x, double y, double z)
{
    return (icf_shape){.type = ICF_SHAPE_BOX, .extent = {x, y, z}};
}

static icf_part make_part(icf_shape shape, double x, double y, double z)
{
    return (icf_part){.shape = shape, .position = {x, y, z}, .orientation = {1, 0, 0, 0}};
}

/* An angle of two boxes, a bar of balls, a table, two splinters, or an angle of two rods: h is half
 * its thickness, l half its length.  Returns the number of parts. */
static int32_t draw_parts(world *w, int kind, uint64_t *random, icf_part *part)
{
    const double h = draw(random, 0.0025, 0.004), l = h * draw(random, 4, 15);
    int32_t n = 0;
    switch (kind) {
    case 0:
        part[n++] = make_part(make_box(l, 2 * h, h), l, 0, 0);
        part[n++] = make_part(make_box(h, 2 * h, 0.5 * l), h, 0, 0.5 * l);
        return n;
    case 1:
        for (; n < npart_most; ++n)
            part[n] = make_part((icf_shape){.type = ICF_SHAPE_SPHERE, .radius = h}, 1.8 * h * n, 0, 0);
        return n;
    case 2:
        part[n++] = make_part(make_box(l, 0.6 * l, h), 0, 0, 0);
        for (int k = 0; k < 4; ++k)
            part[n++] = make_part(make_cylinder(h, 0.5 * l), k % 2 ? l : -l, k / 2 ? 0.6 * l : -0.6 * l, 0.5 * l);
        return n;
    case 3:
        for (; n < 2; ++n) {
            part[n] = make_part(draw_splinter(w, random, 3 * h), 2 * h * n, 0, 0);
            part[n].orientation = turn_about(icf_unit(draw_vector(random)), 3.0 * n);
        }
        return n;
    default:
        part[n++] = make_part((icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = h, .half = l}, 0, 0, 0);
        part[n++] = make_part((icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = h, .half = 0.4 * l}, 0.4 * l, 0, l);
        part[1].orientation = turn_about(icf_vec3_make(0, 1, 0), 1.5707963);
        return n;
    }
}

static void throw_compound(world *w, int k, uint64_t *random, bool is_spinning)
{
    const icf_vec3 at = {0.5 * (k % 15) - 3.53, 0.5 * (double)(k / 15) - 3.52, 0.2 + 0.001 * k};
    icf_part part[npart_most];
    icf_solid solid;
    icf_solid_init(&solid);
    const int32_t n = draw_parts(w, k % 5, random, part);
    assert_int_equal(icf_solid_build_compound(w->scene.solid, n, part, ICF_SOLID_PRINCIPAL, &solid), ICF_OK);
    icf_body_def def = solid_def(w, &solid, at);
    def.mass = 0.1;
    def.inertia = icf_scale(def.mass, def.inertia);
    def.orientation = turn_about(icf_unit(draw_vector(random)), draw(random, 0, 6));
    def.linear_velocity = is_spinning ? icf_vec3_make(5, 1, -8.6) : icf_vec3_make(0, 0, -10);
    if (is_spinning) def.angular_velocity = icf_scale(50.0, icf_unit(draw_vector(random)));
    world_add(w, def);
}

static void assert_compounds_stop(world *w, uint64_t seed, bool is_spinning)
{
    w->scene.gravity = icf_vec3_make(0, 0, 0);
    for (int k = 0; k < nthrown; ++k) throw_compound(w, k, &seed, is_spinning);
    world_start(w);
    int behind = 0;
    for (int step = 0; step < 40; ++step) world_step(w);
    for (icf_lid i = 1; i < w->bodies.n; ++i) behind += !(w->bodies.position[i].z > 0.0);
    assert_int_equal(behind, 0);
}

/* A thin box, two triangles and a tessellated sheet, both without thickness. */
static void add_thin(world *w, int kind)
{
    if (kind == 0) {
        world_add(w, fixed_box_def(icf_vec3_make(6.0, 6.0, 0.0005), icf_vec3_make(0, 0, -0.0005)));
        return;
    }
    icf_rigid_surface *sheet = add_heights(w, kind == 1 ? 2 : 101, 6.0, flat);
    sheet->is_solid = false;
    add_surface_body(w, sheet, (icf_quat){1, 0, 0, 0});
}

/* Compounds of parts that are 5 to 10 mm thick, thrown at 10 m/s, straight, and at a slant with 50 rad/s: what stops
 * one end must not swing the other one through. */
static void compounds_do_not_go_through_thin_things(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind)
        for (int spinning = 0; spinning < 2; ++spinning) {
            world w;
            world_init(&w, ICF_MODEL_LAGGED, 0.005, hard);
            add_thin(&w, kind);
            assert_compounds_stop(&w, 12345 + (uint64_t)spinning, spinning);
            world_clear(&w);
        }
}

/* A ball that rolls over a flat mesh without slip keeps its speed and its line. */
static void a_ball_rolls_on(void **state)
{
    (void)state;
    world w;
    world_init(&w, ICF_MODEL_LAGGED, 0.005, hard);
    add_surface_body(&w, add_heights(&w, 101, 4.0, flat), turn_about(z_axis, 0.3));
    icf_body_def ball = sphere_def(1.0, 0.1, icf_vec3_make(-2.0, 0.0123, 0.1 - gravity / hard.stiffness));
    ball.linear_velocity = icf_vec3_make(2.0, 0.0, 0.0);
    ball.angular_velocity = icf_vec3_make(0.0, 20.0, 0.0);
    const icf_lid i = world_add(&w, ball);
    world_start(&w);
    for (int k = 0; k < 400; ++k) {
        world_step(&w);
        assert_near(w.bodies.position[i].z, ball.position.z, 1e-9);
    }
    assert_near(w.bodies.position[i].x, 2.0, 1e-3);
    assert_near(w.bodies.position[i].y, ball.position.y, 1e-9);
    assert_near(w.bodies.linear_velocity[i].x, 2.0, 1e-3);
    world_clear(&w);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_mesh_carries_as_a_half_space),
        cmocka_unit_test(bodies_rest_on_a_slope),
        cmocka_unit_test(other_shapes_rest_on_a_slope),
        cmocka_unit_test(boxes_rest_on_waves),
        cmocka_unit_test(nothing_goes_through_a_thin_plate),
        cmocka_unit_test(nothing_goes_through_a_wavy_sheet),
        cmocka_unit_test(compounds_do_not_go_through_thin_things),
        cmocka_unit_test(a_ball_rolls_on),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
