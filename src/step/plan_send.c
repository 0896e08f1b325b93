/* Messages of groups of ranks, for a plan: the rules of step/group_solve.c and of the group's linear solver. */
#include <math.h>

#include "base/memory.h"
#include "solver/attachment_constraints.h"
#include "solver/crossing_parts.h"
#include "step/plan_group.h"

/* ---- who holds what ---- */

/* Pairs of bodies of the island that constraints couple: first its contacts', then its attachments'. */
static const icf_contact_constraints *contacts_of(const icf_plan_view *view)
{
    return (const icf_contact_constraints *)view->problem->family[0];
}

static const icf_attachment_constraints *attachments_of(const icf_plan_view *view)
{
    return view->problem->nfamily > 1 ? (const icf_attachment_constraints *)view->problem->family[1] : NULL;
}

/* A rank's key in a list by something else. */
static icf_keyed key_of(const icf_traffic *traffic, uint64_t what, int rank)
{
    return (icf_keyed){what * (uint64_t)traffic->nrank + (uint64_t)rank, 0};
}

static uint64_t what_of(const icf_traffic *traffic, icf_keyed item)
{
    return item.key / (uint64_t)traffic->nrank;
}

static int rank_of(const icf_traffic *traffic, icf_keyed item)
{
    return (int)(item.key % (uint64_t)traffic->nrank);
}

/* Sorts a list and leaves one of each. */
static icf_status make_unique(icf_plan_group *group, icf_keyed *item, icf_lid *n)
{
    icf_lid kept = 0;
    ICF_TRY(ICF_GROW(group->work, group->work_capacity, *n + 1));
    icf_sort_keyed(*n, item, group->work);
    for (icf_lid k = 0; k < *n; ++k)
        if (k == 0 || item[k].key != item[k - 1].key) item[kept++] = item[k];
    *n = kept;
    return ICF_OK;
}

/* The body is a shadow where it takes part in what another rank holds. */
static icf_status add_shadow(icf_plan_group *group, const icf_plan_view *view, icf_lid body, int holder,
                             const icf_traffic *traffic)
{
    if (view->owner[body] < 0 || view->owner[body] == holder) return ICF_OK;
    ICF_TRY(ICF_GROW(group->shadow, group->shadow_capacity, group->nshadow + 1));
    group->shadow[group->nshadow++] = key_of(traffic, (uint64_t)body, holder);
    return ICF_OK;
}

int icf_plan_contact_holder(const icf_plan_view *view, icf_pair pair)
{
    return view->owner[pair.a] >= 0 ? view->owner[pair.a] : view->owner[pair.b];
}

static icf_status list_shadows(icf_plan_group *group, const icf_plan_view *view, const icf_traffic *traffic)
{
    const icf_contact_constraints *contact = contacts_of(view);
    const icf_attachment_constraints *attachment = attachments_of(view);
    group->nshadow = 0;
    for (icf_lid k = 0; k < contact->npair; ++k) {
        const icf_pair pair = contact->contacts->pair[contact->pair[k]];
        ICF_TRY(add_shadow(group, view, pair.b, icf_plan_contact_holder(view, pair), traffic));
    }
    for (icf_lid k = 0; attachment && k < attachment->npair; ++k) {
        const icf_pair pair = attachment->attachments->pair[attachment->pair[k]];
        ICF_TRY(add_shadow(group, view, pair.a, view->owner[pair.b], traffic));
    }
    return make_unique(group, group->shadow, &group->nshadow);
}

/* ---- blocks of the Hessian ---- */

/* What a rank has entries of. */
typedef struct entry_list {
    icf_plan_group *group;
    const icf_traffic *traffic;
    uint64_t nblock;
    int holder;
} entry_list;

static icf_status add_entry(void *user, icf_lid i, icf_lid j)
{
    const entry_list *list = user;
    icf_plan_group *group = list->group;
    const uint64_t row = (uint64_t)ICF_MAX(i, j), column = (uint64_t)ICF_MIN(i, j);
    ICF_TRY(ICF_GROW(group->entry, group->entry_capacity, group->nentry + 1));
    group->entry[group->nentry++] = key_of(list->traffic, column * list->nblock + row, list->holder);
    return ICF_OK;
}

