/* Elastic bodies: a few time steps with a dense solver against reference states: a tetrahedron let go, an inverted one,
 * bars pulled to large strain.  What the library's step does with sparse matrices, in its shortest form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fem_dense.h"

enum { max_vertices = 12 };

/* From an independent dense implementation. */
typedef struct checkpoint {
    int step;
    double x[max_vertices][3]; /* [m] */
    double reaction[3];        /* force of the supports [N] */
    double kinetic, elastic;   /* [J] */
} checkpoint;

static const checkpoint tet_free_vibration[] = {
    {1,
     {{0.0017729422447007974, 7.156298961485431e-05, 0.0010800829218517362},
      {0.10842327530238943, -0.0002055444670394625, 0.0029682625194691606},
      {0.004787951682949319, 0.0951969861377399, -4.605317485106137e-05},
      {1.5830769960461815e-05, 0.0019369953396847048, 0.10399770773353018}},
     {0.0, 0.0, 0.0},
     0.033079333584679384,
     0.06272092997763894},
    {25,
     {{0.004630779402168619, -0.0014404759922283061, 0.0018587104803216182},
      {0.10431256219586804, -0.001131231033465539, 0.005354469736636159},
      {0.003985998650694099, 0.09898487257462404, -0.000839160462171758},
      {0.002070659751269263, 0.0005868344510697752, 0.10162598024521398}},
     {0.0, 0.0, 0.0},
     2.6079906609672093e-05,
     0.000674365674869977},
};

static const checkpoint inverted_tet_first_steps[] = {
    {1,
     {{0.004333821598195463, -0.0014453251527690738, -0.01965551423808275},
      {0.12075232908862361, -0.0008009967778174915, -0.0019105614653297971},
      {0.010243344262516368, 0.09647296135800092, -0.008466707797867862},
      {-0.0053294949493354485, 0.0007733605725856688, -0.007967216498719593}},
     {0.0, 0.0, 0.0},
     1.676792815090093,
     7.521598101286919},
    {12,
     {{0.0056760041861168, -0.009509235602546316, -0.01818595131200331},
      {0.10459579247218434, -0.008552157943455287, -0.03508015133003986},
      {-0.0009911535530464314, 0.0824796571952634, -0.058029690269109334},
      {0.020719356894745272, 0.030581736350738246, 0.07329579291115268}},
     {0.0, 0.0, 0.0},
     0.09455811154215843,
     0.0029225728582476917},
};

static const checkpoint neo_hookean_stretch[] = {
    {1,
     {{-0.1, -0.05, -0.05},
      {0.01814200199246306, -0.04591172675830949, -0.044262849313122965},
      {0.1496700128724889, -0.042814617682834726, -0.03235935839315604},
      {-0.1, 0.05, -0.05},
      {0.016770144564132554, 0.04541704365478826, -0.04424500613781953},
      {0.15426355148192222, 0.04834086818859215, -0.029303724720962387},
      {-0.1, -0.05, 0.05},
      {0.01456091249565695, -0.046085729911250414, 0.04695261533680307},
      {0.14999142056491263, -0.03879836416828729, 0.05813420592714739},
      {-0.1, 0.05, 0.05},
      {0.009246083818162798, 0.04618815869651362, 0.047509535581278406},
      {0.1333519079867503, 0.04701049315978319, 0.05455198753395186}},
     {-244.83736146528548, 6.273100880593269, 5.440874071227881},
     5.3998326848932905,
     5.95763673179219},
    {15,
     {{-0.1, -0.05, -0.05},
      {0.07384574157365302, -0.033837134604424245, -0.019237273749830357},
      {0.2536670292784218, -0.03255856480691977, -0.0011432393181329235},
      {-0.1, 0.05, -0.05},
      {0.06176817935743982, 0.04357750085671271, -0.015128304394954543},
      {0.2661550004014999, 0.04978861250150964, 0.008434511636733193},
      {-0.1, -0.05, 0.05},
      {0.05826073233218882, -0.033362335619465444, 0.056693208641125356},
      {0.26059905972408853, -0.028441240154301096, 0.08182206610719275},
      {-0.1, 0.05, 0.05},
      {0.03723367173899862, 0.03915645185335376, 0.05443923408856149},
      {0.2349330657142844, 0.04341387509910597, 0.07666177075989737}},
     {-605.3976614793862, 1.602033790138762, -49.66786939596166},
     0.006857673265451461,
     51.869413435331516},
};

