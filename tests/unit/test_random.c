/* Random numbers: published values of Philox4x32-10; the linear congruential generator and its jumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

/* The three cases of the known-answer file that its authors publish with the generator (Random123, kat_vectors). */
static void philox_gives_its_published_values(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], random[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
        {{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
         {0xffffffffu, 0xffffffffu},
         {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
        {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
         {0xa4093822u, 0x299f31d0u},
         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        uint32_t random[4];
        for (int j = 0; j < 4; ++j) random[j] = cases[i].counter[j];
        icf_philox(random, cases[i].key);
        for (int j = 0; j < 4; ++j) assert_int_equal(random[j], cases[i].random[j]);
    }
}

/* Knuth's MMIX constants from state 0: the increment, then increment * factor + increment mod 2^64 (worked out with
 * integers of any length). */
static void lcg_follows_its_recurrence(void **state)
{
    (void)state;
    uint64_t s = 0;
    assert_true(icf_lcg_next(&s) == (double)(1442695040888963407u >> 33) / 2147483648.0);
    assert_true(s == 1442695040888963407u);
    icf_lcg_next(&s);
    assert_true(s == 1876011003808476466u);
}

static void lcg_jumps_as_far_as_it_steps(void **state)
{
    (void)state;
    uint64_t s = 12345;
    for (uint64_t m = 0; m < 3000; ++m) {
        assert_true(icf_lcg_jump(12345, m) == s);
        icf_lcg_next(&s);
    }
}

/* The period is 2^64: half of it twice is no jump; a jump splits anywhere. */
static void lcg_jumps_add_up(void **state)
{
    (void)state;
    const uint64_t half = UINT64_C(1) << 63, far = UINT64_C(0x9123456789abcdef);
    assert_true(icf_lcg_jump(99, half) != 99);
    assert_true(icf_lcg_jump(icf_lcg_jump(99, half), half) == 99);
    assert_true(icf_lcg_jump(icf_lcg_jump(7, far), 1000) == icf_lcg_jump(7, far + 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_its_published_values),
        cmocka_unit_test(lcg_follows_its_recurrence),
        cmocka_unit_test(lcg_jumps_as_far_as_it_steps),
        cmocka_unit_test(lcg_jumps_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
