/* What a sample point of a deformable body meets on the body's own surface. */
#include "contact/self_contact.h"

#include <math.h>

/* Least cosine at which surfaces look at each other: 75 degrees.  Walls of a right angle do not. */
static const double facing = 0.25;

/* Least weight of a corner at a point that counts as inside a tetrahedron.  A little outside of it is harmless, since
 * the distance to the face says on which side the point is, and keeps walls that are flush from losing their rims. */
static const double inside = -0.01;

/* A sample that is tested. */
typedef struct own_sample {
    const icf_surface_state *surface;
    icf_lid index;
    icf_vec3 x, outward; /* outward: unit */
} own_sample;

/* The tetrahedron that holds the sample best. */
typedef struct holder {
    const own_sample *sample;
    icf_lid tet; /* -1: none */
    double weight[4], least;
} holder;

static void corners_at(const icf_deformable *deformable, const icf_vec3 *x, icf_lid tet, icf_vec3 corner[4])
{
    for (int c = 0; c < 4; ++c) corner[c] = x[deformable->mesh.tet[tet][c]];
}

static void corners_of(const icf_surface_state *surface, icf_lid tet, icf_vec3 corner[4])
{
    corners_at(surface->deformable, surface->position, tet, corner);
}

/* ---- the tree of the tetrahedra ---- */

/* Boxes of what counts as inside each: the tetrahedron made larger by 1 - 4 inside about its centre. */
static icf_box *list_boxes(const icf_deformable *deformable, const icf_vec3 *x, icf_arena *scratch)
{
    const icf_lid ntet = deformable->mesh.ntet;
    icf_box *box = ICF_ARENA_ARRAY(scratch, icf_box, ntet);
    for (icf_lid t = 0; box && t < ntet; ++t) {
        icf_vec3 corner[4];
        corners_at(deformable, x, t, corner);
        const icf_box tight = icf_box_round(4, corner);
        const icf_vec3 more = icf_scale(-3.0 * inside, icf_sub(tight.hi, tight.lo));
        box[t] = (icf_box){icf_sub(tight.lo, more), icf_add(tight.hi, more)};
    }
    return box;
}

icf_status icf_self_contact_build(const icf_deformable *deformable, icf_arena *arena, icf_item_tree *tets)
{
    icf_arena scratch;
    icf_arena_init(&scratch);
    const icf_box *box = list_boxes(deformable, deformable->mesh.vertex, &scratch);
    const icf_status status = box ? icf_item_tree_build(tets, arena, deformable->mesh.ntet, box) : ICF_ERROR_MEMORY;
    icf_arena_clear(&scratch);
    return status;
}

icf_status icf_self_contact_refit(icf_surface_state *surface, icf_arena *arena, const icf_item_tree *rest)
{
    const icf_box *box = list_boxes(surface->deformable, surface->position, arena);
    return box ? icf_item_tree_refit(&surface->tets, arena, rest, box) : ICF_ERROR_MEMORY;
}

/* ---- what is round a sample ---- */

/* Surface triangle that the k-th part round a sample is cut from. */
static icf_lid triangle_of_part(const own_sample *sample, icf_lid k)
{
    const icf_sample_points *samples = &sample->surface->deformable->samples;
    return samples->idx[k] / (samples->n * samples->n);
}

static bool share_vertex(int na, const icf_lid *a, int nb, const icf_lid *b)
{
    for (int i = 0; i < na; ++i)
        for (int j = 0; j < nb; ++j)
            if (a[i] == b[j]) return true;
    return false;
}

/* Whether a triangle or tetrahedron shares a vertex with a surface triangle round the sample. */
static bool is_beside(const own_sample *sample, int n, const icf_lid *vertex)
{
    const icf_deformable *deformable = sample->surface->deformable;
    const icf_lid *ptr = deformable->samples.ptr;
    for (icf_lid k = ptr[sample->index]; k < ptr[sample->index + 1]; ++k)
        if (share_vertex(3, deformable->surface.triangle[triangle_of_part(sample, k)], n, vertex)) return true;
    return false;
}

/* Whether a tetrahedron under the surface round the sample is turned inside out. */
static bool is_inverted(const own_sample *sample)
{
    const icf_deformable *deformable = sample->surface->deformable;
    const icf_lid *ptr = deformable->samples.ptr;
    for (icf_lid k = ptr[sample->index]; k < ptr[sample->index + 1]; ++k) {
        icf_vec3 x[4];
        corners_of(sample->surface, deformable->surface.tet[triangle_of_part(sample, k)], x);
        if (!(icf_tet_volume6(x[0], x[1], x[2], x[3]) > 0.0)) return true;
    }
    return false;
}

static bool looks_against(const own_sample *sample, icf_vec3 normal)
{
    return icf_dot(sample->outward, normal) < -facing * icf_norm(normal);
}

