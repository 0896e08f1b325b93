/* Hull in a plane by monotone chains. */
#include "base/plane_hull.h"

static void sort_points(int32_t n, const double (*uv)[2], int32_t *order)
{
    for (int32_t i = 0; i < n; ++i) {
        int32_t j = i;
        for (; j > 0; --j) {
            const double *a = uv[order[j - 1]], *b = uv[i];
            if (a[0] < b[0] || (a[0] == b[0] && a[1] <= b[1])) break;
            order[j] = order[j - 1];
        }
        order[j] = i;
    }
}

int32_t icf_plane_hull(int32_t n, const double (*uv)[2], int32_t *order, int32_t *corner)
{
    int32_t ncorner = 0;
    sort_points(n, uv, order);
    for (int chain = 0; chain < 2; ++chain) {
        const int32_t first = ncorner;
        for (int32_t k = 0; k < n; ++k) {
            const int32_t i = order[chain == 0 ? k : n - 1 - k];
            while (ncorner >= first + 2 &&
                   icf_plane_turn(uv[corner[ncorner - 2]], uv[corner[ncorner - 1]], uv[i]) <= 0.0)
                --ncorner;
            corner[ncorner++] = i;
        }
        --ncorner; /* the last point begins the other chain */
    }
    return ICF_MAX(ncorner, 1);
}
