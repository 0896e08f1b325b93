/* Populations: cell, random numbers and template of body k. */
#include "scene/population.h"

#include <assert.h>

#include "base/random.h"

const char *const icf_population_names[] = {[ICF_POPULATION_GRID] = "grid",
                                            [ICF_POPULATION_COLUMNS] = "columns",
                                            [ICF_POPULATION_PACKING] = "packing",
                                            [ICF_POPULATION_EMITTER] = "emitter",
                                            NULL};

icf_population icf_population_grid(icf_cnt nx, icf_cnt ny, icf_cnt nz)
{
    return (icf_population){
        .kind = ICF_POPULATION_GRID, .n = nx * ny * nz, .nx = nx, .ny = ny, .nz = nz, .seed = ICF_POPULATION_SEED};
}

static icf_cnt largest_divisor_below_root(icf_cnt n)
{
    icf_cnt divisor = 1;
    for (icf_cnt j = 1; j <= n / j; ++j)
        if (n % j == 0) divisor = j;
    return divisor;
}

icf_population icf_population_columns(icf_cnt n, icf_cnt height)
{
    const icf_cnt ncolumn = (n - 1) / height + 1, ny = largest_divisor_below_root(ncolumn);
    return (icf_population){.kind = ICF_POPULATION_COLUMNS,
                            .n = n,
                            .nx = ncolumn / ny,
                            .ny = ny,
                            .nz = height,
                            .seed = ICF_POPULATION_SEED};
}

icf_population icf_population_packing(icf_cnt n, const icf_region *region)
{
    return (icf_population){.kind = ICF_POPULATION_PACKING, .n = n, .region = *region, .seed = ICF_POPULATION_SEED};
}

icf_population icf_population_emitter(icf_cnt n, const icf_region *region, double rate)
{
    return (icf_population){
        .kind = ICF_POPULATION_EMITTER, .n = n, .region = *region, .rate = rate, .seed = ICF_POPULATION_SEED};
}

/* The template that a number u, uniform in [0, 1), picks. */
static const icf_template *pick(const icf_population *population, const icf_template *templates, double u)
{
    const icf_template *own = &templates[population->first_template];
    const int32_t last = population->ntemplate - 1;
    double sum = 0.0;
    for (int32_t i = 0; i < last; ++i) {
        sum += own[i].weight;
        if (u * population->weight < sum) return &own[i];
    }
    return &own[last];
}

/* Middle of the i-th of 2^32 equal parts of (-1, 1), exact. */
static double symmetric(uint32_t i)
{
    return (2.0 * (double)i + 1.0) / 4294967296.0 - 1.0;
}

/* The four words of a counter. */
static void draw_words(const icf_population *p, icf_cnt k, icf_population_stream stream, uint32_t attempt,
                       uint32_t word[4])
{
    const uint32_t key[2] = {(uint32_t)p->seed, (uint32_t)(p->seed >> 32)};
    word[0] = (uint32_t)(uint64_t)k;
    word[1] = (uint32_t)((uint64_t)k >> 32);
    word[2] = (uint32_t)stream;
    word[3] = attempt;
    icf_philox(word, key);
}

/* Middle of the i-th of 2^32 equal parts of (0, 1), exact. */
static double positive(uint32_t i)
{
    return ((double)i + 0.5) / 4294967296.0;
}

void icf_population_draw(const icf_population *population, icf_cnt k, icf_population_stream stream, uint32_t attempt,
                         double u[4])
{
    uint32_t word[4];
    draw_words(population, k, stream, attempt, word);
    for (int i = 0; i < 4; ++i) u[i] = positive(word[i]);
}

/* The number that picks the template comes from the same words in every kind but columns. */
static const icf_template *grid_body(const icf_population *p, const icf_template *templates, icf_cnt k,
                                     icf_body_def *def)
{
    uint32_t random[4];
    draw_words(p, k, ICF_STREAM_PLACE, 0, random);
    const icf_template *from = pick(p, templates, (double)random[0] / 4294967296.0);
    *def = from->body;
    const double ix = (double)(k % p->nx), iy = (double)(k / p->nx % p->ny), iz = (double)(k / p->nx / p->ny);
    def->position.x = p->origin.x + (ix * p->spacing.x + p->jitter * symmetric(random[1]));
    def->position.y = p->origin.y + (iy * p->spacing.y + p->jitter * symmetric(random[2]));
    def->position.z = p->origin.z + (iz * p->spacing.z + p->jitter * symmetric(random[3]));
    return from;
}

static const icf_template *packed_body(const icf_population *p, const icf_template *templates, icf_cnt k,
                                       icf_body_def *def)
{
    uint32_t random[4];
    draw_words(p, k, ICF_STREAM_PLACE, 0, random);
    const icf_template *from = pick(p, templates, (double)random[0] / 4294967296.0);
    *def = from->body;
    return from;
}

