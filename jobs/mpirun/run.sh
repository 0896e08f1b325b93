#!/usr/bin/env bash
# One run under mpirun that can be stopped and started again: it goes on from the newest checkpoint.
# Batch scripts call it; it holds what does not depend on the batch system.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/mpirun/run.sh [-h] [--ranks P] [--threads T] SCENE DIR [RUN OPTIONS]

Runs SCENE with its results in DIR, from the newest checkpoint in DIR when there is one.  Started again
after it is done, with the same options, it does nothing.  To start anew, choose another directory.

  --ranks P     MPI ranks (default: one a socket)
  --threads T   OpenMP threads a rank (default: the cores, shared out over the ranks)

SIGUSR1, SIGTERM or SIGINT to this script end the run with a checkpoint.
The exit code is that of "icf run": 0 done, 5 stopped after a checkpoint; start it again to go on.
ICF (default build/icf) is the program, ICF_MPIRUN_OPTIONS holds more words for mpirun.
TEXT
}

fail() {
    echo "icf: error: $*" >&2
    exit 2
}

# The checkpoint of the latest step in a directory; nothing where there is none.
newest_checkpoint() {
    local file step best=-1 newest=""
    for file in "$1"/checkpoint-*.h5; do
        step=${file##*/checkpoint-} step=${step%.h5}
        if [[ $step =~ ^[0-9]+$ ]] && [ "$step" -gt "$best" ]; then best=$step newest=$file; fi
    done
    echo "$newest"
}

# Was this run, with these options, done after the scene was last changed?
is_done() {
    [ "$dir/summary.json" -nt "$scene" ] && grep -q '"status": "done"' "$dir/summary.json" &&
        cmp -s "$dir/job.txt" <(describe_job "$@")
}

# What DIR/job.txt says; jobs/study.py reads the machine.
describe_job() {
    echo "machine: $(cpu_name)"
    echo "scene: $scene"
    echo "options:$(printf ' %q' "$@")"
}

ranks="" threads=""
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --ranks | --threads)
            [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "$1: expected a number above 0, got ${2:-nothing}"
            declare "${1#--}=$2"
            shift 2
            ;;
        *) break ;;
    esac
done
[ $# -ge 2 ] || { usage >&2; exit 2; }
scene=$1 dir=$2
shift 2

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=jobs/env.sh
source "$root/jobs/env.sh"
# shellcheck source=jobs/layout.sh
source "$root/jobs/layout.sh"
# shellcheck source=jobs/signals.sh
source "$root/jobs/signals.sh"
icf=${ICF:-$root/build/icf}
[ -x "$icf" ] || fail "there is no program $icf; build it (bash jobs/setup.sh) or set ICF"
[ -f "$scene" ] || fail "there is no scene $scene"
cores=$(nproc)
ranks=${ranks:-$(choose_ranks "$cores" "$(count_sockets)")}
threads=${threads:-$((cores > ranks ? cores / ranks : 1))}

if is_done "$@"; then
    echo "icf: $dir is done"
    exit 0
fi
mkdir -p "$dir"
describe_job "$@" >"$dir/job.txt"
options=(--threads "$threads" --output "$dir")
checkpoint=$(newest_checkpoint "$dir")
if [ -n "$checkpoint" ]; then options+=(--restart "$checkpoint"); fi
read -ra more <<<"${ICF_MPIRUN_OPTIONS:-}"
run_stoppable mpirun -n "$ranks" "${more[@]}" "$icf" run "$scene" "${options[@]}" "$@"
