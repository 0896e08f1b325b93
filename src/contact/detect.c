/* Contact detection: margins, broad phase, candidate distances, narrow phase; contact_data.c does the rest. */
#include "contact/detect.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "contact/contact_data.h"
#include "contact/inner_ball.h"
#include "contact/margin.h"

/* Below this many pairs waking a second thread costs more than it gains. */
enum { pairs_worth_a_thread = 1024 };

struct icf_detector {
    icf_broad_phase *broad;
    double *margin;
    size_t margin_capacity;
    icf_vec3 *speed; /* (n) velocity of the centre of mass plus belt [m/s] */
    size_t speed_capacity;
    icf_found_points *found; /* one a thread */
    int nfound;
};

icf_status icf_detector_create(icf_detector **detector)
{
    *detector = icf_alloc(sizeof **detector);
    if (!*detector) return ICF_ERROR_MEMORY;
    **detector = (icf_detector){0};
    return icf_broad_phase_create(&(*detector)->broad);
}

void icf_detector_destroy(icf_detector **detector)
{
    if (!*detector) return;
    for (int t = 0; t < (*detector)->nfound; ++t) {
        icf_free((*detector)->found[t].point);
        icf_free((*detector)->found[t].pair);
        icf_free((*detector)->found[t].count);
        icf_free((*detector)->found[t].surface);
        icf_surface_work_clear(&(*detector)->found[t].work);
        icf_free((*detector)->found[t].list.point);
    }
    icf_free((*detector)->found);
    icf_free((*detector)->margin);
    icf_free((*detector)->speed);
    icf_broad_phase_destroy(&(*detector)->broad);
    ICF_FREE(*detector);
}

/* ---- candidate distance ---- */

static double candidate_distance(const icf_detector *detector, const icf_detect_input *input, icf_pair pair)
{
    const icf_contact_settings *settings = &input->scene->contact;
    if (!settings->auto_distance) return settings->distance;
    const icf_material *combined = icf_pair_material(input, pair);
    const icf_bodies *bodies = input->bodies;
    const double s = icf_norm(icf_sub(detector->speed[pair.a], detector->speed[pair.b])) +
                     icf_surface_spin(bodies, pair.a) + icf_surface_spin(bodies, pair.b) +
                     input->dt * icf_approach_acceleration(input->acceleration[pair.a], input->acceleration[pair.b]);
    return icf_contact_reach(settings, combined, input->dt) * s + combined->barrier_distance;
}

/* ---- narrow phase ---- */

static icf_placed_shape placed(const icf_detect_input *input, icf_lid i)
{
    return (icf_placed_shape){&input->bodies->shape[i], input->bodies->position[i], input->inertia->rotation[i],
                              input->scene->solid};
}

static icf_status keep_pair(icf_found_points *found, icf_pair pair, icf_lid n)
{
    ICF_TRY(ICF_GROW(found->pair, found->pair_capacity, found->npair + 1));
    ICF_TRY(ICF_GROW(found->count, found->count_capacity, found->npair + 1));
    found->pair[found->npair] = pair;
    found->count[found->npair++] = n;
    return ICF_OK;
}

/* Whether the last pair that has points is this one. */
static bool is_last_pair(const icf_found_points *found, icf_pair pair)
{
    return found->npair > 0 && found->pair[found->npair - 1].a == pair.a && found->pair[found->npair - 1].b == pair.b;
}

static icf_status keep_points(icf_found_points *found, icf_pair pair, icf_lid n, const icf_contact_point *point)
{
    if (n == 0) return ICF_OK;
    ICF_TRY(ICF_GROW(found->point, found->point_capacity, found->npoint + (size_t)n));
    memcpy(found->point + found->npoint, point, (size_t)n * sizeof *point);
    found->npoint += (size_t)n;
    if (!is_last_pair(found, pair)) return keep_pair(found, pair, n);
    found->count[found->npair - 1] += n;
    return ICF_OK;
}

