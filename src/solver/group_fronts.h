/* Multifrontal Cholesky over the ranks of a group.
 *
 *     factor:  subtrees of this rank, one after the other                       (fronts.h)
 *              then its shared fronts, those of few ranks first:
 *                children's updates -> own columns of the panel
 *                each strip of pivots: its owner factors it and sends it to the other ranks of the front,
 *                                      each takes its product off its own strips further right
 *                children's updates -> own columns of the update
 *     solve:   the same tree; partial sums of a strip's rows go to its owner on the way up, its solution to
 *              the other ranks of the front on the way down
 *
 * The owner of the next strip brings it up to date first, factors and sends it before it goes on (lookahead), so
 * that the others need not wait.  Ranks of a front contain those of its children, so a message goes only between ranks
 * that are at the same front; all lengths follow from the symbolic factor, which every rank has.
 *
 * Panels, updates and their messages are in the precision of the factorisation, vectors in double.  Memory is there for
 * doubles; places in it count values of that precision, so that a factor in single precision touches half of it.
 *
 * Every entry of L takes its terms in the order of fronts.h, so L has the same bits as that of one rank, if the entries
 * of H do.  The solution has the same bits for the same number of ranks.
 *
 * No rank leaves early: one that meets a bad pivot goes on with what it has, also through the solution; the caller's
 * next sum over the ranks tells all. Private to src/solver.  All calls are collective over the communicator and come
 * from one thread.
 */
#ifndef ICF_SOLVER_GROUP_FRONTS_H
#define ICF_SOLVER_GROUP_FRONTS_H

#include <mpi.h>

#include "base/sent.h"
#include "solver/front_map.h"
#include "solver/fronts.h"
#include "solver/update_memory.h"

/* Work memory of a rank: the analysis reserves it, a factorisation takes none. */
typedef struct icf_group_fronts {
    MPI_Comm comm; /* borrowed */
    int rank, size;
    const icf_symbolic *symbolic; /* borrowed */
    const icf_front_map *map;     /* borrowed */
    icf_fronts fronts;            /* panels of own subtrees and own strips of shared fronts, in one factor */
    icf_front_stack stack;
    icf_update_memory update_memory; /* of the analysis */
    icf_lid *subtree;                /* (nsubtree) roots of the subtrees of this rank */
    icf_lid *shared;                 /* (nshared) shared fronts of this rank, in the order in which they are factored */
    icf_lid nsubtree, nshared;
    icf_lid *strip_first; /* (nsuper) first strip of a shared front in strip_at */
    int64_t *strip_at;    /* (strips) own strips: first value, in factor (pivots) or work (update) */
    double *work;         /* updates of subtrees and own strips of updates */
    int64_t *kept_at;     /* (nsuper) where they begin */
    double *source[2];    /* a strip of another rank */
    double *out, *in;     /* columns of updates */
    int64_t *cursor;      /* (4 size) numbers and places of what goes out to and comes in from each rank */
    MPI_Request *request; /* (request_capacity) */
    int nrequest;
    icf_sent sent;    /* by this rank so far */
    double *sum;      /* (ICF_FRONT_STRIP) partial sums of another rank */
    bool failed;      /* a pivot was not positive */
    bool *varies;     /* (nsuper) fronts with blocks that vary in a series of factorisations; those above them do too */
    icf_lid *varying; /* (nvarying) those of own subtrees, ascending */
    icf_lid nvarying;
    size_t subtree_capacity, shared_capacity, first_capacity, strip_capacity, work_capacity, kept_capacity,
        source_capacity[2], out_capacity, in_capacity, cursor_capacity, request_capacity, sum_capacity, varies_capacity,
        varying_capacity;
} icf_group_fronts;

void icf_group_fronts_init(icf_group_fronts *self);
void icf_group_fronts_clear(icf_group_fronts *self);

/* Prepares for a symbolic factor and its map, the same on all ranks.
 *   varies [in] (blocks) what varies in a series of factorisations and is last in the order; NULL: any may */
ICF_MUST_CHECK icf_status icf_group_fronts_analyze(icf_group_fronts *self, MPI_Comm comm, const icf_front_map *map,
                                                   const bool *varies);

/* Whether the next factorisation is in single precision (double at first); the same on all ranks. */
void icf_group_fronts_use_single(icf_group_fronts *self, bool single);

/* Factors.
 *   matrix [in] the whole pattern; blocks in columns of this rank have values
 *   again  [in] only blocks that vary have other values than at the last factorisation, which was good and of this
 *               precision: their fronts alone are factored, from the kept updates of those below (front_partial.h)
 * Returns whether no pivot of this rank's columns failed; the caller puts the ranks' answers together. */
bool icf_group_fronts_factor(icf_group_fronts *self, const icf_block_matrix *matrix, bool again);

/* Solves.
 *   x [in,out] (dofs) in elimination order; in: right-hand side in the rows of own columns, zero elsewhere; out:
 * solution in these rows */
void icf_group_fronts_solve(icf_group_fronts *self, double *x);

/* ---- inside ---- */

enum { ICF_TAG_STRIP = 1, ICF_TAG_UPDATE, ICF_TAG_PARTIAL, ICF_TAG_SOLUTION };

/* Values of an own strip of pivots, from its first diagonal entry. */
static inline void *icf_group_panel_strip(const icf_group_fronts *self, icf_lid s, int strip)
{
    return icf_front_value(self->fronts.kernels, self->fronts.factor, self->strip_at[self->strip_first[s] + strip]);
}

/* Sends n numbers of a type to all other ranks of a front; they must stay until icf_group_fronts_wait. */
void icf_group_fronts_send_all(icf_group_fronts *self, icf_lid s, const void *x, int n, MPI_Datatype type, int tag);

/* Sends n numbers of a type to a rank. */
void icf_group_fronts_send(icf_group_fronts *self, const void *x, int n, MPI_Datatype type, int to, int tag);

/* Waits for all sends. */
void icf_group_fronts_wait(icf_group_fronts *self);

#endif
