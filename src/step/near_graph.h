/* The graph by which bodies are given to ranks: what is near what, and how much they have to do with each other.
 *
 * Bodies weigh what they cost a step (step/body_cost.h), or would with their contacts; pairs of moving bodies that are
 * near each other weigh 1 and more by their contacts, so that a cut leaves islands whole where it can.
 */
#ifndef ICF_STEP_NEAR_GRAPH_H
#define ICF_STEP_NEAR_GRAPH_H

#include "base/arena.h"
#include "contact/contacts.h"
#include "partition/decompose.h"
#include "scene/scene.h"
#include "step/split_motion.h"

/* What a contact adds to a pair's weight, against 1 for being near: pairs of at least this weight touch. */
enum { ICF_CONTACT_WEIGHT = 8 };

typedef struct icf_near_graph {
    double *weight; /* (owned bodies) */
    icf_lid npair;
    icf_pair *pair;      /* (npair) canonical order; the first body is owned, so that one rank has each */
    double *pair_weight; /* (npair) */
} icf_near_graph;

/* By what more than its margin of the step a body is grown to find those that are near it: a quarter of its radius [m].
 */
double icf_near_margin(const icf_bodies *bodies, icf_lid i);

/* Builds the graph; arrays come from the arena.
 *   broad    [in,out] memory for the search
 *   contacts [in]     of the step, canonical order
 *   bodies   [in]     with the ghosts that are near
 *   split    [in]     which of them all ranks share
 *   margin   [in]     (n) margins of the step [m]
 * Local. */
ICF_MUST_CHECK icf_status icf_near_graph_build(icf_near_graph *graph, icf_arena *arena, icf_context *context,
                                               icf_broad_phase *broad, const icf_bodies *bodies,
                                               const icf_split_motions *split, const icf_contacts *contacts,
                                               const double *margin);

/* The graph as it is cut: islands that one rank would solve in any case are wholes. */
icf_weighted_pairs icf_near_graph_pairs(const icf_near_graph *graph, const icf_scene *scene);

#endif
