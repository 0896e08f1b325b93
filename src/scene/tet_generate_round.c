/* Generated tetrahedral meshes of cylinder and sphere.
 *
 * Both are rings (shells) of equal thickness about a centre: a hexagon's (an icosahedron's) triangles, cut evenly,
 * whose points are moved along their radius onto circles (spheres).  No tetrahedron has two faces on the curved
 * surface, so none becomes flat there.
 */
#include "scene/tet_generate_private.h"

static const double pi = 3.14159265358979323846;

/* --- cylinder: a disk of rings, drawn along z --- */

typedef struct cylinder {
    icf_lid rings, layers;
    icf_lid disk; /* nodes of a layer */
} cylinder;

/* Nodes of a disk of n rings. */
static icf_lid disk_nodes(icf_lid n)
{
    return 1 + 3 * n * (n + 1);
}

/* Node at place m of ring r. */
static icf_lid ring_node(icf_lid r, icf_lid m)
{
    return r == 0 ? 0 : disk_nodes(r - 1) + m % (6 * r);
}

static icf_status add_disk(icf_tet_mesh *mesh, icf_lid rings, double radius, double z)
{
    ICF_TRY(icf_tet_mesh_add_vertex(mesh, icf_vec3_make(0.0, 0.0, z)));
    for (icf_lid r = 1; r <= rings; ++r)
        for (icf_lid m = 0; m < 6 * r; ++m) {
            const double distance = radius * r / rings, angle = pi * m / (3.0 * r);
            ICF_TRY(icf_tet_mesh_add_vertex(mesh, icf_vec3_make(distance * cos(angle), distance * sin(angle), z)));
        }
    return ICF_OK;
}

static void swap_to_ascend(icf_lid *a, icf_lid *b)
{
    const icf_lid smaller = ICF_MIN(*a, *b), larger = ICF_MAX(*a, *b);
    *a = smaller;
    *b = larger;
}

/* Draws a triangle of the disk through all layers.  The diagonal of each side starts at the lower of its two nodes, on
 * both prisms that share the side. */
static icf_status draw_triangle(icf_tet_mesh *mesh, const cylinder *c, icf_lid p, icf_lid q, icf_lid r)
{
    swap_to_ascend(&p, &q);
    swap_to_ascend(&q, &r);
    swap_to_ascend(&p, &q);
    for (icf_lid layer = 0; layer < c->layers; ++layer) {
        const icf_lid low = layer * c->disk, high = low + c->disk;
        ICF_TRY(icf_generate_tet(mesh, (icf_lid[4]){low + p, low + q, low + r, high + r}));
        ICF_TRY(icf_generate_tet(mesh, (icf_lid[4]){low + p, low + q, high + q, high + r}));
        ICF_TRY(icf_generate_tet(mesh, (icf_lid[4]){low + p, high + p, high + q, high + r}));
    }
    return ICF_OK;
}

/* The triangles between rings r - 1 and r in one of six sectors. */
static icf_status draw_sector(icf_tet_mesh *mesh, const cylinder *c, icf_lid r, icf_lid sector)
{
    const icf_lid inside = sector * (r - 1), outside = sector * r;
    for (icf_lid q = 0; q < r; ++q) {
        const icf_lid inner = ring_node(r - 1, inside + q), outer = ring_node(r, outside + q + 1);
        ICF_TRY(draw_triangle(mesh, c, inner, ring_node(r, outside + q), outer));
        if (q + 1 < r) ICF_TRY(draw_triangle(mesh, c, inner, outer, ring_node(r - 1, inside + q + 1)));
    }
    return ICF_OK;
}

static unsigned cylinder_sides(const void *user, icf_lid vertex)
{
    const cylinder *c = user;
    const icf_lid layer = vertex / c->disk;
    const unsigned side = vertex % c->disk >= disk_nodes(c->rings - 1), bottom = layer == 0, top = layer == c->layers;
    return side | bottom << 1 | top << 2;
}

