/* A deformable body that touches itself: its walls stop each other, and nothing of it touches where it does not.
 *
 * Meshes are cells of a grid with some left out, each cell cut in six tetrahedra.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws/soft.h"

enum { MAX_TEXT = 1 << 20 };

/* Cells of a grid; vertices are those of the cells that are there. */
typedef struct grid {
    int n[3];                            /* cells */
    bool (*full)(int i, int j, int k);   /* whether a cell is there */
    icf_vec3 (*at)(int i, int j, int k); /* where a vertex is [m] */
} grid;

/* Text of a mesh, and where its vertices are. */
typedef struct mesh_text {
    char *text;
    int nvertex;
    icf_vec3 *x;
} mesh_text;

static bool is_full(const grid *g, int i, int j, int k)
{
    const bool within = i >= 0 && j >= 0 && k >= 0 && i < g->n[0] && j < g->n[1] && k < g->n[2];
    return within && g->full(i, j, k);
}

/* Whether a cell at the vertex is there. */
static bool has_cell(const grid *g, int i, int j, int k)
{
    for (int c = 0; c < 8; ++c)
        if (is_full(g, i - (c & 1), j - (c >> 1 & 1), k - (c >> 2))) return true;
    return false;
}

static int place(const grid *g, int i, int j, int k)
{
    return i + (g->n[0] + 1) * (j + (g->n[1] + 1) * k);
}

