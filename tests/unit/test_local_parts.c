/* Parts of an island: the contact family of some of its blocks is that of the whole with the others held, parts are
 * where the residual is, and Newton finds the same velocities with and without them. */
#include "sample_pile.h"

#include <stdlib.h>
#include <unistd.h>

#include "solver/hessian.h"
#include "solver/local_parts.h"
#include "solver/newton_private.h"

/* ---- the family of some blocks ---- */

/* Some blocks of a pile, with the problem that they are. */
typedef struct subset {
    icf_lid n, npair, number[pile_n], block[pile_n], pair[pile_pairs];
    icf_lid held_a, held_b, fixed; /* pairs of which one body moves: which one is held, or that it never moves */
    int32_t dof[pile_n + 1];
    double momentum[36 * pile_n], v_star[pile_ndof], v[pile_ndof];
    icf_contact_pair_view view[pile_pairs];
    icf_contact_constraints family;
    icf_problem problem;
    bool has[pile_contacts]; /* contacts */
} subset;

/* All that the contacts of a step have. */
typedef struct iterates {
    double velocity[pile_contacts][3], direction[pile_contacts][3], dual[pile_contacts][2], impulse[pile_contacts][3];
    icf_sym3 hessian[pile_contacts];
    icf_law law[pile_contacts];
} iterates;

static pile whole;
static subset some;
static iterates before, of_part;

static void keep(iterates *to)
{
    const icf_contact_iterates *at = &whole.family.iterates;
    const size_t n = (size_t)whole.contacts.n;
    memcpy(to->velocity, at->velocity, n * sizeof *at->velocity);
    memcpy(to->direction, at->direction, n * sizeof *at->direction);
    memcpy(to->dual, at->dual, n * sizeof *at->dual);
    memcpy(to->hessian, at->hessian, n * sizeof *at->hessian);
    memcpy(to->impulse, whole.contacts.impulse, n * sizeof *to->impulse);
    memcpy(to->law, whole.contacts.law, n * sizeof *to->law);
}

static void list_pair(subset *s, icf_lid k)
{
    const icf_contact_pair_view *view = icf_contact_constraints_view(&whole.family, k);
    const bool a = view->a_moves && s->number[view->a_block] >= 0, b = view->b_moves && s->number[view->b_block] >= 0;
    if (!a && !b) return;
    s->pair[s->npair++] = k;
    s->held_a += !a && view->a_moves;
    s->held_b += !b && view->b_moves;
    s->fixed += !view->a_moves || !view->b_moves;
    for (icf_lid i = view->begin; i < view->end; ++i) s->has[i] = true;
}

/* The blocks of a pile that `in` is true of, at its velocities. */
static void restrict_to(subset *s, const bool *in)
{
    memset(s, 0, sizeof *s);
    for (icf_lid b = 0; b < pile_n; ++b) {
        s->number[b] = -1;
        if (!in[b]) continue;
        memcpy(s->momentum + 36 * s->n, whole.momentum + 36 * b, 36 * sizeof *s->momentum);
        memcpy(s->v_star + 6 * s->n, whole.v_star + 6 * b, 6 * sizeof *s->v_star);
        memcpy(s->v + 6 * s->n, whole.v + 6 * b, 6 * sizeof *s->v);
        s->block[s->n] = b;
        s->number[b] = s->n++;
        s->dof[s->n] = 6 * s->n;
    }
    for (icf_lid k = 0; k < whole.npair; ++k) list_pair(s, k);
    icf_contact_constraints_restrict(&s->family, &whole.family, whole.v, s->npair, s->pair, s->number, s->dof, s->view);
    s->problem = (icf_problem){.nblock = s->n,
                               .dof = s->dof,
                               .momentum = s->momentum,
                               .v_star = s->v_star,
                               .v0 = s->v,
                               .nfamily = 1,
                               .family = {&s->family.base}};
}

static double evaluate(icf_contact_constraints *family, const double *v, int32_t ndof, double *impulse)
{
    memset(impulse, 0, (size_t)ndof * sizeof *impulse);
    family->base.ops->set_velocity(&family->base, v);
    return family->base.ops->evaluate(&family->base, impulse);
}

/* A pile that moves, with a random half of its blocks. */
static void set_up_half(icf_model model, unsigned seed)
{
    static double impulse[pile_ndof];
    bool in[pile_n];
    pile_init(&whole, model, 1e5, seed);
    pile_shake(&whole, 0.1, whole.v0);
    pile_set_laws(&whole);
    pile_shake(&whole, 0.1, whole.v);
    pile_shake(&whole, 1.0, whole.v_star);
    evaluate(&whole.family, whole.v, pile_ndof, impulse);
    whole.family.base.ops->start_dual(&whole.family.base, true);
    evaluate(&whole.family, whole.v, pile_ndof, impulse);
    for (int b = 0; b < pile_n; ++b) in[b] = pile_noise(&whole) < 0.0;
    in[pile_locked - 1] = true;
    restrict_to(&some, in);
    assert_true(some.n > 0 && some.held_a > 0 && some.held_b > 0 && some.fixed > 0);
}

