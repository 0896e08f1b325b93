"""ICF XI-B: a sphere falls with a horizontal velocity, slides, rolls."""
import math

import models
from lab import Bound, order
from svg import Axis

RADIUS, MASS, HEIGHT, SPEED = 0.025, 0.5, 0.05, 2.0
CONTACT = {"stiffness": 1e7, "friction": 0.5, "dissipation": 500, "relaxation_time": 1e-3}
DURATION = 0.2
LANDING = math.sqrt(2 * HEIGHT / models.GRAVITY)
ROLLING = 2 * SPEED / (7 * CONTACT["friction"] * models.GRAVITY)

BOUNDS = {
    "early": Bound("Similar: gap at the start of the first step with a force, less the way of that step, over mu dt |vt|", 0.0, 1.0,
                   "ICF VII-A: the force ends at mu dt |vt|"),
    "earlier": Bound("SAP: that gap over mu (dt + tau) |vt|", 0.0, 1.0, "ICF (24)"),
    "before": Bound("first force of SAP and Similar before that of Lagged, steps, the lesser", 1, None, "ICF XI-B: earlier contact"),
    "rolling": Bound("start of rolling, over 2 U0/(7 mu g)", 0.97, 1.03, "balance of momentum, see below"),
    "speed": Bound("final velocity over 5/7 U0", 0.98, 1.02, "balance of angular momentum about the ground"),
    "no_loss": Bound("energy lost after rolling has begun, share", None, 1e-3, "ICF XI-B: friction ceases to dissipate"),
    "no_spike": Bound("Lagged: largest normal force round the start of rolling, over the weight", None, 1.05, "ICF XI-B: no spike"),
    "spike": Bound("largest normal force round the start of rolling, over the weight", 1.2, None, "ICF XI-B: a spike"),
    "order_lagged": Bound("Lagged: order of convergence, 2 to 0.4 ms", 0.7, 1.4, "ICF XI-B: first order"),
    "order_similar": Bound("Similar: order of convergence, 2 to 0.4 ms", 0.7, 1.4, "ICF XI-B: first order"),
    "plateau": Bound("SAP: order of convergence, 0.4 to 0.08 ms", None, 0.6, "ICF XI-B: a constant error"),
}

PAGE = """
## Falling sphere (ICF XI-B)

{command}: a sphere of 0.5 kg and 5 cm falls by 5 cm with a horizontal velocity of 2 m/s; k = 10⁷ N/m, friction 0.5, d = 500 s/m or
tau = 1 ms. Pictures: dt = 2 ms.

{figure_velocity}

{figure_force}

{figure_convergence}

{checks}

*When it rolls.* Friction needs an impulse of 2/7 m U0 to make the sphere roll, a normal impulse of 2/7 m U0/mu; gravity has given m g t by the
time t from the start, whatever the impact was, once the vertical velocity is zero. So rolling begins 2 U0/(7 mu g) = 0.1165 s after the sphere was let go, 0.016 s after it
lands. The text of the paper has 1.1 s, probably for 0.11 s.

*The impact.* All three models give the friction of the impact, Lagged a step late. The impact itself lasts 14 µs. With dt far below that Similar
bounces (its dissipation is d/(1 + mu d |vt|), table I: 500 becomes 1 s/m while it slides): what the smaller steps converge to is another motion. The
errors are against Lagged at dt = 0.04 ms, as in the paper; 0.08 ms is added to its steps.
"""


def scene(model, step, duration=DURATION):
    body = {"shape": {"type": "sphere", "radius": RADIUS}, "mass": MASS, "position": [0, 0, RADIUS + HEIGHT],
            "linear_velocity": [SPEED, 0, 0]}
    return models.scene(model, step, duration, CONTACT, body)


def histories(run, step):
    """(time, slip, vertical velocity, normal force, friction, gap at the step's end, energy, velocity) of the steps."""
    rows = []
    for frame in run.frames:
        body = frame["bodies"][0]
        (x, _, z), spin = body["linear_velocity"], body["angular_velocity"][1]
        energy = 0.5 * MASS * (x * x + z * z) + 0.2 * MASS * RADIUS ** 2 * spin ** 2
        rows.append((frame["time"], x - RADIUS * spin, z, models.impulse(frame, 2) / step, models.impulse(frame, 0) / step,
                     body["position"][2] - RADIUS, energy, x))
    return rows


