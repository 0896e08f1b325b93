/* Kernels of contacts between rigid bodies, for the contacts of one pair at a time.
 *
 * The Jacobian of a contact about the centre of mass of the pair's reference body is F [1, -[r]x]: its rows are
 * (f, r x f) for the rows f of the contact frame.  They are kept as two vectors of four lanes, the last lane zero:
 *
 *     row 0: f.x f.y f.z 0   (r x f).x (r x f).y (r x f).z 0      row 1 ...      row 2 ...
 *
 * Twists and wrenches have the same eight values.  The source (pair_kernels_body.h) is compiled for AVX2 and for the
 * base instruction set; the processor decides which one runs.  Each is repeatable in bits; they differ in rounding.
 */
#ifndef ICF_SOLVER_PAIR_KERNELS_H
#define ICF_SOLVER_PAIR_KERNELS_H

#include "base/vec.h"
#include "contact/law.h"

enum { ICF_PAIR_TWIST = 8, ICF_PAIR_JACOBIAN = 3 * ICF_PAIR_TWIST };

typedef struct icf_pair_kernels {
    const char *name;

    /* out += J twist for n contacts. */
    void (*velocity)(icf_lid n, const double (*jacobian)[ICF_PAIR_JACOBIAN], const double twist[ICF_PAIR_TWIST],
                     double (*out)[3]);

    /* wrench = sum J^T gamma over n contacts. */
    void (*wrench)(icf_lid n, const double (*jacobian)[ICF_PAIR_JACOBIAN], const double (*gamma)[3],
                   double wrench[ICF_PAIR_TWIST]);

    /* Adds K = sum J^T G J over n contacts to the 6x6 block of the reference body and, if the other body moves too,
     * X^T K X to its block and -K X to the one between them, X = [1, -[d]x; 0, 1].  Blocks are column-major.
     *   offset [in] d, from the other body to the reference body; NULL: the other one does not move */
    void (*hessian)(icf_lid n, const double (*jacobian)[ICF_PAIR_JACOBIAN], const icf_sym3 *g, const icf_vec3 *offset,
                    double *reference, double *other, double *between);
} icf_pair_kernels;

extern const icf_pair_kernels icf_pair_kernels_base;
#ifdef ICF_X86_KERNELS
extern const icf_pair_kernels icf_pair_kernels_avx2;
#endif

/* The fastest kernels this processor runs. */
const icf_pair_kernels *icf_pair_kernels_select(void);

#endif
