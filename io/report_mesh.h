/* Surfaces of a run's bodies for a report (see report_run.h).
 *
 * Deformable bodies: the surface of their tetrahedra.  Rigid bodies whose shape the page does not draw by itself: the
 * surface that run.h5 has of them, taken back into the frame of the body with the first pose that it has.
 */
#ifndef ICF_IO_REPORT_MESH_H
#define ICF_IO_REPORT_MESH_H

#include "io/report_run.h"

/* Whether the page draws a shape from its size alone (or, like a half-space, in a way of its own). */
bool icf_report_is_drawn(int32_t shape);

/* Reads the surfaces of deformable bodies; rows are known.
 *   fixed [in] the static group of the first frame */
ICF_MUST_CHECK icf_status icf_report_mesh_read_soft(icf_report_run *run, hid_t fixed);

/* Adds the surfaces of the rigid bodies that are not known yet; rows and shapes of the static group are.
 *   fixed [in] the static group, in use, of frame k of the list
 *   known [in] (nbody) bodies whose surfaces are there */
ICF_MUST_CHECK icf_status icf_report_mesh_read_rigid(icf_report_run *run, hid_t fixed, size_t k, const bool *known);

/* Finds the surface vertices among the rows of another static group. */
ICF_MUST_CHECK icf_status icf_report_mesh_find_rows(icf_report_run *run, hid_t fixed);

void icf_report_mesh_clear(icf_report_mesh *mesh);

#endif
