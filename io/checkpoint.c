/* Checkpoint.
 *
 *   /          attributes: kind "icf checkpoint", version, scene, step, time, step_size, digest, checksum
 *   /bodies    a row a body, those of each rank behind those of the ranks before it: id, position,
 *              orientation (w x y z), linear_velocity, angular_velocity
 *   /vertices  a row a vertex of a deformable body: id of the body, vertex, position, velocity; only with deformables
 *
 * Writing is collective, each rank its own rows.  Reading is done by every rank for itself in chunks of
 * rows, keeping those whose id it holds, so that rows may lie anywhere; the memory does not depend on the
 * number of bodies.
 */
#include "io/checkpoint.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/h5_file.h"
#include "step/emit.h"

enum { format_version = 1, chunk_rows = 4096, row_bytes = 8 + 13 * 8, metadata_bytes = 1 << 16 };

static uint64_t sum_over_ranks(const icf_context *context, uint64_t mine)
{
    uint64_t sum = mine;
    if (context->size > 1) MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, context->comm);
    return sum;
}

/* What must be the same for a state to fit a body: everything but material and looks. */
static uint64_t hash_body(const icf_bodies *bodies, icf_lid i)
{
    icf_shape kept = bodies->shape[i];
    /* the box round a deformable body is state; its number of vertices is not */
    if (icf_bodies_is_deformable(bodies, i)) kept.extent = icf_vec3_make(bodies->nvertex[i], 0.0, 0.0);
    const icf_shape *shape = &kept;
    const double numbers[] = {bodies->mass[i], bodies->inertia[i].x, bodies->inertia[i].y, bodies->inertia[i].z,
                              shape->radius,   shape->half,          shape->extent.x,      shape->extent.y,
                              shape->extent.z, shape->normal.x,      shape->normal.y,      shape->normal.z,
                              shape->offset};
    uint64_t hash = icf_hash_word((uint64_t)bodies->gid[i], (uint64_t)shape->type);
    hash = icf_hash_word(hash, (uint64_t)bodies->locked[i]);
    hash = icf_hash_word(hash, (uint64_t)bodies->motion[i].type);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) hash = icf_hash_double(hash, numbers[k]);
    return hash;
}

/* Digest of the scene's bodies, whoever owns them. */
static uint64_t digest(const icf_context *context, const icf_bodies *bodies)
{
    uint64_t sum = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) sum += hash_body(bodies, i);
    return sum_over_ranks(context, sum);
}

static void write_header(icf_h5 *h5, const icf_scene *scene, const icf_bodies *bodies, icf_cnt step)
{
    const icf_context *context = h5->context;
    icf_h5_put_kind(h5, "icf checkpoint", format_version);
    icf_h5_put_text(h5, h5->file, "scene", scene->name);
    icf_h5_put_count(h5, h5->file, "step", step);
    icf_h5_put_number(h5, h5->file, "time", (double)step * scene->time.step);
    icf_h5_put_number(h5, h5->file, "step_size", scene->time.step);
    icf_h5_put_count(h5, h5->file, "digest", (icf_cnt)digest(context, bodies));
    icf_h5_put_count(h5, h5->file, "checksum", (icf_cnt)sum_over_ranks(context, icf_bodies_checksum(bodies)));
}

static void write_rows(icf_h5 *h5, const icf_bodies *bodies, icf_rows rows)
{
    const hid_t group = icf_h5_group_create(h5, h5->file, "bodies");
    icf_h5_write(h5, group, "id", H5T_NATIVE_INT64, rows, 1, bodies->gid);
    icf_h5_write(h5, group, "position", H5T_NATIVE_DOUBLE, rows, 3, bodies->position);
    icf_h5_write(h5, group, "orientation", H5T_NATIVE_DOUBLE, rows, 4, bodies->orientation);
    icf_h5_write(h5, group, "linear_velocity", H5T_NATIVE_DOUBLE, rows, 3, bodies->linear_velocity);
    icf_h5_write(h5, group, "angular_velocity", H5T_NATIVE_DOUBLE, rows, 3, bodies->angular_velocity);
    icf_h5_group_close(h5, group);
}

