/* Islands solved by groups of ranks. */
#include "step/group_solve.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "solver/attachment_constraints.h"
#include "solver/contact_constraints.h"
#include "step/problem_body.h"

/* A set of ranks, with what is kept for it. */
typedef struct rank_set {
    struct rank_set *next;
    MPI_Comm comm;
    icf_group_solver *solver;
    int n;
    int rank[]; /* ascending, in the context's communicator */
} rank_set;

/* A body of this rank in a solved island. */
typedef struct solved_body {
    icf_lid body;
    size_t at;        /* its dofs in velocity */
    icf_vec3 carried; /* force of other ranks' contacts on its supported vertices [N] */
} solved_body;

struct icf_group_islands {
    icf_context *context;
    rank_set *sets;
    icf_newton *newton;
    icf_group group;
    solved_body *solved;
    double *velocity;
    size_t nsolved, nvelocity, solved_capacity, velocity_capacity;
};

/* The island as this rank takes part in it; arrays from the arena. */
typedef struct share {
    icf_lid nbody, nowned; /* bodies, of which the first are owned */
    icf_lid *body;         /* (nbody) owned by ascending id, then those that shadows belong to by ascending id */
    icf_lid *first;        /* (local bodies) first block of a body, -1: none */
    icf_lid npair, nlink;
    icf_lid *pair, *link; /* indices into the domain's pairs and attachments */
    icf_lid nblock, nowned_block, nmesh;
    icf_gid *gid;     /* (nblock) 2^24 times the body's, and the vertex: meshes are smaller */
    int *owner;       /* (nblock) in the group's communicator */
    int32_t *dof;     /* (nblock + 1) */
    double *momentum; /* diagonal blocks of A; zero for shadows */
    icf_momentum_mesh *mesh;
    double *v_star, *v0, *v; /* (dofs) */
} share;

enum { vertex_bits = 24 };

icf_status icf_group_islands_create(icf_context *context, icf_group_islands **groups)
{
    *groups = icf_alloc(sizeof **groups);
    if (!*groups) return ICF_ERROR_MEMORY;
    **groups = (icf_group_islands){.context = context};
    icf_group_init(&(*groups)->group);
    return ICF_OK;
}

void icf_group_islands_destroy(icf_group_islands **groups)
{
    if (!*groups) return;
    for (rank_set *set = (*groups)->sets, *next; set; set = next) {
        next = set->next;
        icf_group_solver_destroy(&set->solver);
        MPI_Comm_free(&set->comm);
        icf_free(set);
    }
    icf_newton_destroy(&(*groups)->newton);
    icf_group_clear(&(*groups)->group);
    icf_free((*groups)->solved);
    icf_free((*groups)->velocity);
    ICF_FREE(*groups);
}

/* ---- ranks ---- */

/* The kept set of ranks; a new one gets a communicator.  Collective over these ranks. */
static icf_status find_set(icf_group_islands *groups, const int *rank, int n, rank_set **found)
{
    for (rank_set *set = groups->sets; set; set = set->next)
        if (set->n == n && memcmp(set->rank, rank, (size_t)n * sizeof *rank) == 0) {
            *found = set;
            return ICF_OK;
        }
    rank_set *set = icf_alloc(sizeof *set + (size_t)n * sizeof *rank);
    if (!set) return ICF_ERROR_MEMORY;
    *set = (rank_set){.next = groups->sets, .n = n};
    memcpy(set->rank, rank, (size_t)n * sizeof *rank);
    MPI_Group all, some;
    MPI_Comm_group(groups->context->comm, &all);
    MPI_Group_incl(all, n, rank, &some);
    ICF_MPI_WAIT(MPI_Comm_create_group(groups->context->comm, some, 0, &set->comm));
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    groups->sets = set;
    *found = set;
    return icf_group_solver_create(groups->context, set->comm, &set->solver);
}

static int rank_in_set(const rank_set *set, int rank)
{
    int k = 0;
    while (set->rank[k] != rank) ++k;
    return k;
}

/* ---- this rank's share ---- */

static icf_status allocate_bodies(share *s, icf_arena *arena, const icf_domain *domain)
{
    const icf_lid nbody = domain->bodies->n;
    s->body = ICF_ARENA_ARRAY(arena, icf_lid, nbody);
    s->first = ICF_ARENA_ARRAY(arena, icf_lid, nbody);
    s->pair = ICF_ARENA_ARRAY(arena, icf_lid, domain->contacts.npair);
    s->link = ICF_ARENA_ARRAY(arena, icf_lid, domain->attachments.npair);
    return s->body && s->first && s->pair && s->link ? ICF_OK : ICF_ERROR_MEMORY;
}

static icf_status allocate_blocks(share *s, icf_arena *arena, const icf_bodies *bodies)
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

static void mark(share *s, const icf_bodies *bodies, icf_pair pair)
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
static void choose_edges(share *s, icf_domain *domain, const icf_components *components, icf_gid label)
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

