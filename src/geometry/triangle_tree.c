/* Closest point of a surface of triangles. */
#include "geometry/triangle_tree.h"

static const double tie = 1e-10; /* relative; squared distances this close count as equal */

static icf_box triangle_box(const icf_triangle_tree *tree, icf_lid t)
{
    const icf_lid *v = tree->triangle[t];
    return icf_box_round(3, (icf_vec3[3]){tree->position[v[0]], tree->position[v[1]], tree->position[v[2]]});
}

/* ---- building ---- */

/* Boxes of the triangles; from a scratch arena. */
static icf_box *list_boxes(const icf_triangle_tree *tree, icf_arena *scratch)
{
    icf_box *box = ICF_ARENA_ARRAY(scratch, icf_box, tree->ntriangle);
    for (icf_lid t = 0; box && t < tree->ntriangle; ++t) box[t] = triangle_box(tree, t);
    return box;
}

icf_status icf_triangle_tree_build(icf_triangle_tree *tree, icf_arena *arena, icf_lid ntriangle,
                                   const icf_lid (*triangle)[3], const icf_vec3 *position)
{
    *tree = (icf_triangle_tree){.ntriangle = ntriangle, .triangle = triangle, .position = position};
    icf_arena scratch;
    icf_arena_init(&scratch);
    const icf_box *box = list_boxes(tree, &scratch);
    const icf_status status = box ? icf_item_tree_build(&tree->items, arena, ntriangle, box) : ICF_ERROR_MEMORY;
    icf_arena_clear(&scratch);
    return status;
}

icf_status icf_triangle_tree_refit(icf_triangle_tree *tree, icf_arena *arena, const icf_triangle_tree *built,
                                   const icf_vec3 *position)
{
    *tree = *built;
    tree->position = position;
    const icf_box *box = list_boxes(tree, arena);
    return box ? icf_item_tree_refit(&tree->items, arena, &built->items, box) : ICF_ERROR_MEMORY;
}

icf_box icf_triangle_tree_box(const icf_triangle_tree *tree)
{
    return tree->items.box[1];
}

/* ---- a triangle ---- */

/* Closest point of the segment from p to q: its share of q. */
static double on_segment(icf_vec3 x, icf_vec3 p, icf_vec3 q)
{
    const icf_vec3 edge = icf_sub(q, p);
    const double length = icf_norm2(edge);
    return length > 0.0 ? fmin(1.0, fmax(0.0, icf_dot(icf_sub(x, p), edge) / length)) : 0.0;
}

static icf_vec3 blend(const icf_vec3 corner[3], const double weight[3])
{
    return icf_add(icf_add(icf_scale(weight[0], corner[0]), icf_scale(weight[1], corner[1])),
                   icf_scale(weight[2], corner[2]));
}

/* The foot of the perpendicular when it is inside, else the closest point of the three edges. */
void icf_closest_on_triangle(icf_vec3 p, icf_vec3 a, icf_vec3 b, icf_vec3 c, double weight[3])
{
    const icf_vec3 corner[3] = {a, b, c}, normal = icf_cross(icf_sub(b, a), icf_sub(c, a));
    const double area = icf_norm2(normal);
    if (area > 0.0) {
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            const icf_vec3 from = corner[(k + 1) % 3], to = corner[(k + 2) % 3];
            weight[k] = icf_dot(icf_cross(icf_sub(to, from), icf_sub(p, from)), normal) / area;
            inside = inside && weight[k] >= 0.0;
        }
        if (inside) return;
    }
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double here[3] = {0.0, 0.0, 0.0};
        const int next = (k + 1) % 3;
        here[next] = on_segment(p, corner[k], corner[next]);
        here[k] = 1.0 - here[next];
        const double distance = icf_norm2(icf_sub(p, blend(corner, here)));
        if (distance >= best) continue;
        best = distance;
        for (int i = 0; i < 3; ++i) weight[i] = here[i];
    }
}

/* The candidate of one triangle; *facing is |cosine| between its normal and the way to the point, which decides between
 * triangles that share the closest point: the one that sees it best knows the side. */
static icf_surface_hit hit_triangle(const icf_triangle_tree *tree, icf_lid t, icf_vec3 p, double *square,
                                    double *facing)
{
    const icf_lid *v = tree->triangle[t];
    const icf_vec3 corner[3] = {tree->position[v[0]], tree->position[v[1]], tree->position[v[2]]};
    icf_surface_hit hit = {.triangle = t};
    icf_closest_on_triangle(p, corner[0], corner[1], corner[2], hit.weight);
    hit.point = blend(corner, hit.weight);
    const icf_vec3 face = icf_cross(icf_sub(corner[1], corner[0]), icf_sub(corner[2], corner[0]));
    const double area = icf_norm(face);
    const icf_vec3 normal = area > 0.0 ? icf_scale(1.0 / area, face) : icf_vec3_make(0, 0, 1);
    const icf_vec3 way = icf_sub(p, hit.point);
    const double height = icf_dot(way, normal), length = icf_norm(way);
    *square = length * length;
    *facing = length > 0.0 ? fabs(height) / length : 1.0;
    /* over the face, and where there is no way to speak of, the face's own normal is exact */
    const bool over_face = hit.weight[0] > 0.0 && hit.weight[1] > 0.0 && hit.weight[2] > 0.0;
    const double side = height < 0.0 ? -1.0 : 1.0;
    if (over_face || length <= 1e-12 * sqrt(area)) {
        hit.normal = normal;
        hit.distance = height;
    } else {
        hit.normal = icf_scale(side / length, way);
        hit.distance = side * length;
    }
    return hit;
}

