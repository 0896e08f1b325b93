/* Parts that reach over the borders of ranks. */
#include "solver/crossing_parts.h"

#include <assert.h>
#include <string.h>

#include "base/disjoint_sets.h"
#include "base/lists.h"
#include "base/memory.h"
#include "base/mpi_wait.h"

enum { HEADER = 3, BLOCK = ICF_PIECE_BLOCK }; /* numbers of a piece's message beside its pairs, of a block in it */

static_assert(sizeof(icf_border) == 3 * sizeof(int64_t), "borders are sent as they are");

void icf_crossing_parts_init(icf_crossing_parts *crossing)
{
    *crossing = (icf_crossing_parts){0};
    icf_arena_init(&crossing->arena);
}

void icf_crossing_parts_clear(icf_crossing_parts *crossing)
{
    void *const arrays[] = {crossing->block_at, crossing->block, crossing->pair_at, crossing->pair,
                            crossing->kept,     crossing->view,  crossing->border,  crossing->piece,
                            crossing->borders,  crossing->set,   crossing->mine,    crossing->keyed,
                            crossing->solver,   crossing->out,   crossing->in,      crossing->counts};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) icf_free(arrays[k]);
    icf_arena_clear(&crossing->arena);
    icf_crossing_parts_init(crossing);
}

#define GROW(name, n) ICF_TRY(ICF_GROW(crossing->name, crossing->name##_capacity, n))

icf_status icf_crossing_parts_reserve(icf_crossing_parts *crossing, const icf_problem *problem)
{
    const icf_group *group = problem->group;
    const icf_lid nblock = problem->nblock, npair = icf_problem_contacts(problem)->npair;
    crossing->known_borders = crossing->known_values = 0;
    GROW(block_at, nblock + 1);
    GROW(block, nblock);
    GROW(pair_at, nblock + 1);
    GROW(pair, npair);
    GROW(kept, nblock);
    GROW(view, npair);
    GROW(border, group->nblock - group->nowned + icf_group_count_sent(group));
    GROW(counts, 8 * group->size);
    return ICF_OK;
}

/* ---- this rank's pieces ---- */

static void list_blocks(icf_crossing_parts *crossing, const icf_local_parts *parts, const icf_group *group)
{
    memset(crossing->block_at, 0, ((size_t)crossing->nown + 1) * sizeof *crossing->block_at);
    for (icf_lid b = 0; b < group->nowned; ++b)
        if (parts->piece[b] >= 0) ++crossing->block_at[parts->piece[b] + 1];
    icf_lists_start(crossing->nown, crossing->block_at);
    for (icf_lid b = 0; b < group->nowned; ++b)
        if (parts->piece[b] >= 0) crossing->block[crossing->block_at[parts->piece[b]]++] = b;
    icf_lists_end(crossing->nown, crossing->block_at);
    for (icf_lid b = 0; b < group->nblock; ++b) crossing->kept[b] = parts->piece[b] >= 0 ? b : -1;
}

static icf_lid count_contacts(const icf_crossing_parts *crossing, icf_lid piece)
{
    icf_lid n = 0;
    for (icf_lid k = crossing->pair_at[piece]; k < crossing->pair_at[piece + 1]; ++k)
        n += crossing->view[k].end - crossing->view[k].begin;
    return n;
}

static int message_size(icf_lid nblock, icf_lid npair, icf_lid n)
{
    return HEADER + BLOCK * nblock + ICF_COPY_PAIR * npair + ICF_COPY_CONTACT * n;
}

static int piece_size(const icf_crossing_parts *crossing, icf_lid piece)
{
    return message_size(crossing->block_at[piece + 1] - crossing->block_at[piece],
                        crossing->pair_at[piece + 1] - crossing->pair_at[piece], count_contacts(crossing, piece));
}

