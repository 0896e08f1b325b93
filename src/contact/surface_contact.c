/* Contact points of deformable bodies. */
#include "contact/surface_contact.h"

#include <math.h>

#include "contact/margin.h"
#include "contact/self_contact.h"
#include "geometry/narrow_surface.h"

const icf_sample_points *icf_surface_samples(const icf_surface_query *query)
{
    const bool plane = !query->opposite && query->shape.shape->type == ICF_SHAPE_HALF_SPACE;
    return plane ? &query->surface->deformable->plane_samples : &query->surface->deformable->samples;
}

int32_t icf_surface_features(const icf_surface_state *surface)
{
    /* vertices, then the points that are none */
    return surface->deformable->mesh.nvertex + surface->deformable->samples.npoint;
}

/* ---- carried points ---- */

static icf_carried_point carried_sample(const icf_sample_point *point, int32_t n)
{
    icf_carried_point carried = {.n = point->nvertex};
    for (int k = 0; k < point->nvertex; ++k) {
        carried.vertex[k] = point->vertex[k];
        carried.weight[k] = (double)point->multiple[k] / n;
    }
    return carried;
}

static icf_carried_point carried_hit(const icf_surface_state *surface, const icf_surface_hit *hit)
{
    icf_carried_point carried = {.n = 0};
    for (int k = 0; k < 3; ++k) {
        if (hit->weight[k] == 0.0) continue;
        carried.vertex[carried.n] = surface->deformable->surface.triangle[hit->triangle][k];
        carried.weight[carried.n++] = hit->weight[k];
    }
    return carried;
}

static icf_vec3 mean(const icf_carried_point *point, const icf_vec3 *value)
{
    icf_vec3 sum = {0, 0, 0};
    for (int k = 0; k < point->n; ++k) sum = icf_mul_add(sum, point->weight[k], value[point->vertex[k]]);
    return sum;
}

static bool has_free_vertex(const icf_surface_state *surface, const icf_carried_point *point)
{
    for (int k = 0; k < point->n; ++k)
        if (icf_deformable_is_free(surface->deformable, point->vertex[k])) return true;
    return false;
}

icf_support icf_surface_support(const icf_surface_state *surface, const icf_carried_point *point)
{
    icf_support support = {0};
    for (int k = 0; k < point->n; ++k) {
        if (!icf_deformable_is_free(surface->deformable, point->vertex[k])) continue;
        support.vertex[support.n] = point->vertex[k];
        support.weight[support.n++] = point->weight[k];
    }
    return support;
}

icf_vec3 icf_surface_supported_velocity(const icf_surface_state *surface, const icf_carried_point *point)
{
    icf_vec3 sum = {0, 0, 0};
    for (int k = 0; k < point->n; ++k)
        if (!icf_deformable_is_free(surface->deformable, point->vertex[k]))
            sum = icf_mul_add(sum, point->weight[k], surface->velocity[point->vertex[k]]);
    return sum;
}

icf_vec3 icf_surface_free_velocity(const icf_surface_state *surface, const icf_support *support)
{
    icf_vec3 sum = {0, 0, 0};
    for (int k = 0; k < support->n; ++k)
        sum = icf_mul_add(sum, support->weight[k], surface->velocity[support->vertex[k]]);
    return sum;
}

void icf_surface_add_effective(const icf_surface_state *surface, const icf_support *support, icf_mat3 *w)
{
    for (int k = 0; k < support->n; ++k) {
        const double square = support->weight[k] * support->weight[k];
        for (int e = 0; e < 9; ++e) w->m[e] += square * surface->inverse[support->vertex[k]].m[e];
    }
}

/* ---- tests ---- */

/* Area that belongs to a sample point as seen along the normal: a third of each part round it that looks that way. */
static double facing_area(const icf_surface_state *surface, const icf_sample_points *samples, icf_lid sample,
                          icf_vec3 normal)
{
    double area = 0.0;
    for (icf_lid k = samples->ptr[sample]; k < samples->ptr[sample + 1]; ++k) {
        icf_vec3 x[3];
        for (int c = 0; c < 3; ++c)
            x[c] = icf_sample_point_at(&samples->point[samples->triangle[samples->idx[k]][c]], samples->n,
                                       surface->position);
        area += fmax(0.0, -icf_dot(icf_area_vector(x[0], x[1], x[2]), normal)) / 3.0;
    }
    return area;
}

/* Outward area vector of a sample point: a third of those of the parts round it [m^2]. */
static icf_vec3 outward_area(const icf_surface_state *surface, const icf_sample_points *samples, icf_lid sample)
{
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid k = samples->ptr[sample]; k < samples->ptr[sample + 1]; ++k) {
        icf_vec3 x[3];
        for (int c = 0; c < 3; ++c)
            x[c] = icf_sample_point_at(&samples->point[samples->triangle[samples->idx[k]][c]], samples->n,
                                       surface->position);
        sum = icf_mul_add(sum, 1.0 / 3.0, icf_area_vector(x[0], x[1], x[2]));
    }
    return sum;
}

/* A sheet has no inside that tells on which side a point is: a sample that has sunk in a little is on the side that its
 * body is on, where the surface looks to the sheet. */
