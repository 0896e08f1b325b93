#!/usr/bin/env bash
# Measures what a step costs, beside other engines where they are installed; docs/benchmarks.md explains.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/bench.sh [-h] [OPTIONS]

Prints the CPU time per step, collision detection included, of objects that fall into a bin and settle:
of icf and, where they are installed, of Bullet, ODE and MuJoCo on the same bodies.  All runs are pinned
to one core and take turns; medians of the repeats are printed and written to a CSV file.

  --quick          40 and 400 objects in thin layers only: less than two minutes on a free core
  --all            also 4000 and 10000 objects
  --cases LIST     the cases to run, "OBJECTS:HEIGHT[:STEP][:open] ..." (default "40:10 400:10 1000:10 400:100
                   1000:100"); HEIGHT is the number of objects stacked at the start: 10 settles to a thin layer,
                   100 to a deep pile; STEP is the time step in s (default 0.01), open leaves the walls out
  --repeats R      runs of each engine (default 3)
  --duration S     simulated seconds (default 2, and 3 for heights of 100 and more, which fall longer)
  --no-peers       icf alone
  --build DIR      use the build in DIR as it is; without it packages are installed and build/ is built
  --output FILE    the CSV file (default jobs/results/CPU.csv)

MuJoCo is looked for in MUJOCO_DIR (with include/ and lib/), then where packages install.
TEXT
}

fail() {
    echo "icf: error: $*" >&2
    exit 2
}

cases="40:10 400:10 1000:10 400:100 1000:100" repeats=3 duration="" peers=yes build="" output=""
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --quick) cases="40:10 400:10" ;;
        --all) cases+=" 4000:10 10000:10" ;;
        --no-peers) peers=no ;;
        --cases | --repeats | --duration | --build | --output)
            [ $# -ge 2 ] || fail "$1 needs a value"
            declare "${1#--}=$2"
            shift
            ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
[[ $repeats =~ ^[1-9][0-9]*$ ]] || fail "--repeats must be a number of runs, got $repeats"
for case in $cases; do
    [[ $case =~ ^[0-9]+:[0-9]+(:0?\.[0-9]+)?(:open)?$ ]] || fail "--cases: expected OBJECTS:HEIGHT[:STEP][:open], got $case"
done

if [ -n "$output" ]; then output=$(realpath "$output"); fi
# shellcheck source=jobs/use_build.sh
source "$(dirname "${BASH_SOURCE[0]}")/use_build.sh"
export OMP_NUM_THREADS=1
work=$build/bench
mkdir -p "$work"
: >"$work/errors.txt"

# compile_driver NAME COMPILER SOURCE FLAG...: builds the driver of an engine; false when that fails.
compile_driver() {
    local name=$1 compiler=$2 source=$3 flags=(-O2 -D_GNU_SOURCE)
    shift 3
    gcc "${flags[@]}" -c benchmark/measure.c -o "$work/measure.o" &&
        gcc "${flags[@]}" -c benchmark/peers/peer.c -o "$work/peer.o" &&
        "$compiler" "${flags[@]}" "benchmark/peers/$source" "$work/peer.o" "$work/measure.o" "$@" -lm -o "$work/$name"
}

# Builds the drivers of the engines that are there, and prints their names.
compile_drivers() {
    local flags mujoco=${MUJOCO_DIR:-/usr}
    if read -ra flags < <(pkg-config --cflags --libs bullet 2>/dev/null) &&
        compile_driver bullet g++ bullet.cpp "${flags[@]}"; then echo bullet; fi
    if read -ra flags < <(pkg-config --cflags --libs ode 2>/dev/null) &&
        compile_driver ode gcc ode.c "-DPEER_VERSION=\"$(pkg-config --modversion ode)\"" "${flags[@]}"; then echo ode; fi
    flags=(-I"$mujoco/include" -L"$mujoco/lib" "-Wl,-rpath,$mujoco/lib" -lmujoco)
    if [ -f "$mujoco/include/mujoco/mujoco.h" ] &&
        compile_driver mujoco gcc mujoco.c "${flags[@]}"; then echo mujoco; fi
}

# What runs in a case of that many objects: lines "ENGINE SETTING".
settings() {
    echo icf lagged
    local engine
    for engine in $drivers; do
        case $engine in
            bullet) echo bullet 10 && echo bullet 50 ;;
            ode) echo ode 20 ;;
            # Newton takes 0.7 s a step for 400 objects.
            mujoco) if [ "$1" -le 40 ]; then echo mujoco newton; fi && echo mujoco cg ;;
        esac
    done
}

# run_once ENGINE SETTING SCENE: appends the line of a run.  Another engine that fails has a line less.
run_once() {
    local lines=$3.$1-$2.jsonl
    if [ "$1" = icf ]; then
        "${pin[@]}" "$build/icf_bench" "$3.yaml" --model "$2" --setting "$2" --window 0.5 >>"$lines"
    else
        timeout 1800 "${pin[@]}" "$work/$1" "$3.list" "$2" 0.5 >>"$lines" 2>>"$work/errors.txt" || true
    fi
}

