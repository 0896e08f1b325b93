/* `icf make`: picks the kind of scene; what the kinds share. */
#include "cli/make.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "cli/command.h"
#include "geometry/populate.h"
#include "io/file.h"

static const double wall_thickness = 0.2; /* m */

typedef struct make_kind {
    const char *name;
    icf_command function; /* NULL: later work */
    const char *help;
} make_kind;

static const make_kind kinds[] = {
    {"clutter", icf_make_clutter, "columns of spheres and boxes that fall into a bin"},
    {"pile", icf_make_pile, "spheres, boxes and capsules of random size and orientation that fall on the ground"},
    {"wall", icf_make_wall, "a wall of bricks"},
    {"cradle", icf_make_cradle, "a chain of spheres that is hit by another one"},
    {"drum", icf_make_drum, "a turning drum with bodies of mixed shapes in it"},
    {"hopper", icf_make_hopper, "a funnel from which bodies of mixed shapes run out"},
    {"terrain", icf_make_terrain, "bodies of mixed shapes that fall on hills"},
    {"household", icf_make_household, "household objects, or hulls of a folder of meshes, that fall into a bin"},
    {"beam", NULL, NULL},
    {"soft-stack", NULL, NULL},
};
enum { NKIND = sizeof kinds / sizeof *kinds };

icf_make_settings icf_make_settings_default(void)
{
    return (icf_make_settings){.seed = 12345,
                               .model = ICF_MODEL_LAGGED,
                               .step = 0.01,
                               .duration = 2.0,
                               .stiffness = 1e7,
                               .dissipation = 10.0,
                               .relaxation_time = 1e-4,
                               .friction = 1.0};
}

double icf_maker_random(icf_maker *maker)
{
    return icf_lcg_next(&maker->random);
}

icf_shape icf_maker_sphere(double radius)
{
    return (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius};
}

icf_shape icf_maker_box(icf_vec3 half)
{
    return (icf_shape){.type = ICF_SHAPE_BOX, .extent = half};
}

icf_shape icf_maker_capsule(double radius, double half)
{
    return (icf_shape){.type = ICF_SHAPE_CAPSULE, .radius = radius, .half = half};
}

icf_shape icf_maker_cylinder(double radius, double half)
{
    return (icf_shape){.type = ICF_SHAPE_CYLINDER, .radius = radius, .half = half};
}

icf_shape icf_maker_ellipsoid(icf_vec3 radii)
{
    return (icf_shape){.type = ICF_SHAPE_ELLIPSOID, .extent = radii};
}

icf_body_def icf_maker_solid(icf_shape shape, double mass, icf_vec3 position)
{
    icf_body_def def = icf_body_def_default();
    def.shape = shape;
    def.material = 0;
    def.mass = mass;
    def.inertia = icf_shape_inertia(&shape, mass);
    def.position = position;
    return def;
}

icf_status icf_maker_body(icf_maker *maker, const icf_body_def *def)
{
    icf_scene_write_body(maker->file, &maker->scene, def);
    if (!ferror(maker->file)) return ICF_OK;
    return icf_fail(maker->context, ICF_ERROR_FILE, "cannot write the scene: %s", strerror(errno));
}

icf_status icf_maker_fixed(icf_maker *maker, const char *name, icf_shape shape, icf_vec3 position)
{
    icf_body_def def = icf_maker_solid(shape, 0.0, position);
    def.name = name;
    def.motion.type = ICF_MOTION_FIXED;
    return icf_maker_body(maker, &def);
}

icf_status icf_maker_ground(icf_maker *maker)
{
    const icf_shape shape = {.type = ICF_SHAPE_HALF_SPACE, .normal = {0.0, 0.0, 1.0}};
    return icf_maker_fixed(maker, "ground", shape, (icf_vec3){0});
}

