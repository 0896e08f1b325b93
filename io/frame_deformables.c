/* Deformable bodies in run.h5. */
#include "io/frame_deformables.h"

#include <string.h>

#include "base/memory.h"

/* The description of a body that is deformable, else NULL. */
static const icf_deformable *deformable_of(const icf_scene *scene, const icf_bodies *bodies, icf_lid i)
{
    return icf_bodies_is_deformable(bodies, i) ? &scene->deformable[bodies->shape[i].index] : NULL;
}

/* ---- meshes ---- */

icf_status icf_frame_deformables_place(icf_frame_deformables *rows, icf_context *context, const icf_scene *scene,
                                       const icf_bodies *bodies, icf_xdmf_layout *layout)
{
    layout->nvertex = layout->ntet = 0;
    if (scene->ndeformable == 0) return ICF_OK;
    icf_cnt ntet = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        const icf_deformable *deformable = deformable_of(scene, bodies, i);
        ntet += deformable ? deformable->mesh.ntet : 0;
    }
    rows->vertex = icf_rows_place(context, icf_bodies_owned_vertices(bodies));
    rows->tet = icf_rows_place(context, (hsize_t)ntet);
    layout->nvertex = (icf_cnt)rows->vertex.total;
    layout->ntet = (icf_cnt)rows->tet.total;
    if (layout->nvertex <= INT32_MAX) return ICF_OK;
    return icf_fail(context, ICF_ERROR_SCENE, "deformables: too many vertices for run.h5");
}

/* Columns of the static group. */
typedef struct mesh_columns {
    icf_vec3 *rest;
    icf_gid *vertex_body, *tet_body;
    int32_t (*tet)[4];
} mesh_columns;

static bool allocate_columns(mesh_columns *columns, const icf_frame_deformables *rows)
{
    const size_t nvertex = (size_t)rows->vertex.n + 1, ntet = (size_t)rows->tet.n + 1;
    columns->rest = icf_alloc(nvertex * sizeof *columns->rest);
    columns->vertex_body = icf_alloc(nvertex * sizeof *columns->vertex_body);
    columns->tet = icf_alloc(ntet * sizeof *columns->tet);
    columns->tet_body = icf_alloc(ntet * sizeof *columns->tet_body);
    return columns->rest && columns->vertex_body && columns->tet && columns->tet_body;
}

static void free_columns(mesh_columns *columns)
{
    icf_free(columns->rest);
    icf_free(columns->vertex_body);
    icf_free(columns->tet);
    icf_free(columns->tet_body);
}

static void fill_columns(mesh_columns *columns, const icf_scene *scene, const icf_bodies *bodies, hsize_t first)
{
    size_t vertex = 0, tet = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        const icf_deformable *deformable = deformable_of(scene, bodies, i);
        if (!deformable) continue;
        const icf_tet_mesh *mesh = &deformable->mesh;
        for (icf_lid t = 0; t < mesh->ntet; ++t, ++tet) {
            for (int k = 0; k < 4; ++k) columns->tet[tet][k] = (int32_t)(first + vertex) + mesh->tet[t][k];
            columns->tet_body[tet] = bodies->gid[i];
        }
        memcpy(columns->rest + vertex, mesh->vertex, (size_t)mesh->nvertex * sizeof *columns->rest);
        for (icf_lid k = 0; k < mesh->nvertex; ++k) columns->vertex_body[vertex++] = bodies->gid[i];
    }
}

static void write_columns(icf_h5 *h5, const char *name, const mesh_columns *columns, const icf_frame_deformables *rows)
{
    const hid_t parent = icf_h5_group_open(h5, h5->file, name);
    const hid_t group = icf_h5_group_create(h5, parent, "deformables");
    icf_h5_write(h5, group, "rest", H5T_NATIVE_DOUBLE, rows->vertex, 3, columns->rest);
    icf_h5_write(h5, group, "vertex_body", H5T_NATIVE_INT64, rows->vertex, 1, columns->vertex_body);
    icf_h5_write(h5, group, "tets", H5T_NATIVE_INT32, rows->tet, 4, columns->tet);
    icf_h5_write(h5, group, "tet_body", H5T_NATIVE_INT64, rows->tet, 1, columns->tet_body);
    icf_h5_group_close(h5, group);
    icf_h5_group_close(h5, parent);
}

