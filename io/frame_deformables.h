/* Deformable bodies of run.h5: their meshes, which stay, and what each frame says of their vertices.
 *
 *   /static/deformables     rest (n, 3), vertex_body (n), tets (m, 4), tet_body (m)
 *   /frame_STEP/deformables vertices, velocity, displacement, traction (n, 3), von_mises (n)
 *
 * Rows are the vertices (and tetrahedra) of the owned bodies of each rank, in the order of the bodies' rows; tets are
 * rows of vertices.  Nothing is written when the scene has no deformable bodies.
 */
#ifndef ICF_IO_FRAME_DEFORMABLES_H
#define ICF_IO_FRAME_DEFORMABLES_H

#include "contact/contacts.h"
#include "io/h5_file.h"
#include "io/xdmf.h"

typedef struct icf_frame_deformables {
    icf_rows vertex, tet;
    float (*displacement)[3]; /* (vertex.n) since t = 0 [m] */
    float *von_mises;         /* (vertex.n) [Pa] */
    float (*traction)[3];     /* (vertex.n) contact forces by area, 0 inside [Pa] */
    icf_vec3 *force;          /* (vertices of the scene's deformables) contact forces, summed over the ranks [N] */
    double *area;             /* (vertex.n) a third of the surface triangles round each [m^2] */
    size_t displacement_capacity, von_mises_capacity, traction_capacity, force_capacity, area_capacity;
} icf_frame_deformables;

/* Counts the rows of this rank's bodies and places them among those of the others.
 *   layout [out] nvertex, ntet
 * ICF_ERROR_SCENE: more vertices than the file can number.  Collective. */
ICF_MUST_CHECK icf_status icf_frame_deformables_place(icf_frame_deformables *rows, icf_context *context,
                                                      const icf_scene *scene, const icf_bodies *bodies,
                                                      icf_xdmf_layout *layout);

/* Adds the meshes to the static group of that name.  Collective. */
ICF_MUST_CHECK icf_status icf_frame_deformables_write_static(icf_h5 *h5, const char *name, const icf_scene *scene,
                                                             const icf_bodies *bodies,
                                                             const icf_frame_deformables *rows);

/* Collects what a frame says.  A contact's force is shared out to the free vertices that carry its point; an island may
 * have been solved by another rank than the one that owns the body, so forces are summed over the ranks.
 *   contacts [in] with the stress of the owned bodies; NULL: neither forces nor stress
 *   dt       [in] length of the step that the impulses are of [s]
 * ICF_ERROR_MEMORY.  Collective. */
ICF_MUST_CHECK icf_status icf_frame_deformables_build(icf_frame_deformables *rows, icf_context *context,
                                                      const icf_scene *scene, const icf_bodies *bodies,
                                                      const icf_contact_views *contacts, double dt);

/* Writes the group of a frame.  Collective. */
void icf_frame_deformables_write(icf_h5 *h5, hid_t frame, const icf_bodies *bodies, const icf_frame_deformables *rows);

void icf_frame_deformables_clear(icf_frame_deformables *rows);

#endif
