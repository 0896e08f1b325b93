/* Scene writer: settings, materials, bodies, forces and springs as YAML.
 *
 * Settings are written in block style, bodies in flow style, one a line.  What the reader would fill in by
 * itself (default values of a body, inertia of the uniform solid) is left out.
 */
#include "io/scene_writer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"

static const char *const model_names[] = {"sap", "lagged", "similar"};
static const char *const linear_names[] = {"auto", "block", "mumps", "pcg"};
static const char *const normal_names[] = {"linear", "hertz", "log_barrier", "ipc_barrier"};
static const char *const dof_names[] = {"vx", "vy", "vz", "wx", "wy", "wz"};

/* The fewest digits that read back to the same bits.  "1.0e-05", not "1e-05": YAML 1.1 takes that for a text. */
static void write_number(FILE *file, double value)
{
    char text[40];
    if (isinf(value)) {
        fputs(value > 0.0 ? ".inf" : "-.inf", file);
        return;
    }
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value) break;
    }
    const size_t mantissa = strcspn(text, "e");
    const bool needs_point = text[mantissa] == 'e' && !memchr(text, '.', mantissa);
    fprintf(file, "%.*s%s%s", (int)mantissa, text, needs_point ? ".0" : "", text + mantissa);
}

static void write_vec3(FILE *file, icf_vec3 v)
{
    fputc('[', file);
    write_number(file, v.x);
    fputs(", ", file);
    write_number(file, v.y);
    fputs(", ", file);
    write_number(file, v.z);
    fputc(']', file);
}

/* Words that this or another YAML reader takes for something else than text. */
static bool is_reserved(const char *text)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcasecmp(text, words[i]) == 0) return true;
    return false;
}

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *end == '\0';
}

static bool is_plain(const char *text)
{
    if (!isalpha((unsigned char)text[0]) && text[0] != '_') return false;
    for (const char *c = text; *c; ++c)
        if (!isalnum((unsigned char)*c) && !strchr("_-./", *c)) return false;
    return !is_reserved(text) && !is_number(text);
}

static void write_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c; ++c) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(file, "\\x%02x", byte);
        else
            fputc(byte, file);
    }
    fputc('"', file);
}

void icf_scene_write_text(FILE *file, const char *text)
{
    if (is_plain(text))
        fputs(text, file);
    else
        write_quoted(file, text);
}

/* A flow mapping {key: value, ...} on the way to a file. */
typedef struct flow {
    FILE *file;
    const char *separator;
} flow;

static flow flow_begin(FILE *file)
{
    return (flow){file, "{"};
}

static void flow_key(flow *out, const char *key)
{
    fprintf(out->file, "%s%s: ", out->separator, key);
    out->separator = ", ";
}

static void flow_number(flow *out, const char *key, double value)
{
    flow_key(out, key);
    write_number(out->file, value);
}

static void flow_numbers(flow *out, const char *key, int n, const double *value)
{
    flow_key(out, key);
    for (int i = 0; i < n; ++i) {
        fputs(i == 0 ? "[" : ", ", out->file);
        write_number(out->file, value[i]);
    }
    fputc(']', out->file);
}

static void flow_word(flow *out, const char *key, const char *word)
{
    flow_key(out, key);
    fputs(word, out->file);
}

static void flow_text(flow *out, const char *key, const char *text)
{
    flow_key(out, key);
    icf_scene_write_text(out->file, text);
}

static void flow_vec3(flow *out, const char *key, icf_vec3 v)
{
    flow_key(out, key);
    write_vec3(out->file, v);
}

static void flow_end(flow *out)
{
    const bool empty = out->separator[0] == '{';
    fputs(empty ? "{}" : "}", out->file);
}

/* `duration` reads better and survives another step size; `steps` when it would not give the same count. */
static void write_time(FILE *file, const icf_time_settings *time)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", (double)time->steps * time->step);
    fputs("time:\n  step: ", file);
    write_number(file, time->step);
    if (time->steps > 0 && llround(strtod(text, NULL) / time->step) == time->steps)
        fprintf(file, "\n  duration: %s\n", text);
    else
        fprintf(file, "\n  steps: %" PRId64 "\n", time->steps);
    if (time->integrator != ICF_SYMPLECTIC_EULER)
        fprintf(file, "  integrator: %s\n", icf_integrator_names[time->integrator]);
}

