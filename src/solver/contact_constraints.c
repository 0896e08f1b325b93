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
 * Locked degrees of freedom: their rows and columns are left out when blocks are added.
 */
#include "solver/contact_constraints.h"

#include <string.h>

#include "solver/surface_pairs.h"
#include "solver/wrench.h"

typedef const icf_contact_constraints family_t;
typedef icf_contact_pair_view pair_view;

typedef struct twist {
    icf_vec3 linear, angular;
} twist;

static const pair_view *view_pair(family_t *family, icf_lid k)
{
    return &family->iterates.view[family->pair[k]];
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
    if (view.a_moves) view.a_dof = family->dof[family->block[view.a]];
    if (view.b_moves) view.b_dof = family->dof[family->block[view.b]];
    if (view.a_moves && view.b_moves) view.offset = icf_sub(bodies->position[view.b], bodies->position[view.a]);
    return view;
}

static twist load_twist(const double *x)
{
    return (twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

/* Relative twist of b against a about the reference body's centre of mass. */
static twist relative_twist(const pair_view *view, const double *v)
{
    if (!view->b_moves) {
        const twist a = load_twist(v + view->a_dof);
        return (twist){icf_neg(a.linear), icf_neg(a.angular)};
    }
    twist b = load_twist(v + view->b_dof);
    if (!view->a_moves) return b;
    const twist a = load_twist(v + view->a_dof);
    b.linear = icf_sub(icf_sub(b.linear, a.linear), icf_cross(a.angular, view->offset));
    b.angular = icf_sub(b.angular, a.angular);
    return b;
}

/* Adds F (V + W x r) of every contact of the pair to out. */
static void project(family_t *family, const pair_view *view, const twist *relative, double (*out)[3])
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        const icf_vec3 v = icf_add(relative->linear, icf_cross(relative->angular, family->iterates.arm[i]));
        const icf_vec3 c = icf_mat3_mul(&family->contacts->frame[i], v);
        out[i][0] += c.x;
        out[i][1] += c.y;
        out[i][2] += c.z;
    }
}

/* Adds J v of the pair's contacts to out. */
static void add_velocity(family_t *family, const pair_view *view, const double *v, double (*out)[3])
{
    if (view->deformable) {
        icf_surface_pair_velocity(family, view, v, out);
        return;
    }
    const twist relative = relative_twist(view, v);
    project(family, view, &relative, out);
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
            ICF_TRY(couple_blocks(user, family->block[view->a], family->block[view->b]));
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
        if (view->a_moves) varies[family->block[view->a]] = true;
        if (view->b_moves) varies[family->block[view->b]] = true;
    }
}

/* Stiffness of a contact in N/m, as far as stages go: barriers keep their kappa. */
static double staged_stiffness(const icf_normal_params *normal)
{
    if (normal->law == ICF_NORMAL_LINEAR) return normal->stiffness;
    if (normal->law == ICF_NORMAL_HERTZ) return 1.5 * normal->stiffness * sqrt(fmax(0.0, -normal->phi0));
    return 0.0;
}

static double stiffness_ratio(const icf_constraints *self)
{
    family_t *family = (family_t *)self;
    double largest = 0.0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i) {
            const icf_normal_params *normal = &family->contacts->law[i].normal;
            largest = fmax(largest, normal->dt * normal->dt * staged_stiffness(normal) * family->contacts->w[i]);
        }
    }
    return largest;
}

static void set_stage(icf_constraints *self, double factor)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i)
            if (staged_stiffness(&family->contacts->law[i].normal) > 0.0)
                icf_law_set_stage(&family->contacts->law[i], factor);
    }
}

static void set_velocity(icf_constraints *self, const double *v)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        const size_t bytes = (size_t)(view->end - view->begin) * sizeof *family->iterates.velocity;
        memcpy(family->iterates.velocity[view->begin], family->contacts->bias[view->begin], bytes);
        add_velocity(family, view, v, family->iterates.velocity);
    }
}

static void set_direction(icf_constraints *self, const double *dv)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        const size_t bytes = (size_t)(view->end - view->begin) * sizeof *family->iterates.direction;
        memset(family->iterates.direction[view->begin], 0, bytes);
        add_velocity(family, view, dv, family->iterates.direction);
    }
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
    return family->contacts->law[family->contacts->pair_begin[family->pair[0]]].model == ICF_MODEL_SIMILAR;
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

/* Sums the wrench of the pair's impulses about the reference body's centre of mass; returns the cost. */
static double sum_impulses(family_t *family, const pair_view *view, twist *wrench)
{
    double cost = 0.0;
    *wrench = (twist){{0, 0, 0}, {0, 0, 0}};
    for (icf_lid i = view->begin; i < view->end; ++i) {
        double *gamma = family->contacts->impulse[i];
        cost += icf_law_evaluate(&family->contacts->law[i], family->iterates.velocity[i], gamma);
        const icf_vec3 world = icf_mat3_tmul(&family->contacts->frame[i], icf_vec3_make(gamma[0], gamma[1], gamma[2]));
        wrench->linear = icf_add(wrench->linear, world);
        wrench->angular = icf_add(wrench->angular, icf_cross(family->iterates.arm[i], world));
    }
    return cost;
}