/* A pair with a rigid surface: more points than other pairs have. */
static icf_status collide_rigid_surface(const icf_placed_shape *a, const icf_placed_shape *b, double distance,
                                        icf_pair pair, icf_found_points *found)
{
    icf_surface_work *work = &found->work;
    const bool reversed = icf_shape_is_surface(b->shape);
    ICF_TRY(reversed ? icf_collide_surface(b, a, distance, work) : icf_collide_surface(a, b, distance, work));
    for (icf_lid i = 0; i < work->npoint && reversed; ++i) icf_contact_point_mirror(&work->point[i]);
    return keep_points(found, pair, work->npoint, work->point);
}

/* What the queries of a pair share; no candidate distance is above the sum of the bodies' margins. */
static icf_surface_query common_query(const icf_detector *detector, const icf_detect_input *input, icf_pair pair)
{
    const icf_contact_settings *settings = &input->scene->contact;
    return (icf_surface_query){.automatic = settings->auto_distance,
                               .reach = icf_contact_reach(settings, icf_pair_material(input, pair), input->dt),
                               .dt = input->dt,
                               .distance = settings->distance,
                               .longest = detector->margin[pair.a] + detector->margin[pair.b]};
}

static icf_surface_query rigid_query(const icf_detector *detector, const icf_detect_input *input, icf_pair pair)
{
    const icf_bodies *bodies = input->bodies;
    icf_surface_query query = common_query(detector, input, pair);
    query.surface = input->surface[pair.b];
    query.shape = placed(input, pair.a);
    query.extent = query.shape.shape->type == ICF_SHAPE_HALF_SPACE
                       ? icf_vec3_make(INFINITY, INFINITY, INFINITY)
                       : icf_shape_extent(query.shape.shape, &query.shape.rotation);
    query.other = (icf_other_motion){bodies->position[pair.a], detector->speed[pair.a],
                                     bodies->angular_velocity[pair.a], input->acceleration[pair.a]};
    query.other_moves = icf_bodies_moves(bodies, pair.a);
    return query;
}

/* The samples of one body of a pair of deformable bodies against the surface of the other; those of the second come
 * first in the order of features. */
static icf_surface_query surface_query(const icf_detector *detector, const icf_detect_input *input, icf_pair pair,
                                       bool of_first)
{
    icf_surface_query query = common_query(detector, input, pair);
    query.surface = input->surface[of_first ? pair.a : pair.b];
    query.opposite = input->surface[of_first ? pair.b : pair.a];
    query.other_moves = true;
    query.of_first = of_first;
    query.feature = of_first ? icf_surface_features(input->surface[pair.b]) : 0;
    return query;
}

/* Whether all ranks have the body and share its work. */
static bool is_shared(const icf_detect_input *input, icf_lid i)
{
    return input->surface && input->surface[i] && input->surface[i]->owner;
}

/* Whether the samples of a body of the pair are for this rank to test: with a shared body each sample has its rank. */
static bool tests_samples_of(const icf_detect_input *input, icf_pair pair, icf_lid body)
{
    if (!is_shared(input, pair.a) && !is_shared(input, pair.b)) return true;
    return is_shared(input, body) || body < input->bodies->nowned;
}

static icf_status test_samples(const icf_surface_query *query, icf_found_points *found)
{
    const icf_sample_points *samples = icf_surface_samples(query);
    const int *owner = query->surface->owner;
    for (icf_lid k = 0; k < samples->npoint; ++k) {
        if (owner && owner[samples->point[k].vertex[0]] != query->surface->rank) continue;
        ICF_TRY(ICF_GROW(found->surface, found->surface_capacity, found->nsurface + 1));
        found->nsurface += icf_surface_test(query, k, &found->surface[found->nsurface]);
    }
    return ICF_OK;
}

/* Contacts of a deformable body: with a rigid one, another deformable one, or itself, where its samples meet the
 * surface once. */
