/* Cylinders, ellipsoids, hulls and compounds in scenes: what is read, what is shared, what is written and read again,
 * what every defect of a mesh is called. */
#include "read_scene.h"

#include "io/scene_message.h"
#include "io/scene_writer.h"

/* Corners of a box of half edges 1, 2, 3 about (1, 2, 3); 4 ix + 2 iy + iz, minus side first; its outward triangles. */
static const int triangles[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                     {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

typedef enum { WHOLE, OPEN, TURNED, INSIDE_OUT, NOT_A_NUMBER, FLAT, EMPTY, NO_MESH } defect;

/* A mesh file in a place of its own. */
static char mesh_path[] = "/tmp/icf-shape-XXXXXX.obj";

static void write_mesh(defect kind)
{
    FILE *file = fopen(mesh_path, "w");
    assert_non_null(file);
    if (kind == NO_MESH) fputs("once upon a time\n", file);
    for (int v = 0; v < 8 && kind != EMPTY && kind != NO_MESH; ++v)
        if (kind == NOT_A_NUMBER && v == 3)
            fputs("v 0 nan 0\n", file);
        else
            fprintf(file, "v %d %d %d\n", v & 4 ? 2 : 0, v & 2 ? 4 : 0, kind == FLAT ? 0 : v & 1 ? 6 : 0);
    for (int t = 0; t < 12 && kind != EMPTY && kind != NO_MESH; ++t) {
        const int *c = triangles[t];
        if (kind == OPEN && t == 5) continue;
        const int turned = kind == INSIDE_OUT || (kind == TURNED && t == 7);
        fprintf(file, "f %d %d %d\n", c[0] + 1, c[turned ? 2 : 1] + 1, c[turned ? 1 : 2] + 1);
    }
    assert_int_equal(fclose(file), 0);
}

static const char head[] = "time: {step: 0.01, steps: 1}\nmaterials: {m: {}}\nbodies:\n";

static read_scene *read_bodies(const char *bodies)
{
    char text[4000];
    snprintf(text, sizeof text, "%s%s", head, bodies);
    return read_scene_text(text, 0, NULL);
}

static read_scene *read_good(const char *bodies)
{
    read_scene *read = read_bodies(bodies);
    if (read->status != ICF_OK) fail_msg("%s", read->context.message);
    return read;
}

static void expect_error(const char *bodies, const char *part)
{
    read_scene *read = read_bodies(bodies);
    assert_int_equal(read->status, ICF_ERROR_SCENE);
    if (!strstr(read->context.message, part)) fail_msg("%s\nhas no: %s", read->context.message, part);
    read_scene_free(read);
}

static void assert_close(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-12 * fmax(1.0, fabs(b)));
}

static void assert_vec3(icf_vec3 a, double x, double y, double z)
{
    assert_close(a.x, x);
    assert_close(a.y, y);
    assert_close(a.z, z);
}

/* pi r^2 l rho; m(3 r^2 + l^2)/12 and m r^2/2.  4/3 pi abc rho; m(b^2 + c^2)/5. */
static void cylinder_and_ellipsoid(void **state)
{
    (void)state;
    read_scene *read = read_good("- {shape: {type: cylinder, radius: 0.5, length: 2}, material: m, density: 10}\n"
                                 "- {shape: {type: ellipsoid, radii: [1, 2, 3]}, material: m, mass: 5}\n");
    const icf_body_def *cylinder = &read->body[0], *ellipsoid = &read->body[1];
    assert_int_equal(cylinder->shape.type, ICF_SHAPE_CYLINDER);
    assert_close(cylinder->shape.half, 1.0);
    assert_close(cylinder->mass, M_PI * 0.25 * 2.0 * 10.0);
    const double across = cylinder->mass * (3.0 * 0.25 + 4.0) / 12.0;
    assert_vec3(cylinder->inertia, across, across, 0.125 * cylinder->mass);
    assert_int_equal(ellipsoid->shape.type, ICF_SHAPE_ELLIPSOID);
    assert_vec3(ellipsoid->shape.extent, 1, 2, 3);
    assert_vec3(ellipsoid->inertia, 13, 10, 5);
    read_scene_free(read);
    expect_error("- {shape: {type: cylinder, radius: 0, length: 1}, material: m, mass: 1}\n",
                 "bodies[0].shape.radius: must be > 0 m, got 0");
    expect_error("- {shape: {type: cylinder, radius: 1}, material: m, mass: 1}\n", "length");
    expect_error("- {shape: {type: ellipsoid, radii: [1, 0, 1]}, material: m, mass: 1}\n", "bodies[0].shape.radii");
    expect_error("- {shape: {type: ellipsoid, radius: 1}, material: m, mass: 1}\n",
                 "bodies[0].shape.radius: does not belong to the shape ellipsoid");
}

static void a_hull_is_placed_by_its_meshs_frame(void **state)
{
    (void)state;
    write_mesh(WHOLE);
    char text[1000];
    snprintf(text, sizeof text,
             "- {shape: {type: convex, mesh: %s}, material: m, density: 10, position: [5, 0, 0],\n"
             "   angular_velocity: [0, 0, 1], linear_velocity: [0, 1, 0]}\n"
             "- {shape: {type: convex, mesh: {file: %s, scale: 0.5}}, material: m, mass: 6}\n"
             "- {shape: {type: convex, mesh: %s}, material: m, mass: 2, inertia: [1, 1, 1]}\n"
             "- {shape: {type: convex, mesh: %s}, material: m, motion: fixed, position: [7, 0, 0]}\n"
             "- {shape: {type: convex, mesh: %s}, material: m, mass: 3}\n",
             mesh_path, mesh_path, mesh_path, mesh_path, mesh_path);
    read_scene *read = read_good(text);
    const icf_body_def *body = read->body;
    // a box of 2 x 4 x 6 m whose corner is the frame's origin
    assert_close(body[0].mass, 480.0);
    assert_vec3(body[0].position, 6, 2, 3);
    assert_vec3(body[0].linear_velocity, -2, 2, 0);
    assert_vec3(body[0].inertia, 480.0 * 52.0 / 12.0, 480.0 * 40.0 / 12.0, 480.0 * 20.0 / 12.0);
    assert_vec3(body[0].shape.extent, 1, 2, 3);
    assert_vec3(body[1].position, 0.5, 1, 1.5);
    assert_vec3(body[1].shape.extent, 0.5, 1, 1.5);
    assert_vec3(body[2].inertia, 1, 1, 1);
    assert_vec3(body[2].position, 1, 2, 3);
    assert_vec3(body[3].position, 7, 0, 0);
    assert_vec3(body[3].shape.extent, 2, 4, 6);
    // given and principal of each scale, central of one; the last body shares the first's
    assert_int_equal(read->scene.nsolid, 5);
    assert_int_equal(body[4].shape.index, body[0].shape.index);
    assert_int_equal(read->scene.solid[body[0].shape.index].polytope.nface, 6);
    read_scene_free(read);
}

static void every_defect_of_a_mesh_has_its_message(void **state)
{
    (void)state;
    static const struct {
        defect kind;
        const char *part;
    } cases[] = {{OPEN, "triangle"},    {TURNED, "triangle"}, {INSIDE_OUT, "triangle"}, {NOT_A_NUMBER, "line 4"},
                 {FLAT, "triangle 10"}, {EMPTY, mesh_path},   {NO_MESH, mesh_path}};
    char text[1000];
    snprintf(text, sizeof text, "- {shape: {type: convex, mesh: %s}, material: m, mass: 1}\n", mesh_path);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        write_mesh(cases[k].kind);
        expect_error(text, "bodies[0].shape.mesh: ");
        expect_error(text, cases[k].part);
    }
    unlink(mesh_path);
    expect_error(text, mesh_path);
}

