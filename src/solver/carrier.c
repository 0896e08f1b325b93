/* Carriers of a point. */
#include "solver/carrier.h"

#include "solver/wrench.h"

icf_status icf_carriers_couple(const icf_carrier *list, int n, icf_couple couple, void *user)
{
    for (int e = 0; e < n; ++e)
        for (int f = 0; f < e; ++f)
            ICF_TRY(couple(user, ICF_MIN(list[e].block, list[f].block), ICF_MAX(list[e].block, list[f].block)));
    return ICF_OK;
}

icf_vec3 icf_carriers_velocity(const icf_carrier *list, int n, const int32_t *dof, const double *x)
{
    icf_vec3 sum = {0, 0, 0};
    for (int e = 0; e < n; ++e) {
        const double *of = x + dof[list[e].block];
        icf_vec3 velocity = {of[0], of[1], of[2]};
        if (list[e].rigid) velocity = icf_add(velocity, icf_cross(icf_vec3_make(of[3], of[4], of[5]), list[e].arm));
        sum = icf_mul_add(sum, list[e].weight, velocity);
    }
    return sum;
}

static void add_impulse(const icf_carrier *c, icf_vec3 gamma, double *out)
{
    if (c->rigid) {
        icf_add_wrench(c->locked, c->weight, gamma, icf_cross(c->arm, gamma), out);
        return;
    }
    out[0] += c->weight * gamma.x;
    out[1] += c->weight * gamma.y;
    out[2] += c->weight * gamma.z;
}

void icf_carriers_add_impulse(const icf_carrier *list, int n, const int32_t *dof, icf_vec3 gamma, double *out)
{
    for (int e = 0; e < n; ++e) add_impulse(&list[e], gamma, out + dof[list[e].block]);
}

/* J of a carrier without its weight: 3 x 3 or 3 x 6, row-major with six columns; locked columns are zero. */
static int jacobian(const icf_carrier *c, double j[18])
{
    const icf_vec3 r = c->arm;
    const double rows[18] = {1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0};
    const int n = c->rigid ? 6 : 3;
    for (int row = 0; row < 3; ++row)
        for (int k = 0; k < n; ++k) j[6 * row + k] = c->locked >> k & 1 ? 0.0 : rows[6 * row + k];
    return n;
}

/* block (column-major, dofs of e x dofs of f) += w_e w_f J_e^T G J_f. */
static void add_product(const icf_carrier *e, const icf_carrier *f, const icf_mat3 *g, double *block)
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

static void add_carriers(const icf_carrier *e, const icf_carrier *f, const icf_mat3 *g, icf_block_matrix *hessian)
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

void icf_carriers_add_hessian(const icf_carrier *list, int n, const icf_mat3 *g, icf_block_matrix *hessian)
{
    for (int e = 0; e < n; ++e)
        for (int f = 0; f <= e; ++f) add_carriers(&list[e], &list[f], g, hessian);
}
