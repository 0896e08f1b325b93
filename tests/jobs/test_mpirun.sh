#!/usr/bin/env bash
# The scripts of jobs/mpirun: a run that is stopped and goes on, and studies with their table and picture.
# usage: test_mpirun.sh SOURCE ICF SCRATCH
set -euo pipefail

jobs=$1/jobs scratch=$3
export ICF=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

fail() {
    echo "wrong: $*" >&2
    exit 1
}

value() {
    sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$2/summary.json"
}

# wait_for_steps N: until out/stats.csv has more lines; they are written at least every 5 s.
wait_for_steps() {
    local tries
    for ((tries = 0; tries < 600; ++tries)); do
        if [ -f out/stats.csv ] && [ "$(wc -l <out/stats.csv)" -gt "$1" ]; then return 0; fi
        sleep 0.1
    done
    fail "no $1 steps within a minute"
}

write_scene() {
    "$ICF" make clutter --bodies 12 --height 3 --walls --step 0.01 --duration "$1" --output scene.yaml
}

# Stopped by a signal to the script: exit code 5 and a checkpoint.
options=(--every 50 --quiet)
write_scene 1000000
bash "$jobs/mpirun/run.sh" --ranks 2 --threads 1 scene.yaml out "${options[@]}" 2>stop.log &
wait_for_steps 5
code=0
kill -TERM $!
wait $! || code=$?
[ "$code" = 5 ] || fail "expected exit code 5 when stopped, got $code: $(cat stop.log)"
files=(out/checkpoint-*.h5)
step=${files[-1]#out/checkpoint-} step=${step%.h5}

# Started again, on another number of ranks, it goes on to the state of a run that was never stopped.
# A checkpoint of an earlier step, and what only looks like one, are not taken.
cp "${files[-1]}" out/checkpoint-2.h5
touch out/checkpoint-99999999x.h5
write_scene "$(awk "BEGIN { print ($step + 10) * 0.01 }")"
bash "$jobs/mpirun/run.sh" --ranks 1 --threads 1 scene.yaml out "${options[@]}"
"$ICF" run scene.yaml --output whole --threads 1 "${options[@]}"
[ "$(value steps out)" = $((step + 10)) ] || fail "expected $((step + 10)) steps, got $(value steps out)"
[ "$(value checksum out)" = "$(value checksum whole)" ] || fail "checksums differ"
[[ $(bash "$jobs/mpirun/run.sh" --ranks 1 --threads 1 scene.yaml out "${options[@]}") == *"is done" ]] ||
    fail "a run that is done ran again"

# Studies: in the weak one the objects grow with the ranks, beside the ground and four walls.
for kind in strong weak; do
    bash "$jobs/mpirun/scaling.sh" $kind --ranks "1 2" --bodies 20 --steps 10 --repeats 2 >$kind.log
done
[ "$(value bodies out/strong/ranks-2/run-2) $(value bodies out/weak/ranks-2/run-2)" = "25 45" ] || fail "number of bodies"
code=0
bash "$jobs/mpirun/scaling.sh" strong --ranks "1 2" --bodies 30 --steps 10 2>other.log || code=$?
[ "$code $(grep -c "another scene" other.log)" = "2 1" ] || fail "a study was mixed with another"

# The table has a line a number of ranks, with the mean of the last half of the steps.
command -v python3 >/dev/null || exit 0
python3 "$jobs/study.py" out/strong out/weak --icf "$ICF" --plan "--settle 5"
awk -F, '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $column["ranks"] != 2 ^ (NR - 2) || $column["repeats"] != 2 || $column["first_step"] != 6 { bad = 1 }
    $column["study"] != "strong" || $column["machine"] == "" || $column["checksum"] == "differs" { bad = 1 }
    !($column["ms_step"] > 0) || !($column["predicted_ms_step"] > 0) || !($column["predicted_memory_mb"] > 0) { bad = 1 }
    NR == 2 { first = $column["ms_step"] }
    NR == 3 { ratio = first / $column["ms_step"] / $column["speedup"]; if (ratio < 0.999 || ratio > 1.001) bad = 1 }
    END { exit bad || NR != 3 }' out/strong/study.csv || fail "the table: $(cat out/strong/study.csv)"
cut -d, -f2 out/weak/study.csv | tail -n 2 | grep -qx weak || fail "the weak study is not told from a strong one"
python3 - out/strong/study.svg <<'PYTHON'
import sys, xml.etree.ElementTree as tree
circles = [e for e in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}circle")]
# Two panels with two points, measured and predicted.
sys.exit(len(circles) != 8 or any(not 0 <= float(c.get("cx")) <= 860 for c in circles))
PYTHON
