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

/* Poles in the middles of the ends and two circles; unit z is 0, the ends are the sides. */
static icf_status build_cylinder(icf_surface *surface, int32_t around)
{
    ICF_TRY(allocate(surface, 2 * around + 2, 4 * around));
    set_point(surface, 0, 0.0, 0.0, 0.0, -1.0);
    set_point(surface, surface->npoint - 1, 0.0, 0.0, 0.0, 1.0);
    for (int32_t k = 0; k < around; ++k) {
        const double angle = 2.0 * 3.14159265358979323846 * k / around;
        set_point(surface, 1 + k, cos(angle), sin(angle), 0.0, -1.0);
        set_point(surface, 1 + around + k, cos(angle), sin(angle), 0.0, 1.0);
    }
    join_rings(surface, around, 2);
    return ICF_OK;
}

/* The faces of a polytope as fans. */
static icf_status build_polytope(icf_surface *surface, const icf_polytope *p)
{
    ICF_TRY(allocate(surface, p->nvertex, p->ncorner - 2 * p->nface));
    for (int32_t i = 0; i < p->nvertex; ++i) set_point(surface, i, p->x[i], p->y[i], p->z[i], 0.0);
    int32_t n = 0;
    for (int32_t f = 0; f < p->nface; ++f) {
        const int32_t *corner = p->face_vertex + p->face_ptr[f];
        for (int32_t k = 1; k + 1 < p->face_ptr[f + 1] - p->face_ptr[f]; ++k)
            set_triangle(surface, &n, corner[0], corner[k], corner[k + 1]);
    }
    return ICF_OK;
}

/* Point k of a template in the frame of its shape. */
static icf_vec3 local_point(const icf_surface *surface, icf_vec3 scale, double half, int32_t k)
{
    const icf_vec3 unit = surface->unit[k];
    const double up = surface->side ? surface->side[k] * half : 0.0;
    return (icf_vec3){scale.x * unit.x, scale.y * unit.y, scale.z * unit.z + up};
}

static icf_vec3 scale_of(const icf_shape *shape)
{
    switch (shape->type) {
    case ICF_SHAPE_BOX:
    case ICF_SHAPE_ELLIPSOID: return shape->extent;
    case ICF_SHAPE_CONVEX:
    case ICF_SHAPE_COMPOUND:
    case ICF_SHAPE_MESH:
    case ICF_SHAPE_HEIGHT_FIELD: return (icf_vec3){1.0, 1.0, 1.0};
    default: return (icf_vec3){shape->radius, shape->radius, shape->radius};
    }
}

/* The surfaces of all parts. */
static icf_status build_compound(const icf_surfaces *surfaces, icf_surface *surface, const icf_solid *solid)
{
    int32_t npoint = 0, ntriangle = 0;
    for (int32_t i = 0; i < solid->npart; ++i) {
        const icf_surface part = icf_surfaces_of(surfaces, &solid->part[i].shape);
        npoint += part.npoint;
        ntriangle += part.ntriangle;
    }
    ICF_TRY(allocate(surface, npoint, ntriangle));
    npoint = ntriangle = 0;
    for (int32_t i = 0; i < solid->npart; ++i) {
        const icf_part *part = &solid->part[i];
        const icf_surface of = icf_surfaces_of(surfaces, &part->shape);
        const icf_mat3 r = icf_quat_matrix(part->orientation);
        for (int32_t k = 0; k < of.ntriangle; ++k)
            set_triangle(surface, &ntriangle, npoint + of.triangle[k][0], npoint + of.triangle[k][1],
                         npoint + of.triangle[k][2]);
        for (int32_t k = 0; k < of.npoint; ++k) {
            const icf_vec3 x = local_point(&of, scale_of(&part->shape), part->shape.half, k);
            const icf_vec3 y = icf_add(part->position, icf_mat3_mul(&r, x));
            set_point(surface, npoint + k, y.x, y.y, y.z, 0.0);
        }
        npoint += of.npoint;
    }
    return ICF_OK;
}

