/* Rows of a few vertex indices, sorted. */
#include "scene/index_rows.h"

#include <string.h>

#include "base/memory.h"

icf_status icf_index_rows_init(icf_index_rows *rows, icf_lid n, int width)
{
    *rows = (icf_index_rows){.n = n, .width = width};
    if (n == 0) return ICF_OK;
    rows->row = icf_alloc((size_t)n * (size_t)width * sizeof *rows->row);
    rows->items = icf_alloc((size_t)n * sizeof *rows->items);
    rows->work = icf_alloc((size_t)n * sizeof *rows->work);
    if (rows->row && rows->items && rows->work) return ICF_OK;
    icf_index_rows_clear(rows);
    return ICF_ERROR_MEMORY;
}

void icf_index_rows_clear(icf_index_rows *rows)
{
    icf_free(rows->row);
    icf_free(rows->items);
    icf_free(rows->work);
    *rows = (icf_index_rows){0};
}

icf_lid *icf_index_row(const icf_index_rows *rows, icf_lid i)
{
    return rows->row + (size_t)i * (size_t)rows->width;
}

/* Insertion sort of a few indices. */
static void sort_ascending(int n, icf_lid *index)
{
    for (int i = 1; i < n; ++i) {
        const icf_lid value = index[i];
        int j = i;
        for (; j > 0 && index[j - 1] > value; --j) index[j] = index[j - 1];
        index[j] = value;
    }
}

void icf_index_rows_set(icf_index_rows *rows, icf_lid i, const icf_lid *index)
{
    icf_lid *row = icf_index_row(rows, i);
    memcpy(row, index, (size_t)rows->width * sizeof *row);
    sort_ascending(rows->width, row);
}

void icf_index_rows_sort(icf_index_rows *rows)
{
    icf_sort_rows(rows->n, rows->width, rows->row, rows->items, rows->work);
}

/* Lexicographic comparison of the row at place i of the order with an index list. */
static int compare_at(const icf_index_rows *rows, icf_lid i, const icf_lid *index)
{
    const icf_lid *row = icf_index_row(rows, rows->items[i].value);
    for (int c = 0; c < rows->width; ++c)
        if (row[c] != index[c]) return row[c] < index[c] ? -1 : 1;
    return 0;
}

icf_lid icf_index_rows_equal(const icf_index_rows *rows, icf_lid i)
{
    const icf_lid *row = icf_index_row(rows, rows->items[i].value);
    icf_lid end = i + 1;
    while (end < rows->n && compare_at(rows, end, row) == 0) ++end;
    return end - i;
}

icf_lid icf_index_rows_find(const icf_index_rows *rows, const icf_lid *index)
{
    icf_lid begin = 0, end = rows->n;
    while (begin < end) {
        const icf_lid middle = begin + (end - begin) / 2;
        if (compare_at(rows, middle, index) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < rows->n && compare_at(rows, begin, index) == 0 ? rows->items[begin].value : -1;
}
