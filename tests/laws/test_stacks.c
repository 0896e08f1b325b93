/* Stacks stand still: ten boxes, and a gram under a ton, for ten seconds.
 *
 * At rest four corners carry the weight above an interface, each F/4 = k delta with the model's stiffness k, which
 * is the pair's, but for SAP at most that of the near-rigid clamp, R_n >= beta^2 w / (4 pi^2): then
 * k = 1 / (dt (dt + tau) R_n).  Nothing pushes sideways, so that nothing may move once the fall from the first
 * contact to that depth is damped.
 *
 * Boxes start with a gap of a micrometre: those above the first fall alike in the first step, and must find each other
 * all the same.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "laws/world.h"

static const double edge = 0.1, overlap = -1e-6, tau = 1e-4, duration = 10.0;
enum { nbox_max = 10 };

static void build_stack(world *w, int n, const double *mass, double shift)
{
    const icf_vec3 half = {edge / 2, edge / 2, edge / 2};
    world_add(w, ground_def(icf_vec3_make(0, 0, 1)));
    for (int i = 0; i < n; ++i) {
        const icf_vec3 at = {i % 2 ? shift : -shift, i % 3 ? shift : -shift, edge * (i + 0.5) - overlap * (i + 1)};
        world_add(w, box_def(mass[i], half, at));
    }
    world_start(w);
}

static double used_stiffness(const world *w, double contact_w)
{
    const double k = w->scene.combined[0].stiffness, dt = w->scene.time.step;
    if (w->scene.contact.model != ICF_MODEL_SAP || w->scene.contact.near_rigid == 0.0) return k;
    const double turn = 2 * acos(-1.0) / w->scene.contact.near_rigid;
    return fmin(k, turn * turn / (contact_w * dt * (dt + tau)));
}

/* Depth of the interface below body i, all corners alike. */
static double resting_depth(const world *w, icf_lid i, double contact_w)
{
    double weight = 0.0;
    for (icf_lid j = i; j < w->bodies.n; ++j) weight += gravity * w->bodies.mass[j];
    return weight / 4 / used_stiffness(w, contact_w);
}

/* Largest distance of a box from where it should rest: its start less the depths below it. */
static double displacement(const world *w, const icf_vec3 *start)
{
    const icf_contacts *contacts = world_contacts(w);
    double sunk = 0.0, largest = 0.0;
    for (icf_lid i = 1; i < w->bodies.n; ++i) {
        sunk += resting_depth(w, i, contacts->w[contacts->pair_begin[i - 1]]);
        icf_vec3 rest = start[i];
        rest.z -= sunk;
        largest = fmax(largest, icf_norm(icf_sub(w->bodies.position[i], rest)));
    }
    return largest;
}

static double largest_speed(const world *w)
{
    double speed = 0.0;
    for (icf_lid i = 1; i < w->bodies.n; ++i) {
        const double spin = icf_norm(w->bodies.angular_velocity[i]) * w->bodies.radius[i];
        speed = fmax(speed, icf_norm(w->bodies.linear_velocity[i]) + spin);
    }
    return speed;
}

/* Runs for ten seconds; gives the largest displacement after the first second and the largest speed after quiet [s]. */
static void stand(world *w, double quiet, double *drift, double *speed)
{
    icf_vec3 start[nbox_max + 1];
    for (icf_lid i = 0; i < w->bodies.n; ++i) start[i] = w->bodies.position[i];
    *drift = *speed = 0.0;
    const long n = lround(duration / w->scene.time.step);
    for (long k = 0; k < n; ++k) {
        world_step(w);
        assert_int_equal(w->stats.substeps, 1);
        if (w->stats.time < 1.0) continue;
        assert_int_equal(world_contacts(w)->npair, w->bodies.n - 1);
        *drift = fmax(*drift, displacement(w, start));
        if (w->stats.time > quiet) *speed = fmax(*speed, largest_speed(w));
    }
}

