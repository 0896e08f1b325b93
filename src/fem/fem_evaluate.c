/* Elastic body: forces, products, matrix, energy at given positions.
 *
 *   gather vertices into a batch -> element kernels -> add to the vertices or blocks of the thread's own part
 *
 * Each thread takes a part (fem_parts.c); within it all sums run over the tetrahedra in ascending order.
 */
#include <string.h>

#include "fem/fem.h"
#include "fem/fem_private.h"

static bool owns(const icf_fem_part *part, icf_lid vertex)
{
    return vertex >= part->begin && vertex < part->end;
}

/* Values of a vertex quantity at the corners of a batch: (4, 3, lanes). */
static void gather(const icf_fem_batch *batch, const icf_vec3 *u, icf_lanes *corner)
{
    for (int i = 0; i < 4; ++i)
        for (int lane = 0; lane < ICF_FEM_LANES; ++lane) {
            const icf_vec3 value = u[batch->vertex[i][lane]];
            corner[3 * i][lane] = value.x;
            corner[3 * i + 1][lane] = value.y;
            corner[3 * i + 2][lane] = value.z;
        }
}

static icf_element_law law_of(const icf_fem *fem)
{
    return (icf_element_law){.model = fem->material.model, .lame = fem->lame};
}

/* State of a batch; NULL for models without. */
static const icf_fem_state *state_of(const icf_fem *fem, icf_lid b)
{
    return fem->state ? &fem->state[b] : NULL;
}

static bool is_corotational(const icf_fem *fem)
{
    return fem->material.model == ICF_ELASTIC_COROTATIONAL;
}

static bool has_geometric(const icf_fem *fem)
{
    return is_corotational(fem) && fem->material.geometric_stiffness;
}

void icf_fem_set_state(icf_fem *fem, const icf_vec3 *x)
{
    if (!is_corotational(fem)) return;
    const icf_element_law law = law_of(fem);
#pragma omp parallel for schedule(static) num_threads(fem->npart) if (fem->npart > 1)
    for (icf_lid b = 0; b < fem->nbatch; ++b) {
        icf_lanes corner[12];
        gather(&fem->batch[b], x, corner);
        fem->kernels->rotate(&law, &fem->batch[b], corner, &fem->state[b]);
    }
}

/* A vertex result that is a sum over tetrahedra. */
typedef struct vertex_sum {
    enum { sum_force, sum_mass, sum_stiffness, sum_geometric } kind;
    const icf_vec3 *x, *u; /* positions and operand, where the kind has one */
} vertex_sum;

/* y_i = rho V/20 (u_i + sum u) */
static void mass_product(double density, const icf_fem_batch *batch, const icf_lanes *u, icf_lanes *y)
{
    for (int c = 0; c < 3; ++c)
        for (int lane = 0; lane < ICF_FEM_LANES; ++lane) {
            const double mass = density * batch->volume[lane] / 20.0;
            const double sum = u[c][lane] + u[3 + c][lane] + u[6 + c][lane] + u[9 + c][lane];
            for (int i = 0; i < 4; ++i) y[3 * i + c][lane] = mass * (u[3 * i + c][lane] + sum);
        }
}

/* What the tetrahedra of batch b add at their corners: y (4, 3, lanes). */
static void evaluate(const icf_fem *fem, const vertex_sum *sum, icf_lid b, icf_lanes *y)
{
    icf_lanes x[12], u[12];
    const icf_element_law law = law_of(fem);
    const icf_fem_batch *batch = &fem->batch[b];
    if (sum->x) gather(batch, sum->x, x);
    if (sum->u) gather(batch, sum->u, u);
    switch (sum->kind) {
    case sum_force: fem->kernels->force(&law, batch, state_of(fem, b), x, y); break;
    case sum_mass: mass_product(fem->material.density, batch, u, y); break;
    case sum_stiffness: fem->kernels->stiffness_product(&law, batch, state_of(fem, b), x, u, y); break;
    default: fem->kernels->geometric_product(batch, state_of(fem, b), u, y); break;
    }
}

static void scatter(const icf_fem_part *part, const icf_fem_batch *batch, int nlane, const icf_lanes *corner,
                    icf_vec3 *y)
{
    for (int lane = 0; lane < nlane; ++lane)
        for (int i = 0; i < 4; ++i) {
            const icf_lid v = batch->vertex[i][lane];
            if (!owns(part, v)) continue;
            y[v].x += corner[3 * i][lane];
            y[v].y += corner[3 * i + 1][lane];
            y[v].z += corner[3 * i + 2][lane];
        }
}

