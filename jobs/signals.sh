# shellcheck shell=bash
# Commands that are to be stopped with a checkpoint; sourced by the other scripts.

# run_stoppable COMMAND...: waits for the command and passes USR1, TERM and INT on to it as USR1, for mpirun kills its
# ranks on the other two.  In a process group of its own the command does not see an interrupt from the terminal.
# Returns the command's exit code; was_asked_to_stop tells whether a signal came.
run_stoppable() {
    local child code interrupted=yes
    stop_asked=no
    set -m
    "$@" </dev/null &
    child=$!
    set +m
    trap 'interrupted=yes stop_asked=yes; kill -USR1 "$child" 2>/dev/null || true' USR1 TERM INT
    # A signal ends "wait" without the command having ended.
    while [ "$interrupted" = yes ]; do
        interrupted=no code=0
        wait "$child" || code=$?
    done
    trap - USR1 TERM INT
    return "$code"
}

was_asked_to_stop() {
    [ "$stop_asked" = yes ]
}
