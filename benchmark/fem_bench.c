/* icf_fem_bench: times the parts of icf_fem on a box of tetrahedra, as one line of JSON a model.
 *
 *   icf_fem_bench [DIVISIONS [SECONDS [THREADS]]]   a cube of DIVISIONS^3 cells (default 16), SECONDS for each part
 * (0.2)
 *
 * Rates are millions of tetrahedra a second of wall time; the cube is under shear and tension of about 20 %.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "fem/element_kernels.h"
#include "fem/fem.h"
#include "scene/tet_generate.h"

typedef struct bench {
    double seconds; /* for each part */
    icf_fem *fem;
    icf_lid ntet;
    icf_vec3 *x, *u, *y; /* (nvertex) positions, operand, result */
    double *val;         /* matrix */
} bench;

typedef void part(bench *b);

static void set_state(bench *b)
{
    icf_fem_set_state(b->fem, b->x);
}

static void force(bench *b)
{
    icf_fem_force(b->fem, b->x, b->y);
}

static void matrix(bench *b)
{
    icf_fem_matrix_add(b->fem, b->x, (icf_fem_weights){.mass = 1.0, .stiffness = 1e-4, .geometric = 1e-4}, b->val);
}

static void stiffness_product(bench *b)
{
    icf_fem_stiffness_product(b->fem, b->x, b->u, b->y);
}

static void energy(bench *b)
{
    volatile double value = icf_fem_energy(b->fem, b->x);
    (void)value;
}

/* Prints `"name": millions of tetrahedra a second`: the fastest call of those in b->seconds. */
static void time_part(bench *b, const char *name, part *run)
{
    double best = 1e30;
    const double start = icf_clock_wall();
    while (icf_clock_wall() - start < b->seconds) {
        const double begin = icf_clock_wall();
        run(b);
        best = ICF_MIN(best, icf_clock_wall() - begin);
    }
    printf(", \"%s\": %.2f", name, 1e-6 * b->ntet / best);
}

static icf_status allocate(bench *b, const icf_tet_mesh *mesh)
{
    size_t room[4] = {0}, n = (size_t)mesh->nvertex, nval = icf_fem_matrix_size(b->fem);
    ICF_TRY(ICF_GROW(b->x, room[0], n));
    ICF_TRY(ICF_GROW(b->u, room[1], n));
    ICF_TRY(ICF_GROW(b->y, room[2], n));
    ICF_TRY(ICF_GROW(b->val, room[3], nval));
    for (size_t i = 0; i < nval; ++i) b->val[i] = 0.0;
    for (size_t v = 0; v < n; ++v) {
        const icf_vec3 p = mesh->vertex[v];
        b->x[v] = icf_vec3_make(1.2 * p.x + 0.1 * p.y + 0.1 * p.x * p.z, 1.1 * p.y, p.z - 0.2 * p.x);
        b->u[v] = icf_vec3_make(p.y, p.z * p.x, -p.x);
    }
    return ICF_OK;
}

static icf_status run_model(icf_context *context, const icf_tet_mesh *mesh, icf_elastic_model model, double seconds)
{
    icf_deformable_material material = icf_deformable_material_default();
    material.model = model;
    material.youngs_modulus = 1e5;
    material.poissons_ratio = 0.4;
    material.density = 1000.0;
    bench b = {.seconds = seconds, .ntet = mesh->ntet};
    ICF_TRY(icf_fem_create(context, mesh, &material, &b.fem));
    ICF_TRY(allocate(&b, mesh));
    printf("{\"benchmark\": \"fem\", \"model\": \"%s\", \"kernels\": \"%s\", \"tets\": %d, \"threads\": %d",
           icf_elastic_model_names[model], icf_element_kernels_select()->name, mesh->ntet, context->nthread);
    if (model == ICF_ELASTIC_COROTATIONAL) time_part(&b, "set_state", set_state);
    time_part(&b, "force", force);
    time_part(&b, "matrix", matrix);
    time_part(&b, "stiffness_product", stiffness_product);
    time_part(&b, "energy", energy);
    printf("}\n");
    icf_free(b.x), icf_free(b.u), icf_free(b.y), icf_free(b.val);
    icf_fem_destroy(&b.fem);
    return ICF_OK;
}

static icf_status run(icf_context *context, icf_lid n, double seconds)
{
    icf_tet_mesh mesh;
    const icf_lid divisions[3] = {n, n, n};
    icf_tet_mesh_init(&mesh);
    icf_status status = icf_tet_mesh_box(context, &mesh, icf_vec3_make(1.0, 1.0, 1.0), divisions);
    for (int m = 0; m < ICF_ELASTIC_COUNT && status == ICF_OK; ++m)
        status = run_model(context, &mesh, (icf_elastic_model)m, seconds);
    icf_tet_mesh_clear(&mesh);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const icf_lid n = argc > 1 ? atoi(argv[1]) : 16;
    const double seconds = argc > 2 ? atof(argv[2]) : 0.2;
    icf_context context;
    icf_status status = icf_context_init(&context, MPI_COMM_WORLD, argc > 3 ? atoi(argv[3]) : 1);
    if (status == ICF_OK) {
        status = run(&context, n, seconds);
        if (status != ICF_OK) fprintf(stderr, "icf_fem_bench: %s\n", icf_status_text(status));
        icf_context_clear(&context);
    }
    MPI_Finalize();
    return icf_status_exit_code(status);
}