static void write_friction(flow *out, const icf_material *material)
{
    if (!material->anisotropic) {
        flow_number(out, "friction", material->friction[0]);
        return;
    }
    flow_key(out, "friction");
    fputs("{principal: [", out->file);
    write_number(out->file, material->friction[0]);
    fputs(", ", out->file);
    write_number(out->file, material->friction[1]);
    fputs("], axis: ", out->file);
    write_vec3(out->file, material->axis);
    fputc('}', out->file);
}

/* The keys that were given. */
static void write_material_keys(flow *out, const icf_material *material)
{
    const unsigned given = material->given;
    if (given & ICF_MATERIAL_NORMAL) flow_word(out, "normal", normal_names[material->normal]);
    if (given & ICF_MATERIAL_STIFFNESS) flow_number(out, "stiffness", material->stiffness);
    if (given & ICF_MATERIAL_STIFFNESS_PER_AREA) flow_number(out, "stiffness_per_area", material->stiffness_per_area);
    if (given & ICF_MATERIAL_BARRIER_DISTANCE) flow_number(out, "barrier_distance", material->barrier_distance);
    if (given & ICF_MATERIAL_DISSIPATION) flow_number(out, "dissipation", material->dissipation);
    if (given & ICF_MATERIAL_RELAXATION_TIME) flow_number(out, "relaxation_time", material->relaxation_time);
    if (given & ICF_MATERIAL_FRICTION) write_friction(out, material);
}

static void write_pair(FILE *file, const icf_scene *scene, const icf_material_pair *pair)
{
    fputs("    - ", file);
    flow out = flow_begin(file);
    flow_key(&out, "materials");
    fputc('[', file);
    icf_scene_write_text(file, scene->material_name[pair->a]);
    fputs(", ", file);
    icf_scene_write_text(file, scene->material_name[pair->b]);
    fputc(']', file);
    write_material_keys(&out, &pair->values);
    flow_end(&out);
    fputc('\n', file);
}

static void write_setting(FILE *file, const char *key, double value)
{
    fprintf(file, "  %s: ", key);
    write_number(file, value);
    fputc('\n', file);
}

static void write_contact(FILE *file, const icf_scene *scene)
{
    const icf_contact_settings *contact = &scene->contact;
    fprintf(file, "contact:\n  model: %s\n", model_names[contact->model]);
    fprintf(file, "  regularized: %s\n", contact->regularized ? "true" : "false");
    write_setting(file, "stiction_tolerance", contact->stiction_tolerance);
    write_setting(file, "sigma", contact->sigma);
    write_setting(file, "near_rigid", contact->near_rigid);
    if (contact->auto_distance)
        fputs("  distance: auto\n", file);
    else
        write_setting(file, "distance", contact->distance);
    if (scene->npair > 0) fputs("  pairs:\n", file);
    for (int32_t i = 0; i < scene->npair; ++i) write_pair(file, scene, &scene->pair[i]);
}

static void write_parallel(FILE *file, const icf_parallel_settings *parallel)
{
    const bool gather = parallel->gather_below != ICF_GATHER_AUTO, split = parallel->split_above != ICF_SPLIT_AUTO,
               rebalance = parallel->rebalance != ICF_REBALANCE_AUTO;
    if (gather || split || rebalance || !parallel->lend) fputs("parallel:\n", file);
    if (gather) fprintf(file, "  gather_below: %" PRId64 "\n", parallel->gather_below);
    if (split) fprintf(file, "  split_above: %" PRId64 "\n", parallel->split_above);
    if (!parallel->lend) fputs("  lend: false\n", file);
    if (!rebalance) return;
    if (parallel->rebalance == ICF_REBALANCE_NEVER)
        fputs("  rebalance: never\n", file);
    else
        fprintf(file, "  rebalance: %" PRId64 "\n", parallel->rebalance);
}

static void write_solver(FILE *file, const icf_solver_settings *solver)
{
    fputs("solver:\n", file);
    write_setting(file, "relative_tolerance", solver->relative_tolerance);
    write_setting(file, "absolute_tolerance", solver->absolute_tolerance);
    fprintf(file, "  max_iterations: %d\n  linear: %s\n", solver->max_iterations, linear_names[solver->linear]);
    if (!solver->parts) fputs("  parts: false\n", file);
    if (solver->condition) fputs("  condition: true\n", file);
}

