# shellcheck shell=bash
# Sourced by the benchmarks: goes to the project's folder and sets the environment.  `build` is the build to use as it is, and becomes
# an absolute path; when it is empty, packages are installed and build/ is built.
if [ -n "$build" ]; then build=$(realpath "$build"); fi
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
if [ -z "$build" ]; then
    bash jobs/setup.sh
    build=$PWD/build
fi
# shellcheck source=jobs/env.sh
source jobs/env.sh