/* The six ways along the axes from a cell's lowest corner to its highest. */
static const int walk[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static char *add_cell(const grid *g, const int *number, const int cell[3], char *end)
{
    for (int w = 0; w < 6; ++w) {
        int at[3] = {cell[0], cell[1], cell[2]}, tet[4];
        for (int c = 0;; ++c) {
            tet[c] = number[place(g, at[0], at[1], at[2])];
            if (c == 3) break;
            ++at[walk[w][c]];
        }
        end += sprintf(end, "[%d, %d, %d, %d], ", tet[0], tet[1], tet[2], tet[3]);
    }
    return end;
}

static mesh_text make_mesh(const grid *g)
{
    const int n = (g->n[0] + 1) * (g->n[1] + 1) * (g->n[2] + 1);
    mesh_text mesh = {.text = malloc(MAX_TEXT), .x = malloc((size_t)n * sizeof(icf_vec3))};
    int *number = malloc((size_t)n * sizeof *number);
    assert_true(mesh.text && mesh.x && number);
    for (int p = 0; p < n; ++p) {
        const int i = p % (g->n[0] + 1), j = p / (g->n[0] + 1) % (g->n[1] + 1);
        const int k = p / ((g->n[0] + 1) * (g->n[1] + 1));
        if (!has_cell(g, i, j, k)) continue;
        number[p] = mesh.nvertex;
        mesh.x[mesh.nvertex++] = g->at(i, j, k);
    }
    char *list = soft_list(mesh.nvertex, mesh.x), *end = mesh.text;
    end += sprintf(end, "{vertices: %s, tets: [", list);
    for (int k = 0; k < g->n[2]; ++k)
        for (int j = 0; j < g->n[1]; ++j)
            for (int i = 0; i < g->n[0]; ++i)
                if (g->full(i, j, k)) end = add_cell(g, number, (int[3]){i, j, k}, end);
    sprintf(end, "]}");
    assert_true(strlen(mesh.text) < MAX_TEXT);
    free(list);
    free(number);
    return mesh;
}

static void free_mesh(mesh_text *mesh)
{
    free(mesh->text);
    free(mesh->x);
}

/* ---- what is measured ---- */

/* Sum of the sizes of the normal forces of the last step [N]. */
static double pressing(const world *w, double dt)
{
    const icf_contacts *contacts = world_contacts(w);
    double sum = 0.0;
    for (icf_lid i = 0; i < contacts->n; ++i) sum += contacts->impulse[i][2] / dt;
    return sum;
}

static void describe(const char *what, const world *w, double dt)
{
    print_message("%s: %d contacts, %.6g N, deepest %.3g m\n", what, world_contacts(w)->n, pressing(w, dt),
                  w->stats.penetration_max);
}

/* ---- two parts ---- */

static const double block = 0.05, young = 1e5;
static const double stiffness = 4e6, stiff = 4e7; /* of pairs of surfaces [Pa/m] */
static int cells;                                 /* of a part along each edge */
static double slot, taper;                        /* width, and at the top what is left of it [m] */

/* Two blocks side by side along x, between them a column of cells that is not there. */
static bool not_between(int i, int j, int k)
{
    (void)j;
    (void)k;
    return i != cells;
}

static icf_vec3 in_blocks(int i, int j, int k)
{
    const double cell = block / cells;
    return icf_vec3_make(i <= cells ? cell * i : block + slot + cell * (i - cells - 1), cell * j, cell * k);
}

/* A body of two parts that nothing joins, pressed together from outside: two springs of the blocks and that of the
 * contact in a row, however narrow the slot is at rest.  Half of the contact's stiffness is each part's. */
static void two_parts_press_as_springs_in_a_row(void **state)
{
    (void)state;
    static const double slots[] = {0.0, 1e-6, 0.003, 0.04};
    const double dt = 0.01, way = 0.002, speed = 0.02;
    for (cells = 1; cells <= 3; cells += 2)
        for (size_t s = 0; s < sizeof slots / sizeof *slots; ++s) {
            slot = slots[s];
            const grid g = {{2 * cells + 1, cells, cells}, not_between, in_blocks};
            mesh_text mesh = make_mesh(&g);
            world w;
            soft_open(&w,
                      "time: {step: %g, steps: 1}\ngravity: [0, 0, 0]\nsolver: {relative_tolerance: 1.0e-12}\n"
                      "materials: {soft: {stiffness_per_area: %.17g}}\nbodies: []\ndeformables:\n"
                      "  - {mesh: %s, youngs_modulus: %g, poissons_ratio: 0, density: 1000, damping: {mass: 50}, "
                      "self_contact: true, material: soft, fixed: [{box: [[-1, -1, -1], [0.00001, 1, 1]]}, "
                      "{box: [[%.17g, -1, -1], [1, 1, 1]], motion: {type: linear, velocity: [%g, 0, 0]}}]}\n",
                      dt, 2.0 * stiffness, mesh.text, young, 2 * block + slot - 1e-5, -speed);
            world_run(&w, (slot + way) / speed);
            const double area = block * block;
            const double expected = way * area / (2.0 * block / young + 1.0 / stiffness);
            describe("two parts", &w, dt);
            print_message("  slot %g m, %d cells: %.4f of the springs in a row\n", slot, cells,
                          pressing(&w, dt) / expected);
            assert_near(w.stats.penetration_max, expected / (stiffness * area), 0.05 * expected / (stiffness * area));
            assert_near(pressing(&w, dt), expected, 0.01 * expected);
            world_clear(&w);
            free_mesh(&mesh);
        }
}

/* ---- a U ---- */

static const double wall = 0.05, height = 0.15, depth = 0.05, floor_height = 0.05;

/* Walls of cells x cells cells, three times as high, on a floor; the slot is one cell wide. */
static bool in_u(int i, int j, int k)
{
    (void)j;
    return k < cells || i != cells;
}

/* A slot that tapers from the floor to the top. */
static icf_vec3 u_vertex(int i, int j, int k)
{
    const double cell = wall / cells, up = fmax(0.0, cell * k - floor_height) / height;
    const double width = slot * (1.0 - up) + taper * up;
    const double x = i <= cells ? cell * (i - cells) - 0.5 * width : cell * (i - cells - 1) + 0.5 * width;
    return icf_vec3_make(x, depth / cells * j, cell * k);
}

static mesh_text make_u(int n, double width, double width_at_top)
{
    cells = n;
    slot = width;
    taper = width_at_top;
    const grid g = {{2 * cells + 1, cells, 4 * cells}, in_u, u_vertex};
    return make_mesh(&g);
}

/* Text of the list of the mesh's vertices with a given x at the top. */
static char *outer_edge(const mesh_text *mesh, double side, int *n)
{
    char *text = malloc(1000), *end = text;
    *n = 0;
    end += sprintf(end, "[");
    for (int v = 0; v < mesh->nvertex; ++v) {
        if (fabs(mesh->x[v].x - side * (wall + 0.5 * taper)) > 1e-9) continue;
        if (fabs(mesh->x[v].z - floor_height - height) > 1e-9) continue;
        end += sprintf(end, "%s%d", (*n)++ > 0 ? ", " : "", v);
    }
    sprintf(end, "]");
    return text;
}

/* The walls of a U on a fixed floor, pushed together at the top with 4 N and 3 N. */
static void open_u(world *w, const mesh_text *mesh, const char *self, double dt)
{
    int n;
    char *left = outer_edge(mesh, -1.0, &n), *right = outer_edge(mesh, 1.0, &n);
    assert_true(n > 0);
    soft_open(w,
              "time: {step: %g, steps: 1}\ngravity: [0, 0, 0]\nsolver: {relative_tolerance: 1.0e-10}\n"
              "materials: {soft: {stiffness_per_area: %.17g, friction: 0.3}}\nbodies: []\ndeformables:\n"
              "  - {name: u, mesh: %s, youngs_modulus: %g, poissons_ratio: 0.3, density: 1000, damping: {stiffness: "
              "0.02}, self_contact: %s, material: soft, fixed: [{box: [[-1, -1, -1], [1, 1, 0.00001]]}]}\n"
              "vertex_forces:\n  - {deformable: u, vertices: %s, value: [%.17g, 0, 0]}\n"
              "  - {deformable: u, vertices: %s, value: [%.17g, 0, 0]}\n",
              dt, 2.0 * stiff, mesh->text, young, self, left, 4.0 / n, right, -3.0 / n);
    free(left);
    free(right);
}

/* How far the left wall's inner face is beyond the right wall's at the top, in the mean [m]. */
static double crossing(const world *w, const mesh_text *mesh)
{
    const icf_vec3 *x = soft_position(w, 0);
    double sum = 0.0;
    for (int v = 0; v < mesh->nvertex; ++v) {
        if (fabs(mesh->x[v].z - floor_height - height) > 1e-9) continue;
        if (fabs(fabs(mesh->x[v].x) - 0.5 * taper) < 1e-9) sum += mesh->x[v].x < 0.0 ? x[v].x : -x[v].x;
    }
    return sum / (cells + 1);
}

/* The walls of a U meet at their tops, with a slot of a tenth of an edge and one of an edge.  Without self-contact they
 * would cross; with it they overlap by what the contact's stiffness says, and the floor holds what is left of the
 * forces. */
static void walls_of_a_u_stop_each_other(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 4};
    const double dt = 0.01;
    for (int s = 0; s < 3; ++s) {
        mesh_text mesh = make_u(sizes[s], 0.005, 0.005);
        world with, without;
        open_u(&with, &mesh, "true", dt);
        open_u(&without, &mesh, "false", dt);
        world_run(&with, 2.0);
        world_run(&without, 2.0);
        describe("a U", &with, dt);
        print_message("  %d cells: walls cross by %.3g m, without self-contact by %.3g m\n", sizes[s],
                      crossing(&with, &mesh), crossing(&without, &mesh));
        assert_true(crossing(&without, &mesh) > 0.02);
        assert_true(pressing(&with, dt) > 1.0);
        assert_true(with.stats.penetration_max < 0.02 * wall);
        assert_true(crossing(&with, &mesh) > 0.0 && crossing(&with, &mesh) < with.stats.penetration_max);
        assert_near(icf_norm(icf_sub(soft_reaction(&with, 0), icf_vec3_make(-1, 0, 0))), 0.0, 1e-3);
        assert_true(soft_speed(&with, 0) < 2e-4); /* stiction creeps */
        world_clear(&with);
        world_clear(&without);
        free_mesh(&mesh);
    }
}

