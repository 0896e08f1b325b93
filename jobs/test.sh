#!/usr/bin/env bash
# Sets up, builds and runs every test.
set -euo pipefail

usage() {
    cat <<'TEXT'
usage: bash jobs/test.sh [-h] [CTEST OPTIONS]

Installs missing packages, builds icf (Release) in build/ and runs all tests, or those that the ctest
options choose: -L unit (a label), -LE slow (all but a label), -R golden (a name).
The last line is "N passed, N failed" (and ", N skipped" when a test needs what is not installed);
the exit code is 0 when all passed.
TEXT
}

# Lines of ctest's JUnit report that match.
count() {
    grep -c "^[[:space:]]*$1" "$report" || true
}

case "${1:-}" in
    -h | --help) usage; exit 0 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! bash jobs/setup.sh; then
    echo "0 passed, 1 failed"
    exit 1
fi
# shellcheck source=jobs/env.sh
source jobs/env.sh

report="$PWD/build/test-report.xml"
: >"$report"
code=0
ctest --test-dir build --parallel 2 --output-on-failure --no-tests=error --output-junit "$report" "$@" || code=$?

# A test that could not be started counts as failed, not as skipped.
total=$(count '<testcase ')
passed=$(count '<testcase .* status="run"')
skipped=$(($(count '<skipped message="SKIP_') + $(count '<testcase .* status="disabled"')))
failed=$((total - passed - skipped))
# ctest that ends with an error without naming a test is a failure too.
if [ "$code" != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
summary="$passed passed, $failed failed"
if [ "$skipped" != 0 ]; then summary+=", $skipped skipped"; fi
echo "$summary"
[ "$failed" = 0 ]
