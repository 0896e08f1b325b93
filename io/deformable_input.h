/* A deformable as a scene file gives it, on its way into the scene.
 *
 * scene_deformable.c reads it; deformable_build.c makes the mesh, places it and finds the vertices that selectors name.
 */
#ifndef ICF_IO_DEFORMABLE_INPUT_H
#define ICF_IO_DEFORMABLE_INPUT_H

#include "io/scene_parse.h"

typedef enum icf_mesh_source {
    ICF_MESH_BOX,
    ICF_MESH_CYLINDER,
    ICF_MESH_SPHERE,
    ICF_MESH_TUBE,
    ICF_MESH_FILE,
    ICF_MESH_LISTED
} icf_mesh_source;

/* A mesh: only what belongs to its source has a meaning. */
typedef struct icf_mesh_input {
    icf_mesh_source source;
    icf_vec3 size;                       /* box [m] */
    icf_cnt divisions[3];                /* box */
    double radius, length, inner_radius; /* cylinder, sphere, tube (radius is the outer one) [m] */
    icf_cnt resolution;                  /* cylinder, sphere, tube */
    char *file;                          /* owned */
    double scale;                        /* of a file */
    icf_vec3_list vertices;
    icf_index_list tets; /* four indices a tetrahedron */
    icf_mark mark;
} icf_mesh_input;

typedef enum icf_selector_type {
    ICF_SELECT_BOX,
    ICF_SELECT_SPHERE,
    ICF_SELECT_GROUP,
    ICF_SELECT_VERTICES
} icf_selector_type;

/* Vertices, by their initial positions, a group or a list. */
typedef struct icf_selector {
    icf_selector_type type;
    icf_vec3 low, high;      /* box, bounds included [m] */
    icf_vec3 center;         /* sphere [m] */
    double radius;           /* sphere [m] */
    char *group;             /* owned */
    icf_index_list vertices; /* list */
} icf_selector;

typedef struct icf_fixed_input {
    icf_selector selector;
    icf_support_motion motion;
    icf_cnt index; /* in its list */
    icf_mark mark;
} icf_fixed_input;

typedef struct icf_attachment_input {
    icf_selector selector;
    size_t body; /* number in reference_names */
    icf_cnt index;
    icf_mark mark;
} icf_attachment_input;

typedef struct icf_pressure_input {
    char *group; /* owned */
    double value;
    icf_cnt index;
    icf_mark mark;
} icf_pressure_input;

typedef struct icf_deformable_input {
    char *name; /* owned; NULL: none given */
    icf_mesh_input mesh;
    icf_deformable_material elastic;
    icf_vec3 position, linear_velocity, angular_velocity;
    icf_quat orientation;
    icf_vec3_list vertex_positions, vertex_velocities;
    icf_mark positions_mark, velocities_mark; /* line -1: not given */
    int32_t material;
    icf_cnt subdivision;
    bool self_contact;
    icf_fixed_input *fixed;
    size_t nfixed, fixed_capacity;
    icf_attachment_input *attachment;
    size_t nattachment, attachment_capacity;
    icf_pressure_input *pressure;
    size_t npressure, pressure_capacity;
    icf_mark mark;
} icf_deformable_input;

/* Makes a deformable from what was read without error.  Wrong meshes and selectors that name no vertex are reported as
 * errors of the scene.  Its attachments wait for their bodies (icf_body_reference). */
ICF_MUST_CHECK icf_status icf_build_deformable(icf_scene_reader *reader, const icf_deformable_input *input,
                                               icf_deformable *deformable);

#endif
