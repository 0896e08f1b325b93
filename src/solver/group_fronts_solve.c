/* Multifrontal Cholesky over the ranks of a group: solution.
 *
 * Every rank has a vector of all dofs.  On the way up the vector of a rank holds its partial sums: the right-hand side
 * in the rows of its own columns, less what its own columns took off further up.  The owner of a strip adds the partial
 * sums of the other ranks of the front, in the order of the ranks.  On the way down the strip's solution goes to all
 * ranks of the front, which are all that need it: ranks of the fronts below are among them.
 */
#include <string.h>

#include "solver/group_fronts.h"

#include "base/mpi_wait.h"

/* A shared front while it is solved. */
typedef struct shared_solve {
    icf_lid s;
    int npanel, nrow;
    double *v; /* (nrow) its part of the vector */
} shared_solve;

static shared_solve begin_front(icf_group_fronts *self, icf_lid s, const double *x)
{
    icf_front_gather(self->symbolic, s, x, self->stack.vector);
    return (shared_solve){s, icf_front_panel_strips(self->map, s), self->symbolic->front_dof[s], self->stack.vector};
}

static bool owns(const icf_group_fronts *self, const shared_solve *at, int k)
{
    return icf_front_strip_owner(self->map, at->s, k) == self->rank;
}

static const double *inverse_of(const icf_group_fronts *self, icf_lid s)
{
    return self->fronts.inverse + self->symbolic->place_dof[self->symbolic->super_ptr[s]];
}

/* First row below the strip after k; the rows between belong to the next strip of pivots. */
static int far_row(const icf_group_fronts *self, const shared_solve *at, int k)
{
    return icf_front_strip_at(self->map, at->s, ICF_MIN(k + 1, at->npanel - 1)).end;
}

/* ---- forward ---- */

static void send_partial(icf_group_fronts *self, const shared_solve *at, int k)
{
    const icf_front_strip strip = icf_front_strip_at(self->map, at->s, k);
    icf_group_fronts_send(self, at->v + strip.begin, strip.end - strip.begin, MPI_DOUBLE,
                          icf_front_strip_owner(self->map, at->s, k), ICF_TAG_PARTIAL);
}

/* Adds the partial sums of the other ranks. */
static void receive_partials(icf_group_fronts *self, const shared_solve *at, int k)
{
    const icf_front_strip strip = icf_front_strip_at(self->map, at->s, k);
    const int width = strip.end - strip.begin;
    for (int r = 0; r < self->map->count[at->s]; ++r) {
        const int from = icf_front_rank(self->map, at->s, r);
        if (from == self->rank) continue;
        ICF_MPI_WAIT(MPI_Recv(self->sum, width, MPI_DOUBLE, from, ICF_TAG_PARTIAL, self->comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < width; ++i) at->v[strip.begin + i] += self->sum[i];
    }
}

/* Solves for an own strip; the rows of the next one are done first, so that its owner can go on. */
static void forward_strip(icf_group_fronts *self, const shared_solve *at, int k)
{
    const icf_front_kernels *kernels = self->fronts.kernels;
    const icf_front_strip strip = icf_front_strip_at(self->map, at->s, k);
    const void *values = icf_group_panel_strip(self, at->s, k);
    const int far = far_row(self, at, k), width = strip.end - strip.begin;
    double *v = at->v + strip.begin;
    receive_partials(self, at, k);
    kernels->forward(values, strip.ld, far - strip.begin, width, inverse_of(self, at->s) + strip.begin, v);
    if (k + 1 < at->npanel && !owns(self, at, k + 1)) send_partial(self, at, k + 1);
    kernels->multiply(icf_front_value(kernels, values, far - strip.begin), strip.ld, at->nrow - far, width, v,
                      at->v + far);
}

static void forward(icf_group_fronts *self, icf_lid s, double *x)
{
    const shared_solve at = begin_front(self, s, x);
    for (int k = 0; k < at.npanel; ++k) {
        if (owns(self, &at, k))
            forward_strip(self, &at, k);
        else if (k == 0 || !owns(self, &at, k - 1)) /* else it is on its way */
            send_partial(self, &at, k);
    }
    icf_group_fronts_wait(self);
    icf_front_scatter_pivots(self->symbolic, s, at.v, x);
    icf_front_scatter_below(self->symbolic, s, at.v, x);
}

/* ---- backward ---- */

/* Receives the solution of a strip, unless it is an own one or none. */
static void receive_solution(icf_group_fronts *self, const shared_solve *at, int k)
{
    if (k >= at->npanel || owns(self, at, k)) return;
    const icf_front_strip strip = icf_front_strip_at(self->map, at->s, k);
    ICF_MPI_WAIT(MPI_Recv(at->v + strip.begin, strip.end - strip.begin, MPI_DOUBLE,
                          icf_front_strip_owner(self->map, at->s, k), ICF_TAG_SOLUTION, self->comm, MPI_STATUS_IGNORE));
}

/* Solves for an own strip; what does not need the next one's solution is done while that is on its way. */
static void backward_strip(icf_group_fronts *self, const shared_solve *at, int k)
{
    const icf_front_kernels *kernels = self->fronts.kernels;
    const icf_front_strip strip = icf_front_strip_at(self->map, at->s, k);
    const void *values = icf_group_panel_strip(self, at->s, k);
    const int far = far_row(self, at, k), width = strip.end - strip.begin;
    double *v = at->v + strip.begin;
    kernels->multiply_transposed(icf_front_value(kernels, values, far - strip.begin), strip.ld, at->nrow - far, width,
                                 at->v + far, v);
    receive_solution(self, at, k + 1);
    kernels->backward(values, strip.ld, far - strip.begin, width, inverse_of(self, at->s) + strip.begin, v);
    icf_group_fronts_send_all(self, at->s, v, width, MPI_DOUBLE, ICF_TAG_SOLUTION);
}

static void backward(icf_group_fronts *self, icf_lid s, double *x)
{
    const shared_solve at = begin_front(self, s, x);
    for (int k = at.npanel - 1; k >= 0; --k) {
        if (owns(self, &at, k))
            backward_strip(self, &at, k);
        else
            receive_solution(self, &at, k + 1);
    }
    receive_solution(self, &at, 0);
    icf_group_fronts_wait(self);
    icf_front_scatter_pivots(self->symbolic, s, at.v, x);
}

/* ---- the tree ---- */

void icf_group_fronts_solve(icf_group_fronts *self, double *x)
{
    const icf_lid *size = self->map->size;
    for (icf_lid k = 0; k < self->nsubtree; ++k) {
        const icf_lid root = self->subtree[k];
        icf_fronts_forward(&self->fronts, &self->stack, root - size[root] + 1, root, x);
    }
    for (icf_lid k = 0; k < self->nshared; ++k) forward(self, self->shared[k], x);
    for (icf_lid k = self->nshared - 1; k >= 0; --k) backward(self, self->shared[k], x);
    for (icf_lid k = self->nsubtree - 1; k >= 0; --k) {
        const icf_lid root = self->subtree[k];
        icf_fronts_backward(&self->fronts, &self->stack, root - size[root] + 1, root, x);
    }
}