static void write_output(FILE *file, const icf_output_settings *output)
{
    fputs("output:\n  directory: ", file);
    icf_scene_write_text(file, output->directory);
    fputc('\n', file);
    if (output->rate > 0.0)
        write_setting(file, "rate", output->rate);
    else
        fprintf(file, "  every: %" PRId64 "\n", output->every);
    fprintf(file, "  checkpoint_every: %" PRId64 "\n", output->checkpoint_every);
    fprintf(file, "  surfaces: %" PRId64 "\n", output->surfaces);
    if (output->ranks) fputs("  ranks: true\n", file);
}

static void write_materials(FILE *file, const icf_scene *scene)
{
    if (scene->nmaterial > 0) fputs("materials:\n", file);
    for (int32_t i = 0; i < scene->nmaterial; ++i) {
        fputs("  ", file);
        icf_scene_write_text(file, scene->material_name[i]);
        fputs(": ", file);
        flow out = flow_begin(file);
        write_material_keys(&out, &scene->material[i]);
        flow_end(&out);
        fputc('\n', file);
    }
}

void icf_scene_write_begin(FILE *file, const icf_scene *scene)
{
    fputs("name: ", file);
    icf_scene_write_text(file, scene->name);
    fputs("\ngravity: ", file);
    write_vec3(file, scene->gravity);
    fputc('\n', file);
    write_time(file, &scene->time);
    write_contact(file, scene);
    write_solver(file, &scene->solver);
    write_parallel(file, &scene->parallel);
    write_output(file, &scene->output);
    write_materials(file, scene);
    fputs("bodies:\n", file);
}

/* A surface by the file that it came from, whose path is absolute. */
static void write_rigid_surface(flow *out, const icf_rigid_surface *surface)
{
    if (surface->source == ICF_SURFACE_MESH) {
        flow_key(out, "mesh");
        flow mesh = flow_begin(out->file);
        flow_text(&mesh, "file", surface->file);
        flow_number(&mesh, "scale", surface->scale);
        flow_end(&mesh);
        return;
    }
    flow_text(out, "heights", surface->file);
    if (surface->dataset) flow_text(out, "dataset", surface->dataset);
    flow_numbers(out, "spacing", 2, surface->grid.spacing);
    flow_number(out, "scale", surface->scale);
    flow_number(out, "offset", surface->offset);
}

static void write_orientation(flow *body, icf_quat q)
{
    static const icf_quat identity = {1.0, 0.0, 0.0, 0.0};
    if (memcmp(&q, &identity, sizeof q) == 0) return;
    flow_numbers(body, "orientation", 4, (const double[4]){q.w, q.x, q.y, q.z});
}

static void write_shape(flow *body, const char *key, const icf_scene *scene, const icf_shape *shape);

/* The mesh of a hull, by its absolute path. */
static void write_convex(flow *out, const icf_solid *solid)
{
    flow_key(out, "mesh");
    flow mesh = flow_begin(out->file);
    flow_text(&mesh, "file", solid->mesh);
    if (solid->scale != 1.0) flow_number(&mesh, "scale", solid->scale);
    flow_end(&mesh);
}

/* Parts as they were given. */
static void write_parts(flow *out, const icf_scene *scene, const icf_solid *solid)
{
    const icf_solid *given = solid->given >= 0 ? &scene->solid[solid->given] : solid;
    flow_key(out, "parts");
    fputc('[', out->file);
    for (int32_t i = 0; i < given->npart; ++i) {
        if (i > 0) fputs(", ", out->file);
        flow part = flow_begin(out->file);
        write_shape(&part, "shape", scene, &given->part[i].shape);
        flow_vec3(&part, "position", given->part[i].position);
        write_orientation(&part, given->part[i].orientation);
        flow_end(&part);
    }
    fputc(']', out->file);
}

