/* Bodies of one rank: appending, names, prescribed motion, checksum. */
#include "scene/bodies.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/search.h"

/* every array of n elements; they share one capacity */
/* clang-format off */
#define BODY_ARRAYS(X)                                                             \
    X(gid) X(shape) X(material) X(locked) X(motion) X(surface) X(mass) X(inertia)  \
    X(radius) X(origin) X(name) X(nvertex) X(vertex)                               \
    X(position) X(orientation) X(linear_velocity) X(angular_velocity) X(cost)
/* clang-format on */

icf_body_def icf_body_def_default(void)
{
    return (icf_body_def){.shape = {.type = ICF_SHAPE_NONE},
                          .material = -1,
                          .motion = {.type = ICF_MOTION_DYNAMIC},
                          .orientation = {1.0, 0.0, 0.0, 0.0}};
}

void icf_bodies_init(icf_bodies *bodies)
{
    *bodies = (icf_bodies){0};
}

void icf_bodies_clear(icf_bodies *bodies)
{
#define X(array) icf_free(bodies->array);
    BODY_ARRAYS(X)
#undef X
    icf_free(bodies->name_pool);
    icf_free(bodies->prescribed);
    icf_free(bodies->vertex_position);
    icf_free(bodies->vertex_velocity);
    icf_bodies_init(bodies);
}

/* When one array cannot grow, those before it hold more than `capacity` says, which does no harm. */
static icf_status reserve(icf_bodies *bodies, size_t n)
{
    size_t capacity = bodies->capacity;
#define X(array)                 \
    capacity = bodies->capacity; \
    ICF_TRY(ICF_GROW(bodies->array, capacity, n));
    BODY_ARRAYS(X)
#undef X
    bodies->capacity = capacity;
    return ICF_OK;
}

static bool is_in_order(const icf_bodies *bodies, icf_gid gid, bool owned)
{
    if (owned && bodies->n > bodies->nowned) return false;
    const icf_lid first_of_part = owned ? 0 : bodies->nowned;
    return bodies->n == first_of_part || bodies->gid[bodies->n - 1] < gid;
}

static icf_status append_name(icf_bodies *bodies, icf_lid i, const char *name)
{
    bodies->name[i] = -1;
    if (!name) return ICF_OK;
    const size_t bytes = strlen(name) + 1;
    ICF_TRY(ICF_GROW(bodies->name_pool, bodies->name_capacity, bodies->name_bytes + bytes));
    memcpy(bodies->name_pool + bodies->name_bytes, name, bytes);
    bodies->name[i] = (int64_t)bodies->name_bytes;
    bodies->name_bytes += bytes;
    return ICF_OK;
}

static icf_status reserve_vertices(icf_bodies *bodies, size_t n)
{
    size_t capacity = bodies->vertex_capacity;
    ICF_TRY(ICF_GROW(bodies->vertex_position, capacity, n));
    capacity = bodies->vertex_capacity;
    ICF_TRY(ICF_GROW(bodies->vertex_velocity, capacity, n));
    bodies->vertex_capacity = capacity;
    return ICF_OK;
}

static icf_status append_vertices(icf_bodies *bodies, icf_lid i, const icf_body_def *def)
{
    bodies->nvertex[i] = def->nvertex;
    bodies->vertex[i] = (int64_t)bodies->nvertices;
    if (def->nvertex == 0) return ICF_OK;
    const size_t n = (size_t)def->nvertex;
    ICF_TRY(reserve_vertices(bodies, bodies->nvertices + n));
    memcpy(bodies->vertex_position + bodies->nvertices, def->vertex_position, n * sizeof *def->vertex_position);
    memcpy(bodies->vertex_velocity + bodies->nvertices, def->vertex_velocity, n * sizeof *def->vertex_velocity);
    bodies->nvertices += n;
    return ICF_OK;
}

void icf_bodies_enclose(icf_bodies *bodies, icf_lid i)
{
    const icf_vec3 *x = bodies->vertex_position + bodies->vertex[i], *v = bodies->vertex_velocity + bodies->vertex[i];
    const icf_lid n = bodies->nvertex[i];
    icf_vec3 low = x[0], high = x[0], sum = {0, 0, 0};
    for (icf_lid k = 0; k < n; ++k) {
        low = icf_vec3_make(fmin(low.x, x[k].x), fmin(low.y, x[k].y), fmin(low.z, x[k].z));
        high = icf_vec3_make(fmax(high.x, x[k].x), fmax(high.y, x[k].y), fmax(high.z, x[k].z));
        sum = icf_add(sum, v[k]);
    }
    bodies->position[i] = icf_scale(0.5, icf_add(low, high));
    bodies->linear_velocity[i] = icf_scale(1.0 / n, sum);
    /* rounding of the middle must not leave a vertex outside */
    bodies->shape[i].extent = icf_scale(0.5 * (1.0 + 1e-12), icf_sub(high, low));
    bodies->radius[i] = icf_shape_radius(&bodies->shape[i]);
}

