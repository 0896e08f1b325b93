/* Rigid surfaces of a scene that is being read. */
#ifndef ICF_IO_SCENE_SURFACE_H
#define ICF_IO_SCENE_SURFACE_H

#include "io/scene_parse.h"

/* A surface as a shape gives it. */
typedef struct icf_surface_input {
    const char *mesh;    /* file of a mesh; NULL: a height field */
    const char *heights; /* file of heights */
    const char *dataset; /* heights in HDF5; NULL */
    double scale, offset;
    double spacing[2]; /* m */
    icf_mark mark;     /* of the file's name */
} icf_surface_input;

/* Finds or reads the surface; sets index, extent and radius of the shape.  What is wrong with it is an error of the
 * scene: index is -1 then. */
ICF_MUST_CHECK icf_status icf_reader_surface(icf_scene_reader *reader, const icf_surface_input *input,
                                             icf_shape *shape);

#endif
