/* Contacts as numbers. */
#include "solver/contact_copy.h"

#include "base/search.h"

/* Copies n values of any type; returns the place behind, in whole numbers. */
static double *put(double *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return to + (size + sizeof *to - 1) / sizeof *to;
}

static const double *take(void *to, const double *from, size_t size)
{
    memcpy(to, from, size);
    return from + (size + sizeof *from - 1) / sizeof *from;
}

double *icf_contact_copy_put(const icf_contact_constraints *family, const icf_contact_pair_view *view,
                             const icf_gid *gid, double *to)
{
    const icf_contact_iterates *at = &family->iterates;
    *to++ = icf_gid_to_number(view->a_moves ? gid[view->a_block] : -1);
    *to++ = icf_gid_to_number(view->b_moves ? gid[view->b_block] : -1);
    *to++ = view->offset.x;
    *to++ = view->offset.y;
    *to++ = view->offset.z;
    *to++ = view->a_locked;
    *to++ = view->b_locked;
    *to++ = view->about_b;
    *to++ = view->end - view->begin;
    for (icf_lid i = view->begin; i < view->end; ++i) {
        to = put(to, &family->contacts->law[i], sizeof *family->contacts->law);
        *to++ = family->contacts->w[i];
        to = put(to, family->bias[i], sizeof *family->bias);
        to = put(to, &family->contacts->frame[i], sizeof *family->contacts->frame);
        to = put(to, &at->arm[i], sizeof *at->arm);
        to = put(to, at->dual[i], sizeof *at->dual);
    }
    return to;
}

icf_status icf_contact_copies_start(icf_contact_copies *copies, icf_lid npair, icf_lid n, const int32_t *dof,
                                    icf_arena *arena)
{
    icf_contact_iterates iterates;
    ICF_TRY(icf_contact_iterates_alloc(&iterates, arena, npair, n));
    copies->contacts = (icf_contacts){.law = ICF_ARENA_ARRAY(arena, icf_law, n),
                                      .w = ICF_ARENA_ARRAY(arena, double, n),
                                      .frame = ICF_ARENA_ARRAY(arena, icf_mat3, n),
                                      .impulse = icf_arena_alloc(arena, (size_t)n * sizeof *copies->contacts.impulse)};
    const icf_contacts *contacts = &copies->contacts;
    if (!contacts->law || !contacts->w || !contacts->frame || !contacts->impulse) return ICF_ERROR_MEMORY;
    icf_contact_constraints_init(&copies->family, NULL, &copies->contacts, 0, NULL, NULL, dof, iterates);
    copies->family.bias = iterates.held;
    return ICF_OK;
}

const double *icf_contact_copies_add(icf_contact_copies *copies, icf_lid nblock, const icf_gid *gid, const double *from)
{
    icf_contact_constraints *family = &copies->family;
    const icf_contact_iterates *at = &family->iterates;
    const icf_gid a = icf_gid_of_number(from[0]), b = icf_gid_of_number(from[1]);
    icf_contact_pair_view view = {.a_moves = a >= 0,
                                  .b_moves = b >= 0,
                                  .offset = {from[2], from[3], from[4]},
                                  .a_locked = (uint8_t)from[5],
                                  .b_locked = (uint8_t)from[6],
                                  .about_b = from[7] != 0.0,
                                  .begin = copies->contacts.n,
                                  .end = copies->contacts.n + (icf_lid)from[8]};
    if (view.a_moves) view.a_block = icf_search_gid(gid, 0, nblock, a);
    if (view.b_moves) view.b_block = icf_search_gid(gid, 0, nblock, b);
    view.a_dof = family->dof[view.a_block];
    view.b_dof = family->dof[view.b_block];
    from += ICF_COPY_PAIR;
    for (icf_lid i = view.begin; i < view.end; ++i) {
        from = take(&copies->contacts.law[i], from, sizeof *copies->contacts.law);
        icf_contact_constraints_put_lane(family, i);
        copies->contacts.w[i] = *from++;
        from = take(at->held[i], from, sizeof *at->held);
        from = take(&copies->contacts.frame[i], from, sizeof *copies->contacts.frame);
        from = take(&at->arm[i], from, sizeof *at->arm);
        from = take(at->dual[i], from, sizeof *at->dual);
    }
    at->view[family->npair++] = view;
    copies->contacts.n = view.end;
    return from;
}