/* Bodies in free space with slots of all kinds, also one that is closed at its top, and with concave and convex edges
 * of right and other angles: nothing touches, nothing moves.  Candidate distances are as large as the body. */
static void nothing_touches_at_rest(void **state)
{
    (void)state;
    static const double widths[][2] = {{0.005, 0.005}, {1e-7, 1e-7}, {0.01, 0.0}, {0.0, 0.03}, {0.1, 0.02}};
    for (int n = 1; n <= 3; ++n)
        for (size_t s = 0; s < sizeof widths / sizeof *widths; ++s) {
            if (widths[s][0] == 0.0) continue;
            mesh_text mesh = make_u(n, widths[s][0], widths[s][1]);
            world w;
            soft_open(&w,
                      "time: {step: 0.01, steps: 1}\ngravity: [0, 0, 0]\ncontact: {distance: 0.3}\n"
                      "materials: {soft: {stiffness_per_area: 1.0e6}}\nbodies: []\ndeformables:\n"
                      "  - {mesh: %s, youngs_modulus: 1.0e5, poissons_ratio: 0.3, density: 1000, self_contact: true, "
                      "material: soft}\n",
                      mesh.text);
            for (int k = 0; k < 20; ++k) world_step(&w);
            describe("at rest", &w, 0.01);
            assert_true(soft_speed(&w, 0) < 1e-12);
            assert_true(w.stats.penetration_max < 1e-15);
            world_clear(&w);
            free_mesh(&mesh);
        }
}

