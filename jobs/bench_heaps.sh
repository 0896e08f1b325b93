#!/usr/bin/env bash
# Measures a step of many heaps that lie beside each other: many islands, no large one.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/bench_heaps.sh [-h] [--build DIR] [HEAPS [THREADS]]

Heaps of 40 objects, 4 columns of 10 that fall on the ground, 2.5 m apart (default 25000 of them, a million objects, and
2 threads): 2 s, 200 steps; wall and CPU time of a step, mean of the last 0.5 s, and peak memory.  The default takes
20 minutes and 5 GB.

  --build DIR   use the build in DIR as it is; without it packages are installed and build/ is built
TEXT
}

fail() {
    echo "icf: error: $*" >&2
    exit 2
}

build="" numbers=()
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --build)
            [ $# -ge 2 ] || fail "$1 needs a value"
            build=$2
            shift
            ;;
        *) numbers+=("$1") ;;
    esac
    shift
done
heaps=${numbers[0]:-25000} threads=${numbers[1]:-2}
[[ $heaps =~ ^[1-9][0-9]*$ && $threads =~ ^[1-9][0-9]*$ && ${#numbers[@]} -le 2 ]] || { usage >&2; exit 2; }
# shellcheck source=jobs/use_build.sh
source "$(dirname "${BASH_SOURCE[0]}")/use_build.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The scene of one heap; its population comes again for every heap, at its own place and with its own seed.
"$build/icf" make clutter --bodies 40 --no-walls |
    awk -v heaps="$heaps" '
        /^populations:/ { print; inside = 1; next }
        !inside { print; next }
        { line[n++] = $0 }
        END {
            side = int(sqrt(heaps - 1)) + 1
            for (h = 0; h < heaps; ++h)
                for (k = 0; k < n; ++k) {
                    text = line[k]
                    sub(/origin: .*/, sprintf("origin: [%g, %g, 0.06]", 2.5 * (h % side), 2.5 * int(h / side)), text)
                    sub(/seed: .*/, "seed: " h + 1, text)
                    print text
                }
        }' >"$work/scene.yaml"

"$build/icf" run "$work/scene.yaml" --output "$work/run" --threads "$threads" --every 1000 --set output.checkpoint_every=0 --quiet
awk -F, -v heaps="$heaps" '
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    NR > 151 { wall += $at["ms_total"]; cpu += $at["cpu_ms"]; ++n }
    { islands = $at["islands"]; memory = $at["memory_mb"] }
    END { printf "%d heaps, %d islands: %.4g ms a step, %.4g ms CPU, %.4g MB\n", heaps, islands, wall / n, cpu / n, memory }' \
    "$work/run/stats.csv"
