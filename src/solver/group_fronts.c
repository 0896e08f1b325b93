/* Multifrontal Cholesky over the ranks of a group: analysis and factorisation. */
#include "solver/group_fronts.h"

#include <limits.h>
#include <string.h>

#include "base/flush.h"
#include "base/memory.h"
#include "base/mpi_wait.h"
#include "solver/front_partial.h"

void icf_group_fronts_init(icf_group_fronts *self)
{
    *self = (icf_group_fronts){0};
    icf_fronts_init(&self->fronts);
    icf_front_stack_init(&self->stack);
    icf_update_memory_init(&self->update_memory);
}

void icf_group_fronts_clear(icf_group_fronts *self)
{
    icf_fronts_clear(&self->fronts);
    icf_front_stack_clear(&self->stack);
    icf_update_memory_clear(&self->update_memory);
    void *const memory[] = {self->subtree, self->shared,    self->strip_first, self->strip_at, self->work,
                            self->kept_at, self->source[0], self->source[1],   self->out,      self->in,
                            self->cursor,  self->request,   self->sum,         self->varies,   self->varying};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) icf_free(memory[k]);
    icf_group_fronts_init(self);
}

/* ---- messages ---- */

/* Type of the values of fronts. */
static MPI_Datatype value_type(const icf_group_fronts *self)
{
    return icf_fronts_are_single(&self->fronts) ? MPI_FLOAT : MPI_DOUBLE;
}

void icf_group_fronts_send(icf_group_fronts *self, const void *x, int n, MPI_Datatype type, int to, int tag)
{
    const icf_cnt bytes = type == MPI_FLOAT ? sizeof(float) : sizeof(double);
    icf_sent_add(&self->sent, 1, bytes * n);
    MPI_Isend(x, n, type, to, tag, self->comm, &self->request[self->nrequest++]);
}

void icf_group_fronts_send_all(icf_group_fronts *self, icf_lid s, const void *x, int n, MPI_Datatype type, int tag)
{
    for (int k = 0; k < self->map->count[s]; ++k) {
        const int to = icf_front_rank(self->map, s, k);
        if (to != self->rank) icf_group_fronts_send(self, x, n, type, to, tag);
    }
}

void icf_group_fronts_wait(icf_group_fronts *self)
{
    ICF_MPI_WAIT(MPI_Waitall(self->nrequest, self->request, MPI_STATUSES_IGNORE));
    self->nrequest = 0;
}

/* Lets MPI work on what is under way; long messages need it. */
static void poke(icf_group_fronts *self)
{
    int done;
    if (self->nrequest > 0) MPI_Testall(self->nrequest, self->request, &done, MPI_STATUSES_IGNORE);
}

/* ---- columns of updates from children to parents ---- */

/* One column on its way. */
typedef struct column_move {
    icf_lid child, parent;
    const icf_front_run *run; /* the child's runs, and ... */
    int nrun, first_run;      /* ... the one that the column lies in */
    int diagonal;             /* the column in the child's update */
    int column;               /* the column in the parent's front */
    int length;               /* values, from the diagonal down */
    int from, to;             /* ranks */
} column_move;

typedef void column_action(icf_group_fronts *self, const column_move *move);

/* Goes through the columns of all children of s that fall into its panel (into_panel) or update, children from the last
 * to the first, columns ascending: the same order on all ranks. */
static void each_column(icf_group_fronts *self, icf_lid s, bool into_panel, column_action *action)
{
    const icf_symbolic *symbolic = self->symbolic;
    column_move move = {.parent = s};
    for (icf_lid c = icf_front_last_child(symbolic, s); c >= 0; c = self->fronts.sibling[c]) {
        move.child = c;
        const icf_front_run *run = icf_fronts_runs(&self->fronts, c, &move.nrun);
        move.run = run;
        for (int r = 0; r < move.nrun; ++r)
            for (int j = 0; j < run[r].length; ++j) {
                move.column = run[r].to + j;
                if ((move.column < symbolic->pivot_dof[s]) != into_panel) continue;
                move.first_run = r;
                move.diagonal = run[r].from + j;
                move.length = icf_front_below(symbolic, c) - move.diagonal;
                move.from = icf_front_column_owner(self->map, c, symbolic->pivot_dof[c] + move.diagonal);
                move.to = icf_front_column_owner(self->map, s, move.column);
                action(self, &move);
            }
    }
}