static void a_compound_is_one_body(void **state)
{
    (void)state;
    const char two[] = "shape: {type: compound, parts: [{shape: {type: sphere, radius: 1}},\n"
                       "   {shape: {type: sphere, radius: 1}, position: [4, 0, 0]}]}, material: m, mass: 2";
    char text[2000];
    snprintf(text, sizeof text, "- {%s, position: [0, 0, 1]}\n- {%s}\n", two, two);
    read_scene *read = read_good(text);
    assert_vec3(read->body[0].position, 2, 0, 1);
    // two balls of 1 kg, 2 m from the middle
    assert_vec3(read->body[0].inertia, 0.8, 0.8 + 8.0, 0.8 + 8.0);
    assert_int_equal(read->body[1].shape.index, read->body[0].shape.index);
    assert_int_equal(read->scene.nsolid, 2);
    read_scene_free(read);
    expect_error("- {shape: {type: compound, parts: []}, material: m, mass: 1}\n", "parts: must not be empty");
    expect_error("- {shape: {type: compound, parts: [{shape: {type: none}}]}, material: m, mass: 1}\n",
                 "parts[0].shape: none cannot be a part of a compound");
    expect_error("- {shape: {type: compound, parts: [{shape: {type: half_space, normal: [0, 0, 1]}}]}, material: m, "
                 "mass: 1}\n",
                 "half_space cannot be a part");
    expect_error("- {shape: {type: compound, parts: [{position: [0, 0, 0]}]}, material: m, mass: 1}\n",
                 "parts[0].shape: missing");
}

