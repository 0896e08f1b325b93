#!/usr/bin/env python3
"""Lays the convex hulls of meshes on ground, on a flat mesh and on a box, and looks whether they come to rest.

Every mesh starts just above its floor in several random orientations, far from the others.  Prints a line a floor and,
with --heap, the speeds of a heap of them in a bin.  Exit code 1 when one moves at the end.
"""
import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys

FLOORS = ("ground", "mesh", "box")
STEADY = 1e-6  # m/s, as the corner of the hull that moves most
APART = 2.0  # m

HEAD = """name: rest
gravity: [0, 0, -9.81]
time: {step: 0.005, duration: 5}
contact:
  model: lagged
  regularized: true
  pairs:
    - {materials: [object, object], stiffness: 10000000, dissipation: 10, friction: 0.5}
materials: {object: {}}
bodies:
"""


def vertices(path):
    lines = path.read_text().splitlines()
    return [tuple(map(float, line.split()[1:4])) for line in lines if line.startswith("v ")]


def rotate(q, x):
    """The vector x turned by the unit quaternion q = (w, x, y, z)."""
    w, v = q[0], q[1:]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    t = [2 * c for c in cross(v, x)]
    return [a + w * b + c for a, b, c in zip(x, t, cross(v, t))]


def write_flat_mesh(path, size):
    """Triangles in the plane z = 0 from -APART to size."""
    n = int((size + 2 * APART) / 0.5) + 2
    with path.open("w") as file:
        for j in range(n):
            for i in range(n):
                file.write(f"v {0.53 * i - APART} {0.51 * j - APART} 0\n")
        for j in range(n - 1):
            for i in range(n - 1):
                a = j * n + i + 1
                file.write(f"f {a} {a + 1} {a + n + 1}\nf {a} {a + n + 1} {a + n}\n")


def floor_body(floor, folder, size):
    if floor == "ground":
        return "shape: {type: half_space, normal: [0, 0, 1]}"
    if floor == "mesh":
        write_flat_mesh(folder / "flat.obj", size)
        return "shape: {type: mesh, mesh: {file: flat.obj}}"
    width = 2 * size + 8 * APART
    return f"position: [0, 0, -0.05], shape: {{type: box, size: [{width}, {width}, 0.1]}}"


def write_scene(path, floor, meshes, poses):
    """One body a mesh and pose.  Returns the radius of each body by name [m]."""
    size = APART * max(len(meshes), poses)
    radius = {}
    random.seed(7)
    with path.open("w") as file:
        file.write(HEAD)
        body = floor_body(floor, path.parent, size)
        file.write(f"  - {{name: floor, {body}, material: object, motion: fixed}}\n")
        for k, mesh in enumerate(meshes):
            points = vertices(mesh)
            centre = [statistics.fmean(p[i] for p in points) for i in range(3)]
            reach = max(math.dist(p, centre) for p in points)
            for pose in range(poses):
                q = [random.gauss(0, 1) for _ in range(4)]
                q = [c / math.hypot(*q) for c in q]
                turned = rotate(q, centre)
                lowest = min(rotate(q, p)[2] for p in points)
                at = [APART * k - turned[0], APART * pose - turned[1], 0.01 * reach - lowest]
                name = f"{mesh.stem}-{pose}"
                radius[name] = reach
                file.write(f"  - {{name: {name}, shape: {{type: convex, mesh: {{file: '{mesh}'}}}}, material: object, "
                           f"density: 300, position: {at}, orientation: {q}}}\n")
    return radius


def run(icf, scene):
    """Frames of the last half second of a scene."""
    trace = scene.with_suffix(".jsonl")
    subprocess.run([icf, "run", scene, "--threads", "1", "--every", "10", "--quiet", "--trace", trace, "--output",
                    scene.with_suffix("")], check=True)
    return [json.loads(line) for line in trace.read_text().splitlines()[-10:]]


def speed(body, radius):
    return math.hypot(*body["linear_velocity"]) + radius * math.hypot(*body["angular_velocity"])


def check_floor(icf, folder, floor, meshes, poses):
    scene = folder / f"{floor}.yaml"
    radius = write_scene(scene, floor, meshes, poses)
    largest = dict.fromkeys(radius, 0.0)
    for frame in run(icf, scene):
        for body in frame["bodies"]:
            if body["name"] in radius:
                largest[body["name"]] = max(largest[body["name"]], speed(body, radius[body["name"]]))
    moving = [name for name in largest if not largest[name] < STEADY]
    print(f"{floor}: {len(moving)} of {len(largest)} move after 5 s, the fastest at {max(largest.values()):.2g} m/s",
          *moving)
    return not moving


def print_heap(icf, folder, meshes):
    scene = folder / "heap.yaml"
    subprocess.run([icf, "make", "household", "--bodies", "60", "--meshes", meshes, "--duration", "5", "--output",
                    scene], check=True)
    speeds = [sorted(speed(body, 0.0) for body in frame["bodies"]) for frame in run(icf, scene)]
    print(f"heap of 60: median {max(statistics.median(s) for s in speeds):.2g} m/s, "
          f"the fastest {max(s[-1] for s in speeds):.2g} m/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--icf", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--meshes", type=pathlib.Path, required=True, help="a folder of OBJ files, lengths in metres")
    parser.add_argument("--poses", type=int, default=12, help="orientations of each (default 12)")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("out/rest"), help="where scenes and results go")
    parser.add_argument("--heap", action="store_true", help="also a heap of 60 in a bin")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    meshes = sorted(args.meshes.resolve().glob("*.obj"))
    good = [check_floor(args.icf, args.output, floor, meshes, args.poses) for floor in FLOORS]
    if args.heap:
        print_heap(args.icf, args.output, args.meshes.resolve())
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
