/* What is wrong with the surface of a triangle mesh: edges are sorted, equal ones counted. */
#include <float.h>
#include <string.h>

#include "scene/triangle_mesh.h"

static void note(icf_lid t, icf_lid *n, icf_lid *first)
{
    ++*n;
    if (*first < 0 || t < *first) *first = t;
}

/* ---- triangles ---- */

static void survey_triangles(const icf_triangle_mesh *mesh, icf_triangle_defects *defects)
{
    defects->lo = defects->hi = mesh->vertex[mesh->triangle[0][0]];
    for (icf_lid v = 0; v < mesh->nvertex; ++v)
        for (int k = 0; k < 3; ++k) {
            const double x = icf_get(mesh->vertex[v], k);
            icf_set(&defects->lo, k, fmin(icf_get(defects->lo, k), x));
            icf_set(&defects->hi, k, fmax(icf_get(defects->hi, k), x));
        }
    for (icf_lid t = 0; t < mesh->ntriangle; ++t) {
        defects->area += 0.5 * icf_norm(icf_triangle_mesh_area2(mesh, t));
        if (icf_triangle_mesh_is_degenerate(mesh, t)) note(t, &defects->ndegenerate, &defects->degenerate);
    }
}

static icf_status survey_duplicates(const icf_triangle_mesh *mesh, icf_triangle_defects *defects)
{
    icf_index_rows rows;
    ICF_TRY(icf_index_rows_init(&rows, mesh->ntriangle, 3));
    for (icf_lid t = 0; t < mesh->ntriangle; ++t) icf_index_rows_set(&rows, t, mesh->triangle[t]);
    icf_index_rows_sort(&rows);
    for (icf_lid i = 0, n; i < rows.n; i += n) {
        n = icf_index_rows_equal(&rows, i);
        for (icf_lid k = i + 1; k < i + n; ++k) {
            note(rows.items[k].value, &defects->nduplicate, &defects->duplicate);
            if (defects->duplicate == rows.items[k].value) defects->duplicate_of = rows.items[i].value;
        }
    }
    icf_index_rows_clear(&rows);
    return ICF_OK;
}

/* ---- edges ---- */

/* Whether side e of its triangle (e = 3 t + k: from corner k to the next) runs from the lower vertex to the higher. */
static bool runs_up(const icf_triangle_mesh *mesh, icf_lid e)
{
    const icf_lid *v = mesh->triangle[e / 3];
    return v[e % 3] < v[(e + 1) % 3];
}

/* The n sides at place i of the order are one edge. */
static void survey_edge(const icf_triangle_mesh *mesh, const icf_index_rows *rows, icf_lid i, icf_lid n,
                        icf_triangle_defects *defects)
{
    const icf_lid *vertex = icf_index_row(rows, rows->items[i].value);
    if (vertex[0] == vertex[1]) return; // of a triangle whose corners are one
    icf_lid up = 0;
    for (icf_lid k = i; k < i + n; ++k) up += runs_up(mesh, rows->items[k].value);
    if (2 * up != n) defects->closed = false;
    const icf_lid t = rows->items[i].value / 3;
    if (n == 1) {
        note(t, &defects->nopen, &defects->open);
        if (defects->open == t) memcpy(defects->open_vertex, vertex, sizeof defects->open_vertex);
    } else if (n == 2 && up != 1) {
        note(t, &defects->nflipped, &defects->flipped);
        if (defects->flipped == t) defects->flipped_against = rows->items[i + 1].value / 3;
    } else if (n > 2) {
        note(t, &defects->nbranching, &defects->branching);
    }
}

static void survey_edges(const icf_triangle_mesh *mesh, const icf_index_rows *sides, icf_triangle_defects *defects)
{
    defects->closed = true;
    for (icf_lid i = 0, n; i < sides->n; i += n) {
        n = icf_index_rows_equal(sides, i);
        survey_edge(mesh, sides, i, n, defects);
    }
}

icf_status icf_triangle_mesh_sort_sides(const icf_triangle_mesh *mesh, icf_index_rows *sides)
{
    ICF_TRY(icf_index_rows_init(sides, 3 * mesh->ntriangle, 2));
    for (icf_lid e = 0; e < sides->n; ++e) {
        const icf_lid *v = mesh->triangle[e / 3];
        icf_index_rows_set(sides, e, (icf_lid[2]){v[e % 3], v[(e % 3 + 1) % 3]});
    }
    icf_index_rows_sort(sides);
    return ICF_OK;
}

/* ---- the solid ---- */

/* Sum of the pyramids over the triangles, seen from the middle of the box, where they cancel least. */
static double enclosed_volume(const icf_triangle_mesh *mesh, icf_vec3 middle)
{
    double volume = 0.0;
    for (icf_lid t = 0; t < mesh->ntriangle; ++t)
        volume += icf_dot(icf_triangle_mesh_area2(mesh, t), icf_sub(mesh->vertex[mesh->triangle[t][0]], middle)) / 6.0;
    return volume;
}

