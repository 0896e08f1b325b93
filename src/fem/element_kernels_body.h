/* Source of the element kernels; included by one file per instruction set, which defines
 *
 *     ICF_LANES     doubles in a vector: 2, 4 or 8
 *     ICF_KERNELS   the icf_element_kernels object to define
 *     ICF_NAME      its name
 *
 * With rotated gradients h_i = R g_i the corotational blocks need no 9x9 tangent:
 *     K_ij  = V [mu (h_i.h_j 1 + h_j h_i^T) + lambda h_i h_j^T]
 *     Kg_ij = V/2 [h_i]x^T Q' [h_j]x
 * Those of the other models are built in the frames U, V of F = U diag(s) V^T, with g'_i = V^T g_i:
 *     K_ij = V U B U^T,  B_ac = A_ac g'_ia g'_jc + exchanged_ac g'_ic g'_ja (a != c),
 *     B_aa = A_aa g'_ia g'_ja + sum over c != a of same_ac g'_ic g'_jc
 */
#include "fem/element_kernels.h"
#include "fem/models_body.h"

typedef real lane_vector __attribute__((may_alias));

static const int pair_row[ICF_FEM_PAIRS] = {1, 2, 3, 2, 3, 3}, pair_column[ICF_FEM_PAIRS] = {0, 0, 0, 1, 1, 2};

INLINE real load(const double *lanes)
{
    return *(const lane_vector *)lanes;
}

INLINE void store(double *lanes, real value)
{
    *(lane_vector *)lanes = value;
}

INLINE void load_all(int n, const icf_lanes *from, int l, real *to)
{
    for (int k = 0; k < n; ++k) to[k] = load(from[k] + l);
}

INLINE void store_all(int n, const real *from, icf_lanes *to, int l)
{
    for (int k = 0; k < n; ++k) store(to[k] + l, from[k]);
}

/* R0; the identity for models without a state, which do not use it */
INLINE void load_rotation(const icf_fem_state *state, int l, real r[9])
{
    for (int k = 0; k < 9; ++k) r[k] = state ? load(state->rotation[k] + l) : all_lanes(k % 4 == 0 ? 1.0 : 0.0);
}

/* Gradient of a vertex quantity u (4, 3): sum u_i g_i^T, row-major. */
INLINE void gradient_of(const icf_fem_batch *batch, const icf_lanes *u, int l, real f[9])
{
    real g[9];
    load_all(9, batch->gradient, l, g);
    for (int r = 0; r < 3; ++r) {
        const real base = load(u[r] + l);
        const real d[3] = {load(u[3 + r] + l) - base, load(u[6 + r] + l) - base, load(u[9 + r] + l) - base};
        for (int c = 0; c < 3; ++c) f[3 * r + c] = d[0] * g[c] + d[1] * g[3 + c] + d[2] * g[6 + c];
    }
}

/* y_i = V p g_i */
INLINE void forces_of(const icf_fem_batch *batch, const real p[9], icf_lanes *y, int l)
{
    const real volume = load(batch->volume + l);
    real sum[3] = {all_lanes(0.0), all_lanes(0.0), all_lanes(0.0)};
    for (int i = 0; i < 3; ++i) {
        real g[3], f[3];
        load_all(3, batch->gradient + 3 * i, l, g);
        for (int r = 0; r < 3; ++r) {
            f[r] = volume * dot3(p + 3 * r, g);
            sum[r] -= f[r];
        }
        store_all(3, f, y + 3 * (i + 1), l);
    }
    store_all(3, sum, y, l);
}

static void rotate(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x, icf_fem_state *state)
{
    for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
        real f[9], r[9], q[6];
        gradient_of(batch, x, l, f);
        rotation_and_geometric(law->lame, f, r, q);
        store_all(9, r, state->rotation, l);
        store_all(6, q, state->geometric, l);
    }
}

static void force(const icf_element_law *law, const icf_fem_batch *batch, const icf_fem_state *state,
                  const icf_lanes *x, icf_lanes *f)
{
    for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
        real gradient[9], r[9], p[9];
        gradient_of(batch, x, l, gradient);
        load_rotation(state, l, r);
        model_stress(law->model, law->lame, r, gradient, p);
        forces_of(batch, p, f, l);
    }
}

/* Frames of F and the tangent in them, not projected. */
INLINE void tangent_at(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x, int l, real u[9],
                       real v[9], tangent *t)
{
    real f[9], s[3];
    gradient_of(batch, x, l, f);
    svd3(f, u, s, v);
    model_tangent(law->model, law->lame, s, t);
}