static const icf_template *column_body(const icf_population *p, const icf_template *templates, icf_cnt k,
                                       icf_body_def *def)
{
    uint64_t state = icf_lcg_jump(p->seed, 3u * (uint64_t)k);
    const double u1 = icf_lcg_next(&state), u2 = icf_lcg_next(&state), u3 = icf_lcg_next(&state);
    const icf_cnt column = k / p->nz;
    const double ix = (double)(column % p->nx) - 0.5 * (double)(p->nx - 1);
    const double iy = (double)(column / p->nx) - 0.5 * (double)(p->ny - 1);
    const icf_template *from = pick(p, templates, u1);
    *def = from->body;
    def->position.x = p->origin.x + (ix * p->spacing.x + 2.0 * p->jitter * (u2 - 0.5));
    def->position.y = p->origin.y + (iy * p->spacing.y + 2.0 * p->jitter * (u3 - 0.5));
    def->position.z = p->origin.z + p->spacing.z * (double)(k % p->nz);
    return from;
}

/* ---- what is drawn beside the place ---- */

/* The same body with all lengths times s and the same density. */
static void scale_body(icf_body_def *def, double s)
{
    def->shape = icf_shape_scaled(&def->shape, s);
    def->mass *= s * s * s;
    def->inertia = icf_scale(s * s * s * s * s, def->inertia);
}

/* Uniform over all rotations (Shoemake, "Uniform random rotations", Graphics Gems III, 1992). */
static icf_quat random_rotation(const double u[3])
{
    const double two_pi = 6.28318530717958647692, a = sqrt(1.0 - u[0]), b = sqrt(u[0]);
    return (icf_quat){a * sin(two_pi * u[1]), a * cos(two_pi * u[1]), b * sin(two_pi * u[2]), b * cos(two_pi * u[2])};
}

/* A velocity of the ball of a radius round `mean`. */
static icf_vec3 random_velocity(const icf_population *p, icf_cnt k, icf_population_stream stream, icf_vec3 mean,
                                double radius)
{
    double u[4];
    const icf_region ball = {.kind = ICF_REGION_SPHERE, .center = mean, .half = {radius, radius, radius}};
    if (radius == 0.0) return mean;
    icf_population_draw(p, k, stream, 0, u);
    return icf_region_point(&ball, u[0], u[1], u[2]);
}

/* Size, orientation and velocity of body k. */
static void vary(const icf_population *p, const icf_template *from, icf_cnt k, icf_body_def *def)
{
    double u[4];
    if (from->size.kind != ICF_SIZE_ONE) {
        icf_population_draw(p, k, ICF_STREAM_SIZE, 0, u);
        scale_body(def, icf_size_draw(&from->size, u[0]));
    }
    if (p->turned) {
        icf_population_draw(p, k, ICF_STREAM_ORIENTATION, 0, u);
        def->orientation = random_rotation(u);
    }
    def->linear_velocity =
        icf_add(def->linear_velocity, random_velocity(p, k, ICF_STREAM_LINEAR, p->linear, p->linear_spread));
    def->angular_velocity =
        icf_add(def->angular_velocity, random_velocity(p, k, ICF_STREAM_ANGULAR, p->angular, p->angular_spread));
}

void icf_population_body(const icf_population *population, const icf_template *templates, icf_gid first_gid, icf_cnt k,
                         icf_body_def *def)
{
    const icf_template *from = NULL;
    switch (population->kind) {
    case ICF_POPULATION_GRID: from = grid_body(population, templates, k, def); break;
    case ICF_POPULATION_COLUMNS: from = column_body(population, templates, k, def); break;
    case ICF_POPULATION_PACKING:
    case ICF_POPULATION_EMITTER: from = packed_body(population, templates, k, def); break;
    }
    assert(from);
    vary(population, from, k, def);
    def->gid = first_gid + k;
    def->name = NULL;
}

/* ---- the population as a whole ---- */

double icf_population_largest_radius(const icf_population *population, const icf_template *templates)
{
    double largest = 0.0;
    for (int32_t i = 0; i < population->ntemplate; ++i) {
        const icf_template *item = &templates[population->first_template + i];
        const double size = item->size.kind == ICF_SIZE_ONE ? 1.0 : item->size.max;
        largest = fmax(largest, size * icf_shape_radius(&item->body.shape));
    }
    return largest;
}

/* Mean over the bodies of a value of the templates' shapes that grows with a power of their size. */
static double mean_of_shapes(const icf_population *population, const icf_template *templates, const icf_solid *solids,
                             double (*value)(const icf_shape *shape, const icf_solid *solids), int power)
{
    double sum = 0.0;
    for (int32_t i = 0; i < population->ntemplate; ++i) {
        const icf_template *item = &templates[population->first_template + i];
        sum += item->weight * value(&item->body.shape, solids) * icf_size_mean_power(&item->size, power);
    }
    return sum / population->weight;
}

static double radius_of(const icf_shape *shape, const icf_solid *solids)
{
    (void)solids;
    return icf_shape_radius(shape);
}

static double volume_of(const icf_shape *shape, const icf_solid *solids)
{
    return icf_shape_has_solid(shape) ? solids[shape->index].volume : icf_shape_volume(shape);
}

double icf_population_mean_radius(const icf_population *population, const icf_template *templates)
{
    return mean_of_shapes(population, templates, NULL, radius_of, 1);
}

double icf_population_mean_volume(const icf_population *population, const icf_template *templates,
                                  const icf_solid *solids)
{
    return mean_of_shapes(population, templates, solids, volume_of, 3);
}
