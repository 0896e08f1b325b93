/* Files of triangle meshes: OBJ and STL give the same mesh; what is damaged is refused with its place. */
#include "triangle_samples.h"

#include <stdio.h>
#include <unistd.h>

#include "io/mesh_file.h"
#include "io/text.h"

static char file[64];

static int create_file(void **state)
{
    (void)state;
    strcpy(file, "/tmp/icf_triangles_XXXXXX");
    const int fd = mkstemp(file);
    return fd < 0 || close(fd) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

static icf_status read_bytes(icf_context *context, size_t n, const char *bytes, double scale, icf_triangle_mesh *mesh)
{
    FILE *stream = fopen(file, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, n, stream), n);
    assert_int_equal(fclose(stream), 0);
    return icf_read_triangle_mesh(context, file, scale, mesh);
}

static icf_status read_text(icf_context *context, const char *text, icf_triangle_mesh *mesh)
{
    return read_bytes(context, strlen(text), text, 1.0, mesh);
}

/* ---- the box as files ---- */

enum { obj, obj_backwards, stl_text, stl_binary, nkind };

static icf_vec3 box_corner(int v)
{
    return icf_vec3_make(v & 4 ? 1.5 : -1.5, v & 2 ? 1.0 : -1.0, v & 1 ? 0.25 : -0.25);
}

static void put_obj(icf_text *text, bool backwards)
{
    icf_text_put(text, "# a box\nmtllib box.mtl\no box\n");
    for (int v = 0; v < 8; ++v) {
        const icf_vec3 x = box_corner(v);
        icf_text_print(text, "v %g %g %g\nvt 0 0\nvn 0 0 1\n", x.x, x.y, x.z);
    }
    icf_text_put(text, "usemtl red\ns off\n");
    for (int t = 0; t < 12; ++t) {
        icf_text_put(text, "g a\nf");
        for (int k = 0; k < 3; ++k) {
            static const char *const forms[] = {" %d/1/1", " %d//2", " %d/3", " %d"};
            const int v = box_triangle[t][k];
            icf_text_print(text, forms[t % 4], backwards ? v - 8 : v + 1); /* NOLINT: one of four literals */
        }
        icf_text_put(text, t == 5 ? " # half\r\n" : "\n");
    }
}

static void put_stl(icf_text *text)
{
    icf_text_put(text, "solid box of two parts\n");
    for (int t = 0; t < 12; ++t) {
        icf_text_put(text, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; ++k) {
            const icf_vec3 x = box_corner(box_triangle[t][k]);
            icf_text_print(text, "      vertex %e %E %g\n", x.x, x.y, x.z);
        }
        icf_text_put(text, "    endloop\n  endfacet\n");
        if (t == 5) icf_text_put(text, "endsolid box of two parts\nsolid\n");
    }
    icf_text_put(text, "endsolid\n");
}

static void put_float(icf_text *text, double x)
{
    const float value = (float)x;
    icf_text_append(text, (const char *)&value, sizeof value);
}

static void put_binary_stl(icf_text *text)
{
    char header[80] = "solid that is binary all the same";
    const uint32_t count = 12;
    icf_text_append(text, header, sizeof header);
    icf_text_append(text, (const char *)&count, sizeof count);
    for (int t = 0; t < 12; ++t) {
        for (int k = 0; k < 3; ++k) put_float(text, NAN); // the normal does not count
        for (int k = 0; k < 3; ++k) {
            const icf_vec3 x = box_corner(box_triangle[t][k]);
            put_float(text, x.x);
            put_float(text, x.y);
            put_float(text, x.z);
        }
        icf_text_append(text, "\0\1", 2);
    }
}

static icf_text make_box(int kind)
{
    icf_text text = {0};
    if (kind == obj || kind == obj_backwards) put_obj(&text, kind == obj_backwards);
    if (kind == stl_text) put_stl(&text);
    if (kind == stl_binary) put_binary_stl(&text);
    assert_false(text.out_of_memory);
    return text;
}

static bool is_box(const icf_triangle_mesh *mesh, double scale)
{
    if (mesh->nvertex != 8 || mesh->ntriangle != 12) return false;
    for (int t = 0; t < 12; ++t)
        for (int k = 0; k < 3; ++k) {
            const icf_vec3 x = mesh->vertex[mesh->triangle[t][k]], y = box_corner(box_triangle[t][k]);
            if (x.x != scale * y.x || x.y != scale * y.y || x.z != scale * y.z) return false;
        }
    return true;
}

static void every_kind_gives_the_same_mesh(void **state)
{
    icf_context *context = *state;
    icf_triangle_mesh mesh;
    icf_triangle_mesh_init(&mesh);
    for (int kind = 0; kind < nkind; ++kind) {
        icf_text text = make_box(kind);
        if (read_bytes(context, text.used, text.bytes, 3.0, &mesh) != ICF_OK)
            fail_msg("kind %d: %s", kind, context->message);
        if (!is_box(&mesh, 3.0)) fail_msg("kind %d", kind);
        icf_triangle_defects defects;
        assert_int_equal(icf_triangle_mesh_survey(&mesh, &defects), ICF_OK);
        assert_near(defects.volume, 27.0 * 3.0, 1e-12);
        icf_text_clear(&text);
    }
    icf_triangle_mesh_clear(&mesh);
}

