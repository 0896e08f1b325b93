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
    if (!s->body || !s->first || !s->pair || !s->link) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < nbody; ++i) s->first[i] = -1;
    if (domain->split.n == 0) return ICF_OK;
    s->vertex_block = icf_arena_alloc(arena, (size_t)nbody * sizeof *s->vertex_block);
    if (!s->vertex_block) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < nbody; ++i) s->vertex_block[i] = NULL;
    return ICF_OK;
}

static icf_status allocate_blocks(icf_group_share *s, icf_arena *arena, size_t ndof, size_t nmomentum)
{
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

static icf_deformable_motion *shared_motion(const icf_domain *domain, icf_lid i)
{
    return icf_split_motions_get(&domain->split, domain->bodies, i);
}

static bool keeps(const icf_domain *domain, const icf_components *components, icf_gid label, icf_lid body)
{
    return body < domain->bodies->nowned && label_of(domain, components, body) == label;
}

/* Contacts of a shared body are those of this rank's sample points. */
static bool keeps_pair(const icf_domain *domain, const icf_components *components, icf_gid label, icf_pair pair)
{
    if (shared_motion(domain, pair.a) || shared_motion(domain, pair.b))
        return label_of(domain, components, pair.b) == label;
    return keeps(domain, components, label, icf_bodies_moves(domain->bodies, pair.a) ? pair.a : pair.b);
}

/* Pairs and attachments of the island that this rank keeps: of a pair the owner of the first moving body, of an
 * attachment that of the deformable one.  The bodies that they touch get the mark 0 in first. */
static void choose_edges(icf_group_share *s, icf_domain *domain, const icf_components *components, icf_gid label)
{
    const icf_bodies *bodies = domain->bodies;
    s->npair = s->nlink = 0;
    for (icf_lid k = 0; k < domain->contacts.npair; ++k) {
        const icf_pair pair = domain->contacts.pair[k];
        if (!keeps_pair(domain, components, label, pair)) continue;
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

/* Blocks of a body that this rank moves. */
static icf_lid own_blocks(const icf_domain *domain, icf_lid i)
{
    const icf_deformable_motion *motion = shared_motion(domain, i);
    return motion ? motion->split->nown : icf_bodies_blocks(domain->bodies, i);
}

static void list_body(icf_group_share *s, const icf_domain *domain, icf_lid i)
{
    s->first[i] = s->nblock;
    s->body[s->nbody++] = i;
    s->nblock += own_blocks(domain, i);
}

/* The next shared body among the ghosts from i on. */
static icf_lid next_shared(const icf_domain *domain, icf_lid i)
{
    while (i < domain->bodies->n && !shared_motion(domain, i)) ++i;
    return i;
}

/* Local indices ascend with global ids in each part, so the blocks do too. */
static void list_owned(icf_group_share *s, const icf_domain *domain, const icf_components *components, icf_gid label)
{
    const icf_bodies *bodies = domain->bodies;
    s->nbody = s->nblock = 0;
    icf_lid ghost = next_shared(domain, bodies->nowned);
    for (icf_lid i = 0; i <= bodies->nowned; ++i) {
        for (; ghost < bodies->n && (i == bodies->nowned || bodies->gid[ghost] < bodies->gid[i]);
             ghost = next_shared(domain, ghost + 1))
            if (label_of(domain, components, ghost) == label) list_body(s, domain, ghost);
        if (i < bodies->nowned && icf_bodies_moves(bodies, i) && label_of(domain, components, i) == label)
            list_body(s, domain, i);
    }
    s->nowned = s->nbody;
    s->nowned_block = s->nblock;
}

static void list_shadows(icf_group_share *s, const icf_domain *domain)
{
    for (icf_lid i = domain->bodies->nowned; i < domain->bodies->n; ++i)
        if (s->first[i] == 0 && !shared_motion(domain, i)) list_body(s, domain, i);
}

/* ---- vertices of shared bodies ---- */

enum { NONE = -1, WANTED = -2 };

static void want(icf_lid *block, icf_lid vertex)
{
    if (block[vertex] == NONE) block[vertex] = WANTED;
}

/* Marks the vertices that carry this rank's contacts and attachments. */
static void want_carriers(icf_group_share *s, const icf_domain *domain)
{
    const icf_contacts *contacts = &domain->contacts;
    const icf_attachments *attachments = &domain->attachments;
    for (icf_lid k = 0; k < s->npair; ++k) {
        const icf_pair pair = contacts->pair[s->pair[k]];
        const icf_lid side[2] = {pair.a, pair.b};
        for (int e = 0; e < 2; ++e)
            for (icf_lid i = contacts->pair_begin[s->pair[k]];
                 i < contacts->pair_begin[s->pair[k] + 1] && s->vertex_block[side[e]]; ++i)
                for (int v = 0; v < contacts->support[i][e].n; ++v)
                    want(s->vertex_block[side[e]], contacts->support[i][e].vertex[v]);
    }
    for (icf_lid k = 0; k < s->nlink; ++k) {
        icf_lid *block = s->vertex_block[attachments->pair[s->link[k]].b];
        for (icf_lid i = attachments->begin[s->link[k]]; i < attachments->begin[s->link[k] + 1] && block; ++i)
            want(block, attachments->held[i].vertex);
    }
}

/* Numbers the blocks of the vertices of shared bodies: own ones stand already, shadows come last. */
static icf_status list_vertices(icf_group_share *s, const icf_domain *domain, icf_arena *arena)
{
    if (!s->vertex_block) return ICF_OK;
    for (icf_lid k = 0; k < s->nowned; ++k) {
        const icf_deformable_motion *motion = shared_motion(domain, s->body[k]);
        if (!motion) continue;
        const icf_split_mesh *split = motion->split;
        icf_lid *block = s->vertex_block[s->body[k]] = ICF_ARENA_ARRAY(arena, icf_lid, split->nvertex);
        if (!block) return ICF_ERROR_MEMORY;
        for (icf_lid v = 0; v < split->nvertex; ++v) block[v] = NONE;
        for (icf_lid v = 0; v < split->nown; ++v) block[split->vertex[v]] = s->first[s->body[k]] + v;
        for (icf_lid v = split->nown; v < split->nown + split->nrim; ++v) want(block, split->vertex[v]);
    }
    want_carriers(s, domain);
    for (icf_lid k = 0; k < s->nowned; ++k) {
        const icf_deformable_motion *motion = shared_motion(domain, s->body[k]);
        for (icf_lid v = 0; motion && v < motion->split->nvertex; ++v)
            if (s->vertex_block[s->body[k]][v] == WANTED) s->vertex_block[s->body[k]][v] = s->nblock++;
    }
    return ICF_OK;
}

/* ---- values ---- */

static void number_dofs(icf_group_share *s, const icf_domain *domain)
{
    int32_t dof = 0;
    icf_lid block = 0;
    for (icf_lid k = 0; k < s->nbody; ++k) {
        const int32_t width = icf_bodies_is_deformable(domain->bodies, s->body[k]) ? 3 : 6;
        for (icf_lid n = own_blocks(domain, s->body[k]); n > 0; --n, dof += width) s->dof[block++] = dof;
    }
    for (; block < s->nblock; dof += 3) s->dof[block++] = dof;
    s->dof[s->nblock] = dof;
}

/* Vertices of a shared body, own and shadows. */
static void fill_shared(icf_group_share *s, const icf_domain *domain, const int *rank, icf_lid i)
{
    const icf_deformable_motion *motion = shared_motion(domain, i);
    const icf_lid *block = s->vertex_block[i];
    for (icf_lid v = 0; v < motion->split->nvertex; ++v) {
        if (block[v] == NONE) continue;
        s->gid[block[v]] = (domain->bodies->gid[i] << vertex_bits) + v;
        s->owner[block[v]] = place_of(rank, motion->split->owner[v]);
        icf_body_put_vertex(motion, v, s->v_star + s->dof[block[v]], s->v0 + s->dof[block[v]]);
    }
}

/* A body with all its blocks, whoever owns it. */
static void fill_body(icf_group_share *s, const icf_domain *domain, const icf_halo *halo, const int *rank, icf_lid i)
{
    const icf_bodies *bodies = domain->bodies;
    const icf_lid first = s->first[i];
    const int owner = place_of(rank, icf_halo_owner(halo, bodies, i));
    for (icf_lid b = 0; b < icf_bodies_blocks(bodies, i); ++b) {
        s->gid[first + b] = (bodies->gid[i] << vertex_bits) + b;
        s->owner[first + b] = owner;
    }
    icf_body_put_velocities(&domain->motion, bodies, i, s->v_star + s->dof[first], s->v0 + s->dof[first]);
}

/* A of the owned blocks; a shadow's mass is its owner's business. */
static icf_status fill_momentum(icf_group_share *s, const icf_domain *domain, icf_arena *arena)
{
    const icf_bodies *bodies = domain->bodies;
    double *momentum = s->momentum;
    s->nmesh = 0;
    for (icf_lid k = 0; k < s->nowned; ++k) {
        const icf_lid i = s->body[k];
        const icf_deformable_motion *motion = shared_motion(domain, i);
        if (motion) {
            icf_lid *rim = ICF_ARENA_ARRAY(arena, icf_lid, motion->split->nrim);
            if (!rim) return ICF_ERROR_MEMORY;
            s->mesh[s->nmesh++] = icf_body_put_shared(motion, s->first[i], s->vertex_block[i], momentum, rim);
            momentum += 9 * (size_t)motion->split->nown;
            continue;
        }
        icf_body_put_momentum(&domain->motion, bodies, i, momentum);
        if (icf_bodies_is_deformable(bodies, i))
            s->mesh[s->nmesh++] = icf_body_momentum_mesh(&domain->motion, bodies, i, s->first[i]);
        momentum += icf_body_momentum_size(bodies, i);
    }
    return ICF_OK;
}

/* Numbers of dofs and of values of the diagonal blocks. */
static void count_values(const icf_group_share *s, const icf_domain *domain, size_t *ndof, size_t *nmomentum)
{
    size_t nlisted = 0;
    *ndof = *nmomentum = 0;
    for (icf_lid k = 0; k < s->nbody; ++k) {
        const size_t n = (size_t)own_blocks(domain, s->body[k]);
        const size_t width = icf_bodies_is_deformable(domain->bodies, s->body[k]) ? 3 : 6;
        nlisted += n;
        *ndof += width * n;
        *nmomentum += width * width * n;
    }
    *ndof += 3 * ((size_t)s->nblock - nlisted);
    *nmomentum += 9 * ((size_t)s->nblock - nlisted);
}

icf_status icf_group_share_take(icf_group_share *s, icf_domain *domain, const icf_halo *halo,
                                const icf_components *components, const int *rank, icf_gid label, icf_arena *arena)
{
    *s = (icf_group_share){0};
    ICF_TRY(allocate_bodies(s, arena, domain));
    choose_edges(s, domain, components, label);
    list_owned(s, domain, components, label);
    list_shadows(s, domain);
    ICF_TRY(list_vertices(s, domain, arena));
    size_t ndof, nmomentum;
    count_values(s, domain, &ndof, &nmomentum);
    ICF_TRY(allocate_blocks(s, arena, ndof, nmomentum));
    number_dofs(s, domain);
    for (icf_lid k = 0; k < s->nbody; ++k) {
        if (shared_motion(domain, s->body[k]))
            fill_shared(s, domain, rank, s->body[k]);
        else
            fill_body(s, domain, halo, rank, s->body[k]);
    }
    return fill_momentum(s, domain, arena);
}
