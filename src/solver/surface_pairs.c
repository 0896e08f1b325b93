/* Contacts with deformable bodies.
 *
 * The carriers of a contact are vertices (J = w 1) and at most two rigid bodies (J = w [1, -[r]x]), w the barycentric
 * weight, negative on the first body: vc = F sum J v + b.  H gets J_e^T (F^T G F) J_f for every two carriers.
 */
#include "solver/surface_pairs.h"

#include "solver/wrench.h"

typedef const icf_contact_constraints family_t;
typedef icf_contact_pair_view pair_view;

enum { carriers_max = 6 };

/* What moves with a contact point. */
typedef struct carrier {
    icf_lid block;
    double weight;   /* signed: the first body's are negative */
    bool rigid;      /* six dofs, else a vertex */
    icf_vec3 arm;    /* rigid: from the centre of mass to the contact point */
    unsigned locked; /* rigid: bits of locked dofs */
} carrier;

static int add_vertices(family_t *family, icf_lid body, double sign, const icf_support *support, carrier *list)
{
    for (int k = 0; k < support->n; ++k)
        list[k] = (carrier){.block = family->block[body] + support->vertex[k], .weight = sign * support->weight[k]};
    return support->n;
}

static int add_body(family_t *family, icf_lid body, bool moves, double sign, icf_lid i, int side, carrier *list)
{
    if (!moves) return 0;
    if (icf_bodies_is_deformable(family->bodies, body))
        return add_vertices(family, body, sign, &family->contacts->support[i][side], list);
    *list = (carrier){.block = family->block[body],
                      .weight = sign,
                      .rigid = true,
                      .arm = family->iterates.arm[i],
                      .locked = family->bodies->locked[body]};
    return 1;
}

static int list_carriers(family_t *family, const pair_view *view, icf_lid i, carrier list[carriers_max])
{
    const int n = add_body(family, view->a, view->a_moves, -1.0, i, 0, list);
    return n + add_body(family, view->b, view->b_moves, 1.0, i, 1, list + n);
}

icf_status icf_surface_pair_couple(family_t *family, const pair_view *view, icf_couple couple, void *user)
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        carrier list[carriers_max];
        const int n = list_carriers(family, view, i, list);
        for (int e = 0; e < n; ++e)
            for (int f = 0; f < e; ++f)
                ICF_TRY(couple(user, ICF_MIN(list[e].block, list[f].block), ICF_MAX(list[e].block, list[f].block)));
    }
    return ICF_OK;
}

void icf_surface_pair_mark_varying(family_t *family, const pair_view *view, bool *varies)
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        carrier list[carriers_max];
        const int n = list_carriers(family, view, i, list);
        for (int e = 0; e < n; ++e) varies[list[e].block] = true;
    }
}

void icf_surface_pair_velocity(family_t *family, const pair_view *view, const double *v, double (*out)[3])
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        carrier list[carriers_max];
        const int n = list_carriers(family, view, i, list);
        icf_vec3 sum = {0, 0, 0};
        for (int e = 0; e < n; ++e) {
            const double *x = v + family->dof[list[e].block];
            icf_vec3 velocity = {x[0], x[1], x[2]};
            if (list[e].rigid) velocity = icf_add(velocity, icf_cross(icf_vec3_make(x[3], x[4], x[5]), list[e].arm));
            sum = icf_mul_add(sum, list[e].weight, velocity);
        }
        const icf_vec3 c = icf_mat3_mul(&family->contacts->frame[i], sum);
        out[i][0] += c.x;
        out[i][1] += c.y;
        out[i][2] += c.z;
    }
}

static void add_impulse(const carrier *c, icf_vec3 world, double *out)
{
    if (c->rigid) {
        icf_add_wrench(c->locked, c->weight, world, icf_cross(c->arm, world), out);
        return;
    }
    out[0] += c->weight * world.x;
    out[1] += c->weight * world.y;
    out[2] += c->weight * world.z;
}

