/* A tree of fronts for the threads of one rank. */
#include "solver/front_tasks.h"

#include <omp.h>
#include <string.h>

#include "base/memory.h"

enum { PARTS = 16, SHARES = 2 }; /* workers that solutions are cut for; those of a factor, a thread */

void icf_front_tasks_init(icf_front_tasks *tasks)
{
    *tasks = (icf_front_tasks){0};
    icf_front_cut_init(&tasks->factor);
    icf_front_cut_init(&tasks->solve);
    icf_update_memory_init(&tasks->update_memory);
}

void icf_front_tasks_clear(icf_front_tasks *tasks)
{
    icf_front_cut_clear(&tasks->factor);
    icf_front_cut_clear(&tasks->solve);
    icf_update_memory_clear(&tasks->update_memory);
    for (int t = 0; t < tasks->nstack; ++t) icf_front_stack_clear(&tasks->stack[t]);
    void *const memory[] = {tasks->kept_at, tasks->work, tasks->stack, tasks->taken_at, tasks->taken, tasks->vector};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) icf_free(memory[k]);
    icf_front_tasks_init(tasks);
}

#define GROW(name, n) ICF_TRY(ICF_GROW(tasks->name, tasks->name##_capacity, n))

/* ---- analysis ---- */

static icf_status place_taken(icf_front_tasks *tasks)
{
    const icf_front_cut *cut = &tasks->solve;
    int64_t at = 0;
    GROW(taken_at, cut->nsubtree + 1);
    for (icf_lid k = 0; k < cut->nsubtree; ++k) {
        tasks->taken_at[k] = at;
        at += icf_front_below(tasks->fronts->symbolic, cut->subtree[k]);
    }
    tasks->taken_at[cut->nsubtree] = at;
    GROW(taken, at + 1);
    return ICF_OK;
}

icf_status icf_front_tasks_analyze(icf_front_tasks *tasks, icf_fronts *fronts)
{
    tasks->fronts = fronts;
    tasks->nthread = 0;
    ICF_TRY(icf_front_cut_build(&tasks->solve, fronts->symbolic, PARTS));
    return place_taken(tasks);
}

/* Room in a stack for what one thread does of a cut. */
static icf_status reserve_for(icf_front_stack *stack, const icf_fronts *fronts, const icf_front_cut *cut)
{
    for (icf_lid k = 0; k < cut->nsubtree; ++k)
        ICF_TRY(icf_front_stack_reserve(stack, fronts, icf_front_cut_first(cut, cut->subtree[k]), cut->subtree[k]));
    return ICF_OK;
}

static icf_status reserve_stacks(icf_front_tasks *tasks, int nthread)
{
    size_t capacity = (size_t)tasks->nstack;
    if (tasks->nstack < nthread) {
        ICF_TRY(ICF_GROW(tasks->stack, capacity, nthread));
        for (; tasks->nstack < nthread; ++tasks->nstack) icf_front_stack_init(&tasks->stack[tasks->nstack]);
    }
    for (int t = 0; t < nthread; ++t) {
        ICF_TRY(icf_front_stack_reserve(&tasks->stack[t], tasks->fronts, 0, -1));
        if (nthread > 1) ICF_TRY(reserve_for(&tasks->stack[t], tasks->fronts, &tasks->factor));
    }
    return ICF_OK;
}

static icf_status place_update(icf_front_tasks *tasks, icf_lid s)
{
    const icf_symbolic *symbolic = tasks->fronts->symbolic;
    return icf_update_memory_insert(&tasks->update_memory, icf_front_update_size(symbolic, s),
                                    symbolic->super_parent[s], &tasks->kept_at[s]);
}

static void keep_list(icf_front_tasks *tasks, const icf_lid *list, icf_lid n)
{
    icf_fronts *fronts = tasks->fronts;
    for (icf_lid k = 0; k < n; ++k)
        fronts->kept[list[k]] = icf_front_value(fronts->kernels, tasks->work, tasks->kept_at[list[k]]);
}

/* Tells the fronts where kept updates lie, in the present precision. */
static void keep(icf_front_tasks *tasks)
{
    if (tasks->nthread == 1) return;
    keep_list(tasks, tasks->factor.subtree, tasks->factor.nsubtree);
    keep_list(tasks, tasks->factor.above, tasks->factor.nabove);
}

/* Places of the updates of subtrees, all of which may be there before the first front above them is. */
static icf_status place_updates(icf_front_tasks *tasks)
{
    const icf_front_cut *cut = &tasks->factor;
    GROW(kept_at, tasks->fronts->symbolic->nsuper);
    icf_update_memory_reset(&tasks->update_memory);
    for (icf_lid k = 0; k < cut->nsubtree; ++k) ICF_TRY(place_update(tasks, cut->subtree[k]));
    for (icf_lid k = 0; k < cut->nabove; ++k) {
        ICF_TRY(place_update(tasks, cut->above[k]));
        icf_update_memory_remove(&tasks->update_memory, cut->above[k]);
    }
    return ICF_RENEW(tasks->work, tasks->work_capacity, tasks->update_memory.most + ICF_FRONT_ROWS);
}

static icf_status make_room(icf_front_tasks *tasks, int nthread)
{
    const icf_symbolic *symbolic = tasks->fronts->symbolic;
    tasks->nthread = 0;
    for (icf_lid s = 0; s < symbolic->nsuper; ++s) tasks->fronts->kept[s] = NULL;
    if (nthread > 1) {
        ICF_TRY(icf_front_cut_build(&tasks->factor, symbolic, SHARES * nthread));
        ICF_TRY(place_updates(tasks));
        keep(tasks);
        ICF_TRY(reserve_stacks(tasks, nthread));
    } else {
        ICF_TRY(reserve_stacks(tasks, 1));
        ICF_TRY(icf_front_stack_reserve(&tasks->stack[0], tasks->fronts, 0, symbolic->nsuper - 1));
    }
    ICF_TRY(ICF_RENEW(tasks->vector, tasks->vector_capacity,
                      (size_t)nthread * (size_t)symbolic->place_dof[symbolic->nblock]));
    tasks->nthread = nthread;
    return ICF_OK;
}

