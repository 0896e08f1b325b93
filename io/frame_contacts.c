/* The contacts of a frame as columns. */
#include "io/frame_contacts.h"

#include "base/memory.h"

/* every column; they share one capacity */
#define COLUMNS(X) X(first) X(second) X(feature) X(index) X(point) X(normal) X(force) X(normal_force) X(distance)

bool icf_contact_is_loaded(const icf_contacts *contacts, icf_lid i)
{
    const double *impulse = contacts->impulse[i];
    return impulse[0] != 0.0 || impulse[1] != 0.0 || impulse[2] != 0.0;
}

icf_vec3 icf_contact_normal(const icf_contacts *contacts, icf_lid i)
{
    const double *rows = contacts->frame[i].m;
    return icf_vec3_make(rows[6], rows[7], rows[8]);
}

static icf_status reserve(icf_frame_contacts *rows, size_t n)
{
    size_t capacity = rows->capacity;
#define X(column)              \
    capacity = rows->capacity; \
    ICF_TRY(ICF_GROW(rows->column, capacity, n));
    COLUMNS(X)
#undef X
    rows->capacity = capacity;
    return ICF_OK;
}

static void append(icf_frame_contacts *rows, const icf_bodies *bodies, const icf_contacts *contacts, icf_pair pair,
                   icf_lid i, double dt)
{
    const icf_lid n = rows->n++;
    rows->first[n] = bodies->gid[pair.a];
    rows->second[n] = bodies->gid[pair.b];
    rows->feature[n] = contacts->feature[i];
    rows->point[n] = contacts->point[i];
    rows->normal[n] = icf_contact_normal(contacts, i);
    rows->force[n] = icf_scale(1.0 / dt, icf_contacts_world_impulse(contacts, i));
    rows->normal_force[n] = contacts->impulse[i][2] / dt;
    rows->distance[n] = contacts->distance[i];
}

static void append_view(icf_frame_contacts *rows, const icf_contact_view *view, double dt)
{
    const icf_contacts *contacts = view->contacts;
    for (icf_lid p = 0; p < contacts->npair; ++p)
        for (icf_lid i = contacts->pair_begin[p]; i < contacts->pair_begin[p + 1]; ++i)
            if (icf_contact_is_loaded(contacts, i)) append(rows, view->bodies, contacts, contacts->pair[p], i, dt);
}

icf_status icf_frame_contacts_build(icf_frame_contacts *rows, const icf_contact_views *contacts, double dt)
{
    size_t n = 0;
    rows->n = 0;
    for (int k = 0; contacts && k < contacts->n; ++k) n += (size_t)contacts->view[k].contacts->n;
    ICF_TRY(reserve(rows, n));
    for (int k = 0; contacts && k < contacts->n; ++k) append_view(rows, &contacts->view[k], dt);
    return ICF_OK;
}

void icf_frame_contacts_write(icf_h5 *h5, hid_t frame, icf_frame_contacts *rows, icf_rows place)
{
    for (icf_lid i = 0; i < rows->n; ++i) rows->index[i] = (int32_t)((icf_cnt)place.first + i);
    const hid_t group = icf_h5_group_create(h5, frame, "contacts");
    icf_h5_write(h5, group, "first_body", H5T_NATIVE_INT64, place, 1, rows->first);
    icf_h5_write(h5, group, "second_body", H5T_NATIVE_INT64, place, 1, rows->second);
    icf_h5_write(h5, group, "feature", H5T_NATIVE_INT64, place, 1, rows->feature);
    icf_h5_write(h5, group, "index", H5T_NATIVE_INT32, place, 1, rows->index);
    icf_h5_write(h5, group, "point", H5T_NATIVE_DOUBLE, place, 3, rows->point);
    icf_h5_write(h5, group, "normal", H5T_NATIVE_DOUBLE, place, 3, rows->normal);
    icf_h5_write(h5, group, "force", H5T_NATIVE_DOUBLE, place, 3, rows->force);
    icf_h5_write(h5, group, "normal_force", H5T_NATIVE_DOUBLE, place, 1, rows->normal_force);
    icf_h5_write(h5, group, "distance", H5T_NATIVE_DOUBLE, place, 1, rows->distance);
    icf_h5_group_close(h5, group);
}

void icf_frame_contacts_clear(icf_frame_contacts *rows)
{
#define X(column) icf_free(rows->column);
    COLUMNS(X)
#undef X
    *rows = (icf_frame_contacts){0};
}
