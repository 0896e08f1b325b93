/* Choice among the elastic models, for any number of lanes (base/lanes_body.h): one function each for energy, stress
 * and tangent. */
#ifndef ICF_FEM_MODELS_BODY_H
#define ICF_FEM_MODELS_BODY_H

#include "fem/corotational_body.h"
#include "fem/neo_hookean_body.h"
#include "fem/st_venant_kirchhoff_body.h"

/* Energy density of singular values s; corotational with the rotation of F itself. */
INLINE real model_energy(icf_elastic_model model, icf_lame lame, const real s[3])
{
    switch (model) {
    case ICF_ELASTIC_NEO_HOOKEAN: return neo_hookean_energy(lame, s);
    case ICF_ELASTIC_ST_VENANT_KIRCHHOFF: return st_venant_kirchhoff_energy(lame, s);
    default: return corotational_energy(lame, s);
    }
}

/* First Piola-Kirchhoff stress.
 *   r [in] rotation R0, read by the corotational model only */
INLINE void model_stress(icf_elastic_model model, icf_lame lame, const real r[9], const real f[9], real p[9])
{
    switch (model) {
    case ICF_ELASTIC_NEO_HOOKEAN: neo_hookean_stress(lame, f, p); break;
    case ICF_ELASTIC_ST_VENANT_KIRCHHOFF: st_venant_kirchhoff_stress(lame, f, p); break;
    default: corotational_stress(lame, r, f, p); break;
    }
}

/* dP/dF at singular values s; corotational: at frozen R. */
INLINE void model_tangent(icf_elastic_model model, icf_lame lame, const real s[3], tangent *t)
{
    switch (model) {
    case ICF_ELASTIC_NEO_HOOKEAN: neo_hookean_tangent(lame, s, t); break;
    case ICF_ELASTIC_ST_VENANT_KIRCHHOFF: st_venant_kirchhoff_tangent(lame, s, t); break;
    default: corotational_tangent(lame, t); break;
    }
}

#endif
