/* Populations: cell, random numbers and template of body k. */
#include "scene/population.h"

#include "base/random.h"
#include "scene/scene.h"

enum { CHUNK = 64 }; /* bodies handed over at a time */

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

static void grid_body(const icf_population *p, const icf_template *templates, icf_cnt k, icf_body_def *def)
{
    const uint64_t counter = (uint64_t)k;
    const uint32_t key[2] = {(uint32_t)p->seed, (uint32_t)(p->seed >> 32)};
    uint32_t random[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), 0, 0};
    icf_philox(random, key);
    *def = pick(p, templates, (double)random[0] / 4294967296.0)->body;
    const double ix = (double)(k % p->nx), iy = (double)(k / p->nx % p->ny), iz = (double)(k / p->nx / p->ny);
    def->position.x = p->origin.x + (ix * p->spacing.x + p->jitter * symmetric(random[1]));
    def->position.y = p->origin.y + (iy * p->spacing.y + p->jitter * symmetric(random[2]));
    def->position.z = p->origin.z + (iz * p->spacing.z + p->jitter * symmetric(random[3]));
}

static void column_body(const icf_population *p, const icf_template *templates, icf_cnt k, icf_body_def *def)
{
    uint64_t state = icf_lcg_jump(p->seed, 3u * (uint64_t)k);
    const double u1 = icf_lcg_next(&state), u2 = icf_lcg_next(&state), u3 = icf_lcg_next(&state);
    const icf_cnt column = k / p->nz;
    const double ix = (double)(column % p->nx) - 0.5 * (double)(p->nx - 1);
    const double iy = (double)(column / p->nx) - 0.5 * (double)(p->ny - 1);
    *def = pick(p, templates, u1)->body;
    def->position.x = p->origin.x + (ix * p->spacing.x + 2.0 * p->jitter * (u2 - 0.5));
    def->position.y = p->origin.y + (iy * p->spacing.y + 2.0 * p->jitter * (u3 - 0.5));
    def->position.z = p->origin.z + p->spacing.z * (double)(k % p->nz);
}

void icf_population_body(const icf_population *population, const icf_template *templates, icf_gid first_gid, icf_cnt k,
                         icf_body_def *def)
{
    switch (population->kind) {
    case ICF_POPULATION_GRID: grid_body(population, templates, k, def); break;
    case ICF_POPULATION_COLUMNS: column_body(population, templates, k, def); break;
    }
    def->gid = first_gid + k;
    def->name = NULL;
}

/* Generates bodies begin to end - 1 of one population. */
static icf_status generate(const icf_scene *scene, const icf_population *population, icf_cnt begin, icf_cnt end,
                           icf_body_sink sink, void *user)
{
    icf_body_def chunk[CHUNK];
    const icf_gid first_gid = icf_scene_nlisted(scene) + population->first;
    for (icf_cnt k = begin; k < end; k += CHUNK) {
        const icf_cnt n = ICF_MIN(end - k, CHUNK);
        for (icf_cnt i = 0; i < n; ++i)
            icf_population_body(population, scene->population_template, first_gid, k + i, &chunk[i]);
        ICF_TRY(sink(user, n, chunk));
    }
    return ICF_OK;
}

icf_status icf_population_generate(const icf_scene *scene, icf_cnt begin, icf_cnt end, icf_body_sink sink, void *user)
{
    for (int32_t i = 0; i < scene->npopulation; ++i) {
        const icf_population *population = &scene->population[i];
        const icf_cnt from = ICF_MAX(begin - population->first, 0);
        const icf_cnt to = ICF_MIN(end - population->first, population->n);
        ICF_TRY(generate(scene, population, from, to, sink, user));
    }
    return ICF_OK;
}
