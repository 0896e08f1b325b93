/* Emission: candidates, what is in their way, who enters. */
#include "step/emit.h"

#include <math.h>

#include "base/memory.h"
#include "base/mpi_wait.h"
#include "base/sort.h"

/* Due bodies that are looked at together: with one reduction for all their tries. */
enum { BATCH = 32 };

/* A body that wants to enter. */
typedef struct candidate {
    icf_body_def def; /* position: where it enters */
    icf_vec3 point[ICF_EMIT_TRIES];
    double radius;
} candidate;

typedef struct emitter {
    icf_context *context;
    const icf_scene *scene;
    const icf_population *population;
    const icf_bodies *bodies;
    icf_emission *emission;
    icf_lid nnear;
    icf_gid first_gid;
    icf_cnt step;
} emitter;

static bool is_emitter(const icf_population *population)
{
    return population->kind == ICF_POPULATION_EMITTER;
}

static icf_gid first_gid_of(const icf_scene *scene, const icf_population *population)
{
    return icf_scene_nlisted(scene) + population->first;
}

icf_status icf_emission_init(icf_emission *emission, icf_context *context, const icf_scene *scene,
                             const icf_bodies *bodies)
{
    *emission = (icf_emission){0};
    bool any = false;
    for (int32_t p = 0; p < scene->npopulation; ++p) any = any || is_emitter(&scene->population[p]);
    if (!any) return ICF_OK;
    emission->emitted = icf_alloc((size_t)scene->npopulation * sizeof *emission->emitted);
    ICF_TRY(icf_agree(context, emission->emitted ? ICF_OK : ICF_ERROR_MEMORY));
    for (int32_t p = 0; p < scene->npopulation; ++p) {
        const icf_population *population = &scene->population[p];
        const icf_gid first = first_gid_of(scene, population);
        emission->emitted[p] = 0;
        for (icf_lid i = 0; is_emitter(population) && i < bodies->nowned; ++i)
            emission->emitted[p] += bodies->gid[i] >= first && bodies->gid[i] < first + population->n;
    }
    if (context->size > 1)
        ICF_MPI_WAIT(
            MPI_Allreduce(MPI_IN_PLACE, emission->emitted, scene->npopulation, MPI_INT64_T, MPI_SUM, context->comm));
    for (int32_t p = 0; p < scene->npopulation; ++p) emission->total += emission->emitted[p];
    return ICF_OK;
}

void icf_emission_clear(icf_emission *emission)
{
    icf_free(emission->emitted);
    icf_free(emission->near);
    icf_free(emission->fresh);
    icf_surface_work_clear(&emission->work);
    *emission = (icf_emission){0};
}

/* ---- candidates ---- */

/* Bodies of an emitter that are due at time t, those that are there already included. */
static icf_cnt count_due(const icf_population *population, double t)
{
    /* rounding must not make a body a step late */
    const double due = floor((t - population->start) * population->rate + 1e-9) + 1.0;
    return due <= 0.0 ? 0 : due >= (double)population->n ? population->n : (icf_cnt)due;
}

static void make_candidate(const emitter *e, icf_cnt k, candidate *item)
{
    icf_population_body(e->population, e->scene->population_template, e->first_gid, k, &item->def);
    item->radius = icf_shape_radius(&item->def.shape);
    for (uint32_t attempt = 0; attempt < ICF_EMIT_TRIES; ++attempt) {
        double u[4];
        icf_population_draw(e->population, k, ICF_STREAM_POSITION, (uint32_t)e->step * ICF_EMIT_TRIES + attempt, u);
        item->point[attempt] = icf_region_point(&e->population->region, u[0], u[1], u[2]);
    }
}

/* ---- what is in the way ---- */

/* Owned bodies that reach the region grown by the largest body. */
static icf_status list_near(emitter *e)
{
    const icf_bodies *bodies = e->bodies;
    const icf_region *region = &e->population->region;
    const double reach =
        icf_population_largest_radius(e->population, e->scene->population_template) + e->population->gap;
    e->nnear = 0;
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        const icf_vec3 from = icf_sub(bodies->position[i], region->center);
        const double r = bodies->radius[i] + reach;
        const bool is_near = fabs(from.x) <= region->half.x + r && fabs(from.y) <= region->half.y + r &&
                             fabs(from.z) <= region->half.z + r;
        if (bodies->shape[i].type == ICF_SHAPE_NONE || !is_near) continue;
        ICF_TRY(ICF_GROW(e->emission->near, e->emission->near_capacity, e->nnear + 1));
        e->emission->near[e->nnear++] = i;
    }
    return ICF_OK;
}

