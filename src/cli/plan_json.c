/* A plan as JSON: the ranks are written one by one, so that 10^5 of them need no memory. */
#include <jansson.h>
#include <math.h>

#include "cli/plan_print.h"

static void put_count(json_t *object, const char *key, icf_cnt value)
{
    json_object_set_new(object, key, json_integer(value));
}

/* JSON knows no infinity and no NaN: null stands for them. */
static void put_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void put_text(json_t *object, const char *key, const char *value)
{
    json_object_set_new(object, key, json_string(value));
}

static void put_load(json_t *object, const icf_rank_load *load)
{
    put_count(object, "bodies", load->bodies);
    put_count(object, "dofs", load->dofs);
    put_count(object, "ghosts", load->ghosts);
    put_count(object, "replicated", load->replicated);
    put_count(object, "guests", load->guests);
    put_count(object, "contacts", load->contacts);
    put_count(object, "contacts_found", load->found + load->guest_contacts);
    put_count(object, "islands", load->islands);
    put_count(object, "spanning_islands", load->spanning);
    put_count(object, "borrowed_islands", load->borrowed);
    put_count(object, "vertices", load->vertices);
    put_count(object, "tets", load->tets);
    put_number(object, "free_flops", load->free_flops);
    put_number(object, "flops", load->flops);
    put_number(object, "factor_values", load->values);
    put_number(object, "group_waits", load->waits);
    put_number(object, "all_contacts", load->all_contacts);
    put_number(object, "all_bodies", load->all_bodies);
    put_number(object, "all_flops", load->all_flops);
    put_number(object, "all_values", load->all_values);
    put_number(object, "all_evaluations", load->all_evaluations);
    put_count(object, "messages", load->messages);
    put_count(object, "bytes", load->bytes);
}

static void put_cost(json_t *object, const icf_rank_cost *cost)
{
    put_number(object, "ms_geometry", 1e3 * cost->geometry);
    put_number(object, "ms_assembly", 1e3 * cost->assembly);
    put_number(object, "ms_factor", 1e3 * cost->factor);
    put_number(object, "ms_solve", 1e3 * cost->solve);
    put_number(object, "ms_line_search", 1e3 * cost->line_search);
    put_number(object, "ms_finish", 1e3 * cost->finish);
    put_number(object, "ms_exchange", 1e3 * cost->exchange);
    put_number(object, "cpu_ms", 1e3 * icf_cost_cpu(cost));
    put_number(object, "memory_mb", 1e-6 * cost->memory);
}

static json_t *rates_of(const icf_cost_rates *rates)
{
    json_t *object = json_object();
    if (!object) return NULL;
    put_number(object, "body", rates->body);
    put_number(object, "element", rates->element);
    put_number(object, "found", rates->found);
    put_number(object, "island_body", rates->island_body);
    put_number(object, "assembly", rates->assembly);
    put_number(object, "assembly_body", rates->assembly_body);
    put_number(object, "flop", rates->flop);
    put_number(object, "factor_body", rates->factor_body);
    put_number(object, "analysis", rates->analysis);
    put_number(object, "solve_value", rates->solve_value);
    put_number(object, "solve_body", rates->solve_body);
    put_number(object, "update", rates->update);
    put_number(object, "line_search", rates->line_search);
    put_number(object, "finish", rates->finish);
    put_number(object, "latency", rates->latency);
    put_number(object, "bandwidth", rates->bandwidth);
    put_number(object, "peer", rates->peer);
    put_number(object, "box_test", rates->box_test);
    return object;
}

static json_t *islands_of(const icf_plan *plan)
{
    json_t *list = json_array();
    for (int k = 0; list && k < plan->nlargest; ++k) {
        json_t *object = json_object();
        if (!object) continue;
        put_count(object, "id", plan->largest[k].id);
        put_count(object, "bodies", plan->largest[k].bodies);
        put_count(object, "contacts", plan->largest[k].contacts);
        put_count(object, "ranks", plan->largest[k].nrank);
        put_count(object, "solver", plan->largest[k].solver);
        json_object_set_new(object, "grouped", json_boolean(plan->largest[k].grouped));
        put_count(object, "iterations", plan->largest[k].iterations);
        put_number(object, "flops", plan->largest[k].flops);
        json_array_append_new(list, object);
    }
    return list;
}

/* CPU time of the rank with most, outside of waiting [s]. */
static double busiest_cpu(const icf_priced_plan *priced)
{
    double most = 0.0;
    for (int rank = 0; rank < priced->plan->step.nrank; ++rank) most = fmax(most, icf_cost_cpu(&priced->cost[rank]));
    return most;
}

static json_t *total_of(const icf_priced_plan *priced)
{
    const icf_plan *plan = priced->plan;
    const icf_cost_collectives n = icf_cost_count_collectives(plan->step.nrank, plan->step.rounds);
    json_t *object = json_object();
    if (!object) return NULL;
    put_load(object, &plan->total);
    put_count(object, "label_rounds", plan->step.rounds);
    put_count(object, "all_to_alls", n.exchanges);
    put_count(object, "reductions", n.reductions);
    put_count(object, "gathers", n.gathers);
    put_number(object, "cut", plan->decomposition.cut);
    put_number(object, "imbalance", plan->decomposition.imbalance);
    put_number(object, "ms_step", 1e3 * priced->seconds);
    put_number(object, "cpu_max", 1e3 * busiest_cpu(priced));
    return object;
}

static json_t *head_of(const icf_priced_plan *priced)
{
    json_t *object = json_object(), *one = json_object();
    if (!object || !one) {
        json_decref(object);
        json_decref(one);
        return NULL;
    }
    put_text(object, "scene", priced->scene->name);
    put_count(object, "step", priced->step);
    put_text(object, "cut_by", priced->plan->regions > 0 ? "metis" : "curve");
    put_count(object, "metis_regions", priced->plan->regions);
    json_object_set_new(object, "rates", rates_of(&priced->rates));
    json_object_set_new(object, "total", total_of(priced));
    put_cost(one, &priced->one);
    put_number(one, "ms_step", 1e3 * priced->seconds_on_one);
    json_object_set_new(object, "one_rank", one);
    json_object_set_new(object, "largest_islands", islands_of(priced->plan));
    return object;
}

static bool print_object(json_t *object, size_t flags, FILE *file)
{
    const bool printed = object && json_dumpf(object, file, flags | JSON_REAL_PRECISION(17)) == 0;
    json_decref(object);
    return printed;
}

icf_status icf_plan_print_json(const icf_priced_plan *priced, FILE *file)
{
    const int nrank = priced->plan->step.nrank;
    fputc('{', file);
    if (!print_object(head_of(priced), JSON_EMBED, file)) return ICF_ERROR_MEMORY;
    fputs(", \"ranks\": [", file);
    for (int rank = 0; rank < nrank; ++rank) {
        json_t *object = json_object();
        if (object) {
            put_count(object, "rank", rank);
            put_load(object, &priced->plan->load[rank]);
            put_cost(object, &priced->cost[rank]);
        }
        fputs(rank > 0 ? ",\n" : "\n", file);
        if (!print_object(object, 0, file)) return ICF_ERROR_MEMORY;
    }
    fputs("\n]}\n", file);
    return ICF_OK;
}
