/* Files of tetrahedral meshes: every kind gives the same mesh; what is damaged is refused with its place. */
#include "tet_checks.h"

#include <stdio.h>
#include <unistd.h>

#include "io/mesh_file.h"
#include "mesh_samples.h"

static char file[64];

static int create_file(void **state)
{
    (void)state;
    strcpy(file, "/tmp/icf_mesh_XXXXXX");
    const int fd = mkstemp(file);
    return fd < 0 || close(fd) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

static void write_file(size_t n, const char *bytes)
{
    FILE *stream = fopen(file, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, n, stream), n);
    assert_int_equal(fclose(stream), 0);
}

static icf_status read_text(icf_context *context, const char *text, icf_tet_mesh *mesh)
{
    write_file(strlen(text), text);
    return icf_read_tet_mesh(context, file, 1.0, mesh);
}

static bool is_sample(const icf_tet_mesh *mesh, double scale)
{
    if (mesh->nvertex != sample_nvertex || mesh->ntet != sample_ntet) return false;
    for (int v = 0; v < sample_nvertex; ++v)
        for (int c = 0; c < 3; ++c)
            if (icf_get(mesh->vertex[v], c) != scale * sample_vertex[v][c]) return false;
    return memcmp(mesh->tet, sample_tet, sizeof sample_tet) == 0;
}

static void assert_group(const icf_tet_mesh *mesh, const char *name, int nvertex, const int *vertex, int ntriangle,
                         const int (*triangle)[3])
{
    const icf_lid g = icf_tet_mesh_find_group(mesh, name);
    assert_true(g >= 0);
    assert_int_equal(mesh->group[g].nvertex, nvertex);
    assert_indices(nvertex, mesh->group[g].vertex, vertex);
    assert_int_equal(mesh->group[g].ntriangle, ntriangle);
    for (int t = 0; t < ntriangle; ++t) assert_indices(3, mesh->group[g].triangle[t], triangle[t]);
}

static void every_kind_gives_the_same_mesh(void **state)
{
    for (int k = 0; k < sample_nkind; ++k) {
        icf_text text = make_sample(k);
        icf_tet_mesh mesh;
        icf_tet_mesh_init(&mesh);
        write_file(text.used, text.bytes);
        icf_context *context = *state;
        if (icf_read_tet_mesh(context, file, 3.0, &mesh) != ICF_OK) fail_msg("kind %d: %s", k, context->message);
        assert_true(is_sample(&mesh, 3.0));
        assert_int_equal(mesh.nreoriented, 0);
        assert_int_equal(mesh.ngroup, k < sample_ngmsh ? 4 : 0);
        if (k < sample_ngmsh) {
            assert_group(&mesh, "tip", 1, (const int[]){4}, 0, NULL);
            assert_group(&mesh, "edge", 2, (const int[]){0, 1}, 0, NULL);
            /* the file has them turned inward: 0 2 3 and 4 2 1 */
            assert_group(&mesh, "skin of it", 5, (const int[]){0, 1, 2, 3, 4}, 2,
                         (const int[][3]){{0, 3, 2}, {4, 1, 2}});
            assert_group(&mesh, "lower", 4, (const int[]){0, 1, 2, 3}, 0, NULL);
        }
        icf_tet_mesh_clear(&mesh);
        icf_text_clear(&text);
    }
}

/* Cut anywhere, a file is refused with a text that names it, or what was cut did not matter. */
static void cut_files_are_refused(void **state)
{
    icf_context *context = *state;
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    for (int k = 0; k < sample_nkind; ++k) {
        icf_text text = make_sample(k);
        size_t accepted = 0;
        for (size_t n = 0; n < text.used; ++n) {
            write_file(n, text.bytes);
            const icf_status status = icf_read_tet_mesh(context, file, 1.0, &mesh);
            if (status == ICF_OK) {
                assert_true(is_sample(&mesh, 1.0));
                ++accepted;
                continue;
            }
            assert_failed(context, status, ICF_ERROR_SCENE, file);
            assert_int_equal(mesh.nvertex, 0);
        }
        /* the last line end; data of cells in VTK; the end tags behind appended data */
        const size_t unread = k < sample_ngmsh ? 1 : k < 8 ? 51 : 40;
        if (accepted > unread) fail_msg("kind %d: %zu cut files were taken", k, accepted);
        icf_text_clear(&text);
    }
    icf_tet_mesh_clear(&mesh);
}

/* A damaged byte gives a failure that names the file, or a mesh that passed all checks. */
static void damaged_files_end_well(void **state)
{
    icf_context *context = *state;
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    for (int k = 0; k < sample_nkind; ++k) {
        icf_text text = make_sample(k);
        size_t refused = 0;
        for (size_t i = 0; i < text.used; ++i) {
            /* one bit, another one for the next byte, or all of them */
            const size_t bit = (i + (size_t)k) % 9;
            const char good = text.bytes[i];
            text.bytes[i] = (char)(good ^ (bit < 8 ? 1 << bit : 255));
            write_file(text.used, text.bytes);
            const icf_status status = icf_read_tet_mesh(context, file, 1.0, &mesh);
            text.bytes[i] = good;
            if (status == ICF_OK) continue;
            ++refused;
            assert_failed(context, status, ICF_ERROR_SCENE, file);
        }
        assert_true(refused > text.used / 4);
        icf_text_clear(&text);
    }
    icf_tet_mesh_clear(&mesh);
}

