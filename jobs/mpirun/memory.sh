#!/usr/bin/env bash
# Memory of a rank: a population for one step on 1, 2 and 4 ranks, and one body for what an empty program takes.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/mpirun/memory.sh [-h] [BODIES [HALF [QUARTER [DIR]]]]

Runs a clutter of BODIES objects (default 500000) for one step on 1, 2 and 4 ranks, and one of a single body, and prints
the peak of the largest rank of each, without that of the single body, and the prediction of icf plan.  Exit code 1 when
2 ranks have not at least HALF (default 1.8) times less than 1, or 4 ranks not QUARTER (default 3.2) times less.
Results go to DIR (default out/memory).
TEXT
}

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
    usage
    exit 0
fi
bodies=${1:-500000} half=${2:-1.8} quarter=${3:-3.2} dir=${4:-out/memory}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=jobs/env.sh
source "$root/jobs/env.sh"
icf=${ICF:-$root/build/icf}

# peak SCENE RANKS: MB of the largest rank.
peak() {
    mpirun -n "$2" "$icf" run "$dir/$1.yaml" --threads 1 --steps 1 --every 1000 --quiet --set output.checkpoint_every=0 \
        --output "$dir/$1-$2" >&2
    sed -n 's/.*"peak_memory_mb": \([0-9.]*\).*/\1/p' "$dir/$1-$2/summary.json"
}

mkdir -p "$dir"
"$icf" make clutter --bodies "$bodies" --duration 0.02 --output "$dir/many.yaml"
"$icf" make clutter --bodies 1 --height 1 --duration 0.02 --output "$dir/one.yaml"
alone=$(peak one 1)
echo "one body: $alone MB; $bodies bodies, peak of the largest rank without that:"
echo " ranks        MB   against 1     plan: MB"
failed=0
for ranks in 1 2 4; do
    most=$(peak many "$ranks")
    plan=$("$icf" plan "$dir/many.yaml" --ranks "$ranks" | sed -n 's/^memory  *\([0-9.]*\) MB.*/\1/p')
    if [ "$ranks" = 1 ]; then first=$most bound=1; fi
    if [ "$ranks" = 2 ]; then bound=$half; fi
    if [ "$ranks" = 4 ]; then bound=$quarter; fi
    awk -v ranks="$ranks" -v most="$most" -v first="$first" -v alone="$alone" -v plan="$plan" -v bound="$bound" 'BEGIN {
        ratio = (first - alone) / (most - alone)
        missed = ratio < bound
        printf("%6d %9.1f %11.2f %12.1f%s\n", ranks, most - alone, ratio, plan - alone, missed ? " MISSED, expected " bound : "")
        exit missed
    }' || failed=1
done
exit $failed
