/* Opening a scene: reading on rank 0, generation of populations, distribution.
 *
 * Rank 0 sends while it reads, so that it holds one chunk at a time.  A rank that runs out of memory goes on receiving
 * and reports at the end, where all agree: rank 0 never waits for one that left.  On one rank the reader's bodies go
 * straight into the container.
 */
#include "io/scene_open.h"

#include <inttypes.h>

#include "base/memory.h"
#include "geometry/populate.h"
#include "geometry/surface_tree.h"
#include "io/scene_message.h"
#include "partition/body_message.h"
#include "partition/decompose.h"
#include "partition/migrate.h"

enum { chunk_tag = 2, piece_bytes = 1 << 16 }; /* a chunk is its length, then messages of so many bytes */

typedef struct opening {
    icf_context *context;
    icf_bodies *bodies;      /* of this rank */
    icf_bytes chunk;         /* moving bodies on their way to a rank; an empty one ends them */
    icf_bytes replicated;    /* rank 0: bodies that every rank gets */
    int turn;                /* rank that gets the next chunk */
    icf_shortfall shortfall; /* generated bodies of this rank that found no room */
} opening;

static icf_status add_body(opening *open, const icf_body_def *def, bool owned)
{
    const icf_status status = icf_bodies_add(open->bodies, def, owned);
    if (status == ICF_OK) return ICF_OK;
    return icf_fail(open->context, status, "body %" PRId64 ": %s", def->gid, icf_status_text(status));
}

/* Adds the bodies of a message. */
static icf_status add_bodies(opening *open, const char *at, size_t n, bool owned)
{
    const char *end = n > 0 ? at + n : at;
    icf_body_def def;
    while (icf_body_message_read(&at, end, &def)) ICF_TRY(add_body(open, &def, owned));
    return ICF_OK;
}

/* Receives generated bodies, and all bodies on one rank. */
static icf_status take_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    for (icf_cnt i = 0; i < n; ++i) ICF_TRY(add_body(user, &bodies[i], true));
    return ICF_OK;
}

/* ---- what ranks make themselves ---- */

/* First of the n generated bodies that a rank makes: even shares, by rank; no product of two large numbers. */
static icf_cnt first_of_rank(icf_cnt n, int rank, int size)
{
    return n / size * rank + ICF_MIN(n % size, rank);
}

/* This rank's share of the populations and of the deformables, which follow the listed bodies. */
static icf_status generate(opening *open, const icf_scene *scene)
{
    const icf_cnt n = scene->ngenerated, ndeformable = scene->ndeformable;
    const int rank = open->context->rank, size = open->context->size;
    ICF_TRY(icf_populate(scene, first_of_rank(n, rank, size), first_of_rank(n, rank + 1, size), take_bodies, open,
                         &open->shortfall));
    for (icf_cnt i = first_of_rank(ndeformable, rank, size); i < first_of_rank(ndeformable, rank + 1, size); ++i) {
        const icf_body_def def = icf_deformable_body(&scene->deformable[i], (int32_t)i);
        ICF_TRY(add_body(open, &def, true));
    }
    return ICF_OK;
}

/* Bodies of packings that found no room, on all ranks together: an error of the scene.  Collective. */
static icf_status check_room(const opening *open, const icf_scene *scene)
{
    icf_shortfall all = open->shortfall;
    if (open->context->size > 1) {
        int32_t first = all.population < 0 ? INT32_MAX : all.population;
        MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT32_T, MPI_MIN, open->context->comm);
        if (all.population != first) all.missing = 0;
        MPI_Allreduce(MPI_IN_PLACE, &all.missing, 1, MPI_INT64_T, MPI_SUM, open->context->comm);
        all.population = first < INT32_MAX ? first : -1;
    }
    return icf_shortfall_report(open->context, scene, &all);
}

/* ---- attachments ---- */

/* Arms of the attachments to bodies that this rank owns, zero for the others. */
static void list_arms(const icf_scene *scene, const icf_bodies *bodies, double *arm)
{
    for (int32_t d = 0; d < scene->ndeformable; ++d) {
        const icf_deformable *deformable = &scene->deformable[d];
        for (icf_lid k = 0; k < deformable->nattachment; ++k, arm += 3) {
            arm[0] = arm[1] = arm[2] = 0.0;
            const icf_lid i = icf_bodies_find(bodies, deformable->attachment[k].body);
            if (i < 0 || i >= bodies->nowned) continue;
            const icf_mat3 rotation = icf_quat_matrix(bodies->orientation[i]);
            const icf_vec3 x = deformable->position[deformable->attachment[k].vertex];
            const icf_vec3 r = icf_mat3_tmul(&rotation, icf_sub(x, bodies->position[i]));
            arm[0] = r.x;
            arm[1] = r.y;
            arm[2] = r.z;
        }
    }
}

