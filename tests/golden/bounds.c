/* Bounds of qualitative cases. */
#include "golden/bounds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CELL_TETS = 6 };

/* The mesh at rest. */
typedef struct rest_mesh {
    double (*vertex)[3]; /* positions (nvertex, 3) [m] */
    int (*tet)[4];       /* vertices of the elements (ntet, 4) */
    int nvertex, ntet;
} rest_mesh;

/* Worst values over the elements. */
typedef struct shape {
    double error;       /* largest |F^T F - 1| */
    double determinant; /* smallest det F */
} shape;

static double item(const json_t *list, int i)
{
    const json_t *value = json_array_get(list, (size_t)i);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* The larger number; NaN when one of them is. */
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b);
}

static const json_t *row(const json_t *list, int i)
{
    return json_array_get(list, (size_t)i);
}

static const json_t *first_deformable(const json_t *object)
{
    return json_array_get(json_object_get(object, "deformables"), 0);
}

/* ---- the mesh at rest ---- */

static void allocate(rest_mesh *mesh, int nvertex, int ntet)
{
    mesh->nvertex = nvertex;
    mesh->ntet = ntet;
    mesh->vertex = calloc((size_t)nvertex, sizeof *mesh->vertex);
    mesh->tet = calloc((size_t)ntet, sizeof *mesh->tet);
    if (!mesh->vertex || !mesh->tet) abort();
}

static void copy_mesh(rest_mesh *mesh, const json_t *vertices, const json_t *tets)
{
    allocate(mesh, (int)json_array_size(vertices), (int)json_array_size(tets));
    for (int i = 0; i < mesh->nvertex; ++i)
        for (int k = 0; k < 3; ++k) mesh->vertex[i][k] = item(row(vertices, i), k);
    for (int t = 0; t < mesh->ntet; ++t)
        for (int k = 0; k < 4; ++k) mesh->tet[t][k] = (int)item(row(tets, t), k);
}

/* Node of the box at a corner of cells. */
static int box_node(const int *n, const int *corner)
{
    return corner[0] + (n[0] + 1) * (corner[1] + (n[1] + 1) * corner[2]);
}

/* The six tetrahedra of a cell: from its lowest corner to its highest, one axis after the other, in each order. */
static void cut_cell(rest_mesh *mesh, const int *n, const int *cell, int *tet)
{
    static const int order[CELL_TETS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int p = 0; p < CELL_TETS; ++p, ++*tet) {
        int corner[3] = {cell[0], cell[1], cell[2]};
        mesh->tet[*tet][0] = box_node(n, corner);
        for (int k = 0; k < 3; ++k) {
            corner[order[p][k]] += 1;
            mesh->tet[*tet][k + 1] = box_node(n, corner);
        }
    }
}

static void box_mesh(rest_mesh *mesh, const json_t *size, const json_t *divisions)
{
    const int n[3] = {(int)item(divisions, 0), (int)item(divisions, 1), (int)item(divisions, 2)};
    int c[3], vertex = 0, tet = 0;
    allocate(mesh, (n[0] + 1) * (n[1] + 1) * (n[2] + 1), CELL_TETS * n[0] * n[1] * n[2]);
    for (c[2] = 0; c[2] <= n[2]; ++c[2])
        for (c[1] = 0; c[1] <= n[1]; ++c[1])
            for (c[0] = 0; c[0] <= n[0]; ++c[0], ++vertex)
                for (int k = 0; k < 3; ++k) mesh->vertex[vertex][k] = item(size, k) * ((double)c[k] / n[k] - 0.5);
    for (c[2] = 0; c[2] < n[2]; ++c[2])
        for (c[1] = 0; c[1] < n[1]; ++c[1])
            for (c[0] = 0; c[0] < n[0]; ++c[0]) cut_cell(mesh, n, c, &tet);
}

static void build_mesh(rest_mesh *mesh, const json_t *description)
{
    const json_t *box = json_object_get(description, "box");
    if (box)
        box_mesh(mesh, json_object_get(box, "size"), json_object_get(box, "divisions"));
    else
        copy_mesh(mesh, json_object_get(description, "vertices"), json_object_get(description, "tets"));
}

