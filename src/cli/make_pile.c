/* `icf make pile`: spheres, boxes and capsules of random size and orientation above the ground.
 *
 * They start on a grid whose pitch exceeds the diameter of the largest of them, so that none overlap whatever
 * their orientation.  The number of random numbers a body takes depends on its shape and on rejections, so
 * bodies must be written in order.
 */
#include "cli/make.h"

static const double pitch = 0.18;     /* distance of columns and layers [m] */
static const double lowest = 0.1;     /* z of the first layer [m] */
static const double density = 1000.0; /* kg/m^3 */

typedef struct pile_layout {
    icf_cnt n, height; /* bodies; bodies a column */
    bool walls;
    icf_cnt nx, ny; /* columns along x and y */
} pile_layout;

static void lay_out(pile_layout *layout)
{
    const icf_cnt ncolumn = (layout->n + layout->height - 1) / layout->height;
    layout->nx = (icf_cnt)ceil(sqrt((double)ncolumn));
    layout->ny = (ncolumn + layout->nx - 1) / layout->nx;
}

static double random_between(icf_maker *maker, double low, double high)
{
    return low + (high - low) * icf_maker_random(maker);
}

/* Box: half diagonal up to 0.087 m; capsule: half length up to 0.08 m. */
static icf_shape random_shape(icf_maker *maker)
{
    const double kind = icf_maker_random(maker);
    if (kind < 1.0 / 3.0) return icf_maker_sphere(random_between(maker, 0.03, 0.05));
    if (kind < 2.0 / 3.0) {
        const double radius = random_between(maker, 0.03, 0.04);
        return icf_maker_capsule(radius, random_between(maker, 0.015, 0.04));
    }
    const double x = random_between(maker, 0.03, 0.05), y = random_between(maker, 0.03, 0.05);
    return icf_maker_box((icf_vec3){x, y, random_between(maker, 0.03, 0.05)});
}

/* Uniform over all rotations: a point of the 4-dimensional ball, by rejection, projected on its sphere. */
static icf_quat random_orientation(icf_maker *maker)
{
    for (;;) {
        icf_quat q;
        q.w = random_between(maker, -1.0, 1.0);
        q.x = random_between(maker, -1.0, 1.0);
        q.y = random_between(maker, -1.0, 1.0);
        q.z = random_between(maker, -1.0, 1.0);
        const double norm = icf_quat_norm(q);
        if (norm <= 1.0 && norm >= 0.1) return icf_quat_unit(q);
    }
}

static icf_status write_body(icf_maker *maker, const pile_layout *layout, icf_cnt column, icf_cnt level)
{
    const icf_vec3 position = {((double)(column % layout->nx) - 0.5 * (double)(layout->nx - 1)) * pitch,
                               ((double)(column / layout->nx) - 0.5 * (double)(layout->ny - 1)) * pitch,
                               lowest + pitch * (double)level};
    const icf_shape shape = random_shape(maker);
    icf_body_def def = icf_maker_solid(shape, density * icf_shape_volume(&shape), position);
    def.orientation = random_orientation(maker);
    return icf_maker_body(maker, &def);
}

static icf_status write_pile(icf_maker *maker, const void *user)
{
    const pile_layout *layout = user;
    ICF_TRY(icf_maker_ground(maker));
    if (layout->walls)
        ICF_TRY(icf_maker_walls(maker, 0.5 * pitch * (double)layout->nx, 0.5 * pitch * (double)layout->ny,
                                lowest + pitch * (double)layout->height));
    for (icf_cnt i = 0; i < layout->n; ++i) ICF_TRY(write_body(maker, layout, i / layout->height, i % layout->height));
    return ICF_OK;
}

icf_status icf_make_pile(icf_context *context, int argc, char **argv)
{
    bool help;
    char name[64];
    icf_make_settings settings = icf_make_settings_default();
    pile_layout layout = {.n = 100, .height = 5};
    settings.step = 0.005; /* longish bodies spin up when they land */
    const icf_option options[] = {
        {"--bodies", ICF_OPTION_COUNT, "N", "number of bodies (default 100)", &layout.n, NULL, NULL},
        {"--height", ICF_OPTION_COUNT, "H", "bodies a column (default 5)", &layout.height, NULL, NULL},
        {"--walls", ICF_OPTION_SET, NULL, "four walls round the ground", &layout.walls, NULL, NULL},
        {"--no-walls", ICF_OPTION_CLEAR, NULL, "the ground alone (default)", &layout.walls, NULL, NULL},
        ICF_MAKE_OPTIONS(&settings, "0.005", "2", "1e7", "10", "1"),
    };
    const icf_usage usage = {
        "icf make pile [options]",
        "Spheres, boxes and capsules of random size (6 to 16 cm, 1000 kg/m^3) and orientation that\n"
        "fall on the ground.\n",
        0,
        NULL,
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, NULL, NULL, &help));
    if (help) return ICF_OK;
    lay_out(&layout);
    snprintf(name, sizeof name, "pile-%lld", (long long)layout.n);
    return icf_maker_write(context, &settings, name, true, write_pile, &layout);
}
