#!/usr/bin/env bash
# Repeats the experiments of the papers and writes docs/validation.md about them.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/validate.sh [-h] [--build DIR] [--docs DIR] [--work DIR] [--quick] [STUDY ...]

Runs the experiments of the papers (default all studies), compares numbers with bounds that stand in
jobs/validation/, draws the pictures and writes the page docs/validation.md; the parts of other studies stay.
The exit code is 1 when a bound does not hold.  All of it takes some minutes.

  --build DIR   use the build in DIR as it is; without it packages are installed and build/ is built
  --docs DIR    where validation.md and validation/*.svg go (default docs; with --quick out/validation)
  --work DIR    keep scenes and results of the runs there (default: a temporary folder)
  --quick       short runs, as the tests do
TEXT
}

fail() {
    echo "icf: error: $*" >&2
    exit 2
}

build="" docs="" work="" options=() studies=()
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --build | --docs | --work)
            [ $# -ge 2 ] || fail "$1 needs a value"
            declare "${1#--}=$2"
            shift
            ;;
        --quick) options+=(--quick) ;;
        -*) usage >&2; exit 2 ;;
        *) studies+=("$1") ;;
    esac
    shift
done
for folder in docs work; do
    if [ -n "${!folder}" ]; then
        mkdir -p "${!folder}"
        declare "$folder=$(realpath "${!folder}")"
    fi
done
# shellcheck source=jobs/use_build.sh
source "$(dirname "${BASH_SOURCE[0]}")/use_build.sh"
command -v python3 >/dev/null || fail "python3 is not there"
if [ -z "$docs" ]; then
    if [ ${#options[@]} = 0 ]; then docs=$PWD/docs; else docs=$PWD/out/validation; fi
    mkdir -p "$docs"
fi
if [ -n "$work" ]; then options+=(--work "$work"); fi
python3 jobs/validation --icf "$build/icf" --docs "$docs" "${options[@]}" "${studies[@]}"
