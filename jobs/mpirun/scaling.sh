#!/usr/bin/env bash
# A strong or weak scaling study: the same clutter on 1, 2, 4, ... ranks, or clutter that grows with them.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/mpirun/scaling.sh strong|weak [-h] [OPTIONS]

Runs clutter on several numbers of ranks; jobs/study.py makes a table and a picture of it.
strong: N objects whatever the number of ranks; weak: N objects a rank.

  --ranks LIST   numbers of ranks (default "1 2 4 8")
  --threads T    OpenMP threads a rank (default 1)
  --bodies N     objects in all, or a rank (default 4000, weak 1000)
  --height H     objects a column: 10 settles to many islands (default), 100 to one deep pile
  --steps S      steps of 0.01 s (default 100; the first objects land after 5)
  --repeats R    runs of each, in turns (default 3)
  --study DIR    where the runs go (default out/strong, out/weak): DIR/ranks-P/scene.yaml, DIR/ranks-P/run-R/

Started again it runs what is missing.
TEXT
}

fail() {
    echo "icf: error: $*" >&2
    exit 2
}

case "${1:-}" in
    strong) kind=strong bodies=4000 ;;
    weak) kind=weak bodies=1000 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
shift
ranks="1 2 4 8" threads=1 height=10 steps=100 repeats=3 study=out/$kind
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --ranks | --threads | --bodies | --height | --steps | --repeats | --study)
            [ $# -ge 2 ] || fail "$1 needs a value"
            declare "${1#--}=$2"
            shift 2
            ;;
        *) usage >&2; exit 2 ;;
    esac
done
for number in $ranks $threads $bodies $height $steps $repeats; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || fail "expected a number above 0, got $number"
done

# shellcheck source=jobs/signals.sh
source "$(dirname "${BASH_SOURCE[0]}")/../signals.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
icf=${ICF:-$here/../../build/icf}
[ -x "$icf" ] || fail "there is no program $icf; build it (bash jobs/setup.sh) or set ICF"

# write_scene RANKS: the scene of a point.  One that is there must be the same: runs of two scenes are no study.
write_scene() {
    local point=$study/ranks-$1 n=$bodies
    if [ $kind = weak ]; then n=$((bodies * $1)); fi
    mkdir -p "$point"
    "$icf" make clutter --bodies "$n" --height "$height" --walls --step 0.01 \
        --duration "$(awk "BEGIN { print $steps * 0.01 }")" --output "$point/scene.new"
    if [ ! -f "$point/scene.yaml" ]; then
        mv "$point/scene.new" "$point/scene.yaml"
    elif ! cmp -s "$point/scene.new" "$point/scene.yaml"; then
        rm "$point/scene.new"
        fail "$point holds runs of another scene; choose another --study"
    else
        rm "$point/scene.new"
    fi
}

# Frames and checkpoints are left out of what is measured, but for the last step's.
measure() {
    exec bash "$here/run.sh" --ranks "$1" --threads "$threads" "$study/ranks-$1/scene.yaml" "$study/ranks-$1/run-$2" \
        --every "$steps" --set output.checkpoint_every=0 --quiet
}

for p in $ranks; do write_scene "$p"; done
for ((r = 1; r <= repeats; ++r)); do
    for p in $ranks; do
        echo "icf: $kind scaling, $p ranks x $threads threads, run $r of $repeats"
        run_stoppable measure "$p" "$r"
    done
done
