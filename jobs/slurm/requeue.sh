# shellcheck shell=bash
# What the Slurm scripts have in common; sourced by them inside a job, with the top folder of icf as its argument.

# In a job the cores are its own: ranks that wait need not give way.
export OMPI_MCA_mpi_yield_when_idle="${OMPI_MCA_mpi_yield_when_idle:-0}"

# shellcheck source=jobs/signals.sh
source "$1/jobs/signals.sh"

# run_or_requeue COMMAND...: runs it, and ends the job with its exit code.  When it stopped after a checkpoint the job
# goes back to the queue, and its next start goes on from there.
run_or_requeue() {
    local code=0
    echo "icf: job $SLURM_JOB_ID, start $((${SLURM_RESTART_COUNT:-0} + 1)), on ${SLURM_JOB_NODELIST:-this machine}, $(date)"
    run_stoppable "$@" || code=$?
    # SIGTERM comes from somebody who wants the run to end.
    if [ "$code" = 5 ] && was_sent USR1 && ! was_sent TERM; then
        if scontrol requeue "$SLURM_JOB_ID"; then
            echo "icf: time is up: job $SLURM_JOB_ID is queued again"
        else
            echo "icf: time is up and the job could not be queued again; submit it once more to go on" >&2
        fi
    fi
    exit "$code"
}
