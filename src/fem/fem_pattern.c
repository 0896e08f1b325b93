/* Pattern of an elastic body's matrices: the edges of its mesh, lower triangle by columns. */
#include "base/memory.h"
#include "fem/fem_private.h"

/* Columns under construction: room for every edge of every tetrahedron, filled with each row once. */
typedef struct columns {
    int64_t *begin; /* (nvertex + 1) start of each column's room */
    icf_lid *n;     /* (nvertex) rows it has */
    icf_lid *row;   /* (begin[nvertex]) ascending in each column */
} columns;

static void clear_columns(columns *c)
{
    ICF_FREE(c->begin);
    ICF_FREE(c->n);
    ICF_FREE(c->row);
}

/* Room of each column: how often its vertex is the smaller end of an edge. */
static void count_room(const icf_tet_mesh *mesh, columns *c)
{
    for (icf_lid v = 0; v <= mesh->nvertex; ++v) c->begin[v] = 0;
    for (icf_lid v = 0; v < mesh->nvertex; ++v) c->n[v] = 0;
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < a; ++b) ++c->begin[ICF_MIN(mesh->tet[t][a], mesh->tet[t][b]) + 1];
    for (icf_lid v = 0; v < mesh->nvertex; ++v) c->begin[v + 1] += c->begin[v];
}

/* Inserts a row into a column unless it is there. */
static void insert_row(columns *c, icf_lid column, icf_lid row)
{
    icf_lid *rows = c->row + c->begin[column];
    icf_lid k = c->n[column];
    while (k > 0 && rows[k - 1] > row) --k;
    if (k > 0 && rows[k - 1] == row) return;
    for (icf_lid m = c->n[column]++; m > k; --m) rows[m] = rows[m - 1];
    rows[k] = row;
}

static void fill_columns(const icf_tet_mesh *mesh, columns *c)
{
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < a; ++b) {
                const icf_lid i = mesh->tet[t][a], j = mesh->tet[t][b];
                insert_row(c, ICF_MIN(i, j), ICF_MAX(i, j));
            }
}

static icf_status build_columns(const icf_tet_mesh *mesh, columns *c)
{
    const size_t n = (size_t)mesh->nvertex;
    ICF_TRY(icf_fem_allocate((void **)&c->begin, n + 1, sizeof *c->begin));
    ICF_TRY(icf_fem_allocate((void **)&c->n, n, sizeof *c->n));
    count_room(mesh, c);
    ICF_TRY(icf_fem_allocate((void **)&c->row, (size_t)c->begin[n], sizeof *c->row));
    fill_columns(mesh, c);
    return ICF_OK;
}

/* Moves the columns together. */
static icf_status compact(icf_fem *fem, const columns *c)
{
    const size_t nvertex = (size_t)fem->nvertex;
    int64_t n = 0;
    for (icf_lid v = 0; v < fem->nvertex; ++v) n += c->n[v];
    if (n > INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(icf_fem_allocate((void **)&fem->ptr, nvertex + 1, sizeof *fem->ptr));
    ICF_TRY(icf_fem_allocate((void **)&fem->idx, (size_t)n, sizeof *fem->idx));
    fem->ptr[0] = 0;
    for (icf_lid v = 0; v < fem->nvertex; ++v) {
        for (icf_lid k = 0; k < c->n[v]; ++k) fem->idx[fem->ptr[v] + k] = c->row[c->begin[v] + k];
        fem->ptr[v + 1] = fem->ptr[v] + c->n[v];
    }
    return ICF_OK;
}

icf_status icf_fem_build_pattern(icf_fem *fem, const icf_tet_mesh *mesh)
{
    columns c = {0};
    icf_status status = build_columns(mesh, &c);
    if (status == ICF_OK) status = compact(fem, &c);
    clear_columns(&c);
    return status;
}
