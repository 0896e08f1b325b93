/* Materials: combination rules by numbers worked by hand, symmetry to the last bit, what no rule covers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "scene/material.h"

static icf_material material(icf_normal_law law, double stiffness, double dissipation, double tau, double mu)
{
    icf_material m = icf_material_default();
    m.normal = law;
    m.stiffness = stiffness;
    m.dissipation = dissipation;
    m.relaxation_time = tau;
    m.friction[0] = m.friction[1] = mu;
    return m;
}

static icf_material combine(const icf_material *a, const icf_material *b, const icf_material *pair)
{
    icf_material combined;
    const char *why;
    assert_int_equal(icf_material_combine(a, b, pair, &combined, &why), ICF_OK);
    assert_null(why);
    return combined;
}

static void assert_refused(const icf_material *a, const icf_material *b, const icf_material *pair)
{
    icf_material combined;
    const char *why;
    assert_int_equal(icf_material_combine(a, b, pair, &combined, &why), ICF_ERROR_SCENE);
    assert_non_null(why);
}

static void assert_same_bits(double a, double b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

/* k = 1e6 3e6/4e6 = 7.5e5, d = (3e6 10 + 1e6 20)/4e6 = 12.5, tau = 0.03, mu = 2 0.5 0.3/0.8 = 0.375. */
static void linear_rule_by_hand(void **state)
{
    (void)state;
    const icf_material a = material(ICF_NORMAL_LINEAR, 1e6, 10.0, 0.01, 0.5);
    const icf_material b = material(ICF_NORMAL_LINEAR, 3e6, 20.0, 0.02, 0.3);
    const icf_material c = combine(&a, &b, NULL);
    assert_int_equal(c.normal, ICF_NORMAL_LINEAR);
    assert_near(c.stiffness, 7.5e5, 1e-9);
    assert_near(c.dissipation, 12.5, 1e-14);
    assert_near(c.relaxation_time, 0.03, 1e-17);
    assert_near(c.friction[0], 0.375, 1e-16);
    assert_near(c.friction[1], 0.375, 1e-16);
    assert_false(c.anisotropic);
}

/* k^(-2/3) = 1e-4 + 4e-4 for kA = 1e6 and kB = 1.25e5: k = (5e-4)^(-3/2) = 89442.719... */
static void hertz_rule_by_hand(void **state)
{
    (void)state;
    const icf_material a = material(ICF_NORMAL_HERTZ, 1e6, 0.0, 0.0, 0.0);
    const icf_material b = material(ICF_NORMAL_HERTZ, 1.25e5, 0.0, 0.0, 0.0);
    assert_near(combine(&a, &b, NULL).stiffness, 89442.719099991588, 1e-9);
    assert_near(combine(&a, &a, NULL).stiffness, 1e6 / sqrt(8.0), 1e-9);
}

static void material_with_itself(void **state)
{
    (void)state;
    const icf_material a = material(ICF_NORMAL_LINEAR, 1.7e6, 0.3, 0.07, 0.1);
    const icf_material c = combine(&a, &a, NULL);
    assert_same_bits(c.stiffness, 0.5 * a.stiffness);
    assert_same_bits(c.dissipation, a.dissipation);
    assert_same_bits(c.relaxation_time, 2.0 * a.relaxation_time);
    assert_same_bits(c.friction[0], a.friction[0]);
}

static void frictionless_is_zero_not_nan(void **state)
{
    (void)state;
    const icf_material smooth = material(ICF_NORMAL_LINEAR, 1e6, 1.0, 0.1, 0.0);
    const icf_material rough = material(ICF_NORMAL_LINEAR, 1e6, 1.0, 0.1, 0.7);
    assert_true(combine(&smooth, &smooth, NULL).friction[0] == 0.0);
    assert_true(combine(&smooth, &rough, NULL).friction[0] == 0.0);
}

