/* Triangulated surfaces of shapes. */
#include "io/surface.h"

#include "base/memory.h"
#include "scene/rigid_surface.h"

static icf_status allocate(icf_surface *surface, int32_t npoint, int32_t ntriangle)
{
    *surface = (icf_surface){.npoint = npoint, .ntriangle = ntriangle};
    surface->unit = icf_alloc((size_t)npoint * sizeof *surface->unit);
    surface->side = icf_alloc((size_t)npoint * sizeof *surface->side);
    surface->triangle = icf_alloc((size_t)ntriangle * sizeof *surface->triangle);
    return surface->unit && surface->side && surface->triangle ? ICF_OK : ICF_ERROR_MEMORY;
}

static void set_point(icf_surface *surface, int32_t i, double x, double y, double z, double side)
{
    surface->unit[i] = icf_vec3_make(x, y, z);
    surface->side[i] = side;
}

static void set_triangle(icf_surface *surface, int32_t *n, int32_t a, int32_t b, int32_t c)
{
    int32_t *triangle = surface->triangle[(*n)++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

/* Circles of latitude between the poles.  A split sphere has its equator twice, once a cap. */
static void set_rings(icf_surface *surface, int32_t around, int32_t nring, bool split)
{
    const double pi = 3.14159265358979323846;
    const int32_t intervals = split ? nring : nring + 1;
    for (int32_t ring = 0; ring < nring; ++ring) {
        const bool upper = split && ring >= nring / 2;
        const double latitude = pi * ((double)(ring + (upper ? 0 : 1)) / intervals - 0.5);
        for (int32_t k = 0; k < around; ++k) {
            const double longitude = 2.0 * pi * k / around;
            set_point(surface, 1 + ring * around + k, cos(latitude) * cos(longitude), cos(latitude) * sin(longitude),
                      sin(latitude),
                      !split  ? 0.0
                      : upper ? 1.0
                              : -1.0);
        }
    }
}

/* Joins south pole, rings and north pole by triangles. */
static void join_rings(icf_surface *surface, int32_t around, int32_t nring)
{
    const int32_t north = 1 + nring * around;
    int32_t n = 0;
    for (int32_t k = 0; k < around; ++k) {
        const int32_t next = (k + 1) % around, last = 1 + (nring - 1) * around;
        set_triangle(surface, &n, 0, 1 + next, 1 + k);
        set_triangle(surface, &n, north, last + k, last + next);
        for (int32_t ring = 0; ring + 1 < nring; ++ring) {
            const int32_t lower = 1 + ring * around, upper = lower + around;
            set_triangle(surface, &n, lower + k, lower + next, upper + next);
            set_triangle(surface, &n, lower + k, upper + next, upper + k);
        }
    }
}

/* Unit sphere of poles and rings, or the two halves of a capsule. */
static icf_status build_round(icf_surface *surface, int32_t around, bool split)
{
    const int32_t half = ICF_MAX(around / 4, 1); /* intervals from equator to pole */
    const int32_t nring = split ? 2 * half : 2 * half - 1;
    ICF_TRY(allocate(surface, nring * around + 2, 2 * nring * around));
    set_point(surface, 0, 0.0, 0.0, -1.0, split ? -1.0 : 0.0);
    set_point(surface, surface->npoint - 1, 0.0, 0.0, 1.0, split ? 1.0 : 0.0);
    set_rings(surface, around, nring, split);
    join_rings(surface, around, nring);
    return ICF_OK;
}

/* Cube of half edge 1; corner 4 ix + 2 iy + iz. */
static icf_status build_box(icf_surface *surface)
{
    static const int32_t faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                        {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    ICF_TRY(allocate(surface, 8, 12));
    for (int32_t i = 0; i < 8; ++i) set_point(surface, i, i & 4 ? 1 : -1, i & 2 ? 1 : -1, i & 1 ? 1 : -1, 0.0);
    int32_t n = 0;
    for (int f = 0; f < 6; ++f) {
        set_triangle(surface, &n, faces[f][0], faces[f][1], faces[f][2]);
        set_triangle(surface, &n, faces[f][0], faces[f][2], faces[f][3]);
    }
    return ICF_OK;
}

static icf_status build_square(icf_surface *surface)
{
    ICF_TRY(allocate(surface, 4, 2));
    for (int32_t i = 0; i < 4; ++i) set_point(surface, i, i == 1 || i == 2 ? 1 : -1, i >= 2 ? 1 : -1, 0.0, 0.0);
    int32_t n = 0;
    set_triangle(surface, &n, 0, 1, 2);
    set_triangle(surface, &n, 0, 2, 3);
    return ICF_OK;
}

icf_status icf_surfaces_build(icf_surfaces *surfaces, int32_t around, icf_vec3 centre, double reach)
{
    *surfaces = (icf_surfaces){.centre = centre, .reach = reach};
    ICF_TRY(build_square(&surfaces->shape[ICF_SHAPE_HALF_SPACE]));
    ICF_TRY(build_round(&surfaces->shape[ICF_SHAPE_SPHERE], around, false));
    ICF_TRY(build_round(&surfaces->shape[ICF_SHAPE_CAPSULE], around, true));
    return build_box(&surfaces->shape[ICF_SHAPE_BOX]);
}

icf_surface icf_surfaces_of(const icf_surfaces *surfaces, const icf_shape *shape)
{
    if (!icf_shape_is_surface(shape)) return surfaces->shape[shape->type];
    const icf_triangle_mesh *mesh = &shape->surface->mesh;
    return (icf_surface){
        .npoint = mesh->nvertex, .ntriangle = mesh->ntriangle, .unit = mesh->vertex, .triangle = mesh->triangle};
}

void icf_surfaces_clear(icf_surfaces *surfaces)
{
    for (int type = 0; type < ICF_SHAPE_COUNT; ++type) {
        icf_free(surfaces->shape[type].unit);
        icf_free(surfaces->shape[type].side);
        icf_free(surfaces->shape[type].triangle);
    }
    *surfaces = (icf_surfaces){0};
}

/* Where and how large a template is placed. */
typedef struct placement {
    icf_vec3 position, scale;
    double half;
    icf_mat3 rotation;
} placement;

/* The square lies where the scene's centre projects on the plane; axes from the normal alone. */
static placement place_half_space(const icf_surfaces *surfaces, const icf_shape *shape)
{
    const icf_vec3 n = shape->normal, centre = surfaces->centre;
    const icf_vec3 helper = fabs(n.x) < 0.5 ? icf_vec3_make(1, 0, 0) : icf_vec3_make(0, 1, 0);
    const icf_vec3 t1 = icf_unit(icf_sub(helper, icf_scale(icf_dot(helper, n), n))), t2 = icf_cross(n, t1);
    return (placement){.position = icf_mul_add(centre, shape->offset - icf_dot(n, centre), n),
                       .scale = {surfaces->reach, surfaces->reach, 0.0},
                       .rotation = {{t1.x, t2.x, n.x, t1.y, t2.y, n.y, t1.z, t2.z, n.z}}};
}

static placement place_body(const icf_surfaces *surfaces, const icf_bodies *bodies, icf_lid i)
{
    const icf_shape *shape = &bodies->shape[i];
    if (shape->type == ICF_SHAPE_HALF_SPACE) return place_half_space(surfaces, shape);
    const double r = icf_shape_is_surface(shape) ? 1.0 : shape->radius;
    return (placement){.position = bodies->position[i],
                       .scale = shape->type == ICF_SHAPE_BOX ? shape->extent : icf_vec3_make(r, r, r),
                       .half = shape->half,
                       .rotation = icf_quat_matrix(bodies->orientation[i])};
}

void icf_surfaces_place(const icf_surfaces *surfaces, const icf_bodies *bodies, icf_lid i, float (*point)[3],
                        float *speed)
{
    const icf_surface surface = icf_surfaces_of(surfaces, &bodies->shape[i]);
    const placement place = place_body(surfaces, bodies, i);
    for (int32_t k = 0; k < surface.npoint; ++k) {
        const icf_vec3 unit = surface.unit[k], scale = place.scale;
        const double up = surface.side ? surface.side[k] * place.half : 0.0;
        const icf_vec3 local = {scale.x * unit.x, scale.y * unit.y, scale.z * unit.z + up};
        const icf_vec3 arm = icf_mat3_mul(&place.rotation, local), x = icf_add(place.position, arm);
        const icf_vec3 v = icf_add(bodies->linear_velocity[i], icf_cross(bodies->angular_velocity[i], arm));
        point[k][0] = (float)x.x;
        point[k][1] = (float)x.y;
        point[k][2] = (float)x.z;
        speed[k] = (float)icf_norm(v);
    }
}
