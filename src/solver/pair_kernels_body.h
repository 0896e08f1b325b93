/* Source of the pair kernels; included by one file per instruction set, which defines
 *
 *     ICF_KERNELS   the icf_pair_kernels object to define
 *     ICF_NAME      its name
 */
#include "solver/pair_kernels.h"

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* Linear and angular part of a row of J, of a twist, of a wrench or of a column of a block. */
typedef struct six {
    four linear, angular;
} six;

#define INLINE static inline __attribute__((always_inline))

INLINE six load(const double *p)
{
    return (six){*(const four *)p, *(const four *)(p + 4)};
}

static void velocity(icf_lid n, const double (*jacobian)[ICF_PAIR_JACOBIAN], const double twist[ICF_PAIR_TWIST],
                     double (*out)[3])
{
    const six t = load(twist);
    for (icf_lid i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a) {
            const six row = load(jacobian[i] + a * ICF_PAIR_TWIST);
            const four sum = row.linear * t.linear + row.angular * t.angular;
            out[i][a] += sum[0] + sum[1] + sum[2];
        }
}

static void wrench_of(icf_lid n, const double (*jacobian)[ICF_PAIR_JACOBIAN], const double (*gamma)[3],
                      double wrench[ICF_PAIR_TWIST])
{
    six sum = {{0}, {0}};
    for (icf_lid i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a) {
            const six row = load(jacobian[i] + a * ICF_PAIR_TWIST);
            sum.linear += row.linear * gamma[i][a];
            sum.angular += row.angular * gamma[i][a];
        }
    *(four *)wrench = sum.linear;
    *(four *)(wrench + 4) = sum.angular;
}

/* ---- Hessian ---- */

/* K, column by column; of the last three columns the linear rows come by symmetry from the first three. */
INLINE void add_contact(const double *jacobian, const icf_sym3 *g, six column[6])
{
    static const int entry[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
    six row[3];
    for (int a = 0; a < 3; ++a) row[a] = load(jacobian + a * ICF_PAIR_TWIST);
    for (int a = 0; a < 3; ++a) {
        const double *m = g->m;
        six q; /* row a of G J */
        q.linear = m[entry[a][0]] * row[0].linear + m[entry[a][1]] * row[1].linear + m[entry[a][2]] * row[2].linear;
        q.angular = m[entry[a][0]] * row[0].angular + m[entry[a][1]] * row[1].angular + m[entry[a][2]] * row[2].angular;
        for (int c = 0; c < 3; ++c) {
            column[c].linear += row[a].linear * q.linear[c];
            column[c].angular += row[a].angular * q.linear[c];
            column[3 + c].angular += row[a].angular * q.angular[c];
        }
    }
}

INLINE void complete(six column[6])
{
    for (int c = 0; c < 3; ++c)
        column[3 + c].linear = (four){column[0].angular[c], column[1].angular[c], column[2].angular[c], 0.0};
}

/* K X: angular columns get -K_v [d]x. */
INLINE void shift_columns(const icf_vec3 d, const six *k, six *out)
{
    for (int c = 0; c < 3; ++c) out[c] = k[c];
    out[3].linear = k[3].linear - (k[1].linear * d.z - k[2].linear * d.y);
    out[4].linear = k[4].linear - (k[2].linear * d.x - k[0].linear * d.z);
    out[5].linear = k[5].linear - (k[0].linear * d.y - k[1].linear * d.x);
    out[3].angular = k[3].angular - (k[1].angular * d.z - k[2].angular * d.y);
    out[4].angular = k[4].angular - (k[2].angular * d.x - k[0].angular * d.z);
    out[5].angular = k[5].angular - (k[0].angular * d.y - k[1].angular * d.x);
}

/* X^T M: angular rows get [d]x times the linear rows. */
INLINE void shift_rows(const icf_vec3 d, six *m)
{
    const four first = {d.y, d.z, d.x, 0.0}, second = {d.z, d.x, d.y, 0.0};
    for (int c = 0; c < 6; ++c)
        m[c].angular += first * __builtin_shufflevector(m[c].linear, m[c].linear, 2, 0, 1, 3) -
                        second * __builtin_shufflevector(m[c].linear, m[c].linear, 1, 2, 0, 3);
}

/* block += sign M, whose columns have six values each. */
INLINE void add_columns(const six *m, double sign, double *block)
{
    for (int c = 0; c < 6; ++c, block += 6) {
        const four top = __builtin_shufflevector(m[c].linear, m[c].angular, 0, 1, 2, 4);
        const two rest = {m[c].angular[1], m[c].angular[2]};
        *(four *)block += sign * top;
        *(two *)(block + 4) += sign * rest;
    }
}

static void hessian(icf_lid n, const double (*jacobian)[ICF_PAIR_JACOBIAN], const icf_sym3 *g, const icf_vec3 *offset,
                    double *reference, double *other, double *between)
{
    six k[6] = {{{0}, {0}}, {{0}, {0}}, {{0}, {0}}, {{0}, {0}}, {{0}, {0}}, {{0}, {0}}}, shifted[6];
    for (icf_lid i = 0; i < n; ++i) add_contact(jacobian[i], &g[i], k);
    complete(k);
    add_columns(k, 1.0, reference);
    if (!offset) return;
    shift_columns(*offset, k, shifted);
    add_columns(shifted, -1.0, between);
    shift_rows(*offset, shifted);
    add_columns(shifted, 1.0, other);
}

const icf_pair_kernels ICF_KERNELS = {.name = ICF_NAME, .velocity = velocity, .wrench = wrench_of, .hessian = hessian};
