/* `icf make terrain`: hills between walls, on which bodies of mixed shapes and sizes fall.
 *
 *     |  o  []  ( )  |     bodies: a random packing
 *     |      __      |
 *     | ____/  \__   |     hills: a height field, in a file beside the scene
 *
 * The hills are value noise: random heights at the points of a grid, joined by polynomials whose first and second
 * derivatives vanish at the points, and the same on grids two, four and eight times as fine with a half, a quarter and
 * an eighth of the height.  Polynomials and a counter-based generator alone: the file is the same on every machine.
 */
#include "base/memory.h"
#include "base/random.h"
#include "cli/make.h"

enum { OCTAVES = 4 };

static const double drop = 0.1;   /* from the highest hill to the bodies [m] */
static const double fill = 0.1;   /* of the space that holds the bodies at the start */
static const double least = 0.6;  /* height of that space [m] */
static const double share = 0.05; /* of the ground for each body [m^2] */

typedef struct terrain_layout {
    icf_cnt n;     /* bodies */
    double size;   /* of the square of hills; 0: by the number of bodies [m] */
    double relief; /* from the lowest point to the highest [m] */
    double hill;   /* width of the largest hills [m] */
    double cell;   /* distance of two heights [m] */
    uint64_t seed;
    icf_lid nside;       /* heights along x and along y */
    double *height;      /* (nside x nside) [m] */
    const char *heights; /* name of their file, as the scene has it */
    double top;          /* of the space that holds the bodies [m] */
    icf_population in;   /* the bodies */
    icf_template template[ICF_MAKE_MIXED];
} terrain_layout;

/* ---- hills ---- */

/* Random number of a grid point, in [0, 1). */
static double noise_at(const terrain_layout *layout, int octave, int64_t i, int64_t j)
{
    uint32_t word[4] = {(uint32_t)i, (uint32_t)j, (uint32_t)octave, 0};
    const uint32_t key[2] = {(uint32_t)layout->seed, (uint32_t)(layout->seed >> 32)};
    icf_philox(word, key);
    return word[0] / 4294967296.0;
}

