/* Sorting by 64-bit keys in linear time. */
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

#endif
