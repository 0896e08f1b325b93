/* St Venant-Kirchhoff elasticity: psi = mu |E|^2 + lambda/2 tr(E)^2, E = (F^T F - 1)/2.
 */
#ifndef ICF_FEM_ST_VENANT_KIRCHHOFF_BODY_H
#define ICF_FEM_ST_VENANT_KIRCHHOFF_BODY_H

#include "fem/tangent_body.h"

INLINE real st_venant_kirchhoff_energy(icf_lame lame, const real s[3])
{
    real e[3]; /* (s^2 - 1)/2 */
    for (int k = 0; k < 3; ++k) e[k] = 0.5 * (s[k] - 1.0) * (s[k] + 1.0);
    return lame.mu * dot3(e, e) + 0.5 * lame.lambda * square(e[0] + e[1] + e[2]);
}

INLINE void st_venant_kirchhoff_stress(icf_lame lame, const real f[9], real p[9])
{
    real e[9];
    multiply_transposed(f, f, e);
    for (int k = 0; k < 9; ++k) e[k] = 0.5 * (k % 4 == 0 ? e[k] - 1.0 : e[k]);
    const real trace = lame.lambda * (e[0] + e[4] + e[8]);
    for (int k = 0; k < 9; ++k) e[k] = 2.0 * lame.mu * e[k] + (k % 4 == 0 ? trace : all_lanes(0.0));
    multiply(f, e, p);
}

/* p = mu s^3 + e s with e = lambda/2 (sum s^2 - 3) - mu */
INLINE void st_venant_kirchhoff_tangent(icf_lame lame, const real s[3], tangent *t)
{
    const real s2[3] = {square(s[0]), square(s[1]), square(s[2])};
    const real e = 0.5 * lame.lambda * (s2[0] + s2[1] + s2[2] - 3.0) - lame.mu;
    const double axial = 3.0 * lame.mu + lame.lambda;
    t->diagonal[0] = axial * s2[0] + e;
    t->diagonal[3] = axial * s2[1] + e;
    t->diagonal[5] = axial * s2[2] + e;
    t->diagonal[1] = lame.lambda * s[0] * s[1];
    t->diagonal[2] = lame.lambda * s[0] * s[2];
    t->diagonal[4] = lame.lambda * s[1] * s[2];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        t->same[k] = lame.mu * (s2[i] + s2[j]) + e;
        t->exchanged[k] = lame.mu * s[i] * s[j];
    }
}

#endif