/* Cut anywhere, a file is refused with a text that names it; an OBJ file that is cut between two faces is a mesh. */
static void cut_files_are_refused(void **state)
{
    icf_context *context = *state;
    icf_triangle_mesh mesh;
    icf_triangle_mesh_init(&mesh);
    for (int kind = 0; kind < nkind; ++kind) {
        icf_text text = make_box(kind);
        for (size_t n = 0; n < text.used; ++n) {
            const icf_status status = read_bytes(context, n, text.bytes, 1.0, &mesh);
            if (status != ICF_OK) {
                assert_failed(context, status, ICF_ERROR_SCENE, file);
                assert_int_equal(mesh.nvertex, 0);
            } else if (kind >= stl_text) {
                // only the line end may be missing, or the second solid
                if (n != text.used - 1 && mesh.ntriangle != 6) fail_msg("kind %d cut at %zu is taken", kind, n);
            }
        }
        icf_text_clear(&text);
    }
    icf_triangle_mesh_clear(&mesh);
}

/* A damaged byte gives a failure that names the file, or a mesh that passed the checks. */
static void damaged_files_end_well(void **state)
{
    icf_context *context = *state;
    icf_triangle_mesh mesh;
    icf_triangle_mesh_init(&mesh);
    for (int kind = 0; kind < nkind; ++kind) {
        icf_text text = make_box(kind);
        for (size_t i = 0; i < text.used; ++i) {
            const size_t bit = (i + (size_t)kind) % 9;
            const char good = text.bytes[i];
            text.bytes[i] = (char)(good ^ (bit < 8 ? 1 << bit : 255));
            const icf_status status = read_bytes(context, text.used, text.bytes, 1.0, &mesh);
            text.bytes[i] = good;
            if (status != ICF_OK) assert_failed(context, status, ICF_ERROR_SCENE, file);
        }
        icf_text_clear(&text);
    }
    icf_triangle_mesh_clear(&mesh);
}

/* Sum of the areas of the triangles, and that none of them is turned against z. */
static double area_along_z(const icf_triangle_mesh *mesh)
{
    double sum = 0.0;
    for (icf_lid t = 0; t < mesh->ntriangle; ++t) {
        const icf_vec3 area2 = icf_triangle_mesh_area2(mesh, t);
        assert_true(area2.z >= 0.0);
        sum += 0.5 * area2.z;
    }
    return sum;
}

