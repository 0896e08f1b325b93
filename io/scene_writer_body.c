/* Scene writer: shapes, mass and motion of bodies. */
#include <string.h>

#include "io/scene_writer_private.h"

static const char *const dof_names[] = {"vx", "vy", "vz", "wx", "wy", "wz"};

static void write_rigid_surface(icf_flow *out, const icf_rigid_surface *surface)
{
    if (surface->source == ICF_SURFACE_MESH) {
        icf_flow_key(out, "mesh");
        icf_flow mesh = icf_flow_begin(out->file);
        icf_flow_text(&mesh, "file", surface->file);
        icf_flow_number(&mesh, "scale", surface->scale);
        icf_flow_end(&mesh);
        return;
    }
    icf_flow_text(out, "heights", surface->file);
    if (surface->dataset) icf_flow_text(out, "dataset", surface->dataset);
    icf_flow_numbers(out, "spacing", 2, surface->grid.spacing);
    icf_flow_number(out, "scale", surface->scale);
    icf_flow_number(out, "offset", surface->offset);
}

static void write_orientation(icf_flow *body, icf_quat q)
{
    static const icf_quat identity = {1.0, 0.0, 0.0, 0.0};
    if (memcmp(&q, &identity, sizeof q) == 0) return;
    icf_flow_numbers(body, "orientation", 4, (const double[4]){q.w, q.x, q.y, q.z});
}

static void write_shape(icf_flow *body, const char *key, const icf_scene *scene, const icf_shape *shape);

/* The mesh of a hull, by its absolute path. */
static void write_convex(icf_flow *out, const icf_solid *solid)
{
    icf_flow_key(out, "mesh");
    icf_flow mesh = icf_flow_begin(out->file);
    icf_flow_text(&mesh, "file", solid->mesh);
    if (solid->scale != 1.0) icf_flow_number(&mesh, "scale", solid->scale);
    icf_flow_end(&mesh);
}

/* Parts as they were given. */
static void write_parts(icf_flow *out, const icf_scene *scene, const icf_solid *solid)
{
    const icf_solid *given = solid->given >= 0 ? &scene->solid[solid->given] : solid;
    icf_flow_key(out, "parts");
    fputc('[', out->file);
    for (int32_t i = 0; i < given->npart; ++i) {
        if (i > 0) fputs(", ", out->file);
        icf_flow part = icf_flow_begin(out->file);
        write_shape(&part, "shape", scene, &given->part[i].shape);
        icf_flow_vec3(&part, "position", given->part[i].position);
        write_orientation(&part, given->part[i].orientation);
        icf_flow_end(&part);
    }
    fputc(']', out->file);
}

static void write_shape(icf_flow *body, const char *key, const icf_scene *scene, const icf_shape *shape)
{
    icf_flow_key(body, key);
    icf_flow out = icf_flow_begin(body->file);
    icf_flow_word(&out, "type", icf_shape_name(shape->type));
    switch (shape->type) {
    case ICF_SHAPE_SPHERE: icf_flow_number(&out, "radius", shape->radius); break;
    case ICF_SHAPE_CAPSULE:
    case ICF_SHAPE_CYLINDER:
        icf_flow_number(&out, "radius", shape->radius);
        icf_flow_number(&out, "length", 2.0 * shape->half);
        break;
    case ICF_SHAPE_BOX: icf_flow_vec3(&out, "size", icf_scale(2.0, shape->extent)); break;
    case ICF_SHAPE_ELLIPSOID: icf_flow_vec3(&out, "radii", shape->extent); break;
    case ICF_SHAPE_CONVEX: write_convex(&out, icf_scene_solid(scene, shape)); break;
    case ICF_SHAPE_COMPOUND: write_parts(&out, scene, icf_scene_solid(scene, shape)); break;
    case ICF_SHAPE_HALF_SPACE:
        icf_flow_vec3(&out, "normal", shape->normal);
        icf_flow_number(&out, "offset", shape->offset);
        break;
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD: write_rigid_surface(&out, shape->surface); break;
    case ICF_SHAPE_DEFORMABLE: /* no shape of a body in a scene */
    case ICF_SHAPE_NONE:
    case ICF_SHAPE_COUNT: break;
    }
    icf_flow_end(&out);
}