static icf_status add_body(entry_list *list, const icf_plan_view *view, icf_lid body, int rank)
{
    const icf_lid first = contacts_of(view)->block[body], n = icf_bodies_blocks(view->bodies, body);
    list->holder = rank;
    for (icf_lid b = first; b < first + n; ++b) ICF_TRY(add_entry(list, b, b));
    return ICF_OK;
}

/* A family cut down to one pair after the other says which blocks the pair couples. */
static icf_status add_pairs(entry_list *list, const icf_plan_view *view)
{
    icf_contact_constraints contact = *contacts_of(view);
    const icf_lid ncontact = contact.npair;
    contact.npair = 1;
    for (icf_lid k = 0; k < ncontact; ++k, ++contact.pair) {
        list->holder = icf_plan_contact_holder(view, contact.contacts->pair[*contact.pair]);
        ICF_TRY(contact.base.ops->couple(&contact.base, add_entry, list));
    }
    if (!attachments_of(view)) return ICF_OK;
    icf_attachment_constraints attachment = *attachments_of(view);
    const icf_lid nattachment = attachment.npair;
    attachment.npair = 1;
    for (icf_lid k = 0; k < nattachment; ++k, ++attachment.pair) {
        list->holder = view->owner[attachment.attachments->pair[*attachment.pair].b];
        ICF_TRY(attachment.base.ops->couple(&attachment.base, add_entry, list));
    }
    return ICF_OK;
}

/* Blocks of A between vertices are their body's owner's. */
static icf_status add_meshes(entry_list *list, const icf_plan_view *view)
{
    icf_lid next = 0;
    for (icf_lid k = 0; k < view->nbody; ++k) {
        if (!icf_bodies_is_deformable(view->bodies, view->body[k])) continue;
        const icf_momentum_mesh *mesh = &view->problem->mesh[next++];
        list->holder = view->owner[view->body[k]];
        for (icf_lid j = 0; j < mesh->n; ++j)
            for (icf_lid e = mesh->ptr[j]; e < mesh->ptr[j + 1]; ++e)
                ICF_TRY(add_entry(list, mesh->first + mesh->idx[e], mesh->first + j));
    }
    return ICF_OK;
}

static icf_status list_entries(icf_plan_group *group, const icf_plan_view *view, const icf_traffic *traffic)
{
    entry_list list = {.group = group, .traffic = traffic, .nblock = (uint64_t)view->problem->nblock};
    group->nentry = 0;
    for (icf_lid k = 0; k < view->nbody; ++k) ICF_TRY(add_body(&list, view, view->body[k], view->owner[view->body[k]]));
    for (icf_lid k = 0; k < group->nshadow; ++k)
        ICF_TRY(add_body(&list, view, (icf_lid)what_of(traffic, group->shadow[k]), rank_of(traffic, group->shadow[k])));
    ICF_TRY(add_pairs(&list, view));
    ICF_TRY(add_meshes(&list, view));
    return make_unique(group, group->entry, &group->nentry);
}

/* Those in the pattern. */
static icf_status send_entries(icf_plan_group *group, const icf_plan_view *view, const icf_block_matrix *pattern,
                               icf_cnt times, icf_traffic *traffic)
{
    const int32_t *dof = view->problem->dof;
    const uint64_t nblock = (uint64_t)view->problem->nblock;
    for (icf_lid k = 0; k < group->nentry; ++k) {
        const uint64_t block = what_of(traffic, group->entry[k]);
        const icf_lid row = (icf_lid)(block % nblock), column = (icf_lid)(block / nblock);
        if (row != column && icf_block_matrix_find(pattern, row, column) < 0) continue;
        const size_t values = (size_t)(dof[row + 1] - dof[row]) * (size_t)(dof[column + 1] - dof[column]);
        int rank[ICF_BLOCK_RANKS];
        const int n = icf_front_block_ranks(&group->map, row, column, rank);
        for (int r = 0; r < n; ++r)
            ICF_TRY(icf_traffic_add(traffic, rank_of(traffic, group->entry[k]), group->rank[rank[r]],
                                    values * sizeof(double)));
    }
    return icf_traffic_end(traffic, times);
}

/* ---- vectors ---- */

static size_t dof_bytes(const icf_plan_view *view, icf_lid body)
{
    return (size_t)icf_bodies_dofs(view->bodies, body) * sizeof(double);
}