/* Lists the blocks at borders that are in pieces; returns their number. */
static int list_borders(icf_crossing_parts *crossing, const icf_local_parts *parts, const icf_group *group)
{
    int n = 0;
    for (icf_lid b = group->nowned; b < group->nblock; ++b)
        if (parts->piece[b] >= 0) crossing->border[n++] = (icf_border){.gid = group->gid[b], .piece = parts->piece[b]};
    for (int k = 0; k < icf_group_count_sent(group); ++k) {
        const icf_lid b = group->send[k];
        if (parts->piece[b] >= 0) crossing->border[n++] = (icf_border){.gid = group->gid[b], .piece = parts->piece[b]};
    }
    for (int k = 0; k < n; ++k) crossing->border[k].size = piece_size(crossing, (icf_lid)crossing->border[k].piece);
    return n;
}

/* Returns the number of borders. */
static int list_own(icf_crossing_parts *crossing, const icf_local_parts *parts, const icf_problem *problem,
                    const double *v)
{
    const icf_contact_constraints *family = icf_problem_contacts(problem);
    crossing->nown = parts->npiece;
    list_blocks(crossing, parts, problem->group);
    icf_contact_constraints_list(family, crossing->nown, parts->piece, crossing->pair_at, crossing->pair);
    icf_contact_constraints_restrict(&crossing->family, family, v, crossing->pair_at[crossing->nown], crossing->pair,
                                     crossing->kept, problem->dof, crossing->view);
    return list_borders(crossing, parts, problem->group);
}

/* ---- all pieces ---- */

static icf_status reserve_borders(icf_crossing_parts *crossing, icf_lid n)
{
    GROW(borders, n);
    GROW(piece, n);
    GROW(solver, n);
    GROW(set, n);
    GROW(mine, n);
    GROW(keyed, 2 * (size_t)n);
    return ICF_OK;
}

/* Gathers the borders of all ranks, and lists their pieces.
 *   nborder [in]  of this rank
 *   n       [out] of all ranks; 0: there are no pieces */
static icf_status share_borders(icf_crossing_parts *crossing, icf_group *group, int nborder, int *n)
{
    const int size = group->size, own[2] = {nborder, crossing->nown};
    int *numbers = crossing->counts, *count = numbers + 2 * size, *at = count + size;
    ICF_MPI_WAIT(MPI_Allgather(own, 2, MPI_INT, numbers, 2, MPI_INT, group->comm));
    *n = 0;
    crossing->npiece = 0;
    for (int r = 0; r < size; ++r) {
        count[r] = 3 * numbers[2 * r];
        at[r] = 3 * *n;
        if (r == group->rank) crossing->first_own = crossing->npiece;
        *n += numbers[2 * r];
        crossing->npiece += numbers[2 * r + 1];
    }
    if (*n > crossing->known_borders) {
        ICF_TRY(icf_group_agree(group, reserve_borders(crossing, 2 * *n)));
        crossing->known_borders = 2 * *n;
    }
    if (*n == 0) return ICF_OK;
    icf_sent_add(&group->sent, size - 1, (icf_cnt)sizeof *crossing->border * nborder * (size - 1));
    ICF_MPI_WAIT(MPI_Allgatherv(crossing->border, count[group->rank], MPI_INT64_T, crossing->borders, count, at,
                                MPI_INT64_T, group->comm));
    for (int r = 0, k = 0, first = 0; r < size; first += numbers[2 * r + 1], ++r)
        for (const int end = k + numbers[2 * r]; k < end; ++k) {
            icf_border *border = &crossing->borders[k];
            border->piece += first;
            crossing->piece[border->piece] = (icf_piece){.rank = r, .size = (int)border->size};
        }
    return ICF_OK;
}

/* Pieces with a block in common are of one part. */
static void join_pieces(icf_crossing_parts *crossing, int nborder)
{
    icf_keyed *keyed = crossing->keyed;
    for (int k = 0; k < nborder; ++k)
        keyed[k] = (icf_keyed){(uint64_t)crossing->borders[k].gid, (icf_lid)crossing->borders[k].piece};
    icf_sort_keyed(nborder, keyed, keyed + nborder);
    icf_sets_start(crossing->npiece, crossing->set);
    for (int k = 1; k < nborder; ++k)
        if (keyed[k].key == keyed[k - 1].key) icf_sets_join(crossing->set, keyed[k].value, keyed[k - 1].value);
}

