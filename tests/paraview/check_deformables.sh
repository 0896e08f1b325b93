#!/usr/bin/env bash
# Runs a scene with deformable bodies and lets ParaView check its results.
# usage: check_deformables.sh ICF MPIRUN RANKS DIRECTORY
# Exit 77 when ParaView is not installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
icf=$1 mpirun=$2 ranks=$3 out=$4
command -v pvpython > /dev/null || { echo "pvpython is not installed: skipped"; exit 77; }
rm -rf "$out"
"$mpirun" -n "$ranks" "$icf" run "$here/deformables.yaml" --threads 1 --quiet --output "$out" --trace "$out/trace.jsonl"
env -u LD_PRELOAD pvpython --force-offscreen-rendering "$here/check_deformables.py" "$out" "$out/trace.jsonl"