/* Puts other velocities into the subset and the whole. */
static void change_velocities(void)
{
    for (icf_lid i = 0; i < some.n; ++i)
        for (int c = 0; c < 6; ++c) {
            const int32_t dof = 6 * some.block[i] + c;
            if (!pile_is_locked(dof)) whole.v[dof] += 0.05 * pile_noise(&whole);
            some.v[6 * i + c] = whole.v[dof];
        }
}

/* Values of the subset's contacts are the same, to a tolerance of the largest. */
static void assert_same(const double *x, const double *y, size_t stride, double tolerance)
{
    double largest = 0.0;
    for (icf_lid i = 0; i < whole.contacts.n; ++i)
        for (size_t c = 0; c < stride && some.has[i]; ++c) largest = fmax(largest, fabs(y[stride * (size_t)i + c]));
    assert_true(largest > 0.0);
    for (icf_lid i = 0; i < whole.contacts.n; ++i)
        for (size_t c = 0; c < stride && some.has[i]; ++c)
            assert_near(x[stride * (size_t)i + c], y[stride * (size_t)i + c], tolerance * largest);
}

#define ASSERT_SAME(x, y, tolerance) assert_same((const double *)(x), (const double *)(y), sizeof *(x) / 8, tolerance)

static void velocities_are_those_of_the_whole(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 6; ++seed) {
        set_up_half(ICF_MODEL_LAGGED, seed);
        const icf_contact_iterates *at = &whole.family.iterates;
        keep(&before);
        some.family.base.ops->set_velocity(&some.family.base, some.v);
        ASSERT_SAME(at->velocity, before.velocity, 1e-14);

        change_velocities();
        some.family.base.ops->set_velocity(&some.family.base, some.v);
        keep(&of_part);
        whole.family.base.ops->set_velocity(&whole.family.base, whole.v);
        ASSERT_SAME(of_part.velocity, at->velocity, 1e-14);
        pile_clear(&whole);
    }
}

/* A change of the held bodies' velocities is none of the subset's direction. */
static void directions_are_those_of_the_whole(void **state)
{
    (void)state;
    static double dv[pile_ndof], own[pile_ndof];
    set_up_half(ICF_MODEL_LAGGED, 7);
    memset(dv, 0, sizeof dv);
    for (icf_lid i = 0; i < some.n; ++i)
        for (int c = 0; c < 6; ++c) own[6 * i + c] = dv[6 * some.block[i] + c] = pile_noise(&whole);
    some.family.base.ops->set_direction(&some.family.base, own);
    keep(&of_part);
    whole.family.base.ops->set_direction(&whole.family.base, dv);
    ASSERT_SAME(of_part.direction, whole.family.iterates.direction, 1e-14);
    pile_clear(&whole);
}

/* Impulses of contacts and blocks, and the change of the cost. */
static void impulses_are_those_of_the_whole(void **state)
{
    (void)state;
    static double impulse[pile_ndof], own[pile_ndof];
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model) {
        set_up_half(model, 8);
        const double part_before = evaluate(&some.family, some.v, 6 * some.n, own),
                     whole_before = evaluate(&whole.family, whole.v, pile_ndof, impulse);
        change_velocities();
        const double part_after = evaluate(&some.family, some.v, 6 * some.n, own);
        keep(&of_part);
        const double whole_after = evaluate(&whole.family, whole.v, pile_ndof, impulse);
        ASSERT_SAME(of_part.impulse, whole.contacts.impulse, 1e-12);
        double largest = 0.0;
        for (int32_t i = 0; i < pile_ndof; ++i) largest = fmax(largest, fabs(impulse[i]));
        for (icf_lid i = 0; i < some.n; ++i)
            for (int c = 0; c < 6; ++c) assert_near(own[6 * i + c], impulse[6 * some.block[i] + c], 1e-12 * largest);
        assert_true(fabs(part_after - part_before) > 1e-3 * fabs(whole_before));
        assert_near(part_after - part_before, whole_after - whole_before, 1e-11 * fmax(whole_before, whole_after));
        pile_clear(&whole);
    }
}