/* Replaces the first occurrence of a text of the same length and reads. */
static void assert_edit_refused(icf_context *context, int kind, const char *from, const char *to, const char *part)
{
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    icf_text text = make_sample(kind);
    char *at = memmem(text.bytes, text.used, from, strlen(from));
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    write_file(text.used, text.bytes);
    assert_failed(context, icf_read_tet_mesh(context, file, 1.0, &mesh), ICF_ERROR_SCENE, part);
    icf_text_clear(&text);
}

static void messages_say_what_and_where(void **state)
{
    assert_edit_refused(*state, 0, "2.2 0 8", "4.0 0 8", "line 2: version 4 of Gmsh's format is not read");
    assert_edit_refused(*state, 0, "$Nodes\n5", "$Nodes\n9", "line 21: '$EndNodes' where a whole number is expected");
    assert_edit_refused(*state, 0, "\n3 1 0 0", "\n7 1 0 0", "two nodes have the number 7");
    assert_edit_refused(*state, 0, " 100 4 \n", " 101 4 \n", "an element has node 101, which is not there");
    assert_edit_refused(*state, 0, "$Elements", "$Elemento", "$EndElemento is missing");
    assert_edit_refused(*state, 2, "$Entities", "$Partitio", "$EndPartitio is missing");
    assert_edit_refused(*state, 3, "8\n\x01", "8\n\x02", "the mark of the byte order is damaged");
    assert_edit_refused(*state, 4, "ASCII", "ASCIZ", "line 3: 'ASCIZ' where ASCII or BINARY is expected");
    assert_edit_refused(*state, 4, "CELL_TYPES 3", "CELL_TYPES 2", "2 types of 3 cells");
    assert_edit_refused(*state, 4, "\n10\n", "\n24\n", "cell 0 (counting from 0) is a tetrahedron of higher order");
    assert_edit_refused(*state, 4, "UNSTRUCTURED_GRID", "STRUCTURED_POINTS", "not UNSTRUCTURED_GRID");
    assert_edit_refused(*state, 4, "POINTS 5 d", "POINTS 4 d", "is not known here");
    assert_edit_refused(*state, 8, "type=\"Unst", "type=\"Poly", "line 2: the file is of type Polyructured");
    assert_edit_refused(*state, 8, "</Points>", "</Pointz>", "XML: mismatched tag");
    assert_edit_refused(*state, 8, "Name=\"offsets", "Name=\"offzets", "the array offsets is missing");
    assert_edit_refused(*state, 8, "Float64", "Float99", "the type 'Float99' of numbers is not known");
    assert_edit_refused(*state, 11, "vtkZLibDa", "vtkLZ4xDa", "compressed with vtkLZ4xDataCompressor: only zlib");
}

/* A mark of the byte order 00 00 00 01. */
static void the_other_byte_order_is_refused(void **state)
{
    for (int k = 1; k < sample_ngmsh; k += 2) {
        icf_tet_mesh mesh;
        icf_tet_mesh_init(&mesh);
        icf_text text = make_sample(k);
        char *mark = memmem(text.bytes, text.used, " 1 8\n", 5);
        memcpy(mark + 5, (const char[]){0, 0, 0, 1}, 4);
        write_file(text.used, text.bytes);
        assert_failed(*state, icf_read_tet_mesh(*state, file, 1.0, &mesh), ICF_ERROR_SCENE,
                      "byte order of another machine");
        icf_text_clear(&text);
    }
}

static void meshes_that_are_none_are_refused(void **state)
{
    static const char quadratic[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n"
                                    "$Elements\n1\n1 11 0 1 1 1 1 1 1 1 1 1 1\n$EndElements\n";
    static const char triangles[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"
                                    "$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n";
    static const char huge[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2000000000 1 2000000000\n"
                               "3 1 0 2000000000\n1\n";
    static const char cut_up[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PartitionedEntities\n";
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    assert_failed(*state, read_text(*state, "", &mesh), ICF_ERROR_SCENE, "no mesh file of a known kind");
    assert_failed(*state, read_text(*state, "solid stl", &mesh), ICF_ERROR_SCENE, "no mesh file of a known kind");
    assert_failed(*state, read_text(*state, quadratic, &mesh), ICF_ERROR_SCENE,
                  "line 10: tetrahedra of higher order (10 nodes) are not read");
    assert_failed(*state, read_text(*state, triangles, &mesh), ICF_ERROR_SCENE, "a mesh of triangles only");
    assert_failed(*state, read_text(*state, huge, &mesh), ICF_ERROR_SCENE, "line 6: 2000000000 nodes cannot be in");
    assert_failed(*state, read_text(*state, cut_up, &mesh), ICF_ERROR_SCENE, "cut for several processes");
    assert_failed(*state, icf_read_tet_mesh(*state, "/tmp/icf_no_such_mesh", 1.0, &mesh), ICF_ERROR_FILE,
                  "/tmp/icf_no_such_mesh: No such file");
    assert_failed(*state, icf_read_tet_mesh(*state, "/tmp", 1.0, &mesh), ICF_ERROR_FILE, "/tmp: Is a directory");
    assert_failed(*state, icf_read_tet_mesh(*state, file, -1.0, &mesh), ICF_ERROR_SCENE, "scale is -1");
    icf_tet_mesh_clear(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tet_test(every_kind_gives_the_same_mesh),  tet_test(cut_files_are_refused),
        tet_test(damaged_files_end_well),          tet_test(messages_say_what_and_where),
        tet_test(the_other_byte_order_is_refused), tet_test(meshes_that_are_none_are_refused),
    };
    MPI_Init(NULL, NULL);
    const int failed = cmocka_run_group_tests(tests, create_file, remove_file);
    MPI_Finalize();
    return failed;
}