double icf_surface_pair_evaluate(family_t *family, const pair_view *view, double *impulse)
{
    double cost = 0.0;
    for (icf_lid i = view->begin; i < view->end; ++i) {
        cost += icf_law_evaluate(&family->contacts->law[i], family->iterates.velocity[i], family->contacts->impulse[i]);
        carrier list[carriers_max];
        const int n = list_carriers(family, view, i, list);
        const icf_vec3 world = icf_contacts_world_impulse(family->contacts, i);
        for (int e = 0; e < n; ++e) add_impulse(&list[e], world, impulse + family->dof[list[e].block]);
    }
    return cost;
}

icf_mat3 icf_contact_to_world(const icf_sym3 *g, const icf_mat3 *frame)
{
    const double *m = g->m;
    const double full[9] = {m[0], m[1], m[3], m[1], m[2], m[4], m[3], m[4], m[5]};
    double gf[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            gf[3 * i + j] =
                full[3 * i] * frame->m[j] + full[3 * i + 1] * frame->m[3 + j] + full[3 * i + 2] * frame->m[6 + j];
    icf_mat3 world;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            world.m[3 * i + j] = frame->m[i] * gf[j] + frame->m[3 + i] * gf[3 + j] + frame->m[6 + i] * gf[6 + j];
    return world;
}

/* J of a carrier without its weight: 3 x 3 or 3 x 6, row-major with six columns; locked columns are zero. */
static int jacobian(const carrier *c, double j[18])
{
    const icf_vec3 r = c->arm;
    const double rows[18] = {1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0};
    const int n = c->rigid ? 6 : 3;
    for (int row = 0; row < 3; ++row)
        for (int k = 0; k < n; ++k) j[6 * row + k] = c->locked >> k & 1 ? 0.0 : rows[6 * row + k];
    return n;
}

/* block (column-major, dofs of e x dofs of f) += w_e w_f J_e^T G J_f. */
static void add_product(const carrier *e, const carrier *f, const icf_mat3 *g, double *block)
{
    double je[18], jf[18], gj[18];
    const int rows = jacobian(e, je), columns = jacobian(f, jf);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < columns; ++k)
            gj[6 * i + k] = g->m[3 * i] * jf[k] + g->m[3 * i + 1] * jf[6 + k] + g->m[3 * i + 2] * jf[12 + k];
    const double weight = e->weight * f->weight;
    for (int k = 0; k < columns; ++k)
        for (int i = 0; i < rows; ++i)
            block[i + rows * k] += weight * (je[i] * gj[k] + je[6 + i] * gj[6 + k] + je[12 + i] * gj[12 + k]);
}

static void add_carriers(const carrier *e, const carrier *f, const icf_mat3 *g, icf_block_matrix *hessian)
{
    if (e->block < f->block) {
        add_carriers(f, e, g, hessian);
        return;
    }
    const int64_t at = e->block == f->block ? hessian->diag_at[e->block]
                                            : hessian->off_at[icf_block_matrix_find(hessian, e->block, f->block)];
    add_product(e, f, g, hessian->val + at);
    if (e->block == f->block && e != f) add_product(f, e, g, hessian->val + at); /* one vertex on both sides */
}

void icf_surface_pair_add_hessian(family_t *family, const pair_view *view, icf_block_matrix *hessian)
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        icf_sym3 g;
        icf_law_direction_hessian(&family->contacts->law[i], family->iterates.velocity[i], family->iterates.dual[i],
                                  &g);
        const icf_mat3 world = icf_contact_to_world(&g, &family->contacts->frame[i]);
        carrier list[carriers_max];
        const int n = list_carriers(family, view, i, list);
        for (int e = 0; e < n; ++e)
            for (int f = 0; f <= e; ++f) add_carriers(&list[e], &list[f], &world, hessian);
    }
}
