/* `icf make`: scenes of any size, written as populations or body by body.
 *
 * A kind of scene (make_*.c) reads its options, then hands a function that writes its bodies and adds its populations
 * to icf_maker_write, which opens the output, writes settings and end, and closes it.  Memory does not depend on the
 * number of bodies.  No MPI.
 *
 * All bodies of a made scene have one material.  What a contact between two of them does is given by an entry of
 * contact.pairs, so that stiffness and relaxation time in the file are those of a contact; as values of the
 * material they would have to be twice and half as large (springs in series).
 */
#ifndef ICF_CLI_MAKE_H
#define ICF_CLI_MAKE_H

#include <stdio.h>

#include "cli/options.h"
#include "io/scene_writer.h"
#include "scene/bodies.h"

/* What every kind of scene lets the user choose. */
typedef struct icf_make_settings {
    const char *output; /* file; NULL: standard output */
    uint64_t seed;
    bool list;              /* write every body instead of populations */
    int model;              /* icf_model */
    double step, duration;  /* s */
    double stiffness;       /* of a contact [N/m] */
    double dissipation;     /* Hunt & Crossley d of a contact [s/m] */
    double relaxation_time; /* of a contact, SAP [s] */
    double friction;        /* coefficient of a contact */
} icf_make_settings;

/* Defaults of most kinds: lagged, dt 0.01 s, 2 s, k 1e7, d 10, tau 1e-4, mu 1. */
icf_make_settings icf_make_settings_default(void);

/* The options of these settings, to stand in a table of options; SEED and the rest are texts of the defaults. */
#define ICF_MAKE_OPTIONS(s, STEP, DURATION, STIFFNESS, DISSIPATION, FRICTION)                                        \
    {"--seed", ICF_OPTION_SEED, "S", "seed of the random numbers (default 12345)", &(s)->seed, NULL, NULL},          \
        {"--output", ICF_OPTION_TEXT, "FILE", "write to FILE instead of standard output", &(s)->output, NULL, NULL}, \
        {"--model", ICF_OPTION_CHOICE,   "M", "contact model: sap, lagged or similar (default lagged)", &(s)->model, \
         NULL,      "sap|lagged|similar"},                                                                           \
        {"--step", ICF_OPTION_POSITIVE, "DT", "time step [s] (default " STEP ")", &(s)->step, NULL, NULL},           \
        {"--duration", ICF_OPTION_POSITIVE, "T", "simulated time [s] (default " DURATION ")", &(s)->duration, NULL,  \
         NULL},                                                                                                      \
        {"--stiffness",                                                                                              \
         ICF_OPTION_POSITIVE,                                                                                        \
         "K",                                                                                                        \
         "stiffness of a contact [N/m] (default " STIFFNESS ")",                                                     \
         &(s)->stiffness,                                                                                            \
         NULL,                                                                                                       \
         NULL},                                                                                                      \
        {"--dissipation",                                                                                            \
         ICF_OPTION_NONNEGATIVE,                                                                                     \
         "D",                                                                                                        \
         "Hunt & Crossley dissipation of a contact [s/m] (default " DISSIPATION ")",                                 \
         &(s)->dissipation,                                                                                          \
         NULL,                                                                                                       \
         NULL},                                                                                                      \
        {"--relaxation-time",                                                                                        \
         ICF_OPTION_NONNEGATIVE,                                                                                     \
         "TAU",                                                                                                      \
         "relaxation time of a contact, model sap [s] (default 1e-4)",                                               \
         &(s)->relaxation_time,                                                                                      \
         NULL,                                                                                                       \
         NULL},                                                                                                      \
    {                                                                                                                \
        "--friction", ICF_OPTION_NONNEGATIVE, "MU", "friction coefficient of a contact (default " FRICTION ")",      \
            &(s)->friction, NULL, NULL                                                                               \
    }

typedef struct icf_maker icf_maker;

/* Writes the bodies of a kind of scene and adds its populations to maker->scene. */
typedef icf_status (*icf_make_bodies)(icf_maker *maker, const void *layout);

