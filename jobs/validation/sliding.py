"""ICF table I: what sliding changes in the three models, against its formulas."""
import math

import models
from lab import Bound
from svg import Axis

MASS, RADIUS, FRICTION = 1.0, 0.05, 0.5
SPEEDS = (0.0, 0.25, 0.5, 1.0, 2.0)
STIFFNESS, DISSIPATION, RELAXATION = 1e4, 2.0, 1e-3
TOLERANCE = 1e-4
STEP, FINE = 1e-2, 1e-5

BOUNDS = {
    "lagged_gap": Bound("Lagged: gap while sliding over that at rest", 1 - 1e-6, 1 + 1e-6, "table I: none"),
    "similar_gap": Bound("Similar: gap over mu dt |vt|_s − m g/(k (1 + mu d |vt|_s))", 1 - 1e-6, 1 + 1e-6, "table I with the soft norm", "was with |vt|"),
    "sap_gap": Bound("SAP: gap over mu (dt + tau) |vt| − m g (1 + mu² R_t/R_n)/k", 1 - 1e-6, 1 + 1e-6, "table I, SAP V-A"),
    "lagged_damping": Bound("Lagged: decay of a vertical oscillation over g d/2", 0.95, 1.05, "table I: none"),
    "similar_damping": Bound("Similar: the same over g d/2/(1 + mu d |vt|)", 0.95, 1.05, "table I"),
    "sap_damping": Bound("SAP: decay of that oscillation over k tau/(2 m)", 0.95, 1.05, "table I: tau"),
    "frequency": Bound("Similar: frequency of that oscillation over root of k (1 + mu d |vt|)/m", 0.99, 1.01, "table I"),
    "transition_lagged": Bound("Lagged: friction over its limit at a slip of v_s", 0.707, 0.7072, "table I, ICF (9): 1/√2"),
    "transition_similar": Bound("Similar: the same", 0.707, 0.7072, "table I, ICF (9): 1/√2"),
    "transition_sap": Bound("SAP: friction over its limit at a slip of sigma w mu gamma_n / 2", 0.4999, 0.5001, "table I, ICF (25)"),
}

PAGE = """
## Gliding, modulation of compliance, transition slip (ICF table I)

{command}: a sphere of 1 kg that moves up and down only lies on a belt; k = 10⁴ N/m, friction 0.5, d = 2 s/m or tau = 1 ms, sigma = 0.1 (so that SAP's modulation can be
seen), dt = 10 ms. Then small oscillations with dt = 10 µs on a belt of 1 m/s: damping and frequency. Last the friction at a slip near the transition
(belts of v_s, and of half of SAP's own).

{figure_gap}

{checks}

All entries of the table are met. The gap is that at a step's end.
"""


def scene(model, step, duration, speed, sigma=0.1, height=None, velocity=0.0):
    contact = {"stiffness": STIFFNESS, "friction": FRICTION, "dissipation": DISSIPATION, "relaxation_time": RELAXATION}
    body = {"shape": {"type": "sphere", "radius": RADIUS}, "mass": MASS, "free": ["vz"],
            "position": [0, 0, RADIUS + (gap(model, step, speed, sigma) if height is None else height)],
            "linear_velocity": [0, 0, velocity]}
    belt = {"surface_velocity": {"velocity": [speed, 0, 0]}}
    return models.scene(model, step, duration, contact, body, belt, sigma=sigma)


def regularisation(step, sigma):
    """SAP's R_t, R_n of the sphere, which moves in z only: w = 1/(3 m)."""
    return sigma / (3 * MASS), 1 / (step * STIFFNESS * (step + RELAXATION))


def gap(model, step, speed, sigma=0.1):
    """What table I says of the gap [m]."""
    rest = MASS * models.GRAVITY / STIFFNESS
    if model == "lagged":
        return -rest
    if model == "similar":
        soft = math.hypot(speed, TOLERANCE) - TOLERANCE
        return FRICTION * step * soft - rest / (1 + FRICTION * DISSIPATION * soft)
    rt, rn = regularisation(step, sigma)
    modulation = FRICTION ** 2 * rt / rn if speed > 0 else 0.0
    return FRICTION * (step + RELAXATION) * speed - rest * (1 + modulation)


def check_gaps(lab):
    runs = lab.run_all({f"{model}_{speed}": scene(model, STEP, 10.0, speed) for model, _ in models.MODELS for speed in SPEEDS}, 1000)
    lines = []
    for model, kind in models.MODELS:
        points = []
        for speed in SPEEDS:
            *_, last = runs[f"{model}_{speed}"].frames
            points.append((speed, 1e3 * (last["bodies"][0]["position"][2] - RADIUS)))
        ratios = [height / (1e3 * gap(model, STEP, speed)) for speed, height in points]
        lab.check(f"{model}_gap", max(ratios, key=lambda ratio: abs(ratio - 1)), "worst of five speeds")
        lines += [(points, kind, True), ([(speed, 1e3 * gap(model, STEP, speed)) for speed in SPEEDS], "dash", False)]
    lab.figure("gap", "Gap under a sliding sphere; dashed: table I",
               [("gap [mm]", Axis("|vt| [m/s]", SPEEDS), Axis("", [y for line, _, _ in lines for _, y in line]), lines)],
               [(kind, model) for model, kind in models.MODELS])


def check_oscillations(lab):
    speed, sigma, step = 1.0, 1e-3, 5e-5 if lab.quick else FINE
    runs = lab.run_all({f"swing_{model}": scene(model, step, 0.4, speed, sigma, velocity=1e-3) for model, _ in models.MODELS}, 10)
    stiffened = 1 + FRICTION * DISSIPATION * speed
    rates = {"lagged": 0.5 * models.GRAVITY * DISSIPATION, "similar": 0.5 * models.GRAVITY * DISSIPATION / stiffened,
             "sap": 0.5 * STIFFNESS * RELAXATION / MASS}
    for model, _ in models.MODELS:
        rows = [(frame["time"], frame["bodies"][0]["linear_velocity"][2]) for frame in runs[f"swing_{model}"].frames]
        tops = [b for a, b, c in zip(rows, rows[1:], rows[2:]) if a[1] < b[1] >= c[1]]
        measured = math.log(tops[0][1] / tops[-1][1]) / (tops[-1][0] - tops[0][0])
        stiffness = STIFFNESS * (stiffened if model == "similar" else 1)
        # the step itself damps by omega^2 dt/2
        lab.check(f"{model}_damping", (measured - 0.5 * stiffness / MASS * step) / rates[model])
        if model == "similar":
            frequency = 2 * math.pi * (len(tops) - 1) / (tops[-1][0] - tops[0][0])
            lab.check("frequency", frequency / math.sqrt(stiffness / MASS - rates[model] ** 2))


def check_transition(lab):
    """Friction in the creep of a resting contact."""
    step, sigma, weight = 1e-2, 1e-3, MASS * models.GRAVITY
    slips = {"lagged": TOLERANCE, "similar": TOLERANCE, "sap": 0.5 * regularisation(step, sigma)[0] * FRICTION * weight * step}
    runs = lab.run_all({f"creep_{model}": scene(model, step, 5.0, slip, sigma) for model, slip in slips.items()}, 500)
    for model in slips:
        *_, last = runs[f"creep_{model}"].frames
        lab.check(f"transition_{model}", models.impulse(last, 0) / (FRICTION * models.impulse(last, 2)))


def run(lab):
    check_gaps(lab)
    check_oscillations(lab)
    check_transition(lab)
