/* What a benchmark measures of an engine's steps, and the line it prints; the same for icf and for its peers.
 *
 * Only the step itself is timed, by CPU time of the whole process: on a shared machine wall time says little.
 * Plain C without the library, so that drivers in C and C++ can use it.  One thread.
 */
#ifndef ICF_BENCHMARK_MEASURE_H
#define ICF_BENCHMARK_MEASURE_H

#ifdef __cplusplus
extern "C" {
#endif

/* One step. */
typedef struct icf_bench_sample {
    double cpu_ms;      /* CPU time of all threads [ms] */
    double wall_ms;     /* [ms] */
    double contacts;    /* contact points that the engine solved for */
    double iterations;  /* of the engine's solver; negative when it does not tell */
    double penetration; /* largest depth of these contacts, as the engine sees it [m] */
} icf_bench_sample;

/* A whole run. */
typedef struct icf_bench_run {
    const char *engine, *version, *setting;
    long nbody; /* bodies that move */
    int nthread;
    double dt;                      /* s */
    int nstep;                      /* steps done */
    int nwindow;                    /* steps of the windows: the first and the last ones of the run */
    const icf_bench_sample *sample; /* (nstep) */
} icf_bench_run;

/* Starts and ends the timing of a step; the end sets cpu_ms and wall_ms. */
void icf_bench_begin(icf_bench_sample *sample);
void icf_bench_end(icf_bench_sample *sample);

/* Prints a run as members of a JSON object: `{"engine": ...` without the closing brace.
 *   cpu_ms        mean over the last nwindow steps ("settled")
 *   cpu_ms_median their median;  cpu_ms_early  mean over the first nwindow steps ("drop")
 * Contacts, iterations and penetration are those of the last window. */
void icf_bench_print(const icf_bench_run *run);

#ifdef __cplusplus
}
#endif

#endif
