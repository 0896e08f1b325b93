/* The clutter of ICF XII-A with the three models and eight decades of stiffness: every step converges, nothing
 * escapes, the heap settles, and energy obeys the law that convexity gives.
 *
 * Energy.  A step solves M (v - v*) = J^T gamma, v* = v0 + dt g, and x1 = x0 + dt v.  Spheres and cubes have no
 * gyroscopic term and the same M in every pose, so that the energies T of motion and V of gravity change by
 *     T1 + V1 - T0 - V0 = v.M(v - v0) - |v - v0|_M^2 / 2 - dt v.M g = gamma.vc - |v - v0|_M^2 / 2.
 * gamma = -grad l of a convex cost l >= 0 of the contact velocity, so gamma.vc <= l(0) - l(vc), and
 *     T1 + V1 + l(vc) <= T0 + V0 + l(0).
 * For every model l(0), the cost of standing still, is at most the energy k (phi0)-^2 / 2 of the spring (equal
 * without dissipation).  Nothing else may add energy.
 *
 * Penetration.  At rest a contact under the force F is F/k deep.  A sphere on the floor weighs 5.1 N, ten boxes
 * 98 N: the deepest contact of a heap that has come to rest is within these bounds over k.
 */
#include <mpi.h>
#include <stdlib.h>

#include "laws/clutter.h"

enum { least_exponent = 4, most_exponent = 12, nstiffness = most_exponent - least_exponent + 1 };
static const double duration = 3.0, tau = 1e-4;

/* What a run is judged by. */
typedef struct report {
    double stiffness;
    double iterations_mean;  /* over the steps with contacts, of the mean over islands */
    double iterations_worst; /* over the steps with contacts, of the worst island */
    icf_cnt iterations_max;
    icf_cnt roundoff;  /* islands */
    icf_cnt retried;   /* steps redone in substeps */
    double residual;   /* largest, SAP (32) */
    double deepest;    /* penetration of the whole run [m] */
    double resting;    /* penetration at its end [m] */
    double kinetic;    /* at the end [J] */
    double box_speed;  /* median at the end [m/s] */
    double released;   /* T + V at the start less that at the end [J] */
    double excess;     /* largest T1 + V1 + l(vc) - T0 - V0 - l(0) of a step, in units of its tolerance */
    double imbalance;  /* largest error of the momentum balance of a step, in units of its tolerance */
    uint64_t checksum; /* of the last state */
} report;

/* Stiffness of a contact as the model uses it: SAP's is bounded by the near-rigid clamp,
 * R_n >= beta^2 w / (4 pi^2) and k = 1 / (dt (dt + tau) R_n). */
static double used_stiffness(const world *w, double contact_w)
{
    const double k = w->scene.combined[0].stiffness, dt = w->scene.time.step,
                 turn = 2 * acos(-1.0) / w->scene.contact.near_rigid;
    if (w->scene.contact.model != ICF_MODEL_SAP) return k;
    return fmin(k, turn * turn / (contact_w * dt * (dt + tau)));
}

/* Sum of k (phi0)-^2 / 2 over the last step's contacts. */
static double stored_energy(const world *w)
{
    const icf_contacts *contacts = world_contacts(w);
    double energy = 0.0;
    for (icf_lid i = 0; i < contacts->n; ++i) {
        const double depth = fmax(0.0, -contacts->distance[i]);
        energy += 0.5 * used_stiffness(w, contacts->w[i]) * depth * depth;
    }
    return energy;
}

static double total_mass(const world *w)
{
    double mass = 0.0;
    for (icf_lid i = clutter_first; i < w->bodies.n; ++i) mass += w->bodies.mass[i];
    return mass;
}

/* Bound of the scale of the stop test, max(|D A v|, |D J^T gamma|): J^T gamma = M (v - v*), |D A v|^2 = 2 T. */
static double impulse_scale(const world *w, double kinetic_before)
{
    return sqrt(2 * w->stats.kinetic_energy) + sqrt(2 * kinetic_before) +
           w->scene.time.step * gravity * sqrt(total_mass(w));
}

/* What an inexact solution may add, |v.r| <= |D^-1 v| |D r| with |D^-1 v|^2 = 2 T1 for a diagonal mass matrix and
 * |D r| <= residual times the scale; and round-off. */
static double energy_tolerance(const world *w, double kinetic_before)
{
    const double speed = sqrt(2 * w->stats.kinetic_energy);
    return w->stats.momentum_residual * speed * impulse_scale(w, kinetic_before) + 1e-13 * w->stats.potential_energy;
}

static icf_vec3 momentum(const world *w)
{
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid i = clutter_first; i < w->bodies.n; ++i)
        sum = icf_mul_add(sum, w->bodies.mass[i], w->bodies.linear_velocity[i]);
    return sum;
}

