/* `icf make household`: household objects that fall into a bin of thin sheet.
 *
 *     |  []  o  = |    objects: a random packing, all with one velocity downwards
 *     | \\  ( ) c |
 *     |           |    four sheets as high as the packing reaches
 *     |___________|    a sheet as floor, at z = 0; below and around it is nothing
 */
#include "base/memory.h"
#include "cli/household_objects.h"

static const double drop = 0.3; /* from the floor to the objects, in widths of the bin */

typedef struct household_layout {
    icf_cnt n;          /* objects */
    const char *meshes; /* folder; NULL: objects of our own */
    double scale;       /* of all lengths */
    double density;     /* kg/m^3 */
    double speed;       /* downwards at the start [m/s] */
    double sheet;       /* thickness of the bin [m] */
    double fill;        /* of the space that holds the objects at the start */
    double half;        /* half width of the bin [m] */
    double top;         /* its height [m] */
    icf_household *objects;
    icf_population in;
} household_layout;

/* A bin as wide as it takes to hold the objects in a space that is half as high again; the longest object fits in it.
 */
static void lay_out(household_layout *layout, uint64_t seed)
{
    const icf_household *objects = layout->objects;
    const icf_population all = {.ntemplate = objects->n, .weight = objects->n};
    const double volume =
        (double)layout->n * icf_population_mean_volume(&all, objects->template, objects->solid) / layout->fill;
    const double widest = 2.0 * icf_population_largest_radius(&all, objects->template);
    const double width = fmax(cbrt(volume / 1.5), 1.6 * widest), deep = fmax(volume / (width * width), 1.6 * widest);
    layout->half = 0.5 * width;
    layout->top = drop * width + deep;
    const icf_region box = {
        ICF_REGION_BOX, {0, 0, drop * width + 0.5 * deep}, {layout->half, layout->half, 0.5 * deep}};
    layout->in = icf_maker_packing(layout->n, &box, seed);
    layout->in.linear.z = 0.0 - layout->speed;
}

static icf_status write_bin(icf_maker *maker, const household_layout *layout)
{
    const double t = 0.5 * layout->sheet, b = layout->half, h = 0.5 * layout->top, outside = b + 2.0 * t;
    const icf_shape across_x = icf_maker_box((icf_vec3){t, outside, h}), across_y = icf_maker_box((icf_vec3){b, t, h});
    ICF_TRY(icf_maker_fixed(maker, "floor", icf_maker_box((icf_vec3){outside, outside, t}), (icf_vec3){0, 0, -t}));
    ICF_TRY(icf_maker_fixed(maker, "side-x-minus", across_x, (icf_vec3){-(b + t), 0, h}));
    ICF_TRY(icf_maker_fixed(maker, "side-y-minus", across_y, (icf_vec3){0, -(b + t), h}));
    ICF_TRY(icf_maker_fixed(maker, "side-x-plus", across_x, (icf_vec3){b + t, 0, h}));
    return icf_maker_fixed(maker, "side-y-plus", across_y, (icf_vec3){0, b + t, h});
}

/* The scene takes the solids over. */
static icf_status write_household(icf_maker *maker, const void *user)
{
    const household_layout *layout = user;
    icf_household *objects = layout->objects;
    int32_t index;
    for (int32_t i = 0; i < objects->nsolid; ++i) {
        icf_solid solid = objects->solid[i];
        icf_solid_init(&objects->solid[i]);
        ICF_TRY(icf_scene_add_solid(&maker->scene, &solid, &index));
    }
    ICF_TRY(write_bin(maker, layout));
    return icf_scene_add_population(&maker->scene, &layout->in, objects->n, objects->template);
}

static icf_status make(icf_context *context, const icf_make_settings *settings, household_layout *layout)
{
    char name[64];
    icf_household *objects = layout->objects;
    snprintf(name, sizeof name, "household-%lld", (long long)layout->n);
    if (layout->meshes)
        ICF_TRY(icf_household_read(context, layout->meshes, layout->scale, layout->density, objects));
    else
        ICF_TRY(icf_household_make(context, settings, name, layout->scale, layout->density, objects));
    lay_out(layout, settings->seed);
    return icf_maker_write(context, settings, name, true, write_household, layout);
}

icf_status icf_make_household(icf_context *context, int argc, char **argv)
{
    bool help;
    icf_household objects = {0};
    icf_make_settings settings = icf_make_settings_default();
    household_layout layout = {
        .n = 100, .scale = 1.0, .density = 300.0, .speed = 0.0, .sheet = 0.001, .fill = 0.06, .objects = &objects};
    settings.step = 0.005;
    settings.duration = 4.0;
    settings.friction = 0.5;
    const icf_option options[] = {
        {"--bodies", ICF_OPTION_COUNT, "N", "number of objects (default 100)", &layout.n, NULL, NULL},
        {"--meshes", ICF_OPTION_TEXT, "DIR",
         "objects are the convex hulls of the OBJ and STL files in DIR (default:\nobjects of simple shapes)",
         &layout.meshes, NULL, NULL},
        {"--scale", ICF_OPTION_POSITIVE, "S", "factor on the lengths of the objects (default 1)", &layout.scale, NULL,
         NULL},
        {"--density", ICF_OPTION_POSITIVE, "RHO", "density [kg/m^3] (default 300: most are hollow)", &layout.density,
         NULL, NULL},
        {"--speed", ICF_OPTION_NONNEGATIVE, "V", "velocity downwards at the start [m/s] (default 0)", &layout.speed,
         NULL, NULL},
        {"--sheet", ICF_OPTION_POSITIVE, "T", "thickness of the bin's sheets [m] (default 0.001)", &layout.sheet, NULL,
         NULL},
        {"--list", ICF_OPTION_SET, NULL, "write every object instead of a population", &settings.list, NULL, NULL},
        ICF_MAKE_OPTIONS(&settings, "0.005", "4", "1e7", "10", "0.5"),
    };
    const icf_usage usage = {
        "icf make household [options]",
        "Mugs, bottles, cartons, tins, plates, eggs and wedges of cheese, or hulls of meshes, that fall into a bin\n"
        "of thin sheet.  The hulls among the made objects are written as FILE-shoulder.obj and FILE-wedge.obj,\n"
        "FILE without its ending, beside the scene; with a scene on standard output into the current folder.\n",
        0,
        NULL,
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, NULL, NULL, &help));
    if (help) return ICF_OK;
    const icf_status status = make(context, &settings, &layout);
    icf_household_clear(&objects);
    return status;
}
