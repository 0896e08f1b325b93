/* A pile of bodies on a grid as the problem of one island: contacts of random place and direction between neighbours,
 * against a ground, which comes before all others, and against a wall, which comes after them.  One body has locked
 * degrees of freedom; some pairs belong to another island, which shares the iterates. */
#ifndef ICF_TESTS_SAMPLE_PILE_H
#define ICF_TESTS_SAMPLE_PILE_H

#include "unit/sample_scene.h"

#include <mpi.h>
#include <string.h>

#include "base/arena.h"
#include "base/context.h"
#include "solver/contact_constraints.h"
#include "solver/problem.h"

/* Bodies along x and y; a test may ask for more. */
#ifndef PILE_WIDTH
#    define PILE_WIDTH 5
#endif

enum {
    pile_nx = PILE_WIDTH,
    pile_ny = PILE_WIDTH,
    pile_nz = 4,
    pile_n = pile_nx * pile_ny * pile_nz, /* bodies that move, and blocks */
    pile_ndof = 6 * pile_n,
    pile_wall = pile_n + 1, /* body; those that move are 1 to pile_n */
    pile_locked = 38,       /* body */
    pile_pairs = 8 * pile_n,
    pile_contacts = 3 * pile_pairs
};

static const double pile_dt = 0.005, pile_gravity = 9.81;

typedef struct pile {
    icf_context context;
    icf_scene scene;
    icf_bodies bodies;
    icf_arena arena;
    icf_contacts contacts;
    icf_contact_constraints family;
    icf_problem problem;
    icf_lid npair, block[pile_n + 2], pair[pile_pairs]; /* of the island */
    int32_t dof[pile_n + 1];
    double momentum[36 * pile_n], v_star[pile_ndof], v0[pile_ndof], v[pile_ndof], depth[pile_contacts];
    unsigned seed;
} pile;

/* In [-1, 1). */
static inline double pile_noise(pile *p)
{
    p->seed = p->seed * 1664525u + 1013904223u;
    return (double)(p->seed >> 8) / (1 << 23) - 1.0;
}

static inline bool pile_is_locked(int32_t dof)
{
    return dof == 6 * (pile_locked - 1) || dof == 6 * (pile_locked - 1) + 4;
}

static inline void pile_fill_bodies(pile *p)
{
    icf_body_def def = sample_ground(0);
    assert_int_equal(icf_bodies_add(&p->bodies, &def, true), ICF_OK);
    for (int b = 0; b < pile_n; ++b) {
        const double x = b % pile_nx, y = b / pile_nx % pile_ny, z = b / (pile_nx * pile_ny) + 0.5;
        const icf_vec3 jitter = icf_vec3_make(pile_noise(p), pile_noise(p), pile_noise(p));
        def = sample_sphere(b + 1, 0.1, icf_add(icf_scale(0.2, icf_vec3_make(x, y, z)), icf_scale(0.01, jitter)));
        if (b + 1 == pile_locked) def.locked = ICF_DOF_VX | ICF_DOF_WY;
        assert_int_equal(icf_bodies_add(&p->bodies, &def, true), ICF_OK);
        double *a = p->momentum + 36 * b;
        for (int i = 0; i < 6; ++i) a[7 * i] = pile_is_locked(6 * b + i) ? 1.0 : i < 3 ? 1.0 : 0.004;
        if (b + 1 != pile_locked) a[22] = a[27] = a[29] = a[34] = 5e-4; /* a body of another shape */
        p->block[b + 1] = b;
        p->dof[b + 1] = 6 * (b + 1);
    }
    def = sample_fixed(pile_wall, (icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = {1, 0, 0}});
    assert_int_equal(icf_bodies_add(&p->bodies, &def, true), ICF_OK);
}

static inline bool pile_touches(icf_lid a, icf_lid b)
{
    const icf_lid i = a - 1, j = b - 1;
    if (a == 0) return b != pile_wall && j < pile_nx * pile_ny;
    if (b == pile_wall) return i % pile_nx == 0;
    return (j - i == 1 && j % pile_nx != 0) || (j - i == pile_nx && j / pile_nx % pile_ny != 0) ||
           j - i == pile_nx * pile_ny;
}

/* Where a pair touches, but for noise. */
static inline icf_vec3 pile_normal(const pile *p, icf_lid a, icf_lid b)
{
    if (a == 0) return icf_vec3_make(0, 0, 1);
    if (b == pile_wall) return icf_vec3_make(-1, 0, 0);
    return icf_unit(icf_sub(p->bodies.position[b], p->bodies.position[a]));
}

