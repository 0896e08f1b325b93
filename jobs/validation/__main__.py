"""Repeats the experiments of the papers and writes the page about them; see jobs/validate.sh."""
import argparse
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "jobs"))

# pylint: disable=wrong-import-position
import lab
import clutter
import conveyor
import falling_sphere
import rigid
import scalability
import sliding
import sliding_rod
import spring_cylinder

STUDIES = (spring_cylinder, conveyor, falling_sphere, sliding_rod, sliding, clutter, scalability, rigid)

HEAD = """# Experiments of the papers, repeated

`bash jobs/validate.sh` runs everything on this page, draws its pictures and writes it; a part is made again by the command beneath its
title, which leaves the other parts as they are. `ctest -R validation` runs a quick subset against the same bounds.

Papers: **ICF**, *Irrotational Contact Fields* (arXiv:2312.03908); **SAP**, *An Unconstrained Convex Formulation of Compliant Contact*
(arXiv:2110.10107); **Comparison**, Le Lidec et al., *Contact Models in Robotics: a Comparative Analysis* (arXiv:2304.06372). The scenes
are written by `jobs/validation/*.py`, where each bound stands beside its source, before the program runs; one that was changed after a run
says so. Figures of the papers are known by what their text says of them.
"""


def parts_of(path):
    """The parts of a page that is there, by their marks."""
    if not path.exists():
        return {}
    parts = path.read_text(encoding="utf-8").split("\n<!-- part ")[1:]
    return {part.split(" -->")[0]: part.split(" -->\n", 1)[1].strip() for part in parts}


def write_page(path, written):
    parts = {**parts_of(path), **written}
    text = HEAD + "".join(f"\n<!-- part {study.__name__} -->\n{parts[study.__name__]}\n"
                          for study in STUDIES if study.__name__ in parts)
    path.write_text(text, encoding="utf-8")


def main():
    names = [study.__name__ for study in STUDIES]
    parser = argparse.ArgumentParser(prog="jobs/validate.sh", description="Repeats the experiments of the papers.")
    parser.add_argument("study", nargs="*", help=f"studies (default all): {', '.join(names)}")
    parser.add_argument("--icf", required=True, help="the program")
    parser.add_argument("--docs", type=pathlib.Path, required=True, help="folder of validation.md and validation/")
    parser.add_argument("--work", type=pathlib.Path, help="keep the runs in this folder")
    parser.add_argument("--quick", action="store_true", help="the short runs of the tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: cores)")
    options = parser.parse_args()
    unknown = set(options.study) - set(names)
    if unknown:
        parser.error(f"no study {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    good, written = True, {}
    with tempfile.TemporaryDirectory() as scratch:
        for study in STUDIES:
            if options.study and study.__name__ not in options.study:
                continue
            started = time.monotonic()
            room = lab.Lab(options.icf, options.work or pathlib.Path(scratch), study, options)
            study.run(room)
            written[study.__name__] = room.page()
            good &= room.good
            print(f"       {study.__name__}: {time.monotonic() - started:.0f} s", flush=True)
    write_page(options.docs / "validation.md", written)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
