/* Bodies of one rank: its own, the ghosts it needs, and the fixed ones, as structure of arrays.
 *
 * Local indices 0..nowned-1 are the bodies this rank moves, nowned..n-1 are ghosts: bodies that another
 * rank moves, and (on ranks other than 0) replicated fixed and prescribed bodies.  Within each part the
 * global ids ascend.  No code may assume that global ids are contiguous or that all of the scene is here.
 *
 * A rigid body is a pose and a twist about its centre of mass.  A locked degree of freedom never has velocity.
 * A deformable body has vertices instead; its pose is the middle of the box round them, its velocity their mean, so
 * that what looks for bodies near each other need not know the difference.
 */
#ifndef ICF_SCENE_BODIES_H
#define ICF_SCENE_BODIES_H

#include "base/context.h"
#include "scene/motion.h"
#include "scene/shape.h"

/* Degrees of freedom of a body, world axes: bits of `locked`. */
enum {
    ICF_DOF_VX = 1 << 0,
    ICF_DOF_VY = 1 << 1,
    ICF_DOF_VZ = 1 << 2,
    ICF_DOF_WX = 1 << 3,
    ICF_DOF_WY = 1 << 4,
    ICF_DOF_WZ = 1 << 5,
    ICF_DOF_ALL = 63
};

enum { ICF_BODY_NAME_BYTES = 32 }; /* room that a made-up name needs */

/* One body as a scene describes it. */
typedef struct icf_body_def {
    icf_gid gid;
    icf_shape shape;
    int32_t material; /* index into the scene's materials; -1: none (shape none) */
    unsigned locked;  /* bits of the locked degrees of freedom */
    icf_motion motion;
    icf_surface_velocity surface;
    double mass;       /* kg; 0 for bodies that are not dynamic */
    icf_vec3 inertia;  /* principal, body frame [kg m^2] */
    icf_vec3 position; /* centre of mass [m]; of a harmonic motion: its centre */
    icf_quat orientation;
    icf_vec3 linear_velocity;                          /* world [m/s] */
    icf_vec3 angular_velocity;                         /* world [rad/s] */
    icf_lid nvertex;                                   /* of a deformable body; 0: rigid */
    const icf_vec3 *vertex_position, *vertex_velocity; /* (nvertex) world [m], [m/s], borrowed */
    double cost;                                       /* of a step, by counts of its last ones; 0: not known [s] */
    const char *name;                                  /* borrowed; NULL: the name is "body<gid>" */
} icf_body_def;

/* Receives bodies by ascending global id; names are valid during the call only. */
typedef icf_status (*icf_body_sink)(void *user, icf_cnt n, const icf_body_def *bodies);

/* A body definition with the defaults of the scene file. */
icf_body_def icf_body_def_default(void);

typedef struct icf_bodies {
    icf_lid n;      /* local bodies, ghosts included */
    icf_lid nowned; /* those this rank moves */
    size_t capacity;

    /* constant (n) */
    icf_gid *gid;
    icf_shape *shape;
    int32_t *material;
    uint8_t *locked; /* bits of locked degrees of freedom; all of them when not dynamic */
    icf_motion *motion;
    icf_surface_velocity *surface;
    double *mass;      /* kg */
    icf_vec3 *inertia; /* principal, body frame [kg m^2] */
    double *radius;    /* largest distance of the surface from the centre of mass [m] */
    icf_vec3 *origin;  /* position at t = 0 (centre of a harmonic motion) [m] */
    int64_t *name;     /* offset of the name in name_pool; -1: "body<gid>" */
    icf_lid *nvertex;  /* vertices of a deformable body; 0: rigid */
    int64_t *vertex;   /* its first one in vertex_position and vertex_velocity */
    char *name_pool;   /* zero-terminated names, one after the other */
    size_t name_bytes, name_capacity;

    icf_lid nprescribed; /* bodies with a harmonic or steady motion */
    icf_lid *prescribed; /* (nprescribed) their local indices */
    size_t prescribed_capacity;

    /* state (n) */
    icf_vec3 *position;         /* centre of mass [m] */
    icf_quat *orientation;      /* body to world */
    icf_vec3 *linear_velocity;  /* world [m/s] */
    icf_vec3 *angular_velocity; /* world [rad/s] */
    double *cost;               /* of a step, by counts of its last ones; 0: not known (step/body_cost.h) [s] */

    /* state of the deformable bodies (nvertices), body after body */
    icf_vec3 *vertex_position; /* world [m] */
    icf_vec3 *vertex_velocity; /* world [m/s] */
    size_t nvertices, vertex_capacity;
} icf_bodies;