/* Impulse of floor and walls on the bodies in the last step; they have the lower ids. */
static icf_vec3 outer_impulse(const world *w)
{
    const icf_contacts *contacts = world_contacts(w);
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid k = 0; k < contacts->npair; ++k)
        for (icf_lid i = contacts->pair_begin[k]; i < contacts->pair_begin[k + 1]; ++i)
            if (contacts->pair[k].a < clutter_first) sum = icf_add(sum, icf_contacts_world_impulse(contacts, i));
    return sum;
}

/* P1 - P0 = dt m g + impulse from outside; sqrt(m) |D r| is what the residual leaves. */
static double momentum_error(const world *w, icf_vec3 before, double kinetic_before)
{
    const double mass = total_mass(w), dt = w->scene.time.step;
    const icf_vec3 change = icf_sub(momentum(w), before);
    const icf_vec3 expected = icf_mul_add(outer_impulse(w), dt * mass, w->scene.gravity);
    const double tolerance = sqrt(mass) * w->stats.momentum_residual * impulse_scale(w, kinetic_before) + 1e-13 * mass;
    return icf_norm(icf_sub(change, expected)) / tolerance;
}

/* Every surface is at least a radius from its body's centre; the way to the top is free. */
static void check_nothing_escapes(const world *w)
{
    const double allowed = 2 * w->stats.penetration_max + 1e-6;
    const double inside = clutter_half_width - clutter_radius + allowed;
    for (icf_lid i = clutter_first; i < w->bodies.n; ++i) {
        const icf_vec3 x = w->bodies.position[i];
        assert_true(fabs(x.x) <= inside && fabs(x.y) <= inside);
        assert_true(x.z >= clutter_radius - allowed && x.z <= 1.2);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_box_speed(const world *w)
{
    double speed[nclutter];
    size_t n = 0;
    for (icf_lid i = clutter_first; i < w->bodies.n; ++i)
        if (w->bodies.shape[i].type == ICF_SHAPE_BOX) speed[n++] = icf_norm(w->bodies.linear_velocity[i]);
    qsort(speed, n, sizeof *speed, compare);
    return speed[n / 2];
}

static void record_step(report *r, const icf_step_stats *stats)
{
    r->iterations_max = ICF_MAX(r->iterations_max, stats->iterations_max);
    r->roundoff += stats->roundoff;
    r->retried += stats->substeps > 1;
    r->deepest = fmax(r->deepest, stats->penetration_max);
    r->residual = fmax(r->residual, stats->momentum_residual);
}

static void record_end(report *r, const world *w, double energy_at_start)
{
    r->resting = w->stats.penetration_max;
    r->kinetic = w->stats.kinetic_energy;
    r->released = energy_at_start - world_energy(w);
    r->box_speed = median_box_speed(w);
    r->checksum = icf_bodies_checksum(&w->bodies);
}

/* A step and what it does to energy and momentum; a step in substeps shows only the contacts of its last part. */
static void step_and_balance(world *w, report *r)
{
    const double energy = world_energy(w), kinetic = w->stats.kinetic_energy;
    const icf_vec3 before = momentum(w);
    world_step(w);
    record_step(r, &w->stats);
    if (w->stats.substeps > 1) return;
    const double excess = world_energy(w) + w->stats.contact_cost - energy - stored_energy(w);
    r->excess = fmax(r->excess, excess / energy_tolerance(w, kinetic));
    r->imbalance = fmax(r->imbalance, momentum_error(w, before, kinetic));
}

static report run_clutter(icf_model model, double dt, double stiffness)
{
    world w;
    report r = {.stiffness = stiffness, .excess = -INFINITY};
    world_init(&w, model, dt, (contact_values){stiffness, 10.0, tau, 1.0});
    w.context.nthread = 2;
    clutter_fill(&w);
    world_start(&w);
    const double energy_at_start = world_energy(&w);
    const long n = lround(duration / dt);
    long touching = 0;
    for (long k = 0; k < n; ++k) {
        step_and_balance(&w, &r);
        touching += w.stats.islands > 0;
        r.iterations_mean += w.stats.iterations_mean;
        r.iterations_worst += (double)w.stats.iterations_max;
    }
    r.iterations_mean /= (double)touching;
    r.iterations_worst /= (double)touching;
    record_end(&r, &w, energy_at_start);
    check_nothing_escapes(&w);
    world_clear(&w);
    return r;
}

static void print_reports(icf_model model, const report *r)
{
    print_message("%s\n k [N/m]  iterations: mean, worst island, largest; round-off, retried | penetration: deepest, "
                  "resting [m] | kinetic [J] | boxes [m/s] | residual | energy, momentum error over tolerance\n",
                  model_name(model));
    for (int e = 0; e < nstiffness; ++e)
        print_message("  %5.0e  %6.2f %6.2f %4lld  %4lld %3lld | %9.2e %9.2e | %8.2e | %8.2e | %8.2e | %8.1e %8.1e\n",
                      r[e].stiffness, r[e].iterations_mean, r[e].iterations_worst, (long long)r[e].iterations_max,
                      (long long)r[e].roundoff, (long long)r[e].retried, r[e].deepest, r[e].resting, r[e].kinetic,
                      r[e].box_speed, r[e].residual, r[e].excess, r[e].imbalance);
}

static void sweep(icf_model model, report *r)
{
    for (int e = 0; e < nstiffness; ++e) r[e] = run_clutter(model, 0.002, pow(10.0, least_exponent + e));
    print_reports(model, r);
    for (int e = 0; e < nstiffness; ++e) {
        assert_true(r[e].residual <= 1e-5);
        assert_true(r[e].excess <= 1.0);
        assert_true(r[e].imbalance <= 1.0);
    }
}

/* All but half a percent of the energy that was released is gone; what is left are spheres, which nothing keeps
 * from rolling.  Boxes creep less than the stiction tolerance, unless soft contacts let them rock. */
static void check_settled(const report *r)
{
    assert_true(r->released > 50.0);
    assert_true(r->kinetic < 5e-3 * r->released);
    if (r->stiffness >= 1e6) assert_true(r->box_speed < 1e-4);
}

static void check_resting_depth(const report *r)
{
    assert_true(r->resting * r->stiffness >= 0.524 * gravity * 0.99);
    assert_true(r->resting * r->stiffness <= 10 * 1.0 * gravity);
}

/* From 1e5 to 1e7 N/m the iterations stay within 30 % of their mean. */
static void check_iterations_flat(const report *r)
{
    const report *from = &r[5 - least_exponent];
    const double mean = (from[0].iterations_worst + from[1].iterations_worst + from[2].iterations_worst) / 3;
    for (int e = 0; e < 3; ++e) assert_near(from[e].iterations_worst, mean, 0.3 * mean);
}

static void lagged(void **state)
{
    (void)state;
    report r[nstiffness];
    sweep(ICF_MODEL_LAGGED, r);
    check_iterations_flat(r);
    for (int e = 0; e < nstiffness; ++e) {
        assert_int_equal(r[e].retried, 0);
        assert_true(r[e].iterations_worst <= 12.0);
        check_settled(&r[e]);
        check_resting_depth(&r[e]);
    }
}

/* Beyond 1e10 N/m single steps need more than the allowed iterations and are redone in substeps. */
static void similar(void **state)
{
    (void)state;
    report r[nstiffness];
    sweep(ICF_MODEL_SIMILAR, r);
    check_iterations_flat(r);
    for (int e = 0; e < nstiffness; ++e) {
        if (r[e].stiffness < 1e11) assert_int_equal(r[e].retried, 0);
        check_settled(&r[e]);
        check_resting_depth(&r[e]);
    }
}

/* w of a contact at least 0.05 m from a centre of mass is so large that the clamp acts everywhere from 1e7 N/m on:
 * W >= (1/m) diag(2.5, 2.5, 1) for a box of 1 kg, w >= 1.22 / kg, k <= 4 pi^2 / (w dt (dt + tau)) = 7.7e6 N/m. */
static void sap(void **state)
{
    (void)state;
    report r[nstiffness];
    sweep(ICF_MODEL_SAP, r);
    check_iterations_flat(r);
    for (int e = 0; e < nstiffness; ++e) {
        assert_int_equal(r[e].retried, 0);
        assert_true(r[e].iterations_worst <= 12.0);
        check_settled(&r[e]);
    }
    for (int e = 4; e <= 6; ++e) check_resting_depth(&r[e - least_exponent]);
    for (int e = 8; e <= most_exponent; ++e)
        assert_true(r[e - least_exponent].checksum == r[7 - least_exponent].checksum);
}

/* Smaller steps start nearer to their solution and have softer contacts (dt^2 k w): Lagged and Similar need fewer
 * iterations.  From 10 ms to 1 ms the counts of the worst island must fall by a fifth at least. */
static void smaller_steps_take_fewer_iterations(void **state)
{
    (void)state;
    const double steps[] = {0.01, 0.005, 0.002, 0.001};
    for (int m = 0; m < nmodel; ++m) {
        report r[4];
        for (int k = 0; k < 4; ++k) {
            r[k] = run_clutter(all_models[m], steps[k], 1e7);
            print_message("%-8s dt %g: iterations mean %.2f, worst island %.2f, largest %lld; resting %.2e m\n",
                          model_name(all_models[m]), steps[k], r[k].iterations_mean, r[k].iterations_worst,
                          (long long)r[k].iterations_max, r[k].resting);
            assert_int_equal(r[k].retried, 0);
            assert_true(r[k].residual <= 1e-5 && r[k].excess <= 1.0 && r[k].imbalance <= 1.0);
        }
        if (all_models[m] != ICF_MODEL_SAP) assert_true(r[3].iterations_worst < 0.8 * r[0].iterations_worst);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lagged),
        cmocka_unit_test(sap),
        cmocka_unit_test(similar),
        cmocka_unit_test(smaller_steps_take_fewer_iterations),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
