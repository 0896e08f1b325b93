/* Session: start and end of MPI, failures on standard error, standard output checked. */
#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
 * take 0.3 s.  It must not make its directory either: without the daemon all such processes of a user would
 * share one, and the first to end removes it.  Settings of the user stay. */
static void expect_no_other_process(void)
{
    static const char *const settings[][2] = {{"OMPI_MCA_ess_singleton_isolated", "1"},
                                              {"OMPI_MCA_orte_create_session_dirs", "0"},
                                              {"OMPI_MCA_pml", "ob1"},
                                              {"OMPI_MCA_btl", "self"}};
    if (launcher_variable()) return;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) setenv(settings[i][0], settings[i][1], 0);
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

/* HDF5 keeps a file that could not be closed (full disk, quota) and crashes on it, or waits for ever, when MPI ends.
 * All ranks are told: when the first ends without MPI the launcher ends the others, which may still have a message to
 * print. */
static bool hdf5_is_stuck(void)
{
    int stuck = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) > 0;
    MPI_Allreduce(MPI_IN_PLACE, &stuck, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return stuck;
}

void icf_session_end(icf_context *context, int exit_code)
{
    int initialized;
    icf_context_clear(context);
    MPI_Initialized(&initialized);
    if (!initialized) return;
    if (hdf5_is_stuck()) {
        fflush(NULL);
        _exit(exit_code);
    }
    MPI_Finalize();
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
