/* `icf make hopper`: a funnel above the ground, from which bodies of mixed shapes and sizes run out.
 *
 *        | . . . . |     bin; the bodies start in it as a random packing
 *         \ . . . /      funnel at 60 degrees
 *          \ . . /
 *           |   |        outlet
 *        -----------     ground
 *
 * Bin and funnel are one fixed mesh, the closed surface of a thick sheet, in a file beside the scene.
 */
#include <string.h>

#include "base/memory.h"
#include "cli/make.h"

static const double thickness = 0.1;                /* of the sheet [m] */
static const double fill = 0.2;                     /* of the bin at the start */
static const double slope = 1.04719755119659774615; /* 60 degrees [rad] */

typedef struct hopper_layout {
    icf_cnt n;         /* bodies */
    double outlet;     /* width [m] */
    double half;       /* half width of the bin; its height is four times that [m] */
    double low, high;  /* outlet and upper edge of the funnel over the ground [m] */
    const char *mesh;  /* name of the file of bin and funnel, as the scene has it */
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

enum { RINGS = 6, CORNERS = 4 };

/* Half width and height of the squares that the surface joins: inside down, around the outlet, outside up. */
static void find_rings(const hopper_layout *layout, double ring[RINGS][2])
{
    const double b = layout->half, o = 0.5 * layout->outlet, t = thickness, top = layout->high + 4.0 * b;
    /* the outer side of the funnel is off its inner one by t, and meets that of the bin */
    const double edge = layout->high - t * (1.0 - sin(slope)) / cos(slope);
    const double rings[RINGS][2] = {
        {b, top}, {b, layout->high}, {o, layout->low}, {o + t / sin(slope), layout->low}, {b + t, edge}, {b + t, top}};
    memcpy(ring, rings, sizeof rings);
}

/* An OBJ file: four corners a ring, a quadrilateral a side between a ring and the next. */
static icf_status write_mesh(void *user, FILE *file)
{
    static const int sign[CORNERS][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    double ring[RINGS][2];
    find_rings(user, ring);
    for (int i = 0; i < RINGS; ++i)
        for (int k = 0; k < CORNERS; ++k)
            fprintf(file, "v %.9g %.9g %.9g\n", sign[k][0] * ring[i][0], sign[k][1] * ring[i][0], ring[i][1]);
    for (int i = 0; i < RINGS; ++i)
        for (int k = 0; k < CORNERS; ++k) {
            const int here = 1 + CORNERS * i, below = 1 + CORNERS * ((i + 1) % RINGS), next = (k + 1) % CORNERS;
            fprintf(file, "f %d %d %d %d\n", here + k, here + next, below + next, below + k);
        }
    return ICF_OK;
}

static icf_status write_hopper(icf_maker *maker, const void *user)
{
    const hopper_layout *layout = user;
    icf_rigid_surface *surface;
    ICF_TRY(icf_maker_ground(maker));
    ICF_TRY(icf_scene_add_rigid_surface(&maker->scene, &surface));
    surface->source = ICF_SURFACE_MESH;
    surface->scale = 1.0;
    ICF_TRY(icf_scene_set_text(&surface->file, layout->mesh));
    const icf_shape shape = {.type = ICF_SHAPE_MESH, .surface = surface};
    ICF_TRY(icf_maker_fixed(maker, "funnel", shape, (icf_vec3){0}));
    return icf_scene_add_population(&maker->scene, &layout->in, ICF_MAKE_MIXED, layout->template);
}

static icf_status make(icf_context *context, const icf_make_settings *settings, hopper_layout *layout)
{
    char name[64], *path = NULL;
    lay_out(layout, settings->seed);
    snprintf(name, sizeof name, "hopper-%lld", (long long)layout->n);
    ICF_TRY(icf_maker_write_beside(context, settings, name, "funnel.obj", write_mesh, layout, &path));
    layout->mesh = icf_maker_file_name(path);
    const icf_status status = icf_maker_write(context, settings, name, true, write_hopper, layout);
    icf_free(path);
    return status;
}

icf_status icf_make_hopper(icf_context *context, int argc, char **argv)
{
    bool help;
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
    return make(context, &settings, &layout);
}
