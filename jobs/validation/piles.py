"""Clutter by `icf make` and what is read from its results."""
import math
import re

GRAVITY = 9.81
# of a friction that Lagged takes literally (ICF 9) and of one that is softened by impacts (ICF 26)
VARIANTS = (("lagged", "a", "lagged", False), ("regularised", "b", "lagged", True), ("similar", "c", "similar", False),
            ("sap", "d", "sap", True))


def scene(lab, name, bodies=40, height=10, walls=True, model="lagged", step=2e-3, duration=3.0, stiffness=1e7, relaxation=1e-4,
          seed=12345, **settings):
    """Columns of objects over the ground, in a bin or free: the path of a scene, and settings of the run (contact.sigma as
    contact_sigma)."""
    path = lab.make(name, "clutter", "--list", "--bodies", bodies, "--height", height, "--walls" if walls else "--no-walls",
                    "--model", model, "--step", repr(step), "--duration", repr(duration), "--stiffness", repr(stiffness),
                    "--relaxation-time", repr(relaxation), "--seed", seed)
    options = [path]
    for key, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else repr(value)
        options += ["--set", f"{key.replace('_', '.', 1)}={text}"]
    return options


def runs(lab, name, every, seeds, **options):
    """Runs of the same clutter with other small shifts at the start: where a pile comes to rest is chance."""
    scenes = {f"{name}_{seed}": scene(lab, f"{name}_{seed}", seed=seed, **options) for seed in seeds}
    return list(lab.run_all(scenes, every).values())


def inverse_masses(path):
    """1/m and 1/I (the same about all axes) of the moving bodies of a scene, by name."""
    found, number = {}, 0
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  - {") or "shape:" not in line:
            continue
        mass = re.search(r"mass: ([0-9.e+-]+)", line)
        if mass and "motion: fixed" not in line:
            m = float(mass.group(1))
            inertia = 0.4 * m * 0.05 ** 2 if "sphere" in line else m * 0.1 ** 2 / 6
            found[f"body{number}"] = (1 / m, 1 / inertia)
        number += 1
    return found


def effective(frame, inverse, contact):
    """w = |W|_F / 3 of a contact, with the bodies where they are at the step's end."""
    bodies = {body["name"]: body for body in frame["bodies"]}
    w = [[0.0] * 3 for _ in range(3)]
    for name in contact["bodies"]:
        if name not in bodies:
            continue
        of_mass, of_inertia = inverse[name]
        arm = [a - b for a, b in zip(contact["point"], bodies[name]["position"])]
        square = sum(a * a for a in arm)
        for i in range(3):
            for j in range(3):
                w[i][j] += (of_mass + of_inertia * square if i == j else 0.0) - of_inertia * arm[i] * arm[j]
    return math.sqrt(sum(x * x for row in w for x in row)) / 3


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def geometric(values):
    """Geometric mean, of the positive values."""
    return math.exp(mean(math.log(value) for value in values if value > 0))


def between(stats, column, start, end):
    return [value for value, time in zip(stats[column], stats["time"]) if start < time <= end]


def smooth(times, values, window):
    """Means over windows, for pictures."""
    count = max(1, round(window / (times[1] - times[0])))
    return [(mean(times[k:k + count]), mean(values[k:k + count])) for k in range(0, len(times) - count + 1, count)]


def velocity_at(body, point, step):
    """Velocity at the step's end of the body's point that was there at its start."""
    arm = [a - (b - step * v) for a, b, v in zip(point, body["position"], body["linear_velocity"])]
    w = body["angular_velocity"]
    turn = (w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2], w[0] * arm[1] - w[1] * arm[0])
    return [v + t for v, t in zip(body["linear_velocity"], turn)]


def is_sticking(contact):
    """Whether friction is within its limit; friction coefficient 1."""
    return contact["tangential_impulse"] < (1 - 1e-6) * contact["normal_impulse"]


def slip(bodies, contact, step):
    """Tangential velocity of a contact at the step's end [m/s]."""
    velocity = [0.0, 0.0, 0.0]
    for name, sign in zip(contact["bodies"], (-1.0, 1.0)):
        if name in bodies:
            velocity = [v + sign * u for v, u in zip(velocity, velocity_at(bodies[name], contact["point"], step))]
    normal = contact["normal"]
    along = sum(v * n for v, n in zip(velocity, normal))
    return math.sqrt(sum((v - along * n) ** 2 for v, n in zip(velocity, normal)))


def sticking_slips(frame, step):
    """Slip of the contacts that stick [m/s]."""
    bodies = {body["name"]: body for body in frame["bodies"]}
    return [slip(bodies, contact, step) for contact in frame["contacts"] if is_sticking(contact)]


def penetrations(frame):
    return [max(0.0, -contact["distance"]) for contact in frame["contacts"]]
