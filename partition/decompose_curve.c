/* Decomposition along a Hilbert curve.
 *
 *     cube round the bodies -> key of each body -> sorted by (key, id) -> P - 1 splitters by bisection
 *
 * Where a splitter lies depends on sums of weights alone.  Weights are whole numbers, the cube comes from minima,
 * maxima and sums of whole numbers: the result does not depend on which rank holds which body.  All splitters are
 * searched at the same time, each round sums P - 1 counters over the ranks: ICF_HILBERT_BITS rounds for the key, as
 * many as an id has bits for bodies of the same key.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "base/sort.h"
#include "partition/decompose.h"
#include "partition/hilbert.h"

enum { weight_bits = 24, cell_bits = 31, shrinks_max = 16 };

/* A splitter: the last place of a piece.  While bisecting, the search is between lo and hi, both included. */
typedef struct splitter {
    uint64_t key;
    icf_gid gid;
    int64_t target; /* weight that shall lie up to here */
    uint64_t lo, hi;
    int64_t up_to; /* weight that lies up to here */
} splitter;

typedef struct curve_cut {
    icf_context *context;
    const icf_bodies *bodies;
    icf_lid n;              /* moving bodies of this rank */
    icf_keyed *item, *work; /* (n) their keys and local indices, ascending by key and id; scratch */
    int64_t *up_to;         /* (n) weight of the items up to each one */
    int nsplitter;
    splitter *splitter; /* (nsplitter) */
    int64_t *count;     /* (nsplitter) weights up to the probed places */
    int64_t total;      /* weight of all bodies */
    icf_vec3 lo, hi;    /* corners of the cube [m] */
} curve_cut;

/* ---- cube ---- */

static void bound_bodies(curve_cut *cut, const icf_bodies *bodies)
{
    double mine[6] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, all[6];
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i) || !icf_is_finite(bodies->position[i])) continue;
        for (int k = 0; k < 3; ++k) {
            mine[k] = fmax(mine[k], -icf_get(bodies->position[i], k));
            mine[k + 3] = fmax(mine[k + 3], icf_get(bodies->position[i], k));
        }
    }
    ICF_MPI_WAIT(MPI_Allreduce(mine, all, 6, MPI_DOUBLE, MPI_MAX, cut->context->comm));
    cut->lo = icf_vec3_make(-all[0], -all[1], -all[2]);
    cut->hi = icf_vec3_make(all[3], all[4], all[5]);
}

/* Place of a coordinate in [lo, hi] as a whole number of so many bits; what is outside, and NaN, is at the ends. */
static uint32_t place(double x, double lo, double hi, int bits)
{
    const double cells = (double)(UINT32_C(1) << bits), cell = (x - lo) / (hi - lo) * cells;
    if (!(cell > 0.0)) return 0;
    return (uint32_t)fmin(cell, cells - 1.0);
}

/* Sums over all bodies of what a body adds, for each axis, and their number.
 *   center [in] NULL: places along the axes; else: distances from it */
static void sum_places(const curve_cut *cut, const icf_bodies *bodies, const int64_t *center, int64_t sum[4])
{
    int64_t mine[4] = {0};
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        for (int k = 0; k < 3; ++k) {
            const int64_t at =
                place(icf_get(bodies->position[i], k), icf_get(cut->lo, k), icf_get(cut->hi, k), cell_bits);
            mine[k] += center ? llabs(at - center[k]) : at;
        }
        ++mine[3];
    }
    ICF_MPI_WAIT(MPI_Allreduce(mine, sum, 4, MPI_INT64_T, MPI_SUM, cut->context->comm));
}

/* A body that has left for far away must not coarsen the curve for the others: along each axis the box reaches 16 mean
 * deviations from the mean at most.  Returns whether it became much smaller. */
