#!/usr/bin/env bash
# A strong or weak scaling study: the same clutter on 1, 2, 4, ... ranks, or clutter that grows with them.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/mpirun/scaling.sh strong|weak [-h] [OPTIONS] [-- OPTIONS of icf run]
       bash jobs/mpirun/scaling.sh check [DIR [REPEATS]]
       bash jobs/mpirun/scaling.sh soft [DIR]
       bash jobs/mpirun/scaling.sh predict [BODIES]

Runs clutter on several numbers of ranks; jobs/study.py makes a table and a picture of it.
strong: N objects whatever the number of ranks; weak: N objects a rank.
check: studies of many islands and of a deep pile on 1, 2, 4 and 8 ranks against what is expected of them, in DIR
(default out/check), REPEATS runs of each (default 7; half of the pile); exit code 1 when it is missed.
soft: scenes with deformable bodies on 1 and 2 ranks beside what icf plan says of them, in DIR (default out/soft).
predict: weak scaling by icf plan alone, 1 to 1024 ranks with BODIES objects each (default 500) that have just landed.

  --ranks LIST   numbers of ranks (default "1 2 4 8")
  --threads T    OpenMP threads a rank (default 1)
  --bodies N     objects in all, or a rank (default 4000, weak 1000)
  --height H     objects a column: 10 settles to many islands (default), 100 to one deep pile
  --settle M     steps on one rank before, whose last state all runs start from (default 0)
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

# run_copies STUDY REPEAT: two runs of one rank at the same time, which say what two cores get done.
run_copies() {
    local copy dir started=()
    for copy in 1 2; do
        dir=$1/copies/run-$2-$copy
        [ -e "$dir/summary.json" ] && continue
        mkdir -p "$dir"
        cp "$1"/settled/checkpoint-*.h5 "$dir/"
        ICF_MPIRUN_OPTIONS="--bind-to none" bash "$(dirname "${BASH_SOURCE[0]}")/run.sh" --ranks 1 --threads 1 \
            "$1/ranks-1/scene.yaml" "$dir" --every 190 --set output.checkpoint_every=0 --quiet &
        started+=($!)
    done
    for copy in "${started[@]}"; do wait "$copy"; done
}

case "${1:-}" in
    strong) kind=strong bodies=4000 ;;
    weak) kind=weak bodies=1000 ;;
    check)
        # many islands: heaps that lie on the ground, cut anew ten steps after the start and not by measured times, so that
        # every run shares them out alike, and the same cut anew before the last step; one island of all bodies: columns of a
        # hundred that have come down, cut anew before the first step
        study=${2:-out/check} repeats=${3:-7} script=${BASH_SOURCE[0]}
        common=(--ranks "1 2 4 8" --bodies 4000)
        table=(python3 "$(dirname "$script")/../study.py" --icf "${ICF:-$(dirname "$script")/../../build/icf}")
        islands=("$study/islands" --cut-at 160)
        pile=("$study/pile" --part 0.25 --plan "--calibrate --set parallel.gather_below=0")
        # machines change their speed: runs and plans, whose rates are measured, take turns
        for ((r = 1; r <= repeats; ++r)); do
            bash "$script" strong "${common[@]}" --repeats "$r" --height 5 --settle 150 --steps 40 --study "$study/islands" \
                -- --set parallel.rebalance=160 --set output.ranks=true
            "${table[@]}" "${islands[@]}" --keep-plans
            run_copies "$study/islands" "$r"
        done
        for ((r = 1; r <= (repeats + 1) / 2; ++r)); do
            bash "$script" strong "${common[@]}" --repeats "$r" --height 100 --settle 140 --steps 4 \
                --study "$study/pile" -- --set parallel.gather_below=0 --set parallel.rebalance=140 --set output.ranks=true
            "${table[@]}" "${pile[@]}" --keep-plans
        done
        bash "$script" strong "${common[@]}" --repeats 1 --height 5 --settle 150 --steps 6 --study "$study/cut" -- \
            --set parallel.rebalance=5
        code=0
        within=(--time-within 25 --memory-within 15)
        "${table[@]}" "${islands[@]}" --copies "$study/islands/copies" --least-speedup 1.8 --most-oversubscribed 1.3 "${within[@]}" || code=1
        # the step after a cut, whose weights are those of the steps before, in a run as in the plan
        "${table[@]}" "$study/cut" --part 0.01 --plan "" --counts-within 5 || code=1
        "${table[@]}" "${pile[@]}" --least-speedup 1.3 --most-oversubscribed 2 "${within[@]}" || code=1
        # the first step, whose start and parts are those of the plan
        "${table[@]}" "${pile[@]}" --first 1 --counts-within 5 || code=1
        exit $code
        ;;
    soft)
        study=${2:-out/soft} here=$(dirname "${BASH_SOURCE[0]}")
        for scene in soft_cube soft_stack finger_squeeze; do
            for p in 1 2; do
                mkdir -p "$study/$scene/ranks-$p"
                cp "$here/../scenes/$scene.yaml" "$study/$scene/ranks-$p/scene.yaml"
                for r in 1 2 3; do
                    bash "$here/run.sh" --ranks "$p" --threads 1 "$study/$scene/ranks-$p/scene.yaml" "$study/$scene/ranks-$p/run-$r" \
                        --steps 60 --every 60 --set output.checkpoint_every=0 --quiet
                done
            done
            python3 "$here/../study.py" --icf "${ICF:-$here/../../build/icf}" --part 0.1 "$study/$scene"
        done
        exit 0
        ;;
    predict)
        icf=${ICF:-$(dirname "${BASH_SOURCE[0]}")/../../build/icf} scene=$(mktemp)
        trap 'rm -f "$scene"' EXIT
        echo "  ranks    bodies   ms/step  efficiency    ghosts    guests  messages  kB/rank  MB/rank"
        for p in 1 4 16 64 256 1024; do
            "$icf" make clutter --bodies $((p * ${2:-500})) --height 5 --duration 1 --output "$scene"
            "$icf" plan "$scene" --settle 12 --ranks "$p" | awk -v p="$p" -v first="${first:-0}" '
                $1 == "bodies" { bodies = $2 }
                $1 == "halo" { ghosts = $2; guests = $4 }
                $1 == "exchange" { messages = $2; kb = $4 }
                $1 == "step" { ms = $2 }
                $1 == "memory" { mb = $2 }
                END { printf("%7d %9d %9.3f %11.2f %9.1f %9.1f %9.1f %8.1f %8.1f\n", p, bodies, ms, first > 0 ? first / ms : 1,
                             ghosts / p, guests / p, messages / p, kb / p, mb) }' | tee "$scene.row"
            if [ "$p" = 1 ]; then first=$(awk '{ print $3 }' "$scene.row"); fi
            rm "$scene.row"
        done
        exit 0
        ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
