/* An order of elimination for a pattern that has gained pairs. */
#include "solver/order_repair.h"

#include "base/memory.h"

/* What is known of blocks and supernodes while they move.  A supernode nsuper without pivots is above the roots. */
typedef struct mover {
    const icf_symbolic *symbolic;
    icf_lid *first;   /* (nsuper + 1) first supernode of the subtree of each */
    icf_lid *at;      /* (nblock) by block: its supernode, or the one before whose pivots it has been moved */
    icf_lid *crossed; /* (nblock) by block: pairs that tie branches together */
    icf_lid *head;    /* (nsuper + 1) first block that has been moved to each supernode, -1: none */
    icf_lid *next;    /* (nblock) the next one of the same supernode */
} mover;

void icf_order_repair_clear(icf_order_repair *repair)
{
    icf_free(repair->memory);
    icf_free(repair->pair);
    icf_free(repair->work);
    *repair = (icf_order_repair){0};
}

static icf_lid parent_of(const mover *m, icf_lid s)
{
    const icf_lid parent = m->symbolic->super_parent[s];
    return parent < 0 ? m->symbolic->nsuper : parent;
}

static icf_status prepare(icf_order_repair *repair, const icf_symbolic *symbolic, mover *m)
{
    const size_t nblock = (size_t)symbolic->nblock, nsuper = (size_t)symbolic->nsuper + 1;
    ICF_TRY(ICF_GROW(repair->memory, repair->capacity, 3 * nblock + 2 * nsuper));
    m->symbolic = symbolic;
    m->first = repair->memory;
    m->head = m->first + nsuper;
    m->at = m->head + nsuper;
    m->crossed = m->at + nblock;
    m->next = m->crossed + nblock;
    for (icf_lid s = 0; s <= symbolic->nsuper; ++s) {
        m->first[s] = s;
        m->head[s] = -1;
    }
    m->first[symbolic->nsuper] = 0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const icf_lid parent = parent_of(m, s);
        m->first[parent] = ICF_MIN(m->first[parent], m->first[s]);
    }
    for (icf_lid b = 0; b < symbolic->nblock; ++b) {
        m->at[b] = symbolic->super_of[symbolic->iperm[b]];
        m->crossed[b] = 0;
    }
    return ICF_OK;
}

/* Whether supernode s is in the subtree of t, t included. */
static bool is_below(const mover *m, icf_lid s, icf_lid t)
{
    return m->first[t] <= s && s <= t;
}

static bool is_tied(const mover *m, icf_lid a, icf_lid b)
{
    return !is_below(m, m->at[a], m->at[b]) && !is_below(m, m->at[b], m->at[a]);
}

/* The first supernode above both blocks. */
static icf_lid above_both(const mover *m, icf_lid a, icf_lid b)
{
    icf_lid s = m->at[a];
    while (!is_below(m, m->at[b], s)) s = parent_of(m, s);
    return s;
}

/* The one of two blocks to move: that with more pairs to mend, then that which is higher up. */
static icf_lid to_move(const mover *m, icf_lid a, icf_lid b)
{
    if (m->crossed[a] != m->crossed[b]) return m->crossed[a] > m->crossed[b] ? a : b;
    return m->symbolic->iperm[a] > m->symbolic->iperm[b] ? a : b;
}

/* Lists the pairs that tie branches together by the places of their blocks, which no numbering of the blocks changes.
 */
static icf_status list_crossed(icf_order_repair *repair, const mover *m, const icf_block_matrix *matrix)
{
    const icf_lid *place = m->symbolic->iperm;
    icf_lid n = 0;
    for (icf_lid j = 0; j < matrix->nblock; ++j)
        for (icf_lid k = matrix->ptr[j]; k < matrix->ptr[j + 1]; ++k) {
            const icf_lid i = matrix->idx[k];
            if (!is_tied(m, i, j)) continue;
            ++m->crossed[i];
            ++m->crossed[j];
            ICF_TRY(ICF_GROW(repair->pair, repair->pair_capacity, n + 1));
            const uint64_t first = (uint64_t)ICF_MIN(place[i], place[j]),
                           second = (uint64_t)ICF_MAX(place[i], place[j]);
            repair->pair[n] = (icf_keyed){first << 32 | second, n};
            ++n;
        }
    repair->npair = n;
    ICF_TRY(ICF_GROW(repair->work, repair->work_capacity, n + 1));
    icf_sort_keyed(n, repair->pair, repair->work);
    return ICF_OK;
}

static void move_blocks(const icf_order_repair *repair, const mover *m)
{
    for (icf_lid k = 0; k < repair->npair; ++k) {
        const icf_lid i = m->symbolic->perm[repair->pair[k].key >> 32];
        const icf_lid j = m->symbolic->perm[repair->pair[k].key & UINT32_MAX];
        if (is_tied(m, i, j)) m->at[to_move(m, i, j)] = above_both(m, i, j);
    }
}

/* Blocks that were moved to a supernode, by their places, before its own. */
static void list_order(const mover *m, icf_lid *order)
{
    const icf_symbolic *symbolic = m->symbolic;
    icf_lid n = 0;
    for (icf_lid place = symbolic->nblock - 1; place >= 0; --place) {
        const icf_lid b = symbolic->perm[place], s = m->at[b];
        if (s == symbolic->super_of[place]) continue;
        m->next[b] = m->head[s];
        m->head[s] = b;
    }
    for (icf_lid s = 0; s <= symbolic->nsuper; ++s) {
        for (icf_lid b = m->head[s]; b >= 0; b = m->next[b]) order[n++] = b;
        if (s == symbolic->nsuper) break;
        for (icf_lid place = symbolic->super_ptr[s]; place < symbolic->super_ptr[s + 1]; ++place)
            if (m->at[symbolic->perm[place]] == s) order[n++] = symbolic->perm[place];
    }
}

icf_status icf_order_repaired(icf_order_repair *repair, const icf_symbolic *symbolic, const icf_block_matrix *matrix,
                              icf_lid *order)
{
    mover m;
    ICF_TRY(prepare(repair, symbolic, &m));
    ICF_TRY(list_crossed(repair, &m, matrix));
    move_blocks(repair, &m);
    list_order(&m, order);
    return ICF_OK;
}
