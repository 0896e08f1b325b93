/* Line search: rounds of trials in a bracket of the root of l'. */
#include "solver/line_search.h"

#include <math.h>
#include <string.h>

static const double slope_reduction = 0.1; /* |l'| must fall to this part of |l'(0)| */
static const double margin = 1e-3;         /* guesses keep off the bracket's ends by this part of it */
enum { rounds_max = 100, group_trials = 8, halving_rounds = 3 };

/* l' < 0 at low, l' > 0 at high and at the next trial beyond it (alpha > 1: none). */
typedef struct bracket {
    icf_trial low, high, beyond;
    bool from_high; /* the last round moved the upper end: l' is smooth enough there for its curvature's growth */
} bracket;

/* ---- evaluation ---- */

/* This rank's share of the families' l' and l'' of n trials: two numbers each. */
static void add_families(const icf_problem *problem, const icf_trial *trial, int n, double *sum)
{
    for (int k = 0; k < n; ++k)
        for (int f = 0; f < problem->nfamily; ++f) {
            const icf_constraints *family = problem->family[f];
            if (!family->ops->slope(family, trial[k].alpha, &sum[2 * k], &sum[2 * k + 1])) sum[2 * k] = INFINITY;
        }
}

/* Completes n trials by the sums over the families of all ranks. */
static void set_trials(const icf_line *line, icf_trial *trial, int n, const double *sum)
{
    for (int k = 0; k < n; ++k) {
        trial[k].slope = line->constant + trial[k].alpha * line->linear + sum[2 * k];
        trial[k].curvature = line->linear + sum[2 * k + 1];
    }
}

void icf_line_lay(const icf_problem *problem, icf_line *line, int *evaluations)
{
    enum { SLOPE0, CONSTANT, LINEAR, ERROR, FAILED, STIFF, TRIALS };
    double sum[TRIALS + 2 * ICF_LINE_TRIALS] = {line->slope0, line->constant, line->linear,
                                                line->error,  line->failed,   line->stiff};
    line->ntrial = icf_problem_goes_as_group(problem) ? ICF_LINE_TRIALS : 1;
    for (int k = 0; k < line->ntrial; ++k) line->first[k].alpha = ldexp(1.0, k + 1 - line->ntrial); /* ..., 1/2, 1 */
    add_families(problem, line->first, line->ntrial, sum + TRIALS);
    icf_problem_sum(problem, sum, TRIALS + 2 * line->ntrial);
    line->slope0 = sum[SLOPE0];
    line->constant = sum[CONSTANT];
    line->linear = sum[LINEAR];
    line->error = sum[ERROR];
    line->failed = sum[FAILED];
    line->stiff = sum[STIFF];
    set_trials(line, line->first, line->ntrial, sum + TRIALS);
    *evaluations += line->ntrial;
}

static void evaluate(const icf_problem *problem, const icf_line *line, icf_trial *trial)
{
    double sum[2 * ICF_LINE_TRIALS] = {0.0};
    add_families(problem, trial, line->ntrial, sum);
    icf_problem_sum(problem, sum, 2 * line->ntrial);
    set_trials(line, trial, line->ntrial, sum);
}

/* ---- guesses ---- */

static double newton_guess(icf_trial at)
{
    return at.alpha - at.slope / at.curvature;
}

/* Root of the tangent at low plus the parabola that opens where it must to meet l' and l'' at high: contacts that
 * close between the two. */
static double opening_guess(icf_trial low, icf_trial high)
{
    const double width = high.alpha - low.alpha;
    const double rise = high.slope - low.slope - low.curvature * width, steeper = high.curvature - low.curvature;
    if (!(rise > 0.0 && steeper * width > 2.0 * rise)) return newton_guess(high);
    const double length = 2.0 * rise / steeper, opening = width - length;
    const double slope = low.slope + low.curvature * opening;
    if (slope >= 0.0) return newton_guess(low);
    const double square = rise / (length * length), c = low.curvature;
    return low.alpha + opening - 2.0 * slope / (c + sqrt(c * c - 4.0 * square * slope));
}