/* Block (i, j), i >= j; NULL: there is none. */
static const double *block_of(const icf_block_matrix *h, icf_lid i, icf_lid j)
{
    if (i == j) return h->val + h->diag_at[i];
    const icf_lid e = icf_block_matrix_find(h, i, j);
    return e < 0 ? NULL : h->val + h->off_at[e];
}

static void assert_submatrix(const icf_block_matrix *part, const icf_block_matrix *of)
{
    double largest = 0.0;
    icf_lid between = 0;
    for (int64_t e = 0; e < of->nval; ++e) largest = fmax(largest, fabs(of->val[e]));
    for (icf_lid j = 0; j < some.n; ++j)
        for (icf_lid i = j; i < some.n; ++i) {
            const double *x = block_of(part, i, j), *y = block_of(of, some.block[i], some.block[j]);
            assert_int_equal(!x, !y);
            for (int e = 0; e < 36 && x; ++e) assert_near(x[e], y[e], 1e-12 * largest);
            between += x && i > j;
        }
    assert_true(between > 0 && between == part->ptr[part->nblock]);
}

static void hessian_is_a_submatrix_of_the_whole(void **state)
{
    (void)state;
    static double impulse[pile_ndof];
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model) {
        set_up_half(model, 9);
        icf_hessian part, of;
        icf_hessian_init(&part);
        icf_hessian_init(&of);
        assert_int_equal(icf_hessian_build(&part, &some.problem), ICF_OK);
        assert_int_equal(icf_hessian_build(&of, &whole.problem), ICF_OK);
        change_velocities();
        evaluate(&some.family, some.v, 6 * some.n, impulse);
        icf_hessian_update(&part, &some.problem);
        evaluate(&whole.family, whole.v, pile_ndof, impulse);
        icf_hessian_update(&of, &whole.problem);
        assert_submatrix(&part.matrix, &of.matrix);
        icf_hessian_clear(&part);
        icf_hessian_clear(&of);
        pile_clear(&whole);
    }
}

#define ASSERT_KEPT(x, y, i) assert_memory_equal(&(x)[i], &(y)[i], sizeof *(x))

static void other_contacts_stay(void **state)
{
    (void)state;
    static double impulse[pile_ndof];
    set_up_half(ICF_MODEL_LAGGED, 10);
    const icf_constraint_ops *ops = some.family.base.ops;
    icf_constraints *family = &some.family.base;
    keep(&before);
    change_velocities();
    evaluate(&some.family, some.v, 6 * some.n, impulse);
    ops->set_direction(family, some.v);
    ops->advance(family, 0.5);
    ops->start_dual(family, true);
    ops->set_stage(family, 0.01);
    keep(&of_part);
    icf_lid others = 0;
    for (icf_lid i = 0; i < whole.contacts.n; ++i) {
        if (some.has[i]) continue;
        ASSERT_KEPT(before.velocity, of_part.velocity, i);
        ASSERT_KEPT(before.direction, of_part.direction, i);
        ASSERT_KEPT(before.dual, of_part.dual, i);
        ASSERT_KEPT(before.impulse, of_part.impulse, i);
        ASSERT_KEPT(before.hessian, of_part.hessian, i);
        ASSERT_KEPT(before.law, of_part.law, i);
        ++others;
    }
    assert_true(others > 0);
    pile_clear(&whole);
}

/* ---- which blocks are in parts ---- */

static double scale[pile_ndof], grad[pile_ndof];

/* |D grad|^2 */
static double residual_of(icf_lid b)
{
    double sum = 0.0;
    for (int32_t i = 6 * b; i < 6 * (b + 1); ++i) sum += scale[i] * grad[i] * scale[i] * grad[i];
    return sum;
}

/* A gradient whose blocks have residuals of one size. */
static void set_grad(icf_lid b, double size)
{
    for (int32_t i = 6 * b; i < 6 * (b + 1); ++i) grad[i] = size * (1.0 + 0.5 * pile_noise(&whole)) / scale[i];
}

static void set_up_find(unsigned seed, icf_local_parts *parts)
{
    pile_init(&whole, ICF_MODEL_LAGGED, 1e5, seed);
    pile_shake(&whole, 0.1, whole.v);
    pile_shake(&whole, 0.1, whole.v_star);
    whole.family.base.ops->set_velocity(&whole.family.base, whole.v);
    for (int32_t i = 0; i < pile_ndof; ++i) scale[i] = 1.0 / sqrt(whole.momentum[36 * (i / 6) + 7 * (i % 6)]);
    icf_local_parts_init(parts);
    assert_int_equal(icf_local_parts_reserve(parts, &whole.problem), ICF_OK);
}

static void find(icf_local_parts *parts)
{
    double sum = 0.0;
    for (icf_lid b = 0; b < pile_n; ++b) sum += residual_of(b);
    icf_local_parts_find(parts, &whole.problem, scale, grad, sum);
}

