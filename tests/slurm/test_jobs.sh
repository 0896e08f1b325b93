#!/usr/bin/env bash
# Jobs in a queue: a run, the same job again, a job that cannot work, and an array that is a strong scaling study.
# usage: test_jobs.sh SOURCE ICF SCRATCH
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
    tail -n 20 ./*.log >&2
    exit 1
}

value() {
    sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$2/summary.json"
}

job_is() {
    [[ $(scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p') == "$1" ]]
}

has_steps() {
    [ -s "$1/stats.csv" ] && [ "$(wc -l <"$1/stats.csv")" -gt 10 ]
}

# Is the last step of the table behind that of the newest checkpoint?
has_more_steps() {
    local files last
    mapfile -t files < <(ls -v "$1"/checkpoint-*.h5)
    last=${files[-1]##*-} last=${last%.h5}
    [ "$(wc -l <"$1/stats.csv")" -gt $((last + 10)) ]
}

has_checkpoints() {
    local files=("$1"/checkpoint-*.h5)
    [ ${#files[@]} -ge "$2" ]
}

submit() {
    sbatch --wait --time=5 --ntasks=2 "$@"
}

# The job's run has the job's ranks and threads, and the state that a run outside has.
"$ICF" make clutter --bodies 12 --height 3 --walls --duration 0.3 --output scene.yaml
submit --output=run.log "$source/jobs/slurm/run.sbatch" scene.yaml out --quiet || fail "the job failed"
[ "$(value ranks out) $(value threads out) $(value status out)" = "2 1 done" ] || fail "expected 2 ranks x 1 thread"
"$ICF" run scene.yaml --output whole --threads 1 --quiet
[ "$(value checksum out)" = "$(value checksum whole)" ] || fail "the checksum is not that of a run outside"

# Again: nothing to do, and nothing is touched.
touch -d '1 second ago' scene.yaml out/summary.json
cp -p out/summary.json before.json
touch -d '2 seconds ago' scene.yaml
submit --output=again.log "$source/jobs/slurm/run.sbatch" scene.yaml out --quiet || fail "the job failed the second time"
grep -q "out is done" again.log || fail "the second job did not say that the run is done"
if ! cmp -s out/summary.json before.json || [ out/summary.json -nt before.json ]; then fail "the second job did something"; fi

# The exit code of a wrong scene comes through, without a new start.
code=0
echo "bodies: 3" >wrong.yaml
submit --output=wrong.log "$source/jobs/slurm/run.sbatch" wrong.yaml wrong || code=$?
[ "$code $(grep -c '^icf: job' wrong.log)" = "2 1" ] || fail "expected exit code 2 after one start, got $code"

# A job whose shell is sent the warning signal saves its state and comes back; on SIGTERM it does not come back.
"$ICF" make clutter --bodies 12 --height 3 --walls --duration 1000000 --output long.yaml
job=$(sbatch --parsable --time=5 --ntasks=2 --output=stop.log "$source/jobs/slurm/run.sbatch" long.yaml stopped)
wait_until 60 has_steps stopped || fail "the job did not begin"
scancel --batch --signal=USR1 "$job"
wait_until 60 grep -q "is queued again" stop.log || fail "the job was not queued again on SIGUSR1"
wait_until 90 grep -q "^restart " stop.log || fail "the job did not start again"
wait_until 60 has_more_steps stopped || fail "the job did not go on"
scancel --batch --signal=TERM "$job"
wait_until 60 job_is FAILED || fail "the job did not end on SIGTERM"
scontrol show job "$job" | grep -q "ExitCode=5:0" || fail "expected exit code 5 after SIGTERM"
has_checkpoints stopped 2 || fail "SIGTERM left no checkpoint"
[ "$(grep -c "is queued again" stop.log)" = 1 ] || fail "the job was queued again after SIGTERM"

# An array: 1 and 2 ranks simulate the same.
submit --array=0-1%1 --output=strong-%a.log "$source/jobs/slurm/strong.sbatch" --bodies 40 --steps 20 --repeats 2 ||
    fail "the study failed"
for run in ranks-1/run-1 ranks-1/run-2 ranks-2/run-1 ranks-2/run-2; do
    [ "$(value checksum "out/strong/$run")" = "$(value checksum out/strong/ranks-1/run-1)" ] || fail "$run differs"
done
[ "$(value ranks out/strong/ranks-2/run-1)" = 2 ] || fail "the second task does not have 2 ranks"
