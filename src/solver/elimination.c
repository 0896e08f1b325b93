/* Elimination tree, postorder and column counts of a block matrix.
 *
 * The tree: Liu, "The role of elimination trees in sparse factorization" (1990), rows with path compression.
 * The counts: Gilbert, Ng, Peyton, "An efficient algorithm to compute row and column counts for sparse Cholesky
 * factorization" (1994).  Row i of the factor is a subtree of the tree with root i; each of its leaves adds the
 * row once, the meeting point of two leaves takes it away once, the parent of i takes it away once more, and
 * sums up the tree then give what each column holds.
 */
#include "solver/elimination.h"

#include <string.h>

#include "base/memory.h"

void icf_elimination_init(icf_elimination *tree)
{
    *tree = (icf_elimination){0};
}

void icf_elimination_clear(icf_elimination *tree)
{
    icf_free(tree->memory);
    icf_elimination_init(tree);
}

/* The next n elements of a block of memory. */
static icf_lid *take(icf_lid **next, size_t n)
{
    icf_lid *array = *next;
    *next += n;
    return array;
}

static icf_status reserve(icf_elimination *tree, size_t n, size_t nnz)
{
    ICF_TRY(ICF_GROW(tree->memory, tree->capacity, 15 * n + 2 + 3 * nnz));
    icf_lid *next = tree->memory;
    tree->n = (icf_lid)n;
    tree->node_of = take(&next, n);
    tree->width = take(&next, n);
    tree->row_ptr = take(&next, n + 1);
    tree->row_idx = take(&next, nnz);
    tree->col_ptr = take(&next, n + 1);
    tree->col_idx = take(&next, nnz);
    tree->col_entry = take(&next, nnz);
    tree->parent = take(&next, n);
    tree->number = take(&next, n);
    tree->post = take(&next, n);
    tree->first = take(&next, n);
    tree->count = take(&next, n);
    tree->dofs = take(&next, n);
    tree->scratch = take(&next, 4 * n);
    return ICF_OK;
}

/* Turns counts kept one place ahead, ptr[i + 1], into first positions. */
static void sum_up(icf_lid *ptr, icf_lid n)
{
    for (icf_lid i = 0; i < n; ++i) ptr[i + 1] += ptr[i];
}

/* Sorts the off-diagonal blocks by their later node (rows) and by their earlier node (columns). */
static void sort_entries(icf_elimination *tree, const icf_block_matrix *matrix)
{
    const icf_lid n = tree->n, *node = tree->node_of;
    icf_lid *next_in_row = tree->scratch, *next_in_col = tree->scratch + n;
    memset(tree->row_ptr, 0, ((size_t)n + 1) * sizeof *tree->row_ptr);
    memset(tree->col_ptr, 0, ((size_t)n + 1) * sizeof *tree->col_ptr);
    for (icf_lid j = 0; j < n; ++j)
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const icf_lid a = node[matrix->idx[e]], b = node[j];
            ++tree->row_ptr[ICF_MAX(a, b) + 1];
            ++tree->col_ptr[ICF_MIN(a, b) + 1];
        }
    sum_up(tree->row_ptr, n);
    sum_up(tree->col_ptr, n);
    memcpy(next_in_row, tree->row_ptr, (size_t)n * sizeof *next_in_row);
    memcpy(next_in_col, tree->col_ptr, (size_t)n * sizeof *next_in_col);
    for (icf_lid j = 0; j < n; ++j)
        for (icf_lid e = matrix->ptr[j]; e < matrix->ptr[j + 1]; ++e) {
            const icf_lid a = node[matrix->idx[e]], b = node[j];
            const icf_lid early = ICF_MIN(a, b), late = ICF_MAX(a, b), at = next_in_col[early]++;
            tree->row_idx[next_in_row[late]++] = early;
            tree->col_idx[at] = late;
            tree->col_entry[at] = e;
        }
}

