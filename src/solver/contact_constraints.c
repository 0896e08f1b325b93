/* Contact as a constraint family.
 *
 * A pair (a, b) of bodies, gid a < gid b; the reference body is b when it moves, else a.  With the relative
 * twist (V, W) of b against a about the reference body's centre of mass, a contact at arm r moves with
 *
 *     v_rel = V + W x r = S (V, W),   S = [1, -[r]x],
 *
 * and vc = F v_rel + b, F the contact frame.  If both move, (V, W) = xi_b - X xi_a with X = [1, -[d]x; 0, 1],
 * d = x_b - x_a.  With K = sum S^T F^T G F S over the contacts of the pair:
 *
 *     H_bb += K,   H_ba -= K X,   H_aa += X^T K X.
 *
 * The pair kernels (pair_kernels.h) do these sums; the laws are evaluated for runs of contacts that lie together, four
 * at a time where all of them have lanes (lagged_lanes.h), and keep G for the Hessian.
 *
 * Locked degrees of freedom: their rows and columns are left out when blocks are added.
 */
#include "solver/contact_constraints.h"

#include <string.h>

#include "base/lists.h"
#include "solver/surface_pairs.h"
#include "solver/wrench.h"

typedef const icf_contact_constraints family_t;
typedef icf_contact_pair_view pair_view;

static const pair_view *view_pair(family_t *family, icf_lid k)
{
    return icf_contact_constraints_view(family, k);
}

static pair_view make_view(family_t *family, icf_lid p)
{
    const icf_bodies *bodies = family->bodies;
    pair_view view = {.a = family->contacts->pair[p].a,
                      .b = family->contacts->pair[p].b,
                      .begin = family->contacts->pair_begin[p],
                      .end = family->contacts->pair_begin[p + 1]};
    view.a_moves = icf_bodies_moves(bodies, view.a);
    view.b_moves = icf_bodies_moves(bodies, view.b);
    view.deformable = icf_bodies_is_deformable(bodies, view.a) || icf_bodies_is_deformable(bodies, view.b);
    view.about_b = view.b_moves;
    view.a_locked = bodies->locked[view.a];
    view.b_locked = bodies->locked[view.b];
    if (view.a_moves) view.a_block = family->block[view.a];
    if (view.b_moves) view.b_block = family->block[view.b];
    view.a_dof = family->dof[view.a_block];
    view.b_dof = family->dof[view.b_block];
    if (view.a_moves && view.b_moves) view.offset = icf_sub(bodies->position[view.b], bodies->position[view.a]);
    return view;
}

/* Pairs begin..end-1 of a family. */
typedef struct pair_range {
    icf_lid begin, end;
} pair_range;

/* Shares of the pairs that threads take: a function of the number of pairs alone, and so are sums over them. */
enum { SHARES = 32, PAIRS_WORTH_A_SHARE = 256 };

static int count_shares(family_t *family)
{
    return (int)ICF_MIN(SHARES, 1 + family->npair / PAIRS_WORTH_A_SHARE);
}

static pair_range share_of(family_t *family, int share, int n)
{
    return (pair_range){(icf_lid)((int64_t)family->npair * share / n),
                        (icf_lid)((int64_t)family->npair * (share + 1) / n)};
}

/* What is done with a share of the pairs. */
typedef void share_work(family_t *family, pair_range pairs, int share, void *user);

/* Does it with all shares, on the family's threads.  Returns the number of shares. */
static int each_share(family_t *family, share_work *work, void *user)
{
    const int n = count_shares(family), nthread = family->nthread;
    if (nthread == 1 || n == 1) {
        for (int share = 0; share < n; ++share) work(family, share_of(family, share, n), share, user);
        return n;
    }
#pragma omp parallel for num_threads(nthread) schedule(static)
    for (int share = 0; share < n; ++share) work(family, share_of(family, share, n), share, user);
    return n;
}

/* Blocks first..last-1 of the problem. */
typedef struct block_range {
    icf_lid first, last;
} block_range;

static bool is_in(block_range blocks, icf_lid block)
{
    return block >= blocks.first && block < blocks.last;
}

/* What all pairs add to a range of the blocks. */
typedef void range_work(family_t *family, block_range blocks, void *user);