static void sum_part(const icf_fem *fem, const vertex_sum *sum, const icf_fem_part *part, icf_vec3 *y)
{
    for (icf_lid v = part->begin; v < part->end; ++v) y[v] = icf_vec3_make(0.0, 0.0, 0.0);
    for (icf_lid k = 0; k < part->nbatch; ++k) {
        icf_lanes corner[12];
        const icf_lid b = part->batch[k];
        evaluate(fem, sum, b, corner);
        scatter(part, &fem->batch[b], icf_fem_batch_size(fem, b), corner, y);
    }
}

static void sum_at_vertices(const icf_fem *fem, vertex_sum sum, icf_vec3 *y)
{
#pragma omp parallel for schedule(static, 1) num_threads(fem->npart) if (fem->npart > 1)
    for (int p = 0; p < fem->npart; ++p) sum_part(fem, &sum, &fem->part[p], y);
}

void icf_fem_force(const icf_fem *fem, const icf_vec3 *x, icf_vec3 *f)
{
    sum_at_vertices(fem, (vertex_sum){.kind = sum_force, .x = x}, f);
}

void icf_fem_mass_product(const icf_fem *fem, const icf_vec3 *u, icf_vec3 *y)
{
    sum_at_vertices(fem, (vertex_sum){.kind = sum_mass, .u = u}, y);
}

void icf_fem_stiffness_product(const icf_fem *fem, const icf_vec3 *x, const icf_vec3 *u, icf_vec3 *y)
{
    sum_at_vertices(fem, (vertex_sum){.kind = sum_stiffness, .x = is_corotational(fem) ? NULL : x, .u = u}, y);
}

void icf_fem_geometric_product(const icf_fem *fem, const icf_vec3 *u, icf_vec3 *y)
{
    if (has_geometric(fem))
        sum_at_vertices(fem, (vertex_sum){.kind = sum_geometric, .u = u}, y);
    else
        memset(y, 0, (size_t)fem->nvertex * sizeof *y);
}

/* Adds one lane of a block, or of its transpose. */
static void add_block(const icf_lanes *block, int lane, bool transposed, double *val)
{
    static const int order[2][9] = {{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 3, 6, 1, 4, 7, 2, 5, 8}};
    for (int k = 0; k < 9; ++k) val[k] += block[order[transposed][k]][lane];
}

static void add_element(const icf_fem *fem, const icf_fem_part *part, const icf_fem_batch *batch, int lane,
                        const icf_lanes *value, double *val)
{
    static const int row[ICF_FEM_PAIRS] = {1, 2, 3, 2, 3, 3}, column[ICF_FEM_PAIRS] = {0, 0, 0, 1, 1, 2};
    double *off = val + 9 * (size_t)fem->nvertex;
    bool own[4];
    for (int i = 0; i < 4; ++i) {
        const icf_lid v = batch->vertex[i][lane];
        own[i] = owns(part, v);
        if (own[i]) add_block(value + 9 * i, lane, false, val + 9 * (size_t)v);
    }
    for (int p = 0; p < ICF_FEM_PAIRS; ++p) {
        const icf_lid e = batch->block[p][lane]; /* the block stands in the column of the smaller vertex */
        if (own[e < 0 ? row[p] : column[p]])
            add_block(value + 9 * (4 + p), lane, e < 0, off + 9 * (size_t)(e < 0 ? ~e : e));
    }
}

static void add_part(const icf_fem *fem, const icf_element_law *law, const icf_vec3 *x, const icf_fem_part *part,
                     double *val)
{
    for (icf_lid k = 0; k < part->nbatch; ++k) {
        icf_lanes corner[12], value[9 * ICF_FEM_BLOCKS];
        const icf_lid b = part->batch[k];
        const icf_fem_batch *batch = &fem->batch[b];
        if (x) gather(batch, x, corner);
        fem->kernels->matrix(law, batch, state_of(fem, b), corner, value);
        for (int lane = 0; lane < icf_fem_batch_size(fem, b); ++lane) add_element(fem, part, batch, lane, value, val);
    }
}

void icf_fem_matrix_add(const icf_fem *fem, const icf_vec3 *x, icf_fem_weights weights, double *val)
{
    icf_element_law law = law_of(fem);
    law.mass = weights.mass * fem->material.density / 20.0;
    law.stiffness = weights.stiffness;
    law.geometric = has_geometric(fem) ? weights.geometric : 0.0;
    const icf_vec3 *where = is_corotational(fem) ? NULL : x;
#pragma omp parallel for schedule(static, 1) num_threads(fem->npart) if (fem->npart > 1)
    for (int p = 0; p < fem->npart; ++p) add_part(fem, &law, where, &fem->part[p], val);
}