static void write_shape(flow *body, const char *key, const icf_scene *scene, const icf_shape *shape)
{
    flow_key(body, key);
    flow out = flow_begin(body->file);
    flow_word(&out, "type", icf_shape_name(shape->type));
    switch (shape->type) {
    case ICF_SHAPE_SPHERE: flow_number(&out, "radius", shape->radius); break;
    case ICF_SHAPE_CAPSULE:
    case ICF_SHAPE_CYLINDER:
        flow_number(&out, "radius", shape->radius);
        flow_number(&out, "length", 2.0 * shape->half);
        break;
    case ICF_SHAPE_BOX: flow_vec3(&out, "size", icf_scale(2.0, shape->extent)); break;
    case ICF_SHAPE_ELLIPSOID: flow_vec3(&out, "radii", shape->extent); break;
    case ICF_SHAPE_CONVEX: write_convex(&out, icf_scene_solid(scene, shape)); break;
    case ICF_SHAPE_COMPOUND: write_parts(&out, scene, icf_scene_solid(scene, shape)); break;
    case ICF_SHAPE_HALF_SPACE:
        flow_vec3(&out, "normal", shape->normal);
        flow_number(&out, "offset", shape->offset);
        break;
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD: write_rigid_surface(&out, shape->surface); break;
    case ICF_SHAPE_DEFORMABLE: /* no shape of a body in a scene */
    case ICF_SHAPE_NONE:
    case ICF_SHAPE_COUNT: break;
    }
    flow_end(&out);
}

/* The default is the inertia of the uniform solid. */
static void write_mass(flow *body, const icf_scene *scene, const icf_body_def *def)
{
    const icf_solid *own = icf_scene_solid(scene, &def->shape);
    icf_vec3 solid = icf_shape_inertia(&def->shape, def->mass);
    if (own && own->frame == ICF_SOLID_PRINCIPAL) solid = icf_scale(def->mass, own->inertia);
    flow_number(body, "mass", def->mass);
    if (memcmp(&solid, &def->inertia, sizeof solid) != 0) flow_vec3(body, "inertia", def->inertia);
}

/* Whether all bits are those of +0. */
static bool is_zero(icf_vec3 v)
{
    static const icf_vec3 zero = {0.0, 0.0, 0.0};
    return memcmp(&v, &zero, sizeof v) == 0;
}

static void write_free(flow *body, unsigned locked)
{
    if (locked == 0) return;
    const char *separator = "";
    flow_key(body, "free");
    fputc('[', body->file);
    for (int i = 0; i < 6; ++i) {
        if (locked & 1u << i) continue;
        fprintf(body->file, "%s%s", separator, dof_names[i]);
        separator = ", ";
    }
    fputc(']', body->file);
}

static void write_harmonic_keys(flow *out, const icf_harmonic *harmonic)
{
    flow_vec3(out, "direction", harmonic->direction);
    flow_number(out, "amplitude", harmonic->amplitude);
    flow_number(out, "frequency", harmonic->frequency);
    flow_number(out, "phase", harmonic->phase);
}

static void write_motion(flow *body, const icf_motion *motion)
{
    if (motion->type == ICF_MOTION_DYNAMIC) return;
    if (motion->type == ICF_MOTION_FIXED) {
        flow_word(body, "motion", "fixed");
        return;
    }
    flow_key(body, "motion");
    flow out = flow_begin(body->file);
    if (motion->type == ICF_MOTION_HARMONIC) {
        flow_word(&out, "type", "harmonic");
        write_harmonic_keys(&out, &motion->harmonic);
    } else {
        flow_word(&out, "type", "velocity");
        flow_vec3(&out, "linear", motion->steady.linear);
        flow_vec3(&out, "angular", motion->steady.angular);
        flow_vec3(&out, "center", motion->steady.center);
    }
    flow_end(&out);
}

static void write_surface(flow *body, const icf_surface_velocity *surface)
{
    if (!surface->moving) return;
    flow_key(body, "surface_velocity");
    flow out = flow_begin(body->file);
    if (surface->harmonic.amplitude == 0.0)
        flow_vec3(&out, "velocity", surface->constant);
    else
        write_harmonic_keys(&out, &surface->harmonic);
    flow_end(&out);
}

static void write_dynamics(flow *body, const icf_scene *scene, const icf_body_def *def)
{
    write_mass(body, scene, def);
    if (!is_zero(def->linear_velocity)) flow_vec3(body, "linear_velocity", def->linear_velocity);
    if (!is_zero(def->angular_velocity)) flow_vec3(body, "angular_velocity", def->angular_velocity);
    write_free(body, def->locked);
}

