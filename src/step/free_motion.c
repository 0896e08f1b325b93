/* Free motion of rigid bodies with forces and springs. */
#include "step/free_motion.h"

#include <string.h>

static const double growth_max = 1.0 / 2500.0; /* of the energy of rotation, by the gyroscopic moment of a step */

/* What acts on the centres of mass: forces, and the implicit springs' stiffness and damping. */
typedef struct loads {
    icf_vec3 *force;    /* (n) explicit forces, and the implicit springs' part of the right-hand side [N] */
    icf_mat3 *implicit; /* (n) dt^2 theta^2 K + dt theta D [kg] */
    bool *sprung;       /* (n) implicit is not zero */
} loads;

static icf_status allocate(icf_free_motion *motion, icf_arena *arena, icf_lid n)
{
    motion->linear = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    motion->angular = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    motion->acceleration = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    motion->momentum = ICF_ARENA_ARRAY(arena, icf_momentum_block, n);
    return motion->linear && motion->angular && motion->acceleration && motion->momentum ? ICF_OK : ICF_ERROR_MEMORY;
}

static void add_forces(const icf_scene *scene, const icf_bodies *bodies, double t, loads *load)
{
    for (icf_lid k = 0; k < scene->nforce; ++k) {
        const icf_force *force = &scene->force[k];
        const icf_lid i = icf_bodies_find(bodies, force->body);
        if (i >= 0) load->force[i] = icf_mul_add(load->force[i], force->value + force->rate * t, force->direction);
    }
}

/* Theta of a spring, which is also the theta_vq by which its stretch follows v; 0 of an explicit one. */
static double theta_of(icf_integrator integrator, const icf_spring *spring)
{
    if (integrator == ICF_MIDPOINT) return 0.5;
    return integrator == ICF_IMPLICIT_EULER || spring->implicit ? 1.0 : 0.0;
}

static void add_spring(const icf_spring *spring, const icf_bodies *bodies, icf_lid i, double theta, double dt,
                       loads *load)
{
    const icf_vec3 axis = spring->axis, v0 = bodies->linear_velocity[i];
    const double speed = icf_dot(axis, v0), stretch = icf_dot(axis, bodies->position[i]) - spring->rest;
    const double seen = stretch + dt * theta * speed;
    load->force[i] = icf_mul_add(load->force[i], -spring->stiffness * seen - spring->damping * speed, axis);
    if (theta == 0.0) return;
    if (!load->sprung[i]) load->implicit[i] = (icf_mat3){{0}};
    load->sprung[i] = true;
    /* theta_vq is theta */
    const double weight = dt * dt * theta * theta * spring->stiffness + dt * theta * spring->damping;
    const double a[3] = {axis.x, axis.y, axis.z};
    for (int e = 0; e < 9; ++e) load->implicit[i].m[e] += weight * a[e / 3] * a[e % 3];
}

static void add_springs(const icf_scene *scene, const icf_bodies *bodies, double dt, loads *load)
{
    for (icf_lid k = 0; k < scene->nspring; ++k) {
        const icf_spring *spring = &scene->spring[k];
        const icf_lid i = icf_bodies_find(bodies, spring->body);
        if (i >= 0) add_spring(spring, bodies, i, theta_of(scene->time.integrator, spring), dt, load);
    }
}

/* Everything that acts on the bodies at the step's start. */
static icf_status collect(loads *load, icf_arena *arena, const icf_scene *scene, const icf_bodies *bodies, double t,
                          double dt)
{
    const size_t n = (size_t)bodies->n;
    load->force = ICF_ARENA_ARRAY(arena, icf_vec3, n);
    load->implicit = ICF_ARENA_ARRAY(arena, icf_mat3, n);
    load->sprung = ICF_ARENA_ARRAY(arena, bool, n);
    if (!load->force || !load->implicit || !load->sprung) return ICF_ERROR_MEMORY;
    memset(load->force, 0, n * sizeof *load->force);
    memset(load->sprung, 0, n * sizeof *load->sprung);
    add_forces(scene, bodies, t, load);
    add_springs(scene, bodies, dt, load);
    return ICF_OK;
}