/* Does it with all blocks: each of the family's threads goes through all pairs for its blocks, so that what a block
 * gets comes in the order of the pairs.  Carriers of deformable bodies' contacts have too many blocks for that. */
static void each_range(family_t *family, range_work *work, void *user)
{
    const int n = family->has_deformable ? 1 : ICF_MIN(family->nthread, count_shares(family));
    const int64_t nblock = family->nblock;
    if (n == 1) { /* a team of one would cost small islands more than the work */
        work(family, (block_range){0, INT32_MAX}, user);
        return;
    }
#pragma omp parallel for num_threads(n) schedule(static)
    for (int t = 0; t < n; ++t) {
        const block_range mine = {(icf_lid)(nblock * t / n), t + 1 < n ? (icf_lid)(nblock * (t + 1) / n) : INT32_MAX};
        work(family, mine, user);
    }
}

/* First contact and number of contacts of the pairs from k on whose contacts lie together;
 * returns the pair behind them.  Which contacts lie together depends on other islands too, so no sum may follow runs.
 */
static icf_lid next_run(family_t *family, icf_lid k, icf_lid end, icf_lid *first, icf_lid *n)
{
    const pair_view *view = view_pair(family, k);
    icf_lid last = view->end;
    *first = view->begin;
    for (++k; k < end && view_pair(family, k)->begin == last; ++k) last = view_pair(family, k)->end;
    *n = last - *first;
    return k;
}

/* out = start + sign J v of the contacts of a pair of rigid bodies; start NULL: 0. */
static void put_rigid_velocity(family_t *family, const pair_view *view, double sign, const double *v,
                               const double (*start)[3], double (*out)[3])
{
    const double *a = view->a_moves ? v + view->a_dof : NULL, *b = view->b_moves ? v + view->b_dof : NULL;
    const icf_lid begin = view->begin;
    family->kernels->velocity(view->end - begin, family->contacts->frame + begin, family->iterates.arm + begin,
                              view->about_b ? sign : -sign, view->about_b ? b : a, view->about_b ? a : b, &view->offset,
                              start ? start + begin : NULL, out + begin);
}

/* The same of a pair with a deformable body. */
static void put_surface_velocity(family_t *family, const pair_view *view, const double *v, const double (*start)[3],
                                 double (*out)[3])
{
    const size_t size = (size_t)(view->end - view->begin) * sizeof *out;
    if (start)
        memcpy(out[view->begin], start[view->begin], size);
    else
        memset(out[view->begin], 0, size);
    icf_surface_pair_velocity(family, view, v, out);
}

/* ---- the operations ---- */

static icf_status couple(const icf_constraints *self, icf_couple couple_blocks, void *user)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        if (view->deformable)
            ICF_TRY(icf_surface_pair_couple(family, view, couple_blocks, user));
        else if (view->a_moves && view->b_moves)
            ICF_TRY(couple_blocks(user, view->a_block, view->b_block));
    }
    return ICF_OK;
}

static void mark_varying(const icf_constraints *self, bool *varies)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        if (view->deformable) {
            icf_surface_pair_mark_varying(family, view, varies);
            continue;
        }
        if (view->a_moves) varies[view->a_block] = true;
        if (view->b_moves) varies[view->b_block] = true;
    }
}

static double stiffness_ratio(const icf_constraints *self)
{
    family_t *family = (family_t *)self;
    double largest = 0.0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i)
            largest = fmax(largest, icf_law_stiffness(&family->contacts->law[i]) * family->contacts->w[i]);
    }
    return largest;
}

static const double by_speed = 5.0; /* what the speed of a hit makes of dt^2 k, at least */

/* Whether a contact is a hit of at least that hardness. */
static bool is_hit(const family_t *family, icf_lid i, double hard)
{
    const icf_law *law = &family->contacts->law[i];
    const double hardness = icf_law_hardness(law, family->iterates.velocity[i]);
    return hardness * family->contacts->w[i] > hard && hardness > by_speed * icf_law_stiffness(law);
}

static double count_hits(const icf_constraints *self, double hard)
{
    family_t *family = (family_t *)self;
    double n = 0.0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        bool any = false;
        for (icf_lid i = view->begin; i < view->end; ++i) any = any || is_hit(family, i, hard);
        n += any;
    }
    return n;
}