/* The volume that corners rounded to doubles leave of a flat surface, with reserve. */
static double round_off_volume(const icf_triangle_defects *defects)
{
    const icf_vec3 lo = defects->lo, hi = defects->hi;
    const double reach =
        fmax(fmax(fmax(fabs(lo.x), fabs(hi.x)), fmax(fabs(lo.y), fabs(hi.y))), fmax(fabs(lo.z), fabs(hi.z)));
    return 8.0 * DBL_EPSILON * reach * defects->area;
}

/* The triangle at the vertex of largest x that looks most against x. */
static icf_lid find_inwards(const icf_triangle_mesh *mesh, double largest_x)
{
    icf_lid found = -1;
    double least = INFINITY;
    for (icf_lid t = 0; t < mesh->ntriangle; ++t) {
        icf_vec3 x[3];
        icf_triangle_mesh_corners(mesh, t, x);
        if (x[0].x != largest_x && x[1].x != largest_x && x[2].x != largest_x) continue;
        const icf_vec3 area = icf_triangle_mesh_area2(mesh, t);
        const double length = icf_norm(area), cosine = length > 0.0 ? area.x / length : 1.0;
        if (cosine >= least) continue;
        least = cosine;
        found = t;
    }
    return found;
}

icf_status icf_triangle_mesh_survey_sides(const icf_triangle_mesh *mesh, const icf_index_rows *sides,
                                          icf_triangle_defects *defects)
{
    *defects = (icf_triangle_defects){.degenerate = -1,
                                      .duplicate = -1,
                                      .duplicate_of = -1,
                                      .open = -1,
                                      .open_vertex = {-1, -1},
                                      .flipped = -1,
                                      .flipped_against = -1,
                                      .branching = -1,
                                      .inwards = -1};
    survey_triangles(mesh, defects);
    ICF_TRY(survey_duplicates(mesh, defects));
    survey_edges(mesh, sides, defects);
    if (!defects->closed) return ICF_OK;
    defects->volume = enclosed_volume(mesh, icf_scale(0.5, icf_add(defects->lo, defects->hi)));
    if (fabs(defects->volume) <= round_off_volume(defects)) defects->volume = 0.0;
    defects->inside_out = defects->volume < 0.0;
    if (defects->inside_out) defects->inwards = find_inwards(mesh, defects->hi.x);
    return ICF_OK;
}

icf_status icf_triangle_mesh_survey(const icf_triangle_mesh *mesh, icf_triangle_defects *defects)
{
    icf_index_rows sides;
    ICF_TRY(icf_triangle_mesh_sort_sides(mesh, &sides));
    const icf_status status = icf_triangle_mesh_survey_sides(mesh, &sides, defects);
    icf_index_rows_clear(&sides);
    return status;
}

icf_status icf_triangle_mesh_require_area(icf_context *context, const icf_triangle_mesh *mesh,
                                          const icf_triangle_defects *defects, const char *what)
{
    if (defects->ndegenerate < mesh->ntriangle) return ICF_OK;
    return icf_fail(context, ICF_ERROR_SCENE,
                    "%s: none of its %d triangles has an area: the corners of each are on a line", what,
                    mesh->ntriangle);
}

icf_status icf_triangle_mesh_require_solid(icf_context *context, const icf_triangle_mesh *mesh,
                                           const icf_triangle_defects *defects, const char *what)
{
    ICF_TRY(icf_triangle_mesh_require_area(context, mesh, defects, what));
    if (defects->nduplicate > 0)
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: triangle %d (counting from 0) has the vertices of triangle %d (%d such triangles)", what,
                        defects->duplicate, defects->duplicate_of, defects->nduplicate);
    if (defects->nopen > 0) {
        const icf_vec3 p = mesh->vertex[defects->open_vertex[0]], q = mesh->vertex[defects->open_vertex[1]];
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: the surface leaks: no other triangle has the edge of triangle %d (counting from 0%s) from "
                        "(%g, %g, %g) to (%g, %g, %g) (%d such edges)",
                        what, defects->open,
                        icf_triangle_mesh_is_degenerate(mesh, defects->open) ? "; it has no area" : "", p.x, p.y, p.z,
                        q.x, q.y, q.z, defects->nopen);
    }
    if (defects->nflipped > 0)
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: triangles %d and %d (counting from 0) share an edge but look to different sides (%d such "
                        "edges)",
                        what, defects->flipped, defects->flipped_against, defects->nflipped);
    if (!defects->closed)
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: three or more triangles share an edge of triangle %d (counting from 0) and do not close "
                        "the surface (%d such edges)",
                        what, defects->branching, defects->nbranching);
    if (defects->inside_out)
        return icf_fail(context, ICF_ERROR_SCENE,
                        "%s: the surface is inside out: triangle %d (counting from 0) looks inwards, the volume is %g "
                        "m^3",
                        what, defects->inwards, defects->volume);
    if (!(defects->volume > 0.0))
        return icf_fail(context, ICF_ERROR_SCENE, "%s: the surface is flat: it encloses no volume", what);
    return ICF_OK;
}
