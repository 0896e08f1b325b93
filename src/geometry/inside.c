/* Bodies inside rigid surfaces: sorted along x, then a ray says which are inside, and the closest point how deep. */
#include "geometry/inside.h"

#include <stdlib.h>

#include "base/memory.h"
#include "geometry/narrow.h"
#include "geometry/narrow_surface.h"
#include "scene/rigid_surface.h"

/* A body that may be inside something. */
typedef struct place {
    double x;
    icf_lid body;
} place;

static icf_placed_shape placed(const icf_bodies *bodies, const icf_solid *solids, icf_lid i)
{
    return (icf_placed_shape){&bodies->shape[i], bodies->position[i], icf_quat_matrix(bodies->orientation[i]), solids};
}

/* ---- bodies along x ---- */

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->body > q->body) - (p->body < q->body);
}

static bool can_be_inside(const icf_bodies *bodies, icf_lid i)
{
    const icf_shape_type type = bodies->shape[i].type;
    return icf_bodies_moves(bodies, i) && !icf_bodies_is_deformable(bodies, i) && type != ICF_SHAPE_NONE &&
           type != ICF_SHAPE_HALF_SPACE && icf_is_finite(bodies->position[i]);
}

static icf_lid sort_places(const icf_bodies *bodies, place *places)
{
    icf_lid n = 0;
    for (icf_lid i = 0; i < bodies->n; ++i)
        if (can_be_inside(bodies, i)) places[n++] = (place){bodies->position[i].x, i};
    if (n > 0) qsort(places, (size_t)n, sizeof *places, compare_places);
    return n;
}

