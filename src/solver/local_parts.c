/* Parts of an island where nearly all of the residual is. */
#include "solver/local_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/disjoint_sets.h"
#include "base/memory.h"

static const double counts = 1e-6;         /* of the mean square of residuals: blocks below are as good as solved */
static const double most_blocks = 0.35;    /* of all blocks may be in parts ... */
static const double left_out = 1e-4;       /* ... and the others have no more of the squared residual */
static const double with_neighbours = 2.5; /* blocks in parts for each above the threshold, at least */

void icf_local_parts_init(icf_local_parts *parts)
{
    *parts = (icf_local_parts){0};
}

void icf_local_parts_clear(icf_local_parts *parts)
{
    void *const arrays[] = {parts->part_of, parts->number, parts->first,    parts->block,  parts->pair_at,
                            parts->pair,    parts->dof,    parts->momentum, parts->v_star, parts->v,
                            parts->view,    parts->set,    parts->residual, parts->dual};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) icf_free(arrays[k]);
    icf_local_parts_init(parts);
}

static const icf_contact_constraints *contacts_of(const icf_problem *problem)
{
    return (const icf_contact_constraints *)problem->family[0];
}

bool icf_local_parts_may(const icf_problem *problem)
{
    const icf_constraints *family = problem->family[0];
    return !problem->group && problem->nmesh == 0 && problem->nfamily == 1 && icf_contact_constraints_are(family) &&
           !family->ops->try_rest(family);
}

#define GROW(name, n) ICF_TRY(ICF_GROW(parts->name, parts->name##_capacity, n))

static icf_status reserve(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_lid nblock = problem->nblock, npair = contacts_of(problem)->npair;
    GROW(part_of, nblock);
    GROW(number, nblock);
    GROW(first, nblock + 1);
    GROW(block, nblock);
    GROW(pair_at, nblock + 1);
    GROW(pair, npair);
    GROW(dof, 2 * nblock);
    GROW(momentum, 36 * (size_t)nblock);
    GROW(v_star, 6 * (size_t)nblock);
    GROW(v, 6 * (size_t)nblock);
    GROW(view, npair);
    GROW(set, nblock);
    GROW(residual, nblock);
    return ICF_OK;
}

/* ---- which blocks ---- */

/* |D grad|^2 of each block; returns the sum. */
static double find_residuals(icf_local_parts *parts, const icf_problem *problem, const double *scale,
                             const double *grad)
{
    double sum = 0.0;
    for (icf_lid b = 0; b < problem->nblock; ++b) {
        double square = 0.0;
        for (int32_t i = problem->dof[b]; i < problem->dof[b + 1]; ++i)
            square += scale[i] * grad[i] * scale[i] * grad[i];
        parts->residual[b] = square;
        sum += square;
    }
    return sum;
}

enum { BINS = 64 };

/* Blocks by the power of two of their residual over the least one that counts. */
typedef struct histogram {
    double least; /* |D grad|^2 */
    icf_lid number[BINS];
} histogram;

static void count_blocks(const icf_local_parts *parts, icf_lid nblock, double least, histogram *bins)
{
    *bins = (histogram){.least = least};
    for (icf_lid b = 0; b < nblock; ++b)
        if (parts->residual[b] > least) ++bins->number[ICF_MIN(ilogb(parts->residual[b] / least), BINS - 1)];
}

/* Smallest threshold 2^k least, k >= 0, that at most `most` blocks are above. */
static double find_threshold(const histogram *bins, icf_lid most)
{
    icf_lid n = 0;
    int k = BINS - 1;
    for (; k >= 0 && n + bins->number[k] <= most; --k) n += bins->number[k];
    return ldexp(bins->least, k + 1);
}