static void set_stage(icf_constraints *self, double factor)
{
    icf_contact_constraints *family = (icf_contact_constraints *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i) {
            icf_law_set_stage(&family->contacts->law[i], factor);
            icf_contact_constraints_put_lane(family, i);
        }
    }
}

/* out = bias + J v, or J v without a bias. */
typedef struct velocity_work {
    const double (*bias)[3], *v;
    double (*out)[3];
} velocity_work;

static void put_velocities(family_t *family, pair_range pairs, int share, void *user)
{
    const velocity_work *work = user;
    (void)share;
    for (icf_lid k = pairs.begin; k < pairs.end; ++k) {
        const pair_view *view = view_pair(family, k);
        if (view->deformable)
            put_surface_velocity(family, view, work->v, work->bias, work->out);
        else
            put_rigid_velocity(family, view, 1.0, work->v, work->bias, work->out);
    }
}

static void set_velocity(icf_constraints *self, const double *v)
{
    family_t *family = (family_t *)self;
    velocity_work work = {family->bias, v, family->iterates.velocity};
    each_share(family, put_velocities, &work);
}

static void set_direction(icf_constraints *self, const double *dv)
{
    family_t *family = (family_t *)self;
    velocity_work work = {NULL, dv, family->iterates.direction};
    each_share(family, put_velocities, &work);
}

static bool feasible(const icf_constraints *self)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i)
            if (!icf_law_feasible(&family->contacts->law[i], family->iterates.velocity[i])) return false;
    }
    return true;
}

static bool try_rest(const icf_constraints *self)
{
    family_t *family = (family_t *)self;
    if (family->npair == 0) return false;
    return family->contacts->law[view_pair(family, 0)->begin].model == ICF_MODEL_SIMILAR;
}

static void start_dual(icf_constraints *self, bool exact)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i) {
            double *dual = family->iterates.dual[i];
            const icf_law *law = &family->contacts->law[i];
            dual[0] = dual[1] = 0.0;
            /* SAP needs the exact start at any size (docs/decisions) */
            if (exact || law->model == ICF_MODEL_SAP) icf_law_dual_start(law, family->iterates.velocity[i], dual);
        }
    }
}

/* Costs, impulses and G of the contacts of pairs; user: (SHARES) sums of the costs. */
static void evaluate_pairs(family_t *family, pair_range pairs, int share, void *user)
{
    const icf_contact_iterates *at = &family->iterates;
    double cost = 0.0;
    for (icf_lid k = pairs.begin, first, n; k < pairs.end;) {
        k = next_run(family, k, pairs.end, &first, &n);
        if (family->lanes)
            family->lanes->evaluate(&at->lanes, first, n, at->velocity + first, at->dual + first,
                                    family->contacts->impulse + first, at->hessian + first, &cost);
        else
            icf_law_evaluate_range(n, family->contacts->law + first, at->velocity + first, at->dual + first,
                                   family->contacts->impulse + first, at->hessian + first, &cost);
    }
    ((double *)user)[share] = cost;
}

static double evaluate_laws(family_t *family)
{
    double cost[SHARES], sum = 0.0;
    const int n = each_share(family, evaluate_pairs, cost);
    for (int share = 0; share < n; ++share) sum += cost[share];
    return sum;
}

/* Adds J^T gamma of a pair of rigid bodies to those that are in a range of blocks. */
static void add_pair_impulse(family_t *family, const pair_view *view, block_range blocks, double *impulse)
{
    const bool to_a = view->a_moves && is_in(blocks, view->a_block),
               to_b = view->b_moves && is_in(blocks, view->b_block);
    if (!to_a && !to_b) return;
    double sum[ICF_PAIR_WRENCH];
    const icf_lid begin = view->begin;
    family->kernels->wrench(view->end - begin, family->contacts->frame + begin, family->iterates.arm + begin,
                            family->contacts->impulse + begin, sum);
    const icf_vec3 force = {sum[0], sum[1], sum[2]};
    icf_vec3 torque = {sum[4], sum[5], sum[6]};
    if (to_b) icf_add_wrench(view->b_locked, 1.0, force, torque, impulse + view->b_dof);
    if (!to_a) return;
    torque = icf_add(torque, icf_cross(view->offset, force));
    icf_add_wrench(view->a_locked, -1.0, force, torque, impulse + view->a_dof);
}

