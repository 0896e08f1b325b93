/* Compounds: contacts of their parts, found by the trees over them.
 *
 * Every pair of parts is a pair of convex shapes of its own; where a compound meets a shape or another compound, the
 * contacts are those of all pairs of parts that are near.  Trees are walked by boxes in the frame of the compound; the
 * order in which they find parts does not matter, as the contacts are sorted by their features: (part of the first,
 * part of the second, feature of the two).
 */
#include "geometry/narrow_parts.h"

#include "base/memory.h"
#include "geometry/narrow.h"
#include "geometry/point_sort.h"

/* What looks for parts near something. */
typedef struct {
    const icf_placed_shape *compound;
    const icf_solid *solid;
    const icf_placed_shape *other;
    double distance;
    icf_vec3 centre, extent; /* box round the other, frame of the compound; not of a half-space */
    bool is_plane;
} part_query;

static const icf_solid *solid_of(const icf_placed_shape *shape)
{
    return &shape->solids[shape->shape->index];
}

icf_placed_shape icf_place_part(const icf_placed_shape *compound, const icf_part *part)
{
    icf_placed_shape placed = {
        .shape = &part->shape, .position = icf_to_world(compound, part->position), .solids = compound->solids};
    const double *r = compound->rotation.m, *own = part->rotation.m;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            placed.rotation.m[3 * i + j] = r[3 * i] * own[j] + r[3 * i + 1] * own[3 + j] + r[3 * i + 2] * own[6 + j];
    return placed;
}

static part_query make_query(const icf_placed_shape *compound, const icf_placed_shape *other, double distance)
{
    part_query query = {.compound = compound,
                        .solid = solid_of(compound),
                        .other = other,
                        .distance = distance,
                        .is_plane = other->shape->type == ICF_SHAPE_HALF_SPACE};
    if (query.is_plane) return query;
    icf_mat3 turn;
    for (int j = 0; j < 3; ++j) {
        const icf_vec3 column = icf_mat3_tmul(&compound->rotation, icf_mat3_column(&other->rotation, j));
        turn.m[j] = column.x;
        turn.m[3 + j] = column.y;
        turn.m[6 + j] = column.z;
    }
    query.centre = icf_to_body(compound, other->position);
    query.extent = icf_shape_extent(other->shape, &turn);
    return query;
}

/* Whether something in the node's box may be nearer than the distance. */
static bool is_near(const part_query *query, const icf_part_node *node)
{
    const icf_vec3 middle = icf_scale(0.5, icf_add(node->lo, node->hi)),
                   half = icf_scale(0.5, icf_sub(node->hi, node->lo));
    if (query->is_plane) {
        const icf_shape *plane = query->other->shape;
        const icf_vec3 n = icf_mat3_tmul(&query->compound->rotation, plane->normal);
        const double height = icf_dot(plane->normal, icf_to_world(query->compound, middle)) - plane->offset;
        return height - (fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z) < query->distance;
    }
    // a little more, since boxes are rounded
    const double grown = fmax(query->distance, 0.0) + 1e-12 * query->solid->radius;
    const icf_vec3 away = icf_sub(middle, query->centre), e = query->extent;
    return fabs(away.x) <= half.x + e.x + grown && fabs(away.y) <= half.y + e.y + grown &&
           fabs(away.z) <= half.z + e.z + grown;
}

/* Called for a part that is near. */
typedef icf_status part_visit(void *user, const icf_placed_shape *part, int32_t number);

static icf_status visit_node(const part_query *query, int32_t k, part_visit *visit, void *user)
{
    const icf_part_node *node = &query->solid->node[k];
    if (!is_near(query, node)) return ICF_OK;
    if (node->child < 0) {
        const icf_placed_shape part = icf_place_part(query->compound, &query->solid->part[node->part]);
        return visit(user, &part, node->part);
    }
    ICF_TRY(visit_node(query, node->child, visit, user));
    return visit_node(query, node->child + 1, visit, user);
}

/* ---- contacts ---- */

typedef struct {
    const icf_placed_shape *first;
    const icf_placed_shape *second; /* a compound */
    double distance;
    int32_t part; /* of the first */
    icf_contact_list *list;
} part_pair;

static icf_status collide_part(void *user, const icf_placed_shape *part, int32_t number)
{
    const part_pair *pair = user;
    icf_manifold manifold;
    icf_collide(pair->first, part, pair->distance, &manifold);
    icf_contact_list *list = pair->list;
    list->nsearch += manifold.nsearch;
    ICF_TRY(ICF_GROW(list->point, list->capacity, list->n + (size_t)manifold.n));
    const int64_t place = (int64_t)pair->part * solid_of(pair->second)->npart + number;
    for (int k = 0; k < manifold.n; ++k) {
        list->point[list->n] = manifold.point[k];
        list->point[list->n++].feature += place << 32;
    }
    return ICF_OK;
}

/* A part of the first, or all of it, against the second. */
static icf_status collide_with_second(part_pair *pair)
{
    const part_query query = make_query(pair->second, pair->first, pair->distance);
    return visit_node(&query, 0, collide_part, pair);
}

static icf_status collide_first_part(void *user, const icf_placed_shape *part, int32_t number)
{
    part_pair *pair = user;
    pair->first = part;
    pair->part = number;
    return collide_with_second(pair);
}

icf_status icf_narrow_parts(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                            icf_contact_list *list)
{
    list->n = 0;
    part_pair pair = {a, b, distance, 0, list};
    if (a->shape->type == ICF_SHAPE_COMPOUND) {
        const part_query query = make_query(a, b, distance);
        ICF_TRY(visit_node(&query, 0, collide_first_part, &pair));
    } else {
        ICF_TRY(collide_with_second(&pair));
    }
    icf_sort_points(list->n, list->point, icf_point_has_lower_feature);
    return ICF_OK;
}

/* ---- nearest ---- */

typedef struct {
    const icf_placed_shape *other;
    double distance;
    int32_t part;
    icf_contact_point *point;
} nearest_part;

static icf_status measure_part(void *user, const icf_placed_shape *part, int32_t number)
{
    nearest_part *nearest = user;
    icf_contact_point point;
    if (!icf_collide_nearest(part, nearest->other, nearest->distance, &point)) return ICF_OK;
    const double d = nearest->part >= 0 ? nearest->point->distance : INFINITY;
    if (point.distance > d || (point.distance == d && number > nearest->part)) return ICF_OK;
    *nearest->point = point;
    nearest->part = number;
    return ICF_OK;
}

bool icf_nearest_part(const icf_placed_shape *a, const icf_placed_shape *b, double distance, icf_contact_point *point)
{
    nearest_part nearest = {b, distance, -1, point};
    const part_query query = make_query(a, b, distance);
    return visit_node(&query, 0, measure_part, &nearest) == ICF_OK && nearest.part >= 0;
}
