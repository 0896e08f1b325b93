/* The contact container's memory, contact frames and world impulses.  Local, no MPI. */
#include "contact/contacts.h"

#include "base/memory.h"

void icf_contacts_init(icf_contacts *contacts)
{
    *contacts = (icf_contacts){0};
}

void icf_contacts_clear(icf_contacts *contacts)
{
    icf_free(contacts->pair);
    icf_free(contacts->pair_begin);
    icf_free(contacts->point);
    icf_free(contacts->frame);
    icf_free(contacts->distance);
    icf_free(contacts->feature);
    icf_free(contacts->bias);
    icf_free(contacts->w);
    icf_free(contacts->law);
    icf_free(contacts->impulse);
    icf_contacts_init(contacts);
}

icf_vec3 icf_contacts_world_impulse(const icf_contacts *contacts, icf_lid i)
{
    const double *gamma = contacts->impulse[i];
    return icf_mat3_tmul(&contacts->frame[i], icf_vec3_make(gamma[0], gamma[1], gamma[2]));
}

/* Unit vector along world axis i. */
static icf_vec3 world_axis(int i)
{
    return icf_vec3_make(i == 0, i == 1, i == 2);
}

/* Index of the component of smallest or largest magnitude, the first one of equals. */
static int extreme_component(icf_vec3 a, bool largest)
{
    const double m[3] = {fabs(a.x), fabs(a.y), fabs(a.z)};
    int best = 0;
    for (int i = 1; i < 3; ++i)
        if (largest ? m[i] > m[best] : m[i] < m[best]) best = i;
    return best;
}

/* Part of a in the plane of the unit normal. */
static icf_vec3 tangent_part(icf_vec3 a, icf_vec3 normal)
{
    return icf_mul_add(a, -icf_dot(a, normal), normal);
}

/* Unit tangent along the projection of an axis; the second projection removes what the first one's round-off
 * leaves along the normal when the axis is close to it. */
static icf_vec3 projected_axis(icf_vec3 axis, icf_vec3 normal)
{
    icf_vec3 tangent = tangent_part(axis, normal);
    if (icf_norm(tangent) < 1e-6) {
        const int next = (extreme_component(axis, true) + 1) % 3;
        tangent = tangent_part(world_axis(next), normal);
    }
    return icf_unit(tangent_part(icf_unit(tangent), normal));
}

icf_mat3 icf_contact_frame(icf_vec3 normal, const icf_vec3 *axis)
{
    /* the world axis farthest from the normal is never parallel to it */
    const icf_vec3 t1 = axis ? projected_axis(*axis, normal)
                             : icf_unit(icf_cross(world_axis(extreme_component(normal, false)), normal));
    const icf_vec3 t2 = icf_cross(normal, t1);
    return (icf_mat3){{t1.x, t1.y, t1.z, t2.x, t2.y, t2.z, normal.x, normal.y, normal.z}};
}
