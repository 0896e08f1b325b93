/* Shapes: sizes, volumes and inertias of uniform solids in the body frame. */
#include "scene/shape.h"

static const double pi = 3.14159265358979323846;

const char *icf_shape_name(icf_shape_type type)
{
    switch (type) {
#define X(name, text) \
    case ICF_SHAPE_##name: return text;
        ICF_SHAPE_LIST(X)
#undef X
    case ICF_SHAPE_COUNT: break;
    }
    return "unknown";
}

double icf_shape_radius(const icf_shape *shape)
{
    switch (shape->type) {
    case ICF_SHAPE_HALF_SPACE: return INFINITY;
    case ICF_SHAPE_SPHERE:
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD: return shape->radius;
    case ICF_SHAPE_CAPSULE: return shape->half + shape->radius;
    case ICF_SHAPE_BOX:
    case ICF_SHAPE_DEFORMABLE: return icf_norm(shape->extent);
    case ICF_SHAPE_NONE:
    case ICF_SHAPE_COUNT: break;
    }
    return 0.0;
}

static double sphere_volume(double radius)
{
    return 4.0 / 3.0 * pi * radius * radius * radius;
}

double icf_shape_volume(const icf_shape *shape)
{
    const double r = shape->radius;
    switch (shape->type) {
    case ICF_SHAPE_HALF_SPACE: return INFINITY;
    case ICF_SHAPE_SPHERE: return sphere_volume(r);
    case ICF_SHAPE_CAPSULE: return sphere_volume(r) + pi * r * r * 2.0 * shape->half;
    case ICF_SHAPE_BOX: return 8.0 * shape->extent.x * shape->extent.y * shape->extent.z;
    case ICF_SHAPE_DEFORMABLE:
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD:
    case ICF_SHAPE_NONE:
    case ICF_SHAPE_COUNT: break;
    }
    return 0.0;
}

static icf_vec3 sphere_inertia(double radius, double mass)
{
    const double i = 0.4 * mass * radius * radius;
    return icf_vec3_make(i, i, i);
}

static icf_vec3 box_inertia(icf_vec3 half, double mass)
{
    const icf_vec3 square = {half.x * half.x, half.y * half.y, half.z * half.z};
    return icf_scale(mass / 3.0, icf_vec3_make(square.y + square.z, square.x + square.z, square.x + square.y));
}

/* Cylinder and two half balls; a half ball's centre of mass is 3/8 r beyond the cylinder's end. */
static icf_vec3 capsule_inertia(double r, double half, double mass)
{
    if (r == 0.0) return (icf_vec3){0};
    const double cylinder = mass * 3.0 * half / (3.0 * half + 2.0 * r), caps = mass - cylinder;
    const double axial = (0.5 * cylinder + 0.4 * caps) * r * r;
    const double across =
        cylinder * (0.25 * r * r + half * half / 3.0) + caps * (0.4 * r * r + half * half + 0.75 * half * r);
    return icf_vec3_make(across, across, axial);
}

icf_vec3 icf_shape_inertia(const icf_shape *shape, double mass)
{
    switch (shape->type) {
    case ICF_SHAPE_SPHERE: return sphere_inertia(shape->radius, mass);
    case ICF_SHAPE_CAPSULE: return capsule_inertia(shape->radius, shape->half, mass);
    case ICF_SHAPE_BOX: return box_inertia(shape->extent, mass);
    case ICF_SHAPE_DEFORMABLE:
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD:
    case ICF_SHAPE_NONE:
    case ICF_SHAPE_HALF_SPACE:
    case ICF_SHAPE_COUNT: break;
    }
    return (icf_vec3){0};
}

icf_shape icf_shape_scaled(const icf_shape *shape, double factor)
{
    icf_shape scaled = *shape;
    scaled.radius *= factor;
    scaled.half *= factor;
    scaled.extent = icf_scale(factor, scaled.extent);
    return scaled;
}

/* |R| e: reach of a box of half edges e along each world axis */
static icf_vec3 rotated_extent(const icf_mat3 *rotation, icf_vec3 e)
{
    const double *r = rotation->m;
    return (icf_vec3){fabs(r[0]) * e.x + fabs(r[1]) * e.y + fabs(r[2]) * e.z,
                      fabs(r[3]) * e.x + fabs(r[4]) * e.y + fabs(r[5]) * e.z,
                      fabs(r[6]) * e.x + fabs(r[7]) * e.y + fabs(r[8]) * e.z};
}

icf_vec3 icf_shape_extent(const icf_shape *shape, const icf_mat3 *rotation)
{
    const double r = shape->radius;
    switch (shape->type) {
    case ICF_SHAPE_SPHERE: return icf_vec3_make(r, r, r);
    case ICF_SHAPE_CAPSULE:
        return icf_add(rotated_extent(rotation, icf_vec3_make(0.0, 0.0, shape->half)), icf_vec3_make(r, r, r));
    case ICF_SHAPE_BOX:
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD: return rotated_extent(rotation, shape->extent);
    case ICF_SHAPE_DEFORMABLE: return shape->extent;
    case ICF_SHAPE_NONE:
    case ICF_SHAPE_HALF_SPACE:
    case ICF_SHAPE_COUNT: break;
    }
    return (icf_vec3){0};
}
