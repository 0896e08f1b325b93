# shellcheck shell=bash
# The machine, and how to share it out over ranks and threads; sourced by the other scripts.

# The CPU's name, without signs of trade marks.
cpu_name() {
    local name
    name=$(sed -n '/^model name/ { s/.*: *//; s/([RTM]*)//g; s/  */ /g; p; q }' /proc/cpuinfo)
    echo "${name:-$(uname -m)}"
}

# Sockets among the CPUs that this process may use; 1 where that is not told.
count_sockets() {
    local cpus sockets
    cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
    sockets=$(lscpu -p=CPU,SOCKET 2>/dev/null | awk -F, -v allowed="$cpus" '
        BEGIN {
            n = split(allowed, parts, ",")
            for (i = 1; i <= n; ++i) {
                split(parts[i], ends, "-")
                for (cpu = ends[1]; cpu <= (ends[2] == "" ? ends[1] : ends[2]); ++cpu) may_use[cpu] = 1
            }
        }
        !/^#/ && ($1 in may_use) && !($2 in seen) { seen[$2] = 1; ++count }
        END { print count + 0 }')
    if [ "${sockets:-0}" -gt 0 ]; then echo "$sockets"; else echo 1; fi
}

# choose_ranks CORES WISHED: the largest number of ranks up to the one wished for that leaves no core without a thread.
choose_ranks() {
    local ranks=$2
    while [ "$ranks" -gt 1 ] && [ $(($1 % ranks)) != 0 ]; do ranks=$((ranks - 1)); done
    echo "$ranks"
}
