/* Stages of stiffness: what keeps the way of Newton's method short where contacts are stiff or hit hard.
 *
 * A problem at a part of its stiffness is easy, and its solution a good start for the next part; stages for hits need
 * not be solved, their residual only has to begin to fall.  A solve is softened, once,
 *
 *   - where dt^2 k w is so large that no velocity makes it easy;
 *   - where many bodies hit each other hard at v0.  The impulse of Hunt & Crossley grows with the square of the
 *     speed of a hit, and v0 is deep inside: a falling pile of 1,000 bodies takes 30 directions a step, not 127;
 *   - where the line search keeps cutting steps short, or makes one tiny after parts were solved (newton_parts.c),
 *     and the residual has not begun to fall.
 */
#include <math.h>

#include "solver/newton_private.h"

typedef struct stages_t {
    double first; /* dt^2 k w of the first stage, at most */
    double ratio; /* of a stage's stiffness to that of the stage before it */
    double done;  /* residual below which the next one begins */
} stages_t;

static const double stiff = 1e5; /* dt^2 k w that asks for stages */
static const double hard = 1e4;  /* -n' w of a hard hit at v0 */
static const double many = 0.02; /* pairs of bodies that hit each other so hard, over all bodies, that ask for them */
static const stages_t for_stiffness = {.first = 1e4, .ratio = 100.0, .done = 0.5};
static const stages_t for_hits = {.first = 10.0, .ratio = 10.0, .done = 0.9};
static const double unmoved = 0.9;     /* residual that has not begun to fall */
static const double short_steps = 0.3; /* their mean length */
enum { looked_at = 8 };                /* steps whose mean it is */
static const double tiny_step = 0.05;  /* of one of them */
enum { small_island = 10 };            /* blocks */

bool icf_newton_is_small(const icf_problem *problem)
{
    return icf_problem_blocks(problem) < small_island;
}

void icf_newton_start_stage(icf_iterate *at, double factor)
{
    at->factor = factor;
    at->best_residual = INFINITY;
    at->halved_from = INFINITY;
    at->since_halved = 0;
}

void icf_newton_set_stage(const icf_problem *problem, icf_iterate *at, double factor)
{
    icf_newton_start_stage(at, factor);
    for (int f = 0; f < problem->nfamily; ++f) problem->family[f]->ops->set_stage(problem->family[f], factor);
}

static double stiffness_ratio(const icf_problem *problem)
{
    double largest = 0.0;
    for (int f = 0; f < problem->nfamily; ++f)
        largest = fmax(largest, problem->family[f]->ops->stiffness_ratio(problem->family[f]));
    return icf_problem_max(problem, largest);
}

/* To the first of the stages. */
static void soften(icf_newton *newton, const icf_problem *problem, double stiffness, const stages_t *stages,
                   const double *v, icf_iterate *at)
{
    double factor = 1.0;
    for (; stiffness > stages->first; stiffness /= stages->ratio) factor /= stages->ratio;
    at->softened = true;
    at->ratio = stages->ratio;
    at->done = stages->done;
    icf_newton_set_stage(problem, at, factor);
    icf_newton_evaluate(newton, problem, v, at);
    icf_newton_next_stage(newton, problem, v, at);
}

/* Whether many bodies hit each other hard at the current velocities, in islands where that makes a long way. */
static bool hits_hard(const icf_problem *problem)
{
    if (icf_newton_is_small(problem)) return false;
    double hits = 0.0;
    for (int f = 0; f < problem->nfamily; ++f) hits += problem->family[f]->ops->count_hits(problem->family[f], hard);
    icf_problem_sum(problem, &hits, 1);
    return hits > many * (double)icf_problem_blocks(problem);
}

void icf_newton_first_stage(icf_newton *newton, const icf_problem *problem, const double *v, icf_iterate *at)
{
    const double stiffness = stiffness_ratio(problem);
    if (!isfinite(stiffness)) at->softened = true; /* no factor makes that moderate */
    const bool asked = isfinite(stiffness) && stiffness > stiff, hits = (asked || !at->softened) && hits_hard(problem);
    if (asked || hits) soften(newton, problem, stiffness, hits ? &for_hits : &for_stiffness, v, at);
}

void icf_newton_next_stage(icf_newton *newton, const icf_problem *problem, const double *v, icf_iterate *at)
{
    while (at->factor < 1.0 && at->residual < at->done) {
        icf_newton_set_stage(problem, at, fmin(1.0, at->factor * at->ratio * (1.0 + 1e-12)));
        icf_newton_evaluate(newton, problem, v, at);
    }
}

/* Counts the steps; whether the last ones were short, or the last one is tiny since solved parts stand in its way. */
static bool crawls(const icf_newton *newton, icf_iterate *at, double alpha)
{
    if (newton->part_work.polishes > 0 && alpha < tiny_step) return true;
    at->length += alpha;
    if (++at->steps < looked_at) return false;
    const bool too_short = at->length < short_steps * looked_at;
    at->steps = 0;
    at->length = 0.0;
    return too_short;
}

void icf_newton_soften(icf_newton *newton, const icf_problem *problem, const double *v, double alpha, icf_iterate *at)
{
    if (at->softened || alpha == 0.0) return;
    const bool asked = crawls(newton, at, alpha);
    if (asked && at->residual > unmoved) soften(newton, problem, stiffness_ratio(problem), &for_hits, v, at);
}
