#!/usr/bin/env python3
"""Throws random compounds at a thin sheet and counts those that get through.

usage: python3 jobs/thrown.py [--icf PROGRAM] [--bodies N] [--thickness FROM TO] [--spin W] [--seed S] [--most N]

Angles of boxes and of rods, bars of balls, tables and mixed bars, one by one at a fixed box of 1 mm at 10 m/s, half of them
straight and half at 45 degrees, with steps of 5 ms.  After 120 steps a body is behind when its centre of mass is
below the sheet, and hooked when only the middle of a part is.  Prints both numbers; exit code 1 when a body is behind or more than
--most are hooked.  Needs Python 3.8 and nothing else.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

STEPS, SPEED, APART, SIDE = 120, 10.0, 4.0, 20


# ---- compounds: lists of parts (kind, sizes [m], position [m], orientation) ----

ALONG_Z, ALONG_X = (1, 0, 0, 0), (math.sqrt(0.5), 0, math.sqrt(0.5), 0)


def volume(part):
    kind, size = part[:2]
    if kind == "box":
        return size[0] * size[1] * size[2]
    if kind == "sphere":
        return 4 / 3 * math.pi * size[0] ** 3
    caps = 4 / 3 * math.pi * size[0] ** 3 if kind == "capsule" else 0
    return math.pi * size[0] ** 2 * size[1] + caps


def box_angle(r, t):
    a, b, wide = t * r.uniform(4, 12), t * r.uniform(4, 12), t * r.uniform(1, 4)
    return [("box", (a, wide, t), (a / 2, 0, 0), ALONG_Z), ("box", (t, wide, b), (0, 0, b / 2), ALONG_Z)]


def rod_angle(r, t):
    a, b, kind = t * r.uniform(4, 12), t * r.uniform(4, 12), r.choice(["cylinder", "capsule"])
    return [(kind, (t / 2, a), (a / 2, 0, 0), ALONG_X), (kind, (t / 2, b), (0, 0, b / 2), ALONG_Z)]


def ball_bar(r, t):
    return [("sphere", (t / 2,), (0.8 * t * k, 0, 0), ALONG_Z) for k in range(r.randrange(3, 9))]


def table(r, t):
    a, b, leg = t * r.uniform(4, 10), t * r.uniform(4, 10), t * r.uniform(3, 8)
    legs = [("box", (t, t, leg), (x * (a - t) / 2, y * (b - t) / 2, -(leg + t) / 2), ALONG_Z) for x in (-1, 1) for y in (-1, 1)]
    return [("box", (a, b, t), (0, 0, 0), ALONG_Z), *legs]


def mixed_bar(r, t):
    a = t * r.uniform(4, 12)
    return [("cylinder", (t / 2, a), (0, 0, 0), ALONG_X), ("sphere", (t * r.uniform(0.5, 1.5),), (a / 2, 0, 0), ALONG_Z),
            ("box", (t, t * r.uniform(1, 3), t), (-a / 2, 0, 0), ALONG_Z)]


def centre(parts):
    mass = sum(volume(part) for part in parts)
    return [sum(volume(part) * part[2][k] for part in parts) / mass for k in range(3)]


def reach(parts):
    """Radius about the frame's origin that holds all parts."""
    return max(math.hypot(*at) + (math.hypot(*size) if kind == "box" else sum(size)) for kind, size, at, _ in parts)


# ---- the scene ----

def rotated(q, x):
    w, u = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * c for c in cross(u, x)]
    s = cross(u, t)
    return [x[k] + w * t[k] + s[k] for k in range(3)]


def numbers(values):
    return "[" + ", ".join(f"{value:.15g}" for value in values) + "]"


def shape_of(part):
    kind, size, at, turn = part
    sizes = {"box": f"size: {numbers(size)}", "sphere": f"radius: {size[0]:.15g}"}
    own = sizes.get(kind) or f"radius: {size[0]:.15g}, length: {size[1]:.15g}"
    return f"{{shape: {{type: {kind}, {own}}}, position: {numbers(at)}, orientation: {numbers(turn)}}}"


