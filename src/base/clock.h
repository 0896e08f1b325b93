/* Clocks, and the time a step spends in each phase. */
#ifndef ICF_BASE_CLOCK_H
#define ICF_BASE_CLOCK_H

/* Phases of a step, in the order in which results list them. */
#define ICF_PHASE_LIST(X)         \
    X(GEOMETRY, "geometry")       \
    X(ISLANDS, "islands")         \
    X(ASSEMBLY, "assembly")       \
    X(FACTOR, "factor")           \
    X(SOLVE, "solve")             \
    X(LINE_SEARCH, "line_search") \
    X(EXCHANGE, "exchange")       \
    X(OUTPUT, "output")

typedef enum icf_phase {
#define X(name, text) ICF_PHASE_##name,
    ICF_PHASE_LIST(X)
#undef X
        ICF_PHASE_COUNT
} icf_phase;

/* Name of a phase as results write it. */
const char *icf_phase_name(icf_phase phase);

/* Seconds of a monotonic wall clock. */
double icf_clock_wall(void);

/* Seconds of CPU time of all threads of this process. */
double icf_clock_cpu(void);

/* Seconds of CPU time of the calling thread. */
double icf_clock_thread_cpu(void);

#endif
