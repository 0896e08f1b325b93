/* The clutter of 40 spheres and boxes that fall into a bin (ICF XII-A). */
#ifndef ICF_TESTS_CLUTTER_H
#define ICF_TESTS_CLUTTER_H

#include "laws/world.h"

/* Half the inner width of the bin and the radius of a sphere, equal to half the edge of a box [m]. */
extern const double clutter_half_width, clutter_radius;

/* The four columns alone, about a place on the floor. */
void clutter_columns(world *w, icf_vec3 middle);

/* Fills a new world: ground, four walls, then four columns of ten bodies. */
void clutter_fill(world *w);

/* Index of the first of the 40 bodies. */
enum { clutter_first = 5, nclutter = 40 };

#endif
