/* Numbers of formulas that are evaluated for several elements or contacts at a time: `real` is a double, or a vector of
 * one double of each.
 *
 * The file that includes it defines ICF_LANES (1, 2, 4 or 8).  Everything that is computed with `real` is lane by lane:
 * what one gets does not depend on the others in its vector.
 */
#ifndef ICF_BASE_LANES_BODY_H
#define ICF_BASE_LANES_BODY_H

#include <math.h>

#include "base/types.h"

#define INLINE static inline __attribute__((always_inline))

#if ICF_LANES == 1
typedef double real;
typedef bool mask;

INLINE real all_lanes(double value)
{
    return value;
}
INLINE real root(real a)
{
    return sqrt(a);
}
INLINE real magnitude(real a)
{
    return fabs(a);
}
INLINE real select(mask where, real a, real b)
{
    return where ? a : b;
}
INLINE bool any(mask where)
{
    return where;
}
#else
typedef double real __attribute__((vector_size(ICF_LANES * 8)));
typedef int64_t mask __attribute__((vector_size(ICF_LANES * 8)));

INLINE real all_lanes(double value)
{
    real v;
    for (int l = 0; l < ICF_LANES; ++l) v[l] = value;
    return v;
}
INLINE real root(real a)
{
    for (int l = 0; l < ICF_LANES; ++l) a[l] = sqrt(a[l]);
    return a;
}
INLINE real magnitude(real a)
{
    return (real)((mask)a & INT64_MAX);
}
/* a where the mask is set, else b */
INLINE real select(mask where, real a, real b)
{
    return (real)(((mask)a & where) | ((mask)b & ~where));
}
INLINE bool any(mask where)
{
    int64_t bits = 0;
    for (int l = 0; l < ICF_LANES; ++l) bits |= where[l];
    return bits != 0;
}
#endif

INLINE real larger(real a, real b)
{
    return select(a > b, a, b);
}

#endif