/* Distance of a point from the box round a deformable body. */
static double box_distance(const icf_bodies *bodies, icf_lid i, icf_vec3 point)
{
    const icf_vec3 from = icf_sub(point, bodies->position[i]), half = bodies->shape[i].extent;
    return icf_norm(icf_vec3_make(fmax(0.0, fabs(from.x) - half.x), fmax(0.0, fabs(from.y) - half.y),
                                  fmax(0.0, fabs(from.z) - half.z)));
}

static icf_placed_shape placed(const emitter *e, const icf_shape *shape, icf_vec3 position, icf_quat orientation)
{
    return (icf_placed_shape){shape, position, icf_quat_matrix(orientation), e->scene->solid};
}

/* Whether a body of this rank is nearer than the gap to a candidate at a point. */
static icf_status is_in_the_way(const emitter *e, icf_lid i, const candidate *item, icf_vec3 point, bool *is)
{
    const icf_bodies *bodies = e->bodies;
    const double gap = e->population->gap;
    *is = icf_bodies_is_deformable(bodies, i) && box_distance(bodies, i, point) < item->radius + gap;
    if (icf_bodies_is_deformable(bodies, i)) return ICF_OK;
    if (!(icf_norm(icf_sub(point, bodies->position[i])) < item->radius + bodies->radius[i] + gap)) return ICF_OK;
    const icf_placed_shape first = placed(e, &item->def.shape, point, item->def.orientation);
    const icf_placed_shape second = placed(e, &bodies->shape[i], bodies->position[i], bodies->orientation[i]);
    double distance;
    ICF_TRY(icf_collide_distance(&first, &second, gap, &e->emission->work, &distance));
    *is = distance < gap;
    return ICF_OK;
}

/* Bits of the points that bodies of this rank take. */
static icf_status find_taken(const emitter *e, const candidate *item, uint32_t *taken)
{
    *taken = 0;
    for (int attempt = 0; attempt < ICF_EMIT_TRIES; ++attempt)
        for (icf_lid k = 0; k < e->nnear && !(*taken >> attempt & 1u); ++k) {
            bool is;
            ICF_TRY(is_in_the_way(e, e->emission->near[k], item, item->point[attempt], &is));
            if (is) *taken |= 1u << attempt;
        }
    return ICF_OK;
}

/* Whether a body that has just entered is nearer than the gap. */
static bool meets_fresh(const emitter *e, const candidate *item, icf_vec3 point)
{
    for (size_t k = 0; k < e->emission->nfresh; ++k) {
        const icf_body_def *other = &e->emission->fresh[k];
        const double reach = item->radius + icf_shape_radius(&other->shape) + e->population->gap;
        if (icf_norm(icf_sub(point, other->position)) >= reach) continue;
        const icf_placed_shape first = placed(e, &item->def.shape, point, item->def.orientation);
        const icf_placed_shape second = placed(e, &other->shape, other->position, other->orientation);
        icf_contact_point nearest;
        if (icf_collide_nearest(&first, &second, e->population->gap, &nearest)) return true;
    }
    return false;
}

/* ---- who enters ---- */

/* Places the candidates in order until one finds no room; gives how many enter.  The same on every rank. */
static icf_status enter(const emitter *e, candidate *item, int n, const uint32_t *taken, int *nentered)
{
    icf_emission *emission = e->emission;
    for (*nentered = 0; *nentered < n; ++*nentered) {
        candidate *next = &item[*nentered];
        int attempt = 0;
        while (attempt < ICF_EMIT_TRIES &&
               ((taken[*nentered] >> attempt & 1u) || meets_fresh(e, next, next->point[attempt])))
            ++attempt;
        if (attempt == ICF_EMIT_TRIES) return ICF_OK;
        next->def.position = next->point[attempt];
        ICF_TRY(ICF_GROW(emission->fresh, emission->fresh_capacity, emission->nfresh + 1));
        emission->fresh[emission->nfresh++] = next->def;
    }
    return ICF_OK;
}

/* Which rank gets a body: the one with the nearest moving body among those near the region; by turns when there is
 * none. */
static void find_owners(const emitter *e, const candidate *item, int n, int *owner)
{
    struct {
        double distance;
        int rank;
    } nearest[BATCH];
    for (int k = 0; k < n; ++k) {
        nearest[k].distance = INFINITY;
        nearest[k].rank = e->context->rank;
        for (icf_lid j = 0; j < e->nnear; ++j) {
            const icf_lid i = e->emission->near[j];
            if (!icf_bodies_moves(e->bodies, i)) continue;
            const double distance = icf_norm(icf_sub(item[k].def.position, e->bodies->position[i]));
            nearest[k].distance = fmin(nearest[k].distance, distance);
        }
    }
    if (e->context->size > 1)
        ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, nearest, n, MPI_DOUBLE_INT, MPI_MINLOC, e->context->comm));
    for (int k = 0; k < n; ++k)
        owner[k] = isinf(nearest[k].distance) ? (int)(item[k].def.gid % e->context->size) : nearest[k].rank;
}

