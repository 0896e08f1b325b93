/* What a driver of another physics engine provides, and what it gets.
 *
 *   list of bodies (../body_list.h) -> peer_scene -> driver's world -> steps, each timed -> line (../measure.h)
 *
 * peer.c holds main: it reads the list, steps the world and prints the line.  A driver (bullet.cpp, ode.c,
 * mujoco.c) implements the functions below.  One thread.
 */
#ifndef ICF_BENCHMARK_PEER_H
#define ICF_BENCHMARK_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_shape { PEER_GROUND, PEER_WALL, PEER_SPHERE, PEER_BOX } peer_shape;

typedef struct peer_body {
    peer_shape shape;
    double mass;        /* kg; 0 for ground and walls */
    double radius;      /* sphere [m] */
    double half[3];     /* wall and box: half edge lengths [m] */
    double position[3]; /* centre [m]; of the ground: its height in position[2] */
} peer_body;

typedef struct peer_scene {
    double dt; /* s; gravity is 9.81 m/s^2 along -z */
    int nstep;
    double friction; /* coefficient of every contact */
    int nmoving;     /* spheres and boxes */
    int n;           /* bodies, ground and walls included */
    peer_body *body; /* (n) */
} peer_scene;

typedef struct peer_world peer_world;

/* Builds a world.
 *   setting [in] what the driver lets one choose; see its file
 * NULL when the setting is unknown or the engine refuses; the driver has printed why. */
peer_world *peer_create(const peer_scene *scene, const char *setting);

/* One step; the only thing that is timed. */
void peer_step(peer_world *world);

/* Contacts of the last step.
 *   contacts    [out] points the engine solved for
 *   iterations  [out] of its solver
 *   penetration [out] largest depth it saw [m] */
void peer_measure(peer_world *world, double *contacts, double *iterations, double *penetration);

/* Name of the engine, and its version with the precision. */
extern const char peer_engine[];
const char *peer_version(void);

#ifdef __cplusplus
}
#endif

#endif