static void add_range_impulses(family_t *family, block_range blocks, void *impulse)
{
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        if (view->deformable)
            icf_surface_pair_add_impulse(family, view, impulse);
        else
            add_pair_impulse(family, view, blocks, impulse);
    }
}

/* Adds J^T gamma of all pairs. */
static void add_impulses(family_t *family, double *impulse)
{
    each_range(family, add_range_impulses, impulse);
}

static double evaluate(icf_constraints *self, double *impulse)
{
    const double cost = evaluate_laws((family_t *)self);
    add_impulses((family_t *)self, impulse);
    return cost;
}

static void correct(icf_constraints *self, double *impulse)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i)
            icf_law_correction(&family->contacts->law[i], family->iterates.velocity[i], family->iterates.direction[i],
                               family->contacts->impulse[i]);
    }
    add_impulses(family, impulse);
}

/* l' and l'' at a step length, share by share. */
typedef struct slope_work {
    double alpha, first[SHARES], second[SHARES];
    bool feasible[SHARES];
} slope_work;

static void add_slopes(family_t *family, pair_range pairs, int share, void *user)
{
    slope_work *work = user;
    const icf_contact_iterates *at = &family->iterates;
    double first = 0.0, second = 0.0;
    bool feasible = true;
    for (icf_lid k = pairs.begin, begin, n; k < pairs.end && feasible;) {
        k = next_run(family, k, pairs.end, &begin, &n);
        if (family->lanes)
            family->lanes->slope(&at->lanes, begin, n, at->velocity + begin, at->direction + begin, work->alpha, &first,
                                 &second);
        else
            feasible = icf_law_slope_range(n, family->contacts->law + begin, at->velocity + begin,
                                           at->direction + begin, work->alpha, &first, &second);
    }
    work->first[share] = first;
    work->second[share] = second;
    work->feasible[share] = feasible;
}

static bool slope(const icf_constraints *self, double alpha, double *first, double *second)
{
    slope_work work;
    work.alpha = alpha;
    const int n = each_share((family_t *)self, add_slopes, &work);
    bool all = true;
    for (int share = 0; share < n; ++share) {
        all = all && work.feasible[share];
        *first += work.first[share];
        *second += work.second[share];
    }
    return all;
}

static void update_duals(family_t *family, pair_range pairs, int share, void *user)
{
    const icf_contact_iterates *at = &family->iterates;
    const double alpha = *(const double *)user;
    (void)share;
    for (icf_lid k = pairs.begin, first, n; k < pairs.end;) {
        k = next_run(family, k, pairs.end, &first, &n);
        if (family->lanes)
            family->lanes->update_dual(&at->lanes, first, n, at->velocity + first, at->direction + first, alpha,
                                       at->dual + first);
        else
            icf_law_dual_update_range(n, family->contacts->law + first, at->velocity + first, at->direction + first,
                                      alpha, at->dual + first);
    }
}

static void advance(icf_constraints *self, double alpha)
{
    each_share((family_t *)self, update_duals, &alpha);
}

/* ---- Hessian of a pair ---- */

/* block += m, leaving out locked rows and columns. */
static void add_unlocked(double *block, const double *m, unsigned locked_rows, unsigned locked_columns)
{
    for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 6; ++i)
            if (!(locked_rows >> i & 1) && !(locked_columns >> j & 1)) block[i + 6 * j] += m[i + 6 * j];
}

/* Blocks of H that a pair adds to. */
typedef struct pair_blocks {
    double *reference;             /* NULL when the reference body is held, or in another range */
    double *other;                 /* NULL when it does not move, or is in another range */
    double *between;               /* NULL when only one moves, or b is in another range */
    unsigned locked, locked_other; /* degrees of freedom of the two bodies */
} pair_blocks;

