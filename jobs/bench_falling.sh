#!/usr/bin/env bash
# Measures what a step costs while bodies fall, land and slump, and in deep piles at rest, of one program or of two in turns.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/bench_falling.sh [-h] [--build DIR] [--repeats R]

Objects on their way into a bin and at rest in it: Newton directions of the slowest island, CPU time and operations of factors a step, on
one core, mean of a few steps from the same state; the least time of R runs (default 3).  Where the environment has
BEFORE=PROGRAM, another icf (say, of an earlier version), it takes turns with the one of the build and comes first.

  --build DIR   use the build in DIR as it is; without it packages are installed and build/ is built
TEXT
}

# shellcheck source=jobs/bench_options.sh
source "$(dirname "${BASH_SOURCE[0]}")/bench_options.sh" "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# mean COLUMN: of the steps of the last run
mean() {
    awk -F, -v column="$1" '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        { sum += $at[column]; ++n }
        END { printf "%.6g", sum / n }' "$work/run/stats.csv"
}

# measure PROGRAM FROM TO: its number of directions, milliseconds and operations
measure() {
    rm -rf "$work/run"
    "$1" run "$work/scene.yaml" --restart "$work/start/checkpoint-$2.h5" --output "$work/run" --steps "$3" --threads 1 \
        --quiet --every 1000 --set output.checkpoint_every=0
    echo "$(mean iterations_max) $(mean cpu_ms) $(mean flops)"
}

programs=("$build/icf")
if [ -n "${BEFORE:-}" ]; then programs=("$BEFORE" "${programs[@]}"); fi

# report OBJECTS HEIGHT FROM TO
report() {
    "$build/icf" make clutter --bodies "$1" --height "$2" --output "$work/scene.yaml"
    rm -rf "$work/start"
    "$build/icf" run "$work/scene.yaml" --output "$work/start" --steps "$3" --threads 1 --quiet --every 1000 \
        --set output.checkpoint_every="$3"
    for ((r = 0; r < repeats; ++r)); do
        for program in "${!programs[@]}"; do echo "$program $(measure "${programs[program]}" "$3" "$4")"; done
    done | awk -v objects="$1" -v height="$2" -v from="$(($3 + 1))" -v to="$4" '
        !($1 in ms) || $3 < ms[$1] { ms[$1] = $3 }
        { directions[$1] = $2; flops[$1] = $4 }
        END {
            for (p = 0; p in ms; ++p)
                printf "%7d %7d %4d-%-4d %11.1f %9.1f %9.2f\n", objects, height, from, to, directions[p], ms[p],
                       flops[p] / 1e9
        }'
}

echo "objects  height     steps  directions    CPU ms    Gflops"
report 1000 100 100 105
report 4000 100 80 82
report 4000 100 100 102
report 1000 10 60 70
report 4000 10 110 113
report 1000 100 260 280
report 4000 100 260 272
echo "load of the machine now: $(cut -d' ' -f1 /proc/loadavg)"
