/* The scene: what the user described and what stays constant during a run.
 *
 * Settings and materials are small and held by every rank.  Bodies are not in here: the reader hands
 * them over in chunks of icf_body_def (bodies.h keeps those of a rank).  Populations are in here as rules, not as
 * bodies.
 */
#ifndef ICF_SCENE_SCENE_H
#define ICF_SCENE_SCENE_H

#include "base/context.h"
#include "scene/deformable.h"
#include "scene/material.h"
#include "scene/motion.h"
#include "scene/population.h"
#include "scene/rigid_surface.h"
#include "scene/shape.h"
#include "scene/solid.h"

typedef enum icf_model { ICF_MODEL_SAP, ICF_MODEL_LAGGED, ICF_MODEL_SIMILAR } icf_model;
typedef enum icf_linear { ICF_LINEAR_AUTO, ICF_LINEAR_BLOCK, ICF_LINEAR_MUMPS, ICF_LINEAR_PCG } icf_linear;

/* Schemes of the theta method (SAP II-C): springs act at q0 + dt theta (theta_vq v + (1 - theta_vq) v0) and
 * theta v + (1 - theta) v0, poses advance with theta_vq v + (1 - theta_vq) v0. */
typedef enum icf_integrator {
    ICF_SYMPLECTIC_EULER, /* (0, 1), implicit springs as with (1, 1) */
    ICF_MIDPOINT,         /* (1/2, 1/2) */
    ICF_IMPLICIT_EULER    /* (1, 1) */
} icf_integrator;

/* As scenes name them, NULL behind the last. */
extern const char *const icf_integrator_names[];

typedef struct icf_time_settings {
    double step;   /* dt [s] */
    icf_cnt steps; /* steps from the scene's start */
    icf_integrator integrator;
} icf_time_settings;

typedef struct icf_contact_settings {
    icf_model model;
    bool regularized;          /* eps_s = max(v_s, sigma w mu gamma_n0) (ICF 26); no effect on SAP */
    double stiction_tolerance; /* v_s [m/s] */
    double sigma;              /* dimensionless regularisation of friction (SAP) */
    double near_rigid;         /* beta, SAP only; 0: no clamp */
    bool auto_distance;        /* candidate distance from this step's motion */
    double distance;           /* candidate distance [m] when not automatic */
} icf_contact_settings;

typedef struct icf_solver_settings {
    double relative_tolerance; /* eps_r of SAP (26) */
    double absolute_tolerance; /* eps_a of SAP (26) */
    int max_iterations;
    icf_linear linear;
    bool parts;         /* solve parts that hold an island up by themselves (solver/local_parts.h) ... */
    icf_cnt parts_from; /* ... in islands of so many blocks or more */
    bool condition;     /* estimate the condition number of each island's Hessian */
} icf_solver_settings;

enum { ICF_REBALANCE_AUTO = -1, ICF_REBALANCE_NEVER = 0, ICF_GATHER_AUTO = -1, ICF_SPLIT_AUTO = -1 };

typedef struct icf_parallel_settings {
    icf_cnt gather_below; /* dofs: islands over several ranks below it are solved by one; ICF_GATHER_AUTO */
    icf_cnt split_above;  /* dofs: all ranks share the work of deformable bodies from it on; ICF_SPLIT_AUTO */
    icf_cnt rebalance;    /* steps between repartitions; ICF_REBALANCE_AUTO: when the load asks for it, or never */
    bool lend;            /* ranks with more to solve than others lend islands for a step */
} icf_parallel_settings;

typedef struct icf_output_settings {
    char *directory;          /* owned */
    icf_cnt every;            /* steps between frames; 0 when rate is used */
    double rate;              /* frames per simulated second; 0 when every is used */
    icf_cnt checkpoint_every; /* steps; 0: only at the end and on a signal */
    icf_cnt surfaces;         /* largest number of bodies written with their surfaces */
    bool ranks;               /* what each rank did is written, too */
} icf_output_settings;

/* Combined values of a pair of materials that the scene gives directly. */
typedef struct icf_material_pair {
    int32_t a, b;        /* materials, a <= b */
    icf_material values; /* values.given says which */
} icf_material_pair;

/* A force on a body's centre of mass: direction (value + rate t_n). */
typedef struct icf_force {
    icf_gid body;
    icf_vec3 direction; /* unit, world */
    double value;       /* N */
    double rate;        /* N/s */
} icf_force;

/* A spring between a body's centre of mass and the world along a world axis. */
typedef struct icf_spring {
    icf_gid body;
    icf_vec3 axis;    /* unit, world */
    double stiffness; /* N/m */
    double damping;   /* N s/m */
    double rest;      /* axis.position at which the spring is slack [m] */
    bool implicit;    /* dt^2 K + dt D enters A; else evaluated at t_n */
} icf_spring;

struct icf_scene {
    char *name;       /* owned, never NULL */
    icf_vec3 gravity; /* m/s^2 */
    icf_time_settings time;
    icf_contact_settings contact;
    icf_solver_settings solver;
    icf_parallel_settings parallel;
    icf_output_settings output;

