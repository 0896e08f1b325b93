/* Commands of the program `icf`, and what they share: start of MPI, and errors.
 *
 * A command gets a context without a communicator (size 0), enough to record a failure.  One that needs MPI
 * calls icf_session_begin; main ends it.  A failure is recorded in the context and printed once by main.
 */
#ifndef ICF_CLI_COMMAND_H
#define ICF_CLI_COMMAND_H

#include <stdio.h>

#include "base/context.h"

/* A command: the arguments behind its name.  Collective once it has begun a session. */
typedef icf_status (*icf_command)(icf_context *context, int argc, char **argv);

icf_status icf_command_run(icf_context *context, int argc, char **argv);
icf_status icf_command_check(icf_context *context, int argc, char **argv);
icf_status icf_command_make(icf_context *context, int argc, char **argv);
icf_status icf_command_plan(icf_context *context, int argc, char **argv);
icf_status icf_command_report(icf_context *context, int argc, char **argv);
icf_status icf_command_info(icf_context *context, int argc, char **argv);

/* A context for one process without MPI: it records failures and prints, on the first process only when a
 * launcher started several. */
icf_context icf_session_local(void);

/* Starts MPI and fills the context.
 *   context [in,out] from icf_session_local
 *   nthread [in]     threads a rank; 0: what OpenMP offers
 * ICF_ERROR_INTERNAL when MPI does not support calls from the main thread of a threaded program.  Collective. */
ICF_MUST_CHECK icf_status icf_session_begin(icf_context *context, int nthread);

/* Ends MPI when it was started.  When HDF5 is left with a file that it cannot close, the process ends here with
 * the exit code and without the end of MPI, which would crash.  Collective. */
void icf_session_end(icf_context *context, int exit_code);

/* Prints the recorded failure, each line as "icf: error: ...", on the first rank. */
void icf_session_print_failure(const icf_context *context, icf_status status);

/* ICF_ERROR_FILE when something printed to standard output was lost (closed pipe, full disk).  Local. */
ICF_MUST_CHECK icf_status icf_check_stdout(icf_context *context);

/* Prints the versions of the program and of what it runs on. */
void icf_print_version(FILE *file);

#endif
