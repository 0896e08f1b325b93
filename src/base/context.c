/* Context: communicator, failure text, log lines. */
#include "base/context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mpi_wait.h"

icf_status icf_context_init(icf_context *context, MPI_Comm comm, int nthread)
{
    *context = (icf_context){.level = ICF_LOG_NORMAL, .failure = ICF_OK};
    context->nthread = nthread > 0 ? nthread : omp_get_max_threads();
    if (MPI_Comm_dup(comm, &context->comm) != MPI_SUCCESS) return ICF_ERROR_INTERNAL;
    MPI_Comm_rank(context->comm, &context->rank);
    MPI_Comm_size(context->comm, &context->size);
    return ICF_OK;
}

void icf_context_clear(icf_context *context)
{
    if (context->size > 0) MPI_Comm_free(&context->comm);
    context->size = 0;
}

icf_status icf_fail(icf_context *context, icf_status status, const char *format, ...)
{
#pragma omp critical(icf_fail)
    if (context->failure == ICF_OK) {
        context->failure = status;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(context->message, sizeof context->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

void icf_clear_failure(icf_context *context)
{
    context->failure = ICF_OK;
    context->message[0] = '\0';
}

void icf_log(const icf_context *context, icf_log_level level, const char *format, ...)
{
    if (context->rank != 0 || context->level < level) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void icf_warn(const icf_context *context, const char *format, ...)
{
    if (context->rank != 0 || context->level == ICF_LOG_QUIET) return;
    va_list arguments;
    va_start(arguments, format);
    fputs("icf: warning: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

icf_status icf_agree(icf_context *context, icf_status status)
{
    if (context->size == 1) return status;
    struct {
        int status, rank;
    } mine = {(int)status, context->rank}, worst;
    ICF_MPI_WAIT(MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, context->comm));
    if (worst.status == (int)ICF_OK) return ICF_OK;
    ICF_MPI_WAIT(MPI_Bcast(context->message, (int)sizeof context->message, MPI_CHAR, worst.rank, context->comm));
    return context->failure = (icf_status)worst.status;
}
