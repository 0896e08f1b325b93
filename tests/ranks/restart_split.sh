#!/usr/bin/env bash
# Checkpoints of a scene whose meshes are split over all ranks: written on two ranks, a run goes on from one on 1, 2 and 4.
#
#   restart_split.sh ICF MPIRUN COMPARE OUT SCENE
#
# On two ranks the end has the bits of a run that was never interrupted, on others it agrees to 1e-6 m and m/s
# (COMPARE is the program compare_states).
set -euo pipefail

icf=$1 mpirun=$2 compare=$3 out=$4 scene=$5
half=12 whole=20
rm -rf "$out"
mkdir -p "$out"

# run RANKS NAME STEPS [OPTION...]: runs up to a step, results in OUT/NAME, trace in OUT/NAME.jsonl.
run() {
    local ranks=$1 name=$2 steps=$3
    shift 3
    "$mpirun" -n "$ranks" "$icf" run "$scene" --threads 1 --steps "$steps" --every "$steps" --quiet --output "$out/$name" \
        --trace "$out/$name.jsonl" --set parallel.split_above=0 --set solver.relative_tolerance=1e-10 "$@"
}

checksum() {
    sed -n 's/.*"checksum": "\(.*\)".*/\1/p' "$out/$1/summary.json"
}

run 2 whole $whole
run 2 half $half
failed=0
for ranks in 1 2 4; do
    run $ranks rest-$ranks $whole --restart "$out/half/checkpoint-$half.h5"
    "$compare" "$out/whole.jsonl" "$out/rest-$ranks.jsonl" 1e-6 || failed=1
done
right=$(checksum whole)
if [ -z "$right" ] || [ "$(checksum rest-2)" != "$right" ]; then
    echo "restart on 2 ranks: checksum $(checksum rest-2), without it is $right"
    failed=1
fi
exit $failed
