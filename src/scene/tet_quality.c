/* Quality of a tetrahedral mesh: measures of each tetrahedron, counts of what is wrong. */
#include "scene/tet_quality.h"

#include <string.h>

#include "base/disjoint_sets.h"
#include "base/memory.h"
#include "scene/index_rows.h"
#include "scene/tet_surface.h"

/* Measures of one tetrahedron. */
typedef struct tet_measure {
    double volume;                     /* signed [m^3] */
    double edge_min, edge_max;         /* [m] */
    double dihedral_min, dihedral_max; /* [rad] */
    double ratio;                      /* mean ratio, signed */
    bool flat;
} tet_measure;

static void get_corners(const icf_tet_mesh *mesh, icf_lid t, icf_vec3 x[4])
{
    for (int c = 0; c < 4; ++c) x[c] = mesh->vertex[mesh->tet[t][c]];
}

/* Edges and mean ratio. */
static void measure_edges(tet_measure *m, const icf_vec3 x[4])
{
    double sum = 0.0, smallest = INFINITY, largest = 0.0;
    for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b) {
            const double square = icf_norm2(icf_sub(x[b], x[a]));
            sum += square;
            smallest = fmin(smallest, square);
            largest = fmax(largest, square);
        }
    m->edge_min = sqrt(smallest);
    m->edge_max = sqrt(largest);
    const double root = cbrt(3.0 * m->volume);
    m->ratio = sum > 0.0 ? copysign(12.0 * root * root / sum, m->volume) : 0.0;
}

/* Angle between two faces from the inside, of their area vectors; 0 when one has no area. */
static double dihedral(icf_vec3 a, icf_vec3 b)
{
    const double product = icf_norm(a) * icf_norm(b);
    if (!(product > 0.0)) return 0.0;
    return acos(fmax(-1.0, fmin(1.0, -icf_dot(a, b) / product)));
}

static void measure_angles(tet_measure *m, const icf_vec3 x[4])
{
    icf_vec3 area[4];
    for (int f = 0; f < 4; ++f)
        area[f] = icf_area_vector(x[icf_tet_face[f][0]], x[icf_tet_face[f][1]], x[icf_tet_face[f][2]]);
    m->dihedral_min = INFINITY;
    m->dihedral_max = 0.0;
    for (int f = 0; f < 4; ++f)
        for (int g = f + 1; g < 4; ++g) {
            const double angle = dihedral(area[f], area[g]);
            m->dihedral_min = fmin(m->dihedral_min, angle);
            m->dihedral_max = fmax(m->dihedral_max, angle);
        }
}

static tet_measure measure_tet(const icf_tet_mesh *mesh, icf_lid t)
{
    icf_vec3 x[4];
    get_corners(mesh, t, x);
    tet_measure m = {.volume = icf_tet_mesh_volume(mesh, t), .flat = icf_tet_is_flat(x[0], x[1], x[2], x[3])};
    measure_edges(&m, x);
    measure_angles(&m, x);
    return m;
}

static void add_measure(icf_tet_quality *q, icf_lid t, const tet_measure *m)
{
    q->volume += m->volume;
    q->volume_min = fmin(q->volume_min, m->volume);
    q->volume_max = fmax(q->volume_max, m->volume);
    q->edge_min = fmin(q->edge_min, m->edge_min);
    q->edge_max = fmax(q->edge_max, m->edge_max);
    q->dihedral_min = fmin(q->dihedral_min, m->dihedral_min);
    q->dihedral_max = fmax(q->dihedral_max, m->dihedral_max);
    q->ratio_mean += m->ratio;
    if (m->ratio < q->ratio_min) {
        q->ratio_min = m->ratio;
        q->worst = t;
    }
    q->nflat += m->flat;
    q->ninverted += !m->flat && m->volume < 0.0;
    q->nsliver += m->flat || m->dihedral_min < ICF_SLIVER_ANGLE;
}

static void measure_tets(icf_tet_quality *q, const icf_tet_mesh *mesh)
{
    q->volume_min = q->edge_min = q->dihedral_min = q->ratio_min = INFINITY;
    q->volume_max = -INFINITY;
    for (icf_lid t = 0; t < mesh->ntet; ++t) {
        const tet_measure m = measure_tet(mesh, t);
        add_measure(q, t, &m);
    }
    q->ratio_mean /= mesh->ntet;
}

static icf_status count_duplicates(icf_tet_quality *q, const icf_tet_mesh *mesh)
{
    icf_index_rows tets;
    ICF_TRY(icf_index_rows_init(&tets, mesh->ntet, 4));
    for (icf_lid t = 0; t < mesh->ntet; ++t) icf_index_rows_set(&tets, t, mesh->tet[t]);
    icf_index_rows_sort(&tets);
    for (icf_lid i = 0, n; i < mesh->ntet; i += n) {
        n = icf_index_rows_equal(&tets, i);
        q->nduplicate += n - 1;
    }
    icf_index_rows_clear(&tets);
    return ICF_OK;
}

static icf_status measure_surface(icf_tet_quality *q, const icf_tet_mesh *mesh)
{
    icf_tet_surface surface;
    icf_tet_surface_init(&surface);
    const icf_status status = icf_tet_surface_build(&surface, mesh);
    q->nsurface_triangle = surface.ntriangle;
    q->nsurface_vertex = surface.nvertex;
    q->nshared_face = surface.nshared_face;
    q->nodd_edge = surface.nodd_edge;
    for (icf_lid t = 0; t < surface.ntriangle; ++t) {
        const icf_lid *v = surface.triangle[t];
        q->surface_area += icf_norm(icf_area_vector(mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]]));
    }
    icf_tet_surface_clear(&surface);
    return status;
}

/* -1 marks vertices in no tetrahedron. */
static void join_tet(icf_lid *set, const icf_lid tet[4])
{
    for (int c = 0; c < 4; ++c)
        if (set[tet[c]] < 0) set[tet[c]] = tet[c];
    for (int c = 1; c < 4; ++c) icf_sets_join(set, tet[0], tet[c]);
}

static icf_status count_components(icf_tet_quality *q, const icf_tet_mesh *mesh)
{
    if (mesh->nvertex == 0) return ICF_OK;
    icf_lid *set = icf_alloc((size_t)mesh->nvertex * sizeof *set);
    if (!set) return ICF_ERROR_MEMORY;
    for (icf_lid v = 0; v < mesh->nvertex; ++v) set[v] = -1;
    for (icf_lid t = 0; t < mesh->ntet; ++t) join_tet(set, mesh->tet[t]);
    for (icf_lid v = 0; v < mesh->nvertex; ++v) {
        q->nunused += set[v] < 0;
        q->ncomponent += set[v] == v;
    }
    icf_free(set);
    return ICF_OK;
}

icf_status icf_tet_quality_build(icf_tet_quality *quality, const icf_tet_mesh *mesh)
{
    *quality = (icf_tet_quality){.nvertex = mesh->nvertex, .ntet = mesh->ntet, .nreoriented = mesh->nreoriented};
    quality->worst = -1;
    if (mesh->ntet > 0) measure_tets(quality, mesh);
    ICF_TRY(count_duplicates(quality, mesh));
    ICF_TRY(measure_surface(quality, mesh));
    return count_components(quality, mesh);
}