/* A scene on its way to a file. */
struct icf_maker {
    icf_context *context;
    FILE *file;
    icf_scene scene; /* settings, the one material, populations */
    icf_make_bodies bodies;
    const void *layout; /* what `bodies` gets */
    bool list;          /* write every body of the populations */
    uint64_t random;    /* state of the random numbers, at first the seed */
};

/* Writes a whole scene.
 *   name    [in] name of the scene
 *   gravity [in] false: no gravity
 *   bodies  [in] writes the bodies and adds the populations; gets layout
 * ICF_ERROR_FILE: the output could not be written (a file then does not appear). */
ICF_MUST_CHECK icf_status icf_maker_write(icf_context *context, const icf_make_settings *settings, const char *name,
                                          bool gravity, icf_make_bodies bodies, const void *layout);

/* Next random number, uniform in [0, 1) (icf_lcg_next). */
double icf_maker_random(icf_maker *maker);

/* A dynamic body of a shape, mass and position with the scene's material and the inertia of a uniform solid. */
icf_body_def icf_maker_solid(icf_shape shape, double mass, icf_vec3 position);

icf_shape icf_maker_sphere(double radius);
icf_shape icf_maker_box(icf_vec3 half);
icf_shape icf_maker_capsule(double radius, double half);
icf_shape icf_maker_cylinder(double radius, double half);
icf_shape icf_maker_ellipsoid(icf_vec3 radii);

/* Writes a body. */
ICF_MUST_CHECK icf_status icf_maker_body(icf_maker *maker, const icf_body_def *def);

/* Writes a fixed body. */
ICF_MUST_CHECK icf_status icf_maker_fixed(icf_maker *maker, const char *name, icf_shape shape, icf_vec3 position);

/* Writes the fixed half-space z < 0. */
ICF_MUST_CHECK icf_status icf_maker_ground(icf_maker *maker);

/* Writes four fixed boxes, 0.2 m thick, round a floor of inner half widths hx, hy. [m] */
ICF_MUST_CHECK icf_status icf_maker_walls(icf_maker *maker, double hx, double hy, double height);

/* Writes a file that the scene refers to: beside the scene's, with its name but for the ending, "-" and `what`; in the
 * current folder with the name of the scene where that goes to standard output.
 *   contents [in]  writes it; gets user
 *   path     [out] of icf_alloc; NULL after a failure
 * ICF_ERROR_FILE (a file then does not appear), ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_maker_write_beside(icf_context *context, const icf_make_settings *settings,
                                                 const char *name, const char *what, icf_write_contents contents,
                                                 void *user, char **path);

/* The last part of a path: what a scene beside the file calls it. */
const char *icf_maker_file_name(const char *path);

enum { ICF_MAKE_MIXED = 5 };

/* Templates of mixed bodies: spheres, capsules, boxes, cylinders and ellipsoids of 5 to 10 cm and 1000 kg/m^3, scaled
 * by 0.75 to 1.25. */
void icf_maker_mixed(icf_template templates[ICF_MAKE_MIXED]);

/* Mean volume of such a body [m^3]. */
double icf_maker_mixed_volume(const icf_template templates[ICF_MAKE_MIXED]);

/* A random packing of n bodies, turned at random. */
icf_population icf_maker_packing(icf_cnt n, const icf_region *region, uint64_t seed);

icf_status icf_make_drum(icf_context *context, int argc, char **argv);
icf_status icf_make_hopper(icf_context *context, int argc, char **argv);
icf_status icf_make_household(icf_context *context, int argc, char **argv);
icf_status icf_make_terrain(icf_context *context, int argc, char **argv);
icf_status icf_make_clutter(icf_context *context, int argc, char **argv);
icf_status icf_make_pile(icf_context *context, int argc, char **argv);
icf_status icf_make_wall(icf_context *context, int argc, char **argv);
icf_status icf_make_cradle(icf_context *context, int argc, char **argv);

#endif