    int32_t nmaterial;
    icf_material *material; /* (nmaterial) owned */
    char **material_name;   /* (nmaterial) owned */
    int32_t npair;
    icf_material_pair *pair; /* (npair) pairs given by the scene, owned */
    icf_material *combined;  /* (nmaterial x nmaterial) combined values, from icf_scene_combine; owned */
    icf_material *surface; /* (nmaterial x nmaterial) the same for pairs with a deformable, stiffness per area; owned */
    double *witness_weight; /* (nmaterial x nmaterial) [first, second] weight of the second's witness; owned */
    size_t material_capacity, material_name_capacity, pair_capacity, combined_capacity, surface_capacity,
        witness_weight_capacity;

    icf_cnt nbody;      /* rigid bodies of the whole scene, fixed and generated ones included */
    icf_cnt ngenerated; /* those of the populations */
    int32_t npopulation;
    icf_population *population; /* (npopulation) owned */
    int32_t ntemplate;
    icf_template *population_template; /* (ntemplate) templates of all populations, owned */
    size_t population_capacity, template_capacity;

    int32_t nsolid;
    icf_solid *solid; /* (nsolid) what shapes of bodies and parts refer to, each once, owned */
    size_t solid_capacity;

    int32_t ndeformable;
    icf_deformable *deformable; /* (ndeformable) global ids from nbody on, owned */
    size_t deformable_capacity;

    int32_t nrigid_surface;
    icf_rigid_surface *rigid_surface; /* (nrigid_surface) that shapes refer to, owned */
    size_t rigid_surface_capacity;

    icf_lid nforce;
    icf_force *force; /* (nforce) forces on this rank's bodies, owned */
    icf_lid nspring;
    icf_spring *spring; /* (nspring) springs on this rank's bodies, owned */
    size_t force_capacity, spring_capacity;
};

/* Bodies that the scene lists one by one; those of the populations follow them. */
static inline icf_cnt icf_scene_nlisted(const icf_scene *scene)
{
    return scene->nbody - scene->ngenerated;
}

/* The solid of a shape; NULL when it has none. */
static inline const icf_solid *icf_scene_solid(const icf_scene *scene, const icf_shape *shape)
{
    return icf_shape_has_solid(shape) ? &scene->solid[shape->index] : NULL;
}

/* Starts with the defaults of the scene file, no materials, no bodies. */
ICF_MUST_CHECK icf_status icf_scene_init(icf_scene *scene);

/* Releases what the scene owns; accepts a cleared scene. */
void icf_scene_clear(icf_scene *scene);

/* Builds the tables of combined values from materials and pairs.  Pairs that no rule covers are left
 * with stiffness NaN: an error only when two bodies of these materials can touch (the caller reports
 * icf_material_combine's reason then).  Local. */
ICF_MUST_CHECK icf_status icf_scene_combine(icf_scene *scene);

/* Appends a material (copied with its name); gives its index in *index (may be NULL). */
ICF_MUST_CHECK icf_status icf_scene_add_material(icf_scene *scene, const char *name, const icf_material *material,
                                                 int32_t *index);

/* Appends combined values that the scene gives for materials a and b, in any order.  Local. */
ICF_MUST_CHECK icf_status icf_scene_add_pair(icf_scene *scene, int32_t a, int32_t b, const icf_material *values);

/* The values given for materials a and b, in any order; NULL when the scene gives none. */
const icf_material *icf_scene_find_pair(const icf_scene *scene, int32_t a, int32_t b);

/* Appends a population with its templates (copied) and counts its bodies in.  Local.
 *   population [in] first, first_template, ntemplate and weight are set here
 *   ntemplate  [in] > 0 */
ICF_MUST_CHECK icf_status icf_scene_add_population(icf_scene *scene, const icf_population *population,
                                                   int32_t ntemplate, const icf_template *templates);

/* Appends an empty deformable with its defaults; *deformable points to it until the next one.  Local. */
ICF_MUST_CHECK icf_status icf_scene_add_deformable(icf_scene *scene, icf_deformable **deformable);

/* Appends a solid, which the scene owns from then on; gives its index in *index.  On failure it is released.  Local. */
ICF_MUST_CHECK icf_status icf_scene_add_solid(icf_scene *scene, icf_solid *solid, int32_t *index);

/* Appends an empty rigid surface; *surface points to it until the next one.  Local. */
ICF_MUST_CHECK icf_status icf_scene_add_rigid_surface(icf_scene *scene, icf_rigid_surface **surface);

/* Bytes of memory that rigid surfaces (with their trees, if they have them), hulls and compounds take.  Local. */
size_t icf_scene_shared_bytes(const icf_scene *scene);

/* Append a copy of a force or a spring.  Local. */
ICF_MUST_CHECK icf_status icf_scene_add_force(icf_scene *scene, const icf_force *force);
ICF_MUST_CHECK icf_status icf_scene_add_spring(icf_scene *scene, const icf_spring *spring);

/* Replaces an owned text (the scene's name, output.directory) by a copy of value.  Local. */
ICF_MUST_CHECK icf_status icf_scene_set_text(char **text, const char *value);

/* Whether step n is written as a frame, trace line and so on: every `every` steps or `rate` frames a
 * second, step 0 and the last one always. */
bool icf_scene_is_frame(const icf_scene *scene, icf_cnt step);

#endif
