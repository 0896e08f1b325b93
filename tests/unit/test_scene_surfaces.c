/* Meshes and height fields of a scene: files of every kind, one table entry a file, written and read back, refused with
 * their place. */
#include "read_scene.h"

#include <hdf5.h>
#include <math.h>
#include <sys/stat.h>

#include "check.h"
#include "io/scene_writer.h"
#include "scene/rigid_surface.h"

static char folder[] = "/tmp/icf-surfaces-XXXXXX";

static char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, size_t n, const char *bytes)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, strlen(text), text);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"scene.yaml", "again.yaml", "a.obj", "table.txt", "p2.pgm",
                                        "p5.pgm",     "p5w.pgm",    "h.h5",  "bad"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) unlink(path_of(names[i]));
    return rmdir(folder);
}

/* A scene of fixed bodies with the given shapes. */
static read_scene *read_shapes(int n, const char *const *shapes)
{
    char text[4096];
    int used =
        snprintf(text, sizeof text, "time: {step: 0.01, steps: 1}\nmaterials: {m: {stiffness: 1.0e6}}\nbodies:\n");
    for (int i = 0; i < n; ++i)
        used += snprintf(text + used, sizeof text - (size_t)used, "  - {shape: %s, material: m, motion: fixed}\n",
                         shapes[i]);
    write_text("scene.yaml", text);
    return read_scene_file(path_of("scene.yaml"), 0, NULL);
}

static void assert_good(const read_scene *read)
{
    if (read->status != ICF_OK) fail_msg("%s", read->context.message);
}

/* ---- meshes ---- */

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static void a_file_is_one_surface_however_many_bodies_have_it(void **state)
{
    (void)state;
    write_text("a.obj", tetrahedron);
    const char *const shapes[] = {"{type: mesh, mesh: a.obj}", "{type: mesh, mesh: {file: ./a.obj, scale: 1.0}}",
                                  "{type: mesh, mesh: {file: a.obj, scale: 2.0}}"};
    read_scene *read = read_shapes(3, shapes);
    assert_good(read);
    assert_int_equal(read->scene.nrigid_surface, 2);
    for (int i = 0; i < 3; ++i) assert_int_equal(read->body[i].shape.index, i / 2);
    const icf_rigid_surface *surface = &read->scene.rigid_surface[1];
    assert_true(surface->is_solid);
    assert_near(surface->defects.volume, 8.0 / 6.0, 1e-15);
    assert_near(read->body[2].shape.radius, 2.0, 0.0);
    assert_near(read->body[2].shape.extent.y, 2.0, 0.0);
    // every side of a closed surface has a neighbour, which has it in turn
    for (icf_lid t = 0; t < 4; ++t)
        for (int k = 0; k < 3; ++k) {
            const icf_lid *back = surface->neighbour[surface->neighbour[t][k]];
            assert_true(back[0] == t || back[1] == t || back[2] == t);
        }
    read_scene_free(read);
}

static void a_border_makes_a_sheet(void **state)
{
    (void)state;
    write_text("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    const char *const shapes[] = {"{type: mesh, mesh: a.obj}"};
    read_scene *read = read_shapes(1, shapes);
    assert_good(read);
    const icf_rigid_surface *surface = &read->scene.rigid_surface[0];
    assert_false(surface->is_solid);
    assert_int_equal(surface->neighbour[0][2], 1);
    assert_int_equal(surface->neighbour[0][0], -1);
    assert_int_equal(surface->star_ptr[1] - surface->star_ptr[0], 2);
    read_scene_free(read);
}

static void assert_mesh_refused(const char *obj, const char *part)
{
    write_text("bad", obj);
    const char *const shapes[] = {"{type: mesh, mesh: bad}"};
    read_scene *read = read_shapes(1, shapes);
    assert_int_equal(read->status, ICF_ERROR_SCENE);
    if (!strstr(read->context.message, "scene.yaml:4:32: bodies[0].shape.mesh: ") ||
        !strstr(read->context.message, part))
        fail_msg("'%s' is not in '%s'", part, read->context.message);
    read_scene_free(read);
}

static void wrong_meshes_name_their_triangle(void **state)
{
    (void)state;
    assert_mesh_refused("", "bad: the file is empty");
    assert_mesh_refused("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n",
                        "triangle 0 (counting from 0) at (0, 0, 0) has no area");
    assert_mesh_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n",
                        "triangle 1 (counting from 0) has the vertices");
    assert_mesh_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n",
                        "triangles 0 and 1 (counting from 0) share an edge but look to different sides");
    assert_mesh_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
                        "the surface is inside out: triangle");
    assert_mesh_refused("v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", "line 2: a vertex is at (1, nan, 0)");
}

