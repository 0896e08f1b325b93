/* Source of the kernels of the model Lagged; included by one file per instruction set, which defines
 *
 *     ICF_KERNELS   the icf_lagged_kernels object to define
 *     ICF_NAME      its name
 *
 * The equations are those of law_lagged.c and normal_kernel.h.  Four contacts at a time; of the last ones of a range,
 * the rest of a vector repeats the last contact.  A contact gets the same bits at every place
 * (tests/unit/test_lagged_lanes.c).  Pure functions, thread-safe.
 */
#include <math.h>
#include <string.h>

#include "contact/lagged_lanes.h"

#define ICF_LANES 4
#include "base/lanes_body.h"

enum { LANES = ICF_LANES };

/* ---- vectors ---- */

/* A vector at any address of a double. */
typedef double unaligned __attribute__((vector_size(32), aligned(8), may_alias));

INLINE real load(const double *p)
{
    return *(const unaligned *)p;
}

INLINE void store(double *p, real v)
{
    *(unaligned *)p = v;
}

/* sum += v, lane by lane */
INLINE void add_lanes(int n, real v, double *sum)
{
    for (int l = 0; l < n; ++l) *sum += v[l];
}

/* Components of four vectors that lie one behind the other. */
typedef struct four3 {
    real x, y, z;
} four3;

INLINE four3 load3(const double (*p)[3])
{
    const double *begin = p[0];
    const real a = load(begin), b = load(begin + 4), c = load(begin + 8);
    const real x = __builtin_shufflevector(a, b, 0, 3, 6, 6), y = __builtin_shufflevector(a, b, 1, 4, 7, 7);
    const real z = __builtin_shufflevector(a, b, 2, 5, 5, 5);
    return (four3){__builtin_shufflevector(x, c, 0, 1, 2, 5), __builtin_shufflevector(y, c, 0, 1, 2, 6),
                   __builtin_shufflevector(z, c, 0, 1, 4, 7)};
}

INLINE void store3(double (*p)[3], four3 v)
{
    double *begin = p[0];
    const real low = __builtin_shufflevector(v.x, v.y, 0, 4, 1, 5),
               high = __builtin_shufflevector(v.x, v.y, 2, 6, 3, 7);
    const real middle = __builtin_shufflevector(low, v.z, 3, 5, 5, 5);
    store(begin, __builtin_shufflevector(low, v.z, 0, 1, 4, 2));
    store(begin + 4, __builtin_shufflevector(middle, high, 0, 1, 4, 5));
    store(begin + 8, __builtin_shufflevector(v.z, high, 2, 6, 7, 3));
}

typedef struct four2 {
    real x, y;
} four2;

INLINE four2 load2(const double (*p)[2])
{
    const real a = load(p[0]), b = load(p[2]);
    return (four2){__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)};
}

INLINE void store2(double (*p)[2], four2 v)
{
    store(p[0], __builtin_shufflevector(v.x, v.y, 0, 4, 1, 5));
    store(p[2], __builtin_shufflevector(v.x, v.y, 2, 6, 3, 7));
}

/* Tangential block (0,0) (1,0) (1,1) and normal entry of four matrices without coupling of the two. */
INLINE void store_matrices(icf_sym3 *g, const real block[3], real normal)
{
    const real zero = all_lanes(0.0);
    for (int half = 0; half < 2; ++half, g += 2) {
        const real pair = half ? __builtin_shufflevector(block[0], block[1], 2, 6, 3, 7)
                               : __builtin_shufflevector(block[0], block[1], 0, 4, 1, 5);
        const real last = half ? __builtin_shufflevector(block[2], zero, 2, 4, 3, 5)
                               : __builtin_shufflevector(block[2], zero, 0, 4, 1, 5);
        const real below = half ? __builtin_shufflevector(zero, normal, 0, 6, 1, 7)
                                : __builtin_shufflevector(zero, normal, 0, 4, 1, 5);
        store(g[0].m, __builtin_shufflevector(pair, last, 0, 1, 4, 5));
        store(g[0].m + 4, __builtin_shufflevector(below, pair, 0, 1, 6, 7));
        store(g[1].m + 2, __builtin_shufflevector(last, below, 2, 3, 6, 7));
    }
}

/* ---- laws ---- */

/* Slip in tilde space, as icf_slip. */
typedef struct slip_lanes {
    real x, y, square, tolerance, root, inverse;
} slip_lanes;

INLINE real constant(const double *const *value, icf_lagged_constant which)
{
    return load(value[which]);
}

