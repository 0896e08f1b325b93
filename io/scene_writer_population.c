/* Scene writer: populations. */
#include <inttypes.h>

#include "io/scene_writer_private.h"

static void write_size(icf_flow *item, const icf_size *size)
{
    if (size->kind == ICF_SIZE_ONE) return;
    icf_flow_key(item, "scale");
    icf_flow out = icf_flow_begin(item->file);
    icf_flow_word(&out, "distribution", icf_size_names[size->kind]);
    if (size->kind == ICF_SIZE_LIST) {
        icf_flow_numbers(&out, "values", size->n, size->value);
        icf_flow_numbers(&out, "weights", size->n, size->weight);
    } else {
        icf_flow_number(&out, "min", size->min);
        icf_flow_number(&out, "max", size->max);
    }
    if (size->kind == ICF_SIZE_NORMAL) icf_flow_number(&out, "mean", size->center);
    if (size->kind == ICF_SIZE_LOG_NORMAL) icf_flow_number(&out, "median", size->center);
    if (size->kind == ICF_SIZE_NORMAL || size->kind == ICF_SIZE_LOG_NORMAL)
        icf_flow_number(&out, "deviation", size->deviation);
    icf_flow_end(&out);
}

static void write_template(FILE *file, const icf_scene *scene, const icf_template *item)
{
    fputs("      - ", file);
    icf_flow out = icf_flow_begin(file);
    icf_flow_number(&out, "weight", item->weight);
    write_size(&out, &item->size);
    icf_flow_key(&out, "body");
    icf_scene_write_body_keys(file, scene, &item->body, true);
    icf_flow_end(&out);
    fputc('\n', file);
}

static void write_grid(FILE *file, const icf_population *population)
{
    if (population->kind == ICF_POPULATION_GRID)
        fprintf(file, "    count: [%" PRId64 ", %" PRId64 ", %" PRId64 "]\n", population->nx, population->ny,
                population->nz);
    else
        fprintf(file, "    bodies: %" PRId64 "\n    height: %" PRId64 "\n", population->n, population->nz);
    fputs("    spacing: ", file);
    icf_yaml_vec3(file, population->spacing);
    fputs("\n    origin: ", file);
    icf_yaml_vec3(file, population->origin);
    fputs("\n    jitter: ", file);
    icf_yaml_number(file, population->jitter);
}

static void write_region(FILE *file, const icf_region *region)
{
    fputs("    region: ", file);
    icf_flow out = icf_flow_begin(file);
    icf_flow_word(&out, "type", icf_region_names[region->kind]);
    icf_flow_vec3(&out, "center", region->center);
    if (region->kind == ICF_REGION_BOX)
        icf_flow_vec3(&out, "size", icf_scale(2.0, region->half));
    else
        icf_flow_number(&out, "radius", region->half.x);
    if (region->kind == ICF_REGION_CYLINDER) icf_flow_number(&out, "length", 2.0 * region->half.z);
    icf_flow_end(&out);
}

static void write_emission(FILE *file, const icf_population *population)
{
    fputs("\n    rate: ", file);
    icf_yaml_number(file, population->rate);
    fputs("\n    start: ", file);
    icf_yaml_number(file, population->start);
}

static void write_packing(FILE *file, const icf_population *population)
{
    fprintf(file, "    bodies: %" PRId64 "\n", population->n);
    write_region(file, &population->region);
    fputs("\n    gap: ", file);
    icf_yaml_number(file, population->gap);
}

static void write_velocity(FILE *file, const icf_population *population)
{
    const bool linear = !icf_vec3_is_plus_zero(population->linear) || population->linear_spread > 0.0;
    const bool angular = !icf_vec3_is_plus_zero(population->angular) || population->angular_spread > 0.0;
    if (!linear && !angular) return;
    fputs("\n    velocity: ", file);
    icf_flow out = icf_flow_begin(file);
    icf_flow_vec3(&out, "linear", population->linear);
    icf_flow_number(&out, "linear_spread", population->linear_spread);
    icf_flow_vec3(&out, "angular", population->angular);
    icf_flow_number(&out, "angular_spread", population->angular_spread);
    icf_flow_end(&out);
}

static void write_population(FILE *file, const icf_scene *scene, const icf_population *population)
{
    fprintf(file, "  - kind: %s\n", icf_population_names[population->kind]);
    if (population->kind == ICF_POPULATION_GRID || population->kind == ICF_POPULATION_COLUMNS)
        write_grid(file, population);
    else
        write_packing(file, population);
    if (population->kind == ICF_POPULATION_EMITTER) write_emission(file, population);
    if (population->turned) fputs("\n    orientation: random", file);
    write_velocity(file, population);
    fprintf(file, "\n    seed: %" PRIu64 "\n    templates:\n", population->seed);
    const icf_template *templates = &scene->population_template[population->first_template];
    for (int32_t i = 0; i < population->ntemplate; ++i) write_template(file, scene, &templates[i]);
}

void icf_scene_write_populations(FILE *file, const icf_scene *scene)
{
    if (scene->npopulation > 0) fputs("populations:\n", file);
    for (int32_t i = 0; i < scene->npopulation; ++i) write_population(file, scene, &scene->population[i]);
}
