/* Subnormal numbers, those below 1e-38 in single precision, taken as zero.
 *
 * Factors are full of them where coupling is weak, since what bodies feel of each other falls with their distance by
 * the same part from one to the next.  They mean nothing there, but arithmetic with them takes a hundred times as long.
 * x86 alone has them taken as zero; elsewhere results are the same up to them.
 */
#ifndef ICF_BASE_FLUSH_H
#define ICF_BASE_FLUSH_H

#include <stdbool.h>

#ifdef __SSE2__
#    include <xmmintrin.h>
#endif

enum { ICF_FLUSH_OPERANDS = 1 << 6, ICF_FLUSH_RESULTS = 1 << 15 };

/* From here on the calling thread takes subnormal operands and results as zero, if asked to.  Returns what
 * icf_flush_end needs. */
static inline unsigned icf_flush_begin(bool asked)
{
#ifdef __SSE2__
    const unsigned before = _mm_getcsr();
    if (asked) _mm_setcsr(before | ICF_FLUSH_OPERANDS | ICF_FLUSH_RESULTS);
    return before;
#else
    (void)asked;
    return 0;
#endif
}

/* As before; exceptions raised in between stay raised. */
static inline void icf_flush_end(unsigned before)
{
#ifdef __SSE2__
    const unsigned both = ICF_FLUSH_OPERANDS | ICF_FLUSH_RESULTS;
    _mm_setcsr((_mm_getcsr() & ~both) | (before & both));
#else
    (void)before;
#endif
}

#endif