static double evaluate(icf_constraints *self, double *impulse)
{
    family_t *family = (family_t *)self;
    const uint8_t *locked = family->bodies->locked;
    double cost = 0.0;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        if (view->deformable) {
            cost += icf_surface_pair_evaluate(family, view, impulse);
            continue;
        }
        twist sum;
        cost += sum_impulses(family, view, &sum);
        if (view->b_moves) icf_add_wrench(locked[view->b], 1.0, sum.linear, sum.angular, impulse + view->b_dof);
        if (!view->a_moves) continue;
        if (view->b_moves) sum.angular = icf_add(sum.angular, icf_cross(view->offset, sum.linear));
        icf_add_wrench(locked[view->a], -1.0, sum.linear, sum.angular, impulse + view->a_dof);
    }
    return cost;
}

static bool slope(const icf_constraints *self, double alpha, double *first, double *second)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i) {
            const double *v = family->iterates.velocity[i], *dv = family->iterates.direction[i];
            const double at[3] = {v[0] + alpha * dv[0], v[1] + alpha * dv[1], v[2] + alpha * dv[2]};
            if (!icf_law_slope(&family->contacts->law[i], at, dv, first, second)) return false;
        }
    }
    return true;
}

static void advance(icf_constraints *self, double alpha)
{
    family_t *family = (family_t *)self;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const pair_view *view = view_pair(family, k);
        for (icf_lid i = view->begin; i < view->end; ++i)
            icf_law_dual_update(&family->contacts->law[i], family->iterates.velocity[i], family->iterates.direction[i],
                                alpha, family->iterates.dual[i]);
    }
}

/* ---- Hessian of a pair ---- */

/* The symmetric K of a pair: linear-linear, linear-angular, angular-angular 3x3 parts, row-major. */
typedef struct patch {
    double vv[9], vw[9], ww[9];
} patch;

/* Row i of m x r: m [r]x. */
static void times_cross(const double *m, icf_vec3 r, double *out)
{
    for (int i = 0; i < 9; i += 3) {
        const double x = m[i + 1] * r.z - m[i + 2] * r.y, y = m[i + 2] * r.x - m[i] * r.z,
                     z = m[i] * r.y - m[i + 1] * r.x;
        out[i] = x;
        out[i + 1] = y;
        out[i + 2] = z;
    }
}

/* [r]x^T m, column by column. */
static void cross_times(icf_vec3 r, const double *m, double *out)
{
    for (int j = 0; j < 3; ++j) {
        const double x = m[3 + j] * r.z - m[6 + j] * r.y, y = m[6 + j] * r.x - m[j] * r.z,
                     z = m[j] * r.y - m[3 + j] * r.x;
        out[j] = x;
        out[3 + j] = y;
        out[6 + j] = z;
    }
}

static void add_contact(family_t *family, icf_lid i, patch *k)
{
    icf_sym3 g;
    icf_law_direction_hessian(&family->contacts->law[i], family->iterates.velocity[i], family->iterates.dual[i], &g);
    const icf_mat3 world = icf_contact_to_world(&g, &family->contacts->frame[i]);
    double gr[9], rgr[9];
    times_cross(world.m, family->iterates.arm[i], gr);
    cross_times(family->iterates.arm[i], gr, rgr);
    for (int e = 0; e < 9; ++e) {
        k->vv[e] += world.m[e];
        k->vw[e] -= gr[e];
        k->ww[e] += rgr[e];
    }
}

/* Expands a patch to a dense 6x6, column-major. */
static void expand(const patch *k, double *out)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            out[i + 6 * j] = k->vv[3 * i + j];
            out[i + 6 * (j + 3)] = k->vw[3 * i + j];
            out[i + 3 + 6 * j] = k->vw[3 * j + i];
            out[i + 3 + 6 * (j + 3)] = k->ww[3 * i + j];
        }
}

/* K X: angular columns get -K_v [d]x. */
static void shift_columns(const double *k, icf_vec3 d, double *out)
{
    memcpy(out, k, 36 * sizeof *out);
    for (int i = 0; i < 6; ++i) {
        const double x = k[i], y = k[i + 6], z = k[i + 12];
        out[i + 18] -= y * d.z - z * d.y;
        out[i + 24] -= z * d.x - x * d.z;
        out[i + 30] -= x * d.y - y * d.x;
    }
}

