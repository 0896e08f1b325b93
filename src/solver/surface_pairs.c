/* Contacts with deformable bodies: vc = F sum J v + b over the carriers of a contact (carrier.h). */
#include "solver/surface_pairs.h"

#include "solver/carrier.h"

typedef const icf_contact_constraints family_t;
typedef icf_contact_pair_view pair_view;

static int add_vertices(family_t *family, icf_lid body, double sign, const icf_support *support, icf_carrier *list)
{
    for (int k = 0; k < support->n; ++k)
        list[k] =
            (icf_carrier){.block = icf_vertex_block(family->block, family->vertex_block, body, support->vertex[k]),
                          .weight = sign * support->weight[k]};
    return support->n;
}

static int add_body(family_t *family, icf_lid body, bool moves, double sign, icf_lid i, int side, icf_carrier *list)
{
    if (!moves) return 0;
    if (icf_bodies_is_deformable(family->bodies, body))
        return add_vertices(family, body, sign, &family->contacts->support[i][side], list);
    *list = (icf_carrier){.block = family->block[body],
                          .weight = sign,
                          .rigid = true,
                          .arm = family->iterates.arm[i],
                          .locked = family->bodies->locked[body]};
    return 1;
}

static int list_carriers(family_t *family, const pair_view *view, icf_lid i, icf_carrier list[ICF_CARRIERS_MAX])
{
    const int n = add_body(family, view->a, view->a_moves, -1.0, i, 0, list);
    return n + add_body(family, view->b, view->b_moves, 1.0, i, 1, list + n);
}

icf_status icf_surface_pair_couple(family_t *family, const pair_view *view, icf_couple couple, void *user)
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        icf_carrier list[ICF_CARRIERS_MAX];
        const int n = list_carriers(family, view, i, list);
        ICF_TRY(icf_carriers_couple(list, n, couple, user));
    }
    return ICF_OK;
}

void icf_surface_pair_mark_varying(family_t *family, const pair_view *view, bool *varies)
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        icf_carrier list[ICF_CARRIERS_MAX];
        const int n = list_carriers(family, view, i, list);
        for (int e = 0; e < n; ++e) varies[list[e].block] = true;
    }
}

void icf_surface_pair_velocity(family_t *family, const pair_view *view, const double *v, double (*out)[3])
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        icf_carrier list[ICF_CARRIERS_MAX];
        const int n = list_carriers(family, view, i, list);
        const icf_vec3 sum = icf_carriers_velocity(list, n, family->dof, v);
        const icf_vec3 c = icf_mat3_mul(&family->contacts->frame[i], sum);
        out[i][0] += c.x;
        out[i][1] += c.y;
        out[i][2] += c.z;
    }
}

void icf_surface_pair_add_impulse(family_t *family, const pair_view *view, double *impulse)
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        icf_carrier list[ICF_CARRIERS_MAX];
        const int n = list_carriers(family, view, i, list);
        icf_carriers_add_impulse(list, n, family->dof, icf_contacts_world_impulse(family->contacts, i), impulse);
    }
}

void icf_surface_pair_add_hessian(family_t *family, const pair_view *view, icf_block_matrix *hessian)
{
    for (icf_lid i = view->begin; i < view->end; ++i) {
        const icf_mat3 world = icf_contact_to_world(&family->iterates.hessian[i], &family->contacts->frame[i]);
        icf_carrier list[ICF_CARRIERS_MAX];
        const int n = list_carriers(family, view, i, list);
        icf_carriers_add_hessian(list, n, &world, hessian);
    }
}
