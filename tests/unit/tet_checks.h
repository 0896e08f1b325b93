/* What tests of tetrahedral meshes share: a context a test, meshes by hand, measures taken without the library. */
#ifndef ICF_TESTS_TET_CHECKS_H
#define ICF_TESTS_TET_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check.h"
#include "scene/tet_generate.h"
#include "scene/tet_quality.h"
#include "scene/tet_surface.h"

/* cmocka set-up and tear-down: *state is a context. */
static inline int open_context(void **state)
{
    static icf_context context;
    *state = &context;
    return icf_context_init(&context, MPI_COMM_WORLD, 1) == ICF_OK ? 0 : -1;
}

static inline int close_context(void **state)
{
    icf_context_clear(*state);
    return 0;
}

#define tet_test(function) cmocka_unit_test_setup_teardown(function, open_context, close_context)

static inline int run_tet_tests(const char *name, const struct CMUnitTest *tests, size_t n)
{
    MPI_Init(NULL, NULL);
    const int failed = _cmocka_run_group_tests(name, tests, n, NULL, NULL);
    MPI_Finalize();
    return failed;
}

static inline void fill_mesh(icf_tet_mesh *mesh, int nvertex, const double (*vertex)[3], int ntet, const int (*tet)[4])
{
    icf_tet_mesh_init(mesh);
    for (int v = 0; v < nvertex; ++v)
        assert_int_equal(icf_tet_mesh_add_vertex(mesh, icf_vec3_make(vertex[v][0], vertex[v][1], vertex[v][2])),
                         ICF_OK);
    for (int t = 0; t < ntet; ++t)
        assert_int_equal(icf_tet_mesh_add_tet(mesh, tet[t][0], tet[t][1], tet[t][2], tet[t][3]), ICF_OK);
}

/* The first failure is of a kind and its text has a part; it is forgotten. */
static inline void assert_failed(icf_context *context, icf_status status, icf_status expected, const char *part)
{
    assert_int_equal(status, expected);
    if (!strstr(context->message, part)) fail_msg("'%s' is not in '%s'", part, context->message);
    icf_clear_failure(context);
}

static inline void assert_indices(int n, const icf_lid *index, const int *expected)
{
    for (int i = 0; i < n; ++i) assert_int_equal(index[i], expected[i]);
}

#endif