/* Columns of the vertices, in the order of the bodies that own them. */
typedef struct vertex_columns {
    icf_gid *id;
    icf_lid *vertex;
    icf_vec3 *position, *velocity;
    size_t n;
} vertex_columns;

static void free_columns(vertex_columns *columns)
{
    icf_free(columns->id);
    icf_free(columns->vertex);
    icf_free(columns->position);
    icf_free(columns->velocity);
}

static icf_status make_columns(vertex_columns *columns, const icf_bodies *bodies)
{
    *columns = (vertex_columns){0};
    for (icf_lid i = 0; i < bodies->nowned; ++i) columns->n += (size_t)bodies->nvertex[i];
    columns->id = icf_alloc((columns->n + 1) * sizeof *columns->id);
    columns->vertex = icf_alloc((columns->n + 1) * sizeof *columns->vertex);
    columns->position = icf_alloc((columns->n + 1) * sizeof *columns->position);
    columns->velocity = icf_alloc((columns->n + 1) * sizeof *columns->velocity);
    if (!columns->id || !columns->vertex || !columns->position || !columns->velocity) return ICF_ERROR_MEMORY;
    size_t row = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        for (icf_lid k = 0; k < bodies->nvertex[i]; ++k, ++row) {
            columns->id[row] = bodies->gid[i];
            columns->vertex[row] = k;
            columns->position[row] = bodies->vertex_position[bodies->vertex[i] + k];
            columns->velocity[row] = bodies->vertex_velocity[bodies->vertex[i] + k];
        }
    return ICF_OK;
}

static icf_status write_vertices(icf_h5 *h5, const icf_scene *scene, const icf_bodies *bodies)
{
    if (scene->ndeformable == 0) return ICF_OK;
    vertex_columns columns;
    icf_status status = make_columns(&columns, bodies);
    if (status != ICF_OK) status = icf_fail(h5->context, status, "out of memory for the vertices of a checkpoint");
    status = icf_agree(h5->context, status);
    if (status == ICF_OK) {
        const icf_rows rows = icf_rows_place(h5->context, columns.n);
        const hid_t group = icf_h5_group_create(h5, h5->file, "vertices");
        icf_h5_write(h5, group, "id", H5T_NATIVE_INT64, rows, 1, columns.id);
        icf_h5_write(h5, group, "vertex", H5T_NATIVE_INT32, rows, 1, columns.vertex);
        icf_h5_write(h5, group, "position", H5T_NATIVE_DOUBLE, rows, 3, columns.position);
        icf_h5_write(h5, group, "velocity", H5T_NATIVE_DOUBLE, rows, 3, columns.velocity);
        icf_h5_group_close(h5, group);
    }
    free_columns(&columns);
    return status;
}

/* Writes and closes the file; space is reserved first, so that a full disk is found early. */
static icf_status write_file(icf_context *context, const icf_scene *scene, const icf_bodies *bodies, icf_cnt step,
                             const char *path)
{
    icf_h5 h5;
    const icf_rows rows = icf_rows_place(context, (hsize_t)bodies->nowned);
    ICF_TRY(icf_h5_create(context, path, 1, &h5));
    icf_status status = ICF_OK;
    if (context->rank == 0) status = icf_file_reserve(context, path, (size_t)rows.total * row_bytes + metadata_bytes);
    status = icf_agree(context, status);
    if (status == ICF_OK) {
        write_header(&h5, scene, bodies, step);
        write_rows(&h5, bodies, rows);
        status = write_vertices(&h5, scene, bodies);
    }
    const icf_status closed = icf_h5_close(&h5);
    return status != ICF_OK ? status : closed;
}

/* Makes the finished file permanent, or removes it; rank 0 for all. */
static icf_status finish_file(icf_context *context, icf_status written, const char *temporary, const char *final)
{
    icf_status status = written;
    if (context->rank == 0) {
        if (written == ICF_OK) {
            icf_file_release(temporary);
            status = icf_file_commit(context, temporary, final);
        } else {
            unlink(temporary);
        }
    }
    return icf_agree(context, status);
}

