/* Convex hull of points in a plane. */
#ifndef ICF_BASE_PLANE_HULL_H
#define ICF_BASE_PLANE_HULL_H

#include "base/types.h"

/* Twice the signed area of the triangle o, a, b: positive when it turns to the left. */
static inline double icf_plane_turn(const double *o, const double *a, const double *b)
{
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/* Corners of the hull, counter-clockwise, the point of smallest (x, y) first; points on its sides are none.
 *   n      [in]  points, at least 1
 *   uv     [in]  (n, 2)
 *   order  [out] (n) scratch: the points by (x, y)
 *   corner [out] (2 n) numbers of the corners
 * Returns how many there are; 1 when all points are one. */
int32_t icf_plane_hull(int32_t n, const double (*uv)[2], int32_t *order, int32_t *corner);

#endif
