/* The scene's defaults, tables and owned memory. */
#include "scene/scene.h"

#include <string.h>

#include "base/memory.h"

const char *const icf_integrator_names[] = {[ICF_SYMPLECTIC_EULER] = "symplectic_euler",
                                            [ICF_MIDPOINT] = "midpoint",
                                            [ICF_IMPLICIT_EULER] = "implicit_euler",
                                            NULL};

icf_status icf_scene_set_text(char **text, const char *value)
{
    const size_t bytes = strlen(value) + 1;
    char *copy = icf_alloc(bytes);
    if (!copy) return ICF_ERROR_MEMORY;
    memcpy(copy, value, bytes);
    icf_free(*text);
    *text = copy;
    return ICF_OK;
}

/* Smaller islands are solved as fast without parts (docs/decisions/009-parts.md). */
enum { parts_worth_blocks = 400 };

icf_status icf_scene_init(icf_scene *scene)
{
    *scene = (icf_scene){
        .gravity = {0.0, 0.0, -9.81},
        .contact = {.model = ICF_MODEL_LAGGED,
                    .regularized = true,
                    .stiction_tolerance = 1e-4,
                    .sigma = 1e-3,
                    .near_rigid = 1.0,
                    .auto_distance = true},
        .parallel = {.gather_below = ICF_GATHER_AUTO,
                     .split_above = ICF_SPLIT_AUTO,
                     .rebalance = ICF_REBALANCE_AUTO,
                     .lend = true},
        .solver = {.relative_tolerance = 1e-5,
                   .absolute_tolerance = 1e-16,
                   .max_iterations = 500,
                   .parts = true,
                   .parts_from = parts_worth_blocks},
        .output = {.every = 10, .checkpoint_every = 1000, .surfaces = 20000},
    };
    ICF_TRY(icf_scene_set_text(&scene->name, "scene"));
    return icf_scene_set_text(&scene->output.directory, "out");
}

void icf_scene_clear(icf_scene *scene)
{
    for (int32_t i = 0; i < scene->nmaterial; ++i) icf_free(scene->material_name[i]);
    icf_free(scene->material_name);
    icf_free(scene->material);
    icf_free(scene->pair);
    icf_free(scene->combined);
    icf_free(scene->surface);
    icf_free(scene->witness_weight);
    icf_free(scene->population);
    icf_free(scene->population_template);
    for (int32_t i = 0; i < scene->ndeformable; ++i) icf_deformable_clear(&scene->deformable[i]);
    icf_free(scene->deformable);
    for (int32_t i = 0; i < scene->nsolid; ++i) icf_solid_clear(&scene->solid[i]);
    icf_free(scene->solid);
    for (int32_t i = 0; i < scene->nrigid_surface; ++i) icf_rigid_surface_clear(&scene->rigid_surface[i]);
    icf_free(scene->rigid_surface);
    icf_free(scene->force);
    icf_free(scene->spring);
    icf_free(scene->output.directory);
    icf_free(scene->name);
    *scene = (icf_scene){0};
}

icf_status icf_scene_add_material(icf_scene *scene, const char *name, const icf_material *material, int32_t *index)
{
    const int32_t i = scene->nmaterial;
    ICF_TRY(ICF_GROW(scene->material, scene->material_capacity, i + 1));
    ICF_TRY(ICF_GROW(scene->material_name, scene->material_name_capacity, i + 1));
    scene->material_name[i] = NULL;
    ICF_TRY(icf_scene_set_text(&scene->material_name[i], name));
    scene->material[i] = *material;
    scene->nmaterial = i + 1;
    if (index) *index = i;
    return ICF_OK;
}

icf_status icf_scene_add_pair(icf_scene *scene, int32_t a, int32_t b, const icf_material *values)
{
    ICF_TRY(ICF_GROW(scene->pair, scene->pair_capacity, scene->npair + 1));
    scene->pair[scene->npair++] = (icf_material_pair){ICF_MIN(a, b), ICF_MAX(a, b), *values};
    return ICF_OK;
}

icf_status icf_scene_add_population(icf_scene *scene, const icf_population *population, int32_t ntemplate,
                                    const icf_template *templates)
{
    ICF_TRY(ICF_GROW(scene->population, scene->population_capacity, scene->npopulation + 1));
    ICF_TRY(ICF_GROW(scene->population_template, scene->template_capacity, scene->ntemplate + ntemplate));
    icf_population *added = &scene->population[scene->npopulation++];
    *added = *population;
    added->first = scene->ngenerated;
    added->first_template = scene->ntemplate;
    added->ntemplate = ntemplate;
    added->weight = 0.0;
    for (int32_t i = 0; i < ntemplate; ++i) {
        scene->population_template[scene->ntemplate++] = templates[i];
        added->weight += templates[i].weight;
    }
    scene->ngenerated += added->n;
    scene->nbody += added->n;
    return ICF_OK;
}

