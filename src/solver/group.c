/* Communication of a group of ranks that solves one problem. */
#include "solver/group.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "base/search.h"

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
    icf_free(group->dofs);
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
    ICF_TRY(ICF_GROW(group->dofs, group->dofs_capacity, 4 * size));
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

static int width(const icf_group *group, icf_lid block)
{
    return group->dof[block + 1] - group->dof[block];
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

/* Numbers and starts of dofs to and from each rank, and room for them. */
static icf_status count_dofs(icf_group *group)
{
    const int size = group->size;
    int *sent = group->dofs, *sent_at = sent + size, *received = sent_at + size, *received_at = received + size;
    memset(group->dofs, 0, 4 * (size_t)size * sizeof *group->dofs);
    for (int r = 0; r < size; ++r) {
        for (int k = 0; k < group->send_count[r]; ++k) sent[r] += width(group, group->send[group->send_at[r] + k]);
        for (int k = 0; k < group->receive_count[r]; ++k)
            received[r] += width(group, group->receive[group->receive_at[r] + k]);
    }
    const int nsent = starts(sent, sent_at, size), nreceived = starts(received, received_at, size);
    ICF_TRY(ICF_GROW(group->send_buffer, group->send_buffer_capacity, nsent + 1));
    return ICF_GROW(group->receive_buffer, group->receive_buffer_capacity, nreceived + 1);
}

/* Owners learn which of their blocks are shadows, and tell their numbers. */
static icf_status link_blocks(icf_group *group, const icf_gid *gid, icf_status status)
{
    ICF_MPI_WAIT(MPI_Alltoall(group->receive_count, 1, MPI_INT, group->send_count, 1, MPI_INT, group->comm));
    const int nsend = starts(group->send_count, group->send_at, group->size);
    const icf_lid nshadow = group->nblock - group->nowned;
    const int most = ICF_MAX(nsend, nshadow) + 1;
    if (status == ICF_OK) status = ICF_GROW(group->send, group->send_capacity, nsend + 1);
    if (status == ICF_OK) status = ICF_GROW(group->send_buffer, group->send_buffer_capacity, most);
    if (status == ICF_OK) status = ICF_GROW(group->receive_buffer, group->receive_buffer_capacity, most);
    ICF_TRY(icf_group_agree(group, status));

    icf_gid *wanted = (icf_gid *)group->receive_buffer, *asked = (icf_gid *)group->send_buffer;
    for (icf_lid k = 0; k < nshadow; ++k) wanted[k] = gid[group->receive[k]];
    ICF_MPI_WAIT(MPI_Alltoallv(wanted, group->receive_count, group->receive_at, MPI_INT64_T, asked, group->send_count,
                               group->send_at, MPI_INT64_T, group->comm));
    for (int k = 0; k < nsend; ++k) {
        group->send[k] = icf_search_gid(gid, 0, group->nowned, asked[k]);
        asked[k] = group->number[group->send[k]];
    }
    ICF_MPI_WAIT(MPI_Alltoallv(asked, group->send_count, group->send_at, MPI_INT64_T, wanted, group->receive_count,
                               group->receive_at, MPI_INT64_T, group->comm));
    for (icf_lid k = 0; k < nshadow; ++k) group->number[group->receive[k]] = wanted[k];
    return icf_group_agree(group, count_dofs(group));
}

icf_status icf_group_build(icf_group *group, MPI_Comm comm, icf_lid nblock, icf_lid nowned, const icf_gid *gid,
                           const int32_t *dof, const int *owner)
{
    group->comm = comm;
    MPI_Comm_rank(comm, &group->rank);
    MPI_Comm_size(comm, &group->size);
    group->nblock = nblock;
    group->nowned = nowned;
    group->gid = gid;
    group->dof = dof;
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

/* Copies the dofs of blocks from x to a buffer. */
static void pack(const icf_group *group, const icf_lid *block, int n, const double *x, double *buffer)
{
    for (int k = 0; k < n; ++k)
        for (int32_t i = group->dof[block[k]]; i < group->dof[block[k] + 1]; ++i) *buffer++ = x[i];
}

void icf_group_blocks_to_shadows(icf_group *group, double *x)
{
    for (int k = 0; k < icf_group_count_sent(group); ++k) group->send_buffer[k] = x[group->send[k]];
    icf_group_exchange(group, group->send_buffer, group->send_count, group->send_at, group->receive_buffer,
                       group->receive_count, group->receive_at);
    for (icf_lid k = 0; k < group->nblock - group->nowned; ++k) x[group->receive[k]] = group->receive_buffer[k];
}

void icf_group_blocks_max(icf_group *group, double *x)
{
    for (icf_lid k = 0; k < group->nblock - group->nowned; ++k) group->receive_buffer[k] = x[group->receive[k]];
    icf_group_exchange(group, group->receive_buffer, group->receive_count, group->receive_at, group->send_buffer,
                       group->send_count, group->send_at);
    for (int k = 0; k < icf_group_count_sent(group); ++k)
        x[group->send[k]] = fmax(x[group->send[k]], group->send_buffer[k]);
    icf_group_blocks_to_shadows(group, x);
}

void icf_group_to_shadows(icf_group *group, double *x)
{
    const int *dofs = group->dofs, size = group->size;
    pack(group, group->send, icf_group_count_sent(group), x, group->send_buffer);
    icf_group_exchange(group, group->send_buffer, dofs, dofs + size, group->receive_buffer, dofs + 2 * size,
                       dofs + 3 * size);
    const double *from = group->receive_buffer;
    for (icf_lid k = 0; k < group->nblock - group->nowned; ++k)
        for (int32_t i = group->dof[group->receive[k]]; i < group->dof[group->receive[k] + 1]; ++i) x[i] = *from++;
}

void icf_group_to_owners(icf_group *group, double *x)
{
    const int *dofs = group->dofs, size = group->size;
    pack(group, group->receive, group->nblock - group->nowned, x, group->receive_buffer);
    for (int32_t i = group->dof[group->nowned]; i < group->dof[group->nblock]; ++i) x[i] = 0.0;
    icf_group_exchange(group, group->receive_buffer, dofs + 2 * size, dofs + 3 * size, group->send_buffer, dofs,
                       dofs + size);
    const double *from = group->send_buffer;
    for (int k = 0; k < icf_group_count_sent(group); ++k)
        for (int32_t i = group->dof[group->send[k]]; i < group->dof[group->send[k] + 1]; ++i) x[i] += *from++;
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
