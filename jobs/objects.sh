#!/usr/bin/env bash
# Runs the full-size scenes of real objects and checks them.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/objects.sh [-h] [--build DIR] [--small | --whole] [--meshes DIR] [--output DIR] [CASE]...

Runs scenes of "icf make" and looks whether every body is where it belongs at the end; the last line says how many cases
passed.  About half an hour on a free core, of which the drum takes most; without a CASE all of these:

  household   100 objects thrown at 10 m/s into a bin of 1 mm sheet, with steps of 5 ms, settle in it
  meshes      the same with the hulls of the meshes in a folder (only with --meshes)
  rest        each hull of the meshes laid on ground, a flat mesh and a box comes to rest (only with --meshes)
  thrown      9600 random compounds thrown at a sheet of 1 mm at 10 m/s, with steps of 5 ms: none gets through
  drum        2000 bodies of mixed shapes in a drum that turns twice
  hopper      5000 bodies that run out of a funnel: the first second, or all five (--whole, an hour)
  terrain     2000 bodies that fall on hills
  ranks       the first steps of a drum, a household, a funnel and a terrain on 1, 2 and 4 ranks: the same checksums
  pairs       finding pairs of 10,000 to 1,000,000 bodies: at most 1.5 us of CPU time a body, and 1.3 times as much a
              body of the most as of the fewest
  contacts    contact points of a pair: at most 1 us for spheres, 4 us for boxes, 15 us for hulls of 32 vertices

  --build DIR    use the build in DIR as it is; without it packages are installed and build/ is built
  --small        sizes of seconds
  --whole        the hopper runs for 5 s
  --meshes DIR   a folder of OBJ or STL files of convex objects, lengths in metres
  --output DIR   where scenes and results go (default out/objects)
TEXT
}

fail() {
    echo "icf: error: $*" >&2
    exit 2
}

build="" meshes="" output=out/objects small=false whole=false cases=()
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --small) small=true; shift ;;
        --whole) whole=true; shift ;;
        --build | --meshes | --output)
            [ $# -ge 2 ] || fail "$1 needs a value"
            declare "${1#--}=$2"
            shift 2
            ;;
        household | meshes | rest | thrown | drum | hopper | terrain | ranks | pairs | contacts) cases+=("$1"); shift ;;
        *) usage >&2; exit 2 ;;
    esac
