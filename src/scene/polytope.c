/* Convex polytopes: from the faces of a hull to everything that is derived from them. */
#include "scene/polytope.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/hull.h"
#include "scene/polytope_private.h"

/* array, number of elements */
#define ARRAYS(X)                 \
    X(x, p->nvertex)              \
    X(y, p->nvertex)              \
    X(z, p->nvertex)              \
    X(normal, p->nface)           \
    X(offset, p->nface)           \
    X(face_ptr, p->nface + 1)     \
    X(face_vertex, p->ncorner)    \
    X(edge, p->ncorner)           \
    X(vertex_ptr, p->nvertex + 1) \
    X(vertex_face, p->ncorner)    \
    X(neighbour, p->ncorner)      \
    X(face_patch, p->nface)       \
    X(patch_ptr, p->npatch + 1)   \
    X(patch_side, p->nside)       \
    X(plane_ptr, p->npatch + 1)   \
    X(plane, p->nplane)           \
    X(width, p->npatch)

void icf_polytope_init(icf_polytope *polytope)
{
    *polytope = (icf_polytope){0};
}

void icf_polytope_clear(icf_polytope *polytope)
{
#define X(array, n) icf_free(polytope->array);
    ARRAYS(X)
#undef X
    icf_polytope_init(polytope);
}

static icf_status take(void *array, int32_t n, size_t size)
{
    void *memory = icf_alloc((size_t)ICF_MAX(n, 1) * size);
    memcpy(array, &memory, sizeof memory);
    return memory ? ICF_OK : ICF_ERROR_MEMORY;
}

#define TAKE(array, n) take(&(array), (n), sizeof *(array))

/* ---- vertices and faces ---- */

/* Numbers of the hull's vertices among the points' (-1: not on the hull); their count. */
static int32_t number_vertices(const icf_hull *hull, int32_t n, int32_t *number)
{
    for (int32_t i = 0; i < n; ++i) number[i] = -1;
    for (int32_t k = 0; k < hull->face_ptr[hull->nface]; ++k) number[hull->face_vertex[k]] = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i)
        if (number[i] == 0) number[i] = count++;
    return count;
}

static icf_status copy_hull(const icf_hull *hull, int32_t n, const icf_vec3 *point, const int32_t *number,
                            icf_polytope *p)
{
    p->nface = hull->nface;
    p->ncorner = hull->face_ptr[hull->nface];
    p->nedge = p->ncorner / 2;
    ICF_TRY(TAKE(p->x, p->nvertex));
    ICF_TRY(TAKE(p->y, p->nvertex));
    ICF_TRY(TAKE(p->z, p->nvertex));
    ICF_TRY(TAKE(p->face_ptr, p->nface + 1));
    ICF_TRY(TAKE(p->face_vertex, p->ncorner));
    memcpy(p->face_ptr, hull->face_ptr, ((size_t)p->nface + 1) * sizeof *p->face_ptr);
    for (int32_t k = 0; k < p->ncorner; ++k) p->face_vertex[k] = number[hull->face_vertex[k]];
    for (int32_t i = 0; i < n; ++i) {
        if (number[i] < 0) continue;
        p->x[number[i]] = point[i].x;
        p->y[number[i]] = point[i].y;
        p->z[number[i]] = point[i].z;
    }
    return ICF_OK;
}

/* Twice the area vector of a face, from its first corner. */
static icf_vec3 face_area(const icf_polytope *p, int32_t f)
{
    icf_vec3 sum = {0, 0, 0};
    const icf_vec3 first = icf_polytope_vertex(p, p->face_vertex[p->face_ptr[f]]);
    for (int32_t k = p->face_ptr[f] + 1; k + 1 < p->face_ptr[f + 1]; ++k)
        sum = icf_add(sum, icf_cross(icf_sub(icf_polytope_vertex(p, p->face_vertex[k]), first),
                                     icf_sub(icf_polytope_vertex(p, p->face_vertex[k + 1]), first)));
    return sum;
}

/* Planes of the faces: the highest corner is on the plane. */
static void set_planes(icf_polytope *p)
{
    for (int32_t f = 0; f < p->nface; ++f) {
        p->normal[f] = icf_unit(face_area(p, f));
        p->offset[f] = -INFINITY;
        for (int32_t k = p->face_ptr[f]; k < p->face_ptr[f + 1]; ++k)
            p->offset[f] = fmax(p->offset[f], icf_dot(p->normal[f], icf_polytope_vertex(p, p->face_vertex[k])));
    }
}