static inline void pile_add_pair(pile *p, icf_lid a, icf_lid b)
{
    icf_contacts *contacts = &p->contacts;
    const icf_lid k = contacts->npair++, n = 1 + k % 3;
    const icf_vec3 normal = pile_normal(p, a, b);
    const icf_vec3 at = a == 0 ? icf_sub(p->bodies.position[b], icf_scale(0.1, normal))
                               : icf_add(p->bodies.position[a], icf_scale(0.1, normal));
    contacts->pair[k] = (icf_pair){a, b};
    contacts->pair_begin[k] = contacts->n;
    for (icf_lid i = contacts->n; i < contacts->n + n; ++i) {
        const icf_vec3 shift = icf_vec3_make(pile_noise(p), pile_noise(p), pile_noise(p)),
                       turn = icf_vec3_make(pile_noise(p), pile_noise(p), pile_noise(p));
        contacts->point[i] = icf_add(at, icf_scale(0.03, shift));
        contacts->frame[i] = icf_contact_frame(icf_unit(icf_add(normal, icf_scale(0.2, turn))), NULL);
        contacts->w[i] = 1.0;
        for (int c = 0; c < 3; ++c) contacts->bias[i][c] = 0.01 * pile_noise(p);
        p->depth[i] = 1e-5 * (1.0 + pile_noise(p));
    }
    contacts->n += n;
    contacts->pair_begin[k + 1] = contacts->n;
    if (k % 11 != 5) p->pair[p->npair++] = k;
}

static inline void pile_fill_contacts(pile *p)
{
    icf_contacts_init(&p->contacts);
    assert_int_equal(icf_contacts_resize(&p->contacts, pile_pairs, pile_contacts), ICF_OK);
    p->contacts.npair = p->contacts.n = 0;
    for (icf_lid a = 0; a < pile_wall; ++a)
        for (icf_lid b = a + 1; b <= pile_wall; ++b)
            if (pile_touches(a, b)) pile_add_pair(p, a, b);
}

static inline void pile_set_family(pile *p)
{
    icf_contact_iterates iterates;
    assert_int_equal(icf_contact_iterates_alloc(&iterates, &p->arena, pile_pairs, pile_contacts), ICF_OK);
    memset(iterates.velocity, 0, pile_contacts * sizeof *iterates.velocity);
    memset(iterates.direction, 0, pile_contacts * sizeof *iterates.direction);
    memset(iterates.dual, 0, pile_contacts * sizeof *iterates.dual);
    memset(iterates.hessian, 0, pile_contacts * sizeof *iterates.hessian);
    memset(iterates.held, 0, pile_contacts * sizeof *iterates.held);
    memset(p->contacts.impulse, 0, pile_contacts * sizeof *p->contacts.impulse);
    icf_contact_constraints_init(&p->family, &p->bodies, &p->contacts, p->npair, p->pair, p->block, p->dof, iterates);
    p->problem = (icf_problem){.nblock = pile_n,
                               .dof = p->dof,
                               .momentum = p->momentum,
                               .v_star = p->v_star,
                               .v0 = p->v0,
                               .nfamily = 1,
                               .family = {&p->family.base}};
}

/* Laws for what v0 is. */
static inline void pile_set_laws(pile *p)
{
    p->family.base.ops->set_velocity(&p->family.base, p->v0);
    p->family.lanes = icf_lagged_kernels_select();
    for (icf_lid i = 0; i < p->contacts.n; ++i) {
        icf_law_init(&p->contacts.law[i], &p->scene.contact, &p->scene.combined[0], pile_dt, -p->depth[i],
                     p->family.iterates.velocity[i][2], p->contacts.w[i]);
        icf_contact_constraints_put_lane(&p->family, i);
    }
}

/* A pile at rest that starts to fall. */
static inline void pile_init(pile *p, icf_model model, double stiffness, unsigned seed)
{
    memset(p, 0, sizeof *p);
    p->seed = seed;
    assert_int_equal(icf_context_init(&p->context, MPI_COMM_SELF, 1), ICF_OK);
    sample_scene_init(&p->scene, model);
    p->scene.contact.near_rigid = 0.0;
    p->scene.solver.parts_from = 0; /* smaller than what parts are worth in */
    p->scene.combined[0].stiffness = stiffness;
    icf_bodies_init(&p->bodies);
    icf_arena_init(&p->arena);
    pile_fill_bodies(p);
    pile_fill_contacts(p);
    pile_set_family(p);
    for (int b = 0; b < pile_n; ++b) p->v_star[6 * b + 2] = -pile_dt * pile_gravity;
    pile_set_laws(p);
}

static inline void pile_clear(pile *p)
{
    icf_contacts_clear(&p->contacts);
    icf_arena_clear(&p->arena);
    icf_bodies_clear(&p->bodies);
    icf_scene_clear(&p->scene);
    icf_context_clear(&p->context);
}

/* Random velocities, zero where they are locked. */
static inline void pile_shake(pile *p, double speed, double *v)
{
    for (int32_t i = 0; i < pile_ndof; ++i) v[i] = pile_is_locked(i) ? 0.0 : speed * pile_noise(p);
}

/* Bodies that hit their neighbours, everything else at rest. */
static inline void pile_let_hit(pile *p, int n, double speed)
{
    for (int k = 0; k < n; ++k) {
        const icf_lid b = (icf_lid)(0.5 * pile_n * (1.0 + pile_noise(p)));
        for (int32_t i = 6 * b; i < 6 * b + 3; ++i) {
            if (pile_is_locked(i)) continue;
            p->v0[i] = speed * pile_noise(p);
            p->v_star[i] += p->v0[i];
        }
    }
    pile_set_laws(p);
}

#endif