static const checkpoint st_venant_kirchhoff_stretch[] = {
    {1,
     {{-0.1, -0.05, -0.05},
      {0.013696130230816412, -0.047601544582682155, -0.04598684209109331},
      {0.13330784198804604, -0.046343119267758026, -0.03869521225606391},
      {-0.1, 0.05, -0.05},
      {0.014436276994516248, 0.04742627483803236, -0.046094138549113824},
      {0.1382778178566891, 0.048028129290571236, -0.03684760514722021},
      {-0.1, -0.05, 0.05},
      {0.012359680298076062, -0.04769031836752075, 0.04895757246609342},
      {0.1351021881265262, -0.043883450922173835, 0.055319749628329175},
      {-0.1, 0.05, 0.05},
      {0.01006994378794616, 0.0478671924649823, 0.04913166168053002},
      {0.12631700903590484, 0.048145618099424616, 0.05406300023097563}},
     {-221.4207618839912, 2.3107648909475103, 0.22673259139829582},
     3.012004152105814,
     3.6507956661229426},
    {15,
     {{-0.1, -0.05, -0.05},
      {0.03155639636214143, -0.04393425416015156, -0.03531535092449254},
      {0.16068548161845086, -0.04350803282322758, -0.024591033261927093},
      {-0.1, 0.05, -0.05},
      {0.03211182706306635, 0.04553503113761273, -0.03442691404867413},
      {0.16830148463444422, 0.04665738703101222, -0.020539378115120722},
      {-0.1, -0.05, 0.05},
      {0.02799711424492848, -0.042966907234091974, 0.05328906777437515},
      {0.16312945664054165, -0.039733019791789594, 0.0652334362581477},
      {-0.1, 0.05, 0.05},
      {0.024284255737712653, 0.04579476520947489, 0.052786758410162817},
      {0.15459103840240337, 0.04669890819469837, 0.06409513085542314}},
     {-499.9690701977055, -0.18457509865918809, -50.28879220747523},
     0.00026707302095884967,
     13.828736958201036},
};

typedef struct body {
    icf_tet_mesh mesh;
    icf_deformable_material material;
    icf_fem *fem;
    size_t ndof;
    bool fixed[max_vertices];
    icf_vec3 x[max_vertices], v[max_vertices], external[max_vertices];
    double dt;
    icf_vec3 reaction;
} body;

/* a u + b w */
static icf_vec3 combine(double a, icf_vec3 u, double b, icf_vec3 w)
{
    return icf_add(icf_scale(a, u), icf_scale(b, w));
}

/* D(x) u = alpha M u + beta_R K(x) u */
static void damping_product(const body *b, const icf_vec3 *x, const icf_vec3 *u, icf_vec3 *y)
{
    icf_vec3 k[max_vertices];
    icf_fem_stiffness_product(b->fem, x, u, k);
    icf_fem_mass_product(b->fem, u, y);
    for (icf_lid i = 0; i < b->mesh.nvertex; ++i)
        y[i] = combine(b->material.mass_damping, y[i], b->material.stiffness_damping, k[i]);
}

/* Solves a dv = rhs with the rows of fixed vertices dropped; a is overwritten. */
static void solve(const body *b, double *a, icf_vec3 *rhs)
{
    const size_t n = b->ndof;
    double *r = &rhs[0].x;
    for (size_t i = 0; i < n; ++i) {
        if (!b->fixed[i / 3]) continue;
        for (size_t j = 0; j < n; ++j) a[n * i + j] = a[n * j + i] = 0.0;
        a[n * i + i] = 1.0;
        r[i] = 0.0;
    }
    cholesky(n, a);
    forward(n, a, r, 1);
    backward(n, a, r);
}

/* (M + dt^2 (K + Kg) + dt D) dv = dt [f_ext - f_el(x0) - D v0 - dt K v0] */
static void corotational_step(body *b)
{
    const icf_lid n = b->mesh.nvertex;
    const double dt = b->dt, alpha = b->material.mass_damping, beta = b->material.stiffness_damping;
    icf_vec3 f[max_vertices], d[max_vertices], k[max_vertices];
    icf_fem_set_state(b->fem, b->x);
    icf_fem_force(b->fem, b->x, f);
    damping_product(b, NULL, b->v, d);
    icf_fem_stiffness_product(b->fem, NULL, b->v, k);
    double *a = dense_of(
        b->fem, NULL, (icf_fem_weights){.mass = 1.0 + dt * alpha, .stiffness = dt * (dt + beta), .geometric = dt * dt});
    for (icf_lid i = 0; i < n; ++i)
        f[i] = icf_scale(dt, icf_sub(icf_sub(b->external[i], f[i]), icf_mul_add(d[i], dt, k[i])));
    solve(b, a, f);
    for (icf_lid i = 0; i < n; ++i) {
        b->v[i] = icf_add(b->v[i], f[i]);
        b->x[i] = icf_mul_add(b->x[i], dt, b->v[i]);
    }
    icf_free(a);
}