/* ---- deformation ---- */

static double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static void invert(double m[3][3], double inverse[3][3])
{
    const double d = determinant(m);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            inverse[i][j] = (m[(j + 1) % 3][(i + 1) % 3] * m[(j + 2) % 3][(i + 2) % 3] -
                             m[(j + 1) % 3][(i + 2) % 3] * m[(j + 2) % 3][(i + 1) % 3]) /
                            d;
}

static void multiply(double a[3][3], double b[3][3], double product[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/* F of an element: the edges now times the inverse of those at rest. */
static void deformation_gradient(const rest_mesh *mesh, const json_t *vertices, const int *tet, double f[3][3])
{
    double rest[3][3], now[3][3], inverse[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int e = 0; e < 3; ++e) {
            rest[i][e] = mesh->vertex[tet[e + 1]][i] - mesh->vertex[tet[0]][i];
            now[i][e] = item(row(vertices, tet[e + 1]), i) - item(row(vertices, tet[0]), i);
        }
    }
    invert(rest, inverse);
    multiply(now, inverse, f);
}

/* |F^T F - 1|, the largest entry; NaN of missing vertices passes through. */
static double strain(double f[3][3])
{
    double largest = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double e = f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j] - (i == j ? 1.0 : 0.0);
            largest = larger(largest, fabs(e));
        }
    }
    return largest;
}

static shape shape_of(const rest_mesh *mesh, const json_t *vertices)
{
    shape s = {.error = 0, .determinant = INFINITY};
    for (int t = 0; t < mesh->ntet; ++t) {
        double f[3][3];
        deformation_gradient(mesh, vertices, mesh->tet[t], f);
        s.error = larger(s.error, strain(f));
        s.determinant = -larger(-s.determinant, -determinant(f));
    }
    return s;
}

/* ---- the run ---- */

void golden_bounds_add(golden_bounds *bounds, json_t *record)
{
    const json_t *velocities = json_object_get(first_deformable(record), "velocities"), *v;
    size_t i;
    if (json_array_size(velocities) == 0) bounds->speed = (double)NAN;
    json_array_foreach(velocities, i, v)
    {
        const double speed = sqrt(item(v, 0) * item(v, 0) + item(v, 1) * item(v, 1) + item(v, 2) * item(v, 2));
        bounds->speed = larger(bounds->speed, speed);
    }
    json_decref(bounds->last);
    bounds->last = json_incref(record);
}

static int expect(bool holds, FILE *out, const char *what, double got, double limit)
{
    if (!holds) fprintf(out, "%s %.3g, bound %.3g\n", what, got, limit);
    return holds ? 0 : 1;
}

int golden_bounds_check(golden_bounds *bounds, const json_t *scene, const json_t *expected, FILE *out)
{
    const double allowed = json_number_value(json_object_get(expected, "max_shape_error_rel"));
    const double limit = json_number_value(json_object_get(expected, "max_speed_ever"));
    const double nstep = json_number_value(json_object_get(json_object_get(scene, "time"), "steps"));
    const double last = json_number_value(json_object_get(bounds->last, "step"));
    rest_mesh mesh = {0};
    build_mesh(&mesh, json_object_get(first_deformable(scene), "mesh"));
    const shape s = shape_of(&mesh, json_object_get(first_deformable(bounds->last), "vertices"));
    int nbroken = expect(last == nstep, out, "last step", last, nstep);
    nbroken += expect(s.determinant > 0, out, "smallest det F", s.determinant, 0);
    nbroken += expect(s.error <= allowed, out, "largest |F^T F - 1|", s.error, allowed);
    nbroken += expect(bounds->speed <= limit, out, "largest speed", bounds->speed, limit);
    free(mesh.vertex);
    free(mesh.tet);
    json_decref(bounds->last);
    *bounds = (golden_bounds){0};
    return nbroken;
}
