#!/usr/bin/env bash
# A job that meets its time limit writes a checkpoint, is queued again and goes on, to the same state as a run that was
# never interrupted.
# usage: test_limit.sh SOURCE ICF SCRATCH
set -euo pipefail

source=$1 scratch=$3
export ICF=$2 ICF_HOME=$source
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
# shellcheck source=tests/slurm/cluster.sh
source "$source/tests/slurm/cluster.sh"
start_cluster 2

fail() {
    echo "wrong: $*" >&2
    tail -n 20 icf.log "$cluster/slurmctld.log" >&2
    exit 1
}

# write_scene STEPS: what one rank does in milliseconds a step.  It is replaced in one go.
write_scene() {
    "$ICF" make clutter --bodies 12 --height 3 --walls --step 0.01 --duration "$(awk "BEGIN { print $1 * 0.01 }")" \
        --output new.yaml
    mv new.yaml scene.yaml
}

has_checkpoint() {
    local files=(out/checkpoint-*.h5)
    [ -f "${files[0]}" ]
}

job_is() {
    [[ $(scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p') == "$1" ]]
}

value() {
    sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$2/summary.json"
}

# More steps than fit into the limit of a minute, the shortest there is; the signal comes 20 to 50 s before it.
write_scene 100000000
job=$(sbatch --parsable --time=1 --signal=B:USR1@20 --output=icf.log --ntasks=2 "$source/jobs/slurm/run.sbatch" \
    scene.yaml out --every 1000000 --set output.checkpoint_every=0)
wait_until 150 has_checkpoint || fail "no checkpoint before the time limit"
file=$(echo out/checkpoint-*.h5)
step=${file#out/checkpoint-} step=${step%.h5}

# While the job waits to start again its end is moved to a few steps away.
steps=$((step + 20))
write_scene "$steps"
wait_until 60 grep -q "is queued again" icf.log || fail "the job was not queued again"
wait_until 150 job_is COMPLETED || fail "the job did not come to its end: $(scontrol show job "$job" | head -n 4)"
[ "$(grep -c '^icf: job' icf.log)" = 2 ] || fail "expected two starts"
grep -q "^restart  *step $step " icf.log || fail "the second start did not go on at step $step"
[ "$(value status out) $(value steps out)" = "done $steps" ] || fail "the run did not reach step $steps"

# Uninterrupted, on one rank.
"$ICF" run scene.yaml --output whole --every 1000000 --set output.checkpoint_every=0 --threads 1 --quiet
[ "$(value checksum out)" = "$(value checksum whole)" ] || fail "checksums differ after step $step of $steps"
[ "$(wc -l <out/stats.csv)" = "$(wc -l <whole/stats.csv)" ] || fail "steps are missing in stats.csv, or twice there"
echo "stopped by the time limit at step $step, done at step $steps, checksum $(value checksum out) both times"
