/* Objects of `icf make household`.
 *
 *   mug       a ring of boxes round a flat cylinder, and three boxes as its handle
 *   bottle    a cylinder, a hull as its shoulder, a thin cylinder as its neck
 *   carton    a box                      plate   a flat cylinder
 *   tin       a cylinder                 egg     an ellipsoid
 *   wedge     a hull: an eighth of a cheese
 *
 * All but cartons, tins, plates and eggs are solids of the scene.
 */
#include "cli/household_objects.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/hull_file.h"

static const double pi = 3.14159265358979323846;
static const icf_quat upright = {1.0, 0.0, 0.0, 0.0};

void icf_household_clear(icf_household *household)
{
    for (int32_t i = 0; i < household->nsolid; ++i) icf_solid_clear(&household->solid[i]);
    icf_free(household->solid);
    icf_free(household->template);
    *household = (icf_household){0};
}

/* ---- bodies ---- */

static icf_status add_body(icf_context *context, const icf_body_def *body, icf_household *household)
{
    if (ICF_GROW(household->template, household->template_capacity, household->n + 1) != ICF_OK)
        return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    household->template[household->n++] = (icf_template){.weight = 1.0, .body = *body};
    return ICF_OK;
}

static icf_status add_shape(icf_context *context, icf_shape shape, double density, icf_household *household)
{
    const icf_body_def body = icf_maker_solid(shape, density * icf_shape_volume(&shape), (icf_vec3){0});
    return add_body(context, &body, household);
}

/* Room for a solid, which is part of the household once it is counted in; NULL when out of memory. */
static icf_solid *next_solid(icf_household *household)
{
    if (ICF_GROW(household->solid, household->solid_capacity, household->nsolid + 1) != ICF_OK) return NULL;
    icf_solid_init(&household->solid[household->nsolid]);
    return &household->solid[household->nsolid];
}

/* A body of the last solid. */
static icf_status add_solid_body(icf_context *context, double density, icf_household *household)
{
    const icf_solid *solid = &household->solid[household->nsolid - 1];
    icf_body_def body =
        icf_maker_solid(icf_solid_shape(solid, household->nsolid - 1), density * solid->volume, (icf_vec3){0});
    body.inertia = icf_scale(body.mass, solid->inertia);
    icf_solid_to_body(solid, &body.position, &body.orientation, &body.linear_velocity, body.angular_velocity);
    return add_body(context, &body, household);
}

/* The hull of a file.
 *   file [in] how the scene names it */
static icf_status add_hull(icf_context *context, const char *path, const char *file, double scale,
                           icf_solid_frame frame, icf_household *household)
{
    icf_solid *solid = next_solid(household);
    if (!solid) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    icf_status status = icf_read_hull(context, path, scale, frame, solid);
    if (status == ICF_OK && icf_scene_set_text(&solid->mesh, file) != ICF_OK)
        status = icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    if (status == ICF_OK)
        ++household->nsolid;
    else
        icf_solid_clear(solid);
    return status;
}

static icf_status add_compound_solid(icf_context *context, int32_t n, const icf_part *part, icf_solid_frame frame,
                                     icf_household *household)
{
    icf_solid *solid = next_solid(household);
    if (!solid) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    if (icf_solid_build_compound(household->solid, n, part, frame, solid) != ICF_OK) {
        icf_solid_clear(solid);
        return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    }
    ++household->nsolid;
    return ICF_OK;
}

/* The parts as they are given, which the scene's file has, and in the frame of a moving body. */
static icf_status add_compound(icf_context *context, int32_t n, const icf_part *part, double density,
                               icf_household *household)
{
    const int32_t given = household->nsolid;
    ICF_TRY(add_compound_solid(context, n, part, ICF_SOLID_GIVEN, household));
    ICF_TRY(add_compound_solid(context, n, part, ICF_SOLID_PRINCIPAL, household));
    household->solid[given + 1].given = given;
    return add_solid_body(context, density, household);
}

/* ---- meshes of a folder ---- */

static int is_mesh(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && dot > entry->d_name && (strcasecmp(dot, ".obj") == 0 || strcasecmp(dot, ".stl") == 0);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static icf_status read_mesh(icf_context *context, const char *folder, const char *file, double scale, double density,
                            icf_household *household)
{
    char *path = icf_path_print("%s/%s", folder, file);
    if (!path) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    icf_status status = add_hull(context, path, path, scale, ICF_SOLID_PRINCIPAL, household);
    if (status == ICF_OK) status = add_solid_body(context, density, household);
    icf_free(path);
    return status;
}

icf_status icf_household_read(icf_context *context, const char *folder, double scale, double density,
                              icf_household *household)
{
    char absolute[PATH_MAX];
    struct dirent **entry;
    if (!realpath(folder, absolute)) return icf_file_fail(context, folder, errno);
    const int n = scandir(absolute, &entry, is_mesh, compare_names);
    if (n < 0) return icf_file_fail(context, folder, errno);
    icf_status status = ICF_OK;
    if (n == 0) status = icf_fail(context, ICF_ERROR_SCENE, "%s: no OBJ or STL file", folder);
    if (n > ICF_HOUSEHOLD_MAX)
        status = icf_fail(context, ICF_ERROR_SCENE, "%s: %d meshes, at most %d are possible", folder, n,
                          (int)ICF_HOUSEHOLD_MAX);
    for (int i = 0; i < n; ++i) {
        if (status == ICF_OK) status = read_mesh(context, absolute, entry[i]->d_name, scale, density, household);
        free(entry[i]);
    }
    free(entry);
    return status;
}

/* ---- hulls that are made ---- */

/* A frustum along z, its middle at the origin. */
typedef struct frustum {
    const char *file; /* behind the name of the scene */
    int n;            /* sides */
    double low, high; /* radii at the lower and the upper end [m] */
    double half;      /* of its height [m] */
} frustum;

static const frustum shoulder = {"shoulder.obj", 12, 0.035, 0.014, 0.015}, wedge = {"wedge.obj", 3, 0.06, 0.06, 0.02};

static icf_status write_frustum(void *user, FILE *file)
{
    const frustum *it = user;
    const int n = it->n;
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k < n; ++k) {
            const double radius = end ? it->high : it->low, angle = 2.0 * pi * k / n;
            fprintf(file, "v %.6f %.6f %.6f\n", radius * cos(angle), radius * sin(angle), end ? it->half : -it->half);
        }
    for (int k = 1; k <= n; ++k) fprintf(file, "f %d %d %d %d\n", k, k % n + 1, n + k % n + 1, n + k);
    for (int end = 0; end < 2; ++end) {
        fputc('f', file);
        for (int k = 0; k < n; ++k) fprintf(file, " %d", end ? n + 1 + k : n - k);
        fputc('\n', file);
    }
    return ICF_OK;
}