static void stiffness_product(const icf_element_law *law, const icf_fem_batch *batch, const icf_fem_state *state,
                              const icf_lanes *x, const icf_lanes *u, icf_lanes *y)
{
    for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
        real df[9], dp[9];
        gradient_of(batch, u, l, df);
        if (law->model == ICF_ELASTIC_COROTATIONAL) {
            real r[9];
            load_rotation(state, l, r);
            corotational_linear(law->lame, r, df, dp);
        } else {
            real left[9], right[9];
            tangent t;
            tangent_at(law, batch, x, l, left, right, &t);
            project_tangent(&t);
            apply_tangent(&t, left, right, df, dp);
        }
        forces_of(batch, dp, y, l);
    }
}

static void geometric_product(const icf_fem_batch *batch, const icf_fem_state *state, const icf_lanes *u, icf_lanes *y)
{
    for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
        real df[9], r[9], q[6], dp[9];
        gradient_of(batch, u, l, df);
        load_rotation(state, l, r);
        load_all(6, state->geometric, l, q);
        geometric_linear(q, r, df, dp);
        forces_of(batch, dp, y, l);
    }
}

/* h_i = r g_i (or r^T g_i) for the four vertices */
INLINE void turned_gradients(const icf_fem_batch *batch, const real r[9], bool transposed, int l, real h[4][3])
{
    for (int c = 0; c < 3; ++c) h[0][c] = all_lanes(0.0);
    for (int i = 1; i < 4; ++i) {
        real g[3];
        load_all(3, batch->gradient + 3 * (i - 1), l, g);
        for (int c = 0; c < 3; ++c) {
            const real row[3] = {transposed ? r[c] : r[3 * c], transposed ? r[3 + c] : r[3 * c + 1],
                                 transposed ? r[6 + c] : r[3 * c + 2]};
            h[i][c] = dot3(row, g);
            h[0][c] -= h[i][c];
        }
    }
}

/* block += mu (h_i.h_j 1 + h_j h_i^T) + lambda h_i h_j^T */
INLINE void add_corotational(real mu, real lambda, const real h_i[3], const real h_j[3], real block[9])
{
    const real spherical = mu * dot3(h_i, h_j);
    for (int c = 0; c < 3; ++c) {
        const real i_c = mu * h_i[c], j_c = lambda * h_j[c];
        for (int r = 0; r < 3; ++r) block[3 * c + r] += h_j[r] * i_c + h_i[r] * j_c;
        block[4 * c] += spherical;
    }
}

/* c = q [h]x, the columns of a matrix (column, row) */
INLINE void symmetric_times_cross(const real q[6], const real h[3], real c[3][3])
{
    const real zero = all_lanes(0.0);
    const real columns[3][3] = {{zero, h[2], -h[1]}, {-h[2], zero, h[0]}, {h[1], -h[0], zero}};
    for (int k = 0; k < 3; ++k) symmetric_times(q, columns[k], c[k]);
}

/* block += [h]x^T c: the columns of [h]x^T c are those of c crossed with h */
INLINE void add_geometric(const real h[3], real c[3][3], real block[9])
{
    for (int k = 0; k < 3; ++k) {
        real column[3];
        cross3(c[k], h, column);
        for (int r = 0; r < 3; ++r) block[3 * k + r] += column[r];
    }
}

/* The block starts with the mass on its diagonal. */
INLINE void start_block(real mass, real block[9])
{
    for (int k = 0; k < 9; ++k) block[k] = k % 4 == 0 ? mass : all_lanes(0.0);
}

static void corotational_matrix(const icf_element_law *law, const icf_fem_batch *batch, const icf_fem_state *state,
                                icf_lanes *value)
{
    for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
        const real volume = load(batch->volume + l), mass = law->mass * volume, stiffness = law->stiffness * volume;
        const real mu = law->lame.mu * stiffness, lambda = law->lame.lambda * stiffness;
        real r[9], q[6], h[4][3], c[4][3][3];
        load_rotation(state, l, r);
        turned_gradients(batch, r, false, l, h);
        if (law->geometric != 0.0) {
            load_all(6, state->geometric, l, q);
            for (int k = 0; k < 6; ++k) q[k] *= 0.5 * law->geometric * volume;
            for (int i = 0; i < 4; ++i) symmetric_times_cross(q, h[i], c[i]);
        }
        for (int b = 0; b < ICF_FEM_BLOCKS; ++b) {
            const int i = b < 4 ? b : pair_row[b - 4], j = b < 4 ? b : pair_column[b - 4];
            real block[9];
            start_block(b < 4 ? 2.0 * mass : mass, block);
            add_corotational(mu, lambda, h[i], h[j], block);
            if (law->geometric != 0.0) add_geometric(h[i], c[j], block);
            store_all(9, block, value + 9 * b, l);
        }
    }
}

