/* Deformation gradients of every kind for the tests of deformable bodies, each following from its number. */
#ifndef ICF_TESTS_FEM_SAMPLES_H
#define ICF_TESTS_FEM_SAMPLES_H

#include "base/random.h"
#include "base/vec.h"

static const uint64_t nsample = 4000;

/* Uniform in [-1, 1). */
static inline double sample_number(uint64_t *random)
{
    return 2.0 * icf_lcg_next(random) - 1.0;
}

static inline uint64_t sample_seed(uint64_t n)
{
    return icf_lcg_jump(12345, 1000 * n);
}

static inline icf_mat3 sample_rotation(uint64_t n)
{
    uint64_t random = sample_seed(n);
    icf_quat q = {1.0, 0.0, 0.0, 0.0};
    q.w = sample_number(&random);
    q.x = sample_number(&random);
    q.y = sample_number(&random);
    q.z = sample_number(&random);
    return icf_quat_matrix(icf_quat_unit(q));
}

static inline icf_mat3 sample_product(const icf_mat3 *a, const double s[3], const icf_mat3 *b)
{
    icf_mat3 f;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            f.m[3 * i + j] = 0.0;
            for (int k = 0; k < 3; ++k) f.m[3 * i + j] += a->m[3 * i + k] * s[k] * b->m[3 * j + k];
        }
    return f;
}

/* Singular values of sample n: moderate, nearly equal, inverted, flat, thin, none, of very different size. */
static inline void sample_singular_values(uint64_t n, uint64_t *random, double s[3])
{
    for (int k = 0; k < 3; ++k) s[k] = 1.0 + 0.7 * sample_number(random);
    switch (n % 8) {
    case 1: s[1] = s[0] * (1.0 + 1e-12 * s[1]); break;
    case 2: s[0] = s[1] = s[2] = 1.0; break;
    case 3: s[2] = -s[2]; break;
    case 4: s[2] = n % 16 < 8 ? 0.0 : -s[1]; break;
    case 5: s[1] = 0.0, s[2] = n % 16 < 8 ? 0.0 : 1e-9 * s[2]; break;
    case 6: s[0] = s[1] = s[2] = n % 16 < 8 ? 0.0 : 0.3; break;
    case 7: s[1] *= 1e-5, s[2] *= 1e-11; break;
    default: break;
    }
}

static inline icf_mat3 sample_f(uint64_t n)
{
    uint64_t random = sample_seed(n) ^ 77;
    const icf_mat3 u = sample_rotation(2 * n), v = sample_rotation(2 * n + 1);
    double s[3];
    sample_singular_values(n, &random, s);
    icf_mat3 f = sample_product(&u, s, &v);
    if (n % 8 == 0) /* entries of any size */
        for (int k = 0; k < 9; ++k) f.m[k] = 2.0 * sample_number(&random);
    if (n % 64 == 10) /* diagonal to the last bit */
        f = (icf_mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return f;
}

/* Away from inversion, where the rotation is smooth. */
static inline icf_mat3 sample_smooth_f(uint64_t n)
{
    uint64_t random = sample_seed(n) ^ 99;
    const icf_mat3 u = sample_rotation(2 * n), v = sample_rotation(2 * n + 1);
    const double s[3] = {1.0 + 0.5 * sample_number(&random), 1.0 + 0.5 * sample_number(&random),
                         1.0 + 0.5 * sample_number(&random)};
    return sample_product(&u, s, &v);
}

#endif
