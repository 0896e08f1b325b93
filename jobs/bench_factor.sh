#!/usr/bin/env bash
# Measures a factorisation and a solve alone: on one rank, by threads, over ranks, by MUMPS.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/bench_factor.sh [-h] [--build DIR] [--repeats R] [--ranks P] [LATTICE ...]

Prints wall times of a factorisation and of a solve [ms], the least of R calls (default 5), for lattices of
blocks of 6 degrees of freedom, as NXxNYxNZ (default 100x20x2 12x12x12 20x20x12 30x30x10 24x24x24): on one
rank, with P threads (default 2) and over P ranks, by the own solver and by MUMPS.  "busiest" is the largest
share of the operations that a rank has.

  --build DIR   use the build in DIR as it is; without it packages are installed and build/ is built
TEXT
}

fail() {
    echo "icf: error: $*" >&2
    exit 2
}

build="" repeats=5 ranks=2 lattices=()
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --build | --repeats | --ranks)
            [ $# -ge 2 ] || fail "$1 needs a value"
            declare "${1#--}=$2"
            shift
            ;;
        -*) usage >&2; exit 2 ;;
        *) lattices+=("$1") ;;
    esac
    shift
done
for number in "$repeats" "$ranks"; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || fail "expected a number above 0, got $number"
done
if [ ${#lattices[@]} = 0 ]; then lattices=(100x20x2 12x12x12 20x20x12 30x30x10 24x24x24); fi
for lattice in "${lattices[@]}"; do
    [[ $lattice =~ ^[1-9][0-9]*x[1-9][0-9]*x[1-9][0-9]*$ ]] || fail "expected a lattice as NXxNYxNZ, got $lattice"
done
# shellcheck source=jobs/use_build.sh
source "$(dirname "${BASH_SOURCE[0]}")/use_build.sh"

# bench RANKS THREADS LATTICE: a row a solver.
bench() {
    local size
    IFS=x read -ra size <<<"$3"
    mpirun -n "$1" "$build/icf_factor_bench" "${size[@]}" "$repeats" "$2" | python3 -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    operations = "%.3g" % row["operations"] if "operations" in row else ""
    print("%-12s %-6s %5d %7d %10s %10.4g %9.4g %8s" % (
        "x".join(map(str, row["lattice"])), row["linear"], row["ranks"], row["threads"], operations,
        row["factor_ms"], row["solve_ms"], row.get("operations_share", ["", ""])[1]))'
}

printf '%-12s %-6s %5s %7s %10s %10s %9s %8s\n' lattice solver ranks threads operations factor solve busiest
for lattice in "${lattices[@]}"; do
    bench 1 1 "$lattice"
    if [ "$ranks" != 1 ]; then
        bench 1 "$ranks" "$lattice"
        bench "$ranks" 1 "$lattice"
    fi
done
