/* A mesh whose work ranks share, against the whole mesh on one rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "ranks.h"
#include "scene/tet_generate.h"
#include "solver/linear_solver.h"
#include "step/mesh_cut.h"
#include "step/split_mesh.h"

/* A bar of 8 x 4 x 4 cells, its elements here, and those of the whole. */
typedef struct fixture {
    icf_context *context;
    icf_context alone;
    icf_deformable bar;
    icf_split_mesh *split;
    icf_fem *part, *whole;
    icf_vec3 *x;
} fixture;

static const icf_fem_weights weights = {.mass = 1.0, .stiffness = 1e-4, .geometric = 1e-4};

static void make_bar(icf_context *context, icf_deformable *bar)
{
    const icf_lid divisions[3] = {8, 4, 4};
    icf_deformable_init(bar);
    assert_int_equal(icf_tet_mesh_box(context, &bar->mesh, icf_vec3_make(0.8, 0.4, 0.4), divisions), ICF_OK);
    assert_int_equal(icf_deformable_reserve(bar), ICF_OK);
    bar->elastic.youngs_modulus = 1e5;
    bar->elastic.poissons_ratio = 0.3;
    bar->elastic.density = 1000.0;
    assert_int_equal(icf_deformable_finish(bar), ICF_OK);
}

static void set_up(fixture *f, icf_context *context)
{
    *f = (fixture){.context = context};
    make_bar(context, &f->bar);
    assert_int_equal(icf_context_init(&f->alone, MPI_COMM_SELF, 1), ICF_OK);
    assert_int_equal(icf_fem_create(&f->alone, &f->bar.mesh, &f->bar.elastic, &f->whole), ICF_OK);
    assert_int_equal(icf_split_mesh_create(context, &f->bar, &f->split), ICF_OK);
    const icf_status status = icf_fem_create(context, &f->split->mesh, &f->bar.elastic, &f->part);
    const icf_fem_pattern pattern = icf_fem_get_pattern(f->part);
    assert_int_equal(icf_split_mesh_join(f->split, &pattern, status), ICF_OK);
    f->x = icf_alloc((size_t)f->bar.mesh.nvertex * sizeof *f->x);
    for (icf_lid i = 0; i < f->bar.mesh.nvertex; ++i)
        f->x[i] = icf_mul_add(f->bar.mesh.vertex[i], 0.02, random_point(1, i));
    icf_fem_set_state(f->whole, f->x);
    icf_fem_set_state(f->part, f->x);
}

static void tear_down(fixture *f)
{
    icf_free(f->x);
    icf_fem_destroy(&f->part);
    icf_fem_destroy(&f->whole);
    icf_split_mesh_destroy(&f->split);
    icf_context_clear(&f->alone);
    icf_deformable_clear(&f->bar);
}

static double *matrix_of(const icf_fem *fem)
{
    double *val = icf_alloc(icf_fem_matrix_size(fem) * sizeof *val);
    memset(val, 0, icf_fem_matrix_size(fem) * sizeof *val);
    icf_fem_matrix_add(fem, NULL, weights, val);
    return val;
}

/* Every vertex and tetrahedron belongs to one rank, in even shares. */
static void ranks_share_the_mesh(void **state)
{
    fixture f;
    set_up(&f, *state);
    const icf_split_mesh *split = f.split;
    const icf_lid n = f.bar.mesh.nvertex;
    const int size = f.context->size;
    icf_lid own = 0, counted = 0;
    for (icf_lid i = 0; i < n; ++i) own += icf_split_mesh_owns(split, i);
    for (icf_lid t = 0; t < split->mesh.ntet; ++t) counted += split->counted[t];
    assert_int_equal(own, split->nown);
    assert_int_equal(sum_counts(f.context, own), n);
    assert_int_equal(sum_counts(f.context, counted), f.bar.mesh.ntet);
    assert_in_range(own, (icf_lid)(0.8 * n / size), (icf_lid)(1.25 * n / size));
    assert_true(size == 1 || (split->nrim > 0 && split->nrim < n - own));
    assert_true(size == 1 || split->mesh.ntet < f.bar.mesh.ntet);
    tear_down(&f);
}

