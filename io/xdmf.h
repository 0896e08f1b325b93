/* Index files (XDMF 3) that make run.h5 readable for ParaView.
 *
 *   run.xmf            bodies with their surfaces, or as points above output.surfaces
 *   run_bodies.xmf     centres of mass with velocities, when run.xmf shows surfaces
 *   run_contacts.xmf   contact points with their force on the second body
 *   run_deformables.xmf   tetrahedra of the deformable bodies, when there are some
 *
 * A frame adds one short <Grid> to each file; what is the same in all frames (triangles, ids, shapes) stands
 * once at the top as an XML entity that the grids name.  The files refer to run.h5 beside them by its bare
 * name, so that a directory can be moved.  What the readers of ParaView 5.11 need:
 *   - points need an explicit list 0, 1, 2, ... as connectivity;
 *   - without DataType="Float" numbers of 8 bytes arrive as floats of 4;
 *   - dimensions in the index must be those of the dataset exactly;
 *   - an empty grid has the geometry "None" and no attributes: zero rows, or no data, crash a reader;
 *   - HyperSlab items and XInclude are not read properly: a dataset a frame and entities are.
 * Rank 0 only; a set of files that is not open does nothing.
 */
#ifndef ICF_IO_XDMF_H
#define ICF_IO_XDMF_H

#include "io/text_file.h"

typedef struct icf_xdmf {
    icf_text_file surfaces, centres, contacts, deformables;
} icf_xdmf;

/* Sizes of a static group of run.h5: what is the same in all frames that refer to it. */
typedef struct icf_xdmf_layout {
    char group[32];                   /* name in run.h5 */
    icf_cnt nbody, npoint, ntriangle; /* npoint 0: no surfaces */
    icf_cnt nvertex, ntet;            /* of the deformable bodies */
} icf_xdmf_layout;

typedef struct icf_xdmf_frame {
    char group[32]; /* name in run.h5 */
    double time;    /* s */
    icf_cnt ncontact;
} icf_xdmf_frame;

/* Creates the files in a directory, anew.
 *   layout [in] static group of the first frame: the one that becomes an entity */
ICF_MUST_CHECK icf_status icf_xdmf_open(icf_context *context, icf_xdmf *xdmf, const char *directory,
                                        const icf_xdmf_layout *layout);

/* Appends a frame; written by the next flush.
 *   shared [in] the frame's layout is the one of the entity */
void icf_xdmf_put(icf_xdmf *xdmf, const icf_xdmf_layout *layout, bool shared, const icf_xdmf_frame *frame);

/* Writes the frames appended; the files are complete afterwards. */
ICF_MUST_CHECK icf_status icf_xdmf_flush(icf_context *context, icf_xdmf *xdmf);

/* Forgets the frames appended since the last flush. */
void icf_xdmf_drop(icf_xdmf *xdmf);

/* Flushes and closes. */
ICF_MUST_CHECK icf_status icf_xdmf_close(icf_context *context, icf_xdmf *xdmf);

#endif
