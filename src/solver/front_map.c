/* Fronts to ranks by bisection. */
#include "solver/front_map.h"

#include "base/memory.h"
#include "base/sort.h"

/* Operations that assembling one entry of a front is worth. */
static const double ENTRY_COST = 20.0;
/* Subtrees below this cost are not opened: messages would cost more than balance gains. */
static const double OPEN_COST = 2e6;
/* Largest load of a half over the mean. */
static const double BALANCE = 1.06;

void icf_front_map_init(icf_front_map *map)
{
    *map = (icf_front_map){0};
}

void icf_front_map_clear(icf_front_map *map)
{
    icf_free(map->first);
    icf_free(map->count);
    icf_free(map->rank);
    icf_free(map->place);
    icf_free(map->gain);
    icf_free(map->size);
    icf_free(map->cost);
    icf_free(map->forest);
    icf_front_map_init(map);
}

/* ---- strips ---- */

static int strips_of(int columns)
{
    return (columns + ICF_FRONT_STRIP - 1) / ICF_FRONT_STRIP;
}

int icf_front_panel_strips(const icf_front_map *map, icf_lid s)
{
    return strips_of(map->symbolic->pivot_dof[s]);
}

int icf_front_strips(const icf_front_map *map, icf_lid s)
{
    return icf_front_panel_strips(map, s) + strips_of(map->symbolic->front_dof[s] - map->symbolic->pivot_dof[s]);
}

icf_front_strip icf_front_strip_at(const icf_front_map *map, icf_lid s, int strip)
{
    const int ncol = map->symbolic->pivot_dof[s], nrow = map->symbolic->front_dof[s];
    const int npanel = icf_front_panel_strips(map, s);
    const bool in_panel = strip < npanel;
    const int begin = in_panel ? strip * ICF_FRONT_STRIP : ncol + (strip - npanel) * ICF_FRONT_STRIP;
    const int end = ICF_MIN(begin + ICF_FRONT_STRIP, in_panel ? ncol : nrow);
    return (icf_front_strip){begin, end, icf_front_padded(nrow - begin)};
}

int icf_front_strip_of(const icf_front_map *map, icf_lid s, int column)
{
    const int ncol = map->symbolic->pivot_dof[s];
    if (column < ncol) return column / ICF_FRONT_STRIP;
    return icf_front_panel_strips(map, s) + (column - ncol) / ICF_FRONT_STRIP;
}

int icf_front_strip_owner(const icf_front_map *map, icf_lid s, int strip)
{
    const int n = map->count[s], turn = strip % (2 * n);
    return icf_front_rank(map, s, turn < n ? turn : 2 * n - 1 - turn);
}

int icf_front_column_owner(const icf_front_map *map, icf_lid s, int column)
{
    if (!icf_front_is_shared(map, s)) return icf_front_rank(map, s, 0);
    return icf_front_strip_owner(map, s, icf_front_strip_of(map, s, column));
}

/* ---- load ---- */

/* A column of m entries from its diagonal down takes 2 operations an entry for each pivot before it, and is scaled. */
static void add_column(const icf_front_map *map, icf_lid s, int column, icf_front_load *load)
{
    const int ncol = map->symbolic->pivot_dof[s];
    const double m = map->symbolic->front_dof[s] - column;
    load->flops += (column < ncol ? 2.0 * column + 1.0 : 2.0 * ncol) * m;
    if (column < ncol) load->values += m;
}

/* The update of a front that a shared one needs stays until then. */
static void add_kept(const icf_front_map *map, icf_lid s, icf_front_load *load)
{
    const icf_symbolic *symbolic = map->symbolic;
    const icf_lid parent = symbolic->super_parent[s];
    if (parent < 0 || !icf_front_is_shared(map, parent)) return;
    const double below = symbolic->front_dof[s] - symbolic->pivot_dof[s];
    if (!icf_front_is_shared(map, s)) load[icf_front_rank(map, s, 0)].kept += below * below;
    for (int k = icf_front_panel_strips(map, s); icf_front_is_shared(map, s) && k < icf_front_strips(map, s); ++k) {
        const icf_front_strip strip = icf_front_strip_at(map, s, k);
        load[icf_front_strip_owner(map, s, k)].kept += (double)strip.ld * (strip.end - strip.begin);
    }
}

/* A strip of pivots goes to all other ranks of the front; in a solution their partial sums come to its owner, and it
 * sends what they come to. */
