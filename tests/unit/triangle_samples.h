/* Triangle meshes by hand that tests share. */
#ifndef ICF_TESTS_TRIANGLE_SAMPLES_H
#define ICF_TESTS_TRIANGLE_SAMPLES_H

#include "tet_checks.h"

#include "scene/triangle_mesh.h"

/* Corners of the box of half edges e: 4 ix + 2 iy + iz, minus side first; its surface, outward. */
static const int box_triangle[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                        {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};

static inline void fill_triangles(icf_triangle_mesh *mesh, int nvertex, const icf_vec3 *vertex, int ntriangle,
                                  const int (*triangle)[3])
{
    icf_triangle_mesh_init(mesh);
    for (int v = 0; v < nvertex; ++v) assert_int_equal(icf_triangle_mesh_add_vertex(mesh, vertex[v]), ICF_OK);
    for (int t = 0; t < ntriangle; ++t)
        assert_int_equal(icf_triangle_mesh_add(mesh, triangle[t][0], triangle[t][1], triangle[t][2]), ICF_OK);
}

static inline void fill_box(icf_triangle_mesh *mesh, icf_vec3 e)
{
    icf_vec3 vertex[8];
    for (int v = 0; v < 8; ++v) vertex[v] = icf_vec3_make(v & 4 ? e.x : -e.x, v & 2 ? e.y : -e.y, v & 1 ? e.z : -e.z);
    fill_triangles(mesh, 8, vertex, 12, box_triangle);
}

#endif
