/* The contacts of a frame as columns: those that carry an impulse. */
#ifndef ICF_IO_FRAME_CONTACTS_H
#define ICF_IO_FRAME_CONTACTS_H

#include "contact/contacts.h"
#include "io/h5_file.h"

typedef struct icf_frame_contacts {
    icf_lid n;
    size_t capacity;
    icf_gid *first, *second; /* ids of the two bodies */
    int32_t *index;
    int64_t *feature;
    icf_vec3 *point, *normal, *force; /* [m], unit, [N] on the second body, world */
    double *normal_force, *distance;  /* [N], [m] */
} icf_frame_contacts;

/* Whether contact i carries an impulse. */
bool icf_contact_is_loaded(const icf_contacts *contacts, icf_lid i);

/* Unit normal of contact i, from its first body to its second. */
icf_vec3 icf_contact_normal(const icf_contacts *contacts, icf_lid i);

/* Collects the contacts that carry an impulse; contacts may be NULL.  Local.
 *   dt [in] step over which the impulse acted [s] */
ICF_MUST_CHECK icf_status icf_frame_contacts_build(icf_frame_contacts *rows, const icf_contact_views *contacts,
                                                   double dt);

/* Writes them as the group "contacts" of a frame; the list `index` is filled from place.first on. */
void icf_frame_contacts_write(icf_h5 *h5, hid_t frame, icf_frame_contacts *rows, icf_rows place);

void icf_frame_contacts_clear(icf_frame_contacts *rows);

#endif