static icf_status collide_surface(const icf_detector *detector, const icf_detect_input *input, icf_pair pair,
                                  icf_found_points *found)
{
    const size_t before = found->nsurface;
    if (!icf_bodies_is_deformable(input->bodies, pair.a)) {
        if (icf_deformable_is_attached(input->surface[pair.b]->deformable, input->bodies->gid[pair.a])) return ICF_OK;
        const icf_surface_query query = rigid_query(detector, input, pair);
        ICF_TRY(test_samples(&query, found));
    } else {
        for (int side = 0; side < (pair.a == pair.b ? 1 : 2); ++side) {
            if (!tests_samples_of(input, pair, side == 1 ? pair.a : pair.b)) continue;
            const icf_surface_query query = surface_query(detector, input, pair, side == 1);
            ICF_TRY(test_samples(&query, found));
        }
    }
    return found->nsurface > before ? keep_pair(found, pair, (icf_lid)(found->nsurface - before)) : ICF_OK;
}

/* Whether the pair is this rank's business; all ranks look at those of shared bodies. */
static bool is_wanted(const icf_detect_input *input, icf_pair pair)
{
    if (!input->owned_only || is_shared(input, pair.a) || is_shared(input, pair.b)) return true;
    const icf_bodies *bodies = input->bodies;
    return (pair.a < bodies->nowned && icf_bodies_moves(bodies, pair.a)) ||
           (pair.b < bodies->nowned && icf_bodies_moves(bodies, pair.b));
}

/* A deformable body without a material touches nothing. */
static bool can_touch(const icf_detect_input *input, icf_pair pair)
{
    return input->bodies->material[pair.a] >= 0 && input->bodies->material[pair.b] >= 0;
}

/* Contact points of two rigid shapes. */
static icf_status collide_shapes(const icf_placed_shape *a, const icf_placed_shape *b, double distance, icf_pair pair,
                                 icf_found_points *found)
{
    if (icf_shape_is_surface(a->shape) || icf_shape_is_surface(b->shape))
        return collide_rigid_surface(a, b, distance, pair, found);
    if (icf_has_parts(a, b)) {
        ICF_TRY(icf_collide_parts(a, b, distance, &found->list));
        return keep_points(found, pair, (icf_lid)found->list.n, found->list.point);
    }
    icf_manifold manifold;
    icf_collide(a, b, distance, &manifold);
    found->nsearch += manifold.nsearch;
    return keep_points(found, pair, manifold.n, manifold.point);
}

/* How far two bodies can come nearer to each other in the step, whatever the first one's rotation [m]. */
static double travel(const icf_detector *detector, const icf_detect_input *input, icf_lid i, icf_lid other)
{
    const double speed = icf_norm(icf_sub(detector->speed[i], detector->speed[other])) +
                         icf_surface_spin(input->bodies, other) +
                         input->dt * icf_approach_acceleration(input->acceleration[i], input->acceleration[other]);
    return input->dt * speed;
}

/* Times its own weight that may press on a body at rest. */
static const double heaviest_load = 100.0;

/* Whether a body overlaps deeper than weight would press it in. */
static bool is_pressed_deep(const icf_detect_input *input, icf_pair pair, icf_lid i, double depth)
{
    const icf_material *combined = icf_pair_material(input, pair);
    const double force = combined->stiffness * (combined->normal == ICF_NORMAL_HERTZ ? depth * sqrt(depth) : depth);
    return force > heaviest_load * input->bodies->mass[i] * icf_norm(input->scene->gravity);
}

/* Largest overlap of the points from `first` on [m]; 0 when there is none. */
static double deepest(const icf_found_points *found, size_t first)
{
    double distance = 0.0;
    for (size_t i = first; i < found->npoint; ++i) distance = fmin(distance, found->point[i].distance);
    return -distance;
}

/* A pair of which bodies may be fast. */
typedef struct ball_query {
    icf_pair pair;
    const icf_placed_shape *shape; /* (2) */
    double distance;               /* candidate distance [m] */
    double depth;                  /* of the overlap [m] */
} ball_query;