icf_status icf_checkpoint_write(icf_context *context, const icf_scene *scene, const icf_bodies *bodies, icf_cnt step,
                                char **path)
{
    if (path) *path = NULL;
    char *final = icf_path_print("%s/checkpoint-%" PRId64 ".h5", scene->output.directory, step);
    char *temporary = icf_path_print("%s/checkpoint-%" PRId64 ".h5.tmp", scene->output.directory, step);
    icf_status status = ICF_OK;
    if (!final || !temporary) status = icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    status = icf_agree(context, status);
    if (status == ICF_OK && context->rank == 0) status = icf_directory_create(context, scene->output.directory);
    status = icf_agree(context, status);
    if (status == ICF_OK) {
        status = write_file(context, scene, bodies, step, temporary);
        status = finish_file(context, status, temporary, final);
    }
    icf_free(temporary);
    if (status == ICF_OK && path)
        *path = final;
    else
        icf_free(final);
    return status;
}

/* What the attributes of a checkpoint say. */
typedef struct header {
    icf_cnt step;
    uint64_t digest, checksum;
    double step_size;
} header;

static icf_status read_header(icf_h5 *h5, header *head)
{
    ICF_TRY(icf_h5_require_kind(h5, "icf checkpoint", format_version));
    head->step = icf_h5_get_count(h5, h5->file, "step");
    head->step_size = icf_h5_get_number(h5, h5->file, "step_size");
    head->digest = (uint64_t)icf_h5_get_count(h5, h5->file, "digest");
    head->checksum = (uint64_t)icf_h5_get_count(h5, h5->file, "checksum");
    return icf_h5_check(h5);
}

/* Refuses the state of another scene.
 *   nout [in] bodies of emitters that are not in the scene yet */
static icf_status check_scene(const icf_h5 *h5, const header *head, const icf_scene *scene, const icf_bodies *bodies,
                              icf_cnt nrow, icf_cnt nout)
{
    icf_context *context = h5->context;
    const icf_cnt nbody = scene->nbody + scene->ndeformable - nout;
    if (nrow != nbody)
        return icf_fail(context, ICF_ERROR_SCENE, "%s: holds %" PRId64 " bodies, the scene %" PRId64, h5->path, nrow,
                        nbody);
    if (head->step_size != scene->time.step)
        return icf_fail(context, ICF_ERROR_SCENE, "%s: written with time.step %.17g, the scene has %.17g", h5->path,
                        head->step_size, scene->time.step);
    if (head->digest != digest(context, bodies))
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: its bodies have other masses, shapes or motions than the scene's", h5->path);
    return ICF_OK;
}

/* ---- emitted bodies ---- */

/* Counts the bodies of each emitter among some ids. */
static void count_emitted(const icf_scene *scene, const icf_gid *id, hsize_t n, icf_cnt *emitted)
{
    for (int32_t p = 0; p < scene->npopulation; ++p) {
        const icf_population *population = &scene->population[p];
        const icf_gid first = icf_scene_nlisted(scene) + population->first;
        for (hsize_t k = 0; population->kind == ICF_POPULATION_EMITTER && k < n; ++k)
            emitted[p] += id[k] >= first && id[k] < first + population->n;
        emitted[p] = ICF_MIN(emitted[p], population->n); /* ids that are there twice are found later */
    }
}

/* Adds the bodies that emitters have let in: as many of each as the file holds.
 *   nout [out] the others */