/* Adds a piece to what is known of its part's solver; pieces come rank by rank. */
static void weigh(icf_part_solver *solver, const icf_piece *piece)
{
    if (solver->last != piece->rank) solver->sum = 0;
    solver->last = piece->rank;
    solver->sum += piece->size;
    if (solver->sum <= solver->most) return;
    solver->most = solver->sum;
    solver->rank = piece->rank;
}

/* Numbers the parts by their first pieces and chooses who solves them. */
static void number_parts(icf_crossing_parts *crossing)
{
    icf_lid n = 0;
    for (icf_lid k = 0; k < crossing->npiece; ++k) {
        icf_piece *piece = &crossing->piece[k];
        const icf_lid smallest = icf_sets_find(crossing->set, k);
        if (smallest == k) crossing->solver[n] = (icf_part_solver){.last = -1};
        piece->part = smallest == k ? n++ : crossing->piece[smallest].part;
        weigh(&crossing->solver[piece->part], piece);
    }
}

static int solver_of(const icf_crossing_parts *crossing, const icf_piece *piece)
{
    return crossing->solver[piece->part].rank;
}

/* ---- messages ---- */

/* Numbers to and from each rank, and where they start. */
typedef struct message_counts {
    int *out, *out_at, *in, *in_at;
} message_counts;

static message_counts no_counts(icf_crossing_parts *crossing, int size)
{
    memset(crossing->counts, 0, 8 * (size_t)size * sizeof *crossing->counts);
    int *at = crossing->counts;
    return (message_counts){at, at + size, at + 2 * size, at + 3 * size};
}

static void start_messages(message_counts *counts, int size)
{
    for (int r = 1; r < size; ++r) {
        counts->out_at[r] = counts->out_at[r - 1] + counts->out[r - 1];
        counts->in_at[r] = counts->in_at[r - 1] + counts->in[r - 1];
    }
}

/* The most numbers that a rank sends or receives. */
static int count_most(const icf_crossing_parts *crossing, int *sent, int *received, int size)
{
    int most = 0;
    for (icf_lid k = 0; k < crossing->npiece; ++k) {
        const icf_piece *piece = &crossing->piece[k];
        sent[piece->rank] += piece->size;
        received[solver_of(crossing, piece)] += piece->size;
    }
    for (int r = 0; r < size; ++r) most = ICF_MAX(most, ICF_MAX(sent[r], received[r]));
    return most;
}

static icf_status reserve_values(icf_crossing_parts *crossing, int n)
{
    ICF_TRY(ICF_RENEW(crossing->out, crossing->out_capacity, n));
    return ICF_RENEW(crossing->in, crossing->in_capacity, n);
}

static icf_status reserve_messages(icf_crossing_parts *crossing, const icf_group *group)
{
    const message_counts counts = no_counts(crossing, group->size);
    const int most = count_most(crossing, counts.out, counts.in, group->size);
    if (most <= crossing->known_values) return ICF_OK;
    ICF_TRY(icf_group_agree(group, reserve_values(crossing, 2 * most)));
    crossing->known_values = 2 * most;
    return ICF_OK;
}

static void put_piece(const icf_crossing_parts *crossing, const icf_problem *problem, icf_lid own, const double *v,
                      double *to)
{
    *to++ = crossing->block_at[own + 1] - crossing->block_at[own];
    *to++ = crossing->pair_at[own + 1] - crossing->pair_at[own];
    *to++ = count_contacts(crossing, own);
    for (icf_lid k = crossing->block_at[own]; k < crossing->block_at[own + 1]; ++k, to += 48) {
        const icf_lid b = crossing->block[k];
        *to++ = icf_gid_to_number(problem->group->gid[b]);
        memcpy(to, problem->momentum + 36 * (size_t)b, 36 * sizeof *to);
        memcpy(to + 36, problem->v_star + problem->dof[b], 6 * sizeof *to);
        memcpy(to + 42, v + problem->dof[b], 6 * sizeof *to);
    }
    for (icf_lid k = crossing->pair_at[own]; k < crossing->pair_at[own + 1]; ++k)
        to = icf_contact_copy_put(&crossing->family, &crossing->view[k], problem->group->gid, to);
}