icf_status icf_front_tasks_reserve(icf_front_tasks *tasks, int nthread)
{
    if (tasks->nthread != nthread) ICF_TRY(make_room(tasks, nthread));
    keep(tasks);
    return ICF_OK;
}

/* ---- factorisation ---- */

/* The calling thread among those of the tasks; a single one may belong to a team of the caller. */
static int thread_of(const icf_front_tasks *tasks)
{
    return tasks->nthread > 1 ? omp_get_thread_num() : 0;
}

static bool factor_subtrees(icf_front_tasks *tasks, const icf_block_matrix *matrix)
{
    const icf_front_cut *cut = &tasks->factor;
    int bad = 0;
#pragma omp parallel for num_threads(tasks->nthread) schedule(dynamic, 1) reduction(+ : bad)
    for (icf_lid k = 0; k < cut->nsubtree; ++k) {
        const icf_lid root = cut->by_cost[k];
        if (bad > 0) continue;
        bad += !icf_fronts_factor(tasks->fronts, &tasks->stack[thread_of(tasks)], matrix,
                                  icf_front_cut_first(cut, root), root);
    }
    return bad == 0;
}

bool icf_front_tasks_factor(icf_front_tasks *tasks, const icf_block_matrix *matrix)
{
    if (tasks->nthread == 1)
        return icf_fronts_factor(tasks->fronts, &tasks->stack[0], matrix, 0, tasks->fronts->symbolic->nsuper - 1);
    if (!factor_subtrees(tasks, matrix)) return false;
    for (icf_lid k = 0; k < tasks->factor.nabove; ++k)
        if (!icf_fronts_factor_one(tasks->fronts, tasks->nthread, matrix, tasks->factor.above[k])) return false;
    return true;
}

/* ---- solution ---- */

/* Forward solve of a subtree with a vector y of its own; what it takes off the rows below its root goes to taken. */
static void forward_subtree(icf_front_tasks *tasks, icf_lid k, double *x, int thread)
{
    const icf_symbolic *symbolic = tasks->fronts->symbolic;
    const icf_lid root = tasks->solve.subtree[k], first = icf_front_cut_first(&tasks->solve, root);
    const int32_t begin = symbolic->place_dof[symbolic->super_ptr[first]];
    const int32_t end = symbolic->place_dof[symbolic->super_ptr[root + 1]];
    double *y = tasks->vector + (size_t)thread * (size_t)symbolic->place_dof[symbolic->nblock];
    icf_front_stack *stack = &tasks->stack[thread];
    memset(stack->vector, 0, (size_t)symbolic->front_dof[root] * sizeof *y);
    icf_front_scatter_below(symbolic, root, stack->vector, y);
    memcpy(y + begin, x + begin, (size_t)(end - begin) * sizeof *y);
    icf_fronts_forward(tasks->fronts, stack, first, root, y);
    memcpy(x + begin, y + begin, (size_t)(end - begin) * sizeof *y);
    icf_front_gather(symbolic, root, y, stack->vector);
    memcpy(tasks->taken + tasks->taken_at[k], stack->vector + symbolic->pivot_dof[root],
           (size_t)icf_front_below(symbolic, root) * sizeof *y);
}

/* Adds what a subtree has taken off the rows above it. */
static void add_taken(icf_front_tasks *tasks, icf_lid k, double *x)
{
    const icf_symbolic *symbolic = tasks->fronts->symbolic;
    const icf_lid root = tasks->solve.subtree[k];
    const int ncol = symbolic->pivot_dof[root], nbelow = icf_front_below(symbolic, root);
    double *vector = tasks->stack[0].vector;
    icf_front_gather(symbolic, root, x, vector);
    for (int i = 0; i < nbelow; ++i) vector[ncol + i] += tasks->taken[tasks->taken_at[k] + i];
    icf_front_scatter_below(symbolic, root, vector, x);
}

void icf_front_tasks_solve(icf_front_tasks *tasks, double *x)
{
    const icf_front_cut *cut = &tasks->solve;
    icf_front_stack *stack = tasks->stack;
    const int nthread = tasks->nthread;
#pragma omp parallel for num_threads(nthread) if (nthread > 1) schedule(dynamic, 1)
    for (icf_lid k = 0; k < cut->nsubtree; ++k) forward_subtree(tasks, k, x, thread_of(tasks));
    for (icf_lid k = 0; k < cut->nsubtree; ++k) add_taken(tasks, k, x);
    for (icf_lid k = 0; k < cut->nabove; ++k) icf_fronts_forward(tasks->fronts, stack, cut->above[k], cut->above[k], x);
    for (icf_lid k = cut->nabove - 1; k >= 0; --k)
        icf_fronts_backward(tasks->fronts, stack, cut->above[k], cut->above[k], x);
#pragma omp parallel for num_threads(nthread) if (nthread > 1) schedule(dynamic, 1)
    for (icf_lid k = 0; k < cut->nsubtree; ++k) {
        const icf_lid root = cut->by_cost[k];
        icf_fronts_backward(tasks->fronts, &stack[thread_of(tasks)], icf_front_cut_first(cut, root), root, x);
    }
}