/* The rigid side leaves stiffness and dissipation to the other one. */
static void one_side_may_be_rigid(void **state)
{
    (void)state;
    for (int law = ICF_NORMAL_LINEAR; law <= ICF_NORMAL_HERTZ; ++law) {
        const icf_material rigid = material((icf_normal_law)law, INFINITY, 5.0, 0.1, 0.5);
        const icf_material soft = material((icf_normal_law)law, 2e5, 10.0, 0.1, 0.5);
        assert_same_bits(combine(&rigid, &soft, NULL).stiffness, 2e5);
        assert_same_bits(combine(&rigid, &soft, NULL).dissipation, 10.0);
        assert_same_bits(combine(&soft, &rigid, NULL).stiffness, 2e5);
        assert_same_bits(combine(&soft, &rigid, NULL).dissipation, 10.0);
        assert_refused(&rigid, &rigid, NULL);
        icf_material pair = {.given = ICF_MATERIAL_STIFFNESS, .stiffness = 3e7};
        assert_same_bits(combine(&rigid, &rigid, &pair).stiffness, 3e7);
        assert_same_bits(combine(&rigid, &rigid, &pair).dissipation, 5.0);
        pair.stiffness = INFINITY;
        assert_refused(&soft, &soft, &pair);
    }
}

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void swapping_changes_no_bit(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 2000; ++i) {
        const icf_normal_law law = i % 2 ? ICF_NORMAL_HERTZ : ICF_NORMAL_LINEAR;
        const double k = 1e9 * draw(&seed);
        const icf_material a = material(law, k, draw(&seed), draw(&seed), draw(&seed));
        const icf_material b = material(law, i % 5 ? 1e6 * draw(&seed) : k, draw(&seed), draw(&seed), draw(&seed));
        const icf_material ab = combine(&a, &b, NULL), ba = combine(&b, &a, NULL);
        assert_same_bits(ab.stiffness, ba.stiffness);
        assert_same_bits(ab.dissipation, ba.dissipation);
        assert_same_bits(ab.relaxation_time, ba.relaxation_time);
        assert_same_bits(ab.friction[0], ba.friction[0]);
        assert_same_bits(icf_material_witness_weight(&a, &b) + icf_material_witness_weight(&b, &a), 1.0);
    }
}

/* p = (kA pA + kB pB)/(kA + kB): B's weight is 3/4 when it is three times as stiff. */
static void witness_weights(void **state)
{
    (void)state;
    const icf_material a = material(ICF_NORMAL_LINEAR, 1e6, 0.0, 0.0, 0.0);
    const icf_material b = material(ICF_NORMAL_LINEAR, 3e6, 0.0, 0.0, 0.0);
    const icf_material odd = material(ICF_NORMAL_LINEAR, 0.1, 0.0, 0.0, 0.0);
    const icf_material rigid = material(ICF_NORMAL_LINEAR, INFINITY, 0.0, 0.0, 0.0);
    assert_near(icf_material_witness_weight(&a, &b), 0.75, 1e-16);
    assert_same_bits(icf_material_witness_weight(&a, &a), 0.5);
    assert_same_bits(icf_material_witness_weight(&odd, &odd), 0.5);
    assert_same_bits(icf_material_witness_weight(&rigid, &rigid), 0.5);
    assert_same_bits(icf_material_witness_weight(&a, &rigid), 1.0);
    assert_same_bits(icf_material_witness_weight(&rigid, &a), 0.0);
}

/* Barriers of one material are taken as they are; of two they must be given. */
static void barriers(void **state)
{
    (void)state;
    icf_material a = material(ICF_NORMAL_IPC_BARRIER, 100.0, 0.0, 0.0, 0.5);
    a.barrier_distance = 1e-3;
    const icf_material b = a;
    const icf_material own = combine(&a, &a, NULL);
    assert_same_bits(own.stiffness, 100.0);
    assert_same_bits(own.barrier_distance, 1e-3);
    assert_refused(&a, &b, NULL);
    icf_material pair = {.given = ICF_MATERIAL_STIFFNESS, .stiffness = 7.0, .barrier_distance = 2e-3};
    assert_refused(&a, &b, &pair);
    pair.given |= ICF_MATERIAL_BARRIER_DISTANCE;
    assert_same_bits(combine(&a, &b, &pair).stiffness, 7.0);
    assert_same_bits(combine(&a, &b, &pair).barrier_distance, 2e-3);
    const icf_material log_a = material(ICF_NORMAL_LOG_BARRIER, 2.0, 0.0, 0.0, 0.5), log_b = log_a;
    pair.given = ICF_MATERIAL_STIFFNESS;
    assert_same_bits(combine(&log_a, &log_a, NULL).stiffness, 2.0);
    assert_refused(&log_a, &log_b, NULL);
    assert_same_bits(combine(&log_a, &log_b, &pair).stiffness, 7.0);
}

