/* `icf make wall`: a wall of bricks in running bond.
 *
 *   +---++---++---++---+     rows rest on each other without a gap; bricks of a row are 1 mm apart;
 *   +-++---++---++---++-+    every second row is shifted by half a brick and ends with half bricks
 */
#include "cli/make.h"

static const double length = 0.2, depth = 0.1, height = 0.1; /* pitch along x; size along y and z [m] */
static const double gap = 1e-3;                              /* between bricks of a row [m] */
static const double density = 2000.0;                        /* kg/m^3 */

typedef struct wall_layout {
    icf_cnt rows, columns;
} wall_layout;

/* A brick that takes the room from x to x + width of a row. */
static icf_status write_brick(icf_maker *maker, double x, double width, icf_cnt row)
{
    const icf_shape shape = icf_maker_box((icf_vec3){0.5 * (width - gap), 0.5 * depth, 0.5 * height});
    const icf_vec3 position = {x + 0.5 * width, 0.0, height * ((double)row + 0.5)};
    const icf_body_def def = icf_maker_solid(shape, density * icf_shape_volume(&shape), position);
    return icf_maker_body(maker, &def);
}

static icf_status write_row(icf_maker *maker, const wall_layout *layout, icf_cnt row)
{
    const bool shifted = row % 2 == 1;
    const icf_cnt whole = shifted ? layout->columns - 1 : layout->columns;
    double x = -0.5 * length * (double)layout->columns;
    if (shifted) {
        ICF_TRY(write_brick(maker, x, 0.5 * length, row));
        x += 0.5 * length;
    }
    for (icf_cnt i = 0; i < whole; ++i) ICF_TRY(write_brick(maker, x + length * (double)i, length, row));
    if (shifted) ICF_TRY(write_brick(maker, x + length * (double)whole, 0.5 * length, row));
    return ICF_OK;
}

static icf_status write_wall(icf_maker *maker, const void *user)
{
    const wall_layout *layout = user;
    ICF_TRY(icf_maker_ground(maker));
    for (icf_cnt row = 0; row < layout->rows; ++row) ICF_TRY(write_row(maker, layout, row));
    return ICF_OK;
}

icf_status icf_make_wall(icf_context *context, int argc, char **argv)
{
    bool help;
    char name[64];
    icf_make_settings settings = icf_make_settings_default();
    wall_layout layout = {.rows = 10, .columns = 10};
    settings.friction = 0.6;
    const icf_option options[] = {
        {"--rows", ICF_OPTION_COUNT, "R", "rows (default 10)", &layout.rows, NULL, NULL},
        {"--columns", ICF_OPTION_COUNT, "C", "whole bricks a row (default 10)", &layout.columns, NULL, NULL},
        ICF_MAKE_OPTIONS(&settings, "0.01", "2", "1e7", "10", "0.6"),
    };
    const icf_usage usage = {"icf make wall [options]",
                             "A wall of bricks (0.2 x 0.1 x 0.1 m, 4 kg) in running bond at rest on the ground.\n",
                             0,
                             NULL,
                             sizeof options / sizeof *options,
                             options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, NULL, NULL, &help));
    if (help) return ICF_OK;
    snprintf(name, sizeof name, "wall-%lldx%lld", (long long)layout.rows, (long long)layout.columns);
    return icf_maker_write(context, &settings, name, true, write_wall, &layout);
}