shift
ranks="1 2 4 8" threads=1 height=10 settle=0 steps=100 repeats=3 study=out/$kind run_options=()
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --)
            shift
            run_options=("$@")
            break
            ;;
        --ranks | --threads | --bodies | --height | --settle | --steps | --repeats | --study)
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
[[ $settle =~ ^[0-9]+$ ]] || fail "--settle: expected a number, got $settle"

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
        --duration "$(awk "BEGIN { print ($settle + $steps) * 0.01 }")" --output "$point/scene.new"
    if [ ! -f "$point/scene.yaml" ]; then
        mv "$point/scene.new" "$point/scene.yaml"
    elif ! cmp -s "$point/scene.new" "$point/scene.yaml"; then
        rm "$point/scene.new"
        fail "$point holds runs of another scene; choose another --study"
    else
        rm "$point/scene.new"
    fi
}

# settle_point RANKS: the state that the runs of a point start from; all of a strong study start from the same.
settle_point() {
    local point=$study/ranks-${ranks%% *} settled=$study/settled
    if [ $kind = weak ]; then point=$study/ranks-$1 settled=$point/settled; fi
    exec bash "$here/run.sh" --ranks 1 "$point/scene.yaml" "$settled" --steps "$settle" --every "$settle" \
        --set output.checkpoint_every=0 --quiet
}

# start_run RANKS RUN: a run that has not begun gets the settled state to go on from.
start_run() {
    local point=$study/ranks-$1 settled=$study/settled dir=$study/ranks-$1/run-$2
    if [ $kind = weak ]; then settled=$point/settled; fi
    if [ "$settle" = 0 ] || [ -e "$dir" ]; then return; fi
    mkdir -p "$dir"
    cp "$settled/checkpoint-$settle.h5" "$dir/"
}

# Frames and checkpoints are left out, but for the last step's, whose time jobs/study.py takes off.
measure() {
    exec bash "$here/run.sh" --ranks "$1" --threads "$threads" "$study/ranks-$1/scene.yaml" "$study/ranks-$1/run-$2" \
        --every $((settle + steps)) --set output.checkpoint_every=0 --quiet "${run_options[@]}"
}

for p in $ranks; do
    write_scene "$p"
    if [ "$settle" != 0 ]; then run_stoppable settle_point "$p"; fi
done
for ((r = 1; r <= repeats; ++r)); do
    for p in $ranks; do
        echo "icf: $kind scaling, $p ranks x $threads threads, run $r of $repeats"
        start_run "$p" "$r"
        run_stoppable measure "$p" "$r"
    done
done
