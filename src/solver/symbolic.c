/* Symbolic factorisation: supernodes, their merging, the final order, and the fronts.
 *
 * Supernodes are first the runs of columns with nested structure ("fundamental").  Then each parent looks at its
 * children, last first, and takes in those whose union with it holds few zeros: the wider the union, the
 * fewer, because a narrow front pays for its overhead and a wide one for its arithmetic.  The rows below the
 * union are those of the parent, so that merging never changes the structure of a front further up.
 *
 * The order of children is the one of Liu, "On the storage requirement in the out-of-core multifrontal method"
 * (1986): by decreasing (stack needed by the subtree - size of its update).
 *
 * Three numberings: nodes (given order), fundamental supernodes ("part"), final places and supernodes.
 */
#include "solver/symbolic.h"

#include <string.h>

#include "base/memory.h"

/* A union of at most this many pivot dofs may hold this fraction of zeros. */
static const struct {
    icf_lid pivot_dof;
    double zeros;
} MERGE_LIMITS[] = {{18, 0.50}, {48, 0.25}, {INT32_MAX, 0.06}};

/* Supernodes while they are formed. */
typedef struct part {
    icf_lid last;    /* last node */
    icf_lid parent;  /* part; -1 at roots */
    icf_lid pivot;   /* dofs of the pivots */
    icf_lid below;   /* dofs of the rows below */
    icf_lid into;    /* part that has taken this one in, else itself */
    icf_lid child;   /* first child; -1 */
    icf_lid sibling; /* next child of the parent; -1 */
    icf_lid size;    /* supernodes in the subtree */
    icf_lid final;   /* supernode in the final order */
    int64_t nonzero; /* entries of the lower triangle that are not merged zeros */
    int64_t peak;    /* values on the stack while the subtree is factored */
} part;

typedef struct builder {
    icf_symbolic *out;
    const icf_elimination *tree;
    part *parts;
    icf_lid npart;
    icf_lid *part_of;   /* (n) part of each node */
    icf_lid *place;     /* (n) final place of each node */
    icf_lid *map;       /* (n) scratch */
    const bool *varies; /* (n) of the blocks, NULL: all alike */
    const icf_lid *order;
} builder;

void icf_symbolic_init(icf_symbolic *symbolic)
{
    *symbolic = (icf_symbolic){0};
}

void icf_symbolic_clear(icf_symbolic *symbolic)
{
    icf_elimination_clear(&symbolic->tree);
    for (int i = 0; i < 3; ++i) icf_free(symbolic->memory[i]);
    icf_symbolic_init(symbolic);
}

/* Makes room for bytes in one of the object's pieces of memory; what it held is lost. */
static icf_status reserve(icf_symbolic *symbolic, int piece, size_t bytes)
{
    return icf_grow(&symbolic->memory[piece], &symbolic->capacity[piece], bytes, 1);
}

/* The next bytes of a piece of memory, rounded up so that every array is aligned. */
static void *take(char **next, size_t bytes)
{
    void *array = *next;
    *next += (bytes + 15) / 16 * 16;
    return array;
}

/* Entries of the lower triangle of the pivot columns of a front. */
static int64_t trapezoid(int64_t pivot, int64_t below)
{
    return pivot * (pivot + 1) / 2 + pivot * below;
}

/* Whether two nodes may be pivots of one front: those that vary stay apart from those that do not. */
static bool are_alike(const builder *b, icf_lid i, icf_lid j)
{
    return !b->varies || b->varies[b->order[i]] == b->varies[b->order[j]];
}