enum { OUT, OUT_AT, IN, IN_AT, NCURSOR };

static int64_t *cursor_of(const icf_group_fronts *self, int which)
{
    return self->cursor + which * self->size;
}

static void count_column(icf_group_fronts *self, const column_move *move)
{
    if (move->from == move->to) return;
    if (move->from == self->rank) cursor_of(self, OUT)[move->to] += move->length;
    if (move->to == self->rank) cursor_of(self, IN)[move->from] += move->length;
}

/* Counts what goes to and comes from each rank, and where it lies; totals in sum. */
static void count_columns(icf_group_fronts *self, icf_lid s, bool into_panel, int64_t sum[2])
{
    memset(self->cursor, 0, NCURSOR * (size_t)self->size * sizeof *self->cursor);
    each_column(self, s, into_panel, count_column);
    sum[0] = sum[1] = 0;
    for (int r = 0; r < self->size; ++r) {
        cursor_of(self, OUT_AT)[r] = sum[0];
        cursor_of(self, IN_AT)[r] = sum[1];
        sum[0] += cursor_of(self, OUT)[r];
        sum[1] += cursor_of(self, IN)[r];
    }
}

/* The n-th value from p on. */
static void *value(const icf_group_fronts *self, const void *p, ptrdiff_t n)
{
    return icf_front_value(self->fronts.kernels, p, n);
}

/* First value of an own strip. */
static void *own_strip(const icf_group_fronts *self, icf_lid s, int k)
{
    const double *memory = k < icf_front_panel_strips(self->map, s) ? self->fronts.factor : self->work;
    return value(self, memory, self->strip_at[self->strip_first[s] + k]);
}

/* A column of a front in an own strip, by the front's rows. */
static void *strip_column(const icf_group_fronts *self, icf_lid s, int column)
{
    const int k = icf_front_strip_of(self->map, s, column);
    const icf_front_strip strip = icf_front_strip_at(self->map, s, k);
    return value(self, own_strip(self, s, k), (ptrdiff_t)(column - strip.begin) * strip.ld - strip.begin);
}

/* An own column of a child's update, by the update's rows. */
static const void *update_column(const icf_group_fronts *self, icf_lid child, int column)
{
    const int ncol = self->symbolic->pivot_dof[child];
    if (icf_front_is_shared(self->map, child)) return value(self, strip_column(self, child, ncol + column), ncol);
    const int ld = icf_front_padded(icf_front_below(self->symbolic, child));
    return value(self, self->fronts.kept[child], (ptrdiff_t)column * ld);
}

static void pack_column(icf_group_fronts *self, const column_move *move)
{
    if (move->from != self->rank || move->to == self->rank) return;
    int64_t *at = &cursor_of(self, OUT_AT)[move->to];
    const void *column = update_column(self, move->child, move->diagonal);
    memcpy(value(self, self->out, *at), value(self, column, move->diagonal),
           (size_t)move->length * self->fronts.kernels->bytes);
    *at += move->length;
}

static void add_column(icf_group_fronts *self, const column_move *move)
{
    if (move->to != self->rank) return;
    const void *from;
    if (move->from == self->rank) {
        from = update_column(self, move->child, move->diagonal);
    } else {
        int64_t *at = &cursor_of(self, IN_AT)[move->from];
        from = value(self, self->in, *at - move->diagonal);
        *at += move->length;
    }
    const int column = move->diagonal - move->run[move->first_run].from;
    self->fronts.kernels->add_columns(move->run, move->nrun, move->first_run, column, column + 1, from, 0,
                                      strip_column(self, move->parent, move->column), 0);
}

