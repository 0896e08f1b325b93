/* Parts of an island (local_parts.h, crossing_parts.h) that a group of ranks solves, against those of one rank.
 *
 * Every rank makes the same pile and takes its part: its blocks, shadows of those that its contacts touch besides, and
 * the contacts whose first body that moves is its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ranks.h"
#include "solver/newton_private.h"
#include "unit/sample_pile.h"

typedef int (*owner_of)(icf_lid block, int size);

static int in_slabs(icf_lid block, int size)
{
    return (int)((int64_t)block * size / pile_n);
}

static int by_turns(icf_lid block, int size)
{
    return (int)(block % size);
}

static int at_random(icf_lid block, int size)
{
    return (int)(random_word(7, block) % (uint64_t)size);
}

/* The first rank has one block, the last all others. */
static int on_the_last(icf_lid block, int size)
{
    return block == 50 ? 0 : size - 1;
}

static const owner_of owners[] = {in_slabs, by_turns, at_random, on_the_last};
enum { nowner_of = sizeof owners / sizeof *owners };

/* ---- this rank's part of a pile ---- */

typedef struct share {
    icf_group group;
    icf_group_solver *solver;
    icf_contact_constraints family;
    icf_problem problem;
    icf_lid nblock, nowned, npair;
    icf_lid local[pile_n], block[pile_n + 2], pair[pile_pairs]; /* local: -1 where a block is not known */
    icf_gid gid[pile_n];
    int owner[pile_n];
    int32_t dof[pile_n + 1];
    double momentum[36 * pile_n], v_star[pile_ndof], v0[pile_ndof], v[pile_ndof];
} share;

static pile whole;
static share part;

static bool moves(icf_lid body)
{
    return body != 0 && body != pile_wall;
}

static void choose_pairs(share *s, const icf_context *context, owner_of owner, bool *touched)
{
    s->npair = 0;
    for (icf_lid k = 0; k < whole.npair; ++k) {
        const icf_pair pair = whole.contacts.pair[whole.pair[k]];
        if (owner((moves(pair.a) ? pair.a : pair.b) - 1, context->size) != context->rank) continue;
        s->pair[s->npair++] = whole.pair[k];
        if (moves(pair.a)) touched[pair.a - 1] = true;
        if (moves(pair.b)) touched[pair.b - 1] = true;
    }
}

/* Own blocks, then shadows, by their ids. */
static void number_blocks(share *s, const icf_context *context, owner_of owner, const bool *touched)
{
    s->nblock = 0;
    for (int shadows = 0; shadows < 2; ++shadows) {
        for (icf_lid b = 0; b < pile_n; ++b) {
            const int of = owner(b, context->size);
            if (!shadows) s->local[b] = -1;
            if ((of != context->rank) != shadows || (shadows && !touched[b])) continue;
            s->gid[s->nblock] = b;
            s->owner[s->nblock] = of;
            s->block[b + 1] = s->local[b] = s->nblock++;
        }
        if (!shadows) s->nowned = s->nblock;
    }
    for (icf_lid b = 0; b <= s->nblock; ++b) s->dof[b] = 6 * b;
}

/* Entries of a rank's blocks of x (dofs of the whole). */
static void take(const share *s, const double *x, double *own)
{
    for (icf_lid b = 0; b < s->nblock; ++b) memcpy(own + 6 * b, x + 6 * s->gid[b], 6 * sizeof *own);
}

