/* Attachments of a step. */
#include "contact/attachments.h"

static const double pi = 3.14159265358979323846;
static const double near_rigid = 0.1;     /* beta */
static const double gap_allowance = 1.25; /* the vertex may be a little away from its point */

static icf_vec3 body_velocity(const icf_bodies *bodies, icf_lid i, icf_vec3 arm)
{
    return icf_add(bodies->linear_velocity[i], icf_cross(bodies->angular_velocity[i], arm));
}

static icf_held_vertex hold(const icf_bodies *bodies, const icf_inertia *inertia, const icf_surface_state *surface,
                            const icf_attachment *attachment, icf_lid body, double dt)
{
    const icf_vec3 x = surface->position[attachment->vertex];
    const bool body_moves = icf_bodies_moves(bodies, body);
    icf_held_vertex held = {.vertex = attachment->vertex,
                            .is_free = icf_deformable_is_free(surface->deformable, attachment->vertex),
                            .arm = icf_sub(x, bodies->position[body])};
    const icf_vec3 gap = icf_sub(held.arm, icf_mat3_mul(&inertia->rotation[body], attachment->arm));
    held.wanted = icf_scale(-0.5 / dt, gap);
    icf_mat3 w = surface->inverse[attachment->vertex];
    if (!held.is_free) held.bias = surface->velocity[attachment->vertex];
    if (body_moves)
        icf_inertia_add_effective(inertia, body, held.arm, &w);
    else
        held.bias = icf_sub(held.bias, body_velocity(bodies, body, held.arm));
    held.compliance = near_rigid * near_rigid * icf_effective_inverse_mass(&w) / (4.0 * pi * pi);
    return held;
}

static icf_status allocate(icf_attachments *attachments, icf_arena *arena, const icf_bodies *bodies,
                           const icf_surface_state *const *surface)
{
    icf_lid n = 0;
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (surface[i]) n += surface[i]->deformable->nattachment;
    attachments->pair = ICF_ARENA_ARRAY(arena, icf_pair, n);
    attachments->begin = ICF_ARENA_ARRAY(arena, icf_lid, n + 1);
    attachments->held = ICF_ARENA_ARRAY(arena, icf_held_vertex, n);
    return attachments->pair && attachments->begin && attachments->held ? ICF_OK : ICF_ERROR_MEMORY;
}

/* Attachments of deformable body i, which are listed by body. */
static icf_status list_body(icf_attachments *attachments, const icf_bodies *bodies, const icf_inertia *inertia,
                            const icf_surface_state *surface, icf_lid i, double dt)
{
    const icf_deformable *deformable = surface->deformable;
    icf_lid n = attachments->begin[attachments->npair];
    for (icf_lid k = 0; k < deformable->nattachment; ++k) {
        const icf_attachment *attachment = &deformable->attachment[k];
        const icf_lid body = icf_bodies_find(bodies, attachment->body);
        if (body < 0 && i < bodies->nowned) return ICF_ERROR_INTERNAL;
        /* what other ranks own is theirs */
        if (body < 0 || (i >= bodies->nowned && !(body < bodies->nowned && icf_bodies_moves(bodies, body)))) continue;
        /* what neither side can move holds without a constraint */
        if (!icf_bodies_moves(bodies, body) && !icf_deformable_is_free(deformable, attachment->vertex)) continue;
        const bool same = attachments->npair > 0 && attachments->pair[attachments->npair - 1].a == body &&
                          attachments->pair[attachments->npair - 1].b == i;
        if (!same) {
            attachments->pair[attachments->npair] = (icf_pair){body, i};
            attachments->begin[attachments->npair++] = n;
        }
        attachments->held[n++] = hold(bodies, inertia, surface, attachment, body, dt);
        attachments->begin[attachments->npair] = n;
    }
    return ICF_OK;
}

void icf_attachment_margins(const icf_scene *scene, const icf_bodies *bodies, icf_lid n, double *margin)
{
    for (int32_t d = 0; d < scene->ndeformable; ++d)
        for (icf_lid k = 0; k < scene->deformable[d].nattachment; ++k) {
            const icf_attachment *attachment = &scene->deformable[d].attachment[k];
            const icf_lid i = icf_bodies_find(bodies, attachment->body);
            if (i >= 0 && i < n) margin[i] = fmax(margin[i], gap_allowance * icf_norm(attachment->arm));
        }
}

icf_status icf_attachments_build(icf_attachments *attachments, icf_arena *arena, const icf_bodies *bodies,
                                 const icf_inertia *inertia, const icf_surface_state *const *surface, double dt)
{
    *attachments = (icf_attachments){0};
    if (!surface) return ICF_OK;
    ICF_TRY(allocate(attachments, arena, bodies, surface));
    attachments->begin[0] = 0;
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (surface[i]) ICF_TRY(list_body(attachments, bodies, inertia, surface[i], i, dt));
    return ICF_OK;
}