/* From 0 to 1, with two derivatives that are 0 at both ends. */
static double ease(double t)
{
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

static double noise(const terrain_layout *layout, int octave, double x, double y)
{
    const double i = floor(x), j = floor(y), s = ease(x - i), t = ease(y - j);
    double row[2];
    for (int k = 0; k < 2; ++k)
        row[k] = (1.0 - s) * noise_at(layout, octave, (int64_t)i, (int64_t)j + k) +
                 s * noise_at(layout, octave, (int64_t)i + 1, (int64_t)j + k);
    return (1.0 - t) * row[0] + t * row[1];
}

static double hills(const terrain_layout *layout, double x, double y)
{
    double sum = 0.0, pitch = 0.5 * layout->hill, part = 1.0;
    for (int octave = 0; octave < OCTAVES; ++octave, pitch *= 0.5, part *= 0.5)
        sum += part * noise(layout, octave, x / pitch, y / pitch);
    return sum;
}

/* Heights from 0 to the relief. */
static icf_status raise_hills(icf_context *context, terrain_layout *layout)
{
    const icf_lid n = layout->nside;
    double low = INFINITY, high = -INFINITY;
    layout->height = icf_alloc((size_t)n * (size_t)n * sizeof *layout->height);
    if (!layout->height) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    for (icf_lid k = 0; k < n * n; ++k) {
        const double height = hills(layout, k % n * layout->cell, k / n * layout->cell);
        layout->height[k] = height;
        low = fmin(low, height);
        high = fmax(high, height);
    }
    for (icf_lid k = 0; k < n * n; ++k) layout->height[k] = layout->relief * (layout->height[k] - low) / (high - low);
    return ICF_OK;
}

/* A row of the grid a line, to a hundredth of a millimetre. */
static icf_status write_heights(void *user, FILE *file)
{
    const terrain_layout *layout = user;
    const icf_lid n = layout->nside;
    for (icf_lid k = 0; k < n * n; ++k) fprintf(file, "%.5f%c", layout->height[k], k % n == n - 1 ? '\n' : ' ');
    return ICF_OK;
}

/* ---- scene ---- */

static icf_status lay_out(icf_context *context, terrain_layout *layout)
{
    icf_maker_mixed(layout->template);
    const double size = layout->size > 0.0 ? layout->size : fmax(2.0, sqrt(share * (double)layout->n));
    const double cells = ceil(size / layout->cell - 1e-9);
    if (cells > 10000.0)
        return icf_fail(context, ICF_ERROR_USAGE, "--cell: %g m are %.0f cells a side, at most 10000 are possible",
                        layout->cell, cells);
    layout->nside = (icf_lid)cells + 1;
    layout->size = cells * layout->cell;
    const double volume = (double)layout->n * icf_maker_mixed_volume(layout->template);
    const double deep = fmax(least, volume / (fill * layout->size * layout->size)), low = layout->relief + drop;
    layout->top = low + deep;
    const icf_region box = {
        ICF_REGION_BOX, {0, 0, low + 0.5 * deep}, {0.5 * layout->size, 0.5 * layout->size, 0.5 * deep}};
    layout->in = icf_maker_packing(layout->n, &box, layout->seed);
    return raise_hills(context, layout);
}

static icf_status write_ground(icf_maker *maker, const terrain_layout *layout)
{
    icf_rigid_surface *surface;
    ICF_TRY(icf_scene_add_rigid_surface(&maker->scene, &surface));
    surface->source = ICF_SURFACE_HEIGHTS;
    surface->scale = 1.0;
    surface->grid.spacing[0] = surface->grid.spacing[1] = layout->cell;
    ICF_TRY(icf_scene_set_text(&surface->file, layout->heights));
    const icf_shape shape = {.type = ICF_SHAPE_HEIGHT_FIELD, .surface = surface};
    return icf_maker_fixed(maker, "hills", shape, (icf_vec3){0});
}

static icf_status write_terrain(icf_maker *maker, const void *user)
{
    const terrain_layout *layout = user;
    ICF_TRY(write_ground(maker, layout));
    ICF_TRY(icf_maker_walls(maker, 0.5 * layout->size, 0.5 * layout->size, layout->top));
    return icf_scene_add_population(&maker->scene, &layout->in, ICF_MAKE_MIXED, layout->template);
}

static icf_status make(icf_context *context, const icf_make_settings *settings, terrain_layout *layout)
{
    char name[64], *path = NULL;
    snprintf(name, sizeof name, "terrain-%lld", (long long)layout->n);
    ICF_TRY(lay_out(context, layout));
    ICF_TRY(icf_maker_write_beside(context, settings, name, "heights.txt", write_heights, layout, &path));
    layout->heights = icf_maker_file_name(path);
    const icf_status status = icf_maker_write(context, settings, name, true, write_terrain, layout);
    icf_free(path);
    return status;
}

icf_status icf_make_terrain(icf_context *context, int argc, char **argv)
{
    bool help;
    icf_make_settings settings = icf_make_settings_default();
    terrain_layout layout = {.n = 500, .relief = 0.4, .hill = 2.0, .cell = 0.1};
    settings.step = 0.002; /* small bodies spin up when they land */
    settings.duration = 4.0;
    settings.friction = 0.5;
    const icf_option options[] = {
        {"--bodies", ICF_OPTION_COUNT, "N", "number of bodies (default 500)", &layout.n, NULL, NULL},
        {"--size", ICF_OPTION_POSITIVE, "L",
         "edge of the square of hills [m] (default 0.22 times the root of N, 2 at least)", &layout.size, NULL, NULL},
        {"--relief", ICF_OPTION_POSITIVE, "H", "from the lowest point to the highest [m] (default 0.4)", &layout.relief,
         NULL, NULL},
        {"--hill", ICF_OPTION_POSITIVE, "W", "width of the largest hills [m] (default 2)", &layout.hill, NULL, NULL},
        {"--cell", ICF_OPTION_POSITIVE, "C", "distance of two heights [m] (default 0.1)", &layout.cell, NULL, NULL},
        {"--list", ICF_OPTION_SET, NULL, "write every body instead of a population", &settings.list, NULL, NULL},
        ICF_MAKE_OPTIONS(&settings, "0.002", "4", "1e7", "10", "0.5"),
    };
    const icf_usage usage = {
        "icf make terrain [options]",
        "Smooth hills between four walls, on which spheres, capsules, boxes, cylinders and ellipsoids of random\n"
        "size (4 to 13 cm, 1000 kg/m^3) and orientation fall.  The heights are written as FILE-heights.txt, FILE\n"
        "without its ending, beside the scene; with a scene on standard output into the current folder.\n",
        0,
        NULL,
        sizeof options / sizeof *options,
        options};
    ICF_TRY(icf_options_read(context, &usage, argc, argv, NULL, NULL, &help));
    if (help) return ICF_OK;
    layout.seed = settings.seed;
    const icf_status status = make(context, &settings, &layout);
    icf_free(layout.height);
    return status;
}
