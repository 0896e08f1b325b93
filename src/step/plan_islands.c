/* Islands of a plan: where each is solved, what its factor costs, what its guests take on the way. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "solver/contact_constraints.h"
#include "solver/line_search.h"
#include "solver/linear_solver.h"
#include "step/distribute.h"
#include "step/plan_group.h"
#include "step/plan_private.h"

/* What a rigid guest sends home: id, twist and cost. */
enum { twist_bytes = sizeof(icf_gid) + 2 * sizeof(icf_vec3) + sizeof(double) };

typedef struct island_work {
    icf_plan_work *work;
    icf_plan *plan;
    icf_linear_solver *solver;
    icf_plan_group group;
    icf_plan_island at;                     /* the present island */
    bool soft;                              /* it has a deformable body */
    icf_cnt size;                           /* bodies that have as many degrees of freedom */
    icf_cnt npair;                          /* blocks of its pattern below the diagonal */
    double nvalue;                          /* values of its matrix */
    double again;                           /* operations of a factor after the first */
    double width;                           /* doubles that a value of the factor takes: 1/2 in single precision */
    double room;                            /* values of its factor on one rank and of the stacks */
    icf_cnt part;                           /* blocks of the largest part that it was solved by */
    double values, iterations, evaluations; /* of its factor on one rank; of its solve */
    double part_iterations, part_flops;     /* of parts: iterations of the whole that have as many blocks; operations */
    double all_flops, all_values;           /* of all factors on one rank: operations, and values solved with */
    icf_plan_solve solve;                   /* of the present island, where a group solves it */
} island_work;

/* Rigid bodies that have as many degrees of freedom. */
static icf_cnt sixes_of(const icf_bodies *bodies, icf_lid i)
{
    return (icf_bodies_dofs(bodies, i) + 5) / 6;
}

/* The rank with most degrees of freedom, of equals the one whose first body is the lowest: bodies ascend by id.
 *   owned [in,out] (nrank) scratch, all 0 */
static icf_plan_place choose_solver(const icf_plan_work *work, icf_cnt *owned, const icf_lid *body, icf_lid n)
{
    const int *owner = work->owner;
    const icf_bodies *bodies = work->domain.bodies;
    icf_plan_place place = {.borrower = -1};
    icf_cnt most = 0, all = 0;
    bool soft = false;
    for (icf_lid k = 0; k < n; ++k) {
        const icf_cnt sixes = sixes_of(bodies, body[k]);
        place.nrank += owned[owner[body[k]]] == 0;
        owned[owner[body[k]]] += sixes;
        all += sixes;
        soft = soft || icf_bodies_is_deformable(bodies, body[k]);
    }
    for (icf_lid k = 0; k < n; ++k) {
        const int rank = owner[body[k]];
        if (owned[rank] <= most) continue;
        most = owned[rank];
        place.solver = rank;
    }
    for (icf_lid k = 0; k < n; ++k) owned[owner[body[k]]] = 0;
    const icf_gather_below below = icf_find_gather_below(work->input.scene);
    place.soft = soft;
    place.grouped = place.nrank > 1 && all >= (soft ? below.soft : below.rigid);
    return place;
}

icf_status icf_plan_choose_solvers(icf_plan_work *work)
{
    const icf_islands *all = &work->domain.islands;
    const size_t nrank = (size_t)work->settings->nrank;
    icf_cnt *owned = ICF_ARENA_ARRAY(&work->arena, icf_cnt, nrank);
    work->place = ICF_ARENA_ARRAY(&work->arena, icf_plan_place, all->n);
    work->domain.as_group = ICF_ARENA_ARRAY(&work->arena, bool, all->n);
    work->domain.log = ICF_ARENA_ARRAY(&work->arena, icf_pattern_log, all->n);
    if (!owned || !work->place || !work->domain.as_group || !work->domain.log) return ICF_ERROR_MEMORY;
    memset(owned, 0, nrank * sizeof *owned);
    for (icf_lid island = 0; island < all->n; ++island) {
        const icf_lid first = all->body_ptr[island];
        work->place[island] = choose_solver(work, owned, all->body + first, all->body_ptr[island + 1] - first);
        work->domain.as_group[island] = work->place[island].grouped;
        work->domain.log[island] = (icf_pattern_log){0};
    }
    return ICF_OK;
}

