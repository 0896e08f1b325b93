#!/usr/bin/env python3
"""Runs random scenes and says which do not converge, or take long.

usage: python3 jobs/random_scenes.py [--icf PROGRAM] [--model lagged|sap|similar] FIRST LAST

Scene SEED, from FIRST to LAST - 1, has 2 to 120 spheres, boxes, capsules, cylinders and ellipsoids above the ground,
overlapping or apart, up to three materials with stiffnesses from 1e3 to 1e11 N/m, masses over three decades, steps from
0.1 to 50 ms, and runs 25 steps on one thread.  Prints a line a scene: the sum and the largest of the iterations of its
steps, seconds, or what went wrong; exit code 1 when a scene failed.
"""
import argparse
import csv
import pathlib
import random
import subprocess
import sys
import tempfile
import time

STEPS = 25


def shape(r, size):
    """A shape about as large as size [m]."""
    half = size / 2
    return r.choice([
        f"{{type: sphere, radius: {half:g}}}",
        f"{{type: box, size: [{size:g}, {size * r.uniform(0.2, 1):g}, {size:g}]}}",
        f"{{type: capsule, radius: {half / 2:g}, length: {half:g}}}",
        f"{{type: cylinder, radius: {half:g}, length: {1.6 * half:g}}}",
        f"{{type: ellipsoid, radii: [{half:g}, {half / 1.5:g}, {half / 2:g}]}}",
    ])


def vector(r, scale):
    return "[" + ", ".join(f"{scale * r.uniform(-1, 1):g}" for _ in range(3)) + "]"


def scene(seed, model):
    """The scene of a seed, as YAML."""
    r = random.Random(seed)
    model = model or r.choice(["lagged", "similar", "sap"])
    size, gap = r.choice([1e-3, 0.05, 1.0, 10.0]), r.choice([0.7, 0.95, 1.0, 1.05, 1.5])
    speed = 4.0 * size * r.choice([0, 0, 0.1, 1, 10, 100])
    materials, n = r.choice([1, 2, 3]), r.choice([2, 5, 15, 40, 120])
    lines = [f"gravity: [0, 0, {-r.choice([0, 1.6, 9.81, 100])}]",
             f"time: {{step: {r.choice([1e-4, 1e-3, 0.005, 0.01, 0.02, 0.05])}, steps: {STEPS}}}",
             "contact:", f"  model: {model}", "  pairs:"]
    lines += [f"    - {{materials: [m{a}, m{b}], stiffness: {10 ** r.uniform(3, 11):g}, "
              f"dissipation: {r.choice([0, 0.1, 1, 10, 100, 1000])}, relaxation_time: {10 ** r.uniform(-5, -2):g}, "
              f"friction: {r.choice([0, 0.1, 0.5, 1, 2])}}}" for a in range(materials) for b in range(a, materials)]
    lines += ["materials:"] + [f"  m{a}: {{}}" for a in range(materials)]
    lines += ["bodies:", "  - {name: ground, shape: {type: half_space, normal: [0, 0, 1], offset: 0}, material: m0, motion: fixed}"]
    side = max(1, int(n ** (1 / 3)))
    density = [10 ** r.uniform(1, 4) for _ in range(3)]
    for i in range(n):
        at = (i % side, i // side % side, i // side // side + 0.5)
        position = ", ".join(f"{size * gap * (x + r.uniform(-0.05, 0.05)):g}" for x in at)
        own = size * r.choice([1, 1, 1, 0.3])
        lines.append(f"  - {{name: b{i}, shape: {shape(r, own)}, material: m{r.randrange(materials)}, "
                     f"mass: {r.choice(density) * own ** 3:g}, position: [{position}], "
                     f"linear_velocity: {vector(r, speed)}, angular_velocity: {vector(r, speed / size)}}}")
    return "\n".join(lines) + "\n"


def run(icf, text, folder):
    """Runs a scene; its iterations step by step and an error, empty when all went well."""
    (folder / "scene.yaml").write_text(text)
    command = [icf, "run", str(folder / "scene.yaml"), "--output", str(folder / "out"), "--threads", "1", "--quiet",
               "--every", "1000", "--set", "output.checkpoint_every=0"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return [0], "takes more than 300 s"
    if done.returncode != 0:
        return [0], done.stderr.strip().splitlines()[-1]
    with open(folder / "out" / "stats.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [int(row["iterations_max"]) for row in rows], ""


def main():
    title, usage, details = __doc__.strip().split("\n\n")
    parser = argparse.ArgumentParser(usage=usage.removeprefix("usage: "), description=f"{title}  {details}")
    parser.add_argument("--icf", default=str(pathlib.Path(__file__).parent.parent / "build" / "icf"))
    parser.add_argument("--model", choices=["lagged", "sap", "similar"])
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    options = parser.parse_args()
    if options.last <= options.first:
        parser.error("LAST must be above FIRST")
    failed = total = 0
    for seed in range(options.first, options.last):
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            iterations, error = run(options.icf, scene(seed, options.model), pathlib.Path(folder))
        print(f"{seed:5d} iterations {sum(iterations):6d} most {max(iterations):4d} {time.monotonic() - start:6.1f} s {error}", flush=True)
        failed += error != ""
        total += sum(iterations)
    print(f"{options.last - options.first} scenes, {failed} failed, {total} iterations of those that did not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
