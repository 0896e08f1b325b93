#!/usr/bin/env bash
# A study of the validation page holds its bounds in short runs, and the page that is there is whole.
# usage: test_validation.sh SOURCE_DIR BUILD_DIR WORK_DIR STUDY
set -euo pipefail

source_dir=$1 build=$2 work=$3 study=$4
fail() {
    echo "FAILED: $*" >&2
    exit 1
}

command -v python3 >/dev/null || exit 77
rm -rf "$work"
validate=(bash "$source_dir/jobs/validate.sh" --build "$build" --quick --docs "$work")
"${validate[@]}" "$study" || fail "a bound does not hold"
grep -q "^<!-- part $study -->$" "$work/validation.md" || fail "there is no page"
code=0
"${validate[@]}" nonsense >/dev/null 2>&1 || code=$?
[ "$code" = 2 ] || fail "a study that does not exist gives exit code $code"

page=$source_dir/docs/validation.md
grep -q "^<!-- part $study -->$" "$page" || fail "$page has no part $study"
if grep -n '| \*\*no\*\* |$' "$page"; then fail "the page has bounds that do not hold"; fi
while read -r picture; do
    [ -f "$source_dir/docs/$picture" ] || fail "$page names $picture, which is not there"
done < <(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$page")
