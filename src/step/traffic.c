/* Counting of messages. */
#include "step/traffic.h"

#include "base/memory.h"

void icf_traffic_init(icf_traffic *traffic, int nrank, icf_rank_load *load)
{
    *traffic = (icf_traffic){.nrank = nrank, .load = load};
}

void icf_traffic_clear(icf_traffic *traffic)
{
    icf_free(traffic->item);
    icf_free(traffic->work);
    icf_traffic_init(traffic, traffic->nrank, traffic->load);
}

icf_status icf_traffic_add(icf_traffic *traffic, int from, int to, size_t bytes)
{
    if (from == to || bytes == 0) return ICF_OK;
    if (traffic->n == INT32_MAX) return ICF_ERROR_MEMORY;
    ICF_TRY(ICF_GROW(traffic->item, traffic->item_capacity, (size_t)traffic->n + 1));
    const uint64_t key = (uint64_t)from * (uint64_t)traffic->nrank + (uint64_t)to;
    traffic->item[traffic->n++] = (icf_keyed){key, (icf_lid)bytes};
    return ICF_OK;
}

icf_status icf_traffic_end(icf_traffic *traffic, icf_cnt times)
{
    ICF_TRY(ICF_GROW(traffic->work, traffic->work_capacity, traffic->n));
    icf_sort_keyed(traffic->n, traffic->item, traffic->work);
    for (icf_lid k = 0; k < traffic->n; ++k) {
        icf_rank_load *load = &traffic->load[traffic->item[k].key / (uint64_t)traffic->nrank];
        const bool first = k == 0 || traffic->item[k - 1].key != traffic->item[k].key;
        load->messages += first ? times : 0;
        load->bytes += times * traffic->item[k].value;
    }
    traffic->n = 0;
    return ICF_OK;
}
