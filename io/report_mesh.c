/* Surfaces of a run's bodies for a report. */
#include "io/report_mesh.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "scene/tet_surface.h"

static icf_status fail_memory(icf_context *context)
{
    return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for the surfaces of a report");
}

static icf_status fail_damaged(const icf_report_run *run, const char *what)
{
    return icf_fail(run->context, ICF_ERROR_FILE, "%s: %s/%s is damaged", run->h5.path, run->fixed, what);
}

bool icf_report_is_drawn(int32_t shape)
{
    return shape == ICF_SHAPE_NONE || shape == ICF_SHAPE_HALF_SPACE || shape == ICF_SHAPE_SPHERE ||
           shape == ICF_SHAPE_CAPSULE || shape == ICF_SHAPE_BOX || shape == ICF_SHAPE_DEFORMABLE;
}

void icf_report_mesh_clear(icf_report_mesh *mesh)
{
    icf_free(mesh->body);
    icf_free(mesh->triangle);
    icf_free(mesh->local);
    *mesh = (icf_report_mesh){0};
}

/* Makes room for so many vertices and triangles in all. */
static icf_status reserve(icf_context *context, icf_report_mesh *mesh, icf_lid nvertex, icf_lid ntriangle, bool local)
{
    icf_status status = ICF_GROW(mesh->body, mesh->body_capacity, nvertex);
    if (status == ICF_OK) status = ICF_GROW(mesh->triangle, mesh->triangle_capacity, ntriangle);
    if (status == ICF_OK && local) status = ICF_GROW(mesh->local, mesh->local_capacity, nvertex);
    return status == ICF_OK ? ICF_OK : fail_memory(context);
}

/* ---- deformable bodies ---- */

/* First vertex of each body, with as many as rows name it: owner (nvertex) rows of bodies, begin (nbody + 1). */
static void count_vertices(const icf_report_run *run, const icf_lid *owner, icf_lid *begin)
{
    memset(begin, 0, ((size_t)run->nbody + 1) * sizeof *begin);
    for (icf_lid i = 0; i < run->nvertex; ++i) ++begin[owner[i] + 1];
    for (icf_lid i = 0; i < run->nbody; ++i) begin[i + 1] += begin[i];
}

/* Rows of the bodies of the vertices, as the file has them. */
static icf_status read_owners(icf_report_run *run, hid_t group, icf_lid *owner)
{
    icf_gid *id = icf_alloc(((size_t)run->nvertex + 1) * sizeof *id);
    if (!id) return fail_memory(run->context);
    icf_h5_read(&run->h5, group, "vertex_body", H5T_NATIVE_INT64, 0, (hsize_t)run->nvertex, 1, id);
    icf_status status = icf_h5_check(&run->h5);
    for (icf_lid i = 0; i < run->nvertex && status == ICF_OK; ++i) {
        owner[i] = icf_report_run_row(run, id[i]);
        if (owner[i] < 0) status = fail_damaged(run, "deformables/vertex_body");
    }
    icf_free(id);
    return status;
}

/* Gives every row of vertices its place by body; owner is that of the places afterwards. */
static icf_status sort_vertices(icf_report_run *run, hid_t group, icf_lid *owner, icf_lid *begin)
{
    ICF_TRY(read_owners(run, group, owner));
    count_vertices(run, owner, begin);
    for (icf_lid i = 0; i < run->nvertex; ++i) run->vertex_row[i] = begin[owner[i]]++;
    icf_lid *sorted = icf_alloc(((size_t)run->nvertex + 1) * sizeof *sorted);
    if (!sorted) return fail_memory(run->context);
    for (icf_lid i = 0; i < run->nvertex; ++i) sorted[run->vertex_row[i]] = owner[i];
    memcpy(owner, sorted, (size_t)run->nvertex * sizeof *owner);
    icf_free(sorted);
    return ICF_OK;
}

/* Tetrahedra with vertices by body. */
static icf_status read_tets(icf_report_run *run, hid_t group, icf_tet_mesh *mesh)
{
    for (icf_lid i = 0; i < run->nvertex; ++i) ICF_TRY(icf_tet_mesh_add_vertex(mesh, icf_vec3_make(0.0, 0.0, 0.0)));
    const hsize_t n = icf_h5_rows(&run->h5, group, "tets", 4);
    ICF_TRY(icf_h5_check(&run->h5));
    int32_t(*tets)[4] = icf_alloc(((size_t)n + 1) * sizeof *tets);
    if (!tets) return fail_memory(run->context);
    icf_h5_read(&run->h5, group, "tets", H5T_NATIVE_INT32, 0, n, 4, tets);
    icf_status status = icf_h5_check(&run->h5);
    for (hsize_t t = 0; t < n && status == ICF_OK; ++t) {
        for (int k = 0; k < 4 && status == ICF_OK; ++k)
            if (tets[t][k] < 0 || tets[t][k] >= run->nvertex) status = fail_damaged(run, "deformables/tets");
        if (status != ICF_OK) break;
        const icf_lid *row = run->vertex_row;
        status = icf_tet_mesh_add_tet(mesh, row[tets[t][0]], row[tets[t][1]], row[tets[t][2]], row[tets[t][3]]);
    }
    icf_free(tets);
    return status;
}