static void what_a_surface_cannot_be_is_refused(void **state)
{
    (void)state;
    write_text("a.obj", tetrahedron);
    read_scene *read = read_scene_text("time: {step: 0.01, steps: 1}\nmaterials: {m: {stiffness: 1.0e6}}\nbodies:\n"
                                       "  - {shape: {type: mesh, mesh: none.obj}, material: m, mass: 1}\n"
                                       "  - {shape: {type: mesh}, material: m, motion: fixed}\n"
                                       "  - {shape: {type: sphere, radius: 1, mesh: a.obj}, material: m, mass: 1}\n",
                                       0, NULL);
    assert_int_equal(read->status, ICF_ERROR_SCENE);
    assert_non_null(strstr(read->context.message, "scene.yaml:4:32: bodies[0].shape.mesh: none.obj: No such file"));
    assert_non_null(strstr(read->context.message, "bodies[1].shape.mesh: missing"));
    assert_non_null(strstr(read->context.message, "bodies[2].shape.mesh: does not belong to the shape sphere"));
    read_scene_free(read);
    write_text("scene.yaml", "time: {step: 0.01, steps: 1}\nmaterials: {m: {stiffness: 1.0e6}}\nbodies:\n"
                             "  - {shape: {type: mesh, mesh: a.obj}, material: m, mass: 1}\n");
    read = read_scene_file(path_of("scene.yaml"), 0, NULL);
    assert_int_equal(read->status, ICF_ERROR_SCENE);
    assert_non_null(strstr(read->context.message, "bodies[0].motion: a mesh cannot be dynamic: fixed, or prescribed"));
    read_scene_free(read);
}

/* ---- height fields ---- */