/* Acceleration of a body that moves, and its mass with what implicit springs add.
 *   linear [out] mass matrix of the centre of mass [kg] */
static icf_vec3 accelerate(const loads *load, const icf_bodies *bodies, const icf_inertia *inertia, icf_vec3 gravity,
                           icf_lid i, icf_mat3 *linear)
{
    const unsigned locked = bodies->locked[i];
    const double mass = bodies->mass[i];
    *linear = (icf_mat3){{mass, 0, 0, 0, mass, 0, 0, 0, mass}};
    if (load->sprung[i]) {
        for (int e = 0; e < 9; ++e) linear->m[e] += load->implicit[i].m[e];
        const icf_mat3 inverse = icf_mat3_inverse_free(linear, locked & 7u);
        return icf_mat3_mul(&inverse, icf_mul_add(load->force[i], mass, gravity));
    }
    /* a body without springs falls exactly with gravity, whatever its mass */
    const icf_vec3 falling = {locked & ICF_DOF_VX ? 0.0 : gravity.x, locked & ICF_DOF_VY ? 0.0 : gravity.y,
                              locked & ICF_DOF_VZ ? 0.0 : gravity.z};
    const icf_vec3 inv_mass = inertia->inv_mass[i], force = load->force[i];
    return icf_add(falling, icf_vec3_make(inv_mass.x * force.x, inv_mass.y * force.y, inv_mass.z * force.z));
}

/* Writes a symmetric 3x3 matrix into a 6x6 block, locked rows and columns as unit rows. */
static void place(const icf_mat3 *m, unsigned locked, int at, double *block)
{
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            const bool removed = (locked >> i & 1) || (locked >> j & 1);
            block[at + i + 6 * (at + j)] = removed ? (double)(i == j) : m->m[3 * i + j];
        }
}

/* Angular velocity that the gyroscopic moment -w0 x I w0 gives within a step.  What it adds, dw, is at right angles to
 * the angular momentum I w0: the energy of rotation grows by dw.I dw / 2.  A body that turns by a tenth of a radian or
 * more in a step would spin up without bound; where the growth is over 1/2500, the energy stays as it was. */
static icf_vec3 gyrate(const icf_inertia *inertia, icf_lid i, icf_vec3 w0, double dt)
{
    const icf_vec3 spin = icf_mat3_mul(&inertia->world[i], w0);
    const icf_vec3 change = icf_scale(-dt, icf_mat3_mul(&inertia->inv_inertia[i], icf_cross(w0, spin)));
    const icf_vec3 w = icf_add(w0, change);
    const double before = icf_dot(w0, spin), after = icf_dot(w, icf_mat3_mul(&inertia->world[i], w));
    return after > before * (1.0 + growth_max) ? icf_scale(sqrt(before / after), w) : w;
}

static void build_body(icf_free_motion *motion, const loads *load, const icf_bodies *bodies, const icf_inertia *inertia,
                       icf_vec3 gravity, icf_lid i, double dt)
{
    const unsigned locked = bodies->locked[i];
    const icf_vec3 v0 = bodies->linear_velocity[i], w0 = bodies->angular_velocity[i];
    icf_mat3 linear;
    const icf_vec3 acceleration = accelerate(load, bodies, inertia, gravity, i, &linear);
    motion->acceleration[i] = acceleration;
    motion->linear[i] = icf_mul_add(v0, dt, acceleration);
    motion->angular[i] = gyrate(inertia, i, w0, dt);

    double *block = motion->momentum[i].a;
    memset(block, 0, sizeof motion->momentum[i].a);
    place(&linear, locked & 7u, 0, block);
    place(&inertia->world[i], locked >> 3, 3, block);
}

/* Tables of the deformable bodies, with what is known of the first ones. */
static icf_status allocate_deformables(icf_free_motion *motion, icf_arena *arena, const icf_bodies *bodies,
                                       icf_lid nknown)
{
    icf_deformable_motion **known = motion->deformable;
    motion->deformable = icf_arena_alloc(arena, (size_t)bodies->n * sizeof *motion->deformable);
    motion->surface = icf_arena_alloc(arena, (size_t)bodies->n * sizeof *motion->surface);
    if (!motion->deformable || !motion->surface) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < bodies->n; ++i) {
        motion->deformable[i] = known && i < nknown ? known[i] : NULL;
        motion->surface[i] = motion->deformable[i] ? &motion->deformable[i]->surface : NULL;
    }
    return ICF_OK;
}

