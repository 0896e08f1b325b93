/* Cost model: times and bytes from counts. */
#include "step/cost.h"

#include <math.h>

#include "contact/contacts.h"
#include "geometry/collide.h"
#include "partition/halo.h"
#include "scene/inertia.h"
#include "solver/contact_constraints.h"
#include "step/free_motion.h"

/* A rank of a scene with one body: program, MPI, HDF5 [bytes]. */
static const double program_bytes = 31e6;

/* Buffers of MPI for messages and files when there are several ranks [bytes]. */
static const double mpi_bytes = 1.5e6;

/* What MPI takes more for the long messages of a group, and small arrays of its ranks [bytes]; measured on piles. */
static const double mpi_group_bytes = 4e6;

/* Arrays that grow with contacts have room to spare, and are copied when it is used up; measured on piles. */
static const double growth = 1.2;

icf_cost_rates icf_cost_rates_default(void)
{
    return (icf_cost_rates){.body = 1.7e-7,
                            .element = 2e-7,
                            .found = 2e-7,
                            .island_body = 1e-7,
                            .assembly = 8e-8,
                            .assembly_body = 5e-8,
                            .flop = 1.5e-11,
                            .factor_body = 1.5e-7,
                            .analysis = 2.5e-7,
                            .solve_value = 2.2e-10,
                            .solve_body = 8e-8,
                            .update = 4e-9,
                            .line_search = 2.2e-8,
                            .finish = 1e-7,
                            .latency = 1e-6,
                            .bandwidth = 5e9,
                            .peer = 1e-8,
                            .box_test = 2e-9};
}

icf_cost_collectives icf_cost_count_collectives(int nrank, icf_cnt rounds)
{
    if (nrank == 1) return (icf_cost_collectives){0};
    /* ghosts, links, reports, answers, guests, the way back; two a round of labels */
    const icf_cnt exchanges = 6 + 2 * rounds;
    /* each exchange agrees once; reference velocity, agreements of the stages (11), what each is to
     * solve, labels (1 + rounds), statistics (4), signals */
    return (icf_cost_collectives){exchanges, exchanges + 19 + rounds, 1};
}

/* ---- time ---- */

/* Messages and collectives on their way. */
static double waiting_time(const icf_cost_rates *rates, const icf_cost_step *step, const icf_rank_load *load)
{
    if (step->nrank == 1) return 0.0;
    const icf_cost_collectives n = icf_cost_count_collectives(step->nrank, step->rounds);
    const double nrank = step->nrank, stages = ceil(log2(nrank));
    const double boxes = ICF_HALO_BOXES * 6.0 * sizeof(double);
    const double waits =
        (double)load->messages + load->waits + stages * (double)(n.exchanges + n.reductions + n.gathers);
    /* an all-to-all of counts passes half of all of them on in each stage, the sum of what each is to solve all */
    const double bytes = (double)load->bytes + nrank * boxes * (double)n.gathers +
                         stages * nrank * sizeof(int64_t) * (0.5 * (double)n.exchanges + 1.0);
    return waits * rates->latency + bytes / rates->bandwidth;
}

/* What a rank does for its exchanges. */
static double exchange_work(const icf_cost_rates *rates, const icf_cost_step *step, const icf_rank_load *load)
{
    if (step->nrank == 1) return 0.0;
    const icf_cost_collectives n = icf_cost_count_collectives(step->nrank, step->rounds);
    const double nrank = step->nrank;
    /* ghosts: each body is tested against each rank */
    const double tests = nrank * ((double)load->bodies + ICF_HALO_BOXES);
    return nrank * rates->peer * (double)n.exchanges + tests * rates->box_test;
}

static double geometry_time(const icf_cost_rates *rates, const icf_cost_step *step, const icf_rank_load *load)
{
    const double home = (double)(load->bodies + load->ghosts + load->replicated);
    const double guests = load->guests > 0 ? (double)(load->guests + load->replicated) : 0.0;
    /* free motion again when ghosts are there: about a third of a body's time */
    const double again = step->nrank > 1 ? (double)(load->bodies + load->replicated) / 3.0 : 0.0;
    const double soft =
        rates->element * (double)load->tets + rates->flop * load->free_flops + rates->solve_value * load->free_values;
    return soft + rates->body * (home + guests + again) + rates->found * (double)(load->found + load->guest_contacts);
}

