/* Packed trees of axis-aligned boxes.
 *
 * Boxes that lie near each other in space are handed over one after the other (a space-filling curve).
 * Every eight make a group, stored lane by lane so that one box is tested against all eight at once; the
 * boxes around eight groups make a group of the next level, and so on to a single group.  There are no
 * pointers and no balancing: a rebuild is one pass over memory.
 *
 *   level 2               [ a . . . . . . . ]
 *   level 1         [ a b c d e f g h ] [ a b ...
 *   level 0   [8 boxes] [8 boxes] [8 boxes] ...
 *
 * Boxes are rounded to finite floats.  Rounding is monotone, so boxes that overlap still do after it, and boxes that
 * reach into each other after it have overlapped before; the few that only touch are for the caller to look at.  Empty
 * lanes overlap nothing.
 */
#ifndef ICF_GEOMETRY_BOX_TREE_H
#define ICF_GEOMETRY_BOX_TREE_H

#include "base/vec.h"

enum { ICF_BOX_LANES = 8, ICF_BOX_LEVELS = 12 };

/* Axis-aligned box in the world [m]. */
typedef struct icf_box {
    icf_vec3 lo, hi;
} icf_box;

/* Eight boxes: lo[axis][lane], hi[axis][lane] [m]. */
typedef struct icf_box_group {
    float lo[3][ICF_BOX_LANES], hi[3][ICF_BOX_LANES];
} icf_box_group;

/* One box of a group [m]. */
typedef struct icf_box_lane {
    float lo[3], hi[3];
} icf_box_lane;

/* A tree's place in an array of groups that several trees share. */
typedef struct icf_box_tree {
    icf_lid nleaf;                  /* boxes */
    int nlevel;                     /* at least 2; the last level is one group */
    icf_lid ngroup[ICF_BOX_LEVELS]; /* groups of each level */
    icf_lid first[ICF_BOX_LEVELS];  /* first group of each level in the shared array */
} icf_box_tree;

/* Whether two boxes have a point in common. */
static inline bool icf_box_overlap(const icf_box *a, const icf_box *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y && a->lo.z <= b->hi.z &&
           b->lo.z <= a->hi.z;
}

static inline icf_vec3 icf_box_center(const icf_box *box)
{
    return icf_scale(0.5, icf_add(box->lo, box->hi));
}

static inline double icf_box_longest_edge(const icf_box *box)
{
    const icf_vec3 edge = icf_sub(box->hi, box->lo);
    return fmax(edge.x, fmax(edge.y, edge.z));
}

/* Plans a tree of nleaf > 0 boxes with its groups from *next on, which is moved behind them. */
void icf_box_tree_plan(icf_box_tree *tree, icf_lid nleaf, icf_lid *next);

/* Sets leaf group g of a tree (index within the tree) from n <= 8 boxes, minus an origin.  Groups are
 * independent: different threads may set different ones. */
void icf_box_tree_set_leaves(const icf_box_tree *tree, icf_box_group *groups, icf_lid g, int n, const icf_box *boxes,
                             icf_vec3 origin);

/* Sets all levels above the leaves.  Serial. */
void icf_box_tree_build(const icf_box_tree *tree, icf_box_group *groups);

/* Called for lane `lane` of leaf group a and the lanes of leaf group b that it overlaps or seems to (bits of mask), for
 * certain in those of `sure`. */
typedef void icf_box_visit(void *user, icf_lid a, int lane, icf_lid b, unsigned mask, unsigned sure);

/* Finds all leaves of tree b that overlap a leaf of tree a in the leaf groups below group `block` of its level 1.
 * With one tree (a == b) each pair is met once: from the leaf that comes first.  Thread-safe. */
void icf_box_tree_query(const icf_box_group *groups, const icf_box_tree *a, icf_lid block, const icf_box_tree *b,
                        icf_box_visit *visit, void *user);

#endif