/* Adds the children's updates to the own columns of the panel or of the update of a shared front. */
static void add_children(icf_group_fronts *self, icf_lid s, bool into_panel)
{
    int64_t sum[2];
    count_columns(self, s, into_panel, sum);
    for (int r = 0; r < self->size; ++r) {
        const int n = (int)cursor_of(self, IN)[r];
        if (n > 0)
            MPI_Irecv(value(self, self->in, cursor_of(self, IN_AT)[r]), n, value_type(self), r, ICF_TAG_UPDATE,
                      self->comm, &self->request[self->nrequest++]);
    }
    each_column(self, s, into_panel, pack_column);
    for (int r = 0; r < self->size; ++r) {
        const int n = (int)cursor_of(self, OUT)[r];
        const void *first = value(self, self->out, cursor_of(self, OUT_AT)[r] - n);
        if (n > 0) icf_group_fronts_send(self, first, n, value_type(self), r, ICF_TAG_UPDATE);
    }
    icf_group_fronts_wait(self);
    each_column(self, s, into_panel, add_column);
}

/* ---- analysis ---- */

/* Own subtrees, and shared fronts by number of ranks: children before parents, and the same order on all ranks. */
static void list_fronts(icf_group_fronts *self)
{
    const icf_front_map *map = self->map;
    self->nsubtree = self->nshared = 0;
    for (icf_lid s = 0; s < self->symbolic->nsuper; ++s) {
        const icf_lid parent = self->symbolic->super_parent[s];
        const bool root = parent < 0 || icf_front_is_shared(map, parent);
        if (!icf_front_is_shared(map, s) && root && icf_front_has_rank(map, s, self->rank))
            self->subtree[self->nsubtree++] = s;
    }
    for (int count = 2; count <= self->size; ++count)
        for (icf_lid s = 0; s < self->symbolic->nsuper; ++s)
            if (map->count[s] == count && icf_front_has_rank(map, s, self->rank)) self->shared[self->nshared++] = s;
}

static icf_lid first_of(const icf_group_fronts *self, icf_lid root)
{
    return root - self->map->size[root] + 1;
}

/* Where the own strips of the pivots lie in the factor, after the panels of the subtrees; *at: their end. */
static void place_strips(icf_group_fronts *self, icf_lid s, int64_t *at)
{
    for (int k = 0; k < icf_front_panel_strips(self->map, s); ++k) {
        const icf_front_strip strip = icf_front_strip_at(self->map, s, k);
        if (icf_front_strip_owner(self->map, s, k) != self->rank) continue;
        self->strip_at[self->strip_first[s] + k] = *at;
        *at += (int64_t)strip.ld * (strip.end - strip.begin);
    }
}

/* Places the own strips of the update from `at` on; returns their end. */
static int64_t place_update_strips(icf_group_fronts *self, icf_lid s, int64_t at)
{
    for (int k = icf_front_panel_strips(self->map, s); k < icf_front_strips(self->map, s); ++k) {
        const icf_front_strip strip = icf_front_strip_at(self->map, s, k);
        if (icf_front_strip_owner(self->map, s, k) != self->rank) continue;
        self->strip_at[self->strip_first[s] + k] = at;
        at += (int64_t)strip.ld * (strip.end - strip.begin);
    }
    return at;
}

