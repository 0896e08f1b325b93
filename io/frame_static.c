/* The static group of run.h5. */
#include "io/frame_static.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { longest_name = 64 }; /* bytes of a body's name that are kept */

uint64_t icf_frame_static_hash(const icf_context *context, const icf_bodies *bodies, bool surfaces)
{
    uint64_t hash = icf_hash_word((uint64_t)surfaces, (uint64_t)context->rank);
    for (icf_lid i = 0; i < bodies->nowned; ++i) hash = icf_hash_word(hash, (uint64_t)bodies->gid[i]);
    /* ranks without rows add nothing, so that one rank's file can be continued by several */
    uint64_t mine = bodies->nowned > 0 ? hash : 0, sum = mine;
    if (context->size > 1) MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, context->comm);
    return sum;
}

static icf_surface surface_of(const icf_surfaces *surfaces, const icf_bodies *bodies, icf_lid i)
{
    return icf_surfaces_of(surfaces, &bodies->shape[i]);
}

icf_status icf_frame_static_build(icf_context *context, const icf_bodies *bodies, const icf_surfaces *surfaces,
                                  icf_frame_static *fixed)
{
    icf_status status = ICF_GROW(fixed->point_begin, fixed->capacity, bodies->nowned + 1);
    if (status != ICF_OK) status = icf_fail(context, status, "out of memory for the surfaces of bodies");
    ICF_TRY(icf_agree(context, status));
    icf_cnt npoint = 0, ntriangle = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        fixed->point_begin[i] = npoint;
        npoint += surfaces ? surface_of(surfaces, bodies, i).npoint : 0;
        ntriangle += surfaces ? surface_of(surfaces, bodies, i).ntriangle : 0;
    }
    fixed->point_begin[bodies->nowned] = npoint;
    fixed->body = icf_rows_place(context, (hsize_t)bodies->nowned);
    fixed->point = icf_rows_place(context, (hsize_t)npoint);
    fixed->layout.nbody = (icf_cnt)fixed->body.total;
    fixed->layout.npoint = (icf_cnt)fixed->point.total;
    fixed->layout.ntriangle = (icf_cnt)icf_rows_place(context, (hsize_t)ntriangle).total;
    fixed->hash = icf_frame_static_hash(context, bodies, fixed->layout.npoint > 0);
    return fixed->layout.npoint <= INT32_MAX ? ICF_OK
                                             : icf_fail(context, ICF_ERROR_SCENE, "output.surfaces: too many points");
}

/* Half extents in the body frame [m]; zero for bodies without a finite shape. */
static icf_vec3 half_extents(const icf_shape *shape)
{
    const double r = shape->radius;
    switch (shape->type) {
    case ICF_SHAPE_SPHERE: return icf_vec3_make(r, r, r);
    case ICF_SHAPE_CAPSULE: return icf_vec3_make(r, r, r + shape->half);
    case ICF_SHAPE_CYLINDER: return icf_vec3_make(r, r, shape->half);
    case ICF_SHAPE_BOX:
    case ICF_SHAPE_ELLIPSOID:
    case ICF_SHAPE_CONVEX:
    case ICF_SHAPE_COMPOUND:
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD: return shape->extent;
    default: return icf_vec3_make(0.0, 0.0, 0.0);
    }
}

/* Columns of the group that have a row a body. */
typedef struct body_columns {
    int32_t *shape, *index;
    icf_vec3 *size;
    char (*name)[longest_name];
} body_columns;

static void free_columns(body_columns *columns)
{
    icf_free(columns->shape);
    icf_free(columns->index);
    icf_free(columns->size);
    icf_free(columns->name);
}

static bool allocate_columns(body_columns *columns, size_t n)
{
    columns->shape = icf_alloc(n * sizeof *columns->shape);
    columns->index = icf_alloc(n * sizeof *columns->index);
    columns->size = icf_alloc(n * sizeof *columns->size);
    columns->name = icf_alloc(n * sizeof *columns->name);
    return columns->shape && columns->index && columns->size && columns->name;
}

static void fill_columns(body_columns *columns, const icf_bodies *bodies, hsize_t first)
{
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        char buffer[32];
        columns->shape[i] = (int32_t)bodies->shape[i].type;
        columns->index[i] = (int32_t)first + i;
        columns->size[i] = half_extents(&bodies->shape[i]);
        memset(columns->name[i], 0, longest_name);
        snprintf(columns->name[i], longest_name, "%s", icf_bodies_name(bodies, i, buffer));
    }
}

static void write_columns(icf_h5 *h5, hid_t group, const icf_bodies *bodies, icf_rows rows, const body_columns *columns)
{
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, longest_name);
    icf_h5_write(h5, group, "id", H5T_NATIVE_INT64, rows, 1, bodies->gid);
    icf_h5_write(h5, group, "mass", H5T_NATIVE_DOUBLE, rows, 1, bodies->mass);
    icf_h5_write(h5, group, "shape", H5T_NATIVE_INT32, rows, 1, columns->shape);
    icf_h5_write(h5, group, "index", H5T_NATIVE_INT32, rows, 1, columns->index);
    icf_h5_write(h5, group, "size", H5T_NATIVE_DOUBLE, rows, 3, columns->size);
    icf_h5_write(h5, group, "name", text, rows, 1, columns->name);
    H5Tclose(text);
}

