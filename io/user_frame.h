/* Poses as the user sees them: of the frame in which a shape is given, not of the centre of mass and principal axes. */
#ifndef ICF_IO_USER_FRAME_H
#define ICF_IO_USER_FRAME_H

#include "scene/bodies.h"
#include "scene/scene.h"

typedef struct icf_user_pose {
    icf_vec3 position; /* of the user's frame, world [m] */
    icf_quat orientation;
    icf_vec3 linear_velocity; /* of its origin, world [m/s] */
} icf_user_pose;

/* Pose of body i; the same as the body's own unless its shape has a solid (scene/solid.h). */
static inline icf_user_pose icf_user_pose_of(const icf_scene *scene, const icf_bodies *bodies, icf_lid i)
{
    icf_user_pose pose = {bodies->position[i], bodies->orientation[i], bodies->linear_velocity[i]};
    const icf_solid *solid = icf_scene_solid(scene, &bodies->shape[i]);
    if (solid)
        icf_solid_to_user(solid, &pose.position, &pose.orientation, &pose.linear_velocity, bodies->angular_velocity[i]);
    return pose;
}

#endif
