/* Checks that unit tests share; include after cmocka.h. */
#ifndef ICF_TESTS_CHECK_H
#define ICF_TESTS_CHECK_H

#include <math.h>

/* |value - expected| <= tolerance; NaN fails. */
#define assert_near(value, expected, tolerance)                                                           \
    do {                                                                                                  \
        const double near_v_ = (value), near_e_ = (expected);                                             \
        if (!(fabs(near_v_ - near_e_) <= (tolerance)))                                                    \
            fail_msg("%s is %.17g, expected %.17g +- %g", #value, near_v_, near_e_, (double)(tolerance)); \
    } while (0)

#endif