static void choose_side(const icf_surface_query *query, icf_lid sample, icf_surface_hit *hit)
{
    const icf_surface_state *surface = query->surface;
    if (query->shape.shape->surface->is_solid || hit->distance >= surface->deformable->thin) return;
    if (icf_dot(outward_area(surface, icf_surface_samples(query), sample), hit->normal) <= 0.0) return;
    hit->normal = icf_neg(hit->normal);
    hit->distance = -hit->distance;
}

/* Candidate distance for a point with velocity v and acceleration a against another one. */
static double candidate_distance(const icf_surface_query *query, icf_vec3 v, icf_vec3 a, icf_vec3 other_v,
                                 icf_vec3 other_a)
{
    if (!query->automatic) return query->distance;
    const double speed = icf_norm(icf_sub(v, other_v));
    return query->reach * (speed + query->dt * icf_approach_acceleration(a, other_a));
}

/* Most samples are far from a small body. */
static bool is_far(const icf_surface_query *query, icf_vec3 x)
{
    const icf_vec3 away = icf_sub(x, query->shape.position), extent = query->extent;
    return fabs(away.x) > extent.x + query->longest || fabs(away.y) > extent.y + query->longest ||
           fabs(away.z) > extent.z + query->longest;
}

static bool test_shape(const icf_surface_query *query, icf_lid sample, icf_vec3 x, icf_surface_point *point)
{
    if (is_far(query, x)) return false;
    const icf_other_motion *other = &query->other;
    const icf_vec3 turn = icf_cross(other->angular, icf_sub(x, other->centre));
    const double distance = candidate_distance(query, mean(&point->sample, query->surface->velocity),
                                               mean(&point->sample, query->surface->acceleration),
                                               icf_add(other->linear, turn), other->acceleration);
    if (icf_shape_is_surface(query->shape.shape)) {
        icf_surface_hit hit;
        icf_surface_closest(&query->shape, x, &hit);
        choose_side(query, sample, &hit);
        point->contact.normal = hit.normal;
        point->contact.distance = hit.distance;
        return hit.distance < distance;
    }
    const icf_shape dot = {.type = ICF_SHAPE_SPHERE};
    const icf_placed_shape here = {.shape = &dot, .position = x, .rotation = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    icf_contact_point nearest;
    if (!icf_collide_nearest(&query->shape, &here, distance, &nearest)) return false;
    point->contact.normal = nearest.normal;
    point->contact.distance = nearest.distance;
    return true;
}

/* Most samples are far from another body. */
static bool is_outside(const icf_box *box, double distance, icf_vec3 x)
{
    return x.x < box->lo.x - distance || x.y < box->lo.y - distance || x.z < box->lo.z - distance ||
           x.x > box->hi.x + distance || x.y > box->hi.y + distance || x.z > box->hi.z + distance;
}

static bool closest_opposite(const icf_surface_query *query, icf_lid sample, icf_vec3 x, icf_surface_hit *hit)
{
    const icf_surface_state *surface = query->surface, *opposite = query->opposite;
    if (surface == opposite)
        return icf_self_contact_closest(surface, sample, x, outward_area(surface, icf_surface_samples(query), sample),
                                        query->longest, hit);
    const icf_box box = icf_triangle_tree_box(&opposite->tree);
    return !is_outside(&box, query->longest, x) &&
           icf_triangle_tree_closest(&opposite->tree, x, INFINITY, NULL, NULL, hit);
}

static bool test_surface(const icf_surface_query *query, icf_lid sample, icf_vec3 x, icf_surface_point *point)
{
    const icf_surface_state *opposite = query->opposite;
    icf_surface_hit hit;
    if (!closest_opposite(query, sample, x, &hit)) return false;
    point->opposite = carried_hit(opposite, &hit);
    const double distance = candidate_distance(
        query, mean(&point->sample, query->surface->velocity), mean(&point->sample, query->surface->acceleration),
        mean(&point->opposite, opposite->velocity), mean(&point->opposite, opposite->acceleration));
    if (hit.distance >= distance) return false;
    point->contact.normal = hit.normal;
    point->contact.distance = hit.distance;
    return true;
}

bool icf_surface_test(const icf_surface_query *query, icf_lid sample, icf_surface_point *point)
{
    const icf_surface_state *surface = query->surface;
    const icf_sample_points *samples = icf_surface_samples(query);
    const icf_sample_point *at = &samples->point[sample];
    *point = (icf_surface_point){.of_first = query->of_first, .sample = carried_sample(at, samples->n)};
    if (!query->other_moves && !has_free_vertex(surface, &point->sample)) return false;
    const icf_vec3 x = icf_sample_point_at(at, samples->n, surface->position);
    if (!(query->opposite ? test_surface(query, sample, x, point) : test_shape(query, sample, x, point))) return false;
    point->area = facing_area(surface, samples, sample, point->contact.normal);
    if (!(point->area > 0.0)) return false;
    if (query->opposite && !has_free_vertex(surface, &point->sample) &&
        !has_free_vertex(query->opposite, &point->opposite))
        return false;
    point->contact.on_a = point->contact.on_b = x;
    point->contact.feature = query->feature + at->feature;
    /* the contact's normal points from the first body to the second */
    if (query->of_first) point->contact.normal = icf_neg(point->contact.normal);
    return true;
}
