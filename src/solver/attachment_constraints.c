/* Attachments as a constraint family: a quadratic cost a vertex, so Newton needs one iteration for them alone. */
#include "solver/attachment_constraints.h"

#include "solver/wrench.h"

typedef const icf_attachment_constraints family_t;

/* One vertex as the solver sees it. */
typedef struct hold_view {
    icf_held_vertex *held;
    bool body_moves;
    icf_lid vertex, body; /* blocks; of those that move */
    unsigned locked;      /* dofs of the body */
} hold_view;

/* The loop over all held vertices: body with `view` in scope. */
#define FOR_EACH_HELD(family, view)                                           \
    for (icf_lid p_ = 0; p_ < (family)->npair; ++p_)                          \
        for (icf_lid k_ = (family)->attachments->begin[(family)->pair[p_]];   \
             k_ < (family)->attachments->begin[(family)->pair[p_] + 1]; ++k_) \
            for (hold_view view = view_held(family, (family)->pair[p_], k_), *once_ = &view; once_; once_ = NULL)

static hold_view view_held(family_t *family, icf_lid p, icf_lid k)
{
    const icf_pair pair = family->attachments->pair[p];
    hold_view view = {.held = &family->attachments->held[k], .body_moves = icf_bodies_moves(family->bodies, pair.a)};
    if (view.held->is_free) view.vertex = family->block[pair.b] + view.held->vertex;
    if (view.body_moves) view.body = family->block[pair.a];
    view.locked = family->bodies->locked[pair.a];
    return view;
}

static icf_status couple(const icf_constraints *self, icf_couple couple_blocks, void *user)
{
    family_t *family = (family_t *)self;
    FOR_EACH_HELD(family, view)
    if (view.held->is_free && view.body_moves)
        ICF_TRY(couple_blocks(user, ICF_MIN(view.vertex, view.body), ICF_MAX(view.vertex, view.body)));
    return ICF_OK;
}

/* J x of one vertex. */
static icf_vec3 relative(family_t *family, const hold_view *view, const double *x)
{
    icf_vec3 v = {0, 0, 0};
    if (view->held->is_free) {
        const double *vertex = x + family->dof[view->vertex];
        v = icf_vec3_make(vertex[0], vertex[1], vertex[2]);
    }
    if (!view->body_moves) return v;
    const double *body = x + family->dof[view->body];
    const icf_vec3 turn = icf_cross(icf_vec3_make(body[3], body[4], body[5]), view->held->arm);
    return icf_sub(v, icf_add(icf_vec3_make(body[0], body[1], body[2]), turn));
}

static void set_velocity(icf_constraints *self, const double *v)
{
    family_t *family = (family_t *)self;
    FOR_EACH_HELD(family, view) view.held->velocity = icf_add(view.held->bias, relative(family, &view, v));
}

static void set_direction(icf_constraints *self, const double *dv)
{
    family_t *family = (family_t *)self;
    FOR_EACH_HELD(family, view) view.held->direction = relative(family, &view, dv);
}

static double evaluate(icf_constraints *self, double *impulse)
{
    family_t *family = (family_t *)self;
    double cost = 0.0;
    FOR_EACH_HELD(family, view)
    {
        icf_held_vertex *held = view.held;
        const icf_vec3 missing = icf_sub(held->wanted, held->velocity);
        const icf_vec3 gamma = icf_scale(1.0 / held->compliance, missing);
        held->impulse = gamma;
        cost += 0.5 * icf_dot(gamma, missing);
        if (held->is_free) {
            double *vertex = impulse + family->dof[view.vertex];
            vertex[0] += gamma.x;
            vertex[1] += gamma.y;
            vertex[2] += gamma.z;
        }
        if (view.body_moves)
            icf_add_wrench(view.locked, -1.0, gamma, icf_cross(held->arm, gamma), impulse + family->dof[view.body]);
    }
    return cost;
}

static bool slope(const icf_constraints *self, double alpha, double *first, double *second)
{
    family_t *family = (family_t *)self;
    FOR_EACH_HELD(family, view)
    {
        const icf_held_vertex *held = view.held;
        const icf_vec3 beyond = icf_sub(icf_mul_add(held->velocity, alpha, held->direction), held->wanted);
        *first += icf_dot(held->direction, beyond) / held->compliance;
        *second += icf_norm2(held->direction) / held->compliance;
    }
    return true;
}

/* Columns of J of the body, [1, -[r]x], row-major; locked ones are zero. */
static void body_jacobian(const hold_view *view, double j[18])
{
    const icf_vec3 r = view->held->arm;
    const double rows[18] = {1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0};
    for (int k = 0; k < 18; ++k) j[k] = view->locked >> (k % 6) & 1 ? 0.0 : rows[k];
}

static void add_body(const hold_view *view, const double *j, icf_block_matrix *hessian)
{
    double *block = hessian->val + hessian->diag_at[view->body];
    for (int c = 0; c < 6; ++c)
        for (int r = 0; r < 6; ++r)
            block[r + 6 * c] += (j[r] * j[c] + j[6 + r] * j[6 + c] + j[12 + r] * j[12 + c]) / view->held->compliance;
}

/* The block between vertex and body, whichever comes first. */
static void add_between(const hold_view *view, const double *j, icf_block_matrix *hessian)
{
    const bool body_first = view->body < view->vertex;
    const icf_lid row = ICF_MAX(view->body, view->vertex), column = ICF_MIN(view->body, view->vertex);
    double *block = hessian->val + hessian->off_at[icf_block_matrix_find(hessian, row, column)];
    for (int c = 0; c < 6; ++c)
        for (int r = 0; r < 3; ++r) block[body_first ? r + 3 * c : c + 6 * r] -= j[6 * r + c] / view->held->compliance;
}

static void add_hessian(const icf_constraints *self, icf_block_matrix *hessian)
{
    family_t *family = (family_t *)self;
    FOR_EACH_HELD(family, view)
    {
        double j[18];
        if (view.held->is_free)
            for (int i = 0; i < 3; ++i)
                hessian->val[hessian->diag_at[view.vertex] + 4 * i] += 1.0 / view.held->compliance;
        if (!view.body_moves) continue;
        body_jacobian(&view, j);
        add_body(&view, j, hessian);
        if (view.held->is_free) add_between(&view, j, hessian);
    }
}

/* The Hessian is constant. */
static void mark_varying(const icf_constraints *self, bool *varies)
{
    (void)self;
    (void)varies;
}

/* No stiffness that stages could scale, no domain, no dual. */
static double stiffness_ratio(const icf_constraints *self)
{
    (void)self;
    return 0.0;
}

static void set_stage(icf_constraints *self, double factor)
{
    (void)self;
    (void)factor;
}

static bool feasible(const icf_constraints *self)
{
    (void)self;
    return true;
}

static bool try_rest(const icf_constraints *self)
{
    (void)self;
    return false;
}

static void start_dual(icf_constraints *self, bool exact)
{
    (void)self;
    (void)exact;
}

static void advance(icf_constraints *self, double alpha)
{
    (void)self;
    (void)alpha;
}

static const icf_constraint_ops attachment_ops = {.name = "attachment",
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

void icf_attachment_constraints_init(icf_attachment_constraints *family, const icf_bodies *bodies,
                                     const icf_attachments *attachments, icf_lid npair, const icf_lid *pair,
                                     const icf_lid *block, const int32_t *dof)
{
    *family = (icf_attachment_constraints){.base = {&attachment_ops},
                                           .bodies = bodies,
                                           .attachments = attachments,
                                           .npair = npair,
                                           .pair = pair,
                                           .block = block,
                                           .dof = dof};
}
