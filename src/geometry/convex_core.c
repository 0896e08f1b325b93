/* Cores of convex shapes: outermost points, faces, edges, curvature. */
#include "geometry/convex.h"

#define LEVEL 1e-9 /* of the size: as far out */

/* More vertices than this are climbed along edges instead of all being looked at. */
enum { CLIMB = 16 };

/* ---- making ---- */

static icf_core make_core(const icf_placed_shape *placed)
{
    const icf_shape *shape = placed->shape;
    icf_core core = {.extent = shape->extent, .radius = shape->radius, .half = shape->half};
    switch (shape->type) {
    case ICF_SHAPE_CAPSULE:
        core.type = shape->half > 0.0 ? ICF_CORE_SEGMENT : ICF_CORE_POINT;
        core.rounding = shape->radius;
        core.size = shape->half;
        break;
    case ICF_SHAPE_BOX:
        core.type = ICF_CORE_BOX;
        core.size = icf_norm(shape->extent);
        break;
    case ICF_SHAPE_CYLINDER:
        core.type = ICF_CORE_CYLINDER;
        core.size = hypot(shape->radius, shape->half);
        break;
    case ICF_SHAPE_ELLIPSOID:
        core.type = ICF_CORE_ELLIPSOID;
        core.size = fmax(shape->extent.x, fmax(shape->extent.y, shape->extent.z));
        break;
    case ICF_SHAPE_CONVEX:
        core.type = ICF_CORE_POLYTOPE;
        core.polytope = &placed->solids[shape->index].polytope;
        core.centre = core.polytope->centre;
        core.size = core.polytope->radius;
        break;
    default: /* a sphere */
        core.type = ICF_CORE_POINT;
        core.rounding = shape->radius;
        break;
    }
    return core;
}

static void finish_pair(icf_convex_pair *pair)
{
    const icf_core *a = &pair->core[0], *b = &pair->core[1];
    pair->scale = a->size + b->size;
    pair->is_smooth = !icf_core_is_flat(a) || !icf_core_is_flat(b);
}

icf_convex_pair icf_convex_make_pair(const icf_placed_shape *a, const icf_placed_shape *b)
{
    icf_convex_pair pair = {.core = {make_core(a), make_core(b)}};
    icf_core *second = &pair.core[1];
    second->is_turned = true;
    second->position = icf_to_body(a, b->position);
    for (int j = 0; j < 3; ++j) {
        const icf_vec3 column = icf_mat3_tmul(&a->rotation, icf_mat3_column(&b->rotation, j));
        second->rotation.m[j] = column.x;
        second->rotation.m[3 + j] = column.y;
        second->rotation.m[6 + j] = column.z;
    }
    finish_pair(&pair);
    return pair;
}

icf_convex_pair icf_convex_make_triangle_pair(const icf_placed_shape *a, const icf_vec3 corner[3])
{
    icf_convex_pair pair = {.core = {make_core(a), {.type = ICF_CORE_TRIANGLE}}};
    icf_core *second = &pair.core[1];
    for (int k = 0; k < 3; ++k) {
        second->corner[k] = icf_to_body(a, corner[k]);
        second->centre = icf_mul_add(second->centre, 1.0 / 3.0, second->corner[k]);
    }
    for (int k = 0; k < 3; ++k) second->size = fmax(second->size, icf_norm(icf_sub(second->corner[k], second->centre)));
    finish_pair(&pair);
    return pair;
}

/* ---- outermost points ---- */

static double along(const icf_polytope *p, int32_t i, icf_vec3 d)
{
    return p->x[i] * d.x + p->y[i] * d.y + p->z[i] * d.z;
}

static int32_t climb(const icf_polytope *p, icf_vec3 d)
{
    int32_t best = p->start[icf_polytope_sector(d)];
    double height = along(p, best, d);
    for (int32_t from = -1; from != best;) {
        from = best;
        for (int32_t k = p->vertex_ptr[from]; k < p->vertex_ptr[from + 1]; ++k) {
            const double h = along(p, p->neighbour[k], d);
            if (h <= height) continue;
            height = h;
            best = p->neighbour[k];
        }
    }
    return best;
}

static int32_t polytope_outer(const icf_polytope *p, icf_vec3 d)
{
    if (p->nvertex > CLIMB) return climb(p, d);
    int32_t best = 0;
    double height = along(p, 0, d);
    for (int32_t i = 1; i < p->nvertex; ++i) {
        const double h = along(p, i, d);
        if (h <= height) continue;
        height = h;
        best = i;
    }
    return best;
}

static int32_t triangle_outer(const icf_core *core, icf_vec3 d)
{
    int32_t best = 0;
    for (int32_t k = 1; k < 3; ++k)
        if (icf_dot(core->corner[k], d) > icf_dot(core->corner[best], d)) best = k;
    return best;
}