/* Forces and blocks of A at own vertices have the bits of the whole. */
static void own_rows_have_the_bits_of_the_whole(void **state)
{
    fixture f;
    set_up(&f, *state);
    const icf_split_mesh *split = f.split;
    const size_t n = (size_t)f.bar.mesh.nvertex;
    icf_vec3 *all = icf_alloc(n * sizeof *all), *mine = icf_alloc(n * sizeof *mine);
    icf_fem_force(f.whole, f.x, all);
    icf_fem_force(f.part, f.x, mine);
    double *whole = matrix_of(f.whole), *part = matrix_of(f.part);
    double *diag = icf_alloc(((size_t)split->nown + 1) * 9 * sizeof *diag);
    double *off = icf_alloc(((size_t)split->ptr[split->nown] + 1) * 9 * sizeof *off);
    icf_split_mesh_extract(split, part, diag, off);
    const icf_fem_pattern pattern = icf_fem_get_pattern(f.whole);
    for (icf_lid k = 0; k < split->nown; ++k) {
        const icf_lid i = split->vertex[k];
        assert_memory_equal(&all[i], &mine[i], sizeof *all);
        assert_memory_equal(diag + 9 * k, whole + 9 * i, 9 * sizeof *diag);
        for (icf_lid e = split->ptr[k]; e < split->ptr[k + 1]; ++e) {
            const icf_lid j = split->vertex[split->idx[e]], low = ICF_MIN(i, j);
            icf_lid at = pattern.ptr[low];
            while (pattern.idx[at] != ICF_MAX(i, j)) assert_true(++at < pattern.ptr[low + 1]);
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    assert_true(off[9 * e + r + 3 * c] ==
                                whole[9 * (n + (size_t)at) + (size_t)(j > i ? r + 3 * c : c + 3 * r)]);
        }
    }
    void *const arrays[] = {all, mine, whole, part, diag, off};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) icf_free(arrays[k]);
    tear_down(&f);
}

/* A y = A x gives x again, A x from the whole; also at the rim. */
static void ranks_solve_together(void **state)
{
    fixture f;
    set_up(&f, *state);
    const size_t n = (size_t)f.bar.mesh.nvertex;
    icf_vec3 *right = icf_alloc(n * sizeof *right), *y = icf_alloc(n * sizeof *y);
    double *whole = matrix_of(f.whole), *part = matrix_of(f.part);
    for (size_t i = 0; i < n; ++i) right[i] = random_point(2, (int64_t)i);
    icf_fem_matrix_product(f.whole, whole, right, y);
    for (size_t i = 0; i < n; ++i)
        if (!icf_split_mesh_owns(f.split, (icf_lid)i)) y[i] = icf_vec3_make(NAN, NAN, NAN);
    assert_int_equal(icf_split_mesh_solve(f.split, part, 1e-13, y), ICF_OK);
    for (icf_lid k = 0; k < f.split->nown + f.split->nrim; ++k) {
        const icf_lid i = f.split->vertex[k];
        assert_true(icf_norm(icf_sub(y[i], right[i])) < 1e-11);
    }
    icf_split_mesh_share(f.split, &y[0].x, 3);
    for (size_t i = 0; i < n; ++i) assert_true(icf_norm(icf_sub(y[i], right[i])) < 1e-11);
    void *const arrays[] = {right, y, whole, part};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) icf_free(arrays[k]);
    tear_down(&f);
}

