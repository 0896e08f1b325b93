/* What every order of blocks has to be; after cmocka.h. */
#ifndef ICF_TESTS_SAMPLE_ORDER_H
#define ICF_TESTS_SAMPLE_ORDER_H

#include <stdlib.h>

#include "base/types.h"

static inline void assert_permutation(const icf_lid *order, icf_lid n)
{
    bool *seen = calloc((size_t)n + 1, sizeof *seen);
    for (icf_lid k = 0; k < n; ++k) {
        assert_true(order[k] >= 0 && order[k] < n);
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
    }
    free(seen);
}

#endif
