/* Stable neo-Hookean elasticity (Smith, de Goes, Kim: Stable neo-Hookean flesh simulation, 2018), without the log term:
 *   psi = mu/2 (|F|^2 - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2
 */
#ifndef ICF_FEM_NEO_HOOKEAN_BODY_H
#define ICF_FEM_NEO_HOOKEAN_BODY_H

#include "fem/tangent_body.h"

/* In e = s - 1, without cancellation at small strain: |F|^2 - 3 = sum (2 e + e^2), J - 1 = sum e + sum ee + eee. */
INLINE real neo_hookean_energy(icf_lame lame, const real s[3])
{
    const real e[3] = {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0};
    const real higher = e[0] * e[1] + e[1] * e[2] + e[2] * e[0] + e[0] * e[1] * e[2];
    const real volume = e[0] + e[1] + e[2] + higher;
    return lame.mu * (0.5 * dot3(e, e) - higher) + 0.5 * (lame.lambda + lame.mu) * square(volume);
}

/* d psi / d J */
INLINE real neo_hookean_pressure(icf_lame lame, real j)
{
    return (lame.lambda + lame.mu) * (j - 1.0) - lame.mu;
}

INLINE void neo_hookean_stress(icf_lame lame, const real f[9], real p[9])
{
    real c[9];
    cofactors(f, c);
    const real pressure = neo_hookean_pressure(lame, dot3(f, c));
    for (int k = 0; k < 9; ++k) p[k] = lame.mu * f[k] + pressure * c[k];
}

INLINE void neo_hookean_tangent(icf_lame lame, const real s[3], tangent *t)
{
    const double bulk = lame.lambda + lame.mu;
    const real j = s[0] * s[1] * s[2], pressure = neo_hookean_pressure(lame, j);
    const real cross = bulk * j + pressure;
    t->diagonal[0] = lame.mu + bulk * square(s[1] * s[2]);
    t->diagonal[3] = lame.mu + bulk * square(s[2] * s[0]);
    t->diagonal[5] = lame.mu + bulk * square(s[0] * s[1]);
    t->diagonal[1] = cross * s[2];
    t->diagonal[2] = cross * s[1];
    t->diagonal[4] = cross * s[0];
    for (int k = 0; k < 3; ++k) {
        t->same[k] = all_lanes(lame.mu);
        t->exchanged[k] = -pressure * s[k];
    }
}

#endif