/* Contacts of the island. */
static void count_contacts(island_work *islands, icf_lid island)
{
    const icf_islands *all = &islands->work->domain.islands;
    const icf_contacts *contacts = &islands->work->domain.contacts;
    islands->at.contacts = 0;
    for (icf_lid k = all->pair_ptr[island]; k < all->pair_ptr[island + 1]; ++k) {
        const icf_lid p = all->pair[k]; /* attachments are behind the pairs */
        if (p < contacts->npair) islands->at.contacts += contacts->pair_begin[p + 1] - contacts->pair_begin[p];
    }
}

/* Values of the lower blocks. */
static double count_values(const icf_block_matrix *pattern)
{
    const int32_t *dof = pattern->dof;
    double n = 0.0;
    for (icf_lid j = 0; j < pattern->nblock; ++j) {
        const double width = dof[j + 1] - dof[j];
        n += width * width;
        for (icf_lid e = pattern->ptr[j]; e < pattern->ptr[j + 1]; ++e)
            n += width * (dof[pattern->idx[e] + 1] - dof[pattern->idx[e]]);
    }
    return n;
}

/* Operations and values of the factor, as one rank or the group has it. */
static icf_status analyze(island_work *islands, const icf_plan_view *view, const icf_block_matrix *pattern)
{
    islands->size = (pattern->dof[pattern->nblock] + 5) / 6;
    islands->npair = pattern->ptr[pattern->nblock];
    islands->nvalue = count_values(pattern);
    if (islands->at.grouped) {
        ICF_TRY(icf_plan_group_share(&islands->group, pattern, NULL, view));
        islands->at.flops = islands->group.symbolic.flops;
        return ICF_OK;
    }
    ICF_TRY(icf_linear_solver_analyze(islands->solver, pattern));
    islands->at.flops = icf_linear_solver_flops(islands->solver);
    islands->again = icf_linear_solver_refactor_flops(islands->solver);
    islands->values = icf_linear_solver_values(islands->solver);
    islands->room = icf_linear_solver_room(islands->solver);
    const bool known =
        islands->at.flops >= 0.0 && islands->again >= 0.0 && islands->values >= 0.0 && islands->room >= 0.0;
    return known ? ICF_OK : ICF_ERROR_MEMORY;
}

/* What solving the island took. */
static void set_solved(island_work *islands, const icf_newton_result *result)
{
    const icf_part_work *parts = &result->parts;
    const double nblock = (double)islands->size;
    islands->iterations = result->iterations;
    islands->part_iterations = parts->blocks / nblock;
    islands->part_flops = parts->flops;
    islands->all_flops = result->flops;
    islands->all_values = result->values;
    islands->part = parts->largest;
    islands->width = result->factorizations > 0 && result->singles == result->factorizations ? 0.5 : 1.0;
    const int factored = result->iterations - result->conjugates;
    if (!islands->at.grouped && factored > 0 && result->conjugates == 0) {
        islands->at.flops = result->flops / result->factorizations;
        islands->values = result->values / factored;
        islands->room = result->room;
    }
    islands->evaluations = result->line_search + parts->evaluations / nblock;
    islands->solve = (icf_plan_solve){.lines = result->lines,
                                      .evaluations = result->evaluations,
                                      .products = result->products,
                                      .factorizations = result->factorizations,
                                      .singles = result->singles,
                                      .solves = result->solves,
                                      .searches = parts->searches,
                                      .polishes = parts->polishes,
                                      .found = parts->polishes > 0 ? parts->found / (nblock * parts->polishes) : 0.0};
}

