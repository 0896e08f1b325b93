/* `icf make clutter`: columns of spheres and boxes that fall into a bin.
 *
 * This is the scene on which physics engines are compared, to the last bit of every position: n objects in
 * columns of a given height on a grid of 0.25 m pitch as near to a square as the number of columns divides
 * (four columns: 0.4 m), shifted at random by up to 3 mm.  Per object three random numbers are drawn, column by
 * column from below: shape, x shift, y shift.
 */
#include "cli/make.h"

static const double radius = 0.05, half_edge = 0.05;     /* m */
static const double sphere_mass = 0.524, box_mass = 1.0; /* kg */
static const double lowest = 0.06, rise = 0.11;          /* z of the first object and of the next [m] */
static const double shift = 0.006, margin = 0.2;         /* range of the shift; from a column to the wall [m] */

typedef struct clutter_layout {
    icf_cnt n, height; /* objects; objects a column */
    bool walls;
    icf_cnt ncolumn, nx, ny; /* columns, also along x and y */
    double pitch;            /* distance of columns [m] */
} clutter_layout;

static icf_cnt largest_divisor_below_root(icf_cnt n)
{
    icf_cnt divisor = 1;
    for (icf_cnt j = 1; j * j <= n; ++j)
        if (n % j == 0) divisor = j;
    return divisor;
}

static void lay_out(clutter_layout *layout)
{
    layout->ncolumn = (layout->n + layout->height - 1) / layout->height;
    layout->ny = largest_divisor_below_root(layout->ncolumn);
    layout->nx = layout->ncolumn / layout->ny;
    layout->pitch = layout->ncolumn == 4 ? 0.4 : 0.25;
}

static icf_status write_bin(icf_maker *maker, const clutter_layout *layout)
{
    const double hx = 0.5 * (double)(layout->nx - 1) * layout->pitch + margin;
    const double hy = 0.5 * (double)(layout->ny - 1) * layout->pitch + margin;
    const double tall = rise * (double)layout->height + 0.3;
    return icf_maker_walls(maker, hx, hy, layout->ncolumn == 4 ? 0.8 : fmax(0.8, tall));
}

static icf_status write_object(icf_maker *maker, const clutter_layout *layout, icf_cnt column, icf_cnt level)
{
    const double u1 = icf_maker_random(maker), u2 = icf_maker_random(maker), u3 = icf_maker_random(maker);
    const double ix = (double)(column % layout->nx) - 0.5 * (double)(layout->nx - 1);
    const double iy = (double)(column / layout->nx) - 0.5 * (double)(layout->ny - 1);
    const icf_vec3 position = {ix * layout->pitch + shift * (u2 - 0.5), iy * layout->pitch + shift * (u3 - 0.5),
                               lowest + rise * (double)level};
    const bool is_box = u1 >= 0.5;
    const icf_body_def def =
        is_box ? icf_maker_solid(icf_maker_box((icf_vec3){half_edge, half_edge, half_edge}), box_mass, position)
               : icf_maker_solid(icf_maker_sphere(radius), sphere_mass, position);
    return icf_maker_body(maker, &def);
}

static icf_status write_clutter(icf_maker *maker, const void *user)
{
    const clutter_layout *layout = user;
    ICF_TRY(icf_maker_ground(maker));
    if (layout->walls) ICF_TRY(write_bin(maker, layout));
    for (icf_cnt i = 0; i < layout->n; ++i)
        ICF_TRY(write_object(maker, layout, i / layout->height, i % layout->height));
    return ICF_OK;
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
    lay_out(&layout);
    snprintf(name, sizeof name, "clutter-%lld", (long long)layout.n);
    return icf_maker_write(context, &settings, name, true, write_clutter, &layout);
}
