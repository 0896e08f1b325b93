#!/bin/sh
# The manual page icf(1), made of the program's own help.
#   man_page.sh ICF VERSION OUTPUT
set -eu
icf=$1 version=$2 output=$3

# Names of the list that a help text has under a title: "Commands:", "Kinds:".
list() {
    awk -v title="$1" '$0 == title { inside = 1; next } inside && !/^  / { exit } inside && /^  [^ ]/ { print $1 }'
}

# A help text as sections of a manual page: the synopsis, paragraphs, and lists of words with what they mean.
format() {
    awk '
        function roff(text) {
            gsub(/\\/, "\\e", text)
            gsub(/-/, "\\-", text)
            if (text ~ /^[.'"'"']/) text = "\\\\\&" text
            return text
        }
        /^Usage: / { print ".B " roff(substr($0, 8)); next }
        /^[A-Z][a-z]+:$/ { print ".SS " substr($0, 1, length($0) - 1); next }
        /^  [^ ]/ {
            match($0, /[^ ]   *[^ ]/)
            left = RSTART ? substr($0, 3, RSTART - 2) : substr($0, 3)
            print ".TP\n.B " roff(left)
            if (RSTART) print roff(substr($0, RSTART + RLENGTH - 1))
            next
        }
        /^ +[^ ]/ { sub(/^ +/, ""); print roff($0); next }
        /^$/ { print ".PP"; next }
        { print roff($0) }' | awk '
        # no paragraph before a section or another one, and none at the end
        /^\.PP$/ { held = 1; next }
        held && !/^\.(SS|SH|PP)/ { print ".PP" }
        { held = 0; print }'
}

{
    printf '.\\" Made of the help of the program.\n.TH ICF 1 "" "icf %s" "User Commands"\n' "$version"
    printf '.SH NAME\nicf \\- simulator of contacting rigid and deformable bodies on many cores\n.SH SYNOPSIS\n'
    "$icf" --help | format
    for command in $("$icf" --help | list Commands:); do
        printf '.SH ICF %s\n' "$(echo "$command" | tr '[:lower:]' '[:upper:]')"
        "$icf" "$command" --help | format
    done
    for kind in $("$icf" make --help | list Kinds:); do
        printf '.SH ICF MAKE %s\n' "$(echo "$kind" | tr '[:lower:]' '[:upper:]')"
        "$icf" make "$kind" --help | format
    done
    cat <<'TEXT'
.SH FILES
.TP
.I run.h5\fR, \fIrun.xmf
poses, velocities, contacts and surfaces over time; ParaView opens
.I run.xmf
.TP
.I stats.csv
a line a step: contacts, islands, iterations, energy, penetration, time by phase
.TP
.I summary.json
the run in numbers, with a checksum of the last state
.TP
.I checkpoint\-STEP.h5
where
.B icf run \-\-restart
goes on
.SH ENVIRONMENT
.TP
.B OMP_NUM_THREADS
threads a rank, where
.B \-\-threads
is not given
.TP
.B OPENBLAS_CORETYPE
kernel of OpenBLAS; a value that is set is left alone
.TP
.B ICF_BROWSER
the browser that draws the pictures of
.B icf report
.SH SEE ALSO
.BR mpirun (1).
Scene files, results and equations are described in the documentation that comes with the program.
TEXT
} >"$output.tmp"
mv "$output.tmp" "$output"