icf_status icf_frame_deformables_write_static(icf_h5 *h5, const char *name, const icf_scene *scene,
                                              const icf_bodies *bodies, const icf_frame_deformables *rows)
{
    if (scene->ndeformable == 0) return ICF_OK;
    mesh_columns columns = {0};
    const bool allocated = allocate_columns(&columns, rows);
    icf_status status = allocated ? ICF_OK : icf_fail(h5->context, ICF_ERROR_MEMORY, "out of memory for meshes");
    status = icf_agree(h5->context, status);
    if (status == ICF_OK) {
        fill_columns(&columns, scene, bodies, rows->vertex.first);
        write_columns(h5, name, &columns, rows);
        status = icf_h5_check(h5);
    }
    free_columns(&columns);
    return status;
}

/* ---- frames ---- */

static size_t count_scene_vertices(const icf_scene *scene)
{
    size_t n = 0;
    for (int32_t k = 0; k < scene->ndeformable; ++k) n += (size_t)scene->deformable[k].mesh.nvertex;
    return n;
}

static icf_status reserve(icf_frame_deformables *rows, const icf_scene *scene)
{
    const size_t n = (size_t)rows->vertex.n + 1;
    ICF_TRY(ICF_GROW(rows->displacement, rows->displacement_capacity, n));
    ICF_TRY(ICF_GROW(rows->von_mises, rows->von_mises_capacity, n));
    ICF_TRY(ICF_GROW(rows->traction, rows->traction_capacity, n));
    ICF_TRY(ICF_GROW(rows->area, rows->area_capacity, n));
    return ICF_GROW(rows->force, rows->force_capacity, count_scene_vertices(scene));
}

/* Forces on the vertices of one deformable, in the array of all of the scene's. */
static icf_vec3 *force_of(const icf_frame_deformables *rows, const icf_scene *scene, int32_t index)
{
    icf_vec3 *force = rows->force;
    for (int32_t k = 0; k < index; ++k) force += scene->deformable[k].mesh.nvertex;
    return force;
}

/* Shares out the forces of a pair's contacts to the vertices of one of its bodies. */
static void add_pair_forces(const icf_contacts *contacts, icf_lid pair, int side, double dt, icf_vec3 *force)
{
    const double sign = side == 0 ? -1.0 : 1.0;
    for (icf_lid i = contacts->pair_begin[pair]; i < contacts->pair_begin[pair + 1]; ++i) {
        const icf_vec3 impulse = icf_contacts_world_impulse(contacts, i);
        const icf_support *support = &contacts->support[i][side];
        for (int k = 0; k < support->n; ++k)
            force[support->vertex[k]] = icf_mul_add(force[support->vertex[k]], sign * support->weight[k] / dt, impulse);
    }
}

static void add_view_forces(icf_frame_deformables *rows, const icf_scene *scene, const icf_contact_view *view,
                            double dt)
{
    const icf_contacts *contacts = view->contacts;
    for (icf_lid p = 0; p < contacts->npair; ++p) {
        const icf_lid sides[2] = {contacts->pair[p].a, contacts->pair[p].b};
        for (int side = 0; side < 2; ++side)
            if (icf_bodies_is_deformable(view->bodies, sides[side]))
                add_pair_forces(contacts, p, side, dt, force_of(rows, scene, view->bodies->shape[sides[side]].index));
    }
}

/* Contact forces of all vertices of the scene, the same on every rank.  All contacts of a body are on one rank, so that
 * the sum over ranks adds zeros only. */
static void sum_forces(icf_frame_deformables *rows, const icf_context *context, const icf_scene *scene,
                       const icf_contact_views *contacts, double dt)
{
    const size_t n = count_scene_vertices(scene);
    memset(rows->force, 0, n * sizeof *rows->force);
    for (int k = 0; contacts && k < contacts->n; ++k) add_view_forces(rows, scene, &contacts->view[k], dt);
    if (context->size == 1) return;
    for (int32_t k = 0; k < scene->ndeformable; ++k)
        MPI_Allreduce(MPI_IN_PLACE, force_of(rows, scene, k), 3 * scene->deformable[k].mesh.nvertex, MPI_DOUBLE,
                      MPI_SUM, context->comm);
}

