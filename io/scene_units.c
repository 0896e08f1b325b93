/* Doubts about the unit of meshes in files, which do not say their own: a mesh that is far too large or small beside
 * the bodies whose sizes the scene itself gives is warned of, with the scale that would mend it.
 *
 *   mesh of              largest size [m] from                       to
 *   a moving body        min(1 mm, smallest other / 100)             max(10 m, 100 largest other)
 *   alone in its scene   0.1 mm                                      50 m
 *   any other body       1 mm                                        max(50 m, 10^4 largest), at most 10 km
 *   height field         1 mm                                        10 km
 *
 * "Other" are moving bodies that have no mesh file.  Grains beside a boulder and hills beside a wheel are normal: a
 * mesh is only doubted where no usual thing has its size.
 */
#include <stdio.h>

#include "base/memory.h"
#include "io/scene_parse.h"

/* ---- sizes ---- */

static double largest_edge(icf_vec3 edge)
{
    return fmax(edge.x, fmax(edge.y, edge.z));
}

static icf_vec3 box_edges(icf_lid n, const icf_vec3 *x)
{
    icf_vec3 lo = x[0], hi = x[0];
    for (icf_lid i = 1; i < n; ++i) {
        lo = icf_vec3_make(fmin(lo.x, x[i].x), fmin(lo.y, x[i].y), fmin(lo.z, x[i].z));
        hi = icf_vec3_make(fmax(hi.x, x[i].x), fmax(hi.y, x[i].y), fmax(hi.z, x[i].z));
    }
    return icf_sub(hi, lo);
}

static double extent_along(int32_t n, const double *x)
{
    double lo = x[0], hi = x[0];
    for (int32_t i = 1; i < n; ++i) {
        lo = fmin(lo, x[i]);
        hi = fmax(hi, x[i]);
    }
    return hi - lo;
}

static double hull_size(const icf_polytope *p)
{
    return largest_edge(
        icf_vec3_make(extent_along(p->nvertex, p->x), extent_along(p->nvertex, p->y), extent_along(p->nvertex, p->z)));
}

/* ---- sizes that the scene gives ---- */

static void note(icf_scene_reader *reader, double least, double most)
{
    reader->smallest_body = fmin(reader->smallest_body, least);
    reader->largest_body = fmax(reader->largest_body, most);
}

/* Whether a shape or one of its parts is the hull of a file. */
static bool has_file(const icf_scene *scene, const icf_shape *shape)
{
    if (shape->type == ICF_SHAPE_CONVEX) return true;
    const icf_solid *solid = icf_scene_solid(scene, shape);
    for (int32_t k = 0; solid && k < solid->npart; ++k)
        if (solid->part[k].shape.type == ICF_SHAPE_CONVEX) return true;
    return false;
}

void icf_reader_note_size(icf_scene_reader *reader, const icf_body_def *def, double least, double most)
{
    static const icf_mat3 upright = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const icf_shape_type type = def->shape.type;
    if (def->motion.type != ICF_MOTION_DYNAMIC || def->locked == ICF_DOF_ALL) return;
    if (type == ICF_SHAPE_NONE || type == ICF_SHAPE_HALF_SPACE || icf_shape_is_surface(&def->shape)) return;
    if (has_file(reader->scene, &def->shape)) return;
    const double size = 2.0 * largest_edge(icf_shape_extent(&def->shape, &upright));
    if (size > 0.0) note(reader, least * size, most * size);
}

static double rest_size(const icf_deformable *deformable)
{
    return largest_edge(box_edges(deformable->mesh.nvertex, deformable->mesh.vertex));
}

static void note_deformables(icf_scene_reader *reader)
{
    for (int32_t i = 0; i < reader->scene->ndeformable; ++i) {
        const icf_deformable *deformable = &reader->scene->deformable[i];
        const double size = rest_size(deformable);
        if (deformable->file_scale == 0.0) note(reader, size, size);
    }
}

/* ---- doubts ---- */

/* Sizes between which a mesh is not doubted [m]. */
typedef struct limits {
    double least, most;
} limits;

