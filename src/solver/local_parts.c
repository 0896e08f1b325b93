/* Parts of an island where nearly all of the residual is. */
#include "solver/local_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/disjoint_sets.h"
#include "base/memory.h"

static const double counts = 1e-7;      /* of the mean square of residuals: blocks below are as good as solved */
static const double told_apart = 1e-9;  /* of what is usual: sizes below are not told apart */
static const double most_blocks = 0.35; /* of all blocks may be in parts ... */
static const double left_out = 1e-4;    /* ... and the others have no more of the squared residual */

void icf_local_parts_init(icf_local_parts *parts)
{
    *parts = (icf_local_parts){0};
}

void icf_local_parts_clear(icf_local_parts *parts)
{
    void *const arrays[] = {parts->part_of,  parts->number,   parts->first,  parts->block, parts->pair_at, parts->pair,
                            parts->dof,      parts->momentum, parts->v_star, parts->v,     parts->view,    parts->set,
                            parts->residual, parts->dual,     parts->piece,  parts->reach};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) icf_free(arrays[k]);
    icf_local_parts_init(parts);
}

bool icf_local_parts_may(const icf_problem *problem)
{
    const icf_constraints *family = problem->family[0];
    return problem->nmesh == 0 && problem->nfamily == 1 && icf_contact_constraints_are(family) &&
           !family->ops->try_rest(family);
}

#define GROW(name, n) ICF_TRY(ICF_GROW(parts->name, parts->name##_capacity, n))

icf_status icf_local_parts_reserve(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = icf_problem_contacts(problem);
    const icf_lid nblock = problem->nblock, npair = family->npair;
    icf_lid ncontact = 0;
    for (icf_lid k = 0; k < npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        ncontact += view->end - view->begin;
    }
    GROW(part_of, nblock);
    GROW(number, nblock);
    GROW(piece, nblock);
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
    GROW(reach, nblock);
    GROW(dual, ncontact);
    return ICF_OK;
}

/* ---- which blocks ---- */

/* |D grad|^2 of each block, 0: of a shadow until its owner tells. */
static void find_residuals(icf_local_parts *parts, const icf_problem *problem, const double *scale, const double *grad)
{
    const int32_t n = icf_problem_owned_dofs(problem);
    for (icf_lid b = 0; b < problem->nblock; ++b) {
        double square = 0.0;
        for (int32_t i = problem->dof[b]; i < ICF_MIN(n, problem->dof[b + 1]); ++i)
            square += scale[i] * grad[i] * scale[i] * grad[i];
        parts->residual[b] = square;
    }
    if (problem->group) icf_group_blocks_to_shadows(problem->group, parts->residual);
}

/* Largest residual of each block and its neighbours: it is in a part where that is above a threshold. */
static void find_reach(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = icf_problem_contacts(problem);
    double *reach = parts->reach;
    for (icf_lid b = 0; b < problem->nblock; ++b) reach[b] = parts->residual[b];
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        if (!view->a_moves || !view->b_moves) continue;
        const icf_lid a = view->a_block, b = view->b_block;
        reach[a] = fmax(reach[a], parts->residual[b]);
        reach[b] = fmax(reach[b], parts->residual[a]);
    }
    if (problem->group) icf_group_blocks_max(problem->group, reach);
}

enum { BINS = 60 };

/* Blocks by the power of two of their reach over a least one. */
typedef struct histogram {
    double number[BINS];
    double square[BINS + 1]; /* sums of |D grad|^2: of blocks below all bins, of each bin */
} histogram;

static_assert(sizeof(histogram) <= ICF_GROUP_SUMS * sizeof(double), "a group sums histograms at once");

/* -1: below all bins. */
static int bin_of(double reach, double least)
{
    return reach > least ? ICF_MIN(ilogb(reach / least), BINS - 1) : -1;
}

static histogram count_blocks(const icf_local_parts *parts, const icf_problem *problem, double least)
{
    const icf_lid n = problem->group ? problem->group->nowned : problem->nblock;
    histogram bins = {0};
    for (icf_lid b = 0; b < n; ++b) {
        const int k = bin_of(parts->reach[b], least);
        if (k >= 0) bins.number[k] += 1.0;
        bins.square[k + 1] += parts->residual[b];
    }
    icf_problem_sum(problem, (double *)&bins, sizeof bins / sizeof(double));
    return bins;
}

