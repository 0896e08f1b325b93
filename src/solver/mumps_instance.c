/* One instance of MUMPS.
 *
 * What MUMPS does not tell and is checked here: with SYM = 1 an indefinite matrix is factored as L D L^T with
 * INFOG(12) negative pivots.
 */
#include "solver/mumps_instance.h"

#include <cblas.h>
#include <omp.h>
#include <string.h>

#define WORKSPACE_PERCENT 30 /* ICNTL(14) at first */
#define GROWTHS           3  /* times that a factorisation is redone with twice of it */

/* One call of MUMPS with one BLAS thread. */
static void call(icf_mumps *mumps, int job)
{
    mumps->id.job = job;
#pragma omp critical(icf_mumps_metis)
    {
        // the OpenMP build of the library follows OpenMP's number of threads, the other its own
        const int omp_threads = omp_get_max_threads(), blas_threads = openblas_get_num_threads();
        const bool own_threads = openblas_get_parallel() == OPENBLAS_THREAD;
        omp_set_num_threads(1);
        if (own_threads) openblas_set_num_threads(1);
        dmumps_c(&mumps->id);
        if (own_threads) openblas_set_num_threads(blas_threads);
        omp_set_num_threads(omp_threads);
    }
}

static int info(const icf_mumps *mumps, int i)
{
    return mumps->id.infog[i - 1];
}

/* Whether more workspace would have helped. */
static bool wants_workspace(int code)
{
    return code == -8 || code == -9 || code == -14 || code == -15 || code == -17 || code == -20;
}

/* Status of the last call: the one place where codes of MUMPS are translated. */
static icf_status translate(const icf_mumps *mumps)
{
    const int code = info(mumps, 1), detail = info(mumps, 2), job = mumps->id.job;
    icf_context *context = mumps->context;
    if (code == 0) return ICF_OK;
    if (code == -10 || code == -40) return ICF_NOT_POSITIVE_DEFINITE;
    // a negative detail of these counts millions
    if (code == -7 || code == -13 || code == -19 || wants_workspace(code))
        return icf_fail(context, ICF_ERROR_MEMORY, "MUMPS: out of memory in job %d (INFOG(1) = %d, INFOG(2) = %d)", job,
                        code, detail);
    if (code == -16 || code > 0)
        return icf_fail(context, ICF_ERROR_INTERNAL, "MUMPS: wrong input in job %d (INFOG(1) = %d, INFOG(2) = %d)", job,
                        code, detail);
    return icf_fail(context, ICF_ERROR_SOLVER, "MUMPS: job %d failed (INFOG(1) = %d, INFOG(2) = %d)", job, code,
                    detail);
}

void icf_mumps_end(icf_mumps *mumps)
{
    if (mumps->started) call(mumps, ICF_MUMPS_END);
    mumps->started = false;
}

icf_status icf_mumps_start(icf_mumps *mumps)
{
    if (mumps->started) return ICF_OK;
    DMUMPS_STRUC_C *id = &mumps->id;
    memset(id, 0, sizeof *id);
    id->par = 1;
    id->sym = 1;
    id->comm_fortran = (MUMPS_INT)MPI_Comm_c2f(mumps->comm);
    call(mumps, ICF_MUMPS_START);
    ICF_TRY(translate(mumps));
    mumps->started = true;
    for (int i = 0; i < 3; ++i) id->icntl[i] = -1; // no output
    id->icntl[3] = 0;
    id->icntl[6] = 1; // the order is given
    id->icntl[13] = WORKSPACE_PERCENT;
    id->icntl[27] = 1; // sequential analysis
    return ICF_OK;
}

icf_status icf_mumps_call(icf_mumps *mumps, int job)
{
    call(mumps, job);
    return translate(mumps);
}

icf_status icf_mumps_factor(icf_mumps *mumps)
{
    call(mumps, ICF_MUMPS_FACTOR);
    for (int i = 0; i < GROWTHS && wants_workspace(info(mumps, 1)); ++i) {
        mumps->id.icntl[13] *= 2;
        call(mumps, ICF_MUMPS_FACTOR);
    }
    ICF_TRY(translate(mumps));
    return info(mumps, 12) > 0 ? ICF_NOT_POSITIVE_DEFINITE : ICF_OK;
}