/* Runs of nodes in postorder, each the parent of the one before, with columns that shrink by that one only. */
static void find_parts(builder *b)
{
    const icf_elimination *tree = b->tree;
    b->npart = 0;
    for (icf_lid k = 0; k < tree->n; ++k) {
        const icf_lid node = tree->post[k], before = k > 0 ? tree->post[k - 1] : -1;
        const bool joins = k > 0 && tree->parent[before] == node && tree->count[before] == tree->count[node] + 1 &&
                           are_alike(b, before, node);
        if (!joins) {
            b->parts[b->npart] = (part){.into = b->npart, .child = -1, .sibling = -1};
            ++b->npart;
        }
        part *p = &b->parts[b->npart - 1];
        p->last = node;
        p->pivot += tree->width[node];
        p->below = tree->dofs[node] - tree->width[node];
        p->nonzero += trapezoid(tree->width[node], p->below);
        b->part_of[node] = b->npart - 1;
    }
    for (icf_lid i = 0; i < b->npart; ++i) {
        const icf_lid above = tree->parent[b->parts[i].last];
        b->parts[i].parent = above < 0 ? -1 : b->part_of[above];
    }
}

/* Rebuilds the lists of children of the parts that are not taken in; the last child is first. */
static void link_children(builder *b)
{
    part *parts = b->parts;
    for (icf_lid i = 0; i < b->npart; ++i) parts[i].child = -1;
    for (icf_lid i = 0; i < b->npart; ++i) {
        if (parts[i].into != i || parts[i].parent < 0) continue;
        part *above = &parts[parts[i].parent];
        parts[i].sibling = above->child;
        above->child = i;
    }
}

static bool few_zeros(icf_lid pivot, int64_t nonzero, int64_t total)
{
    int limit = 0;
    while (pivot > MERGE_LIMITS[limit].pivot_dof) ++limit;
    return (double)(total - nonzero) <= MERGE_LIMITS[limit].zeros * (double)total;
}

/* Takes children into their parents, from the leaves up, and redirects the parents of those that stay. */
static void merge_parts(builder *b)
{
    part *parts = b->parts;
    link_children(b);
    for (icf_lid i = 0; i < b->npart; ++i)
        for (icf_lid c = parts[i].child; c >= 0; c = parts[c].sibling) {
            const icf_lid pivot = parts[i].pivot + parts[c].pivot;
            const int64_t nonzero = parts[i].nonzero + parts[c].nonzero;
            if (!are_alike(b, parts[i].last, parts[c].last)) continue;
            if (!few_zeros(pivot, nonzero, trapezoid(pivot, parts[i].below))) continue;
            parts[i].pivot = pivot;
            parts[i].nonzero = nonzero;
            parts[c].into = i;
        }
    for (icf_lid i = b->npart - 1; i >= 0; --i) {
        parts[i].into = parts[i].into == i ? i : parts[parts[i].into].into;
        if (parts[i].parent >= 0) parts[i].parent = parts[parts[i].parent].into;
    }
}

static int64_t square(int64_t n)
{
    return n * n;
}

/* What a subtree needs on the stack beyond what it leaves there. */
static int64_t excess(const part *p)
{
    return p->peak - square(p->below);
}

/* Merges two lists sorted by decreasing excess; the first one goes first among equals. */
static icf_lid merge_lists(part *parts, icf_lid a, icf_lid b)
{
    icf_lid head = -1, *tail = &head;
    while (a >= 0 && b >= 0) {
        icf_lid *from = excess(&parts[a]) >= excess(&parts[b]) ? &a : &b;
        *tail = *from;
        tail = &parts[*from].sibling;
        *from = *tail;
    }
    *tail = a >= 0 ? a : b;
    return head;
}

/* Sorts a list of parts by decreasing excess: merge sort with runs of 2^i elements waiting in run[i]. */
static icf_lid sort_children(part *parts, icf_lid list)
{
    icf_lid run[32], sorted = -1;
    for (int i = 0; i < 32; ++i) run[i] = -1;
    while (list >= 0) {
        icf_lid carry = list;
        list = parts[list].sibling;
        parts[carry].sibling = -1;
        int i = 0;
        for (; run[i] >= 0; ++i) {
            carry = merge_lists(parts, run[i], carry);
            run[i] = -1;
        }
        run[i] = carry;
    }
    for (int i = 0; i < 32; ++i)
        if (run[i] >= 0) sorted = sorted < 0 ? run[i] : merge_lists(parts, run[i], sorted);
    return sorted;
}

