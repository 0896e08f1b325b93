/* The tree of a rigid surface. */
#include "geometry/surface_tree.h"

icf_status icf_surface_tree_build(icf_rigid_surface *surface)
{
    const icf_triangle_mesh *mesh = &surface->mesh;
    surface->tree = ICF_ARENA_ARRAY(&surface->arena, icf_triangle_tree, 1);
    if (!surface->tree) return ICF_ERROR_MEMORY;
    return icf_triangle_tree_build(surface->tree, &surface->arena, mesh->ntriangle, (const icf_lid(*)[3])mesh->triangle,
                                   mesh->vertex);
}

icf_status icf_surface_trees_attach(icf_scene *scene, icf_bodies *bodies)
{
    for (int32_t i = 0; i < scene->nrigid_surface; ++i) ICF_TRY(icf_surface_tree_build(&scene->rigid_surface[i]));
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (icf_shape_is_surface(&bodies->shape[i]))
            bodies->shape[i].surface = &scene->rigid_surface[bodies->shape[i].index];
    return ICF_OK;
}

/* Box of half edges about a world point, seen from the surface's frame. */
static icf_box grown_box(const icf_placed_shape *surface, icf_vec3 middle, icf_vec3 half, double margin)
{
    const icf_vec3 reach = icf_add(half, icf_vec3_make(margin, margin, margin));
    const icf_vec3 at = icf_mat3_tmul(&surface->rotation, icf_sub(middle, surface->position));
    return (icf_box){icf_sub(at, reach), icf_add(at, reach)};
}

icf_box icf_surface_box_of(const icf_placed_shape *surface, const icf_placed_shape *shape, double margin)
{
    icf_mat3 turn; // shape to surface
    for (int j = 0; j < 3; ++j) {
        const icf_vec3 axis = icf_mat3_tmul(&surface->rotation, icf_mat3_column(&shape->rotation, j));
        turn.m[j] = axis.x;
        turn.m[3 + j] = axis.y;
        turn.m[6 + j] = axis.z;
    }
    return grown_box(surface, shape->position, icf_shape_extent(shape->shape, &turn), margin);
}

static bool stop(void *user, icf_lid triangle)
{
    (void)user;
    (void)triangle;
    return false;
}

bool icf_surface_is_near(const icf_placed_shape *surface, const icf_box *box, double margin)
{
    const icf_vec3 half = icf_scale(0.5, icf_sub(box->hi, box->lo));
    const double *r = surface->rotation.m;
    const icf_vec3 turned = {fabs(r[0]) * half.x + fabs(r[3]) * half.y + fabs(r[6]) * half.z,
                             fabs(r[1]) * half.x + fabs(r[4]) * half.y + fabs(r[7]) * half.z,
                             fabs(r[2]) * half.x + fabs(r[5]) * half.y + fabs(r[8]) * half.z};
    const icf_box grown = grown_box(surface, icf_box_center(box), turned, margin);
    return !icf_triangle_tree_overlap(surface->shape->surface->tree, &grown, stop, NULL);
}
