/* Islands solved by groups of ranks. */
#include "step/group_solve.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "step/group_share.h"
#include "step/problem_body.h"

/* A set of ranks, with what is kept for it. */
typedef struct rank_set {
    struct rank_set *next;
    MPI_Comm comm;
    icf_group_solver *solver;
    int n;
    int rank[]; /* ascending, in the context's communicator */
} rank_set;

/* A body in a solved island, of this rank or its ghost. */
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

/* ---- solve ---- */

/* Forces of this rank's contacts on supported vertices of other ranks' bodies go to their owners, in the dofs of the
 * bodies' first vertices.
 *   carried [out] (dofs) */
static void carry_home(icf_group_islands *groups, const icf_group_share *s, const icf_domain *domain, double dt,
                       double *carried)
{
    memset(carried, 0, (size_t)s->dof[s->nblock] * sizeof *carried);
    for (icf_lid k = 0; k < s->npair; ++k) {
        const icf_pair pair = domain->contacts.pair[s->pair[k]];
        const icf_lid side[2] = {pair.a, pair.b};
        for (int e = 0; e < 2; ++e) {
            if (side[e] < domain->bodies->nowned || !icf_bodies_is_deformable(domain->bodies, side[e])) continue;
            if (icf_split_motions_get(&domain->split, domain->bodies, side[e])) continue;
            const icf_vec3 force = icf_domain_supported_force(domain, s->pair[k], e, dt);
            double *sum = carried + s->dof[s->first[side[e]]];
            sum[0] += force.x, sum[1] += force.y, sum[2] += force.z;
        }
    }
    icf_group_to_owners(&groups->group, carried);
}

/* Keeps the velocities of the bodies here, ghosts included: contacts are measured by them. */
static icf_status keep_solution(icf_group_islands *groups, const icf_group_share *s, const icf_bodies *bodies,
                                const double *carried)
{
    const size_t ndof = (size_t)s->dof[s->nblock];
    ICF_TRY(ICF_GROW(groups->solved, groups->solved_capacity, groups->nsolved + (size_t)s->nbody));
    ICF_TRY(ICF_GROW(groups->velocity, groups->velocity_capacity, groups->nvelocity + ndof));
    for (icf_lid k = 0; k < s->nbody; ++k) {
        const icf_lid i = s->body[k];
        const int32_t dof = s->dof[s->first[i]];
        solved_body *solved = &groups->solved[groups->nsolved++];
        *solved = (solved_body){.body = i, .at = groups->nvelocity + (size_t)dof};
        if (k < s->nowned && icf_bodies_is_deformable(bodies, i) && !(s->vertex_block && s->vertex_block[i]))
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
    stats->pcg += result->pcg;
    stats->roundoff += result->roundoff;
    stats->cost += result->cost;
    stats->contact_cost += result->contact_cost;
}

/* links [in] whether a rank of the group has attachments */
static icf_problem make_problem(icf_group_islands *groups, const icf_group_share *s, icf_domain *domain,
                                const rank_set *set, const icf_solver_settings *settings, bool links,
                                icf_problem_families *families)
{
    icf_contact_constraints_init(&families->contact, domain->bodies, &domain->contacts, s->npair, s->pair, s->first,
                                 s->dof, domain->iterates);
    icf_attachment_constraints_init(&families->attachment, domain->bodies, &domain->attachments, s->nlink, s->link,
                                    s->first, s->dof);
    families->contact.vertex_block = families->attachment.vertex_block = (const icf_lid *const *)s->vertex_block;
    return (icf_problem){.nblock = s->nblock,
                         .dof = s->dof,
                         .momentum = s->momentum,
                         .nmesh = s->nmesh,
                         .mesh = s->mesh,
                         .v_star = s->v_star,
                         .v0 = s->v0,
                         .conjugate = settings->linear == ICF_LINEAR_AUTO,
                         .nfamily = links ? 2 : 1,
                         .family = {&families->contact.base, &families->attachment.base},
                         .group = &groups->group,
                         .group_solver = set->solver};
}

static icf_status solve_share(icf_group_islands *groups, icf_group_share *s, icf_domain *domain, const rank_set *set,
                              const icf_step_input *input, icf_status status, icf_step_stats *stats)
{
    icf_problem_families families;
    icf_newton_result result;
    if (status == ICF_OK && !groups->newton) status = icf_newton_create(groups->context, &groups->newton);
    const icf_group early = {.comm = set->comm};
    ICF_TRY(icf_group_agree(&early, status));
    ICF_TRY(icf_group_build(&groups->group, set->comm, s->nblock, s->nowned_block, s->gid, s->dof, s->owner));
    double total[3] = {s->dof[s->nowned_block], s->nmesh, s->nlink}; /* dofs, deformable bodies, attachments */
    icf_group_sum(&groups->group, total, 3);
    const icf_solver_settings *settings = &input->scene->solver;
    const icf_problem problem = make_problem(groups, s, domain, set, settings, total[2] > 0.0, &families);
    ICF_TRY(icf_newton_solve(groups->newton, settings, settings->linear, &problem, s->v, &result));
    count(&groups->group, &result, total[0], stats);
    double *carried = s->v_star; /* has served */
    if (total[1] > 0.0) carry_home(groups, s, domain, input->dt, carried);
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
    const icf_lid n = list ? list_parts(list, components, placement) : 0;
    ICF_TRY(icf_agree(input->context, status));
    icf_status worst = ICF_OK;
    for (icf_lid k = 0; k < n; ++k) {
        const icf_lid part = list[k].part, first = placement->group_ptr[part];
        rank_set *set;
        icf_group_share s;
        ICF_TRY(find_set(groups, placement->group + first, placement->group_ptr[part + 1] - first, &set));
        status = icf_group_share_take(&s, domain, halo, components, set->rank, list[k].label, input->arena);
        /* the other groups of this rank wait for it, so it goes on after a failure */
        status = solve_share(groups, &s, domain, set, input, status, stats);
        if (status != ICF_OK && worst == ICF_OK) worst = status;
    }
    return worst;
}

void icf_group_islands_set_split(const icf_group_islands *groups, icf_domain *domain)
{
    for (size_t k = 0; k < groups->nsolved; ++k) {
        icf_deformable_motion *motion = icf_split_motions_get(&domain->split, domain->bodies, groups->solved[k].body);
        if (!motion) continue;
        const double *v = groups->velocity + groups->solved[k].at;
        for (icf_lid i = 0; i < motion->split->nown; ++i, v += 3)
            if (icf_deformable_is_free(motion->surface.deformable, motion->split->vertex[i]))
                motion->v1[motion->split->vertex[i]] = icf_vec3_make(v[0], v[1], v[2]);
    }
}

void icf_group_islands_set(const icf_group_islands *groups, icf_domain *domain)
{
    for (size_t k = 0; k < groups->nsolved; ++k)
        if (!icf_split_motions_get(&domain->split, domain->bodies, groups->solved[k].body))
            icf_domain_set_body(domain, groups->solved[k].body, groups->velocity + groups->solved[k].at);
}

void icf_group_islands_react(const icf_group_islands *groups, icf_domain *domain)
{
    for (size_t k = 0; domain->reaction && k < groups->nsolved; ++k) {
        icf_vec3 *reaction = &domain->reaction[groups->solved[k].body];
        *reaction = icf_sub(*reaction, groups->solved[k].carried);
    }
}