/* Points of bodies that vertices are attached to, from the bodies' poses at t = 0. */
static icf_status place_attachments(icf_context *context, icf_scene *scene, const icf_bodies *bodies)
{
    size_t n = 0;
    for (int32_t d = 0; d < scene->ndeformable; ++d) n += (size_t)scene->deformable[d].nattachment;
    if (n == 0) return ICF_OK;
    double *arm = icf_alloc(3 * n * sizeof *arm);
    ICF_TRY(icf_agree(context, arm ? ICF_OK : ICF_ERROR_MEMORY));
    list_arms(scene, bodies, arm);
    /* one term of each sum is not zero */
    if (context->size > 1) MPI_Allreduce(MPI_IN_PLACE, arm, (int)(3 * n), MPI_DOUBLE, MPI_SUM, context->comm);
    const double *at = arm;
    for (int32_t d = 0; d < scene->ndeformable; ++d)
        for (icf_lid k = 0; k < scene->deformable[d].nattachment; ++k, at += 3)
            scene->deformable[d].attachment[k].arm = icf_vec3_make(at[0], at[1], at[2]);
    icf_free(arm);
    return ICF_OK;
}

/* ---- rigid surfaces ---- */

static icf_status attach_surfaces(icf_context *context, icf_scene *scene, icf_bodies *bodies)
{
    icf_status status = icf_surface_trees_attach(scene, bodies);
    if (status != ICF_OK) status = icf_fail(context, status, "no memory for the tree of a mesh");
    return icf_agree(context, status);
}

/* ---- one rank ---- */

static icf_status open_on_one(opening *open, const char *path, int noverride, const icf_override *overrides,
                              icf_scene *scene)
{
    ICF_TRY(icf_scene_read(open->context, path, noverride, overrides, scene, take_bodies, open));
    return generate(open, scene);
}

/* ---- rank 0 of many ---- */

static bool solver_moves(const icf_body_def *def)
{
    return def->motion.type == ICF_MOTION_DYNAMIC && def->locked != ICF_DOF_ALL;
}

static void send_bytes(const opening *open, const icf_bytes *bytes, int rank)
{
    const uint64_t n = bytes->n;
    MPI_Send(&n, 1, MPI_UINT64_T, rank, chunk_tag, open->context->comm);
    for (size_t at = 0; at < n; at += piece_bytes)
        MPI_Send(bytes->data + at, (int)ICF_MIN(n - at, (size_t)piece_bytes), MPI_BYTE, rank, chunk_tag,
                 open->context->comm);
}

/* The chunk to the rank whose turn it is. */
static icf_status send_chunk(opening *open)
{
    icf_status status = ICF_OK;
    if (open->turn == open->context->rank)
        status = add_bodies(open, open->chunk.data, open->chunk.n, true);
    else
        send_bytes(open, &open->chunk, open->turn);
    open->turn = (open->turn + 1) % open->context->size;
    open->chunk.n = 0;
    return status;
}

static icf_status pass_on_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    opening *open = user;
    for (icf_cnt i = 0; i < n; ++i) {
        icf_bytes *bytes = solver_moves(&bodies[i]) ? &open->chunk : &open->replicated;
        if (icf_body_message_append(bytes, &bodies[i]) != ICF_OK)
            return icf_fail(open->context, ICF_ERROR_MEMORY, "body %" PRId64 ": out of memory", bodies[i].gid);
    }
    return open->chunk.n > 0 ? send_chunk(open) : ICF_OK;
}

/* Reads the file, passes its bodies on and tells the others that there are no more, also after a failure. */
static icf_status read_file(opening *open, const char *path, int noverride, const icf_override *overrides,
                            icf_scene *scene)
{
    const icf_status status = icf_scene_read(open->context, path, noverride, overrides, scene, pass_on_bodies, open);
    open->chunk.n = 0;
    for (int rank = 1; rank < open->context->size; ++rank) send_bytes(open, &open->chunk, rank);
    return status;
}