static icf_status add_emitted(icf_h5 *h5, hid_t group, hsize_t nrow, const icf_scene *scene, icf_bodies *bodies,
                              icf_cnt *nout)
{
    *nout = 0;
    for (int32_t p = 0; p < scene->npopulation; ++p)
        if (scene->population[p].kind == ICF_POPULATION_EMITTER) *nout += scene->population[p].n;
    if (*nout == 0) return ICF_OK;
    const size_t npopulation = (size_t)scene->npopulation;
    icf_cnt *emitted = icf_alloc(npopulation * sizeof *emitted);
    icf_gid *id = icf_alloc(chunk_rows * sizeof *id);
    icf_status status = emitted && id ? ICF_OK : ICF_ERROR_MEMORY;
    if (status == ICF_OK) memset(emitted, 0, npopulation * sizeof *emitted);
    for (hsize_t first = 0; status == ICF_OK && first < nrow; first += chunk_rows) {
        const hsize_t n = ICF_MIN(nrow - first, (hsize_t)chunk_rows);
        icf_h5_read(h5, group, "id", H5T_NATIVE_INT64, first, n, 1, id);
        status = h5->status;
        if (status == ICF_OK) count_emitted(scene, id, n, emitted);
    }
    if (status == ICF_OK) status = icf_emission_add(h5->context, scene, bodies, emitted);
    for (size_t p = 0; status == ICF_OK && p < npopulation; ++p) *nout -= emitted[p];
    if (status == ICF_ERROR_MEMORY)
        status = icf_fail(h5->context, status, "out of memory for the emitted bodies of a checkpoint");
    icf_free(emitted);
    icf_free(id);
    return status;
}

/* Some rows of the file. */
typedef struct chunk {
    icf_gid id[chunk_rows];
    icf_vec3 position[chunk_rows], linear_velocity[chunk_rows], angular_velocity[chunk_rows];
    icf_quat orientation[chunk_rows];
} chunk;

static void read_chunk(icf_h5 *h5, hid_t group, hsize_t first, hsize_t n, chunk *rows)
{
    icf_h5_read(h5, group, "id", H5T_NATIVE_INT64, first, n, 1, rows->id);
    icf_h5_read(h5, group, "position", H5T_NATIVE_DOUBLE, first, n, 3, rows->position);
    icf_h5_read(h5, group, "orientation", H5T_NATIVE_DOUBLE, first, n, 4, rows->orientation);
    icf_h5_read(h5, group, "linear_velocity", H5T_NATIVE_DOUBLE, first, n, 3, rows->linear_velocity);
    icf_h5_read(h5, group, "angular_velocity", H5T_NATIVE_DOUBLE, first, n, 3, rows->angular_velocity);
}

/* Gives the rows of a chunk to the bodies that are here; counts those owned. */
static icf_lid apply_chunk(const chunk *rows, hsize_t n, icf_bodies *bodies)
{
    icf_lid nfound = 0;
    for (hsize_t k = 0; k < n; ++k) {
        const icf_lid i = icf_bodies_find(bodies, rows->id[k]);
        if (i < 0) continue;
        bodies->position[i] = rows->position[k];
        bodies->orientation[i] = rows->orientation[k];
        bodies->linear_velocity[i] = rows->linear_velocity[k];
        bodies->angular_velocity[i] = rows->angular_velocity[k];
        nfound += i < bodies->nowned;
    }
    return nfound;
}

static icf_status read_rows(icf_h5 *h5, hid_t group, hsize_t nrow, icf_bodies *bodies)
{
    chunk *rows = icf_alloc(sizeof *rows);
    if (!rows) return icf_fail(h5->context, ICF_ERROR_MEMORY, "out of memory for reading a checkpoint");
    icf_lid nfound = 0;
    for (hsize_t first = 0; first < nrow && h5->status == ICF_OK; first += chunk_rows) {
        const hsize_t n = ICF_MIN(nrow - first, (hsize_t)chunk_rows);
        read_chunk(h5, group, first, n, rows);
        if (h5->status == ICF_OK) nfound += apply_chunk(rows, n, bodies);
    }
    icf_free(rows);
    if (h5->status != ICF_OK || nfound == bodies->nowned) return h5->status;
    return icf_fail(h5->context, ICF_ERROR_FILE, "%s: damaged: %" PRId32 " of this rank's %" PRId32 " bodies are in it",
                    h5->path, nfound, bodies->nowned);
}

/* Some rows of the vertices. */
typedef struct vertex_chunk {
    icf_gid id[chunk_rows];
    icf_lid vertex[chunk_rows];
    icf_vec3 position[chunk_rows], velocity[chunk_rows];
} vertex_chunk;

