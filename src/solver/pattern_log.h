/* The patterns that a solve has factored H in, one after the other, where it leaves out what is zero
 * (icf_hessian_meet): for a plan, which counts what a group of ranks would have sent in each.  Local.
 */
#ifndef ICF_SOLVER_PATTERN_LOG_H
#define ICF_SOLVER_PATTERN_LOG_H

#include "base/status.h"
#include "solver/block_matrix.h"

/* Work of a solve so far. */
typedef struct icf_pattern_work {
    icf_cnt factorizations, singles, solves; /* singles: factorisations in single precision that were used */
} icf_pattern_work;

typedef struct icf_pattern_entry {
    icf_lid *ptr;            /* (blocks + 1) */
    icf_lid *idx;            /* (ptr[blocks]) */
    icf_lid *order;          /* (blocks) block at each place */
    icf_pattern_work before; /* that was done when the pattern came up */
    bool repaired;           /* the order is that of the entry before, repaired */
} icf_pattern_entry;

typedef struct icf_pattern_log {
    int n;
    icf_pattern_entry *entry; /* (n) */
    size_t capacity;
} icf_pattern_log;

void icf_pattern_log_clear(icf_pattern_log *log);

/* Adds a copy.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_pattern_log_add(icf_pattern_log *log, const icf_block_matrix *pattern,
                                              const icf_lid *order, bool repaired, icf_pattern_work before);

#endif