/* ---- the other ranks ---- */

/* Without memory for a chunk it is taken off the way all the same. */
static icf_status receive_chunk(opening *open)
{
    char nowhere[piece_bytes];
    uint64_t n;
    MPI_Recv(&n, 1, MPI_UINT64_T, 0, chunk_tag, open->context->comm, MPI_STATUS_IGNORE);
    const icf_status status = ICF_GROW(open->chunk.data, open->chunk.capacity, n);
    for (size_t at = 0; at < n; at += piece_bytes)
        MPI_Recv(status == ICF_OK ? open->chunk.data + at : nowhere, (int)ICF_MIN(n - at, (size_t)piece_bytes),
                 MPI_BYTE, 0, chunk_tag, open->context->comm, MPI_STATUS_IGNORE);
    open->chunk.n = n;
    return status;
}

static icf_status receive_chunks(opening *open)
{
    icf_status status = ICF_OK;
    do {
        const icf_status received = receive_chunk(open);
        if (status == ICF_OK) status = received;
        if (status == ICF_OK) status = add_bodies(open, open->chunk.data, open->chunk.n, true);
    } while (open->chunk.n > 0);
    return status;
}

/* ---- all ranks ---- */

/* Settings, then the replicated bodies, from rank 0 to all; generated bodies stand between own and replicated ones. */
static icf_status share(opening *open, icf_scene *scene)
{
    icf_context *context = open->context;
    icf_bytes bytes;
    icf_bytes_init(&bytes);
    icf_status status = ICF_OK;
    if (context->rank == 0) {
        status = icf_scene_message_write(&bytes, scene);
        if (status == ICF_OK) status = icf_bytes_write(&bytes, open->replicated.data, open->replicated.n);
    }
    status = icf_agree(context, status);
    if (status == ICF_OK) status = icf_bytes_broadcast(&bytes, context, 0);
    if (status == ICF_OK) {
        if (context->rank == 0) icf_scene_clear(scene);
        status = icf_scene_message_read(context, &bytes, scene);
        if (status == ICF_OK) status = generate(open, scene);
        if (status == ICF_OK) status = add_bodies(open, bytes.data + bytes.at, bytes.n - bytes.at, false);
        status = icf_agree(context, status);
    }
    icf_bytes_clear(&bytes);
    return status;
}

/* Every body to the rank whose piece of the curve it lies in. */
static icf_status distribute(icf_context *context, icf_bodies *bodies)
{
    icf_exchange *exchange = NULL;
    icf_decomposition result;
    int *rank = icf_alloc(((size_t)bodies->nowned + 1) * sizeof *rank);
    icf_status status = rank ? icf_exchange_create(context, &exchange) : ICF_ERROR_MEMORY;
    status = icf_agree(context, status);
    if (status == ICF_OK) status = icf_decompose_curve(context, bodies, NULL, rank, &result);
    if (status == ICF_OK) status = icf_migrate(context, exchange, bodies, rank, NULL);
    icf_exchange_destroy(&exchange);
    icf_free(rank);
    return status;
}

static icf_status open_on_many(opening *open, const char *path, int noverride, const icf_override *overrides,
                               icf_scene *scene)
{
    icf_context *context = open->context;
    const icf_status status =
        context->rank == 0 ? read_file(open, path, noverride, overrides, scene) : receive_chunks(open);
    ICF_TRY(icf_agree(context, status));
    ICF_TRY(share(open, scene));
    return distribute(context, open->bodies);
}

icf_status icf_scene_open(icf_context *context, const char *path, int noverride, const icf_override *overrides,
                          icf_scene *scene, icf_bodies *bodies)
{
    opening open = {.context = context, .bodies = bodies, .shortfall = {.population = -1}};
    *scene = (icf_scene){0};
    icf_bodies_init(bodies);
    icf_status status = context->size > 1 ? open_on_many(&open, path, noverride, overrides, scene)
                                          : open_on_one(&open, path, noverride, overrides, scene);
    if (status == ICF_OK) status = attach_surfaces(context, scene, bodies);
    if (status == ICF_OK) status = check_room(&open, scene);
    if (status == ICF_OK) status = place_attachments(context, scene, bodies);
    icf_bytes_clear(&open.chunk);
    icf_bytes_clear(&open.replicated);
    if (status == ICF_OK) return ICF_OK;
    icf_scene_clear(scene);
    icf_bodies_clear(bodies);
    return status;
}
