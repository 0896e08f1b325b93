/* Hash: one hash for both zeros, different ones for everything else, every input bit matters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"

static void both_zeros_are_one(void **state)
{
    (void)state;
    assert_true(icf_hash_double(7, 0.0) == icf_hash_double(7, -0.0));
    assert_true(icf_hash_double(7, 0.0) != icf_hash_double(7, 5e-324));
    assert_true(icf_hash_double(7, 1.0) != icf_hash_double(7, -1.0));
}

static void order_of_words_matters(void **state)
{
    (void)state;
    assert_true(icf_hash_word(icf_hash_word(0, 1), 2) != icf_hash_word(icf_hash_word(0, 2), 1));
}

/* A good mixer flips each of the 64 output bits with probability 1/2 when one input bit changes: 32 +- 4
 * bits a word, 32 +- 0.5 in the mean of 64 words; the bounds are four times that. */
static void every_input_bit_flips_half_of_the_output(void **state)
{
    (void)state;
    for (int bit = 0; bit < 64; ++bit) {
        int flips = 0;
        for (uint64_t word = 1; word <= 64; ++word) {
            const uint64_t a = icf_hash_word(3, word * 0x9e3779b97f4a7c15u);
            const uint64_t b = icf_hash_word(3, (word * 0x9e3779b97f4a7c15u) ^ (uint64_t)1 << bit);
            flips += __builtin_popcountll(a ^ b);
        }
        assert_in_range(flips, 30 * 64, 34 * 64);
    }
}

static void bytes_and_their_number_matter(void **state)
{
    (void)state;
    assert_true(icf_hash_bytes(1, "abc", 3) == icf_hash_bytes(1, "abc", 3));
    assert_true(icf_hash_bytes(1, "abc", 3) != icf_hash_bytes(1, "acb", 3));
    assert_true(icf_hash_bytes(1, "abc", 2) != icf_hash_bytes(1, "abc", 3));
    assert_true(icf_hash_bytes(1, "\0\0", 1) != icf_hash_bytes(1, "\0\0", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_zeros_are_one),
        cmocka_unit_test(order_of_words_matters),
        cmocka_unit_test(every_input_bit_flips_half_of_the_output),
        cmocka_unit_test(bytes_and_their_number_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
