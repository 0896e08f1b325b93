/* A group of ranks that solves one problem together.
 *
 *     blocks of a rank:  [ owned ................ | shadows ........ ]
 *                          this rank moves them     owned by others, touched by constraints of this rank
 *
 * Every block is owned by one rank and every constraint is held by one rank, which has shadows of the blocks that it
 * does not own.  Velocities go from owners to shadows, impulses from shadows to owners; sums run over owned entries and
 * are put together in the order of the ranks, so that all ranks get the same bits.
 *
 * A rank that fails inside a solve still takes part in the group's calls until all agree (icf_group_agree).
 */
#ifndef ICF_SOLVER_GROUP_H
#define ICF_SOLVER_GROUP_H

#include "base/context.h"
#include "base/sent.h"

typedef struct icf_group {
    MPI_Comm comm; /* borrowed */
    int rank, size;
    icf_lid nblock, nowned; /* blocks here; the first nowned are owned */
    const icf_gid *gid;     /* (nblock) borrowed: global ids of the blocks, ascending among the owned ones */
    const int32_t *dof;     /* (nblock + 1) borrowed: first degree of freedom of each block */
    icf_cnt nglobal;        /* blocks of the whole problem */
    icf_cnt first;          /* global number of the first owned block: owned ones are numbered rank by rank */
    icf_cnt *number;        /* (nblock) global number of each block */
    icf_cnt *rank_first;    /* (size + 1) first global number of each rank */

    int *send_count, *send_at; /* (size) owned blocks that are shadows elsewhere, by rank: number and start in send */
    icf_lid *send;             /* owned blocks to send */
    int *receive_count, *receive_at;      /* (size) shadows, by owner: number and start in receive */
    icf_lid *receive;                     /* shadows in the order in which their owners send them */
    double *send_buffer, *receive_buffer; /* dofs of the blocks in them */
    int *dofs;     /* (4 size) numbers and starts of dofs in send_buffer, and in receive_buffer, by rank */
    double *sums;  /* (size x ICF_GROUP_SUMS) */
    icf_cnt nsum;  /* sums, and ... */
    icf_sent sent; /* ... what this rank sent, since they were set to 0 */
    size_t number_capacity, rank_capacity[6], send_capacity, receive_capacity, send_buffer_capacity,
        receive_buffer_capacity, dofs_capacity, sums_capacity;
} icf_group;

enum { ICF_GROUP_SUMS = 128 }; /* numbers of one sum, at most */

void icf_group_init(icf_group *group);
void icf_group_clear(icf_group *group);

/* Sets up the group for a problem.
 *   comm   [in] the group's communicator
 *   nowned [in] owned blocks, nblock - nowned shadows
 *   gid    [in] (nblock) global ids of the blocks; kept, like dof
 *   dof    [in] (nblock + 1) first degree of freedom of each block
 *   owner  [in] (nblock) rank in comm that owns each block
 * Collective over comm. */
ICF_MUST_CHECK icf_status icf_group_build(icf_group *group, MPI_Comm comm, icf_lid nblock, icf_lid nowned,
                                          const icf_gid *gid, const int32_t *dof, const int *owner);

/* The worst status of all ranks.  Collective over the group. */
ICF_MUST_CHECK icf_status icf_group_agree(const icf_group *group, icf_status status);

/* Sends numbers from each rank to each: counts and starts (size) of out and in.  Collective over the group. */
void icf_group_exchange(icf_group *group, const double *out, const int *out_count, const int *out_at, double *in,
                        const int *in_count, const int *in_at);

/* Owned blocks that are shadows elsewhere, counted once for each rank that has a shadow: entries of send. */
static inline int icf_group_count_sent(const icf_group *group)
{
    return group->send_at[group->size - 1] + group->send_count[group->size - 1];
}

/* Copies the owners' entries of x (blocks) to the shadows.  Collective over the group. */
void icf_group_blocks_to_shadows(icf_group *group, double *x);

/* Gives owners and shadows the largest of their entries of x (blocks).  Collective over the group. */
void icf_group_blocks_max(icf_group *group, double *x);

/* Copies the owners' entries of x (dofs) to the shadows.  Collective over the group. */
void icf_group_to_shadows(icf_group *group, double *x);

/* Adds the shadows' entries of x (dofs) to the owners' and clears the shadows.  Collective over the group. */
void icf_group_to_owners(icf_group *group, double *x);

/* Sums n numbers over the ranks, in the order of the ranks.  Collective over the group. */
void icf_group_sum(icf_group *group, double *x, int n);

/* Largest of a number over the ranks.  Collective over the group. */
double icf_group_max(const icf_group *group, double x);

#endif
