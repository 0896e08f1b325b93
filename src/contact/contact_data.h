/* From contact points, as the narrow phase finds them, to the contacts of a step: frame, velocities that bodies bring
 * on their own, effective mass, law.  Private to contact detection (detect.c).
 */
#ifndef ICF_CONTACT_CONTACT_DATA_H
#define ICF_CONTACT_CONTACT_DATA_H

#include "base/memory.h"
#include "contact/detect.h"
#include "geometry/narrow_surface.h"

/* Contact points one thread found, of pairs in canonical order. */
typedef struct icf_found_points {
    icf_contact_point *point;
    size_t npoint, point_capacity;
    icf_pair *pair;
    icf_lid *count; /* points of each pair */
    size_t npair, pair_capacity, count_capacity;
    icf_surface_point *surface; /* points of pairs with a deformable body, in place of those above */
    size_t nsurface, surface_capacity;
    icf_surface_work work; /* of pairs with a rigid surface */
    icf_contact_list list; /* of a pair with a compound */
    int nsearch;           /* as in icf_manifold, of all other pairs */
    icf_status status;
    char padding[ICF_ALIGNMENT];
} icf_found_points;

/* Whether a body of the pair is deformable; the deformable one has the higher id. */
static inline bool icf_is_surface_pair(const icf_bodies *bodies, icf_pair pair)
{
    return icf_bodies_is_deformable(bodies, pair.b);
}

/* What a contact of the pair is made of. */
static inline const icf_material *icf_pair_material(const icf_detect_input *input, icf_pair pair)
{
    const int32_t *material = input->bodies->material;
    const icf_material *table =
        icf_is_surface_pair(input->bodies, pair) ? input->scene->surface : input->scene->combined;
    return &table[(size_t)material[pair.a] * (size_t)input->scene->nmaterial + (size_t)material[pair.b]];
}

/* Makes contacts of what a thread has found.
 *   first_pair, first_point [in] where they go: all places are there
 *   contacts [in,out] impulses are zero */
void icf_contacts_fill(const icf_detect_input *input, const icf_found_points *found, size_t first_pair,
                       size_t first_point, icf_contacts *contacts);

#endif