/* Marks the blocks above a threshold and their neighbours in part_of; returns their number. */
static icf_lid mark(icf_local_parts *parts, const icf_problem *problem, double threshold)
{
    const icf_contact_constraints *family = contacts_of(problem);
    icf_lid n = 0;
    for (icf_lid b = 0; b < problem->nblock; ++b) parts->part_of[b] = parts->residual[b] > threshold ? 0 : -1;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        if (!view->a_moves || !view->b_moves) continue;
        if (parts->residual[view->a_block] > threshold) parts->part_of[view->b_block] = 0;
        if (parts->residual[view->b_block] > threshold) parts->part_of[view->a_block] = 0;
    }
    for (icf_lid b = 0; b < problem->nblock; ++b) n += parts->part_of[b] == 0;
    return n;
}

/* The squared residual of blocks that are not marked. */
static double sum_left_out(const icf_local_parts *parts, icf_lid nblock)
{
    double sum = 0.0;
    for (icf_lid b = 0; b < nblock; ++b) sum += parts->part_of[b] < 0 ? parts->residual[b] : 0.0;
    return sum;
}

/* Marks what is to be in parts: as many blocks as may be, or none if too much of the residual is on others; returns
 * whether there are any. */
static bool choose_blocks(icf_local_parts *parts, const icf_problem *problem, double sum)
{
    const icf_lid nblock = problem->nblock;
    const double most = most_blocks * (double)nblock;
    histogram bins;
    count_blocks(parts, nblock, counts * sum / (double)nblock, &bins);
    double threshold = find_threshold(&bins, (icf_lid)(most / with_neighbours));
    /* the least threshold may be zero, of squares that underflow */
    icf_lid n = mark(parts, problem, threshold);
    while ((double)n > most) {
        threshold = 4.0 * threshold + DBL_MIN;
        n = mark(parts, problem, threshold);
    }
    return n > 0 && sum_left_out(parts, nblock) <= left_out * sum;
}

/* ---- connected parts ---- */

/* Joins marked blocks that touch. */
static void join(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = contacts_of(problem);
    icf_sets_start(problem->nblock, parts->set);
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        if (!view->a_moves || !view->b_moves) continue;
        if (parts->part_of[view->a_block] < 0 || parts->part_of[view->b_block] < 0) continue;
        icf_sets_join(parts->set, view->a_block, view->b_block);
    }
}

/* Numbers the parts by their first blocks, and the blocks within them. */
static void number_parts(icf_local_parts *parts, icf_lid nblock)
{
    parts->n = 0;
    for (icf_lid b = 0; b < nblock; ++b) {
        parts->number[b] = -1;
        if (parts->part_of[b] < 0) continue;
        const icf_lid smallest = icf_sets_find(parts->set, b);
        if (smallest == b) parts->first[++parts->n] = 0;
        parts->part_of[b] = smallest == b ? parts->n - 1 : parts->part_of[smallest];
        parts->number[b] = parts->first[parts->part_of[b] + 1]++;
    }
    parts->first[0] = 0;
    for (icf_lid k = 0; k < parts->n; ++k) parts->first[k + 1] += parts->first[k];
    for (icf_lid b = 0; b < nblock; ++b)
        if (parts->part_of[b] >= 0) parts->block[parts->first[parts->part_of[b]] + parts->number[b]] = b;
    parts->nblock = parts->first[parts->n];
}

/* The part that a pair touches, -1: none; a pair of two blocks in parts is within one. */
static icf_lid part_of_pair(const icf_local_parts *parts, const icf_contact_pair_view *view)
{
    const icf_lid a = view->a_moves ? parts->part_of[view->a_block] : -1;
    return a >= 0 || !view->b_moves ? a : parts->part_of[view->b_block];
}

static void list_pairs(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = contacts_of(problem);
    for (icf_lid k = 0; k <= parts->n; ++k) parts->pair_at[k] = 0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_lid part = part_of_pair(parts, icf_contact_constraints_view(family, k));
        if (part >= 0) ++parts->pair_at[part + 1];
    }
    for (icf_lid k = 0; k < parts->n; ++k) parts->pair_at[k + 1] += parts->pair_at[k];
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_lid part = part_of_pair(parts, icf_contact_constraints_view(family, k));
        if (part >= 0) parts->pair[parts->pair_at[part]++] = k;
    }
    for (icf_lid k = parts->n; k > 0; --k) parts->pair_at[k] = parts->pair_at[k - 1];
    parts->pair_at[0] = 0;
}