/* The first bin whose blocks are in parts: as many blocks as may be that count, or none if too much of the residual is
 * on others.  Returns their number. */
static double choose_bin(const histogram *bins, double nblock, double least, int *first)
{
    double n = 0.0, left = 0.0, sum = 0.0;
    for (int k = 0; k <= BINS; ++k) sum += bins->square[k];
    if (!isfinite(sum)) return 0.0;
    const int lowest = 1 + bin_of(counts * sum / nblock, least);
    int k = BINS;
    for (; k > lowest && n + bins->number[k - 1] <= most_blocks * nblock; --k) n += bins->number[k - 1];
    for (int j = 0; j <= k; ++j) left += bins->square[j];
    *first = k;
    return left <= left_out * sum ? n : 0.0;
}

/* Marks the blocks that are to be in parts with 0 in part_of, others with -1. */
static void choose_blocks(icf_local_parts *parts, const icf_problem *problem, double usual)
{
    const double nblock = (double)icf_problem_blocks(problem), least = told_apart * usual / nblock;
    const histogram bins = count_blocks(parts, problem, least);
    int first = BINS;
    parts->found = (icf_cnt)choose_bin(&bins, nblock, least, &first);
    for (icf_lid b = 0; b < problem->nblock; ++b)
        parts->part_of[b] = parts->found > 0 && bin_of(parts->reach[b], least) >= first ? 0 : -1;
}

/* ---- connected parts ---- */

/* Joins marked blocks that touch. */
static void join(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = icf_problem_contacts(problem);
    icf_sets_start(problem->nblock, parts->set);
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        if (!view->a_moves || !view->b_moves) continue;
        if (parts->part_of[view->a_block] < 0 || parts->part_of[view->b_block] < 0) continue;
        icf_sets_join(parts->set, view->a_block, view->b_block);
    }
}

/* Takes the parts with blocks that several ranks know out of those of this rank: they are pieces, in the order of their
 * first blocks. */
static void number_pieces(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_group *group = problem->group;
    parts->npiece = 0;
    for (icf_lid b = 0; b < problem->nblock; ++b) parts->piece[b] = -1;
    if (!group) return;
    for (icf_lid b = group->nowned; b < group->nblock; ++b) parts->piece[icf_sets_find(parts->set, b)] = 0;
    for (int k = 0; k < icf_group_count_sent(group); ++k) parts->piece[icf_sets_find(parts->set, group->send[k])] = 0;
    for (icf_lid b = 0; b < problem->nblock; ++b) {
        const icf_lid smallest = icf_sets_find(parts->set, b);
        if (parts->part_of[b] < 0) parts->piece[b] = -1;
        if (parts->part_of[b] < 0 || parts->piece[smallest] < 0) continue;
        parts->piece[b] = smallest == b ? parts->npiece++ : parts->piece[smallest];
        parts->part_of[b] = -1;
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

void icf_local_parts_find(icf_local_parts *parts, const icf_problem *problem, const double *scale, const double *grad,
                          double usual)
{
    const icf_contact_constraints *contacts = icf_problem_contacts(problem);
    find_residuals(parts, problem, scale, grad);
    find_reach(parts, problem);
    choose_blocks(parts, problem, usual);
    join(parts, problem);
    number_pieces(parts, problem);
    number_parts(parts, problem->nblock);
    icf_contact_constraints_list(contacts, parts->n, parts->part_of, parts->pair_at, parts->pair);
    gather(parts, problem);
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
    icf_contact_constraints_restrict(family, icf_problem_contacts(problem), v, npair, parts->pair + parts->pair_at[k],
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

void icf_local_parts_keep_duals(icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = icf_problem_contacts(problem);
    icf_lid n = 0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        const icf_lid of_pair = view->end - view->begin;
        memcpy(parts->dual + n, family->iterates.dual + view->begin, (size_t)of_pair * sizeof *parts->dual);
        n += of_pair;
    }
}

void icf_local_parts_restore_duals(const icf_local_parts *parts, const icf_problem *problem)
{
    const icf_contact_constraints *family = icf_problem_contacts(problem);
    icf_lid n = 0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(family, k);
        const icf_lid of_pair = view->end - view->begin;
        memcpy(family->iterates.dual + view->begin, parts->dual + n, (size_t)of_pair * sizeof *parts->dual);
        n += of_pair;
    }
}
