/* Cutting graphs: a chain of cliques is cut between them; weights as whole numbers; more parts than vertices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/disjoint_sets.h"
#include "partition/wholes.h"

enum {
    nclique = 8,
    clique = 10,
    nvertex = nclique * clique,
    nneighbour = nclique * clique * (clique - 1) + 2 * (nclique - 1)
};

typedef struct sample {
    int32_t ptr[nvertex + 1], idx[nneighbour], vertex_weight[nvertex], edge_weight[nneighbour];
    icf_vec3 position[nvertex];
    icf_graph graph;
} sample;

/* Eight cliques of ten; the last vertex of each is joined to the first of the next. */
static void make_chain(sample *s)
{
    int32_t n = 0;
    for (int v = 0; v < nvertex; ++v) {
        s->ptr[v] = n;
        s->vertex_weight[v] = 1;
        const int first = v / clique * clique;
        for (int u = ICF_MAX(first - 1, 0); u <= ICF_MIN(first + clique, nvertex - 1); ++u) {
            const bool before = u == first - 1 && v == first, behind = u == first + clique && v == u - 1;
            if (u != v && (u / clique == v / clique || before || behind)) s->idx[n++] = u;
        }
    }
    s->ptr[nvertex] = n;
    assert_int_equal(n, nneighbour);
    for (int e = 0; e < n; ++e) s->edge_weight[e] = 1;
    for (int v = 0; v < nvertex; ++v) s->position[v] = icf_vec3_make(v, 0, 0);
    s->graph = (icf_graph){
        .n = nvertex, .ptr = s->ptr, .idx = s->idx, .vertex_weight = s->vertex_weight, .edge_weight = s->edge_weight};
}

/* Four parts are two cliques each: three of 367 edges are cut. */
static void cuts_between_cliques(void **state)
{
    (void)state;
    static sample s;
    icf_context context = {0};
    int32_t part[nvertex];
    icf_decomposition result;
    make_chain(&s);
    assert_int_equal(icf_graph_cut(&context, &s.graph, s.position, 4, part, &result), ICF_OK);
    for (int v = 0; v < nvertex; ++v) assert_int_equal(part[v], part[v / (2 * clique) * (2 * clique)]);
    assert_true(fabs(result.cut - 3.0 / 367.0) < 1e-12);
    assert_true(result.imbalance == 1.0);
}

/* Every second clique and the first vertex of the next are a whole of eleven, a tenth more than a part's share: none is
 * cut, and the cut is measured in the graph of the vertices. */
static void wholes_are_not_cut(void **state)
{
    (void)state;
    static sample s;
    icf_context context = {0};
    int32_t part[nvertex], whole[nvertex];
    icf_whole_size size[nvertex];
    icf_decomposition result;
    make_chain(&s);
    icf_sets_start(nvertex, whole);
    for (int v = 0; v < nvertex; ++v) {
        size[v] = (icf_whole_size){1, 0};
        const int first = v / (2 * clique) * (2 * clique);
        if (v <= first + clique) icf_sets_join(whole, v, first);
    }
    s.graph.nwhole = icf_wholes_number(nvertex, whole, size, (icf_gather_below){12, 12});
    s.graph.whole = whole;
    assert_int_equal(s.graph.nwhole, nvertex - nclique / 2 * clique);
    assert_int_equal(icf_graph_cut(&context, &s.graph, s.position, 8, part, &result), ICF_OK);
    int load[8] = {0}, cut = 0;
    for (int v = 0; v < nvertex; ++v) {
        ++load[part[v]];
        for (int e = s.ptr[v]; e < s.ptr[v + 1]; ++e) {
            if (whole[v] == whole[s.idx[e]]) assert_int_equal(part[v], part[s.idx[e]]);
            cut += part[v] != part[s.idx[e]];
        }
    }
    assert_true(fabs(result.cut - 0.5 * cut / 367.0) < 1e-12);
    int largest = 0;
    for (int p = 0; p < 8; ++p) largest = ICF_MAX(largest, load[p]);
    assert_true(largest > clique);
    assert_true(fabs(result.imbalance - 8.0 * largest / nvertex) < 1e-12);
}

/* A whole of as many bodies as rigid ones may have comes apart; one with a deformable body may have more. */
static void large_wholes_come_apart(void **state)
{
    (void)state;
    enum { n = 7 };
    const icf_whole_size size[n] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}, {3, 1}, {1, 0}, {1, 0}};
    int32_t whole[n];
    icf_sets_start(n, whole);
    icf_sets_join(whole, 2, 1);
    icf_sets_join(whole, 1, 0);
    icf_sets_join(whole, 4, 3);
    icf_sets_join(whole, 6, 5);
    assert_int_equal(icf_wholes_number(n, whole, size, (icf_gather_below){3, 5}), 5);
    const int32_t expected[n] = {0, 1, 2, 3, 3, 4, 4};
    assert_memory_equal(whole, expected, sizeof expected);
    icf_sets_start(n, whole);
    icf_sets_join(whole, 4, 3);
    assert_int_equal(icf_wholes_number(n, whole, size, (icf_gather_below){9, 4}), n);
    icf_sets_start(n, whole);
    icf_sets_join(whole, 0, 6);
    assert_int_equal(icf_wholes_number(n, whole, size, (icf_gather_below){0, 0}), n);
}