/* The first place of x or more. */
static icf_lid find_place(icf_lid n, const place *places, double x)
{
    icf_lid lo = 0, hi = n;
    while (lo < hi) {
        const icf_lid middle = lo + (hi - lo) / 2;
        if (places[middle].x < x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* ---- one surface ---- */

/* Whether a point in the surface's frame can be inside; what is below a height field has no lower end. */
static bool is_over_box(const icf_shape *shape, icf_vec3 x)
{
    const icf_vec3 lo = shape->surface->defects.lo, hi = shape->surface->defects.hi;
    return x.x >= lo.x && x.x <= hi.x && x.y >= lo.y && x.y <= hi.y && x.z <= hi.z &&
           (x.z >= lo.z || shape->type == ICF_SHAPE_HEIGHT_FIELD);
}

/* A ray from a point straight up, in the surface's frame. */
typedef struct ray {
    const icf_rigid_surface *surface;
    icf_vec3 from;
    int out; /* triangles that it leaves the solid through, less those that it enters by */
} ray;

/* Whether an edge, seen from above, passes the point on the side of larger x.  The same for both its triangles, and an
 * end at the point's y counts as below, so that a ray through an edge or corner meets as many triangles as it should.
 */
static bool passes(const ray *r, icf_lid a, icf_lid b)
{
    const icf_vec3 *vertex = r->surface->mesh.vertex;
    const icf_vec3 p = vertex[a < b ? a : b], q = vertex[a < b ? b : a], x = r->from;
    if ((p.y > x.y) == (q.y > x.y)) return false;
    return p.x + (x.y - p.y) * ((q.x - p.x) / (q.y - p.y)) > x.x;
}

/* Height of a triangle's plane over the point, where the triangle is. */
static double height_at(const ray *r, icf_lid triangle)
{
    const icf_vec3 n = r->surface->normal[triangle];
    icf_vec3 x[3];
    icf_triangle_mesh_corners(&r->surface->mesh, triangle, x);
    const double z = x[0].z - (n.x * (r->from.x - x[0].x) + n.y * (r->from.y - x[0].y)) / n.z;
    return fmin(fmax(z, fmin(x[0].z, fmin(x[1].z, x[2].z))), fmax(x[0].z, fmax(x[1].z, x[2].z)));
}

static bool meet_triangle(void *user, icf_lid triangle)
{
    ray *r = user;
    const icf_lid *v = r->surface->mesh.triangle[triangle];
    const double up = r->surface->normal[triangle].z;
    const bool meets = passes(r, v[0], v[1]) ^ passes(r, v[1], v[2]) ^ passes(r, v[2], v[0]);
    if (meets && up != 0.0 && height_at(r, triangle) > r->from.z) r->out += up > 0.0 ? 1 : -1;
    return true;
}

/* Whether a point in the surface's frame is inside, as a ray sees it: quick, and right but for round-off. */
static bool seems_inside(const icf_shape *shape, icf_vec3 x)
{
    ray r = {.surface = shape->surface, .from = x};
    const icf_box above = {x, {x.x, x.y, INFINITY}};
    if (!is_over_box(shape, x)) return false;
    icf_triangle_tree_overlap(shape->surface->tree, &above, meet_triangle, &r);
    return r.out != 0;
}

/* How deep a body is inside a surface; 0: its middle is outside. */
static double find_depth(const icf_placed_shape *surface, const icf_placed_shape *body)
{
    icf_surface_hit hit;
    icf_contact_point point;
    if (!seems_inside(surface->shape, icf_to_body(surface, body->position))) return 0.0;
    icf_surface_closest(surface, body->position, &hit);
    if (!(hit.distance < 0.0)) return 0.0;
    const icf_shape plane = {
        .type = ICF_SHAPE_HALF_SPACE, .normal = hit.normal, .offset = icf_dot(hit.normal, hit.point)};
    const icf_placed_shape outside = {.shape = &plane, .rotation = icf_quat_matrix((icf_quat){1, 0, 0, 0})};
    return icf_collide_nearest(&outside, body, 0.0, &point) ? -point.distance : -hit.distance;
}

/* How far a surface reaches along x; below a height field that is turned there may be anything. */
static double reach_along_x(const icf_placed_shape *surface)
{
    const double *r = surface->rotation.m;
    const icf_vec3 e = surface->shape->extent;
    if (surface->shape->type == ICF_SHAPE_HEIGHT_FIELD && r[2] != 0.0) return INFINITY;
    return fabs(r[0]) * e.x + fabs(r[1]) * e.y + fabs(r[2]) * e.z;
}

/* Appends the bodies inside one surface.
 *   n, places [in]  those over it
 *   depth     [out] (n) scratch */
static icf_status add_bodies(const icf_context *context, const icf_bodies *bodies, const icf_solid *solids,
                             icf_lid surface, icf_lid n, const place *places, double *depth, icf_inside_list *list)
{
    const icf_placed_shape shape = placed(bodies, solids, surface);
#pragma omp parallel for schedule(static) num_threads(context->nthread)
    for (icf_lid k = 0; k < n; ++k) {
        const icf_placed_shape body = placed(bodies, solids, places[k].body);
        depth[k] = find_depth(&shape, &body);
    }
    for (icf_lid k = 0; k < n; ++k) {
        if (depth[k] == 0.0) continue;
        ICF_TRY(ICF_GROW(list->item, list->capacity, (size_t)list->n + 1));
        list->item[list->n++] = (icf_inside){places[k].body, surface, depth[k]};
    }
    return ICF_OK;
}

/* ---- all of them ---- */

static int compare_items(const void *a, const void *b)
{
    const icf_inside *p = a, *q = b;
    if (p->surface != q->surface) return p->surface < q->surface ? -1 : 1;
    return (p->body > q->body) - (p->body < q->body);
}

static icf_status find(const icf_context *context, const icf_bodies *bodies, const icf_solid *solids, place *places,
                       double *depth, icf_inside_list *list)
{
    const icf_lid nplace = sort_places(bodies, places);
    for (icf_lid i = 0; i < bodies->n; ++i) {
        if (!icf_shape_is_surface(&bodies->shape[i]) || !bodies->shape[i].surface->is_solid) continue;
        const icf_placed_shape surface = placed(bodies, solids, i);
        const double x = surface.position.x, reach = reach_along_x(&surface);
        const icf_lid begin = find_place(nplace, places, x - reach), end = find_place(nplace, places, x + reach);
        ICF_TRY(add_bodies(context, bodies, solids, i, end - begin, places + begin, depth, list));
    }
    if (list->n > 0) qsort(list->item, (size_t)list->n, sizeof *list->item, compare_items);
    return ICF_OK;
}

icf_status icf_inside_find(const icf_context *context, const icf_bodies *bodies, const icf_solid *solids,
                           icf_inside_list *list)
{
    place *places = icf_alloc(((size_t)bodies->n + 1) * sizeof *places);
    double *depth = icf_alloc(((size_t)bodies->n + 1) * sizeof *depth);
    list->n = 0;
    const icf_status status = places && depth ? find(context, bodies, solids, places, depth, list) : ICF_ERROR_MEMORY;
    icf_free(places);
    icf_free(depth);
    return status;
}