/* Marks blocks above a threshold and their neighbours. */
static void mark_above(double threshold, bool *in)
{
    for (icf_lid b = 0; b < pile_n; ++b) in[b] = residual_of(b) > threshold;
    for (icf_lid k = 0; k < whole.npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(&whole.family, k);
        if (!view->a_moves || !view->b_moves) continue;
        in[view->a_block] = in[view->a_block] || residual_of(view->b_block) > threshold;
        in[view->b_block] = in[view->b_block] || residual_of(view->a_block) > threshold;
    }
}

/* The smallest threshold above which no block is outside parts, nor has a neighbour there. */
static double threshold_of(const icf_local_parts *parts)
{
    double threshold = 0.0;
    for (icf_lid b = 0; b < pile_n; ++b)
        if (parts->part_of[b] < 0) threshold = fmax(threshold, residual_of(b));
    for (icf_lid k = 0; k < whole.npair; ++k) {
        const icf_contact_pair_view *view = icf_contact_constraints_view(&whole.family, k);
        if (!view->a_moves || !view->b_moves) continue;
        if (parts->part_of[view->b_block] < 0) threshold = fmax(threshold, residual_of(view->a_block));
        if (parts->part_of[view->a_block] < 0) threshold = fmax(threshold, residual_of(view->b_block));
    }
    return threshold;
}

static int descending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

/* Where there are parts, 40 blocks have all but 1e-4 of the squared residual. */
static void assert_local(const icf_local_parts *parts)
{
    double residual[pile_n], sum = 0.0, beside = 0.0;
    for (icf_lid b = 0; b < pile_n; ++b) residual[b] = residual_of(b);
    qsort(residual, pile_n, sizeof *residual, descending);
    for (icf_lid k = 0; k < pile_n; ++k) {
        sum += residual[k];
        if (k >= 40) beside += residual[k];
    }
    assert_true(parts->n == 0 || beside <= 1.001e-4 * sum);
}

/* Blocks in parts are those above some threshold with all their neighbours, and not too many. */
static void assert_chosen_by_residual(const icf_local_parts *parts)
{
    bool in[pile_n];
    mark_above(threshold_of(parts), in);
    for (icf_lid b = 0; b < pile_n; ++b) assert_int_equal(in[b], parts->part_of[b] >= 0);
    assert_true(parts->nblock <= 0.35 * pile_n);
}

static void assert_numbered(const icf_local_parts *parts)
{
    icf_lid in_parts = 0;
    for (icf_lid b = 0; b < pile_n; ++b) {
        assert_int_equal(parts->part_of[b] >= 0, parts->number[b] >= 0);
        assert_true(parts->part_of[b] < parts->n);
        in_parts += parts->part_of[b] >= 0;
    }
    assert_int_equal(in_parts, parts->nblock);
    assert_int_equal(parts->first[0], 0);
    assert_int_equal(parts->first[parts->n], parts->nblock);
    for (icf_lid k = 0; k < parts->n; ++k) {
        assert_true(parts->first[k + 1] > parts->first[k]);
        for (icf_lid i = parts->first[k]; i < parts->first[k + 1]; ++i) {
            const icf_lid b = parts->block[i];
            assert_int_equal(parts->part_of[b], k);
            assert_int_equal(parts->number[b], i - parts->first[k]);
            assert_true(i == parts->first[k] || parts->block[i - 1] < b);
            assert_int_equal(parts->dof[i + k], 6 * (i - parts->first[k]));
        }
        assert_int_equal(parts->dof[parts->first[k + 1] + k], 6 * (parts->first[k + 1] - parts->first[k]));
    }
}

/* The part of a pair, -1: none; two blocks in parts are in the same one. */
static icf_lid part_of_pair(const icf_local_parts *parts, icf_lid k)
{
    const icf_contact_pair_view *view = icf_contact_constraints_view(&whole.family, k);
    const icf_lid a = view->a_moves ? parts->part_of[view->a_block] : -1,
                  b = view->b_moves ? parts->part_of[view->b_block] : -1;
    assert_true(a < 0 || b < 0 || a == b);
    return ICF_MAX(a, b);
}

/* Each pair that touches a part is listed there, once. */
static void assert_pairs_listed(const icf_local_parts *parts)
{
    icf_lid touched = 0;
    for (icf_lid k = 0; k < whole.npair; ++k) touched += part_of_pair(parts, k) >= 0;
    assert_int_equal(parts->pair_at[0], 0);
    assert_int_equal(parts->pair_at[parts->n], touched);
    for (icf_lid k = 0; k < parts->n; ++k)
        for (icf_lid i = parts->pair_at[k]; i < parts->pair_at[k + 1]; ++i) {
            assert_int_equal(part_of_pair(parts, parts->pair[i]), k);
            assert_true(i == parts->pair_at[k] || parts->pair[i - 1] < parts->pair[i]);
        }
}