static void positions_at(const body *b, const icf_vec3 *v, icf_vec3 *x)
{
    for (icf_lid i = 0; i < b->mesh.nvertex; ++i) x[i] = icf_mul_add(b->x[i], b->dt, v[i]);
}

/* r = M (v - v0)/dt + f_el(x0 + dt v) + D(x0) v - f_ext */
static void residual(const body *b, const icf_vec3 *v, icf_vec3 *r)
{
    icf_vec3 x[max_vertices] = {{0}}, f[max_vertices], d[max_vertices], dv[max_vertices] = {{0}};
    const icf_lid n = b->mesh.nvertex;
    positions_at(b, v, x);
    icf_fem_force(b->fem, x, f);
    damping_product(b, b->x, v, d);
    for (icf_lid i = 0; i < n; ++i) dv[i] = icf_sub(v[i], b->v[i]);
    icf_fem_mass_product(b->fem, dv, r);
    for (icf_lid i = 0; i < n; ++i) r[i] = icf_add(icf_mul_add(f[i], 1.0 / b->dt, r[i]), icf_sub(d[i], b->external[i]));
}

/* Slope of the incremental potential along dv: the residual of the free vertices times dv. */
static double slope(const body *b, const icf_vec3 *v, const icf_vec3 *dv)
{
    icf_vec3 r[max_vertices];
    double sum = 0.0;
    residual(b, v, r);
    for (icf_lid i = 0; i < b->mesh.nvertex; ++i) sum += icf_dot(r[i], dv[i]);
    return sum;
}

/* One Newton iteration: halves the step until the potential still falls, or hardly rises, at its end. */
static double newton_iteration(body *b, icf_vec3 *v)
{
    const icf_lid n = b->mesh.nvertex;
    const double dt = b->dt, alpha = b->material.mass_damping, beta = b->material.stiffness_damping;
    icf_vec3 x[max_vertices] = {{0}}, dv[max_vertices], next[max_vertices] = {{0}};
    residual(b, v, dv);
    positions_at(b, v, x);
    double *a = dense_of(b->fem, x, (icf_fem_weights){.mass = 1.0 / dt + alpha, .stiffness = dt});
    double *d = dense_of(b->fem, b->x, (icf_fem_weights){.stiffness = beta});
    for (size_t k = 0; k < b->ndof * b->ndof; ++k) a[k] += d[k];
    solve(b, a, dv);
    for (icf_lid i = 0; i < n; ++i) dv[i] = icf_neg(dv[i]);
    const double start = slope(b, v, dv);
    for (double step = 1.0; step > 1e-3; step *= 0.5) {
        for (icf_lid i = 0; i < n; ++i) next[i] = icf_mul_add(v[i], step, dv[i]);
        if (slope(b, next, dv) <= 0.5 * fabs(start)) break;
    }
    memcpy(v, next, (size_t)n * sizeof *v);
    icf_free(a), icf_free(d);
    return fixture_largest(dv, n);
}

static void nonlinear_step(body *b)
{
    const icf_lid n = b->mesh.nvertex;
    icf_vec3 v[max_vertices], r[max_vertices];
    memcpy(v, b->v, sizeof v);
    int iterations = 0;
    while (newton_iteration(b, v) > 1e-13 && ++iterations < 40) {
    }
    residual(b, v, r);
    b->reaction = icf_vec3_make(0.0, 0.0, 0.0);
    for (icf_lid i = 0; i < n; ++i) {
        if (b->fixed[i])
            b->reaction = icf_add(b->reaction, r[i]);
        else
            assert_near(icf_norm(r[i]), 0.0, 1e-9);
    }
    positions_at(b, v, r);
    memcpy(b->x, r, (size_t)n * sizeof *r);
    memcpy(b->v, v, (size_t)n * sizeof *v);
}