/* Keeps the vertices of the surface, by body. */
static icf_status keep_surface(icf_report_run *run, const icf_tet_surface *surface, const icf_lid *owner)
{
    icf_report_mesh *soft = &run->soft;
    ICF_TRY(reserve(run->context, soft, surface->nvertex, surface->ntriangle, false));
    soft->nvertex = surface->nvertex;
    soft->ntriangle = surface->ntriangle;
    for (icf_lid i = 0; i < run->nvertex; ++i) run->surface_vertex[i] = -1;
    for (icf_lid i = 0; i < surface->nvertex; ++i) {
        run->surface_vertex[surface->vertex[i]] = i;
        soft->body[i] = owner[surface->vertex[i]];
    }
    for (icf_lid t = 0; t < surface->ntriangle; ++t)
        for (int k = 0; k < 3; ++k) soft->triangle[t][k] = run->surface_vertex[surface->triangle[t][k]];
    return ICF_OK;
}

static icf_status build_soft(icf_report_run *run, hid_t group, icf_lid *owner, icf_lid *begin)
{
    ICF_TRY(sort_vertices(run, group, owner, begin));
    icf_tet_mesh mesh;
    icf_tet_surface surface;
    icf_tet_mesh_init(&mesh);
    icf_tet_surface_init(&surface);
    icf_status status = read_tets(run, group, &mesh);
    if (status == ICF_OK) status = icf_tet_surface_build(&surface, &mesh);
    if (status == ICF_OK) status = keep_surface(run, &surface, owner);
    icf_tet_surface_clear(&surface);
    icf_tet_mesh_clear(&mesh);
    return status;
}

icf_status icf_report_mesh_read_soft(icf_report_run *run, hid_t fixed)
{
    if (!icf_h5_has(&run->h5, fixed, "deformables")) return icf_h5_check(&run->h5);
    const hid_t group = icf_h5_group_open(&run->h5, fixed, "deformables");
    run->nvertex = (icf_lid)icf_h5_rows(&run->h5, group, "vertex_body", 1);
    const size_t n = (size_t)run->nvertex + 1;
    run->vertex_row = icf_alloc(n * sizeof *run->vertex_row);
    run->surface_vertex = icf_alloc(n * sizeof *run->surface_vertex);
    icf_lid *owner = icf_alloc(n * sizeof *owner), *begin = icf_alloc(((size_t)run->nbody + 1) * sizeof *begin);
    icf_status status = icf_h5_check(&run->h5);
    if (status == ICF_OK && !(run->vertex_row && run->surface_vertex && owner && begin))
        status = fail_memory(run->context);
    if (status == ICF_OK) status = build_soft(run, group, owner, begin);
    icf_free(owner);
    icf_free(begin);
    icf_h5_group_close(&run->h5, group);
    return status;
}

icf_status icf_report_mesh_find_rows(icf_report_run *run, hid_t fixed)
{
    if (run->nvertex == 0) return ICF_OK;
    const hid_t group = icf_h5_group_open(&run->h5, fixed, "deformables");
    icf_lid *owner = icf_alloc(((size_t)run->nvertex + 1) * sizeof *owner);
    icf_lid *begin = icf_alloc(((size_t)run->nbody + 1) * sizeof *begin);
    icf_status status = icf_h5_check(&run->h5);
    if (status == ICF_OK && !(owner && begin)) status = fail_memory(run->context);
    if (status == ICF_OK) status = sort_vertices(run, group, owner, begin);
    icf_free(owner);
    icf_free(begin);
    icf_h5_group_close(&run->h5, group);
    return status;
}

/* ---- rigid bodies ---- */

/* What run.h5 has of the surfaces of all bodies. */
typedef struct file_surfaces {
    icf_lid npoint, ntriangle;
    int32_t (*triangle)[3];
    icf_gid *body;
    float (*point)[3];
    icf_vec3 *position;
    icf_quat *orientation;
    icf_lid *vertex; /* (npoint) vertex of the mesh made of them; -1: not yet */
} file_surfaces;

static void clear_surfaces(file_surfaces *file)
{
    void *const memory[] = {file->triangle, file->body, file->point, file->position, file->orientation, file->vertex};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) icf_free(memory[i]);
}