static void build_parents(icf_elimination *tree)
{
    icf_lid *ancestor = tree->scratch, *parent = tree->parent;
    for (icf_lid i = 0; i < tree->n; ++i) {
        parent[i] = ancestor[i] = -1;
        for (icf_lid e = tree->row_ptr[i]; e < tree->row_ptr[i + 1]; ++e) {
            // climb from the neighbour to the root so far, and hang all that was passed below i
            icf_lid j = tree->row_idx[e];
            while (ancestor[j] >= 0 && ancestor[j] != i) {
                const icf_lid up = ancestor[j];
                ancestor[j] = i;
                j = up;
            }
            if (ancestor[j] < 0) ancestor[j] = parent[j] = i;
        }
    }
}

/* A subtree takes consecutive numbers and its root the last; children keep their order. */
static void build_postorder(icf_elimination *tree)
{
    const icf_lid n = tree->n, *parent = tree->parent;
    icf_lid *size = tree->scratch, *last_free = tree->scratch + n, root_free = n - 1;
    for (icf_lid i = 0; i < n; ++i) size[i] = 1;
    for (icf_lid i = 0; i < n; ++i)
        if (parent[i] >= 0) size[parent[i]] += size[i];
    for (icf_lid i = n - 1; i >= 0; --i) {
        icf_lid *slot = parent[i] < 0 ? &root_free : &last_free[parent[i]];
        tree->number[i] = *slot;
        tree->first[i] = *slot - size[i] + 1;
        tree->post[*slot] = i;
        *slot -= size[i];
        last_free[i] = tree->number[i] - 1;
    }
}

/* Root of the set of j, with path compression. */
static icf_lid find(icf_lid *set, icf_lid j)
{
    icf_lid root = j;
    while (set[root] != root) root = set[root];
    while (set[j] != root) {
        const icf_lid up = set[j];
        set[j] = root;
        j = up;
    }
    return root;
}

/* Adds what row `row` brings to node j of its subtree when j is a leaf of it. */
static void count_leaf(icf_elimination *tree, icf_lid row, icf_lid j, icf_lid *last_leaf, icf_lid *set)
{
    const icf_lid before = last_leaf[row];
    if (before >= 0 && tree->first[j] <= tree->number[before]) return;
    tree->count[j] += 1;
    tree->dofs[j] += tree->width[row];
    last_leaf[row] = j;
    if (before < 0) return;
    const icf_lid meeting = find(set, before);
    tree->count[meeting] -= 1;
    tree->dofs[meeting] -= tree->width[row];
}

static void count_columns(icf_elimination *tree)
{
    const icf_lid n = tree->n, *parent = tree->parent;
    icf_lid *last_leaf = tree->scratch, *set = tree->scratch + n;
    for (icf_lid j = 0; j < n; ++j) {
        const bool leaf = tree->first[j] == tree->number[j];
        tree->count[j] = leaf ? 1 : 0;
        tree->dofs[j] = leaf ? tree->width[j] : 0;
        last_leaf[j] = -1;
        set[j] = j;
    }
    for (icf_lid k = 0; k < n; ++k) {
        const icf_lid j = tree->post[k];
        for (icf_lid e = tree->col_ptr[j]; e < tree->col_ptr[j + 1]; ++e)
            count_leaf(tree, tree->col_idx[e], j, last_leaf, set);
        if (parent[j] < 0) continue;
        set[j] = parent[j];
        tree->count[parent[j]] -= 1;
        tree->dofs[parent[j]] -= tree->width[j];
    }
    for (icf_lid j = 0; j < n; ++j) {
        if (parent[j] < 0) continue;
        tree->count[parent[j]] += tree->count[j];
        tree->dofs[parent[j]] += tree->dofs[j];
    }
}

icf_status icf_elimination_build(icf_elimination *tree, const icf_block_matrix *matrix, const icf_lid *order)
{
    const icf_lid n = matrix->nblock;
    ICF_TRY(reserve(tree, (size_t)n, n > 0 ? (size_t)matrix->ptr[n] : 0));
    for (icf_lid i = 0; i < n; ++i) {
        tree->node_of[order[i]] = i;
        tree->width[i] = matrix->dof[order[i] + 1] - matrix->dof[order[i]];
    }
    sort_entries(tree, matrix);
    build_parents(tree);
    build_postorder(tree);
    count_columns(tree);
    return ICF_OK;
}