/* What solving the island takes: as it was solved, or as the settings say. */
static void set_work(island_work *islands, icf_lid island)
{
    const icf_plan_settings *settings = islands->work->settings;
    islands->iterations = settings->iterations;
    islands->evaluations = settings->iterations * settings->evaluations;
    /* a group tries some lengths at a time; in falling piles 0.4 rounds for each that one rank tries after the first */
    if (islands->at.grouped)
        islands->evaluations = ICF_LINE_TRIALS * (0.6 * islands->iterations + 0.4 * islands->evaluations);
    islands->part_iterations = islands->part_flops = 0.0;
    islands->part = 0;
    islands->width = 1.0;
    islands->all_flops =
        fmin(islands->iterations, 1.0) * islands->at.flops + fmax(islands->iterations - 1.0, 0.0) * islands->again;
    islands->all_values = islands->iterations * islands->values;
    const icf_cnt iterations = llround(islands->iterations);
    islands->solve = (icf_plan_solve){.lines = iterations,
                                      .evaluations = iterations + 1, /* at the start too */
                                      .products = islands->soft ? iterations : 0,
                                      .factorizations = iterations,
                                      .singles = iterations,
                                      .solves = iterations};
    if (islands->work->solved) set_solved(islands, &islands->work->domain.result[island]);
    islands->at.iterations = (int)islands->iterations;
}

/* Contacts to the rank that solves them; the start is evaluated too. */
static void add_contacts(const island_work *islands, int rank, icf_cnt n)
{
    icf_rank_load *load = &islands->plan->load[rank];
    load->contacts += n;
    load->all_contacts += (islands->iterations + islands->part_iterations + 1.0) * (double)n;
    load->all_evaluations += islands->evaluations * (double)n;
}

static void add_bodies(const island_work *islands, int rank, icf_cnt n)
{
    icf_rank_load *load = &islands->plan->load[rank];
    load->island_bodies += n;
    load->all_bodies += (islands->iterations + islands->part_iterations + 1.0) * (double)n;
}

/* A factor, or a rank's share in one: operations and values, and those of the whole solve; the pattern is that of the
 * whole island. */
static void add_factor(const island_work *islands, int rank, double flops, double values, double all_flops,
                       double all_values)
{
    icf_rank_load *load = &islands->plan->load[rank];
    load->flops += flops;
    load->values += values;
    load->all_flops += all_flops;
    load->all_values += all_values;
    load->analyzed += islands->size;
    load->largest_flops = fmax(load->largest_flops, flops);
    load->largest_analyzed = ICF_MAX(load->largest_analyzed, islands->size + islands->npair);
}

/* Doubles that solving the largest part alone takes: Hessian, vectors, symbolic factor, and the factor, which grows
 * faster than the part.
 *   room [in] values of the whole island's factor and its stacks */
static double part_memory(const island_work *islands, double room)
{
    const double vectors = 72.0, symbolic = 25.0, blocks = (double)islands->part;
    const double share = fmin(blocks / (double)islands->size, 1.0);
    return islands->width * room * pow(share, 4.0 / 3.0) + share * islands->nvalue + vectors * blocks +
           symbolic * (blocks + share * (double)islands->npair);
}

/* An island that one rank solves; its guests move freely again there. */
static void add_island(island_work *islands, const icf_lid *body)
{
    const icf_plan_island *at = &islands->at;
    icf_rank_load *load = &islands->plan->load[at->solver];
    add_contacts(islands, at->solver, at->contacts);
    add_bodies(islands, at->solver, islands->size);
    add_factor(islands, at->solver, at->flops, islands->values, islands->all_flops, islands->all_values);
    load->largest_values =
        fmax(load->largest_values, islands->width * islands->room + part_memory(islands, islands->room));
    load->all_flops += islands->part_flops;
    load->pairs += islands->npair;
    load->largest_bodies = ICF_MAX(load->largest_bodies, islands->size);
    load->largest_pairs = ICF_MAX(load->largest_pairs, islands->npair);
    if (at->nrank == 1 && !at->lent) return;
    load->guests += at->bodies;
    load->guest_contacts += at->contacts;
    for (icf_cnt k = 0; k < at->bodies; ++k) icf_plan_add_deformable(islands->work, load, body[k]);
}

/* ---- groups ---- */

/* Doubles of the largest part where a group has it: as it comes in, as a problem of its own with what contacts iterate
 * on, as it is solved; and what the rank sends of others.  Any rank may be the one that solves it. pieces [in] values
 * of all of the island's that are sent */
