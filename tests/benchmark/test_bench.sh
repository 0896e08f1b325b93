#!/usr/bin/env bash
# The benchmark script runs: it measures every engine it lists, on the bodies of the scene.
# usage: test_bench.sh SOURCE BUILD SCRATCH
set -euo pipefail

source=$1 build=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
bash "$source/jobs/bench.sh" --build "$build" --cases "40:10 40:10:0.005:open" --repeats 1 --duration 0.2 --output "$scratch/result.csv"

# The lowest objects fall 10 mm (0.045 s) before they touch the ground: within 0.2 s there are contacts.
awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $column["bodies"] != 40 || !($column["cpu_ms"] > 0) || !($column["contacts"] > 0) { print "wrong: " $0; bad = 1 }
    $column["engine"] == "icf" { own = own " " $column["walls"] " " $column["step"] }
    END { exit bad || own != " walls 0.01 no-walls 0.005" }' "$scratch/result.csv"

# The list for the other engines: a line of settings, the ground, 4 walls or none, and the objects.
[ "$(wc -l <"$build/bench/clutter-40-10.list")" = 46 ]
[ "$(wc -l <"$build/bench/clutter-40-10-0.005-open.list")" = 42 ]
[ "$(grep -cE '^(sphere|box) ' "$build/bench/clutter-40-10.list")" = 40 ]

# Wrong options are refused.
code=0
bash "$source/jobs/bench.sh" --build "$build" --cases 40 2>/dev/null || code=$?
[ "$code" = 2 ]
code=0
bash "$source/jobs/bench.sh" --build "$build" --cases 40:10:closed 2>/dev/null || code=$?
[ "$code" = 2 ]

# Two ranks factor the matrix that one rank does: the same operations, shared out.
bash "$source/jobs/bench_factor.sh" --build "$build" --repeats 1 8x8x6 >"$scratch/factor"
awk '
    NR == 1 { next }
    !($(NF - 1) > 0) || $1 != "8x8x6" { print "wrong: " $0; bad = 1 }
    $2 == "block" { ++rows[$3 " " $4]; seen[$5] = 1 }
    $2 == "block" && $3 == 2 && !($NF >= 0.5 && $NF < 1) { print "wrong share: " $0; bad = 1 }
    END { exit bad || length(seen) != 1 || rows["1 1"] != 1 || rows["1 2"] != 1 || rows["2 1"] != 1 || NR != 7 }' \
    "$scratch/factor"
code=0
bash "$source/jobs/bench_factor.sh" --build "$build" 8x8 2>/dev/null || code=$?
[ "$code" = 2 ]
