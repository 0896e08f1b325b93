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
    case ICF_SHAPE_CONVEX:
    case ICF_SHAPE_COMPOUND:
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD: return shape->radius;
    case ICF_SHAPE_CAPSULE: return shape->half + shape->radius;
    case ICF_SHAPE_CYLINDER: return hypot(shape->radius, shape->half);
    case ICF_SHAPE_ELLIPSOID: return fmax(shape->extent.x, fmax(shape->extent.y, shape->extent.z));
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

double icf_shape_half_width(const icf_shape *shape)
{
    const icf_vec3 e = shape->extent;
    switch (shape->type) {
    case ICF_SHAPE_SPHERE:
    case ICF_SHAPE_CAPSULE: return shape->radius;
    case ICF_SHAPE_CYLINDER: return fmin(shape->radius, shape->half);
    case ICF_SHAPE_BOX:
    case ICF_SHAPE_ELLIPSOID:
    case ICF_SHAPE_CONVEX: return fmin(e.x, fmin(e.y, e.z));
    default: return 0.0;
    }
}

double icf_shape_volume(const icf_shape *shape)
{
    const double r = shape->radius;
    switch (shape->type) {
    case ICF_SHAPE_HALF_SPACE: return INFINITY;
    case ICF_SHAPE_SPHERE: return sphere_volume(r);
    case ICF_SHAPE_CAPSULE: return sphere_volume(r) + pi * r * r * 2.0 * shape->half;
    case ICF_SHAPE_BOX: return 8.0 * shape->extent.x * shape->extent.y * shape->extent.z;
    case ICF_SHAPE_CYLINDER: return pi * r * r * 2.0 * shape->half;
    case ICF_SHAPE_ELLIPSOID: return 4.0 / 3.0 * pi * shape->extent.x * shape->extent.y * shape->extent.z;
    case ICF_SHAPE_CONVEX:
    case ICF_SHAPE_COMPOUND:
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

/* A body of second moments m x^2 / part along each axis: a box of half edges x with part 3, an ellipsoid of radii x
 * with part 5. */
static icf_vec3 axes_inertia(icf_vec3 x, double part, double mass)
{
    const icf_vec3 square = {x.x * x.x, x.y * x.y, x.z * x.z};
    return icf_scale(mass / part, icf_vec3_make(square.y + square.z, square.x + square.z, square.x + square.y));
}

static icf_vec3 cylinder_inertia(double r, double half, double mass)
{
    const double across = mass * (0.25 * r * r + half * half / 3.0);
    return icf_vec3_make(across, across, 0.5 * mass * r * r);
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
    case ICF_SHAPE_BOX: return axes_inertia(shape->extent, 3.0, mass);
    case ICF_SHAPE_CYLINDER: return cylinder_inertia(shape->radius, shape->half, mass);
    case ICF_SHAPE_ELLIPSOID: return axes_inertia(shape->extent, 5.0, mass);
    case ICF_SHAPE_CONVEX:
    case ICF_SHAPE_COMPOUND:
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

/* Reach of a disc of a radius across z along each world axis: r sqrt(1 - z_i^2). */
static icf_vec3 disc_extent(const icf_mat3 *rotation, double r)
{
    const double *m = rotation->m;
    return (icf_vec3){r * hypot(m[0], m[1]), r * hypot(m[3], m[4]), r * hypot(m[6], m[7])};
}

/* Reach of an ellipsoid along each world axis: |D R^T e_i|. */
static icf_vec3 ellipsoid_extent(const icf_mat3 *rotation, icf_vec3 d)
{
    const double *m = rotation->m;
    return (icf_vec3){icf_norm((icf_vec3){d.x * m[0], d.y * m[1], d.z * m[2]}),
                      icf_norm((icf_vec3){d.x * m[3], d.y * m[4], d.z * m[5]}),
                      icf_norm((icf_vec3){d.x * m[6], d.y * m[7], d.z * m[8]})};
}

/* A box and a ball about the origin both hold the shape. */
static icf_vec3 solid_extent(const icf_mat3 *rotation, const icf_shape *shape)
{
    const icf_vec3 e = rotated_extent(rotation, shape->extent);
    const double r = shape->radius;
    return (icf_vec3){fmin(e.x, r), fmin(e.y, r), fmin(e.z, r)};
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
    case ICF_SHAPE_CYLINDER:
        return icf_add(rotated_extent(rotation, icf_vec3_make(0.0, 0.0, shape->half)), disc_extent(rotation, r));
    case ICF_SHAPE_ELLIPSOID: return ellipsoid_extent(rotation, shape->extent);
    case ICF_SHAPE_CONVEX:
    case ICF_SHAPE_COMPOUND: return solid_extent(rotation, shape);
    case ICF_SHAPE_DEFORMABLE: return shape->extent;
    case ICF_SHAPE_NONE:
    case ICF_SHAPE_HALF_SPACE:
    case ICF_SHAPE_COUNT: break;
    }
    return (icf_vec3){0};
}