/* Contact points of a ball in one of the bodies: those of the pair with the ball in the body's place.
 *   feature [in] added to theirs */
static icf_status collide_ball(const ball_query *query, int side, icf_vec3 centre, double radius, double distance,
                               int64_t feature, icf_found_points *found)
{
    const icf_shape ball = {.type = ICF_SHAPE_SPHERE, .radius = radius};
    icf_placed_shape with_ball[2] = {query->shape[0], query->shape[1]};
    with_ball[side].shape = &ball;
    with_ball[side].position = centre;
    const size_t before = found->npoint;
    ICF_TRY(collide_shapes(&with_ball[0], &with_ball[1], distance, query->pair, found));
    for (size_t i = before; i < found->npoint; ++i) found->point[i].feature += feature;
    return ICF_OK;
}

/* What an impact can make of the motion of a compound against the other body. */
static icf_swing swing_of(const icf_detect_input *input, const icf_placed_shape *shape, icf_lid i, double way)
{
    const icf_bodies *bodies = input->bodies;
    const icf_vec3 angle = icf_scale(input->dt, icf_mat3_tmul(&shape->rotation, bodies->angular_velocity[i]));
    return icf_swing_make(bodies->mass[i], bodies->inertia[i], way, angle);
}

/* Holds a part's ball off by what turning lowers it beyond its radius; overlaps stay as they are. */
static void hold_off(const icf_swing *swing, const icf_part *part, icf_vec3 arm, int side, icf_contact_point *point)
{
    const double rise = side == 1 ? icf_dot(point->normal, arm) : -icf_dot(point->normal, arm);
    const double sink = fmax(0.0, icf_swing_sink(swing, part->middle, rise) - part->ball);
    const double less = fmin(sink, fmax(0.0, point->distance));
    point->distance -= less;
    if (side == 1)
        point->on_b = icf_mul_add(point->on_b, -less, point->normal);
    else
        point->on_a = icf_mul_add(point->on_a, less, point->normal);
}

static icf_status collide_part_ball(const icf_detect_input *input, const ball_query *query, int side,
                                    const icf_swing *swing, int32_t k, icf_found_points *found)
{
    const icf_placed_shape *shape = &query->shape[side];
    const icf_part *part = &shape->solids[shape->shape->index].part[k];
    const icf_vec3 arm = icf_mat3_mul(&shape->rotation, part->middle);
    const double reach = icf_swing_reach(swing, part->middle);
    if (!icf_part_ball_matters(part->ball, reach, query->depth)) return ICF_OK;
    const double farthest = reach + icf_swing_sink(swing, part->middle, icf_norm(arm));
    const double distance = input->scene->contact.auto_distance ? fmax(query->distance, farthest) : query->distance;
    const size_t before = found->npoint;
    ICF_TRY(collide_ball(query, side, icf_add(shape->position, arm), part->ball, distance,
                         (ICF_FEATURE_INNER_BALL << side) + k * ICF_FEATURE_PART_BALL, found));
    for (size_t i = before; i < found->npoint; ++i) hold_off(swing, part, arm, side, &found->point[i]);
    return ICF_OK;
}

/* Balls of the parts of a compound. */
static icf_status collide_part_balls(const icf_detect_input *input, const ball_query *query, int side, icf_lid body,
                                     double way, icf_found_points *found)
{
    const icf_placed_shape *shape = &query->shape[side];
    const icf_solid *solid = &shape->solids[shape->shape->index];
    const icf_swing swing = swing_of(input, shape, body, way);
    if (!icf_part_ball_matters(solid->smallest, icf_swing_reach(&swing, solid->extent), query->depth)) return ICF_OK;
    for (int32_t k = 0; k < solid->npart; ++k) ICF_TRY(collide_part_ball(input, query, side, &swing, k, found));
    return ICF_OK;
}

/* Contact points of the inner balls of a pair's bodies (inner_ball.h).
 *   first [in] of the pair's other points, of which there are some */
