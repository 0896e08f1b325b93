/* Generation of the bodies of populations. */
#include "geometry/populate.h"

#include <inttypes.h>

#include "geometry/packing.h"

enum { CHUNK = 64 }; /* bodies handed over at a time */

/* Generates bodies begin to end - 1 of a population whose places follow from their numbers. */
static icf_status generate(const icf_scene *scene, const icf_population *population, icf_cnt begin, icf_cnt end,
                           icf_body_sink sink, void *user)
{
    icf_body_def chunk[CHUNK];
    const icf_gid first_gid = icf_scene_nlisted(scene) + population->first;
    for (icf_cnt k = begin; k < end; k += CHUNK) {
        const icf_cnt n = ICF_MIN(end - k, CHUNK);
        for (icf_cnt i = 0; i < n; ++i)
            icf_population_body(population, scene->population_template, first_gid, k + i, &chunk[i]);
        ICF_TRY(sink(user, n, chunk));
    }
    return ICF_OK;
}

icf_status icf_populate(const icf_scene *scene, icf_cnt begin, icf_cnt end, icf_body_sink sink, void *user,
                        icf_shortfall *shortfall)
{
    *shortfall = (icf_shortfall){.population = -1};
    for (int32_t i = 0; i < scene->npopulation; ++i) {
        const icf_population *population = &scene->population[i];
        const icf_cnt from = ICF_MAX(begin - population->first, 0);
        const icf_cnt to = ICF_MIN(end - population->first, population->n);
        if (population->kind == ICF_POPULATION_EMITTER) continue;
        if (population->kind != ICF_POPULATION_PACKING) {
            ICF_TRY(generate(scene, population, from, to, sink, user));
            continue;
        }
        icf_cnt missing;
        ICF_TRY(icf_packing_generate(scene, population, icf_scene_nlisted(scene) + population->first, from, to, sink,
                                     user, &missing));
        if (missing > 0 && shortfall->population < 0) *shortfall = (icf_shortfall){i, missing};
    }
    return ICF_OK;
}

icf_status icf_populate_all(icf_context *context, const icf_scene *scene, icf_body_sink sink, void *user)
{
    icf_shortfall shortfall;
    ICF_TRY(icf_populate(scene, 0, scene->ngenerated, sink, user, &shortfall));
    return icf_shortfall_report(context, scene, &shortfall);
}

icf_status icf_shortfall_report(icf_context *context, const icf_scene *scene, const icf_shortfall *shortfall)
{
    if (shortfall->population < 0) return ICF_OK;
    const icf_population *population = &scene->population[shortfall->population];
    const icf_cnt reached = population->n - shortfall->missing;
    const double fill = icf_population_mean_volume(population, scene->population_template, scene->solid) /
                        icf_region_volume(&population->region);
    return icf_fail(context, ICF_ERROR_SCENE,
                    "populations[%d]: only %" PRId64 " of %" PRId64
                    " bodies find room: a fill of %.3f of the region was reached, %.3f is asked for",
                    (int)shortfall->population, reached, population->n, fill * (double)reached,
                    fill * (double)population->n);
}