static void gather(icf_local_parts *parts, const icf_problem *problem)
{
    for (icf_lid k = 0; k < parts->n; ++k) {
        int32_t *dof = parts->dof + parts->first[k] + k;
        for (icf_lid i = parts->first[k]; i <= parts->first[k + 1]; ++i) *dof++ = 6 * (i - parts->first[k]);
    }
    for (icf_lid i = 0; i < parts->nblock; ++i) {
        const icf_lid b = parts->block[i];
        memcpy(parts->momentum + 36 * (size_t)i, problem->momentum + 36 * (size_t)b, 36 * sizeof *parts->momentum);
        memcpy(parts->v_star + 6 * (size_t)i, problem->v_star + problem->dof[b], 6 * sizeof *parts->v_star);
    }
}

icf_status icf_local_parts_find(icf_local_parts *parts, const icf_problem *problem, const double *scale,
                                const double *grad)
{
    ICF_TRY(reserve(parts, problem));
    parts->n = parts->nblock = parts->first[0] = parts->pair_at[0] = 0;
    const double sum = find_residuals(parts, problem, scale, grad);
    if (!choose_blocks(parts, problem, sum)) {
        for (icf_lid b = 0; b < problem->nblock; ++b) parts->part_of[b] = parts->number[b] = -1;
        return ICF_OK;
    }
    join(parts, problem);
    number_parts(parts, problem->nblock);
    list_pairs(parts, problem);
    gather(parts, problem);
    return ICF_OK;
}

/* ---- one part ---- */

void icf_local_parts_restrict(icf_local_parts *parts, const icf_problem *problem, const double *v, icf_lid k,
                              icf_contact_constraints *family, icf_problem *part)
{
    const icf_lid first = parts->first[k], n = parts->first[k + 1] - first,
                  npair = parts->pair_at[k + 1] - parts->pair_at[k];
    const int32_t *dof = parts->dof + first + k;
    double *own = icf_local_parts_velocity(parts, k);
    for (icf_lid i = 0; i < n; ++i)
        memcpy(own + 6 * (size_t)i, v + problem->dof[parts->block[first + i]], 6 * sizeof *own);
    icf_contact_constraints_restrict(family, contacts_of(problem), v, npair, parts->pair + parts->pair_at[k],
                                     parts->number, dof, parts->view + parts->pair_at[k]);
    *part = (icf_problem){.nblock = n,
                          .dof = dof,
                          .momentum = parts->momentum + 36 * (size_t)first,
                          .v_star = parts->v_star + 6 * (size_t)first,
                          .v0 = own,
                          .nfamily = 1,
                          .family = {&family->base}};
}

void icf_local_parts_put_back(const icf_local_parts *parts, icf_lid k, const int32_t *dof, double *v)
{
    const double *own = icf_local_parts_velocity(parts, k);
    for (icf_lid i = parts->first[k]; i < parts->first[k + 1]; ++i, own += 6)
        memcpy(v + dof[parts->block[i]], own, 6 * sizeof *v);
}

/* ---- duals of the whole ---- */

icf_status icf_local_parts_keep_duals(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = contacts_of(problem);
    icf_lid n = 0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        const icf_lid of_pair = view->end - view->begin;
        GROW(dual, n + of_pair);
        memcpy(parts->dual + n, family->iterates.dual + view->begin, (size_t)of_pair * sizeof *parts->dual);
        n += of_pair;
    }
    return ICF_OK;
}

void icf_local_parts_restore_duals(const icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = contacts_of(problem);
    icf_lid n = 0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        const icf_lid of_pair = view->end - view->begin;
        memcpy(family->iterates.dual + view->begin, parts->dual + n, (size_t)of_pair * sizeof *parts->dual);
        n += of_pair;
    }
}
