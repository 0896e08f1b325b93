/* Communication of a group of ranks that solves one problem. */
#include "solver/group.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"

void icf_group_init(icf_group *group)
{
    *group = (icf_group){0};
}

void icf_group_clear(icf_group *group)
{
    icf_free(group->number);
    icf_free(group->rank_first);
    icf_free(group->send_count);
    icf_free(group->send_at);
    icf_free(group->receive_count);
    icf_free(group->receive_at);
    icf_free(group->send);
    icf_free(group->receive);
    icf_free(group->send_buffer);
    icf_free(group->receive_buffer);
    icf_free(group->scaled);
    icf_free(group->sums);
    icf_group_init(group);
}

static icf_status reserve(icf_group *group, icf_lid nblock)
{
    const int size = group->size;
    ICF_TRY(ICF_GROW(group->number, group->number_capacity, nblock));
    ICF_TRY(ICF_GROW(group->rank_first, group->rank_capacity[0], size + 1));
    ICF_TRY(ICF_GROW(group->send_count, group->rank_capacity[1], size));
    ICF_TRY(ICF_GROW(group->send_at, group->rank_capacity[2], size));
    ICF_TRY(ICF_GROW(group->receive_count, group->rank_capacity[3], size));
    ICF_TRY(ICF_GROW(group->receive_at, group->rank_capacity[4], size));
    ICF_TRY(ICF_GROW(group->receive, group->receive_capacity, nblock));
    ICF_TRY(ICF_GROW(group->scaled, group->scaled_capacity, 4 * size));
    return ICF_GROW(group->sums, group->sums_capacity, size * ICF_GROUP_SUMS);
}

