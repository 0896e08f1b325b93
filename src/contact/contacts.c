/* The contact container's memory, contact frames and world impulses.  Local, no MPI. */
#include "contact/contacts.h"

#include <string.h>

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
    icf_free(contacts->support);
    icf_contacts_init(contacts);
}

/* Room for npair pairs; the offsets have one more entry. */
static icf_status reserve_pairs(icf_contacts *contacts, size_t npair)
{
    size_t capacity = contacts->pair_capacity;
    ICF_TRY(ICF_GROW(contacts->pair, capacity, npair + 1));
    capacity = contacts->pair_capacity;
    ICF_TRY(ICF_GROW(contacts->pair_begin, capacity, npair + 1));
    contacts->pair_capacity = capacity;
    return ICF_OK;
}

/* Grows one array from the common capacity; all of them grow by the same rule, so they stay equally long. */
#define GROW_CONTACT_ARRAY(array)                        \
    do {                                                 \
        capacity = contacts->capacity;                   \
        ICF_TRY(ICF_GROW(contacts->array, capacity, n)); \
    } while (0)

static icf_status reserve_contacts(icf_contacts *contacts, size_t n)
{
    size_t capacity;
    GROW_CONTACT_ARRAY(point);
    GROW_CONTACT_ARRAY(frame);
    GROW_CONTACT_ARRAY(distance);
    GROW_CONTACT_ARRAY(feature);
    GROW_CONTACT_ARRAY(bias);
    GROW_CONTACT_ARRAY(w);
    GROW_CONTACT_ARRAY(law);
    GROW_CONTACT_ARRAY(impulse);
    contacts->capacity = capacity;
    return ICF_OK;
}

icf_status icf_contacts_resize(icf_contacts *contacts, icf_lid npair, icf_lid n)
{
    ICF_TRY(reserve_pairs(contacts, (size_t)npair));
    ICF_TRY(reserve_contacts(contacts, (size_t)n));
    contacts->npair = npair;
    contacts->n = n;
    return contacts->support ? icf_contacts_add_supports(contacts) : ICF_OK;
}

icf_status icf_contacts_add_supports(icf_contacts *contacts)
{
    ICF_TRY(ICF_GROW(contacts->support, contacts->support_capacity, (size_t)contacts->n + 1));
    memset(contacts->support, 0, (size_t)contacts->n * sizeof *contacts->support);
    return ICF_OK;
}

void icf_contacts_move(icf_contacts *contacts, icf_lid from, icf_lid to, icf_lid n)
{
    if (from == to || n == 0) return;
#define MOVE(array) memmove(contacts->array + to, contacts->array + from, (size_t)n * sizeof *contacts->array)
    MOVE(point);
    MOVE(frame);
    MOVE(distance);
    MOVE(feature);
    MOVE(w);
    MOVE(law);
    MOVE(bias);
    MOVE(impulse);
    if (contacts->support) MOVE(support);
#undef MOVE
}

icf_vec3 icf_contacts_world_impulse(const icf_contacts *contacts, icf_lid i)
{
    const double *gamma = contacts->impulse[i];
    return icf_mat3_tmul(&contacts->frame[i], icf_vec3_make(gamma[0], gamma[1], gamma[2]));
}

icf_vec3 icf_contacts_pair_impulse(const icf_contacts *contacts, icf_lid k)
{
    icf_vec3 sum = {0, 0, 0};
    for (icf_lid i = contacts->pair_begin[k]; i < contacts->pair_begin[k + 1]; ++i)
        sum = icf_add(sum, icf_contacts_world_impulse(contacts, i));
    return sum;
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