static void different_laws_need_a_pair(void **state)
{
    (void)state;
    const icf_material a = material(ICF_NORMAL_LINEAR, 1e6, 10.0, 0.01, 0.5);
    const icf_material b = material(ICF_NORMAL_HERTZ, 1e6, 20.0, 0.02, 0.5);
    assert_refused(&a, &b, NULL);
    icf_material pair = {.given = ICF_MATERIAL_NORMAL, .normal = ICF_NORMAL_HERTZ, .stiffness = 5e5};
    assert_refused(&a, &b, &pair); /* no rule for the stiffness: a is no Hertz material */
    pair.given |= ICF_MATERIAL_STIFFNESS;
    const icf_material c = combine(&a, &b, &pair);
    assert_int_equal(c.normal, ICF_NORMAL_HERTZ);
    assert_same_bits(c.stiffness, 5e5);
    assert_near(c.dissipation, 15.0, 1e-14);
    assert_near(c.relaxation_time, 0.03, 1e-17);
}

static void anisotropic_friction(void **state)
{
    (void)state;
    icf_material a = material(ICF_NORMAL_LINEAR, 1e6, 10.0, 0.01, 0.6);
    a.friction[1] = 0.3;
    a.anisotropic = true;
    a.axis = icf_vec3_make(0.0, 1.0, 0.0);
    const icf_material b = material(ICF_NORMAL_LINEAR, 1e6, 10.0, 0.01, 0.5);
    const icf_material own = combine(&a, &a, NULL);
    assert_true(own.anisotropic);
    assert_same_bits(own.friction[0], 0.6);
    assert_same_bits(own.friction[1], 0.3);
    assert_same_bits(own.axis.y, 1.0);
    assert_refused(&a, &b, NULL);
    icf_material pair = a;
    pair.given = ICF_MATERIAL_FRICTION;
    pair.friction[0] = 0.2;
    const icf_material c = combine(&b, &a, &pair);
    assert_true(c.anisotropic);
    assert_same_bits(c.friction[0], 0.2);
    assert_same_bits(c.friction[1], 0.3);
    assert_near(c.stiffness, 5e5, 1e-9);
}

/* Each key that a pair gives replaces the rule for it and for nothing else. */
static void pair_values_override_one_by_one(void **state)
{
    (void)state;
    const icf_material a = material(ICF_NORMAL_LINEAR, 1e6, 10.0, 0.01, 0.5);
    icf_material pair = material(ICF_NORMAL_LINEAR, 1.0, 2.0, 3.0, 4.0);
    pair.given = ICF_MATERIAL_DISSIPATION;
    icf_material c = combine(&a, &a, &pair);
    assert_true(c.dissipation == 2.0 && c.stiffness == 5e5 && c.relaxation_time == 0.02 && c.friction[0] == 0.5);
    pair.given = ICF_MATERIAL_RELAXATION_TIME;
    c = combine(&a, &a, &pair);
    assert_true(c.dissipation == 10.0 && c.stiffness == 5e5 && c.relaxation_time == 3.0 && c.friction[0] == 0.5);
    pair.given = ICF_MATERIAL_FRICTION;
    c = combine(&a, &a, &pair);
    assert_true(c.dissipation == 10.0 && c.stiffness == 5e5 && c.relaxation_time == 0.02 && c.friction[0] == 4.0);
    pair.given = ICF_MATERIAL_STIFFNESS;
    c = combine(&a, &a, &pair);
    assert_true(c.dissipation == 10.0 && c.stiffness == 1.0 && c.relaxation_time == 0.02 && c.friction[0] == 0.5);
}

static void defaults_are_those_of_the_scene_file(void **state)
{
    (void)state;
    const icf_material m = icf_material_default();
    assert_int_equal(m.given, 0);
    assert_int_equal(m.normal, ICF_NORMAL_LINEAR);
    assert_true(m.stiffness == 1e6 && m.dissipation == 10.0 && m.relaxation_time == 0.01);
    assert_true(m.friction[0] == 0.5 && m.friction[1] == 0.5 && !m.anisotropic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_rule_by_hand),
        cmocka_unit_test(hertz_rule_by_hand),
        cmocka_unit_test(material_with_itself),
        cmocka_unit_test(frictionless_is_zero_not_nan),
        cmocka_unit_test(one_side_may_be_rigid),
        cmocka_unit_test(swapping_changes_no_bit),
        cmocka_unit_test(witness_weights),
        cmocka_unit_test(barriers),
        cmocka_unit_test(different_laws_need_a_pair),
        cmocka_unit_test(anisotropic_friction),
        cmocka_unit_test(pair_values_override_one_by_one),
        cmocka_unit_test(defaults_are_those_of_the_scene_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
