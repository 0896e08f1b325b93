/* Box trees: queries within one tree and between two against all pairs; rounding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "geometry/box_tree.h"

enum { nmax = 600 };

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 33) / 2147483648.0;
}

/* Boxes whose corners are multiples of 1/16: floats hold them exactly, faces often touch. */
static void draw_boxes(uint64_t *seed, icf_lid n, icf_box *boxes)
{
    for (icf_lid i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            const double lo = floor(64.0 * draw(seed)) / 16.0, edge = floor(8.0 * draw(seed)) / 16.0;
            icf_set(&boxes[i].lo, k, lo);
            icf_set(&boxes[i].hi, k, lo + edge);
        }
}

static void build(icf_box_tree *tree, icf_box_group *groups, icf_lid n, const icf_box *boxes, icf_lid *next)
{
    icf_box_tree_plan(tree, n, next);
    for (icf_lid g = 0; g < tree->ngroup[0]; ++g) {
        const icf_lid begin = g * ICF_BOX_LANES;
        icf_box_tree_set_leaves(tree, groups, g, (int)ICF_MIN(ICF_BOX_LANES, n - begin), boxes + begin,
                                icf_vec3_make(1.0, 2.0, 3.0));
    }
    icf_box_tree_build(tree, groups);
}

/* How often each pair was met, and how often for certain. */
typedef struct meetings {
    unsigned char count[nmax][nmax], sure[nmax][nmax];
} meetings;

static void count_meetings(void *user, icf_lid a, int lane, icf_lid b, unsigned mask, unsigned sure)
{
    meetings *met = user;
    assert_int_equal(sure & ~mask, 0);
    for (int j = 0; j < ICF_BOX_LANES; ++j) {
        if (mask >> j & 1u) ++met->count[a * ICF_BOX_LANES + lane][b * ICF_BOX_LANES + j];
        if (sure >> j & 1u) ++met->sure[a * ICF_BOX_LANES + lane][b * ICF_BOX_LANES + j];
    }
}

static void query_all(const icf_box_group *groups, const icf_box_tree *a, const icf_box_tree *b, meetings *met)
{
    memset(met, 0, sizeof *met);
    for (icf_lid block = 0; block < a->ngroup[1]; ++block) icf_box_tree_query(groups, a, block, b, count_meetings, met);
}

static void count_lanes(void *user, icf_lid a, int lane, icf_lid b, unsigned mask, unsigned sure)
{
    unsigned char *count = user;
    assert_true(a == 0 && lane == 0 && sure == mask);
    for (; mask != 0; mask &= mask - 1) ++count[b * ICF_BOX_LANES + __builtin_ctz(mask)];
}

/* A plate over more leaves than a query looks at in one go: each is met once. */
static void a_plate_meets_all(void **state)
{
    (void)state;
    enum { n = 20000 };
    static icf_box boxes[n];
    static icf_box_group groups[n / ICF_BOX_LANES + n / 32];
    static unsigned char count[n + ICF_BOX_LANES];
    const icf_box plate = {{-1.0, -1.0, -1.0}, {1000.0, 1000.0, 1000.0}};
    icf_box_tree tree, alone;
    icf_lid next = 0;
    uint64_t seed = 3;
    draw_boxes(&seed, n, boxes);
    build(&tree, groups, n, boxes, &next);
    build(&alone, groups, 1, &plate, &next);
    icf_box_tree_query(groups, &alone, 0, &tree, count_lanes, count);
    for (icf_lid i = 0; i < n + ICF_BOX_LANES; ++i) assert_int_equal(count[i], i < n);
}

static bool reach_into(const icf_box *a, const icf_box *b)
{
    bool inside = true;
    for (int k = 0; k < 3; ++k)
        inside = inside && icf_get(a->lo, k) < icf_get(b->hi, k) && icf_get(b->lo, k) < icf_get(a->hi, k);
    return inside;
}

