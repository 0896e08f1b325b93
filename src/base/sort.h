/* Sorting by 64-bit keys, and of rows of indices, in linear time. */
#ifndef ICF_BASE_SORT_H
#define ICF_BASE_SORT_H

#include "base/types.h"

/* A key and what it belongs to. */
typedef struct icf_keyed {
    uint64_t key;
    icf_lid value;
} icf_keyed;

/* Sorts by ascending key; items of equal key keep their order.
 *   items [in,out] (n)
 *   work  [out]    (n) scratch
 * Serial; takes no memory.  Digits that are the same in all keys cost nothing. */
void icf_sort_keyed(icf_lid n, icf_keyed *items, icf_keyed *work);

/* Order of rows of numbers >= 0, lexicographic: items[i].value becomes the i-th row; equal rows keep their order.
 *   width [in]  numbers of a row, > 0
 *   rows  [in]  (n x width)
 *   items [out] (n) keys have no meaning afterwards
 *   work  [out] (n) scratch
 * Serial; takes no memory. */
void icf_sort_rows(icf_lid n, int width, const icf_lid *rows, icf_keyed *items, icf_keyed *work);

#endif