def check_contact(lab):
    step = 2e-3
    runs = lab.run_all({model: scene(model, step) for model, _ in models.MODELS})
    rows = {model: histories(runs[model], step) for model, _ in models.MODELS}
    first = {model: next(n for n, row in enumerate(rows[model]) if row[3] > 0) for model, _ in models.MODELS}
    for model, key, ahead in (("similar", "early", 0.0), ("sap", "earlier", CONTACT["relaxation_time"])):
        n = first[model]
        # where free fall would have brought it by the end of the step, and of the law's look ahead
        gap = rows[model][n - 1][5] + (step + ahead) * (rows[model][n - 1][2] - models.GRAVITY * step)
        lab.check(key, gap / (CONTACT["friction"] * (step + ahead) * SPEED))
    lab.check("before", min(first["lagged"] - first[model] for model in ("similar", "sap")))
    for model, _ in models.MODELS:
        check_rolling(lab, model, rows[model])
    draw_histories(lab, rows)


def check_rolling(lab, model, rows):
    start = next(n for n, row in enumerate(rows) if row[0] > LANDING and abs(row[1]) < 0.01)
    lab.check("rolling", rows[start][0] / ROLLING, model)
    lab.check("speed", rows[-1][7] / (5 / 7 * SPEED), model)
    lab.check("no_loss", 1 - rows[-1][6] / rows[start + 2][6], model)
    # from the end of the impact on
    settled = next(n for n, row in enumerate(rows) if row[0] > LANDING + 0.008)
    peak = max(row[3] for row in rows[settled:]) / (MASS * models.GRAVITY)
    lab.check("no_spike" if model == "lagged" else "spike", peak, "" if model == "lagged" else model)


def draw_histories(lab, rows):
    kinds = [(kind, model) for model, kind in models.MODELS]

    def panel(title, column, low, high):
        lines = [([(row[0], min(max(row[column], low), high)) for row in rows[model] if row[0] < 0.14], kind, False)
                 for model, kind in models.MODELS]
        return (title, Axis("t [s]", [0, 0.14]), Axis("", [low, high]), lines)

    lab.figure("velocity", "Velocity of the contact point (ICF fig. 6, left)",
               [panel("slip [m/s]", 1, 0, 2), panel("vertical velocity [m/s]", 2, -1, 0.2)], kinds)
    lab.figure("force", "Force on the sphere, cut at 40 N (ICF fig. 6, right)",
               [panel("friction [N]", 4, -20, 0), panel("normal force [N]", 3, 0, 40)], kinds)


def check_convergence(lab):
    reference_step, frame_step, steps = 4e-5, 2e-3, ((2e-3, 4e-4) if lab.quick else (1e-2, 2e-3, 4e-4, 8e-5))
    reference = models.planar(lab.run("reference", scene("lagged", reference_step), round(frame_step / reference_step)), angle=False)
    errors = {model: [] for model, _ in models.MODELS}
    for step in steps:
        runs = lab.run_all({f"{model}_{step}": scene(model, step) for model, _ in models.MODELS}, max(1, round(frame_step / step)))
        for model, _ in models.MODELS:
            errors[model].append((step, models.distance(models.planar(runs[f"{model}_{step}"], angle=False), reference)))
    at = steps.index(2e-3)
    for model in ("lagged", "similar"):
        lab.check(f"order_{model}", order(errors[model][at], errors[model][at + 1]))
    if lab.quick:
        return
    lab.check("plateau", order(errors["sap"][-2], errors["sap"][-1]))
    every = [error for rows in errors.values() for _, error in rows]
    first = [(step, errors["lagged"][0][1] * step / steps[0]) for step in (steps[0], steps[-1])]
    lines = [(first, "dash", False)] + [(errors[model], kind, True) for model, kind in models.MODELS]
    lab.figure("convergence", "Error of the position over 0.2 s; dashed: first order (ICF fig. 7)",
               [("error [m]", Axis("dt [s]", steps, log=10), Axis("", every, log=10), lines)],
               [(kind, model) for model, kind in models.MODELS])


def run(lab):
    check_contact(lab)
    check_convergence(lab)