/* In one tree each overlapping pair is met once, from its first leaf; between two trees likewise. */
static void queries_agree_with_all_pairs(void **state)
{
    (void)state;
    static icf_box_group groups[2 * nmax];
    static icf_box a[nmax], b[nmax];
    static meetings met;
    const icf_lid sizes[] = {1, 7, 8, 9, 63, 64, 65, 513, nmax};
    uint64_t seed = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const icf_lid na = sizes[s], nb = sizes[(s * 5 + 3) % 9];
        icf_box_tree tree_a, tree_b;
        icf_lid next = 0;
        draw_boxes(&seed, na, a);
        draw_boxes(&seed, nb, b);
        build(&tree_a, groups, na, a, &next);
        build(&tree_b, groups, nb, b, &next);
        query_all(groups, &tree_a, &tree_a, &met);
        for (icf_lid i = 0; i < na; ++i)
            for (icf_lid j = 0; j < na; ++j) assert_int_equal(met.count[i][j], j > i && icf_box_overlap(&a[i], &a[j]));
        query_all(groups, &tree_a, &tree_b, &met);
        for (icf_lid i = 0; i < na; ++i)
            for (icf_lid j = 0; j < nb; ++j) {
                assert_int_equal(met.count[i][j], icf_box_overlap(&a[i], &b[j]));
                assert_int_equal(met.sure[i][j], reach_into(&a[i], &b[j]));
            }
    }
}

/* Rounding to float loses no overlap: boxes that touch at numbers that floats cannot hold. */
static void rounding_keeps_touching_boxes(void **state)
{
    (void)state;
    icf_box_group groups[4];
    uint64_t seed = 2;
    for (int trial = 0; trial < 1000; ++trial) {
        const double x = 1000.0 * draw(&seed), y = draw(&seed), z = 1e-3 * draw(&seed);
        const icf_box boxes[2] = {{{x - 1.0, y - 1.0, z - 1.0}, {x, y, z}}, {{x, y, z}, {x + 1.0, y + 1.0, z + 1.0}}};
        icf_box_tree tree;
        icf_lid next = 0;
        static meetings met;
        build(&tree, groups, 2, boxes, &next);
        memset(&met, 0, sizeof met);
        icf_box_tree_query(groups, &tree, 0, &tree, count_meetings, &met);
        assert_int_equal(met.count[0][1], 1);
        assert_int_equal(met.sure[0][1], 0); /* it has to be looked at */
    }
}

/* Boxes of any size, without end or broken: no lane behind the last box is met, no overlap lost. */
static void boxes_beyond_float(void **state)
{
    (void)state;
    enum { n = 13 };
    static const double reach[] = {1e39, 1e300, INFINITY, NAN};
    icf_box_group groups[4];
    icf_box boxes[nmax];
    static meetings met;
    uint64_t seed = 3;
    for (size_t r = 0; r < sizeof reach / sizeof *reach; ++r)
        for (int broken = 0; broken < n; ++broken) {
            draw_boxes(&seed, n, boxes);
            boxes[broken] = (icf_box){{-reach[r], -reach[r], -reach[r]}, {reach[r], reach[r], reach[r]}};
            icf_box_tree tree;
            icf_lid next = 0;
            build(&tree, groups, n, boxes, &next);
            query_all(groups, &tree, &tree, &met);
            for (icf_lid i = 0; i < nmax; ++i)
                for (icf_lid j = 0; j < nmax; ++j) {
                    if (i >= n || j >= n || j <= i)
                        assert_int_equal(met.count[i][j], 0);
                    else if (icf_box_overlap(&boxes[i], &boxes[j]))
                        assert_int_equal(met.count[i][j], 1);
                    else
                        assert_int_equal(met.sure[i][j], 0);
                }
        }
}

/* 600 leaves: 75 + 10 + 2 + 1 groups; one leaf still has a level above it. */
static void plans(void **state)
{
    (void)state;
    icf_box_tree tree;
    icf_lid next = 5;
    icf_box_tree_plan(&tree, 600, &next);
    assert_int_equal(tree.nlevel, 4);
    assert_int_equal(tree.first[0], 5);
    assert_int_equal(tree.first[3], 5 + 75 + 10 + 2);
    assert_int_equal(next, 5 + 75 + 10 + 2 + 1);
    icf_box_tree_plan(&tree, 1, &next);
    assert_int_equal(tree.nlevel, 2);
    icf_lid large = 0;
    icf_box_tree_plan(&tree, 1000000000, &large);
    assert_true(tree.nlevel <= ICF_BOX_LEVELS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_agree_with_all_pairs),
        cmocka_unit_test(a_plate_meets_all),
        cmocka_unit_test(rounding_keeps_touching_boxes),
        cmocka_unit_test(boxes_beyond_float),
        cmocka_unit_test(plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
