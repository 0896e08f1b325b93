/* Islands solved by groups of ranks. */
#include "step/group_solve.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "solver/contact_constraints.h"

/* A set of ranks, with what is kept for it. */
typedef struct rank_set {
    struct rank_set *next;
    MPI_Comm comm;
    icf_group_solver *solver;
    int n;
    int rank[]; /* ascending, in the context's communicator */
} rank_set;

/* A body's solved twist. */
typedef struct solved_body {
    icf_lid body;
    double v[6];
} solved_body;

struct icf_group_islands {
    icf_context *context;
    rank_set *sets;
    icf_newton *newton;
    icf_group group;
    solved_body *solved;
    size_t nsolved, solved_capacity;
};

/* The island as this rank takes part in it; arrays from the arena. */
typedef struct share {
    icf_lid nblock, nowned, npair;
    icf_lid *body;  /* (nblock) owned by ascending id, then shadows by ascending id */
    icf_gid *gid;   /* (nblock) */
    int *owner;     /* (nblock) in the group's communicator */
    icf_lid *pair;  /* (npair) indices into the domain's pairs */
    icf_lid *block; /* (bodies) block of a local body, -1: none */
    int32_t *dof;
    icf_momentum_block *momentum;
    double *v_star, *v0, *v;
} share;

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

static icf_status allocate(share *s, icf_arena *arena, const icf_domain *domain)
{
    const icf_lid nbody = domain->bodies->n;
    s->body = ICF_ARENA_ARRAY(arena, icf_lid, nbody);
    s->gid = ICF_ARENA_ARRAY(arena, icf_gid, nbody);
    s->owner = ICF_ARENA_ARRAY(arena, int, nbody);
    s->pair = ICF_ARENA_ARRAY(arena, icf_lid, domain->contacts.npair);
    s->block = ICF_ARENA_ARRAY(arena, icf_lid, nbody);
    s->dof = ICF_ARENA_ARRAY(arena, int32_t, nbody + 1);
    s->momentum = ICF_ARENA_ARRAY(arena, icf_momentum_block, nbody);
    s->v_star = ICF_ARENA_ARRAY(arena, double, 6 * (size_t)nbody);
    s->v0 = ICF_ARENA_ARRAY(arena, double, 6 * (size_t)nbody);
    s->v = ICF_ARENA_ARRAY(arena, double, 6 * (size_t)nbody);
    const bool complete =
        s->body && s->gid && s->owner && s->pair && s->block && s->dof && s->momentum && s->v_star && s->v0 && s->v;
    return complete ? ICF_OK : ICF_ERROR_MEMORY;
}

/* The island's label of a local body, -1: in no island. */
static icf_gid label_of(const icf_domain *domain, const icf_components *components, icf_lid body)
{
    const icf_lid part = body < domain->bodies->nowned ? components->of_body[body] : domain->islands.of_body[body];
    return part < 0 ? -1 : components->label[part];
}

/* Pairs of the island that this rank keeps; the bodies that they touch get the mark 0 in block. */
static void choose_pairs(share *s, icf_domain *domain, const icf_components *components, icf_gid label)
{
    const icf_bodies *bodies = domain->bodies;
    s->npair = 0;
    for (icf_lid k = 0; k < domain->contacts.npair; ++k) {
        const icf_pair pair = domain->contacts.pair[k];
        const icf_lid first = icf_bodies_moves(bodies, pair.a) ? pair.a : pair.b;
        if (first >= bodies->nowned || label_of(domain, components, first) != label) continue;
        s->pair[s->npair++] = k;
        domain->drop[k] = false;
        if (icf_bodies_moves(bodies, pair.a)) s->block[pair.a] = 0;
        if (icf_bodies_moves(bodies, pair.b)) s->block[pair.b] = 0;
    }
}

