/* A plan as a table. */
#include "cli/plan_print.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"

enum { lines_max = 32 }; /* more ranks are not listed one by one */

static double milliseconds(double seconds)
{
    return 1e3 * seconds;
}

/* Compute time of a rank, by which the slowest are chosen [s]. */
static double busy(const icf_rank_cost *cost)
{
    return cost->geometry + icf_cost_solve(cost);
}

static void print_cut(const icf_priced_plan *priced, FILE *file)
{
    const icf_plan *plan = priced->plan;
    fprintf(file, "scene        %s (%s), after step %" PRId64 "\n", priced->scene->name, priced->path, priced->step);
    fprintf(file, "ranks        %d, cut %s", plan->step.nrank, plan->regions > 0 ? "by METIS" : "along the curve");
    if (plan->regions > 1) fprintf(file, " in %d regions of the curve", plan->regions);
    fprintf(file, ": %.2f %% of the graph's weight cut, heaviest rank %.2f of the mean\n",
            100.0 * plan->decomposition.cut, plan->decomposition.imbalance);
    fprintf(file, "bodies       %" PRId64 " moving (%" PRId64 " dofs), %" PRId64 " on every rank\n", plan->total.bodies,
            plan->total.dofs, plan->total.replicated);
    fprintf(file, "contacts     %" PRId64 " in %" PRId64 " islands, %" PRId64 " of them over several ranks\n",
            plan->total.contacts, plan->total.islands, plan->total.spanning);
    fprintf(file, "halo         %" PRId64 " ghosts, %" PRId64 " guests\n", plan->total.ghosts, plan->total.guests);
}

static void print_exchange(const icf_plan *plan, FILE *file)
{
    const icf_cost_collectives n = icf_cost_count_collectives(plan->step.nrank, plan->step.rounds);
    fprintf(file, "exchange     %" PRId64 " messages, %.4g kB a step; %" PRId64 " rounds of labels; ",
            plan->total.messages, 1e-3 * (double)plan->total.bytes, plan->step.rounds);
    fprintf(file, "%" PRId64 " all-to-alls, %" PRId64 " reductions, %" PRId64 " gathers\n", n.exchanges, n.reductions,
            n.gathers);
}

/* Slowest rank of each stage, and memory. */
static icf_rank_cost worst_of(const icf_priced_plan *priced)
{
    icf_rank_cost worst = priced->cost[0];
    for (int rank = 1; rank < priced->plan->step.nrank; ++rank) {
        const icf_rank_cost *cost = &priced->cost[rank];
        if (icf_cost_solve(cost) > icf_cost_solve(&worst)) {
            worst.assembly = cost->assembly;
            worst.factor = cost->factor;
            worst.solve = cost->solve;
            worst.line_search = cost->line_search;
        }
        worst.geometry = fmax(worst.geometry, cost->geometry);
        worst.finish = fmax(worst.finish, cost->finish);
        worst.exchange = fmax(worst.exchange, cost->exchange);
        worst.memory = fmax(worst.memory, cost->memory);
    }
    return worst;
}

/* Newton iterations of the island of a contact, on average. */
static double iterations_of(const icf_plan *plan)
{
    const double contacts = (double)plan->total.contacts;
    return contacts > 0.0 ? plan->total.all_contacts / contacts - 1.0 : 0.0;
}

static void print_prediction(const icf_priced_plan *priced, FILE *file)
{
    const icf_rank_cost worst = worst_of(priced);
    const double gain = priced->seconds_on_one / priced->seconds;
    fprintf(file,
            "step         %.4g ms: geometry %.4g, solve %.4g, finish %.4g, exchange %.4g (slowest rank of each)\n",
            milliseconds(priced->seconds), milliseconds(worst.geometry), milliseconds(icf_cost_solve(&worst)),
            milliseconds(worst.finish), milliseconds(worst.exchange));
    fprintf(file, "on 1 rank    %.4g ms: this is %.2f times as fast, efficiency %.1f %%\n",
            milliseconds(priced->seconds_on_one), gain, 100.0 * gain / priced->plan->step.nrank);
    fprintf(file, "memory       %.1f MB on the largest rank; %.1f MB on 1 rank\n", 1e-6 * worst.memory,
            1e-6 * priced->one.memory);
    fprintf(file, "assumed      %.1f iterations of a contact's island; 1 thread a rank, a core each; %s\n",
            iterations_of(priced->plan), priced->calibrated ? "rates measured here" : "default rates");
}

static void print_islands(const icf_plan *plan, FILE *file)
{
    if (plan->nlargest == 0) return;
    fputs("\nlargest islands\n        id   bodies  contacts  ranks  solved by  iterations     Mflop\n", file);
    for (int k = 0; k < plan->nlargest; ++k) {
        const icf_plan_island *at = &plan->largest[k];
        fprintf(file, "%10" PRId64 " %8" PRId64 "  %8" PRId64 " %6d %10d %11d %9.4g\n", at->id, at->bodies,
                at->contacts, at->nrank, at->solver, at->iterations, 1e-6 * at->flops);
    }
}

static void print_rank(const icf_priced_plan *priced, int rank, FILE *file)
{
    const icf_rank_load *load = &priced->plan->load[rank];
    const icf_rank_cost *cost = &priced->cost[rank];
    fprintf(file, "%6d %8" PRId64 " %8" PRId64 " %7" PRId64 " %7" PRId64 " %9" PRId64 " %8" PRId64 " %8" PRId64, rank,
            load->bodies, load->dofs, load->ghosts, load->guests, load->contacts, load->islands, load->spanning);
    fprintf(file, " %9.4g %8" PRId64 " %9.4g %9.4g %9.4g %9.4g %8.1f\n", 1e-6 * load->flops, load->messages,
            1e-3 * (double)load->bytes, milliseconds(cost->geometry), milliseconds(icf_cost_solve(cost)),
            milliseconds(cost->exchange), 1e-6 * cost->memory);
}

/* The busiest rank that is not marked, the lowest of equals. */
static int busiest(const icf_priced_plan *priced, const bool *done)
{
    int found = -1;
    for (int rank = 0; rank < priced->plan->step.nrank; ++rank) {
        if (done[rank]) continue;
        if (found < 0 || busy(&priced->cost[rank]) > busy(&priced->cost[found])) found = rank;
    }
    return found;
}

static void print_ranks(const icf_priced_plan *priced, FILE *file)
{
    const int nrank = priced->plan->step.nrank;
    bool *done = icf_alloc((size_t)nrank * sizeof *done);
    fprintf(file, "\n%s\n", nrank > lines_max ? "busiest ranks (--json has all)" : "ranks");
    fputs("  rank   bodies     dofs  ghosts  guests  contacts  islands spanning     Mflop messages        kB "
          "geometry/ms solve/ms exchange/ms   MB\n",
          file);
    for (int rank = 0; done && rank < nrank; ++rank) done[rank] = false;
    for (int line = 0; line < ICF_MIN(nrank, lines_max); ++line) {
        const int rank = nrank > lines_max && done ? busiest(priced, done) : line;
        if (done) done[rank] = true;
        print_rank(priced, rank, file);
    }
    icf_free(done);
}

void icf_plan_print(const icf_priced_plan *priced, FILE *file)
{
    print_cut(priced, file);
    print_exchange(priced->plan, file);
    print_prediction(priced, file);
    print_islands(priced->plan, file);
    print_ranks(priced, file);
}
