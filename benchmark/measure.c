/* Timing of steps, means over windows, and the line of a run. */
#include "measure.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double milliseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

void icf_bench_begin(icf_bench_sample *sample)
{
    sample->wall_ms = milliseconds(CLOCK_MONOTONIC);
    sample->cpu_ms = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
}

void icf_bench_end(icf_bench_sample *sample)
{
    sample->cpu_ms = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - sample->cpu_ms;
    sample->wall_ms = milliseconds(CLOCK_MONOTONIC) - sample->wall_ms;
}

static int compare_cpu(const void *a, const void *b)
{
    const double x = ((const icf_bench_sample *)a)->cpu_ms, y = ((const icf_bench_sample *)b)->cpu_ms;
    return (x > y) - (x < y);
}

/* Median CPU time of n steps; NaN when there is no memory. */
static double median_cpu(const icf_bench_sample *sample, int n)
{
    icf_bench_sample *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted) return NAN;
    for (int i = 0; i < n; ++i) sorted[i] = sample[i];
    qsort(sorted, (size_t)n, sizeof *sorted, compare_cpu);
    const double median = 0.5 * (sorted[(n - 1) / 2].cpu_ms + sorted[n / 2].cpu_ms);
    free(sorted);
    return median;
}

/* Means of all fields over n steps, and the largest iterations and penetration. */
static void summarise(const icf_bench_sample *sample, int n, icf_bench_sample *mean, icf_bench_sample *largest)
{
    *mean = *largest = (icf_bench_sample){0};
    largest->iterations = -1.0;
    for (int i = 0; i < n; ++i) {
        mean->cpu_ms += sample[i].cpu_ms / n;
        mean->wall_ms += sample[i].wall_ms / n;
        mean->contacts += sample[i].contacts / n;
        mean->iterations += sample[i].iterations / n;
        largest->iterations = fmax(largest->iterations, sample[i].iterations);
        largest->penetration = fmax(largest->penetration, sample[i].penetration);
    }
}

static double peak_rss_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

void icf_bench_print(const icf_bench_run *run)
{
    icf_bench_sample early, settled, largest;
    const icf_bench_sample *last = run->sample + run->nstep - run->nwindow;
    summarise(run->sample, run->nwindow, &early, &largest);
    summarise(last, run->nwindow, &settled, &largest);
    printf("{\"engine\": \"%s\", \"version\": \"%s\", \"setting\": \"%s\", \"bodies\": %ld, \"threads\": %d, "
           "\"step\": %g, \"steps\": %d, \"window_steps\": %d, ",
           run->engine, run->version, run->setting, run->nbody, run->nthread, run->dt, run->nstep, run->nwindow);
    printf("\"cpu_ms\": %.5g, \"cpu_ms_median\": %.5g, \"cpu_ms_early\": %.5g, \"wall_ms\": %.5g, ", settled.cpu_ms,
           median_cpu(last, run->nwindow), early.cpu_ms, settled.wall_ms);
    printf("\"contacts\": %.1f, \"iterations\": %.2f, \"iterations_max\": %.0f, \"penetration\": %.3g, "
           "\"peak_rss_mb\": %.1f",
           settled.contacts, settled.iterations, largest.iterations, largest.penetration, peak_rss_mb());
}
