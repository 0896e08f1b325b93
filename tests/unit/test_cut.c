/* Cutting graphs: a chain of cliques is cut between them; weights as whole numbers; more parts than vertices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "partition/cut.h"

enum {
    nclique = 8,
    clique = 10,
    nvertex = nclique * clique,
    nneighbour = nclique * clique * (clique - 1) + 2 * (nclique - 1)
};

typedef struct sample {
    int32_t ptr[nvertex + 1], idx[nneighbour], vertex_weight[nvertex], edge_weight[nneighbour];
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
    s->graph = (icf_graph){nvertex, s->ptr, s->idx, s->vertex_weight, s->edge_weight};
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
    assert_int_equal(icf_graph_cut(&context, &s.graph, 4, part, &result), ICF_OK);
    for (int v = 0; v < nvertex; ++v) assert_int_equal(part[v], part[v / (2 * clique) * (2 * clique)]);
    assert_true(fabs(result.cut - 3.0 / 367.0) < 1e-12);
    assert_true(result.imbalance == 1.0);
}

static void one_part_and_too_many(void **state)
{
    (void)state;
    static sample s;
    icf_context context = {0};
    int32_t part[nvertex];
    icf_decomposition result;
    make_chain(&s);
    assert_int_equal(icf_graph_cut(&context, &s.graph, 1, part, &result), ICF_OK);
    for (int v = 0; v < nvertex; ++v) assert_int_equal(part[v], 0);
    assert_true(result.cut == 0.0 && result.imbalance == 1.0);
    assert_int_equal(icf_graph_cut(&context, &s.graph, 1000, part, &result), ICF_OK);
    for (int v = 0; v < nvertex; ++v) assert_int_equal(part[v], v);
    assert_true(result.cut == 1.0);
    assert_true(fabs(result.imbalance - 1000.0 / nvertex) < 1e-12);
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
        cmocka_unit_test(cuts_between_cliques),
        cmocka_unit_test(one_part_and_too_many),
        cmocka_unit_test(whole_weights_keep_proportions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
