/* Contacts of a step from contact points. */
#include "contact/contact_data.h"

#include <string.h>

/* Velocity that a body brings to a contact on its own: prescribed motion and belt, at t_{n+1}. */
static icf_vec3 own_velocity(const icf_detect_input *input, icf_lid i, icf_vec3 point)
{
    const icf_bodies *bodies = input->bodies;
    const icf_vec3 belt = icf_surface_velocity_at(&bodies->surface[i], input->end_time);
    if (icf_bodies_moves(bodies, i)) return belt;
    const icf_vec3 turn = icf_cross(bodies->angular_velocity[i], icf_sub(point, bodies->position[i]));
    return icf_add(icf_add(bodies->linear_velocity[i], turn), belt);
}

/* Velocity of a moving body's material point. */
static icf_vec3 moving_velocity(const icf_bodies *bodies, icf_lid i, icf_vec3 point)
{
    if (!icf_bodies_moves(bodies, i)) return icf_vec3_make(0, 0, 0);
    return icf_add(bodies->linear_velocity[i],
                   icf_cross(bodies->angular_velocity[i], icf_sub(point, bodies->position[i])));
}

/* Adds what a moving rigid body contributes to W at a point. */
static void add_effective(const icf_detect_input *input, icf_lid i, icf_vec3 point, icf_mat3 *w)
{
    if (icf_bodies_moves(input->bodies, i))
        icf_inertia_add_effective(input->inertia, i, icf_sub(point, input->bodies->position[i]), w);
}

/* What both kinds of contacts give to the same data. */
typedef struct contact_source {
    const icf_contact_point *from;
    icf_vec3 point;
    icf_vec3 own, moving; /* velocity of the second body against the first: prescribed part, v0 of the moving part */
    icf_mat3 w;
} contact_source;

static void fill_contact(const icf_detect_input *input, const icf_material *combined, const contact_source *source,
                         icf_contacts *contacts, size_t i)
{
    const icf_contact_point *from = source->from;
    const icf_mat3 frame = icf_contact_frame(from->normal, combined->anisotropic ? &combined->axis : NULL);
    const icf_vec3 bias = icf_mat3_mul(&frame, source->own);
    contacts->point[i] = source->point;
    contacts->frame[i] = frame;
    contacts->distance[i] = from->distance;
    contacts->feature[i] = from->feature;
    contacts->bias[i][0] = bias.x;
    contacts->bias[i][1] = bias.y;
    contacts->bias[i][2] = bias.z;
    contacts->w[i] = icf_effective_inverse_mass(&source->w);
    icf_law_init(&contacts->law[i], &input->scene->contact, combined, input->dt, from->distance,
                 icf_dot(from->normal, source->moving) + bias.z, contacts->w[i]);
    memset(contacts->impulse[i], 0, sizeof contacts->impulse[i]);
}

static void fill_rigid(const icf_detect_input *input, icf_pair pair, const icf_contact_point *from,
                       icf_contacts *contacts, size_t i)
{
    const icf_bodies *bodies = input->bodies;
    const size_t index =
        (size_t)bodies->material[pair.a] * (size_t)input->scene->nmaterial + (size_t)bodies->material[pair.b];
    const double weight = input->scene->witness_weight[index];
    const icf_vec3 point = icf_add(icf_scale(1.0 - weight, from->on_a), icf_scale(weight, from->on_b));
    contact_source source = {
        .from = from,
        .point = point,
        .own = icf_sub(own_velocity(input, pair.b, point), own_velocity(input, pair.a, point)),
        .moving = icf_sub(moving_velocity(bodies, pair.b, point), moving_velocity(bodies, pair.a, point))};
    add_effective(input, pair.a, point, &source.w);
    add_effective(input, pair.b, point, &source.w);
    icf_material combined = *icf_pair_material(input, pair);
    combined.stiffness *= 1.0 - from->soft;
    fill_contact(input, &combined, &source, contacts, i);
}

/* What one body of a pair brings to a contact, with its sign: prescribed velocity, v0 of what moves, W. */
static void add_side(const icf_detect_input *input, icf_lid body, double sign, const icf_carried_point *carried,
                     contact_source *source, icf_support *support)
{
    if (!icf_bodies_is_deformable(input->bodies, body)) {
        source->own = icf_mul_add(source->own, sign, own_velocity(input, body, source->point));
        source->moving = icf_mul_add(source->moving, sign, moving_velocity(input->bodies, body, source->point));
        add_effective(input, body, source->point, &source->w);
        return;
    }
    const icf_surface_state *surface = input->surface[body];
    *support = icf_surface_support(surface, carried);
    source->own = icf_mul_add(source->own, sign, icf_surface_supported_velocity(surface, carried));
    source->moving = icf_mul_add(source->moving, sign, icf_surface_free_velocity(surface, support));
    icf_surface_add_effective(surface, support, &source->w);
}

/* A contact of a deformable body: its stiffness is that of its area, of which each of two sampled surfaces has half. */
static void fill_surface(const icf_detect_input *input, icf_pair pair, const icf_surface_point *from,
                         icf_contacts *contacts, size_t i)
{
    contact_source source = {.from = &from->contact, .point = from->contact.on_b};
    icf_support *support = contacts->support[i];
    add_side(input, pair.a, -1.0, from->of_first ? &from->sample : &from->opposite, &source, &support[0]);
    add_side(input, pair.b, 1.0, from->of_first ? &from->opposite : &from->sample, &source, &support[1]);
    icf_material combined = *icf_pair_material(input, pair);
    combined.stiffness *= from->opposite.n > 0 ? 0.5 * from->area : from->area;
    fill_contact(input, &combined, &source, contacts, i);
}

void icf_contacts_fill(const icf_detect_input *input, const icf_found_points *found, size_t first_pair,
                       size_t first_point, icf_contacts *contacts)
{
    const icf_contact_point *point = found->point;
    const icf_surface_point *surface = found->surface;
    size_t i = first_point;
    for (size_t k = 0; k < found->npair; ++k) {
        const icf_pair pair = found->pair[k];
        const bool deformable = icf_is_surface_pair(input->bodies, pair);
        contacts->pair[first_pair + k] = pair;
        contacts->pair_begin[first_pair + k] = (icf_lid)i;
        for (icf_lid j = 0; j < found->count[k]; ++j) {
            if (deformable)
                fill_surface(input, pair, surface++, contacts, i++);
            else
                fill_rigid(input, pair, point++, contacts, i++);
        }
    }
}
