/* Bodies and constraints of an island to blocks of a group. */
#include "step/group_share.h"

#include <string.h>

#include "step/problem_body.h"

enum { vertex_bits = 24 };

static int place_of(const int *rank, int wanted)
{
    int k = 0;
    while (rank[k] != wanted) ++k;
    return k;
}

static icf_status allocate_bodies(icf_group_share *s, icf_arena *arena, const icf_domain *domain)
{
    const icf_lid nbody = domain->bodies->n;
    s->body = ICF_ARENA_ARRAY(arena, icf_lid, nbody);
    s->first = ICF_ARENA_ARRAY(arena, icf_lid, nbody);
    s->pair = ICF_ARENA_ARRAY(arena, icf_lid, domain->contacts.npair);
    s->link = ICF_ARENA_ARRAY(arena, icf_lid, domain->attachments.npair);
    return s->body && s->first && s->pair && s->link ? ICF_OK : ICF_ERROR_MEMORY;
}

static icf_status allocate_blocks(icf_group_share *s, icf_arena *arena, const icf_bodies *bodies)
{
    size_t ndof = 0, nmomentum = 0;
    for (icf_lid k = 0; k < s->nbody; ++k) {
        ndof += (size_t)icf_bodies_dofs(bodies, s->body[k]);
        nmomentum += icf_body_momentum_size(bodies, s->body[k]);
    }
    s->gid = ICF_ARENA_ARRAY(arena, icf_gid, s->nblock);
    s->owner = ICF_ARENA_ARRAY(arena, int, s->nblock);
    s->dof = ICF_ARENA_ARRAY(arena, int32_t, s->nblock + 1);
    s->momentum = ICF_ARENA_ARRAY(arena, double, nmomentum);
    s->mesh = ICF_ARENA_ARRAY(arena, icf_momentum_mesh, s->nowned);
    s->v_star = ICF_ARENA_ARRAY(arena, double, ndof);
    s->v0 = ICF_ARENA_ARRAY(arena, double, ndof);
    s->v = ICF_ARENA_ARRAY(arena, double, ndof);
    const bool complete = s->gid && s->owner && s->dof && s->momentum && s->mesh && s->v_star && s->v0 && s->v;
    if (!complete) return ICF_ERROR_MEMORY;
    memset(s->momentum, 0, nmomentum * sizeof *s->momentum);
    return ICF_OK;
}

/* The island's label of a local body, -1: in no island. */
static icf_gid label_of(const icf_domain *domain, const icf_components *components, icf_lid body)
{
    const icf_lid part = body < domain->bodies->nowned ? components->of_body[body] : domain->islands.of_body[body];
    return part < 0 ? -1 : components->label[part];
}

static void mark(icf_group_share *s, const icf_bodies *bodies, icf_pair pair)
{
    if (icf_bodies_moves(bodies, pair.a)) s->first[pair.a] = 0;
    if (icf_bodies_moves(bodies, pair.b)) s->first[pair.b] = 0;
}

static bool keeps(const icf_domain *domain, const icf_components *components, icf_gid label, icf_lid body)
{
    return body < domain->bodies->nowned && label_of(domain, components, body) == label;
}

/* Pairs and attachments of the island that this rank keeps: of a pair the owner of the first moving body, of an
 * attachment that of the deformable one.  The bodies that they touch get the mark 0 in first. */
static void choose_edges(icf_group_share *s, icf_domain *domain, const icf_components *components, icf_gid label)
{
    const icf_bodies *bodies = domain->bodies;
    s->npair = s->nlink = 0;
    for (icf_lid k = 0; k < domain->contacts.npair; ++k) {
        const icf_pair pair = domain->contacts.pair[k];
        if (!keeps(domain, components, label, icf_bodies_moves(bodies, pair.a) ? pair.a : pair.b)) continue;
        s->pair[s->npair++] = k;
        domain->drop[k] = false;
        mark(s, bodies, pair);
    }
    for (icf_lid k = 0; k < domain->attachments.npair; ++k) {
        const icf_pair pair = domain->attachments.pair[k];
        if (!keeps(domain, components, label, pair.b)) continue;
        s->link[s->nlink++] = k;
        domain->drop[domain->contacts.npair + k] = false;
        mark(s, bodies, pair);
    }
}

static void list_body(icf_group_share *s, const icf_bodies *bodies, icf_lid i)
{
    s->first[i] = s->nblock;
    s->body[s->nbody++] = i;
    s->nblock += icf_bodies_blocks(bodies, i);
}

/* Local indices ascend with global ids in each part, so the blocks do too. */
static void list_bodies(icf_group_share *s, const icf_domain *domain, const icf_components *components, icf_gid label)
{
    const icf_bodies *bodies = domain->bodies;
    s->nbody = s->nblock = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_moves(bodies, i) && label_of(domain, components, i) == label) list_body(s, bodies, i);
    s->nowned = s->nbody;
    s->nowned_block = s->nblock;
    for (icf_lid i = bodies->nowned; i < bodies->n; ++i)
        if (s->first[i] == 0) list_body(s, bodies, i);
}

/* A shadow's mass is its owner's business. */
static void fill_blocks(icf_group_share *s, const icf_domain *domain, const icf_halo *halo, const int *rank)
{
    const icf_bodies *bodies = domain->bodies;
    double *momentum = s->momentum;
    int32_t dof = 0;
    s->nmesh = 0;
    for (icf_lid k = 0; k < s->nbody; ++k) {
        const icf_lid i = s->body[k], first = s->first[i], n = icf_bodies_blocks(bodies, i);
        const bool owned = k < s->nowned;
        const int owner = place_of(rank, owned ? halo->context->rank : icf_halo_owner(halo, bodies, i));
        for (icf_lid b = 0; b < n; ++b) {
            s->gid[first + b] = (bodies->gid[i] << vertex_bits) + b;
            s->owner[first + b] = owner;
        }
        icf_body_put_velocities(&domain->motion, bodies, i, s->v_star + dof, s->v0 + dof);
        if (owned) icf_body_put_momentum(&domain->motion, bodies, i, momentum);
        if (owned && icf_bodies_is_deformable(bodies, i))
            s->mesh[s->nmesh++] = icf_body_momentum_mesh(&domain->motion, bodies, i, first);
        momentum += icf_body_momentum_size(bodies, i);
        dof = icf_body_number_dofs(bodies, i, dof, s->dof + first);
    }
}

icf_status icf_group_share_take(icf_group_share *s, icf_domain *domain, const icf_halo *halo,
                                const icf_components *components, const int *rank, icf_gid label, icf_arena *arena)
{
    const icf_bodies *bodies = domain->bodies;
    *s = (icf_group_share){0};
    ICF_TRY(allocate_bodies(s, arena, domain));
    for (icf_lid i = 0; i < bodies->n; ++i) s->first[i] = -1;
    choose_edges(s, domain, components, label);
    list_bodies(s, domain, components, label);
    ICF_TRY(allocate_blocks(s, arena, bodies));
    s->dof[0] = 0;
    fill_blocks(s, domain, halo, rank);
    return ICF_OK;
}
