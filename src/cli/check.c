/* `icf check`: read and validate a scene; print what it holds, or every error in it. */
#include <inttypes.h>
#include <math.h>

#include "cli/census.h"
#include "cli/check_meshes.h"
#include "cli/check_overlaps.h"
#include "cli/command.h"
#include "cli/options.h"
#include "geometry/populate.h"
#include "geometry/surface_tree.h"
#include "io/scene_reader.h"

/* What is seen while the bodies stream by. */
typedef struct seen_bodies {
    icf_context *context;
    icf_census census;
    double thinnest;   /* smallest radius of a sphere or capsule [m] */
    bool keep;         /* keep the bodies, for their overlaps */
    icf_bodies bodies; /* those kept */
} seen_bodies;

static void see_shape(seen_bodies *seen, const icf_shape *shape, double size)
{
    if (shape->type == ICF_SHAPE_SPHERE || shape->type == ICF_SHAPE_CAPSULE)
        seen->thinnest = fmin(seen->thinnest, size * shape->radius);
}

/* The smallest bodies that a template can make. */
static void see_template(seen_bodies *seen, const icf_template *copied)
{
    see_shape(seen, &copied->body.shape, copied->size.kind == ICF_SIZE_ONE ? 1.0 : copied->size.min);
}

static icf_status keep_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    seen_bodies *seen = user;
    for (icf_cnt i = 0; i < n; ++i) {
        const icf_status status = icf_bodies_add(&seen->bodies, &bodies[i], true);
        if (status != ICF_OK)
            return icf_fail(seen->context, status, "body %" PRId64 ": %s", bodies[i].gid, icf_status_text(status));
    }
    return ICF_OK;
}

static icf_status count_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    seen_bodies *seen = user;
    for (icf_cnt i = 0; i < n; ++i) {
        icf_census_add(&seen->census, &bodies[i]);
        see_shape(seen, &bodies[i].shape, 1.0);
    }
    return seen->keep ? keep_bodies(user, n, bodies) : ICF_OK;
}

static void print_materials(const icf_scene *scene)
{
    printf("materials  %d", (int)scene->nmaterial);
    for (int32_t i = 0; i < scene->nmaterial && i < 10; ++i)
        printf("%s %s", i == 0 ? ":" : ",", scene->material_name[i]);
    printf("%s", scene->nmaterial > 10 ? ", ..." : "");
    if (scene->npair > 0) printf("; %d pair%s given", (int)scene->npair, scene->npair > 1 ? "s" : "");
    putchar('\n');
}

static void print_populations(const icf_scene *scene)
{
    for (int32_t i = 0; i < scene->npopulation && i < 10; ++i) {
        printf("generated  ");
        icf_census_print_population(scene, &scene->population[i], stdout);
        putchar('\n');
    }
    if (scene->npopulation > 10) printf("generated  ... (%d populations)\n", (int)scene->npopulation);
}

/* A mesh whose hull is a body's shape. */
static void print_hull(const icf_solid *solid)
{
    const icf_polytope *p = &solid->polytope;
    printf("hull       %s: %d vertices, %d faces, radius %.4g m, volume %.4g m^3\n", solid->mesh, (int)p->nvertex,
           (int)p->nface, p->radius, p->volume);
}

static void print_hulls(const icf_scene *scene)
{
    int n = 0;
    for (int32_t i = 0; i < scene->nsolid; ++i) {
        const icf_solid *solid = &scene->solid[i];
        if (solid->type == ICF_SHAPE_CONVEX && solid->frame == ICF_SOLID_GIVEN && n++ < 20) print_hull(solid);
    }
    if (n > 20) printf("hull       ... (%d meshes)\n", n);
}

static void print_scene(const icf_scene *scene, const icf_census *census)
{
    printf("scene      %s\n", scene->name);
    printf("bodies     ");
    icf_census_print_bodies(census, stdout);
    putchar('\n');
    print_populations(scene);
    print_hulls(scene);
    print_materials(scene);
    printf("dofs       %" PRId64 "\n", census->dofs);
    if (scene->nforce > 0) printf("forces     %d\n", (int)scene->nforce);
    if (scene->nspring > 0) printf("springs    %d\n", (int)scene->nspring);
    printf("run        ");
    icf_census_print_settings(scene, stdout);
    printf("\nmemory     about %.3g MB on one rank (estimate for a settled pile)\n", 1e-6 * icf_census_memory(census));
}

/* The trees of the rigid surfaces, which take memory and find overlaps. */
static icf_status build_trees(icf_context *context, icf_scene *scene, icf_bodies *bodies)
{
    if (icf_surface_trees_attach(scene, bodies) != ICF_OK)
        return icf_fail(context, ICF_ERROR_MEMORY, "no memory for the tree of a mesh");
    return ICF_OK;
}

static icf_status check(icf_context *context, const char *path, const icf_overrides *overrides, bool overlaps)
{
    icf_scene scene = {0};
    seen_bodies seen = {.context = context, .thinnest = INFINITY, .keep = overlaps};
    if (context->rank != 0) return ICF_OK; /* the first process does it for all */
    icf_bodies_init(&seen.bodies);
    icf_status status = icf_scene_read(context, path, overrides->n, overrides->item, &scene, count_bodies, &seen);
    icf_census_add_populations(&seen.census, &scene);
    icf_census_add_deformables(&seen.census, &scene);
    for (int32_t i = 0; i < scene.ntemplate; ++i) see_template(&seen, &scene.population_template[i]);
    if (status == ICF_OK && overlaps) status = icf_populate_all(context, &scene, keep_bodies, &seen);
    if (status == ICF_OK) status = build_trees(context, &scene, &seen.bodies);
    icf_census_add_shared(&seen.census, &scene);
    if (status == ICF_OK) print_scene(&scene, &seen.census);
    if (status == ICF_OK && overlaps) status = icf_check_overlaps(context, &scene, &seen.bodies);
    if (status == ICF_OK) status = icf_check_meshes(context, &scene, seen.thinnest);
    icf_bodies_clear(&seen.bodies);
    icf_scene_clear(&scene);
    return status;
}

icf_status icf_command_check(icf_context *context, int argc, char **argv)
{
    bool help, overlaps = true;
    const char *path = NULL;
    icf_overrides overrides = {0};
    const icf_option options[] = {
        {"--no-overlaps", ICF_OPTION_CLEAR, NULL,
         "do not look for overlapping bodies: nothing is generated,\nmemory does not grow with the populations",
         &overlaps, NULL, NULL},
        {"--set", ICF_OPTION_OVERRIDE, "PATH=VALUE", "set any key of the scene, repeatable", NULL, NULL, NULL},
    };
    const icf_usage usage = {
        "icf check SCENE [options]",
        "Reads and validates a scene (- for standard input) and prints what it holds: bodies by shape,\n"
        "materials, degrees of freedom, estimated memory, rigid bodies that overlap at the start (how many, and\n"
        "the deepest by name), the quality of meshes; or every error found in it (exit code 2).\n",
        1,
        "SCENE",
        sizeof options / sizeof *options,
        options};
    icf_status status = icf_options_read(context, &usage, argc, argv, &path, &overrides, &help);
    if (status == ICF_OK && !help) status = check(context, path, &overrides, overlaps);
    icf_overrides_clear(&overrides);
    return status;
}
