/* Solids: mass properties and frames of convex shapes and compounds, the tree over parts, bytes. */
#include "scene/solid.h"

#include <string.h>

#include "base/memory.h"

static const icf_quat no_turn = {1.0, 0.0, 0.0, 0.0};
static const icf_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

void icf_solid_init(icf_solid *solid)
{
    *solid = (icf_solid){.type = ICF_SHAPE_NONE, .given = -1, .scale = 1.0, .turn = no_turn};
}

void icf_solid_clear(icf_solid *solid)
{
    icf_free(solid->mesh);
    icf_polytope_clear(&solid->polytope);
    icf_free(solid->part);
    icf_free(solid->node);
    icf_solid_init(solid);
}

/* ---- memory ---- */

static size_t part_bytes(const icf_solid *solid)
{
    return (size_t)solid->npart * sizeof *solid->part;
}

/* Of a binary tree with a part a leaf. */
static size_t node_bytes(const icf_solid *solid)
{
    return solid->npart > 0 ? (2 * (size_t)solid->npart - 1) * sizeof *solid->node : 0;
}

size_t icf_solid_bytes(const icf_solid *solid)
{
    return icf_polytope_bytes(&solid->polytope) + part_bytes(solid) + node_bytes(solid);
}

/* ---- frames ---- */

