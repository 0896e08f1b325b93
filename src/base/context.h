/* The context: what every part of the library is handed instead of globals.
 *
 * It holds the communicator, the thread budget, the log level and the text of the first failure.  MPI is
 * called by the master thread only (MPI_THREAD_FUNNELED); icf_fail may be called by any thread.
 */
#ifndef ICF_BASE_CONTEXT_H
#define ICF_BASE_CONTEXT_H

#include <mpi.h>

#include "base/status.h"
#include "base/types.h"

typedef enum icf_log_level { ICF_LOG_QUIET, ICF_LOG_NORMAL, ICF_LOG_VERBOSE } icf_log_level;

typedef struct icf_context {
    MPI_Comm comm;       /* duplicate of the caller's communicator, owned */
    int rank;            /* this rank in comm */
    int size;            /* ranks in comm */
    int nthread;         /* threads this rank may use in a parallel region, >= 1 */
    icf_log_level level; /* what icf_log prints (rank 0 only) */
    icf_status failure;  /* status of the first failure since the last clear */
    char message[8192];  /* text of that failure, possibly several lines */
} icf_context;

/* Duplicates the communicator.  Collective over comm.
 *   nthread [in] threads a rank, >= 1; 0 takes what OpenMP offers */
ICF_MUST_CHECK icf_status icf_context_init(icf_context *context, MPI_Comm comm, int nthread);

/* Frees the communicator.  Collective. */
void icf_context_clear(icf_context *context);

/* Records a failure (the first one is kept) and returns the status.  Local, thread-safe. */
__attribute__((format(printf, 3, 4))) icf_status icf_fail(icf_context *context, icf_status status, const char *format,
                                                          ...);

/* Forgets a recorded failure, when the caller has dealt with it. */
void icf_clear_failure(icf_context *context);

/* Prints one line to standard error on rank 0 when the level is high enough.  Local. */
__attribute__((format(printf, 3, 4))) void icf_log(const icf_context *context, icf_log_level level, const char *format,
                                                   ...);

/* Prints "icf: warning: ..." to standard error on rank 0 unless the level is quiet.  Local. */
__attribute__((format(printf, 2, 3))) void icf_warn(const icf_context *context, const char *format, ...);

/* All ranks agree on the worst status; the message of the lowest rank that failed reaches every rank.
 * Collective: every rank calls it at the same named point, so that none waits for one that left. */
ICF_MUST_CHECK icf_status icf_agree(icf_context *context, icf_status status);

#endif