/* Operations of a factor of the whole matrix on one rank. */
static double whole_flops(fixture *f, double *val)
{
    const icf_fem_pattern pattern = icf_fem_get_pattern(f->whole);
    const size_t n = (size_t)pattern.nvertex, noff = (size_t)pattern.ptr[n];
    int32_t *dof = icf_alloc((n + 1) * sizeof *dof);
    int64_t *at = icf_alloc((n + noff) * sizeof *at);
    for (size_t i = 0; i <= n; ++i) dof[i] = (int32_t)(3 * i);
    for (size_t i = 0; i < n + noff; ++i) at[i] = (int64_t)(9 * i);
    const icf_block_matrix matrix = {.nblock = pattern.nvertex,
                                     .dof = dof,
                                     .ptr = pattern.ptr,
                                     .idx = pattern.idx,
                                     .diag_at = at,
                                     .off_at = at + n,
                                     .val = val,
                                     .nval = (int64_t)icf_fem_matrix_size(f->whole)};
    icf_linear_solver *solver;
    assert_int_equal(icf_linear_solver_create(ICF_LINEAR_BLOCK, &f->alone, &solver), ICF_OK);
    assert_int_equal(icf_linear_solver_analyze(solver, &matrix), ICF_OK);
    const double flops = icf_linear_solver_flops(solver);
    icf_linear_solver_destroy(&solver);
    icf_free(dof);
    icf_free(at);
    return flops;
}

/* The same by conjugate gradients; A's values and what its factor takes are counted as on one rank. */
static void ranks_iterate_together(void **state)
{
    fixture f;
    set_up(&f, *state);
    const size_t n = (size_t)f.bar.mesh.nvertex;
    icf_vec3 *right = icf_alloc(n * sizeof *right), *b = icf_alloc(n * sizeof *b), *y = icf_alloc(n * sizeof *y);
    double *whole = matrix_of(f.whole), *part = matrix_of(f.part), flops;
    icf_cnt taken;
    for (size_t i = 0; i < n; ++i) right[i] = random_point(2, (int64_t)i);
    icf_fem_matrix_product(f.whole, whole, right, b);
    for (size_t i = 0; i < n; ++i)
        if (!icf_split_mesh_owns(f.split, (icf_lid)i)) b[i] = icf_vec3_make(NAN, NAN, NAN);
    assert_int_equal(icf_split_mesh_precondition(f.split, part), ICF_OK);
    assert_int_equal(icf_split_mesh_conjugate(f.split, 1e-2, 1, b, y, &taken), ICF_NOT_CONVERGED);
    assert_int_equal(icf_split_mesh_conjugate(f.split, 1e-14, 500, b, y, &taken), ICF_OK);
    assert_in_range(taken, 2, 500);
    for (icf_lid k = 0; k < f.split->nown + f.split->nrim; ++k) {
        const icf_lid i = f.split->vertex[k];
        assert_true(icf_norm(icf_sub(y[i], right[i])) < 1e-11);
    }
    assert_int_equal(f.split->nval, icf_fem_matrix_size(f.whole));
    assert_int_equal(icf_split_mesh_factor_flops(f.split, &flops), ICF_OK);
    assert_near(flops, whole_flops(&f, whole), 0.0);
    assert_int_equal(icf_split_mesh_solve(f.split, part, 1e-13, b), ICF_OK); /* takes that order over */
    for (icf_lid k = 0; k < f.split->nown; ++k) {
        const icf_lid i = f.split->vertex[k];
        assert_true(icf_norm(icf_sub(b[i], right[i])) < 1e-11);
    }
    void *const arrays[] = {right, b, y, whole, part};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) icf_free(arrays[k]);
    tear_down(&f);
}

static void fewer_vertices_than_parts_leave_some_empty(void **state)
{
    icf_context *context = *state;
    icf_tet_mesh mesh;
    icf_tet_mesh_init(&mesh);
    const icf_vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 4; ++k) assert_int_equal(icf_tet_mesh_add_vertex(&mesh, corner[k]), ICF_OK);
    assert_int_equal(icf_tet_mesh_add_tet(&mesh, 0, 1, 2, 3), ICF_OK);
    int part[4] = {-1, -1, -1, -1};
    assert_int_equal(icf_mesh_cut(context, &mesh, 7, part), ICF_OK);
    for (int k = 0; k < 4; ++k) assert_in_range(part[k], 0, 6);
    icf_tet_mesh_clear(&mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {mpi_test(ranks_share_the_mesh), mpi_test(own_rows_have_the_bits_of_the_whole),
                                       mpi_test(ranks_solve_together), mpi_test(ranks_iterate_together),
                                       mpi_test(fewer_vertices_than_parts_leave_some_empty)};
    int failed;
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
