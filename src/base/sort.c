/* Radix sort from the least significant digit; insertion sort for a few items. */
#include "base/sort.h"

#include <string.h>

enum { digit_bits = 8, ndigit = 64 / digit_bits, nbucket = 1 << digit_bits, few_items = 48 };

static void insertion_sort(icf_lid n, icf_keyed *items)
{
    for (icf_lid i = 1; i < n; ++i) {
        const icf_keyed item = items[i];
        icf_lid j = i;
        for (; j > 0 && items[j - 1].key > item.key; --j) items[j] = items[j - 1];
        items[j] = item;
    }
}

static unsigned digit_of(uint64_t key, int digit)
{
    return (unsigned)(key >> (digit * digit_bits)) & (nbucket - 1);
}

/* Distributes items by one digit; count becomes the first position of each bucket. */
static void distribute(icf_lid n, const icf_keyed *from, icf_keyed *to, int digit, icf_lid *count)
{
    icf_lid begin = 0;
    for (int bucket = 0; bucket < nbucket; ++bucket) {
        const icf_lid items = count[bucket];
        count[bucket] = begin;
        begin += items;
    }
    for (icf_lid i = 0; i < n; ++i) to[count[digit_of(from[i].key, digit)]++] = from[i];
}

void icf_sort_keyed(icf_lid n, icf_keyed *items, icf_keyed *work)
{
    if (n <= few_items) {
        insertion_sort(n, items);
        return;
    }
    icf_lid count[ndigit][nbucket];
    memset(count, 0, sizeof count);
    for (icf_lid i = 0; i < n; ++i)
        for (int digit = 0; digit < ndigit; ++digit) ++count[digit][digit_of(items[i].key, digit)];

    icf_keyed *from = items, *to = work;
    for (int digit = 0; digit < ndigit; ++digit) {
        if (count[digit][digit_of(items[0].key, digit)] == n) continue;
        distribute(n, from, to, digit, count[digit]);
        icf_keyed *const swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof *items);
}

/* Two numbers of a row at a time, from the last: each sort keeps the order of the ones before. */
void icf_sort_rows(icf_lid n, int width, const icf_lid *rows, icf_keyed *items, icf_keyed *work)
{
    for (icf_lid i = 0; i < n; ++i) items[i].value = i;
    for (int last = width - 1; last >= 0; last -= 2) {
        for (icf_lid i = 0; i < n; ++i) {
            const icf_lid *row = rows + (size_t)items[i].value * (size_t)width;
            const uint64_t high = last > 0 ? (uint64_t)row[last - 1] : 0;
            items[i].key = high << 32 | (uint64_t)row[last];
        }
        icf_sort_keyed(n, items, work);
    }
}
