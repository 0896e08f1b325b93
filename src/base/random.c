/* Philox4x32-10, and a linear congruential generator with jump-ahead. */
#include "base/random.h"

static const uint64_t lcg_factor = 6364136223846793005u, lcg_increment = 1442695040888963407u;

/* One round: two products of 32-bit words; their halves change places and are mixed with the rest and the key. */
static void philox_round(uint32_t x[4], uint32_t key0, uint32_t key1)
{
    const uint64_t p = (uint64_t)0xD2511F53u * x[0], q = (uint64_t)0xCD9E8D57u * x[2];
    const uint32_t y0 = (uint32_t)(q >> 32) ^ x[1] ^ key0, y2 = (uint32_t)(p >> 32) ^ x[3] ^ key1;
    x[0] = y0;
    x[1] = (uint32_t)q;
    x[2] = y2;
    x[3] = (uint32_t)p;
}

void icf_philox(uint32_t counter[4], const uint32_t key[2])
{
    /* the key of a round: Weyl sequences of the golden ratio and of sqrt(3) - 1 */
    for (uint32_t round = 0; round < 10; ++round)
        philox_round(counter, key[0] + round * 0x9E3779B9u, key[1] + round * 0xBB67AE85u);
}

/* m steps are s -> A s + C.  Powers of two of the step are made by applying a map to itself, and those of the
 * binary digits of m are applied to the state; the maps commute, so the order does not matter. */
uint64_t icf_lcg_jump(uint64_t state, uint64_t m)
{
    uint64_t factor = lcg_factor, increment = lcg_increment;
    for (; m > 0; m >>= 1) {
        if (m & 1u) state = factor * state + increment;
        increment += factor * increment;
        factor *= factor;
    }
    return state;
}

double icf_lcg_next(uint64_t *state)
{
    *state = *state * lcg_factor + lcg_increment;
    return (double)(*state >> 33) / 2147483648.0;
}