/* Up to BATCH due bodies from number `first` on; gives how many enter. */
static icf_status emit_batch(const emitter *e, icf_bodies *bodies, icf_cnt first, int n, int *nentered)
{
    candidate item[BATCH];
    uint32_t taken[BATCH];
    int owner[BATCH];
    icf_status status = ICF_OK;
    for (int k = 0; k < n; ++k) {
        make_candidate(e, first + k, &item[k]);
        taken[k] = 0;
        if (status == ICF_OK) status = find_taken(e, &item[k], &taken[k]);
    }
    ICF_TRY(icf_agree(e->context, status));
    if (e->context->size > 1)
        ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, taken, n, MPI_UINT32_T, MPI_BOR, e->context->comm));
    ICF_TRY(icf_agree(e->context, enter(e, item, n, taken, nentered)));
    if (*nentered == 0) return ICF_OK;
    find_owners(e, item, *nentered, owner);
    for (int k = 0; k < *nentered && status == ICF_OK; ++k)
        if (owner[k] == e->context->rank) status = icf_bodies_put(bodies, bodies->n, &item[k].def);
    return icf_agree(e->context, status);
}

/* ---- the container ---- */

/* Puts the bodies behind the first n in their places among the owned ones; the ghosts stay. */
static icf_status put_in_order(icf_bodies *bodies, icf_lid n)
{
    if (bodies->n == n) return ICF_OK;
    const uint64_t ghost = UINT64_C(1) << 63;
    const icf_lid nall = bodies->n, nowned = bodies->nowned + (nall - n);
    icf_keyed *item = icf_alloc((size_t)nall * sizeof *item), *work = icf_alloc((size_t)nall * sizeof *work);
    icf_lid *order = icf_alloc((size_t)nall * sizeof *order);
    icf_status status = item && work && order ? ICF_OK : ICF_ERROR_MEMORY;
    if (status == ICF_OK) {
        for (icf_lid i = 0; i < nall; ++i) {
            const bool owned = i < bodies->nowned || i >= n;
            item[i] = (icf_keyed){(uint64_t)bodies->gid[i] | (owned ? 0 : ghost), i};
        }
        icf_sort_keyed(nall, item, work);
        for (icf_lid i = 0; i < nall; ++i) order[i] = item[i].value;
        status = icf_bodies_arrange(bodies, nall, order, nowned);
    }
    icf_free(item);
    icf_free(work);
    icf_free(order);
    return status;
}

/* ---- a step ---- */

static icf_status emit(emitter *e, icf_bodies *bodies, icf_cnt *emitted, icf_cnt due)
{
    ICF_TRY(icf_agree(e->context, list_near(e)));
    for (;;) {
        const int n = (int)ICF_MIN(due - *emitted, (icf_cnt)BATCH);
        int nentered = 0;
        if (n > 0) ICF_TRY(emit_batch(e, bodies, *emitted, n, &nentered));
        *emitted += nentered;
        e->emission->total += nentered;
        if (nentered < n || n == 0) break;
    }
    e->emission->waiting += due - *emitted;
    return ICF_OK;
}

icf_status icf_emission_step(icf_emission *emission, icf_context *context, const icf_scene *scene, icf_bodies *bodies,
                             icf_cnt step)
{
    if (!emission->emitted) return ICF_OK;
    const icf_lid n = bodies->n;
    emission->waiting = 0;
    emission->nfresh = 0;
    for (int32_t p = 0; p < scene->npopulation; ++p) {
        const icf_population *population = &scene->population[p];
        emitter e = {.context = context,
                     .scene = scene,
                     .population = population,
                     .bodies = bodies,
                     .emission = emission,
                     .first_gid = first_gid_of(scene, population),
                     .step = step};
        const icf_cnt due = is_emitter(population) ? count_due(population, (double)step * scene->time.step) : 0;
        if (due > emission->emitted[p]) ICF_TRY(emit(&e, bodies, &emission->emitted[p], due));
    }
    if (emission->nfresh == 0) return ICF_OK;
    return icf_agree(context, put_in_order(bodies, n));
}

icf_status icf_emission_add(const icf_context *context, const icf_scene *scene, icf_bodies *bodies,
                            const icf_cnt *emitted)
{
    const icf_lid n = bodies->n;
    for (int32_t p = 0; p < scene->npopulation; ++p) {
        const icf_population *population = &scene->population[p];
        if (!is_emitter(population)) continue;
        const icf_gid first_gid = first_gid_of(scene, population);
        for (icf_cnt k = context->rank; k < emitted[p]; k += context->size) {
            icf_body_def def;
            icf_population_body(population, scene->population_template, first_gid, k, &def);
            def.position = population->region.center;
            ICF_TRY(icf_bodies_put(bodies, bodies->n, &def));
        }
    }
    return put_in_order(bodies, n);
}
