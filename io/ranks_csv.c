/* ranks.csv */
#include "io/ranks_csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    return icf_text_file_flush(context, file);
}

icf_status icf_ranks_open(icf_context *context, icf_ranks_file *ranks, const char *directory, icf_cnt last_step,
                          bool wanted)
{
    char *path = icf_path_print("%s/ranks.csv", directory);
    if (!path) return icf_fail(context, ICF_ERROR_MEMORY, "out of memory for a path");
    icf_status status = ICF_OK;
    if (wanted || access(path, F_OK) == 0) status = open_file(context, &ranks->file, path, last_step);
    icf_free(path);
    ICF_TRY(status);
    if (!wanted) return icf_text_file_close(context, &ranks->file);
    ranks->all = icf_alloc((size_t)context->size * sizeof *ranks->all);
    return ranks->all ? ICF_OK : icf_fail(context, ICF_ERROR_MEMORY, "out of memory for the statistics of ranks");
}

static void put_line(icf_text *text, icf_cnt step, int rank, const icf_rank_stats *of)
{
    icf_text_print(text, "%" PRId64 ",%d,%.4f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", step, rank, of->cpu,
                   of->bodies, of->candidates, of->messages, of->bytes);
}

void icf_ranks_put(icf_context *context, icf_ranks_file *ranks, const icf_step_stats *stats)
{
    const int size = (int)sizeof stats->own;
    MPI_Gather(&stats->own, size, MPI_BYTE, ranks->all, size, MPI_BYTE, 0, context->comm);
    for (int rank = 0; ranks->all && rank < context->size; ++rank)
        put_line(&ranks->file.text, stats->step, rank, &ranks->all[rank]);
}

icf_status icf_ranks_close(icf_context *context, icf_ranks_file *ranks)
{
    ICF_FREE(ranks->all);
    return icf_text_file_close(context, &ranks->file);
}
