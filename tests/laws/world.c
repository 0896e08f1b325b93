/* A small simulation for tests of physical laws. */
#include "laws/world.h"

#include <mpi.h>
#include <string.h>

#include "step/diagnose.h"

const icf_model all_models[nmodel] = {ICF_MODEL_LAGGED, ICF_MODEL_SIMILAR, ICF_MODEL_SAP};
const double gravity = 9.81;

const char *model_name(icf_model model)
{
    return model == ICF_MODEL_SAP ? "sap" : model == ICF_MODEL_LAGGED ? "lagged" : "similar";
}

void world_init(world *w, icf_model model, double dt, contact_values values)
{
    memset(w, 0, sizeof *w);
    assert_int_equal(icf_context_init(&w->context, MPI_COMM_SELF, 1), ICF_OK);
    assert_int_equal(icf_scene_init(&w->scene), ICF_OK);
    const icf_material material = icf_material_default();
    icf_material pair = material;
    pair.given =
        ICF_MATERIAL_STIFFNESS | ICF_MATERIAL_DISSIPATION | ICF_MATERIAL_RELAXATION_TIME | ICF_MATERIAL_FRICTION;
    pair.stiffness = values.stiffness;
    pair.dissipation = values.dissipation;
    pair.relaxation_time = values.relaxation_time;
    pair.friction[0] = pair.friction[1] = values.friction;
    assert_int_equal(icf_scene_add_material(&w->scene, "m", &material, NULL), ICF_OK);
    assert_int_equal(icf_scene_add_pair(&w->scene, 0, 0, &pair), ICF_OK);
    assert_int_equal(icf_scene_combine(&w->scene), ICF_OK);
    w->scene.gravity = icf_vec3_make(0, 0, -gravity);
    w->scene.contact.model = model;
    w->scene.time.step = dt;
    icf_bodies_init(&w->bodies);
}

void world_clear(world *w)
{
    icf_simulation_destroy(&w->simulation);
    icf_bodies_clear(&w->bodies);
    icf_scene_clear(&w->scene);
    icf_context_clear(&w->context);
}

icf_lid world_add(world *w, icf_body_def def)
{
    def.gid = w->bodies.n;
    assert_int_equal(icf_bodies_add(&w->bodies, &def, true), ICF_OK);
    return w->bodies.n - 1;
}

static icf_body_def dynamic_def(icf_shape shape, double mass, icf_vec3 position)
{
    icf_body_def def = icf_body_def_default();
    def.shape = shape;
    def.material = 0;
    def.mass = mass;
    def.inertia = icf_shape_inertia(&shape, mass);
    def.position = position;
    return def;
}

static icf_body_def fixed_def(icf_shape shape, icf_vec3 position)
{
    icf_body_def def = icf_body_def_default();
    def.shape = shape;
    def.material = 0;
    def.motion.type = ICF_MOTION_FIXED;
    def.locked = ICF_DOF_ALL;
    def.position = position;
    return def;
}

icf_body_def sphere_def(double mass, double radius, icf_vec3 position)
{
    return dynamic_def((icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius}, mass, position);
}

icf_body_def box_def(double mass, icf_vec3 half, icf_vec3 position)
{
    return dynamic_def((icf_shape){.type = ICF_SHAPE_BOX, .extent = half}, mass, position);
}

icf_body_def ground_def(icf_vec3 normal)
{
    return fixed_def((icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = normal}, icf_vec3_make(0, 0, 0));
}

icf_body_def fixed_box_def(icf_vec3 half, icf_vec3 position)
{
    return fixed_def((icf_shape){.type = ICF_SHAPE_BOX, .extent = half}, position);
}

void world_start(world *w)
{
    assert_int_equal(icf_simulation_create(&w->context, &w->scene, &w->bodies, 0, &w->simulation), ICF_OK);
    w->stats = icf_simulation_initial_stats(w->simulation);
}

void world_step(world *w)
{
    if (icf_simulation_step(w->simulation, &w->stats) != ICF_OK) fail_msg("%s", w->context.message);
}

void world_run(world *w, double duration)
{
    const long n = lround(duration / w->scene.time.step);
    for (long k = 0; k < n; ++k) world_step(w);
}

const icf_contacts *world_contacts(const world *w)
{
    const icf_contact_views views = icf_simulation_contacts(w->simulation);
    assert_int_equal(views.n, 1);
    return views.view[0].contacts;
}

double world_energy(const world *w)
{
    return icf_kinetic_energy(&w->bodies) + icf_potential_energy(&w->bodies, w->scene.gravity);
}