static void share_pile(share *s, icf_context *context, owner_of owner)
{
    bool touched[pile_n] = {false};
    icf_contact_iterates iterates;
    memset(s, 0, sizeof *s);
    choose_pairs(s, context, owner, touched);
    number_blocks(s, context, owner, touched);
    for (icf_lid b = 0; b < s->nowned; ++b)
        memcpy(s->momentum + 36 * b, whole.momentum + 36 * s->gid[b], 36 * sizeof *s->momentum);
    take(s, whole.v_star, s->v_star);
    take(s, whole.v0, s->v0);
    assert_int_equal(icf_contact_iterates_alloc(&iterates, &whole.arena, pile_pairs, pile_contacts), ICF_OK);
    memset(iterates.dual, 0, pile_contacts * sizeof *iterates.dual);
    icf_contact_constraints_init(&s->family, &whole.bodies, &whole.contacts, s->npair, s->pair, s->block, s->dof,
                                 iterates);
    icf_group_init(&s->group);
    assert_int_equal(icf_group_build(&s->group, context->comm, s->nblock, s->nowned, s->gid, s->dof, s->owner), ICF_OK);
    assert_int_equal(icf_group_solver_create(context, context->comm, &s->solver), ICF_OK);
    s->problem = (icf_problem){.nblock = s->nblock,
                               .dof = s->dof,
                               .momentum = s->momentum,
                               .v_star = s->v_star,
                               .v0 = s->v0,
                               .nfamily = 1,
                               .family = {&s->family.base},
                               .group = &s->group,
                               .group_solver = s->solver};
}

static void set_up_pile(icf_context *context, icf_model model, double stiffness, unsigned seed, owner_of owner)
{
    pile_init(&whole, model, stiffness, seed);
    pile_let_hit(&whole, 3, 5.0);
    share_pile(&part, context, owner);
}

static void tear_down_pile(void)
{
    icf_group_solver_destroy(&part.solver);
    icf_group_clear(&part.group);
    pile_clear(&whole);
}

static void assert_same(const double *of_whole, const double *of_part, double tolerance)
{
    for (icf_lid b = 0; b < part.nblock; ++b)
        for (int i = 0; i < 6; ++i) assert_true(fabs(of_part[6 * b + i] - of_whole[6 * part.gid[b] + i]) <= tolerance);
}

/* ---- one rank and all of them ---- */

/* A solver at a velocity, ready for parts. */
static icf_newton *start_at(icf_context *context, const icf_problem *problem, const double *v, double *own,
                            icf_iterate *at)
{
    icf_newton *newton;
    icf_newton_result result;
    icf_solver_settings none = whole.scene.solver;
    none.max_iterations = 0;
    assert_int_equal(icf_newton_create(context, &newton), ICF_OK);
    assert_int_equal(icf_newton_solve(newton, &none, ICF_LINEAR_BLOCK, problem, own, &result), ICF_NOT_CONVERGED);
    assert_int_equal(icf_newton_start_parts(newton, &whole.scene.solver, problem), ICF_OK);
    memcpy(own, v, (size_t)icf_problem_dofs(problem) * sizeof *own);
    *at = (icf_iterate){.factor = 1.0};
    icf_newton_set_velocity(problem, own);
    icf_newton_evaluate(newton, problem, own, at);
    return newton;
}

/* Duals of this rank's contacts. */
static void assert_same_duals(double tolerance)
{
    for (icf_lid k = 0; k < part.npair; ++k)
        for (icf_lid i = whole.contacts.pair_begin[part.pair[k]]; i < whole.contacts.pair_begin[part.pair[k] + 1]; ++i)
            for (int c = 0; c < 2; ++c)
                assert_true(fabs(part.family.iterates.dual[i][c] - whole.family.iterates.dual[i][c]) <= tolerance);
}

/* Polishes the same iterate on one rank and on all; returns the number of parts over several ranks. */
static int polish_both(icf_context *context)
{
    static double v[pile_ndof];
    icf_newton_result result = {0}, of_whole = {0};
    icf_iterate at, at_whole;
    icf_newton *newton = start_at(&whole.context, &whole.problem, whole.v0, whole.v, &at_whole);
    assert_int_equal(icf_newton_polish(newton, &whole.scene.solver, &whole.problem, whole.v, &at_whole, &of_whole),
                     ICF_OK);
    const icf_cnt found = newton->parts.found;
    const int iterations_of_whole = newton->part_work.iterations;
    icf_newton_destroy(&newton);
    take(&part, whole.v0, v);
    newton = start_at(context, &part.problem, v, part.v, &at);
    assert_int_equal(icf_newton_polish(newton, &whole.scene.solver, &part.problem, part.v, &at, &result), ICF_OK);
    assert_int_equal(newton->parts.found, found);
    const int iterations = newton->part_work.iterations;
    const int crossing = (int)sum_counts(context, newton->crossing.n);
    assert_true(crossing == 0 || context->size > 1);
    icf_newton_destroy(&newton);
    /* factors of parts are in single precision */
    assert_same(whole.v, part.v, 1e-6);
    assert_same_duals(1e-4);
    assert_true(fabs(at.cost - at_whole.cost) <= 1e-8 * at_whole.cost);
    assert_true(fabs(at.part_blocks - at_whole.part_blocks) < 0.5);
    assert_int_equal(sum_counts(context, iterations), iterations_of_whole);
    return crossing;
}