static icf_status collide_inner_balls(const icf_detector *detector, const icf_detect_input *input,
                                      const icf_placed_shape shape[2], double distance, icf_pair pair, size_t first,
                                      icf_found_points *found)
{
    const icf_lid body[2] = {pair.a, pair.b};
    const double depth = deepest(found, first);
    for (int side = 0; side < 2; ++side) {
        if (!icf_bodies_moves(input->bodies, body[side])) continue;
        const icf_placed_shape *own = &shape[side];
        const double way = travel(detector, input, body[side], body[1 - side]);
        const bool deep = is_pressed_deep(input, pair, body[side], depth);
        const ball_query query = {pair, shape, distance, deep ? depth : 0.0};
        if (own->shape->type == ICF_SHAPE_COMPOUND)
            ICF_TRY(collide_part_balls(input, &query, side, body[side], way, found));
        else if (icf_inner_ball_matters(own->shape, way, query.depth))
            ICF_TRY(collide_ball(&query, side, own->position, icf_inner_radius(own->shape, own->solids), distance,
                                 ICF_FEATURE_INNER_BALL << side, found));
    }
    return ICF_OK;
}

/* Whether contacts of inner balls can tell more than the others: barriers let nothing through, and half-spaces have no
 * other side. */
static bool can_go_through(const icf_detect_input *input, const icf_placed_shape shape[2], icf_pair pair)
{
    const icf_normal_law law = icf_pair_material(input, pair)->normal;
    return (law == ICF_NORMAL_LINEAR || law == ICF_NORMAL_HERTZ) && shape[0].shape->type != ICF_SHAPE_HALF_SPACE &&
           shape[1].shape->type != ICF_SHAPE_HALF_SPACE;
}

static icf_status collide_pair(const icf_detector *detector, const icf_detect_input *input, icf_pair pair,
                               icf_found_points *found)
{
    if (!is_wanted(input, pair) || !can_touch(input, pair)) return ICF_OK;
    if (icf_is_surface_pair(input->bodies, pair)) return collide_surface(detector, input, pair, found);
    const icf_placed_shape shape[2] = {placed(input, pair.a), placed(input, pair.b)};
    const double distance = candidate_distance(detector, input, pair);
    const size_t first = found->npoint;
    ICF_TRY(collide_shapes(&shape[0], &shape[1], distance, pair, found));
    if (found->npoint == first || !can_go_through(input, shape, pair)) return ICF_OK;
    return collide_inner_balls(detector, input, shape, distance, pair, first, found);
}

static void collide_range(const icf_detector *detector, const icf_detect_input *input, const icf_pair *pairs,
                          icf_lid begin, icf_lid end, icf_found_points *found)
{
    found->npoint = found->npair = found->nsurface = 0;
    found->nsearch = found->list.nsearch = found->work.nsearch = 0;
    found->status = ICF_OK;
    for (icf_lid k = begin; k < end && found->status == ICF_OK; ++k)
        found->status = collide_pair(detector, input, pairs[k], found);
}

static icf_status find_points(icf_detector *detector, icf_context *context, const icf_detect_input *input,
                              icf_lid npair, const icf_pair *pairs, int *nthread)
{
    const int most = 1 + npair / pairs_worth_a_thread;
    *nthread = ICF_MIN(context->nthread, most);
    const int n = *nthread;
#pragma omp parallel num_threads(n) if (n > 1)
    {
        const int t = omp_get_thread_num();
        const icf_lid begin = (icf_lid)((int64_t)npair * t / n), end = (icf_lid)((int64_t)npair * (t + 1) / n);
        collide_range(detector, input, pairs, begin, end, &detector->found[t]);
    }
    for (int t = 0; t < n; ++t) ICF_TRY(detector->found[t].status);
    return ICF_OK;
}

/* ---- all of it ---- */

