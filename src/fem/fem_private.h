/* The inside of an icf_fem, shared by its files. */
#ifndef ICF_FEM_FEM_PRIVATE_H
#define ICF_FEM_FEM_PRIVATE_H

#include "fem/element_kernels.h"
#include "fem/fem.h"

/* What one thread sums: at its own vertices, in their diagonal blocks and in the columns below these.  It holds all
 * tetrahedra that this takes. */
typedef struct icf_fem_part {
    icf_lid nvertex;
    icf_lid *vertex; /* (nvertex) its vertices, ascending */
    icf_lid ntet;
    icf_lid *tet; /* (ntet) tetrahedra with one of them at a corner, ascending */
    icf_lid nbatch;
    icf_fem_batch *batch; /* (nbatch) the same tetrahedra, eight at a time */
    icf_fem_state *state; /* (nbatch) corotational, else NULL */
} icf_fem_part;

struct icf_fem {
    icf_deformable_material material;
    icf_lame lame;
    const icf_element_kernels *kernels;
    icf_lid nvertex, ntet;
    double *vertex_volume; /* (nvertex) sum of the rest volumes of its tetrahedra [m^3] */
    icf_lid *ptr, *idx;    /* (nvertex + 1), (ptr[nvertex]) the pattern */
    int npart;
    icf_fem_part *part; /* (npart) */
    int32_t *owner;     /* (nvertex) part that a vertex belongs to */
    double *scratch;    /* (ntet) a value of each tetrahedron, while it is summed */
};

/* Builds the pattern of the mesh's edges: ptr, idx.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_fem_build_pattern(icf_fem *fem, const icf_tet_mesh *mesh);

/* Shares the vertices among nthread parts: owner, and vertices and tetrahedra of each part.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_fem_build_parts(icf_fem *fem, const icf_tet_mesh *mesh, int nthread);

/* Builds batches and state of a part.  ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_fem_build_batches(const icf_fem *fem, const icf_tet_mesh *mesh, int part);

/* Memory for n values of a size, at least one; *array is NULL on ICF_ERROR_MEMORY. */
ICF_MUST_CHECK icf_status icf_fem_allocate(void **array, size_t n, size_t size);

#endif