static int compare_edges(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Edges from the faces' corners, by ascending vertices; false when not every edge belongs to two faces that run through
 * it in opposite directions. */
static bool set_edges(icf_polytope *p, int32_t *work)
{
    int32_t n = 0;
    for (int32_t f = 0; f < p->nface; ++f)
        for (int32_t k = p->face_ptr[f]; k < p->face_ptr[f + 1]; ++k) {
            const int32_t next = k + 1 < p->face_ptr[f + 1] ? k + 1 : p->face_ptr[f];
            work[2 * n] = p->face_vertex[k];
            work[2 * n++ + 1] = p->face_vertex[next];
        }
    qsort(work, (size_t)n, 2 * sizeof *work, compare_edges);
    int32_t nedge = 0;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t reverse[2] = {work[2 * k + 1], work[2 * k]};
        if (k > 0 && compare_edges(&work[2 * k], &work[2 * k - 2]) == 0) return false;
        if (!bsearch(reverse, work, (size_t)n, 2 * sizeof *work, compare_edges)) return false;
        if (reverse[0] < reverse[1]) continue;
        p->edge[2 * nedge] = work[2 * k];
        p->edge[2 * nedge++ + 1] = work[2 * k + 1];
    }
    return 2 * nedge == n && p->nvertex - nedge + p->nface == 2;
}

/* Faces and neighbours of the vertices. */
static void set_stars(icf_polytope *p)
{
    int32_t *ptr = p->vertex_ptr;
    memset(ptr, 0, ((size_t)p->nvertex + 1) * sizeof *ptr);
    for (int32_t k = 0; k < p->ncorner; ++k) ++ptr[p->face_vertex[k] + 1];
    for (int32_t i = 0; i < p->nvertex; ++i) ptr[i + 1] += ptr[i];
    for (int32_t f = 0; f < p->nface; ++f)
        for (int32_t k = p->face_ptr[f]; k < p->face_ptr[f + 1]; ++k) p->vertex_face[ptr[p->face_vertex[k]]++] = f;
    for (int32_t i = p->nvertex; i > 0; --i) ptr[i] = ptr[i - 1];
    ptr[0] = 0;
    for (int32_t e = 0; e < p->nedge; ++e)
        for (int side = 0; side < 2; ++side) p->neighbour[ptr[p->edge[2 * e + side]]++] = p->edge[2 * e + 1 - side];
    for (int32_t i = p->nvertex; i > 0; --i) ptr[i] = ptr[i - 1];
    ptr[0] = 0;
}

/* Outermost vertices along the middles of the sectors. */
static void set_starts(icf_polytope *p)
{
    for (int k = 0; k < 24; ++k) {
        icf_vec3 d = {k & 4 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 1 ? 1.0 : -1.0};
        icf_set(&d, k / 8, 2.0 * icf_get(d, k / 8));
        p->start[k] = 0;
        for (int32_t i = 1; i < p->nvertex; ++i)
            if (icf_dot(icf_polytope_vertex(p, i), d) > icf_dot(icf_polytope_vertex(p, p->start[k]), d))
                p->start[k] = i;
    }
}

/* ---- mass ---- */

/* Adds a tetrahedron with a corner in the origin: volume, first and second moments. */
static void add_tetrahedron(icf_vec3 a, icf_vec3 b, icf_vec3 c, double *volume, icf_vec3 *first, double second[6])
{
    const double v = icf_dot(a, icf_cross(b, c)) / 6.0;
    const icf_vec3 sum = icf_add(a, icf_add(b, c));
    *volume += v;
    *first = icf_mul_add(*first, 0.25 * v, sum);
    static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; ++k) {
        const int i = axes[k][0], j = axes[k][1];
        second[k] += v / 20.0 *
                     (icf_get(sum, i) * icf_get(sum, j) + icf_get(a, i) * icf_get(a, j) +
                      icf_get(b, i) * icf_get(b, j) + icf_get(c, i) * icf_get(c, j));
    }
}

