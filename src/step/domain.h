/* A domain: bodies whose islands are complete, taken through the stages of a step.
 *
 * A rank has two: its own bodies with their ghosts, and its guests, the bodies of islands that lie on several ranks
 * and are solved here.  Both go through the same stages with the same code.
 */
#ifndef ICF_STEP_DOMAIN_H
#define ICF_STEP_DOMAIN_H

#include "contact/attachments.h"
#include "contact/detect.h"
#include "partition/island.h"
#include "step/free_motion.h"
#include "step/solve_islands.h"
#include "step/stats.h"

/* What all stages of one step share. */
typedef struct icf_step_input {
    icf_context *context;
    icf_arena *arena;
    const icf_scene *scene;
    double t, dt;       /* start and length of the step [s] */
    bool at_start;      /* first step of the scene */
    icf_vec3 reference; /* reference velocity of the margins [m/s] */
} icf_step_input;

typedef struct icf_domain {
    icf_bodies *bodies;          /* borrowed */
    icf_deformable_cache *cache; /* borrowed */
    icf_inertia inertia;
    icf_detector *detector;
    icf_contacts contacts;
    icf_islands islands;

    /* of one step, from the arena */
    icf_split_motions split; /* bodies whose work is shared; none among guests */
    icf_free_motion motion;
    bool *skip;                    /* (islands) not solved by this domain */
    bool *as_group;                /* (islands) solved with the steps of a group, for a plan; NULL: none */
    icf_pattern_log *log;          /* (islands) patterns of these; NULL: not wanted */
    icf_contact_iterates iterates; /* of the contacts, Newton's */
    icf_attachments attachments;
    icf_pair *edge;            /* pairs of the contacts, those of the attachments, then each shared body that something
                                  touches with itself, since all ranks take part: what islands are made of */
    bool *drop;                /* (edges) another rank's */
    double *v;                 /* (dofs of the islands' bodies) solved velocities */
    icf_newton_result *result; /* (islands) */
    icf_lid nattached;
    icf_pair_impulse *attached; /* (nattached) net impulses of the attachments that this domain has solved */
    icf_vec3 *reaction;         /* (n) force of the supports of deformable bodies [N]; NULL: no body is deformable */
    bool *is_shared;            /* (n) all ranks have the body and its contacts; NULL: none */
    icf_lid nshared;
    icf_pair_impulse *shared; /* (nshared) pairs of such bodies, summed over the ranks (split_pairs.h) */
    double *cost;             /* (n) what each body cost the step [s] */
    icf_lid failed;           /* island that did not converge, -1: none */
} icf_domain;

ICF_MUST_CHECK icf_status icf_domain_init(icf_domain *domain);
void icf_domain_clear(icf_domain *domain);

/* Velocities of prescribed bodies at the step's end, mass matrices, free motion.  Local, like all stages.
 *   first [in] bodies before this one have mass matrices, and as deformables their free motion, of
 * icf_domain_accelerate */
ICF_MUST_CHECK icf_status icf_domain_move_freely(icf_domain *domain, const icf_step_input *input, icf_lid first);

/* What ghosts are found by: velocities of prescribed bodies, mass matrices, and of the free motion the accelerations of
 * the owned rigid bodies and all of the owned deformable ones, which is dear.
 *   acceleration [out] (nowned) from the arena [m/s^2] */
ICF_MUST_CHECK icf_status icf_domain_accelerate(icf_domain *domain, const icf_step_input *input,
                                                icf_vec3 **acceleration);

/* Contacts and islands.  Collective where bodies are split.
 *   owned_only [in] leave out pairs without an owned moving body: their owners find them */
ICF_MUST_CHECK icf_status icf_domain_find_contacts(icf_domain *domain, const icf_step_input *input, bool owned_only,
                                                   icf_step_stats *stats);

/* Marks an island as not solved by this domain, its contacts as not this rank's. */
void icf_domain_skip(icf_domain *domain, icf_lid island);

/* What the problems of the islands are made of. */
icf_island_inputs icf_domain_island_inputs(icf_domain *domain, const icf_scene *scene);

/* Solves the islands that are not to be skipped. */
ICF_MUST_CHECK icf_status icf_domain_solve(icf_domain *domain, const icf_step_input *input, icf_island_solver *solver,
                                           icf_step_stats *stats);

/* Sets the velocities of moving bodies: v* where there is no contact, the solution elsewhere.  Bodies of skipped
 * islands get v*. */
void icf_domain_set_velocities(icf_domain *domain);

/* Sets the velocity of a moving body.
 *   v [in] (dofs of the body); supported vertices keep their own */
void icf_domain_set_body(icf_domain *domain, icf_lid i, const double *v);

/* Finds the forces of supports and attachments, once all velocities are set, and what bodies cost; forgets the contacts
 * that are not this rank's.
 * ICF_ERROR_MEMORY.  Collective where bodies are split. */
ICF_MUST_CHECK icf_status icf_domain_finish(icf_domain *domain, const icf_step_input *input);

/* Force of the contacts of a pair on the supported vertices of its deformable body 0 or 1, which carry what the free
 * ones do not [N]. */
icf_vec3 icf_domain_supported_force(const icf_domain *domain, icf_lid pair, int side, double dt);

/* Adds kinetic, elastic and potential energy of the owned deformable bodies at the state of the step's end. */
void icf_domain_deformable_energy(const icf_domain *domain, const icf_step_input *input, icf_step_stats *stats);

/* Adds what the islands' solves did, and the contacts, to the statistics of the step.
 *   bodies have the poses of the step's start and the velocities of its end */
void icf_domain_count(const icf_domain *domain, double dt, icf_step_stats *stats);

#endif
