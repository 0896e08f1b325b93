/* A tree of fronts, cut for workers. */
#include "solver/front_cut.h"

#include "base/memory.h"

void icf_front_cut_init(icf_front_cut *cut)
{
    *cut = (icf_front_cut){0};
    icf_front_map_init(&cut->map);
}

void icf_front_cut_clear(icf_front_cut *cut)
{
    icf_front_map_clear(&cut->map);
    icf_free(cut->subtree);
    icf_free(cut->by_cost);
    icf_free(cut->above);
    icf_front_cut_init(cut);
}

static void list_fronts(icf_front_cut *cut, const icf_symbolic *symbolic)
{
    cut->nsubtree = cut->nabove = 0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) {
        const icf_lid parent = symbolic->super_parent[s];
        if (icf_front_is_shared(&cut->map, s))
            cut->above[cut->nabove++] = s;
        else if (parent < 0 || icf_front_is_shared(&cut->map, parent))
            cut->subtree[cut->nsubtree++] = s;
    }
}

/* Dearest first, equal ones by number. */
static void sort_by_cost(icf_front_cut *cut)
{
    const double *cost = cut->map.cost;
    for (icf_lid i = 0; i < cut->nsubtree; ++i) {
        const icf_lid s = cut->subtree[i];
        icf_lid k = i;
        for (; k > 0 && cost[cut->by_cost[k - 1]] < cost[s]; --k) cut->by_cost[k] = cut->by_cost[k - 1];
        cut->by_cost[k] = s;
    }
}

icf_status icf_front_cut_build(icf_front_cut *cut, const icf_symbolic *symbolic, int nworker)
{
    const icf_lid nsuper = symbolic->nsuper;
    ICF_TRY(icf_front_map_build(&cut->map, symbolic, NULL, nworker));
    ICF_TRY(ICF_GROW(cut->subtree, cut->subtree_capacity, nsuper));
    ICF_TRY(ICF_GROW(cut->by_cost, cut->by_cost_capacity, nsuper));
    ICF_TRY(ICF_GROW(cut->above, cut->above_capacity, nsuper));
    list_fronts(cut, symbolic);
    sort_by_cost(cut);
    return ICF_OK;
}