/* ---- memory ---- */

/* A body in the container, with mass matrix, free motion, margins, boxes and the trees of the broad phase. */
static double body_bytes(void)
{
    const size_t constant = sizeof(icf_gid) + sizeof(icf_shape) + sizeof(int32_t) + sizeof(uint8_t) +
                            sizeof(icf_motion) + sizeof(icf_surface_velocity) + 2 * sizeof(double) +
                            2 * sizeof(icf_vec3) + sizeof(int64_t);
    const size_t state = 3 * sizeof(icf_vec3) + sizeof(icf_quat);
    const size_t mass = 3 * sizeof(icf_mat3) + sizeof(icf_vec3);
    const size_t motion = 4 * sizeof(icf_vec3) + sizeof(icf_mat3) + sizeof(icf_momentum_block);
    const size_t tree = 2 * 6 * sizeof(double) + 6 * sizeof(float) + 8 * sizeof(uint64_t);
    const size_t margins = sizeof(icf_vec3) + sizeof(double), islands = 4 * sizeof(icf_lid);
    return (double)(constant + state + mass + motion + tree + margins + islands);
}

/* What is kept of a body that it owns: the state for a retry, margin and box for the halo. */
static double owned_bytes(void)
{
    return (double)(3 * sizeof(icf_vec3) + sizeof(icf_quat) + 7 * sizeof(double) + sizeof(icf_lid));
}

/* A contact as the narrow phase finds it, and as a contact of the step. */
static double contact_bytes(void)
{
    return (double)(sizeof(icf_contact_point) + sizeof(icf_vec3) + sizeof(icf_mat3) + 8 * sizeof(double) +
                    sizeof(int64_t) + sizeof(icf_law) + 2 * sizeof(icf_pair));
}

/* A body in the inputs of the islands' problems: block of A, v*, v0, v. */
static double problem_bytes(void)
{
    return (double)(sizeof(icf_momentum_block) + 18 * sizeof(double) + sizeof(icf_lid));
}

/* A vertex in a step: state, loads, v*, its row of A (15 neighbours) and what the island's problem copies of it. */
static double vertex_bytes(void)
{
    return (double)(14 * sizeof(icf_vec3) + 2 * 16 * 9 * sizeof(double));
}

/* A vertex in the description of a body, with its five tetrahedra and the gradients, masses and lists of elements. */
static double described_bytes(void)
{
    return (double)(3 * sizeof(icf_vec3) + 5 * (4 * sizeof(icf_lid) + 24 * sizeof(double)));
}

/* Vectors, Hessian, symbolic factor and what parts copy of the largest island: one island after the other uses this
 * memory. */
static double solver_bytes(const icf_rank_load *load)
{
    const double block = 36.0 * sizeof(double), symbolic = 200.0;
    const double vectors = (10.0 + 2.0) * 6.0 * sizeof(double) + block;
    const double analyzed = (double)load->largest_analyzed;
    const double bodies = (double)load->largest_bodies, pairs = (double)load->largest_pairs;
    return bodies * (vectors + block) + pairs * block + symbolic * analyzed;
}

/* Factor of the largest island, whose memory is given back before it gets more; panels have whole cache lines, and
 * large arrays - panels, two stacks, kept updates - whole huge pages. */
static double factor_bytes(const icf_rank_load *load)
{
    const double padding = 1.1, huge_page = 2097152.0, arrays = 4.0;
    const double bytes = padding * load->largest_values * (double)sizeof(double);
    return bytes + (bytes < arrays * huge_page ? 0.0 : 0.5 * arrays * huge_page);
}