static icf_status reserve_lists(icf_group_fronts *self)
{
    const icf_lid nsuper = self->symbolic->nsuper;
    ICF_TRY(ICF_GROW(self->subtree, self->subtree_capacity, nsuper));
    ICF_TRY(ICF_GROW(self->shared, self->shared_capacity, nsuper));
    ICF_TRY(ICF_GROW(self->strip_first, self->first_capacity, nsuper));
    ICF_TRY(ICF_GROW(self->kept_at, self->kept_capacity, nsuper));
    ICF_TRY(ICF_GROW(self->varies, self->varies_capacity, nsuper));
    ICF_TRY(ICF_GROW(self->varying, self->varying_capacity, nsuper));
    ICF_TRY(ICF_GROW(self->cursor, self->cursor_capacity, NCURSOR * (size_t)self->size));
    return ICF_GROW(self->sum, self->sum_capacity, ICF_FRONT_STRIP);
}

/* Fronts that vary, and those of them in own subtrees. */
static void list_varying(icf_group_fronts *self, const bool *varies)
{
    const icf_symbolic *symbolic = self->symbolic;
    self->nvarying = 0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) self->varies[s] = varies && icf_front_varies(symbolic, varies, s);
    for (icf_lid k = 0; k < self->nsubtree; ++k)
        for (icf_lid s = first_of(self, self->subtree[k]); s <= self->subtree[k]; ++s)
            if (self->varies[s]) self->varying[self->nvarying++] = s;
}

/* Whether the update of a front is not on the stack: it goes to another subtree or rank, or is needed again. */
static bool is_kept(const icf_group_fronts *self, icf_lid s, icf_lid root)
{
    const icf_lid parent = self->symbolic->super_parent[s];
    return s == root || self->varies[s] || (parent >= 0 && self->varies[parent]);
}

/* Places of the factor: subtrees, then strips. */
static icf_status place_factor(icf_group_fronts *self)
{
    int64_t at = 0;
    icf_lid nstrip = 0;
    for (icf_lid k = 0; k < self->nsubtree; ++k)
        icf_fronts_place(&self->fronts, first_of(self, self->subtree[k]), self->subtree[k], &at);
    for (icf_lid k = 0; k < self->nshared; ++k) {
        self->strip_first[self->shared[k]] = nstrip;
        nstrip += icf_front_strips(self->map, self->shared[k]);
    }
    ICF_TRY(ICF_GROW(self->strip_at, self->strip_capacity, nstrip + 1));
    for (icf_lid k = 0; k < self->nshared; ++k) place_strips(self, self->shared[k], &at);
    return icf_fronts_reserve(&self->fronts, at);
}

/* Places of all updates that this rank keeps: until they have served, or for the next factorisations. */
static icf_status place_updates(icf_group_fronts *self)
{
    const icf_symbolic *symbolic = self->symbolic;
    icf_update_memory *memory = &self->update_memory;
    icf_update_memory_reset(memory);
    for (icf_lid k = 0; k < self->nsubtree; ++k)
        for (icf_lid s = first_of(self, self->subtree[k]); s <= self->subtree[k]; ++s)
            if (is_kept(self, s, self->subtree[k]))
                ICF_TRY(icf_update_memory_insert(memory, icf_front_update_size(symbolic, s), symbolic->super_parent[s],
                                                 &self->kept_at[s]));
    for (icf_lid k = 0; k < self->nshared; ++k) {
        const icf_lid s = self->shared[k];
        ICF_TRY(icf_update_memory_insert(memory, place_update_strips(self, s, 0), symbolic->super_parent[s],
                                         &self->kept_at[s]));
        place_update_strips(self, s, self->kept_at[s]);
        if (!self->varies[s]) icf_update_memory_remove(memory, s);
    }
    return ICF_RENEW(self->work, self->work_capacity, memory->most + ICF_FRONT_ROWS);
}

/* Tells the fronts of own subtrees where kept updates lie, in the present precision. */
static void keep_updates(icf_group_fronts *self)
{
    for (icf_lid k = 0; k < self->nsubtree; ++k)
        for (icf_lid s = first_of(self, self->subtree[k]); s <= self->subtree[k]; ++s)
            if (is_kept(self, s, self->subtree[k])) self->fronts.kept[s] = value(self, self->work, self->kept_at[s]);
}

