/* Regions: volumes, slices by height, what is inside. */
#include "scene/region.h"

static const double pi = 3.14159265358979323846;

const char *const icf_region_names[] = {
    [ICF_REGION_BOX] = "box", [ICF_REGION_CYLINDER] = "cylinder", [ICF_REGION_SPHERE] = "sphere", NULL};

double icf_region_volume(const icf_region *region)
{
    const double box = 8.0 * region->half.x * region->half.y * region->half.z;
    switch (region->kind) {
    case ICF_REGION_CYLINDER: return pi / 4.0 * box;
    case ICF_REGION_SPHERE: return pi / 6.0 * box;
    case ICF_REGION_BOX: break;
    }
    return box;
}

icf_region icf_region_shrink(const icf_region *region, double depth)
{
    icf_region inner = *region;
    for (int i = 0; i < 3; ++i) icf_set(&inner.half, i, fmax(icf_get(region->half, i) - depth, 0.0));
    return inner;
}

double icf_region_share_below(const icf_region *region, double z)
{
    return region->kind == ICF_REGION_SPHERE ? z * z * (3.0 - 2.0 * z) : z;
}

bool icf_region_holds(const icf_region *region, icf_vec3 position, double radius, icf_vec3 extent)
{
    const icf_vec3 half = region->half;
    const double across = fmin(radius, sqrt(extent.x * extent.x + extent.y * extent.y));
    switch (region->kind) {
    case ICF_REGION_BOX:
        return fabs(position.x) + extent.x <= half.x && fabs(position.y) + extent.y <= half.y &&
               fabs(position.z) + extent.z <= half.z;
    case ICF_REGION_CYLINDER:
        return fabs(position.z) + extent.z <= half.z &&
               sqrt(position.x * position.x + position.y * position.y) + across <= half.x;
    case ICF_REGION_SPHERE: return icf_norm(position) + radius <= half.x;
    }
    return false;
}

/* Point of a disc of radius 1 in the plane z = 0. */
static icf_vec3 disc_point(double u1, double u2)
{
    const double r = sqrt(u1), angle = 2.0 * pi * u2;
    return icf_vec3_make(r * cos(angle), r * sin(angle), 0.0);
}

icf_vec3 icf_region_point(const icf_region *region, double u1, double u2, double u3)
{
    icf_vec3 unit = icf_vec3_make(2.0 * u1 - 1.0, 2.0 * u2 - 1.0, 2.0 * u3 - 1.0);
    if (region->kind == ICF_REGION_CYLINDER) {
        unit = disc_point(u1, u2);
        unit.z = 2.0 * u3 - 1.0;
    } else if (region->kind == ICF_REGION_SPHERE) {
        /* heights of a sphere's surface are uniform (Archimedes) */
        const double z = 2.0 * u1 - 1.0, across = sqrt(fmax(0.0, 1.0 - z * z)), r = cbrt(u3), angle = 2.0 * pi * u2;
        unit = icf_vec3_make(r * across * cos(angle), r * across * sin(angle), r * z);
    }
    return icf_vec3_make(region->center.x + region->half.x * unit.x, region->center.y + region->half.y * unit.y,
                         region->center.z + region->half.z * unit.z);
}
