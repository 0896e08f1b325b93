/* Contact points into an order, in place: for pairs that may have many of them. */
#ifndef ICF_GEOMETRY_POINT_SORT_H
#define ICF_GEOMETRY_POINT_SORT_H

#include "geometry/collide.h"

/* Whether a point belongs before another one. */
typedef bool icf_point_order(const icf_contact_point *p, const icf_contact_point *q);

/* Order of ascending features. */
bool icf_point_has_lower_feature(const icf_contact_point *p, const icf_contact_point *q);

/* Sorts points in O(n log n), whatever their order was; takes no memory.
 *   point        [in,out] (n)
 *   comes_before [in]     for a result that does not depend on the order before, no two points are alike in it */
void icf_sort_points(size_t n, icf_contact_point *point, icf_point_order *comes_before);

#endif
