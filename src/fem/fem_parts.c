/* Shares of the threads in an elastic body's sums.
 *
 * The vertices are cut along a space-filling curve into as many parts as there are threads, of about equal numbers of
 * blocks.  A tetrahedron belongs to every part that has one of its vertices: a thread evaluates all that it needs and
 * sums it in the order of the tetrahedra, so that no thread waits for another and the number of threads changes no bit.
 * What is evaluated twice lies at the borders of the parts, however the mesh is numbered.  Rejected: colours (the order
 * of sums would be theirs) and a list of contributions for each block (the blocks of all tetrahedra would go to memory
 * and back, 720 bytes each).
 */
#include "base/memory.h"
#include "base/sort.h"
#include "fem/fem_private.h"
#include "geometry/curve.h"

enum { least_tets = 256 }; /* for a thread of its own */

/* The smallest cube around the mesh: one corner and cells a metre. */
typedef struct cube {
    icf_vec3 corner;
    double scale;
} cube;

static cube cube_around(const icf_tet_mesh *mesh)
{
    icf_vec3 low = mesh->vertex[0], high = low;
    for (icf_lid v = 1; v < mesh->nvertex; ++v) {
        const icf_vec3 p = mesh->vertex[v];
        low = icf_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = icf_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    const icf_vec3 size = icf_sub(high, low);
    const double edge = fmax(size.x, fmax(size.y, size.z));
    return (cube){.corner = low, .scale = ((1 << ICF_CURVE_AXIS_BITS) - 1) / edge};
}

static uint64_t place_on_curve(const cube *c, icf_vec3 p)
{
    const icf_vec3 cell = icf_scale(c->scale, icf_sub(p, c->corner));
    return icf_interleave((uint32_t)cell.x, (uint32_t)cell.y, (uint32_t)cell.z);
}

/* Blocks in the row sums of a vertex: its diagonal block and those below it. */
static icf_lid blocks_of(const icf_fem *fem, icf_lid v)
{
    return 1 + fem->ptr[v + 1] - fem->ptr[v];
}

/* Owners along the sorted curve: equal shares of the blocks. */
static void cut_curve(icf_fem *fem, const icf_keyed *along)
{
    const int64_t all = (int64_t)fem->nvertex + fem->ptr[fem->nvertex];
    int64_t before = 0;
    for (icf_lid k = 0; k < fem->nvertex; ++k) {
        fem->owner[along[k].value] = (int32_t)(before * fem->npart / all);
        before += blocks_of(fem, along[k].value);
    }
}

static icf_status share_vertices(icf_fem *fem, const icf_tet_mesh *mesh)
{
    const size_t n = (size_t)fem->nvertex;
    const cube c = cube_around(mesh);
    icf_keyed *along = NULL, *work = NULL;
    icf_status status = icf_fem_allocate((void **)&along, n, sizeof *along);
    if (status == ICF_OK) status = icf_fem_allocate((void **)&work, n, sizeof *work);
    if (status == ICF_OK) {
        for (icf_lid v = 0; v < fem->nvertex; ++v)
            along[v] = (icf_keyed){.key = place_on_curve(&c, mesh->vertex[v]), .value = v};
        icf_sort_keyed(fem->nvertex, along, work);
        cut_curve(fem, along);
    }
    icf_free(along);
    icf_free(work);
    return status;
}

static icf_status list_vertices(const icf_fem *fem, int p)
{
    icf_fem_part *part = &fem->part[p];
    part->nvertex = 0;
    for (icf_lid v = 0; v < fem->nvertex; ++v) part->nvertex += fem->owner[v] == p;
    ICF_TRY(icf_fem_allocate((void **)&part->vertex, (size_t)part->nvertex, sizeof *part->vertex));
    icf_lid n = 0;
    for (icf_lid v = 0; v < fem->nvertex; ++v)
        if (fem->owner[v] == p) part->vertex[n++] = v;
    return ICF_OK;
}

static bool touches(const icf_fem *fem, const icf_lid tet[4], int p)
{
    return fem->owner[tet[0]] == p || fem->owner[tet[1]] == p || fem->owner[tet[2]] == p || fem->owner[tet[3]] == p;
}

static icf_status list_tets(const icf_fem *fem, const icf_tet_mesh *mesh, int p)
{
    icf_fem_part *part = &fem->part[p];
    part->ntet = 0;
    for (icf_lid t = 0; t < mesh->ntet; ++t) part->ntet += touches(fem, mesh->tet[t], p);
    ICF_TRY(icf_fem_allocate((void **)&part->tet, (size_t)part->ntet, sizeof *part->tet));
    icf_lid n = 0;
    for (icf_lid t = 0; t < mesh->ntet; ++t)
        if (touches(fem, mesh->tet[t], p)) part->tet[n++] = t;
    return ICF_OK;
}

icf_status icf_fem_build_parts(icf_fem *fem, const icf_tet_mesh *mesh, int nthread)
{
    const int npart = ICF_MAX(1, ICF_MIN(nthread, fem->ntet / least_tets));
    ICF_TRY(icf_fem_allocate((void **)&fem->part, (size_t)npart, sizeof *fem->part));
    for (int p = 0; p < npart; ++p) fem->part[p] = (icf_fem_part){0};
    fem->npart = npart;
    ICF_TRY(icf_fem_allocate((void **)&fem->owner, (size_t)fem->nvertex, sizeof *fem->owner));
    ICF_TRY(share_vertices(fem, mesh));
    for (int p = 0; p < npart; ++p) {
        ICF_TRY(list_vertices(fem, p));
        ICF_TRY(list_tets(fem, mesh, p));
    }
    return ICF_OK;
}