/* The two walls across x are longer by the thickness of the other two, so that the corners are closed. */
icf_status icf_maker_walls(icf_maker *maker, double hx, double hy, double height)
{
    const double t = wall_thickness / 2.0, h = height / 2.0;
    const icf_shape across_x = icf_maker_box((icf_vec3){t, hy + 2.0 * t, h});
    const icf_shape across_y = icf_maker_box((icf_vec3){hx, t, h});
    ICF_TRY(icf_maker_fixed(maker, "wall-x-minus", across_x, (icf_vec3){-(hx + t), 0.0, h}));
    ICF_TRY(icf_maker_fixed(maker, "wall-y-minus", across_y, (icf_vec3){0.0, -(hy + t), h}));
    ICF_TRY(icf_maker_fixed(maker, "wall-x-plus", across_x, (icf_vec3){hx + t, 0.0, h}));
    return icf_maker_fixed(maker, "wall-y-plus", across_y, (icf_vec3){0.0, hy + t, h});
}

void icf_maker_mixed(icf_template templates[ICF_MAKE_MIXED])
{
    const icf_shape shapes[ICF_MAKE_MIXED] = {
        icf_maker_sphere(0.04), icf_maker_capsule(0.03, 0.02), icf_maker_box((icf_vec3){0.04, 0.035, 0.03}),
        icf_maker_cylinder(0.035, 0.03), icf_maker_ellipsoid((icf_vec3){0.05, 0.04, 0.03})};
    for (int i = 0; i < ICF_MAKE_MIXED; ++i) {
        const double mass = 1000.0 * icf_shape_volume(&shapes[i]);
        templates[i] = (icf_template){.weight = 1.0, .body = icf_maker_solid(shapes[i], mass, (icf_vec3){0})};
        templates[i].size = (icf_size){.kind = ICF_SIZE_UNIFORM, .min = 0.75, .max = 1.25};
    }
}

icf_population icf_maker_packing(icf_cnt n, const icf_region *region, uint64_t seed)
{
    icf_population population = icf_population_packing(n, region);
    population.turned = true;
    population.seed = seed;
    return population;
}

double icf_maker_mixed_volume(const icf_template templates[ICF_MAKE_MIXED])
{
    const icf_population all = {.ntemplate = ICF_MAKE_MIXED, .weight = ICF_MAKE_MIXED};
    return icf_population_mean_volume(&all, templates, NULL);
}

/* Settings, the material and what a contact between two bodies of it does. */
static icf_status fill_scene(icf_scene *scene, const icf_make_settings *settings, const char *name, bool gravity)
{
    const icf_material material = icf_material_default();
    icf_material contact = material;
    ICF_TRY(icf_scene_init(scene));
    ICF_TRY(icf_scene_set_text(&scene->name, name));
    if (!gravity) scene->gravity = (icf_vec3){0};
    scene->time.step = settings->step;
    scene->time.steps = (icf_cnt)llround(settings->duration / settings->step);
    scene->contact.model = (icf_model)settings->model;
    contact.given =
        ICF_MATERIAL_STIFFNESS | ICF_MATERIAL_DISSIPATION | ICF_MATERIAL_RELAXATION_TIME | ICF_MATERIAL_FRICTION;
    contact.stiffness = settings->stiffness;
    contact.dissipation = settings->dissipation;
    contact.relaxation_time = settings->relaxation_time;
    contact.friction[0] = contact.friction[1] = settings->friction;
    ICF_TRY(icf_scene_add_material(scene, "object", &material, NULL));
    return icf_scene_add_pair(scene, 0, 0, &contact);
}

const char *icf_maker_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Letters of a path up to the ending of its file's name. */
static int length_without_ending(const char *path)
{
    const char *name = icf_maker_file_name(path), *dot = strrchr(name, '.');
    return (int)(dot && dot > name ? (size_t)(dot - path) : strlen(path));
}

/* What writes a file beside the scene, and checks it. */
typedef struct beside {
    icf_context *context;
    const char *path;
    icf_write_contents contents;
    void *user;
} beside;

static icf_status write_contents(void *user, FILE *file)
{
    const beside *it = user;
    ICF_TRY(it->contents(it->user, file));
    if (fflush(file) == 0 && !ferror(file)) return ICF_OK;
    return icf_fail(it->context, ICF_ERROR_FILE, "%s: %s", it->path, strerror(errno));
}