/* Triangles of this rank's bodies, with the body and shape of each. */
typedef struct triangle_columns {
    size_t n;
    int32_t (*point)[3];
    icf_gid *body;
    int32_t *shape;
} triangle_columns;

static void free_triangles(triangle_columns *triangles)
{
    icf_free(triangles->point);
    icf_free(triangles->body);
    icf_free(triangles->shape);
}

static bool allocate_triangles(triangle_columns *triangles, const icf_surfaces *surfaces, const icf_bodies *bodies)
{
    triangles->n = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) triangles->n += (size_t)surface_of(surfaces, bodies, i).ntriangle;
    if (triangles->n == 0) return true;
    triangles->point = icf_alloc(triangles->n * sizeof *triangles->point);
    triangles->body = icf_alloc(triangles->n * sizeof *triangles->body);
    triangles->shape = icf_alloc(triangles->n * sizeof *triangles->shape);
    return triangles->point && triangles->body && triangles->shape;
}

static void fill_triangles(triangle_columns *triangles, const icf_surfaces *surfaces, const icf_bodies *bodies,
                           const icf_frame_static *fixed)
{
    size_t n = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        const icf_surface surface = surface_of(surfaces, bodies, i);
        const int32_t first = (int32_t)((icf_cnt)fixed->point.first + fixed->point_begin[i]);
        for (int32_t k = 0; k < surface.ntriangle; ++k, ++n) {
            for (int j = 0; j < 3; ++j) triangles->point[n][j] = first + surface.triangle[k][j];
            triangles->body[n] = bodies->gid[i];
            triangles->shape[n] = (int32_t)bodies->shape[i].type;
        }
    }
}

static icf_status write_triangles(icf_h5 *h5, hid_t group, const icf_bodies *bodies, const icf_surfaces *surfaces,
                                  const icf_frame_static *fixed)
{
    triangle_columns triangles = {0};
    const bool allocated = allocate_triangles(&triangles, surfaces, bodies);
    icf_status status = allocated ? ICF_OK : icf_fail(h5->context, ICF_ERROR_MEMORY, "out of memory for surfaces");
    status = icf_agree(h5->context, status);
    if (status == ICF_OK) {
        const icf_rows rows = icf_rows_place(h5->context, triangles.n);
        fill_triangles(&triangles, surfaces, bodies, fixed);
        icf_h5_write(h5, group, "triangles", H5T_NATIVE_INT32, rows, 3, triangles.point);
        icf_h5_write(h5, group, "triangle_body", H5T_NATIVE_INT64, rows, 1, triangles.body);
        icf_h5_write(h5, group, "triangle_shape", H5T_NATIVE_INT32, rows, 1, triangles.shape);
    }
    free_triangles(&triangles);
    return status;
}

static icf_status write_bodies(icf_h5 *h5, hid_t group, const icf_bodies *bodies, icf_rows rows)
{
    body_columns columns = {0};
    const bool allocated = allocate_columns(&columns, (size_t)bodies->nowned + 1);
    icf_status status = allocated ? ICF_OK : icf_fail(h5->context, ICF_ERROR_MEMORY, "out of memory for results");
    status = icf_agree(h5->context, status);
    if (status == ICF_OK) {
        fill_columns(&columns, bodies, rows.first);
        write_columns(h5, group, bodies, rows, &columns);
    }
    free_columns(&columns);
    return status;
}

icf_status icf_frame_static_write(icf_h5 *h5, const icf_bodies *bodies, const icf_surfaces *surfaces,
                                  const icf_frame_static *fixed)
{
    const hid_t group = icf_h5_group_create(h5, h5->file, fixed->layout.group);
    icf_h5_put_count(h5, group, "layout", (icf_cnt)fixed->hash);
    icf_h5_put_count(h5, group, "points", fixed->layout.npoint);
    icf_status status = write_bodies(h5, group, bodies, fixed->body);
    if (status == ICF_OK && fixed->layout.npoint > 0) status = write_triangles(h5, group, bodies, surfaces, fixed);
    icf_h5_group_close(h5, group);
    const icf_status written = icf_h5_check(h5);
    return status != ICF_OK ? status : written;
}

void icf_frame_static_read(icf_h5 *h5, const char *group, icf_xdmf_layout *layout, uint64_t *hash)
{
    *layout = (icf_xdmf_layout){0};
    snprintf(layout->group, sizeof layout->group, "%s", group);
    const hid_t id = icf_h5_group_open(h5, h5->file, group);
    *hash = (uint64_t)icf_h5_get_count(h5, id, "layout");
    layout->nbody = (icf_cnt)icf_h5_rows(h5, id, "id", 1);
    layout->npoint = icf_h5_get_count(h5, id, "points");
    if (layout->npoint > 0) layout->ntriangle = (icf_cnt)icf_h5_rows(h5, id, "triangles", 3);
    if (icf_h5_has(h5, id, "deformables")) {
        layout->nvertex = (icf_cnt)icf_h5_rows(h5, id, "deformables/rest", 3);
        layout->ntet = (icf_cnt)icf_h5_rows(h5, id, "deformables/tets", 4);
    }
    icf_h5_group_close(h5, id);
}

void icf_frame_static_clear(icf_frame_static *fixed)
{
    ICF_FREE(fixed->point_begin);
    *fixed = (icf_frame_static){0};
}