/* A body; as a template of a population it has no name and no position. */
static void write_body(FILE *file, const icf_scene *scene, const icf_body_def *given, bool in_template)
{
    icf_body_def user = *given;
    const icf_body_def *def = &user;
    const icf_solid *solid = icf_scene_solid(scene, &user.shape);
    const icf_vec3 velocity = user.linear_velocity;
    if (solid)
        icf_solid_to_user(solid, &user.position, &user.orientation, &user.linear_velocity, user.angular_velocity);
    if (in_template) user.linear_velocity = velocity;
    flow body = flow_begin(file);
    if (def->name && !in_template) flow_text(&body, "name", def->name);
    write_shape(&body, "shape", scene, &def->shape);
    if (def->material >= 0) flow_text(&body, "material", scene->material_name[def->material]);
    if (def->shape.type != ICF_SHAPE_HALF_SPACE) {
        if (!in_template) flow_vec3(&body, "position", def->position);
        write_orientation(&body, def->orientation);
    }
    if (def->motion.type == ICF_MOTION_DYNAMIC) write_dynamics(&body, scene, def);
    write_motion(&body, &def->motion);
    write_surface(&body, &def->surface);
    flow_end(&body);
}

void icf_scene_write_body(FILE *file, const icf_scene *scene, const icf_body_def *def)
{
    fputs("  - ", file);
    write_body(file, scene, def, false);
    fputc('\n', file);
}

static void write_size(flow *item, const icf_size *size)
{
    if (size->kind == ICF_SIZE_ONE) return;
    flow_key(item, "scale");
    flow out = flow_begin(item->file);
    flow_word(&out, "distribution", icf_size_names[size->kind]);
    if (size->kind == ICF_SIZE_LIST) {
        flow_numbers(&out, "values", size->n, size->value);
        flow_numbers(&out, "weights", size->n, size->weight);
    } else {
        flow_number(&out, "min", size->min);
        flow_number(&out, "max", size->max);
    }
    if (size->kind == ICF_SIZE_NORMAL) flow_number(&out, "mean", size->center);
    if (size->kind == ICF_SIZE_LOG_NORMAL) flow_number(&out, "median", size->center);
    if (size->kind == ICF_SIZE_NORMAL || size->kind == ICF_SIZE_LOG_NORMAL)
        flow_number(&out, "deviation", size->deviation);
    flow_end(&out);
}

static void write_template(FILE *file, const icf_scene *scene, const icf_template *item)
{
    fputs("      - ", file);
    flow out = flow_begin(file);
    flow_number(&out, "weight", item->weight);
    write_size(&out, &item->size);
    flow_key(&out, "body");
    write_body(file, scene, &item->body, true);
    flow_end(&out);
    fputc('\n', file);
}

static void write_grid(FILE *file, const icf_population *population)
{
    if (population->kind == ICF_POPULATION_GRID)
        fprintf(file, "    count: [%" PRId64 ", %" PRId64 ", %" PRId64 "]\n", population->nx, population->ny,
                population->nz);
    else
        fprintf(file, "    bodies: %" PRId64 "\n    height: %" PRId64 "\n", population->n, population->nz);
    fputs("    spacing: ", file);
    write_vec3(file, population->spacing);
    fputs("\n    origin: ", file);
    write_vec3(file, population->origin);
    fputs("\n    jitter: ", file);
    write_number(file, population->jitter);
}

static void write_region(FILE *file, const icf_region *region)
{
    fputs("    region: ", file);
    flow out = flow_begin(file);
    flow_word(&out, "type", icf_region_names[region->kind]);
    flow_vec3(&out, "center", region->center);
    if (region->kind == ICF_REGION_BOX)
        flow_vec3(&out, "size", icf_scale(2.0, region->half));
    else
        flow_number(&out, "radius", region->half.x);
    if (region->kind == ICF_REGION_CYLINDER) flow_number(&out, "length", 2.0 * region->half.z);
    flow_end(&out);
}

static void write_emission(FILE *file, const icf_population *population)
{
    fputs("\n    rate: ", file);
    write_number(file, population->rate);
    fputs("\n    start: ", file);
    write_number(file, population->start);
}

static void write_packing(FILE *file, const icf_population *population)
{
    fprintf(file, "    bodies: %" PRId64 "\n", population->n);
    write_region(file, &population->region);
    fputs("\n    gap: ", file);
    write_number(file, population->gap);
}