/* A third of the area of the surface triangles round each vertex, as they are now. */
static void find_areas(const icf_tet_surface *surface, const icf_vec3 *x, icf_lid nvertex, double *area)
{
    memset(area, 0, (size_t)nvertex * sizeof *area);
    for (icf_lid t = 0; t < surface->ntriangle; ++t) {
        const icf_lid *v = surface->triangle[t];
        const double third = icf_norm(icf_area_vector(x[v[0]], x[v[1]], x[v[2]])) / 3.0;
        for (int k = 0; k < 3; ++k) area[v[k]] += third;
    }
}

static void put_vec3(float row[3], icf_vec3 v)
{
    row[0] = (float)v.x;
    row[1] = (float)v.y;
    row[2] = (float)v.z;
}

/* The rows of one body. */
static void fill_body(icf_frame_deformables *rows, const icf_scene *scene, const icf_bodies *bodies, icf_lid i)
{
    const icf_deformable *deformable = deformable_of(scene, bodies, i);
    const icf_vec3 *x = bodies->vertex_position + bodies->vertex[i];
    const icf_vec3 *force = force_of(rows, scene, bodies->shape[i].index);
    double *area = rows->area + bodies->vertex[i];
    find_areas(&deformable->surface, x, deformable->mesh.nvertex, area);
    for (icf_lid k = 0; k < deformable->mesh.nvertex; ++k) {
        const size_t row = (size_t)bodies->vertex[i] + (size_t)k;
        put_vec3(rows->displacement[row], icf_sub(x[k], deformable->position[k]));
        put_vec3(rows->traction[row], area[k] > 0.0 ? icf_scale(1.0 / area[k], force[k]) : icf_vec3_make(0, 0, 0));
    }
}

icf_status icf_frame_deformables_build(icf_frame_deformables *rows, icf_context *context, const icf_scene *scene,
                                       const icf_bodies *bodies, const icf_contact_views *contacts, double dt)
{
    if (scene->ndeformable == 0) return ICF_OK;
    icf_status status = reserve(rows, scene);
    if (status != ICF_OK) status = icf_fail(context, status, "out of memory for a frame of deformable bodies");
    ICF_TRY(icf_agree(context, status));
    sum_forces(rows, context, scene, contacts, dt);
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        if (icf_bodies_is_deformable(bodies, i)) fill_body(rows, scene, bodies, i);
    const double *stress = contacts ? contacts->stress : NULL;
    for (size_t row = 0; row < (size_t)rows->vertex.n; ++row) rows->von_mises[row] = stress ? (float)stress[row] : 0.0F;
    return ICF_OK;
}

void icf_frame_deformables_write(icf_h5 *h5, hid_t frame, const icf_bodies *bodies, const icf_frame_deformables *rows)
{
    if (rows->vertex.total == 0) return;
    const icf_rows place = rows->vertex;
    const hid_t group = icf_h5_group_create(h5, frame, "deformables");
    icf_h5_write(h5, group, "vertices", H5T_NATIVE_DOUBLE, place, 3, bodies->vertex_position);
    icf_h5_write(h5, group, "velocity", H5T_NATIVE_DOUBLE, place, 3, bodies->vertex_velocity);
    icf_h5_write(h5, group, "displacement", H5T_NATIVE_FLOAT, place, 3, rows->displacement);
    icf_h5_write(h5, group, "von_mises", H5T_NATIVE_FLOAT, place, 1, rows->von_mises);
    icf_h5_write(h5, group, "traction", H5T_NATIVE_FLOAT, place, 3, rows->traction);
    icf_h5_group_close(h5, group);
}

void icf_frame_deformables_clear(icf_frame_deformables *rows)
{
    icf_free(rows->displacement);
    icf_free(rows->von_mises);
    icf_free(rows->traction);
    icf_free(rows->force);
    icf_free(rows->area);
    *rows = (icf_frame_deformables){0};
}