static icf_vec3 own_vertex(const icf_core *core, int32_t vertex)
{
    const icf_vec3 e = core->extent;
    switch (core->type) {
    case ICF_CORE_SEGMENT: return (icf_vec3){0.0, 0.0, vertex ? core->half : -core->half};
    case ICF_CORE_TRIANGLE: return core->corner[vertex];
    case ICF_CORE_BOX: return (icf_vec3){vertex & 4 ? e.x : -e.x, vertex & 2 ? e.y : -e.y, vertex & 1 ? e.z : -e.z};
    case ICF_CORE_POLYTOPE: return icf_polytope_vertex(core->polytope, vertex);
    default: return (icf_vec3){0.0, 0.0, 0.0};
    }
}

icf_vec3 icf_core_vertex(const icf_core *core, int32_t vertex)
{
    return icf_core_place(core, own_vertex(core, vertex));
}

icf_outer icf_core_outer(const icf_core *core, icf_vec3 direction)
{
    const icf_vec3 d = icf_core_own(core, direction), e = core->extent;
    icf_outer outer = {.vertex = 0};
    switch (core->type) {
    case ICF_CORE_SEGMENT: outer.vertex = d.z > 0.0; break;
    case ICF_CORE_TRIANGLE: outer.vertex = triangle_outer(core, d); break;
    case ICF_CORE_BOX: outer.vertex = (d.x > 0.0 ? 4 : 0) | (d.y > 0.0 ? 2 : 0) | (d.z > 0.0 ? 1 : 0); break;
    case ICF_CORE_POLYTOPE: outer.vertex = polytope_outer(core->polytope, d); break;
    case ICF_CORE_CYLINDER: {
        const double across = sqrt(d.x * d.x + d.y * d.y), r = across > 0.0 ? core->radius / across : 0.0;
        outer.x = icf_core_place(core, (icf_vec3){r * d.x, r * d.y, d.z > 0.0 ? core->half : -core->half});
        return outer;
    }
    case ICF_CORE_ELLIPSOID: {
        const icf_vec3 s = {e.x * d.x, e.y * d.y, e.z * d.z};
        const double h = 1.0 / icf_norm(s);
        outer.x = icf_core_place(core, (icf_vec3){e.x * s.x * h, e.y * s.y * h, e.z * s.z * h});
        return outer;
    }
    case ICF_CORE_POINT: break;
    }
    outer.x = icf_core_vertex(core, outer.vertex);
    return outer;
}

/* The lowest of a vertex and its neighbours that are as far out. */
static int32_t polytope_outer_name(const icf_polytope *p, int32_t vertex, icf_vec3 d)
{
    const double outermost = icf_dot(d, icf_polytope_vertex(p, vertex)) - LEVEL * p->radius;
    int32_t lowest = vertex;
    for (int32_t k = p->vertex_ptr[vertex]; k < p->vertex_ptr[vertex + 1]; ++k) {
        const int32_t other = p->neighbour[k];
        if (other < lowest && icf_dot(d, icf_polytope_vertex(p, other)) >= outermost) lowest = other;
    }
    return lowest;
}

int32_t icf_core_outer_name(const icf_core *core, int32_t vertex, icf_vec3 direction)
{
    const icf_vec3 d = icf_core_own(core, direction);
    switch (core->type) {
    case ICF_CORE_SEGMENT: return d.z > LEVEL;
    case ICF_CORE_BOX: return (d.x > LEVEL ? 4 : 0) | (d.y > LEVEL ? 2 : 0) | (d.z > LEVEL ? 1 : 0);
    case ICF_CORE_POLYTOPE: return polytope_outer_name(core->polytope, vertex, d);
    default: return vertex;
    }
}

double icf_core_curvature(const icf_core *core, icf_vec3 direction, icf_vec3 t, icf_vec3 u)
{
    if (icf_core_is_flat(core)) return 0.0;
    const icf_vec3 d = icf_core_own(core, direction), a = icf_core_own(core, t), b = icf_core_own(core, u);
    if (core->type == ICF_CORE_CYLINDER) {
        const double across = sqrt(d.x * d.x + d.y * d.y);
        if (across < 1e-12) return INFINITY;
        return core->radius / across * ((a.y * d.x - a.x * d.y) / across) * ((b.y * d.x - b.x * d.y) / across);
    }
    const icf_vec3 e = core->extent;
    const icf_vec3 s = {e.x * d.x, e.y * d.y, e.z * d.z}, p = {e.x * a.x, e.y * a.y, e.z * a.z},
                   q = {e.x * b.x, e.y * b.y, e.z * b.z};
    const double h = icf_norm(s);
    return (icf_dot(p, q) - icf_dot(p, s) / h * (icf_dot(q, s) / h)) / h;
}

/* ---- faces and edges ---- */

static icf_vec3 polytope_face(const icf_polytope *p, int32_t vertex, icf_vec3 d)
{
    int32_t best = p->vertex_face[p->vertex_ptr[vertex]];
    for (int32_t k = p->vertex_ptr[vertex] + 1; k < p->vertex_ptr[vertex + 1]; ++k)
        if (icf_dot(p->normal[p->vertex_face[k]], d) > icf_dot(p->normal[best], d)) best = p->vertex_face[k];
    return p->normal[best];
}

