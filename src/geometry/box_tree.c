/* Packed trees of boxes: build from the leaves up, query by descending with a whole leaf group. */
#include "geometry/box_tree.h"

#include <float.h>
#include <string.h>

static const icf_box_lane empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void set_lane(icf_box_group *group, int lane, const icf_box_lane *box)
{
    for (int k = 0; k < 3; ++k) {
        group->lo[k][lane] = box->lo[k];
        group->hi[k][lane] = box->hi[k];
    }
}

static icf_box_lane get_lane(const icf_box_group *group, int lane)
{
    icf_box_lane box;
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = group->lo[k][lane];
        box.hi[k] = group->hi[k][lane];
    }
    return box;
}

/* The box around all lanes. */
static icf_box_lane surround(const icf_box_group *group)
{
    icf_box_lane box = empty_box;
    for (int k = 0; k < 3; ++k)
        for (int lane = 0; lane < ICF_BOX_LANES; ++lane) {
            const float lo = group->lo[k][lane], hi = group->hi[k][lane];
            box.lo[k] = lo < box.lo[k] ? lo : box.lo[k];
            box.hi[k] = hi > box.hi[k] ? hi : box.hi[k];
        }
    return box;
}

/* Four lanes at once, in the compiler's portable vectors. */
enum { vector_lanes = 4 };
typedef float float_vector __attribute__((vector_size(16)));
typedef int32_t int_vector __attribute__((vector_size(16)));

static float_vector load(const float *lanes)
{
    float_vector v;
    memcpy(&v, lanes, sizeof v);
    return v;
}

/* All bits set in the lanes, from `first` on, that a box does not overlap. */
static int_vector apart(const icf_box_group *group, int first, const icf_box_lane *box)
{
    int_vector any = {0};
    for (int k = 0; k < 3; ++k)
        any |= (load(&group->lo[k][first]) > box->hi[k]) | (load(&group->hi[k][first]) < box->lo[k]);
    return any;
}

/* Likewise in those that it does not reach into. */
static int_vector apart_or_touching(const icf_box_group *group, int first, const icf_box_lane *box)
{
    int_vector any = {0};
    for (int k = 0; k < 3; ++k)
        any |= (load(&group->lo[k][first]) >= box->hi[k]) | (load(&group->hi[k][first]) <= box->lo[k]);
    return any;
}

/* Bits of the lanes where none are set. */
static unsigned clear_lanes(int_vector low, int_vector high)
{
    const int_vector low_bits = {1, 2, 4, 8}, high_bits = low_bits << vector_lanes;
    int_vector bits = (~low & low_bits) | (~high & high_bits);
    bits |= __builtin_shufflevector(bits, bits, 2, 3, 0, 1);
    return (unsigned)(bits[0] | bits[1]);
}

/* Bits of the lanes that a box overlaps. */
static unsigned overlap_mask(const icf_box_group *group, const icf_box_lane *box)
{
    return clear_lanes(apart(group, 0, box), apart(group, vector_lanes, box));
}

/* Those of them that it reaches into. */
static unsigned inside_mask(const icf_box_group *group, const icf_box_lane *box)
{
    return clear_lanes(apart_or_touching(group, 0, box), apart_or_touching(group, vector_lanes, box));
}

static icf_lid groups_for(icf_lid n)
{
    return n / ICF_BOX_LANES + (n % ICF_BOX_LANES != 0);
}

void icf_box_tree_plan(icf_box_tree *tree, icf_lid nleaf, icf_lid *next)
{
    tree->nleaf = nleaf;
    tree->nlevel = 0;
    for (icf_lid n = nleaf; tree->nlevel < 2 || n > 1;) {
        n = groups_for(n);
        tree->ngroup[tree->nlevel] = n;
        tree->first[tree->nlevel++] = *next;
        *next += n;
    }
}

/* Rounded to a finite number, so that no box, however large or broken (NaN), meets the empty lanes. */
static float finite_float(double x)
{
    const double above = x > -FLT_MAX ? x : -FLT_MAX;
    return (float)(above < FLT_MAX ? above : FLT_MAX);
}

static icf_box_lane round_box(const icf_box *box, icf_vec3 origin)
{
    const icf_vec3 lo = icf_sub(box->lo, origin), hi = icf_sub(box->hi, origin);
    return (icf_box_lane){{finite_float(lo.x), finite_float(lo.y), finite_float(lo.z)},
                          {finite_float(hi.x), finite_float(hi.y), finite_float(hi.z)}};
}

void icf_box_tree_set_leaves(const icf_box_tree *tree, icf_box_group *groups, icf_lid g, int n, const icf_box *boxes,
                             icf_vec3 origin)
{
    icf_box_group *group = &groups[tree->first[0] + g];
    for (int lane = 0; lane < n; ++lane) {
        const icf_box_lane box = round_box(&boxes[lane], origin);
        set_lane(group, lane, &box);
    }
    for (int lane = n; lane < ICF_BOX_LANES; ++lane) set_lane(group, lane, &empty_box);
}

void icf_box_tree_build(const icf_box_tree *tree, icf_box_group *groups)
{
    for (int level = 1; level < tree->nlevel; ++level) {
        const icf_box_group *below = &groups[tree->first[level - 1]];
        const icf_lid nbelow = tree->ngroup[level - 1];
        icf_box_group *here = &groups[tree->first[level]];
        for (icf_lid i = 0; i < tree->ngroup[level] * ICF_BOX_LANES; ++i) {
            const icf_box_lane box = i < nbelow ? surround(&below[i]) : empty_box;
            set_lane(&here[i / ICF_BOX_LANES], i % ICF_BOX_LANES, &box);
        }
    }
}