INLINE slip_lanes slip_of(const double *const *value, real vx, real vy)
{
    slip_lanes slip = {.x = constant(value, ICF_LAGGED_SCALE_1) * vx,
                       .y = constant(value, ICF_LAGGED_SCALE_2) * vy,
                       .tolerance = constant(value, ICF_LAGGED_SLIP)};
    slip.square = slip.x * slip.x + slip.y * slip.y;
    slip.root = root(slip.square + slip.tolerance * slip.tolerance);
    slip.inverse = 1.0 / slip.root;
    return slip;
}

/* icf_normal_linear */
typedef struct normal_lanes {
    real cost, impulse, derivative;
} normal_lanes;

INLINE normal_lanes normal_at(const double *const *value, real v)
{
    const real zero = all_lanes(0.0), beyond = constant(value, ICF_LAGGED_VHAT) - v;
    const mask closed = beyond > zero;
    const real s = select(closed, beyond, zero), dt = constant(value, ICF_LAGGED_STEP);
    const real d = constant(value, ICF_LAGGED_DISSIPATION), k = constant(value, ICF_LAGGED_STIFFNESS);
    const real overlap = constant(value, ICF_LAGGED_OVERLAP), damping = constant(value, ICF_LAGGED_DAMPING);
    const real penetration = overlap + dt * s, factor = damping + d * s, half = 0.5 * (overlap * d + dt * damping);
    return (normal_lanes){.cost = k * s * s * (half + dt * d * s * (1.0 / 3.0)),
                          .impulse = k * penetration * factor,
                          .derivative = select(closed, -k * (dt * factor + d * penetration), zero)};
}

/* Impulses and matrices of four contacts; returns their costs. */
INLINE real evaluate_four(const double *const *value, const double (*vc)[3], const double (*dual)[2],
                          double (*impulse)[3], icf_sym3 *hessian)
{
    const four3 v = load3(vc);
    const four2 w = load2(dual);
    const slip_lanes slip = slip_of(value, v.x, v.y);
    const normal_lanes normal = normal_at(value, v.z);
    const real friction = constant(value, ICF_LAGGED_FRICTION), c = friction * slip.inverse;
    const real scale_1 = constant(value, ICF_LAGGED_SCALE_1), scale_2 = constant(value, ICF_LAGGED_SCALE_2);
    const real t1 = slip.inverse * slip.x, t2 = slip.inverse * slip.y;
    const real block[3] = {(1.0 - w.x * t1) * c * scale_1 * scale_1,
                           -0.5 * (w.x * t2 + w.y * t1) * c * scale_1 * scale_2,
                           (1.0 - w.y * t2) * c * scale_2 * scale_2};
    store_matrices(hessian, block, -normal.derivative);
    store3(impulse, (four3){-c * scale_1 * slip.x, -c * scale_2 * slip.y, normal.impulse});
    return friction * (slip.square / (slip.root + slip.tolerance)) + normal.cost;
}

/* First and second derivatives of four contacts. */
INLINE four2 slope_four(const double *const *value, const double (*vc)[3], const double (*dvc)[3], double alpha)
{
    const four3 v = load3(vc), dv = load3(dvc);
    const slip_lanes slip = slip_of(value, v.x + alpha * dv.x, v.y + alpha * dv.y);
    const normal_lanes normal = normal_at(value, v.z + alpha * dv.z);
    const real d1 = constant(value, ICF_LAGGED_SCALE_1) * dv.x, d2 = constant(value, ICF_LAGGED_SCALE_2) * dv.y;
    const real friction = constant(value, ICF_LAGGED_FRICTION) * slip.inverse;
    const real across = slip.x * d2 - slip.y * d1;
    const real square = slip.tolerance * slip.tolerance * (d1 * d1 + d2 * d2) + across * across;
    return (four2){friction * (slip.x * d1 + slip.y * d2) - normal.impulse * dv.z,
                   friction * slip.inverse * slip.inverse * square - normal.derivative * dv.z * dv.z};
}

INLINE void update_four(const double *const *value, const double (*vc)[3], const double (*dvc)[3], double alpha,
                        double (*dual)[2])
{
    const four3 v = load3(vc), dv = load3(dvc);
    const slip_lanes slip = slip_of(value, v.x, v.y);
    const real d1 = constant(value, ICF_LAGGED_SCALE_1) * dv.x, d2 = constant(value, ICF_LAGGED_SCALE_2) * dv.y;
    const real along = slip.inverse * (slip.x * d1 + slip.y * d2);
    four2 w = load2(dual);
    w.x += alpha * ((slip.x + d1 - w.x * along) * slip.inverse - w.x);
    w.y += alpha * ((slip.y + d2 - w.y * along) * slip.inverse - w.y);
    const real square = w.x * w.x + w.y * w.y, one = all_lanes(1.0);
    const real scale = select(square > one, one / root(square), one);
    store2(dual, (four2){scale * w.x, scale * w.y});
}