/* Integrals over the faces' cones from a point. */
static void integrate(const icf_polytope *p, icf_vec3 from, double *volume, icf_vec3 *first, double second[6])
{
    *volume = 0.0;
    *first = (icf_vec3){0, 0, 0};
    memset(second, 0, 6 * sizeof *second);
    for (int32_t f = 0; f < p->nface; ++f) {
        const int32_t *corner = p->face_vertex + p->face_ptr[f], n = p->face_ptr[f + 1] - p->face_ptr[f];
        const icf_vec3 a = icf_sub(icf_polytope_vertex(p, corner[0]), from);
        for (int32_t k = 1; k + 1 < n; ++k)
            add_tetrahedron(a, icf_sub(icf_polytope_vertex(p, corner[k]), from),
                            icf_sub(icf_polytope_vertex(p, corner[k + 1]), from), volume, first, second);
    }
}

static double farthest(const icf_polytope *p, icf_vec3 from)
{
    double radius = 0.0;
    for (int32_t i = 0; i < p->nvertex; ++i) radius = fmax(radius, icf_norm(icf_sub(icf_polytope_vertex(p, i), from)));
    return radius;
}

/* Centre, volume, moments and radius; first about the middle of the vertices, then about the centre found. */
static void set_mass(icf_polytope *p)
{
    icf_vec3 first, middle = {0, 0, 0};
    for (int32_t i = 0; i < p->nvertex; ++i) middle = icf_mul_add(middle, 1.0 / p->nvertex, icf_polytope_vertex(p, i));
    p->centre = middle;
    for (int pass = 0; pass < 2; ++pass) {
        integrate(p, p->centre, &p->volume, &first, p->moment);
        if (p->volume > 0.0 && pass == 0) p->centre = icf_mul_add(p->centre, 1.0 / p->volume, first);
    }
    p->radius = farthest(p, p->centre);
}

/* ---- all of it ---- */

static icf_status derive(icf_polytope *p, bool *is_closed)
{
    int32_t *work = icf_alloc(2 * (size_t)p->ncorner * sizeof *work);
    if (!work) return ICF_ERROR_MEMORY;
    icf_status status = TAKE(p->edge, p->ncorner + 2); /* an odd number of corners is found wrong below */
    if (status == ICF_OK) *is_closed = p->ncorner % 2 == 0 && set_edges(p, work);
    icf_free(work);
    ICF_TRY(status);
    if (!*is_closed) return ICF_OK;
    ICF_TRY(TAKE(p->normal, p->nface));
    ICF_TRY(TAKE(p->offset, p->nface));
    ICF_TRY(TAKE(p->vertex_ptr, p->nvertex + 1));
    ICF_TRY(TAKE(p->vertex_face, p->ncorner));
    ICF_TRY(TAKE(p->neighbour, p->ncorner));
    set_planes(p);
    set_stars(p);
    set_starts(p);
    set_mass(p);
    return icf_polytope_set_patches(p);
}

static icf_status try_build(icf_context *context, int32_t n, const icf_vec3 *point, bool triangles, int32_t *number,
                            icf_polytope *polytope, bool *is_closed)
{
    icf_hull hull;
    ICF_TRY(icf_hull_build(context, n, point, triangles, &hull));
    polytope->nvertex = number_vertices(&hull, n, number);
    icf_status status = ICF_OK;
    if (polytope->nvertex > ICF_POLYTOPE_VERTICES)
        status = icf_fail(context, ICF_ERROR_SCENE, "its hull has %d vertices, more than %d", polytope->nvertex,
                          ICF_POLYTOPE_VERTICES);
    if (status == ICF_OK) status = copy_hull(&hull, n, point, number, polytope);
    if (status == ICF_OK) status = derive(polytope, is_closed);
    icf_hull_clear(&hull);
    return status;
}

