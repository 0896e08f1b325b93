/* Shapes of bodies: what a body's surface is in its own frame, origin at the centre of mass.
 *
 * A shape is plain data, so that bodies carry it by value; shapes that need more than a few numbers
 * (deformables, solids) refer to a table by index.
 */
#ifndef ICF_SCENE_SHAPE_H
#define ICF_SCENE_SHAPE_H

#include "base/vec.h"

/* type, name in the scene file; the order decides which routine of a pair family is called, and the numbers stand in
 * result files */
#define ICF_SHAPE_LIST(X)       \
    X(NONE, "none")             \
    X(HALF_SPACE, "half_space") \
    X(SPHERE, "sphere")         \
    X(CAPSULE, "capsule")       \
    X(BOX, "box")               \
    X(DEFORMABLE, "deformable") \
    X(CYLINDER, "cylinder")     \
    X(ELLIPSOID, "ellipsoid")   \
    X(CONVEX, "convex")         \
    X(COMPOUND, "compound")     \
    X(MESH, "mesh")             \
    X(HEIGHT_FIELD, "height_field")

typedef enum icf_shape_type {
#define X(name, text) ICF_SHAPE_##name,
    ICF_SHAPE_LIST(X)
#undef X
        ICF_SHAPE_COUNT
} icf_shape_type;

struct icf_rigid_surface;

typedef struct icf_shape {
    icf_shape_type type;
    double radius;       /* sphere, capsule, cylinder; convex, compound: largest distance from the origin [m] */
    double half;         /* capsule, cylinder: half the length of the cylindrical part, along body z [m] */
    icf_vec3 extent;     /* box: half edge lengths; ellipsoid: radii; convex, compound: half edges of a box about the
                            origin that holds it [m] */
    icf_vec3 normal;     /* half-space: unit outward normal, world (half-spaces have no pose) */
    double offset;       /* half-space: points x with normal.x < offset are inside [m] */
    bool touches_itself; /* deformable: its surface makes contact with itself */
    int32_t index; /* convex, compound: index into the scene's solids (solid.h); mesh, height field: into its rigid
                      surfaces; deformable: into its deformables, and extent is then half its box in the world [m] */
    const struct icf_rigid_surface *surface; /* mesh, height field: this rank's, borrowed from the scene; extent: half
                                                edges of a box about the origin that holds it, radius: largest distance
                                                from the origin [m] */
} icf_shape;

/* Whether a shape is a surface of triangles (scene/rigid_surface.h). */
static inline bool icf_shape_is_surface(const icf_shape *shape)
{
    return shape->type == ICF_SHAPE_MESH || shape->type == ICF_SHAPE_HEIGHT_FIELD;
}

/* Whether a shape is described by a solid (scene/solid.h), whose index it has. */
static inline bool icf_shape_has_solid(const icf_shape *shape)
{
    return shape->type == ICF_SHAPE_CONVEX || shape->type == ICF_SHAPE_COMPOUND;
}

/* Name of a shape type as the scene file writes it. */
const char *icf_shape_name(icf_shape_type type);

/* Largest distance of the surface from the body's origin, the centre of mass of what moves [m]; 0 for none, infinite
 * for a half-space. */
double icf_shape_radius(const icf_shape *shape);

/* Half the smallest width along the axes of the body's frame [m]; 0 for what is not convex and bounded. */
double icf_shape_half_width(const icf_shape *shape);

/* Volume [m^3]; 0 for none, deformables, surfaces and what has a solid, infinite for a half-space. */
double icf_shape_volume(const icf_shape *shape);

/* Principal inertia of the uniform solid of a mass [kg m^2], body frame; zero for none, half-space, deformables,
 * surfaces and what has a solid. */
icf_vec3 icf_shape_inertia(const icf_shape *shape, double mass);

/* The same shape with all lengths times a factor; only shapes that a population may hold. */
icf_shape icf_shape_scaled(const icf_shape *shape, double factor);

/* Half edge lengths of an axis-aligned box about the centre of mass in the world that holds the shape [m]; tight but
 * for surfaces and what has a solid.  Not for half-spaces. */
icf_vec3 icf_shape_extent(const icf_shape *shape, const icf_mat3 *rotation);

#endif