static void read_vertex_chunk(icf_h5 *h5, hid_t group, hsize_t first, hsize_t n, vertex_chunk *rows)
{
    icf_h5_read(h5, group, "id", H5T_NATIVE_INT64, first, n, 1, rows->id);
    icf_h5_read(h5, group, "vertex", H5T_NATIVE_INT32, first, n, 1, rows->vertex);
    icf_h5_read(h5, group, "position", H5T_NATIVE_DOUBLE, first, n, 3, rows->position);
    icf_h5_read(h5, group, "velocity", H5T_NATIVE_DOUBLE, first, n, 3, rows->velocity);
}

static void apply_vertices(const vertex_chunk *rows, hsize_t n, icf_bodies *bodies)
{
    for (hsize_t k = 0; k < n; ++k) {
        const icf_lid i = icf_bodies_find(bodies, rows->id[k]);
        if (i < 0 || rows->vertex[k] < 0 || rows->vertex[k] >= bodies->nvertex[i]) continue;
        bodies->vertex_position[bodies->vertex[i] + rows->vertex[k]] = rows->position[k];
        bodies->vertex_velocity[bodies->vertex[i] + rows->vertex[k]] = rows->velocity[k];
    }
}

/* Vertices of the deformable bodies that are here; a row that is missing shows in the checksum. */
static icf_status read_vertices(icf_h5 *h5, icf_bodies *bodies)
{
    const hid_t group = icf_h5_group_open(h5, h5->file, "vertices");
    const hsize_t nrow = icf_h5_rows(h5, group, "id", 1);
    vertex_chunk *rows = icf_alloc(sizeof *rows);
    icf_status status = icf_h5_check(h5);
    if (!rows) status = icf_fail(h5->context, ICF_ERROR_MEMORY, "out of memory for reading a checkpoint");
    for (hsize_t first = 0; status == ICF_OK && first < nrow && h5->status == ICF_OK; first += chunk_rows) {
        const hsize_t n = ICF_MIN(nrow - first, (hsize_t)chunk_rows);
        read_vertex_chunk(h5, group, first, n, rows);
        if (h5->status == ICF_OK) apply_vertices(rows, n, bodies);
    }
    icf_h5_group_close(h5, group);
    icf_free(rows);
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (icf_bodies_is_deformable(bodies, i)) icf_bodies_enclose(bodies, i);
    return status != ICF_OK ? status : h5->status;
}

static icf_status check_state(const icf_h5 *h5, const header *head, const icf_bodies *bodies)
{
    if (sum_over_ranks(h5->context, icf_bodies_checksum(bodies)) == head->checksum) return ICF_OK;
    return icf_fail(h5->context, ICF_ERROR_FILE, "%s: damaged: the state does not have the checksum written with it",
                    h5->path);
}

static icf_status read_file(icf_h5 *h5, const icf_scene *scene, icf_bodies *bodies, icf_cnt *step)
{
    header head;
    ICF_TRY(read_header(h5, &head));
    const hid_t group = icf_h5_group_open(h5, h5->file, "bodies");
    const hsize_t nrow = icf_h5_rows(h5, group, "id", 1);
    icf_cnt nout = 0;
    icf_status status = icf_h5_check(h5);
    if (status == ICF_OK) status = add_emitted(h5, group, nrow, scene, bodies, &nout);
    status = icf_agree(h5->context, status);
    if (status == ICF_OK) status = check_scene(h5, &head, scene, bodies, (icf_cnt)nrow, nout);
    if (status == ICF_OK) {
        status = read_rows(h5, group, nrow, bodies);
        if (status == ICF_OK && scene->ndeformable > 0) status = read_vertices(h5, bodies);
        status = icf_agree(h5->context, status);
        if (status == ICF_OK) status = check_state(h5, &head, bodies);
    }
    icf_h5_group_close(h5, group);
    *step = head.step;
    return status;
}

icf_status icf_checkpoint_read(icf_context *context, const char *path, const icf_scene *scene, icf_bodies *bodies,
                               icf_cnt *step)
{
    icf_h5 h5;
    *step = 0;
    ICF_TRY(icf_h5_open(context, path, false, &h5));
    const icf_status status = read_file(&h5, scene, bodies, step);
    const icf_status closed = icf_h5_close(&h5);
    return status != ICF_OK ? status : closed;
}
