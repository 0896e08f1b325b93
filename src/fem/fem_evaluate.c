/* Elastic body: forces, products, matrix, energy at given positions.
 *
 *   gather vertices into a batch -> element kernels -> add to the vertices or blocks of the thread's own part
 *
 * Each thread takes a part (fem_parts.c) at a time; in it all sums run over the tetrahedra in ascending order.
 */
#include <string.h>

#include "fem/fem.h"
#include "fem/fem_private.h"

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
static const icf_fem_state *state_of(const icf_fem_part *part, icf_lid b)
{
    return part->state ? &part->state[b] : NULL;
}

static bool is_corotational(const icf_fem *fem)
{
    return fem->material.model == ICF_ELASTIC_COROTATIONAL;
}

static bool has_geometric(const icf_fem *fem)
{
    return is_corotational(fem) && fem->material.geometric_stiffness;
}

static void set_part_state(const icf_fem *fem, const icf_vec3 *x, icf_fem_part *part)
{
    const icf_element_law law = law_of(fem);
    for (icf_lid b = 0; b < part->nbatch; ++b) {
        icf_lanes corner[12];
        gather(&part->batch[b], x, corner);
        fem->kernels->rotate(&law, &part->batch[b], corner, &part->state[b]);
    }
}

void icf_fem_set_state(icf_fem *fem, const icf_vec3 *x)
{
    if (!is_corotational(fem)) return;
#pragma omp parallel for schedule(static, 1) num_threads(fem->npart) if (fem->npart > 1)
    for (int p = 0; p < fem->npart; ++p) set_part_state(fem, x, &fem->part[p]);
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
static void evaluate(const icf_fem *fem, const vertex_sum *sum, const icf_fem_part *part, icf_lid b, icf_lanes *y)
{
    icf_lanes x[12], u[12];
    const icf_element_law law = law_of(fem);
    const icf_fem_batch *batch = &part->batch[b];
    const icf_fem_state *state = state_of(part, b);
    if (sum->x) gather(batch, sum->x, x);
    if (sum->u) gather(batch, sum->u, u);
    switch (sum->kind) {
    case sum_force: fem->kernels->force(&law, batch, state, x, y); break;
    case sum_mass: mass_product(fem->material.density, batch, u, y); break;
    case sum_stiffness: fem->kernels->stiffness_product(&law, batch, state, x, u, y); break;
    default: fem->kernels->geometric_product(batch, state, u, y); break;
    }
}

static void scatter(const icf_fem_batch *batch, const icf_lanes *corner, icf_vec3 *y)
{
    for (int lane = 0; lane < ICF_FEM_LANES; ++lane)
        for (int i = 0; i < 4; ++i) {
            if (!(batch->own[lane] >> i & 1)) continue;
            icf_vec3 *sum = &y[batch->vertex[i][lane]];
            sum->x += corner[3 * i][lane];
            sum->y += corner[3 * i + 1][lane];
            sum->z += corner[3 * i + 2][lane];
        }
}

static void sum_part(const icf_fem *fem, const vertex_sum *sum, const icf_fem_part *part, icf_vec3 *y)
{
    for (icf_lid k = 0; k < part->nvertex; ++k) y[part->vertex[k]] = icf_vec3_make(0.0, 0.0, 0.0);
    for (icf_lid b = 0; b < part->nbatch; ++b) {
        icf_lanes corner[12];
        evaluate(fem, sum, part, b, corner);
        scatter(&part->batch[b], corner, y);
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

static void add_element(const icf_fem_batch *batch, int lane, const icf_lanes *value, double *diagonal, double *off)
{
    const unsigned own = batch->own[lane];
    for (int i = 0; i < 4; ++i)
        if (own >> i & 1) add_block(value + 9 * i, lane, false, diagonal + 9 * (size_t)batch->vertex[i][lane]);
    for (int p = 0; p < ICF_FEM_PAIRS; ++p) {
        const icf_lid e = batch->block[p][lane];
        if (own >> (4 + p) & 1) add_block(value + 9 * (4 + p), lane, e < 0, off + 9 * (size_t)(e < 0 ? ~e : e));
    }
}

static void add_part(const icf_fem *fem, const icf_element_law *law, const icf_vec3 *x, const icf_fem_part *part,
                     double *val)
{
    for (icf_lid b = 0; b < part->nbatch; ++b) {
        icf_lanes corner[12], value[9 * ICF_FEM_BLOCKS];
        const icf_fem_batch *batch = &part->batch[b];
        if (x) gather(batch, x, corner);
        fem->kernels->matrix(law, batch, state_of(part, b), corner, value);
        for (int lane = 0; lane < ICF_FEM_LANES; ++lane)
            add_element(batch, lane, value, val, val + 9 * (size_t)fem->nvertex);
    }
}

void icf_fem_matrix_add(const icf_fem *fem, const icf_vec3 *x, icf_fem_weights weights, double *val)
{
    icf_element_law law = law_of(fem);
    law.mass = weights.mass * fem->material.density / 20.0;
    law.stiffness = weights.stiffness;
    law.geometric = has_geometric(fem) ? weights.geometric : 0.0;
    law.negative = weights.negative;
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

/* value[t] of the tetrahedra whose first vertex is the part's: each is written once.  `integrate`: times volume. */
static void value_of_part(const icf_fem *fem, value_kernel *kernel, const icf_vec3 *x, const icf_fem_part *part,
                          bool integrate, double *value)
{
    const icf_element_law law = law_of(fem);
    for (icf_lid b = 0; b < part->nbatch; ++b) {
        const icf_fem_batch *batch = &part->batch[b];
        icf_lanes corner[12], result;
        gather(batch, x, corner);
        kernel(&law, batch, corner, &result);
        for (int lane = 0; lane < ICF_FEM_LANES; ++lane)
            if (batch->own[lane] & 1)
                value[part->tet[ICF_FEM_LANES * b + lane]] =
                    integrate ? batch->volume[lane] * result[lane] : result[lane];
    }
}

static void value_of_tets(const icf_fem *fem, value_kernel *kernel, const icf_vec3 *x, bool integrate, double *value)
{
#pragma omp parallel for schedule(static, 1) num_threads(fem->npart) if (fem->npart > 1)
    for (int p = 0; p < fem->npart; ++p) value_of_part(fem, kernel, x, &fem->part[p], integrate, value);
}

void icf_fem_energy_density(const icf_fem *fem, const icf_vec3 *x, double *density)
{
    value_of_tets(fem, fem->kernels->energy_density, x, false, density);
}

void icf_fem_von_mises(const icf_fem *fem, const icf_vec3 *x, double *stress)
{
    value_of_tets(fem, fem->kernels->von_mises, x, false, stress);
}

/* Summed in the order of the tetrahedra. */
double icf_fem_energy(icf_fem *fem, const icf_vec3 *x)
{
    value_of_tets(fem, fem->kernels->energy_density, x, true, fem->scratch);
    double sum = 0.0;
    for (icf_lid t = 0; t < fem->ntet; ++t) sum += fem->scratch[t];
    return sum;
}

static void mean_of_part(const icf_fem *fem, const double *value, const icf_fem_part *part, double *mean)
{
    for (icf_lid k = 0; k < part->nvertex; ++k) mean[part->vertex[k]] = 0.0;
    for (icf_lid k = 0; k < part->ntet; ++k) {
        const icf_fem_batch *batch = &part->batch[k / ICF_FEM_LANES];
        const int lane = k % ICF_FEM_LANES;
        for (int i = 0; i < 4; ++i)
            if (batch->own[lane] >> i & 1) mean[batch->vertex[i][lane]] += batch->volume[lane] * value[part->tet[k]];
    }
    for (icf_lid k = 0; k < part->nvertex; ++k) mean[part->vertex[k]] /= fem->vertex_volume[part->vertex[k]];
}

void icf_fem_vertex_mean(const icf_fem *fem, const double *value, double *mean)
{
#pragma omp parallel for schedule(static, 1) num_threads(fem->npart) if (fem->npart > 1)
    for (int p = 0; p < fem->npart; ++p) mean_of_part(fem, value, &fem->part[p], mean);
}