/* Heights 2 x 3 points: columns 0 1 along x, rows 10 j along y. */
static void write_heights(void)
{
    write_text("table.txt", "# rows of y\n0, 1\n10 11 # second\n\n20\t21\n");
    write_text("p2.pgm", "P2 # seen from above\n2 3\n255\n20 21 10 11 0 1\n");
    write_bytes("p5.pgm", 17, "P5\n2 3\n255\n\x14\x15\x0a\x0b\x00\x01");
    write_bytes("p5w.pgm", 25, "P5\n2 3\n65535\n\x00\x14\x00\x15\x00\x0a\x00\x0b\x00\x00\x00\x01");
    const hid_t file = H5Fcreate(path_of("h.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, (const hsize_t[]){3, 2}, NULL);
    const hid_t set = H5Dcreate2(file, "height", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int value[6] = {0, 1, 10, 11, 20, 21};
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    const hid_t wide = H5Screate_simple(2, (const hsize_t[]){2, 1 << 26}, NULL); // no data are written
    H5Dclose(H5Dcreate2(file, "wide", H5T_NATIVE_INT, wide, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(wide);
    assert_true(H5Fclose(file) >= 0);
}

static void every_kind_gives_the_same_heights(void **state)
{
    (void)state;
    write_heights();
    const char *const shapes[] = {
        "{type: height_field, heights: table.txt, spacing: [0.5, 2], scale: 0.1, offset: -1}",
        "{type: height_field, heights: p2.pgm, spacing: [0.5, 2], scale: 0.1, offset: -1}",
        "{type: height_field, heights: p5.pgm, spacing: [0.5, 2], scale: 0.1, offset: -1}",
        "{type: height_field, heights: p5w.pgm, spacing: [0.5, 2], scale: 0.1, offset: -1}",
        "{type: height_field, heights: h.h5, dataset: height, spacing: [0.5, 2], scale: 0.1, offset: -1}"};
    read_scene *read = read_shapes(5, shapes);
    assert_good(read);
    assert_int_equal(read->scene.nrigid_surface, 5);
    for (int s = 0; s < 5; ++s) {
        const icf_rigid_surface *surface = &read->scene.rigid_surface[s];
        assert_true(surface->is_solid);
        assert_int_equal(surface->mesh.nvertex, 6);
        assert_int_equal(surface->mesh.ntriangle, 4);
        for (icf_lid t = 0; t < 4; ++t) {
            assert_true(icf_triangle_mesh_area2(&surface->mesh, t).z > 0.0);
            for (int k = 0; k < 3; ++k) {
                // the plane z = 2 x + y / 2 - 1, up to the middle of the grid
                const icf_vec3 x = surface->mesh.vertex[surface->mesh.triangle[t][k]];
                assert_near(fabs(x.x), 0.25, 0.0);
                assert_near(x.z, 0.1 * ((x.x + 0.25) / 0.5 + 10.0 * (x.y + 2.0) / 2.0) - 1.0, 1e-15);
            }
        }
    }
    read_scene_free(read);
}

static void assert_heights_refused(size_t n, const char *bytes, const char *more, const char *part)
{
    char shape[128];
    const char *const shapes[] = {shape};
    write_bytes("bad", n, bytes);
    snprintf(shape, sizeof shape, "{type: height_field, heights: bad, spacing: 1%s}", more);
    read_scene *read = read_shapes(1, shapes);
    assert_true(read->status == ICF_ERROR_SCENE);
    if (!strstr(read->context.message, part)) fail_msg("'%s' is not in '%s'", part, read->context.message);
    read_scene_free(read);
}

static void wrong_heights_name_their_place(void **state)
{
    (void)state;
#define REFUSED(text, part) assert_heights_refused(sizeof text - 1, text, "", part)
    REFUSED("", "0 x 0 heights, expected 2 x 2 or more");
    REFUSED("1 2 3\n", "3 x 1 heights");
    REFUSED("1 2\n3\n", "line 2: a row of 1 heights, the first row has 2");
    REFUSED("1 2\n3 x\n", "line 2: 'x' where a number is expected");
    REFUSED("1 2\n3 nan\n", "line 2: a height is nan");
    REFUSED("1 2\n3 \0 4\n", "this is no height field of a known kind");
    REFUSED("P2\n2 2\n7\n1 2 3 8\n", "line 4: a pixel is 8, at most 7");
    REFUSED("P2\n2 2\n7\n1 2 3", "4 pixels cannot be in");
    REFUSED("P5\n2 2\n255\n123", "byte 14: the file ends inside its numbers");
    REFUSED("P5\n70000 70000\n255\n123", "70000 x 70000 heights make more than 33554432 triangles");
    REFUSED("P2\n4098 4097\n255\n1", "4098 x 4097 heights make more than");
    REFUSED("P2\n4097 4097\n255\n1", "16785409 pixels cannot be in");
    REFUSED("P5\n2 2\n70000\n1234", "the image's largest grey is 70000");
#undef REFUSED
    write_heights();
    assert_heights_refused(1, "x", ", dataset: a", "bad: is missing or no HDF5 file");
    const char *const shapes[] = {"{type: height_field, heights: h.h5, dataset: depth, spacing: 1}",
                                  "{type: height_field, heights: h.h5, dataset: wide, spacing: 1}"};
    read_scene *read = read_shapes(1, shapes);
    assert_non_null(strstr(read->context.message, "h.h5: there is no dataset depth"));
    read_scene_free(read);
    read = read_shapes(1, shapes + 1);
    assert_non_null(strstr(read->context.message, "h.h5: 67108864 x 2 heights make more than 33554432 triangles"));
    read_scene_free(read);
}

/* ---- written and read back ---- */

static void a_written_scene_has_the_same_surfaces(void **state)
{
    (void)state;
    write_text("a.obj", tetrahedron);
    write_heights();
    const char *const shapes[] = {
        "{type: mesh, mesh: {file: a.obj, scale: 0.3}}",
        "{type: height_field, heights: h.h5, dataset: height, spacing: [0.5, 2], scale: 0.1, offset: -1}"};
    read_scene *first = read_shapes(2, shapes);
    assert_good(first);
    for (int i = 0; i < 2; ++i) first->body[i].shape.surface = &first->scene.rigid_surface[i];
    FILE *file = fopen(path_of("again.yaml"), "w");
    icf_scene_write_begin(file, &first->scene);
    for (int i = 0; i < 2; ++i) icf_scene_write_body(file, &first->scene, &first->body[i]);
    assert_int_equal(icf_scene_write_end(&first->context, file, &first->scene, NULL, NULL), ICF_OK);
    fclose(file);
    read_scene *again = read_scene_file(path_of("again.yaml"), 0, NULL);
    assert_good(again);
    for (int i = 0; i < 2; ++i) {
        const icf_triangle_mesh *a = &first->scene.rigid_surface[i].mesh, *b = &again->scene.rigid_surface[i].mesh;
        assert_int_equal(a->nvertex, b->nvertex);
        assert_int_equal(a->ntriangle, b->ntriangle);
        assert_memory_equal(a->vertex, b->vertex, (size_t)a->nvertex * sizeof *a->vertex);
        assert_memory_equal(a->triangle, b->triangle, (size_t)a->ntriangle * sizeof *a->triangle);
    }
    read_scene_free(first);
    read_scene_free(again);
}

/* A message that ends anywhere before its end is an error, not a surface. */
static void cut_messages_are_refused(void **state)
{
    (void)state;
    write_heights();
    const char *const shapes[] = {
        "{type: height_field, heights: h.h5, dataset: height, spacing: [0.5, 2], scale: 0.1, offset: -1}"};
    read_scene *read = read_shapes(1, shapes);
    assert_good(read);
    icf_bytes bytes;
    icf_bytes_init(&bytes);
    assert_int_equal(icf_rigid_surface_write(&bytes, read->scene.rigid_surface), ICF_OK);
    for (size_t n = bytes.n + 1; n-- > 0;) {
        icf_rigid_surface surface;
        icf_bytes cut = {.data = bytes.data, .n = n, .capacity = bytes.capacity};
        const icf_status status = icf_rigid_surface_read(&read->context, &cut, &surface);
        assert_int_equal(status, n == bytes.n ? ICF_OK : ICF_ERROR_INTERNAL);
        icf_rigid_surface_clear(&surface);
    }
    icf_bytes_clear(&bytes);
    read_scene_free(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_one_surface_however_many_bodies_have_it),
        cmocka_unit_test(a_border_makes_a_sheet),
        cmocka_unit_test(wrong_meshes_name_their_triangle),
        cmocka_unit_test(what_a_surface_cannot_be_is_refused),
        cmocka_unit_test(every_kind_gives_the_same_heights),
        cmocka_unit_test(wrong_heights_name_their_place),
        cmocka_unit_test(a_written_scene_has_the_same_surfaces),
        cmocka_unit_test(cut_messages_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
