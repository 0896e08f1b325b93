#!/usr/bin/env bash
# The scenes in the documentation are scenes: each YAML block that begins with a comment "# NAME.yaml: ..." passes icf check.
#   test_examples.sh ICF WORK FILE...
set -euo pipefail
icf=$1 work=$2
shift 2

rm -rf "$work"
mkdir -p "$work"
awk -v work="$work" '
    /^```/ { inside = ($0 == "```yaml"); name = ""; first = inside; next }
    first { first = 0; if (match($0, /^# [a-z0-9_-]+\.yaml/)) name = work "/" substr($0, 3, RLENGTH - 2) }
    inside && name { print > name }
' "$@"
scenes=("$work"/*.yaml)
[ -e "${scenes[0]}" ] || { echo "no scene found in $*"; exit 1; }
for scene in "${scenes[@]}"; do
    echo "== $(basename "$scene")"
    "$icf" check "$scene"
done
