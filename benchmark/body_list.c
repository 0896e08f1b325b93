/* Writes the plain list of a scene. */
#include "body_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_zero(icf_vec3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

/* Whether a body is free or fixed, at rest and not rotated. */
static bool is_plain(const icf_body_def *def)
{
    const bool fixed = def->motion.type == ICF_MOTION_FIXED;
    const icf_quat q = def->orientation;
    return (fixed || (def->motion.type == ICF_MOTION_DYNAMIC && def->locked == 0)) && !def->surface.moving &&
           q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && is_zero(def->linear_velocity) &&
           is_zero(def->angular_velocity);
}

/* Writes a body; false when the list has no line for it. */
static bool write_body(FILE *file, const icf_body_def *def)
{
    const bool fixed = def->motion.type == ICF_MOTION_FIXED;
    const icf_vec3 x = def->position, h = def->shape.extent, n = def->shape.normal;
    if (!is_plain(def)) return false;
    if (fixed && def->shape.type == ICF_SHAPE_HALF_SPACE && n.z == 1.0)
        fprintf(file, "ground %.17g\n", def->shape.offset);
    else if (fixed && def->shape.type == ICF_SHAPE_BOX)
        fprintf(file, "wall %.17g %.17g %.17g  %.17g %.17g %.17g\n", h.x, h.y, h.z, x.x, x.y, x.z);
    else if (!fixed && def->shape.type == ICF_SHAPE_SPHERE)
        fprintf(file, "sphere %.17g %.17g  %.17g %.17g %.17g\n", def->mass, def->shape.radius, x.x, x.y, x.z);
    else if (!fixed && def->shape.type == ICF_SHAPE_BOX)
        fprintf(file, "box %.17g %.17g %.17g %.17g  %.17g %.17g %.17g\n", def->mass, h.x, h.y, h.z, x.x, x.y, x.z);
    else
        return false;
    return true;
}

static icf_lid count_moving(const icf_bodies *bodies)
{
    icf_lid n = 0;
    for (icf_lid i = 0; i < bodies->n; ++i) n += icf_bodies_moves(bodies, i);
    return n;
}

static icf_status write_list(icf_context *context, FILE *file, const icf_scene *scene, const icf_bodies *bodies)
{
    char name[ICF_BODY_NAME_BYTES];
    fprintf(file, "scene %.17g %" PRId64 " %d %.17g\n", scene->time.step, scene->time.steps, count_moving(bodies),
            scene->combined[0].friction[0]);
    for (icf_lid i = 0; i < bodies->n; ++i) {
        const icf_body_def def = icf_bodies_def(bodies, i, name);
        if (!write_body(file, &def))
            return icf_fail(context, ICF_ERROR_USAGE, "body %s cannot be given to other engines", def.name);
    }
    return ICF_OK;
}

icf_status icf_body_list_write(icf_context *context, const char *path, const icf_scene *scene, const icf_bodies *bodies)
{
    const icf_vec3 g = scene->gravity;
    if (g.x != 0.0 || g.y != 0.0 || g.z != -9.81 || scene->nmaterial != 1)
        return icf_fail(context, ICF_ERROR_USAGE, "other engines get one material and gravity [0, 0, -9.81] only");
    FILE *file = fopen(path, "w");
    if (!file) return icf_fail(context, ICF_ERROR_FILE, "cannot write %s: %s", path, strerror(errno));
    const icf_status status = write_list(context, file, scene, bodies);
    const bool failed = ferror(file);
    if ((fclose(file) != 0 || failed) && status == ICF_OK)
        return icf_fail(context, ICF_ERROR_FILE, "cannot write %s: %s", path, strerror(errno));
    return status;
}
