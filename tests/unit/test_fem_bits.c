/* Elastic bodies: the same bits for any number of threads, from a part of the body with other vertex numbers, whatever
 * shares the batch; the kernels of all instruction sets agree to round-off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fem/element_kernels.h"
#include "fem_fixture.h"

static const icf_fem_weights weights = {.mass = 2.0, .stiffness = 0.7, .geometric = 0.3};
static const icf_mat3 squeeze = {{0.8, 0.1, -0.05, 0.02, 1.15, 0.08, 0.1, -0.03, 0.9}};

/* Everything that is computed of a body at x. */
typedef struct results {
    icf_vec3 *force, *mass, *stiffness, *geometric;
    double *val, *density, *stress;
    double energy;
} results;

static results compute(icf_fem *fem, const icf_tet_mesh *mesh, const icf_vec3 *x, const icf_vec3 *u)
{
    const icf_lid n = mesh->nvertex;
    results r = {fixture_vectors(n), fixture_vectors(n), fixture_vectors(n), fixture_vectors(n), NULL, NULL, NULL, 0.0};
    r.val = fixture_room(icf_fem_matrix_size(fem), sizeof *r.val);
    r.density = fixture_room((size_t)mesh->ntet, sizeof *r.density);
    r.stress = fixture_room((size_t)mesh->ntet, sizeof *r.stress);
    icf_fem_set_state(fem, x);
    icf_fem_force(fem, x, r.force);
    icf_fem_mass_product(fem, u, r.mass);
    icf_fem_stiffness_product(fem, x, u, r.stiffness);
    icf_fem_geometric_product(fem, u, r.geometric);
    icf_fem_matrix_add(fem, x, weights, r.val);
    icf_fem_energy_density(fem, x, r.density);
    icf_fem_von_mises(fem, x, r.stress);
    r.energy = icf_fem_energy(fem, x);
    return r;
}

static void clear_results(results *r)
{
    icf_free(r->force), icf_free(r->mass), icf_free(r->stiffness), icf_free(r->geometric);
    icf_free(r->val), icf_free(r->density), icf_free(r->stress);
}

static void assert_same_results(const results *a, const results *b, const icf_tet_mesh *mesh, size_t nval)
{
    const size_t n = (size_t)mesh->nvertex * sizeof(icf_vec3), t = (size_t)mesh->ntet * sizeof(double);
    assert_memory_equal(a->force, b->force, n);
    assert_memory_equal(a->mass, b->mass, n);
    assert_memory_equal(a->stiffness, b->stiffness, n);
    assert_memory_equal(a->geometric, b->geometric, n);
    assert_memory_equal(a->val, b->val, nval * sizeof(double));
    assert_memory_equal(a->density, b->density, t);
    assert_memory_equal(a->stress, b->stress, t);
    assert_memory_equal(&a->energy, &b->energy, sizeof a->energy);
}

/* 1757 tetrahedra: the last batch is not full, and there is work for six threads. */
static void fixture_large(icf_tet_mesh *mesh)
{
    fixture_irregular_box(mesh, 7, 7, 6);
    mesh->ntet -= 7;
}

static void any_number_of_threads(void **state)
{
    (void)state;
    icf_tet_mesh mesh;
    fixture_large(&mesh);
    icf_vec3 *x = fixture_positions(&mesh, &squeeze, 0.03), *u = fixture_random_vectors(mesh.nvertex, 1.0);
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *fem = fixture_fem(&mesh, &material, 1);
        results one = compute(fem, &mesh, x, u);
        for (int nthread = 2; nthread <= 6; ++nthread) {
            icf_fem *other = fixture_fem(&mesh, &material, nthread);
            results many = compute(other, &mesh, x, u);
            assert_same_results(&one, &many, &mesh, icf_fem_matrix_size(fem));
            clear_results(&many);
            icf_fem_destroy(&other);
        }
        clear_results(&one);
        icf_fem_destroy(&fem);
    }
    icf_free(x), icf_free(u);
    icf_tet_mesh_clear(&mesh);
}

/* The tetrahedra with a vertex below `own`, in their order, vertices numbered from the last one down. */
static void take_part(const icf_tet_mesh *mesh, icf_lid own, icf_tet_mesh *part)
{
    icf_tet_mesh_init(part);
    for (icf_lid v = 0; v < mesh->nvertex; ++v)
        assert_int_equal(icf_tet_mesh_add_vertex(part, mesh->vertex[mesh->nvertex - 1 - v]), ICF_OK);
    for (icf_lid t = 0; t < mesh->ntet; ++t) {
        const icf_lid *v = mesh->tet[t], last = mesh->nvertex - 1;
        if (v[0] < own || v[1] < own || v[2] < own || v[3] < own)
            assert_int_equal(icf_tet_mesh_add_tet(part, last - v[0], last - v[1], last - v[2], last - v[3]), ICF_OK);
    }
}