enum { ITS_DOFS = 0 };

/* Something of each shadow to or from its owner: so many bytes, or its dofs. */
static icf_status send_shadows(const icf_plan_group *group, const icf_plan_view *view, bool home, size_t bytes,
                               icf_cnt times, icf_traffic *traffic)
{
    for (icf_lid k = 0; k < group->nshadow; ++k) {
        const icf_lid body = (icf_lid)what_of(traffic, group->shadow[k]);
        const int holder = rank_of(traffic, group->shadow[k]), at_home = view->owner[body];
        ICF_TRY(icf_traffic_add(traffic, home ? holder : at_home, home ? at_home : holder,
                                bytes == ITS_DOFS ? dof_bytes(view, body) : bytes));
    }
    return icf_traffic_end(traffic, times);
}

static icf_status send_block(const icf_plan_group *group, icf_lid block, int owner, bool home, icf_traffic *traffic)
{
    const icf_symbolic *symbolic = &group->symbolic;
    const icf_lid place = symbolic->iperm[block], s = symbolic->super_of[place];
    const int32_t front = symbolic->place_dof[symbolic->super_ptr[s]];
    for (int32_t dof = symbolic->place_dof[place]; dof < symbolic->place_dof[place + 1]; ++dof) {
        const int holder = group->rank[icf_front_column_owner(&group->map, s, dof - front)];
        ICF_TRY(icf_traffic_add(traffic, home ? holder : owner, home ? owner : holder, sizeof(double)));
    }
    return ICF_OK;
}

/* Right-hand side to the ranks that have the columns, or the solution back. */
static icf_status send_vector(const icf_plan_group *group, const icf_plan_view *view, bool home, icf_cnt times,
                              icf_traffic *traffic)
{
    for (icf_lid k = 0; k < view->nbody; ++k) {
        const icf_lid body = view->body[k], first = contacts_of(view)->block[body];
        for (icf_lid b = first; b < first + icf_bodies_blocks(view->bodies, body); ++b)
            ICF_TRY(send_block(group, b, view->owner[body], home, traffic));
    }
    return icf_traffic_end(traffic, times);
}

/* ---- parts ---- */

double icf_plan_piece_values(const icf_plan_view *view)
{
    const icf_contact_constraints *family = contacts_of(view);
    icf_cnt n = 0;
    for (icf_lid k = 0; k < family->npair; ++k)
        n += family->contacts->pair_begin[family->pair[k] + 1] - family->contacts->pair_begin[family->pair[k]];
    const double each = 1.0 / view->problem->nblock;
    return ICF_PIECE_BLOCK + each * (double)(ICF_COPY_PAIR * family->npair + ICF_COPY_CONTACT * n);
}

/* Residuals of shadows there, largest ones of neighbours back and forth, blocks at borders to all ranks, and pieces: of
 * the blocks in parts a quarter went to another rank in piles of 4,000 bodies, by way of borders between its ranks. */
static icf_status send_parts(const icf_plan_group *group, const icf_plan_view *view, const icf_plan_solve *solve,
                             icf_traffic *traffic)
{
    if (group->nshadow == 0) return ICF_OK;
    const double at_borders = 2.0 * solve->found * group->nshadow; /* each is in a list of its owner, too */
    const double sent = 0.25 * solve->found * view->problem->nblock * sizeof(double) * icf_plan_piece_values(view);
    const icf_cnt others = group->nrank - 1;
    for (int r = 0; r < group->nrank; ++r) {
        icf_rank_load *load = &traffic->load[group->rank[r]];
        load->messages += solve->polishes * others;
        load->bytes += solve->polishes * others * llround(sizeof(icf_border) * at_borders / group->nrank);
    }
    const size_t out = (size_t)(0.5 * sent / group->nshadow), back = out / 20;
    ICF_TRY(send_shadows(group, view, false, sizeof(double), 2 * solve->searches, traffic));
    ICF_TRY(send_shadows(group, view, true, sizeof(double), solve->searches, traffic));
    for (int home = 0; home < 2; ++home) {
        ICF_TRY(send_shadows(group, view, home, out + 1, solve->polishes, traffic));
        ICF_TRY(send_shadows(group, view, home, back + 1, solve->polishes, traffic));
    }
    return send_shadows(group, view, false, ITS_DOFS, solve->polishes, traffic);
}

