/* Binary search in ascending arrays: the first position in begin .. end - 1 whose number is not below the one wanted,
 * end if there is none. */
#ifndef ICF_BASE_SEARCH_H
#define ICF_BASE_SEARCH_H

#include "base/types.h"

static inline icf_lid icf_search_gid(const icf_gid *gid, icf_lid begin, icf_lid end, icf_gid wanted)
{
    while (begin < end) {
        const icf_lid middle = begin + (end - begin) / 2;
        if (gid[middle] < wanted)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static inline icf_lid icf_search_lid(const icf_lid *number, icf_lid begin, icf_lid end, icf_lid wanted)
{
    while (begin < end) {
        const icf_lid middle = begin + (end - begin) / 2;
        if (number[middle] < wanted)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

#endif
