#!/usr/bin/env bash
# Measures what it gives to solve the few bodies that hold a pile up by themselves, and what a second thread or a second
# rank gives.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/bench_parts.sh [-h] [--build DIR] [--repeats R]

Objects that fall into a bin and settle to a thin layer, 400, 1000 and 4000 of them: Newton directions and CPU time of a
step, without parts and with them (solver.parts), on one core, mean of steps 181 to 200, all runs from the same state.
Runs take turns; the least time of R (default 3).  "factor" is one factorisation of the whole, its analysis included;
"2 threads": wall time of a step with parts on one thread over that on two; "2 ranks": wall time without parts and with
them on two ranks.

  --build DIR   use the build in DIR as it is; without it packages are installed and build/ is built
TEXT
}

# shellcheck source=jobs/bench_options.sh
source "$(dirname "${BASH_SOURCE[0]}")/bench_options.sh" "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run RANKS OPTIONS...
run() {
    local ranks=$1
    shift
    rm -rf "$work/run"
    mpirun -n "$ranks" "$build/icf" run "$work/scene.yaml" --quiet --every 1000 "$@"
}

# value KEY: a number of the last run's summary.json
value() {
    sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" "$work/run/summary.json"
}

# measure PARTS THREADS RANKS
measure() {
    run "$3" --restart "$work/settled/checkpoint-180.h5" --output "$work/run" --steps 200 --set output.checkpoint_every=0 \
        --set "solver.parts=$1" --threads "$2"
    echo "$1$2$3 $(value factorizations) $(value cpu_ms) $(value ms_factor) $(value ms_total)"
}

echo "objects  directions [a step]     CPU [ms a step]      ratio   factor [ms]  2 threads  2 ranks [ms a step]"
echo "         whole     parts         whole     parts                                     whole     parts"
for objects in 400 1000 4000; do
    "$build/icf" make clutter --bodies "$objects" --height 10 --walls --duration 2 --output "$work/scene.yaml"
    rm -rf "$work/settled"
    run 1 --output "$work/settled" --steps 180 --threads 1
    for ((r = 0; r < repeats; ++r)); do
        measure false 1 1
        measure true 1 1
        measure true 2 1
        measure false 1 2
        measure true 1 2
    done | awk -v objects="$objects" '
        { directions[$1] = $2 / 20 }
        !($1 in ms) || $3 < ms[$1] { ms[$1] = $3 }
        !($1 in wall) || $5 < wall[$1] { wall[$1] = $5 }
        $1 == "false11" && (factor == "" || $4 / directions[$1] < factor) { factor = $4 / directions[$1] }
        END { printf "%7d  %5.1f     %5.1f      %9.1f %9.1f       %4.2f     %9.3f       %4.2f %9.1f %9.1f\n", objects,
              directions["false11"], directions["true11"], ms["false11"], ms["true11"], ms["true11"] / ms["false11"],
              factor, wall["true11"] / wall["true21"], wall["false12"], wall["true12"] }'
done
echo "load of the machine now: $(cut -d' ' -f1 /proc/loadavg)"