/* Writes the file of a frustum and reads its hull, so that it is what readers of the scene will have. */
static icf_status add_frustum(icf_context *context, const icf_make_settings *settings, const char *name,
                              const frustum *shape, double scale, icf_solid_frame frame, icf_household *household)
{
    char *path;
    frustum copy = *shape;
    ICF_TRY(icf_maker_write_beside(context, settings, name, shape->file, write_frustum, &copy, &path));
    const icf_status status = add_hull(context, path, icf_maker_file_name(path), scale, frame, household);
    icf_free(path);
    return status;
}

/* ---- compounds ---- */

enum { STAVES = 10, MUG_PARTS = STAVES + 4 };

static icf_part part_of(icf_shape shape, double x, double z, double scale)
{
    return (icf_part){.shape = shape, .position = icf_scale(scale, icf_vec3_make(x, 0.0, z)), .orientation = upright};
}

static icf_shape box_of(double x, double y, double z, double scale)
{
    return icf_maker_box(icf_scale(scale, icf_vec3_make(x, y, z)));
}

/* Radius 40 mm, height 100 mm, walls of 4 mm. */
static icf_status add_mug(icf_context *context, double scale, double density, icf_household *household)
{
    const double radius = 0.038, wall = 0.002, half = 0.05;
    icf_part part[MUG_PARTS] = {0};
    for (int k = 0; k < STAVES; ++k) {
        const double angle = 2.0 * pi * k / STAVES;
        part[k].shape = box_of(wall, (radius + wall) * tan(pi / STAVES), half, scale);
        part[k].position = icf_scale(scale, icf_vec3_make(radius * cos(angle), radius * sin(angle), 0.0));
        part[k].orientation = (icf_quat){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
    }
    part[STAVES] = part_of(icf_maker_cylinder(scale * radius, scale * wall), 0.0, wall - half, scale);
    part[STAVES + 1] = part_of(box_of(0.012, 0.006, 0.004, scale), 0.05, 0.03, scale);
    part[STAVES + 2] = part_of(box_of(0.012, 0.006, 0.004, scale), 0.05, -0.03, scale);
    part[STAVES + 3] = part_of(box_of(0.004, 0.006, 0.034, scale), 0.066, 0.0, scale);
    return add_compound(context, MUG_PARTS, part, density, household);
}

/* Radius 35 mm, height 250 mm. */
static icf_status add_bottle(icf_context *context, const icf_make_settings *settings, const char *name, double scale,
                             double density, icf_household *household)
{
    ICF_TRY(add_frustum(context, settings, name, &shoulder, scale, ICF_SOLID_GIVEN, household));
    const int32_t hull = household->nsolid - 1;
    const icf_part part[] = {
        part_of(icf_maker_cylinder(scale * 0.035, scale * 0.09), 0.0, -0.035, scale),
        part_of(icf_solid_shape(&household->solid[hull], hull), 0.0, 0.07, scale),
        part_of(icf_maker_cylinder(scale * 0.014, scale * 0.02), 0.0, 0.105, scale),
    };
    return add_compound(context, sizeof part / sizeof *part, part, density, household);
}

icf_status icf_household_make(icf_context *context, const icf_make_settings *settings, const char *name, double scale,
                              double density, icf_household *household)
{
    ICF_TRY(add_mug(context, scale, density, household));
    ICF_TRY(add_bottle(context, settings, name, scale, density, household));
    ICF_TRY(add_shape(context, box_of(0.08, 0.035, 0.11, scale), density, household));
    ICF_TRY(add_shape(context, icf_maker_cylinder(scale * 0.037, scale * 0.055), density, household));
    ICF_TRY(add_shape(context, icf_maker_cylinder(scale * 0.11, scale * 0.008), density, household));
    ICF_TRY(add_shape(context, icf_maker_ellipsoid(icf_scale(scale, icf_vec3_make(0.022, 0.022, 0.029))), density,
                      household));
    ICF_TRY(add_frustum(context, settings, name, &wedge, scale, ICF_SOLID_PRINCIPAL, household));
    return add_solid_body(context, density, household);
}