icf_status icf_scene_add_deformable(icf_scene *scene, icf_deformable **deformable)
{
    ICF_TRY(ICF_GROW(scene->deformable, scene->deformable_capacity, scene->ndeformable + 1));
    *deformable = &scene->deformable[scene->ndeformable++];
    icf_deformable_init(*deformable);
    return ICF_OK;
}

icf_status icf_scene_add_rigid_surface(icf_scene *scene, icf_rigid_surface **surface)
{
    ICF_TRY(ICF_GROW(scene->rigid_surface, scene->rigid_surface_capacity, scene->nrigid_surface + 1));
    *surface = &scene->rigid_surface[scene->nrigid_surface++];
    icf_rigid_surface_init(*surface);
    return ICF_OK;
}

size_t icf_scene_shared_bytes(const icf_scene *scene)
{
    size_t bytes = 0;
    for (int32_t i = 0; i < scene->nrigid_surface; ++i) bytes += icf_rigid_surface_bytes(&scene->rigid_surface[i]);
    for (int32_t i = 0; i < scene->nsolid; ++i) bytes += icf_solid_bytes(&scene->solid[i]);
    return bytes;
}

icf_status icf_scene_add_solid(icf_scene *scene, icf_solid *solid, int32_t *index)
{
    const icf_status status = ICF_GROW(scene->solid, scene->solid_capacity, scene->nsolid + 1);
    if (status != ICF_OK) {
        icf_solid_clear(solid);
        return status;
    }
    *index = scene->nsolid;
    scene->solid[scene->nsolid++] = *solid;
    icf_solid_init(solid);
    return ICF_OK;
}

icf_status icf_scene_add_force(icf_scene *scene, const icf_force *force)
{
    ICF_TRY(ICF_GROW(scene->force, scene->force_capacity, scene->nforce + 1));
    scene->force[scene->nforce++] = *force;
    return ICF_OK;
}

icf_status icf_scene_add_spring(icf_scene *scene, const icf_spring *spring)
{
    ICF_TRY(ICF_GROW(scene->spring, scene->spring_capacity, scene->nspring + 1));
    scene->spring[scene->nspring++] = *spring;
    return ICF_OK;
}

const icf_material *icf_scene_find_pair(const icf_scene *scene, int32_t a, int32_t b)
{
    const int32_t low = ICF_MIN(a, b), high = ICF_MAX(a, b);
    for (int32_t i = 0; i < scene->npair; ++i)
        if (scene->pair[i].a == low && scene->pair[i].b == high) return &scene->pair[i].values;
    return NULL;
}

/* Combined values and witness weights of materials a and b, in both orders. */
static void fill_pair(icf_scene *scene, int32_t a, int32_t b, const icf_material *pair)
{
    const int32_t n = scene->nmaterial;
    const icf_material *ma = &scene->material[a], *mb = &scene->material[b];
    icf_material combined;
    const char *why;
    if (icf_material_combine(ma, mb, pair, &combined, &why) != ICF_OK) combined.stiffness = NAN;
    scene->combined[a * n + b] = scene->combined[b * n + a] = combined;
    if (icf_material_combine_surface(ma, mb, pair, &combined, &why) != ICF_OK) combined.stiffness = NAN;
    scene->surface[a * n + b] = scene->surface[b * n + a] = combined;
    scene->witness_weight[a * n + b] = icf_material_witness_weight(ma, mb);
    scene->witness_weight[b * n + a] = icf_material_witness_weight(mb, ma);
}

icf_status icf_scene_combine(icf_scene *scene)
{
    const int32_t n = scene->nmaterial;
    const size_t entries = (size_t)n * (size_t)n;
    ICF_TRY(ICF_GROW(scene->combined, scene->combined_capacity, entries));
    ICF_TRY(ICF_GROW(scene->surface, scene->surface_capacity, entries));
    ICF_TRY(ICF_GROW(scene->witness_weight, scene->witness_weight_capacity, entries));
    for (int32_t a = 0; a < n; ++a)
        for (int32_t b = a; b < n; ++b) fill_pair(scene, a, b, NULL);
    for (int32_t i = 0; i < scene->npair; ++i)
        fill_pair(scene, scene->pair[i].a, scene->pair[i].b, &scene->pair[i].values);
    return ICF_OK;
}

/* Frames due until step n; rounding must not make a frame late. */
static double frames_until(const icf_scene *scene, icf_cnt step)
{
    return floor((double)step * scene->time.step * scene->output.rate + 1e-9);
}

bool icf_scene_is_frame(const icf_scene *scene, icf_cnt step)
{
    if (step == 0 || step == scene->time.steps) return true;
    if (scene->output.every > 0) return step % scene->output.every == 0;
    return frames_until(scene, step) > frames_until(scene, step - 1);
}