static icf_status read_surfaces(icf_report_run *run, hid_t fixed, hid_t frame, file_surfaces *file)
{
    icf_h5 *h5 = &run->h5;
    file->ntriangle = (icf_lid)icf_h5_rows(h5, fixed, "triangles", 3);
    file->npoint = (icf_lid)icf_h5_rows(h5, frame, "points", 3);
    ICF_TRY(icf_h5_check(h5));
    const size_t ntriangle = (size_t)file->ntriangle + 1, npoint = (size_t)file->npoint + 1, n = (size_t)run->nrow + 1;
    file->triangle = icf_alloc(ntriangle * sizeof *file->triangle);
    file->body = icf_alloc(ntriangle * sizeof *file->body);
    file->point = icf_alloc(npoint * sizeof *file->point);
    file->vertex = icf_alloc(npoint * sizeof *file->vertex);
    file->position = icf_alloc(n * sizeof *file->position);
    file->orientation = icf_alloc(n * sizeof *file->orientation);
    if (!(file->triangle && file->body && file->point && file->vertex && file->position && file->orientation))
        return fail_memory(run->context);
    icf_h5_read(h5, fixed, "triangles", H5T_NATIVE_INT32, 0, ntriangle - 1, 3, file->triangle);
    icf_h5_read(h5, fixed, "triangle_body", H5T_NATIVE_INT64, 0, ntriangle - 1, 1, file->body);
    icf_h5_read(h5, frame, "points", H5T_NATIVE_FLOAT, 0, npoint - 1, 3, file->point);
    icf_h5_read(h5, frame, "position", H5T_NATIVE_DOUBLE, 0, n - 1, 3, file->position);
    icf_h5_read(h5, frame, "orientation", H5T_NATIVE_DOUBLE, 0, n - 1, 4, file->orientation);
    return icf_h5_check(h5);
}

/* Vertex of the mesh for a point of the file, in the frame of its body. */
static icf_lid vertex_of(icf_report_mesh *mesh, file_surfaces *file, icf_lid point, icf_lid row, icf_lid file_row)
{
    if (file->vertex[point] >= 0) return file->vertex[point];
    const icf_lid v = file->vertex[point] = mesh->nvertex++;
    const float *x = file->point[point];
    const icf_mat3 rotation = icf_quat_matrix(file->orientation[file_row]);
    const icf_vec3 arm = icf_sub(icf_vec3_make((double)x[0], (double)x[1], (double)x[2]), file->position[file_row]);
    const icf_vec3 local = icf_mat3_tmul(&rotation, arm);
    for (int k = 0; k < 3; ++k) mesh->local[v][k] = (float)icf_get(local, k);
    mesh->body[v] = row;
    return v;
}

/* Takes over a triangle. */
static icf_status keep_triangle(icf_report_run *run, file_surfaces *file, icf_lid t, icf_lid row, icf_lid file_row)
{
    icf_report_mesh *rigid = &run->rigid;
    ICF_TRY(reserve(run->context, rigid, rigid->nvertex + 3, rigid->ntriangle + 1, true));
    for (int k = 0; k < 3; ++k) {
        const int32_t point = file->triangle[t][k];
        if (point < 0 || point >= file->npoint) return fail_damaged(run, "triangles");
        rigid->triangle[rigid->ntriangle][k] = vertex_of(rigid, file, point, row, file_row);
    }
    ++rigid->ntriangle;
    return ICF_OK;
}

/* Takes over the triangles of the bodies that the page cannot draw by their size, and that are not known.
 *   file_row [in] (nbody) row of the file of each row; -1: absent */
static icf_status keep_triangles(icf_report_run *run, file_surfaces *file, const icf_lid *file_row, const bool *known)
{
    for (icf_lid i = 0; i < file->npoint; ++i) file->vertex[i] = -1;
    for (icf_lid t = 0; t < file->ntriangle; ++t) {
        const icf_lid row = icf_report_run_row(run, file->body[t]);
        if (row < 0 || file_row[row] < 0) return fail_damaged(run, "triangle_body");
        if (known[row] || icf_report_is_drawn(run->shape[row])) continue;
        ICF_TRY(keep_triangle(run, file, t, row, file_row[row]));
    }
    return ICF_OK;
}

static icf_status build_rigid(icf_report_run *run, hid_t fixed, hid_t frame, const bool *known)
{
    file_surfaces file = {0};
    icf_lid *file_row = icf_alloc(((size_t)run->nbody + 1) * sizeof *file_row);
    icf_status status = file_row ? read_surfaces(run, fixed, frame, &file) : fail_memory(run->context);
    if (status == ICF_OK) {
        for (icf_lid i = 0; i < run->nbody; ++i) file_row[i] = -1;
        for (icf_lid i = 0; i < run->nrow; ++i) file_row[run->row[i]] = i;
        status = keep_triangles(run, &file, file_row, known);
    }
    icf_free(file_row);
    clear_surfaces(&file);
    return status;
}

icf_status icf_report_mesh_read_rigid(icf_report_run *run, hid_t fixed, size_t k, const bool *known)
{
    bool any = false;
    for (icf_lid i = 0; i < run->nrow; ++i)
        any = any || (!known[run->row[i]] && !icf_report_is_drawn(run->shape[run->row[i]]));
    if (!any || !icf_h5_has(&run->h5, fixed, "triangles")) return icf_h5_check(&run->h5);
    char name[32];
    icf_frame_name(run->frames.step[k], name);
    const hid_t frame = icf_h5_group_open(&run->h5, run->h5.file, name);
    icf_status status = icf_h5_check(&run->h5);
    if (status == ICF_OK) status = build_rigid(run, fixed, frame, known);
    icf_h5_group_close(&run->h5, frame);
    return status;
}
