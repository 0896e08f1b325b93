/* Elastic bodies for tests: a box whose inner nodes are moved about, and states of it.  Include after cmocka.h. */
#ifndef ICF_TESTS_FEM_FIXTURE_H
#define ICF_TESTS_FEM_FIXTURE_H

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "fem/fem.h"
#include "fem_samples.h"
#include "scene/tet_generate.h"

static const icf_elastic_model every_model[] = {ICF_ELASTIC_COROTATIONAL, ICF_ELASTIC_NEO_HOOKEAN,
                                                ICF_ELASTIC_ST_VENANT_KIRCHHOFF};

static inline icf_deformable_material fixture_material(icf_elastic_model model)
{
    icf_deformable_material m = icf_deformable_material_default();
    m.model = model;
    m.youngs_modulus = 1e5;
    m.poissons_ratio = 0.3;
    m.density = 1000.0;
    return m;
}

static inline void *fixture_room(size_t n, size_t size)
{
    void *memory = icf_alloc(n * size);
    assert_non_null(memory);
    memset(memory, 0, n * size);
    return memory;
}

static inline icf_vec3 *fixture_vectors(icf_lid n)
{
    return fixture_room((size_t)n, sizeof(icf_vec3));
}

static inline void fixture_box(icf_tet_mesh *mesh, icf_vec3 size, icf_lid nx, icf_lid ny, icf_lid nz)
{
    icf_context context = {.nthread = 1};
    const icf_lid divisions[3] = {nx, ny, nz};
    icf_tet_mesh_init(mesh);
    assert_int_equal(icf_tet_mesh_box(&context, mesh, size, divisions), ICF_OK);
}

static inline bool fixture_is_inside(icf_vec3 p, icf_vec3 size)
{
    return fabs(p.x) < 0.499 * size.x && fabs(p.y) < 0.499 * size.y && fabs(p.z) < 0.499 * size.z;
}

static inline icf_vec3 fixture_noise(uint64_t *random, double scale)
{
    const double x = sample_number(random), y = sample_number(random), z = sample_number(random);
    return icf_vec3_make(scale * x, scale * y, scale * z);
}

/* Cells of 0.1 m; nodes inside are moved by up to 2 cm. */
static inline void fixture_irregular_box(icf_tet_mesh *mesh, icf_lid nx, icf_lid ny, icf_lid nz)
{
    const icf_vec3 size = {0.1 * nx, 0.1 * ny, 0.1 * nz};
    uint64_t random = 5;
    fixture_box(mesh, size, nx, ny, nz);
    for (icf_lid v = 0; v < mesh->nvertex; ++v)
        if (fixture_is_inside(mesh->vertex[v], size))
            mesh->vertex[v] = icf_add(mesh->vertex[v], fixture_noise(&random, 0.02));
}

static inline icf_fem *fixture_fem(const icf_tet_mesh *mesh, const icf_deformable_material *material, int nthread)
{
    const icf_context context = {.nthread = nthread};
    icf_fem *fem;
    assert_int_equal(icf_fem_create(&context, mesh, material, &fem), ICF_OK);
    return fem;
}

/* Positions: the mesh turned and stretched by a, each node then moved by up to `noise` metres. */
static inline icf_vec3 *fixture_positions(const icf_tet_mesh *mesh, const icf_mat3 *a, double noise)
{
    icf_vec3 *x = fixture_vectors(mesh->nvertex);
    uint64_t random = 11;
    for (icf_lid v = 0; v < mesh->nvertex; ++v)
        x[v] = icf_add(icf_mat3_mul(a, mesh->vertex[v]), fixture_noise(&random, noise));
    return x;
}

static inline icf_vec3 *fixture_random_vectors(icf_lid n, double scale)
{
    icf_vec3 *u = fixture_vectors(n);
    uint64_t random = 23;
    for (icf_lid v = 0; v < n; ++v) u[v] = fixture_noise(&random, scale);
    return u;
}

static inline double fixture_largest(const icf_vec3 *u, icf_lid n)
{
    double max = 0.0;
    for (icf_lid v = 0; v < n; ++v) max = fmax(max, icf_norm(u[v]));
    return max;
}

static inline void assert_vectors_near(const icf_vec3 *u, const icf_vec3 *expected, icf_lid n, double tolerance)
{
    for (icf_lid v = 0; v < n; ++v) assert_near(icf_norm(icf_sub(u[v], expected[v])), 0.0, tolerance);
}

#endif