/* y += a u, column-major */
static void add_product(const double *a, icf_vec3 u, icf_vec3 *y)
{
    y->x += a[0] * u.x + a[3] * u.y + a[6] * u.z;
    y->y += a[1] * u.x + a[4] * u.y + a[7] * u.z;
    y->z += a[2] * u.x + a[5] * u.y + a[8] * u.z;
}

/* y += a^T u */
static void add_transposed_product(const double *a, icf_vec3 u, icf_vec3 *y)
{
    y->x += a[0] * u.x + a[1] * u.y + a[2] * u.z;
    y->y += a[3] * u.x + a[4] * u.y + a[5] * u.z;
    y->z += a[6] * u.x + a[7] * u.y + a[8] * u.z;
}

void icf_fem_matrix_product(const icf_fem *fem, const double *val, const icf_vec3 *u, icf_vec3 *y)
{
    const double *off = val + 9 * (size_t)fem->nvertex;
    for (icf_lid j = 0; j < fem->nvertex; ++j) {
        y[j] = icf_vec3_make(0.0, 0.0, 0.0);
        add_product(val + 9 * (size_t)j, u[j], &y[j]);
    }
    for (icf_lid j = 0; j < fem->nvertex; ++j)
        for (icf_lid e = fem->ptr[j]; e < fem->ptr[j + 1]; ++e) {
            const icf_lid i = fem->idx[e];
            add_product(off + 9 * (size_t)e, u[j], &y[i]);
            add_transposed_product(off + 9 * (size_t)e, u[i], &y[j]);
        }
}

/* A kernel that gives one value of each tetrahedron. */
typedef void value_kernel(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x, icf_lanes *value);

static void value_of_tets(const icf_fem *fem, value_kernel *kernel, const icf_vec3 *x, double *value)
{
    const icf_element_law law = law_of(fem);
#pragma omp parallel for schedule(static) num_threads(fem->npart) if (fem->npart > 1)
    for (icf_lid b = 0; b < fem->nbatch; ++b) {
        icf_lanes corner[12], result;
        gather(&fem->batch[b], x, corner);
        kernel(&law, &fem->batch[b], corner, &result);
        memcpy(value + ICF_FEM_LANES * (size_t)b, result, (size_t)icf_fem_batch_size(fem, b) * sizeof *value);
    }
}

void icf_fem_energy_density(const icf_fem *fem, const icf_vec3 *x, double *density)
{
    value_of_tets(fem, fem->kernels->energy_density, x, density);
}

void icf_fem_von_mises(const icf_fem *fem, const icf_vec3 *x, double *stress)
{
    value_of_tets(fem, fem->kernels->von_mises, x, stress);
}

double icf_fem_energy(icf_fem *fem, const icf_vec3 *x)
{
    icf_fem_energy_density(fem, x, fem->scratch);
    double energy = 0.0;
    for (icf_lid t = 0; t < fem->ntet; ++t)
        energy += fem->batch[t / ICF_FEM_LANES].volume[t % ICF_FEM_LANES] * fem->scratch[t];
    return energy;
}

void icf_fem_vertex_mean(const icf_fem *fem, const double *value, double *mean)
{
    for (icf_lid v = 0; v < fem->nvertex; ++v) mean[v] = 0.0;
    for (icf_lid t = 0; t < fem->ntet; ++t) {
        const icf_fem_batch *batch = &fem->batch[t / ICF_FEM_LANES];
        const int lane = t % ICF_FEM_LANES;
        for (int i = 0; i < 4; ++i) mean[batch->vertex[i][lane]] += batch->volume[lane] * value[t];
    }
    for (icf_lid v = 0; v < fem->nvertex; ++v) mean[v] /= fem->vertex_volume[v];
}

double icf_fem_volume_at(const icf_fem *fem, const icf_vec3 *x)
{
    double volume6 = 0.0;
    for (icf_lid t = 0; t < fem->ntet; ++t) {
        const icf_fem_batch *batch = &fem->batch[t / ICF_FEM_LANES];
        const int lane = t % ICF_FEM_LANES;
        volume6 += icf_tet_volume6(x[batch->vertex[0][lane]], x[batch->vertex[1][lane]], x[batch->vertex[2][lane]],
                                   x[batch->vertex[3][lane]]);
    }
    return volume6 / 6.0;
}

icf_vec3 icf_fem_mass_mean(const icf_fem *fem, const icf_vec3 *x)
{
    icf_vec3 sum = {0.0, 0.0, 0.0};
    for (icf_lid v = 0; v < fem->nvertex; ++v) sum = icf_mul_add(sum, fem->vertex_volume[v], x[v]);
    return icf_scale(1.0 / (4.0 * fem->volume), sum);
}
