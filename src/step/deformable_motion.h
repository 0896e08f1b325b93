/* Free motion of deformable bodies (physics: deformable bodies, free motion).
 *
 * v* and A of every deformable body of a domain: one linear solve for the corotational material, Newton with line
 * search for the others.  Supported vertices keep a row in A, unit diagonal and nothing else; their velocity is
 * prescribed.
 */
#ifndef ICF_STEP_DEFORMABLE_MOTION_H
#define ICF_STEP_DEFORMABLE_MOTION_H

#include "base/arena.h"
#include "contact/surface_contact.h"
#include "fem/fem.h"
#include "scene/scene.h"
#include "solver/linear_solver.h"
#include "step/split_mesh.h"
#include "step/stats.h"

/* A deformable body in one step; arrays are the arena's, but for what refers to the state or to the mesh. */
typedef struct icf_deformable_motion {
    icf_surface_state surface; /* what detection needs to know */
    icf_fem *fem;              /* at the state of the step's start; borrowed */
    icf_fem_pattern pattern;   /* of A between vertices */
    icf_vec3 *v_star;          /* (vertices); of supported ones at t_{n+1} */
    icf_vec3 *v0;              /* (vertices) velocities at t_n */
    icf_vec3 *start;           /* (vertices) the same, those of supported vertices at t_{n+1} */
    icf_vec3 *acceleration;    /* (vertices) */
    icf_vec3 *load;            /* (vertices) explicit forces: gravity, pressure, given forces [N] */
    icf_mat3 *inverse;         /* (vertices) */
    double *a;                 /* A: diagonal blocks (vertices x 9), then those of the pattern */
    const icf_lid *order;      /* (vertices) fill-reducing order of A; kept by the cache */
    icf_cnt iterations;        /* of conjugate gradients that found v*; 0: a factor did */
    double factor_flops;       /* operations of a factor in their place */
    icf_vec3 *residual;        /* (vertices) what A v* lacks of the free motion's [N s]; NULL: nothing */
    double relative_residual;  /* its norm over that of the right-hand side, in diag(A)^-1/2 */

    icf_split_mesh *split;  /* the body's work is shared by all ranks; NULL: this one's alone */
    double *diag, *off;     /* split: A of this rank's vertices (split_mesh.h) */
    double *density;        /* split: (tetrahedra here) scratch */
    icf_vec3 *own_residual; /* split: (vertices of this rank) the residual */
    icf_vec3 *v1;           /* split: (vertices) velocity at t_{n+1}; v* where nothing touches the body */
} icf_deformable_motion;

/* Whether sums of this rank run over the vertex. */
static inline bool icf_deformable_owns(const icf_deformable_motion *motion, icf_lid vertex)
{
    return !motion->split || icf_split_mesh_owns(motion->split, vertex);
}

/* What is kept for the deformables of a run: elements, a linear solver.  Memory, and analyses that change no bit. */
typedef struct icf_deformable_cache icf_deformable_cache;

ICF_MUST_CHECK icf_status icf_deformable_cache_create(icf_context *context, icf_deformable_cache **cache);

/* Nulls *cache; accepts NULL in it. */
void icf_deformable_cache_destroy(icf_deformable_cache **cache);

/* Free motion of body i, which is deformable; v* may lack a residual.
 *   motion [out] arrays from the arena
 *   t, dt  [in]  start and length of the step [s]
 * ICF_NOT_CONVERGED when Newton finds no free motion.  Local. */
ICF_MUST_CHECK icf_status icf_deformable_move_freely(icf_deformable_cache *cache, icf_arena *arena,
                                                     const icf_scene *scene, const icf_bodies *bodies, icf_lid i,
                                                     double t, double dt, icf_deformable_motion *motion);

/* Takes the residual out of v*, of a body that nothing touches.
 *   index [in] of the deformable in the scene; of its motions the last one that was found has the same A
 * ICF_NOT_CONVERGED when no free motion is found.  Local; of a body that is split collective. */
ICF_MUST_CHECK icf_status icf_deformable_complete(icf_deformable_cache *cache, icf_arena *arena, int32_t index,
                                                  icf_deformable_motion *motion);

/* Whether several ranks share the work of a deformable: it has at least parallel.split_above dofs. */
bool icf_deformable_is_split(const icf_scene *scene, int32_t index);

/* Makes what is kept for the deformables whose work all ranks share.  Nothing on one rank.  Collective. */
ICF_MUST_CHECK icf_status icf_deformable_split(icf_deformable_cache *cache, const icf_scene *scene);

/* The shared mesh of a deformable, by its index in the scene; NULL: it is whole. */
icf_split_mesh *icf_deformable_get_split(const icf_deformable_cache *cache, int32_t index);

/* Free motion of a deformable that is split.
 *   x, v [in] (vertices) state at t on every rank; x is kept as the surface's position
 * Collective. */
ICF_MUST_CHECK icf_status icf_deformable_move_together(icf_deformable_cache *cache, icf_arena *arena,
                                                       const icf_scene *scene, int32_t index, const icf_vec3 *x,
                                                       const icf_vec3 *v, double t, double dt,
                                                       icf_deformable_motion *motion);

/* Von Mises stress of a deformable that is split, on all ranks.
 *   x      [in]  (vertices) positions, on every rank
 *   stress [out] (vertices) [Pa]
 * Collective. */
ICF_MUST_CHECK icf_status icf_deformable_stress_together(icf_deformable_cache *cache, icf_arena *arena, int32_t index,
                                                         const icf_vec3 *x, double *stress);

/* What a free motion takes. */
typedef struct icf_deformable_work {
    icf_cnt tets;
    double flops;  /* operations of its factors, or of conjugate gradients */
    double values; /* values of the factors that are solved with, over all solves */
} icf_deformable_work;

/* Of the last free motion of a deformable, by its index in the scene. */
icf_deformable_work icf_deformable_last_work(const icf_deformable_cache *cache, int32_t index);

/* Von Mises stress at the vertices of body i, which is deformable, as it is now: the mean of its tetrahedra by rest
 * volume.  To be called between steps.
 *   stress [out] (vertices of the body) [Pa]
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_deformable_stress(icf_deformable_cache *cache, icf_arena *arena, const icf_scene *scene,
                                                const icf_bodies *bodies, icf_lid i, double *stress);

/* Tells the motion where the vertices' positions are, which have not changed.
 *   x [in] (vertices) */
void icf_deformable_set_position(icf_deformable_motion *motion, const icf_vec3 *x);

/* Sum over the supported vertices of the force that their motion needs beside contacts and attachments [N]:
 * M (v1 - v0) / dt + f_el(x0) + dt K v1 + dt Kg (v1 - v0) + D v1 - f_ext; nonlinear materials: f_el(x*) + dt K(x*)
 * (v1 - v*) for the elastic part, x* = x0 + dt v*, which are the forces that the contact problem has.
 * Of a body that is split the part of this rank's vertices.
 *   v1 [in] (vertices) velocities of the step's end [m/s] */
ICF_MUST_CHECK icf_status icf_deformable_support_force(const icf_deformable_motion *motion, icf_arena *arena,
                                                       const icf_vec3 *v1, double dt, icf_vec3 *force);

/* Adds kinetic, elastic and potential energy at a state; of a body that is split this rank's part.
 *   x, v [in] (vertices) */
void icf_deformable_add_energy(const icf_deformable_motion *motion, const icf_vec3 *x, const icf_vec3 *v,
                               icf_vec3 gravity, icf_step_stats *stats);

#endif
