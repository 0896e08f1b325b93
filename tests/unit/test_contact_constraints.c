/* Contact family: velocities, impulses and Hessian of a chain of bodies against finite differences of the cost,
 * with locked degrees of freedom and a moving first or second body alone. */
#include "sample_scene.h"

#include <math.h>
#include <string.h>

#include "solver/contact_constraints.h"
#include "solver/hessian.h"

enum { ncontact = 5, npair = 3, nbody = 4, ndof = 18 };

typedef struct fixture {
    icf_scene scene;
    icf_bodies bodies;
    icf_contacts contacts;
    icf_contact_constraints family;
    icf_problem problem;
    icf_hessian hessian;
    icf_lid block[nbody], pair[npair];
    int32_t dof[4];
    double momentum[3 * 36], v_star[ndof], v0[ndof], v[ndof];
    icf_contact_pair_view view[npair];
    icf_vec3 arm[ncontact];
    double held[ncontact][3], velocity[ncontact][3], direction[ncontact][3], dual[ncontact][2];
    icf_sym3 hessian_of[ncontact];
    double lanes[ICF_LAGGED_CONSTANTS][ncontact];
} fixture;

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) - 0.5;
}

static void add(fixture *f, icf_body_def def)
{
    assert_int_equal(icf_bodies_add(&f->bodies, &def, true), ICF_OK);
}

/* Bodies 0 fixed, 1, 2 (vx and wy locked), 3; pairs (0,1), (1,2), (2,3) with 2, 2 and 1 contacts. */
static void set_up(fixture *f, icf_model model)
{
    memset(f, 0, sizeof *f);
    sample_scene_init(&f->scene, model);
    icf_bodies_init(&f->bodies);
    add(f, sample_ground(0));
    add(f, sample_box(1, 0.2, icf_vec3_make(0.1, 0, 0.1)));
    icf_body_def locked = sample_box(2, 0.2, icf_vec3_make(0, 0.2, 0.3));
    locked.locked = ICF_DOF_VX | ICF_DOF_WY;
    add(f, locked);
    add(f, sample_sphere(3, 0.1, icf_vec3_make(0, 0.1, 0.5)));

    icf_contacts_init(&f->contacts);
    assert_int_equal(icf_contacts_resize(&f->contacts, npair, ncontact), ICF_OK);
    const icf_lid begin[npair + 1] = {0, 2, 4, 5};
    memcpy(f->contacts.pair_begin, begin, sizeof begin);
    unsigned state = 7;
    for (icf_lid k = 0; k < npair; ++k) {
        f->contacts.pair[k] = (icf_pair){k, k + 1};
        f->pair[k] = k;
        for (icf_lid i = begin[k]; i < begin[k + 1]; ++i) {
            const icf_vec3 normal = icf_unit(icf_vec3_make(noise(&state), noise(&state), 1.0));
            f->contacts.point[i] = icf_vec3_make(noise(&state), noise(&state), 0.2 * k);
            f->contacts.frame[i] = icf_contact_frame(normal, NULL);
            f->contacts.w[i] = 1.0;
            for (int c = 0; c < 3; ++c) f->contacts.bias[i][c] = 0.01 * noise(&state);
            icf_law_init(&f->contacts.law[i], &f->scene.contact, &f->scene.combined[0], 0.005, -1e-3, -0.1, 1.0);
        }
    }
    for (icf_lid i = 0; i < nbody; ++i) f->block[i] = i - 1;
    for (int b = 0; b < 4; ++b) f->dof[b] = 6 * b;
    for (int b = 0; b < 3; ++b)
        for (int i = 0; i < 6; ++i) f->momentum[36 * b + 7 * i] = 1.0 + i;
    icf_lagged_lanes lanes;
    for (int k = 0; k < ICF_LAGGED_CONSTANTS; ++k) lanes.value[k] = f->lanes[k];
    icf_contact_constraints_init(&f->family, &f->bodies, &f->contacts, npair, f->pair, f->block, f->dof,
                                 (icf_contact_iterates){.view = f->view,
                                                        .arm = f->arm,
                                                        .held = f->held,
                                                        .velocity = f->velocity,
                                                        .direction = f->direction,
                                                        .dual = f->dual,
                                                        .hessian = f->hessian_of,
                                                        .lanes = lanes});
    f->problem = (icf_problem){.nblock = 3,
                               .dof = f->dof,
                               .momentum = f->momentum,
                               .v_star = f->v_star,
                               .v0 = f->v0,
                               .nfamily = 1,
                               .family = {&f->family.base}};
    icf_hessian_init(&f->hessian);
    for (int i = 0; i < ndof; ++i) f->v[i] = 0.05 * noise(&state);
    f->v[6] = f->v[10] = 0.0; /* locked */
}