# values FIELD FILE: the values of a field, ascending.  median FIELD FILE: the one in the middle.
values() {
    sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p" "$2" | sort -g
}
median() {
    values "$1" "$2" | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "-" }'
}

# report ENGINE SETTING FILE OTHER SCENE LOAD: a row of the table and of the CSV file, which begin with the engine and end with the columns
# of the scene and the load.
report() {
    local file=$3 cpu early contacts iterations depth memory residual ratio
    if [ ! -s "$file" ]; then
        printf '  %-7s %-14s %-8s %10s\n' "$1" "" "$2" "failed"
        return
    fi
    cpu=$(median cpu_ms "$file") early=$(median cpu_ms_early "$file") contacts=$(median contacts "$file")
    iterations=$(median iterations "$file") depth=$(median penetration "$file") memory=$(median peak_rss_mb "$file")
    residual=$(median residual "$file") ratio=-
    if [ -s "$4" ]; then ratio=$(awk "BEGIN { printf \"%.3g\", $cpu / $(median cpu_ms "$4") }"); fi
    local version low high
    version=$(sed -n '1s/.*"version": "\([^"]*\)".*/\1/p' "$file")
    low=$(values cpu_ms "$file" | head -n 1) high=$(values cpu_ms "$file" | tail -n 1)
    printf '  %-7s %-14s %-8s %10.4g %10.4g %10.4g %10.4g %8s %10.0f %8.1f %10.4f %9s %8.1f\n' "$1" "$version" "$2" "$cpu" \
        "$low" "$high" "$early" "$ratio" "$contacts" "$iterations" "$(awk "BEGIN { print 1e3 * $depth }")" "$residual" "$memory"
    echo "$1,$version,$2,$5,$repeats,$cpu,$low,$high,$early,$ratio,$contacts,$iterations,$depth,$residual,$memory,$6" \
        >>"$output"
}

# measure CASE: all engines on one scene, taking turns.
measure() {
    local bodies height step=0.01 walls=walls seconds=$duration scene=$work/clutter-${1//:/-} word list r engine setting load
    IFS=: read -r bodies height word <<<"$1"
    for word in ${word//:/ }; do if [ "$word" = open ]; then walls=no-walls; else step=$word; fi; done
    if [ -z "$seconds" ]; then if [ "$height" -ge 100 ]; then seconds=3; else seconds=2; fi; fi
    "$build/icf" make clutter --bodies "$bodies" --height "$height" "--$walls" --step "$step" --duration "$seconds" --output "$scene.yaml"
    "$build/icf_bench" "$scene.yaml" --list "$scene.list"
    rm -f "$scene".*.jsonl
    mapfile -t list < <(settings "$bodies")
    for ((r = 0; r < repeats; ++r)); do
        for setting in "${list[@]}"; do
            read -r engine setting <<<"$setting"
            run_once "$engine" "$setting" "$scene"
        done
    done
    load=$(cut -d' ' -f1 /proc/loadavg)
    printf '\n%s objects, height %s, %s, steps of %s s, %s s; load average %s\n' "$bodies" "$height" "$walls" "$step" "$seconds" "$load"
    printf '  %-7s %-14s %-8s %10s %10s %10s %10s %8s %10s %8s %10s %9s %8s\n' engine version setting "cpu ms" least \
        most "drop ms" "/bullet" contacts iter. "depth mm" residual "peak MB"
    for setting in "${list[@]}"; do
        read -r engine setting <<<"$setting"
        report "$engine" "$setting" "$scene.$engine-$setting.jsonl" "$scene.bullet-50.jsonl" \
            "$bodies,$height,$walls,$step,$seconds" "$load"
    done
}

# The CPU's name, without signs of trade marks.
cpu=$(sed -n '/^model name/ { s/.*: *//; s/([RTM]*)//g; s/  */ /g; p; q }' /proc/cpuinfo)
cpu=${cpu:-$(uname -m)}
core=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
pin=(taskset -c "$core")
output=${output:-$PWD/jobs/results/$(tr -cs 'A-Za-z0-9.\n' '-' <<<"${cpu,,}").csv}
drivers=""
if [ "$peers" = yes ]; then drivers=$(compile_drivers); fi

echo "$cpu, core $core; $(uname -sr); BLAS kernel ${OPENBLAS_CORETYPE:-by itself}; load average $(cut -d' ' -f1-3 /proc/loadavg)"
echo "CPU ms per step with collision: median, least and most of $repeats runs, mean over the last 0.5 s;"
echo "\"drop\": over the first 0.5 s; \"/bullet\": cpu ms over that of Bullet with 50 sweeps; iterations, depth,"
echo "momentum residual: of the engine itself, over the last 0.5 s, the largest of depths and residuals."
mkdir -p "$(dirname "$output")"
echo "engine,version,setting,bodies,height,walls,step,duration,repeats,cpu_ms,cpu_ms_least,cpu_ms_most,cpu_ms_drop,over_bullet_50,contacts,iterations,penetration,residual,peak_rss_mb,load" >"$output"
for case in $cases; do measure "$case"; done
printf '\n%s\n' "written: $output"
if [ -s "$work/errors.txt" ]; then echo "messages of the engines: $work/errors.txt"; fi