/* From the first block of each part all others are reached by pairs. */
static void assert_connected(const icf_local_parts *parts)
{
    bool reached[pile_n] = {false}, more = true;
    for (icf_lid k = 0; k < parts->n; ++k) reached[parts->block[parts->first[k]]] = true;
    while (more) {
        more = false;
        for (icf_lid i = 0; i < parts->pair_at[parts->n]; ++i) {
            const icf_contact_pair_view *view = icf_contact_constraints_view(&whole.family, parts->pair[i]);
            if (!view->a_moves || !view->b_moves) continue;
            if (parts->part_of[view->a_block] < 0 || parts->part_of[view->b_block] < 0) continue;
            if (reached[view->a_block] == reached[view->b_block]) continue;
            reached[view->a_block] = reached[view->b_block] = more = true;
        }
    }
    for (icf_lid b = 0; b < pile_n; ++b) assert_int_equal(reached[b], parts->part_of[b] >= 0);
}

/* The problem of each part has what the whole has of its blocks, and only they are put back. */
static void assert_problems(icf_local_parts *parts)
{
    static double after[pile_ndof];
    for (icf_lid k = 0; k < parts->n; ++k) {
        icf_contact_constraints family;
        icf_problem part;
        double *v = icf_local_parts_velocity(parts, k);
        icf_local_parts_restrict(parts, &whole.problem, whole.v, k, &family, &part);
        assert_int_equal(part.nblock, parts->first[k + 1] - parts->first[k]);
        assert_true(part.nfamily == 1 && part.nmesh == 0 && !part.group);
        for (icf_lid i = 0; i < part.nblock; ++i) {
            const icf_lid b = parts->block[parts->first[k] + i];
            assert_memory_equal(part.momentum + 36 * i, whole.momentum + 36 * b, 36 * sizeof *part.momentum);
            assert_memory_equal(part.v_star + 6 * i, whole.v_star + 6 * b, 6 * sizeof *v);
            assert_memory_equal(part.v0 + 6 * i, whole.v + 6 * b, 6 * sizeof *v);
        }
        for (int32_t i = 0; i < icf_problem_dofs(&part); ++i) v[i] += 1.0;
        memcpy(after, whole.v, sizeof after);
        icf_local_parts_put_back(parts, k, whole.dof, after);
        for (int32_t i = 0; i < pile_ndof; ++i)
            assert_true(after[i] == whole.v[i] + (parts->part_of[i / 6] == k ? 1.0 : 0.0));
    }
}

static void assert_sound(icf_local_parts *parts)
{
    assert_local(parts);
    assert_chosen_by_residual(parts);
    assert_numbered(parts);
    assert_pairs_listed(parts);
    assert_connected(parts);
    assert_problems(parts);
}

static double sum_outside(const icf_local_parts *parts)
{
    double sum = 0.0;
    for (icf_lid b = 0; b < pile_n; ++b) sum += parts->part_of[b] < 0 ? residual_of(b) : 0.0;
    return sum;
}

/* A few blocks with all but 1e-6 of the squared residual are in parts; with few neighbours nothing forbids it. */
static void the_few_are_in_parts(void **state)
{
    (void)state;
    int several = 0;
    for (unsigned seed = 20; seed < 40; ++seed) {
        icf_local_parts parts;
        bool in[pile_n];
        set_up_find(seed, &parts);
        for (icf_lid b = 0; b < pile_n; ++b) set_grad(b, 1e-5);
        for (int k = 0; k < 4; ++k) set_grad((icf_lid)(0.5 * pile_n * (1.0 + pile_noise(&whole))), pow(0.1, k));
        find(&parts);
        assert_sound(&parts);
        mark_above(1e-6, in);
        for (icf_lid b = 0; b < pile_n; ++b) assert_int_equal(in[b], parts.part_of[b] >= 0);
        double sum = 0.0;
        for (icf_lid b = 0; b < pile_n; ++b) sum += residual_of(b);
        assert_true(sum_outside(&parts) <= 1e-6 * sum);
        several += parts.n > 1;
        icf_local_parts_clear(&parts);
        pile_clear(&whole);
    }
    assert_true(several > 0);
}

