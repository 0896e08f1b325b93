/* ranks.csv */
#include "io/ranks_csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"

static const char header[] = "step,rank,cpu,bodies,candidates,messages,bytes";

/* How much of an earlier file stays. */
typedef struct keeper {
    icf_cnt last_step;
    bool header_seen;
} keeper;

static bool keep_line(void *user, char *line)
{
    keeper *k = user;
    if (!k->header_seen) return k->header_seen = strcmp(line, header) == 0;
    char *end;
    const icf_cnt step = strtoll(line, &end, 10);
    return end > line && *end == ',' && step <= k->last_step;
}

static icf_status open_file(icf_context *context, icf_text_file *file, const char *path, icf_cnt last_step)
{
    keeper k = {.last_step = last_step};
    off_t size = 0;
    ICF_TRY(icf_text_file_open(context, file, path, ""));
    if (last_step >= 0) ICF_TRY(icf_text_file_scan(context, file, keep_line, &k, &size));
    ICF_TRY(icf_text_file_cut(context, file, size));
    if (size == 0) icf_text_print(&file->text, "%s\n", header);
    return ICF_OK;
}

icf_status icf_ranks_open(icf_context *context, icf_text_file *file, const char *directory, icf_cnt last_step)
{
    if (context->rank > 0) return ICF_OK;
    char *path = icf_path_print("%s/ranks.csv", directory);
    if (!path) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    const icf_status status = open_file(context, file, path, last_step);
    icf_free(path);
    return status;
}

static void put_line(icf_text *text, icf_cnt step, int rank, const icf_rank_stats *of)
{
    icf_text_print(text, "%" PRId64 ",%d,%.4f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", step, rank, of->cpu,
                   of->bodies, of->candidates, of->messages, of->bytes);
}

icf_status icf_ranks_put(icf_context *context, icf_text_file *file, const icf_step_stats *stats)
{
    icf_rank_stats *all = NULL;
    icf_status status = ICF_OK;
    if (context->rank == 0) {
        all = icf_alloc((size_t)context->size * sizeof *all);
        if (!all) status = icf_fail(context, ICF_ERROR_MEMORY, "out of memory for the statistics of ranks");
    }
    ICF_TRY(icf_agree(context, status));
    MPI_Gather(&stats->own, (int)sizeof *all, MPI_BYTE, all, (int)sizeof *all, MPI_BYTE, 0, context->comm);
    for (int rank = 0; all && rank < context->size; ++rank) put_line(&file->text, stats->step, rank, &all[rank]);
    icf_free(all);
    return ICF_OK;
}