static void write_velocity(FILE *file, const icf_population *population)
{
    const bool linear = !is_zero(population->linear) || population->linear_spread > 0.0;
    const bool angular = !is_zero(population->angular) || population->angular_spread > 0.0;
    if (!linear && !angular) return;
    fputs("\n    velocity: ", file);
    flow out = flow_begin(file);
    flow_vec3(&out, "linear", population->linear);
    flow_number(&out, "linear_spread", population->linear_spread);
    flow_vec3(&out, "angular", population->angular);
    flow_number(&out, "angular_spread", population->angular_spread);
    flow_end(&out);
}

static void write_population(FILE *file, const icf_scene *scene, const icf_population *population)
{
    fprintf(file, "  - kind: %s\n", icf_population_names[population->kind]);
    if (population->kind == ICF_POPULATION_GRID || population->kind == ICF_POPULATION_COLUMNS)
        write_grid(file, population);
    else
        write_packing(file, population);
    if (population->kind == ICF_POPULATION_EMITTER) write_emission(file, population);
    if (population->turned) fputs("\n    orientation: random", file);
    write_velocity(file, population);
    fprintf(file, "\n    seed: %" PRIu64 "\n    templates:\n", population->seed);
    const icf_template *templates = &scene->population_template[population->first_template];
    for (int32_t i = 0; i < population->ntemplate; ++i) write_template(file, scene, &templates[i]);
}

void icf_scene_write_populations(FILE *file, const icf_scene *scene)
{
    if (scene->npopulation > 0) fputs("populations:\n", file);
    for (int32_t i = 0; i < scene->npopulation; ++i) write_population(file, scene, &scene->population[i]);
}

static void write_force(FILE *file, const icf_force *force, const char *name)
{
    fputs("  - ", file);
    flow out = flow_begin(file);
    flow_text(&out, "body", name);
    flow_vec3(&out, "direction", force->direction);
    if (force->rate == 0.0 || force->value != 0.0) flow_number(&out, "value", force->value);
    if (force->rate != 0.0) flow_number(&out, "rate", force->rate);
    flow_end(&out);
    fputc('\n', file);
}

static void write_spring(FILE *file, const icf_spring *spring, const char *name)
{
    fputs("  - ", file);
    flow out = flow_begin(file);
    flow_text(&out, "body", name);
    flow_vec3(&out, "axis", spring->axis);
    flow_number(&out, "stiffness", spring->stiffness);
    flow_number(&out, "damping", spring->damping);
    flow_number(&out, "rest", spring->rest);
    flow_word(&out, "implicit", spring->implicit ? "true" : "false");
    flow_end(&out);
    fputc('\n', file);
}

icf_status icf_scene_write_end(icf_context *context, FILE *file, const icf_scene *scene,
                               const char *(*name)(void *user, icf_gid body), void *user)
{
    const char *section = "forces:\n";
    for (icf_lid i = 0; i < scene->nforce; ++i) {
        const char *body = name(user, scene->force[i].body);
        if (!body) continue;
        fputs(section, file);
        write_force(file, &scene->force[i], body);
        section = "";
    }
    section = "springs:\n";
    for (icf_lid i = 0; i < scene->nspring; ++i) {
        const char *body = name(user, scene->spring[i].body);
        if (!body) continue;
        fputs(section, file);
        write_spring(file, &scene->spring[i], body);
        section = "";
    }
    errno = 0;
    if (fflush(file) == 0 && !ferror(file)) return ICF_OK;
    return icf_fail(context, ICF_ERROR_FILE, "cannot write the scene: %s",
                    errno ? strerror(errno) : "the stream failed earlier");
}

static icf_status write_opened(icf_context *context, const char *opened, const char *path, icf_write_contents contents,
                               void *user)
{
    FILE *file = fopen(opened, "w");
    if (!file) return icf_file_fail(context, path, errno);
    const icf_status status = contents(user, file);
    if (fclose(file) != 0 && status == ICF_OK) return icf_file_fail(context, path, errno);
    return status;
}

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

icf_status icf_scene_write_file(icf_context *context, const char *path, icf_write_contents contents, void *user)
{
    if (is_special(path)) return write_opened(context, path, path, contents, user);
    char *temporary = icf_path_print("%s.tmp", path);
    if (!temporary) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    icf_status status = write_opened(context, temporary, path, contents, user);
    if (status == ICF_OK)
        status = icf_file_commit(context, temporary, path);
    else
        unlink(temporary);
    icf_free(temporary);
    return status;
}

