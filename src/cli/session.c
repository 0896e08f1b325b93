/* Session: start and end of MPI, failures on standard error, standard output checked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

/* Value of the variable in which a launcher tells a process its rank; NULL without a launcher. */
static const char *launcher_variable(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char *value = getenv(variables[i]);
        if (value) return value;
    }
    return NULL;
}

/* Rank of this process before MPI starts. */
static int launcher_rank(void)
{
    const char *value = launcher_variable();
    return value ? atoi(value) : 0;
}

/* Without a launcher there is nobody to talk to: Open MPI then needs no daemon and no search for networks, which
 * take 0.25 s.  Settings of the user stay. */
static void expect_no_other_process(void)
{
    if (launcher_variable()) return;
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "self", 0);
}

icf_context icf_session_local(void)
{
    return (icf_context){.comm = MPI_COMM_NULL, .rank = launcher_rank(), .nthread = 1, .level = ICF_LOG_NORMAL};
}

icf_status icf_session_begin(icf_context *context, int nthread)
{
    const icf_log_level level = context->level;
    int provided;
    expect_no_other_process();
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED)
        return icf_fail(context, ICF_ERROR_INTERNAL, "MPI could not be started with support for threads");
    const icf_status status = icf_context_init(context, MPI_COMM_WORLD, nthread);
    context->level = level;
    return status;
}

void icf_session_end(icf_context *context)
{
    int initialized;
    icf_context_clear(context);
    MPI_Initialized(&initialized);
    if (initialized) MPI_Finalize();
}

void icf_session_print_failure(const icf_context *context, icf_status status)
{
    if (context->rank != 0) return;
    const char *line = context->message[0] ? context->message : icf_status_text(status);
    while (line) {
        const size_t length = strcspn(line, "\n");
        fprintf(stderr, "icf: error: %.*s\n", (int)length, line);
        line = line[length] == '\n' && line[length + 1] != '\0' ? line + length + 1 : NULL;
    }
}

icf_status icf_check_stdout(icf_context *context)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return ICF_OK;
    return icf_fail(context, ICF_ERROR_FILE, "cannot write to standard output%s%s", errno ? ": " : "",
                    errno ? strerror(errno) : "");
}
