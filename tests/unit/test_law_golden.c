/* The contact laws against tables of an independent implementation (tests/golden/law_*.json): 200 rows of
 * parameters and velocity with cost, impulse and Hessian each, to the tolerance the table states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "law_call.h"

static double number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static void read_vector(const json_t *array, double *vector)
{
    assert_int_equal(json_array_size(array), 3);
    for (size_t i = 0; i < 3; ++i) vector[i] = json_number_value(json_array_get(array, i));
}

static icf_normal_law normal_law(const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "normal"));
    if (!name || strcmp(name, "linear") == 0) return ICF_NORMAL_LINEAR;
    if (strcmp(name, "hertz") == 0) return ICF_NORMAL_HERTZ;
    assert_string_equal(name, "log");
    return ICF_NORMAL_LOG_BARRIER;
}

static icf_model model_of(const json_t *table)
{
    const char *name = json_string_value(json_object_get(table, "model"));
    assert_non_null(name);
    return strcmp(name, "sap") == 0       ? ICF_MODEL_SAP
           : strcmp(name, "similar") == 0 ? ICF_MODEL_SIMILAR
                                          : ICF_MODEL_LAGGED;
}

static icf_material material_of(const json_t *params)
{
    icf_material material = {
        .normal = normal_law(params),
        .stiffness = number(params, "k", number(params, "kappa", 0.0)),
        .dissipation = number(params, "d", 0.0),
        .relaxation_time = number(params, "tau_d", 0.0),
    };
    const json_t *mu = json_object_get(params, "mu");
    material.anisotropic = json_is_array(mu);
    for (size_t i = 0; i < 2; ++i)
        material.friction[i] = json_number_value(material.anisotropic ? json_array_get(mu, i) : mu);
    return material;
}

static icf_law law_of(icf_model model, const json_t *row)
{
    const json_t *params = json_object_get(row, "params");
    const icf_contact_settings settings = {
        .model = model,
        .regularized = json_is_true(json_object_get(params, "regularised")),
        .stiction_tolerance = number(params, "v_s", 1e-4),
        .sigma = number(params, "sigma", 1e-3),
        .near_rigid = number(params, "beta", 0.0), /* null: no clamp */
    };
    const icf_material material = material_of(params);
    icf_law law;
    icf_law_init(&law, &settings, &material, number(row, "dt", 0.0), number(row, "phi0", 0.0), number(row, "vn0", 0.0),
                 number(row, "w", 0.0));
    return law;
}

/* Largest |a - b| relative to the largest |b|. */
static double relative_error(const double *a, const double *b, int n)
{
    double error = 0.0, scale = 0.0;
    for (int i = 0; i < n; ++i) {
        error = fmax(error, fabs(a[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return error == 0.0 ? 0.0 : error / scale;
}

/* The constants that a row states, where it does. */
static void check_constants(const icf_law *law, const json_t *row)
{
    const struct {
        const char *key;
        double value;
    } constants[] = {{"gamma_n0", law->lagged_impulse},
                     {"eps_s", law->slip},
                     {"R_t", law->rt},
                     {"R_n", law->rn},
                     {"vhat_n", law->vhat}};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; ++i) {
        const double expected = number(row, constants[i].key, constants[i].value);
        assert_true(fabs(constants[i].value - expected) <= 1e-13 * fabs(expected));
    }
}

static void check_row(icf_model model, const json_t *row, const json_t *tolerance)
{
    const icf_law law = law_of(model, row);
    check_constants(&law, row);
    double vc[3], impulse[3], expected_impulse[3], expected_rows[9];
    read_vector(json_object_get(row, "v_c"), vc);
    read_vector(json_object_get(row, "impulse"), expected_impulse);
    for (size_t i = 0; i < 3; ++i)
        read_vector(json_array_get(json_object_get(row, "hessian"), i), expected_rows + 3 * i);

    icf_sym3 hessian;
    const double cost = law_cost(&law, vc, impulse), expected_cost = number(row, "cost", NAN);
    law_hessian(&law, vc, NULL, &hessian);
    const double *h = hessian.m, rows[9] = {h[0], h[1], h[3], h[1], h[2], h[4], h[3], h[4], h[5]};
    const double scale = fabs(expected_cost) + 1e-5 * fabs(number(row, "cost_text_gauge", 0.0));
    assert_true(fabs(cost - expected_cost) <= number(tolerance, "cost_rel", 0.0) * scale);
    assert_true(relative_error(impulse, expected_impulse, 3) <= number(tolerance, "impulse_rel", 0.0));
    assert_true(relative_error(rows, expected_rows, 9) <= number(tolerance, "hessian_rel", 0.0));
}

static void table_is_reproduced(void **state)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/law_%s.json", ICF_SOURCE_DIR, (const char *)*state);
    json_error_t error;
    json_t *table = json_load_file(path, 0, &error);
    if (!table) fail_msg("%s: %s", path, error.text);
    const json_t *rows = json_object_get(table, "rows"), *tolerance = json_object_get(table, "tolerance"), *row;
    assert_int_equal(json_array_size(rows), 200);
    size_t i;
    json_array_foreach(rows, i, row) check_row(model_of(table), row, tolerance);
    json_decref(table);
}

int main(void)
{
    static const char *const names[] = {
        "lagged", "lagged_anisotropic", "lagged_logbarrier", "lagged_regularised", "sap", "similar", "similar_hertz"};
    struct CMUnitTest tests[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        tests[i] = (struct CMUnitTest){
            .name = names[i], .test_func = table_is_reproduced, .initial_state = (void *)(uintptr_t)names[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
