#!/usr/bin/env bash
# Runs what the documentation tells to run: every block ```sh and ```python of the files, in their order, each file in a
# directory of its own, in which `build` is the build and `jobs` the scripts of the project.  Blocks ```yaml and ```c whose
# first line names a file ("# ball.yaml: ...", "/* program.c: ...") are written to that file.
#   test_commands.sh SOURCE BUILD WORK FILE...
#
# A line `<!-- not run: REASON -->` before a block leaves it out; the reason is one of those of `reasons`.  Python is skipped
# where h5py is not installed.  It is an error when an indented block looks like a command: it would not be run.  Links from
# one file of the project to another must lead somewhere.
set -uo pipefail
source_dir=$(realpath "$1") build=$(realpath "$2") work=$3
shift 3
reasons='takes minutes|needs Slurm|installs packages|needs a browser|opens a window'
seconds=60 # a block may take

rm -rf "$work"
mkdir -p "$work/bin"
work=$(realpath "$work")
ln -s "$build/icf" "$work/bin/icf"
export PATH="$work/bin:$PATH" HOME=$work/home

failures=0 ran=0
fail() {
    echo "wrong: $*" >&2
    failures=$((failures + 1))
}

# A Python that has h5py.
python=""
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import h5py' 2>/dev/null; then python=$candidate && break; fi
done

# Blocks of a document, a line each: line number, kind (sh, python, skip, indented), file with its text or reason; files
# that blocks name are written.
blocks() {
    awk -v dir="$2" '
        /^<!-- not run: .* -->$/ { reason = substr($0, 15, length($0) - 18); next }
        /^```/ && !inside {
            inside = 1; kind = substr($0, 4); line = NR; first = 1; file = ""
            if (kind == "sh" || kind == "python") {
                file = dir "/block-" ++n
                print line "\t" (reason ? "skip" : kind) "\t" (reason ? reason : file)
            }
            reason = ""
            next
        }
        /^```/ { inside = 0; if (file) close(file); next }
        inside && first {
            first = 0
            if ((kind == "yaml" && match($0, /^# [a-z0-9_-]+\.yaml/)) || (kind == "c" && match($0, /^\/\* [a-z0-9_-]+\.c/))) {
                name = substr($0, 1, RLENGTH)
                sub(/^[^a-z0-9]*/, "", name)
                file = dir "/" name
            }
        }
        inside { if (file) print > file; next }
        /^    (build\/|icf |bash |sh |mpirun |sbatch |python3? |cmake |ctest |man )/ { print NR "\tindented\t" $0 }
        NF { reason = "" }' "$1"
}

# run_block NAME:LINE KIND FILE DIR
run_block() {
    local start=$SECONDS log=$4/log
    local command=(bash -euo pipefail)
    if [ "$2" = python ]; then command=("$python"); fi
    if (cd "$4" && timeout "$seconds" "${command[@]}" "$3") >"$log" 2>&1 </dev/null; then
        ran=$((ran + 1))
        echo "ran $1 ($((SECONDS - start)) s)"
    else
        fail "$1: exit code $?"
        tail -n 20 "$log" >&2
    fi
}

run_document() {
    local document=$1 name dir line kind what
    name=$(basename "$document" .md)
    dir=$(mktemp -d "$work/$name.XXXX") # several documents are called README
    ln -s "$build" "$dir/build"
    ln -s "$source_dir/jobs" "$dir/jobs"
    while IFS=$'\t' read -r line kind what <&3; do
        case $kind in
            indented) fail "$name.md:$line: an indented command is not run, write a block \`\`\`sh: $what" ;;
            skip)
                [[ $what =~ ^($reasons)$ ]] || fail "$name.md:$line: '$what' is no reason ($reasons)"
                echo "not run: $name.md:$line: $what"
                ;;
            python)
                if [ -n "$python" ]; then
                    run_block "$name.md:$line" python "$what" "$dir"
                else
                    echo "not run: $name.md:$line: h5py (package python3-h5py) is not installed"
                fi
                ;;
            sh) run_block "$name.md:$line" sh "$what" "$dir" ;;
        esac
    done 3< <(blocks "$document" "$dir")
}

# Links to files of the project.
check_links() {
    local document=$1 target
    while read -r target; do
        [ -e "$(dirname "$document")/$target" ] || fail "$document: the link $target leads nowhere"
    done < <(grep -o '](\([^)]*\))' "$document" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^$\|^[a-z]*:' | sort -u)
}

for document in "$@"; do
    run_document "$document"
    check_links "$document"
done
echo "$ran blocks ran, $failures wrong"
[ "$ran" -gt 0 ] && [ $failures = 0 ]
