/* Sample points of a surface: the points of all triangles, sorted; equal ones become one. */
#include <string.h>

#include "base/memory.h"
#include "scene/index_rows.h"
#include "scene/tet_surface.h"

/* A point as a row that sorts in the order of features: not a vertex?, then its list of (vertex, multiple), of which
 * the last multiple follows from the others. */
enum { row_kind, row_vertex0, row_multiple0, row_vertex1, row_multiple1, row_vertex2, row_width };

void icf_sample_points_init(icf_sample_points *points)
{
    *points = (icf_sample_points){0};
}

void icf_sample_points_clear(icf_sample_points *points)
{
    icf_free(points->point);
    icf_free(points->triangle);
    icf_free(points->ptr);
    icf_free(points->idx);
    icf_sample_points_init(points);
}

/* Points of a triangle cut n times. */
static int32_t points_of_triangle(int32_t n)
{
    return (n + 1) * (n + 2) / 2;
}

/* Place of the point with multiples (n - i - j, i, j) among those of its triangle. */
static icf_lid place_of(int32_t n, int32_t i, int32_t j)
{
    return i * (n + 1) - i * (i - 1) / 2 + j;
}

static icf_sample_point make_point(const icf_lid triangle[3], const int32_t multiple[3])
{
    icf_sample_point point = {.vertex = {-1, -1, -1}};
    for (int c = 0; c < 3; ++c) {
        if (multiple[c] == 0) continue;
        int at = point.nvertex++;
        for (; at > 0 && point.vertex[at - 1] > triangle[c]; --at) {
            point.vertex[at] = point.vertex[at - 1];
            point.multiple[at] = point.multiple[at - 1];
        }
        point.vertex[at] = triangle[c];
        point.multiple[at] = multiple[c];
    }
    return point;
}

static void fill_row(icf_lid row[row_width], const icf_sample_point *point)
{
    row[row_kind] = point->nvertex > 1;
    row[row_vertex0] = point->vertex[0];
    row[row_multiple0] = point->multiple[0];
    row[row_vertex1] = ICF_MAX(point->vertex[1], 0);
    row[row_multiple1] = point->multiple[1];
    row[row_vertex2] = ICF_MAX(point->vertex[2], 0);
}

/* The point that a row was filled with. */
static icf_sample_point read_row(const icf_lid row[row_width], int32_t n)
{
    icf_sample_point point = {.nvertex = 1, .vertex = {row[row_vertex0], -1, -1}, .multiple = {row[row_multiple0]}};
    int32_t rest = n - row[row_multiple0];
    if (rest == 0) return point;
    point.nvertex = 2;
    point.vertex[1] = row[row_vertex1];
    point.multiple[1] = row[row_multiple1];
    rest -= row[row_multiple1];
    if (rest == 0) return point;
    point.nvertex = 3;
    point.vertex[2] = row[row_vertex2];
    point.multiple[2] = rest;
    return point;
}

static void fill_rows(icf_index_rows *rows, const icf_tet_surface *surface, int32_t n)
{
    icf_lid at = 0;
    for (icf_lid t = 0; t < surface->ntriangle; ++t)
        for (int32_t i = 0; i <= n; ++i)
            for (int32_t j = 0; i + j <= n; ++j) {
                const icf_sample_point point = make_point(surface->triangle[t], (int32_t[3]){n - i - j, i, j});
                fill_row(icf_index_row(rows, at++), &point);
            }
}

/* Makes a point of each set of equal rows; its number replaces the first entry of the rows. */
static icf_status gather_points(icf_sample_points *points, icf_index_rows *rows, icf_lid nvertex)
{
    icf_lid nother = 0;
    for (icf_lid i = 0, equal; i < rows->n; i += equal) {
        equal = icf_index_rows_equal(rows, i);
        ICF_TRY(ICF_GROW(points->point, points->point_capacity, points->npoint + 1));
        icf_sample_point *point = &points->point[points->npoint];
        *point = read_row(icf_index_row(rows, rows->items[i].value), points->n);
        point->feature = point->nvertex == 1 ? point->vertex[0] : nvertex + nother++;
        for (icf_lid k = i; k < i + equal; ++k) *icf_index_row(rows, rows->items[k].value) = points->npoint;
        ++points->npoint;
    }
    return ICF_OK;
}