/* Sends the pieces to those who solve them. */
static void send_pieces(icf_crossing_parts *crossing, const icf_problem *problem, const double *v)
{
    icf_group *group = problem->group;
    message_counts counts = no_counts(crossing, group->size);
    for (icf_lid k = 0; k < crossing->npiece; ++k) {
        const icf_piece *piece = &crossing->piece[k];
        if (piece->rank == group->rank) counts.out[solver_of(crossing, piece)] += piece->size;
        if (solver_of(crossing, piece) == group->rank) counts.in[piece->rank] += piece->size;
    }
    start_messages(&counts, group->size);
    int *out_at = crossing->counts + 4 * group->size, *in_at = out_at + group->size;
    memcpy(out_at, counts.out_at, (size_t)group->size * sizeof *out_at);
    memcpy(in_at, counts.in_at, (size_t)group->size * sizeof *in_at);
    for (icf_lid k = 0; k < crossing->npiece; ++k) {
        icf_piece *piece = &crossing->piece[k];
        const int solver = solver_of(crossing, piece);
        if (piece->rank == group->rank) {
            put_piece(crossing, problem, k - crossing->first_own, v, crossing->out + out_at[solver]);
            out_at[solver] += piece->size;
        }
        if (solver != group->rank) continue;
        piece->at = in_at[piece->rank];
        in_at[piece->rank] += piece->size;
    }
    icf_group_exchange(group, crossing->out, counts.out, counts.out_at, crossing->in, counts.in, counts.in_at);
    crossing->sent = true;
}

/* ---- the parts that this rank solves ---- */

/* Lists their pieces, part by part, and reads how large they are; returns the number of parts. */
static icf_lid list_mine(icf_crossing_parts *crossing, int rank)
{
    icf_keyed *keyed = crossing->keyed;
    icf_lid n = 0, nmine = 0;
    for (icf_lid k = 0; k < crossing->npiece; ++k) {
        icf_piece *piece = &crossing->piece[k];
        if (solver_of(crossing, piece) != rank) continue;
        const double *header = crossing->in + piece->at;
        piece->nblock = (icf_lid)header[0];
        piece->npair = (icf_lid)header[1];
        piece->n = (icf_lid)header[2];
        keyed[nmine++] = (icf_keyed){(uint64_t)piece->part, k};
    }
    icf_sort_keyed(nmine, keyed, keyed + nmine);
    for (icf_lid k = 0; k < nmine; ++k) {
        crossing->mine[k] = keyed[k].value;
        n += k == 0 || keyed[k].key != keyed[k - 1].key;
    }
    crossing->nmine = nmine;
    return n;
}

static const double *piece_message(const icf_crossing_parts *crossing, const icf_piece *piece)
{
    return crossing->in + piece->at + HEADER;
}

static const icf_piece *piece_of(const icf_crossing_parts *crossing, icf_lid k)
{
    return &crossing->piece[crossing->mine[k]];
}

/* Orders the blocks of a part's pieces by their global ids: in a pair the first body comes first.
 *   gid [out] (blocks) ascending */
static icf_status order_blocks(icf_crossing_parts *crossing, icf_crossing_part *part, icf_gid *gid)
{
    const icf_lid nblock = part->problem.nblock;
    icf_keyed *keyed = ICF_ARENA_ARRAY(&crossing->arena, icf_keyed, 2 * (size_t)nblock);
    if (!keyed) return ICF_ERROR_MEMORY;
    icf_lid n = 0;
    for (icf_lid k = part->first; k < part->end; ++k) {
        const double *block = piece_message(crossing, piece_of(crossing, k));
        for (icf_lid b = 0; b < piece_of(crossing, k)->nblock; ++b, block += BLOCK, ++n)
            keyed[n] = (icf_keyed){(uint64_t)icf_gid_of_number(*block), n};
    }
    icf_sort_keyed(nblock, keyed, keyed + nblock);
    for (icf_lid b = 0; b < nblock; ++b) {
        gid[b] = (icf_gid)keyed[b].key;
        part->index[keyed[b].value] = b;
    }
    return ICF_OK;
}