/* Block (i, j) of a matrix, i != j, column-major. */
static void block_of(const icf_fem *fem, const double *val, icf_lid i, icf_lid j, double block[9])
{
    const icf_fem_pattern pattern = icf_fem_get_pattern(fem);
    const icf_lid row = ICF_MAX(i, j), column = ICF_MIN(i, j);
    icf_lid e = pattern.ptr[column];
    while (e < pattern.ptr[column + 1] && pattern.idx[e] != row) ++e;
    assert_true(e < pattern.ptr[column + 1]);
    const double *found = val + 9 * ((size_t)pattern.nvertex + (size_t)e);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) block[3 * c + r] = i > j ? found[3 * c + r] : found[3 * r + c];
}

/* What a rank with own vertices and one ring of ghosts computes is what the whole body gives at its vertices. */
static void part_of_a_body(void **state)
{
    (void)state;
    icf_tet_mesh mesh, part;
    fixture_irregular_box(&mesh, 4, 4, 3);
    const icf_lid n = mesh.nvertex, own = n / 3;
    take_part(&mesh, own, &part);
    assert_true(part.ntet < mesh.ntet / 2 + 50);
    icf_vec3 *x = fixture_positions(&mesh, &squeeze, 0.03), *u = fixture_random_vectors(n, 1.0);
    icf_vec3 *y = fixture_vectors(n), *w = fixture_vectors(n);
    for (icf_lid v = 0; v < n; ++v) y[n - 1 - v] = x[v], w[n - 1 - v] = u[v];
    for (size_t k = 0; k < 3; ++k) {
        const icf_deformable_material material = fixture_material(every_model[k]);
        icf_fem *whole = fixture_fem(&mesh, &material, 1), *piece = fixture_fem(&part, &material, 1);
        results a = compute(whole, &mesh, x, u), b = compute(piece, &part, y, w);
        const icf_fem_pattern pattern = icf_fem_get_pattern(whole);
        for (icf_lid v = 0; v < own; ++v) {
            const icf_lid p = n - 1 - v;
            assert_memory_equal(&a.force[v], &b.force[p], sizeof(icf_vec3));
            assert_memory_equal(&a.mass[v], &b.mass[p], sizeof(icf_vec3));
            assert_memory_equal(&a.stiffness[v], &b.stiffness[p], sizeof(icf_vec3));
            assert_memory_equal(&a.geometric[v], &b.geometric[p], sizeof(icf_vec3));
            assert_memory_equal(a.val + 9 * v, b.val + 9 * p, 9 * sizeof(double));
            for (icf_lid e = pattern.ptr[v]; e < pattern.ptr[v + 1]; ++e) {
                double here[9], there[9];
                block_of(whole, a.val, pattern.idx[e], v, here);
                block_of(piece, b.val, n - 1 - pattern.idx[e], p, there);
                assert_memory_equal(here, there, sizeof here);
            }
        }
        clear_results(&a), clear_results(&b);
        icf_fem_destroy(&whole), icf_fem_destroy(&piece);
    }
    icf_free(x), icf_free(u), icf_free(y), icf_free(w);
    icf_tet_mesh_clear(&mesh), icf_tet_mesh_clear(&part);
}

/* The kernels that this processor runs. */
static size_t list_kernels(const icf_element_kernels *list[3])
{
    size_t n = 0;
    list[n++] = &icf_element_kernels_base;
#ifdef ICF_X86_KERNELS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list[n++] = &icf_element_kernels_avx2;
    if (icf_element_kernels_select() == &icf_element_kernels_avx512) list[n++] = &icf_element_kernels_avx512;
#endif
    return n;
}

/* A batch of random tetrahedra at random F of every kind; corner values of positions and of an operand. */
typedef struct sample {
    icf_fem_batch batch;
    icf_lanes x[12], u[12];
} sample;