icf_status icf_surfaces_add_solids(icf_surfaces *surfaces, int32_t n, const icf_solid *solids)
{
    if (n == 0) return ICF_OK;
    surfaces->solid = icf_alloc((size_t)n * sizeof *surfaces->solid);
    if (!surfaces->solid) return ICF_ERROR_MEMORY;
    for (surfaces->nsolid = 0; surfaces->nsolid < n; ++surfaces->nsolid) {
        icf_surface *surface = &surfaces->solid[surfaces->nsolid];
        const icf_solid *solid = &solids[surfaces->nsolid];
        *surface = (icf_surface){0};
        const icf_status status = solid->type == ICF_SHAPE_CONVEX ? build_polytope(surface, &solid->polytope)
                                                                  : build_compound(surfaces, surface, solid);
        if (status == ICF_OK) continue;
        ++surfaces->nsolid; /* what it has is released with the others */
        return status;
    }
    return ICF_OK;
}

icf_surface icf_surfaces_of(const icf_surfaces *surfaces, const icf_shape *shape)
{
    if (icf_shape_has_solid(shape)) return surfaces->solid[shape->index];
    if (!icf_shape_is_surface(shape)) return surfaces->shape[shape->type];
    const icf_triangle_mesh *mesh = &shape->surface->mesh;
    return (icf_surface){
        .npoint = mesh->nvertex, .ntriangle = mesh->ntriangle, .unit = mesh->vertex, .triangle = mesh->triangle};
}

icf_status icf_surfaces_build(icf_surfaces *surfaces, int32_t around, icf_vec3 centre, double reach)
{
    *surfaces = (icf_surfaces){.centre = centre, .reach = reach};
    ICF_TRY(build_square(&surfaces->shape[ICF_SHAPE_HALF_SPACE]));
    ICF_TRY(build_round(&surfaces->shape[ICF_SHAPE_SPHERE], around, false));
    ICF_TRY(build_round(&surfaces->shape[ICF_SHAPE_CAPSULE], around, true));
    ICF_TRY(build_cylinder(&surfaces->shape[ICF_SHAPE_CYLINDER], around));
    ICF_TRY(build_round(&surfaces->shape[ICF_SHAPE_ELLIPSOID], around, false));
    return build_box(&surfaces->shape[ICF_SHAPE_BOX]);
}

static void free_surface(icf_surface *surface)
{
    icf_free(surface->unit);
    icf_free(surface->side);
    icf_free(surface->triangle);
}

void icf_surfaces_clear(icf_surfaces *surfaces)
{
    for (int type = 0; type < ICF_SHAPE_COUNT; ++type) free_surface(&surfaces->shape[type]);
    for (int32_t i = 0; i < surfaces->nsolid; ++i) free_surface(&surfaces->solid[i]);
    icf_free(surfaces->solid);
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
    return (placement){.position = bodies->position[i],
                       .scale = scale_of(shape),
                       .half = shape->half,
                       .rotation = icf_quat_matrix(bodies->orientation[i])};
}

void icf_surfaces_place(const icf_surfaces *surfaces, const icf_bodies *bodies, icf_lid i, float (*point)[3],
                        float *speed)
{
    const icf_surface surface = icf_surfaces_of(surfaces, &bodies->shape[i]);
    const placement place = place_body(surfaces, bodies, i);
    for (int32_t k = 0; k < surface.npoint; ++k) {
        const icf_vec3 local = local_point(&surface, place.scale, place.half, k);
        const icf_vec3 arm = icf_mat3_mul(&place.rotation, local), x = icf_add(place.position, arm);
        const icf_vec3 v = icf_add(bodies->linear_velocity[i], icf_cross(bodies->angular_velocity[i], arm));
        point[k][0] = (float)x.x;
        point[k][1] = (float)x.y;
        point[k][2] = (float)x.z;
        speed[k] = (float)icf_norm(v);
    }
}