/* Sorts all children and finds the stack that each subtree needs; returns that of the forest. */
static int64_t order_children(builder *b)
{
    part *parts = b->parts;
    int64_t forest = 0;
    link_children(b);
    for (icf_lid i = 0; i < b->npart; ++i) {
        if (parts[i].into != i) continue;
        if (parts[i].child >= 0) parts[i].child = sort_children(parts, parts[i].child);
        int64_t used = 0;
        parts[i].size = 1;
        parts[i].peak = square(parts[i].below);
        for (icf_lid c = parts[i].child; c >= 0; c = parts[c].sibling) {
            parts[i].peak = ICF_MAX(parts[i].peak, used + parts[c].peak);
            used += square(parts[c].below);
            parts[i].size += parts[c].size;
        }
        forest = ICF_MAX(forest, parts[i].peak);
    }
    return forest;
}

/* Numbers the supernodes in postorder: a subtree takes consecutive numbers and its root the last. */
static void number_supernodes(builder *b)
{
    part *parts = b->parts;
    icf_symbolic *out = b->out;
    icf_lid nsuper = 0;
    for (icf_lid i = 0; i < b->npart; ++i) {
        if (parts[i].into != i || parts[i].parent >= 0) continue;
        nsuper += parts[i].size;
        parts[i].final = nsuper - 1;
    }
    out->nsuper = nsuper;
    for (icf_lid i = b->npart - 1; i >= 0; --i) {
        if (parts[i].into != i) continue;
        icf_lid next = parts[i].final - parts[i].size + 1, nchild = 0;
        for (icf_lid c = parts[i].child; c >= 0; c = parts[c].sibling, ++nchild) {
            next += parts[c].size;
            parts[c].final = next - 1;
        }
        out->super_parent[parts[i].final] = parts[i].parent < 0 ? -1 : parts[parts[i].parent].final;
        out->super_nchild[parts[i].final] = nchild;
        out->pivot_dof[parts[i].final] = parts[i].pivot;
        out->front_dof[parts[i].final] = parts[i].pivot + parts[i].below;
    }
}

/* Places the nodes of each supernode one after the other, in their postorder. */
static void place_nodes(builder *b)
{
    icf_symbolic *out = b->out;
    const icf_elimination *tree = b->tree;
    icf_lid *next = b->map;
    memset(out->super_ptr, 0, ((size_t)out->nsuper + 1) * sizeof *out->super_ptr);
    for (icf_lid i = 0; i < tree->n; ++i) {
        b->part_of[i] = b->parts[b->parts[b->part_of[i]].into].final;
        ++out->super_ptr[b->part_of[i] + 1];
    }
    for (icf_lid s = 0; s < out->nsuper; ++s) {
        next[s] = out->super_ptr[s];
        out->super_ptr[s + 1] += out->super_ptr[s];
    }
    for (icf_lid k = 0; k < tree->n; ++k) {
        const icf_lid node = tree->post[k];
        b->place[node] = next[b->part_of[node]]++;
    }
}

static void fill_places(builder *b, const icf_lid *order)
{
    icf_symbolic *out = b->out;
    const icf_elimination *tree = b->tree;
    out->place_dof[0] = 0;
    for (icf_lid i = 0; i < tree->n; ++i) {
        const icf_lid at = b->place[i];
        out->perm[at] = order[i];
        out->iperm[order[i]] = at;
        out->parent[at] = tree->parent[i] < 0 ? -1 : b->place[tree->parent[i]];
        out->colcount[at] = tree->count[i];
        out->super_of[at] = b->part_of[i];
        out->place_dof[at + 1] = tree->width[i];
    }
    for (icf_lid at = 0; at < tree->n; ++at) out->place_dof[at + 1] += out->place_dof[at];
}

/* Number of rows below each supernode: that of its last column. */
static void count_rows(icf_symbolic *out)
{
    out->struct_ptr[0] = 0;
    for (icf_lid s = 0; s < out->nsuper; ++s)
        out->struct_ptr[s + 1] = out->struct_ptr[s] + out->colcount[out->super_ptr[s + 1] - 1] - 1;
}

