/* Islands of a plan: where each is solved, what its factor costs, what its guests take on the way. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solver/linear_solver.h"
#include "step/distribute.h"
#include "step/plan_group.h"
#include "step/plan_private.h"

/* What a guest sends home: id and twist; what a shadow gets and returns in an iteration. */
enum { twist_bytes = sizeof(icf_gid) + 2 * sizeof(icf_vec3), velocity_bytes = 6 * sizeof(double) };

typedef struct island_work {
    icf_plan_work *work;
    icf_plan *plan;
    icf_linear_solver *solver;
    icf_plan_group group;
    icf_cnt *owned;                         /* (nrank) bodies of the present island, all 0 between islands */
    icf_lid *block;                         /* (bodies) block in its island */
    icf_lid *ptr, *idx;                     /* pattern of the present island */
    int32_t *dof;                           /* (largest + 1) */
    icf_plan_island at;                     /* the present island */
    icf_cnt npair;                          /* pairs of moving bodies in it */
    double values, iterations, evaluations; /* of its factor on one rank; of its solve */
} island_work;

/* The rank with most bodies, the lowest of equals. */
static void choose_solver(island_work *islands, const icf_lid *body, icf_lid n)
{
    const int *owner = islands->work->owner;
    icf_plan_island *at = &islands->at;
    icf_cnt most = 0;
    at->nrank = 0;
    for (icf_lid k = 0; k < n; ++k) at->nrank += islands->owned[owner[body[k]]]++ == 0;
    for (icf_lid k = 0; k < n; ++k) {
        const int rank = owner[body[k]];
        if (islands->owned[rank] < most || (islands->owned[rank] == most && rank >= at->solver)) continue;
        most = islands->owned[rank];
        at->solver = rank;
    }
    for (icf_lid k = 0; k < n; ++k) islands->owned[owner[body[k]]] = 0;
}

/* Lower triangle of the island's Hessian: pairs ascend by (column, row). */
static void build_pattern(island_work *islands, icf_lid island)
{
    const icf_islands *all = &islands->work->domain.islands;
    const icf_contacts *contacts = &islands->work->domain.contacts;
    const int *owner = islands->work->owner;
    const icf_lid first = all->body_ptr[island], n = all->body_ptr[island + 1] - first;
    for (icf_lid k = 0; k < n; ++k) islands->block[all->body[first + k]] = k;
    icf_lid entry = 0, column = 0;
    islands->ptr[0] = 0;
    islands->at.contacts = 0;
    for (icf_lid k = all->pair_ptr[island]; k < all->pair_ptr[island + 1]; ++k) {
        const icf_lid p = all->pair[k];
        const icf_pair pair = contacts->pair[p];
        islands->at.contacts += contacts->pair_begin[p + 1] - contacts->pair_begin[p];
        if (owner[pair.a] < 0 || owner[pair.b] < 0) continue;
        while (column < islands->block[pair.a]) islands->ptr[++column] = entry;
        islands->idx[entry++] = islands->block[pair.b];
    }
    while (column < n) islands->ptr[++column] = entry;
    islands->npair = entry;
}

/* Operations and values of the factor, as one rank or the group has it. */
static icf_status analyze(island_work *islands, icf_lid island)
{
    const icf_plan_work *work = islands->work;
    if (islands->at.grouped) {
        ICF_TRY(icf_plan_group_share(&islands->group, &work->domain.islands, island, work->owner,
                                     work->domain.contacts.pair));
        islands->at.flops = islands->group.symbolic.flops;
        return ICF_OK;
    }
    const icf_block_matrix matrix = {
        .nblock = (icf_lid)islands->at.bodies, .dof = islands->dof, .ptr = islands->ptr, .idx = islands->idx};
    ICF_TRY(icf_linear_solver_analyze(islands->solver, &matrix));
    islands->at.flops = icf_linear_solver_flops(islands->solver);
    islands->values = icf_linear_solver_values(islands->solver);
    return islands->at.flops >= 0.0 && islands->values >= 0.0 ? ICF_OK : ICF_ERROR_MEMORY;
}

/* What solving the island takes: as it was solved, or as the settings say. */
static void set_work(island_work *islands, icf_lid island)
{
    const icf_plan_settings *settings = islands->work->settings;
    islands->iterations = settings->iterations;
    islands->evaluations = settings->iterations * settings->evaluations;
    if (islands->work->solved) {
        islands->iterations = islands->work->domain.result[island].iterations;
        islands->evaluations = islands->work->domain.result[island].line_search;
    }
    islands->at.iterations = (int)islands->iterations;
}

/* Contacts to the rank that solves them; the start is evaluated too. */
static void add_contacts(const island_work *islands, int rank, icf_cnt n)
{
    icf_rank_load *load = &islands->plan->load[rank];
    load->contacts += n;
    load->all_contacts += (islands->iterations + 1.0) * (double)n;
    load->all_evaluations += islands->evaluations * (double)n;
}