/* Starts empty. */
void icf_bodies_init(icf_bodies *bodies);

/* Releases everything; the container is empty afterwards. */
void icf_bodies_clear(icf_bodies *bodies);

/* Appends a body.  All owned bodies come before all ghosts, each part by ascending global id
 * (ICF_ERROR_INTERNAL otherwise).  Prescribed bodies get their pose and velocity at t = 0; velocities of
 * locked degrees of freedom are dropped.  Amortised O(1).  Local. */
ICF_MUST_CHECK icf_status icf_bodies_add(icf_bodies *bodies, const icf_body_def *def, bool owned);

/* Keeps the first n bodies only.  Local. */
void icf_bodies_truncate(icf_bodies *bodies, icf_lid n);

/* Puts a body that the solver moves in the place of body i, or behind the last one (i == n), in any order: the
 * container is to be used by icf_bodies_put and icf_bodies_arrange only until it has been arranged.
 * ICF_ERROR_MEMORY, ICF_ERROR_INTERNAL (place or body not allowed).  Local. */
ICF_MUST_CHECK icf_status icf_bodies_put(icf_bodies *bodies, icf_lid i, const icf_body_def *def);

/* Puts the bodies in a new order, with all their state, and keeps the first of them.
 *   n      [in] how many are kept
 *   order  [in] (bodies->n) a permutation of all present local indices: the owned bodies by ascending global id, then
 *               the ghosts, then those that are not kept
 *   nowned [in] how many of those that are kept are owned
 * ICF_ERROR_MEMORY: the bodies are as they were.  Local; memory of one byte a body, and for the names. */
ICF_MUST_CHECK icf_status icf_bodies_arrange(icf_bodies *bodies, icf_lid n, const icf_lid *order, icf_lid nowned);

/* Whether the solver moves the body (not fixed, not prescribed, not all degrees of freedom locked). */
static inline bool icf_bodies_moves(const icf_bodies *bodies, icf_lid i)
{
    return bodies->locked[i] != ICF_DOF_ALL;
}

/* Whether a body is deformable: its state is that of its vertices. */
static inline bool icf_bodies_is_deformable(const icf_bodies *bodies, icf_lid i)
{
    return bodies->nvertex[i] > 0;
}

/* Degrees of freedom of a body in the solver's vectors, locked ones included. */
static inline icf_lid icf_bodies_dofs(const icf_bodies *bodies, icf_lid i)
{
    return bodies->nvertex[i] > 0 ? 3 * bodies->nvertex[i] : 6;
}

/* Blocks of degrees of freedom of a body: itself, or its vertices. */
static inline icf_lid icf_bodies_blocks(const icf_bodies *bodies, icf_lid i)
{
    return ICF_MAX(1, bodies->nvertex[i]);
}

/* Vertices of the owned bodies: the first ones, since vertices lie in the order of the bodies. */
static inline size_t icf_bodies_owned_vertices(const icf_bodies *bodies)
{
    return bodies->nowned < bodies->n ? (size_t)bodies->vertex[bodies->nowned] : bodies->nvertices;
}

/* Pose, velocity and size of a deformable body from its vertices: middle and half edges of the box round them, mean
 * velocity.  To be called when vertices have moved. */
void icf_bodies_enclose(icf_bodies *bodies, icf_lid i);

/* Name of a body; a made-up one is written to buffer (at least ICF_BODY_NAME_BYTES). */
const char *icf_bodies_name(const icf_bodies *bodies, icf_lid i, char *buffer);

/* Local index of a global id, -1 when it is not here.  Binary search in each part. */
icf_lid icf_bodies_find(const icf_bodies *bodies, icf_gid gid);

/* The body's definition as it is now (for writing scenes); name points into the container or buffer.
 * A harmonic motion keeps its centre and the phase of t = 0. */
icf_body_def icf_bodies_def(const icf_bodies *bodies, icf_lid i, char *buffer);

/* Poses of prescribed bodies at time t, exactly as their motion says. */
void icf_bodies_prescribe_poses(icf_bodies *bodies, double t);

/* Velocities of prescribed bodies at time t. */
void icf_bodies_prescribe_velocities(icf_bodies *bodies, double t);

/* Order-free sum of hashes of (id, state bits), -0 as 0, over the owned bodies; the sum over all ranks
 * is independent of ranks and threads. */
uint64_t icf_bodies_checksum(const icf_bodies *bodies);

#endif