static void polishing_is_that_of_one_rank(void **state)
{
    icf_context *context = *state;
    int crossing = 0, cases = 0;
    for (int o = 0; o < nowner_of; ++o)
        for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_LAGGED; ++model)
            for (unsigned seed = 80; seed < 90; ++seed, ++cases) {
                set_up_pile(context, model, 1e6, seed, owners[o]);
                crossing += polish_both(context);
                tear_down_pile();
            }
    assert_true(context->size == 1 || crossing > cases / 2);
}

/* Iterations with and without parts; the solution is that of one rank. */
static void solve_both(icf_context *context, int iterations[2])
{
    icf_newton_result result, of_whole;
    icf_newton *newton;
    icf_solver_settings settings = whole.scene.solver;
    settings.relative_tolerance = 1e-11;
    assert_int_equal(icf_newton_create(&whole.context, &newton), ICF_OK);
    assert_int_equal(icf_newton_solve(newton, &settings, ICF_LINEAR_BLOCK, &whole.problem, whole.v, &of_whole), ICF_OK);
    icf_newton_destroy(&newton);
    for (int with = 0; with < 2; ++with) {
        settings.parts = with;
        assert_int_equal(icf_newton_create(context, &newton), ICF_OK);
        assert_int_equal(icf_newton_solve(newton, &settings, ICF_LINEAR_BLOCK, &part.problem, part.v, &result), ICF_OK);
        icf_newton_destroy(&newton);
        assert_same(whole.v, part.v, 1e-7);
        iterations[with] += result.iterations;
    }
    assert_true(abs(result.iterations - of_whole.iterations) <= 2);
}

static void newton_finds_the_same(void **state)
{
    icf_context *context = *state;
    int iterations[2] = {0, 0};
    for (int o = 0; o < nowner_of; ++o)
        for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_LAGGED; ++model)
            for (unsigned seed = 90; seed < 93; ++seed) {
                set_up_pile(context, model, 1e6, seed, owners[o]);
                solve_both(context, iterations);
                tear_down_pile();
            }
    assert_true(iterations[1] < iterations[0]);
}

/* Two solves one after the other, with memory of the first, give the same bits. */
static void it_is_repeatable(void **state)
{
    icf_context *context = *state;
    static double first[pile_ndof];
    icf_newton_result result;
    icf_newton *newton;
    set_up_pile(context, ICF_MODEL_LAGGED, 1e6, 95, at_random);
    assert_int_equal(icf_newton_create(context, &newton), ICF_OK);
    for (int k = 0; k < 2; ++k) {
        memset(part.family.iterates.dual, 0, pile_contacts * sizeof *part.family.iterates.dual);
        assert_int_equal(
            icf_newton_solve(newton, &whole.scene.solver, ICF_LINEAR_BLOCK, &part.problem, part.v, &result), ICF_OK);
        if (k == 0) memcpy(first, part.v, sizeof first);
    }
    assert_memory_equal(first, part.v, (size_t)part.dof[part.nblock] * sizeof *first);
    assert_true(sum_counts(context, result.parts.iterations) > 0);
    icf_newton_destroy(&newton);
    tear_down_pile();
}

int main(int argc, char **argv)
{
    int failed;
    const struct CMUnitTest tests[] = {mpi_test(polishing_is_that_of_one_rank), mpi_test(newton_finds_the_same),
                                       mpi_test(it_is_repeatable)};
    run_mpi_tests(argc, argv, tests, failed);
    return failed;
}
