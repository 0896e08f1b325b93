/* Partial refactorisation. */
#include "solver/front_partial.h"

#include "base/memory.h"

/* A front of fewer rows is factored by one thread. */
enum { rows_worth_threads = 256 };

void icf_front_partial_init(icf_front_partial *partial)
{
    *partial = (icf_front_partial){0};
}

void icf_front_partial_clear(icf_front_partial *partial)
{
    icf_free(partial->varying);
    icf_free(partial->kept);
    icf_free(partial->kept_at);
    icf_free(partial->update);
    icf_front_partial_init(partial);
}

bool icf_front_varies(const icf_symbolic *symbolic, const bool *varies, icf_lid s)
{
    for (icf_lid place = symbolic->super_ptr[s]; place < symbolic->super_ptr[s + 1]; ++place)
        if (varies[symbolic->perm[place]]) return true;
    return false;
}

/* Whether the front itself varies, or the one above it, which needs its update. */
static bool is_kept(const icf_symbolic *symbolic, const bool *varies, icf_lid s)
{
    const icf_lid parent = symbolic->super_parent[s];
    return icf_front_varies(symbolic, varies, s) || (parent >= 0 && icf_front_varies(symbolic, varies, parent));
}

icf_status icf_front_partial_analyze(icf_front_partial *partial, icf_fronts *fronts, const bool *varies)
{
    const icf_symbolic *symbolic = fronts->symbolic;
    int64_t at = 0;
    partial->fronts = fronts;
    partial->nvarying = partial->nkept = 0;
    if (!varies) return ICF_OK;
    ICF_TRY(ICF_GROW(partial->varying, partial->varying_capacity, symbolic->nsuper));
    ICF_TRY(ICF_GROW(partial->kept, partial->kept_capacity, symbolic->nsuper));
    ICF_TRY(ICF_GROW(partial->kept_at, partial->kept_at_capacity, symbolic->nsuper));
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        if (icf_front_varies(symbolic, varies, s)) partial->varying[partial->nvarying++] = s;
        if (!is_kept(symbolic, varies, s)) continue;
        partial->kept_at[partial->nkept] = at;
        partial->kept[partial->nkept++] = s;
        at += icf_front_update_size(symbolic, s);
    }
    return ICF_RENEW(partial->update, partial->update_capacity, at + ICF_FRONT_ROWS);
}

void icf_front_partial_keep(const icf_front_partial *partial)
{
    for (icf_lid k = 0; k < partial->nkept; ++k)
        partial->fronts->kept[partial->kept[k]] =
            icf_front_value(partial->fronts->kernels, partial->update, partial->kept_at[k]);
}

bool icf_front_partial_refactor(const icf_front_partial *partial, icf_front_stack *stack, int nthread,
                                const icf_block_matrix *matrix)
{
    icf_fronts *fronts = partial->fronts;
    for (icf_lid k = 0; k < partial->nvarying; ++k) {
        const icf_lid s = partial->varying[k];
        const bool threaded = nthread > 1 && fronts->symbolic->front_dof[s] >= rows_worth_threads;
        const bool good = threaded ? icf_fronts_factor_one(fronts, nthread, matrix, s)
                                   : icf_fronts_factor(fronts, stack, matrix, s, s);
        if (!good) return false;
    }
    return true;
}

double icf_front_partial_flops(const icf_symbolic *symbolic, const bool *varies)
{
    double flops = 0.0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        if (!icf_front_varies(symbolic, varies, s)) continue;
        for (int column = 0; column < symbolic->pivot_dof[s]; ++column) {
            const double rows = symbolic->front_dof[s] - column;
            flops += rows * rows;
        }
    }
    return flops;
}