/* Bodies to be saved, also for names by global id. */
typedef struct body_list {
    icf_context *context;
    const icf_scene *scene;
    const icf_bodies *bodies;
    icf_lid n;
    const icf_lid *list;
    char buffer[ICF_BODY_NAME_BYTES];
} body_list;

static int compare_lid(const void *a, const void *b)
{
    const icf_lid x = *(const icf_lid *)a, y = *(const icf_lid *)b;
    return (x > y) - (x < y);
}

static const char *name_in_list(void *user, icf_gid body)
{
    body_list *list = user;
    const icf_lid i = icf_bodies_find(list->bodies, body);
    if (i < 0 || !bsearch(&i, list->list, (size_t)list->n, sizeof i, compare_lid)) return NULL;
    return icf_bodies_name(list->bodies, i, list->buffer);
}

/* ---- deformable bodies as they are now ---- */

static void write_vectors(FILE *file, const char *key, const icf_vec3 *v, icf_lid n)
{
    fprintf(file, "    %s: [", key);
    for (icf_lid i = 0; i < n; ++i) {
        if (i > 0) fputs(",\n      ", file);
        write_vec3(file, v[i]);
    }
    fputs("]\n", file);
}

static void write_mesh(FILE *file, const icf_tet_mesh *mesh)
{
    fputs("    mesh:\n  ", file);
    write_vectors(file, "vertices", mesh->vertex, mesh->nvertex);
    fputs("      tets: [", file);
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        fprintf(file, "%s[%d, %d, %d, %d]", t > 0 ? ", " : "", (int)mesh->tet[t][0], (int)mesh->tet[t][1],
                (int)mesh->tet[t][2], (int)mesh->tet[t][3]);
    fputs("]\n", file);
}

static void write_elastic(FILE *file, const icf_scene *scene, const icf_deformable *deformable)
{
    const icf_deformable_material *elastic = &deformable->elastic;
    fprintf(file, "    model: %s\n", icf_elastic_model_names[elastic->model]);
    if (elastic->model == ICF_ELASTIC_COROTATIONAL)
        fprintf(file, "    geometric_stiffness: %s\n", elastic->geometric_stiffness ? "true" : "false");
    fputs("  ", file);
    write_setting(file, "youngs_modulus", elastic->youngs_modulus);
    fputs("  ", file);
    write_setting(file, "poissons_ratio", elastic->poissons_ratio);
    fputs("  ", file);
    write_setting(file, "density", elastic->density);
    fputs("    damping: ", file);
    flow out = flow_begin(file);
    flow_number(&out, "mass", elastic->mass_damping);
    flow_number(&out, "stiffness", elastic->stiffness_damping);
    flow_end(&out);
    fprintf(file, "\n    contact_subdivision: %d\n    self_contact: %s\n", (int)deformable->subdivision,
            deformable->self_contact ? "true" : "false");
    if (deformable->material < 0) return;
    fputs("    material: ", file);
    icf_scene_write_text(file, scene->material_name[deformable->material]);
    fputc('\n', file);
}

static void write_support_motion(flow *out, const icf_support_motion *motion)
{
    if (motion->type == ICF_SUPPORT_FIXED) return;
    flow_key(out, "motion");
    flow keys = flow_begin(out->file);
    flow_word(&keys, "type", motion->type == ICF_SUPPORT_LINEAR ? "linear" : "harmonic");
    if (motion->type == ICF_SUPPORT_LINEAR)
        flow_vec3(&keys, "velocity", motion->velocity);
    else
        write_harmonic_keys(&keys, &motion->harmonic);
    flow_end(&keys);
}

/* The vertices of one support; a support whose vertices later ones took over has none. */
static void write_support(FILE *file, const icf_deformable *deformable, int32_t support, const char **section)
{
    const char *separator = "";
    for (icf_lid i = 0; i < deformable->mesh.nvertex; ++i) {
        if (deformable->support[i] != support) continue;
        if (!separator[0]) fprintf(file, "%s      - {vertices: [", *section);
        fprintf(file, "%s%d", separator, (int)i);
        separator = ", ";
        *section = "";
    }
    if (!separator[0]) return;
    fputc(']', file);
    flow out = {file, ", "};
    write_support_motion(&out, &deformable->motion[support]);
    flow_end(&out);
    fputc('\n', file);
}

