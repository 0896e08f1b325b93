/* A mesh from one rank is the same on all: vertices, tetrahedra, groups with names; larger and smaller than before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "mpi/ranks.h"
#include "partition/mesh_message.h"
#include "scene/tet_generate.h"

static void assert_same(const icf_tet_mesh *mesh, const icf_tet_mesh *expected)
{
    assert_int_equal(mesh->nvertex, expected->nvertex);
    assert_int_equal(mesh->ntet, expected->ntet);
    assert_int_equal(mesh->ngroup, expected->ngroup);
    assert_int_equal(mesh->nreoriented, expected->nreoriented);
    assert_memory_equal(mesh->vertex, expected->vertex, (size_t)mesh->nvertex * sizeof *mesh->vertex);
    assert_memory_equal(mesh->tet, expected->tet, (size_t)mesh->ntet * sizeof *mesh->tet);
    for (icf_lid g = 0; g < mesh->ngroup; ++g) {
        const icf_mesh_group *a = &mesh->group[g], *b = &expected->group[g];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->nvertex, b->nvertex);
        assert_int_equal(a->ntriangle, b->ntriangle);
        assert_memory_equal(a->vertex, b->vertex, (size_t)a->nvertex * sizeof *a->vertex);
        if (a->ntriangle > 0) assert_memory_equal(a->triangle, b->triangle, (size_t)a->ntriangle * sizeof *a->triangle);
    }
}

static void all_ranks_get_the_root_s_mesh(void **state)
{
    icf_context *context = *state;
    const int root = context->size - 1;
    icf_tet_mesh mesh, expected;
    icf_tet_mesh_init(&mesh);
    icf_tet_mesh_init(&expected);
    for (int n = 3; n >= 1; --n) {
        icf_lid tip;
        assert_int_equal(icf_tet_mesh_tube(context, &expected, 0.1, 0.2, 0.3, n), ICF_OK);
        expected.nreoriented = n;
        assert_int_equal(icf_tet_mesh_add_group(&expected, "tip", &tip), ICF_OK); /* without triangles */
        assert_int_equal(icf_mesh_group_add_vertex(&expected.group[tip], 5), ICF_OK);
        if (context->rank == root)
            assert_int_equal(icf_tet_mesh_copy(&mesh, &expected), ICF_OK);
        else
            assert_int_equal(icf_tet_mesh_sphere(context, &mesh, 1.0, 2), ICF_OK);
        assert_int_equal(icf_tet_mesh_broadcast(context, &mesh, root), ICF_OK);
        assert_same(&mesh, &expected);
    }
    icf_tet_mesh_clear(&mesh);
    icf_tet_mesh_clear(&expected);
}

static void an_empty_mesh_empties(void **state)
{
    icf_context *context = *state;
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    if (context->rank != 0) assert_int_equal(icf_tet_mesh_sphere(context, &mesh, 1.0, 1), ICF_OK);
    assert_int_equal(icf_tet_mesh_broadcast(context, &mesh, 0), ICF_OK);
    assert_int_equal(mesh.nvertex, 0);
    assert_int_equal(mesh.ngroup, 0);
    icf_tet_mesh_clear(&mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {mpi_test(all_ranks_get_the_root_s_mesh), mpi_test(an_empty_mesh_empties)};
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