/* Groups of level 1 of the other tree that the block comes near, with their boxes in lanes. */
enum { npack = 16, ncandidate = npack * ICF_BOX_LANES };

/* What stays the same during the descent of one block, the leaf groups below one group of level 1. */
typedef struct query {
    const icf_box_group *groups;
    const icf_box_tree *tree; /* descended */
    bool same_tree;
    icf_lid first;               /* first leaf group of the block; of the same tree, none before it is wanted */
    int ngroup;                  /* leaf groups of the block */
    const icf_box_group *block;  /* their boxes */
    const icf_box_group *leaves; /* their leaves */
    icf_box_lane around;         /* box around the block */
    icf_box_visit *visit;
    void *user;
    int n; /* candidates that wait */
    icf_lid candidate[ncandidate];
    icf_box_group box[npack]; /* of the candidates */
} query;

/* The lanes of leaf group a of the block against those of leaf group b, which has the box `around_b`. */
static void visit_leaves(const query *q, int a, icf_lid b, const icf_box_lane *around_b)
{
    const icf_box_group *mine = &q->leaves[a], *theirs = &q->groups[q->tree->first[0] + b];
    const bool own = q->same_tree && b == q->first + a;
    for (unsigned todo = overlap_mask(mine, around_b); todo != 0; todo &= todo - 1) {
        const int lane = __builtin_ctz(todo);
        const icf_box_lane box = get_lane(mine, lane);
        unsigned mask = overlap_mask(theirs, &box);
        if (own) mask &= ~0u << (lane + 1);
        if (mask != 0) q->visit(q->user, q->first + a, lane, b, mask, mask & inside_mask(theirs, &box));
    }
}

/* Asks for a group before it is needed. */
static void fetch_group(const icf_box_group *group)
{
    for (size_t at = 0; at < sizeof *group; at += 64) __builtin_prefetch((const char *)group + at);
}

/* Leaf group a of the block, with the box `around`, against the leaf groups below a candidate. */
static void visit_candidate(const query *q, int a, const icf_box_lane *around, icf_lid candidate)
{
    const icf_box_group *group = &q->groups[q->tree->first[1] + candidate];
    const unsigned near = overlap_mask(group, around);
    for (unsigned todo = near; todo != 0; todo &= todo - 1)
        fetch_group(&q->groups[q->tree->first[0] + candidate * ICF_BOX_LANES + __builtin_ctz(todo)]);
    for (unsigned todo = near; todo != 0; todo &= todo - 1) {
        const int lane = __builtin_ctz(todo);
        const icf_lid b = candidate * ICF_BOX_LANES + lane;
        if (q->same_tree && b < q->first + a) continue;
        const icf_box_lane box = get_lane(group, lane);
        visit_leaves(q, a, b, &box);
    }
}

/* All leaf groups of the block against the candidates that wait. */
static void visit_candidates(query *q)
{
    for (int a = 0; a < q->ngroup; ++a) {
        const icf_box_lane around = get_lane(q->block, a);
        for (int pack = 0; pack * ICF_BOX_LANES < q->n; ++pack)
            for (unsigned todo = overlap_mask(&q->box[pack], &around); todo != 0; todo &= todo - 1)
                visit_candidate(q, a, &around, q->candidate[pack * ICF_BOX_LANES + __builtin_ctz(todo)]);
    }
    q->n = 0;
}

static void add_candidate(query *q, icf_lid g, const icf_box_lane *box)
{
    if (q->n == ncandidate) visit_candidates(q);
    icf_box_group *pack = &q->box[q->n / ICF_BOX_LANES];
    const int lane = q->n % ICF_BOX_LANES;
    for (int k = 0; lane == 0 && k < ICF_BOX_LANES; ++k) set_lane(pack, k, &empty_box);
    set_lane(pack, lane, box);
    fetch_group(&q->groups[q->tree->first[1] + g]);
    q->candidate[q->n++] = g;
}

/* Descends from group g of a level, whose box is given, to the groups of level 1. */
static void descend(query *q, int level, icf_lid g, const icf_box_lane *box)
{
    if (level == 1) {
        add_candidate(q, g, box);
        return;
    }
    const icf_box_group *group = &q->groups[q->tree->first[level] + g];
    for (unsigned todo = overlap_mask(group, &q->around); todo != 0; todo &= todo - 1) {
        const int lane = __builtin_ctz(todo);
        const icf_lid child = g * ICF_BOX_LANES + lane;
        const int64_t end = ((int64_t)child + 1) << 3 * (level - 1); /* first leaf group behind the child */
        const icf_box_lane around = get_lane(group, lane);
        if (!q->same_tree || end > q->first) descend(q, level - 1, child, &around);
    }
}

void icf_box_tree_query(const icf_box_group *groups, const icf_box_tree *a, icf_lid block, const icf_box_tree *b,
                        icf_box_visit *visit, void *user)
{
    const icf_lid first = block * ICF_BOX_LANES;
    const icf_box_group *above = &groups[a->first[1] + block];
    query q = {.groups = groups,
               .tree = b,
               .same_tree = a == b,
               .first = first,
               .ngroup = ICF_MIN(a->ngroup[0] - first, ICF_BOX_LANES),
               .block = above,
               .leaves = &groups[a->first[0] + first],
               .around = surround(above),
               .visit = visit,
               .user = user};
    const icf_box_lane root = surround(&groups[b->first[b->nlevel - 1]]);
    descend(&q, b->nlevel - 1, 0, &root);
    visit_candidates(&q);
}
