/* Clocks and phase names. */
#include "base/clock.h"

#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double icf_clock_wall(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double icf_clock_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double icf_clock_thread_cpu(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

const char *icf_phase_name(icf_phase phase)
{
    static const char *const names[] = {
#define X(name, text) text,
        ICF_PHASE_LIST(X)
#undef X
    };
    return phase < ICF_PHASE_COUNT ? names[phase] : "unknown";
}