/* Room for the messages of all shared fronts. */
static icf_status reserve_messages(icf_group_fronts *self)
{
    int64_t most[2] = {0, 0}, longest = 0;
    size_t nrequest = 2 * (size_t)self->size;
    for (icf_lid k = 0; k < self->nshared; ++k) {
        const icf_lid s = self->shared[k];
        for (int into_panel = 0; into_panel < 2; ++into_panel) {
            int64_t sum[2];
            count_columns(self, s, into_panel, sum);
            for (int i = 0; i < 2; ++i) most[i] = ICF_MAX(most[i], sum[i]);
        }
        const size_t sends = (size_t)icf_front_panel_strips(self->map, s) * (size_t)self->map->count[s];
        nrequest = ICF_MAX(nrequest, sends + 2 * (size_t)self->size);
        longest = ICF_MAX(longest, (int64_t)icf_front_padded(self->symbolic->front_dof[s]) * ICF_FRONT_STRIP);
    }
    if (ICF_MAX(most[0], most[1]) > INT_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_RENEW(self->out, self->out_capacity, most[0] + 1));
    ICF_TRY(ICF_RENEW(self->in, self->in_capacity, most[1] + 1));
    ICF_TRY(ICF_GROW(self->request, self->request_capacity, nrequest));
    for (int i = 0; i < 2; ++i) ICF_TRY(ICF_RENEW(self->source[i], self->source_capacity[i], longest + ICF_FRONT_ROWS));
    return ICF_OK;
}

icf_status icf_group_fronts_analyze(icf_group_fronts *self, MPI_Comm comm, const icf_front_map *map, const bool *varies)
{
    self->comm = comm;
    MPI_Comm_rank(comm, &self->rank);
    MPI_Comm_size(comm, &self->size);
    self->map = map;
    self->symbolic = map->symbolic;
    ICF_TRY(icf_fronts_analyze(&self->fronts, map->symbolic));
    ICF_TRY(reserve_lists(self));
    list_fronts(self);
    list_varying(self, varies);
    ICF_TRY(place_factor(self));
    ICF_TRY(place_updates(self));
    keep_updates(self);
    ICF_TRY(icf_front_stack_reserve(&self->stack, &self->fronts, 0, -1));
    for (icf_lid k = 0; k < self->nsubtree; ++k)
        ICF_TRY(
            icf_front_stack_reserve(&self->stack, &self->fronts, first_of(self, self->subtree[k]), self->subtree[k]));
    return reserve_messages(self);
}

/* ---- factorisation ---- */

static void assemble(icf_group_fronts *self, const icf_block_matrix *matrix, icf_lid s)
{
    for (int k = 0; k < icf_front_panel_strips(self->map, s); ++k) {
        if (icf_front_strip_owner(self->map, s, k) != self->rank) continue;
        const icf_front_strip strip = icf_front_strip_at(self->map, s, k);
        void *values = icf_group_panel_strip(self, s, k);
        memset(values, 0, (size_t)strip.ld * (size_t)(strip.end - strip.begin) * self->fronts.kernels->bytes);
        icf_front_assemble(self->fronts.kernels, self->symbolic, matrix, s, strip.begin, strip.end, values, strip.ld);
    }
}

/* Factors an own strip and sends it to the other ranks of the front. */
static void factor_strip(icf_group_fronts *self, icf_lid s, int k)
{
    const icf_front_strip strip = icf_front_strip_at(self->map, s, k);
    const int width = strip.end - strip.begin, nrow = self->symbolic->front_dof[s] - strip.begin;
    void *values = icf_group_panel_strip(self, s, k);
    double *inverse = self->fronts.inverse + self->symbolic->place_dof[self->symbolic->super_ptr[s]] + strip.begin;
    if (!self->fronts.kernels->factor(values, strip.ld, nrow, width, inverse)) self->failed = true;
    icf_group_fronts_send_all(self, s, values, strip.ld * width, value_type(self), ICF_TAG_STRIP);
}