static void add_bodies(const island_work *islands, int rank, icf_cnt n)
{
    icf_rank_load *load = &islands->plan->load[rank];
    load->island_bodies += n;
    load->all_bodies += (islands->iterations + 1.0) * (double)n;
}

/* A factor, or a rank's share in one: operations and values; the pattern is that of the whole island. */
static void add_factor(const island_work *islands, int rank, double flops, double values)
{
    icf_rank_load *load = &islands->plan->load[rank];
    load->flops += flops;
    load->values += values;
    load->all_flops += islands->iterations * flops;
    load->all_values += islands->iterations * values;
    load->analyzed += islands->at.bodies;
    load->largest_flops = fmax(load->largest_flops, flops);
    load->largest_values = fmax(load->largest_values, values);
    load->largest_analyzed = ICF_MAX(load->largest_analyzed, islands->at.bodies + islands->npair);
}

static void add_island(island_work *islands)
{
    const icf_plan_island *at = &islands->at;
    icf_rank_load *load = &islands->plan->load[at->solver];
    add_contacts(islands, at->solver, at->contacts);
    add_bodies(islands, at->solver, at->bodies);
    add_factor(islands, at->solver, at->flops, islands->values);
    load->pairs += islands->npair;
    load->largest_bodies = ICF_MAX(load->largest_bodies, at->bodies);
    load->largest_pairs = ICF_MAX(load->largest_pairs, islands->npair);
    load->guests += at->nrank > 1 ? at->bodies : 0;
    load->guest_contacts += at->nrank > 1 ? at->contacts : 0;
}

/* ---- groups ---- */

/* Values that a rank of a group keeps for a share of the factor: with it the updates of its subtrees and of shared
 * fronts, each in their own memory, and the matrix as it is made, sent and received. */
static double group_memory(const island_work *islands, double share)
{
    const icf_symbolic *symbolic = &islands->group.symbolic;
    const double blocks = (double)(islands->at.bodies + islands->npair);
    return share * (double)(symbolic->nvalue + 2 * symbolic->nstack) + 3.0 * 36.0 * blocks / islands->group.nrank;
}

/* Each rank of a group keeps its bodies of the island and has its share in the factor.  It waits for the group's sums:
 * three an iteration and one an evaluation of l'. */
static void share_factor(island_work *islands, const icf_lid *body, icf_lid n)
{
    const icf_plan_group *group = &islands->group;
    const double sums = ceil(log2(group->nrank)) * (3.0 * islands->iterations + islands->evaluations);
    double all = 0.0;
    for (int r = 0; r < group->nrank; ++r) all += group->load[r].values;
    for (icf_lid k = 0; k < n; ++k) add_bodies(islands, islands->work->owner[body[k]], 1);
    for (int r = 0; r < group->nrank; ++r) {
        const icf_front_load *share = &group->load[r];
        icf_rank_load *load = &islands->plan->load[group->rank[r]];
        add_factor(islands, group->rank[r], share->flops, share->values);
        load->largest_values = fmax(load->largest_values, group_memory(islands, share->values / all));
        load->waits += sums;
        load->group_messages += islands->iterations * (double)share->messages;
        load->group_values += islands->iterations * (share->strips + 0.5 * share->updates);
        load->updates += islands->iterations * share->updates;
    }
}

/* A contact belongs to the owner of its first moving body; the other's velocity comes, its impulse goes home. */
static icf_status share_contacts(island_work *islands, icf_lid island)
{
    const icf_islands *all = &islands->work->domain.islands;
    const icf_contacts *contacts = &islands->work->domain.contacts;
    const int *owner = islands->work->owner;
    icf_traffic *traffic = &islands->work->traffic;
    for (icf_lid k = all->pair_ptr[island]; k < all->pair_ptr[island + 1]; ++k) {
        const icf_lid p = all->pair[k];
        const int a = owner[contacts->pair[p].a], b = owner[contacts->pair[p].b];
        add_contacts(islands, a >= 0 ? a : b, contacts->pair_begin[p + 1] - contacts->pair_begin[p]);
        if (a < 0 || b < 0) continue;
        ++islands->plan->load[a].pairs;
        ICF_TRY(icf_traffic_add(traffic, b, a, velocity_bytes));
        ICF_TRY(icf_traffic_add(traffic, a, b, velocity_bytes));
    }
    return icf_traffic_end(traffic, llround(islands->iterations));
}

static icf_status add_group(island_work *islands, icf_lid island)
{
    const icf_islands *all = &islands->work->domain.islands;
    const icf_lid first = all->body_ptr[island];
    share_factor(islands, all->body + first, all->body_ptr[island + 1] - first);
    return share_contacts(islands, island);
}

/* ---- all islands ---- */