static void set_constants(icf_bodies *bodies, icf_lid i, const icf_body_def *def)
{
    const bool dynamic = def->motion.type == ICF_MOTION_DYNAMIC;
    bodies->gid[i] = def->gid;
    bodies->shape[i] = def->shape;
    bodies->material[i] = def->material;
    bodies->locked[i] = (uint8_t)(dynamic ? def->locked : (unsigned)ICF_DOF_ALL);
    bodies->motion[i] = def->motion;
    bodies->surface[i] = def->surface;
    bodies->mass[i] = def->mass;
    bodies->inertia[i] = def->inertia;
    bodies->radius[i] = icf_shape_radius(&def->shape);
    bodies->origin[i] = def->position;
}

/* components whose lock bit is not set, the x component's bit being `first` */
static icf_vec3 unlocked_part(icf_vec3 v, unsigned locked, unsigned first)
{
    return (icf_vec3){locked & first ? 0.0 : v.x, locked & first << 1 ? 0.0 : v.y, locked & first << 2 ? 0.0 : v.z};
}

static void set_state(icf_bodies *bodies, icf_lid i, const icf_body_def *def)
{
    const unsigned locked = bodies->locked[i];
    bodies->position[i] = def->position;
    bodies->orientation[i] = def->orientation;
    bodies->linear_velocity[i] = unlocked_part(def->linear_velocity, locked, ICF_DOF_VX);
    bodies->angular_velocity[i] = unlocked_part(def->angular_velocity, locked, ICF_DOF_WX);
    bodies->cost[i] = def->cost;
}

static void prescribe_pose(icf_bodies *bodies, icf_lid i, double t)
{
    const icf_motion *motion = &bodies->motion[i];
    if (motion->type == ICF_MOTION_HARMONIC) {
        bodies->position[i] = icf_add(bodies->origin[i], icf_harmonic_displacement(&motion->harmonic, t));
        return;
    }
    bodies->position[i] = icf_steady_position(&motion->steady, bodies->origin[i], t);
    bodies->orientation[i] = icf_steady_orientation(&motion->steady, t);
}

static void prescribe_velocity(icf_bodies *bodies, icf_lid i, double t)
{
    const icf_motion *motion = &bodies->motion[i];
    if (motion->type == ICF_MOTION_HARMONIC) {
        bodies->linear_velocity[i] = icf_harmonic_velocity(&motion->harmonic, t);
        return;
    }
    bodies->linear_velocity[i] = icf_steady_velocity(&motion->steady, bodies->origin[i], t);
    bodies->angular_velocity[i] = motion->steady.angular;
}

static icf_status append_prescribed(icf_bodies *bodies, icf_lid i)
{
    ICF_TRY(ICF_GROW(bodies->prescribed, bodies->prescribed_capacity, bodies->nprescribed + 1));
    bodies->prescribed[bodies->nprescribed++] = i;
    if (bodies->motion[i].type == ICF_MOTION_VELOCITY) bodies->motion[i].steady.start = bodies->orientation[i];
    prescribe_pose(bodies, i, 0.0);
    prescribe_velocity(bodies, i, 0.0);
    return ICF_OK;
}

icf_status icf_bodies_add(icf_bodies *bodies, const icf_body_def *def, bool owned)
{
    const icf_lid i = bodies->n;
    if (i == INT32_MAX || !is_in_order(bodies, def->gid, owned)) return ICF_ERROR_INTERNAL;
    ICF_TRY(reserve(bodies, (size_t)i + 1));
    ICF_TRY(append_name(bodies, i, def->name));
    ICF_TRY(append_vertices(bodies, i, def));
    set_constants(bodies, i, def);
    set_state(bodies, i, def);
    if (def->nvertex > 0) icf_bodies_enclose(bodies, i);
    if (icf_motion_is_prescribed(&def->motion)) ICF_TRY(append_prescribed(bodies, i));
    bodies->n = i + 1;
    if (owned) bodies->nowned = i + 1;
    return ICF_OK;
}

void icf_bodies_truncate(icf_bodies *bodies, icf_lid n)
{
    if (n >= bodies->n) return;
    for (icf_lid i = n; i < bodies->n; ++i)
        if (bodies->name[i] >= 0) { /* names lie in the order of the bodies */
            bodies->name_bytes = (size_t)bodies->name[i];
            break;
        }
    bodies->nvertices = (size_t)bodies->vertex[n]; /* and so do vertices */
    while (bodies->nprescribed > 0 && bodies->prescribed[bodies->nprescribed - 1] >= n) --bodies->nprescribed;
    bodies->n = n;
    bodies->nowned = ICF_MIN(bodies->nowned, n);
}