/* More parts than wholes: each is a part. */
static void fewer_wholes_than_parts(void **state)
{
    (void)state;
    static sample s;
    icf_context context = {0};
    int32_t part[nvertex], whole[nvertex];
    icf_decomposition result;
    make_chain(&s);
    for (int v = 0; v < nvertex; ++v) whole[v] = v / clique;
    s.graph.nwhole = nclique;
    s.graph.whole = whole;
    assert_int_equal(icf_graph_cut(&context, &s.graph, s.position, nclique + 2, part, &result), ICF_OK);
    for (int v = 0; v < nvertex; ++v) assert_int_equal(part[v], v / clique);
    assert_true(fabs(result.imbalance - (nclique + 2.0) / nclique) < 1e-12);
}

/* A vertex as heavy as several parts has one of its own; the others share out the rest evenly.  METIS, left to itself,
 * makes empty parts of it. */
static void heavy_vertices_have_their_own_parts(void **state)
{
    (void)state;
    enum { nheavy = 2, nparts = 4 };
    static const int heavy[nheavy] = {3, nvertex - 2};
    static sample s;
    icf_context context = {0};
    int32_t part[nvertex];
    int number[nparts] = {0};
    icf_decomposition result;
    make_chain(&s);
    for (int k = 0; k < nheavy; ++k) s.vertex_weight[heavy[k]] = (10 - 6 * k) * nvertex;
    assert_int_equal(icf_graph_cut(&context, &s.graph, s.position, nparts, part, &result), ICF_OK);
    for (int v = 0; v < nvertex; ++v) ++number[part[v]];
    for (int k = 0; k < nheavy; ++k) assert_int_equal(number[part[heavy[k]]], 1);
    for (int p = 0; p < nparts; ++p) assert_true(number[p] == 1 || number[p] > nvertex / 3);
}

static void one_part_and_too_many(void **state)
{
    (void)state;
    static sample s;
    icf_context context = {0};
    int32_t part[nvertex];
    icf_decomposition result;
    make_chain(&s);
    assert_int_equal(icf_graph_cut(&context, &s.graph, s.position, 1, part, &result), ICF_OK);
    for (int v = 0; v < nvertex; ++v) assert_int_equal(part[v], 0);
    assert_true(result.cut == 0.0 && result.imbalance == 1.0);
    assert_int_equal(icf_graph_cut(&context, &s.graph, s.position, 1000, part, &result), ICF_OK);
    for (int v = 0; v < nvertex; ++v) assert_int_equal(part[v], v);
    assert_true(result.cut == 1.0);
    assert_true(fabs(result.imbalance - 1000.0 / nvertex) < 1e-12);
}

/* Sixteen by sixteen columns of four vertices each, which no edge joins, numbered in an order that has nothing to do
 * with where they stand: four parts are four squares of the same weight, whose sides are half of the whole's. */
static void pieces_go_to_their_neighbours(void **state)
{
    (void)state;
    enum { side = 16, high = 4, n = side * side * high };
    static int32_t ptr[n + 1], idx[2 * n], vertex_weight[n], edge_weight[2 * n], part[n];
    static icf_vec3 position[n];
    int32_t nneighbours = 0;
    for (int v = 0; v < n; ++v) {
        const int column = v / high * 89 % (side * side), level = v % high;
        position[v] = icf_vec3_make(column % side, column / side, 0.1 * level);
        ptr[v] = nneighbours;
        if (level > 0) idx[nneighbours++] = v - 1;
        if (level < high - 1) idx[nneighbours++] = v + 1;
        vertex_weight[v] = 1;
    }
    ptr[n] = nneighbours;
    for (int e = 0; e < nneighbours; ++e) edge_weight[e] = 16;
    icf_context context = {0};
    icf_decomposition result;
    const icf_graph graph = {
        .n = n, .ptr = ptr, .idx = idx, .vertex_weight = vertex_weight, .edge_weight = edge_weight};
    assert_int_equal(icf_graph_cut(&context, &graph, position, 4, part, &result), ICF_OK);
    assert_true(result.cut == 0.0 && result.imbalance < 1.04);
    double area = 0.0;
    for (int p = 0; p < 4; ++p) {
        icf_vec3 lo = {side, side, 0}, hi = {0, 0, 0};
        for (int v = 0; v < n; ++v) {
            if (part[v] != p) continue;
            lo = icf_vec3_make(fmin(lo.x, position[v].x), fmin(lo.y, position[v].y), 0);
            hi = icf_vec3_make(fmax(hi.x, position[v].x), fmax(hi.y, position[v].y), 0);
        }
        area += (hi.x - lo.x + 1) * (hi.y - lo.y + 1);
    }
    assert_true(area < 1.6 * side * side); /* 1 for squares, 4 for parts from everywhere */
}

static void whole_weights_keep_proportions(void **state)
{
    (void)state;
    const double weight[3] = {1.0, 2.0, 5.0}, tiny[2] = {1e-30, 1.0};
    int32_t whole[3];
    icf_whole_vertex_weights(3, weight, whole);
    assert_true(fabs((double)whole[1] / whole[0] - 2.0) < 1e-5);
    assert_true(fabs((double)whole[2] / whole[0] - 5.0) < 1e-5);
    icf_whole_edge_weights(2, tiny, whole);
    assert_int_equal(whole[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_between_cliques),           cmocka_unit_test(wholes_are_not_cut),
        cmocka_unit_test(large_wholes_come_apart),        cmocka_unit_test(fewer_wholes_than_parts),
        cmocka_unit_test(one_part_and_too_many),          cmocka_unit_test(pieces_go_to_their_neighbours),
        cmocka_unit_test(whole_weights_keep_proportions), cmocka_unit_test(heavy_vertices_have_their_own_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