static void list_body(share *s, const icf_bodies *bodies, icf_lid i)
{
    s->first[i] = s->nblock;
    s->body[s->nbody++] = i;
    s->nblock += icf_bodies_blocks(bodies, i);
}

/* Local indices ascend with global ids in each part, so the blocks do too. */
static void list_bodies(share *s, const icf_domain *domain, const icf_components *components, icf_gid label)
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
static void fill_blocks(share *s, const icf_domain *domain, const icf_halo *halo, const rank_set *set)
{
    const icf_bodies *bodies = domain->bodies;
    double *momentum = s->momentum;
    int32_t dof = 0;
    s->nmesh = 0;
    for (icf_lid k = 0; k < s->nbody; ++k) {
        const icf_lid i = s->body[k], first = s->first[i], n = icf_bodies_blocks(bodies, i);
        const bool owned = k < s->nowned;
        const int owner = rank_in_set(set, owned ? halo->context->rank : icf_halo_owner(halo, bodies, i));
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

static icf_status take_share(share *s, icf_domain *domain, const icf_halo *halo, const icf_components *components,
                             const rank_set *set, icf_gid label, icf_arena *arena)
{
    const icf_bodies *bodies = domain->bodies;
    *s = (share){0};
    ICF_TRY(allocate_bodies(s, arena, domain));
    for (icf_lid i = 0; i < bodies->n; ++i) s->first[i] = -1;
    choose_edges(s, domain, components, label);
    list_bodies(s, domain, components, label);
    ICF_TRY(allocate_blocks(s, arena, bodies));
    s->dof[0] = 0;
    fill_blocks(s, domain, halo, set);
    return ICF_OK;
}

/* ---- solve ---- */

/* Forces of this rank's contacts on supported vertices of other ranks' bodies go to their owners, in the dofs of the
 * bodies' first vertices.
 *   carried [out] (dofs) */
static void carry_home(icf_group_islands *groups, const share *s, const icf_domain *domain, double dt, double *carried)
{
    memset(carried, 0, (size_t)s->dof[s->nblock] * sizeof *carried);
    for (icf_lid k = 0; k < s->npair; ++k) {
        const icf_pair pair = domain->contacts.pair[s->pair[k]];
        const icf_lid side[2] = {pair.a, pair.b};
        for (int e = 0; e < 2; ++e) {
            if (side[e] < domain->bodies->nowned || !icf_bodies_is_deformable(domain->bodies, side[e])) continue;
            const icf_vec3 force = icf_domain_supported_force(domain, s->pair[k], e, dt);
            double *sum = carried + s->dof[s->first[side[e]]];
            sum[0] += force.x, sum[1] += force.y, sum[2] += force.z;
        }
    }
    icf_group_to_owners(&groups->group, carried);
}

static icf_status keep_solution(icf_group_islands *groups, const share *s, const icf_bodies *bodies,
                                const double *carried)
{
    const size_t ndof = (size_t)s->dof[s->nowned_block];
    ICF_TRY(ICF_GROW(groups->solved, groups->solved_capacity, groups->nsolved + (size_t)s->nowned));
    ICF_TRY(ICF_GROW(groups->velocity, groups->velocity_capacity, groups->nvelocity + ndof));
    for (icf_lid k = 0; k < s->nowned; ++k) {
        const icf_lid i = s->body[k];
        const int32_t dof = s->dof[s->first[i]];
        solved_body *solved = &groups->solved[groups->nsolved++];
        *solved = (solved_body){.body = i, .at = groups->nvelocity + (size_t)dof};
        if (icf_bodies_is_deformable(bodies, i))
            solved->carried = icf_vec3_make(carried[dof], carried[dof + 1], carried[dof + 2]);
    }
    memcpy(groups->velocity + groups->nvelocity, s->v, ndof * sizeof *s->v);
    groups->nvelocity += ndof;
    return ICF_OK;
}

/* The group's first rank counts the island for all. */
static void count(const icf_group *group, const icf_newton_result *result, double ndof, icf_step_stats *stats)
{
    for (int phase = 0; phase < ICF_PHASE_COUNT; ++phase) stats->ms[phase] += 1e3 * result->seconds[phase];
    stats->momentum_residual = fmax(stats->momentum_residual, result->residual);
    stats->spread += result->spread;
    stats->messages += result->sent.messages;
    stats->bytes += result->sent.bytes;
    if (group->rank != 0) return;
    ++stats->islands;
    stats->iterations_mean += result->iterations;
    stats->iterations_max = ICF_MAX(stats->iterations_max, result->iterations);
    stats->largest_island_dofs = ICF_MAX(stats->largest_island_dofs, (icf_cnt)ndof);
    stats->line_search += result->line_search;
    stats->group_iterations += result->iterations;
    stats->group_sums += result->sums;
    stats->factorizations += result->factorizations;
    stats->roundoff += result->roundoff;
    stats->cost += result->cost;
    stats->contact_cost += result->contact_cost;
}

/* The families of a share. */
typedef struct share_families {
    icf_contact_constraints contact;
    icf_attachment_constraints attachment;
} share_families;

static icf_problem make_problem(icf_group_islands *groups, const share *s, icf_domain *domain, const rank_set *set,
                                icf_contact_iterates iterates, share_families *families)
{
    icf_contact_constraints_init(&families->contact, domain->bodies, &domain->contacts, s->npair, s->pair, s->first,
                                 s->dof, iterates);
    icf_attachment_constraints_init(&families->attachment, domain->bodies, &domain->attachments, s->nlink, s->link,
                                    s->first, s->dof);
    return (icf_problem){.nblock = s->nblock,
                         .dof = s->dof,
                         .momentum = s->momentum,
                         .nmesh = s->nmesh,
                         .mesh = s->mesh,
                         .v_star = s->v_star,
                         .v0 = s->v0,
                         .nfamily = 2,
                         .family = {&families->contact.base, &families->attachment.base},
                         .group = &groups->group,
                         .group_solver = set->solver};
}

static icf_status solve_share(icf_group_islands *groups, share *s, icf_domain *domain, const rank_set *set,
                              const icf_step_input *input, icf_status status, icf_step_stats *stats)
{
    icf_contact_iterates iterates = {0};
    share_families families;
    icf_newton_result result;
    if (status == ICF_OK)
        status = icf_contact_iterates_alloc(&iterates, input->arena, domain->contacts.npair, domain->contacts.n);
    if (status == ICF_OK && !groups->newton) status = icf_newton_create(groups->context, &groups->newton);
    const icf_group early = {.comm = set->comm};
    ICF_TRY(icf_group_agree(&early, status));
    ICF_TRY(icf_group_build(&groups->group, set->comm, s->nblock, s->nowned_block, s->gid, s->dof, s->owner));
    double ndof = s->dof[s->nowned_block];
    icf_group_sum(&groups->group, &ndof, 1);
    const icf_problem problem = make_problem(groups, s, domain, set, iterates, &families);
    ICF_TRY(
        icf_newton_solve(groups->newton, &input->scene->solver, input->scene->solver.linear, &problem, s->v, &result));
    count(&groups->group, &result, ndof, stats);
    double *carried = s->v_star; /* has served */
    carry_home(groups, s, domain, input->dt, carried);
    return icf_group_agree(&groups->group, keep_solution(groups, s, domain->bodies, carried));
}

/* Parts that belong to groups, one of each label, ascending. */
typedef struct grouped_part {
    icf_gid label;
    icf_lid part;
} grouped_part;

static int compare_label(const void *a, const void *b)
{
    const icf_gid x = ((const grouped_part *)a)->label, y = ((const grouped_part *)b)->label;
    return (x > y) - (x < y);
}

static icf_lid list_parts(grouped_part *list, const icf_components *components, const icf_placement *placement)
{
    icf_lid n = 0, kept = 0;
    for (icf_lid part = 0; part < components->npart; ++part)
        if (placement->group_ptr[part + 1] > placement->group_ptr[part])
            list[n++] = (grouped_part){components->label[part], part};
    if (n > 0) qsort(list, (size_t)n, sizeof *list, compare_label);
    for (icf_lid k = 0; k < n; ++k)
        if (k == 0 || list[k].label != list[k - 1].label) list[kept++] = list[k];
    return kept;
}

icf_status icf_group_islands_solve(icf_group_islands *groups, icf_domain *domain, const icf_halo *halo,
                                   const icf_components *components, const icf_placement *placement,
                                   const icf_step_input *input, icf_status status, icf_step_stats *stats)
{
    groups->nsolved = groups->nvelocity = 0;
    grouped_part *list = ICF_ARENA_ARRAY(input->arena, grouped_part, components->npart);
    if (!list) status = ICF_ERROR_MEMORY;
    ICF_TRY(icf_agree(input->context, status));
    const icf_lid n = list_parts(list, components, placement);
    icf_status worst = ICF_OK;
    for (icf_lid k = 0; k < n; ++k) {
        const icf_lid part = list[k].part, first = placement->group_ptr[part];
        rank_set *set;
        share s;
        ICF_TRY(find_set(groups, placement->group + first, placement->group_ptr[part + 1] - first, &set));
        status = take_share(&s, domain, halo, components, set, list[k].label, input->arena);
        /* the other groups of this rank wait for it, so it goes on after a failure */
        status = solve_share(groups, &s, domain, set, input, status, stats);
        if (status != ICF_OK && worst == ICF_OK) worst = status;
    }
    return worst;
}

void icf_group_islands_set(const icf_group_islands *groups, icf_domain *domain)
{
    for (size_t k = 0; k < groups->nsolved; ++k)
        icf_domain_set_body(domain, groups->solved[k].body, groups->velocity + groups->solved[k].at);
}

void icf_group_islands_react(const icf_group_islands *groups, icf_domain *domain)
{
    for (size_t k = 0; domain->reaction && k < groups->nsolved; ++k) {
        icf_vec3 *reaction = &domain->reaction[groups->solved[k].body];
        *reaction = icf_sub(*reaction, groups->solved[k].carried);
    }
}