/* ---- ranges ---- */

INLINE void point_to(const icf_lagged_lanes *lanes, icf_lid i, const double *value[ICF_LAGGED_CONSTANTS])
{
    for (int k = 0; k < ICF_LAGGED_CONSTANTS; ++k) value[k] = lanes->value[k] + i;
}

/* The last contacts of a range, fewer than a vector has. */
typedef struct rest {
    double constants[ICF_LAGGED_CONSTANTS][LANES], vc[LANES][3], dvc[LANES][3], dual[LANES][2], impulse[LANES][3];
    icf_sym3 hessian[LANES];
    const double *value[ICF_LAGGED_CONSTANTS];
} rest;

INLINE void copy_rest(void *to, const void *from, int n, size_t size)
{
    for (int l = 0; l < LANES; ++l)
        memcpy((char *)to + (size_t)l * size, (const char *)from + (size_t)ICF_MIN(l, n - 1) * size, size);
}

INLINE void rest_of(rest *r, const icf_lagged_lanes *lanes, icf_lid i, int n, const double (*vc)[3])
{
    for (int k = 0; k < ICF_LAGGED_CONSTANTS; ++k) {
        copy_rest(r->constants[k], lanes->value[k] + i, n, sizeof(double));
        r->value[k] = r->constants[k];
    }
    copy_rest(r->vc, vc, n, sizeof *vc);
}

static void evaluate(const icf_lagged_lanes *lanes, icf_lid first, icf_lid n, const double (*vc)[3],
                     const double (*dual)[2], double (*impulse)[3], icf_sym3 *hessian, double *cost)
{
    double sum = *cost;
    icf_lid i = 0;
    for (; i + LANES <= n; i += LANES) {
        const double *value[ICF_LAGGED_CONSTANTS];
        point_to(lanes, first + i, value);
        add_lanes(LANES, evaluate_four(value, vc + i, dual + i, impulse + i, hessian + i), &sum);
    }
    const int left = n - i;
    if (left > 0) {
        rest r;
        rest_of(&r, lanes, first + i, left, vc + i);
        copy_rest(r.dual, dual + i, left, sizeof *dual);
        const real costs = evaluate_four(r.value, r.vc, r.dual, r.impulse, r.hessian);
        add_lanes(left, costs, &sum);
        memcpy(impulse + i, r.impulse, (size_t)left * sizeof *impulse);
        memcpy(hessian + i, r.hessian, (size_t)left * sizeof *hessian);
    }
    *cost = sum;
}

static void slope(const icf_lagged_lanes *lanes, icf_lid first, icf_lid n, const double (*vc)[3],
                  const double (*dvc)[3], double alpha, double *along, double *curvature)
{
    double sum[2] = {*along, *curvature};
    icf_lid i = 0;
    for (; i + LANES <= n; i += LANES) {
        const double *value[ICF_LAGGED_CONSTANTS];
        point_to(lanes, first + i, value);
        const four2 both = slope_four(value, vc + i, dvc + i, alpha);
        add_lanes(LANES, both.x, &sum[0]);
        add_lanes(LANES, both.y, &sum[1]);
    }
    const int left = n - i;
    if (left > 0) {
        rest r;
        rest_of(&r, lanes, first + i, left, vc + i);
        copy_rest(r.dvc, dvc + i, left, sizeof *dvc);
        const four2 both = slope_four(r.value, r.vc, r.dvc, alpha);
        add_lanes(left, both.x, &sum[0]);
        add_lanes(left, both.y, &sum[1]);
    }
    *along = sum[0];
    *curvature = sum[1];
}

static void update_dual(const icf_lagged_lanes *lanes, icf_lid first, icf_lid n, const double (*vc)[3],
                        const double (*dvc)[3], double alpha, double (*dual)[2])
{
    icf_lid i = 0;
    for (; i + LANES <= n; i += LANES) {
        const double *value[ICF_LAGGED_CONSTANTS];
        point_to(lanes, first + i, value);
        update_four(value, vc + i, dvc + i, alpha, dual + i);
    }
    const int left = n - i;
    if (left > 0) {
        rest r;
        rest_of(&r, lanes, first + i, left, vc + i);
        copy_rest(r.dvc, dvc + i, left, sizeof *dvc);
        copy_rest(r.dual, dual + i, left, sizeof *dual);
        update_four(r.value, r.vc, r.dvc, alpha, r.dual);
        memcpy(dual + i, r.dual, (size_t)left * sizeof *dual);
    }
}

const icf_lagged_kernels ICF_KERNELS = {
    .name = ICF_NAME, .evaluate = evaluate, .slope = slope, .update_dual = update_dual};
