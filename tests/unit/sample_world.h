/* A simulation with what it works on. */
#ifndef ICF_TESTS_SAMPLE_WORLD_H
#define ICF_TESTS_SAMPLE_WORLD_H

#include "unit/sample_scene.h"

#include <mpi.h>
#include <string.h>

#include "step/simulation.h"

typedef struct world {
    icf_context context;
    icf_scene scene;
    icf_bodies bodies;
    icf_simulation *simulation;
} world;

/* The sample scene without bodies, no simulation yet. */
static inline void set_up(world *w, MPI_Comm comm, icf_model model, int nthread)
{
    memset(w, 0, sizeof *w);
    assert_int_equal(icf_context_init(&w->context, comm, nthread), ICF_OK);
    sample_scene_init(&w->scene, model);
    icf_bodies_init(&w->bodies);
}

static inline void tear_down(world *w)
{
    icf_simulation_destroy(&w->simulation);
    icf_bodies_clear(&w->bodies);
    icf_scene_clear(&w->scene);
    icf_context_clear(&w->context);
}

#endif