static void store(icf_vec3 linear, icf_vec3 angular, double *out)
{
    const double twist[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(out, twist, sizeof twist);
}

/* Local indices ascend with global ids in each part, so the blocks do too. */
static void add_block(share *s, const icf_domain *domain, icf_lid i, int owner)
{
    const icf_lid k = s->nblock++;
    const icf_bodies *bodies = domain->bodies;
    s->block[i] = k;
    s->body[k] = i;
    s->gid[k] = bodies->gid[i];
    s->owner[k] = owner;
    s->dof[k + 1] = 6 * (k + 1);
    store(domain->motion.linear[i], domain->motion.angular[i], s->v_star + 6 * (size_t)k);
    store(bodies->linear_velocity[i], bodies->angular_velocity[i], s->v0 + 6 * (size_t)k);
    /* a shadow's mass is its owner's business */
    if (i < bodies->nowned)
        s->momentum[k] = domain->motion.momentum[i];
    else
        memset(&s->momentum[k], 0, sizeof s->momentum[k]);
}

static icf_status take_share(share *s, icf_domain *domain, const icf_halo *halo, const icf_components *components,
                             const rank_set *set, icf_gid label, icf_arena *arena)
{
    const icf_bodies *bodies = domain->bodies;
    *s = (share){0};
    ICF_TRY(allocate(s, arena, domain));
    for (icf_lid i = 0; i < bodies->n; ++i) s->block[i] = -1;
    choose_pairs(s, domain, components, label);
    s->dof[0] = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_moves(bodies, i) && label_of(domain, components, i) == label)
            add_block(s, domain, i, rank_in_set(set, halo->context->rank));
    s->nowned = s->nblock;
    for (icf_lid i = bodies->nowned; i < bodies->n; ++i)
        if (s->block[i] == 0) add_block(s, domain, i, rank_in_set(set, icf_halo_owner(halo, bodies, i)));
    return ICF_OK;
}

/* ---- solve ---- */

static icf_status keep_solution(icf_group_islands *groups, const share *s)
{
    ICF_TRY(ICF_GROW(groups->solved, groups->solved_capacity, groups->nsolved + (size_t)s->nowned));
    for (icf_lid k = 0; k < s->nowned; ++k) {
        solved_body *solved = &groups->solved[groups->nsolved++];
        solved->body = s->body[k];
        memcpy(solved->v, s->v + 6 * (size_t)k, sizeof solved->v);
    }
    return ICF_OK;
}

/* The group's first rank counts the island for all. */
static void count(const icf_group *group, const icf_newton_result *result, icf_step_stats *stats)
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
    stats->largest_island_dofs = ICF_MAX(stats->largest_island_dofs, 6 * group->nglobal);
    stats->line_search += result->line_search;
    stats->group_iterations += result->iterations;
    stats->group_sums += result->sums;
    stats->factorizations += result->factorizations;
    stats->roundoff += result->roundoff;
    stats->cost += result->cost;
    stats->contact_cost += result->contact_cost;
}

static icf_status solve_share(icf_group_islands *groups, share *s, icf_domain *domain, const rank_set *set,
                              const icf_step_input *input, icf_status status, icf_step_stats *stats)
{
    icf_contact_iterates iterates = {0};
    icf_contact_constraints family;
    if (status == ICF_OK)
        status = icf_contact_iterates_alloc(&iterates, input->arena, domain->contacts.npair, domain->contacts.n);
    if (status == ICF_OK && !groups->newton) status = icf_newton_create(groups->context, &groups->newton);
    const icf_group early = {.comm = set->comm};
    ICF_TRY(icf_group_agree(&early, status));
    ICF_TRY(icf_group_build(&groups->group, set->comm, s->nblock, s->nowned, s->gid, s->owner));
    icf_contact_constraints_init(&family, domain->bodies, &domain->contacts, s->npair, s->pair, s->block, s->dof,
                                 iterates);
    const icf_problem problem = {.nblock = s->nblock,
                                 .dof = s->dof,
                                 .momentum = s->momentum[0].a,
                                 .v_star = s->v_star,
                                 .v0 = s->v0,
                                 .nfamily = 1,
                                 .family = {&family.base},
                                 .group = &groups->group,
                                 .group_solver = set->solver};
    icf_newton_result result;
    ICF_TRY(
        icf_newton_solve(groups->newton, &input->scene->solver, input->scene->solver.linear, &problem, s->v, &result));
    count(&groups->group, &result, stats);
    return icf_group_agree(&groups->group, keep_solution(groups, s));
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
    groups->nsolved = 0;
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

void icf_group_islands_set(const icf_group_islands *groups, icf_bodies *bodies)
{
    for (size_t k = 0; k < groups->nsolved; ++k) {
        const solved_body *solved = &groups->solved[k];
        bodies->linear_velocity[solved->body] = icf_vec3_make(solved->v[0], solved->v[1], solved->v[2]);
        bodies->angular_velocity[solved->body] = icf_vec3_make(solved->v[3], solved->v[4], solved->v[5]);
    }
}
