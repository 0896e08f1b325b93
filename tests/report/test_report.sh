#!/usr/bin/env bash
# Reports of real runs in a real browser (headless Chromium): makes runs and their pages, then test_report.mjs looks at them.
# Skipped (exit code 77) where node or Chromium is not installed.
#   test_report.sh ICF WORK MPIRUN
set -euo pipefail
icf=$1 work=$2 mpirun=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

skip() {
    echo "skipped: $*"
    exit 77
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "Chromium is not installed (apt-get install chromium)"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' 2>/dev/null ||
    skip "node 18 or later is not installed (apt-get install nodejs)"

rm -rf "$work"
mkdir -p "$work"
cd "$work"
run() {
    "$icf" run "$@" --progress never --quiet
}

# Clutter in a bin, by one rank and by two; a trace says what the page must show.
"$icf" make clutter --bodies 40 --height 10 --walls --output clutter.yaml
run clutter.yaml --output one --trace one.jsonl --every 5 --duration 1
"$mpirun" -n 2 "$icf" run clutter.yaml --output two --every 5 --duration 1 --progress never --quiet
echo "machine: a test" >one/job.txt
# All shapes, a deformable body, and contacts far too soft.
cp "$here/shapes.yaml" .
run shapes.yaml --output shapes --trace shapes.jsonl
# Bodies that come while the run goes on.
run "$here/../ranks/emitters.scene.yaml" --steps 130 --output emitters --trace emitters.jsonl
# Many bodies, for what a frame costs.
"$icf" make pile --bodies 10000 --height 10 --output pile.yaml
run pile.yaml --steps 52 --every 4 --threads 2 --output pile

"$icf" report one --scene clutter.yaml
"$icf" report two
"$icf" report shapes
"$icf" report emitters
"$icf" report pile
# 25 kB less than all frames take
"$icf" report one --output few.html --max-size "$(awk -v bytes="$(stat -c %s one/report.html)" 'BEGIN { print (bytes - 25000) / 1e6 }')"
"$icf" report shapes --output picture.html --image picture.png --time 0.3 --camera 30,20,1.2 --colour stress --arrows --size 640x360

node "$here/test_report.mjs" "$browser" "$work"
