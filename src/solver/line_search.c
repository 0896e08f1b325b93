/* Line search: safeguarded Newton on l'(alpha). */
#include "solver/line_search.h"

#include <math.h>

static const double slope_reduction = 0.1; /* |l'| must fall to this part of |l'(0)| */
enum { evaluations_max = 100 };

/* l'(alpha) and l''(alpha); infinite where a law has no value. */
static double slope_at(const icf_problem *problem, icf_line line, double alpha, double *curvature)
{
    /* slope, curvature, infeasible families */
    double sum[3] = {0.0, 0.0, 0.0};
    for (int f = 0; f < problem->nfamily; ++f)
        if (!problem->family[f]->ops->slope(problem->family[f], alpha, &sum[0], &sum[1])) sum[2] += 1.0;
    icf_problem_sum(problem, sum, 3);
    *curvature = line.linear + sum[1];
    return sum[2] > 0.0 ? INFINITY : line.constant + alpha * line.linear + sum[0];
}

/* Newton's guess where it lies well inside the bracket, else the middle. */
static double next_guess(double low, double high, double alpha, double slope, double curvature)
{
    const double guess = alpha - slope / curvature;
    const double margin = 1e-3 * (high - low);
    return guess > low + margin && guess < high - margin ? guess : 0.5 * (low + high);
}

double icf_line_search(const icf_problem *problem, icf_line line, double slope0, int *evaluations)
{
    const double enough = slope_reduction * fabs(slope0);
    double curvature, alpha = 1.0, slope = slope_at(problem, line, 1.0, &curvature);
    ++*evaluations;
    if (slope <= enough) return 1.0;

    double low = 0.0, high = 1.0; /* l'(low) < 0 < l'(high) */
    for (int k = 0; k < evaluations_max && high - low > 1e-15 * high; ++k) {
        alpha = next_guess(low, high, alpha, slope, curvature);
        slope = slope_at(problem, line, alpha, &curvature);
        ++*evaluations;
        if (fabs(slope) <= enough) return alpha;
        if (slope < 0.0)
            low = alpha;
        else
            high = alpha;
    }
    return low > 0.0 ? low : alpha;
}
