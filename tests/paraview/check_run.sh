#!/usr/bin/env bash
# Writes a made-up run and lets ParaView check it.
# usage: check_run.sh WRITE_RUN DIRECTORY SURFACES
# Exit 77 when ParaView is not installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v pvpython > /dev/null || { echo "pvpython is not installed: skipped"; exit 77; }
rm -rf "$2"
"$1" "$2" "$3"
# without the sanitizers' settings, which ParaView does not understand; its remarks on empty grids are left out
env -u LD_PRELOAD pvpython --force-offscreen-rendering "$here/check_run.py" "$2" "$2/trace.jsonl" 2>&1 |
  grep -v 'Skipping unrecognized array type'