/* Puts A, v* and v of the blocks where they belong. */
static void take_blocks(const icf_crossing_parts *crossing, const icf_crossing_part *part, double *momentum,
                        double *v_star)
{
    const icf_lid *index = part->index;
    for (icf_lid k = part->first; k < part->end; ++k) {
        const double *block = piece_message(crossing, piece_of(crossing, k)) + 1;
        for (icf_lid b = 0; b < piece_of(crossing, k)->nblock; ++b, block += BLOCK, ++index) {
            memcpy(momentum + 36 * (size_t)*index, block, 36 * sizeof *momentum);
            memcpy(v_star + 6 * (size_t)*index, block + 36, 6 * sizeof *v_star);
            memcpy(part->v + 6 * (size_t)*index, block + 42, 6 * sizeof *part->v);
        }
    }
}

static icf_status take_pairs(icf_crossing_parts *crossing, icf_crossing_part *part, const icf_gid *gid)
{
    icf_lid npair = 0, n = 0;
    for (icf_lid k = part->first; k < part->end; ++k) {
        npair += piece_of(crossing, k)->npair;
        n += piece_of(crossing, k)->n;
    }
    ICF_TRY(icf_contact_copies_start(&part->copies, npair, n, part->problem.dof, &crossing->arena));
    for (icf_lid k = part->first; k < part->end; ++k) {
        const icf_piece *piece = piece_of(crossing, k);
        const double *pair = piece_message(crossing, piece) + BLOCK * (size_t)piece->nblock;
        for (icf_lid j = 0; j < piece->npair; ++j)
            pair = icf_contact_copies_add(&part->copies, part->problem.nblock, gid, pair);
    }
    return ICF_OK;
}

/* Makes the problem of a part whose pieces are known. */
static icf_status take_part(icf_crossing_parts *crossing, icf_crossing_part *part)
{
    icf_arena *arena = &crossing->arena;
    icf_lid nblock = 0;
    for (icf_lid k = part->first; k < part->end; ++k) nblock += piece_of(crossing, k)->nblock;
    int32_t *dof = ICF_ARENA_ARRAY(arena, int32_t, nblock + 1);
    double *momentum = ICF_ARENA_ARRAY(arena, double, 36 * (size_t)nblock),
           *v_star = ICF_ARENA_ARRAY(arena, double, 6 * (size_t)nblock);
    icf_gid *gid = ICF_ARENA_ARRAY(arena, icf_gid, nblock);
    part->index = ICF_ARENA_ARRAY(arena, icf_lid, nblock);
    part->v = ICF_ARENA_ARRAY(arena, double, 6 * (size_t)nblock);
    if (!dof || !momentum || !v_star || !gid || !part->index || !part->v) return ICF_ERROR_MEMORY;
    for (icf_lid b = 0; b <= nblock; ++b) dof[b] = 6 * b;
    part->problem = (icf_problem){.nblock = nblock,
                                  .dof = dof,
                                  .momentum = momentum,
                                  .v_star = v_star,
                                  .v0 = part->v,
                                  .nfamily = 1,
                                  .family = {&part->copies.family.base}};
    ICF_TRY(order_blocks(crossing, part, gid));
    take_blocks(crossing, part, momentum, v_star);
    return take_pairs(crossing, part, gid);
}

static icf_status take_mine(icf_crossing_parts *crossing, int rank)
{
    icf_arena_reset(&crossing->arena);
    const icf_lid n = list_mine(crossing, rank);
    crossing->part = ICF_ARENA_ARRAY(&crossing->arena, icf_crossing_part, n);
    if (!crossing->part) return ICF_ERROR_MEMORY;
    for (icf_lid k = 0; k < crossing->nmine;) {
        icf_crossing_part *part = &crossing->part[crossing->n];
        part->first = k;
        while (k < crossing->nmine && piece_of(crossing, k)->part == piece_of(crossing, part->first)->part) ++k;
        part->end = k;
        ICF_TRY(take_part(crossing, part));
        ++crossing->n;
    }
    return ICF_OK;
}