icf_status icf_bodies_put(icf_bodies *bodies, icf_lid i, const icf_body_def *def)
{
    const bool moves = def->motion.type == ICF_MOTION_DYNAMIC && def->locked != ICF_DOF_ALL;
    if (!moves || i > bodies->n || i == INT32_MAX) return ICF_ERROR_INTERNAL;
    ICF_TRY(reserve(bodies, (size_t)i + 1));
    ICF_TRY(append_name(bodies, i, def->name));
    ICF_TRY(append_vertices(bodies, i, def));
    set_constants(bodies, i, def);
    set_state(bodies, i, def);
    bodies->n = ICF_MAX(bodies->n, i + 1);
    return ICF_OK;
}

/* Names in the new order; those of bodies that are gone are dropped. */
static icf_status arrange_names(icf_bodies *bodies, icf_lid n, const icf_lid *order)
{
    size_t bytes = 0, at = 0;
    for (icf_lid i = 0; i < n; ++i)
        if (bodies->name[order[i]] >= 0) bytes += strlen(bodies->name_pool + bodies->name[order[i]]) + 1;
    char *pool = bytes > 0 ? icf_alloc(bytes) : NULL;
    if (bytes > 0 && !pool) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < n; ++i) {
        int64_t *name = &bodies->name[order[i]];
        if (*name < 0) continue;
        const size_t length = strlen(bodies->name_pool + *name) + 1;
        memcpy(pool + at, bodies->name_pool + *name, length);
        *name = (int64_t)at;
        at += length;
    }
    icf_free(bodies->name_pool);
    bodies->name_pool = pool;
    bodies->name_bytes = bodies->name_capacity = bytes;
    return ICF_OK;
}

/* Vertices in the new order; those of bodies that are gone are dropped. */
static icf_status arrange_vertices(icf_bodies *bodies, icf_lid n, const icf_lid *order)
{
    if (bodies->nvertices == 0) return ICF_OK;
    icf_vec3 *position = icf_alloc(bodies->nvertices * sizeof *position);
    icf_vec3 *velocity = icf_alloc(bodies->nvertices * sizeof *velocity);
    if (!position || !velocity) {
        icf_free(position);
        icf_free(velocity);
        return ICF_ERROR_MEMORY;
    }
    size_t at = 0;
    for (icf_lid i = 0; i < n; ++i) {
        int64_t *first = &bodies->vertex[order[i]];
        const size_t nvertex = (size_t)bodies->nvertex[order[i]];
        memcpy(position + at, bodies->vertex_position + *first, nvertex * sizeof *position);
        memcpy(velocity + at, bodies->vertex_velocity + *first, nvertex * sizeof *velocity);
        *first = (int64_t)at;
        at += nvertex;
    }
    icf_free(bodies->vertex_position);
    icf_free(bodies->vertex_velocity);
    bodies->vertex_position = position;
    bodies->vertex_velocity = velocity;
    bodies->vertex_capacity = bodies->nvertices;
    bodies->nvertices = at;
    return ICF_OK;
}

/* Moves element order[i] to place i, cycle by cycle.
 *   done [in,out] (n) places with the mark are done; none before, all after */
static void arrange_array(void *array, size_t size, icf_lid n, const icf_lid *order, uint8_t *done, uint8_t mark)
{
    char kept[sizeof(icf_surface_velocity) + sizeof(icf_motion)], *element = array;
    assert(size <= sizeof kept);
    for (icf_lid first = 0; first < n; ++first) {
        if (done[first] == mark || order[first] == first) continue;
        memcpy(kept, element + (size_t)first * size, size);
        icf_lid i = first;
        for (; order[i] != first; i = order[i]) {
            memcpy(element + (size_t)i * size, element + (size_t)order[i] * size, size);
            done[i] = mark;
        }
        memcpy(element + (size_t)i * size, kept, size);
        done[i] = mark;
    }
}

icf_status icf_bodies_arrange(icf_bodies *bodies, icf_lid n, const icf_lid *order, icf_lid nowned)
{
    icf_lid nprescribed = 0;
    uint8_t mark = 0;
    for (icf_lid i = 0; i < n; ++i) nprescribed += icf_motion_is_prescribed(&bodies->motion[order[i]]);
    ICF_TRY(ICF_GROW(bodies->prescribed, bodies->prescribed_capacity, nprescribed));
    uint8_t *done = icf_alloc((size_t)bodies->n + 1);
    if (!done) return ICF_ERROR_MEMORY;
    memset(done, mark, (size_t)bodies->n);
    icf_status status = arrange_vertices(bodies, n, order);
    if (status == ICF_OK) status = arrange_names(bodies, n, order);
    if (status == ICF_OK) {
#define X(array) arrange_array(bodies->array, sizeof *bodies->array, bodies->n, order, done, ++mark);
        BODY_ARRAYS(X)
#undef X
        bodies->n = n;
        bodies->nowned = nowned;
        bodies->nprescribed = 0;
        for (icf_lid i = 0; i < n; ++i)
            if (icf_motion_is_prescribed(&bodies->motion[i])) bodies->prescribed[bodies->nprescribed++] = i;
    }
    icf_free(done);
    return status;
}

