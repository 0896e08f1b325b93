#!/usr/bin/env bash
# Installs the Debian packages that icf needs and builds the program; demo.sh and test.sh begin with it.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/setup.sh [-h]

Installs the Debian or Ubuntu packages that are missing (as root, or with sudo), configures and
builds icf (Release) in build/.  Packages that are there are left alone: then no network is needed.
TEXT
}

packages=(
    gcc libc6-dev cmake ninja-build pkg-config
    libopenmpi-dev openmpi-bin libmumps-dev libmetis-dev libopenblas-openmp-dev libsuitesparse-dev
    libhdf5-openmpi-dev libjansson-dev libyaml-dev libexpat1-dev zlib1g-dev libqhull-dev libcmocka-dev
)

fail() {
    echo "icf: error: $*" >&2
    exit 1
}

# Names of the packages that are not installed.
missing_packages() {
    local package
    for package in "${packages[@]}"; do
        [ "$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            echo "$package"
    done
}

# apt ARGUMENT...: runs apt-get as root, waiting for another package manager to end.
# When it fails, prints the last line it said.
apt() {
    local log code=0
    local command=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@")
    [ "$(id -u)" = 0 ] || command=(sudo "${command[@]}")
    log=$(mktemp)
    "${command[@]}" >"$log" 2>&1 || code=$?
    [ $code = 0 ] || tail -n 1 "$log"
    rm -f "$log"
    return $code
}

install_packages() {
    local missing why
    command -v apt-get >/dev/null ||
        fail "this is no Debian or Ubuntu system; install what docs/building.md lists and run cmake --preset release"
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -gt 0 ] || return 0

    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        fail "packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
    echo "installing ${missing[*]}"
    why=$(apt -o APT::Update::Error-Mode=any update) ||
        fail "missing packages: ${missing[*]}; their list could not be fetched: $why"
    why=$(apt install -y --no-install-recommends "${missing[@]}") ||
        fail "missing packages: ${missing[*]}; they could not be installed: $why"
}

build() {
    echo "building in build/"
    cmake --preset release --log-level=WARNING >/dev/null || fail "cmake could not configure the build"
    cmake --build --preset release -- --quiet || fail "the build failed"
}

case "${1:-}" in
    "") ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
install_packages
build
