/* Shapes of bodies: what a body's surface is in its own frame, origin at the centre of mass.
 *
 * A shape is plain data, so that bodies carry it by value; shapes that need more than a few numbers
 * (deformables) refer to a table by index.
 */
#ifndef ICF_SCENE_SHAPE_H
#define ICF_SCENE_SHAPE_H

#include "base/vec.h"

/* type, name in the scene file; the order decides which routine of a pair family is called */
#define ICF_SHAPE_LIST(X)           \
    X(NONE, "none")                 \
    X(HALF_SPACE, "half_space")     \
    X(SPHERE, "sphere")             \
    X(CAPSULE, "capsule")           \
    X(BOX, "box")                   \
    X(MESH, "mesh")                 \
    X(HEIGHT_FIELD, "height_field") \
    X(DEFORMABLE, "deformable")

typedef enum icf_shape_type {
#define X(name, text) ICF_SHAPE_##name,
    ICF_SHAPE_LIST(X)
#undef X
        ICF_SHAPE_COUNT
} icf_shape_type;

struct icf_rigid_surface;

typedef struct icf_shape {
    icf_shape_type type;
    double radius;       /* sphere, capsule [m] */
    double half;         /* capsule: half the length of the cylindrical part, along body z [m] */
    icf_vec3 extent;     /* box: half edge lengths [m] */
    icf_vec3 normal;     /* half-space: unit outward normal, world (half-spaces have no pose) */
    double offset;       /* half-space: points x with normal.x < offset are inside [m] */
    bool touches_itself; /* deformable: its surface makes contact with itself */
    int32_t index; /* deformable: index into the scene's deformables; extent is then half its box in the world [m] */
    const struct icf_rigid_surface *surface; /* mesh, height field: this rank's, borrowed from the scene, index is its
                                                place there; extent: half edges of a box about the origin that holds it,
                                                radius: largest distance from the origin [m] */
} icf_shape;

/* Whether a shape is a surface of triangles (scene/rigid_surface.h). */
static inline bool icf_shape_is_surface(const icf_shape *shape)
{
    return shape->type == ICF_SHAPE_MESH || shape->type == ICF_SHAPE_HEIGHT_FIELD;
}

/* Name of a shape type as the scene file writes it. */
const char *icf_shape_name(icf_shape_type type);

/* Largest distance of the surface from the centre of mass [m]; 0 for none, infinite for a half-space. */
double icf_shape_radius(const icf_shape *shape);

/* Volume [m^3]; 0 for none, deformables and surfaces, infinite for a half-space. */
double icf_shape_volume(const icf_shape *shape);

/* Principal inertia of the uniform solid of a mass [kg m^2], body frame; zero for none, half-space,
 * deformables and surfaces. */
icf_vec3 icf_shape_inertia(const icf_shape *shape, double mass);

/* The same shape with all lengths times a factor; only shapes that a population may hold. */
icf_shape icf_shape_scaled(const icf_shape *shape, double factor);

/* Half edge lengths of the tight axis-aligned box about the centre of mass in the world [m]; of a surface: not
 * tight.
 * Not for half-spaces. */
icf_vec3 icf_shape_extent(const icf_shape *shape, const icf_mat3 *rotation);

#endif