static bool shrink(curve_cut *cut, const icf_bodies *bodies)
{
    int64_t sum[4], center[3];
    double lo[3], hi[3];
    bool smaller = false;
    sum_places(cut, bodies, NULL, sum);
    for (int k = 0; k < 3; ++k) center[k] = sum[k] / ICF_MAX(sum[3], 1);
    sum_places(cut, bodies, center, sum);
    for (int k = 0; k < 3; ++k) {
        lo[k] = icf_get(cut->lo, k);
        hi[k] = icf_get(cut->hi, k);
        const double length = hi[k] - lo[k], cell = length * 0x1p-31, middle = lo[k] + (double)center[k] * cell;
        const double reach = 16.0 * cell * ((double)(sum[k] / ICF_MAX(sum[3], 1)) + 1.0);
        lo[k] = fmax(lo[k], middle - reach);
        hi[k] = fmin(hi[k], middle + reach);
        smaller = smaller || hi[k] - lo[k] < 0.5 * length;
    }
    cut->lo = icf_vec3_make(lo[0], lo[1], lo[2]);
    cut->hi = icf_vec3_make(hi[0], hi[1], hi[2]);
    return smaller;
}

/* Makes the box a cube with the same lowest corner, so that pieces are compact.  With the same centre the curve's first
 * halving would cut a flat scene, as heaps on the ground are, into an upper and a lower layer. */
static void make_cube(curve_cut *cut)
{
    const icf_vec3 edge = icf_sub(cut->hi, cut->lo);
    const double longest = fmax(edge.x, fmax(edge.y, edge.z));
    cut->hi = icf_add(cut->lo, icf_vec3_make(longest, longest, longest));
}

/* ---- items ---- */

static uint64_t key_of(const curve_cut *cut, icf_vec3 position)
{
    uint32_t cell[3];
    for (int k = 0; k < 3; ++k)
        cell[k] = place(icf_get(position, k), icf_get(cut->lo, k), icf_get(cut->hi, k), ICF_HILBERT_AXIS_BITS);
    return icf_hilbert_key(cell);
}

/* Weights as whole numbers: the largest of all ranks becomes 2^weight_bits. */
static double weight_scale(const curve_cut *cut, const icf_bodies *bodies, const double *weight)
{
    double largest = 0.0;
    for (icf_lid i = 0; i < bodies->nowned && weight; ++i)
        if (icf_bodies_moves(bodies, i)) largest = fmax(largest, weight[i]);
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, cut->context->comm));
    return largest > 0.0 ? (double)(1 << weight_bits) / largest : 1.0;
}

static void list_items(curve_cut *cut, const icf_bodies *bodies, const double *weight)
{
    const double scale = weight_scale(cut, bodies, weight);
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_moves(bodies, i)) cut->item[cut->n++] = (icf_keyed){key_of(cut, bodies->position[i]), i};
    /* local indices ascend by id, and the sort keeps the order of equal keys */
    icf_sort_keyed(cut->n, cut->item, cut->work);
    cut->total = 0;
    for (icf_lid k = 0; k < cut->n; ++k) {
        cut->total += weight ? ICF_MAX(llround(scale * weight[cut->item[k].value]), 1) : 1;
        cut->up_to[k] = cut->total;
    }
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &cut->total, 1, MPI_INT64_T, MPI_SUM, cut->context->comm));
}

/* Whether item k is at (key, gid) or before. */
static bool is_up_to(const curve_cut *cut, icf_lid k, uint64_t key, icf_gid gid)
{
    const icf_keyed *item = &cut->item[k];
    return item->key < key || (item->key == key && cut->bodies->gid[item->value] <= gid);
}

/* Weight of this rank's items up to (key, gid), it included. */
static int64_t weight_up_to(const curve_cut *cut, uint64_t key, icf_gid gid)
{
    icf_lid lo = 0, hi = cut->n;
    while (lo < hi) {
        const icf_lid middle = lo + (hi - lo) / 2;
        if (is_up_to(cut, middle, key, gid))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo > 0 ? cut->up_to[lo - 1] : 0;
}

/* ---- splitters ---- */

static uint64_t middle_of(const splitter *split)
{
    return split->lo + (split->hi - split->lo) / 2;
}

/* One round's answer: weight up to the middle.  Returns whether the search was still open. */
static bool narrow(splitter *split, int64_t up_to_middle)
{
    const uint64_t middle = middle_of(split);
    if (split->lo == split->hi) {
        split->up_to = up_to_middle;
        return false;
    }
    if (up_to_middle >= split->target)
        split->hi = middle;
    else
        split->lo = middle + 1;
    return true;
}

/* Bisects all splitters between lo and hi, for the key, or for the id among the bodies of the key found: the first
 * place up to which the target lies. */
static void bisect(curve_cut *cut, bool by_key)
{
    bool open = true;
    while (open) {
        for (int s = 0; s < cut->nsplitter; ++s) {
            const splitter *split = &cut->splitter[s];
            cut->count[s] = by_key ? weight_up_to(cut, middle_of(split), INT64_MAX)
                                   : weight_up_to(cut, split->key, (icf_gid)middle_of(split));
        }
        ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, cut->count, cut->nsplitter, MPI_INT64_T, MPI_SUM, cut->context->comm));
        open = false;
        for (int s = 0; s < cut->nsplitter; ++s) open |= narrow(&cut->splitter[s], cut->count[s]);
    }
}

