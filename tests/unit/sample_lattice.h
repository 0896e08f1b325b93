/* A lattice of blocks that gains pairs, as an island does whose bodies come to touch. */
#ifndef ICF_TESTS_SAMPLE_LATTICE_H
#define ICF_TESTS_SAMPLE_LATTICE_H

#include "sample_block_matrix.h"

typedef struct sample_lattice {
    icf_lid nx, ny, nz, nblock;
    int32_t *sizes; /* (nblock) dofs */
    size_t nedge;
    sample_edge *edges;
    uint64_t random;
} sample_lattice;

static inline void sample_lattice_join(sample_lattice *l, icf_lid a, icf_lid b)
{
    l->edges = realloc(l->edges, (l->nedge + 1) * sizeof *l->edges);
    l->edges[l->nedge++] = (sample_edge){ICF_MAX(a, b), ICF_MIN(a, b)};
}

/* Blocks without any pair; their sizes cycle through a list. */
static inline sample_lattice sample_lattice_apart(icf_lid nx, icf_lid ny, icf_lid nz, const int32_t *list, int nlist,
                                                  uint64_t seed)
{
    sample_lattice l = {.nx = nx, .ny = ny, .nz = nz, .nblock = nx * ny * nz, .random = seed};
    l.sizes = calloc((size_t)l.nblock + 1, sizeof *l.sizes);
    l.edges = calloc(1, sizeof *l.edges);
    for (icf_lid i = 0; i < l.nblock; ++i) l.sizes[i] = list[i % nlist];
    return l;
}

/* Joins each pair of next neighbours in the same box of so many blocks along each axis. */
static inline void sample_lattice_fill(sample_lattice *l, icf_lid along_x, icf_lid along_y, icf_lid along_z)
{
    for (icf_lid i = 0; i < l->nblock; ++i) {
        const icf_lid x = i % l->nx, y = i / l->nx % l->ny, z = i / l->nx / l->ny;
        if (x + 1 < l->nx && (x + 1) % along_x != 0) sample_lattice_join(l, i + 1, i);
        if (y + 1 < l->ny && (y + 1) % along_y != 0) sample_lattice_join(l, i + l->nx, i);
        if (z + 1 < l->nz && (z + 1) % along_z != 0) sample_lattice_join(l, i + l->nx * l->ny, i);
    }
}

static inline sample_lattice sample_lattice_make(icf_lid nx, icf_lid ny, icf_lid nz, int32_t size, uint64_t seed)
{
    sample_lattice l = sample_lattice_apart(nx, ny, nz, &size, 1, seed);
    sample_lattice_fill(&l, nx, ny, nz);
    return l;
}

static inline void sample_lattice_free(sample_lattice *l)
{
    free(l->sizes);
    free(l->edges);
    *l = (sample_lattice){0};
}

/* In -reach .. reach. */
static inline icf_lid sample_lattice_shift(sample_lattice *l, int reach)
{
    return (icf_lid)(sample_uniform(&l->random) * (2 * reach + 1)) - reach;
}

/* Joins so many random pairs that are at most two steps apart along each axis. */
static inline void sample_lattice_add_near(sample_lattice *l, icf_lid n)
{
    while (n > 0) {
        const icf_lid a = (icf_lid)(sample_uniform(&l->random) * l->nblock);
        const icf_lid x = a % l->nx + sample_lattice_shift(l, 2), y = a / l->nx % l->ny + sample_lattice_shift(l, 2),
                      z = a / l->nx / l->ny + sample_lattice_shift(l, 2), b = x + l->nx * (y + l->ny * z);
        if (x < 0 || x >= l->nx || y < 0 || y >= l->ny || z < 0 || z >= l->nz || a == b) continue;
        sample_lattice_join(l, a, b);
        --n;
    }
}

/* Leaves pairs out at random. */
static inline void sample_lattice_thin(sample_lattice *l, double kept)
{
    size_t n = 0;
    for (size_t e = 0; e < l->nedge; ++e)
        if (sample_uniform(&l->random) < kept) l->edges[n++] = l->edges[e];
    l->nedge = n;
}

static inline sample_matrix sample_lattice_matrix(sample_lattice *l)
{
    sample_matrix s = sample_pattern(l->nblock, l->sizes, l->nedge, l->edges);
    sample_fill(&s, 4.0, 1);
    return s;
}

#endif
