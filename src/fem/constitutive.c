/* The elastic models for one deformation gradient (fem/models_body.h with one lane). */
#include "fem/constitutive.h"

#include <string.h>

#define ICF_LANES 1
#include "fem/models_body.h"

void icf_svd3(const icf_mat3 *f, icf_mat3 *u, double sigma[3], icf_mat3 *v)
{
    svd3(f->m, u->m, sigma, v->m);
}

icf_mat3 icf_polar_rotation(const icf_mat3 *f)
{
    icf_mat3 u, v, r;
    double sigma[3];
    svd3(f->m, u.m, sigma, v.m);
    rotation_of(u.m, v.m, r.m);
    return r;
}

double icf_constitutive_energy(icf_elastic_model model, icf_lame lame, const icf_mat3 *f)
{
    icf_mat3 u, v;
    double sigma[3];
    svd3(f->m, u.m, sigma, v.m);
    return model_energy(model, lame, sigma);
}

icf_mat3 icf_constitutive_stress(icf_elastic_model model, icf_lame lame, const icf_mat3 *r, const icf_mat3 *f)
{
    icf_mat3 p;
    model_stress(model, lame, r->m, f->m, p.m);
    return p;
}

void icf_constitutive_tangent(icf_elastic_model model, icf_lame lame, const icf_mat3 *f, bool project, double dpdf[81])
{
    icf_mat3 u, v;
    double sigma[3];
    tangent t;
    svd3(f->m, u.m, sigma, v.m);
    model_tangent(model, lame, sigma, &t);
    if (project) project_tangent(&t);
    for (int k = 0; k < 9; ++k) {
        double df[9] = {0}, dp[9];
        df[k] = 1.0;
        apply_tangent(&t, u.m, v.m, df, dp);
        for (int i = 0; i < 9; ++i) dpdf[9 * i + k] = dp[i];
    }
}

void icf_constitutive_geometric(icf_lame lame, const icf_mat3 *f, double dpdf[81])
{
    double r[9], q[6];
    rotation_and_geometric(lame, f->m, r, q);
    for (int k = 0; k < 9; ++k) {
        double df[9] = {0}, dp[9];
        df[k] = 1.0;
        geometric_linear(q, r, df, dp);
        for (int i = 0; i < 9; ++i) dpdf[9 * i + k] = dp[i];
    }
}