static void faces_of_many_corners_are_cut(void **state)
{
    icf_triangle_mesh mesh;
    icf_triangle_mesh_init(&mesh);
    // a square: fan from its first corner
    assert_int_equal(read_text(*state, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 \\\n 3 4\n", &mesh), ICF_OK);
    assert_int_equal(mesh.ntriangle, 2);
    assert_indices(3, mesh.triangle[0], (const int[]){0, 1, 2});
    assert_indices(3, mesh.triangle[1], (const int[]){0, 2, 3});
    // an arrow head, whose corner at the origin points inward: area 1
    assert_int_equal(read_text(*state, "v 0 0 0\nv -1 1 0\nv 0 -1 0\nv 1 1 0\nf 1 2 3 4\n", &mesh), ICF_OK);
    assert_int_equal(mesh.ntriangle, 2);
    assert_near(area_along_z(&mesh), 1.0, 1e-15);
    // a comb with three teeth, from every corner on: area 10
    static const double comb[][2] = {{0, 0}, {5, 0}, {5, 3}, {4, 3}, {4, 1}, {3, 1},
                                     {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    for (int first = 0; first < 12; ++first) {
        icf_text text = {0};
        for (int v = 0; v < 12; ++v) icf_text_print(&text, "v %g %g 0\n", comb[v][0], comb[v][1]);
        icf_text_put(&text, "f");
        for (int v = 0; v < 12; ++v) icf_text_print(&text, " %d", (first + v) % 12 + 1);
        icf_text_put(&text, "\n");
        assert_int_equal(read_bytes(*state, text.used, text.bytes, 1.0, &mesh), ICF_OK);
        assert_int_equal(mesh.ntriangle, 10);
        assert_near(area_along_z(&mesh), 10.0, 1e-14);
        icf_text_clear(&text);
    }
    icf_triangle_mesh_clear(&mesh);
}

static void assert_refused(icf_context *context, const char *text, const char *part)
{
    icf_triangle_mesh mesh;
    icf_triangle_mesh_init(&mesh);
    assert_failed(context, read_text(context, text, &mesh), ICF_ERROR_SCENE, part);
}

static void messages_say_what_and_where(void **state)
{
    assert_refused(*state, "", ": the file is empty");
    assert_refused(*state, "# a comment\n", "the mesh has no triangles");
    assert_refused(*state, "name: scene\n", "this is no surface of a known kind (OBJ, STL)");
    assert_refused(*state, "v 0 0 0\n", "the mesh has no triangles");
    assert_refused(*state, "v 0 0 0\nv 1 0\n", "line 2: a vertex has 2 coordinates, expected 3");
    assert_refused(*state, "v 0 0 0\nv 1 x 0\n", "line 2: 'x' where a number is expected");
    assert_refused(*state, "v 0 0 0\n\nv 1 nan 0\n", "line 3: a vertex is at (1, nan, 0)");
    assert_refused(*state, "v 0 0 1e999\n", "line 1: a vertex is at (0, 0, inf)");
    assert_refused(*state, "v 0 0 0\nv 1 0 0\nf 1 2 3\n", "line 3: a face has vertex 3; 2 vertices stand before it");
    assert_refused(*state, "v 0 0 0\nv 1 0 0\nf -1 -2 -3\n", "line 3: a face has vertex -3; 2 vertices stand before");
    assert_refused(*state, "v 0 0 0\nf 0 1 1\n", "line 2: a face has vertex 0; they count from 1");
    assert_refused(*state, "v 0 0 0\nf 1 1 \\", "line 2: the file ends inside a face");
    assert_refused(*state, "v 0 0 0\nf 1/x 1 1\n", "line 2: '1/x' where a corner of a face is expected");
    assert_refused(*state, "v 0 0 0\nf 1 1\n", "line 2: a face has 2 corners, expected 3 or more");
    assert_refused(*state, "v 0 0 0\nf 1 a 1\n", "line 2: 'a' where a corner of a face is expected");
    assert_refused(*state, "v 0 0 0\ncurv 1 2 3\n", "line 2: 'curv' is no word of a polygon mesh in OBJ");
    assert_refused(*state, "solid a\nendsolid a\n", "the mesh has no triangles");
    assert_refused(*state, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
                   "line 6: 'endloop' where 'vertex' is expected");
    assert_refused(*state, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n",
                   "line 4: a corner of facet 0 (counting from 0) is at (0, 0, inf)");
    assert_refused(*state, "solid a\nfacet normal 0 0 1\nouter loop\n", "the file ends where 'vertex' is expected");
    icf_triangle_mesh mesh;
    icf_triangle_mesh_init(&mesh);
    assert_failed(*state, icf_read_triangle_mesh(*state, "/tmp/icf_no_such_mesh", 1.0, &mesh), ICF_ERROR_FILE,
                  "/tmp/icf_no_such_mesh: No such file");
    assert_failed(*state, icf_read_triangle_mesh(*state, file, 0.0, &mesh), ICF_ERROR_SCENE, "scale is 0");
}

static void binary_messages_name_the_byte(void **state)
{
    icf_triangle_mesh mesh;
    icf_triangle_mesh_init(&mesh);
    icf_text text = make_box(stl_binary);
    assert_failed(*state, read_bytes(*state, text.used - 1, text.bytes, 1.0, &mesh), ICF_ERROR_SCENE,
                  "byte 84: 12 facets cannot be in the 599 bytes that follow");
    const uint32_t huge = 4000000000u;
    memcpy(text.bytes + 80, &huge, sizeof huge);
    assert_failed(*state, read_bytes(*state, text.used, text.bytes, 1.0, &mesh), ICF_ERROR_SCENE,
                  "byte 84: 4000000000 facets cannot be in the 600 bytes that follow");
    memcpy(text.bytes + 80, (const uint32_t[]){12}, 4);
    memcpy(text.bytes + 84 + 50 + 12 + 4, (const float[]){NAN}, 4);
    assert_failed(*state, read_bytes(*state, text.used, text.bytes, 1.0, &mesh), ICF_ERROR_SCENE,
                  "byte 158: a corner of facet 1 (counting from 0) is at (");
    // lengths that are too large, and a scale beyond all numbers
    memcpy(text.bytes + 84 + 50 + 12 + 4, (const float[]){1e30f}, 4);
    assert_failed(*state, read_bytes(*state, text.used, text.bytes, 1.0, &mesh), ICF_ERROR_SCENE,
                  "a corner of triangle 1 (counting from 0) is at (");
    memcpy(text.bytes + 84 + 12 + 4, (const float[]){1e30f}, 4);
    assert_failed(*state, read_bytes(*state, text.used, text.bytes, 1e300, &mesh), ICF_ERROR_SCENE,
                  "a corner of triangle 0 (counting from 0) is at (");
    icf_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tet_test(every_kind_gives_the_same_mesh), tet_test(cut_files_are_refused),
        tet_test(damaged_files_end_well),         tet_test(faces_of_many_corners_are_cut),
        tet_test(messages_say_what_and_where),    tet_test(binary_messages_name_the_byte),
    };
    MPI_Init(NULL, NULL);
    const int failed = cmocka_run_group_tests(tests, create_file, remove_file);
    MPI_Finalize();
    return failed;
}
