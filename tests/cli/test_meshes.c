/* Mesh files through the program: those that are no usable mesh end `icf check` and `icf run` at once with exit code 2
 * and one line that names the file and says what is wrong with it; those in another unit, and bodies inside of them,
 * are warned of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "program.h"

/* ---- files ---- */

static void write_bytes(const char *path, size_t n, const char *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

enum { header_bytes = 84, facet_bytes = 50, stl_bytes = header_bytes + 4 * facet_bytes };

/* A tetrahedron of edges `size` as a binary STL file. */
static void make_stl(float size, char stl[stl_bytes])
{
    static const int corner[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    memset(stl, 0, stl_bytes);
    memcpy(stl + 80, &(uint32_t){4}, 4);
    for (int t = 0; t < 4; ++t)
        for (int k = 0; k < 3; ++k) {
            float x[3] = {0, 0, 0};
            if (corner[t][k] > 0) x[corner[t][k] - 1] = size;
            memcpy(stl + header_bytes + facet_bytes * t + 12 * (k + 1), x, sizeof x);
        }
}

static void write_stl(const char *path, size_t n, uint32_t count, float size)
{
    char stl[stl_bytes];
    make_stl(size, stl);
    memcpy(stl + 80, &count, 4);
    write_bytes(path, n, stl);
}

/* ---- scenes ---- */

static void write_scene(const char *shape, const char *mesh)
{
    char text[400];
    snprintf(text, sizeof text,
             "time: {step: 0.001, steps: 1}\nmaterials: {m: {}}\nbodies:\n"
             "- {shape: {type: %s, mesh: %s}, material: m, %s}\n",
             shape, mesh, strcmp(shape, "mesh") == 0 ? "motion: fixed" : "density: 1000");
    write_text("scene.yaml", text);
}

/* Memory and processor time that a wrong file may take: far less than its header may claim.  A sanitizer's shadow
 * memory is larger than any limit. */
static void limit_resources(void)
{
    const struct rlimit memory = {2000000000, RLIM_INFINITY}, seconds = {10, RLIM_INFINITY};
#ifdef SANITIZED
    (void)memory;
#else
    assert_int_equal(setrlimit(RLIMIT_AS, &memory), 0);
#endif
    assert_int_equal(setrlimit(RLIMIT_CPU, &seconds), 0);
}

static void assert_one_line(outcome result, const char *file, const char *reason)
{
    if (result.code != 2 || count_of(result.err, "\n") != 1 || result.out[0] != '\0' || !strstr(result.err, file) ||
        !strstr(result.err, reason) || strncmp(result.err, "icf: error: scene.yaml:4:", 25) != 0)
        fail_msg("%s: code %d, expected 2 and '%s', got '%s%s'", file, result.code, reason, result.out, result.err);
    outcome_clear(&result);
}

/* Fails unless a file is refused as a hull or a surface, by both commands. */
static void assert_refused_as(const char *shape, const char *file, const char *reason)
{
    write_scene(shape, file);
    assert_one_line(RUN("check", "scene.yaml"), file, reason);
    assert_one_line(RUN("run", "scene.yaml", "--steps", "1"), file, reason);
}

static void assert_refused(const char *file, const char *reason)
{
    assert_refused_as("convex", file, reason);
    assert_refused_as("mesh", file, reason);
}

static void assert_text_refused(const char *file, const char *text, const char *reason)
{
    write_text(file, text);
    assert_refused(file, reason);
}

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
#define SIDES   "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

static void surfaces_that_are_no_solid(void **state)
{
    (void)state;
    write_text("open.obj", CORNERS "f 1 3 2\nf 1 2 4\nf 1 4 3\n"); // as a mesh it is a sheet
    assert_refused_as("convex", "open.obj", "the surface leaks: no other triangle has the edge of triangle 0");
    assert_text_refused("inverted.obj", CORNERS "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
                        "the surface is inside out: triangle 3");
    assert_text_refused("turned.obj", CORNERS "f 1 2 3\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
                        "triangles 0 and 3 (counting from 0) share an edge but look to different sides");
    assert_text_refused("line.obj", "v 0 0 0\nv 1 1 1\nv 2 2 2\nv 3 3 3\n" SIDES,
                        "none of its 4 triangles has an area");
    assert_text_refused("point.obj", "v 1 2 3\nv 1 2 3\nv 1 2 3\nv 1 2 3\n" SIDES, "lie within 0 m of (1, 2, 3)");
    write_text("fin.obj", CORNERS "v 0.5 0 0\n" SIDES "f 1 2 5\n");
    assert_refused_as("convex", "fin.obj", "the edge of triangle 4 (counting from 0; it has no area)");
    assert_refused_as("mesh", "fin.obj", "triangle 4 (counting from 0) at (0, 0, 0) has no area");
}

/* Four corners in a plane that round-off leaves a volume of either sign. */
static void flat_surfaces_enclose_nothing(void **state)
{
    (void)state;
    for (int turn = 1; turn < 6; ++turn) {
        char text[400];
        int used = 0;
        static const double x[4][2] = {{0, 0}, {1, 0}, {0, 1}, {0.25, 0.35}};
        for (int i = 0; i < 4; ++i)
            used += snprintf(text + used, sizeof text - (size_t)used, "v %.17g %.17g %.17g\n", x[i][0] + 0.1 * turn,
                             x[i][1] - 0.3, x[i][0] * sin(turn) + x[i][1] * cos(turn));
        snprintf(text + used, sizeof text - (size_t)used, SIDES);
        assert_text_refused("flat.obj", text, "the surface is flat: it encloses no volume");
    }
}

static void coordinates_that_are_no_lengths(void **state)
{
    (void)state;
    assert_text_refused("nan.obj", "v 0 0 0\nv 1 nan 0\n" SIDES, "line 2: a vertex is at (1, nan, 0)");
    assert_text_refused("inf.obj", "v 0 0 0\nv 1 0 inf\n" SIDES, "line 2: a vertex is at (1, 0, inf)");
    assert_text_refused("huge.obj", "v 0 0 0\nv 1 0 0\nv 0 1e300 0\nv 0 0 1\n" SIDES,
                        "a corner of triangle 0 (counting from 0) is at (0, 1e+300, 0), beyond 1e+15 m");
    assert_text_refused("tiny.obj", "v 0 0 0\nv 1e-300 0 0\nv 0 1e-300 0\nv 0 0 1e-300\n" SIDES,
                        "lie within 1e-300 m of (0, 0, 0)");
    write_stl("nan.stl", stl_bytes, 4, NAN);
    assert_refused("nan.stl", "byte 120: a corner of facet 0 (counting from 0) is at (");
    write_stl("huge.stl", stl_bytes, 4, 3e38f);
    assert_refused("huge.stl", "a corner of triangle 0 (counting from 0) is at (0, 3e+38, 0), beyond 1e+15 m");
}

static void files_that_are_cut(void **state)
{
    (void)state;
    assert_text_refused("empty.obj", "", "empty.obj: the file is empty");
    assert_text_refused("blank.obj", "# nothing\n\n", "the mesh has no triangles");
    assert_text_refused("vertex.obj", CORNERS SIDES "v 1.0 2.", "line 9: the file ends inside a vertex");
    assert_text_refused("face.obj", CORNERS "f 1 3 2\nf 1 2", "line 6: the file ends inside a face");
    assert_text_refused("facet.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0",
                        "line 4: the file ends where a number is expected");
    write_stl("head.stl", 50, 4, 1.0f);
    assert_refused("head.stl", "byte 50: the file ends inside the header of a binary STL file");
    write_stl("half.stl", 200, 4, 1.0f);
    assert_refused("half.stl", "byte 84: 4 facets cannot be in the 116 bytes that follow: the file is cut off");
    write_stl("claim.stl", stl_bytes, 4000000000u, 1.0f);
    assert_refused("claim.stl", "byte 84: 4000000000 facets cannot be in the 200 bytes that follow");
}

static void files_of_other_kinds(void **state)
{
    (void)state;
    write_bytes("a.png", 20, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1");
    assert_refused("a.png", "this is a PNG image, no surface of a known kind (OBJ, STL)");
    assert_text_refused("a.ply", "ply\nformat ascii 1.0\n", "this is a PLY mesh, no surface of a known kind");
    assert_text_refused("letter", "Dear sir or madam,\n", "this is no surface of a known kind (OBJ, STL)");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_refused("folder", "folder: Is a directory");
    assert_refused("/dev/zero", "/dev/zero: is a device, expected a file");
    assert_refused("none.obj", "none.obj: No such file or directory");
}

static void corners_that_are_none(void **state)
{
    (void)state;
    assert_text_refused("range.obj", CORNERS "f 1 3 9\n", "line 5: a face has vertex 9; 4 vertices stand before it");
    assert_text_refused("back.obj", CORNERS "f 1 3 -5\n", "line 5: a face has vertex -5; 4 vertices stand before it");
    assert_text_refused("zero.obj", CORNERS "f 0 3 2\n", "line 5: a face has vertex 0; they count from 1");
    assert_text_refused("long.obj", CORNERS "f 99999999999999999999 3 2\n", "a face has vertex 99999999999999999999;");
    assert_text_refused("slash.obj", CORNERS "f 1/x/2 3 2\n", "line 5: '1/x/2' where a corner of a face is expected");
}

/* ---- units ---- */

/* Writes a scene of a mesh whose edges are `size` and what else there is, and fails unless `check` and `run` say this
 * of it and nothing else: "" or a warning.
 *   body   [in] further keys of its body */
static void assert_doubted(const char *shape, float size, const char *scale, const char *body, const char *others,
                           const char *warning)
{
    char text[800];
    write_stl("part.stl", stl_bytes, 4, size);
    snprintf(text, sizeof text,
             "time: {step: 0.001, steps: 1}\nmaterials: {m: {}}\nbodies:\n"
             "- {shape: {type: %s, mesh: {file: part.stl, scale: %s}}, material: m, %s, position: [0, 0, 5000]}\n%s",
             shape, scale, body, others);
    write_text("scene.yaml", text);
    outcome check = RUN("check", "scene.yaml"), run = RUN("run", "scene.yaml", "--steps", "1", "--output", "out");
    const int expected = warning[0] != '\0';
    if (check.code != 0 || run.code != 0 || count_of(check.err, "\n") != expected || !strstr(check.err, warning) ||
        strcmp(check.err, run.err) != 0)
        fail_msg("%s of %g m: expected '%s', got '%s' and '%s'", shape, (double)size, warning, check.err, run.err);
    outcome_clear(&check);
    outcome_clear(&run);
}

#define DYNAMIC "density: 1000"
#define FIXED   "motion: fixed"
#define BALL(r) "- {shape: {type: sphere, radius: " r "}, material: m, density: 1000, position: [0, 0, -99]}\n"

/* A part of 120 mm and grains. */
static void millimetres_beside_other_bodies(void **state)
{
    (void)state;
    assert_doubted("convex", 120.0f, "1", DYNAMIC, BALL("0.05"),
                   "part.stl: its largest size is 120 m, that of other moving bodies 0.1 to 0.1 m: is it in another "
                   "unit? mesh: {file: ..., scale: 0.001} makes it 0.12 m\n");
    assert_doubted("convex", 120.0f, "0.001", DYNAMIC, BALL("0.05"), "");
    assert_doubted("convex", 0.12f, "0.001", DYNAMIC, BALL("0.05"), "scale: 1} makes it 0.12 m\n");
    assert_doubted("convex", 15.0f, "1", DYNAMIC, BALL("0.05"), "scale: 0.001} makes it 0.015 m\n");
}

static void hulls_in_compounds_are_doubted(void **state)
{
    (void)state;
    write_stl("part.stl", stl_bytes, 4, 120.0f);
    write_text("scene.yaml", "time: {step: 0.001, steps: 1}\nmaterials: {m: {}}\nbodies:\n"
                             "- {shape: {type: compound, parts: [{shape: {type: convex, mesh: part.stl}},\n"
                             "   {shape: {type: sphere, radius: 0.1}}]}, material: m, density: 1000}\n");
    outcome check = RUN("check", "scene.yaml");
    assert_int_equal(check.code, 0);
    assert_non_null(strstr(check.err, "part.stl: its largest size is 120 m: is it in another unit?"));
    outcome_clear(&check);
}

/* What is like other bodies, or has a usual size, is not doubted. */
static void usual_sizes_are_not_doubted(void **state)
{
    (void)state;
    assert_doubted("convex", 120.0f, "1", DYNAMIC, BALL("1"), "");       // a rock of 120 m beside one of 2 m
    assert_doubted("convex", 5.0f, "1", DYNAMIC, BALL("0.0005"), "");    // a boulder among grains
    assert_doubted("convex", 0.0005f, "1", DYNAMIC, BALL("0.0005"), ""); // a grain among grains
    assert_doubted("convex", 40.0f, "1", DYNAMIC, "", "");               // a rock alone
    assert_doubted("mesh", 10.0f, "1", FIXED, BALL("0.0005"), "");       // 1 mm grains beside 10 m terrain
    assert_doubted("mesh", 5000.0f, "1", FIXED, BALL("0.5"), "");        // terrain
}

static void sizes_alone_and_at_rest(void **state)
{
    (void)state;
    assert_doubted("convex", 60.0f, "1", DYNAMIC, "", "part.stl: its largest size is 60 m: is it in another unit?");
    assert_doubted("convex", 5e-5f, "1", DYNAMIC, "", "scale: 1000} makes it 0.05 m");
    assert_doubted("mesh", 500.0f, "1", FIXED, BALL("0.005"), "scale: 0.001} makes it 0.5 m"); // a drum with grains
    assert_doubted("convex", 500.0f, "1", FIXED, BALL("0.005"), "scale: 0.001} makes it 0.5 m");
    assert_doubted("mesh", 20000.0f, "1", FIXED, "", "scale: 0.001} makes it 20 m");
    assert_doubted("mesh", 5e-4f, "1", FIXED, "", "scale: 1000} makes it 0.5 m");
}

/* Terrain of 8 km with grains is not doubted, one of 20 km is. */
static void height_fields_may_be_large(void **state)
{
    (void)state;
    write_text("plain.txt", "0 0 0\n0 0 0\n0 0 0\n");
    write_text("field.yaml",
               "time: {step: 0.001, steps: 1}\nmaterials: {m: {}}\nbodies:\n"
               "- {shape: {type: height_field, heights: plain.txt, spacing: 4000}, material: m, motion: fixed}\n"
               "- {shape: {type: sphere, radius: 0.005}, material: m, density: 1000, position: [0, 0, 1]}\n");
    outcome check = RUN("check", "field.yaml");
    expect_success(&check);
    outcome_clear(&check);
    check = RUN("check", "field.yaml", "--set", "bodies[0].shape.spacing=10000");
    assert_int_equal(check.code, 0);
    assert_non_null(
        strstr(check.err, "plain.txt: its largest size is 2e+04 m: are spacing, scale and offset in metres?\n"));
    outcome_clear(&check);
}

/* A box of 100 mm as a mesh of tetrahedra. */
static void deformables_are_doubted_too(void **state)
{
    (void)state;
    write_text("soft.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 100 0 0\n3 0 100 0\n"
                           "4 0 0 100\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n");
    write_text("soft.yaml", "time: {step: 0.001, steps: 1}\nmaterials: {m: {}}\ndeformables:\n"
                            "- {name: soft, mesh: {file: soft.msh}, youngs_modulus: 1e5, poissons_ratio: 0.3,\n"
                            "   density: 1000}\nbodies:\n" BALL("0.05"));
    outcome run = RUN("run", "soft.yaml", "--steps", "1", "--output", "out");
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.err,
                           "deformable \"soft\": its largest size is 100 m, that of other moving bodies 0.1 to "
                           "0.1 m: is it in another unit? mesh: {file: ..., scale: 0.001} makes it 0.1 m\n"));
    outcome_clear(&run);
    outcome quiet = RUN("run", "soft.yaml", "--steps", "1", "--output", "out", "--quiet");
    expect_success(&quiet);
    outcome_clear(&quiet);
}

/* ---- bodies inside ---- */

/* A ball in a rock, one below a field, and one in the air: the first two are named with what they are in. */
static void bodies_inside_are_named(void **state)
{
    (void)state;
    write_text("rock.obj", "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 0 0 9\nv 9 0 9\nv 9 9 9\nv 0 9 9\n"
                           "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    write_text("plain.txt", "0 0 0\n0 0 0\n0 0 0\n");
    write_text("scene.yaml",
               "time: {step: 0.001, steps: 1}\nmaterials: {m: {}}\nbodies:\n"
               "- {name: rock, shape: {type: mesh, mesh: rock.obj}, material: m, motion: fixed}\n"
               "- {name: sunk, shape: {type: sphere, radius: 0.25}, material: m, mass: 1, position: [2, 4, 4]}\n"
               "- {name: free, shape: {type: sphere, radius: 0.25}, material: m, mass: 1, position: [5, 5, 15]}\n");
    outcome check = RUN("check", "scene.yaml");
    assert_int_equal(check.code, 0);
    assert_non_null(strstr(check.out, "\noverlaps   1 pair of 2 bodies:\n"
                                      "           2.25 m deep: rock (mesh) and sunk (sphere), wholly inside\n"));
    assert_string_equal(check.err, "icf: warning: 1 pair of bodies overlaps at the start, by up to 2.25 m\n"
                                   "icf: warning: \"sunk\" begins wholly inside \"rock\" (mesh), where no contact "
                                   "pushes it out (1 such pair)\n");
    outcome_clear(&check);
    check =
        RUN("check", "scene.yaml", "--set", "bodies.rock.shape={type: height_field, heights: plain.txt, spacing: 10}",
            "--set", "bodies.sunk.position=[2, 4, -30]");
    assert_int_equal(check.code, 0);
    assert_non_null(strstr(check.err, "\"sunk\" begins wholly below \"rock\" (height_field)"));
    outcome_clear(&check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_that_are_no_solid),
        cmocka_unit_test(flat_surfaces_enclose_nothing),
        cmocka_unit_test(coordinates_that_are_no_lengths),
        cmocka_unit_test(files_that_are_cut),
        cmocka_unit_test(files_of_other_kinds),
        cmocka_unit_test(corners_that_are_none),
        cmocka_unit_test(millimetres_beside_other_bodies),
        cmocka_unit_test(usual_sizes_are_not_doubted),
        cmocka_unit_test(sizes_alone_and_at_rest),
        cmocka_unit_test(hulls_in_compounds_are_doubted),
        cmocka_unit_test(height_fields_may_be_large),
        cmocka_unit_test(deformables_are_doubted_too),
        cmocka_unit_test(bodies_inside_are_named),
    };
    limit_resources();
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