static void tear_down(fixture *f)
{
    icf_hessian_clear(&f->hessian);
    icf_contacts_clear(&f->contacts);
    icf_bodies_clear(&f->bodies);
    icf_scene_clear(&f->scene);
}

static double cost(fixture *f, const double *v, double *impulse)
{
    memset(impulse, 0, ndof * sizeof *impulse);
    f->family.base.ops->set_velocity(&f->family.base, v);
    return f->family.base.ops->evaluate(&f->family.base, impulse);
}

static bool is_locked(int i)
{
    return i == 6 || i == 10;
}

static void impulse_is_minus_the_gradient_of_the_cost(void **state)
{
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model) {
        fixture f;
        set_up(&f, model);
        double impulse[ndof], scratch[ndof];
        cost(&f, f.v, impulse);
        for (int i = 0; i < ndof; ++i) {
            if (is_locked(i)) {
                assert_true(impulse[i] == 0.0);
                continue;
            }
            const double h = 1e-6, kept = f.v[i];
            f.v[i] = kept + h;
            const double up = cost(&f, f.v, scratch);
            f.v[i] = kept - h;
            const double down = cost(&f, f.v, scratch);
            f.v[i] = kept;
            assert_near(impulse[i], -(up - down) / (2 * h), 2e-5 * (1.0 + fabs(impulse[i])));
        }
        tear_down(&f);
    }
    (void)state;
}

/* With the dual at its exact start the direction Hessian is the derivative of the gradient. */
static void hessian_is_the_derivative_of_the_gradient(void **state)
{
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model) {
        fixture f;
        set_up(&f, model);
        assert_int_equal(icf_hessian_build(&f.hessian, &f.problem), ICF_OK);
        double impulse[ndof], up[ndof], down[ndof], x[ndof] = {0}, y[ndof], ax[ndof];
        cost(&f, f.v, impulse);
        f.family.base.ops->start_dual(&f.family.base, true);
        cost(&f, f.v, impulse);
        icf_hessian_update(&f.hessian, &f.problem);
        double largest = 0.0;
        for (int64_t e = 0; e < f.hessian.matrix.nval; ++e) largest = fmax(largest, fabs(f.hessian.matrix.val[e]));
        for (int j = 0; j < ndof; ++j) {
            x[j] = 1.0;
            icf_block_matrix_multiply(&f.hessian.matrix, x, y);
            icf_problem_momentum(&f.problem, x, ax);
            x[j] = 0.0;
            const double h = 1e-7, kept = f.v[j];
            f.v[j] = kept + h;
            cost(&f, f.v, up);
            f.v[j] = kept - h;
            cost(&f, f.v, down);
            f.v[j] = kept;
            for (int i = 0; i < ndof; ++i) {
                const double expected = is_locked(j) ? 0.0 : -(up[i] - down[i]) / (2 * h);
                assert_near(y[i] - ax[i], expected, 1e-5 * largest);
            }
        }
        tear_down(&f);
    }
    (void)state;
}

static void slope_is_the_derivative_along_the_direction(void **state)
{
    fixture f;
    set_up(&f, ICF_MODEL_LAGGED);
    double impulse[ndof], dv[ndof], at[ndof];
    unsigned seed = 3;
    for (int i = 0; i < ndof; ++i) dv[i] = is_locked(i) ? 0.0 : noise(&seed);
    cost(&f, f.v, impulse);
    f.family.base.ops->set_direction(&f.family.base, dv);
    double slope = 0.0, curvature = 0.0;
    assert_true(f.family.base.ops->slope(&f.family.base, 0.03, &slope, &curvature));
    for (int i = 0; i < ndof; ++i) at[i] = f.v[i] + 0.03 * dv[i];
    cost(&f, at, impulse);
    double expected = 0.0;
    for (int i = 0; i < ndof; ++i) expected -= dv[i] * impulse[i];
    assert_near(slope, expected, 1e-10 * fabs(expected));
    assert_true(curvature > 0.0);
    tear_down(&f);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulse_is_minus_the_gradient_of_the_cost),
        cmocka_unit_test(hessian_is_the_derivative_of_the_gradient),
        cmocka_unit_test(slope_is_the_derivative_along_the_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