static void add_strips(const icf_front_map *map, icf_lid s, icf_front_load *load)
{
    const int others = map->count[s] - 1;
    const double longest = (double)map->symbolic->front_dof[s] * ICF_FRONT_STRIP;
    for (int r = 0; r <= others; ++r) {
        icf_front_load *one = &load[icf_front_rank(map, s, r)];
        one->strip = ICF_MAX(one->strip, longest);
    }
    for (int k = 0; k < icf_front_panel_strips(map, s); ++k) {
        const icf_front_strip strip = icf_front_strip_at(map, s, k);
        const int width = strip.end - strip.begin, owner = icf_front_strip_owner(map, s, k);
        const icf_cnt bytes = (icf_cnt)sizeof(double) * width;
        icf_sent_add(&load[owner].factor, others, others * bytes * strip.ld);
        icf_sent_add(&load[owner].solve, others, others * bytes);
        for (int r = 0; r <= others; ++r)
            if (icf_front_rank(map, s, r) != owner) icf_sent_add(&load[icf_front_rank(map, s, r)].solve, 1, bytes);
    }
}

/* Columns of updates of the children of a shared front whose place is another rank's.  What a rank sends another for
 * the panel of a front is one message, and one for its update. */
typedef struct update_counter {
    const icf_front_map *map;
    icf_front_load *load;
    icf_lid n, capacity;
    icf_keyed *column, *work; /* (n) sender, receiver and whether into the panel; entries */
} update_counter;

static void list_update(update_counter *counter, icf_lid s, icf_lid parent)
{
    const icf_front_map *map = counter->map;
    const icf_symbolic *symbolic = map->symbolic;
    for (int64_t e = symbolic->struct_ptr[s]; e < symbolic->struct_ptr[s + 1]; ++e) {
        const icf_lid place = symbolic->struct_idx[e];
        for (int i = 0; i < symbolic->place_dof[place + 1] - symbolic->place_dof[place]; ++i) {
            const int column = symbolic->struct_row[e] + i, there = symbolic->struct_relative[e] + i;
            const uint64_t from = (uint64_t)icf_front_column_owner(map, s, column);
            const uint64_t to = (uint64_t)icf_front_column_owner(map, parent, there);
            if (from == to) continue;
            const uint64_t into_panel = there < symbolic->pivot_dof[parent];
            counter->column[counter->n++] =
                (icf_keyed){(from * (uint64_t)map->nrank + to) * 2 + into_panel, symbolic->front_dof[s] - column};
        }
    }
}

static void count_columns(update_counter *counter)
{
    icf_sort_keyed(counter->n, counter->column, counter->work);
    for (icf_lid k = 0; k < counter->n; ++k) {
        const icf_keyed column = counter->column[k];
        const uint64_t ranks = column.key / 2, nrank = (uint64_t)counter->map->nrank;
        icf_front_load *from = &counter->load[ranks / nrank], *to = &counter->load[ranks % nrank];
        const bool first = k == 0 || counter->column[k - 1].key != column.key;
        icf_sent_add(&from->factor, first, (icf_cnt)sizeof(double) * column.value);
        from->updates += column.value;
        to->updates += column.value;
    }
    counter->n = 0;
}

/* Columns of the updates of a front's children. */
static icf_lid children_columns(const icf_front_map *map, icf_lid s)
{
    const icf_symbolic *symbolic = map->symbolic;
    icf_lid child = s - 1, n = 0;
    for (icf_lid k = 0; k < symbolic->super_nchild[s]; ++k, child -= map->size[child])
        n += symbolic->front_dof[child] - symbolic->pivot_dof[child];
    return n;
}

static icf_status add_updates(const icf_front_map *map, icf_front_load *load)
{
    update_counter counter = {.map = map, .load = load};
    for (icf_lid s = 0; s < map->symbolic->nsuper; ++s)
        if (icf_front_is_shared(map, s)) counter.capacity = ICF_MAX(counter.capacity, children_columns(map, s));
    if (counter.capacity == 0) return ICF_OK;
    counter.column = icf_alloc(2 * (size_t)counter.capacity * sizeof *counter.column);
    if (!counter.column) return ICF_ERROR_MEMORY;
    counter.work = counter.column + counter.capacity;
    for (icf_lid s = 0; s < map->symbolic->nsuper; ++s) {
        if (!icf_front_is_shared(map, s)) continue;
        icf_lid child = s - 1;
        for (icf_lid k = 0; k < map->symbolic->super_nchild[s]; ++k, child -= map->size[child])
            list_update(&counter, child, s);
        count_columns(&counter);
    }
    icf_free(counter.column);
    return ICF_OK;
}

