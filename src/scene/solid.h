/* Solids: shapes that need more than a few numbers, held once however many bodies have them.
 *
 * A body's shape refers to its solid by index.  The frame of a body has its origin at the centre of mass and its axes
 * along the principal axes of inertia; the frame in which the user gives a mesh or parts is another one, and positions
 * in scenes and results are those of the user's frame.  A solid holds both and converts between them.
 *
 *   frame       whose bodies               origin of the body's frame   its axes
 *   PRINCIPAL   dynamic, default inertia   centre of mass               principal
 *   CENTRAL     dynamic, inertia given     centre of mass               the user's
 *   GIVEN       fixed, prescribed, parts   the user's                   the user's
 *
 * Every rank holds all solids; they are constant.
 */
#ifndef ICF_SCENE_SOLID_H
#define ICF_SCENE_SOLID_H

#include "base/bytes.h"
#include "base/context.h"
#include "scene/polytope.h"
#include "scene/shape.h"

typedef enum icf_solid_frame { ICF_SOLID_PRINCIPAL, ICF_SOLID_CENTRAL, ICF_SOLID_GIVEN } icf_solid_frame;

/* A part of a compound, in the frame of the compound's body. */
typedef struct icf_part {
    icf_shape shape;      /* sphere, capsule, box, cylinder, ellipsoid or convex (a solid of frame GIVEN) */
    icf_vec3 position;    /* of the part's frame [m] */
    icf_quat orientation; /* part to body */
    icf_mat3 rotation;    /* the same; set when the compound is built, as what follows */
    icf_vec3 middle;      /* of volume, frame of the compound's body [m] */
    double ball;          /* radius of the largest ball about the middle that is inside [m] */
} icf_part;

/* Node of the tree over the parts of a compound: its box, and two children or one part. */
typedef struct icf_part_node {
    icf_vec3 lo, hi; /* body frame [m] */
    int32_t child;   /* first of two nodes that lie one after the other; -1: a leaf */
    int32_t part;    /* of a leaf */
} icf_part_node;

typedef struct icf_solid {
    icf_shape_type type; /* convex or compound */
    icf_solid_frame frame;
    int32_t given;         /* the solid of frame GIVEN that it came from; -1: itself or none */
    char *mesh;            /* convex: absolute path of the file, owned */
    double scale;          /* convex: of the file's lengths */
    icf_polytope polytope; /* convex: body frame */

    int32_t npart;       /* compound */
    icf_part *part;      /* (npart) in the order of the scene, owned */
    icf_part_node *node; /* (2 npart - 1) root first, owned */
    double smallest;     /* ball of its parts [m] */

    icf_vec3 extent;  /* half edges of a box about the origin that holds it, body frame [m] */
    double radius;    /* largest distance from the origin [m] */
    double volume;    /* m^3; overlaps of parts count twice */
    icf_vec3 inertia; /* about the body's axes, of unit mass and uniform density [m^2] */
    icf_vec3 origin;  /* of the user's frame in the body's [m] */
    icf_quat turn;    /* user's frame to body */
} icf_solid;

void icf_solid_init(icf_solid *solid);
void icf_solid_clear(icf_solid *solid);

/* A convex solid: hull of points.
 *   n, point [in]  in the user's frame [m]
 *   solid    [out] initialised before; mesh and scale are the caller's business
 * ICF_ERROR_SCENE: no hull (the context says why), ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_solid_build_convex(icf_context *context, int32_t n, const icf_vec3 *point,
                                                 icf_solid_frame frame, icf_solid *solid);

/* A compound of parts.
 *   table    [in]  solids that convex parts refer to
 *   n, part  [in]  in the user's frame, n > 0; copied
 *   solid    [out] initialised before
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_solid_build_compound(const icf_solid *table, int32_t n, const icf_part *part,
                                                   icf_solid_frame frame, icf_solid *solid);

/* The same solid in another frame.
 *   table [in]  solids that parts refer to
 *   given [in]  of frame ICF_SOLID_GIVEN
 *   solid [out] initialised before
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_solid_reframe(const icf_solid *table, const icf_solid *given, icf_solid_frame frame,
                                            icf_solid *solid);

/* The shape of a body that has a solid.
 *   index [in] of the solid in the scene's table */
icf_shape icf_solid_shape(const icf_solid *solid, int32_t index);

/* Pose and velocity of a body from those of the user's frame, and back.
 *   position, orientation [in,out]
 *   velocity              [in,out] linear, of the frame's origin [m/s]
 *   spin                  [in]     angular velocity, world [rad/s] */
void icf_solid_to_body(const icf_solid *solid, icf_vec3 *position, icf_quat *orientation, icf_vec3 *velocity,
                       icf_vec3 spin);
void icf_solid_to_user(const icf_solid *solid, icf_vec3 *position, icf_quat *orientation, icf_vec3 *velocity,
                       icf_vec3 spin);

/* Bytes of memory that its arrays take. */
size_t icf_solid_bytes(const icf_solid *solid);

/* As bytes, and back.  ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_solid_write(icf_bytes *bytes, const icf_solid *solid);
ICF_MUST_CHECK icf_status icf_solid_read(icf_bytes *bytes, icf_solid *solid);

#endif