icf_status icf_tet_mesh_cylinder(icf_context *context, icf_tet_mesh *mesh, double radius, double length,
                                 icf_lid resolution)
{
    static const char *const sides[3] = {"side", "bottom", "top"};
    const icf_mesh_number numbers[3] = {{"radius", radius}, {"length", length}, {"resolution", resolution}};
    const double n = resolution, layers = fmax(1.0, round(length * n / radius));
    ICF_TRY(icf_generate_begin(context, mesh, "cylinder", 3, numbers, (1.0 + 3.0 * n * (n + 1.0)) * (layers + 1.0),
                               18.0 * n * n * layers));
    const cylinder c = {resolution, (icf_lid)layers, disk_nodes(resolution)};
    for (icf_lid k = 0; k <= c.layers; ++k)
        ICF_TRY(add_disk(mesh, resolution, radius, length * ((2.0 * k - layers) / (2.0 * layers))));
    for (icf_lid r = 1; r <= resolution; ++r)
        for (icf_lid sector = 0; sector < 6; ++sector) ICF_TRY(draw_sector(mesh, &c, r, sector));
    return icf_generate_finish(context, mesh, "cylinder", 3, sides, cylinder_sides, &c);
}

/* --- sphere: 20 cones over the faces of an icosahedron --- */

enum { ncorner = 12, nedge = 30, nface = 20 };

typedef struct icosahedron {
    icf_vec3 corner[ncorner];      /* unit vectors */
    int edge[nedge][2];            /* corners, ascending */
    int edge_of[ncorner][ncorner]; /* edge between two corners, -1 */
    int face[nface][3];            /* corners, ascending */
} icosahedron;

/* Corners (0, +-1, +-g) and their two cyclic shifts, g the golden ratio. */
static void place_corners(icosahedron *ico)
{
    const double golden = 0.5 * (1.0 + sqrt(5.0));
    for (int shift = 0; shift < 3; ++shift)
        for (int signs = 0; signs < 4; ++signs) {
            icf_vec3 *corner = &ico->corner[4 * shift + signs];
            *corner = (icf_vec3){0};
            icf_set(corner, (shift + 1) % 3, signs & 1 ? 1.0 : -1.0);
            icf_set(corner, (shift + 2) % 3, signs & 2 ? golden : -golden);
            *corner = icf_unit(*corner);
        }
}

/* Neighbours see each other under 63.4 degrees, others under 116.6 or more. */
static void find_edges(icosahedron *ico)
{
    int n = 0;
    for (int u = 0; u < ncorner; ++u)
        for (int v = u; v < ncorner; ++v) {
            ico->edge_of[u][v] = ico->edge_of[v][u] = -1;
            if (u == v || icf_dot(ico->corner[u], ico->corner[v]) < 0.0) continue;
            ico->edge_of[u][v] = ico->edge_of[v][u] = n;
            ico->edge[n][0] = u;
            ico->edge[n++][1] = v;
        }
}

static void find_faces(icosahedron *ico)
{
    int n = 0;
    for (int e = 0; e < nedge; ++e) {
        const int u = ico->edge[e][0], v = ico->edge[e][1];
        for (int w = v + 1; w < ncorner; ++w) {
            if (ico->edge_of[u][w] < 0 || ico->edge_of[v][w] < 0) continue;
            ico->face[n][0] = u;
            ico->face[n][1] = v;
            ico->face[n++][2] = w;
        }
    }
}

/* Nodes of the centre and the first n shells. */
static icf_lid ball_nodes(icf_lid n)
{
    return 1 + n * (n + 1) * (2 * n + 1) / 6 * 10 + 2 * n;
}

/* Node of shell k in the cone of face f at a A + b B + c C, a + b + c = k. */
static icf_lid cone_node(const icosahedron *ico, int f, const icf_lid weight[3])
{
    const icf_lid k = weight[0] + weight[1] + weight[2];
    if (k == 0) return 0;
    const int *corner = ico->face[f];
    const icf_lid shell = ball_nodes(k - 1), edges = shell + ncorner, faces = edges + nedge * (k - 1);
    for (int i = 0; i < 3; ++i)
        if (weight[i] == k) return shell + corner[i];
    for (int i = 0; i < 3; ++i) {
        if (weight[i] != 0) continue;
        const int low = i == 0 ? 1 : 0, high = i == 2 ? 1 : 2;
        return edges + ico->edge_of[corner[low]][corner[high]] * (k - 1) + weight[high] - 1;
    }
    const icf_lid row = weight[2] - 1;
    return faces + f * ((k - 1) * (k - 2) / 2) + row * (k - 2) - row * (row - 1) / 2 + weight[1] - 1;
}

