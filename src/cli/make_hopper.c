/* `icf make hopper`: a funnel above the ground, from which bodies of mixed shapes and sizes run out.
 *
 *        | . . . . |     bin, four fixed walls; the bodies start in it as a random packing
 *        | . . . . |
 *         \ . . . /      funnel, four fixed plates at 60 degrees
 *          \ . . /
 *           |   |        outlet
 *        -----------     ground
 */
#include "cli/make.h"

static const double pi = 3.14159265358979323846;
static const double thickness = 0.1;                /* of walls and plates [m] */
static const double fill = 0.2;                     /* of the bin at the start */
static const double slope = 1.04719755119659774615; /* 60 degrees [rad] */

typedef struct hopper_layout {
    icf_cnt n;         /* bodies */
    double outlet;     /* width [m] */
    double half;       /* half width of the bin; its height is four times that [m] */
    double low, high;  /* outlet and upper edge of the funnel over the ground [m] */
    icf_population in; /* the bodies */
    icf_template template[ICF_MAKE_MIXED];
} hopper_layout;

/* A bin of half width b and height 4 b has the volume 16 b^3. */
static void lay_out(hopper_layout *layout, uint64_t seed)
{
    icf_maker_mixed(layout->template);
    const double b = cbrt((double)layout->n * icf_maker_mixed_volume(layout->template) / (16.0 * fill));
    layout->half = fmax(b, layout->outlet);
    layout->low = 2.0 * layout->half;
    layout->high = layout->low + (layout->half - 0.5 * layout->outlet) * tan(slope);
    const icf_region box = {
        ICF_REGION_BOX, {0, 0, layout->high + 2.0 * layout->half}, {layout->half, layout->half, 2.0 * layout->half}};
    layout->in = icf_maker_packing(layout->n, &box, seed);
}

/* Writes a box that stands on the +x side, and its copies on the +y, -x and -y sides. */
static icf_status write_sides(icf_maker *maker, const char *name, icf_vec3 half, icf_vec3 position, icf_quat tilt)
{
    static const char *const side[4] = {"x-plus", "y-plus", "x-minus", "y-minus"};
    for (int i = 0; i < 4; ++i) {
        char text[32];
        const icf_quat q = {cos(0.25 * pi * i), 0, 0, sin(0.25 * pi * i)};
        snprintf(text, sizeof text, "%s-%s", name, side[i]);
        icf_body_def def = icf_maker_solid(icf_maker_box(half), 0.0, icf_rotate(q, position));
        def.name = text;
        def.orientation = icf_quat_mul(q, tilt);
        def.motion.type = ICF_MOTION_FIXED;
        ICF_TRY(icf_maker_body(maker, &def));
    }
    return ICF_OK;
}

/* Plates are behind the planes of the funnel, which alone bound it: they may be wider than it is there. */
static icf_status write_hopper(icf_maker *maker, const void *user)
{
    const hopper_layout *layout = user;
    const double t = 0.5 * thickness, b = layout->half, o = 0.5 * layout->outlet;
    const double length = hypot(b - o, layout->high - layout->low);
    const icf_vec3 wall = {t, b + thickness, 2.0 * b + t}, plate = {0.5 * length, b + thickness, t};
    const icf_vec3 middle = {0.5 * (o + b) + t * sin(slope), 0.0, 0.5 * (layout->low + layout->high) - t * cos(slope)};
    const icf_quat upright = {1, 0, 0, 0}, tilt = {cos(0.5 * slope), 0, -sin(0.5 * slope), 0};
    ICF_TRY(icf_maker_ground(maker));
    ICF_TRY(write_sides(maker, "wall", wall, icf_vec3_make(b + t, 0.0, layout->high + 2.0 * b - t), upright));
    ICF_TRY(write_sides(maker, "plate", plate, middle, tilt));
    return icf_scene_add_population(&maker->scene, &layout->in, ICF_MAKE_MIXED, layout->template);
}

icf_status icf_make_hopper(icf_context *context, int argc, char **argv)
{
    bool help;
    char name[64];
    icf_make_settings settings = icf_make_settings_default();
    hopper_layout layout = {.n = 500, .outlet = 0.4};
    settings.step = 0.002; /* small bodies spin up when they land */
    settings.duration = 5.0;
    settings.friction = 0.3;
    const icf_option options[] = {
        {"--bodies", ICF_OPTION_COUNT, "N", "number of bodies (default 500)", &layout.n, NULL, NULL},
        {"--outlet", ICF_OPTION_POSITIVE, "W", "width of the outlet [m] (default 0.4)", &layout.outlet, NULL, NULL},
        {"--list", ICF_OPTION_SET, NULL, "write every body instead of a population", &settings.list, NULL, NULL},
        ICF_MAKE_OPTIONS(&settings, "0.002", "5", "1e7", "10", "0.3"),
    };
    const icf_usage usage = {
        "icf make hopper [options]",
        "A square bin with a funnel above the ground, from which spheres, capsules, boxes, cylinders and\n"
        "ellipsoids of random size (4 to 13 cm, 1000 kg/m^3) and orientation run out.\n",
        0,
        NULL,
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, NULL, NULL, &help));
    if (help) return ICF_OK;
    lay_out(&layout, settings.seed);
    snprintf(name, sizeof name, "hopper-%lld", (long long)layout.n);
    return icf_maker_write(context, &settings, name, true, write_hopper, &layout);
}
