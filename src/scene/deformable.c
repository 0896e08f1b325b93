/* Deformable bodies of a scene. */
#include "scene/deformable.h"

#include <string.h>

#include "base/memory.h"

void icf_deformable_init(icf_deformable *deformable)
{
    *deformable = (icf_deformable){.material = -1, .subdivision = 2, .elastic = icf_deformable_material_default()};
    icf_tet_mesh_init(&deformable->mesh);
    icf_tet_surface_init(&deformable->surface);
    icf_sample_points_init(&deformable->samples);
    icf_sample_points_init(&deformable->plane_samples);
}

void icf_deformable_clear(icf_deformable *deformable)
{
    icf_tet_mesh_clear(&deformable->mesh);
    icf_tet_surface_clear(&deformable->surface);
    icf_sample_points_clear(&deformable->samples);
    icf_sample_points_clear(&deformable->plane_samples);
    icf_free(deformable->name);
    icf_free(deformable->position);
    icf_free(deformable->velocity);
    icf_free(deformable->support);
    icf_free(deformable->motion);
    icf_free(deformable->attachment);
    icf_free(deformable->pressure);
    icf_free(deformable->force);
    icf_deformable_init(deformable);
}

icf_status icf_deformable_reserve(icf_deformable *deformable)
{
    const size_t n = (size_t)deformable->mesh.nvertex;
    deformable->position = icf_alloc(n * sizeof *deformable->position);
    deformable->velocity = icf_alloc(n * sizeof *deformable->velocity);
    deformable->support = icf_alloc(n * sizeof *deformable->support);
    deformable->force = icf_alloc(n * sizeof *deformable->force);
    if (!deformable->position || !deformable->velocity || !deformable->support || !deformable->force)
        return ICF_ERROR_MEMORY;
    memset(deformable->position, 0, n * sizeof *deformable->position);
    memset(deformable->velocity, 0, n * sizeof *deformable->velocity);
    memset(deformable->support, -1, n * sizeof *deformable->support);
    memset(deformable->force, 0, n * sizeof *deformable->force);
    return ICF_OK;
}

static double shortest_edge(const icf_deformable *deformable)
{
    double shortest = INFINITY;
    for (icf_lid t = 0; t < deformable->surface.ntriangle; ++t)
        for (int k = 0; k < 3; ++k) {
            const icf_lid *v = deformable->surface.triangle[t];
            const icf_vec3 *x = deformable->mesh.vertex;
            shortest = fmin(shortest, icf_norm(icf_sub(x[v[k]], x[v[(k + 1) % 3]])));
        }
    return shortest;
}

icf_status icf_deformable_finish(icf_deformable *deformable)
{
    const icf_lid n = deformable->mesh.nvertex;
    ICF_TRY(icf_tet_surface_build(&deformable->surface, &deformable->mesh));
    ICF_TRY(icf_sample_points_build(&deformable->plane_samples, &deformable->surface, n, 1));
    ICF_TRY(icf_sample_points_build(&deformable->samples, &deformable->surface, n, deformable->subdivision));
    deformable->thin = 0.25 * shortest_edge(deformable);
    double volume = 0.0;
    for (icf_lid t = 0; t < deformable->mesh.ntet; ++t) volume += icf_tet_mesh_volume(&deformable->mesh, t);
    deformable->mass = deformable->elastic.density * volume;
    for (icf_lid i = 0; i < n; ++i)
        if (!icf_deformable_is_free(deformable, i))
            deformable->velocity[i] = icf_deformable_support_velocity(deformable, i, 0.0);
    return ICF_OK;
}

icf_body_def icf_deformable_body(const icf_deformable *deformable, int32_t index)
{
    icf_body_def def = icf_body_def_default();
    def.gid = deformable->gid;
    def.shape = (icf_shape){.type = ICF_SHAPE_DEFORMABLE, .touches_itself = deformable->self_contact, .index = index};
    def.material = deformable->material;
    def.mass = deformable->mass;
    def.nvertex = deformable->mesh.nvertex;
    def.vertex_position = deformable->position;
    def.vertex_velocity = deformable->velocity;
    def.name = deformable->name;
    return def;
}

static const icf_support_motion *motion_of(const icf_deformable *deformable, icf_lid vertex)
{
    return &deformable->motion[deformable->support[vertex]];
}

icf_vec3 icf_deformable_support_position(const icf_deformable *deformable, icf_lid vertex, double t)
{
    const icf_support_motion *motion = motion_of(deformable, vertex);
    const icf_vec3 start = deformable->position[vertex];
    switch (motion->type) {
    case ICF_SUPPORT_LINEAR: return icf_mul_add(start, t, motion->velocity);
    case ICF_SUPPORT_HARMONIC: return icf_add(start, icf_harmonic_displacement(&motion->harmonic, t));
    case ICF_SUPPORT_FIXED: break;
    }
    return start;
}

