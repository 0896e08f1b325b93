/* Files of hulls: the convex solid of a mesh file. */
#ifndef ICF_IO_HULL_FILE_H
#define ICF_IO_HULL_FILE_H

#include "scene/solid.h"

/* Convex hull of a mesh file whose surface bounds a solid.
 *   path  [in]  OBJ or STL file; messages begin with it
 *   scale [in]  > 0; factor of the file's lengths
 *   frame [in]  frame of the bodies that will have it
 *   solid [out] initialised before; mesh is the caller's business
 * ICF_ERROR_FILE: the file cannot be read.  ICF_ERROR_SCENE: it is damaged, bounds no solid or has no hull.
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_read_hull(icf_context *context, const char *path, double scale, icf_solid_frame frame,
                                        icf_solid *solid);

#endif