/* A frame as it is written: columns of the contacts that carry impulses, a dozen surface points of a body. */
static double frame_bytes(const icf_rank_load *load)
{
    const size_t contact =
        2 * sizeof(icf_gid) + sizeof(int32_t) + sizeof(int64_t) + 3 * sizeof(icf_vec3) + 2 * sizeof(double);
    const size_t body = 12 * 4 * sizeof(float);
    return (double)contact * (double)load->contacts + (double)body * (double)load->drawn;
}

/* A rebalancing: half of the rank's bodies leave it and as many come, in messages that stay; on the first rank of a
 * region its graph, as it comes, in lists and for METIS, which makes another of the size. */
static double rebalancing_bytes(const icf_cost_step *step, const icf_rank_load *load)
{
    const double message = sizeof(icf_body_def) + sizeof(uint64_t);
    const double vertex = 128.0, pair = 84.0;
    if (step->nrank == 1) return 0.0;
    return message * (double)load->bodies +
           2.0 * (vertex * (double)load->graph_bodies + pair * (double)load->graph_pairs);
}

static double memory(const icf_cost_step *step, const icf_rank_load *load)
{
    const double home = (double)(load->bodies + load->ghosts + load->replicated);
    const double guests = load->guests > 0 ? (double)(load->guests + load->replicated) : 0.0;
    const double boxes = step->nrank > 1 ? step->nrank * ICF_HALO_BOXES * 6.0 * sizeof(double) : 0.0;
    const double soft =
        vertex_bytes() * (double)load->vertices + described_bytes() * (double)load->described + 8.0 * load->free_values;
    const double held = soft + body_bytes() * (home + guests) + owned_bytes() * (double)load->bodies;
    const double found = contact_bytes() * (double)(load->found + load->guest_contacts) +
                         (double)icf_contact_iterate_bytes() * (double)load->contacts +
                         (double)sizeof(icf_contact_pair_view) * (double)load->pairs +
                         problem_bytes() * (double)load->island_bodies + solver_bytes(load) +
                         2.0 * (double)(load->bytes - load->group_bytes) + boxes;
    return program_bytes + (step->nrank > 1 ? mpi_bytes : 0.0) + (load->group_bytes > 0 ? mpi_group_bytes : 0.0) +
           step->shared_bytes + held + growth * found + factor_bytes(load) + frame_bytes(load) +
           rebalancing_bytes(step, load);
}

/* ---- all of it ---- */

icf_rank_cost icf_cost_rank(const icf_cost_rates *rates, const icf_cost_step *step, const icf_rank_load *load)
{
    const double bodies = (double)load->island_bodies, analyzed = (double)load->analyzed;
    return (icf_rank_cost){.geometry = geometry_time(rates, step, load),
                           .assembly = rates->assembly * load->all_contacts + rates->assembly_body * load->all_bodies +
                                       rates->island_body * bodies,
                           .factor = rates->flop * load->all_flops + rates->factor_body * load->all_bodies +
                                     rates->analysis * analyzed + rates->update * load->updates,
                           .solve = rates->solve_value * load->all_values + rates->solve_body * load->all_bodies,
                           .line_search = rates->line_search * load->all_evaluations,
                           .finish = rates->finish * (double)(load->contacts + load->bodies),
                           .exchange = waiting_time(rates, step, load) + exchange_work(rates, step, load),
                           .waiting = waiting_time(rates, step, load),
                           .memory = memory(step, load)};
}

double icf_cost_solve(const icf_rank_cost *cost)
{
    return cost->assembly + cost->factor + cost->solve + cost->line_search;
}

double icf_cost_cpu(const icf_rank_cost *cost)
{
    return cost->geometry + icf_cost_solve(cost) + cost->finish + cost->exchange - cost->waiting;
}

double icf_cost_total(int nrank, const icf_rank_cost *cost)
{
    double geometry = 0.0, solve = 0.0, finish = 0.0, exchange = 0.0;
    for (int rank = 0; rank < nrank; ++rank) {
        geometry = fmax(geometry, cost[rank].geometry);
        solve = fmax(solve, icf_cost_solve(&cost[rank]));
        finish = fmax(finish, cost[rank].finish);
        exchange = fmax(exchange, cost[rank].exchange);
    }
    return geometry + solve + finish + exchange;
}