static void number_blocks(icf_group *group)
{
    const icf_cnt mine = group->nowned;
    ICF_MPI_WAIT(MPI_Allgather(&mine, 1, MPI_INT64_T, group->rank_first + 1, 1, MPI_INT64_T, group->comm));
    group->rank_first[0] = 0;
    for (int r = 0; r < group->size; ++r) group->rank_first[r + 1] += group->rank_first[r];
    group->first = group->rank_first[group->rank];
    group->nglobal = group->rank_first[group->size];
    for (icf_lid i = 0; i < group->nowned; ++i) group->number[i] = group->first + i;
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

/* Shadows by owner, in the order of the blocks. */
static void sort_shadows(icf_group *group, const int *owner)
{
    memset(group->receive_count, 0, (size_t)group->size * sizeof *group->receive_count);
    for (icf_lid i = group->nowned; i < group->nblock; ++i) ++group->receive_count[owner[i]];
    starts(group->receive_count, group->receive_at, group->size);
    for (icf_lid i = group->nowned; i < group->nblock; ++i) group->receive[group->receive_at[owner[i]]++] = i;
    for (int r = 0; r < group->size; ++r) group->receive_at[r] -= group->receive_count[r];
}

/* Position of a global id among the owned blocks, whose ids ascend. */
static icf_lid find_owned(const icf_gid *gid, icf_lid n, icf_gid wanted)
{
    icf_lid low = 0;
    while (low < n) {
        const icf_lid middle = low + (n - low) / 2;
        if (gid[middle] < wanted)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static void scale_counts(icf_group *group)
{
    const int size = group->size;
    for (int r = 0; r < size; ++r) {
        group->scaled[r] = ICF_GROUP_DOFS * group->send_count[r];
        group->scaled[size + r] = ICF_GROUP_DOFS * group->send_at[r];
        group->scaled[2 * size + r] = ICF_GROUP_DOFS * group->receive_count[r];
        group->scaled[3 * size + r] = ICF_GROUP_DOFS * group->receive_at[r];
    }
}

/* Owners learn which of their blocks are shadows, and tell their numbers. */
static icf_status link_blocks(icf_group *group, const icf_gid *gid, icf_status status)
{
    ICF_MPI_WAIT(MPI_Alltoall(group->receive_count, 1, MPI_INT, group->send_count, 1, MPI_INT, group->comm));
    const int nsend = starts(group->send_count, group->send_at, group->size);
    const icf_lid nshadow = group->nblock - group->nowned;
    const size_t most = (size_t)ICF_GROUP_DOFS * (size_t)(ICF_MAX(nsend, nshadow) + 1);
    if (status == ICF_OK) status = ICF_GROW(group->send, group->send_capacity, nsend + 1);
    if (status == ICF_OK) status = ICF_GROW(group->send_buffer, group->send_buffer_capacity, most);
    if (status == ICF_OK) status = ICF_GROW(group->receive_buffer, group->receive_buffer_capacity, most);
    ICF_TRY(icf_group_agree(group, status));

    icf_gid *wanted = (icf_gid *)group->receive_buffer, *asked = (icf_gid *)group->send_buffer;
    for (icf_lid k = 0; k < nshadow; ++k) wanted[k] = gid[group->receive[k]];
    ICF_MPI_WAIT(MPI_Alltoallv(wanted, group->receive_count, group->receive_at, MPI_INT64_T, asked, group->send_count,
                               group->send_at, MPI_INT64_T, group->comm));
    for (int k = 0; k < nsend; ++k) {
        group->send[k] = find_owned(gid, group->nowned, asked[k]);
        asked[k] = group->number[group->send[k]];
    }
    ICF_MPI_WAIT(MPI_Alltoallv(asked, group->send_count, group->send_at, MPI_INT64_T, wanted, group->receive_count,
                               group->receive_at, MPI_INT64_T, group->comm));
    for (icf_lid k = 0; k < nshadow; ++k) group->number[group->receive[k]] = wanted[k];
    scale_counts(group);
    return ICF_OK;
}

icf_status icf_group_build(icf_group *group, MPI_Comm comm, icf_lid nblock, icf_lid nowned, const icf_gid *gid,
                           const int *owner)
{
    group->comm = comm;
    MPI_Comm_rank(comm, &group->rank);
    MPI_Comm_size(comm, &group->size);
    group->nblock = nblock;
    group->nowned = nowned;
    group->gid = gid;
    ICF_TRY(icf_group_agree(group, reserve(group, nblock)));
    number_blocks(group);
    sort_shadows(group, owner);
    return link_blocks(group, gid, ICF_OK);
}

icf_status icf_group_agree(const icf_group *group, icf_status status)
{
    int worst = (int)status;
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, group->comm));
    return (icf_status)worst;
}

void icf_group_exchange(icf_group *group, const double *out, const int *out_count, const int *out_at, double *in,
                        const int *in_count, const int *in_at)
{
    for (int r = 0; r < group->size; ++r)
        if (r != group->rank && out_count[r] > 0) icf_sent_add(&group->sent, 1, (icf_cnt)sizeof *out * out_count[r]);
    ICF_MPI_WAIT(MPI_Alltoallv(out, out_count, out_at, MPI_DOUBLE, in, in_count, in_at, MPI_DOUBLE, group->comm));
}

static void copy_block(const double *from, double *to)
{
    memcpy(to, from, ICF_GROUP_DOFS * sizeof *to);
}

void icf_group_to_shadows(icf_group *group, double *x)
{
    const int *scaled = group->scaled, size = group->size;
    const int nsend = group->send_at[size - 1] + group->send_count[size - 1];
    for (int k = 0; k < nsend; ++k)
        copy_block(x + ICF_GROUP_DOFS * group->send[k], group->send_buffer + ICF_GROUP_DOFS * k);
    icf_group_exchange(group, group->send_buffer, scaled, scaled + size, group->receive_buffer, scaled + 2 * size,
                       scaled + 3 * size);
    for (icf_lid k = 0; k < group->nblock - group->nowned; ++k)
        copy_block(group->receive_buffer + ICF_GROUP_DOFS * k, x + ICF_GROUP_DOFS * group->receive[k]);
}

void icf_group_to_owners(icf_group *group, double *x)
{
    const int *scaled = group->scaled, size = group->size;
    for (icf_lid k = 0; k < group->nblock - group->nowned; ++k) {
        double *shadow = x + ICF_GROUP_DOFS * group->receive[k];
        copy_block(shadow, group->receive_buffer + ICF_GROUP_DOFS * k);
        memset(shadow, 0, ICF_GROUP_DOFS * sizeof *shadow);
    }
    icf_group_exchange(group, group->receive_buffer, scaled + 2 * size, scaled + 3 * size, group->send_buffer, scaled,
                       scaled + size);
    const int nsend = group->send_at[size - 1] + group->send_count[size - 1];
    for (int k = 0; k < nsend; ++k)
        for (int i = 0; i < ICF_GROUP_DOFS; ++i)
            x[ICF_GROUP_DOFS * group->send[k] + i] += group->send_buffer[ICF_GROUP_DOFS * k + i];
}

void icf_group_sum(icf_group *group, double *x, int n)
{
    ++group->nsum;
    ICF_MPI_WAIT(MPI_Allgather(x, n, MPI_DOUBLE, group->sums, n, MPI_DOUBLE, group->comm));
    for (int i = 0; i < n; ++i) {
        x[i] = 0.0;
        for (int r = 0; r < group->size; ++r) x[i] += group->sums[r * n + i];
    }
}

double icf_group_max(const icf_group *group, double x)
{
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, group->comm));
    return x;
}