/* Root seen from the upper end, with the growth of the curvature between it and the trial beyond. */
static double guess_from_high(const bracket *in)
{
    if (!in->from_high || in->beyond.alpha > 1.0) return newton_guess(in->high);
    const double c = in->high.curvature;
    const double growth = (in->beyond.curvature - c) / (in->beyond.alpha - in->high.alpha);
    if (growth <= 0.0) return newton_guess(in->high);
    const double square = c * c - 2.0 * growth * in->high.slope;
    if (square < 0.0) return opening_guess(in->low, in->high);
    return in->high.alpha - 2.0 * in->high.slope / (c + sqrt(square));
}

static bool is_inside(const bracket *in, double alpha)
{
    const double off = margin * (in->high.alpha - in->low.alpha);
    return alpha > in->low.alpha + off && alpha < in->high.alpha - off;
}

/* The smaller of the guesses from both ends, since l' is mostly convex; else the middle. */
static double best_guess(const bracket *in)
{
    const double from_low = newton_guess(in->low), from_high = guess_from_high(in);
    const double smaller = fmin(from_low, from_high), larger = fmax(from_low, from_high);
    if (is_inside(in, smaller)) return smaller;
    return is_inside(in, larger) ? larger : 0.5 * (in->low.alpha + in->high.alpha);
}

/* Other trials cut what lies below the tangents' roots, which bound that of a convex l'. */
static void add_sections(const bracket *in, icf_trial *trial, int n)
{
    double top = in->high.alpha;
    if (is_inside(in, newton_guess(in->high))) top = newton_guess(in->high);
    if (is_inside(in, newton_guess(in->low))) top = fmin(top, newton_guess(in->low));
    for (int k = 1; k < n; ++k) trial[k].alpha = in->low.alpha + (top - in->low.alpha) * k / n;
}

/* ---- search ---- */

static void sort(icf_trial *trial, int n)
{
    for (int k = 1; k < n; ++k)
        for (int i = k; i > 0 && trial[i].alpha < trial[i - 1].alpha; --i) {
            const icf_trial moved = trial[i];
            trial[i] = trial[i - 1];
            trial[i - 1] = moved;
        }
}

/* Narrows the bracket to the neighbours of the root among the trials, ascending. */
static void narrow(bracket *in, const icf_trial *trial, int n)
{
    int above = 0;
    while (above < n && trial[above].slope < 0.0) ++above;
    in->from_high = above == 0 || n > 1;
    if (above < n) {
        in->beyond = above + 1 < n ? trial[above + 1] : in->high;
        if (isinf(in->beyond.slope)) in->beyond.alpha = INFINITY;
        in->high = trial[above];
    }
    if (above > 0) in->low = trial[above - 1];
}

/* The trial of smallest |l'|. */
static icf_trial flattest(const icf_trial *trial, int n)
{
    icf_trial best = trial[0];
    for (int k = 1; k < n; ++k)
        if (fabs(trial[k].slope) < fabs(best.slope)) best = trial[k];
    return best;
}

bool icf_line_takes_all(const icf_line *line)
{
    return line->first[line->ntrial - 1].slope <= slope_reduction * fabs(line->slope0);
}

double icf_line_search(const icf_problem *problem, const icf_line *line, int *evaluations)
{
    const double enough = slope_reduction * fabs(line->slope0);
    const int n = line->ntrial;
    if (icf_line_takes_all(line)) return 1.0;

    /* dv = -H^-1 grad makes l''(0) of the direction's Hessian |l'(0)| */
    bracket in = {.low = {0.0, line->slope0, fabs(line->slope0)}, .high = {INFINITY, INFINITY, 0.0}};
    icf_trial trial[ICF_LINE_TRIALS], best;
    memcpy(trial, line->first, sizeof trial);
    double halved = 1.0, width = 1.0;
    for (int round = 1;; ++round) {
        best = flattest(trial, n);
        if (fabs(best.slope) <= enough) return best.alpha;
        sort(trial, n);
        narrow(&in, trial, n);
        width = in.high.alpha - in.low.alpha;
        if (round == rounds_max || width <= 1e-15 * in.high.alpha) break;
        trial[0].alpha = best_guess(&in);
        if (round % halving_rounds == 0) {
            if (width > 0.5 * halved) trial[0].alpha = 0.5 * (in.low.alpha + in.high.alpha);
            halved = width;
        }
        add_sections(&in, trial, n);
        evaluate(problem, line, trial);
        *evaluations += n;
    }
    return in.low.alpha > 0.0 ? in.low.alpha : best.alpha;
}