static icf_gid largest_gid(const curve_cut *cut)
{
    icf_gid largest = 0;
    for (icf_lid k = 0; k < cut->n; ++k) largest = ICF_MAX(largest, cut->bodies->gid[cut->item[k].value]);
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, cut->context->comm));
    return largest;
}

static void find_splitters(curve_cut *cut)
{
    const int64_t size = cut->nsplitter + 1;
    for (int s = 0; s < cut->nsplitter; ++s) {
        const int64_t target = cut->total / size * (s + 1) + cut->total % size * (s + 1) / size;
        cut->splitter[s] = (splitter){.target = ICF_MAX(target, 1), .hi = (UINT64_C(1) << ICF_HILBERT_BITS) - 1};
    }
    bisect(cut, true);
    const icf_gid last = largest_gid(cut);
    for (int s = 0; s < cut->nsplitter; ++s) {
        splitter *split = &cut->splitter[s];
        split->key = split->lo;
        split->lo = 0;
        split->hi = (uint64_t)last;
    }
    bisect(cut, false);
    for (int s = 0; s < cut->nsplitter; ++s) cut->splitter[s].gid = (icf_gid)cut->splitter[s].lo;
}

/* Gives every item the number of splitters before it. */
static void assign(const curve_cut *cut, const icf_bodies *bodies, int *rank)
{
    for (icf_lid i = 0; i < bodies->nowned; ++i) rank[i] = cut->context->rank;
    int s = 0;
    for (icf_lid k = 0; k < cut->n; ++k) {
        while (s < cut->nsplitter && !is_up_to(cut, k, cut->splitter[s].key, cut->splitter[s].gid)) ++s;
        rank[cut->item[k].value] = s;
    }
}

static double imbalance(const curve_cut *cut)
{
    if (cut->total == 0) return 1.0;
    int64_t before = 0, largest = 0;
    for (int s = 0; s < cut->nsplitter; ++s) {
        largest = ICF_MAX(largest, cut->splitter[s].up_to - before);
        before = cut->splitter[s].up_to;
    }
    largest = ICF_MAX(largest, cut->total - before);
    return (double)largest * (double)(cut->nsplitter + 1) / (double)cut->total;
}

static icf_status allocate(curve_cut *cut, const icf_bodies *bodies)
{
    const size_t n = (size_t)bodies->nowned + 1, nsplitter = (size_t)cut->context->size;
    cut->item = icf_alloc(n * sizeof *cut->item);
    cut->work = icf_alloc(n * sizeof *cut->work);
    cut->up_to = icf_alloc(n * sizeof *cut->up_to);
    cut->splitter = icf_alloc(nsplitter * sizeof *cut->splitter);
    cut->count = icf_alloc(nsplitter * sizeof *cut->count);
    return cut->item && cut->work && cut->up_to && cut->splitter && cut->count ? ICF_OK : ICF_ERROR_MEMORY;
}

icf_status icf_decompose_curve(icf_context *context, const icf_bodies *bodies, const double *weight, int *rank,
                               icf_decomposition *result)
{
    curve_cut cut = {.context = context, .bodies = bodies, .nsplitter = context->size - 1};
    const icf_status status = icf_agree(context, allocate(&cut, bodies));
    if (status == ICF_OK) {
        bound_bodies(&cut, bodies);
        for (int i = 0; i < shrinks_max && shrink(&cut, bodies); ++i) {
        }
        make_cube(&cut);
        list_items(&cut, bodies, weight);
        find_splitters(&cut);
        assign(&cut, bodies, rank);
        *result = (icf_decomposition){.imbalance = imbalance(&cut)};
    }
    icf_free(cut.item);
    icf_free(cut.work);
    icf_free(cut.up_to);
    icf_free(cut.splitter);
    icf_free(cut.count);
    return status;
}
