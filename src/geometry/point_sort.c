/* Heapsort: in place, and never worse than n log n. */
#include "geometry/point_sort.h"

bool icf_point_has_lower_feature(const icf_contact_point *p, const icf_contact_point *q)
{
    return p->feature < q->feature;
}

/* Puts a point into the heap of n points in which place `at` is free, as far down as it belongs: no point of the heap
 * comes after the one above it. */
static void sift_down(size_t n, icf_contact_point *heap, size_t at, icf_contact_point point,
                      icf_point_order *comes_before)
{
    for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && comes_before(&heap[child], &heap[child + 1])) ++child;
        if (!comes_before(&point, &heap[child])) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = point;
}

void icf_sort_points(size_t n, icf_contact_point *point, icf_point_order *comes_before)
{
    for (size_t i = n / 2; i-- > 0;) sift_down(n, point, i, point[i], comes_before);
    for (size_t end = n; end-- > 1;) {
        const icf_contact_point last = point[end];
        point[end] = point[0];
        sift_down(end, point, 0, last, comes_before);
    }
}