/* Residuals of many sizes: the largest ones, as many as may be; arrays are used again. */
static void residuals_of_many_sizes(void **state)
{
    (void)state;
    icf_local_parts parts;
    set_up_find(41, &parts);
    int found = 0;
    for (int k = 0; k < 300; ++k) {
        const double decades = 0.4 * (k % 100);
        for (icf_lid b = 0; b < pile_n; ++b) set_grad(b, pow(10.0, decades * pile_noise(&whole)));
        find(&parts);
        assert_sound(&parts);
        found += parts.n > 0;
    }
    assert_true(found > 50);
    icf_local_parts_clear(&parts);
    pile_clear(&whole);
}

static void find_with(icf_local_parts *parts, icf_lid first, icf_lid n, double value)
{
    for (int32_t i = 6 * first; i < 6 * (first + n); ++i) grad[i] = value;
    alarm(10); /* it ends */
    find(parts);
    alarm(0);
    assert_true(parts->nblock <= 0.35 * pile_n);
    assert_numbered(parts);
    assert_pairs_listed(parts);
}

/* Nothing, the same everywhere, squares that are no numbers, and squares that underflow. */
static void gradients_without_parts(void **state)
{
    (void)state;
    static const double values[] = {0.0, 1.0, -1e-3, 1e200, INFINITY, -INFINITY, NAN, 1e-150, 1e-159, 1e-161, 1e-300};
    icf_local_parts parts;
    set_up_find(42, &parts);
    for (int32_t i = 0; i < pile_ndof; ++i) scale[i] = 1.0;
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k) {
        find_with(&parts, 0, pile_n, values[k]);
        assert_int_equal(parts.n, 0);
        for (int others = 0; others < 2; ++others) {
            for (icf_lid n = 1; n < pile_n; ++n) {
                find_with(&parts, 0, pile_n, others ? 1e-3 : 0.0);
                find_with(&parts, pile_n - n, n, values[k]);
            }
        }
    }
    icf_local_parts_clear(&parts);
    pile_clear(&whole);
}

static void only_islands_of_rigid_bodies_have_parts(void **state)
{
    (void)state;
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_SIMILAR; ++model) {
        pile_init(&whole, model, 1e5, 43);
        icf_problem problem = whole.problem;
        assert_int_equal(icf_local_parts_may(&problem), model != ICF_MODEL_SIMILAR);
        problem.nmesh = 1;
        assert_false(icf_local_parts_may(&problem));
        problem = whole.problem;
        problem.family[problem.nfamily++] = &whole.family.base;
        assert_false(icf_local_parts_may(&problem));
        problem.family[0] = NULL;
        problem.nfamily = 0;
        assert_false(icf_local_parts_may(&problem));
        pile_clear(&whole);
    }
}

/* ---- Newton's method ---- */

static void solve(bool with_parts, double *v, icf_newton_result *result)
{
    icf_newton *newton;
    icf_solver_settings settings = whole.scene.solver;
    settings.parts = with_parts;
    settings.relative_tolerance = 1e-12;
    assert_int_equal(icf_newton_create(&whole.context, &newton), ICF_OK);
    assert_int_equal(icf_newton_solve(newton, &settings, ICF_LINEAR_BLOCK, &whole.problem, v, result), ICF_OK);
    icf_newton_destroy(&newton);
}

/* |x - y| / |y| */
static double difference(const double *x, const double *y)
{
    double sum = 0.0, of = 0.0;
    for (int32_t i = 0; i < pile_ndof; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
        of += y[i] * y[i];
    }
    return sqrt(sum / of);
}

/* Solves a pile of 100 with and without parts; returns the iterations saved. */
static int compare(int *solved)
{
    static double with[pile_ndof], without[pile_ndof];
    icf_newton_result of_parts, of_whole;
    solve(false, without, &of_whole);
    solve(true, with, &of_parts);
    assert_true(difference(with, without) <= 1e-9);
    assert_true(of_parts.cost <= of_whole.cost * (1 + 1e-12));
    assert_int_equal(of_whole.parts.iterations, 0);
    *solved += of_parts.parts.iterations > 0;
    return of_whole.iterations - of_parts.iterations;
}

static void newton_finds_the_same_with_parts(void **state)
{
    (void)state;
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_LAGGED; ++model) {
        int solved = 0, saved = 0;
        for (unsigned seed = 50; seed < 60; ++seed) {
            pile_init(&whole, model, 1e6, seed);
            pile_let_hit(&whole, 3, 5.0);
            const int less = compare(&solved);
            assert_true(less >= 0);
            saved += less;
            pile_clear(&whole);
        }
        assert_true(solved > 0 && saved > 0);
    }
}

