#!/usr/bin/env bash
# Runs a scene for some steps on one rank and one thread, then on other numbers of them, and compares the last states.
#
#   run_ranks.sh ICF MPIRUN COMPARE OUT STEPS SCENE WHAT "RANKSxTHREADS ..." [SETTING]
#
# SCENE is a file, or "make KIND OPTIONS" for icf make.
# WHAT is "same": the checksum is the same; or a number: islands are solved by groups of ranks and positions [m] and
# velocities [m/s] agree to it (COMPARE is the program compare_states).  SETTING is handed to --set.
set -euo pipefail

icf=$1 mpirun=$2 compare=$3 out=$4 steps=$5 scene=$6 what=$7 matrix=$8 settings=()
if [ $# -gt 8 ]; then settings=(--set "$9"); fi
rm -rf "$out"
mkdir -p "$out"
case $scene in
    make\ *)
        # shellcheck disable=SC2086
        "$icf" $scene --output "$out/scene.yaml"
        scene=$out/scene.yaml
        ;;
esac

# run RANKS THREADS [OPTION...]: runs, results in OUT/RANKSxTHREADS.
run() {
    local ranks=$1 threads=$2 dir=$out/$1x$2
    shift 2
    "$mpirun" -n "$ranks" "$icf" run "$scene" --threads "$threads" --steps "$steps" --every "$steps" --quiet \
        --set output.checkpoint_every=0 --output "$dir" "${settings[@]}" "$@"
}

checksum() {
    sed -n 's/.*"checksum": "\(.*\)".*/\1/p' "$out/$1/summary.json"
}

failed=0
if [ "$what" = same ]; then
    run 1 1
    right=$(checksum 1x1)
    [ -n "$right" ] || exit 1
    for how in $matrix; do
        run "${how%x*}" "${how#*x}"
        if [ "$(checksum "$how")" != "$right" ]; then
            echo "$how: checksum $(checksum "$how"), on 1x1 it is $right"
            failed=1
        fi
    done
else
    accurate=(--set solver.relative_tolerance=1e-10)
    run 1 1 "${accurate[@]}" --trace "$out/1x1.jsonl"
    for how in $matrix; do
        run "${how%x*}" "${how#*x}" "${accurate[@]}" --set parallel.gather_below=0 --trace "$out/$how.jsonl"
        "$compare" "$out/1x1.jsonl" "$out/$how.jsonl" "$what" || failed=1
    done
fi
exit $failed
