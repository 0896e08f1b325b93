/* Shares of the threads in an elastic body's sums.
 *
 * The vertices are cut into as many ranges as there are threads, of about equal numbers of blocks.  A batch belongs to
 * every range that it has a vertex in: a thread evaluates all that it needs and sums it in the order of the
 * tetrahedra, so that no thread waits for another and the number of threads changes no bit.  What is evaluated twice
 * lies at the borders of the ranges: little, when vertices and tetrahedra near each other in space are near each other
 * in the mesh.  Rejected: colours (the order of sums would be theirs) and a list of contributions for each block (the
 * blocks of all tetrahedra would go to memory and back, 720 bytes each).
 */
#include "fem/fem_private.h"

enum { least_tets = 256 }; /* for a thread of its own */

static bool touches(const icf_fem_batch *batch, const icf_fem_part *part)
{
    for (int i = 0; i < 4; ++i)
        for (int lane = 0; lane < ICF_FEM_LANES; ++lane)
            if (batch->vertex[i][lane] >= part->begin && batch->vertex[i][lane] < part->end) return true;
    return false;
}

/* First vertex of part p of npart: the blocks before it are its share of all. */
static icf_lid first_vertex(const icf_fem *fem, int p, int npart)
{
    const int64_t all = (int64_t)fem->nvertex + fem->ptr[fem->nvertex];
    icf_lid v = 0;
    while (v < fem->nvertex && ((int64_t)v + fem->ptr[v]) * npart < all * p) ++v;
    return v;
}

static icf_status list_batches(const icf_fem *fem, icf_fem_part *part)
{
    part->nbatch = 0;
    for (icf_lid b = 0; b < fem->nbatch; ++b) part->nbatch += touches(&fem->batch[b], part);
    ICF_TRY(icf_fem_allocate((void **)&part->batch, (size_t)part->nbatch, sizeof *part->batch));
    icf_lid n = 0;
    for (icf_lid b = 0; b < fem->nbatch; ++b)
        if (touches(&fem->batch[b], part)) part->batch[n++] = b;
    return ICF_OK;
}

icf_status icf_fem_build_parts(icf_fem *fem, int nthread)
{
    const int npart = ICF_MAX(1, ICF_MIN(nthread, fem->ntet / least_tets));
    ICF_TRY(icf_fem_allocate((void **)&fem->part, (size_t)npart, sizeof *fem->part));
    for (int p = 0; p < npart; ++p)
        fem->part[p] = (icf_fem_part){.begin = first_vertex(fem, p, npart), .end = first_vertex(fem, p + 1, npart)};
    fem->npart = npart;
    for (int p = 0; p < npart; ++p) ICF_TRY(list_batches(fem, &fem->part[p]));
    return ICF_OK;
}
