/* `icf make cradle`: a straight chain of touching spheres that another sphere hits, without gravity.
 *
 * Elastic and frictionless by default, with a step that resolves the impact: about 80 steps in the half period
 * pi sqrt(m/(2 k)) of two spheres.
 */
#include "cli/make.h"

static const double radius = 0.05, mass = 0.5; /* m, kg */
static const double gap = 0.01;                /* that the first sphere has to go [m] */

typedef struct cradle_layout {
    icf_cnt n;
    double speed; /* of the first sphere [m/s] */
} cradle_layout;

static icf_status write_cradle(icf_maker *maker, const void *user)
{
    const cradle_layout *layout = user;
    icf_body_def first = icf_maker_solid(icf_maker_sphere(radius), mass, (icf_vec3){-gap, 0.0, 0.0});
    first.linear_velocity.x = layout->speed;
    ICF_TRY(icf_maker_body(maker, &first));
    for (icf_cnt i = 1; i < layout->n; ++i) {
        const icf_vec3 position = {2.0 * radius * (double)i, 0.0, 0.0};
        const icf_body_def def = icf_maker_solid(icf_maker_sphere(radius), mass, position);
        ICF_TRY(icf_maker_body(maker, &def));
    }
    return ICF_OK;
}

icf_status icf_make_cradle(icf_context *context, int argc, char **argv)
{
    bool help;
    char name[64];
    icf_make_settings settings = icf_make_settings_default();
    cradle_layout layout = {.n = 5, .speed = 1.0};
    settings.step = 2e-5;
    settings.duration = 0.05;
    settings.stiffness = 1e6;
    settings.dissipation = 0.0;
    settings.friction = 0.0;
    const icf_option options[] = {
        {"--bodies", ICF_OPTION_COUNT, "N", "number of spheres (default 5)", &layout.n, NULL, NULL},
        {"--speed", ICF_OPTION_POSITIVE, "V", "speed of the first sphere [m/s] (default 1)", &layout.speed, NULL, NULL},
        ICF_MAKE_OPTIONS(&settings, "2e-5", "0.05", "1e6", "0", "0"),
    };
    const icf_usage usage = {
        "icf make cradle [options]",
        "A straight chain of touching spheres (0.5 kg, radius 0.05 m) that another one hits, without\n"
        "gravity.\n",
        0,
        NULL,
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, NULL, NULL, &help));
    if (help) return ICF_OK;
    snprintf(name, sizeof name, "cradle-%lld", (long long)layout.n);
    return icf_maker_write(context, &settings, name, false, write_cradle, &layout);
}
