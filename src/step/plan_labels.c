/* Islands over borders in a plan: the local islands of all ranks as one graph, and the rounds of their labels.
 *
 * A node is a body as one rank sees it, its own or a ghost that touches something there.  Nodes of one rank are joined
 * by the contacts and attachments that it finds, as its islands are; a ghost's node is linked to the node of the body's
 * owner.
 *
 *     rank 0:  a0 -- b0 -- c0          labels go over the link c0 - c1 to and fro until none changes
 *                          :
 *     rank 1:        b1 -- c1 -- d1    (b0 - b1 likewise)
 */
#include <string.h>

#include "base/memory.h"
#include "step/plan_private.h"

typedef struct node {
    icf_lid body, parent; /* parent in the tree of its part; of a root itself */
    int rank;
} node;

typedef struct label_work {
    icf_plan_work *work;
    icf_plan *plan;
    icf_lid nnode;
    node *node; /* (nnode) by rank */
    size_t node_capacity;
    icf_lid *pair_begin;     /* (nrank + 2) pairs that each rank finds: ... */
    icf_lid *pair;           /* ... indices into the contacts' pairs and the attachments behind them */
    icf_lid *node_of;        /* (bodies) node on the present rank, when `seen` says so */
    int *seen;               /* (bodies) last rank that has a node of the body */
    icf_lid *own_node;       /* (bodies) node on the rank that owns it, -1: none */
    icf_gid *label, *before; /* (nnode) of roots */
    bool *spanning;          /* (nnode) of roots */
} label_work;

static icf_lid find_root(node *nodes, icf_lid i)
{
    while (nodes[i].parent != i) {
        nodes[i].parent = nodes[nodes[i].parent].parent;
        i = nodes[i].parent;
    }
    return i;
}

/* Ranks that find a pair: the owners of its moving bodies.  Returns how many there are. */
static int finders(const int *owner, icf_pair pair, int rank[2])
{
    int n = 0;
    if (owner[pair.a] >= 0) rank[n++] = owner[pair.a];
    if (owner[pair.b] >= 0 && owner[pair.b] != owner[pair.a]) rank[n++] = owner[pair.b];
    return n;
}

static icf_status list_pairs(label_work *labels)
{
    icf_plan_work *work = labels->work;
    const icf_contacts *contacts = &work->domain.contacts;
    const icf_lid nedge = contacts->npair + work->domain.attachments.npair;
    const int nrank = work->settings->nrank;
    icf_lid *begin = labels->pair_begin = ICF_ARENA_ARRAY(&work->arena, icf_lid, nrank + 2);
    labels->pair = ICF_ARENA_ARRAY(&work->arena, icf_lid, 2 * (size_t)nedge);
    if (!begin || !labels->pair) return ICF_ERROR_MEMORY;
    memset(begin, 0, ((size_t)nrank + 2) * sizeof *begin);
    int rank[2];
    for (icf_lid k = 0; k < nedge; ++k) {
        const int n = finders(work->owner, work->domain.edge[k], rank);
        const icf_cnt ncontact = k < contacts->npair ? contacts->pair_begin[k + 1] - contacts->pair_begin[k] : 0;
        for (int f = 0; f < n; ++f) {
            ++begin[rank[f] + 2];
            labels->plan->load[rank[f]].found += ncontact;
        }
    }
    for (int r = 2; r < nrank + 2; ++r) begin[r] += begin[r - 1];
    for (icf_lid k = 0; k < nedge; ++k) {
        const int n = finders(work->owner, work->domain.edge[k], rank);
        for (int f = 0; f < n; ++f) labels->pair[begin[rank[f] + 1]++] = k;
    }
    return ICF_OK;
}

/* Node of a body on a rank, a new one when it is met there first; *root is the root of its part. */
static icf_status meet(label_work *labels, int rank, icf_lid body, icf_lid *root)
{
    if (labels->seen[body] != rank) {
        const icf_lid n = labels->nnode++;
        ICF_TRY(ICF_GROW(labels->node, labels->node_capacity, (size_t)n + 1));
        labels->node[n] = (node){body, n, rank};
        labels->seen[body] = rank;
        labels->node_of[body] = n;
        if (labels->work->owner[body] == rank) labels->own_node[body] = n;
    }
    *root = find_root(labels->node, labels->node_of[body]);
    return ICF_OK;
}

static icf_status join_rank(label_work *labels, int rank)
{
    for (icf_lid k = labels->pair_begin[rank]; k < labels->pair_begin[rank + 1]; ++k) {
        const icf_pair pair = labels->work->domain.edge[labels->pair[k]];
        icf_lid a = -1, b = -1;
        if (labels->work->owner[pair.a] >= 0) ICF_TRY(meet(labels, rank, pair.a, &a));
        if (labels->work->owner[pair.b] >= 0) ICF_TRY(meet(labels, rank, pair.b, &b));
        if (a >= 0 && b >= 0) labels->node[ICF_MAX(a, b)].parent = ICF_MIN(a, b);
    }
    return ICF_OK;
}

static icf_status build_nodes(label_work *labels)
{
    icf_plan_work *work = labels->work;
    const icf_lid n = work->domain.bodies->n;
    labels->node_of = ICF_ARENA_ARRAY(&work->arena, icf_lid, n);
    labels->seen = ICF_ARENA_ARRAY(&work->arena, int, n);
    labels->own_node = ICF_ARENA_ARRAY(&work->arena, icf_lid, n);
    if (!labels->node_of || !labels->seen || !labels->own_node) return ICF_ERROR_MEMORY;
    for (icf_lid i = 0; i < n; ++i) labels->seen[i] = labels->own_node[i] = -1;
    for (int rank = 0; rank < work->settings->nrank; ++rank) ICF_TRY(join_rank(labels, rank));
    return ICF_OK;
}