/* Attachments to bodies that are written; each vertex is held where it is now. */
static void write_attachments(FILE *file, body_list *list, const icf_deformable *deformable)
{
    const char *section = "    attachments:\n";
    for (icf_lid k = 0; k < deformable->nattachment; ++k) {
        const char *body = name_in_list(list, deformable->attachment[k].body);
        if (!body) continue;
        fprintf(file, "%s      - ", section);
        flow out = flow_begin(file);
        flow_text(&out, "body", body);
        flow_key(&out, "vertices");
        fprintf(file, "[%d]", (int)deformable->attachment[k].vertex);
        flow_end(&out);
        fputc('\n', file);
        section = "";
    }
}

static void write_deformable(FILE *file, body_list *list, icf_lid i)
{
    const icf_bodies *bodies = list->bodies;
    const icf_deformable *deformable = &list->scene->deformable[bodies->shape[i].index];
    const char *section = "    fixed:\n";
    fputs("  - name: ", file);
    icf_scene_write_text(file, deformable->name);
    fputc('\n', file);
    write_elastic(file, list->scene, deformable);
    write_mesh(file, &deformable->mesh);
    write_vectors(file, "vertex_positions", bodies->vertex_position + bodies->vertex[i], bodies->nvertex[i]);
    write_vectors(file, "vertex_velocities", bodies->vertex_velocity + bodies->vertex[i], bodies->nvertex[i]);
    for (int32_t k = 0; k < deformable->nmotion; ++k) write_support(file, deformable, k, &section);
    write_attachments(file, list, deformable);
    if (deformable->npressure > 0) fputs("    # its pressure is left out: listed meshes have no groups\n", file);
}

static bool is_deformable(const body_list *list, icf_lid k)
{
    return icf_bodies_is_deformable(list->bodies, list->list[k]);
}

static void write_vertex_forces(FILE *file, const icf_deformable *deformable, const char **section)
{
    for (icf_lid i = 0; i < deformable->mesh.nvertex; ++i) {
        if (is_zero(deformable->force[i])) continue;
        fprintf(file, "%s  - ", *section);
        flow out = flow_begin(file);
        flow_text(&out, "deformable", deformable->name);
        flow_key(&out, "vertices");
        fprintf(file, "[%d]", (int)i);
        flow_vec3(&out, "value", deformable->force[i]);
        flow_end(&out);
        fputc('\n', file);
        *section = "";
    }
}

static void write_deformables(FILE *file, body_list *list)
{
    const char *section = "deformables:\n", *forces = "vertex_forces:\n";
    for (icf_lid k = 0; k < list->n; ++k) {
        if (!is_deformable(list, k)) continue;
        fputs(section, file);
        write_deformable(file, list, list->list[k]);
        section = "";
    }
    for (icf_lid k = 0; k < list->n; ++k)
        if (is_deformable(list, k))
            write_vertex_forces(file, &list->scene->deformable[list->bodies->shape[list->list[k]].index], &forces);
}

static icf_status write_list(void *user, FILE *file)
{
    body_list *list = user;
    icf_lid nrigid = 0;
    icf_scene_write_begin(file, list->scene);
    for (icf_lid k = 0; k < list->n; ++k) {
        if (is_deformable(list, k)) continue;
        const icf_body_def def = icf_bodies_def(list->bodies, list->list[k], list->buffer);
        icf_scene_write_body(file, list->scene, &def);
        ++nrigid;
    }
    if (nrigid == 0) fputs("  []\n", file);
    write_deformables(file, list);
    return icf_scene_write_end(list->context, file, list->scene, name_in_list, list);
}

/* A run of the part must not replace the results of the whole: its directory has another name. */
icf_status icf_scene_write_bodies(icf_context *context, const char *path, const icf_scene *scene,
                                  const icf_bodies *bodies, icf_lid nlist, const icf_lid *list)
{
    icf_scene part = *scene;
    part.output.directory = icf_path_print("%s-part", scene->output.directory);
    if (!part.output.directory) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    body_list user = {.context = context, .scene = &part, .bodies = bodies, .n = nlist, .list = list};
    const icf_status status = icf_scene_write_file(context, path, write_list, &user);
    icf_free(part.output.directory);
    return status;
}
