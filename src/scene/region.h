/* Regions that populations fill: a box, an upright cylinder, a sphere.  Plain data.  Thread-safe. */
#ifndef ICF_SCENE_REGION_H
#define ICF_SCENE_REGION_H

#include "base/vec.h"

typedef enum icf_region_kind { ICF_REGION_BOX, ICF_REGION_CYLINDER, ICF_REGION_SPHERE } icf_region_kind;

/* As scenes name them, NULL behind the last. */
extern const char *const icf_region_names[];

typedef struct icf_region {
    icf_region_kind kind;
    icf_vec3 center; /* world [m] */
    icf_vec3 half;   /* half edges of the box round it: radius, radius and half length of a cylinder along z [m] */
} icf_region;

/* Volume [m^3]. */
double icf_region_volume(const icf_region *region);

/* The region without what is nearer to its wall than `depth` [m]; nothing (zero half edges) where it is thinner. */
icf_region icf_region_shrink(const icf_region *region, double depth);

/* Part of the volume below a height, 0 to 1.
 *   z [in] height over the lowest point, in units of the region's height, 0 to 1 */
double icf_region_share_below(const icf_region *region, double z);

/* Whether a body is inside.
 *   position [in] its centre of mass, relative to the region's centre [m]
 *   radius   [in] largest distance of its surface from there [m]
 *   extent   [in] half edges of the tight box round it [m] */
bool icf_region_holds(const icf_region *region, icf_vec3 position, double radius, icf_vec3 extent);

/* A point of the region, uniform when u1, u2 and u3 are uniform in (0, 1) and independent [m]. */
icf_vec3 icf_region_point(const icf_region *region, double u1, double u2, double u3);

#endif