/* X^T M: angular rows get [d]x times the linear rows. */
static void shift_rows(icf_vec3 d, const double *m, double *out)
{
    memcpy(out, m, 36 * sizeof *out);
    for (int j = 0; j < 36; j += 6) {
        const double x = m[j], y = m[j + 1], z = m[j + 2];
        out[j + 3] += d.y * z - d.z * y;
        out[j + 4] += d.z * x - d.x * z;
        out[j + 5] += d.x * y - d.y * x;
    }
}

/* block += sign * m, leaving out locked rows and columns. */
static void add_block(double *block, double sign, const double *m, unsigned locked_rows, unsigned locked_columns)
{
    if (!locked_rows && !locked_columns) {
        for (int e = 0; e < 36; ++e) block[e] += sign * m[e];
        return;
    }
    for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 6; ++i)
            if (!(locked_rows >> i & 1) && !(locked_columns >> j & 1)) block[i + 6 * j] += sign * m[i + 6 * j];
}

static void add_pair(family_t *family, const pair_view *view, const double *k, icf_block_matrix *hessian)
{
    const uint8_t *locked = family->bodies->locked;
    const icf_lid reference = view->b_moves ? view->b : view->a;
    const icf_lid block = family->block[reference];
    add_block(hessian->val + hessian->diag_at[block], 1.0, k, locked[reference], locked[reference]);
    if (!view->a_moves || !view->b_moves) return;
    double kx[36], xkx[36];
    shift_columns(k, view->offset, kx);
    shift_rows(view->offset, kx, xkx);
    const icf_lid first = family->block[view->a];
    add_block(hessian->val + hessian->diag_at[first], 1.0, xkx, locked[view->a], locked[view->a]);
    const int64_t at = hessian->off_at[icf_block_matrix_find(hessian, block, first)];
    add_block(hessian->val + at, -1.0, kx, locked[view->b], locked[view->a]);
}

static void add_hessian(const icf_constraints *self, icf_block_matrix *hessian)
{
    family_t *family = (family_t *)self;
    for (icf_lid p = 0; p < family->npair; ++p) {
        const pair_view *view = view_pair(family, p);
        if (view->deformable) {
            icf_surface_pair_add_hessian(family, view, hessian);
            continue;
        }
        patch sum = {{0}, {0}, {0}};
        for (icf_lid i = view->begin; i < view->end; ++i) add_contact(family, i, &sum);
        double k[36];
        expand(&sum, k);
        add_pair(family, view, k, hessian);
    }
}

static const icf_constraint_ops contact_ops = {.name = "contact",
                                               .couple = couple,
                                               .mark_varying = mark_varying,
                                               .stiffness_ratio = stiffness_ratio,
                                               .set_stage = set_stage,
                                               .set_velocity = set_velocity,
                                               .feasible = feasible,
                                               .try_rest = try_rest,
                                               .start_dual = start_dual,
                                               .evaluate = evaluate,
                                               .add_hessian = add_hessian,
                                               .set_direction = set_direction,
                                               .slope = slope,
                                               .advance = advance};

icf_status icf_contact_iterates_alloc(icf_contact_iterates *iterates, icf_arena *arena, icf_lid npair, icf_lid n)
{
    iterates->view = ICF_ARENA_ARRAY(arena, icf_contact_pair_view, npair);
    iterates->arm = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    iterates->velocity = icf_arena_alloc(arena, (size_t)n * sizeof *iterates->velocity);
    iterates->direction = icf_arena_alloc(arena, (size_t)n * sizeof *iterates->direction);
    iterates->dual = icf_arena_alloc(arena, (size_t)n * sizeof *iterates->dual);
    const bool complete =
        iterates->view && iterates->arm && iterates->velocity && iterates->direction && iterates->dual;
    return complete ? ICF_OK : ICF_ERROR_MEMORY;
}

void icf_contact_constraints_init(icf_contact_constraints *family, const icf_bodies *bodies, icf_contacts *contacts,
                                  icf_lid npair, const icf_lid *pair, const icf_lid *block, const int32_t *dof,
                                  icf_contact_iterates iterates)
{
    *family = (icf_contact_constraints){.base = {&contact_ops},
                                        .bodies = bodies,
                                        .contacts = contacts,
                                        .npair = npair,
                                        .pair = pair,
                                        .block = block,
                                        .dof = dof,
                                        .iterates = iterates};
    for (icf_lid k = 0; k < npair; ++k) {
        pair_view *view = &iterates.view[pair[k]];
        *view = make_view(family, pair[k]);
        /* of a pair with a deformable body, the arm is that of the rigid one, which comes first */
        const icf_vec3 centre = bodies->position[view->b_moves && !view->deformable ? view->b : view->a];
        for (icf_lid i = view->begin; i < view->end; ++i) iterates.arm[i] = icf_sub(contacts->point[i], centre);
    }
}
