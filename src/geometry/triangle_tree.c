/* Closest point of a surface of triangles. */
#include "geometry/triangle_tree.h"

#include "geometry/curve.h"

enum { leaf_size = 4, stack_size = 64 };
static const double tie = 1e-10; /* relative; squared distances this close count as equal */

static icf_box empty_box(void)
{
    return (icf_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static icf_vec3 lower(icf_vec3 a, icf_vec3 b)
{
    return icf_vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static icf_vec3 upper(icf_vec3 a, icf_vec3 b)
{
    return icf_vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static icf_box triangle_box(const icf_triangle_tree *tree, icf_lid t)
{
    const icf_lid *v = tree->triangle[t];
    const icf_vec3 a = tree->position[v[0]], b = tree->position[v[1]], c = tree->position[v[2]];
    return (icf_box){lower(lower(a, b), c), upper(upper(a, b), c)};
}

static icf_box join(const icf_box *a, const icf_box *b)
{
    return (icf_box){lower(a->lo, b->lo), upper(a->hi, b->hi)};
}

/* ---- building ---- */

static icf_status order_triangles(icf_triangle_tree *tree, icf_arena *arena)
{
    const icf_lid n = tree->ntriangle;
    icf_keyed *item = ICF_ARENA_ARRAY(arena, icf_keyed, n), *work = ICF_ARENA_ARRAY(arena, icf_keyed, n);
    icf_box *box = ICF_ARENA_ARRAY(arena, icf_box, n);
    if (!item || !work || !box) return ICF_ERROR_MEMORY;
    for (icf_lid t = 0; t < n; ++t) {
        box[t] = triangle_box(tree, t);
        item[t].value = t;
    }
    const icf_curve curve = icf_curve_fit(n, item, box);
    for (icf_lid t = 0; t < n; ++t) item[t].key = icf_curve_key(&curve, icf_box_center(&box[t]));
    icf_sort_keyed(n, item, work);
    for (icf_lid t = 0; t < n; ++t) tree->order[t] = item[t].value;
    return ICF_OK;
}

icf_status icf_triangle_tree_build(icf_triangle_tree *tree, icf_arena *arena, icf_lid ntriangle,
                                   const icf_lid (*triangle)[3], const icf_vec3 *position)
{
    *tree = (icf_triangle_tree){.ntriangle = ntriangle, .triangle = triangle, .position = position, .nleaf = 1};
    while (tree->nleaf * leaf_size < ntriangle) tree->nleaf *= 2;
    tree->order = ICF_ARENA_ARRAY(arena, icf_lid, ntriangle);
    tree->box = ICF_ARENA_ARRAY(arena, icf_box, 2 * (size_t)tree->nleaf);
    if (!tree->order || !tree->box) return ICF_ERROR_MEMORY;
    ICF_TRY(order_triangles(tree, arena));
    for (icf_lid leaf = 0; leaf < tree->nleaf; ++leaf) {
        icf_box *box = &tree->box[tree->nleaf + leaf];
        *box = empty_box();
        for (icf_lid k = leaf * leaf_size; k < ICF_MIN((leaf + 1) * leaf_size, ntriangle); ++k) {
            const icf_box of = triangle_box(tree, tree->order[k]);
            *box = join(box, &of);
        }
    }
    for (icf_lid node = tree->nleaf - 1; node > 0; --node)
        tree->box[node] = join(&tree->box[2 * node], &tree->box[2 * node + 1]);
    return ICF_OK;
}

icf_box icf_triangle_tree_box(const icf_triangle_tree *tree)
{
    return tree->box[1];
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

/* ---- the search ---- */

static double square_to_box(const icf_box *box, icf_vec3 p)
{
    const double x = fmax(0.0, fmax(box->lo.x - p.x, p.x - box->hi.x));
    const double y = fmax(0.0, fmax(box->lo.y - p.y, p.y - box->hi.y));
    const double z = fmax(0.0, fmax(box->lo.z - p.z, p.z - box->hi.z));
    return x * x + y * y + z * z;
}

/* The best hit so far. */
typedef struct search {
    const icf_triangle_tree *tree;
    icf_vec3 point;
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

static void try_leaf(search *s, icf_lid leaf)
{
    const icf_lid end = ICF_MIN((leaf + 1) * leaf_size, s->tree->ntriangle);
    for (icf_lid k = leaf * leaf_size; k < end; ++k) try_triangle(s, s->tree->order[k]);
}

bool icf_triangle_tree_closest(const icf_triangle_tree *tree, icf_vec3 point, double radius, icf_hit_filter *filter,
                               const void *user, icf_surface_hit *hit)
{
    search s = {.tree = tree, .point = point, .filter = filter, .user = user, .square = radius * radius, .hit = hit};
    icf_lid stack[stack_size];
    int n = 0;
    stack[n++] = 1;
    while (n > 0) {
        const icf_lid node = stack[--n];
        if (square_to_box(&tree->box[node], point) > s.square * (1.0 + tie)) continue;
        if (node >= tree->nleaf) {
            try_leaf(&s, node - tree->nleaf);
            continue;
        }
        const icf_lid first = 2 * node, second = first + 1;
        const bool first_near = square_to_box(&tree->box[first], point) <= square_to_box(&tree->box[second], point);
        stack[n++] = first_near ? second : first;
        stack[n++] = first_near ? first : second;
    }
    return s.found;
}

static bool visit_leaf(const icf_triangle_tree *tree, icf_lid leaf, const icf_box *box, icf_triangle_visit *visit,
                       void *user)
{
    const icf_lid end = ICF_MIN((leaf + 1) * leaf_size, tree->ntriangle);
    for (icf_lid k = leaf * leaf_size; k < end; ++k) {
        const icf_box of = triangle_box(tree, tree->order[k]);
        if (icf_box_overlap(&of, box) && !visit(user, tree->order[k])) return false;
    }
    return true;
}

bool icf_triangle_tree_overlap(const icf_triangle_tree *tree, const icf_box *box, icf_triangle_visit *visit, void *user)
{
    icf_lid stack[stack_size];
    int n = 0;
    stack[n++] = 1;
    while (n > 0) {
        const icf_lid node = stack[--n];
        if (!icf_box_overlap(&tree->box[node], box)) continue;
        if (node >= tree->nleaf) {
            if (!visit_leaf(tree, node - tree->nleaf, box, visit, user)) return false;
            continue;
        }
        stack[n++] = 2 * node + 1;
        stack[n++] = 2 * node;
    }
    return true;
}
