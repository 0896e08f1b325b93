/* Tree of boxes for one query at a time. */
#include "geometry/item_tree.h"

#include "geometry/curve.h"

static icf_vec3 lower(icf_vec3 a, icf_vec3 b)
{
    return icf_vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static icf_vec3 upper(icf_vec3 a, icf_vec3 b)
{
    return icf_vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static icf_box join(const icf_box *a, const icf_box *b)
{
    return (icf_box){lower(a->lo, b->lo), upper(a->hi, b->hi)};
}

static icf_box empty_box(void)
{
    return (icf_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

icf_box icf_box_round(int n, const icf_vec3 *point)
{
    icf_box box = {point[0], point[0]};
    for (int k = 1; k < n; ++k) box = (icf_box){lower(box.lo, point[k]), upper(box.hi, point[k])};
    return box;
}

static icf_status order_items(icf_item_tree *tree, icf_arena *scratch, const icf_box *box)
{
    const icf_lid n = tree->n;
    icf_keyed *item = ICF_ARENA_ARRAY(scratch, icf_keyed, n), *work = ICF_ARENA_ARRAY(scratch, icf_keyed, n);
    if (!item || !work) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < n; ++i) item[i].value = i;
    const icf_curve curve = icf_curve_fit(n, item, box);
    for (icf_lid i = 0; i < n; ++i) item[i].key = icf_curve_key(&curve, icf_box_center(&box[i]));
    icf_sort_keyed(n, item, work);
    for (icf_lid i = 0; i < n; ++i) tree->order[i] = item[i].value;
    return ICF_OK;
}

static void fit_boxes(icf_item_tree *tree, const icf_box *box)
{
    for (icf_lid leaf = 0; leaf < tree->nleaf; ++leaf) {
        icf_box *around = &tree->box[tree->nleaf + leaf];
        *around = empty_box();
        for (icf_lid k = icf_item_tree_begin(leaf); k < icf_item_tree_end(tree, leaf); ++k)
            *around = join(around, &box[tree->order[k]]);
    }
    for (icf_lid node = tree->nleaf - 1; node > 0; --node)
        tree->box[node] = join(&tree->box[2 * node], &tree->box[2 * node + 1]);
}

icf_status icf_item_tree_build(icf_item_tree *tree, icf_arena *arena, icf_lid n, const icf_box *box)
{
    *tree = (icf_item_tree){.n = n, .nleaf = 1};
    while (tree->nleaf * ICF_ITEM_LEAF < n) tree->nleaf *= 2;
    tree->order = ICF_ARENA_ARRAY(arena, icf_lid, n);
    tree->box = ICF_ARENA_ARRAY(arena, icf_box, 2 * (size_t)tree->nleaf);
    if (!tree->order || !tree->box) return ICF_ERROR_MEMORY;
    icf_arena scratch;
    icf_arena_init(&scratch);
    const icf_status status = order_items(tree, &scratch, box);
    icf_arena_clear(&scratch);
    ICF_TRY(status);
    fit_boxes(tree, box);
    return ICF_OK;
}

icf_status icf_item_tree_refit(icf_item_tree *tree, icf_arena *arena, const icf_item_tree *built, const icf_box *box)
{
    *tree = *built;
    tree->box = ICF_ARENA_ARRAY(arena, icf_box, 2 * (size_t)tree->nleaf);
    if (!tree->box) return ICF_ERROR_MEMORY;
    fit_boxes(tree, box);
    return ICF_OK;
}

static bool visit_leaf(const icf_item_tree *tree, icf_lid leaf, icf_item_visit *visit, void *user)
{
    for (icf_lid k = icf_item_tree_begin(leaf); k < icf_item_tree_end(tree, leaf); ++k)
        if (!visit(user, tree->order[k])) return false;
    return true;
}

bool icf_item_tree_overlap(const icf_item_tree *tree, const icf_box *box, icf_item_visit *visit, void *user)
{
    icf_lid stack[ICF_ITEM_STACK];
    int n = 0;
    stack[n++] = 1;
    while (n > 0) {
        const icf_lid node = stack[--n];
        if (!icf_box_overlap(&tree->box[node], box)) continue;
        if (node >= tree->nleaf) {
            if (!visit_leaf(tree, node - tree->nleaf, visit, user)) return false;
            continue;
        }
        stack[n++] = 2 * node + 1;
        stack[n++] = 2 * node;
    }
    return true;
}