/* Threads share the parts, and change no bit. */
static void any_number_of_threads_finds_the_same(void **state)
{
    (void)state;
    static double v[3][pile_ndof];
    icf_newton_result result[3];
    icf_newton *newton;
    pile_init(&whole, ICF_MODEL_SAP, 1e6, 61);
    pile_let_hit(&whole, 3, 5.0);
    assert_int_equal(icf_newton_create(&whole.context, &newton), ICF_OK);
    for (int k = 0; k < 3; ++k) {
        icf_newton_use_threads(newton, 1 + k);
        assert_int_equal(
            icf_newton_solve(newton, &whole.scene.solver, ICF_LINEAR_BLOCK, &whole.problem, v[k], &result[k]), ICF_OK);
        assert_memory_equal(v[0], v[k], sizeof v[0]);
        assert_int_equal(result[0].parts.iterations, result[k].parts.iterations);
    }
    assert_true(result[0].parts.iterations > 0);
    icf_newton_destroy(&newton);
    pile_clear(&whole);
}

/* Soft to stiff, where stiffness comes in stages, and all bodies in motion. */
static void newton_finds_the_same_at_any_stiffness(void **state)
{
    (void)state;
    int solved = 0;
    for (icf_model model = ICF_MODEL_SAP; model <= ICF_MODEL_LAGGED; ++model)
        for (double stiffness = 1e4; stiffness < 2e11; stiffness *= 10.0)
            for (int hits = 1; hits <= pile_n; hits *= 10) {
                pile_init(&whole, model, stiffness, (unsigned)hits);
                pile_let_hit(&whole, hits, 5.0);
                compare(&solved);
                pile_clear(&whole);
            }
    assert_true(solved > 0);
}

/* Newton's method at the iterate after some iterations, with the next direction; parts may be solved from there. */
static void go_to(icf_newton *newton, const icf_solver_settings *settings, int iterations, icf_iterate *at,
                  icf_line *line)
{
    icf_newton_result result;
    icf_solver_settings few = *settings;
    few.max_iterations = iterations;
    few.parts = false;
    assert_int_equal(icf_newton_solve(newton, &few, ICF_LINEAR_BLOCK, &whole.problem, whole.v, &result),
                     ICF_NOT_CONVERGED);
    assert_int_equal(icf_newton_start_parts(newton, settings, &whole.problem), ICF_OK);
    icf_newton_set_velocity(&whole.problem, whole.v);
    *at = (icf_iterate){.factor = 1.0};
    icf_newton_evaluate(newton, &whole.problem, whole.v, at);
    assert_int_equal(
        icf_newton_direction(newton, settings, newton->linear[ICF_LINEAR_BLOCK], &whole.problem, at, line, &result),
        ICF_OK);
    icf_newton_evaluate(newton, &whole.problem, whole.v, at);
}

typedef struct sample {
    icf_model model;
    double stiffness;
    int hits;
    double speed;
} sample;

/* Of true stiffness from the start: stages (solver/newton_stages.c) have no parts. */
static const sample samples[] = {{ICF_MODEL_SAP, 1e6, 5, 5.0},
                                 {ICF_MODEL_LAGGED, 1e7, 5, 2.0},
                                 {ICF_MODEL_LAGGED, 1e7, 1, 32.0},
                                 {ICF_MODEL_LAGGED, 1e7, 2, 32.0}};
enum { nsample = sizeof samples / sizeof *samples };

static icf_newton *set_up_iterate(const sample *of, unsigned seed, int iterations, icf_iterate *at, icf_line *line)
{
    icf_newton *newton;
    pile_init(&whole, of->model, of->stiffness, seed);
    pile_let_hit(&whole, of->hits, of->speed);
    assert_int_equal(icf_newton_create(&whole.context, &newton), ICF_OK);
    go_to(newton, &whole.scene.solver, iterations, at, line);
    return newton;
}

/* The cost falls, blocks in no part stay, and the iterate is known to the last bit. */
static void polish_once(icf_newton *newton, icf_iterate *at, icf_newton_result *result)
{
    static double v[pile_ndof];
    const double cost = at->cost;
    memcpy(v, whole.v, sizeof v);
    assert_int_equal(icf_newton_polish(newton, &whole.scene.solver, &whole.problem, whole.v, at, result), ICF_OK);
    if (newton->part_work.blocks > 0.0)
        assert_true(at->cost < cost);
    else
        assert_true(at->cost == cost);
    for (int32_t i = 0; i < pile_ndof; ++i)
        if (newton->parts.part_of[i / 6] < 0) assert_true(whole.v[i] == v[i]);
    icf_iterate again = *at;
    icf_newton_set_velocity(&whole.problem, whole.v);
    icf_newton_evaluate(newton, &whole.problem, whole.v, &again);
    assert_true(again.cost == at->cost && again.residual == at->residual);
}

