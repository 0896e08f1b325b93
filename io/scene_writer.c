/* Scene writer: settings, materials, forces and springs as YAML, and the file.
 *
 * Settings are written in block style, bodies in flow style, one a line.  What the reader would fill in by
 * itself (default values of a body, inertia of the uniform solid) is left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/scene_writer_private.h"

static const char *const model_names[] = {"sap", "lagged", "similar"};
static const char *const linear_names[] = {"auto", "block", "mumps", "pcg"};
static const char *const normal_names[] = {"linear", "hertz", "log_barrier", "ipc_barrier"};

/* `duration` reads better and survives another step size; `steps` when it would not give the same count. */
static void write_time(FILE *file, const icf_time_settings *time)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", (double)time->steps * time->step);
    fputs("time:\n  step: ", file);
    icf_yaml_number(file, time->step);
    if (time->steps > 0 && llround(strtod(text, NULL) / time->step) == time->steps)
        fprintf(file, "\n  duration: %s\n", text);
    else
        fprintf(file, "\n  steps: %" PRId64 "\n", time->steps);
    if (time->integrator != ICF_SYMPLECTIC_EULER)
        fprintf(file, "  integrator: %s\n", icf_integrator_names[time->integrator]);
}

static void write_friction(icf_flow *out, const icf_material *material)
{
    if (!material->anisotropic) {
        icf_flow_number(out, "friction", material->friction[0]);
        return;
    }
    icf_flow_key(out, "friction");
    fputs("{principal: [", out->file);
    icf_yaml_number(out->file, material->friction[0]);
    fputs(", ", out->file);
    icf_yaml_number(out->file, material->friction[1]);
    fputs("], axis: ", out->file);
    icf_yaml_vec3(out->file, material->axis);
    fputc('}', out->file);
}

/* The keys that were given. */
static void write_material_keys(icf_flow *out, const icf_material *material)
{
    const unsigned given = material->given;
    if (given & ICF_MATERIAL_NORMAL) icf_flow_word(out, "normal", normal_names[material->normal]);
    if (given & ICF_MATERIAL_STIFFNESS) icf_flow_number(out, "stiffness", material->stiffness);
    if (given & ICF_MATERIAL_STIFFNESS_PER_AREA)
        icf_flow_number(out, "stiffness_per_area", material->stiffness_per_area);
    if (given & ICF_MATERIAL_BARRIER_DISTANCE) icf_flow_number(out, "barrier_distance", material->barrier_distance);
    if (given & ICF_MATERIAL_DISSIPATION) icf_flow_number(out, "dissipation", material->dissipation);
    if (given & ICF_MATERIAL_RELAXATION_TIME) icf_flow_number(out, "relaxation_time", material->relaxation_time);
    if (given & ICF_MATERIAL_FRICTION) write_friction(out, material);
}

static void write_pair(FILE *file, const icf_scene *scene, const icf_material_pair *pair)
{
    fputs("    - ", file);
    icf_flow out = icf_flow_begin(file);
    icf_flow_key(&out, "materials");
    fputc('[', file);
    icf_yaml_text(file, scene->material_name[pair->a]);
    fputs(", ", file);
    icf_yaml_text(file, scene->material_name[pair->b]);
    fputc(']', file);
    write_material_keys(&out, &pair->values);
    icf_flow_end(&out);
    fputc('\n', file);
}

void icf_scene_write_setting(FILE *file, const char *key, double value)
{
    fprintf(file, "  %s: ", key);
    icf_yaml_number(file, value);
    fputc('\n', file);
}

static void write_contact(FILE *file, const icf_scene *scene)
{
    const icf_contact_settings *contact = &scene->contact;
    fprintf(file, "contact:\n  model: %s\n", model_names[contact->model]);
    fprintf(file, "  regularized: %s\n", contact->regularized ? "true" : "false");
    icf_scene_write_setting(file, "stiction_tolerance", contact->stiction_tolerance);
    icf_scene_write_setting(file, "sigma", contact->sigma);
    icf_scene_write_setting(file, "near_rigid", contact->near_rigid);
    if (contact->auto_distance)
        fputs("  distance: auto\n", file);
    else
        icf_scene_write_setting(file, "distance", contact->distance);
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
    icf_scene_write_setting(file, "relative_tolerance", solver->relative_tolerance);
    icf_scene_write_setting(file, "absolute_tolerance", solver->absolute_tolerance);
    fprintf(file, "  max_iterations: %d\n  linear: %s\n", solver->max_iterations, linear_names[solver->linear]);
    if (!solver->parts) fputs("  parts: false\n", file);
    if (solver->condition) fputs("  condition: true\n", file);
}

static void write_output(FILE *file, const icf_output_settings *output)
{
    fputs("output:\n  directory: ", file);
    icf_yaml_text(file, output->directory);
    fputc('\n', file);
    if (output->rate > 0.0)
        icf_scene_write_setting(file, "rate", output->rate);
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
        icf_yaml_text(file, scene->material_name[i]);
        fputs(": ", file);
        icf_flow out = icf_flow_begin(file);
        write_material_keys(&out, &scene->material[i]);
        icf_flow_end(&out);
        fputc('\n', file);
    }
}

void icf_scene_write_begin(FILE *file, const icf_scene *scene)
{
    fputs("name: ", file);
    icf_yaml_text(file, scene->name);
    fputs("\ngravity: ", file);
    icf_yaml_vec3(file, scene->gravity);
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

/* ---- forces, springs, the end ---- */

static void write_force(FILE *file, const icf_force *force, const char *name)
{
    fputs("  - ", file);
    icf_flow out = icf_flow_begin(file);
    icf_flow_text(&out, "body", name);
    icf_flow_vec3(&out, "direction", force->direction);
    if (force->rate == 0.0 || force->value != 0.0) icf_flow_number(&out, "value", force->value);
    if (force->rate != 0.0) icf_flow_number(&out, "rate", force->rate);
    icf_flow_end(&out);
    fputc('\n', file);
}

static void write_spring(FILE *file, const icf_spring *spring, const char *name)
{
    fputs("  - ", file);
    icf_flow out = icf_flow_begin(file);
    icf_flow_text(&out, "body", name);
    icf_flow_vec3(&out, "axis", spring->axis);
    icf_flow_number(&out, "stiffness", spring->stiffness);
    icf_flow_number(&out, "damping", spring->damping);
    icf_flow_number(&out, "rest", spring->rest);
    icf_flow_word(&out, "implicit", spring->implicit ? "true" : "false");
    icf_flow_end(&out);
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

/* ---- files ---- */

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