static double crossing_memory(const island_work *islands, const icf_plan_view *view, double pieces)
{
    const icf_symbolic *symbolic = &islands->group.symbolic;
    if (islands->part == 0) return 0.0;
    const double contacts = (double)islands->part * (double)islands->at.contacts / (double)islands->size;
    return part_memory(islands, (double)(symbolic->nvalue + 2 * symbolic->nstack)) +
           2.0 * (double)islands->part * icf_plan_piece_values(view) +
           contacts * (double)icf_contact_iterate_bytes() / (double)sizeof(double) + pieces / islands->group.nrank;
}

/* Doubles that a rank of a group keeps: its room for the factor, the matrix as it is put together with what comes for
 * it and goes out, and the largest part. */
static double group_memory(const island_work *islands, const icf_plan_view *view, double room, double pieces)
{
    return islands->width * room + 2.0 * islands->nvalue / islands->group.nrank +
           crossing_memory(islands, view, pieces);
}

/* Each rank of a group keeps its bodies of the island and has its share in the factor.  It waits for the group's sums:
 * one an iteration and one a round of its line search, one a search for parts, and for borders where it finds any. */
static void share_factor(island_work *islands, const icf_plan_view *view)
{
    const icf_plan_group *group = &islands->group;
    const icf_cnt of_parts = islands->solve.searches + islands->solve.polishes;
    const double rounds = islands->evaluations / ICF_LINE_TRIALS;
    const double sums = ceil(log2(group->nrank)) * (islands->iterations + rounds + (double)of_parts);
    const double pieces = islands->solve.found * view->problem->nblock * icf_plan_piece_values(view);
    for (icf_lid k = 0; k < view->nbody; ++k)
        add_bodies(islands, view->owner[view->body[k]], sixes_of(view->bodies, view->body[k]));
    for (int r = 0; r < group->nrank; ++r) {
        const icf_front_load *share = &group->load[r];
        icf_rank_load *load = &islands->plan->load[group->rank[r]];
        add_factor(islands, group->rank[r], share->flops, share->values, group->all[r].flops, group->all[r].values);
        load->largest_values = fmax(load->largest_values, group_memory(islands, view, group->room[r], pieces));
        load->largest_bodies = ICF_MAX(load->largest_bodies, islands->size / group->nrank);
        load->largest_pairs = ICF_MAX(load->largest_pairs, islands->npair / group->nrank);
        load->all_flops += islands->part_flops / group->nrank;
        load->waits += sums;
        load->updates += group->all[r].updates;
    }
}

static void share_contacts(island_work *islands, const icf_plan_view *view)
{
    const icf_contact_constraints *family = (const icf_contact_constraints *)view->problem->family[0];
    const icf_contacts *contacts = family->contacts;
    for (icf_lid k = 0; k < family->npair; ++k) {
        const icf_lid p = family->pair[k];
        const icf_pair pair = contacts->pair[p];
        const int holder = icf_plan_contact_holder(view, pair);
        add_contacts(islands, holder, contacts->pair_begin[p + 1] - contacts->pair_begin[p]);
        if (view->owner[pair.a] >= 0 && view->owner[pair.b] >= 0) ++islands->plan->load[holder].pairs;
    }
}

/* Patterns that came up during the solve: each rank takes them in, 4 ms for 4,000 bodies where an order by minimum
 * degree takes one, and the first one dissects those whose order is not repaired, 20 ms. */
static void count_analyses(island_work *islands, const icf_pattern_log *log)
{
    const icf_plan_group *group = &islands->group;
    for (int k = 1; k < log->n; ++k) {
        for (int r = 0; r < group->nrank; ++r) islands->plan->load[group->rank[r]].analyzed += 4 * islands->size;
        if (!log->entry[k].repaired) islands->plan->load[group->rank[0]].analyzed += 20 * islands->size;
    }
}

