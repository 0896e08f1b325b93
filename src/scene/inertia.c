/* World-frame mass matrices and their inverses. */
#include "scene/inertia.h"

#include "base/memory.h"

void icf_inertia_init(icf_inertia *inertia)
{
    *inertia = (icf_inertia){0};
}

void icf_inertia_clear(icf_inertia *inertia)
{
    icf_free(inertia->rotation);
    icf_free(inertia->world);
    icf_free(inertia->inv_mass);
    icf_free(inertia->inv_inertia);
    icf_inertia_init(inertia);
}

static icf_status reserve(icf_inertia *inertia, size_t n)
{
    if (n <= inertia->capacity) return ICF_OK;
    size_t capacity = inertia->capacity;
    ICF_TRY(ICF_GROW(inertia->rotation, capacity, n));
    capacity = inertia->capacity;
    ICF_TRY(ICF_GROW(inertia->world, capacity, n));
    capacity = inertia->capacity;
    ICF_TRY(ICF_GROW(inertia->inv_mass, capacity, n));
    capacity = inertia->capacity;
    ICF_TRY(ICF_GROW(inertia->inv_inertia, capacity, n));
    inertia->capacity = capacity;
    return ICF_OK;
}

icf_mat3 icf_mat3_inverse_free(const icf_mat3 *m, unsigned locked)
{
    double a[9];
    for (int i = 0; i < 9; ++i) {
        const bool removed = (locked >> (i / 3) & 1) || (locked >> (i % 3) & 1);
        a[i] = removed ? (i % 4 == 0 ? 1.0 : 0.0) : m->m[i];
    }
    const double c00 = a[4] * a[8] - a[5] * a[5], c01 = a[5] * a[2] - a[1] * a[8], c02 = a[1] * a[5] - a[4] * a[2];
    const double scale = 1.0 / (a[0] * c00 + a[1] * c01 + a[2] * c02);
    icf_mat3 inverse = {{c00, c01, c02, c01, a[0] * a[8] - a[2] * a[2], a[1] * a[2] - a[0] * a[5], c02,
                         a[1] * a[2] - a[0] * a[5], a[0] * a[4] - a[1] * a[1]}};
    for (int i = 0; i < 9; ++i) inverse.m[i] *= scale;
    for (int i = 0; i < 3; ++i)
        if (locked >> i & 1) inverse.m[4 * i] = 0.0;
    return inverse;
}

static void build_moving(icf_inertia *inertia, const icf_bodies *bodies, icf_lid i)
{
    const unsigned locked = bodies->locked[i];
    const double inv_mass = 1.0 / bodies->mass[i];
    inertia->world[i] = icf_mat3_rotate_diagonal(&inertia->rotation[i], bodies->inertia[i]);
    inertia->inv_mass[i] = icf_vec3_make(locked & ICF_DOF_VX ? 0.0 : inv_mass, locked & ICF_DOF_VY ? 0.0 : inv_mass,
                                         locked & ICF_DOF_VZ ? 0.0 : inv_mass);
    const icf_vec3 principal = bodies->inertia[i];
    if (locked >> 3 || principal.x != principal.y || principal.y != principal.z)
        inertia->inv_inertia[i] = icf_mat3_inverse_free(&inertia->world[i], locked >> 3);
    else
        inertia->inv_inertia[i] =
            (icf_mat3){{1.0 / principal.x, 0, 0, 0, 1.0 / principal.x, 0, 0, 0, 1.0 / principal.x}};
}

icf_status icf_inertia_build(icf_inertia *inertia, const icf_bodies *bodies, icf_lid first)
{
    ICF_TRY(reserve(inertia, (size_t)bodies->n));
    for (icf_lid i = first; i < bodies->n; ++i) {
        inertia->rotation[i] = icf_quat_matrix(bodies->orientation[i]);
        inertia->world[i] = inertia->inv_inertia[i] = (icf_mat3){{0}};
        inertia->inv_mass[i] = icf_vec3_make(0, 0, 0);
        if (icf_bodies_moves(bodies, i)) build_moving(inertia, bodies, i);
    }
    return ICF_OK;
}

void icf_inertia_add_effective(const icf_inertia *inertia, icf_lid body, icf_vec3 r, icf_mat3 *w)
{
    const icf_vec3 inv_mass = inertia->inv_mass[body];
    w->m[0] += inv_mass.x;
    w->m[4] += inv_mass.y;
    w->m[8] += inv_mass.z;
    /* column j of [r]x^T I^-1 [r]x is (I^-1 (r x e_j)) x r */
    const icf_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int j = 0; j < 3; ++j) {
        const icf_vec3 spin = icf_mat3_mul(&inertia->inv_inertia[body], icf_cross(r, axis[j]));
        const icf_vec3 column = icf_cross(spin, r);
        w->m[j] += column.x;
        w->m[3 + j] += column.y;
        w->m[6 + j] += column.z;
    }
}
