/* A small simulation for tests of physical laws: one material, bodies added by hand, steps that must succeed.
 *
 * Everything asserts through cmocka, so that a test reads as the experiment that it is.  One rank.
 */
#ifndef ICF_TESTS_WORLD_H
#define ICF_TESTS_WORLD_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "step/simulation.h"
#include "unit/check.h"

/* What a contact between two bodies of the world does (combined values of the pair). */
typedef struct contact_values {
    double stiffness;       /* k [N/m] */
    double dissipation;     /* Hunt & Crossley d [s/m] */
    double relaxation_time; /* tau of SAP [s] */
    double friction;        /* mu */
} contact_values;

typedef struct world {
    icf_context context;
    icf_scene scene;
    icf_bodies bodies;
    icf_simulation *simulation;
    icf_step_stats stats; /* of the last step */
} world;

enum { nmodel = 3 };
extern const icf_model all_models[nmodel];
const char *model_name(icf_model model);

extern const double gravity; /* 9.81 m/s^2, along -z in a new world */

/* An empty world with the default solver settings and one thread.
 *   dt [in] step [s] */
void world_init(world *w, icf_model model, double dt, contact_values values);
void world_clear(world *w);

/* Appends a body, whose global id becomes its place; returns its local index. */
icf_lid world_add(world *w, icf_body_def def);

/* Bodies of material 0; dynamic ones have the inertia of the uniform solid. */
icf_body_def sphere_def(double mass, double radius, icf_vec3 position);
icf_body_def box_def(double mass, icf_vec3 half, icf_vec3 position);
icf_body_def ground_def(icf_vec3 normal);
icf_body_def fixed_box_def(icf_vec3 half, icf_vec3 position);

/* Creates the simulation once all bodies are there. */
void world_start(world *w);

/* One step, which must succeed. */
void world_step(world *w);

/* The number of steps nearest to a duration [s]. */
void world_run(world *w, double duration);

/* Contacts of the last step. */
const icf_contacts *world_contacts(const world *w);

/* Kinetic plus potential energy [J]. */
double world_energy(const world *w);

#endif
