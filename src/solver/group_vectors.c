/* Right-hand side and solution of a group. */
#include "solver/group_vectors.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"

enum { OWNED, OWNED_AT, HELD, HELD_AT, NCOUNT };

void icf_group_vectors_init(icf_group_vectors *vectors)
{
    *vectors = (icf_group_vectors){0};
}

void icf_group_vectors_clear(icf_group_vectors *vectors)
{
    void *const memory[] = {vectors->owned,      vectors->held, vectors->owned_value,
                            vectors->held_value, vectors->x,    vectors->counts};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) icf_free(memory[k]);
    icf_group_vectors_init(vectors);
}

#define GROW(name, n) ICF_TRY(ICF_GROW(vectors->name, vectors->name##_capacity, n))

static int *counts_of(const icf_group_vectors *vectors, const icf_group *group, int which)
{
    return vectors->counts + which * group->size;
}

static int starts(const int *count, int *at, int size)
{
    int sum = 0;
    for (int r = 0; r < size; ++r) {
        at[r] = sum;
        sum += count[r];
    }
    return sum;
}

typedef struct lister {
    icf_group_vectors *vectors;
    const icf_group *group;
    const icf_group_pattern *pattern;
    const icf_front_map *map;
    bool fill;
} lister;

/* Lists the dofs of a block, which `owner` owns and whose pivots are in front s.
 *   owned, held [in,out] (size) numbers so far, or the next places */
static void list_block(const lister *list, int owner, icf_lid block, icf_lid s, int *owned, int *held)
{
    const icf_group *group = list->group;
    const icf_symbolic *symbolic = list->map->symbolic;
    const int32_t *dof = list->pattern->matrix.dof, first = icf_group_first_dof(list->pattern, group, group->rank);
    const int32_t begin = symbolic->place_dof[symbolic->iperm[block]];
    const int column = begin - symbolic->place_dof[symbolic->super_ptr[s]];
    for (int32_t i = 0; i < dof[block + 1] - dof[block]; ++i) {
        const int rank = icf_front_column_owner(list->map, s, column + i);
        if (owner == group->rank) {
            if (list->fill) list->vectors->owned[owned[rank]] = dof[block] + i - first;
            ++owned[rank];
        }
        if (rank == group->rank) {
            if (list->fill) list->vectors->held[held[owner]] = begin + i;
            ++held[owner];
        }
    }
}

/* Lists the dofs of the blocks of one owner that concern this rank: those that it owns, and those of its fronts. */
static void list_owner(const lister *list, int owner)
{
    const icf_group *group = list->group;
    const icf_symbolic *symbolic = list->map->symbolic;
    int *owned = counts_of(list->vectors, group, list->fill ? OWNED_AT : OWNED);
    int *held = counts_of(list->vectors, group, list->fill ? HELD_AT : HELD);
    for (icf_cnt block = group->rank_first[owner]; block < group->rank_first[owner + 1]; ++block) {
        const icf_lid s = symbolic->super_of[symbolic->iperm[block]];
        if (owner != group->rank && !icf_front_has_rank(list->map, s, group->rank)) continue;
        list_block(list, owner, (icf_lid)block, s, owned, held);
    }
}

static void set_starts(icf_group_vectors *vectors, const icf_group *group)
{
    vectors->nowned = starts(counts_of(vectors, group, OWNED), counts_of(vectors, group, OWNED_AT), group->size);
    vectors->nheld = starts(counts_of(vectors, group, HELD), counts_of(vectors, group, HELD_AT), group->size);
}

icf_status icf_group_vectors_analyze(icf_group_vectors *vectors, const icf_group *group,
                                     const icf_group_pattern *pattern, const icf_front_map *map)
{
    lister list = {.vectors = vectors, .group = group, .pattern = pattern, .map = map};
    vectors->ndof = pattern->matrix.dof[pattern->matrix.nblock];
    GROW(counts, NCOUNT * (size_t)group->size);
    GROW(x, (size_t)vectors->ndof + 1);
    memset(vectors->counts, 0, NCOUNT * (size_t)group->size * sizeof *vectors->counts);
    for (int owner = 0; owner < group->size; ++owner) list_owner(&list, owner);
    set_starts(vectors, group);
    GROW(owned, (size_t)vectors->nowned + 1);
    GROW(owned_value, (size_t)vectors->nowned + 1);
    GROW(held, (size_t)vectors->nheld + 1);
    GROW(held_value, (size_t)vectors->nheld + 1);
    list.fill = true;
    for (int owner = 0; owner < group->size; ++owner) list_owner(&list, owner);
    set_starts(vectors, group);
    return ICF_OK;
}

void icf_group_vectors_bring(icf_group_vectors *vectors, icf_group *group, const double *b)
{
    for (int k = 0; k < vectors->nowned; ++k) vectors->owned_value[k] = b[vectors->owned[k]];
    icf_group_exchange(group, vectors->owned_value, counts_of(vectors, group, OWNED),
                       counts_of(vectors, group, OWNED_AT), vectors->held_value, counts_of(vectors, group, HELD),
                       counts_of(vectors, group, HELD_AT));
    memset(vectors->x, 0, (size_t)vectors->ndof * sizeof *vectors->x);
    for (int k = 0; k < vectors->nheld; ++k) vectors->x[vectors->held[k]] = vectors->held_value[k];
}

void icf_group_vectors_take_home(icf_group_vectors *vectors, icf_group *group, double *x)
{
    for (int k = 0; k < vectors->nheld; ++k) vectors->held_value[k] = vectors->x[vectors->held[k]];
    icf_group_exchange(group, vectors->held_value, counts_of(vectors, group, HELD), counts_of(vectors, group, HELD_AT),
                       vectors->owned_value, counts_of(vectors, group, OWNED), counts_of(vectors, group, OWNED_AT));
    for (int k = 0; k < vectors->nowned; ++k) x[vectors->owned[k]] = vectors->owned_value[k];
}