/* Every corner is as deep as its quarter of the weight above asks for. */
static void check_depths(const world *w)
{
    const icf_contacts *contacts = world_contacts(w);
    assert_int_equal(contacts->npair, w->bodies.n - 1);
    for (icf_lid p = 0; p < contacts->npair; ++p) {
        assert_int_equal(contacts->pair_begin[p + 1] - contacts->pair_begin[p], 4);
        for (icf_lid i = contacts->pair_begin[p]; i < contacts->pair_begin[p + 1]; ++i) {
            const double depth = resting_depth(w, contacts->pair[p].b, contacts->w[i]);
            assert_near(-contacts->distance[i], depth, 1e-3 * depth + 1e-12);
        }
    }
}

/* SAP's clamp makes a tower of ten soft: a crooked one sways, and comes to rest only within seconds. */
static void ten_boxes(icf_model model, double dt, double shift)
{
    world w;
    double mass[nbox_max], drift, speed;
    for (int i = 0; i < nbox_max; ++i) mass[i] = 1.0;
    world_init(&w, model, dt, (contact_values){1e7, 10.0, tau, 1.0});
    build_stack(&w, nbox_max, mass, shift);
    stand(&w, model == ICF_MODEL_SAP ? 9.0 : 1.0, &drift, &speed);
    print_message("ten boxes %-8s dt %g shift %g: drift %.2e m, speed %.2e m/s, penetration %.2e m\n",
                  model_name(model), dt, shift, drift, speed, w.stats.penetration_max);
    if (shift == 0.0) check_depths(&w);
    assert_true(drift < 1e-3);
    assert_true(speed < 1e-4);
    world_clear(&w);
}

static void ten_boxes_stand_still(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m)
        for (int k = 0; k < 2; ++k) {
            ten_boxes(all_models[m], k ? 0.01 : 0.002, 0.0);
            ten_boxes(all_models[m], k ? 0.01 : 0.002, 0.002);
        }
}

static void gram_under_ton(icf_model model, double dt)
{
    world w;
    const double mass[2] = {1e-3, 1e3};
    double drift, speed;
    world_init(&w, model, dt, (contact_values){1e8, 10.0, tau, 1.0});
    if (model == ICF_MODEL_SAP) w.scene.contact.near_rigid = 0.0;
    build_stack(&w, 2, mass, 0.0);
    stand(&w, 1.0, &drift, &speed);
    print_message("gram under a ton %-8s dt %g: drift %.2e m, speed %.2e m/s, penetration %.2e m\n", model_name(model),
                  dt, drift, speed, w.stats.penetration_max);
    check_depths(&w);
    assert_true(drift < 1e-3);
    assert_true(speed < 1e-4);
    world_clear(&w);
}

static void a_gram_carries_a_ton(void **state)
{
    (void)state;
    for (int m = 0; m < nmodel; ++m)
        for (int k = 0; k < 2; ++k) gram_under_ton(all_models[m], k ? 0.01 : 0.002);
}

/* What a world's creation prints on standard error. */
static void capture_start(double near_rigid, icf_model model, char *text, size_t size)
{
    world w;
    const double mass[2] = {1e-3, 1e3};
    FILE *file = tmpfile();
    assert_non_null(file);
    world_init(&w, model, 0.01, (contact_values){1e8, 10.0, tau, 1.0});
    w.scene.contact.near_rigid = near_rigid;
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    build_stack(&w, 2, mass, 0.0);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    world_clear(&w);
}

static void the_clamp_is_warned_of(void **state)
{
    (void)state;
    char text[1024];
    capture_start(1.0, ICF_MODEL_SAP, text, sizeof text);
    assert_non_null(strstr(text, "icf: warning: masses differ by a factor of 1e+06"));
    assert_non_null(strstr(text, "near_rigid"));
    capture_start(0.0, ICF_MODEL_SAP, text, sizeof text);
    assert_string_equal(text, "");
    capture_start(1.0, ICF_MODEL_LAGGED, text, sizeof text);
    assert_string_equal(text, "");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_boxes_stand_still),
        cmocka_unit_test(a_gram_carries_a_ton),
        cmocka_unit_test(the_clamp_is_warned_of),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