static icf_status add_group(island_work *islands, const icf_plan_view *view, const icf_block_matrix *pattern,
                            const icf_pattern_log *log)
{
    ICF_TRY(icf_plan_group_send(&islands->group, view, pattern, log, &islands->solve, &islands->work->traffic));
    islands->at.flops = islands->group.symbolic.flops;
    share_factor(islands, view);
    share_contacts(islands, view);
    count_analyses(islands, log);
    return ICF_OK;
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

static icf_status place_island(void *user, icf_lid island, const icf_problem *problem, const icf_block_matrix *pattern)
{
    island_work *islands = user;
    const icf_islands *all = &islands->work->domain.islands;
    const icf_bodies *bodies = islands->work->domain.bodies;
    const icf_lid first = all->body_ptr[island], n = all->body_ptr[island + 1] - first;
    const icf_plan_place *place = &islands->work->place[island];
    islands->at = (icf_plan_island){.id = bodies->gid[all->body[first]],
                                    .bodies = n,
                                    .nrank = place->nrank,
                                    .solver = icf_plan_solver(place),
                                    .grouped = place->grouped,
                                    .lent = place->borrower >= 0};
    islands->soft = place->soft;
    count_contacts(islands, island);
    const icf_plan_view view = {bodies, n, all->body + first, islands->work->owner, problem};
    islands->work->group[island] = place->grouped ? place->nrank : 0;
    ICF_TRY(analyze(islands, &view, pattern));
    set_work(islands, island);
    ++islands->plan->load[islands->at.solver].islands;
    islands->plan->load[islands->at.solver].spanning += islands->at.nrank > 1;
    islands->plan->load[islands->at.solver].borrowed += islands->at.lent;
    if (islands->at.grouped)
        ICF_TRY(add_group(islands, &view, pattern, &islands->work->domain.log[island]));
    else
        add_island(islands, all->body + first);
    keep_largest(islands->plan, &islands->at);
    return ICF_OK;
}

static icf_status allocate(island_work *islands)
{
    icf_plan_work *work = islands->work;
    const icf_islands *all = &work->domain.islands;
    icf_lid most = 0;
    for (icf_lid island = 0; island < all->n; ++island) {
        icf_lid nblock = 0;
        for (icf_lid k = all->body_ptr[island]; k < all->body_ptr[island + 1]; ++k)
            nblock += icf_bodies_blocks(work->domain.bodies, all->body[k]);
        most = ICF_MAX(most, nblock);
    }
    work->group = ICF_ARENA_ARRAY(&work->arena, int, all->n);
    if (!work->group) return ICF_ERROR_MEMORY;
    ICF_TRY(icf_plan_group_init(&islands->group, &work->arena, most, work->settings->nrank));
    return icf_linear_solver_create(ICF_LINEAR_BLOCK, work->context, &islands->solver);
}

/* What a guest sends home. */
static size_t returned_bytes(const icf_bodies *bodies, icf_lid body)
{
    const size_t n = (size_t)bodies->nvertex[body];
    return twist_bytes + (n > 0 ? (n + 1) * sizeof(icf_vec3) : 0);
}

/* Bodies of islands over several ranks to where they are solved, and velocities home; there they move freely again. */
static icf_status count_guests(island_work *islands)
{
    icf_plan_work *work = islands->work;
    const icf_islands *all = &work->domain.islands;
    const icf_bodies *bodies = work->domain.bodies;
    for (int back = 0; back < 2; ++back) {
        for (icf_lid k = 0; k < all->body_ptr[all->n]; ++k) {
            const icf_lid body = all->body[k];
            const icf_plan_place *place = &islands->work->place[all->of_body[body]];
            const int owner = work->owner[body], guest = icf_plan_solver(place);
            if (place->grouped) continue;
            if (!back)
                ICF_TRY(icf_traffic_add(&work->traffic, owner, guest, icf_body_message_bytes(bodies, body)));
            else
                ICF_TRY(icf_traffic_add(&work->traffic, guest, owner, returned_bytes(bodies, body)));
        }
        ICF_TRY(icf_traffic_end(&work->traffic, 1));
    }
    return ICF_OK;
}

static icf_status place_all(island_work *islands)
{
    icf_plan_work *work = islands->work;
    icf_domain *domain = &work->domain;
    ICF_TRY(allocate(islands));
    ICF_TRY(icf_plan_lend(work, work->place));
    const icf_island_inputs in = icf_domain_island_inputs(domain, work->input.scene);
    ICF_TRY(icf_visit_islands(&work->arena, &in, place_island, islands));
    return count_guests(islands);
}

icf_status icf_plan_place_islands(icf_plan_work *work, icf_plan *plan)
{
    island_work islands = {.work = work, .plan = plan};
    const icf_status status = place_all(&islands);
    icf_linear_solver_destroy(&islands.solver);
    icf_plan_group_clear(&islands.group);
    return status;
}
