/* Small scenes for unit tests: one material, bodies of simple shapes. */
#ifndef ICF_TESTS_SAMPLE_SCENE_H
#define ICF_TESTS_SAMPLE_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/bodies.h"
#include "scene/scene.h"

/* |a - b| <= tolerance; NaN fails. */
#define assert_near(a, b, tolerance)                                                     \
    do {                                                                                 \
        const double near_a_ = (a), near_b_ = (b), near_t_ = (tolerance);                \
        if (!(fabs(near_a_ - near_b_) <= near_t_))                                       \
            fail_msg("%s = %.17g, expected %.17g +- %g", #a, near_a_, near_b_, near_t_); \
    } while (0)

/* A scene with one material "m": k of a pair 1e5 N/m, d 10, tau 1e-3, mu 0.5. */
static inline void sample_scene_init(icf_scene *scene, icf_model model)
{
    assert_int_equal(icf_scene_init(scene), ICF_OK);
    icf_material material = icf_material_default();
    material.stiffness = 2e5;
    material.dissipation = 10.0;
    material.relaxation_time = 5e-4;
    material.friction[0] = material.friction[1] = 0.5;
    assert_int_equal(icf_scene_add_material(scene, "m", &material, NULL), ICF_OK);
    assert_int_equal(icf_scene_combine(scene), ICF_OK);
    scene->contact.model = model;
    scene->time.step = 0.005;
    scene->time.steps = 10;
}

static inline icf_body_def sample_fixed(icf_gid gid, icf_shape shape)
{
    icf_body_def def = icf_body_def_default();
    def.gid = gid;
    def.shape = shape;
    def.material = 0;
    def.motion.type = ICF_MOTION_FIXED;
    def.locked = ICF_DOF_ALL;
    return def;
}

static inline icf_body_def sample_ground(icf_gid gid)
{
    return sample_fixed(gid, (icf_shape){.type = ICF_SHAPE_HALF_SPACE, .normal = {0, 0, 1}});
}

static inline icf_body_def sample_dynamic(icf_gid gid, icf_shape shape, double mass, icf_vec3 position)
{
    icf_body_def def = icf_body_def_default();
    def.gid = gid;
    def.shape = shape;
    def.material = 0;
    def.mass = mass;
    def.inertia = icf_shape_inertia(&shape, mass);
    def.position = position;
    return def;
}

static inline icf_body_def sample_sphere(icf_gid gid, double radius, icf_vec3 position)
{
    return sample_dynamic(gid, (icf_shape){.type = ICF_SHAPE_SPHERE, .radius = radius}, 1.0, position);
}

static inline icf_body_def sample_box(icf_gid gid, double edge, icf_vec3 position)
{
    const double h = 0.5 * edge;
    return sample_dynamic(gid, (icf_shape){.type = ICF_SHAPE_BOX, .extent = {h, h, h}}, 1.0, position);
}

#endif
