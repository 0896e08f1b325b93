/* Random packings, layer by layer. */
#include "geometry/packing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/collide.h"

/* Bodies handed over at a time; darts of a body that are free by spheres alone; darts in all; slices of the layer in
 * which neighbours are looked up. */
enum { CHUNK = 64, SPHERE_DARTS = 64, DARTS = 20000, SLICES = 4, CELLS_MAX = 1 << 10 };

/* A body on its way to its place. */
typedef struct packed_body {
    icf_shape shape;
    icf_quat orientation;
    icf_vec3 position; /* relative to the region's centre [m] */
    icf_vec3 extent;   /* half edges of the box round it [m] */
    double outer;      /* radius of the sphere round it [m] */
    double inner;      /* of the sphere in it [m] */
    icf_lid next;      /* in its cell; -1: the last */
    bool placed;
} packed_body;

/* A body's turn. */
typedef struct packing_turn {
    double radius;
    icf_lid i;
} packing_turn;

/* A packed layer. */
typedef struct packed_layer {
    icf_cnt number; /* -1: none */
    icf_cnt first;  /* number of its first body */
    icf_lid n;
    packed_body *body;  /* (n) */
    icf_lid *cell;      /* (nx ny slices) first body of each, -1: none */
    packing_turn *turn; /* (n) */
    size_t body_capacity, cell_capacity, turn_capacity;
} packed_layer;

typedef struct packing {
    const icf_population *population;
    const icf_template *templates;
    const icf_solid *solids;
    icf_region inside;      /* where the centres of most bodies are */
    icf_cnt nx, ny, nslice; /* cells along each axis, at least as wide as the largest body */
    icf_cnt nlayer;
    packed_layer layer[3]; /* layer j is kept in j % 3 */
} packing;

/* ---- layers and cells ---- */

/* Cells along an edge: at least `least` wide, and one. */
static icf_cnt count_cells(double length, double least, icf_cnt most)
{
    const double n = floor(length / least);
    return n < 1.0 ? 1 : n < (double)most ? (icf_cnt)n : most;
}

static void plan(packing *p)
{
    const icf_population *population = p->population;
    const double widest = 2.0 * icf_population_largest_radius(population, p->templates) + population->gap;
    p->inside = icf_region_shrink(&population->region, icf_population_mean_radius(population, p->templates));
    /* round regions: a cell for each so many bodies is enough */
    p->nx = count_cells(2.0 * population->region.half.x, widest, CELLS_MAX);
    p->ny = count_cells(2.0 * population->region.half.y, widest, CELLS_MAX);
    p->nslice = count_cells(2.0 * p->inside.half.z, widest, (icf_cnt)1 << 30);
    p->nlayer = ICF_MAX(1, p->nslice / SLICES);
    for (int i = 0; i < 3; ++i) p->layer[i] = (packed_layer){.number = -1};
}

static icf_cnt first_slice(const packing *p, icf_cnt layer)
{
    return layer < p->nlayer ? layer * SLICES : p->nslice;
}

/* Number of the first body of a layer; n behind the last. */
static icf_cnt first_body(const packing *p, icf_cnt layer)
{
    if (layer >= p->nlayer) return p->population->n;
    const double below = icf_region_share_below(&p->inside, (double)first_slice(p, layer) / (double)p->nslice);
    return (icf_cnt)floor((double)p->population->n * below);
}

