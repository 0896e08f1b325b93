/* Element formulas for a batch of eight tetrahedra at a time, as structure of arrays.
 *
 * The same source (element_kernels_body.h) is compiled for AVX-512, AVX2 and the base instruction set; which one runs
 * is decided by the processor.  Each is repeatable in bits, whatever else is in the batch; they differ in rounding.
 * state is NULL for the models other than corotational.
 * Vectors of the four vertices are (vertex, component, lane), 3x3 matrices row-major (entry, lane).
 */
#ifndef ICF_FEM_ELEMENT_KERNELS_H
#define ICF_FEM_ELEMENT_KERNELS_H

#include "scene/deformable_material.h"

enum {
    ICF_FEM_LANES = 8,  /* tetrahedra of a batch */
    ICF_FEM_PAIRS = 6,  /* pairs of different vertices (row, column): (1,0) (2,0) (3,0) (2,1) (3,1) (3,2) */
    ICF_FEM_BLOCKS = 10 /* blocks of an element: 4 diagonal ones, then the pairs */
};

/* One value of each tetrahedron, on a cache line. */
typedef double icf_lanes[ICF_FEM_LANES] __attribute__((aligned(64)));

/* What the rest state fixes, and what is summed.  The last batch repeats its last tetrahedron, with nothing to sum,
 * where it has fewer than eight. */
typedef struct icf_fem_batch {
    icf_lanes gradient[9];                       /* rest gradients g_1, g_2, g_3 [1/m]; g_0 = -(g_1 + g_2 + g_3) */
    icf_lanes volume;                            /* rest volume [m^3] */
    icf_lid vertex[4][ICF_FEM_LANES];            /* vertices */
    icf_lid block[ICF_FEM_PAIRS][ICF_FEM_LANES]; /* off-diagonal block e of each pair; ~e: its transpose */
    uint16_t own[ICF_FEM_LANES];                 /* bit b: block b of the element, or vertex b, is summed here */
} icf_fem_batch;

/* What the step's start fixes, corotational. */
typedef struct icf_fem_state {
    icf_lanes rotation[9];  /* R0 */
    icf_lanes geometric[6]; /* Q' = R0 Q R0^T: 00, 01, 02, 11, 12, 22 [Pa] */
} icf_fem_state;

/* The material, and which sum of M, K and Kg is wanted. */
typedef struct icf_element_law {
    icf_elastic_model model;
    icf_lame lame;
    double mass;      /* weight of M times rho/20 [kg/m^3] */
    double stiffness; /* weight of K */
    double geometric; /* weight of Kg; 0 when the model has none */
    double negative;  /* weight of what projection takes from K */
} icf_element_law;

typedef struct icf_element_kernels {
    const char *name;

    /* R0 and Q' at positions x (12). */
    void (*rotate)(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x, icf_fem_state *state);

    /* f (12): V P g_i at positions x (12). */
    void (*force)(const icf_element_law *law, const icf_fem_batch *batch, const icf_fem_state *state,
                  const icf_lanes *x, icf_lanes *f);

    /* y (12) = K(x) u (12); corotational: x is not read. */
    void (*stiffness_product)(const icf_element_law *law, const icf_fem_batch *batch, const icf_fem_state *state,
                              const icf_lanes *x, const icf_lanes *u, icf_lanes *y);

    /* y (12) = Kg u (12). */
    void (*geometric_product)(const icf_fem_batch *batch, const icf_fem_state *state, const icf_lanes *u, icf_lanes *y);

    /* The blocks of the weighted sum: value (10, 9), column-major; corotational: x is not read. */
    void (*matrix)(const icf_element_law *law, const icf_fem_batch *batch, const icf_fem_state *state,
                   const icf_lanes *x, icf_lanes *value);

    /* Energy density (1) at positions x (12); corotational with the rotation of x. */
    void (*energy_density)(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x,
                           icf_lanes *density);

    /* Von Mises stress (1) at positions x (12). */
    void (*von_mises)(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x, icf_lanes *stress);
} icf_element_kernels;

extern const icf_element_kernels icf_element_kernels_base;
#ifdef ICF_X86_KERNELS
extern const icf_element_kernels icf_element_kernels_avx2;
extern const icf_element_kernels icf_element_kernels_avx512;
#endif

/* The fastest kernels this processor runs. */
const icf_element_kernels *icf_element_kernels_select(void);

#endif