/* Unit quaternion of a rotation: the component of largest square first, so that no digits are lost. */
static icf_quat quat_of(const icf_mat3 *r)
{
    const double *m = r->m, trace = m[0] + m[4] + m[8];
    icf_quat q;
    if (trace >= fmax(m[0], fmax(m[4], m[8])))
        q = (icf_quat){1.0 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    else if (m[0] >= m[4] && m[0] >= m[8])
        q = (icf_quat){m[7] - m[5], 1.0 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
    else if (m[4] >= m[8])
        q = (icf_quat){m[2] - m[6], m[1] + m[3], 1.0 + m[4] - m[0] - m[8], m[5] + m[7]};
    else
        q = (icf_quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1.0 + m[8] - m[0] - m[4]};
    return icf_quat_unit(q);
}

static icf_quat conjugate(icf_quat q)
{
    return (icf_quat){q.w, -q.x, -q.y, -q.z};
}

/* Body frame from the centre of mass and second moments about it (xx, yy, zz, xy, xz, yz): sets inertia, origin and
 * turn.
 *   centre [out] of the body's frame in the user's
 *   axes   [out] of the body's frame in the user's, columns */
static void choose_frame(icf_solid *solid, icf_vec3 mass_centre, const double moment[6], icf_vec3 *centre,
                         icf_mat3 *axes)
{
    icf_vec3 second = {moment[0], moment[1], moment[2]};
    *centre = mass_centre;
    *axes = unit;
    if (solid->frame == ICF_SOLID_PRINCIPAL) *axes = icf_principal_axes(moment, &second);
    if (solid->frame == ICF_SOLID_GIVEN) *centre = (icf_vec3){0, 0, 0};
    const double sum = second.x + second.y + second.z;
    solid->inertia = icf_scale(1.0 / solid->volume, icf_vec3_make(sum - second.x, sum - second.y, sum - second.z));
    solid->origin = icf_neg(icf_mat3_tmul(axes, *centre));
    solid->turn = conjugate(quat_of(axes));
}

void icf_solid_to_body(const icf_solid *solid, icf_vec3 *position, icf_quat *orientation, icf_vec3 *velocity,
                       icf_vec3 spin)
{
    *orientation = icf_quat_unit(icf_quat_mul(*orientation, conjugate(solid->turn)));
    const icf_vec3 arm = icf_rotate(*orientation, solid->origin);
    *position = icf_sub(*position, arm);
    *velocity = icf_sub(*velocity, icf_cross(spin, arm));
}

void icf_solid_to_user(const icf_solid *solid, icf_vec3 *position, icf_quat *orientation, icf_vec3 *velocity,
                       icf_vec3 spin)
{
    const icf_vec3 arm = icf_rotate(*orientation, solid->origin);
    *position = icf_add(*position, arm);
    *velocity = icf_add(*velocity, icf_cross(spin, arm));
    *orientation = icf_quat_unit(icf_quat_mul(*orientation, solid->turn));
}

icf_shape icf_solid_shape(const icf_solid *solid, int32_t index)
{
    return (icf_shape){.type = solid->type, .radius = solid->radius, .extent = solid->extent, .index = index};
}

/* ---- convex ---- */

/* Everything but the polytope, which is given in the user's frame and moved. */
static void finish_convex(icf_solid_frame frame, icf_solid *solid)
{
    icf_polytope *p = &solid->polytope;
    solid->type = ICF_SHAPE_CONVEX;
    solid->frame = frame;
    solid->volume = p->volume;
    icf_vec3 centre;
    icf_mat3 axes;
    choose_frame(solid, p->centre, p->moment, &centre, &axes);
    if (frame != ICF_SOLID_GIVEN) icf_polytope_move(p, centre, &axes);
    solid->extent = (icf_vec3){0, 0, 0};
    solid->radius = 0.0;
    for (int32_t i = 0; i < p->nvertex; ++i) {
        const icf_vec3 x = icf_polytope_vertex(p, i);
        solid->extent = icf_vec3_make(fmax(solid->extent.x, fabs(x.x)), fmax(solid->extent.y, fabs(x.y)),
                                      fmax(solid->extent.z, fabs(x.z)));
        solid->radius = fmax(solid->radius, icf_norm(x));
    }
}

icf_status icf_solid_build_convex(icf_context *context, int32_t n, const icf_vec3 *point, icf_solid_frame frame,
                                  icf_solid *solid)
{
    ICF_TRY(icf_polytope_build(context, n, point, &solid->polytope));
    finish_convex(frame, solid);
    return ICF_OK;
}

/* ---- compound ---- */

/* Box of a part in the body's frame. */
static void part_box(const icf_part *part, icf_vec3 *lo, icf_vec3 *hi)
{
    const icf_vec3 e = icf_shape_extent(&part->shape, &part->rotation);
    *lo = icf_sub(part->position, e);
    *hi = icf_add(part->position, e);
}

static icf_vec3 least(icf_vec3 a, icf_vec3 b)
{
    return icf_vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static icf_vec3 most(icf_vec3 a, icf_vec3 b)
{
    return icf_vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

/* Tree under a node over the parts order[0..n): halves by the middles along the longest edge of the box. */
static void build_node(icf_solid *solid, int32_t node, int32_t n, int32_t *order, int32_t *nnode)
{
    icf_part_node *at = &solid->node[node];
    at->lo = (icf_vec3){INFINITY, INFINITY, INFINITY};
    at->hi = icf_neg(at->lo);
    for (int32_t k = 0; k < n; ++k) {
        icf_vec3 lo, hi;
        part_box(&solid->part[order[k]], &lo, &hi);
        at->lo = least(at->lo, lo);
        at->hi = most(at->hi, hi);
    }
    at->child = -1;
    at->part = order[0];
    if (n == 1) return;
    const icf_vec3 edge = icf_sub(at->hi, at->lo);
    const int axis = edge.x >= edge.y && edge.x >= edge.z ? 0 : edge.y >= edge.z ? 1 : 2;
    for (int32_t i = 1; i < n; ++i) {
        const int32_t part = order[i];
        int32_t j = i;
        for (; j > 0 && icf_get(solid->part[order[j - 1]].position, axis) > icf_get(solid->part[part].position, axis);
             --j)
            order[j] = order[j - 1];
        order[j] = part;
    }
    const int32_t child = *nnode;
    at->child = child;
    *nnode += 2;
    build_node(solid, child, n / 2, order, nnode);
    build_node(solid, child + 1, n - n / 2, order + n / 2, nnode);
}

static icf_status build_tree(icf_solid *solid)
{
    int32_t *order = icf_alloc((size_t)solid->npart * sizeof *order), nnode = 1;
    solid->node = icf_alloc(node_bytes(solid));
    if (!order || !solid->node) {
        icf_free(order);
        return ICF_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < solid->npart; ++k) order[k] = k;
    build_node(solid, 0, solid->npart, order, &nnode);
    icf_free(order);
    return ICF_OK;
}

/* Volume, centre and second moments about the centre of one part, in the user's frame. */
static void part_mass(const icf_solid *table, const icf_part *part, double *volume, icf_vec3 *centre, icf_mat3 *moment)
{
    icf_mat3 r = icf_quat_matrix(part->orientation);
    icf_vec3 inertia, second;
    if (part->shape.type == ICF_SHAPE_CONVEX) {
        const icf_polytope *p = &table[part->shape.index].polytope;
        *volume = p->volume;
        *centre = icf_add(part->position, icf_mat3_mul(&r, p->centre));
        const icf_mat3 axes = icf_principal_axes(p->moment, &second), turn = r;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                r.m[3 * i + j] =
                    turn.m[3 * i] * axes.m[j] + turn.m[3 * i + 1] * axes.m[3 + j] + turn.m[3 * i + 2] * axes.m[6 + j];
    } else {
        *volume = icf_shape_volume(&part->shape);
        *centre = part->position;
        inertia = icf_shape_inertia(&part->shape, *volume);
        const double half = 0.5 * (inertia.x + inertia.y + inertia.z);
        second = icf_vec3_make(half - inertia.x, half - inertia.y, half - inertia.z);
    }
    *moment = icf_mat3_rotate_diagonal(&r, second);
}

/* The same of all parts together. */
static void sum_masses(const icf_solid *table, icf_solid *solid, icf_vec3 *centre, double moment[6])
{
    *centre = (icf_vec3){0, 0, 0};
    memset(moment, 0, 6 * sizeof *moment);
    for (int pass = 0; pass < 2; ++pass) {
        icf_vec3 sum = {0, 0, 0};
        solid->volume = 0.0;
        for (int32_t k = 0; k < solid->npart; ++k) {
            double volume;
            icf_vec3 at;
            icf_mat3 m;
            part_mass(table, &solid->part[k], &volume, &at, &m);
            solid->volume += volume;
            sum = icf_mul_add(sum, volume, at);
            if (pass == 0) continue;
            const icf_vec3 d = icf_sub(at, *centre);
            const double more[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
            const double own[6] = {m.m[0], m.m[4], m.m[8], m.m[1], m.m[2], m.m[5]};
            for (int i = 0; i < 6; ++i) moment[i] += own[i] + volume * more[i];
        }
        if (pass == 0) *centre = icf_scale(1.0 / solid->volume, sum);
    }
}

/* Middle and ball of a part that has its place. */
static void find_ball(const icf_solid *table, icf_part *part)
{
    part->middle = part->position;
    part->ball = icf_shape_half_width(&part->shape);
    if (part->shape.type != ICF_SHAPE_CONVEX) return;
    const icf_polytope *p = &table[part->shape.index].polytope;
    part->middle = icf_add(part->position, icf_mat3_mul(&part->rotation, p->centre));
    part->ball = icf_polytope_inner_radius(p, p->centre);
}

icf_status icf_solid_build_compound(const icf_solid *table, int32_t n, const icf_part *part, icf_solid_frame frame,
                                    icf_solid *solid)
{
    solid->type = ICF_SHAPE_COMPOUND;
    solid->frame = frame;
    solid->part = icf_alloc((size_t)n * sizeof *part);
    if (!solid->part) return ICF_ERROR_MEMORY;
    memcpy(solid->part, part, (size_t)n * sizeof *part);
    solid->npart = n;
    icf_vec3 mass_centre, centre;
    double moment[6];
    icf_mat3 axes;
    sum_masses(table, solid, &mass_centre, moment);
    choose_frame(solid, mass_centre, moment, &centre, &axes);
    solid->radius = 0.0;
    solid->smallest = INFINITY;
    for (int32_t k = 0; k < n; ++k) {
        icf_part *at = &solid->part[k];
        at->position = icf_mat3_tmul(&axes, icf_sub(at->position, centre));
        at->orientation = icf_quat_unit(icf_quat_mul(solid->turn, at->orientation));
        at->rotation = icf_quat_matrix(at->orientation);
        find_ball(table, at);
        solid->radius = fmax(solid->radius, icf_norm(at->position) + icf_shape_radius(&at->shape));
        solid->smallest = fmin(solid->smallest, at->ball);
    }
    ICF_TRY(build_tree(solid));
    const icf_vec3 lo = solid->node[0].lo, hi = solid->node[0].hi;
    solid->extent =
        icf_vec3_make(fmax(fabs(lo.x), fabs(hi.x)), fmax(fabs(lo.y), fabs(hi.y)), fmax(fabs(lo.z), fabs(hi.z)));
    return ICF_OK;
}

/* ---- other frames ---- */

static icf_status copy_polytope(const icf_polytope *from, icf_polytope *to)
{
    icf_bytes bytes;
    icf_bytes_init(&bytes);
    icf_status status = icf_polytope_write(&bytes, from);
    if (status == ICF_OK) status = icf_polytope_read(&bytes, to);
    icf_bytes_clear(&bytes);
    return status;
}

icf_status icf_solid_reframe(const icf_solid *table, const icf_solid *given, icf_solid_frame frame, icf_solid *solid)
{
    if (given->type == ICF_SHAPE_COMPOUND)
        return icf_solid_build_compound(table, given->npart, given->part, frame, solid);
    ICF_TRY(copy_polytope(&given->polytope, &solid->polytope));
    finish_convex(frame, solid);
    solid->scale = given->scale;
    const size_t bytes = strlen(given->mesh) + 1;
    solid->mesh = icf_alloc(bytes);
    if (!solid->mesh) return ICF_ERROR_MEMORY;
    memcpy(solid->mesh, given->mesh, bytes);
    return ICF_OK;
}

/* ---- bytes ---- */

icf_status icf_solid_write(icf_bytes *bytes, const icf_solid *solid)
{
    ICF_TRY(icf_bytes_write(bytes, solid, sizeof *solid));
    ICF_TRY(icf_bytes_write_text(bytes, solid->mesh));
    ICF_TRY(icf_polytope_write(bytes, &solid->polytope));
    if (solid->npart == 0) return ICF_OK;
    ICF_TRY(icf_bytes_write(bytes, solid->part, part_bytes(solid)));
    return icf_bytes_write(bytes, solid->node, node_bytes(solid));
}

icf_status icf_solid_read(icf_bytes *bytes, icf_solid *solid)
{
    icf_solid given;
    icf_solid_init(solid);
    ICF_TRY(icf_bytes_take(bytes, sizeof given, &given));
    *solid = given;
    solid->mesh = NULL;
    solid->part = NULL;
    solid->node = NULL;
    icf_polytope_init(&solid->polytope);
    ICF_TRY(icf_bytes_take_text(bytes, &solid->mesh));
    ICF_TRY(icf_polytope_read(bytes, &solid->polytope));
    ICF_TRY(icf_bytes_take_new(bytes, part_bytes(solid), &solid->part));
    return icf_bytes_take_new(bytes, node_bytes(solid), &solid->node);
}