/* The default is the inertia of the uniform solid. */
static void write_mass(icf_flow *body, const icf_scene *scene, const icf_body_def *def)
{
    const icf_solid *own = icf_scene_solid(scene, &def->shape);
    icf_vec3 solid = icf_shape_inertia(&def->shape, def->mass);
    if (own && own->frame == ICF_SOLID_PRINCIPAL) solid = icf_scale(def->mass, own->inertia);
    icf_flow_number(body, "mass", def->mass);
    if (memcmp(&solid, &def->inertia, sizeof solid) != 0) icf_flow_vec3(body, "inertia", def->inertia);
}

static void write_free(icf_flow *body, unsigned locked)
{
    if (locked == 0) return;
    const char *separator = "";
    icf_flow_key(body, "free");
    fputc('[', body->file);
    for (int i = 0; i < 6; ++i) {
        if (locked & 1u << i) continue;
        fprintf(body->file, "%s%s", separator, dof_names[i]);
        separator = ", ";
    }
    fputc(']', body->file);
}

void icf_scene_write_harmonic(icf_flow *out, const icf_harmonic *harmonic)
{
    icf_flow_vec3(out, "direction", harmonic->direction);
    icf_flow_number(out, "amplitude", harmonic->amplitude);
    icf_flow_number(out, "frequency", harmonic->frequency);
    icf_flow_number(out, "phase", harmonic->phase);
}

static void write_motion(icf_flow *body, const icf_motion *motion)
{
    if (motion->type == ICF_MOTION_DYNAMIC) return;
    if (motion->type == ICF_MOTION_FIXED) {
        icf_flow_word(body, "motion", "fixed");
        return;
    }
    icf_flow_key(body, "motion");
    icf_flow out = icf_flow_begin(body->file);
    if (motion->type == ICF_MOTION_HARMONIC) {
        icf_flow_word(&out, "type", "harmonic");
        icf_scene_write_harmonic(&out, &motion->harmonic);
    } else {
        icf_flow_word(&out, "type", "velocity");
        icf_flow_vec3(&out, "linear", motion->steady.linear);
        icf_flow_vec3(&out, "angular", motion->steady.angular);
        icf_flow_vec3(&out, "center", motion->steady.center);
    }
    icf_flow_end(&out);
}

static void write_surface(icf_flow *body, const icf_surface_velocity *surface)
{
    if (!surface->moving) return;
    icf_flow_key(body, "surface_velocity");
    icf_flow out = icf_flow_begin(body->file);
    if (surface->harmonic.amplitude == 0.0)
        icf_flow_vec3(&out, "velocity", surface->constant);
    else
        icf_scene_write_harmonic(&out, &surface->harmonic);
    icf_flow_end(&out);
}

static void write_dynamics(icf_flow *body, const icf_scene *scene, const icf_body_def *def)
{
    write_mass(body, scene, def);
    if (!icf_vec3_is_plus_zero(def->linear_velocity)) icf_flow_vec3(body, "linear_velocity", def->linear_velocity);
    if (!icf_vec3_is_plus_zero(def->angular_velocity)) icf_flow_vec3(body, "angular_velocity", def->angular_velocity);
    write_free(body, def->locked);
}

/* A body; as a template of a population it has no name and no position. */
void icf_scene_write_body_keys(FILE *file, const icf_scene *scene, const icf_body_def *given, bool in_template)
{
    icf_body_def user = *given;
    const icf_body_def *def = &user;
    const icf_solid *solid = icf_scene_solid(scene, &user.shape);
    const icf_vec3 velocity = user.linear_velocity;
    if (solid)
        icf_solid_to_user(solid, &user.position, &user.orientation, &user.linear_velocity, user.angular_velocity);
    if (in_template) user.linear_velocity = velocity;
    icf_flow body = icf_flow_begin(file);
    if (def->name && !in_template) icf_flow_text(&body, "name", def->name);
    write_shape(&body, "shape", scene, &def->shape);
    if (def->material >= 0) icf_flow_text(&body, "material", scene->material_name[def->material]);
    if (def->shape.type != ICF_SHAPE_HALF_SPACE) {
        if (!in_template) icf_flow_vec3(&body, "position", def->position);
        write_orientation(&body, def->orientation);
    }
    if (def->motion.type == ICF_MOTION_DYNAMIC) write_dynamics(&body, scene, def);
    write_motion(&body, &def->motion);
    write_surface(&body, &def->surface);
    icf_flow_end(&body);
}

void icf_scene_write_body(FILE *file, const icf_scene *scene, const icf_body_def *def)
{
    fputs("  - ", file);
    icf_scene_write_body_keys(file, scene, def, false);
    fputc('\n', file);
}
