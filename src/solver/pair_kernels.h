/* Kernels of contacts between rigid bodies, for the contacts of one pair at a time.
 *
 * A contact at arm r from the centre of mass of the pair's reference body, with the frame F, has the Jacobian
 * J = F [1, -[r]x].  Wrenches are kept as two vectors of four values, the last one without meaning:
 *
 *     x y z -   x y z -        force, torque
 *
 * The source (pair_kernels_body.h) is compiled for AVX2 and for the base instruction set; the processor decides which
 * one runs.  Each is repeatable in bits; they differ in rounding.  Pure functions, thread-safe.
 */
#ifndef ICF_SOLVER_PAIR_KERNELS_H
#define ICF_SOLVER_PAIR_KERNELS_H

#include "base/vec.h"
#include "contact/law.h"

enum { ICF_PAIR_WRENCH = 8 };

/* Of n contacts of a pair:
 *   frame [in] (n) F, rows t1, t2, n
 *   arm   [in] (n) r, world axes [m] */
typedef struct icf_pair_kernels {
    const char *name;

    /* out = start + sign J (V, W) for n contacts, with the twist (V, W) of the reference body against the other one.
     *   reference, other [in] (6) velocities of the two bodies; NULL: does not move
     *   offset           [in] from the other body's centre of mass to the reference body's
     *   start            [in] (n) [m/s]; NULL: 0
     *   out              [out] (n) contact frames [m/s] */
    void (*velocity)(icf_lid n, const icf_mat3 *frame, const icf_vec3 *arm, double sign, const double *reference,
                     const double *other, const icf_vec3 *offset, const double (*start)[3], double (*out)[3]);

    /* wrench = sum J^T gamma over n contacts.
     *   gamma [in] (n) impulses, contact frames [N s] */
    void (*wrench)(icf_lid n, const icf_mat3 *frame, const icf_vec3 *arm, const double (*gamma)[3],
                   double wrench[ICF_PAIR_WRENCH]);

    /* Adds K = sum J^T G J over n > 0 contacts to the 6x6 block of the reference body and, if the other body moves too,
     * X^T K X to its block and -K X to the one between them, X = [1, -[d]x; 0, 1].  Blocks are column-major.
     *   g      [in] (n) Hessians, contact frames [kg]
     *   offset [in] d, from the other body to the reference body; NULL: the other one does not move */
    void (*hessian)(icf_lid n, const icf_mat3 *frame, const icf_vec3 *arm, const icf_sym3 *g, const icf_vec3 *offset,
                    double *reference, double *other, double *between);
} icf_pair_kernels;

extern const icf_pair_kernels icf_pair_kernels_base;
#ifdef ICF_X86_KERNELS
extern const icf_pair_kernels icf_pair_kernels_avx2;
#endif

/* The fastest kernels this processor runs. */
const icf_pair_kernels *icf_pair_kernels_select(void);

#endif
