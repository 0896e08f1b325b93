#!/usr/bin/env bash
# The manual page: it has every command, kind and option of the help, and man formats it without a warning.
#   test_man.sh ICF PAGE
# Exit 77 when man is not installed, after all else has been checked.
set -euo pipefail
icf=$1 page=$2

fail() {
    echo "wrong: $*" >&2
    exit 1
}

# words SECTION: the words at the beginning of the lines of a help text.
words() {
    sed -n 's/^  \([^ ][^ ]*\).*/\1/p'
}

text=$(sed 's/[\]//g' "$page")
commands=$("$icf" --help | sed '/^Options:/,$d' | words)
kinds=$("$icf" make --help | sed '/^Options:/,$d' | words)
if [ -z "$commands" ] || [ -z "$kinds" ]; then fail "the help lists no commands or no kinds"; fi
noption=0
while read -ra command; do
    section=${command[*]}
    grep -q "^.SH ICF ${section^^}\$" <<<"$text" || fail "no section for icf $section"
    while read -r option; do
        noption=$((noption + 1))
        # the part of the page from this section to the next one
        awk -v title=".SH ICF ${section^^}" '/^\.SH/ { inside = $0 == title } inside' <<<"$text" |
            grep -q -- "^.B $option" || fail "icf $section: $option is missing"
    done < <("$icf" "${command[@]}" --help | words)
done < <(printf '%s\n' "$commands"; awk '{ print "make " $0 }' <<<"$kinds")
[ "$noption" -gt 50 ] || fail "only $noption options were looked for"

command -v man >/dev/null || { echo "man is not installed: skipped"; exit 77; }
warnings=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings=w -l "$page" 2>&1 >/dev/null)
[ -z "$warnings" ] || fail "man says: $warnings"
formatted=$(LC_ALL=C.UTF-8 MANWIDTH=200 man -l "$page" | sed 's/.\x08//g')
grep -q "icf run SCENE" <<<"$formatted" || fail "man shows no synopsis of icf run"
echo "$noption options"