icf_status icf_crossing_parts_gather(icf_crossing_parts *crossing, const icf_local_parts *parts,
                                     const icf_problem *problem, const double *v)
{
    icf_group *group = problem->group;
    int nborder;
    crossing->n = 0;
    crossing->sent = false;
    ICF_TRY(share_borders(crossing, group, list_own(crossing, parts, problem, v), &nborder));
    if (nborder == 0) return ICF_OK;
    join_pieces(crossing, nborder);
    number_parts(crossing);
    ICF_TRY(reserve_messages(crossing, group));
    send_pieces(crossing, problem, v);
    return take_mine(crossing, group->rank);
}

/* ---- solutions ---- */

static int solution_size(icf_lid nblock, icf_lid n)
{
    return 6 * nblock + 2 * n;
}

static int own_solution_size(const icf_crossing_parts *crossing, icf_lid own)
{
    return solution_size(crossing->block_at[own + 1] - crossing->block_at[own], count_contacts(crossing, own));
}

/* Puts the solution of a part into the messages of its pieces. */
static void put_solution(icf_crossing_parts *crossing, const icf_crossing_part *part)
{
    const icf_lid *index = part->index;
    double(*dual)[2] = part->copies.family.iterates.dual;
    for (icf_lid k = part->first; k < part->end; ++k) {
        const icf_piece *piece = piece_of(crossing, k);
        double *to = crossing->in + piece->at;
        for (icf_lid b = 0; b < piece->nblock; ++b, to += 6) memcpy(to, part->v + 6 * (size_t)*index++, 6 * sizeof *to);
        memcpy(to, dual, (size_t)piece->n * sizeof *dual);
        dual += piece->n;
    }
}

static void take_solution(const icf_crossing_parts *crossing, icf_lid own, const int32_t *dof, const double *from,
                          double *v)
{
    for (icf_lid k = crossing->block_at[own]; k < crossing->block_at[own + 1]; ++k, from += 6)
        memcpy(v + dof[crossing->block[k]], from, 6 * sizeof *v);
    for (icf_lid k = crossing->pair_at[own]; k < crossing->pair_at[own + 1]; ++k) {
        const icf_contact_pair_view *view = &crossing->view[k];
        for (icf_lid i = view->begin; i < view->end; ++i, from += 2)
            memcpy(crossing->family.iterates.dual[i], from, 2 * sizeof *from);
    }
}

void icf_crossing_parts_return(icf_crossing_parts *crossing, const icf_problem *problem, double *v)
{
    icf_group *group = problem->group;
    if (!crossing->sent) return;
    crossing->sent = false;
    message_counts counts = no_counts(crossing, group->size);
    for (icf_lid k = 0; k < crossing->nmine; ++k)
        counts.out[piece_of(crossing, k)->rank] +=
            solution_size(piece_of(crossing, k)->nblock, piece_of(crossing, k)->n);
    for (icf_lid own = 0; own < crossing->nown; ++own)
        counts.in[solver_of(crossing, &crossing->piece[crossing->first_own + own])] += own_solution_size(crossing, own);
    start_messages(&counts, group->size);
    int *at = crossing->counts + 4 * group->size;
    memcpy(at, counts.out_at, (size_t)group->size * sizeof *at);
    for (icf_lid k = 0; k < crossing->npiece; ++k) {
        icf_piece *piece = &crossing->piece[k];
        if (solver_of(crossing, piece) != group->rank) continue;
        piece->at = at[piece->rank];
        at[piece->rank] += solution_size(piece->nblock, piece->n);
    }
    for (icf_lid k = 0; k < crossing->n; ++k) put_solution(crossing, &crossing->part[k]);
    icf_group_exchange(group, crossing->in, counts.out, counts.out_at, crossing->out, counts.in, counts.in_at);
    memcpy(at, counts.in_at, (size_t)group->size * sizeof *at);
    for (icf_lid own = 0; own < crossing->nown; ++own) {
        int *from = &at[solver_of(crossing, &crossing->piece[crossing->first_own + own])];
        take_solution(crossing, own, problem->dof, crossing->out + *from, v);
        *from += own_solution_size(crossing, own);
    }
}