static icf_vec3 box_face(int32_t vertex, icf_vec3 d)
{
    const double height[3] = {vertex & 4 ? d.x : -d.x, vertex & 2 ? d.y : -d.y, vertex & 1 ? d.z : -d.z};
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (height[i] > height[axis]) axis = i;
    icf_vec3 normal = {0.0, 0.0, 0.0};
    icf_set(&normal, axis, vertex & 4 >> axis ? 1.0 : -1.0);
    return normal;
}

static icf_vec3 triangle_normal(const icf_core *core)
{
    return icf_unit(icf_cross(icf_sub(core->corner[1], core->corner[0]), icf_sub(core->corner[2], core->corner[0])));
}

bool icf_core_face(const icf_core *core, int32_t vertex, icf_vec3 direction, icf_vec3 *normal)
{
    const icf_vec3 d = icf_core_own(core, direction);
    switch (core->type) {
    case ICF_CORE_BOX: *normal = icf_core_turn(core, box_face(vertex, d)); return true;
    case ICF_CORE_POLYTOPE: *normal = icf_core_turn(core, polytope_face(core->polytope, vertex, d)); return true;
    case ICF_CORE_CYLINDER: *normal = icf_core_turn(core, (icf_vec3){0.0, 0.0, icf_sign(d.z)}); return true;
    case ICF_CORE_TRIANGLE: {
        const icf_vec3 n = triangle_normal(core);
        *normal = icf_dot(n, d) < 0.0 ? icf_neg(n) : n;
        return true;
    }
    default: return false;
    }
}

int icf_core_edges(const icf_core *core, int32_t vertex, int room, icf_vec3 *edge)
{
    const icf_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int n = 0;
    switch (core->type) {
    case ICF_CORE_SEGMENT:
    case ICF_CORE_CYLINDER: edge[n++] = icf_core_turn(core, axes[2]); break;
    case ICF_CORE_BOX:
        for (; n < ICF_MIN(3, room); ++n) edge[n] = icf_core_turn(core, axes[n]);
        break;
    case ICF_CORE_TRIANGLE:
        for (; n < ICF_MIN(2, room); ++n)
            edge[n] = icf_unit(icf_sub(core->corner[(vertex + 1 + n) % 3], core->corner[vertex]));
        break;
    case ICF_CORE_POLYTOPE: {
        const icf_polytope *p = core->polytope;
        for (int32_t k = p->vertex_ptr[vertex]; k < p->vertex_ptr[vertex + 1] && n < room; ++k)
            edge[n++] = icf_core_turn(
                core, icf_unit(icf_sub(icf_polytope_vertex(p, p->neighbour[k]), icf_polytope_vertex(p, vertex))));
        break;
    }
    default: break;
    }
    return n;
}

static bool polytope_holds(const icf_polytope *p, icf_vec3 x, double slack)
{
    for (int32_t f = 0; f < p->nface; ++f)
        if (icf_dot(p->normal[f], x) > p->offset[f] + slack) return false;
    return true;
}

static bool triangle_holds(const icf_core *core, icf_vec3 x, double slack)
{
    const icf_vec3 n = triangle_normal(core);
    for (int k = 0; k < 3; ++k) {
        const icf_vec3 a = core->corner[k], b = core->corner[(k + 1) % 3];
        if (icf_dot(icf_unit(icf_cross(n, icf_sub(b, a))), icf_sub(x, a)) < -slack) return false;
    }
    return fabs(icf_dot(n, icf_sub(x, core->corner[0]))) <= slack;
}

bool icf_core_holds(const icf_core *core, icf_vec3 point, double slack)
{
    const icf_vec3 x = icf_core_back(core, point), e = core->extent;
    switch (core->type) {
    case ICF_CORE_POINT: return icf_norm(x) <= slack;
    case ICF_CORE_SEGMENT: return icf_norm((icf_vec3){x.x, x.y, x.z - icf_clamp(x.z, core->half)}) <= slack;
    case ICF_CORE_TRIANGLE: return triangle_holds(core, x, slack);
    case ICF_CORE_BOX: return fabs(x.x) <= e.x + slack && fabs(x.y) <= e.y + slack && fabs(x.z) <= e.z + slack;
    case ICF_CORE_POLYTOPE: return polytope_holds(core->polytope, x, slack);
    case ICF_CORE_CYLINDER: return hypot(x.x, x.y) <= core->radius + slack && fabs(x.z) <= core->half + slack;
    case ICF_CORE_ELLIPSOID: {
        const double least = fmin(e.x, fmin(e.y, e.z));
        return icf_norm((icf_vec3){x.x / e.x, x.y / e.y, x.z / e.z}) <= 1.0 + slack / least;
    }
    }
    return false;
}