icf_status icf_front_map_loads(const icf_front_map *map, icf_front_load *load)
{
    for (int rank = 0; rank < map->nrank; ++rank) load[rank] = (icf_front_load){0};
    for (icf_lid s = 0; s < map->symbolic->nsuper; ++s) {
        for (int column = 0; column < map->symbolic->front_dof[s]; ++column)
            add_column(map, s, column, &load[icf_front_column_owner(map, s, column)]);
        if (icf_front_is_shared(map, s)) add_strips(map, s, load);
        add_kept(map, s, load);
    }
    return add_updates(map, load);
}

void icf_front_load_add(icf_front_load *sum, const icf_front_load *load)
{
    sum->flops += load->flops;
    sum->values += load->values;
    sum->kept += load->kept;
    sum->strip = ICF_MAX(sum->strip, load->strip);
    sum->updates += load->updates;
    icf_sent_add(&sum->factor, load->factor.messages, load->factor.bytes);
    icf_sent_add(&sum->solve, load->solve.messages, load->solve.bytes);
}

/* ---- blocks ---- */

int icf_front_block_ranks(const icf_front_map *map, icf_lid row, icf_lid column, int *rank)
{
    const icf_symbolic *symbolic = map->symbolic;
    const icf_lid place = ICF_MIN(symbolic->iperm[row], symbolic->iperm[column]), s = symbolic->super_of[place];
    rank[0] = icf_front_rank(map, s, 0);
    if (!icf_front_is_shared(map, s)) return 1;
    const int begin = symbolic->place_dof[place] - symbolic->place_dof[symbolic->super_ptr[s]];
    const int end = symbolic->place_dof[place + 1] - symbolic->place_dof[symbolic->super_ptr[s]];
    int n = 0;
    for (int strip = icf_front_strip_of(map, s, begin); strip <= icf_front_strip_of(map, s, end - 1); ++strip) {
        const int owner = icf_front_strip_owner(map, s, strip);
        bool known = false;
        for (int k = 0; k < n; ++k) known = known || rank[k] == owner;
        if (!known) rank[n++] = owner;
    }
    return n;
}

/* ---- map ---- */

static icf_status reserve(icf_front_map *map, icf_lid nsuper, int nrank)
{
    ICF_TRY(ICF_GROW(map->rank, map->rank_capacity, nrank));
    ICF_TRY(ICF_GROW(map->place, map->place_capacity, nrank));
    ICF_TRY(ICF_GROW(map->gain, map->gain_capacity, nrank));
    ICF_TRY(ICF_GROW(map->first, map->first_capacity, nsuper));
    ICF_TRY(ICF_GROW(map->count, map->count_capacity, nsuper));
    ICF_TRY(ICF_GROW(map->size, map->size_capacity, nsuper));
    ICF_TRY(ICF_GROW(map->cost, map->cost_capacity, nsuper));
    return ICF_GROW(map->forest, map->forest_capacity, nsuper);
}

/* Sizes and costs of all subtrees. */
static void weigh_subtrees(icf_front_map *map)
{
    const icf_symbolic *symbolic = map->symbolic;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        map->size[s] = 1;
        map->cost[s] = 0.0;
    }
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const double m = symbolic->front_dof[s], below = m - symbolic->pivot_dof[s];
        map->cost[s] += (m * m * m - below * below * below) / 3.0 + ENTRY_COST * m * m;
        const icf_lid parent = symbolic->super_parent[s];
        if (parent < 0) continue;
        map->size[parent] += map->size[s];
        map->cost[parent] += map->cost[s];
    }
}

/* Gives supernodes to the ranks at places first..first+count-1. */
static void give(icf_front_map *map, icf_lid from, icf_lid to, int first, int count)
{
    for (icf_lid s = from; s <= to; ++s) {
        map->first[s] = first;
        map->count[s] = count;
    }
}

/* Dearest first, equal ones by number: insertion into a list that is sorted but for what was opened last. */
static void sort_forest(const icf_front_map *map, icf_lid *root, icf_lid n)
{
    for (icf_lid i = 1; i < n; ++i) {
        const icf_lid s = root[i];
        icf_lid k = i;
        for (; k > 0 &&
               (map->cost[root[k - 1]] < map->cost[s] || (map->cost[root[k - 1]] == map->cost[s] && root[k - 1] > s));
             --k)
            root[k] = root[k - 1];
        root[k] = s;
    }
}

/* Replaces the first root of a forest by its children; its front goes to all ranks.  Returns the new number of roots.
 */
static icf_lid open_root(icf_front_map *map, icf_lid *root, icf_lid n, int first, int count)
{
    const icf_lid opened = root[0];
    give(map, opened, opened, first, count);
    for (icf_lid i = 1; i < n; ++i) root[i - 1] = root[i];
    --n;
    icf_lid child = opened - 1;
    for (icf_lid k = 0; k < map->symbolic->super_nchild[opened]; ++k, child -= map->size[child]) root[n++] = child;
    return n;
}