icf_vec3 icf_deformable_support_velocity(const icf_deformable *deformable, icf_lid vertex, double t)
{
    const icf_support_motion *motion = motion_of(deformable, vertex);
    switch (motion->type) {
    case ICF_SUPPORT_LINEAR: return motion->velocity;
    case ICF_SUPPORT_HARMONIC: return icf_harmonic_velocity(&motion->harmonic, t);
    case ICF_SUPPORT_FIXED: break;
    }
    return icf_vec3_make(0, 0, 0);
}

bool icf_deformable_is_attached(const icf_deformable *deformable, icf_gid body)
{
    for (icf_lid k = 0; k < deformable->nattachment; ++k)
        if (deformable->attachment[k].body == body) return true;
    return false;
}

/* ---- bytes ---- */

/* Numbers of a deformable, in the form of memory. */
typedef struct header {
    icf_gid gid;
    icf_deformable_material elastic;
    int32_t material, subdivision;
    bool self_contact;
    icf_lid nvertex, ntet, ngroup, nreoriented;
    int32_t nmotion;
    icf_lid nattachment, npressure;
    size_t name_bytes;
} header;

static header header_of(const icf_deformable *d)
{
    header head;
    memset(&head, 0, sizeof head);
    head.gid = d->gid;
    head.elastic = d->elastic;
    head.material = d->material;
    head.subdivision = d->subdivision;
    head.self_contact = d->self_contact;
    head.nvertex = d->mesh.nvertex;
    head.ntet = d->mesh.ntet;
    head.ngroup = d->mesh.ngroup;
    head.nreoriented = d->mesh.nreoriented;
    head.nmotion = d->nmotion;
    head.nattachment = d->nattachment;
    head.npressure = d->npressure;
    head.name_bytes = strlen(d->name) + 1;
    return head;
}

/* The arrays of a deformable, in the order in which they are written. */
typedef struct array {
    void **data;
    size_t bytes;
} array;

enum { narray = 10 };

static void list_arrays(icf_deformable *d, const header *head, array list[narray])
{
    const size_t n = (size_t)head->nvertex;
    const array arrays[narray] = {
        {(void **)&d->name, head->name_bytes},
        {(void **)&d->mesh.vertex, n * sizeof *d->mesh.vertex},
        {(void **)&d->mesh.tet, (size_t)head->ntet * sizeof *d->mesh.tet},
        {(void **)&d->position, n * sizeof *d->position},
        {(void **)&d->velocity, n * sizeof *d->velocity},
        {(void **)&d->support, n * sizeof *d->support},
        {(void **)&d->force, n * sizeof *d->force},
        {(void **)&d->motion, (size_t)head->nmotion * sizeof *d->motion},
        {(void **)&d->attachment, (size_t)head->nattachment * sizeof *d->attachment},
        {(void **)&d->pressure, (size_t)head->npressure * sizeof *d->pressure},
    };
    memcpy(list, arrays, sizeof arrays);
}

icf_status icf_deformable_write(icf_bytes *bytes, const icf_deformable *deformable)
{
    const header head = header_of(deformable);
    icf_deformable source = *deformable;
    array list[narray];
    list_arrays(&source, &head, list);
    ICF_TRY(icf_bytes_write(bytes, &head, sizeof head));
    for (int k = 0; k < narray; ++k)
        if (list[k].bytes > 0) ICF_TRY(icf_bytes_write(bytes, *list[k].data, list[k].bytes));
    return ICF_OK;
}

icf_status icf_deformable_read(icf_bytes *bytes, icf_deformable *deformable)
{
    icf_deformable_init(deformable);
    header head;
    ICF_TRY(icf_bytes_take(bytes, sizeof head, &head));
    array list[narray];
    list_arrays(deformable, &head, list);
    for (int k = 0; k < narray; ++k)
        if (list[k].bytes > 0) ICF_TRY(icf_bytes_take_new(bytes, list[k].bytes, list[k].data));
    deformable->gid = head.gid;
    deformable->elastic = head.elastic;
    deformable->material = head.material;
    deformable->subdivision = head.subdivision;
    deformable->self_contact = head.self_contact;
    deformable->mesh.nvertex = head.nvertex;
    deformable->mesh.ntet = head.ntet;
    deformable->mesh.nreoriented = head.nreoriented;
    deformable->nmotion = head.nmotion;
    deformable->nattachment = head.nattachment;
    deformable->npressure = head.npressure;
    return icf_deformable_finish(deformable);
}
