/* Prescribed motion of bodies and moving surfaces (belts). */
#ifndef ICF_SCENE_MOTION_H
#define ICF_SCENE_MOTION_H

#include "base/vec.h"

typedef enum icf_motion_type {
    ICF_MOTION_DYNAMIC,  /* moved by the solver */
    ICF_MOTION_FIXED,    /* never moves */
    ICF_MOTION_HARMONIC, /* position + direction amplitude sin(2 pi frequency t + phase) */
    ICF_MOTION_VELOCITY  /* constant linear and angular velocity */
} icf_motion_type;

/* A harmonic displacement along a direction; a constant velocity when only `velocity` is set. */
typedef struct icf_harmonic {
    icf_vec3 direction; /* unit, world */
    double amplitude;   /* m */
    double frequency;   /* Hz */
    double phase;       /* rad */
} icf_harmonic;

/* A body that turns about a point, which moves along a line. */
typedef struct icf_steady {
    icf_vec3 linear;  /* velocity of the point [m/s] */
    icf_vec3 angular; /* world [rad/s] */
    icf_vec3 center;  /* the point at t = 0 [m] */
    icf_quat start;   /* orientation of the body at t = 0 (set by bodies.h) */
} icf_steady;

typedef struct icf_motion {
    icf_motion_type type;
    union {
        icf_harmonic harmonic; /* harmonic only */
        icf_steady steady;     /* velocity only */
    };
} icf_motion;

/* Whether the pose is given for all times. */
static inline bool icf_motion_is_prescribed(const icf_motion *motion)
{
    return motion->type == ICF_MOTION_HARMONIC || motion->type == ICF_MOTION_VELOCITY;
}

/* Velocity of a surface relative to its body, the same at every point (a belt). */
typedef struct icf_surface_velocity {
    bool moving;
    icf_vec3 constant;     /* m/s, world */
    icf_harmonic harmonic; /* adds the time derivative of its displacement; amplitude 0 when constant */
} icf_surface_velocity;

/* Displacement [m] and velocity [m/s] of a harmonic at time t [s]. */
icf_vec3 icf_harmonic_displacement(const icf_harmonic *harmonic, double t);
icf_vec3 icf_harmonic_velocity(const icf_harmonic *harmonic, double t);

/* Position [m], orientation and velocity [m/s] at time t [s] of a body that moves steadily.
 *   origin [in] its position at t = 0 [m] */
icf_vec3 icf_steady_position(const icf_steady *steady, icf_vec3 origin, double t);
icf_quat icf_steady_orientation(const icf_steady *steady, double t);
icf_vec3 icf_steady_velocity(const icf_steady *steady, icf_vec3 origin, double t);

/* Velocity of a moving surface at time t, world [m/s]; zero when it does not move. */
icf_vec3 icf_surface_velocity_at(const icf_surface_velocity *surface, double t);

#endif