/* A cube that is pressed to a tenth of its height: its faces come near each other from inside, which is no contact. The
 * same bits as without. */
static void faces_of_a_crushed_cube_do_not_touch(void **state)
{
    (void)state;
    world w[2];
    for (int self = 0; self < 2; ++self)
        soft_open(&w[self],
                  "time: {step: 0.005, steps: 1}\ngravity: [0, 0, 0]\nmaterials: {soft: {stiffness_per_area: 1.0e7, "
                  "friction: 0.5}}\nbodies:\n"
                  "  - {name: ground, shape: {type: half_space, normal: [0, 0, 1]}, material: soft, motion: fixed}\n"
                  "  - {name: plate, shape: {type: box, size: [0.5, 0.5, 0.04]}, material: soft, mass: 60, position: "
                  "[0, 0, 0.125], linear_velocity: [0, 0, -2], free: [vz]}\n"
                  "deformables:\n  - {mesh: {box: {size: [0.1, 0.1, 0.1], divisions: [3, 3, 3]}}, youngs_modulus: "
                  "1.0e5, poissons_ratio: 0.3, density: 1000, position: [0, 0, 0.05], material: soft, self_contact: "
                  "%s}\n",
                  self ? "true" : "false");
    double flattest = 1.0;
    for (int k = 0; k < 100; ++k) {
        for (int self = 0; self < 2; ++self) world_step(&w[self]);
        const icf_vec3 *x = soft_position(&w[0], 0);
        flattest = fmin(flattest, x[soft_description(&w[0], 0)->mesh.nvertex - 1].z - x[0].z);
        assert_memory_equal(x, soft_position(&w[1], 0), 64 * sizeof *x);
    }
    print_message("flattest: %.3g m\n", flattest);
    assert_true(flattest < 0.02);
    for (int self = 0; self < 2; ++self) world_clear(&w[self]);
}

/* ---- a strip ---- */

static const double strip_length = 0.4, strip_width = 0.03, strip_height = 0.01, bend = 0.02;
static const double grip = 0.1, strip_young = 2e4;

static bool all(int i, int j, int k)
{
    (void)i;
    (void)j;
    (void)k;
    return true;
}

static icf_vec3 flat_strip(int i, int j, int k)
{
    return icf_vec3_make(strip_length / 40 * i, strip_width / 2 * j, strip_height / cells * k);
}

