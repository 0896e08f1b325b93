/* A settled step without output takes no heap memory of ours: icf_alloc, icf_grow and icf_renew are wrapped by the
 * linker (--wrap) and count; so is qsort, which takes memory of its own for more than a kilobyte. */
#include "unit/sample_scene.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "allocation/count_allocations.h"
#include "geometry/surface_tree.h"
#include "step/simulation.h"

typedef int compare_function(const void *a, const void *b);
void __real_qsort(void *base, size_t n, size_t size, compare_function *compare);
void __wrap_qsort(void *base, size_t n, size_t size, compare_function *compare);

void __wrap_qsort(void *base, size_t n, size_t size, compare_function *compare)
{
    if (n * size >= 1024) ++nalloc;
    __real_qsort(base, n, size, compare);
}

/* Bodies and scene of a test. */
typedef struct {
    icf_context context;
    icf_scene scene;
    icf_bodies bodies;
} sample;

static void sample_begin(sample *s)
{
    assert_int_equal(icf_context_init(&s->context, MPI_COMM_SELF, 1), ICF_OK);
    sample_scene_init(&s->scene, ICF_MODEL_LAGGED);
    s->scene.solver.linear = ICF_LINEAR_BLOCK;
    icf_bodies_init(&s->bodies);
}

static void sample_add(sample *s, const icf_body_def *def)
{
    assert_int_equal(icf_bodies_add(&s->bodies, def, true), ICF_OK);
}

/* Lets the bodies settle, then disturbs one after the other and counts; releases the sample. */
static void sample_run(sample *s, icf_cnt candidates)
{
    icf_simulation *simulation;
    icf_step_stats stats;
    const icf_lid nmoving = s->bodies.n - 1; // behind the ground
    assert_int_equal(icf_simulation_create(&s->context, &s->scene, &s->bodies, 0, &simulation), ICF_OK);
    for (int k = 0; k < 200; ++k) assert_int_equal(icf_simulation_step(simulation, &stats), ICF_OK);
    assert_true(stats.candidates > candidates);
    assert_true(nalloc > 0); /* the counter works */
    nalloc = 0;
    icf_cnt factorizations = 0;
    for (int k = 0; k < 200; ++k) {
        s->bodies.linear_velocity[1 + k % nmoving].x += 1e-3; /* so that there is something to solve */
        assert_int_equal(icf_simulation_step(simulation, &stats), ICF_OK);
        factorizations += stats.factorizations;
    }
    assert_true(factorizations > 100);
    assert_int_equal(nalloc, 0);
    icf_simulation_destroy(&simulation);
    icf_bodies_clear(&s->bodies);
    icf_scene_clear(&s->scene);
    icf_context_clear(&s->context);
}

static void settled_boxes_take_no_memory(void **state)
{
    (void)state;
    sample s;
    sample_begin(&s);
    const icf_body_def ground = sample_ground(0);
    sample_add(&s, &ground);
    for (int i = 0; i < 48; ++i) {
        const icf_vec3 at = {0.15 * (i % 4), 0.15 * (i / 4 % 4), 0.051 + 0.101 * (i / 16)};
        const icf_body_def def = sample_box(i + 1, 0.1, at);
        sample_add(&s, &def);
    }
    sample_run(&s, 100);
}

/* A flat height field whose cells are much smaller than the bodies. */
static icf_body_def add_field(sample *s)
{
    enum { n = 61 };
    static const double height[n * n];
    icf_rigid_surface *surface;
    assert_int_equal(icf_scene_add_rigid_surface(&s->scene, &surface), ICF_OK);
    surface->source = ICF_SURFACE_HEIGHTS;
    surface->grid = (icf_height_grid){{n, n}, {0.02, 0.02}, {-0.3, -0.3}};
    assert_int_equal(icf_rigid_surface_fill_heights(surface, height), ICF_OK);
    assert_int_equal(icf_triangle_mesh_finalize(&s->context, &surface->mesh, "field"), ICF_OK);
    assert_int_equal(icf_rigid_surface_finish(&s->context, surface), ICF_OK);
    assert_int_equal(icf_surface_tree_build(surface), ICF_OK);
    return sample_fixed(0, (icf_shape){.type = ICF_SHAPE_HEIGHT_FIELD,
                                       .radius = surface->radius,
                                       .extent = surface->extent,
                                       .surface = surface});
}

/* Four legs under a plate of four, one part as high as all of it. */
static icf_shape add_table(sample *s, icf_vec3 *inertia)
{
    const icf_shape leg = {.type = ICF_SHAPE_BOX, .extent = {0.01, 0.01, 0.05}},
                    plate = {.type = ICF_SHAPE_BOX, .extent = {0.03, 0.03, 0.02}};
    icf_part part[8];
    for (int k = 0; k < 8; ++k) {
        const double x = k & 1 ? 0.03 : -0.03, y = k & 2 ? 0.03 : -0.03;
        part[k] = (icf_part){.shape = k < 4 ? leg : plate, .position = {x, y, 0}, .orientation = {1, 0, 0, 0}};
    }
    icf_solid solid;
    int32_t index;
    icf_solid_init(&solid);
    assert_int_equal(icf_solid_build_compound(NULL, 8, part, ICF_SOLID_CENTRAL, &solid), ICF_OK);
    *inertia = solid.inertia;
    assert_int_equal(icf_scene_add_solid(&s->scene, &solid, &index), ICF_OK);
    return icf_solid_shape(&s->scene.solid[index], index);
}

/* Boxes and compounds on a mesh, compounds on compounds. */
static void settled_surfaces_and_parts_take_no_memory(void **state)
{
    (void)state;
    sample s;
    sample_begin(&s);
    const icf_body_def ground = add_field(&s);
    sample_add(&s, &ground);
    icf_vec3 inertia;
    const icf_shape table = add_table(&s, &inertia);
    for (int i = 0; i < 24; ++i) {
        const icf_vec3 at = {0.15 * (i % 4), 0.15 * (i / 4 % 3), 0.051 + 0.101 * (i / 12)};
        icf_body_def def = sample_box(i + 1, 0.1, at);
        if (i % 3 != 0) {
            def.shape = table;
            def.inertia = inertia;
        }
        sample_add(&s, &def);
    }
    sample_run(&s, 50);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(settled_boxes_take_no_memory),
                                       cmocka_unit_test(settled_surfaces_and_parts_take_no_memory)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
