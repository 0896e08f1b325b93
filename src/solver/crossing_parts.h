/* Parts of an island (local_parts.h) that reach over the borders of the ranks of its group.
 *
 * A rank has a piece of such a part: its own blocks in it, and its contacts that touch it.  All ranks learn which
 * blocks at borders are in which pieces, so all find the same parts; the rank with the largest share of a part's data
 * gets the pieces of the others, solves it, and sends velocities and duals back.
 *
 *     pieces -> blocks at borders, of all ranks -> parts and who solves them -> pieces to these ranks
 *       -> a problem each -> velocities and duals back
 *
 * Each rank keeps a list of the blocks at borders that are in pieces, of all ranks: few, since parts are.
 *
 * Private to src/solver; no threads inside.  Arrays only grow.
 */
#ifndef ICF_SOLVER_CROSSING_PARTS_H
#define ICF_SOLVER_CROSSING_PARTS_H

#include "base/sort.h"
#include "solver/contact_copy.h"
#include "solver/local_parts.h"

enum { ICF_PIECE_BLOCK = 1 + 36 + 6 + 6 }; /* numbers of a block in a message: id, A, v*, v */

/* A block at a border that is in a piece. */
typedef struct icf_border {
    icf_gid gid;   /* global id of the block */
    int64_t piece; /* as its rank counts them */
    int64_t size;  /* numbers of the piece's message */
} icf_border;

/* A piece of some rank. */
typedef struct icf_piece {
    int rank;
    icf_lid part;             /* of all crossing parts */
    int size, at;             /* numbers of its message, and where it begins */
    icf_lid nblock, npair, n; /* owned blocks, pairs, contacts; known to its rank and to the one that solves it */
} icf_piece;

/* Who solves a part: the rank with most of its data, of equal ones the first. */
typedef struct icf_part_solver {
    int rank;
    int last;          /* the last rank with a piece, and ... */
    int64_t sum, most; /* ... its data; the solver's */
} icf_part_solver;

/* A part that this rank solves. */
typedef struct icf_crossing_part {
    icf_lid first, end; /* its pieces in icf_crossing_parts.mine */
    icf_problem problem;
    icf_contact_copies copies;
    icf_lid *index; /* (blocks) which block of the part each block of its pieces is, piece by piece */
    double *v;      /* (dofs) solution */
} icf_crossing_part;

typedef struct icf_crossing_parts {
    icf_lid n;               /* parts that this rank solves */
    icf_crossing_part *part; /* (n) in ... */
    icf_arena arena;         /* ... with all that they have */

    /* this rank's pieces */
    icf_lid nown;
    icf_lid *block_at, *block;      /* (nown + 1) (blocks) owned blocks, piece by piece */
    icf_lid *pair_at, *pair;        /* (nown + 1) (pairs) positions in the family's pairs, piece by piece */
    icf_lid *kept;                  /* (blocks of the problem) itself where a block is in a piece, else -1 */
    icf_contact_pair_view *view;    /* (pairs) */
    icf_contact_constraints family; /* restricted to all pieces */
    icf_border *border;             /* of this rank */

    /* all pieces of the group */
    icf_lid npiece, first_own; /* pieces; the first one of this rank */
    icf_piece *piece;          /* (npiece) rank by rank */
    icf_border *borders;       /* of all ranks */
    icf_part_solver *solver;   /* (crossing parts) */
    icf_lid *set, *mine;       /* (npiece) scratch; pieces of the parts that this rank solves, part by part */
    icf_keyed *keyed;          /* (2 x borders) scratch */
    icf_lid nmine;
    int *counts;                     /* (8 x ranks) scratch */
    double *out, *in;                /* messages */
    bool sent;                       /* pieces have gone out, and solutions have not come back */
    int known_borders, known_values; /* every rank has room for so many borders and numbers */
    size_t block_at_capacity, block_capacity, pair_at_capacity, pair_capacity, kept_capacity, view_capacity,
        border_capacity, piece_capacity, borders_capacity, solver_capacity, set_capacity, mine_capacity, keyed_capacity,
        counts_capacity, out_capacity, in_capacity;
} icf_crossing_parts;

void icf_crossing_parts_init(icf_crossing_parts *crossing);
void icf_crossing_parts_clear(icf_crossing_parts *crossing);

/* Room for the pieces of this rank, of a problem that a group solves; local. */
ICF_MUST_CHECK icf_status icf_crossing_parts_reserve(icf_crossing_parts *crossing, const icf_problem *problem);

/* Brings the pieces of the parts that have been found together.  A rank that fails takes part in the next
 * icf_crossing_parts_return all the same.  Collective over the problem's group.
 *   v [in] (dofs) with the shadows', at which the family's velocities are */
ICF_MUST_CHECK icf_status icf_crossing_parts_gather(icf_crossing_parts *crossing, const icf_local_parts *parts,
                                                    const icf_problem *problem, const double *v);

/* Puts the solutions of all crossing parts into v of the owned blocks, and their duals back into the family. Collective
 * over the problem's group. */
void icf_crossing_parts_return(icf_crossing_parts *crossing, const icf_problem *problem, double *v);

#endif
