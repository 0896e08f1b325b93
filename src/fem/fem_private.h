/* The inside of an icf_fem, shared by its files. */
#ifndef ICF_FEM_FEM_PRIVATE_H
#define ICF_FEM_FEM_PRIVATE_H

#include "fem/element_kernels.h"
#include "fem/fem.h"

/* What one thread sums: a range of vertices, with their diagonal blocks and the columns below them. */
typedef struct icf_fem_part {
    icf_lid begin, end; /* its vertices */
    icf_lid nbatch;     /* batches with a tetrahedron at one of them */
    icf_lid *batch;     /* (nbatch) ascending */
} icf_fem_part;

struct icf_fem {
    icf_deformable_material material;
    icf_lame lame;
    const icf_element_kernels *kernels;
    icf_lid nvertex, ntet;
    double volume;         /* of the rest state [m^3] */
    double *vertex_volume; /* (nvertex) sum of the rest volumes of its tetrahedra [m^3] */
    icf_lid *ptr, *idx;    /* (nvertex + 1), (ptr[nvertex]) the pattern */
    icf_lid nbatch;
    icf_fem_batch *batch; /* (nbatch) tetrahedra in their order, eight at a time */
    icf_fem_state *state; /* (nbatch) corotational, else NULL */
    int npart;
    icf_fem_part *part; /* (npart) */
    double *scratch;    /* (ntet) a value of each tetrahedron, while it is summed */
};

/* Builds the pattern of the mesh's edges: ptr, idx.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_fem_build_pattern(icf_fem *fem, const icf_tet_mesh *mesh);

/* Builds the parts of nthread threads; the batches must have their vertices.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_fem_build_parts(icf_fem *fem, int nthread);

/* Memory for n values of a size, at least one; *array is NULL on ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_fem_allocate(void **array, size_t n, size_t size);

/* Tetrahedra in batch b, 1 to 8. */
static inline int icf_fem_batch_size(const icf_fem *fem, icf_lid b)
{
    return (int)ICF_MIN((icf_lid)ICF_FEM_LANES, fem->ntet - ICF_FEM_LANES * b);
}

#endif