static pair_blocks find_blocks(const pair_view *view, block_range blocks, icf_block_matrix *hessian)
{
    const bool to_a = view->a_moves && is_in(blocks, view->a_block),
               to_b = view->b_moves && is_in(blocks, view->b_block);
    double *a = to_a ? hessian->val + hessian->diag_at[view->a_block] : NULL;
    double *b = to_b ? hessian->val + hessian->diag_at[view->b_block] : NULL;
    pair_blocks at = {.reference = view->about_b ? b : a, .other = view->about_b ? a : NULL};
    at.locked = view->about_b ? view->b_locked : view->a_locked;
    at.locked_other = view->about_b && view->a_moves ? view->a_locked : 0;
    if (to_b && view->a_moves)
        at.between = hessian->val + hessian->off_at[icf_block_matrix_find(hessian, view->b_block, view->a_block)];
    return at;
}

static void add_pair(family_t *family, const pair_view *view, block_range blocks, icf_block_matrix *hessian)
{
    const icf_lid n = view->end - view->begin;
    const icf_mat3 *frame = family->contacts->frame + view->begin;
    const icf_vec3 *arm = family->iterates.arm + view->begin;
    const icf_sym3 *g = family->iterates.hessian + view->begin;
    const pair_blocks to = find_blocks(view, blocks, hessian);
    if (!to.reference && !to.other) return;
    const icf_vec3 *offset = to.other || to.between ? &view->offset : NULL;
    const bool complete = to.reference && !to.other == !to.between;
    if (complete && !to.locked && !to.locked_other) {
        family->kernels->hessian(n, frame, arm, g, offset, to.reference, to.other, to.between);
        return;
    }
    double reference[36] = {0}, other[36] = {0}, between[36] = {0};
    family->kernels->hessian(n, frame, arm, g, offset, reference, other, between);
    if (to.reference) add_unlocked(to.reference, reference, to.locked, to.locked);
    if (to.other) add_unlocked(to.other, other, to.locked_other, to.locked_other);
    if (to.between) add_unlocked(to.between, between, to.locked, to.locked_other);
}

static void add_range_hessian(family_t *family, block_range blocks, void *hessian)
{
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        if (view->deformable)
            icf_surface_pair_add_hessian(family, view, hessian);
        else
            add_pair(family, view, blocks, hessian);
    }
}

static void add_hessian(const icf_constraints *self, icf_block_matrix *hessian)
{
    each_range((family_t *)self, add_range_hessian, hessian);
}

static const icf_constraint_ops contact_ops = {.name = "contact",
                                               .couple = couple,
                                               .mark_varying = mark_varying,
                                               .stiffness_ratio = stiffness_ratio,
                                               .count_hits = count_hits,
                                               .set_stage = set_stage,
                                               .set_velocity = set_velocity,
                                               .feasible = feasible,
                                               .try_rest = try_rest,
                                               .correct = correct,
                                               .start_dual = start_dual,
                                               .evaluate = evaluate,
                                               .add_hessian = add_hessian,
                                               .set_direction = set_direction,
                                               .slope = slope,
                                               .advance = advance};

bool icf_contact_constraints_are(const icf_constraints *family)
{
    return family->ops == &contact_ops;
}

icf_status icf_contact_iterates_alloc(icf_contact_iterates *iterates, icf_arena *arena, icf_lid npair, icf_lid n)
{
    iterates->view = ICF_ARENA_ARRAY(arena, icf_contact_pair_view, npair);
    iterates->arm = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    iterates->held = icf_arena_alloc(arena, (size_t)n * sizeof *iterates->held);
    iterates->velocity = icf_arena_alloc(arena, (size_t)n * sizeof *iterates->velocity);
    iterates->direction = icf_arena_alloc(arena, (size_t)n * sizeof *iterates->direction);
    iterates->dual = icf_arena_alloc(arena, (size_t)n * sizeof *iterates->dual);
    iterates->hessian = ICF_ARENA_ARRAY(arena, icf_sym3, n);
    const bool complete = iterates->view && iterates->arm && iterates->held && iterates->velocity &&
                          iterates->direction && iterates->dual && iterates->hessian;
    return complete ? icf_lagged_lanes_alloc(&iterates->lanes, arena, n) : ICF_ERROR_MEMORY;
}

