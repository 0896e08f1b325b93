/* Contact points between the surface of a deformable body and a rigid shape. */
#include "contact/surface_contact.h"

const icf_sample_points *icf_surface_samples(const icf_surface_state *surface, const icf_shape *shape)
{
    return shape->type == ICF_SHAPE_HALF_SPACE ? &surface->deformable->plane_samples : &surface->deformable->samples;
}

double icf_approach_acceleration(icf_vec3 a, icf_vec3 b)
{
    return fmax(icf_norm(icf_sub(a, b)), fmax(icf_norm(a), icf_norm(b)));
}

static double candidate_distance(const icf_surface_query *query, const icf_sample_point *point, int32_t n, icf_vec3 x)
{
    if (!query->automatic) return query->distance;
    const icf_other_motion *other = &query->other;
    const icf_vec3 v = icf_sample_point_at(point, n, query->surface->velocity);
    const icf_vec3 a = icf_sample_point_at(point, n, query->surface->acceleration);
    const icf_vec3 turn = icf_cross(other->angular, icf_sub(x, other->centre));
    const double speed = icf_norm(icf_sub(v, icf_add(other->linear, turn)));
    return query->reach * (speed + query->dt * icf_approach_acceleration(a, other->acceleration));
}

static bool has_free_vertex(const icf_deformable *deformable, const icf_sample_point *point)
{
    for (int k = 0; k < point->nvertex; ++k)
        if (icf_deformable_is_free(deformable, point->vertex[k])) return true;
    return false;
}

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

bool icf_surface_test(const icf_surface_query *query, icf_lid sample, icf_surface_point *point)
{
    const icf_surface_state *surface = query->surface;
    const icf_sample_points *samples = icf_surface_samples(surface, query->shape.shape);
    const icf_sample_point *at = &samples->point[sample];
    const int32_t n = samples->n;
    if (!query->other_moves && !has_free_vertex(surface->deformable, at)) return false;
    const icf_vec3 x = icf_sample_point_at(at, n, surface->position);
    const icf_shape dot = {.type = ICF_SHAPE_SPHERE};
    const icf_placed_shape here = {&dot, x, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    icf_manifold manifold;
    icf_collide(&query->shape, &here, candidate_distance(query, at, n, x), &manifold);
    if (manifold.n == 0) return false;
    point->contact = manifold.point[0];
    point->contact.on_a = point->contact.on_b = x;
    point->contact.feature = at->feature;
    point->sample = sample;
    point->area = facing_area(surface, samples, sample, point->contact.normal);
    return point->area > 0.0;
}

icf_support icf_surface_support(const icf_surface_state *surface, const icf_sample_point *point, int32_t n)
{
    icf_support support = {0};
    for (int k = 0; k < point->nvertex; ++k) {
        if (!icf_deformable_is_free(surface->deformable, point->vertex[k])) continue;
        support.vertex[support.n] = point->vertex[k];
        support.weight[support.n++] = (double)point->multiple[k] / n;
    }
    return support;
}

icf_vec3 icf_surface_supported_velocity(const icf_surface_state *surface, const icf_sample_point *point, int32_t n)
{
    icf_vec3 sum = {0, 0, 0};
    for (int k = 0; k < point->nvertex; ++k)
        if (!icf_deformable_is_free(surface->deformable, point->vertex[k]))
            sum = icf_mul_add(sum, (double)point->multiple[k] / n, surface->velocity[point->vertex[k]]);
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