def body(r, number, thickness, spin):
    """Its parts, and its line of the scene."""
    parts = r.choice([box_angle, rod_angle, ball_bar, table, mixed_bar])(r, r.uniform(*thickness))
    turn = [r.gauss(0, 1) for _ in range(4)]
    turn = [x / math.hypot(*turn) for x in turn]
    velocity = [SPEED * math.sqrt(0.5), 0, -SPEED * math.sqrt(0.5)] if number % 2 else [0, 0, -SPEED]
    at = [APART * (number % SIDE - SIDE / 2), APART * (number // SIDE - SIDE / 2), reach(parts) + 0.02 + r.uniform(0, 0.05)]
    turning = [r.uniform(-spin, spin) for _ in range(3)]
    return parts, (f"  - {{name: b{number}, shape: {{type: compound, parts: [{', '.join(map(shape_of, parts))}]}}, material: m, density: 800, "
                   f"position: {numbers(at)}, orientation: {numbers(turn)}, linear_velocity: {numbers(velocity)}, "
                   f"angular_velocity: {numbers(turning)}}}")


def throw(options, seed, count, folder):
    """Runs a scene of some bodies; how many are behind, and hooked."""
    r = random.Random(seed)
    bodies = [body(r, number, options.thickness, options.spin) for number in range(count)]
    scene, trace = folder / "scene.yaml", folder / "trace.jsonl"
    scene.write_text("\n".join([
        "time: {step: 0.005, steps: %d}" % STEPS, "materials: {m: {stiffness: 1.0e6, dissipation: 10, friction: 0.5}}",
        "output: {checkpoint_every: 0, every: %d}" % STEPS, "bodies:",
        "  - {name: sheet, shape: {type: box, size: [200, 200, 0.001]}, position: [0, 0, -0.0005], motion: fixed, material: m}",
        *(line for _, line in bodies)]) + "\n", encoding="utf-8")
    subprocess.run([options.icf, "run", str(scene), "--output", str(folder / "run"), "--trace", str(trace), "--quiet", "--threads", "1"],
                   check=True)
    states = {state["name"]: state for state in json.loads(trace.read_text(encoding="utf-8").splitlines()[-1])["bodies"]}
    behind = hooked = 0
    for number, (parts, _) in enumerate(bodies):
        state = states[f"b{number}"]
        height = lambda x, state=state: state["position"][2] + rotated(state["orientation"], x)[2]
        if height(centre(parts)) < 0:
            behind += 1
        elif any(height(part[2]) < 0 for part in parts):
            hooked += 1
    return behind, hooked


def main():
    parser = argparse.ArgumentParser(description="Throws random compounds at a thin sheet and counts those that get through.")
    parser.add_argument("--icf", default="build/icf", help="the program (default build/icf)")
    parser.add_argument("--bodies", type=int, default=4800, help="how many (default 4800)")
    parser.add_argument("--thickness", type=float, nargs=2, default=[0.005, 0.02], metavar="M", help="of their thinnest parts [m] (default 0.005 0.02)")
    parser.add_argument("--spin", type=float, default=50.0, help="largest component of their angular velocity [rad/s] (default 50)")
    parser.add_argument("--seed", type=int, default=1, help="of the first scene of 400 (default 1)")
    parser.add_argument("--most", type=int, default=0, help="that may be hooked (default 0)")
    options = parser.parse_args()
    total = [0, 0]
    for first in range(0, options.bodies, SIDE * SIDE):
        with tempfile.TemporaryDirectory() as folder:
            found = throw(options, options.seed + first // (SIDE * SIDE), min(SIDE * SIDE, options.bodies - first), pathlib.Path(folder))
        total = [a + b for a, b in zip(total, found)]
    print(f"thrown: {options.bodies} compounds, {1e3 * options.thickness[0]:g} to {1e3 * options.thickness[1]:g} mm thick: "
          f"{total[0]} behind the sheet, {total[1]} hooked on it")
    if total[0] > 0 or total[1] > options.most:
        sys.exit(1)


if __name__ == "__main__":
    main()
