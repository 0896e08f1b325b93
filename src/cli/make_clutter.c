/* `icf make clutter`: columns of spheres and boxes that fall into a bin.
 *
 * This is the scene on which physics engines are compared, to the last bit of every position: n objects in
 * columns of a given height on a grid of 0.25 m pitch as near to a square as the number of columns divides
 * (four columns: 0.4 m), shifted at random by up to 3 mm: a population of columns with two templates.
 */
#include "cli/make.h"

static const double radius = 0.05, half_edge = 0.05;     /* m */
static const double sphere_mass = 0.524, box_mass = 1.0; /* kg */
static const double lowest = 0.06, rise = 0.11;          /* z of the first object and of the next [m] */
static const double shift = 0.003, margin = 0.2;         /* largest shift; from a column to the wall [m] */

typedef struct clutter_layout {
    icf_cnt n, height; /* objects; objects a column */
    bool walls;
} clutter_layout;

static icf_population lay_out(const clutter_layout *layout, uint64_t seed)
{
    icf_population objects = icf_population_columns(layout->n, layout->height);
    const double pitch = objects.nx * objects.ny == 4 ? 0.4 : 0.25;
    objects.spacing = (icf_vec3){pitch, pitch, rise};
    objects.origin = (icf_vec3){0.0, 0.0, lowest};
    objects.jitter = shift;
    objects.seed = seed;
    return objects;
}

static icf_status write_bin(icf_maker *maker, const icf_population *objects)
{
    const double hx = 0.5 * (double)(objects->nx - 1) * objects->spacing.x + margin;
    const double hy = 0.5 * (double)(objects->ny - 1) * objects->spacing.y + margin;
    const double tall = rise * (double)objects->nz + 0.3;
    return icf_maker_walls(maker, hx, hy, objects->nx * objects->ny == 4 ? 0.8 : fmax(0.8, tall));
}

static icf_status write_clutter(icf_maker *maker, const void *user)
{
    const clutter_layout *layout = user;
    const icf_population objects = lay_out(layout, maker->random);
    const icf_shape box = icf_maker_box((icf_vec3){half_edge, half_edge, half_edge});
    const icf_template templates[] = {
        {.weight = 1.0, .body = icf_maker_solid(icf_maker_sphere(radius), sphere_mass, (icf_vec3){0})},
        {.weight = 1.0, .body = icf_maker_solid(box, box_mass, (icf_vec3){0})},
    };
    ICF_TRY(icf_maker_ground(maker));
    if (layout->walls) ICF_TRY(write_bin(maker, &objects));
    return icf_scene_add_population(&maker->scene, &objects, 2, templates);
}

icf_status icf_make_clutter(icf_context *context, int argc, char **argv)
{
    bool help;
    char name[64];
    icf_make_settings settings = icf_make_settings_default();
    clutter_layout layout = {.n = 40, .height = 10, .walls = true};
    const icf_option options[] = {
        {"--bodies", ICF_OPTION_COUNT, "N", "number of objects (default 40)", &layout.n, NULL, NULL},
        {"--height", ICF_OPTION_COUNT, "H", "objects a column (default 10); 100 gives a deep pile", &layout.height,
         NULL, NULL},
        {"--walls", ICF_OPTION_SET, NULL, "four walls round the ground (default)", &layout.walls, NULL, NULL},
        {"--no-walls", ICF_OPTION_CLEAR, NULL, "the ground alone", &layout.walls, NULL, NULL},
        {"--list", ICF_OPTION_SET, NULL, "write every object instead of a population", &settings.list, NULL, NULL},
        ICF_MAKE_OPTIONS(&settings, "0.01", "2", "1e7", "10", "1"),
    };
    const icf_usage usage = {
        "icf make clutter [options]",
        "Columns of spheres (0.524 kg, radius 0.05 m) and boxes (1 kg, edge 0.1 m) that fall into\n"
        "a bin: the scene on which physics engines are compared.\n",
        0,
        NULL,
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, NULL, NULL, &help));
    if (help) return ICF_OK;
    snprintf(name, sizeof name, "clutter-%lld", (long long)layout.n);
    return icf_maker_write(context, &settings, name, true, write_clutter, &layout);
}
