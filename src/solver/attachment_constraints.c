/* Attachments as a constraint family: a quadratic cost a vertex, so Newton needs one iteration for them alone. */
#include "solver/attachment_constraints.h"

#include "solver/carrier.h"

typedef const icf_attachment_constraints family_t;

/* What moves with held vertex k of pair p, v_i - v_B - w_B x r; what does not move is in the vertex's bias. */
static int list_carriers(family_t *family, icf_lid p, icf_lid k, icf_carrier list[ICF_CARRIERS_MAX])
{
    const icf_pair pair = family->attachments->pair[p];
    const icf_held_vertex *held = &family->attachments->held[k];
    int n = 0;
    if (held->is_free)
        list[n++] = (icf_carrier){.block = icf_vertex_block(family->block, family->vertex_block, pair.b, held->vertex),
                                  .weight = 1.0};
    if (icf_bodies_moves(family->bodies, pair.a))
        list[n++] = (icf_carrier){.block = family->block[pair.a],
                                  .weight = -1.0,
                                  .rigid = true,
                                  .arm = held->arm,
                                  .locked = family->bodies->locked[pair.a]};
    return n;
}

/* First and last held vertex of the family's pair number i. */
static icf_lid first_held(family_t *family, icf_lid i)
{
    return family->attachments->begin[family->pair[i]];
}

static icf_lid end_held(family_t *family, icf_lid i)
{
    return family->attachments->begin[family->pair[i] + 1];
}

static icf_status couple(const icf_constraints *self, icf_couple couple_blocks, void *user)
{
    family_t *family = (family_t *)self;
    for (icf_lid i = 0; i < family->npair; ++i)
        for (icf_lid k = first_held(family, i); k < end_held(family, i); ++k) {
            icf_carrier list[ICF_CARRIERS_MAX];
            const int n = list_carriers(family, family->pair[i], k, list);
            ICF_TRY(icf_carriers_couple(list, n, couple_blocks, user));
        }
    return ICF_OK;
}

static void set_velocity(icf_constraints *self, const double *v)
{
    family_t *family = (family_t *)self;
    for (icf_lid i = 0; i < family->npair; ++i)
        for (icf_lid k = first_held(family, i); k < end_held(family, i); ++k) {
            icf_carrier list[ICF_CARRIERS_MAX];
            const int n = list_carriers(family, family->pair[i], k, list);
            icf_held_vertex *held = &family->attachments->held[k];
            held->velocity = icf_add(held->bias, icf_carriers_velocity(list, n, family->dof, v));
        }
}

static void set_direction(icf_constraints *self, const double *dv)
{
    family_t *family = (family_t *)self;
    for (icf_lid i = 0; i < family->npair; ++i)
        for (icf_lid k = first_held(family, i); k < end_held(family, i); ++k) {
            icf_carrier list[ICF_CARRIERS_MAX];
            const int n = list_carriers(family, family->pair[i], k, list);
            family->attachments->held[k].direction = icf_carriers_velocity(list, n, family->dof, dv);
        }
}

static double evaluate(icf_constraints *self, double *impulse)
{
    family_t *family = (family_t *)self;
    double cost = 0.0;
    for (icf_lid i = 0; i < family->npair; ++i)
        for (icf_lid k = first_held(family, i); k < end_held(family, i); ++k) {
            icf_carrier list[ICF_CARRIERS_MAX];
            const int n = list_carriers(family, family->pair[i], k, list);
            icf_held_vertex *held = &family->attachments->held[k];
            const icf_vec3 missing = icf_sub(held->wanted, held->velocity);
            held->impulse = icf_scale(1.0 / held->compliance, missing);
            cost += 0.5 * icf_dot(held->impulse, missing);
            icf_carriers_add_impulse(list, n, family->dof, held->impulse, impulse);
        }
    return cost;
}

static bool slope(const icf_constraints *self, double alpha, double *first, double *second)
{
    family_t *family = (family_t *)self;
    for (icf_lid i = 0; i < family->npair; ++i)
        for (icf_lid k = first_held(family, i); k < end_held(family, i); ++k) {
            const icf_held_vertex *held = &family->attachments->held[k];
            const icf_vec3 beyond = icf_sub(icf_mul_add(held->velocity, alpha, held->direction), held->wanted);
            *first += icf_dot(held->direction, beyond) / held->compliance;
            *second += icf_norm2(held->direction) / held->compliance;
        }
    return true;
}

static void add_hessian(const icf_constraints *self, icf_block_matrix *hessian)
{
    family_t *family = (family_t *)self;
    for (icf_lid i = 0; i < family->npair; ++i)
        for (icf_lid k = first_held(family, i); k < end_held(family, i); ++k) {
            icf_carrier list[ICF_CARRIERS_MAX];
            const int n = list_carriers(family, family->pair[i], k, list);
            const double g = 1.0 / family->attachments->held[k].compliance;
            icf_carriers_add_hessian(list, n, &(icf_mat3){{g, 0, 0, 0, g, 0, 0, 0, g}}, hessian);
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

static double count_hits(const icf_constraints *self, double hard)
{
    (void)self;
    (void)hard;
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

/* These are linear. */
static void correct(icf_constraints *self, double *impulse)
{
    (void)self;
    (void)impulse;
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