/* Shares a sorted forest out over two sets of ranks, the next subtree to the one that has less a rank.
 *   root [in,out] (n) those of the left set come first; nleft [out] their number
 * Returns whether both are within the balance. */
static bool share_out(const icf_front_map *map, icf_lid *root, icf_lid n, int left, int right, icf_lid *nleft)
{
    double load[2] = {0.0, 0.0};
    icf_lid filled = 0;
    for (icf_lid i = 0; i < n; ++i) {
        const bool to_left = load[0] / left <= load[1] / right;
        load[!to_left] += map->cost[root[i]];
        if (!to_left) continue;
        /* the left half comes first, the rest keeps its order */
        const icf_lid s = root[i];
        for (icf_lid k = i; k > filled; --k) root[k] = root[k - 1];
        root[filled++] = s;
    }
    *nleft = filled;
    const double mean = (load[0] + load[1]) / (left + right);
    return ICF_MAX(load[0] / left, load[1] / right) <= BALANCE * mean;
}

/* Adds the entries of the pivots' blocks of a subtree to what their owners gain. */
static void add_gain(icf_front_map *map, const int *owner, icf_lid root, double sign)
{
    const icf_symbolic *symbolic = map->symbolic;
    const icf_lid begin = symbolic->super_ptr[root - map->size[root] + 1], end = symbolic->super_ptr[root + 1];
    for (icf_lid at = begin; at < end; ++at) {
        const icf_lid n = symbolic->place_dof[at + 1] - symbolic->place_dof[at];
        icf_lid rows = n;
        for (icf_lid k = symbolic->entry_ptr[at]; k < symbolic->entry_ptr[at + 1]; ++k) rows += symbolic->entry_dof[k];
        map->gain[map->place[owner[symbolic->perm[at]]]] += sign * (double)n * (double)rows;
    }
}

/* The ranks with most to gain come first. */
static void sort_ranks(icf_front_map *map, int first, int count)
{
    for (int i = first + 1; i < first + count; ++i) {
        const int rank = map->rank[i];
        const double gain = map->gain[i];
        int k = i;
        for (; k > first && map->gain[k - 1] < gain; --k) {
            map->rank[k] = map->rank[k - 1];
            map->gain[k] = map->gain[k - 1];
        }
        map->rank[k] = rank;
        map->gain[k] = gain;
    }
    for (int i = first; i < first + count; ++i) map->place[map->rank[i]] = i;
}

/* Which of the ranks at places first..first+count-1 are the left half. */
static void choose_ranks(icf_front_map *map, const int *owner, const icf_lid *root, icf_lid n, icf_lid nleft, int first,
                         int count)
{
    for (int r = 0; r < map->nrank; ++r) map->gain[r] = 0.0;
    for (icf_lid i = 0; i < n; ++i) add_gain(map, owner, root[i], i < nleft ? 1.0 : -1.0);
    sort_ranks(map, first, count);
}

static void map_forest(icf_front_map *map, const int *owner, icf_lid *root, icf_lid n, int first, int count)
{
    if (count == 1) {
        for (icf_lid i = 0; i < n; ++i) give(map, root[i] - map->size[root[i]] + 1, root[i], first, 1);
        return;
    }
    const int left = count / 2, right = count - left;
    icf_lid nleft;
    for (;;) {
        sort_forest(map, root, n);
        const bool dear = n > 0 && map->cost[root[0]] > OPEN_COST;
        if (share_out(map, root, n, left, right, &nleft) || !dear) break;
        sort_forest(map, root, n); /* the dearest is first again */
        n = open_root(map, root, n, first, count);
    }
    if (owner) choose_ranks(map, owner, root, n, nleft, first, count);
    /* the upper part may grow while it is mapped, then the lower one may */
    map_forest(map, owner, root + nleft, n - nleft, first + left, right);
    map_forest(map, owner, root, nleft, first, left);
}

icf_status icf_front_map_build(icf_front_map *map, const icf_symbolic *symbolic, const int *owner, int nrank)
{
    map->symbolic = symbolic;
    map->nrank = nrank;
    ICF_TRY(reserve(map, symbolic->nsuper, nrank));
    for (int r = 0; r < nrank; ++r) map->rank[r] = map->place[r] = r;
    weigh_subtrees(map);
    icf_lid n = 0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s)
        if (symbolic->super_parent[s] < 0) map->forest[n++] = s;
    map_forest(map, owner, map->forest, n, 0, nrank);
    return ICF_OK;
}
