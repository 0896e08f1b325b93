#!/usr/bin/env bash
# Sets up, builds and runs the main job: forty objects that fall into a bin.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/demo.sh [-h] [RUN OPTIONS]

Installs missing packages, builds icf (Release) in build/, and simulates 40 objects that fall into a
bin and settle, on all cores.  Options of "icf run" may follow, for example --model sap.
Results go to out/demo/.
TEXT
}

case "${1:-}" in
    -h | --help) usage; exit 0 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash jobs/setup.sh
# shellcheck source=jobs/env.sh
source jobs/env.sh

out=out/demo
mkdir -p "$out"
build/icf make clutter --bodies 40 --height 10 --walls --output "$out/clutter.yaml"

# The program cannot see through mpirun whether it writes to a terminal.
progress=never
if [ -t 1 ] && [ -t 2 ]; then progress=always; fi
mpirun -n 1 build/icf run "$out/clutter.yaml" --threads "$(nproc)" --output "$out" --progress "$progress" "$@"

cat <<TEXT

The results are in $PWD/$out:
  run.xmf       bodies and contact forces over time; open it in ParaView
  stats.csv     a line a step: contacts, iterations, energy, penetration, time by phase
  summary.json  the run in numbers
TEXT