icf_surface_hit icf_triangle_tree_hit(const icf_triangle_tree *tree, icf_lid t, icf_vec3 point)
{
    double square, facing;
    return hit_triangle(tree, t, point, &square, &facing);
}

/* ---- the search ---- */

/* Not fmax, which would be a call. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static double square_to_box(const icf_box *box, icf_vec3 p)
{
    const double x = larger(0.0, larger(box->lo.x - p.x, p.x - box->hi.x));
    const double y = larger(0.0, larger(box->lo.y - p.y, p.y - box->hi.y));
    const double z = larger(0.0, larger(box->lo.z - p.z, p.z - box->hi.z));
    return x * x + y * y + z * z;
}

/* The best hit so far. */
typedef struct search {
    const icf_triangle_tree *tree;
    icf_vec3 point;
    const icf_cone *cone; /* NULL: it looks in all directions */
    icf_hit_filter *filter;
    const void *user;
    double square, facing;
    bool found;
    icf_surface_hit *hit;
} search;

static void try_triangle(search *s, icf_lid t)
{
    double square, facing;
    const icf_surface_hit hit = hit_triangle(s->tree, t, s->point, &square, &facing);
    const bool equal = s->found && fabs(square - s->square) <= tie * s->square;
    if (equal ? facing <= s->facing : square > s->square) return;
    if (s->filter && !s->filter(s->user, &hit)) return;
    s->square = equal ? fmin(square, s->square) : square;
    s->facing = facing;
    s->found = true;
    *s->hit = hit;
}

/* Whether a triangle reaches ahead of the point, as what is in the cone does. */
static bool is_ahead(const search *s, icf_lid t)
{
    for (int c = 0; c < 3; ++c)
        if (icf_dot(icf_sub(s->tree->position[s->tree->triangle[t][c]], s->point), s->cone->axis) > 0.0) return true;
    return false;
}

static void try_leaf(search *s, icf_lid leaf)
{
    const icf_item_tree *items = &s->tree->items;
    for (icf_lid k = icf_item_tree_begin(leaf); k < icf_item_tree_end(items, leaf); ++k)
        if (!s->cone || is_ahead(s, items->order[k])) try_triangle(s, items->order[k]);
}

/* Whether no point of a box, which is as far from the point as given, is in the cone. */
static bool is_out_of_sight(const search *s, const icf_box *box, double square)
{
    const icf_vec3 axis = s->cone->axis, lo = icf_sub(box->lo, s->point), hi = icf_sub(box->hi, s->point);
    const double most = larger(axis.x * lo.x, axis.x * hi.x) + larger(axis.y * lo.y, axis.y * hi.y) +
                        larger(axis.z * lo.z, axis.z * hi.z);
    return most < (1.0 - tie) * s->cone->cosine * sqrt(square);
}

/* Whether a node is nearer than the best hit and in sight. */
static bool is_worth_opening(const search *s, const icf_box *box)
{
    const double square = square_to_box(box, s->point);
    return square <= s->square * (1.0 + tie) && !(s->cone && is_out_of_sight(s, box, square));
}

bool icf_triangle_tree_closest_in(const icf_triangle_tree *tree, icf_vec3 point, const icf_cone *cone, double radius,
                                  icf_hit_filter *filter, const void *user, icf_surface_hit *hit)
{
    search s = {.tree = tree,
                .point = point,
                .cone = cone,
                .filter = filter,
                .user = user,
                .square = radius * radius,
                .hit = hit};
    const icf_item_tree *items = &tree->items;
    icf_lid stack[ICF_ITEM_STACK];
    int n = 0;
    stack[n++] = 1;
    while (n > 0) {
        const icf_lid node = stack[--n];
        if (!is_worth_opening(&s, &items->box[node])) continue;
        if (node >= items->nleaf) {
            try_leaf(&s, node - items->nleaf);
            continue;
        }
        const icf_lid first = 2 * node, second = first + 1;
        const bool first_near = square_to_box(&items->box[first], point) <= square_to_box(&items->box[second], point);
        stack[n++] = first_near ? second : first;
        stack[n++] = first_near ? first : second;
    }
    return s.found;
}

bool icf_triangle_tree_closest(const icf_triangle_tree *tree, icf_vec3 point, double radius, icf_hit_filter *filter,
                               const void *user, icf_surface_hit *hit)
{
    return icf_triangle_tree_closest_in(tree, point, NULL, radius, filter, user, hit);
}

/* A visit of triangles whose own boxes overlap. */
typedef struct box_visit {
    const icf_triangle_tree *tree;
    const icf_box *box;
    icf_item_visit *visit;
    void *user;
} box_visit;

static bool visit_if_near(void *user, icf_lid t)
{
    const box_visit *v = user;
    const icf_box of = triangle_box(v->tree, t);
    return !icf_box_overlap(&of, v->box) || v->visit(v->user, t);
}

bool icf_triangle_tree_overlap(const icf_triangle_tree *tree, const icf_box *box, icf_item_visit *visit, void *user)
{
    box_visit near = {tree, box, visit, user};
    return icf_item_tree_overlap(&tree->items, box, visit_if_near, &near);
}