static double kinetic_energy(const body *b)
{
    icf_vec3 p[max_vertices];
    double sum = 0.0;
    icf_fem_mass_product(b->fem, b->v, p);
    for (icf_lid i = 0; i < b->mesh.nvertex; ++i) sum += 0.5 * icf_dot(p[i], b->v[i]);
    return sum;
}

static void assert_state(const body *b, const checkpoint *expected)
{
    for (icf_lid i = 0; i < b->mesh.nvertex; ++i)
        for (int c = 0; c < 3; ++c) assert_near(icf_get(b->x[i], c), expected->x[i][c], 1e-10);
    for (int c = 0; c < 3; ++c) assert_near(icf_get(b->reaction, c), expected->reaction[c], 1e-6);
    assert_near(kinetic_energy(b), expected->kinetic, 1e-8 * expected->kinetic);
    assert_near(icf_fem_energy(b->fem, b->x), expected->elastic, 1e-8 * expected->elastic);
}

/* Steps to each of two checkpoints. */
static void run(body *b, const checkpoint expected[2])
{
    b->fem = fixture_fem(&b->mesh, &b->material, 1);
    b->ndof = 3 * (size_t)b->mesh.nvertex;
    for (int step = 0, k = 0; k < 2; ++k) {
        for (; step < expected[k].step; ++step) {
            if (b->material.model == ICF_ELASTIC_COROTATIONAL)
                corotational_step(b);
            else
                nonlinear_step(b);
        }
        assert_state(b, &expected[k]);
    }
    icf_fem_destroy(&b->fem);
}

/* The tetrahedron of 0.1 m along the axes, let go at given positions. */
static void run_tetrahedron(const double x[4][3], double dt, double stiffness_damping, const checkpoint expected[2])
{
    icf_vec3 vertex[4] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
    icf_lid tet[1][4] = {{0, 1, 2, 3}};
    body b = {.mesh = {.nvertex = 4, .vertex = vertex, .ntet = 1, .tet = tet},
              .material = fixture_material(ICF_ELASTIC_COROTATIONAL),
              .dt = dt};
    b.material.stiffness_damping = stiffness_damping;
    for (int i = 0; i < 4; ++i) b.x[i] = icf_vec3_make(x[i][0], x[i][1], x[i][2]);
    run(&b, expected);
}

static void free_vibration(void **state)
{
    (void)state;
    const double x[4][3] = {{0, 0, 0}, {0.11, 0, 0.003}, {0.005, 0.095, 0}, {0, 0.002, 0.105}};
    run_tetrahedron(x, 0.001, 0.0, tet_free_vibration);
}

static void inverted_tetrahedron(void **state)
{
    (void)state;
    const double x[4][3] = {{0, 0, 0}, {0.12, 0, 0.002}, {0.01, 0.09, 0}, {0, 0.005, -0.04}};
    run_tetrahedron(x, 0.002, 0.002, inverted_tet_first_steps);
}

/* A bar of 2 x 1 x 1 cells, held at one end, pulled at the other. */
static void run_stretch(icf_elastic_model model, double poissons_ratio, double force, const checkpoint expected[2])
{
    body b = {.material = fixture_material(model), .dt = 0.01};
    b.material.poissons_ratio = poissons_ratio;
    b.material.stiffness_damping = 0.005;
    fixture_box(&b.mesh, icf_vec3_make(0.2, 0.1, 0.1), 2, 1, 1);
    for (icf_lid i = 0; i < b.mesh.nvertex; ++i) {
        b.x[i] = b.mesh.vertex[i];
        b.fixed[i] = b.x[i].x < -0.099;
        if (b.x[i].x > 0.099) b.external[i] = icf_vec3_make(force, 0.0, 0.1 * force);
    }
    run(&b, expected);
    icf_tet_mesh_clear(&b.mesh);
}

static void stretch_of_a_neo_hookean_bar(void **state)
{
    (void)state;
    run_stretch(ICF_ELASTIC_NEO_HOOKEAN, 0.4, 150.0, neo_hookean_stretch);
}

static void stretch_of_a_st_venant_kirchhoff_bar(void **state)
{
    (void)state;
    run_stretch(ICF_ELASTIC_ST_VENANT_KIRCHHOFF, 0.3, 125.0, st_venant_kirchhoff_stretch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_vibration),
        cmocka_unit_test(inverted_tetrahedron),
        cmocka_unit_test(stretch_of_a_neo_hookean_bar),
        cmocka_unit_test(stretch_of_a_st_venant_kirchhoff_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
