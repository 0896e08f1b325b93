/* Compounds: contacts of their parts.  icf_collide_parts (collide.h) is the way in. */
#ifndef ICF_GEOMETRY_NARROW_PARTS_H
#define ICF_GEOMETRY_NARROW_PARTS_H

#include "geometry/collide.h"

/* A part of a compound in the world. */
icf_placed_shape icf_place_part(const icf_placed_shape *compound, const icf_part *part);

/* Contacts of the parts of two shapes in canonical order (collide.c), of which the second is a compound.
 *   list [in,out] replaced; memory only grows.  ICF_ERROR_MEMORY */
ICF_MUST_CHECK icf_status icf_narrow_parts(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                           icf_contact_list *list);

/* The nearest contact point of a compound with another shape; false when there is none below the distance. */
bool icf_nearest_part(const icf_placed_shape *a, const icf_placed_shape *b, double distance, icf_contact_point *point);

#endif