/* Appends a part of triangle t, given by the places of its corners. */
static void add_part(icf_sample_points *points, const icf_index_rows *rows, icf_lid t, const icf_lid place[3])
{
    const icf_lid first = t * points_of_triangle(points->n);
    icf_lid *part = points->triangle[points->ntriangle++];
    for (int c = 0; c < 3; ++c) part[c] = *icf_index_row(rows, first + place[c]);
}

static void cut_triangle(icf_sample_points *points, const icf_index_rows *rows, icf_lid t)
{
    const int32_t n = points->n;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; i + j < n; ++j) {
            const icf_lid low = place_of(n, i, j), right = place_of(n, i + 1, j), up = place_of(n, i, j + 1);
            add_part(points, rows, t, (icf_lid[3]){low, right, up});
            if (i + j + 1 < n) add_part(points, rows, t, (icf_lid[3]){right, place_of(n, i + 1, j + 1), up});
        }
}

/* Lists the parts of each point: counts, first places, parts in ascending order. */
static icf_status list_parts(icf_sample_points *points)
{
    const icf_lid npoint = points->npoint, ncorner = 3 * points->ntriangle;
    ICF_TRY(ICF_GROW(points->ptr, points->ptr_capacity, npoint + 1));
    ICF_TRY(ICF_GROW(points->idx, points->idx_capacity, ncorner));
    icf_lid *ptr = points->ptr;
    memset(ptr, 0, ((size_t)npoint + 1) * sizeof *ptr);
    for (icf_lid k = 0; k < ncorner; ++k) ++ptr[points->triangle[k / 3][k % 3]];
    for (icf_lid p = 0, sum = 0; p <= npoint; ++p) ptr[p] = sum += ptr[p];
    /* filled from behind, each first place moves down to where it belongs */
    for (icf_lid k = ncorner - 1; k >= 0; --k) points->idx[--ptr[points->triangle[k / 3][k % 3]]] = k / 3;
    return ICF_OK;
}

static icf_status build_points(icf_sample_points *points, icf_index_rows *rows, const icf_tet_surface *surface,
                               icf_lid nvertex)
{
    fill_rows(rows, surface, points->n);
    icf_index_rows_sort(rows);
    ICF_TRY(gather_points(points, rows, nvertex));
    ICF_TRY(ICF_GROW(points->triangle, points->triangle_capacity, points->n * points->n * surface->ntriangle));
    for (icf_lid t = 0; t < surface->ntriangle; ++t) cut_triangle(points, rows, t);
    return list_parts(points);
}

icf_status icf_sample_points_build(icf_sample_points *points, const icf_tet_surface *surface, icf_lid nvertex,
                                   int32_t n)
{
    points->npoint = points->ntriangle = 0;
    points->n = n;
    if (n < 1 || n > ICF_MAX_SUBDIVISION) return ICF_ERROR_INTERNAL;
    /* neither the points before equal ones are merged nor the parts may be too many */
    const int64_t raw = (int64_t)surface->ntriangle * ICF_MAX(points_of_triangle(n), 3 * n * n);
    if (raw > INT32_MAX - nvertex) return ICF_ERROR_MEMORY;
    icf_index_rows rows;
    ICF_TRY(icf_index_rows_init(&rows, surface->ntriangle * points_of_triangle(n), row_width));
    const icf_status status = build_points(points, &rows, surface, nvertex);
    icf_index_rows_clear(&rows);
    return status;
}

icf_vec3 icf_sample_point_at(const icf_sample_point *point, int32_t n, const icf_vec3 *value)
{
    if (point->nvertex == 1) return value[point->vertex[0]];
    icf_vec3 sum = {0};
    for (int i = 0; i < point->nvertex; ++i)
        sum = icf_mul_add(sum, (double)point->multiple[i] / n, value[point->vertex[i]]);
    return sum;
}
