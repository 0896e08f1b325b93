/* Impulses on a rigid body's six degrees of freedom. */
#ifndef ICF_SOLVER_WRENCH_H
#define ICF_SOLVER_WRENCH_H

#include "base/vec.h"

/* Adds sign times a wrench to the dofs of a body, leaving out locked ones.
 *   locked [in] bits of the locked dofs */
static inline void icf_add_wrench(unsigned locked, double sign, icf_vec3 force, icf_vec3 torque, double *out)
{
    const double wrench[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int i = 0; i < 6; ++i)
        if (!(locked >> i & 1)) out[i] += sign * wrench[i];
}

#endif