/* Row i belongs to all supernodes on the way from its earlier neighbours up to its own; rows come ascending. */
static void list_rows(builder *b)
{
    icf_symbolic *out = b->out;
    const icf_elimination *tree = b->tree;
    icf_lid *row_at = b->map, *filled = tree->scratch, *node_at = tree->scratch + tree->n;
    for (icf_lid i = 0; i < tree->n; ++i) node_at[b->place[i]] = i;
    for (icf_lid s = 0; s < out->nsuper; ++s) {
        row_at[s] = -1;
        filled[s] = 0;
    }
    for (icf_lid i = 0; i < tree->n; ++i) {
        const icf_lid node = node_at[i];
        row_at[out->super_of[i]] = i;
        for (icf_lid e = tree->row_ptr[node]; e < tree->row_ptr[node + 1]; ++e)
            for (icf_lid s = b->part_of[tree->row_idx[e]]; row_at[s] != i; s = out->super_parent[s]) {
                row_at[s] = i;
                out->struct_idx[out->struct_ptr[s] + filled[s]++] = i;
            }
    }
}

/* Fills map with the first dof in the front of s of each of its places. */
static void map_front(icf_symbolic *out, icf_lid s, icf_lid *map)
{
    icf_lid dof = 0;
    for (icf_lid k = out->super_ptr[s]; k < out->super_ptr[s + 1]; ++k) {
        map[k] = dof;
        dof += out->place_dof[k + 1] - out->place_dof[k];
    }
    for (int64_t r = out->struct_ptr[s]; r < out->struct_ptr[s + 1]; ++r) {
        const icf_lid k = out->struct_idx[r];
        map[k] = out->struct_row[r] = dof;
        dof += out->place_dof[k + 1] - out->place_dof[k];
    }
}

/* Where the update rows of the children of s go; children are linked by first and next. */
static void relate_children(icf_symbolic *out, icf_lid first, const icf_lid *next, const icf_lid *map)
{
    for (icf_lid c = first; c >= 0; c = next[c])
        for (int64_t r = out->struct_ptr[c]; r < out->struct_ptr[c + 1]; ++r)
            out->struct_relative[r] = map[out->struct_idx[r]];
}

/* Where the off-diagonal blocks of the matrix go in the columns of place k. */
static void list_entries(builder *b, icf_lid k, icf_lid *nentry)
{
    icf_symbolic *out = b->out;
    const icf_elimination *tree = b->tree;
    const icf_lid node = tree->node_of[out->perm[k]];
    out->entry_ptr[k] = *nentry;
    for (icf_lid e = tree->col_ptr[node]; e < tree->col_ptr[node + 1]; ++e, ++*nentry) {
        const icf_lid row = b->place[tree->col_idx[e]];
        out->entry_idx[*nentry] = tree->col_entry[e];
        out->entry_row[*nentry] = b->map[row];
        out->entry_dof[*nentry] = tree->width[tree->col_idx[e]];
        out->entry_flip[*nentry] = out->perm[row] < out->perm[k];
    }
}

/* Goes through the supernodes once with the map of each front. */
static void relate_fronts(builder *b)
{
    icf_symbolic *out = b->out;
    icf_lid *first = b->tree->scratch, *next = b->tree->scratch + b->tree->n, nentry = 0;
    for (icf_lid s = 0; s < out->nsuper; ++s) first[s] = -1;
    for (icf_lid s = 0; s < out->nsuper; ++s) {
        map_front(out, s, b->map);
        relate_children(out, first[s], next, b->map);
        for (icf_lid k = out->super_ptr[s]; k < out->super_ptr[s + 1]; ++k) list_entries(b, k, &nentry);
        const icf_lid above = out->super_parent[s];
        if (above < 0) continue;
        next[s] = first[above];
        first[above] = s;
    }
    out->entry_ptr[out->nblock] = nentry;
}

/* 1^2 + ... + n^2 */
static double sum_of_squares(double n)
{
    return n * (n + 1.0) * (2.0 * n + 1.0) / 6.0;
}