/* ---- labels ---- */

static bool is_ghost(const label_work *labels, icf_lid n)
{
    return labels->work->owner[labels->node[n].body] != labels->node[n].rank;
}

/* Roots of the part of a ghost's node and of the part that the body is in where it is owned. */
static icf_lid ghost_part(const label_work *labels, icf_lid n)
{
    return find_root(labels->node, n);
}

static icf_lid owner_part(const label_work *labels, icf_lid n)
{
    return find_root(labels->node, labels->own_node[labels->node[n].body]);
}

static icf_status start_labels(label_work *labels, bool *any)
{
    icf_arena *arena = &labels->work->arena;
    const icf_gid *gid = labels->work->domain.bodies->gid;
    labels->label = ICF_ARENA_ARRAY(arena, icf_gid, labels->nnode);
    labels->before = ICF_ARENA_ARRAY(arena, icf_gid, labels->nnode);
    labels->spanning = ICF_ARENA_ARRAY(arena, bool, labels->nnode);
    if (!labels->label || !labels->before || !labels->spanning) return ICF_ERROR_MEMORY;
    *any = false;
    for (icf_lid n = 0; n < labels->nnode; ++n) {
        labels->label[n] = gid[labels->node[n].body];
        labels->spanning[n] = false;
    }
    for (icf_lid n = 0; n < labels->nnode; ++n) {
        const icf_lid root = find_root(labels->node, n);
        labels->label[root] = ICF_MIN(labels->label[root], gid[labels->node[n].body]);
    }
    for (icf_lid n = 0; n < labels->nnode; ++n)
        if (is_ghost(labels, n))
            labels->spanning[ghost_part(labels, n)] = labels->spanning[owner_part(labels, n)] = *any = true;
    return ICF_OK;
}

/* Labels go over all links in one direction, as they were before; whether one was lowered. */
static bool pass_labels(label_work *labels, bool to_owners)
{
    bool changed = false;
    if (labels->nnode > 0) memcpy(labels->before, labels->label, (size_t)labels->nnode * sizeof *labels->label);
    for (icf_lid n = 0; n < labels->nnode; ++n) {
        if (!is_ghost(labels, n)) continue;
        const icf_lid from = to_owners ? ghost_part(labels, n) : owner_part(labels, n);
        const icf_lid to = to_owners ? owner_part(labels, n) : ghost_part(labels, n);
        if (labels->before[from] >= labels->label[to]) continue;
        labels->label[to] = labels->before[from];
        changed = true;
    }
    return changed;
}

static void count_rounds(label_work *labels)
{
    bool changed;
    do {
        changed = pass_labels(labels, true);
        changed = pass_labels(labels, false) || changed;
        ++labels->plan->step.rounds;
    } while (changed);
}

/* A message for every ghost that touches something, to the owner or back. */
static icf_status count_link_messages(label_work *labels, bool back, size_t bytes, icf_cnt times)
{
    icf_traffic *traffic = &labels->work->traffic;
    for (icf_lid n = 0; n < labels->nnode; ++n) {
        const int rank = labels->node[n].rank, home = labels->work->owner[labels->node[n].body];
        ICF_TRY(icf_traffic_add(traffic, back ? home : rank, back ? rank : home, bytes));
    }
    return icf_traffic_end(traffic, times);
}

/* Ids of ghosts to the owners, then labels with the ranks of their bodies to and fro. */
static icf_status count_label_messages(label_work *labels)
{
    const icf_cnt rounds = labels->plan->step.rounds;
    ICF_TRY(count_link_messages(labels, false, sizeof(icf_gid), 1));
    ICF_TRY(count_link_messages(labels, false, sizeof(icf_gid) + sizeof(int64_t), rounds));
    return count_link_messages(labels, true, sizeof(icf_gid) + sizeof(int64_t), rounds);
}

/* A report of every part of an island over several ranks to the rank that owns the body of its label, and an answer. */
static icf_status count_reports(label_work *labels)
{
    /* label, first body and bodies; place of the report, bodies, rank, size of a group */
    enum { report_bytes = 2 * sizeof(icf_gid) + sizeof(icf_cnt), answer_bytes = 4 * sizeof(int64_t) };
    const icf_plan_work *work = labels->work;
    icf_traffic *traffic = &labels->work->traffic;
    for (int back = 0; back < 2; ++back) {
        for (icf_lid n = 0; n < labels->nnode; ++n) {
            if (!labels->spanning[n] || labels->node[n].parent != n) continue;
            const int rank = labels->node[n].rank;
            const int book = work->owner[icf_bodies_find(work->domain.bodies, labels->label[n])];
            const int group = work->group[work->domain.islands.of_body[labels->node[n].body]];
            const size_t answer = answer_bytes + (size_t)group * sizeof(int64_t);
            ICF_TRY(icf_traffic_add(traffic, back ? book : rank, back ? rank : book, back ? answer : report_bytes));
        }
        ICF_TRY(icf_traffic_end(traffic, 1));
    }
    return ICF_OK;
}

static icf_status count_labels(label_work *labels)
{
    bool any;
    ICF_TRY(list_pairs(labels));
    if (labels->work->settings->nrank == 1) return ICF_OK;
    ICF_TRY(build_nodes(labels));
    ICF_TRY(start_labels(labels, &any));
    if (!any) return ICF_OK;
    count_rounds(labels);
    ICF_TRY(count_label_messages(labels));
    return count_reports(labels);
}

icf_status icf_plan_count_labels(icf_plan_work *work, icf_plan *plan)
{
    label_work labels = {.work = work, .plan = plan};
    const icf_status status = count_labels(&labels);
    icf_free(labels.node);
    return status;
}
