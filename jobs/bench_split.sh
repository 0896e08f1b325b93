#!/usr/bin/env bash
# Measures what it gives to split a deformable body over two ranks.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/bench_split.sh [-h] [--build DIR] [--repeats R]

A soft block on the ground with a ball that falls on it, of 8, 12, 16 and 20 cells an edge, and the block of
jobs/scenes/tets_100k.yaml, which lands, for which conjugate gradients take the place of most factors: CPU time of the
busiest rank outside MPI waits in the median of ten steps, and peak memory of a rank, on one rank, and split over two
(parallel.split_above). One and two ranks take turns; the least of R runs (default 2).

  --build DIR   use the build in DIR as it is; without it packages are installed and build/ is built
TEXT
}

repeats=2
# shellcheck source=jobs/bench_options.sh
source "$(dirname "${BASH_SOURCE[0]}")/bench_options.sh" "$@"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

write_scene() {
    cat <<SCENE
time: {step: 0.01, steps: 10}
materials: {m: {stiffness_per_area: 1.0e7, friction: 0.5}}
bodies:
  - {name: ground, shape: {type: half_space, normal: [0, 0, 1]}, motion: fixed, material: m}
  - {name: ball, shape: {type: sphere, radius: 0.1}, mass: 5, position: [0.1, 0, 1.11], material: m}
deformables:
  - {name: block, mesh: {box: {size: [1, 1, 1], divisions: [$1, $1, $1]}}, youngs_modulus: 5.0e5, poissons_ratio: 0.4, density: 1000,
     position: [0, 0, 0.5], material: m}
SCENE
}

# measure RANKS: median of cpu_max [ms] and peak memory [MB] of a run.
measure() {
    rm -rf "$work/run"
    mpirun -n "$1" "$build/icf" run "$work/scene.yaml" --threads 1 --output "$work/run" --every 100 --quiet \
        --set output.checkpoint_every=0 --set parallel.split_above=0
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } NR > 2 { print $at["cpu_max"] }' "$work/run/stats.csv" |
        sort -g | awk '{ v[NR] = $1 } END { printf "%.1f ", v[int((NR + 1) / 2)] }'
    sed -n 's/.*"peak_memory_mb": \([0-9.]*\).*/\1/p' "$work/run/summary.json"
}

# compare DOFS: one rank and two on the scene.
compare() {
    local r
    for ((r = 0; r < repeats; ++r)); do
        echo "$(measure 1) $(measure 2)"
    done | awk -v dofs="$1" '
        NR == 1 || $1 < one { one = $1; mb1 = $2 }
        NR == 1 || $3 < two { two = $3; mb2 = $4 }
        END { printf "%8d  %9.1f %7.0f   %9.1f %7.0f     %.2f\n", dofs, one, mb1, two, mb2, two / one }'
}

echo "    dofs  one rank [ms, MB]  two ranks [ms, MB]   time of two over one"
for cells in 8 12 16 20; do
    write_scene $cells >"$work/scene.yaml"
    compare $((3 * (cells + 1) ** 3))
done
cp "jobs/scenes/tets_100k.yaml" "$work/scene.yaml"
compare 56784
