/* From what a scene says of a deformable to mesh, supports and loads. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/deformable_input.h"
#include "io/mesh_file.h"
#include "scene/tet_generate.h"

/* ---- mesh ---- */

static icf_status read_mesh_file(icf_scene_reader *reader, const icf_mesh_input *input, icf_tet_mesh *mesh)
{
    char *path = icf_reader_file_path(reader, input->file);
    if (!path) return ICF_ERROR_MEMORY;
    const icf_status status = icf_read_tet_mesh(reader->context, path, input->scale, mesh);
    icf_free(path);
    return status;
}

static icf_status take_listed(icf_scene_reader *reader, const icf_mesh_input *input, icf_tet_mesh *mesh)
{
    for (size_t i = 0; i < input->vertices.n; ++i) ICF_TRY(icf_tet_mesh_add_vertex(mesh, input->vertices.item[i]));
    for (size_t t = 0; t + 3 < input->tets.n; t += 4) {
        const icf_cnt *v = input->tets.item + t;
        ICF_TRY(icf_tet_mesh_add_tet(mesh, (icf_lid)v[0], (icf_lid)v[1], (icf_lid)v[2], (icf_lid)v[3]));
    }
    return icf_tet_mesh_finalize(reader->context, mesh, "vertices and tets");
}

static icf_status make_mesh(icf_scene_reader *reader, const icf_mesh_input *input, icf_tet_mesh *mesh)
{
    icf_context *context = reader->context;
    const icf_lid resolution = (icf_lid)input->resolution;
    const icf_lid divisions[3] = {(icf_lid)input->divisions[0], (icf_lid)input->divisions[1],
                                  (icf_lid)input->divisions[2]};
    switch (input->source) {
    case ICF_MESH_BOX: return icf_tet_mesh_box(context, mesh, input->size, divisions);
    case ICF_MESH_CYLINDER: return icf_tet_mesh_cylinder(context, mesh, input->radius, input->length, resolution);
    case ICF_MESH_SPHERE: return icf_tet_mesh_sphere(context, mesh, input->radius, resolution);
    case ICF_MESH_TUBE:
        return icf_tet_mesh_tube(context, mesh, input->inner_radius, input->radius, input->length, resolution);
    case ICF_MESH_FILE: return read_mesh_file(reader, input, mesh);
    case ICF_MESH_LISTED: return take_listed(reader, input, mesh);
    }
    return ICF_ERROR_INTERNAL;
}

/* A mesh that is wrong is an error of the scene like others. */
static icf_status build_mesh(icf_scene_reader *reader, const icf_mesh_input *input, icf_tet_mesh *mesh)
{
    const icf_status status = make_mesh(reader, input, mesh);
    if (status != ICF_ERROR_SCENE && status != ICF_ERROR_FILE) return status;
    icf_reader_key_error(reader, input->mark, "mesh", "%s", reader->context->message);
    icf_clear_failure(reader->context);
    return ICF_OK;
}

/* ---- placement ---- */

static void place(const icf_deformable_input *input, icf_deformable *deformable)
{
    const icf_mat3 rotation = icf_quat_matrix(input->orientation);
    for (icf_lid i = 0; i < deformable->mesh.nvertex; ++i) {
        const icf_vec3 arm = icf_mat3_mul(&rotation, deformable->mesh.vertex[i]);
        deformable->position[i] =
            input->vertex_positions.n > 0 ? input->vertex_positions.item[i] : icf_add(input->position, arm);
        deformable->velocity[i] =
            icf_add(input->linear_velocity,
                    icf_cross(input->angular_velocity, icf_sub(deformable->position[i], input->position)));
        if (input->vertex_velocities.n > 0)
            deformable->velocity[i] = icf_add(deformable->velocity[i], input->vertex_velocities.item[i]);
    }
}

