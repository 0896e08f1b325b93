/* Random numbers that depend on a seed and a position alone, so that any rank can draw any of them.
 *
 * Two published generators:
 *   Philox4x32-10, counter-based: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3"
 *     (SC 2011).  Ten rounds of multiplication turn a counter and a key into four independent words.
 *   A linear congruential generator with Knuth's MMIX constants, s <- a s + c (mod 2^64), whose m-th state is found
 *     without the states before it.  Kept for scenes that other programs compute in the same way.
 * Local, no state but the arguments.
 */
#ifndef ICF_BASE_RANDOM_H
#define ICF_BASE_RANDOM_H

#include "base/types.h"

/* Philox4x32-10.
 *   counter [in,out] (4) replaced by the random words
 *   key     [in]     (2) */
void icf_philox(uint32_t counter[4], const uint32_t key[2]);

/* State of the linear congruential generator after m more steps; O(log m). */
uint64_t icf_lcg_jump(uint64_t state, uint64_t m);

/* Steps the linear congruential generator; uniform in [0, 1), a multiple of 2^-31. */
double icf_lcg_next(uint64_t *state);

#endif