/* Takes the product of a factored strip k off the own strip j > k. */
static void apply_strip(icf_group_fronts *self, icf_lid s, int k, const void *source, int j)
{
    const icf_front_strip from = icf_front_strip_at(self->map, s, k), to = icf_front_strip_at(self->map, s, j);
    const bool in_panel = j < icf_front_panel_strips(self->map, s);
    self->fronts.kernels->product(value(self, source, to.begin - from.begin), from.ld,
                                  self->symbolic->front_dof[s] - to.begin, from.end - from.begin, to.end - to.begin,
                                  own_strip(self, s, j), to.ld, in_panel || k > 0);
}

/* Posts the receive of a strip unless it is an own one. */
static void expect_strip(icf_group_fronts *self, icf_lid s, int k, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    const int owner = icf_front_strip_owner(self->map, s, k);
    if (owner == self->rank) return;
    const icf_front_strip strip = icf_front_strip_at(self->map, s, k);
    MPI_Irecv(self->source[k & 1], strip.ld * (strip.end - strip.begin), value_type(self), owner, ICF_TAG_STRIP,
              self->comm, request);
}

static void factor_strips(icf_group_fronts *self, icf_lid s)
{
    const int npanel = icf_front_panel_strips(self->map, s), nstrip = icf_front_strips(self->map, s);
    MPI_Request coming, next = MPI_REQUEST_NULL;
    expect_strip(self, s, 0, &coming);
    if (icf_front_strip_owner(self->map, s, 0) == self->rank) factor_strip(self, s, 0);
    for (int k = 0; k < npanel; ++k, coming = next) {
        const bool mine = icf_front_strip_owner(self->map, s, k) == self->rank;
        if (k + 1 < npanel) expect_strip(self, s, k + 1, &next);
        ICF_MPI_WAIT(MPI_Wait(&coming, MPI_STATUS_IGNORE));
        const void *source = mine ? icf_group_panel_strip(self, s, k) : self->source[k & 1];
        for (int j = k + 1; j < nstrip; ++j) {
            if (icf_front_strip_owner(self->map, s, j) != self->rank) continue;
            apply_strip(self, s, k, source, j);
            if (j == k + 1 && j < npanel) factor_strip(self, s, j);
            poke(self);
        }
    }
}

/* Own subtrees, whole or what varies in them. */
static bool factor_subtrees(icf_group_fronts *self, const icf_block_matrix *matrix, bool again)
{
    bool good = true;
    for (icf_lid k = 0; k < self->nsubtree && good && !again; ++k)
        good =
            icf_fronts_factor(&self->fronts, &self->stack, matrix, first_of(self, self->subtree[k]), self->subtree[k]);
    for (icf_lid k = 0; k < self->nvarying && good && again; ++k)
        good = icf_fronts_factor(&self->fronts, &self->stack, matrix, self->varying[k], self->varying[k]);
    return good;
}

void icf_group_fronts_use_single(icf_group_fronts *self, bool single)
{
    if (single == icf_fronts_are_single(&self->fronts)) return;
    icf_fronts_use_single(&self->fronts, single);
    keep_updates(self);
}

bool icf_group_fronts_factor(icf_group_fronts *self, const icf_block_matrix *matrix, bool again)
{
    const unsigned before = icf_flush_begin(icf_fronts_are_single(&self->fronts));
    self->failed = !factor_subtrees(self, matrix, again);
    for (icf_lid k = 0; k < self->nshared; ++k) {
        const icf_lid s = self->shared[k];
        if (again && !self->varies[s]) continue;
        assemble(self, matrix, s);
        add_children(self, s, true);
        factor_strips(self, s);
        add_children(self, s, false);
    }
    icf_group_fronts_wait(self);
    icf_flush_end(before);
    return !self->failed;
}