static const icf_lid *triangle_of(const own_sample *sample, const icf_surface_hit *hit)
{
    return sample->surface->deformable->surface.triangle[hit->triangle];
}

/* ---- across a gap ---- */

/* Whether the sample and a place of the surface see each other. */
static bool sees(const void *user, const icf_surface_hit *hit)
{
    const own_sample *sample = user;
    return hit->distance >= 0.0 && looks_against(sample, hit->normal) &&
           !is_beside(sample, 3, triangle_of(sample, hit));
}

/* ---- pierced ---- */

/* Weights of a tetrahedron's corners at a point, and the least of them.
 * Returns false, perhaps before all are known, when that is below the lowest that matters; that of an inverted
 * tetrahedron is. */
static bool weights_at(const icf_vec3 corner[4], icf_vec3 x, double lowest, double weight[4], double *least)
{
    const double volume = icf_tet_volume6(corner[0], corner[1], corner[2], corner[3]);
    if (!(volume > 0.0)) return false;
    *least = INFINITY;
    for (int c = 0; c < 4; ++c) {
        icf_vec3 with[4] = {corner[0], corner[1], corner[2], corner[3]};
        with[c] = x;
        weight[c] = icf_tet_volume6(with[0], with[1], with[2], with[3]) / volume;
        if (weight[c] < lowest) return false;
        if (weight[c] < *least) *least = weight[c];
    }
    return true;
}

/* Keeps the tetrahedron not beside the sample that holds it best, the first of equal ones. */
static bool try_tet(void *user, icf_lid tet)
{
    holder *best = user;
    const own_sample *sample = best->sample;
    icf_vec3 corner[4];
    holder here = {.sample = sample, .tet = tet};
    corners_of(sample->surface, tet, corner);
    if (!weights_at(corner, sample->x, best->least, here.weight, &here.least)) return true;
    const bool better = here.least > best->least || tet < best->tet;
    if (better && !is_beside(sample, 4, sample->surface->deformable->mesh.tet[tet])) *best = here;
    return true;
}

/* Whether the sample may go out again at a place of the rest shape's surface. */
static bool leads_out(const void *user, const icf_surface_hit *hit)
{
    const own_sample *sample = user;
    const icf_lid *v = triangle_of(sample, hit);
    const icf_vec3 *x = sample->surface->position;
    return looks_against(sample, icf_area_vector(x[v[0]], x[v[1]], x[v[2]])) && !is_beside(sample, 3, v);
}

/* Rest shape of the tetrahedron that holds the sample: the material point there; half of its shortest edge. */
static icf_vec3 material_point(const holder *held, double *half_edge)
{
    const icf_tet_mesh *mesh = &held->sample->surface->deformable->mesh;
    const icf_lid *v = mesh->tet[held->tet];
    icf_vec3 material = {0, 0, 0};
    double shortest = INFINITY;
    for (int c = 0; c < 4; ++c) {
        material = icf_mul_add(material, held->weight[c], mesh->vertex[v[c]]);
        for (int d = 0; d < c; ++d)
            shortest = fmin(shortest, icf_norm(icf_sub(mesh->vertex[v[c]], mesh->vertex[v[d]])));
    }
    *half_edge = 0.5 * shortest;
    return material;
}

/* Where the sample goes out: at the surface point that is nearest at rest, or if that does not lead out, as at the rim
 * of a wall, at one that is not far. */
static bool way_out(const holder *held, icf_surface_hit *hit)
{
    const icf_triangle_tree *rest = held->sample->surface->rest;
    double half_edge;
    const icf_vec3 material = material_point(held, &half_edge);
    return (icf_triangle_tree_closest(rest, material, INFINITY, NULL, NULL, hit) && leads_out(held->sample, hit)) ||
           icf_triangle_tree_closest(rest, material, half_edge, leads_out, held->sample, hit);
}

bool icf_self_contact_closest(const icf_surface_state *surface, icf_lid sample, icf_vec3 x, icf_vec3 outward,
                              double radius, icf_surface_hit *hit)
{
    const double area = icf_norm(outward);
    if (!(area > 0.0)) return false;
    const own_sample own = {surface, sample, x, icf_scale(1.0 / area, outward)};
    holder held = {.sample = &own, .tet = -1, .least = inside};
    icf_item_tree_overlap(&surface->tets, &(icf_box){x, x}, try_tet, &held);
    icf_surface_hit at_rest;
    if (held.tet >= 0 && !is_inverted(&own) && way_out(&held, &at_rest)) {
        *hit = icf_triangle_tree_hit(&surface->tree, at_rest.triangle, x);
        return true;
    }
    const icf_cone sight = {own.outward, facing};
    return icf_triangle_tree_closest_in(&surface->tree, x, &sight, radius, sees, &own, hit);
}
