/* Labels of islands over rank borders, by rounds of minimum. */
#include "partition/components.h"

#include <string.h>

#include "base/memory.h"
#include "base/mpi_wait.h"

void icf_components_init(icf_components *components)
{
    *components = (icf_components){0};
}

void icf_components_clear(icf_components *components)
{
    icf_free(components->label);
    icf_free(components->keeper);
    icf_free(components->spanning);
    icf_free(components->single);
    icf_free(components->of_body);
    icf_free(components->ghost);
    icf_free(components->link);
    icf_components_init(components);
}

/* A label on its way. */
typedef struct label {
    icf_gid gid;
    int64_t keeper;
} label;

static icf_status add_part(icf_components *components, icf_gid gid, int keeper)
{
    ICF_TRY(ICF_GROW(components->label, components->label_capacity, components->npart + 1));
    ICF_TRY(ICF_GROW(components->keeper, components->keeper_capacity, components->npart + 1));
    ICF_TRY(ICF_GROW(components->spanning, components->spanning_capacity, components->npart + 1));
    components->label[components->npart] = gid;
    components->keeper[components->npart] = keeper;
    components->spanning[components->npart++] = false;
    return ICF_OK;
}

/* The local islands as parts. */
static icf_status start_parts(icf_components *components, const icf_halo *halo, const icf_bodies *bodies,
                              const icf_islands *islands)
{
    components->nisland = islands->n;
    components->npart = components->nlink = components->nghost = 0;
    for (icf_lid k = 0; k < islands->n; ++k) {
        const icf_lid first = islands->body[islands->body_ptr[k]];
        ICF_TRY(add_part(components, bodies->gid[first], icf_halo_owner(halo, bodies, first)));
    }
    ICF_TRY(ICF_GROW(components->of_body, components->of_body_capacity, bodies->nowned));
    for (icf_lid i = 0; i < bodies->nowned; ++i) components->of_body[i] = islands->of_body[i];
    return ICF_OK;
}

/* Ghosts in contact, sorted by owner; their ids go to the owners. */
static icf_status write_links(icf_components *components, const icf_halo *halo, const icf_bodies *bodies,
                              const icf_islands *islands)
{
    icf_exchange_begin(halo->exchange);
    ICF_TRY(ICF_GROW(components->ghost, components->ghost_capacity, bodies->n - bodies->nowned));
    for (int rank = 0; rank < halo->context->size; ++rank)
        for (icf_lid i = bodies->nowned; i < bodies->n; ++i) {
            if (islands->of_body[i] < 0 || icf_halo_owner(halo, bodies, i) != rank) continue;
            components->spanning[islands->of_body[i]] = true;
            components->ghost[components->nghost++] = i;
            ICF_TRY(icf_exchange_write(halo->exchange, rank, &bodies->gid[i], sizeof(icf_gid)));
        }
    return ICF_OK;
}

/* Links of owned bodies; a body in no local island becomes a part of its own. */
static icf_status read_links(icf_components *components, const icf_halo *halo, const icf_bodies *bodies)
{
    for (int rank = 0; rank < halo->context->size; ++rank) {
        size_t bytes;
        const icf_gid *gid = icf_exchange_read(halo->exchange, rank, &bytes);
        for (size_t k = 0; k < bytes / sizeof *gid; ++k) {
            const icf_lid i = icf_bodies_find(bodies, gid[k]);
            if (components->of_body[i] < 0) {
                const icf_lid further = components->npart - components->nisland;
                ICF_TRY(ICF_GROW(components->single, components->single_capacity, further + 1));
                components->single[further] = i;
                components->of_body[i] = components->npart;
                ICF_TRY(add_part(components, gid[k], halo->context->rank));
            }
            ICF_TRY(ICF_GROW(components->link, components->link_capacity, components->nlink + 1));
            components->link[components->nlink++] = (icf_link){components->of_body[i], rank};
            components->spanning[components->of_body[i]] = true;
        }
    }
    return ICF_OK;
}

static bool lower(icf_components *components, icf_lid part, label other)
{
    if (other.gid >= components->label[part]) return false;
    components->label[part] = other.gid;
    components->keeper[part] = (int)other.keeper;
    return true;
}

static icf_status send_label(const icf_components *components, const icf_halo *halo, icf_lid part, int rank)
{
    const label mine = {components->label[part], components->keeper[part]};
    return icf_exchange_write(halo->exchange, rank, &mine, sizeof mine);
}

/* Labels of the ghosts' parts to the owners. */
static icf_status labels_to_owners(icf_components *components, const icf_halo *halo, const icf_bodies *bodies,
                                   const icf_islands *islands, bool *changed)
{
    icf_exchange_begin(halo->exchange);
    icf_status status = ICF_OK;
    for (icf_lid k = 0; k < components->nghost && status == ICF_OK; ++k) {
        const icf_lid i = components->ghost[k];
        status = send_label(components, halo, islands->of_body[i], icf_halo_owner(halo, bodies, i));
    }
    ICF_TRY(icf_exchange_run(halo->exchange, status));
    icf_lid link = 0;
    for (int rank = 0; rank < halo->context->size; ++rank) {
        size_t bytes;
        const label *labels = icf_exchange_read(halo->exchange, rank, &bytes);
        for (size_t k = 0; k < bytes / sizeof *labels; ++k)
            *changed |= lower(components, components->link[link++].part, labels[k]);
    }
    return ICF_OK;
}

/* Labels of the owners' parts back to where the ghosts are. */
static icf_status labels_to_ghosts(icf_components *components, const icf_halo *halo, const icf_islands *islands,
                                   bool *changed)
{
    icf_exchange_begin(halo->exchange);
    icf_status status = ICF_OK;
    for (icf_lid k = 0; k < components->nlink && status == ICF_OK; ++k)
        status = send_label(components, halo, components->link[k].part, components->link[k].rank);
    ICF_TRY(icf_exchange_run(halo->exchange, status));
    icf_lid ghost = 0;
    for (int rank = 0; rank < halo->context->size; ++rank) {
        size_t bytes;
        const label *labels = icf_exchange_read(halo->exchange, rank, &bytes);
        for (size_t k = 0; k < bytes / sizeof *labels; ++k)
            *changed |= lower(components, islands->of_body[components->ghost[ghost++]], labels[k]);
    }
    return ICF_OK;
}

icf_status icf_components_build(icf_components *components, const icf_halo *halo, const icf_bodies *bodies,
                                const icf_islands *islands)
{
    icf_status status = start_parts(components, halo, bodies, islands);
    if (status == ICF_OK) status = write_links(components, halo, bodies, islands);
    ICF_TRY(icf_exchange_run(halo->exchange, status));
    ICF_TRY(icf_agree(halo->context, read_links(components, halo, bodies)));
    int again = components->nghost > 0 || components->nlink > 0;
    ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, halo->context->comm));
    for (components->rounds = 0; again; ++components->rounds) {
        bool changed = false;
        ICF_TRY(labels_to_owners(components, halo, bodies, islands, &changed));
        ICF_TRY(labels_to_ghosts(components, halo, islands, &changed));
        again = changed;
        ICF_MPI_WAIT(MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, halo->context->comm));
    }
    return ICF_OK;
}