/* Free motion of a body, or where its vertices are now, when the container has grown since it was computed. */
static icf_status build_deformable(icf_free_motion *motion, icf_deformable_cache *cache, icf_arena *arena,
                                   const icf_scene *scene, const icf_bodies *bodies, icf_lid i, double t, double dt)
{
    if (motion->deformable[i]) {
        if (motion->deformable[i]->split) return ICF_OK;
        icf_deformable_set_position(motion->deformable[i], bodies->vertex_position + bodies->vertex[i]);
        return ICF_OK;
    }
    motion->deformable[i] = icf_arena_alloc(arena, sizeof *motion->deformable[i]);
    if (!motion->deformable[i]) return ICF_ERROR_MEMORY;
    motion->surface[i] = &motion->deformable[i]->surface;
    return icf_deformable_move_freely(cache, arena, scene, bodies, i, t, dt, motion->deformable[i]);
}

/* Takes over a motion that ranks have found together. */
static void take_split(icf_free_motion *motion, const icf_bodies *bodies, const icf_split_motions *split, icf_lid i)
{
    if (motion->deformable[i] || !icf_split_motions_get(split, bodies, i)) return;
    motion->deformable[i] = icf_split_motions_get(split, bodies, i);
    motion->surface[i] = &motion->deformable[i]->surface;
}

icf_status icf_free_deformables(icf_free_motion *motion, icf_deformable_cache *cache, icf_arena *arena,
                                const icf_scene *scene, const icf_bodies *bodies, const icf_split_motions *split,
                                icf_lid first, icf_lid end, double t, double dt)
{
    if (first == 0) motion->deformable = NULL;
    if (bodies->nvertices == 0) {
        motion->surface = NULL;
        return ICF_OK;
    }
    ICF_TRY(allocate_deformables(motion, arena, bodies, first));
    for (icf_lid i = 0; i < end; ++i) {
        take_split(motion, bodies, split, i);
        if (icf_bodies_is_deformable(bodies, i))
            ICF_TRY(build_deformable(motion, cache, arena, scene, bodies, i, t, dt));
    }
    return ICF_OK;
}

icf_status icf_free_motion_build(icf_free_motion *motion, icf_arena *arena, const icf_scene *scene,
                                 const icf_bodies *bodies, const icf_inertia *inertia, double t, double dt)
{
    loads load;
    ICF_TRY(allocate(motion, arena, bodies->n));
    ICF_TRY(collect(&load, arena, scene, bodies, t, dt));
    for (icf_lid i = 0; i < bodies->n; ++i) {
        motion->linear[i] = bodies->linear_velocity[i];
        motion->angular[i] = bodies->angular_velocity[i];
        motion->acceleration[i] = icf_vec3_make(0, 0, 0);
        if (icf_bodies_moves(bodies, i) && !icf_bodies_is_deformable(bodies, i))
            build_body(motion, &load, bodies, inertia, scene->gravity, i, dt);
    }
    return ICF_OK;
}

icf_status icf_free_accelerations(icf_arena *arena, const icf_scene *scene, const icf_bodies *bodies,
                                  const icf_inertia *inertia, double t, double dt, icf_vec3 **acceleration)
{
    loads load;
    icf_mat3 unused;
    *acceleration = ICF_ARENA_ARRAY(arena, icf_vec3, bodies->nowned);
    if (!*acceleration) return ICF_ERROR_MEMORY;
    ICF_TRY(collect(&load, arena, scene, bodies, t, dt));
    for (icf_lid i = 0; i < bodies->nowned; ++i)
        (*acceleration)[i] = icf_bodies_moves(bodies, i) && !icf_bodies_is_deformable(bodies, i)
                                 ? accelerate(&load, bodies, inertia, scene->gravity, i, &unused)
                                 : icf_vec3_make(0, 0, 0);
    return ICF_OK;
}
