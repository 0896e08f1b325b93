/* Deformable bodies of a scene: rest mesh, elasticity, supports, loads; what stays constant during a run.
 *
 * Every rank holds the descriptions of all deformables; their state, positions and velocities of vertices, is with the
 * other bodies' (bodies.h) on one rank.  A deformable's global id follows those of all bodies and populations.
 */
#ifndef ICF_SCENE_DEFORMABLE_H
#define ICF_SCENE_DEFORMABLE_H

#include "base/bytes.h"
#include "scene/bodies.h"
#include "scene/deformable_material.h"
#include "scene/tet_surface.h"

typedef enum icf_support_type {
    ICF_SUPPORT_FIXED,   /* stays where it is at t = 0 */
    ICF_SUPPORT_LINEAR,  /* constant velocity */
    ICF_SUPPORT_HARMONIC /* position + direction amplitude sin(2 pi frequency t + phase) */
} icf_support_type;

/* What holds or moves vertices. */
typedef struct icf_support_motion {
    icf_support_type type;
    icf_vec3 velocity;     /* linear [m/s] */
    icf_harmonic harmonic; /* harmonic */
} icf_support_motion;

/* A vertex held to a point of a rigid body (physics: attachment). */
typedef struct icf_attachment {
    icf_lid vertex;
    icf_gid body;
    icf_vec3 arm; /* the vertex at t = 0 in the body's frame [m] */
} icf_attachment;

/* Pressure on a triangle of the surface. */
typedef struct icf_pressure {
    icf_lid triangle[3]; /* vertices, outward */
    double value;        /* Pa */
} icf_pressure;

typedef struct icf_deformable {
    char *name; /* owned */
    icf_gid gid;
    icf_tet_mesh mesh; /* vertices at rest, before placement */
    icf_tet_surface surface;
    icf_sample_points samples;       /* against shapes other than half-spaces */
    icf_sample_points plane_samples; /* against half-spaces: the surface vertices */
    icf_deformable_material elastic;
    int32_t material;    /* contact material; -1: touches nothing */
    int32_t subdivision; /* of surface triangles for contact */
    bool self_contact;
    double mass;       /* kg */
    double file_scale; /* of the lengths of its mesh's file; 0: no file.  Known to the reader alone */
    double thin;       /* quarter of the shortest edge of the surface at rest: deeper behind a sheet than that is on its
                          other side [m] */
    icf_vec3 *position; /* (mesh.nvertex) at t = 0 [m] */
    icf_vec3 *velocity; /* (mesh.nvertex) at t = 0 [m/s] */
    int32_t *support;   /* (mesh.nvertex) index into motion; -1: free */
    int32_t nmotion;
    icf_support_motion *motion; /* (nmotion) */
    icf_lid nattachment;
    icf_attachment *attachment; /* (nattachment) by (body, vertex) */
    icf_lid npressure;
    icf_pressure *pressure; /* (npressure) */
    icf_vec3 *force;        /* (mesh.nvertex) constant forces [N] */
    size_t motion_capacity, attachment_capacity, pressure_capacity;
} icf_deformable;

/* Starts with the defaults of the scene file and an empty mesh. */
void icf_deformable_init(icf_deformable *deformable);
void icf_deformable_clear(icf_deformable *deformable);

/* Makes room for the arrays of a value a vertex, zero, all vertices free; the mesh must be there. */
ICF_MUST_CHECK icf_status icf_deformable_reserve(icf_deformable *deformable);

/* What follows from mesh, subdivision and density: surface, sample points, mass; velocities of supported vertices at
 * t = 0. */
ICF_MUST_CHECK icf_status icf_deformable_finish(icf_deformable *deformable);

/* Its definition as a body at t = 0; points into the deformable.
 *   index [in] of the deformable in the scene */
icf_body_def icf_deformable_body(const icf_deformable *deformable, int32_t index);

/* Position [m] and velocity [m/s] at time t of a supported vertex. */
icf_vec3 icf_deformable_support_position(const icf_deformable *deformable, icf_lid vertex, double t);
icf_vec3 icf_deformable_support_velocity(const icf_deformable *deformable, icf_lid vertex, double t);

static inline bool icf_deformable_is_free(const icf_deformable *deformable, icf_lid vertex)
{
    return deformable->support[vertex] < 0;
}

/* Whether a vertex is attached to a body. */
bool icf_deformable_is_attached(const icf_deformable *deformable, icf_gid body);

/* Writes and reads a deformable as bytes, for other ranks; what follows from the mesh is built by the reader.
 * ICF_ERROR_MEMORY; ICF_ERROR_INTERNAL: the bytes end too early. */
ICF_MUST_CHECK icf_status icf_deformable_write(icf_bytes *bytes, const icf_deformable *deformable);
ICF_MUST_CHECK icf_status icf_deformable_read(icf_bytes *bytes, icf_deformable *deformable);

#endif