/* Pose, velocity, mass and shape are the same to rounding; numbers in the file are the user's. */
static void what_is_written_reads_again(void **state)
{
    (void)state;
    write_mesh(WHOLE);
    char text[3000];
    snprintf(text, sizeof text,
             "- {shape: {type: convex, mesh: {file: %s, scale: 0.1}}, material: m, density: 10, position: [5, 0, 0],\n"
             "   orientation: [0.8, 0, 0.6, 0], angular_velocity: [0, 0, 1], linear_velocity: [0, 1, 0]}\n"
             "- {shape: {type: convex, mesh: %s}, material: m, mass: 1, inertia: [3, 4, 5], position: [1, 1, 1]}\n"
             "- {shape: {type: cylinder, radius: 0.5, length: 2}, material: m, mass: 1}\n"
             "- {shape: {type: ellipsoid, radii: [1, 2, 3]}, material: m, mass: 1}\n"
             "- {shape: {type: compound, parts: [{shape: {type: box, size: [1, 2, 3]}, position: [0, 0, 1]},\n"
             "   {shape: {type: convex, mesh: %s}, orientation: [0.6, 0.8, 0, 0]}]}, material: m, mass: 2}\n",
             mesh_path, mesh_path, mesh_path);
    read_scene *first = read_good(text);
    char *written = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&written, &bytes);
    assert_non_null(file);
    icf_scene_write_begin(file, &first->scene);
    for (int i = 0; i < first->nbody; ++i) icf_scene_write_body(file, &first->scene, &first->body[i]);
    assert_int_equal(icf_scene_write_end(&first->context, file, &first->scene, NULL, NULL), ICF_OK);
    assert_int_equal(fclose(file), 0);
    read_scene *second = read_scene_text(written, 0, NULL);
    if (second->status != ICF_OK) fail_msg("%s\n%s", second->context.message, written);
    assert_int_equal(second->nbody, first->nbody);
    assert_int_equal(second->scene.nsolid, first->scene.nsolid);
    for (int i = 0; i < first->nbody; ++i) {
        const icf_body_def *a = &first->body[i], *b = &second->body[i];
        assert_int_equal(a->shape.type, b->shape.type);
        assert_vec3(b->position, a->position.x, a->position.y, a->position.z);
        assert_vec3(b->linear_velocity, a->linear_velocity.x, a->linear_velocity.y, a->linear_velocity.z);
        assert_vec3(b->inertia, a->inertia.x, a->inertia.y, a->inertia.z);
        assert_vec3(b->shape.extent, a->shape.extent.x, a->shape.extent.y, a->shape.extent.z);
        assert_close(b->mass, a->mass);
        assert_close(fabs(a->orientation.w * b->orientation.w + a->orientation.x * b->orientation.x +
                          a->orientation.y * b->orientation.y + a->orientation.z * b->orientation.z),
                     1.0);
    }
    read_scene_free(first);
    read_scene_free(second);
    free(written);
}

/* What the first rank sends the others. */
static void solids_travel_with_the_scene(void **state)
{
    (void)state;
    write_mesh(WHOLE);
    char text[1000];
    snprintf(text, sizeof text,
             "- {shape: {type: convex, mesh: %s}, material: m, mass: 1}\n"
             "- {shape: {type: compound, parts: [{shape: {type: convex, mesh: %s}}]}, material: m, mass: 1}\n",
             mesh_path, mesh_path);
    read_scene *read = read_good(text);
    icf_bytes bytes;
    icf_scene copy;
    icf_bytes_init(&bytes);
    assert_int_equal(icf_scene_message_write(&bytes, &read->scene), ICF_OK);
    assert_int_equal(icf_scene_message_read(&read->context, &bytes, &copy), ICF_OK);
    assert_int_equal(copy.nsolid, read->scene.nsolid);
    for (int i = 0; i < copy.nsolid; ++i) {
        const icf_solid *a = &read->scene.solid[i], *b = &copy.solid[i];
        assert_int_equal(a->type, b->type);
        assert_int_equal(a->npart, b->npart);
        assert_memory_equal(&a->inertia, &b->inertia, sizeof a->inertia);
        if (a->type != ICF_SHAPE_CONVEX) continue;
        assert_string_equal(a->mesh, b->mesh);
        assert_memory_equal(a->polytope.normal, b->polytope.normal,
                            (size_t)a->polytope.nface * sizeof *a->polytope.normal);
    }
    icf_scene_clear(&copy);
    icf_bytes_clear(&bytes);
    read_scene_free(read);
}

static int set_up(void **state)
{
    (void)state;
    const int file = mkstemps(mesh_path, 4);
    return file >= 0 ? close(file) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(mesh_path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinder_and_ellipsoid),
        cmocka_unit_test(a_hull_is_placed_by_its_meshs_frame),
        cmocka_unit_test(every_defect_of_a_mesh_has_its_message),
        cmocka_unit_test(a_compound_is_one_body),
        cmocka_unit_test(what_is_written_reads_again),
        cmocka_unit_test(solids_travel_with_the_scene),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