/* ---- factors and solutions ---- */

/* Room for the present share, where it is more than for those before. */
static void note_room(icf_plan_group *group)
{
    const double stacks = 2.0 * (double)group->symbolic.nstack;
    double all = 0.0;
    for (int r = 0; r < group->nrank; ++r) all += group->load[r].values;
    for (int r = 0; r < group->nrank; ++r) {
        const icf_front_load *share = &group->load[r];
        const double room = share->values + share->kept + 2.0 * share->strip + stacks * share->values / all;
        group->room[r] = fmax(group->room[r], room);
    }
}

/* All that was factored and solved in the present share. */
static icf_status send_factors(icf_plan_group *group, const icf_plan_view *view, const icf_block_matrix *pattern,
                               icf_pattern_work work, icf_traffic *traffic)
{
    note_room(group);
    ICF_TRY(send_entries(group, view, pattern, work.factorizations, traffic));
    ICF_TRY(send_vector(group, view, false, work.solves, traffic));
    ICF_TRY(send_vector(group, view, true, work.solves, traffic));
    for (int r = 0; r < group->nrank; ++r) {
        icf_rank_load *load = &traffic->load[group->rank[r]];
        const icf_front_load *share = &group->load[r];
        load->messages += work.factorizations * share->factor.messages + work.solves * share->solve.messages;
        load->bytes += work.factorizations * share->factor.bytes - work.singles * share->factor.bytes / 2;
        load->bytes += work.solves * share->solve.bytes;
        group->all[r].flops += (double)work.factorizations * share->flops;
        group->all[r].updates += (double)work.factorizations * share->updates;
        group->all[r].values += (double)work.solves * share->values;
    }
    return ICF_OK;
}

static icf_pattern_work minus(icf_pattern_work a, icf_pattern_work b)
{
    return (icf_pattern_work){a.factorizations - b.factorizations, a.singles - b.singles, a.solves - b.solves};
}

/* One pattern after the other. */
static icf_status send_all_factors(icf_plan_group *group, const icf_plan_view *view, const icf_block_matrix *pattern,
                                   const icf_pattern_log *log, const icf_plan_solve *solve, icf_traffic *traffic)
{
    const icf_pattern_work all = {solve->factorizations, solve->singles, solve->solves};
    for (int r = 0; r < group->nrank; ++r) {
        group->all[r] = (icf_front_load){0};
        group->room[r] = 0.0;
    }
    if (log->n == 0) return send_factors(group, view, pattern, all, traffic);
    for (int k = 0; k < log->n; ++k) {
        const icf_pattern_entry *entry = &log->entry[k];
        const icf_block_matrix met = {
            .nblock = pattern->nblock, .dof = pattern->dof, .ptr = entry->ptr, .idx = entry->idx};
        const icf_pattern_work after = k + 1 < log->n ? entry[1].before : all;
        ICF_TRY(icf_plan_group_share(group, &met, entry->order, view));
        ICF_TRY(send_factors(group, view, &met, minus(after, entry->before), traffic));
    }
    return ICF_OK;
}

/* ---- all together ---- */

icf_status icf_plan_group_send(icf_plan_group *group, const icf_plan_view *view, const icf_block_matrix *pattern,
                               const icf_pattern_log *log, const icf_plan_solve *solve, icf_traffic *traffic)
{
    icf_rank_load *loads = traffic->load;
    for (int r = 0; r < group->nrank; ++r) loads[group->rank[r]].group_bytes -= loads[group->rank[r]].bytes;
    ICF_TRY(list_shadows(group, view, traffic));
    ICF_TRY(list_entries(group, view, traffic));
    ICF_TRY(send_shadows(group, view, false, ITS_DOFS, solve->lines, traffic));
    ICF_TRY(send_shadows(group, view, true, ITS_DOFS, solve->evaluations + solve->products, traffic));
    ICF_TRY(send_all_factors(group, view, pattern, log, solve, traffic));
    if (solve->searches > 0) ICF_TRY(send_parts(group, view, solve, traffic));
    for (int r = 0; r < group->nrank; ++r) loads[group->rank[r]].group_bytes += loads[group->rank[r]].bytes;
    return ICF_OK;
}