/* Lists of a value a vertex have as many values as the mesh vertices. */
static void check_lengths(icf_scene_reader *reader, const icf_deformable_input *input, icf_lid nvertex)
{
    const icf_vec3_list *lists[] = {&input->vertex_positions, &input->vertex_velocities};
    const icf_mark marks[] = {input->positions_mark, input->velocities_mark};
    const char *const keys[] = {"vertex_positions", "vertex_velocities"};
    for (int k = 0; k < 2; ++k)
        if (marks[k].line >= 0 && lists[k]->n != (size_t)nvertex)
            icf_reader_key_error(reader, marks[k], keys[k], "has %zu entries, the mesh %d vertices", lists[k]->n,
                                 (int)nvertex);
}

/* ---- selectors ---- */

static void mark_group(const icf_mesh_group *group, bool *chosen)
{
    for (icf_lid k = 0; k < group->nvertex; ++k) chosen[group->vertex[k]] = true;
}

static void report_group(icf_scene_reader *reader, const icf_deformable *deformable, icf_mark mark, const char *group)
{
    char quoted[ICF_QUOTE_BYTES];
    const char *nearest = NULL;
    size_t distance = SIZE_MAX;
    for (icf_lid g = 0; g < deformable->mesh.ngroup; ++g)
        if (icf_name_is_nearer(deformable->mesh.group[g].name, group, &distance))
            nearest = deformable->mesh.group[g].name;
    icf_reader_key_error(reader, mark, "group", "the mesh has no group %s%s%s%s",
                         icf_scene_quote(quoted, group, strlen(group)), nearest ? "; did you mean \"" : "",
                         nearest ? nearest : "", nearest ? "\"?" : "");
}

static bool is_chosen(const icf_selector *selector, icf_vec3 x)
{
    if (selector->type == ICF_SELECT_SPHERE)
        return icf_norm2(icf_sub(x, selector->center)) <= selector->radius * selector->radius;
    return x.x >= selector->low.x && x.y >= selector->low.y && x.z >= selector->low.z && x.x <= selector->high.x &&
           x.y <= selector->high.y && x.z <= selector->high.z;
}

/* Marks the vertices of a selector; reports one that names none. */
static void choose(icf_scene_reader *reader, const icf_deformable *deformable, const icf_selector *selector,
                   icf_mark mark, bool *chosen)
{
    const icf_lid n = deformable->mesh.nvertex;
    const int nerror = reader->errors.n;
    memset(chosen, 0, (size_t)n * sizeof *chosen);
    if (selector->type == ICF_SELECT_GROUP) {
        const icf_lid group = icf_tet_mesh_find_group(&deformable->mesh, selector->group);
        if (group < 0)
            report_group(reader, deformable, mark, selector->group);
        else
            mark_group(&deformable->mesh.group[group], chosen);
    } else if (selector->type == ICF_SELECT_VERTICES) {
        for (size_t k = 0; k < selector->vertices.n; ++k) {
            if (selector->vertices.item[k] < n)
                chosen[selector->vertices.item[k]] = true;
            else
                icf_reader_key_error(reader, mark, "vertices", "there is no vertex %lld, the mesh has %d",
                                     (long long)selector->vertices.item[k], (int)n);
        }
    } else {
        for (icf_lid i = 0; i < n; ++i) chosen[i] = is_chosen(selector, deformable->position[i]);
    }
    bool any = false;
    for (icf_lid i = 0; i < n; ++i) any = any || chosen[i];
    if (!any && reader->errors.n == nerror) icf_reader_error(reader, mark, "selects no vertex");
}

/* The path to an element of a list of the deformable. */
static void enter(icf_scene_reader *reader, const char *key, icf_cnt index)
{
    reader->path[reader->npath++] = (icf_path_step){.key = key};
    reader->path[reader->npath++] = (icf_path_step){.index = index};
}

static void leave(icf_scene_reader *reader)
{
    reader->npath -= 2;
}

/* The last selector that names a vertex wins. */
static icf_status fix_vertices(icf_scene_reader *reader, const icf_deformable_input *input, bool *chosen,
                               icf_deformable *deformable)
{
    ICF_TRY(ICF_GROW(deformable->motion, deformable->motion_capacity, input->nfixed));
    for (size_t k = 0; k < input->nfixed; ++k) {
        const icf_fixed_input *fixed = &input->fixed[k];
        enter(reader, "fixed", fixed->index);
        choose(reader, deformable, &fixed->selector, fixed->mark, chosen);
        leave(reader);
        deformable->motion[deformable->nmotion] = fixed->motion;
        for (icf_lid i = 0; i < deformable->mesh.nvertex; ++i)
            if (chosen[i]) deformable->support[i] = deformable->nmotion;
        ++deformable->nmotion;
    }
    return ICF_OK;
}