/* The strip as a hairpin: two straight legs above each other and half a circle between them, about its upper face. */
static icf_vec3 folded(icf_vec3 x)
{
    const double arc = M_PI * bend, leg = 0.5 * (strip_length - arc), r = bend + 0.5 * strip_height - x.z;
    const double along = fmin(fmax(x.x - leg, 0.0), arc), angle = along / bend;
    const double rest = x.x - leg - along; /* < 0 on the lower leg, > 0 on the upper */
    return icf_vec3_make(r * sin(angle) + (angle < 1.0 ? rest : -rest), x.y, -r * cos(angle));
}

/* Vertices of the lower face whose place along the strip at rest is in a range, as text. */
static char *lower_face(const mesh_text *mesh, double from, double to)
{
    char *text = malloc(8000), *end = text;
    int n = 0;
    end += sprintf(end, "[");
    for (int v = 0; v < mesh->nvertex; ++v)
        if (mesh->x[v].z == 0.0 && mesh->x[v].x >= from && mesh->x[v].x <= to)
            end += sprintf(end, "%s%d", n++ > 0 ? ", " : "", v);
    sprintf(end, "]");
    return text;
}

/* The hairpin, the end of its lower leg held and that of its upper leg moved down, from outside. */
static void open_strip(world *w, const mesh_text *mesh, double dt, double speed)
{
    icf_vec3 *x = malloc((size_t)mesh->nvertex * sizeof *x);
    for (int v = 0; v < mesh->nvertex; ++v) x[v] = folded(mesh->x[v]);
    char *start = soft_list(mesh->nvertex, x);
    char *below = lower_face(mesh, 0.0, grip), *above = lower_face(mesh, strip_length - grip, strip_length);
    soft_open(
        w,
        "time: {step: %g, steps: 1}\ngravity: [0, 0, 0]\nsolver: {relative_tolerance: 1.0e-10}\n"
        "materials: {soft: {stiffness_per_area: %.17g, friction: 0.3}}\nbodies: []\ndeformables:\n"
        "  - {mesh: %s, model: neo_hookean, youngs_modulus: %g, poissons_ratio: 0, density: 1000, damping: {mass: "
        "20, stiffness: 0.01}, self_contact: true, material: soft, vertex_positions: %s, fixed: [{vertices: "
        "%s}, {vertices: %s, motion: {type: linear, velocity: [0, 0, %g]}}]}\n",
        dt, 2.0 * stiff, mesh->text, strip_young, start, below, above, -speed);
    void *const all_text[] = {x, start, below, above};
    for (size_t k = 0; k < sizeof all_text / sizeof *all_text; ++k) free(all_text[k]);
}

/* A strip is folded over by 180 degrees and its ends are pressed together: they touch with their inner faces and press
 * like springs in a row.  The outer faces, which look away from each other with the strip between them, do not count.
 */
static void legs_of_a_folded_strip_stop_each_other(void **state)
{
    (void)state;
    const double dt = 0.01, speed = 0.05, gap = 2.0 * bend - strip_height, way = 0.002;
    const double expected = way * grip * strip_width / (2.0 * strip_height / strip_young + 1.0 / stiff);
    for (cells = 1; cells <= 2; ++cells) {
        const grid g = {{40, 2, cells}, all, flat_strip};
        mesh_text mesh = make_mesh(&g);
        world w;
        open_strip(&w, &mesh, dt, speed);
        world_run(&w, (gap + way) / speed);
        describe("a strip", &w, dt);
        print_message("  %d cells thick: %.3f of the springs in a row, residual %.2g N\n", cells,
                      pressing(&w, dt) / expected, icf_norm(soft_reaction(&w, 0)));
        /* beyond the grips the legs press a little too */
        assert_true(pressing(&w, dt) > expected && pressing(&w, dt) < 1.3 * expected);
        assert_true(w.stats.penetration_max < 0.02 * strip_height);
        world_clear(&w);
        free_mesh(&mesh);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_parts_press_as_springs_in_a_row),
        cmocka_unit_test(walls_of_a_u_stop_each_other),
        cmocka_unit_test(nothing_touches_at_rest),
        cmocka_unit_test(faces_of_a_crushed_cube_do_not_touch),
        cmocka_unit_test(legs_of_a_folded_strip_stop_each_other),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
