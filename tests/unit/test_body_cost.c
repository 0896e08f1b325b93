/* Costs of bodies: whose contacts are, that counts of a solved step agree with their sum by hand, and the mean over
 * steps. */
#include <string.h>

#include "step/body_cost.h"
#include "step/cost.h"
#include "unit/sample_scene.h"

enum { nbody = 4, npair = 2 };

/* The ground, a box on it, a box on that, and one that touches nothing; four contacts, then two. */
typedef struct sample {
    icf_bodies bodies;
    icf_contacts contacts;
    icf_pair pair[npair];
    icf_lid begin[npair + 1];
} sample;

static void make_sample(sample *s)
{
    icf_bodies_init(&s->bodies);
    const icf_body_def ground = sample_ground(0);
    assert_int_equal(icf_bodies_add(&s->bodies, &ground, true), ICF_OK);
    for (icf_gid gid = 1; gid < nbody; ++gid) {
        const icf_body_def box = sample_box(gid, 0.1, icf_vec3_make(0.0, 0.0, 0.1 * (double)gid));
        assert_int_equal(icf_bodies_add(&s->bodies, &box, true), ICF_OK);
    }
    s->pair[0] = (icf_pair){0, 1};
    s->pair[1] = (icf_pair){1, 2};
    s->begin[0] = 0;
    s->begin[1] = 4;
    s->begin[2] = 6;
    s->contacts = (icf_contacts){.n = 6, .npair = npair, .pair = s->pair, .pair_begin = s->begin};
}

/* Contacts with the ground are the box's alone, others are shared. */
static void contacts_are_those_of_moving_bodies(void **state)
{
    (void)state;
    sample s;
    double cost[nbody];
    make_sample(&s);
    icf_body_costs_guess(&s.bodies, &(icf_split_motions){0}, &s.contacts, cost);
    const double alone = cost[3];
    assert_true(cost[0] == 0.0 && alone > 0.0 && cost[2] > alone);
    assert_near(cost[1] - alone, 5.0 * (cost[2] - alone), 1e-12 * cost[1]);
    icf_bodies_clear(&s.bodies);
}

/* A solved island of both boxes: all that its iterations took, once. */
static void an_island_is_counted_once(void **state)
{
    (void)state;
    sample s;
    double cost[nbody];
    icf_domain domain = {0};
    bool skip = false;
    icf_newton_result result = {
        .iterations = 3, .factorizations = 3, .line_search = 7, .flops = 5000.0, .values = 300.0};
    make_sample(&s);
    domain.bodies = &s.bodies;
    domain.contacts = s.contacts;
    domain.skip = &skip;
    domain.result = &result;
    icf_islands_init(&domain.islands);
    assert_int_equal(icf_islands_build(&domain.islands, &s.bodies, npair, s.pair), ICF_OK);
    assert_int_equal(domain.islands.n, 1);
    icf_body_costs(&domain, cost);

    const icf_cost_rates r = icf_cost_rates_default();
    const double geometry = 2.0 * r.body * 4.0 / 3.0 + 6.0 * r.found;
    const double contacts = 6.0 * (4.0 * r.assembly + 7.0 * r.line_search);
    const double bodies =
        2.0 * (r.island_body + r.analysis + 4.0 * r.assembly_body + 3.0 * (r.factor_body + r.solve_body));
    const double expected = geometry + contacts + bodies + 5000.0 * r.flop + 300.0 * r.solve_value;
    assert_near(cost[1] + cost[2], expected, 1e-12 * expected);
    assert_near(cost[3], r.body * 4.0 / 3.0, 1e-20);
    assert_true(cost[0] == 0.0);

    /* solved elsewhere: as if it took the usual iterations */
    skip = true;
    double guess[nbody];
    icf_body_costs(&domain, cost);
    icf_body_costs_guess(&s.bodies, &(icf_split_motions){0}, &s.contacts, guess);
    for (int i = 0; i < 3; ++i) assert_near(cost[i], guess[i], 1e-12 * guess[i]);
    icf_islands_clear(&domain.islands);
    icf_bodies_clear(&s.bodies);
}

/* The first step is the mean, later ones move it by an eighth; bodies that do not move have none. */
static void the_mean_follows_the_steps(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    icf_body_costs_keep(&s.bodies, (const double[nbody]){9.0, 8.0, 16.0, 1.0});
    icf_body_costs_keep(&s.bodies, (const double[nbody]){9.0, 16.0, 16.0, 0.5});
    const double expected[nbody] = {0.0, 9.0, 16.0, 0.9375};
    assert_memory_equal(s.bodies.cost, expected, sizeof expected);
    icf_bodies_clear(&s.bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_moving_bodies),
        cmocka_unit_test(an_island_is_counted_once),
        cmocka_unit_test(the_mean_follows_the_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