const char *icf_bodies_name(const icf_bodies *bodies, icf_lid i, char *buffer)
{
    if (bodies->name[i] >= 0) return bodies->name_pool + bodies->name[i];
    snprintf(buffer, ICF_BODY_NAME_BYTES, "body%" PRId64, bodies->gid[i]);
    return buffer;
}

/* Position of gid in gids[begin..end), ascending; -1 when it is not there. */
static icf_lid find_in_part(const icf_gid *gids, icf_lid begin, icf_lid end, icf_gid gid)
{
    const icf_lid i = icf_search_gid(gids, begin, end, gid);
    return i < end && gids[i] == gid ? i : -1;
}

icf_lid icf_bodies_find(const icf_bodies *bodies, icf_gid gid)
{
    const icf_lid owned = find_in_part(bodies->gid, 0, bodies->nowned, gid);
    return owned >= 0 ? owned : find_in_part(bodies->gid, bodies->nowned, bodies->n, gid);
}

icf_body_def icf_bodies_def(const icf_bodies *bodies, icf_lid i, char *buffer)
{
    const bool prescribed = icf_motion_is_prescribed(&bodies->motion[i]);
    const bool steady = bodies->motion[i].type == ICF_MOTION_VELOCITY;
    return (icf_body_def){.gid = bodies->gid[i],
                          .shape = bodies->shape[i],
                          .material = bodies->material[i],
                          .locked = bodies->locked[i],
                          .motion = bodies->motion[i],
                          .surface = bodies->surface[i],
                          .mass = bodies->mass[i],
                          .inertia = bodies->inertia[i],
                          .position = prescribed ? bodies->origin[i] : bodies->position[i],
                          .orientation = steady ? bodies->motion[i].steady.start : bodies->orientation[i],
                          .linear_velocity = bodies->linear_velocity[i],
                          .angular_velocity = bodies->angular_velocity[i],
                          .nvertex = bodies->nvertex[i],
                          .vertex_position = bodies->vertex_position + bodies->vertex[i],
                          .vertex_velocity = bodies->vertex_velocity + bodies->vertex[i],
                          .cost = bodies->cost[i],
                          .name = buffer || bodies->name[i] >= 0 ? icf_bodies_name(bodies, i, buffer) : NULL};
}

void icf_bodies_prescribe_poses(icf_bodies *bodies, double t)
{
    for (icf_lid k = 0; k < bodies->nprescribed; ++k) prescribe_pose(bodies, bodies->prescribed[k], t);
}

void icf_bodies_prescribe_velocities(icf_bodies *bodies, double t)
{
    for (icf_lid k = 0; k < bodies->nprescribed; ++k) prescribe_velocity(bodies, bodies->prescribed[k], t);
}

static uint64_t hash_vec3(uint64_t h, icf_vec3 v)
{
    return icf_hash_double(icf_hash_double(icf_hash_double(h, v.x), v.y), v.z);
}

static uint64_t hash_vertices(const icf_bodies *bodies, icf_lid i)
{
    uint64_t h = icf_hash_word(1u, (uint64_t)bodies->gid[i]);
    for (icf_lid k = 0; k < bodies->nvertex[i]; ++k) {
        h = hash_vec3(h, bodies->vertex_position[bodies->vertex[i] + k]);
        h = hash_vec3(h, bodies->vertex_velocity[bodies->vertex[i] + k]);
    }
    return h;
}

static uint64_t hash_body(const icf_bodies *bodies, icf_lid i)
{
    if (icf_bodies_is_deformable(bodies, i)) return hash_vertices(bodies, i);
    const icf_quat q = bodies->orientation[i];
    uint64_t h = icf_hash_word(1u, (uint64_t)bodies->gid[i]);
    h = hash_vec3(h, bodies->position[i]);
    h = hash_vec3(icf_hash_double(h, q.w), icf_vec3_make(q.x, q.y, q.z));
    h = hash_vec3(h, bodies->linear_velocity[i]);
    return hash_vec3(h, bodies->angular_velocity[i]);
}

uint64_t icf_bodies_checksum(const icf_bodies *bodies)
{
    uint64_t sum = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) sum += hash_body(bodies, i);
    return sum;
}
