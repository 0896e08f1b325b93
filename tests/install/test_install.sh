#!/usr/bin/env bash
# Installs the build into a fresh prefix, moves it, and uses the library from outside the project.
#   test_install.sh CMAKE GENERATOR CC BUILD WORK
# Checks: each public header compiles by itself; a program builds with find_package(icf) and with pkg-config, and runs.
set -euo pipefail
cmake=$1 generator=$2 cc=$3 build=$4 work=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
prefix="$work/moved"
"$prefix/bin/icf" --version
[ -s "$prefix/share/man/man1/icf.1" ] || { echo "the manual page is not installed"; exit 1; }

pc=$(dirname "$(find "$prefix" -name icf.pc)")
export PKG_CONFIG_PATH="$pc"
read -ra cflags <<<"$(pkg-config --cflags icf)"
read -ra libs <<<"$(pkg-config --libs icf)"
headers=0
while IFS= read -r header; do
    "$cc" -std=gnu17 -Wall -Wextra -Werror -fsyntax-only "${cflags[@]}" -x c - <<<"#include \"$header\""
    headers=$((headers + 1))
done < <(cd "$prefix/include/icf" && find . -name '*.h' -printf '%P\n' | sort)
echo "$headers headers compile by themselves"

"$cc" -std=gnu17 "${cflags[@]}" "$here/consumer.c" "${libs[@]}" -o "$work/with_pkg_config"
"$work/with_pkg_config"

"$cmake" -G "$generator" -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    >"$work/configure.log"
"$cmake" --build "$work/build" >"$work/build.log"
"$work/build/consumer"
