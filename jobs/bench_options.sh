# shellcheck shell=bash
# Sourced by benchmarks of whole runs, which define `usage` and the default of `repeats`, with the arguments of the script: reads --build and
# --repeats, and goes on as use_build.sh does.
fail() {
    echo "icf: error: $*" >&2
    exit 2
}

: "${repeats:=3}"
build=""
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) usage; exit 0 ;;
        --build | --repeats)
            [ $# -ge 2 ] || fail "$1 needs a value"
            declare "${1#--}=$2"
            shift 2
            ;;
        *) usage >&2; exit 2 ;;
    esac
done
[[ $repeats =~ ^[1-9][0-9]*$ ]] || fail "--repeats must be a number of runs, got $repeats"
# shellcheck source=jobs/use_build.sh
source "$(dirname "${BASH_SOURCE[0]}")/use_build.sh"
