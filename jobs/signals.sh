# shellcheck shell=bash
# Commands that are to be stopped with a checkpoint; sourced by the other scripts.

# run_stoppable COMMAND...: waits for the command and passes USR1, TERM and INT on to it as USR1, for mpirun kills its
# ranks on the other two.  In a process group of its own the command does not see an interrupt from the terminal.
# Returns the command's exit code; was_sent NAME tells whether that signal came.
run_stoppable() {
    local child code name interrupted=yes
    signals_sent=""
    set -m
    "$@" </dev/null &
    child=$!
    set +m
    for name in USR1 TERM INT; do
        # shellcheck disable=SC2064 # the name of now
        trap "interrupted=yes signals_sent+=' $name'; kill -USR1 $child 2>/dev/null || true" "$name"
    done
    # A signal ends "wait" without the command having ended.
    while [ "$interrupted" = yes ]; do
        interrupted=no code=0
        wait "$child" || code=$?
    done
    trap - USR1 TERM INT
    return "$code"
}

was_sent() {
    [[ " $signals_sent " == *" $1 "* ]]
}
