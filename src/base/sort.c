/* Radix sort from the most significant digit that differs, so that all but the first rounds stay in the cache;
 * insertion sort for a few items. */
#include "base/sort.h"

#include <string.h>

enum { digit_bits = 8, nbucket = 1 << digit_bits, few_items = 32 };

static void insertion_sort(icf_lid n, icf_keyed *items)
{
    for (icf_lid i = 1; i < n; ++i) {
        const icf_keyed item = items[i];
        icf_lid j = i;
        for (; j > 0 && items[j - 1].key > item.key; --j) items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Bits in which not all keys agree. */
static uint64_t differing_bits(icf_lid n, const icf_keyed *items)
{
    uint64_t bits = 0;
    for (icf_lid i = 1; i < n; ++i) bits |= items[i].key ^ items[0].key;
    return bits;
}

static unsigned digit_of(uint64_t key, int shift)
{
    return (unsigned)(key >> shift) & (nbucket - 1);
}

/* Distributes items by the digit at `shift`.
 *   end [out] (nbucket) where each bucket ends */
static void distribute(icf_lid n, const icf_keyed *from, icf_keyed *to, int shift, icf_lid *end)
{
    memset(end, 0, nbucket * sizeof *end);
    for (icf_lid i = 0; i < n; ++i) ++end[digit_of(from[i].key, shift)];
    icf_lid begin = 0;
    for (int bucket = 0; bucket < nbucket; ++bucket) {
        const icf_lid items = end[bucket];
        end[bucket] = begin;
        begin += items;
    }
    for (icf_lid i = 0; i < n; ++i) to[end[digit_of(from[i].key, shift)]++] = from[i];
}

/* Sorts items in place, or into `other` if `across`; the other array is scratch then. */
static void sort_part(icf_lid n, icf_keyed *items, icf_keyed *other, bool across)
{
    const uint64_t bits = n > few_items ? differing_bits(n, items) : 0;
    if (bits == 0) {
        if (n <= few_items) insertion_sort(n, items);
        if (across) memcpy(other, items, (size_t)n * sizeof *items);
        return;
    }
    icf_lid end[nbucket], begin = 0;
    distribute(n, items, other, ICF_MAX(0, 64 - __builtin_clzll(bits) - digit_bits), end);
    for (int bucket = 0; bucket < nbucket; ++bucket) {
        if (end[bucket] > begin) sort_part(end[bucket] - begin, other + begin, items + begin, !across);
        begin = end[bucket];
    }
}

void icf_sort_keyed(icf_lid n, icf_keyed *items, icf_keyed *work)
{
    sort_part(n, items, work, false);
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
