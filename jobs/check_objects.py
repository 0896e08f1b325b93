#!/usr/bin/env python3
"""Looks whether all bodies of a run of `icf make drum|hopper|terrain|household` are where they can be.

    check_objects.py KIND SCENE RUN_DIR TRACE

Reads the sizes of drum, hopper, hills or bin from the scene, where the bodies are from the last line of the trace, and
energies from RUN_DIR/stats.csv; prints one line, or what is wrong, with exit code 1.  Needs Python 3.8 and nothing else.
"""
import csv
import json
import math
import pathlib
import re
import sys

NUMBER = r"[-+.0-9e]+"


def fail(text):
    sys.exit(f"icf: error: {text}")


def fixed_body(scene, name, key):
    """A list of numbers of a listed body: its position or its size."""
    line = re.search(rf"^  - \{{name: {name}, .*$", scene, re.MULTILINE)
    found = line and re.search(rf"{key}: \[({NUMBER}), ({NUMBER}), ({NUMBER})\]", line.group(0))
    if not found:
        fail(f"the scene has no {key} of {name}")
    return [float(x) for x in found.groups()]


def last_state(path):
    """Time and moving bodies of the last line of a trace."""
    with open(path, "rb") as file:
        for line in file:
            pass
    state = json.loads(line)
    return state["time"], [b for b in state["bodies"] if not b["name"].startswith(("stave-", "lid-"))]


def last_row(run):
    with open(run / "stats.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            pass
    return {key: float(value) for key, value in row.items()}


# ---- where a body may be: the reason why not, or nothing ----

def drum(scene, _folder):
    radius = fixed_body(scene, "stave-0", "position")[2] - 0.05
    half = fixed_body(scene, "lid-plus", "position")[1] - 0.05

    def where(x, y, z):
        if math.hypot(x, z) >= radius or abs(y) >= half:
            return "is outside of the drum"
    return where


def hopper(scene, _folder):
    centre, size = (list(map(float, text.split(","))) for text in
                    re.search(r"region: \{type: box, center: \[(.*?)\], size: \[(.*?)\]", scene).groups())
    half, low = 0.5 * size[0], centre[2] - 0.5 * size[2]

    def where(x, y, z):
        if z <= 0:
            return "is below the ground"
        if z > low and max(abs(x), abs(y)) >= half:
            return "is outside of the bin"
    return where


def terrain(scene, folder):
    file, dx, dy = re.search(rf"heights: \"?([^,\"]*)\"?, spacing: \[({NUMBER}), ({NUMBER})\]", scene).groups()
    rows = [[float(h) for h in line.split()] for line in (folder / file).read_text().splitlines()]
    dx, dy = float(dx), float(dy)
    nx, ny = len(rows[0]), len(rows)

    def height(x, y):
        """On the two triangles of the cell, which meet in the diagonal from its lower left corner."""
        u, v = x / dx + 0.5 * (nx - 1), y / dy + 0.5 * (ny - 1)
        i, j = min(int(u), nx - 2), min(int(v), ny - 2)
        u, v = u - i, v - j
        a, b, c, d = rows[j][i], rows[j][i + 1], rows[j + 1][i], rows[j + 1][i + 1]
        return a + (u * (b - a) + v * (d - b) if u > v else v * (c - a) + u * (d - c))

    def where(x, y, z):
        if abs(x) >= 0.5 * dx * (nx - 1) or abs(y) >= 0.5 * dy * (ny - 1):
            return "is outside of the walls"
        if z <= height(x, y):
            return "is below the ground"
    return where


def household(scene, _folder):
    """The frame of a mesh may lie a metre away from it; what is outside of the bin has fallen much farther."""
    half = fixed_body(scene, "side-x-plus", "position")[0]
    far = 1.0 if re.search(r"/[^/]*\.(obj|stl)\b", scene, re.IGNORECASE) else 0.03

    def where(x, y, z):
        if max(abs(x), abs(y)) >= half + far or z <= -far:
            return "is outside of the bin"
    return where


KINDS = {"drum": drum, "hopper": hopper, "terrain": terrain, "household": household}


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in KINDS:
        fail(f"usage: check_objects.py {'|'.join(KINDS)} SCENE RUN_DIR TRACE")
    kind, path, run, trace = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
    where = KINDS[kind](path.read_text(encoding="utf-8"), path.parent)
    time, bodies = last_state(trace)
    for body in bodies:
        reason = where(*body["position"])
        if reason:
            fail(f"{body['name']} {reason}: {body['position']} m at t = {time} s")
    stats = last_row(run)
    energy = stats["kinetic_energy"]
    if kind == "household" and not energy < 1e-4 * len(bodies):
        fail(f"the objects have not settled: {energy} J at t = {time} s")
    print(f"{kind}: all {len(bodies)} bodies are where they belong at t = {time:.4g} s, kinetic energy {energy:.3g} J")


if __name__ == "__main__":
    main()
