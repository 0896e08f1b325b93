/* Source of the pair kernels; included by one file per instruction set, which defines
 *
 *     ICF_KERNELS   the icf_pair_kernels object to define
 *     ICF_NAME      its name
 */
#include "solver/pair_kernels.h"

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* Linear and angular part of a twist, of a wrench or of a column of a block. */
typedef struct six {
    four linear, angular;
} six;

#define INLINE static inline __attribute__((always_inline))

/* Row of a contact frame; the last lane is something finite. */
INLINE four row_of(const icf_mat3 *frame, int a)
{
    if (a < 2) return *(const four *)(frame->m + 3 * a);
    const four last = *(const four *)(frame->m + 5);
    return __builtin_shufflevector(last, last, 1, 2, 3, 3);
}

/* The last lane is zero. */
INLINE four vector_of(const icf_vec3 *v)
{
    return (four){v->x, v->y, v->z, 0.0};
}

INLINE four cross(four a, four b)
{
    const four a_yzx = __builtin_shufflevector(a, a, 1, 2, 0, 3), b_yzx = __builtin_shufflevector(b, b, 1, 2, 0, 3);
    const four c = a * b_yzx - a_yzx * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

/* Velocity of a body, the last lanes zero; v (6). */
INLINE six twist_of(const double *v)
{
    const four zero = {0}, low = *(const four *)v, high = *(const four *)(v + 2);
    return (six){__builtin_shufflevector(low, zero, 0, 1, 2, 7), __builtin_shufflevector(high, zero, 1, 2, 3, 7)};
}

/* Relative twist of the reference body against the other one about its centre of mass. */
INLINE six relative_twist(const double *reference, const double *other, const icf_vec3 *offset)
{
    six t = {{0}, {0}};
    if (reference) t = twist_of(reference);
    if (!other) return t;
    const six o = twist_of(other);
    return (six){t.linear - (o.linear + cross(o.angular, vector_of(offset))), t.angular - o.angular};
}

static void velocity(icf_lid n, const icf_mat3 *frame, const icf_vec3 *arm, double sign, const double *reference,
                     const double *other, const icf_vec3 *offset, const double (*start)[3], double (*out)[3])
{
    static const double none[3] = {0};
    six t = relative_twist(reference, other, offset);
    t = (six){sign * t.linear, sign * t.angular};
    for (icf_lid i = 0; i < n; ++i) {
        const double *from = start ? start[i] : none;
        const four v = t.linear + cross(t.angular, vector_of(&arm[i]));
        const four p = row_of(&frame[i], 0) * v, q = row_of(&frame[i], 1) * v, r = row_of(&frame[i], 2) * v;
        /* sums of lanes 0 and 1, and of 2 and 3, of p, q and r */
        const four pq = __builtin_shufflevector(p, q, 0, 4, 2, 6) + __builtin_shufflevector(p, q, 1, 5, 3, 7);
        const two rr = __builtin_shufflevector(r, r, 0, 2) + __builtin_shufflevector(r, r, 1, 3);
        *(two *)out[i] =
            *(const two *)from + (__builtin_shufflevector(pq, pq, 0, 1) + __builtin_shufflevector(pq, pq, 2, 3));
        out[i][2] = from[2] + (rr[0] + rr[1]);
    }
}

static void wrench_of(icf_lid n, const icf_mat3 *frame, const icf_vec3 *arm, const double (*gamma)[3],
                      double wrench[ICF_PAIR_WRENCH])
{
    six sum = {{0}, {0}};
    for (icf_lid i = 0; i < n; ++i) {
        const four force = row_of(&frame[i], 0) * gamma[i][0] + row_of(&frame[i], 1) * gamma[i][1] +
                           row_of(&frame[i], 2) * gamma[i][2];
        sum.linear += force;
        sum.angular += cross(vector_of(&arm[i]), force);
    }
    *(four *)wrench = sum.linear;
    *(four *)(wrench + 4) = sum.angular;
}

/* ---- Hessian ---- */

/* K = [A, A [r]x^T; [r]x A, [r]x A [r]x^T] with A = F^T G F, without the columns that follow by symmetry. */
typedef struct reference_block {
    four linear[3], turned[3], angular[3]; /* columns of A, of [r]x A, of [r]x A [r]x^T */
} reference_block;

INLINE void put(four value, bool first, four *to)
{
    if (first)
        *to = value;
    else
        *to += value;
}

/* K of a contact, or adds it. */
INLINE void add_contact(const icf_mat3 *frame, const icf_vec3 *arm, const icf_sym3 *g, bool first, reference_block *k)
{
    static const int entry[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
    const four r = vector_of(arm), row[3] = {row_of(frame, 0), row_of(frame, 1), row_of(frame, 2)};
    four q[3], turned[3]; /* rows of G F */
    for (int a = 0; a < 3; ++a)
        q[a] = g->m[entry[a][0]] * row[0] + g->m[entry[a][1]] * row[1] + g->m[entry[a][2]] * row[2];
    for (int c = 0; c < 3; ++c) {
        const four linear = row[0] * q[0][c] + row[1] * q[1][c] + row[2] * q[2][c];
        turned[c] = cross(r, linear);
        put(linear, first, &k->linear[c]);
        put(turned[c], first, &k->turned[c]);
    }
    put(turned[2] * r[1] - turned[1] * r[2], first, &k->angular[0]);
    put(turned[0] * r[2] - turned[2] * r[0], first, &k->angular[1]);
    put(turned[1] * r[0] - turned[0] * r[1], first, &k->angular[2]);
}

/* All six columns. */
INLINE void complete(const reference_block *k, six column[6])
{
    for (int c = 0; c < 3; ++c) {
        column[c] = (six){k->linear[c], k->turned[c]};
        column[3 + c] = (six){{k->turned[0][c], k->turned[1][c], k->turned[2][c], 0.0}, k->angular[c]};
    }
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

static void hessian(icf_lid n, const icf_mat3 *frame, const icf_vec3 *arm, const icf_sym3 *g, const icf_vec3 *offset,
                    double *reference, double *other, double *between)
{
    reference_block sum;
    add_contact(&frame[0], &arm[0], &g[0], true, &sum);
    for (icf_lid i = 1; i < n; ++i) add_contact(&frame[i], &arm[i], &g[i], false, &sum);
    six k[6], shifted[6];
    complete(&sum, k);
    add_columns(k, 1.0, reference);
    if (!offset) return;
    shift_columns(*offset, k, shifted);
    add_columns(shifted, -1.0, between);
    shift_rows(*offset, shifted);
    add_columns(shifted, 1.0, other);
}

const icf_pair_kernels ICF_KERNELS = {.name = ICF_NAME, .velocity = velocity, .wrench = wrench_of, .hessian = hessian};