/* A barrier law has no value where bodies touch or overlap. */
static icf_status check_barriers(icf_context *context, const icf_detect_input *input, const icf_contacts *contacts)
{
    for (icf_lid k = 0; k < contacts->npair; ++k) {
        const icf_normal_law law = icf_pair_material(input, contacts->pair[k])->normal;
        if (law != ICF_NORMAL_LOG_BARRIER && law != ICF_NORMAL_IPC_BARRIER) continue;
        for (icf_lid i = contacts->pair_begin[k]; i < contacts->pair_begin[k + 1]; ++i) {
            if (contacts->distance[i] > 0.0) continue;
            char a[32], b[32];
            return icf_fail(context, input->at_start ? ICF_ERROR_SCENE : ICF_ERROR_SOLVER,
                            "bodies %s and %s overlap by %g m at t = %g s: their barrier law needs a positive distance",
                            icf_bodies_name(input->bodies, contacts->pair[k].a, a),
                            icf_bodies_name(input->bodies, contacts->pair[k].b, b), -contacts->distance[i],
                            input->end_time - input->dt);
        }
    }
    return ICF_OK;
}

static icf_status gather(icf_detector *detector, const icf_detect_input *input, int nthread, icf_contacts *contacts)
{
    size_t npoint = 0, npair = 0;
    for (int t = 0; t < nthread; ++t) {
        npoint += detector->found[t].npoint + detector->found[t].nsurface;
        npair += detector->found[t].npair;
    }
    ICF_TRY(icf_contacts_resize(contacts, (icf_lid)npair, (icf_lid)npoint));
    if (input->surface && !contacts->support) ICF_TRY(icf_contacts_add_supports(contacts));
#pragma omp parallel for num_threads(nthread) if (nthread > 1) schedule(static, 1)
    for (int t = 0; t < nthread; ++t) {
        size_t first_pair = 0, first_point = 0;
        for (int s = 0; s < t; ++s) {
            first_pair += detector->found[s].npair;
            first_point += detector->found[s].npoint + detector->found[s].nsurface;
        }
        icf_contacts_fill(input, &detector->found[t], first_pair, first_point, contacts);
    }
    contacts->pair_begin[npair] = (icf_lid)npoint;
    contacts->nsearch = 0;
    for (int t = 0; t < nthread; ++t)
        contacts->nsearch +=
            detector->found[t].nsearch + detector->found[t].list.nsearch + detector->found[t].work.nsearch;
    return ICF_OK;
}

static icf_status prepare(icf_detector *detector, const icf_context *context, const icf_detect_input *input)
{
    const icf_bodies *bodies = input->bodies;
    ICF_TRY(ICF_GROW(detector->margin, detector->margin_capacity, bodies->n));
    ICF_TRY(ICF_GROW(detector->speed, detector->speed_capacity, bodies->n));
    if (detector->nfound < context->nthread) {
        size_t capacity = (size_t)detector->nfound;
        ICF_TRY(ICF_GROW(detector->found, capacity, context->nthread));
        memset(detector->found + detector->nfound, 0, (capacity - (size_t)detector->nfound) * sizeof *detector->found);
        detector->nfound = (int)capacity;
    }
    for (icf_lid i = 0; i < bodies->n; ++i)
        detector->speed[i] =
            icf_add(bodies->linear_velocity[i], icf_surface_velocity_at(&bodies->surface[i], input->end_time));
    return ICF_OK;
}

icf_status icf_detect(icf_detector *detector, icf_context *context, const icf_detect_input *input,
                      icf_contacts *contacts)
{
    ICF_TRY(prepare(detector, context, input));
    icf_contact_margins(input->scene, input->bodies, input->bodies->n, input->acceleration, input->surface,
                        input->reference, input->dt, input->end_time, detector->margin);
    icf_lid npair;
    const icf_pair *pairs;
    ICF_TRY(icf_broad_phase_find(detector->broad, context, input->bodies, detector->margin, &npair, &pairs));
    int nthread;
    ICF_TRY(find_points(detector, context, input, npair, pairs, &nthread));
    ICF_TRY(gather(detector, input, nthread, contacts));
    return check_barriers(context, input, contacts);
}
