/* Experiments with deformable bodies. */
#include "laws/soft.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/scene_open.h"

enum { VECTOR_BYTES = 90 };

void soft_open_text(world *w, int nthread, const char *text)
{
    char path[] = "/tmp/icf-soft-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    const size_t length = strlen(text);
    assert_int_equal(write(file, text, length), length);
    close(file);
    memset(w, 0, sizeof *w);
    assert_int_equal(icf_context_init(&w->context, MPI_COMM_SELF, nthread), ICF_OK);
    if (icf_scene_open(&w->context, path, 0, NULL, &w->scene, &w->bodies) != ICF_OK) fail_msg("%s", w->context.message);
    unlink(path);
    world_start(w);
}

void soft_open(world *w, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    assert_true(vasprintf(&text, format, arguments) > 0);
    va_end(arguments);
    soft_open_text(w, 1, text);
    free(text);
}

char *soft_list(icf_lid n, const icf_vec3 *v)
{
    char *text = malloc((size_t)n * VECTOR_BYTES + 3), *end = text;
    assert_non_null(text);
    for (icf_lid i = 0; i < n; ++i)
        end += sprintf(end, "%s[%.17g, %.17g, %.17g]", i > 0 ? ", " : "[", v[i].x, v[i].y, v[i].z);
    strcpy(end, "]");
    return text;
}

icf_lid soft_find(const world *w, const char *name)
{
    char buffer[ICF_BODY_NAME_BYTES];
    for (icf_lid i = 0; i < w->bodies.n; ++i)
        if (strcmp(icf_bodies_name(&w->bodies, i, buffer), name) == 0) return i;
    fail_msg("there is no body %s", name);
    return -1;
}

const icf_deformable *soft_description(const world *w, int d)
{
    assert_true(d < w->scene.ndeformable);
    return &w->scene.deformable[d];
}

static icf_lid body_of(const world *w, int d)
{
    const icf_lid i = icf_bodies_find(&w->bodies, soft_description(w, d)->gid);
    assert_true(i >= 0);
    return i;
}

const icf_vec3 *soft_position(const world *w, int d)
{
    return w->bodies.vertex_position + w->bodies.vertex[body_of(w, d)];
}

const icf_vec3 *soft_velocity(const world *w, int d)
{
    return w->bodies.vertex_velocity + w->bodies.vertex[body_of(w, d)];
}

/* Mass of element t [kg]. */
static double element_mass(const icf_deformable *deformable, icf_lid t)
{
    return deformable->elastic.density * icf_tet_mesh_volume(&deformable->mesh, t);
}

/* Sum of mass times a value of the vertices. */
static icf_vec3 mass_sum(const icf_deformable *deformable, const icf_vec3 *value)
{
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid t = 0; t < deformable->mesh.ntet; ++t)
        for (int k = 0; k < 4; ++k)
            sum = icf_mul_add(sum, 0.25 * element_mass(deformable, t), value[deformable->mesh.tet[t][k]]);
    return sum;
}

icf_vec3 soft_momentum(const world *w, int d)
{
    return mass_sum(soft_description(w, d), soft_velocity(w, d));
}

icf_vec3 soft_centre(const world *w, int d)
{
    const icf_deformable *deformable = soft_description(w, d);
    return icf_scale(1.0 / deformable->mass, mass_sum(deformable, soft_position(w, d)));
}

/* sum_ij M_ij x_i x v_j with M_ij = m (1 + delta_ij) / 20 */
icf_vec3 soft_angular_momentum(const world *w, int d)
{
    const icf_deformable *deformable = soft_description(w, d);
    const icf_vec3 *x = soft_position(w, d), *v = soft_velocity(w, d);
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid t = 0; t < deformable->mesh.ntet; ++t) {
        const icf_lid *tet = deformable->mesh.tet[t];
        icf_vec3 xs = {0, 0, 0}, vs = {0, 0, 0};
        const double m = element_mass(deformable, t) / 20.0;
        for (int k = 0; k < 4; ++k) {
            xs = icf_add(xs, x[tet[k]]);
            vs = icf_add(vs, v[tet[k]]);
            sum = icf_mul_add(sum, m, icf_cross(x[tet[k]], v[tet[k]]));
        }
        sum = icf_mul_add(sum, m, icf_cross(xs, vs));
    }
    return sum;
}

double soft_speed(const world *w, int d)
{
    const icf_vec3 *v = soft_velocity(w, d);
    double fastest = 0;
    for (icf_lid i = 0; i < soft_description(w, d)->mesh.nvertex; ++i) fastest = fmax(fastest, icf_norm(v[i]));
    return fastest;
}

icf_vec3 soft_contact_impulse(const world *w, int d)
{
    const icf_contacts *contacts = world_contacts(w);
    const icf_lid body = body_of(w, d);
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid p = 0; p < contacts->npair; ++p) {
        const icf_pair pair = contacts->pair[p];
        const double sign = (pair.b == body ? 1.0 : 0.0) - (pair.a == body ? 1.0 : 0.0);
        for (icf_lid i = contacts->pair_begin[p]; i < contacts->pair_begin[p + 1]; ++i)
            sum = icf_mul_add(sum, sign, icf_contacts_world_impulse(contacts, i));
    }
    return sum;
}

icf_vec3 soft_reaction(const world *w, int d)
{
    const icf_contact_views views = icf_simulation_contacts(w->simulation);
    assert_non_null(views.reaction);
    return views.reaction[body_of(w, d)];
}

/* F = sum x_i g_i^T, g_i from the cofactors of the rest edges. */
static icf_mat3 deformation(const icf_vec3 *rest, const icf_vec3 *x, const icf_lid *tet)
{
    icf_vec3 e[3], cofactor[3];
    for (int k = 0; k < 3; ++k) e[k] = icf_sub(rest[tet[k + 1]], rest[tet[0]]);
    for (int k = 0; k < 3; ++k) cofactor[k] = icf_cross(e[(k + 1) % 3], e[(k + 2) % 3]);
    const double volume6 = icf_dot(e[0], cofactor[0]);
    icf_mat3 f = {0};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                f.m[3 * i + j] += icf_get(icf_sub(x[tet[k + 1]], x[tet[0]]), i) * icf_get(cofactor[k], j) / volume6;
    return f;
}

double soft_strain(const world *w, int d, double *smallest)
{
    const icf_tet_mesh *mesh = &soft_description(w, d)->mesh;
    double largest = 0;
    *smallest = INFINITY;
    for (icf_lid t = 0; t < mesh->ntet; ++t) {
        const icf_mat3 f = deformation(mesh->vertex, soft_position(w, d), mesh->tet[t]);
        const icf_vec3 column[3] = {icf_mat3_column(&f, 0), icf_mat3_column(&f, 1), icf_mat3_column(&f, 2)};
        *smallest = fmin(*smallest, icf_dot(column[0], icf_cross(column[1], column[2])));
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j)
                largest = fmax(largest, fabs(icf_dot(column[i], column[j]) - (i == j ? 1.0 : 0.0)));
    }
    return largest;
}
