/* Files of height fields: a table of numbers as text, a grey image (PGM), or a dataset of an HDF5 file.
 *
 * A table and a dataset have one row for each y, beginning with the lowest; a row goes along x.  An image is seen from
 * above, x to the right and y up: its last row is the lowest.
 */
#ifndef ICF_IO_HEIGHT_FILE_H
#define ICF_IO_HEIGHT_FILE_H

#include "base/context.h"

/* Values of a file.
 *   n     [out] columns (along x) and rows (along y), each >= 2
 *   value [out] (n[1] x n[0]) row by row of y; heap, NULL after a failure
 * ICF_ERROR_FILE: the file cannot be read.  ICF_ERROR_SCENE: it is no such table, with its line or byte.
 * ICF_ERROR_MEMORY.  Local. */
ICF_MUST_CHECK icf_status icf_read_heights(icf_context *context, const char *path, const char *dataset, icf_lid n[2],
                                           double **value);

#endif