/* b (row-major): dP/dF contracted with g_i, g_j in the frames U, V */
INLINE void contract_tangent(const tangent *t, const real g_i[3], const real g_j[3], real b[9])
{
    const int diagonal[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c) b[3 * a + c] = t->diagonal[diagonal[3 * a + c]] * g_i[a] * g_j[c];
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, c = (k + 2) % 3; /* the pair of axes other than k */
        b[4 * a] += t->same[k] * g_i[c] * g_j[c];
        b[4 * c] += t->same[k] * g_i[a] * g_j[a];
        b[3 * a + c] += t->exchanged[k] * g_i[c] * g_j[a];
        b[3 * c + a] += t->exchanged[k] * g_i[a] * g_j[c];
    }
}

/* block += w u b u^T, block column-major */
INLINE void add_turned(real w, const real u[9], const real b[9], real block[9])
{
    real left[9], full[9];
    multiply(u, b, left);
    rotation_of(left, u, full);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) block[3 * c + r] += w * full[3 * r + c];
}

static void nonlinear_matrix(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x,
                             icf_lanes *value)
{
    for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
        const real volume = load(batch->volume + l), mass = law->mass * volume;
        real u[9], v[9], g[4][3];
        tangent t;
        tangent_at(law, batch, x, l, u, v, &t);
        weigh_tangent(law->stiffness, law->negative, &t);
        turned_gradients(batch, v, true, l, g);
        for (int n = 0; n < ICF_FEM_BLOCKS; ++n) {
            const int i = n < 4 ? n : pair_row[n - 4], j = n < 4 ? n : pair_column[n - 4];
            real block[9], b[9];
            start_block(n < 4 ? 2.0 * mass : mass, block);
            contract_tangent(&t, g[i], g[j], b);
            add_turned(volume, u, b, block);
            store_all(9, block, value + 9 * n, l);
        }
    }
}

/* The upper triangles of the diagonal blocks become those below, to the last bit. */
static void make_symmetric(icf_lanes *value)
{
    for (int i = 0; i < 4; ++i)
        for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
            icf_lanes *block = value + 9 * i;
            store(block[3] + l, load(block[1] + l));
            store(block[6] + l, load(block[2] + l));
            store(block[7] + l, load(block[5] + l));
        }
}

static void matrix(const icf_element_law *law, const icf_fem_batch *batch, const icf_fem_state *state,
                   const icf_lanes *x, icf_lanes *value)
{
    if (law->model == ICF_ELASTIC_COROTATIONAL)
        corotational_matrix(law, batch, state, value);
    else
        nonlinear_matrix(law, batch, x, value);
    make_symmetric(value);
}

static void energy_density(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x,
                           icf_lanes *density)
{
    for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
        real f[9], u[9], s[3], v[9];
        gradient_of(batch, x, l, f);
        svd3(f, u, s, v);
        store(*density + l, model_energy(law->model, law->lame, s));
    }
}

/* sqrt(3/2) times the norm of the deviator of a symmetric tensor */
INLINE real von_mises_of(const real a[9])
{
    const real x = a[0] - a[4], y = a[4] - a[8], z = a[8] - a[0];
    const real shear = square(0.5 * (a[1] + a[3])) + square(0.5 * (a[2] + a[6])) + square(0.5 * (a[5] + a[7]));
    return root(0.5 * (x * x + y * y + z * z) + 3.0 * shear);
}

static void von_mises(const icf_element_law *law, const icf_fem_batch *batch, const icf_lanes *x, icf_lanes *stress)
{
    for (int l = 0; l < ICF_FEM_LANES; l += ICF_LANES) {
        real f[9], u[9], s[3], v[9], r[9], p[9], kirchhoff[9];
        gradient_of(batch, x, l, f);
        svd3(f, u, s, v);
        rotation_of(u, v, r);
        model_stress(law->model, law->lame, r, f, p);
        rotation_of(p, f, kirchhoff); /* P F^T */
        store(*stress + l, von_mises_of(kirchhoff) / larger(s[0] * s[1] * s[2], all_lanes(0.01)));
    }
}

const icf_element_kernels ICF_KERNELS = {
    .name = ICF_NAME,
    .rotate = rotate,
    .force = force,
    .stiffness_product = stiffness_product,
    .geometric_product = geometric_product,
    .matrix = matrix,
    .energy_density = energy_density,
    .von_mises = von_mises,
};