static void fill_sample(uint64_t number, sample *s)
{
    uint64_t random = sample_seed(number);
    for (int lane = 0; lane < ICF_FEM_LANES; ++lane) {
        const icf_mat3 f = sample_f(8 * number + (uint64_t)lane);
        icf_vec3 edge[3];
        for (int i = 0; i < 3; ++i) {
            edge[i] = fixture_noise(&random, 0.3);
            icf_set(&edge[i], i, 1.0 + icf_get(edge[i], i));
        }
        const icf_vec3 a = icf_cross(edge[1], edge[2]), b = icf_cross(edge[2], edge[0]),
                       c = icf_cross(edge[0], edge[1]);
        const double volume6 = icf_dot(edge[0], a);
        s->batch.volume[lane] = volume6 / 6.0;
        for (int k = 0; k < 3; ++k) {
            s->batch.gradient[k][lane] = icf_get(a, k) / volume6;
            s->batch.gradient[3 + k][lane] = icf_get(b, k) / volume6;
            s->batch.gradient[6 + k][lane] = icf_get(c, k) / volume6;
            s->x[k][lane] = 0.0;
            for (int i = 0; i < 3; ++i) s->x[3 * (i + 1) + k][lane] = icf_get(icf_mat3_mul(&f, edge[i]), k);
        }
        for (int k = 0; k < 12; ++k) s->u[k][lane] = sample_number(&random);
    }
}

/* All values that the kernels give of a batch: R0 and Q', forces, two products, blocks, energy, stress. */
enum { nvalue = 15 + 12 + 12 + 12 + 90 + 1 };
static const int group_of_values[] = {0, 9, 15, 27, 39, 51, 141, nvalue};

static void run_kernels(const icf_element_kernels *kernels, icf_elastic_model model, const sample *s,
                        icf_lanes value[nvalue])
{
    icf_fem_state state;
    const icf_element_law law = {.model = model, .lame = {1.0, 2.0}, .mass = 0.5, .stiffness = 1.0, .geometric = 0.7};
    kernels->rotate(&law, &s->batch, s->x, &state);
    memcpy(value, &state, sizeof state);
    kernels->force(&law, &s->batch, &state, s->x, value + 15);
    kernels->stiffness_product(&law, &s->batch, &state, s->x, s->u, value + 27);
    kernels->geometric_product(&s->batch, &state, s->u, value + 39);
    kernels->matrix(&law, &s->batch, &state, s->x, value + 51);
    kernels->energy_density(&law, &s->batch, s->x, value + 141);
}

static void assert_values_near(icf_lanes *a, icf_lanes *b, int lane, double tolerance)
{
    for (int g = 0; group_of_values[g] < nvalue; ++g) {
        double scale = 1.0;
        for (int k = group_of_values[g]; k < group_of_values[g + 1]; ++k) scale = fmax(scale, fabs(a[k][lane]));
        for (int k = group_of_values[g]; k < group_of_values[g + 1]; ++k)
            assert_near(b[k][lane], a[k][lane], tolerance * scale);
    }
}

/* Where the rotation is unique and well determined: not close to inversion. */
static bool is_well_posed(uint64_t n)
{
    return n % 8 == 1 || n % 8 == 2;
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    const icf_element_kernels *list[3];
    const size_t nkernels = list_kernels(list);
    for (uint64_t n = 0; n < 100; ++n) {
        sample s;
        fill_sample(n, &s);
        for (size_t m = 0; m < 3; ++m) {
            icf_lanes base[nvalue], other[nvalue];
            run_kernels(list[0], every_model[m], &s, base);
            for (size_t k = 1; k < nkernels; ++k) {
                run_kernels(list[k], every_model[m], &s, other);
                for (int lane = 0; lane < ICF_FEM_LANES; ++lane)
                    if (is_well_posed(8 * n + (uint64_t)lane)) assert_values_near(base, other, lane, 2e-12);
            }
        }
    }
}

static void turn_lanes(icf_lanes *from, int n, int by, icf_lanes *to)
{
    for (int k = 0; k < n; ++k)
        for (int lane = 0; lane < ICF_FEM_LANES; ++lane) to[k][(lane + by) % ICF_FEM_LANES] = from[k][lane];
}

static void lanes_do_not_see_each_other(void **state)
{
    (void)state;
    const icf_element_kernels *list[3];
    const size_t nkernels = list_kernels(list);
    for (uint64_t n = 0; n < 50; ++n) {
        sample s, turned;
        fill_sample(n, &s);
        turn_lanes(s.batch.gradient, 9, 3, turned.batch.gradient);
        turn_lanes(&s.batch.volume, 1, 3, &turned.batch.volume);
        turn_lanes(s.x, 12, 3, turned.x);
        turn_lanes(s.u, 12, 3, turned.u);
        for (size_t m = 0; m < 3; ++m)
            for (size_t k = 0; k < nkernels; ++k) {
                icf_lanes value[nvalue], expected[nvalue], other[nvalue];
                run_kernels(list[k], every_model[m], &s, value);
                turn_lanes(value, nvalue, 3, expected);
                run_kernels(list[k], every_model[m], &turned, other);
                assert_memory_equal(other, expected, sizeof other);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(part_of_a_body),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(lanes_do_not_see_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
