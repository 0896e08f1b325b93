/* Tree of boxes for one query at a time.
 *
 * Items lie along a space-filling curve, four a leaf, under an implicit binary tree of boxes.  It is built once, fitted
 * to the boxes of a later state in one pass, and asked with a point or a box, where the packed trees (box_tree.h) find
 * all pairs of many boxes.  Local.
 */
#ifndef ICF_GEOMETRY_ITEM_TREE_H
#define ICF_GEOMETRY_ITEM_TREE_H

#include "base/arena.h"
#include "geometry/box_tree.h"

enum { ICF_ITEM_LEAF = 4, ICF_ITEM_STACK = 64 };

typedef struct icf_item_tree {
    icf_lid n;      /* items */
    icf_lid *order; /* (n) items along the curve */
    icf_lid nleaf;  /* a power of two; leaf l has order[4 l .. 4 l + 3] */
    icf_box *box;   /* (2 nleaf) node 1 is the root, those of node k are 2 k and 2 k + 1, leaves start at nleaf */
} icf_item_tree;

/* Builds the tree of n > 0 items.
 *   arena [in] gets what the tree needs and nothing else
 *   box   [in] (n) of the items
 * ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_item_tree_build(icf_item_tree *tree, icf_arena *arena, icf_lid n, const icf_box *box);

/* Fits the tree of items to other boxes of them: the order stays as it was built, which is good as long as items that
 * were near each other are.
 *   built [in] stays as long as the new tree, which borrows its order
 *   box   [in] (built->n)
 * ICF_ERROR_MEMORY.  One pass. */
ICF_MUST_CHECK icf_status icf_item_tree_refit(icf_item_tree *tree, icf_arena *arena, const icf_item_tree *built,
                                              const icf_box *box);

/* Places in the order at which a leaf starts and ends. */
static inline icf_lid icf_item_tree_begin(icf_lid leaf)
{
    return leaf * ICF_ITEM_LEAF;
}

static inline icf_lid icf_item_tree_end(const icf_item_tree *tree, icf_lid leaf)
{
    return ICF_MIN((leaf + 1) * ICF_ITEM_LEAF, tree->n);
}

/* Called for an item; returns whether to go on. */
typedef bool icf_item_visit(void *user, icf_lid item);

/* Visits the items of the leaves whose boxes have a point in common with a box, in no particular order: all items that
 * may meet it.  Returns false when a visit did. */
bool icf_item_tree_overlap(const icf_item_tree *tree, const icf_box *box, icf_item_visit *visit, void *user);

/* Box round some points. */
icf_box icf_box_round(int n, const icf_vec3 *point);

#endif