static void solving_parts_lowers_the_cost(void **state)
{
    (void)state;
    for (int k = 0; k < nsample; ++k) {
        int solved = 0;
        for (unsigned seed = 60; seed < 70; ++seed) {
            icf_iterate at;
            icf_line line;
            icf_newton_result result = {0};
            icf_newton *newton = set_up_iterate(&samples[k], seed, (int)(seed % 4), &at, &line);
            polish_once(newton, &at, &result);
            solved += newton->part_work.iterations > 0;
            icf_newton_destroy(&newton);
            pile_clear(&whole);
        }
        assert_true(solved > 0);
    }
}

/* Returns how far the leap went: if at all, the cost is lower and that of v, else all is what it was. */
static double leap_once(icf_newton *newton, icf_line *line, icf_iterate *at)
{
    static double v[pile_ndof];
    const icf_iterate began = *at;
    icf_newton_result result = {0};
    double alpha;
    memcpy(v, whole.v, sizeof v);
    keep(&before);
    assert_int_equal(icf_newton_leap(newton, &whole.scene.solver, &whole.problem, line, whole.v, at, &alpha, &result),
                     ICF_OK);
    if (alpha > 0.0) {
        assert_true(alpha <= 1.0 && at->cost < began.cost);
        icf_iterate again = *at;
        icf_newton_set_velocity(&whole.problem, whole.v);
        icf_newton_evaluate(newton, &whole.problem, whole.v, &again);
        assert_true(again.cost == at->cost && again.residual == at->residual);
        return alpha;
    }
    keep(&of_part);
    assert_memory_equal(v, whole.v, sizeof v);
    assert_memory_equal(&before, &of_part, sizeof before);
    assert_true(at->cost == began.cost && at->residual == began.residual);
    return 0.0;
}

/* Solves the parts of the iterate, if it has any, and finds the direction from there. */
static bool polish_first(icf_newton *newton, icf_iterate *at, icf_line *line)
{
    icf_newton_result result = {0};
    polish_once(newton, at, &result);
    if (!newton->polished) return false;
    assert_int_equal(icf_newton_direction(newton, &whole.scene.solver, newton->linear[ICF_LINEAR_BLOCK], &whole.problem,
                                          at, line, &result),
                     ICF_OK);
    return true;
}

/* A direction that is too long, so that leaps along it overshoot. */
static void stretch(icf_newton *newton, double factor, icf_line *line)
{
    icf_newton_result result = {0};
    for (int32_t i = 0; i < pile_ndof; ++i) newton->dv[i] *= factor;
    icf_newton_lay_line(newton, &whole.problem, line, &result);
}

/* Whole leaps, shorter ones, and none at all. */
static void leaps_lower_the_cost_or_leave_no_trace(void **state)
{
    (void)state;
    int shorter = 0, none = 0;
    for (int k = 0; k < nsample; ++k) {
        int entire = 0;
        for (unsigned seed = 70; seed < 110; ++seed)
            for (int iterations = 0; iterations < 4; ++iterations) {
                icf_iterate at;
                icf_line line;
                icf_newton *newton = set_up_iterate(&samples[k], seed, iterations, &at, &line);
                if (seed % 2 == 0 || polish_first(newton, &at, &line)) {
                    stretch(newton, 1.0 + seed % 5, &line);
                    const double alpha = leap_once(newton, &line, &at);
                    entire += alpha == 1.0;
                    shorter += alpha > 0.0 && alpha < 1.0;
                    none += alpha == 0.0;
                }
                icf_newton_destroy(&newton);
                pile_clear(&whole);
            }
        assert_true(entire > 0);
    }
    print_message("%d shorter leaps, %d none\n", shorter, none);
    assert_true(shorter > 0 && none > 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_are_those_of_the_whole),
        cmocka_unit_test(directions_are_those_of_the_whole),
        cmocka_unit_test(impulses_are_those_of_the_whole),
        cmocka_unit_test(hessian_is_a_submatrix_of_the_whole),
        cmocka_unit_test(other_contacts_stay),
        cmocka_unit_test(the_few_are_in_parts),
        cmocka_unit_test(residuals_of_many_sizes),
        cmocka_unit_test(gradients_without_parts),
        cmocka_unit_test(only_islands_of_rigid_bodies_have_parts),
        cmocka_unit_test(newton_finds_the_same_with_parts),
        cmocka_unit_test(newton_finds_the_same_at_any_stiffness),
        cmocka_unit_test(any_number_of_threads_finds_the_same),
        cmocka_unit_test(solving_parts_lowers_the_cost),
        cmocka_unit_test(leaps_lower_the_cost_or_leave_no_trace),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
