# shellcheck shell=bash
# A Slurm of its own for a test, on this machine and with private keys, sockets and ports; sourced by the tests.
#
#   start_cluster CPUS   exits with 77 where Slurm is not installed
#   stop_cluster         also called when the test ends; ends only what start_cluster started

PATH=$PATH:/usr/sbin:/sbin
cluster="" daemons=()

stop_cluster() {
    local pid
    # The node first, so that its jobs end; then the controller and the keys.
    for pid in "${daemons[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    daemons=()
    if [ -n "$cluster" ]; then rm -rf "$cluster"; fi
}

# Two ports that nobody listens on, from a place that depends on the process.
free_ports() {
    local port=$((20000 + $$ % 10000)) found=()
    while [ ${#found[@]} -lt 2 ]; do
        if ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then found+=("$port"); fi
        port=$((port + 1))
    done
    echo "${found[@]}"
}

write_configuration() {
    local host user ports
    host=$(hostname -s) user=$(id -un)
    read -ra ports < <(free_ports)
    # A job that was queued again starts when its old credential has expired: 120 s unless told otherwise.
    cat >"$cluster/slurm.conf" <<TEXT
ClusterName=icf
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket,cred_expire=5
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=$1 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
TEXT
}

# start NAME COMMAND...: a daemon in the foreground of a shell job, so that its process is known.
start() {
    local name=$1
    shift
    "$@" >"$cluster/$name.out" 2>&1 &
    daemons=("$!" "${daemons[@]}")
}

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        if [ $SECONDS -ge $end ]; then return 1; fi
        sleep 0.2
    done
}

node_is_idle() {
    [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]
}

start_cluster() {
    local program
    for program in munged slurmctld slurmd sbatch scontrol squeue; do
        command -v "$program" >/dev/null || { echo "skipped: there is no $program"; exit 77; }
    done
    cluster=$(mktemp -d "${TMPDIR:-/tmp}/icf-slurm-XXXXXX")
    trap stop_cluster EXIT
    chmod 755 "$cluster"
    mkdir -p "$cluster/state" "$cluster/spool"
    write_configuration "$1"
    export SLURM_CONF=$cluster/slurm.conf

    dd if=/dev/urandom of="$cluster/munge.key" bs=128 count=1 status=none
    chmod 400 "$cluster/munge.key"
    start munged munged --foreground --force --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" \
        --pid-file="$cluster/munge.pid" --log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed"
    wait_until 10 test -S "$cluster/munge.socket"
    start slurmctld slurmctld -D
    start slurmd slurmd -D
    if ! wait_until 60 node_is_idle; then
        tail -n 20 "$cluster"/*.out "$cluster"/*.log >&2
        echo "Slurm did not start" >&2
        exit 1
    fi
}