/* Counts the blocks of a pair among those of the family. */
static void take_blocks(icf_contact_constraints *family, const pair_view *view)
{
    if (view->a_moves) family->nblock = ICF_MAX(family->nblock, view->a_block + 1);
    if (view->b_moves) family->nblock = ICF_MAX(family->nblock, view->b_block + 1);
    family->has_deformable = family->has_deformable || view->deformable;
}

void icf_contact_constraints_put_lane(icf_contact_constraints *family, icf_lid i)
{
    const bool put = family->lanes && icf_lagged_lanes_put(&family->iterates.lanes, i, &family->contacts->law[i]);
    if (!put) family->lanes = NULL;
}

void icf_contact_constraints_init(icf_contact_constraints *family, const icf_bodies *bodies, icf_contacts *contacts,
                                  icf_lid npair, const icf_lid *pair, const icf_lid *block, const int32_t *dof,
                                  icf_contact_iterates iterates)
{
    *family = (icf_contact_constraints){.base = {&contact_ops},
                                        .kernels = icf_pair_kernels_select(),
                                        .lanes = icf_lagged_kernels_select(),
                                        .nthread = 1,
                                        .bodies = bodies,
                                        .contacts = contacts,
                                        .bias = contacts->bias,
                                        .npair = npair,
                                        .pair = pair,
                                        .block = block,
                                        .dof = dof,
                                        .iterates = iterates};
    for (icf_lid k = 0; k < npair; ++k) {
        pair_view *view = &iterates.view[pair[k]];
        *view = make_view(family, pair[k]);
        take_blocks(family, view);
        /* of a pair with a deformable body, the arm is that of the rigid one, which comes first */
        const icf_vec3 centre = bodies->position[view->b_moves && !view->deformable ? view->b : view->a];
        for (icf_lid i = view->begin; i < view->end; ++i) {
            iterates.arm[i] = icf_sub(contacts->point[i], centre);
            icf_contact_constraints_put_lane(family, i);
        }
    }
}

/* The list of a pair, -1: none. */
static icf_lid list_of(const pair_view *view, const icf_lid *of_block)
{
    const icf_lid a = view->a_moves ? of_block[view->a_block] : -1;
    return a >= 0 || !view->b_moves ? a : of_block[view->b_block];
}

void icf_contact_constraints_list(const icf_contact_constraints *family, icf_lid n, const icf_lid *of_block,
                                  icf_lid *at, icf_lid *pair)
{
    for (icf_lid k = 0; k <= n; ++k) at[k] = 0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_lid list = list_of(view_pair(family, k), of_block);
        if (list >= 0) ++at[list + 1];
    }
    icf_lists_start(n, at);
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_lid list = list_of(view_pair(family, k), of_block);
        if (list >= 0) pair[at[list]++] = k;
    }
    icf_lists_end(n, at);
}

/* The view of a pair while only some blocks move. */
static pair_view restrict_view(const pair_view *of, const icf_lid *block)
{
    pair_view view = *of;
    view.a_moves = of->a_moves && block[of->a_block] >= 0;
    view.b_moves = of->b_moves && block[of->b_block] >= 0;
    return view;
}

/* The bias that leaves the velocities of a pair's contacts what they are at v. */
static void hold_pair(family_t *whole, const pair_view *view, const double *v)
{
    const icf_contact_iterates *at = &whole->iterates;
    put_rigid_velocity(whole, view, -1.0, v, at->velocity, at->held);
}

void icf_contact_constraints_restrict(icf_contact_constraints *part, const icf_contact_constraints *whole,
                                      const double *v, icf_lid npair, const icf_lid *pair, const icf_lid *block,
                                      const int32_t *dof, icf_contact_pair_view *view)
{
    *part = *whole;
    part->nthread = 1;
    part->bias = whole->iterates.held;
    part->npair = npair;
    part->pair = NULL;
    part->dof = dof;
    part->iterates.view = view;
    for (icf_lid k = 0; k < npair; ++k) {
        const pair_view *of = view_pair(whole, pair[k]);
        view[k] = restrict_view(of, block);
        hold_pair(whole, &view[k], v);
        view[k].a_block = view[k].a_moves ? block[of->a_block] : 0;
        view[k].b_block = view[k].b_moves ? block[of->b_block] : 0;
        view[k].a_dof = dof[view[k].a_block];
        view[k].b_dof = dof[view[k].b_block];
    }
}
