/* Random single contacts for the tests of the laws, spread over the scales that scenes have and beyond. */
#ifndef ICF_TESTS_LAW_SAMPLES_H
#define ICF_TESTS_LAW_SAMPLES_H

#include <math.h>
#include <stdint.h>

#include "contact/law.h"

/* One contact: what icf_law_init is given, and the velocity of the next step. */
typedef struct law_sample {
    icf_contact_settings settings;
    icf_material material;
    double dt, phi0, vn0, w;
    double vc[3];
} law_sample;

static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [low, high). */
static inline double uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

static inline double log_uniform(uint64_t *state, double low, double high)
{
    return low * pow(high / low, uniform(state, 0.0, 1.0));
}

/* True once in n. */
static inline bool one_in(uint64_t *state, unsigned n)
{
    return random_bits(state) % n == 0;
}

static inline double random_sign(uint64_t *state)
{
    return one_in(state, 2) ? 1.0 : -1.0;
}

static inline icf_material random_material(uint64_t *state, icf_normal_law normal, bool anisotropic)
{
    icf_material material = {
        .normal = normal,
        .anisotropic = anisotropic,
        .stiffness = log_uniform(state, 1e2, 1e13),
        .dissipation = one_in(state, 5) ? 0.0 : log_uniform(state, 1e-3, 1e3),
        .relaxation_time = one_in(state, 5) ? 0.0 : log_uniform(state, 1e-5, 1.0),
        .barrier_distance = normal == ICF_NORMAL_IPC_BARRIER ? log_uniform(state, 1e-6, 1e-2) : 0.0,
    };
    for (int i = 0; i < 2; ++i) material.friction[i] = one_in(state, 10) ? 0.0 : uniform(state, 0.0, 5.0);
    if (!anisotropic) material.friction[1] = material.friction[0];
    if (normal == ICF_NORMAL_LOG_BARRIER) material.stiffness = log_uniform(state, 1e-9, 1.0);
    return material;
}

/* Distance at the start and normal velocity: any, or right next to where the contact opens or the barrier is. */
static inline void random_gap(uint64_t *state, law_sample *sample)
{
    const double dt = sample->dt, d = sample->material.dissipation;
    if (sample->material.normal >= ICF_NORMAL_LOG_BARRIER) {
        sample->phi0 = log_uniform(state, 1e-9, 1.0);
        sample->vc[2] = (log_uniform(state, 1e-9, 1.0) - sample->phi0) / dt;
        return;
    }
    sample->phi0 = (one_in(state, 4) ? 1.0 : -1.0) * log_uniform(state, 1e-12, 1e-1);
    const double opening = d > 0.0 ? fmin(-sample->phi0 / dt, 1.0 / d) : -sample->phi0 / dt;
    const double speed = random_sign(state) * log_uniform(state, 1e-12, 1e2);
    sample->vc[2] = one_in(state, 2) ? opening + speed : speed;
}

static inline void random_slip(uint64_t *state, law_sample *sample)
{
    const double speed = log_uniform(state, 1e-12, 1e2), angle = uniform(state, 0.0, 2.0 * M_PI);
    sample->vc[0] = one_in(state, 20) ? 0.0 : speed * cos(angle);
    sample->vc[1] = one_in(state, 20) ? 0.0 : speed * sin(angle);
}

static inline law_sample random_sample(uint64_t *state, icf_model model, icf_normal_law normal, bool anisotropic)
{
    law_sample sample = {
        .settings = {.model = model,
                     .regularized = one_in(state, 2),
                     .stiction_tolerance = log_uniform(state, 1e-7, 1e-2),
                     .sigma = log_uniform(state, 1e-5, 1e-1),
                     .near_rigid = one_in(state, 2) ? 0.0 : 1.0},
        .material = random_material(state, normal, anisotropic),
        .dt = log_uniform(state, 1e-5, 1e-1),
        .w = log_uniform(state, 1e-6, 1e6),
    };
    sample.vn0 = random_sign(state) * log_uniform(state, 1e-12, 1e2);
    random_gap(state, &sample);
    random_slip(state, &sample);
    return sample;
}

static inline icf_law sample_law(const law_sample *sample)
{
    icf_law law;
    icf_law_init(&law, &sample->settings, &sample->material, sample->dt, sample->phi0, sample->vn0, sample->w);
    return law;
}

/* The kinds of contact that exist: SAP has the linear law and isotropic friction only. */
typedef struct law_kind {
    icf_model model;
    icf_normal_law normal;
    bool anisotropic;
} law_kind;

enum { LAW_KIND_COUNT = 17 };

static inline law_kind law_kind_of(int i)
{
    if (i == 0) return (law_kind){ICF_MODEL_SAP, ICF_NORMAL_LINEAR, false};
    const int j = i - 1;
    return (law_kind){j % 2 ? ICF_MODEL_SIMILAR : ICF_MODEL_LAGGED, (icf_normal_law)(j / 2 % 4), j / 8 == 1};
}

#endif
