# shellcheck shell=bash
# Environment of runs and tests on a machine that is shared or small; sourced by the other scripts.
# Set only what the user has not set.

# As root (containers) Open MPI refuses to start unless told twice.
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# More ranks than cores may run, they give way while they wait, and two jobs are not pinned to the same core.
export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
export OMPI_MCA_mpi_yield_when_idle="${OMPI_MCA_mpi_yield_when_idle:-1}"
export OMPI_MCA_hwloc_base_binding_policy="${OMPI_MCA_hwloc_base_binding_policy:-none}"
export PRTE_MCA_rmaps_default_mapping_policy="${PRTE_MCA_rmaps_default_mapping_policy:-:oversubscribe}" # Open MPI 5
export PRTE_MCA_hwloc_default_binding_policy="${PRTE_MCA_hwloc_default_binding_policy:-none}"
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"

# OpenBLAS takes its slowest kernels on a CPU that is newer than itself.
if grep -qsw avx2 /proc/cpuinfo; then
    export OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE:-Haswell}"
fi