/* Adds the point of a sphere in the direction of a weighted sum of corners. */
static icf_status add_direction(icf_tet_mesh *mesh, const icosahedron *ico, double r, int n, const int *corner,
                                const icf_lid *weight)
{
    icf_vec3 sum = {0};
    for (int i = 0; i < n; ++i) sum = icf_mul_add(sum, weight[i], ico->corner[corner[i]]);
    return icf_tet_mesh_add_vertex(mesh, icf_scale(r, icf_unit(sum)));
}

/* Adds shell k at distance r, in the order that cone_node counts. */
static icf_status add_shell(icf_tet_mesh *mesh, const icosahedron *ico, icf_lid k, double r)
{
    for (int corner = 0; corner < ncorner; ++corner) ICF_TRY(add_direction(mesh, ico, r, 1, &corner, (icf_lid[1]){k}));
    for (int e = 0; e < nedge; ++e)
        for (icf_lid b = 1; b < k; ++b) ICF_TRY(add_direction(mesh, ico, r, 2, ico->edge[e], (icf_lid[2]){k - b, b}));
    for (int f = 0; f < nface; ++f)
        for (icf_lid c = 1; c < k - 1; ++c)
            for (icf_lid b = 1; b < k - c; ++b)
                ICF_TRY(add_direction(mesh, ico, r, 3, ico->face[f], (icf_lid[3]){k - b - c, b, c}));
    return ICF_OK;
}

/* Corner of a cell at (i, j, k) as weights of A, B, C: i >= j >= k count shells, steps towards B, steps towards C.
 * False outside the cone. */
static bool cone_weights(const icf_lid at[3], int corner, icf_lid weight[3])
{
    const icf_lid i = at[0] + (corner & 1), j = at[1] + (corner >> 1 & 1), k = at[2] + (corner >> 2);
    weight[0] = i - j;
    weight[1] = j - k;
    weight[2] = k;
    return i >= j && j >= k;
}

/* Those of a cell's six tetrahedra that lie in the cone: a cone's cells make resolution^3. */
static icf_status cut_cone_cell(icf_tet_mesh *mesh, const icosahedron *ico, int f, const icf_lid at[3])
{
    for (int t = 0; t < 6; ++t) {
        icf_lid vertex[4];
        bool inside = true;
        for (int c = 0; c < 4 && inside; ++c) {
            icf_lid weight[3];
            inside = cone_weights(at, icf_cube_tet[t][c], weight);
            if (inside) vertex[c] = cone_node(ico, f, weight);
        }
        if (inside) ICF_TRY(icf_generate_tet(mesh, vertex));
    }
    return ICF_OK;
}

static icf_status cut_cone(icf_tet_mesh *mesh, const icosahedron *ico, int f, icf_lid n)
{
    for (icf_lid i = 0; i < n; ++i)
        for (icf_lid j = 0; j <= i; ++j)
            for (icf_lid k = 0; k <= j; ++k) ICF_TRY(cut_cone_cell(mesh, ico, f, (icf_lid[3]){i, j, k}));
    return ICF_OK;
}

static unsigned sphere_sides(const void *user, icf_lid vertex)
{
    return vertex >= *(const icf_lid *)user;
}

icf_status icf_tet_mesh_sphere(icf_context *context, icf_tet_mesh *mesh, double radius, icf_lid resolution)
{
    static const char *const sides[1] = {"surface"};
    const icf_mesh_number numbers[2] = {{"radius", radius}, {"resolution", resolution}};
    const double n = resolution;
    ICF_TRY(icf_generate_begin(context, mesh, "sphere", 2, numbers,
                               1.0 + 2.0 * n + 10.0 * n * (n + 1.0) * (2.0 * n + 1.0) / 6.0, 20.0 * n * n * n));
    icosahedron ico;
    place_corners(&ico);
    find_edges(&ico);
    find_faces(&ico);
    ICF_TRY(icf_tet_mesh_add_vertex(mesh, icf_vec3_make(0.0, 0.0, 0.0)));
    for (icf_lid k = 1; k <= resolution; ++k) ICF_TRY(add_shell(mesh, &ico, k, radius * k / resolution));
    for (int f = 0; f < nface; ++f) ICF_TRY(cut_cone(mesh, &ico, f, resolution));
    const icf_lid first = ball_nodes(resolution - 1);
    return icf_generate_finish(context, mesh, "sphere", 1, sides, sphere_sides, &first);
}
