#!/usr/bin/env bash
# Measures what a step with deformable bodies costs, beside a factorisation of the same matrix by MUMPS.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/bench_deformables.sh [-h] [--build DIR] [--repeats R]

Prints the mean CPU time of a step, on one core, of jobs/scenes/soft_cube.yaml (target: 9 ms), of
jobs/scenes/finger_squeeze.yaml and of a cube of 31,944 degrees of freedom in contact, and of the last
two over one factorisation of the same matrix by MUMPS (targets: 1.0 and 1.6; of the cube once it lies still, after 8
steps: 0.6); the least of R runs (default 3).  Then tetrahedra assembled a second.

  --build DIR   use the build in DIR as it is; without it packages are installed and build/ is built
TEXT
}

repeats=3
# shellcheck source=jobs/bench_options.sh
source "$(dirname "${BASH_SOURCE[0]}")/bench_options.sh" "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

from=0 # steps at the start that do not count

# mean COLUMN [OVER]: mean of a column of the last run's stats.csv, or its sum over that of another column.
mean() {
    awk -F, -v from="$from" -v column="$1" -v over="${2:-}" '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        NR <= from + 1 { next }
        { sum += $at[column]; n += over == "" ? 1 : $at[over] }
        END { printf "%.3f", sum / n }' "$work/run/stats.csv"
}

# least COLUMN OVER SCENE OPTION...: the least such mean of the repeated runs.
least() {
    local column=$1 over=$2 best="" value
    shift 2
    for ((r = 0; r < repeats; ++r)); do
        "$build/icf" run "$@" --threads 1 --output "$work/run" --quiet
        value=$(mean "$column" "$over")
        if [ -z "$best" ] || awk "BEGIN { exit !($value < $best) }"; then best=$value; fi
    done
    echo "$best"
}

# report NAME SCENE OPTION...: a step, a factorisation by MUMPS, their ratio.
report() {
    local name=$1 step factor
    shift
    step=$(least cpu_ms "" "$@")
    factor=$(least ms_factor factorizations "$@" --set solver.linear=mumps)
    awk -v name="$name" -v step="$step" -v factor="$factor" \
        'BEGIN { printf "%-16s %10.1f %16.1f %8.2f\n", name, step, factor, step / factor }'
}

printf '%-16s %10s %16s %8s\n' scene 'step [ms]' 'MUMPS factor [ms]' ratio
report soft_cube jobs/scenes/soft_cube.yaml
report finger_squeeze jobs/scenes/finger_squeeze.yaml
cube=(jobs/scenes/soft_cube.yaml --steps 14 --set 'deformables[0].mesh.box.divisions=[21, 21, 21]'
    --set 'deformables[0].position=[0, 0, 0.1]')
report cube_31944 "${cube[@]}"
from=8
report cube_settled "${cube[@]}"
if [ -x "$build/icf_fem_bench" ]; then OMP_NUM_THREADS=1 "$build/icf_fem_bench" 8; fi