done
if [ -n "$meshes" ]; then meshes=$(realpath "$meshes"); fi
if [ ${#cases[@]} = 0 ]; then
    cases=(household thrown drum hopper terrain ranks pairs contacts)
    if [ -n "$meshes" ]; then cases+=(meshes rest); fi
fi
output=$(realpath -m "$output")
# shellcheck source=jobs/use_build.sh
source "$(dirname "${BASH_SOURCE[0]}")/use_build.sh"
mkdir -p "$output"

# pick FULL SMALL: the one that was asked for.
pick() {
    if $small; then echo "$2"; else echo "$1"; fi
}

# run_and_check KIND NAME STEPS [MAKE OPTIONS]: a scene from start to end ("all" steps), and where its bodies are then.
run_and_check() {
    local kind=$1 name=$2 steps=$3 scene=$output/$2.yaml run=$output/$2 length=()
    shift 3
    "$build/icf" make "$kind" "$@" --output "$scene"
    if [ "$steps" != all ]; then length=(--steps "$steps"); fi
    "$build/icf" run "$scene" "${length[@]}" --threads 1 --every 100 --quiet --trace "$run.jsonl" --output "$run"
    python3 jobs/check_objects.py "$kind" "$scene" "$run" "$run.jsonl"
}

household() {
    run_and_check household household all --bodies "$(pick 100 30)" --speed 10 --duration "$(pick 4 2.5)"
}

meshes() {
    [ -n "$meshes" ] || fail "meshes: --meshes DIR is missing"
    run_and_check household meshes all --bodies "$(pick 100 30)" --speed 10 --duration "$(pick 4 3)" --meshes "$meshes"
}

rest() {
    [ -n "$meshes" ] || fail "rest: --meshes DIR is missing"
    python3 jobs/rest.py --icf "$build/icf" --meshes "$meshes" --poses "$(pick 12 2)" --output "$output/rest" --heap
}

thrown() {
    python3 jobs/thrown.py --icf "$build/icf" --bodies "$(pick 4800 400)" &&
        python3 jobs/thrown.py --icf "$build/icf" --bodies "$(pick 4800 400)" --thickness 0.002 0.01 --spin 0
}

# Two turns at 3 rad/s take 4.19 s.
drum() {
    run_and_check drum drum "$(pick all 120)" --bodies "$(pick 2000 60)" --speed 3 --step 0.005 --duration 4.19
}

hopper() {
    local seconds=1
    if $whole; then seconds=5; fi
    run_and_check hopper hopper "$(pick all 300)" --bodies "$(pick 5000 100)" --duration "$seconds"
}

terrain() {
    run_and_check terrain terrain "$(pick all 200)" --bodies "$(pick 2000 60)" --step 0.004 --duration 3
}

# same_on_ranks NAME STEPS KIND [MAKE OPTIONS]: the checksum of the last state on 1, 2 and 4 ranks; no island is shared.
same_on_ranks() {
    local name=$1 steps=$2 ranks sums=()
    shift 2
    "$build/icf" make "$@" --output "$output/$name.yaml"
    for ranks in 1 2 4; do
        mpirun -n "$ranks" "$build/icf" run "$output/$name.yaml" --steps "$steps" --threads 1 --every "$steps" --quiet \
            --set output.checkpoint_every=0 --set parallel.gather_below=1000000000 --output "$output/$name-$ranks"
        sums+=("$(sed -n 's/.*"checksum": "\(.*\)".*/\1/p' "$output/$name-$ranks/summary.json")")
    done
    echo "$name: $steps steps on 1, 2 and 4 ranks: checksums ${sums[*]}"
    [ -n "${sums[0]}" ] && [ "${sums[0]}" = "${sums[1]}" ] && [ "${sums[0]}" = "${sums[2]}" ]
}

ranks() {
    same_on_ranks ranks-drum "$(pick 110 40)" drum --bodies "$(pick 2000 80)" --step 0.005 &&
        same_on_ranks ranks-household "$(pick 200 40)" household --bodies "$(pick 100 30)" --speed 5 &&
        same_on_ranks ranks-hopper "$(pick 200 40)" hopper --bodies "$(pick 5000 60)" &&
        same_on_ranks ranks-terrain "$(pick 200 40)" terrain --bodies "$(pick 2000 60)" --step 0.005
}

# With --small one call of the first size: whether it runs, not how fast.
pairs() {
    "$build/icf_pairs_bench" "$(pick 10 1)" 1 "$(pick 3 1)" | tee "$output/pairs.jsonl"
    $small || awk -F'[:,}]' '/us_per_body/ && $(NF - 1) > 1.5 || /largest_over/ && $(NF - 1) > 1.3 { bad = 1 }
        END { exit bad }' "$output/pairs.jsonl"
}

# With --small once: whether it runs, not how fast.
contacts() {
    "$build/icf_touch_bench" "$(pick 9 1)" | tee "$output/contacts.jsonl"
    $small || awk -F'[:,}]' '/spheres/ && $(NF - 1) > 1 || /boxes/ && $(NF - 1) > 4 || /hulls/ && $(NF - 1) > 15 { bad = 1 }
        END { exit bad }' "$output/contacts.jsonl"
}

passed=0 failed=()
for name in "${cases[@]}"; do
    start=$SECONDS
    set +e # a shell in a condition would go on after a failure
    (
        set -e
        "$name"
    )
    code=$?
    set -e
    if [ $code = 0 ]; then passed=$((passed + 1)); else failed+=("$name"); fi
    echo "== $name: $((SECONDS - start)) s"
done
if [ ${#failed[@]} -gt 0 ]; then echo "failed: ${failed[*]}"; fi
echo "$passed passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
