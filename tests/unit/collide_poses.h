/* Random pairs of placed shapes for tests of the narrow phase: all the awkward arrangements. */
#ifndef ICF_TESTS_COLLIDE_POSES_H
#define ICF_TESTS_COLLIDE_POSES_H

#include "collide_oracle.h"

typedef struct {
    icf_shape shape[2];
    icf_placed_shape placed[2];
    double scale; /* sum of the circumscribed radii */
} oracle_pair;

static inline double oracle_radius(const icf_shape *shape)
{
    if (shape->type == ICF_SHAPE_BOX) return icf_norm(shape->extent);
    return shape->radius + (shape->type == ICF_SHAPE_CAPSULE ? shape->half : 0.0);
}

/* A size between 1/30 and 30, often one that others have as well. */
static inline double oracle_size(oracle_random *random)
{
    return oracle_pick(random, 3) == 0 ? 1.0 : oracle_power(random, -1.5, 1.5);
}

static inline icf_shape oracle_shape(oracle_random *random, icf_shape_type type)
{
    icf_shape shape = {.type = type};
    const double size = oracle_size(random);
    shape.extent = (icf_vec3){size, size, size};
    if (oracle_pick(random, 2) == 0)
        shape.extent = (icf_vec3){oracle_size(random), oracle_size(random), oracle_size(random)};
    shape.radius = type == ICF_SHAPE_CAPSULE && oracle_pick(random, 4) == 0 ? 0.0 : oracle_size(random);
    shape.half = oracle_pick(random, 10) == 0 ? 0.0 : oracle_size(random);
    if (type == ICF_SHAPE_CAPSULE && shape.radius == 0.0 && shape.half == 0.0) shape.radius = 1.0;
    return shape;
}

/* Zero or of either sign between 10^low and 10^high. */
static inline double oracle_small(oracle_random *random, double low, double high)
{
    const int sign = oracle_pick(random, 3) - 1;
    return sign * oracle_power(random, low, high);
}

/* Rotation of the second relative to the first: arbitrary, or by right or half right angles and a bit. */
static inline icf_quat oracle_relative(oracle_random *random)
{
    const icf_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (oracle_pick(random, 3) == 0) return oracle_turn(oracle_direction(random), oracle_range(random, -M_PI, M_PI));
    icf_quat q = {1, 0, 0, 0};
    for (int i = 0; i < 3; ++i)
        q = icf_quat_mul(q, oracle_turn(axes[oracle_pick(random, 3)], 0.5 * M_PI * oracle_pick(random, 4)));
    if (oracle_pick(random, 3) == 0) q = icf_quat_mul(q, oracle_turn(axes[oracle_pick(random, 3)], 0.25 * M_PI));
    if (oracle_pick(random, 3) == 0)
        q = icf_quat_mul(q, oracle_turn(axes[oracle_pick(random, 3)], oracle_range(random, -M_PI, M_PI)));
    return icf_quat_mul(q, oracle_turn(oracle_direction(random), oracle_small(random, -15, -2)));
}

/* Position of the second in the first's frame: arbitrary, or level with its faces along some axes, or nested. */
static inline icf_vec3 oracle_offset(oracle_random *random, const oracle_pair *pair)
{
    icf_vec3 offset;
    const double reach = oracle_pick(random, 4) == 0 ? 0.1 : 1.2;
    for (int i = 0; i < 3; ++i) {
        const double a = icf_get(pair->shape[0].extent, i), b = icf_get(pair->shape[1].extent, i);
        const double level[6] = {0.0, a + b, a - b, -a - b, b - a, a};
        double x = reach * oracle_range(random, -pair->scale, pair->scale);
        if (oracle_pick(random, 2) == 0)
            x = level[oracle_pick(random, 6)] + oracle_small(random, -15, -2) * pair->scale;
        icf_set(&offset, i, x);
    }
    return offset;
}

static inline void oracle_place(oracle_pair *pair, int k, icf_vec3 position, icf_quat q)
{
    pair->placed[k] = (icf_placed_shape){&pair->shape[k], position, icf_quat_matrix(icf_quat_unit(q)), NULL};
}

/* A random pair of shapes, neither a half-space.  The pair must stay where it is (it points into itself). */
static inline void oracle_make_pair(oracle_random *random, icf_shape_type a, icf_shape_type b, oracle_pair *pair)
{
    pair->shape[0] = oracle_shape(random, a);
    pair->shape[1] = oracle_pick(random, 4) == 0 && a == b ? pair->shape[0] : oracle_shape(random, b);
    pair->scale = oracle_radius(&pair->shape[0]) + oracle_radius(&pair->shape[1]);
    const bool is_plain = oracle_pick(random, 4) == 0;
    const icf_quat q = is_plain ? (icf_quat){1, 0, 0, 0}
                                : icf_quat_unit(oracle_turn(oracle_direction(random), oracle_range(random, -3, 3)));
    const icf_vec3 position = is_plain ? (icf_vec3){0, 0, 0} : icf_scale(pair->scale, oracle_direction(random));
    const icf_vec3 offset = icf_rotate(q, oracle_offset(random, pair));
    oracle_place(pair, 0, position, q);
    oracle_place(pair, 1, icf_add(position, offset), icf_quat_mul(q, oracle_relative(random)));

    // every second pair is moved into touch
    if (oracle_pick(random, 2) == 0) return;
    icf_vec3 normal;
    const double distance = oracle_distance(&pair->placed[0], &pair->placed[1], &normal);
    const double gap = oracle_small(random, -14, -2) * pair->scale;
    pair->placed[1].position = icf_mul_add(pair->placed[1].position, gap - distance, normal);
}

#endif