icf_status icf_polytope_build(icf_context *context, int32_t n, const icf_vec3 *point, icf_polytope *polytope)
{
    int32_t *number = icf_alloc((size_t)ICF_MAX(n, 1) * sizeof *number);
    if (!number) return ICF_ERROR_MEMORY;
    bool is_closed = false;
    icf_status status = ICF_OK;
    // faces of several triangles may fail to fit together at the edge of round-off: triangles always do
    for (int pass = 0; pass < 2 && status == ICF_OK && !is_closed; ++pass) {
        icf_polytope_clear(polytope);
        status = try_build(context, n, point, pass == 1, number, polytope, &is_closed);
    }
    icf_free(number);
    if (status == ICF_OK && !is_closed)
        status = icf_fail(context, ICF_ERROR_SCENE, "the faces of its hull do not fit together");
    if (status == ICF_OK && !(polytope->volume > 0.0 && isfinite(polytope->volume)))
        status = icf_fail(context, ICF_ERROR_SCENE, "its hull has the volume %g m^3", polytope->volume);
    if (status != ICF_OK) icf_polytope_clear(polytope);
    return status;
}

double icf_polytope_inner_radius(const icf_polytope *polytope, icf_vec3 centre)
{
    double radius = INFINITY;
    for (int32_t f = 0; f < polytope->nface; ++f)
        radius = fmin(radius, polytope->offset[f] - icf_dot(polytope->normal[f], centre));
    return fmax(0.0, radius);
}

void icf_polytope_move(icf_polytope *p, icf_vec3 origin, const icf_mat3 *rotation)
{
    for (int32_t i = 0; i < p->nvertex; ++i) {
        const icf_vec3 v = icf_mat3_tmul(rotation, icf_sub(icf_polytope_vertex(p, i), origin));
        p->x[i] = v.x;
        p->y[i] = v.y;
        p->z[i] = v.z;
    }
    set_planes(p);
    set_starts(p);
    set_mass(p);
}

/* ---- bytes ---- */

size_t icf_polytope_bytes(const icf_polytope *p)
{
    size_t sum = 0;
#define X(array, n) sum += (size_t)(n) * sizeof *p->array;
    if (p->nvertex > 0) {
        ARRAYS(X)
    }
#undef X
    return sum;
}

icf_status icf_polytope_write(icf_bytes *bytes, const icf_polytope *p)
{
    ICF_TRY(icf_bytes_write(bytes, p, sizeof *p));
#define X(array, n) ICF_TRY(icf_bytes_write(bytes, p->array, (size_t)(n) * sizeof *p->array));
    if (p->nvertex > 0) {
        ARRAYS(X)
    }
#undef X
    return ICF_OK;
}

icf_status icf_polytope_read(icf_bytes *bytes, icf_polytope *p)
{
    icf_polytope given;
    icf_polytope_init(p);
    ICF_TRY(icf_bytes_take(bytes, sizeof given, &given));
    *p = given;
#define X(array, n) p->array = NULL;
    ARRAYS(X)
#undef X
    if (p->nvertex == 0) return ICF_OK;
#define X(array, n) ICF_TRY(icf_bytes_take_new(bytes, (size_t)(n) * sizeof *p->array, &p->array));
    ARRAYS(X)
#undef X
    return ICF_OK;
}

/* ---- principal axes ---- */

/* One Jacobi rotation in the plane of axes i and j, by less than 45 degrees. */
static void rotate_plane(double m[3][3], icf_mat3 *axes, int i, int j)
{
    if (fabs(m[i][j]) <= 1e-15 * sqrt(fabs(m[i][i] * m[j][j]))) return;
    const double theta = 0.5 * (m[j][j] - m[i][i]) / m[i][j];
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double a = m[k][i], b = m[k][j];
        m[k][i] = c * a - s * b;
        m[k][j] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k) {
        const double a = m[i][k], b = m[j][k];
        m[i][k] = c * a - s * b;
        m[j][k] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k) {
        const double a = axes->m[3 * k + i], b = axes->m[3 * k + j];
        axes->m[3 * k + i] = c * a - s * b;
        axes->m[3 * k + j] = s * a + c * b;
    }
}

icf_mat3 icf_principal_axes(const double moment[6], icf_vec3 *values)
{
    double m[3][3] = {
        {moment[0], moment[3], moment[4]}, {moment[3], moment[1], moment[5]}, {moment[4], moment[5], moment[2]}};
    icf_mat3 axes = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int sweep = 0; sweep < 12; ++sweep) {
        rotate_plane(m, &axes, 0, 1);
        rotate_plane(m, &axes, 0, 2);
        rotate_plane(m, &axes, 1, 2);
    }
    *values = (icf_vec3){m[0][0], m[1][1], m[2][2]};
    return axes;
}
