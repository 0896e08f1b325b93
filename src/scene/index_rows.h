/* Rows of a few vertex indices, sorted: how a mesh finds equal faces, edges and tetrahedra.
 *
 * Fill `row`, each row ascending (icf_index_row_*), then sort; `items[i].value` is the i-th row in order.
 */
#ifndef ICF_SCENE_INDEX_ROWS_H
#define ICF_SCENE_INDEX_ROWS_H

#include "base/sort.h"
#include "base/status.h"

typedef struct icf_index_rows {
    icf_lid n;        /* number of rows */
    int width;        /* indices of a row */
    icf_lid *row;     /* (n x width) */
    icf_keyed *items; /* (n) order, after icf_index_rows_sort */
    icf_keyed *work;  /* (n) scratch */
} icf_index_rows;

/* Memory for n rows; on ICF_ERROR_MEMORY nothing is held.  Local. */
ICF_MUST_CHECK icf_status icf_index_rows_init(icf_index_rows *rows, icf_lid n, int width);
void icf_index_rows_clear(icf_index_rows *rows);

/* The i-th row as it was filled. */
icf_lid *icf_index_row(const icf_index_rows *rows, icf_lid i);

/* Fills row i with the indices in ascending order.
 *   index [in] (width) */
void icf_index_rows_set(icf_index_rows *rows, icf_lid i, const icf_lid *index);

/* Sorts lexicographically; equal rows by their number. */
void icf_index_rows_sort(icf_index_rows *rows);

/* How many rows in order are equal to that at place i, from i on. */
icf_lid icf_index_rows_equal(const icf_index_rows *rows, icf_lid i);

/* First row equal to an ascending index list (width), -1 when there is none.  Binary search in sorted rows. */
icf_lid icf_index_rows_find(const icf_index_rows *rows, const icf_lid *index);

#endif