/* Keeps the largest islands, by bodies, then by id. */
static void keep_largest(icf_plan *plan, const icf_plan_island *at)
{
    int k = plan->nlargest;
    if (k == ICF_PLAN_ISLANDS && at->bodies <= plan->largest[k - 1].bodies) return;
    if (k == ICF_PLAN_ISLANDS) --k;
    for (; k > 0 && plan->largest[k - 1].bodies < at->bodies; --k) plan->largest[k] = plan->largest[k - 1];
    plan->largest[k] = *at;
    plan->nlargest = ICF_MIN(plan->nlargest + 1, ICF_PLAN_ISLANDS);
}

static icf_status place_island(island_work *islands, icf_lid island)
{
    const icf_islands *all = &islands->work->domain.islands;
    const icf_bodies *bodies = islands->work->domain.bodies;
    const icf_lid first = all->body_ptr[island], n = all->body_ptr[island + 1] - first;
    islands->at = (icf_plan_island){.id = bodies->gid[all->body[first]], .bodies = n, .solver = INT32_MAX};
    choose_solver(islands, all->body + first, n);
    islands->at.grouped = islands->at.nrank > 1 && n >= icf_gather_below(islands->work->input.scene);
    islands->work->group[island] = islands->at.grouped ? islands->at.nrank : 0;
    build_pattern(islands, island);
    ICF_TRY(analyze(islands, island));
    set_work(islands, island);
    ++islands->plan->load[islands->at.solver].islands;
    islands->plan->load[islands->at.solver].spanning += islands->at.nrank > 1;
    if (islands->at.grouped)
        ICF_TRY(add_group(islands, island));
    else
        add_island(islands);
    keep_largest(islands->plan, &islands->at);
    return ICF_OK;
}

static icf_status allocate(island_work *islands)
{
    icf_plan_work *work = islands->work;
    const icf_islands *all = &work->domain.islands;
    const size_t nrank = (size_t)work->settings->nrank;
    icf_lid bodies = 0, pairs = 0;
    for (icf_lid k = 0; k < all->n; ++k) {
        bodies = ICF_MAX(bodies, all->body_ptr[k + 1] - all->body_ptr[k]);
        pairs = ICF_MAX(pairs, all->pair_ptr[k + 1] - all->pair_ptr[k]);
    }
    islands->owned = ICF_ARENA_ARRAY(&work->arena, icf_cnt, nrank);
    islands->block = ICF_ARENA_ARRAY(&work->arena, icf_lid, work->domain.bodies->n);
    islands->ptr = ICF_ARENA_ARRAY(&work->arena, icf_lid, bodies + 1);
    islands->idx = ICF_ARENA_ARRAY(&work->arena, icf_lid, pairs);
    islands->dof = ICF_ARENA_ARRAY(&work->arena, int32_t, bodies + 1);
    if (!islands->owned || !islands->block || !islands->ptr || !islands->idx || !islands->dof) return ICF_ERROR_MEMORY;
    memset(islands->owned, 0, nrank * sizeof *islands->owned);
    for (icf_lid k = 0; k <= bodies; ++k) islands->dof[k] = 6 * k;
    ICF_TRY(icf_plan_group_init(&islands->group, &work->arena, work->domain.bodies->n, bodies, pairs,
                                work->settings->nrank));
    return icf_linear_solver_create(ICF_LINEAR_BLOCK, work->context, &islands->solver);
}

/* Bodies of islands over several ranks to where they are solved, and twists home. */
static icf_status count_guests(island_work *islands, const int *solver)
{
    icf_plan_work *work = islands->work;
    const icf_islands *all = &work->domain.islands;
    for (int back = 0; back < 2; ++back) {
        for (icf_lid k = 0; k < all->body_ptr[all->n]; ++k) {
            const icf_lid body = all->body[k];
            const int owner = work->owner[body], guest = solver[all->of_body[body]];
            if (guest < 0) continue;
            if (!back)
                ICF_TRY(
                    icf_traffic_add(&work->traffic, owner, guest, icf_body_message_bytes(work->domain.bodies, body)));
            if (back) ICF_TRY(icf_traffic_add(&work->traffic, guest, owner, twist_bytes));
        }
        ICF_TRY(icf_traffic_end(&work->traffic, 1));
    }
    return ICF_OK;
}

static icf_status place_all(island_work *islands)
{
    const icf_lid n = islands->work->domain.islands.n;
    int *solver = ICF_ARENA_ARRAY(&islands->work->arena, int, n);
    islands->work->group = ICF_ARENA_ARRAY(&islands->work->arena, int, n);
    if (!solver || !islands->work->group) return ICF_ERROR_MEMORY;
    ICF_TRY(allocate(islands));
    for (icf_lid island = 0; island < n; ++island) {
        ICF_TRY(place_island(islands, island));
        solver[island] = islands->at.grouped ? -1 : islands->at.solver;
    }
    return count_guests(islands, solver);
}

icf_status icf_plan_place_islands(icf_plan_work *work, icf_plan *plan)
{
    island_work islands = {.work = work, .plan = plan};
    const icf_status status = place_all(&islands);
    icf_linear_solver_destroy(&islands.solver);
    icf_plan_group_clear(&islands.group);
    return status;
}
