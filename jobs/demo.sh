#!/usr/bin/env bash
# Sets up, builds and runs the main job: forty objects that fall into a bin.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/demo.sh [-h] [RUN OPTIONS]

Installs missing packages, builds icf (Release) in build/, and simulates 40 objects that fall into a
bin and settle, on all cores: one rank a socket, but two where there is one socket, and the cores shared
out over them as threads.  Options of "icf run" may follow, for example --model sap.
Results go to out/demo/, with a page to look at: out/demo/report.html.  Then a soft cube is dropped, with results in
out/demo-soft/.
TEXT
}

case "${1:-}" in
    -h | --help) usage; exit 0 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash jobs/setup.sh
# shellcheck source=jobs/env.sh
source jobs/env.sh
# shellcheck source=jobs/layout.sh
source jobs/layout.sh

out=out/demo
mkdir -p "$out"
build/icf make clutter --bodies 40 --height 10 --walls --output "$out/clutter.yaml"

# The program cannot see through mpirun whether it writes to a terminal.
progress=never
if [ -t 1 ] && [ -t 2 ]; then progress=always; fi

# Ranks cost messages, threads do not, so large runs take one rank a socket.  Forty objects are done in a second either
# way, and with two ranks the results show what moves between them.
cores=$(nproc) sockets=$(count_sockets)
ranks=$(choose_ranks "$cores" $((sockets > 1 ? sockets : 2)))
threads=$((cores / ranks))
echo "$cores core(s) on $sockets socket(s): $ranks rank(s) x $threads thread(s)"
mpirun -n "$ranks" build/icf run "$out/clutter.yaml" --threads "$threads" --output "$out" --every 2 --progress "$progress" "$@"

# A soft cube that falls on the ground, in less than a second.
build/icf run jobs/scenes/soft_cube.yaml --threads "$cores" --output out/demo-soft --progress never

# A page of each run, to look at.
build/icf report "$out" --scene "$out/clutter.yaml" >/dev/null
build/icf report out/demo-soft --scene jobs/scenes/soft_cube.yaml >/dev/null

cat <<TEXT

The results are in $PWD/$out:
  run.xmf       bodies and contact forces over time; open it in ParaView
  stats.csv     a line a step: contacts, iterations, energy, penetration, time by phase
  summary.json  the run in numbers
and those of a soft cube in $PWD/out/demo-soft (run_deformables.xmf).

Look at the runs in a browser:
  $PWD/$out/report.html
  $PWD/out/demo-soft/report.html
TEXT