static void sum_totals(icf_symbolic *out)
{
    out->max_front = 0;
    out->flops = 0.0;
    out->value_ptr[0] = 0;
    for (icf_lid s = 0; s < out->nsuper; ++s) {
        const icf_lid front = out->front_dof[s], pivot = out->pivot_dof[s];
        out->value_ptr[s + 1] = out->value_ptr[s] + (int64_t)front * pivot;
        out->flops += sum_of_squares(front) - sum_of_squares(front - pivot);
        out->max_front = ICF_MAX(out->max_front, front);
    }
    out->nvalue = out->value_ptr[out->nsuper];
}

static icf_status reserve_places(icf_symbolic *out, size_t n, size_t nnz)
{
    const size_t lid = sizeof(icf_lid), pad = 16;
    ICF_TRY(reserve(out, 0, (13 * n + 3 + 3 * nnz) * lid + 2 * (n + 1) * sizeof(int64_t) + nnz + 19 * pad));
    char *next = out->memory[0];
    out->nblock = (icf_lid)n;
    out->perm = take(&next, n * lid);
    out->iperm = take(&next, n * lid);
    out->place_dof = take(&next, (n + 1) * lid);
    out->parent = take(&next, n * lid);
    out->colcount = take(&next, n * lid);
    out->super_of = take(&next, n * lid);
    out->super_ptr = take(&next, (n + 1) * lid);
    out->super_parent = take(&next, n * lid);
    out->super_nchild = take(&next, n * lid);
    out->pivot_dof = take(&next, n * lid);
    out->front_dof = take(&next, n * lid);
    out->value_ptr = take(&next, (n + 1) * sizeof(int64_t));
    out->struct_ptr = take(&next, (n + 1) * sizeof(int64_t));
    out->entry_ptr = take(&next, (n + 1) * lid);
    out->entry_idx = take(&next, nnz * lid);
    out->entry_row = take(&next, nnz * lid);
    out->entry_dof = take(&next, nnz * lid);
    out->entry_flip = take(&next, nnz * sizeof(bool));
    return ICF_OK;
}

static icf_status reserve_builder(builder *b, size_t n)
{
    ICF_TRY(reserve(b->out, 1, n * (sizeof(part) + 3 * sizeof(icf_lid)) + 4 * 16));
    char *next = b->out->memory[1];
    b->parts = take(&next, n * sizeof(part));
    b->part_of = take(&next, n * sizeof(icf_lid));
    b->place = take(&next, n * sizeof(icf_lid));
    b->map = take(&next, n * sizeof(icf_lid));
    return ICF_OK;
}

static icf_status reserve_rows(icf_symbolic *out)
{
    const size_t nrow = (size_t)out->struct_ptr[out->nsuper];
    ICF_TRY(reserve(out, 2, 3 * (nrow * sizeof(icf_lid) + 16)));
    char *next = out->memory[2];
    out->struct_idx = take(&next, nrow * sizeof(icf_lid));
    out->struct_row = take(&next, nrow * sizeof(icf_lid));
    out->struct_relative = take(&next, nrow * sizeof(icf_lid));
    return ICF_OK;
}

icf_status icf_symbolic_build(icf_symbolic *symbolic, const icf_block_matrix *matrix, const icf_lid *order)
{
    const size_t n = (size_t)matrix->nblock;
    builder b = {.out = symbolic, .tree = &symbolic->tree, .varies = matrix->varies, .order = order};
    ICF_TRY(icf_elimination_build(&symbolic->tree, matrix, order));
    ICF_TRY(reserve_places(symbolic, n, n > 0 ? (size_t)matrix->ptr[n] : 0));
    ICF_TRY(reserve_builder(&b, n));

    find_parts(&b);
    merge_parts(&b);
    symbolic->nstack = order_children(&b);
    number_supernodes(&b);
    place_nodes(&b);
    fill_places(&b, order);

    count_rows(symbolic);
    ICF_TRY(reserve_rows(symbolic));
    list_rows(&b);
    relate_fronts(&b);
    sum_totals(symbolic);
    return ICF_OK;
}
