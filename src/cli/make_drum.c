/* `icf make drum`: a drum that turns about the y axis with bodies of mixed shapes and sizes in it.
 *
 * The drum is a ring of boxes (staves) and two square lids, all with one prescribed motion about the axis.  The bodies
 * start as a random packing in the box that stands in the drum and touches it along four lines.
 */
#include "cli/make.h"

enum { STAVES = 24 };

static const double pi = 3.14159265358979323846;
static const double thickness = 0.1; /* of staves and lids [m] */
static const double fill = 0.2;      /* of the box that holds the bodies at the start */

typedef struct drum_layout {
    icf_cnt n;         /* bodies */
    double speed;      /* rad/s */
    double radius;     /* inside; the drum is as long as that [m] */
    icf_population in; /* the bodies */
    icf_template template[ICF_MAKE_MIXED];
} drum_layout;

/* The box in a drum of radius and length r has the volume 2 r^3. */
static void lay_out(drum_layout *layout, uint64_t seed)
{
    icf_maker_mixed(layout->template);
    const double r = cbrt((double)layout->n * icf_maker_mixed_volume(layout->template) / (2.0 * fill));
    layout->radius = fmax(r, 0.15);
    const double half = layout->radius / sqrt(2.0);
    const icf_region box = {ICF_REGION_BOX, {0, 0, 0}, {half, 0.5 * layout->radius, half}};
    layout->in = icf_maker_packing(layout->n, &box, seed);
}

static icf_status write_turning(icf_maker *maker, const drum_layout *layout, const char *name, icf_vec3 half,
                                icf_vec3 position, double angle)
{
    icf_body_def def = icf_maker_solid(icf_maker_box(half), 0.0, position);
    def.name = name;
    def.orientation = (icf_quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
    def.motion = (icf_motion){.type = ICF_MOTION_VELOCITY};
    def.motion.steady.angular = icf_vec3_make(0.0, layout->speed, 0.0);
    return icf_maker_body(maker, &def);
}

/* Staves are as wide as the ring is outside, so that no corner is open; the angle turns z towards x. */
static icf_status write_drum(icf_maker *maker, const void *user)
{
    const drum_layout *layout = user;
    const double t = 0.5 * thickness, r = layout->radius, wide = (r + thickness) * tan(pi / STAVES);
    const icf_vec3 stave = {wide, 0.5 * r + thickness, t}, lid = {r + thickness, t, r + thickness};
    char name[32];
    for (int i = 0; i < STAVES; ++i) {
        const double angle = 2.0 * pi * i / STAVES;
        snprintf(name, sizeof name, "stave-%d", i);
        ICF_TRY(write_turning(maker, layout, name, stave,
                              icf_vec3_make((r + t) * sin(angle), 0.0, (r + t) * cos(angle)), angle));
    }
    ICF_TRY(write_turning(maker, layout, "lid-minus", lid, icf_vec3_make(0.0, -(0.5 * r + t), 0.0), 0.0));
    ICF_TRY(write_turning(maker, layout, "lid-plus", lid, icf_vec3_make(0.0, 0.5 * r + t, 0.0), 0.0));
    return icf_scene_add_population(&maker->scene, &layout->in, ICF_MAKE_MIXED, layout->template);
}

icf_status icf_make_drum(icf_context *context, int argc, char **argv)
{
    bool help;
    char name[64];
    icf_make_settings settings = icf_make_settings_default();
    drum_layout layout = {.n = 500, .speed = 1.0};
    settings.step = 0.002; /* small bodies spin up when they land */
    settings.duration = 12.6;
    settings.friction = 0.5;
    const icf_option options[] = {
        {"--bodies", ICF_OPTION_COUNT, "N", "number of bodies (default 500)", &layout.n, NULL, NULL},
        {"--speed", ICF_OPTION_POSITIVE, "W", "angular velocity [rad/s] (default 1)", &layout.speed, NULL, NULL},
        {"--list", ICF_OPTION_SET, NULL, "write every body instead of a population", &settings.list, NULL, NULL},
        ICF_MAKE_OPTIONS(&settings, "0.002", "12.6", "1e7", "10", "0.5"),
    };
    const icf_usage usage = {
        "icf make drum [options]",
        "A drum of 24 staves and two lids that turns about the y axis, with spheres, capsules, boxes,\n"
        "cylinders and ellipsoids of random size (4 to 13 cm, 1000 kg/m^3) and orientation; two turns.\n",
        0,
        NULL,
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, NULL, NULL, &help));
    if (help) return ICF_OK;
    lay_out(&layout, settings.seed);
    snprintf(name, sizeof name, "drum-%lld", (long long)layout.n);
    return icf_maker_write(context, &settings, name, true, write_drum, &layout);
}
