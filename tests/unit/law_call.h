/* One contact's law, by halves. */
#ifndef ICF_TESTS_LAW_CALL_H
#define ICF_TESTS_LAW_CALL_H

#include "contact/law.h"

static inline double law_cost(const icf_law *law, const double vc[3], double impulse[3])
{
    icf_sym3 hessian;
    return icf_law_evaluate_all(law, vc, NULL, impulse, &hessian);
}

/* dual [in] (2) or NULL */
static inline void law_hessian(const icf_law *law, const double vc[3], const double *dual, icf_sym3 *hessian)
{
    double impulse[3];
    (void)icf_law_evaluate_all(law, vc, dual, impulse, hessian);
}

#endif
