/* Morton curve: bits of the three cells of a point, interleaved. */
#include "geometry/curve.h"

static icf_vec3 absolute(icf_vec3 a)
{
    return (icf_vec3){fabs(a.x), fabs(a.y), fabs(a.z)};
}

static double largest(icf_vec3 a)
{
    return fmax(a.x, fmax(a.y, a.z));
}

/* Mean of the finite centres, and their number. */
static icf_vec3 mean_center(icf_lid n, const icf_keyed *items, const icf_box *boxes, double *nfinite)
{
    icf_vec3 sum = {0};
    icf_lid count = 0;
    for (icf_lid k = 0; k < n; ++k) {
        const icf_vec3 center = icf_box_center(&boxes[items[k].value]);
        if (!icf_is_finite(center)) continue;
        sum = icf_add(sum, center);
        ++count;
    }
    *nfinite = (double)ICF_MAX(count, 1);
    return icf_scale(1.0 / *nfinite, sum);
}

icf_curve icf_curve_fit(icf_lid n, const icf_keyed *items, const icf_box *boxes)
{
    icf_curve curve = {0};
    icf_vec3 deviation = {0};
    double farthest = 0.0, nfinite;
    curve.center = mean_center(n, items, boxes, &nfinite);
    for (icf_lid k = 0; k < n; ++k) {
        const icf_box *box = &boxes[items[k].value];
        const icf_vec3 distance = absolute(icf_sub(icf_box_center(box), curve.center));
        if (!icf_is_finite(distance)) continue;
        deviation = icf_add(deviation, distance);
        farthest = fmax(farthest, largest(distance));
        curve.longest_edge = fmax(curve.longest_edge, icf_box_longest_edge(box));
    }
    const double half = fmin(farthest, 16.0 * largest(deviation) / nfinite);
    if (half > 0.0) curve.scale = (double)(1 << (ICF_CURVE_AXIS_BITS - 1)) / half;
    return curve;
}

/* Spreads the bits of an axis' cell to every third place. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

uint64_t icf_interleave(uint32_t x, uint32_t y, uint32_t z)
{
    return spread_bits(x) << 2 | spread_bits(y) << 1 | spread_bits(z);
}

/* Cell along one axis; what is outside, and NaN, is taken to the faces. */
static uint32_t cell_of(double offset, double scale)
{
    const double cells = (double)(1 << ICF_CURVE_AXIS_BITS), cell = offset * scale + 0.5 * cells;
    if (!(cell > 0.0)) return 0;
    return (uint32_t)fmin(cell, cells - 1.0);
}

uint64_t icf_curve_key(const icf_curve *curve, icf_vec3 point)
{
    const icf_vec3 offset = icf_sub(point, curve->center);
    return icf_interleave(cell_of(offset.x, curve->scale), cell_of(offset.y, curve->scale),
                          cell_of(offset.z, curve->scale));
}