icf_status icf_maker_write_beside(icf_context *context, const icf_make_settings *settings, const char *name,
                                  const char *what, icf_write_contents contents, void *user, char **path)
{
    const char *scene = settings->output ? settings->output : name;
    const int length = settings->output ? length_without_ending(scene) : (int)strlen(scene);
    *path = icf_path_print("%.*s-%s", length, scene, what);
    if (!*path) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory");
    beside it = {context, *path, contents, user};
    const icf_status status = icf_scene_write_file(context, *path, write_contents, &it);
    if (status == ICF_OK) return ICF_OK;
    icf_free(*path);
    *path = NULL;
    return status;
}

static icf_status write_bodies(void *user, icf_cnt n, const icf_body_def *bodies)
{
    for (icf_cnt i = 0; i < n; ++i) ICF_TRY(icf_maker_body(user, &bodies[i]));
    return ICF_OK;
}

static icf_status write_populations(icf_maker *maker)
{
    if (maker->list) return icf_populate_all(maker->context, &maker->scene, write_bodies, maker);
    icf_scene_write_populations(maker->file, &maker->scene);
    return ICF_OK;
}

static icf_status write_scene(void *user, FILE *file)
{
    icf_maker *maker = user;
    maker->file = file;
    icf_scene_write_begin(file, &maker->scene);
    ICF_TRY(maker->bodies(maker, maker->layout));
    ICF_TRY(write_populations(maker));
    return icf_scene_write_end(maker->context, file, &maker->scene, NULL, NULL);
}

icf_status icf_maker_write(icf_context *context, const icf_make_settings *settings, const char *name, bool gravity,
                           icf_make_bodies bodies, const void *layout)
{
    icf_maker maker = {
        .context = context, .bodies = bodies, .layout = layout, .list = settings->list, .random = settings->seed};
    icf_status status = fill_scene(&maker.scene, settings, name, gravity);
    if (status != ICF_OK)
        status = icf_fail(context, status, "%s", icf_status_text(status));
    else if (settings->output)
        status = icf_scene_write_file(context, settings->output, write_scene, &maker);
    else
        status = write_scene(&maker, stdout);
    icf_scene_clear(&maker.scene);
    return status;
}

static void print_help(void)
{
    puts("Usage: icf make KIND [options]\n\n"
         "Writes a scene to standard output.  The same options give the same scene on every machine.\n\n"
         "Kinds:");
    for (int i = 0; i < NKIND; ++i)
        if (kinds[i].function) printf("  %-24s  %s\n", kinds[i].name, kinds[i].help);
    puts("\nOptions:\n"
         "  -h, --help                print this text and exit; icf make KIND --help lists the options of a kind");
}

static icf_status fail_unknown(icf_context *context, const char *word)
{
    const char *nearest = NULL;
    int distance = 100;
    for (int i = 0; i < NKIND; ++i)
        if (kinds[i].function && icf_word_is_nearer(word, kinds[i].name, &distance)) nearest = kinds[i].name;
    if (nearest)
        return icf_fail(context, ICF_ERROR_USAGE, "make: unknown kind '%s'; did you mean '%s'?", word, nearest);
    return icf_fail(context, ICF_ERROR_USAGE, "make: unknown kind '%s'; icf make --help lists the kinds", word);
}

icf_status icf_command_make(icf_context *context, int argc, char **argv)
{
    if (argc == 0) return icf_fail(context, ICF_ERROR_USAGE, "make: KIND is missing; icf make --help lists the kinds");
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_help();
        return ICF_OK;
    }
    for (int i = 0; i < NKIND; ++i) {
        if (strcmp(argv[0], kinds[i].name) != 0) continue;
        if (kinds[i].function) return kinds[i].function(context, argc - 1, argv + 1);
        return icf_fail(context, ICF_ERROR_USAGE, "make %s: not supported yet by this version", argv[0]);
    }
    return fail_unknown(context, argv[0]);
}
