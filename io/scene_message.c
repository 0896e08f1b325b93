/* Settings as bytes: the structure itself, then what its pointers refer to, in the order of its fields. */
#include "io/scene_message.h"

#include <string.h>

#include "base/memory.h"

static size_t table_size(const icf_scene *scene)
{
    return (size_t)scene->nmaterial * (size_t)scene->nmaterial;
}

icf_status icf_scene_message_write(icf_bytes *bytes, const icf_scene *scene)
{
    ICF_TRY(icf_bytes_write(bytes, scene, sizeof *scene));
    ICF_TRY(icf_bytes_write_text(bytes, scene->name));
    ICF_TRY(icf_bytes_write_text(bytes, scene->output.directory));
    ICF_TRY(icf_bytes_write(bytes, scene->material, (size_t)scene->nmaterial * sizeof *scene->material));
    for (int32_t i = 0; i < scene->nmaterial; ++i) ICF_TRY(icf_bytes_write_text(bytes, scene->material_name[i]));
    ICF_TRY(icf_bytes_write(bytes, scene->pair, (size_t)scene->npair * sizeof *scene->pair));
    ICF_TRY(icf_bytes_write(bytes, scene->combined, table_size(scene) * sizeof *scene->combined));
    ICF_TRY(icf_bytes_write(bytes, scene->surface, table_size(scene) * sizeof *scene->surface));
    ICF_TRY(icf_bytes_write(bytes, scene->witness_weight, table_size(scene) * sizeof *scene->witness_weight));
    ICF_TRY(icf_bytes_write(bytes, scene->population, (size_t)scene->npopulation * sizeof *scene->population));
    ICF_TRY(icf_bytes_write(bytes, scene->population_template,
                            (size_t)scene->ntemplate * sizeof *scene->population_template));
    for (int32_t i = 0; i < scene->nsolid; ++i) ICF_TRY(icf_solid_write(bytes, &scene->solid[i]));
    for (int32_t i = 0; i < scene->ndeformable; ++i) ICF_TRY(icf_deformable_write(bytes, &scene->deformable[i]));
    for (int32_t i = 0; i < scene->nrigid_surface; ++i)
        ICF_TRY(icf_rigid_surface_write(bytes, &scene->rigid_surface[i]));
    ICF_TRY(icf_bytes_write(bytes, scene->force, (size_t)scene->nforce * sizeof *scene->force));
    return icf_bytes_write(bytes, scene->spring, (size_t)scene->nspring * sizeof *scene->spring);
}

/* An array of n elements of `size` bytes, in memory of its own. */
static icf_status read_array(icf_bytes *bytes, void **array, size_t *capacity, size_t n, size_t size)
{
    const void *data = icf_bytes_read(bytes, n * size); // a damaged length takes no memory
    if (!data) return ICF_ERROR_INTERNAL;
    ICF_TRY(icf_grow(array, capacity, n, size));
    if (n > 0) memcpy(*array, data, n * size);
    return ICF_OK;
}

#define READ_ARRAY(array, capacity, n) \
    read_array(bytes, (void **)&scene->array, &scene->capacity, (size_t)(n), sizeof *scene->array)

static icf_status read_materials(icf_bytes *bytes, icf_scene *scene, int32_t n)
{
    ICF_TRY(READ_ARRAY(material, material_capacity, n));
    ICF_TRY(ICF_GROW(scene->material_name, scene->material_name_capacity, n));
    for (; scene->nmaterial < n; ++scene->nmaterial) {
        scene->material_name[scene->nmaterial] = NULL;
        ICF_TRY(icf_bytes_take_text(bytes, &scene->material_name[scene->nmaterial]));
    }
    return ICF_OK;
}

static icf_status read_deformables(icf_bytes *bytes, icf_scene *scene, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        icf_deformable *deformable;
        ICF_TRY(icf_scene_add_deformable(scene, &deformable));
        ICF_TRY(icf_deformable_read(bytes, deformable));
    }
    return ICF_OK;
}

static icf_status read_rigid_surfaces(icf_context *context, icf_bytes *bytes, icf_scene *scene, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        icf_rigid_surface *surface;
        ICF_TRY(icf_scene_add_rigid_surface(scene, &surface));
        ICF_TRY(icf_rigid_surface_read(context, bytes, surface));
    }
    return ICF_OK;
}

static icf_status read_solids(icf_bytes *bytes, icf_scene *scene, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        icf_solid solid;
        int32_t index;
        const icf_status status = icf_solid_read(bytes, &solid);
        if (status != ICF_OK) {
            icf_solid_clear(&solid);
            return status;
        }
        ICF_TRY(icf_scene_add_solid(scene, &solid, &index));
    }
    return ICF_OK;
}

/* The structure without what belongs to the rank that wrote it. */
static icf_scene without_pointers(const icf_scene *given)
{
    icf_scene scene = *given;
    scene.name = scene.output.directory = NULL;
    scene.nmaterial = 0;
    scene.material = scene.combined = scene.surface = NULL;
    scene.nsolid = 0;
    scene.solid = NULL;
    scene.solid_capacity = 0;
    scene.ndeformable = 0;
    scene.deformable = NULL;
    scene.nrigid_surface = 0;
    scene.rigid_surface = NULL;
    scene.rigid_surface_capacity = 0;
    scene.deformable_capacity = scene.surface_capacity = 0;
    scene.material_name = NULL;
    scene.pair = NULL;
    scene.witness_weight = NULL;
    scene.population = NULL;
    scene.population_template = NULL;
    scene.force = NULL;
    scene.spring = NULL;
    scene.material_capacity = scene.material_name_capacity = scene.pair_capacity = 0;
    scene.population_capacity = scene.template_capacity = 0;
    scene.combined_capacity = scene.witness_weight_capacity = scene.force_capacity = scene.spring_capacity = 0;
    return scene;
}

static icf_status read_scene(icf_context *context, icf_bytes *bytes, icf_scene *scene)
{
    icf_scene given;
    ICF_TRY(icf_bytes_take(bytes, sizeof given, &given));
    *scene = without_pointers(&given);
    ICF_TRY(icf_bytes_take_text(bytes, &scene->name));
    ICF_TRY(icf_bytes_take_text(bytes, &scene->output.directory));
    ICF_TRY(read_materials(bytes, scene, given.nmaterial));
    ICF_TRY(READ_ARRAY(pair, pair_capacity, given.npair));
    ICF_TRY(READ_ARRAY(combined, combined_capacity, table_size(scene)));
    ICF_TRY(READ_ARRAY(surface, surface_capacity, table_size(scene)));
    ICF_TRY(READ_ARRAY(witness_weight, witness_weight_capacity, table_size(scene)));
    ICF_TRY(READ_ARRAY(population, population_capacity, given.npopulation));
    ICF_TRY(READ_ARRAY(population_template, template_capacity, given.ntemplate));
    ICF_TRY(read_solids(bytes, scene, given.nsolid));
    ICF_TRY(read_deformables(bytes, scene, given.ndeformable));
    ICF_TRY(read_rigid_surfaces(context, bytes, scene, given.nrigid_surface));
    ICF_TRY(READ_ARRAY(force, force_capacity, given.nforce));
    return READ_ARRAY(spring, spring_capacity, given.nspring);
}

icf_status icf_scene_message_read(icf_context *context, icf_bytes *bytes, icf_scene *scene)
{
    *scene = (icf_scene){0};
    const icf_status status = read_scene(context, bytes, scene);
    if (status != ICF_OK) icf_scene_clear(scene);
    return status;
}
