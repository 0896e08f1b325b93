/* Costs of bodies by counts. */
#include "step/body_cost.h"

#include "step/cost.h"

/* Part of a new step in the mean: about the last eight steps count. */
static const double newest = 0.125;

/* What an island's iterations make of a contact and of a body [s]. */
typedef struct island_rates {
    double contact, body;
} island_rates;

/* A rank meets its bodies twice: for the ghosts, and for the step. */
static double body_geometry(const icf_cost_rates *rates)
{
    return rates->body * (4.0 / 3.0);
}

static island_rates rates_of(const icf_cost_rates *rates, double iterations, double evaluations, double factor)
{
    return (island_rates){.contact = rates->assembly * (iterations + 1.0) + rates->line_search * evaluations,
                          .body = rates->island_body + rates->analysis + rates->assembly_body * (iterations + 1.0) +
                                  (rates->factor_body + rates->solve_body) * iterations + factor};
}

static island_rates usual_rates(const icf_cost_rates *rates)
{
    return rates_of(rates, ICF_USUAL_ITERATIONS, ICF_USUAL_ITERATIONS * ICF_USUAL_EVALUATIONS, 0.0);
}

/* Rigid bodies that have as many degrees of freedom. */
static double sixes_of(const icf_bodies *bodies, icf_lid i)
{
    return icf_bodies_dofs(bodies, i) / 6.0;
}

/* Contacts of a pair go to its bodies that move, in equal parts. */
static void add_contacts(const icf_bodies *bodies, const icf_contacts *contacts, icf_lid p, double rate, double *cost)
{
    const icf_pair pair = contacts->pair[p];
    const bool a = icf_bodies_moves(bodies, pair.a), b = icf_bodies_moves(bodies, pair.b);
    const double all = rate * (contacts->pair_begin[p + 1] - contacts->pair_begin[p]), each = a && b ? 0.5 * all : all;
    if (a) cost[pair.a] += each;
    if (b) cost[pair.b] += each;
}

static double deformable_geometry(const icf_domain *domain, const icf_cost_rates *rates, icf_lid i)
{
    if (!icf_bodies_is_deformable(domain->bodies, i)) return 0.0;
    const icf_deformable_work work = icf_deformable_last_work(domain->cache, domain->bodies->shape[i].index);
    return rates->element * (double)work.tets + rates->flop * work.flops + rates->solve_value * work.values;
}

static void add_island(const icf_domain *domain, const icf_cost_rates *rates, icf_lid island, double *cost)
{
    const icf_islands *islands = &domain->islands;
    const icf_bodies *bodies = domain->bodies;
    const icf_lid begin = islands->body_ptr[island], end = islands->body_ptr[island + 1];
    const double sixes = (double)(islands->dof_ptr[end] - islands->dof_ptr[begin]) / 6.0;
    island_rates per = usual_rates(rates);
    if (!domain->skip[island]) {
        const icf_newton_result *result = &domain->result[island];
        const icf_part_work *parts = &result->parts; /* as if the whole island had had its share */
        const double factor = rates->flop * (result->flops + parts->flops) + rates->solve_value * result->values;
        per = rates_of(rates, result->iterations + parts->blocks / sixes,
                       result->line_search + parts->evaluations / sixes, factor / sixes);
    }
    for (icf_lid k = begin; k < end; ++k) cost[islands->body[k]] += per.body * sixes_of(bodies, islands->body[k]);
    for (icf_lid k = islands->pair_ptr[island]; k < islands->pair_ptr[island + 1]; ++k)
        if (islands->pair[k] < domain->contacts.npair) /* attachments are behind the pairs */
            add_contacts(bodies, &domain->contacts, islands->pair[k], rates->found + per.contact, cost);
}

/* The work of a shared body is everywhere, whoever owns it. */
static void weigh_shared(const icf_bodies *bodies, const icf_split_motions *split, const icf_cost_rates *rates,
                         double *cost)
{
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (icf_split_motions_get(split, bodies, i)) cost[i] = body_geometry(rates);
}

void icf_body_costs(const icf_domain *domain, double *cost)
{
    const icf_cost_rates rates = icf_cost_rates_default();
    const icf_bodies *bodies = domain->bodies;
    for (icf_lid i = 0; i < bodies->n; ++i)
        cost[i] = icf_bodies_moves(bodies, i) ? body_geometry(&rates) + deformable_geometry(domain, &rates, i) : 0.0;
    for (icf_lid island = 0; island < domain->islands.n; ++island) add_island(domain, &rates, island, cost);
    weigh_shared(bodies, &domain->split, &rates, cost);
}

void icf_body_costs_guess(const icf_bodies *bodies, const icf_split_motions *split, const icf_contacts *contacts,
                          double *cost)
{
    const icf_cost_rates rates = icf_cost_rates_default();
    const island_rates per = usual_rates(&rates);
    for (icf_lid i = 0; i < bodies->n; ++i)
        cost[i] = icf_bodies_moves(bodies, i) ? body_geometry(&rates) + per.body * sixes_of(bodies, i) : 0.0;
    for (icf_lid p = 0; p < contacts->npair; ++p) add_contacts(bodies, contacts, p, rates.found + per.contact, cost);
    weigh_shared(bodies, split, &rates, cost);
}

void icf_body_costs_keep(icf_bodies *bodies, const double *cost)
{
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (!icf_bodies_moves(bodies, i)) continue;
        const bool first = bodies->cost[i] == 0.0;
        bodies->cost[i] = first ? cost[i] : bodies->cost[i] + newest * (cost[i] - bodies->cost[i]);
    }
}

double icf_body_geometry_cost(void)
{
    const icf_cost_rates rates = icf_cost_rates_default();
    return body_geometry(&rates);
}