/* The layer of body k. */
static icf_cnt layer_of(const packing *p, icf_cnt k)
{
    icf_cnt low = 0, high = p->nlayer;
    while (high - low > 1) {
        const icf_cnt middle = low + (high - low) / 2;
        if (first_body(p, middle) <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Height of the lower end of a layer; where the lowest begins and the highest ends bodies may be as low and high as
 * they fit. */
static double layer_height(const packing *p, icf_cnt layer)
{
    if (layer == 0) return -p->population->region.half.z;
    if (layer >= p->nlayer) return p->population->region.half.z;
    return p->inside.half.z * (2.0 * (double)first_slice(p, layer) / (double)p->nslice - 1.0);
}

static icf_cnt clamped(double x, icf_cnt n)
{
    return x < 0.0 ? 0 : x >= (double)n ? n - 1 : (icf_cnt)x;
}

/* Cell of a point along one axis of n cells. */
static icf_cnt cell_along(double x, double half, icf_cnt n)
{
    return n == 1 ? 0 : clamped((x + half) / (2.0 * half) * (double)n, n);
}

static icf_cnt slice_of(const packing *p, double z)
{
    return cell_along(z, p->inside.half.z, p->nslice);
}

/* ---- one body ---- */

static double inner_radius(const icf_shape *shape)
{
    switch (shape->type) {
    case ICF_SHAPE_SPHERE:
    case ICF_SHAPE_CAPSULE: return shape->radius;
    case ICF_SHAPE_CYLINDER: return fmin(shape->radius, shape->half);
    case ICF_SHAPE_ELLIPSOID:
    case ICF_SHAPE_BOX: return fmin(shape->extent.x, fmin(shape->extent.y, shape->extent.z));
    default: return 0.0;
    }
}

static void start_body(const packing *p, icf_cnt k, packed_body *body)
{
    icf_body_def def;
    icf_population_body(p->population, p->templates, 0, k, &def);
    const icf_mat3 rotation = icf_quat_matrix(def.orientation);
    *body = (packed_body){.shape = def.shape,
                          .orientation = def.orientation,
                          .extent = icf_shape_extent(&def.shape, &rotation),
                          .outer = icf_shape_radius(&def.shape),
                          .inner = inner_radius(&def.shape)};
}

static bool shapes_are_apart(const packing *p, const packed_body *a, const packed_body *b)
{
    icf_contact_point nearest;
    const icf_placed_shape first = {&a->shape, a->position, icf_quat_matrix(a->orientation), p->solids};
    const icf_placed_shape second = {&b->shape, b->position, icf_quat_matrix(b->orientation), p->solids};
    return !icf_collide_nearest(&first, &second, p->population->gap, &nearest);
}

static bool are_apart(const packing *p, const packed_body *a, const packed_body *b, bool by_spheres)
{
    const double gap = p->population->gap;
    const double distance2 = icf_norm2(icf_sub(a->position, b->position));
    const double outer = a->outer + b->outer + gap, inner = a->inner + b->inner + gap;
    if (distance2 >= outer * outer) return true;
    if (by_spheres || distance2 < inner * inner) return false;
    return shapes_are_apart(p, a, b);
}

/* Whether a body is apart from those of one layer. */
static bool is_free_of(const packing *p, const packed_layer *layer, const packed_body *body, bool by_spheres)
{
    const icf_vec3 half = p->population->region.half;
    const icf_cnt ix = cell_along(body->position.x, half.x, p->nx), iy = cell_along(body->position.y, half.y, p->ny);
    const icf_cnt iz = slice_of(p, body->position.z), z0 = first_slice(p, layer->number);
    const icf_cnt z1 = first_slice(p, layer->number + 1) - 1;
    for (icf_cnt z = ICF_MAX(iz - 1, z0); z <= ICF_MIN(iz + 1, z1); ++z)
        for (icf_cnt y = ICF_MAX(iy - 1, 0); y <= ICF_MIN(iy + 1, p->ny - 1); ++y)
            for (icf_cnt x = ICF_MAX(ix - 1, 0); x <= ICF_MIN(ix + 1, p->nx - 1); ++x)
                for (icf_lid i = layer->cell[((z - z0) * p->ny + y) * p->nx + x]; i >= 0; i = layer->body[i].next)
                    if (!are_apart(p, body, &layer->body[i], by_spheres)) return false;
    return true;
}

/* Where a dart of body k lands: in the layer, and where the body's box is inside the region's box. */
static icf_vec3 dart(const packing *p, const packed_layer *layer, const packed_body *body, icf_cnt k, uint32_t attempt)
{
    double u[4];
    const icf_vec3 half = p->population->region.half;
    const double lowest = fmax(layer_height(p, layer->number), body->extent.z - half.z);
    const double highest = fmin(layer_height(p, layer->number + 1), half.z - body->extent.z);
    icf_population_draw(p->population, k, ICF_STREAM_POSITION, attempt, u);
    return icf_vec3_make((2.0 * u[0] - 1.0) * (half.x - body->extent.x), (2.0 * u[1] - 1.0) * (half.y - body->extent.y),
                         lowest + u[2] * (highest - lowest));
}

static bool is_free(const packing *p, const packed_layer *layer, const packed_body *body, bool by_spheres)
{
    const icf_cnt j = layer->number;
    if (!icf_region_holds(&p->population->region, body->position, body->outer, body->extent)) return false;
    if (!is_free_of(p, layer, body, by_spheres)) return false;
    if (j % 2 == 0) return true;
    return is_free_of(p, &p->layer[(j - 1) % 3], body, by_spheres) &&
           (j + 1 == p->nlayer || is_free_of(p, &p->layer[(j + 1) % 3], body, by_spheres));
}

/* Looks for room with at most `ndart` darts. */
static void place(const packing *p, packed_layer *layer, icf_lid i, int ndart)
{
    packed_body *body = &layer->body[i];
    for (int attempt = 0; attempt < ndart && !body->placed; ++attempt) {
        body->position = dart(p, layer, body, layer->first + i, (uint32_t)attempt);
        body->placed = is_free(p, layer, body, attempt < SPHERE_DARTS);
    }
    if (!body->placed) return;
    const icf_vec3 half = p->population->region.half;
    const icf_cnt x = cell_along(body->position.x, half.x, p->nx), y = cell_along(body->position.y, half.y, p->ny);
    const icf_cnt z = slice_of(p, body->position.z) - first_slice(p, layer->number);
    icf_lid *cell = &layer->cell[(z * p->ny + y) * p->nx + x];
    body->next = *cell;
    *cell = i;
}

/* ---- one layer ---- */

/* Largest first, then by number. */
static int compare_turns(const void *a, const void *b)
{
    const packing_turn *first = a, *second = b;
    if (first->radius != second->radius) return first->radius > second->radius ? -1 : 1;
    return first->i < second->i ? -1 : 1;
}

static icf_status start_layer(const packing *p, packed_layer *layer, icf_cnt number)
{
    const size_t ncell = (size_t)((first_slice(p, number + 1) - first_slice(p, number)) * p->ny * p->nx);
    const icf_cnt first = first_body(p, number), n = first_body(p, number + 1) - first;
    layer->number = -1;
    if (n > INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(layer->body, layer->body_capacity, n));
    ICF_TRY(ICF_GROW(layer->turn, layer->turn_capacity, n));
    ICF_TRY(ICF_GROW(layer->cell, layer->cell_capacity, ncell));
    memset(layer->cell, 0xff, ncell * sizeof *layer->cell); /* all -1 */
    layer->number = number;
    layer->first = first;
    layer->n = (icf_lid)n;
    return ICF_OK;
}

/* Packs a layer, if it is not there; those beside an odd one are. */
static icf_status pack_layer(packing *p, icf_cnt number)
{
    packed_layer *layer = &p->layer[number % 3];
    if (layer->number == number) return ICF_OK;
    ICF_TRY(start_layer(p, layer, number));
    for (icf_lid i = 0; i < layer->n; ++i) {
        start_body(p, layer->first + i, &layer->body[i]);
        layer->turn[i] = (packing_turn){layer->body[i].outer, i};
    }
    if (layer->n > 0) qsort(layer->turn, (size_t)layer->n, sizeof *layer->turn, compare_turns);
    /* the layer is full: the others have no need to try for long */
    bool full = false;
    for (icf_lid t = 0; t < layer->n; ++t) {
        place(p, layer, layer->turn[t].i, full ? SPHERE_DARTS : DARTS);
        full = full || !layer->body[layer->turn[t].i].placed;
    }
    return ICF_OK;
}

static icf_status pack_with_neighbours(packing *p, icf_cnt number)
{
    if (number % 2 == 1) {
        ICF_TRY(pack_layer(p, number - 1));
        if (number + 1 < p->nlayer) ICF_TRY(pack_layer(p, number + 1));
    }
    return pack_layer(p, number);
}

/* Hands over the bodies of a layer that are in [begin, end). */
static icf_status hand_over(const packing *p, const packed_layer *layer, icf_gid first_gid, icf_cnt begin, icf_cnt end,
                            icf_body_sink sink, void *user, icf_cnt *missing)
{
    icf_body_def chunk[CHUNK];
    icf_cnt n = 0;
    for (icf_cnt k = ICF_MAX(begin, layer->first); k < ICF_MIN(end, layer->first + layer->n); ++k) {
        const packed_body *body = &layer->body[k - layer->first];
        *missing += !body->placed;
        if (!body->placed) continue;
        icf_population_body(p->population, p->templates, first_gid, k, &chunk[n]);
        chunk[n].position = icf_add(p->population->region.center, body->position);
        if (++n < CHUNK) continue;
        ICF_TRY(sink(user, n, chunk));
        n = 0;
    }
    return n > 0 ? sink(user, n, chunk) : ICF_OK;
}

icf_status icf_packing_generate(const icf_scene *scene, const icf_population *population, icf_gid first_gid,
                                icf_cnt begin, icf_cnt end, icf_body_sink sink, void *user, icf_cnt *missing)
{
    packing p = {.population = population, .templates = scene->population_template, .solids = scene->solid};
    icf_status status = ICF_OK;
    *missing = 0;
    if (begin >= end) return ICF_OK;
    plan(&p);
    const icf_cnt last = layer_of(&p, end - 1);
    for (icf_cnt j = layer_of(&p, begin); j <= last && status == ICF_OK; ++j) {
        status = pack_with_neighbours(&p, j);
        if (status == ICF_OK) status = hand_over(&p, &p.layer[j % 3], first_gid, begin, end, sink, user, missing);
    }
    for (int i = 0; i < 3; ++i) {
        icf_free(p.layer[i].body);
        icf_free(p.layer[i].cell);
        icf_free(p.layer[i].turn);
    }
    return status;
}
