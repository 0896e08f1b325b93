/* Census: what a scene holds. */
#include "cli/census.h"

#include <inttypes.h>
#include <math.h>

#include "contact/contacts.h"
#include "solver/contact_constraints.h"

_Static_assert(sizeof(icf_cnt) == sizeof(int64_t) && sizeof(icf_census) % sizeof(icf_cnt) == 0, "only counts");

enum { CONTACTS_PER_BODY = 6, BLOCKS_PER_BODY = 10 }; /* of a settled pile, with reserve */

enum { BYTES_PER_TET = 600, BYTES_OF_FACTOR = 200 }; /* of a deformable; factor: times dofs^(4/3) */

static int free_dofs(const icf_body_def *def)
{
    return 6 - __builtin_popcount(def->locked & ICF_DOF_ALL);
}

void icf_census_add(icf_census *census, const icf_body_def *def)
{
    ++census->n;
    ++census->shape[def->shape.type];
    if (icf_motion_is_prescribed(&def->motion))
        ++census->prescribed;
    else if (def->motion.type == ICF_MOTION_FIXED || def->locked == ICF_DOF_ALL)
        ++census->fixed;
    else
        ++census->moving;
    if (def->motion.type == ICF_MOTION_DYNAMIC) census->dofs += free_dofs(def);
}

void icf_census_add_populations(icf_census *census, const icf_scene *scene)
{
    census->n += scene->ngenerated;
    census->moving += scene->ngenerated;
    census->generated += scene->ngenerated;
    for (int32_t i = 0; i < scene->npopulation; ++i) {
        const icf_population *population = &scene->population[i];
        const icf_template *templates = &scene->population_template[population->first_template];
        double dofs = 0.0;
        for (int32_t j = 0; j < population->ntemplate; ++j)
            dofs += templates[j].weight / population->weight * (double)free_dofs(&templates[j].body);
        census->dofs += (icf_cnt)llround((double)population->n * dofs);
    }
}

void icf_census_add_deformables(icf_census *census, const icf_scene *scene)
{
    census->n += scene->ndeformable;
    census->shape[ICF_SHAPE_DEFORMABLE] += scene->ndeformable;
    census->moving += scene->ndeformable;
    for (int32_t k = 0; k < scene->ndeformable; ++k) {
        const icf_deformable *deformable = &scene->deformable[k];
        census->vertices += deformable->mesh.nvertex;
        census->tets += deformable->mesh.ntet;
        for (icf_lid i = 0; i < deformable->mesh.nvertex; ++i)
            census->dofs += icf_deformable_is_free(deformable, i) ? 3 : 0;
    }
}

void icf_census_add_shared(icf_census *census, const icf_scene *scene)
{
    census->shared_bytes += (icf_cnt)icf_scene_shared_bytes(scene);
}

void icf_census_count(icf_census *census, const icf_context *context, const icf_bodies *bodies)
{
    char buffer[ICF_BODY_NAME_BYTES];
    *census = (icf_census){0};
    for (icf_lid i = 0; i < bodies->nowned; ++i) {
        if (icf_bodies_is_deformable(bodies, i)) continue;
        const icf_body_def def = icf_bodies_def(bodies, i, buffer);
        icf_census_add(census, &def);
    }
    MPI_Allreduce(MPI_IN_PLACE, census, (int)(sizeof *census / sizeof census->n), MPI_INT64_T, MPI_SUM, context->comm);
}

/* Meshes and elements, and the two factors of a 3-D mesh: of the free motion and of the island. */
static double mesh_memory(const icf_census *census)
{
    const double dofs = 3.0 * (double)census->vertices;
    return BYTES_PER_TET * (double)census->tets + 2.0 * BYTES_OF_FACTOR * pow(dofs, 4.0 / 3.0);
}

double icf_census_memory(const icf_census *census)
{
    const size_t body = sizeof(icf_body_def);
    const size_t contact = sizeof(icf_law) + sizeof(icf_mat3) + 4 * sizeof(icf_vec3) + 4 * sizeof(double);
    const size_t iterates = icf_contact_iterate_bytes(), block = 6 * 6 * sizeof(double);
    const size_t moving = CONTACTS_PER_BODY * (contact + iterates) + 2 * BLOCKS_PER_BODY * block;
    const double rigid = (double)census->n * (double)body + (double)census->moving * (double)moving;
    return rigid + mesh_memory(census) + (double)census->shared_bytes;
}

void icf_census_print_bodies(const icf_census *census, FILE *file)
{
    const char *separator = ": ";
    fprintf(file, "%" PRId64, census->n);
    for (int type = 0; type < ICF_SHAPE_COUNT; ++type) {
        if (census->shape[type] == 0) continue;
        fprintf(file, "%s%" PRId64 " %s", separator, census->shape[type], icf_shape_name((icf_shape_type)type));
        separator = ", ";
    }
    if (census->generated > 0) fprintf(file, "%s%" PRId64 " generated", separator, census->generated);
    if (census->tets > 0)
        fprintf(file, " (%" PRId64 " vertices, %" PRId64 " tetrahedra)", census->vertices, census->tets);
    fprintf(file, "; %" PRId64 " moving, %" PRId64 " fixed", census->moving, census->fixed);
    if (census->prescribed > 0) fprintf(file, ", %" PRId64 " prescribed", census->prescribed);
}

void icf_census_print_population(const icf_scene *scene, const icf_population *population, FILE *file)
{
    const icf_template *templates = &scene->population_template[population->first_template];
    double weight[ICF_SHAPE_COUNT] = {0.0};
    for (int32_t i = 0; i < population->ntemplate; ++i) weight[templates[i].body.shape.type] += templates[i].weight;
    fprintf(file, "%s, %" PRId64 " bodies", icf_population_names[population->kind], population->n);
    const char *separator = ": ";
    for (int type = 0; type < ICF_SHAPE_COUNT; ++type) {
        if (weight[type] == 0.0) continue;
        fprintf(file, "%s%.3g %% %s", separator, 100.0 * weight[type] / population->weight,
                icf_shape_name((icf_shape_type)type));
        separator = ", ";
    }
}

void icf_census_print_settings(const icf_scene *scene, FILE *file)
{
    static const char *const models[] = {"sap", "lagged", "similar"};
    const bool regularized = scene->contact.regularized && scene->contact.model != ICF_MODEL_SAP;
    fprintf(file, "%s%s; step %.9g s, %" PRId64 " steps to t = %.9g s", models[scene->contact.model],
            regularized ? ", regularized" : "", scene->time.step, scene->time.steps,
            (double)scene->time.steps * scene->time.step);
}
