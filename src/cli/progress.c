/* Progress line of a run. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static const double terminal_interval = 0.1, plain_interval = 1.0; /* s */

void icf_progress_begin(icf_progress *progress, const icf_context *context, icf_progress_mode mode, icf_cnt first,
                        icf_cnt last)
{
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const bool automatic = mode == ICF_PROGRESS_AUTO && terminal && context->level != ICF_LOG_QUIET;
    const double now = icf_clock_wall();
    *progress = (icf_progress){.enabled = context->rank == 0 && (mode == ICF_PROGRESS_ALWAYS || automatic),
                               .terminal = terminal,
                               .first = first,
                               .last = last,
                               .begin = now,
                               .printed = now};
}

/* Seconds as "12 s", "3:05" or "2:03:05". */
static void print_duration(double seconds)
{
    const long s = (long)(seconds + 0.5);
    if (s < 60)
        fprintf(stderr, "%ld s", s);
    else if (s < 3600)
        fprintf(stderr, "%ld:%02ld", s / 60, s % 60);
    else
        fprintf(stderr, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

void icf_progress_show(icf_progress *progress, const icf_step_stats *stats)
{
    if (!progress->enabled) return;
    const double now = icf_clock_wall();
    const double interval = progress->terminal ? terminal_interval : plain_interval;
    if (now - progress->printed < interval && stats->step != progress->last) return;
    const double per_step = (now - progress->begin) / (double)(stats->step - progress->first);
    if (progress->terminal) fputs("\r\033[K", stderr);
    fprintf(stderr,
            "t = %.4g s  step %" PRId64 "/%" PRId64 "  %" PRId64 " contacts  %.1f iterations  %.3g ms/step  left ",
            stats->time, stats->step, progress->last, stats->candidates, stats->iterations_mean, 1e3 * per_step);
    print_duration(per_step * (double)(progress->last - stats->step));
    fputs(progress->terminal ? "\r" : "\n", stderr);
    progress->dirty = progress->terminal;
    progress->printed = now;
}

void icf_progress_end(icf_progress *progress)
{
    if (progress->dirty) fputs("\r\033[K", stderr);
    progress->dirty = false;
}