/* The body of an attachment is found when all bodies have been read: until then its name's number stands there. */
static icf_status attach_vertices(icf_scene_reader *reader, const icf_deformable_input *input, bool *chosen,
                                  icf_deformable *deformable)
{
    for (size_t k = 0; k < input->nattachment; ++k) {
        const icf_attachment_input *attachment = &input->attachment[k];
        enter(reader, "attachments", attachment->index);
        choose(reader, deformable, &attachment->selector, attachment->mark, chosen);
        leave(reader);
        for (icf_lid i = 0; i < deformable->mesh.nvertex; ++i) {
            if (!chosen[i]) continue;
            ICF_TRY(ICF_GROW(deformable->attachment, deformable->attachment_capacity, deformable->nattachment + 1));
            deformable->attachment[deformable->nattachment++] =
                (icf_attachment){.vertex = i, .body = (icf_gid)attachment->body};
        }
    }
    return ICF_OK;
}

static icf_status press_group(icf_scene_reader *reader, const icf_pressure_input *pressure, icf_deformable *deformable)
{
    const icf_lid group = icf_tet_mesh_find_group(&deformable->mesh, pressure->group);
    if (group < 0) {
        report_group(reader, deformable, pressure->mark, pressure->group);
        return ICF_OK;
    }
    const icf_mesh_group *of = &deformable->mesh.group[group];
    if (of->ntriangle == 0)
        icf_reader_key_error(reader, pressure->mark, "group", "the group has no triangles on the surface");
    for (icf_lid t = 0; t < of->ntriangle; ++t) {
        ICF_TRY(ICF_GROW(deformable->pressure, deformable->pressure_capacity, deformable->npressure + 1));
        icf_pressure *added = &deformable->pressure[deformable->npressure++];
        memcpy(added->triangle, of->triangle[t], sizeof added->triangle);
        added->value = pressure->value;
    }
    return ICF_OK;
}

static icf_status press(icf_scene_reader *reader, const icf_deformable_input *input, icf_deformable *deformable)
{
    for (size_t k = 0; k < input->npressure; ++k) {
        enter(reader, "pressure", input->pressure[k].index);
        const icf_status status = press_group(reader, &input->pressure[k], deformable);
        leave(reader);
        ICF_TRY(status);
    }
    return ICF_OK;
}

static icf_status build_parts(icf_scene_reader *reader, const icf_deformable_input *input, bool *chosen,
                              icf_deformable *deformable)
{
    ICF_TRY(icf_deformable_reserve(deformable));
    place(input, deformable);
    ICF_TRY(fix_vertices(reader, input, chosen, deformable));
    ICF_TRY(attach_vertices(reader, input, chosen, deformable));
    ICF_TRY(press(reader, input, deformable));
    return icf_deformable_finish(deformable);
}

icf_status icf_build_deformable(icf_scene_reader *reader, const icf_deformable_input *input, icf_deformable *deformable)
{
    const int nerror = reader->errors.n;
    ICF_TRY(build_mesh(reader, &input->mesh, &deformable->mesh));
    if (reader->errors.n > nerror) return ICF_OK;
    check_lengths(reader, input, deformable->mesh.nvertex);
    if (reader->errors.n > nerror) return ICF_OK;
    if (input->mesh.source == ICF_MESH_FILE) deformable->file_scale = input->mesh.scale;
    deformable->elastic = input->elastic;
    deformable->material = input->material;
    deformable->subdivision = (int32_t)input->subdivision;
    deformable->self_contact = input->self_contact;
    bool *chosen = icf_alloc((size_t)deformable->mesh.nvertex * sizeof *chosen);
    if (!chosen) return ICF_ERROR_MEMORY;
    const icf_status status = build_parts(reader, input, chosen, deformable);
    icf_free(chosen);
    return status;
}