static limits find_limits(const icf_scene_reader *reader, bool moves)
{
    const bool alone = reader->largest_body == 0.0;
    if (!moves) return (limits){1e-3, alone ? 1e4 : fmin(1e4, fmax(50.0, 1e4 * reader->largest_body))};
    if (alone) return (limits){1e-4, 50.0};
    return (limits){fmin(1e-3, 0.01 * reader->smallest_body), fmax(10.0, 100.0 * reader->largest_body)};
}

/* What other moving bodies have, for a message; "" when there are none. */
static void print_others(const icf_scene_reader *reader, size_t bytes, char *text)
{
    text[0] = '\0';
    if (reader->largest_body > 0.0)
        snprintf(text, bytes, ", that of other moving bodies %.3g to %.3g m", reader->smallest_body,
                 reader->largest_body);
}

static bool is_doubtful(double size, limits range)
{
    return size < range.least || size > range.most;
}

/* Warns of a mesh whose size is beyond the limits.
 *   size  [in] largest edge of the box round it [m]
 *   scale [in] of the file's lengths */
static void doubt(const icf_scene_reader *reader, const char *name, double size, double scale, bool moves)
{
    const limits range = find_limits(reader, moves);
    const double factor = size > range.most ? 1e-3 : 1e3;
    char others[96];
    if (!is_doubtful(size, range)) return;
    print_others(reader, sizeof others, others);
    icf_warn(reader->context,
             "%s: its largest size is %.3g m%s: is it in another unit? mesh: {file: ..., scale: %g} makes it %.3g m",
             name, size, others, factor * scale, factor * size);
}

/* Terrain may be large beside what moves on it. */
static void doubt_heights(const icf_context *context, const icf_rigid_surface *surface, double size)
{
    if (is_doubtful(size, (limits){1e-3, 1e4}))
        icf_warn(context, "%s: its largest size is %.3g m: are spacing, scale and offset in metres?", surface->file,
                 size);
}

/* Marks the hulls that moving bodies have: those of which there is one in a body's own frame, and parts of such.
 *   moves [out] (nsolid) */
static void mark_moving(const icf_scene *scene, bool *moves)
{
    for (int32_t i = 0; i < scene->nsolid; ++i) moves[i] = false;
    for (int32_t i = 0; i < scene->nsolid; ++i) {
        const icf_solid *solid = &scene->solid[i];
        if (solid->given < 0) continue;
        moves[solid->given] = true;
        for (int32_t k = 0; k < solid->npart; ++k)
            if (solid->part[k].shape.type == ICF_SHAPE_CONVEX) moves[solid->part[k].shape.index] = true;
    }
}

static icf_status doubt_hulls(const icf_scene_reader *reader)
{
    const icf_scene *scene = reader->scene;
    bool *moves = icf_alloc((size_t)scene->nsolid + 1);
    if (!moves) return ICF_ERROR_MEMORY;
    mark_moving(scene, moves);
    for (int32_t i = 0; i < scene->nsolid; ++i) {
        const icf_solid *solid = &scene->solid[i];
        if (solid->type == ICF_SHAPE_CONVEX && solid->frame == ICF_SOLID_GIVEN)
            doubt(reader, solid->mesh, hull_size(&solid->polytope), solid->scale, moves[i]);
    }
    icf_free(moves);
    return ICF_OK;
}

static void doubt_surfaces(const icf_scene_reader *reader)
{
    for (int32_t i = 0; i < reader->scene->nrigid_surface; ++i) {
        const icf_rigid_surface *surface = &reader->scene->rigid_surface[i];
        const double size = largest_edge(icf_sub(surface->defects.hi, surface->defects.lo));
        if (surface->source == ICF_SURFACE_MESH)
            doubt(reader, surface->file, size, surface->scale, false);
        else
            doubt_heights(reader->context, surface, size);
    }
}

static void doubt_deformables(const icf_scene_reader *reader)
{
    for (int32_t i = 0; i < reader->scene->ndeformable; ++i) {
        const icf_deformable *deformable = &reader->scene->deformable[i];
        char name[80];
        snprintf(name, sizeof name, "deformable \"%.60s\"", deformable->name);
        if (deformable->file_scale > 0.0) doubt(reader, name, rest_size(deformable), deformable->file_scale, true);
    }
}

icf_status icf_reader_doubt_units(icf_scene_reader *reader)
{
    note_deformables(reader);
    doubt_surfaces(reader);
    doubt_deformables(reader);
    return doubt_hulls(reader);
}
