/* The order of one rank for a group's matrix. */
#include "solver/group_order.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "solver/cheapest_order.h"

void icf_group_order_init(icf_group_order *self)
{
    *self = (icf_group_order){0};
    icf_ordering_init(&self->ordering);
}

void icf_group_order_clear(icf_group_order *self)
{
    void *const memory[] = {self->order, self->gid, self->item, self->counts, self->place,
                            self->ptr,   self->idx, self->dof,  self->varies};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) icf_free(memory[k]);
    icf_ordering_clear(&self->ordering);
    icf_order_repair_clear(&self->repair);
    icf_group_order_init(self);
}

#define GROW(name, n) ICF_TRY(ICF_GROW(self->name, self->name##_capacity, n))

static icf_status reserve(icf_group_order *self, const icf_group *group, const icf_block_matrix *whole)
{
    const size_t nblock = (size_t)whole->nblock;
    GROW(order, 2 * nblock + 1);
    if (group->rank != 0) return ICF_OK;
    GROW(gid, nblock + 1);
    GROW(item, 2 * nblock + 1);
    GROW(counts, 2 * (size_t)group->size);
    GROW(place, nblock + 1);
    GROW(ptr, nblock + 2);
    GROW(idx, (size_t)whole->ptr[nblock] + 1);
    GROW(dof, nblock + 1);
    GROW(varies, nblock + 1);
    return ICF_OK;
}

/* Global ids of all blocks come to the first rank. */
static void gather_ids(icf_group_order *self, const icf_group *group)
{
    int *counts = self->counts, *at = counts + group->size;
    for (int r = 0; group->rank == 0 && r < group->size; ++r) {
        counts[r] = (int)(group->rank_first[r + 1] - group->rank_first[r]);
        at[r] = (int)group->rank_first[r];
    }
    ICF_MPI_WAIT(
        MPI_Gatherv(group->gid, group->nowned, MPI_INT64_T, self->gid, counts, at, MPI_INT64_T, 0, group->comm));
}

/* The pattern with the blocks by ascending global id. */
static icf_block_matrix sort_blocks(icf_group_order *self, const icf_block_matrix *whole)
{
    const icf_lid n = whole->nblock;
    icf_lid *ptr = self->ptr;
    for (icf_lid b = 0; b < n; ++b) self->item[b] = (icf_keyed){(uint64_t)self->gid[b], b};
    icf_sort_keyed(n, self->item, self->item + n);
    self->dof[0] = 0;
    for (icf_lid k = 0; k < n; ++k) {
        const icf_lid b = self->item[k].value;
        self->place[b] = k;
        self->dof[k + 1] = self->dof[k] + whole->dof[b + 1] - whole->dof[b];
    }
    memset(ptr, 0, ((size_t)n + 2) * sizeof *ptr);
    for (icf_lid j = 0; j < n; ++j)
        for (icf_lid e = whole->ptr[j]; e < whole->ptr[j + 1]; ++e)
            ++ptr[ICF_MIN(self->place[j], self->place[whole->idx[e]]) + 2];
    for (icf_lid j = 2; j < n + 2; ++j) ptr[j] += ptr[j - 1];
    for (icf_lid j = 0; j < n; ++j)
        for (icf_lid e = whole->ptr[j]; e < whole->ptr[j + 1]; ++e) {
            const icf_lid a = self->place[j], b = self->place[whole->idx[e]];
            self->idx[ptr[ICF_MIN(a, b) + 1]++] = ICF_MAX(a, b);
        }
    icf_pattern_sort(n, ptr, self->idx);
    return (icf_block_matrix){.nblock = n, .dof = self->dof, .ptr = ptr, .idx = self->idx};
}

static icf_status find_cheapest(icf_group_order *self, const icf_block_matrix *sorted, bool if_narrow,
                                icf_symbolic *symbolic, bool *found)
{
    bool wide = false;
    if (if_narrow)
        ICF_TRY(icf_symbolic_cheap(symbolic, &self->ordering, sorted, self->order, &wide));
    else
        ICF_TRY(icf_symbolic_cheapest(symbolic, &self->ordering, sorted, self->order));
    *found = !wide;
    return ICF_OK;
}

static icf_status put_varying_last(icf_group_order *self, const icf_block_matrix *whole, const icf_block_matrix *sorted,
                                   icf_symbolic *symbolic)
{
    for (icf_lid k = 0; k < whole->nblock; ++k) self->varies[k] = whole->varies[self->item[k].value];
    return icf_symbolic_try_varying_last(symbolic, sorted, self->varies, self->order, &self->varying_last);
}

/* The order of the sorted blocks, by the group's numbers. */
static icf_status find_order(icf_group_order *self, const icf_block_matrix *whole, bool if_narrow,
                             icf_symbolic *symbolic, bool *found)
{
    const icf_block_matrix sorted = sort_blocks(self, whole);
    ICF_TRY(find_cheapest(self, &sorted, if_narrow, symbolic, found));
    if (whole->varies && *found) ICF_TRY(put_varying_last(self, whole, &sorted, symbolic));
    for (icf_lid k = 0; k < whole->nblock; ++k) self->order[k] = self->item[self->order[k]].value;
    return ICF_OK;
}

/* Each rank repairs its own: what it is does not depend on the numbers of the blocks. */
static icf_status repair_order(icf_group_order *self, const icf_group *group, const icf_block_matrix *whole,
                               icf_symbolic *symbolic, bool *found)
{
    icf_status status = icf_order_repaired(&self->repair, symbolic, whole, self->order);
    if (status == ICF_OK) status = icf_symbolic_build(symbolic, whole, self->order);
    *found = status == ICF_OK && icf_order_repair_pays(&self->repair, symbolic);
    return icf_group_agree(group, status);
}

icf_status icf_group_order_find(icf_group_order *self, const icf_group *group, const icf_group_pattern *pattern,
                                icf_order_how how, icf_symbolic *symbolic, bool *found)
{
    const icf_block_matrix *whole = &pattern->matrix;
    self->varying_last = false;
    if (how == ICF_ORDER_REPAIR) return repair_order(self, group, whole, symbolic, found);
    ICF_TRY(icf_group_agree(group, reserve(self, group, whole)));
    gather_ids(self, group);
    const bool if_narrow = how == ICF_ORDER_IF_NARROW;
    icf_status status = group->rank == 0 ? find_order(self, whole, if_narrow, symbolic, found) : ICF_OK;
    ICF_TRY(icf_group_agree(group, status));
    ICF_MPI_WAIT(MPI_Bcast(found, 1, MPI_C_BOOL, 0, group->comm));
    if (!*found) return ICF_OK;
    ICF_MPI_WAIT(MPI_Bcast(self->order, whole->nblock, MPI_INT32_T, 0, group->comm));
    ICF_MPI_WAIT(MPI_Bcast(&self->varying_last, 1, MPI_C_BOOL, 0, group->comm));
    icf_block_matrix marked = *whole;
    if (!self->varying_last) marked.varies = NULL;
    status = icf_symbolic_build(symbolic, &marked, self->order);
    icf_order_repair_start(&self->repair, symbolic);
    return icf_group_agree(group, status);
}
