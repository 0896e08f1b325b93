"""Contact Models in Robotics (Le Lidec et al.): a cube that slides, is dragged, carries a heavy one; the laws of rigid contact."""
import math

import models
from lab import Bound, order
from svg import Axis

EDGE, MASS, FRICTION, SPEED = 0.1, 1.0, 0.5, 1.0
CONTACT = {"stiffness": 1e7, "friction": FRICTION, "dissipation": 10, "relaxation_time": 1e-4}
STEP = 1e-3
HEADING = math.radians(30)
START = 0.25  # of sliding, dragged [s]
RATE = FRICTION * MASS * models.GRAVITY / START
DROP = 1e-3
RATIOS = (1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6)
STEPS = (2e-4, 1e-3, 5e-3, 1e-2)
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8)

WEIGHT = MASS * models.GRAVITY

BOUNDS = {
    "straight": Bound("largest distance from the straight line over the way, from the gliding height", None, 1e-6,
                      "Comparison IV-A: no bias of directions", "was from the ground"),
    "energy": Bound("Lagged: largest difference from the analytic energy over the initial energy", None, 0.01, "Comparison IV-A, analytic"),
    "height": Bound("Lagged: largest rise [m]", None, 1e-6, "Signorini's condition"),
    "bounce": Bound("from the ground: largest rise over the gliding height", 1.0, None, "Comparison IV-A: a relaxed Signorini condition bounces"),
    "signorini": Bound("Lagged: Signorini error at rest over (m g/4)²/(k dt)", 0.95, 1.05, "theory of compliance"),
    "signorini_gliding": Bound("Signorini error of a corner in steady sliding over m g/4 times the gliding height over dt", 0.5, 2.0, "ICF table I"),
    "coulomb_lagged": Bound("Lagged: Coulomb error in steady sliding over mu m g", None, 1e-3, "normal force is constant"),
    "coulomb": Bound("Coulomb error over mu m g, largest", None, 1e-9, "force in the cone by construction"),
    "dissipation": Bound("dissipation error in sliding over mu m g |vt|, largest", None, 1e-3, "friction at its limit against the slip"),
    "stick": Bound("creep before sliding begins: largest distance [m]", None, 5e-5, "v_s times 0.25 s, twice"),
    "slide": Bound("velocity after sliding over the analytic one, at 0.5 s", 0.98, 1.02, "Comparison fig. 11, left"),
    "stretch": Bound("sum of the sizes of forces across the way over the weight, largest", None, 1e-6, "Comparison fig. 11: no internal forces"),
    "stack_depth": Bound("penetration of the stack over (m1 + m2) g/(4 k), worst of all ratios", 0.99, 1.01, "statics"),
    "stack_residual": Bound("momentum error, worst of all ratios", None, 1e-5, "solver's tolerance"),
    "stack_still": Bound("largest velocity 1 s after a drop by 1 mm, worst of all ratios [m/s]", None, 1e-4, "stays at rest; v_s"),
    "stack_iterations": Bound("iterations of a step, most of all ratios", None, 20, "Comparison fig. 12: Newton is robust"),
    "step_order": Bound("order of convergence in dt, 5 to 1 ms", 0.7, 1.4, "first order scheme"),
    "step_height": Bound("Similar: height while it slides over mu dt |vt|, worst of all steps", 0.95, 1.05, "Comparison IV-B: proportional to dt"),
    "tolerance_default": Bound("consistency error at the default tolerance 10⁻⁵ over the way slid", None, 1e-3, "Comparison IV-B"),
    "tolerance_gain": Bound("consistency error at 10⁻⁵ over that at 10⁻²", None, 0.1, "Comparison fig. 15: falls with the tolerance"),
}

PAGE = """
## Rigid laws (Comparison IV-A, IV-B)

{command}: a cube of 1 kg and 10 cm, friction 0.5, k = 10⁷ N/m, d = 10 s/m or tau = 0.1 ms, dt = 1 ms. The Comparison's own parameters
are in its figures only. Errors are those of [results.md](results.md#errors-of-contact-laws), which make up its criteria at (15).

*Sliding.* The cube starts on the ground with 1 m/s at 30° to x.

{figure_slide}

{figure_errors}

*Dragged* by a force that grows from 0 and reaches mu m g at 0.25 s.

{figure_drag}

*Stack.* A heavy cube falls by 1 mm on a light one of 1 g; 1 s.

{table}

*Self-consistency* of the dragged cube over 0.5 s: against dt = 0.01 ms, and against a relative tolerance of 10⁻¹². The error is the Comparison's integral of
the distance, in m s.

{figure_consistency}

{checks}

As the Comparison has it of cone complementarity, SAP and Similar bounce when they begin to slide on the ground and take another energy;
Lagged follows the analytic solution as its NCP does. Forces at rest are unique here: regularised friction leaves no internal forces, as with the Comparison's ADMM. Its
criteria are absolute; here they are compared with what each model predicts.
"""


def cube(**more):
    return {"shape": {"type": "box", "size": [EDGE] * 3}, "mass": MASS, "position": [0, 0, EDGE / 2 - WEIGHT / (4 * CONTACT["stiffness"])], **more}


def gliding(model):
    """Height at which a cube of the initial speed floats (ICF table I) [m]."""
    return {"lagged": 0.0, "similar": FRICTION * STEP * SPEED, "sap": FRICTION * (STEP + CONTACT["relaxation_time"]) * SPEED}[model]


def corner_impulses(frame, axis):
    return [contact["impulse"][axis] for contact in frame["contacts"]]


# ---- sliding ----

def check_sliding(lab):
    velocity = [SPEED * math.cos(HEADING), SPEED * math.sin(HEADING), 0]
    scenes = {f"slide_{model}": models.scene(model, STEP, 0.3, CONTACT, cube(linear_velocity=velocity)) for model, _ in models.MODELS}
    for model, _ in models.MODELS:
        lifted = cube(linear_velocity=velocity)
        lifted["position"][2] += gliding(model)
        scenes[f"level_{model}"] = models.scene(model, STEP, 0.3, CONTACT, lifted)
    runs = lab.run_all(scenes)
    rows, stats = {}, {}
    for model, _ in models.MODELS:
        run = runs[f"slide_{model}"]
        rows[model], stats[model] = sliding(run), run.stats
        level = sliding(runs[f"level_{model}"])
        lab.check("straight", max(abs(row[2]) for row in level) / level[-1][1], model)
        rise = max(row[3] for row in rows[model])
        if model == "lagged":
            lab.check("energy", max(abs(row[4] - analytic(row[0])) for row in rows[model]))
            lab.check("height", rise)
        else:
            lab.check("bounce", rise / gliding(model), model)
    draw_sliding(lab, rows, stats)


def sliding(run):
    """(time, way along the heading, distance across it, rise, kinetic energy over the initial one)."""
    rows, ground = [], EDGE / 2 - WEIGHT / (4 * CONTACT["stiffness"])
    c, s = math.cos(HEADING), math.sin(HEADING)
    for frame, energy in zip(run.frames, run.stats["kinetic_energy"]):
        x, y, z = frame["bodies"][0]["position"]
        rows.append((frame["time"], c * x + s * y, c * y - s * x, z - ground, energy / (0.5 * MASS * SPEED ** 2)))
    return rows


def analytic(t):
    return max(0.0, 1 - FRICTION * models.GRAVITY * t / SPEED) ** 2


def draw_sliding(lab, rows, stats):
    kinds, time = [(kind, model) for model, kind in models.MODELS], Axis("t [s]", [0, 0.3])
    exact = ([(t, analytic(t)) for t in (0.3 * k / 60 for k in range(61))], "dash", False)
    energy = [([(row[0], row[4]) for row in rows[model]], kind, False) for kind, model in kinds] + [exact]
    height = [([(row[0], 1e3 * row[3]) for row in rows[model]], kind, False) for kind, model in kinds]
    lab.figure("slide", "A sliding cube; dashed: analytic (Comparison fig. 10)",
               [("kinetic energy / initial energy", time, Axis("", [0, 1]), energy),
                ("rise [mm]", time, Axis("", [y for line, _, _ in height for _, y in line]), height)], kinds)
    panels = []
    for title, column in (("Signorini error [W]", "error_signorini_max"), ("dissipation error [W]", "error_dissipation_max")):
        lines = [([(t, max(value, 1e-12)) for t, value in zip(stats[model]["time"], stats[model][column])], kind, False) for kind, model in kinds]
        panels.append((title, time, Axis("", [y for line, _, _ in lines for _, y in line], 10), lines))
    lab.figure("errors", "Errors of the contact laws while it slides (Comparison (15))", panels, kinds)


def check_errors(lab):
    """Errors in steady sliding on a belt, where the models say what they are."""
    belt = {"surface_velocity": {"velocity": [SPEED, 0, 0]}}
    body = cube(free=["vz"])
    for model, _ in models.MODELS:
        run = lab.run(f"belt_{model}", models.scene(model, STEP, 1.0, CONTACT, body, belt), 100)
        last = {key: values[-1] for key, values in run.stats.items()}
        if model == "lagged":
            lab.check("signorini", last["error_signorini_max"] / ((WEIGHT / 4) ** 2 / (CONTACT["stiffness"] * STEP)))
        else:
            lab.check("signorini_gliding", last["error_signorini_max"] / (WEIGHT / 4 * gliding(model) / STEP), model)
        limit = FRICTION * WEIGHT
        lab.check("coulomb_lagged" if model == "lagged" else "coulomb", last["error_coulomb_max"] / limit, "" if model == "lagged" else model)
        lab.check("dissipation", last["error_dissipation_max"] / (limit * SPEED), model)


# ---- dragged ----

def dragged(model, step, duration=0.5, tolerance=1e-10):
    made = models.scene(model, step, duration, CONTACT, cube())
    made["forces"] = [{"body": "body", "direction": [1, 0, 0], "rate": RATE}]
    made["solver"]["relative_tolerance"] = tolerance
    return made


def check_dragged(lab):
    runs = lab.run_all({f"drag_{model}": dragged(model, STEP) for model, _ in models.MODELS})
    rows = {}
    for model, _ in models.MODELS:
        rows[model], stretch = [], 0.0
        for frame in runs[f"drag_{model}"].frames:
            body = frame["bodies"][0]
            rows[model].append((frame["time"], body["position"][0], body["linear_velocity"][0], body["position"][2] - EDGE / 2))
            stretch = max(stretch, sum(abs(value) for value in corner_impulses(frame, 1)) / (WEIGHT * STEP))
        lab.check("stick", max(row[1] for row in rows[model] if row[0] < 0.98 * START), model)
        lab.check("slide", rows[model][-1][2] / (0.5 * RATE / MASS * (rows[model][-1][0] - START) ** 2), model)
        lab.check("stretch", stretch, model)
    kinds = [(kind, model) for model, kind in models.MODELS]
    exact = ([(0, 0)] + [(t, 0.5 * RATE / MASS * (t - START) ** 2) for t in (START + 0.25 * k / 40 for k in range(41))], "dash", False)
    speed = [([(row[0], row[2]) for row in rows[model]], kind, False) for kind, model in kinds] + [exact]
    height = [([(row[0], 1e3 * row[3]) for row in rows[model]], kind, False) for kind, model in kinds]
    lab.figure("drag", "A cube dragged by a growing force; dashed: analytic (Comparison figs. 11, 14)",
               [("velocity [m/s]", Axis("t [s]", [0, 0.5]), Axis("", [0, 0.7]), speed),
                ("height [mm]", Axis("t [s]", [0, 0.5]), Axis("", [y for line, _, _ in height for _, y in line]), height)], kinds)


# ---- stack ----

def stack(model, ratio):
    light, k = 1e-3, CONTACT["stiffness"]
    heavy = ratio * light
    low = EDGE / 2 - (light + heavy) * models.GRAVITY / (4 * k)
    made = models.scene(model, STEP, 1.0, CONTACT, {**cube(), "mass": light, "position": [0, 0, low]})
    made["bodies"].append({"name": "heavy", "shape": {"type": "box", "size": [EDGE] * 3}, "material": "m", "mass": heavy,
                           "position": [0, 0, low + EDGE - heavy * models.GRAVITY / (4 * k) + DROP]})
    del made["solver"]["relative_tolerance"]
    return made


def check_stack(lab):
    rows = ["| model | mass ratio | iterations, mean | most | momentum error | velocity at the end [m/s] | penetration over theory |"
            " Signorini error over m g sqrt(g h) |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    ratios = (1.0, 1e3, 1e6) if lab.quick else RATIOS
    depths, residuals, speeds, iterations = [], [], [], []
    for model, _ in models.MODELS:
        runs = lab.run_all({f"stack_{model}_{ratio:g}": stack(model, ratio) for ratio in ratios}, 1000)
        for ratio, run in zip(ratios, runs.values()):
            stats, weight = run.stats, (1 + ratio) * 1e-3 * models.GRAVITY
            *_, last = run.frames
            depths.append(stats["penetration_max"][-1] / (weight / (4 * CONTACT["stiffness"])))
            residuals.append(max(stats["momentum_residual"]))
            speeds.append(max(abs(v) for body in last["bodies"] for v in body["linear_velocity"]))
            iterations.append(max(stats["iterations_max"]))
            rows.append(f"| {model} | {ratio:g} | {sum(stats['iterations_max']) / len(stats['iterations_max']):.2f} | {iterations[-1]:.0f} | {residuals[-1]:.1e} | "
                        f"{speeds[-1]:.1e} | {depths[-1]:.4f} | {stats['error_signorini_max'][-1] / (weight * math.sqrt(models.GRAVITY * EDGE)):.1e} |")
    lab.check("stack_depth", max(depths, key=lambda depth: abs(depth - 1)))
    lab.check("stack_residual", max(residuals))
    lab.check("stack_still", max(speeds))
    lab.check("stack_iterations", max(iterations))
    lab.facts["table"] = "\n".join(rows)


# ---- self-consistency ----

def consistency(rows, reference, interval):
    """Integral of the distance over time [m s]."""
    return sum(math.dist(row[1:3], other[1:3]) for row, other in zip(rows, reference)) * interval


def check_steps(lab):
    interval, errors = 1e-2, {}
    for model, _ in models.MODELS:
        reference = models.planar(lab.run(f"fine_{model}", dragged(model, 1e-5), round(interval / 1e-5)), angle=False)
        runs = lab.run_all({f"step_{model}_{step}": dragged(model, step) for step in STEPS}, 1)
        errors[model] = []
        for step in STEPS:
            rows = models.planar(runs[f"step_{model}_{step}"], angle=False)
            if model == "similar":
                check_glide(lab, rows, step)
            every = round(interval / step)
            errors[model].append((step, consistency(rows[every - 1::every], reference, interval)))
        lab.check("step_order", order(errors[model][2], errors[model][1]), model)
    return errors


def check_glide(lab, rows, step):
    """Height at the end against the last step's way."""
    slip = (rows[-1][1] - rows[-2][1]) / step
    lab.check("step_height", (rows[-1][2] - EDGE / 2) / (FRICTION * step * slip), f"dt = {step:g} s")


def check_tolerances(lab):
    interval, errors = 1e-2, {}
    for model, _ in models.MODELS:
        scenes = {f"tolerance_{model}_{tolerance:g}": dragged(model, STEP, tolerance=tolerance) for tolerance in (*TOLERANCES, 1e-12)}
        *rows, reference = [models.planar(run, angle=False) for run in lab.run_all(scenes, round(interval / STEP)).values()]
        errors[model] = [(tolerance, consistency(one, reference, interval)) for tolerance, one in zip(TOLERANCES, rows)]
        way = reference[-1][1] * 0.5
        lab.check("tolerance_default", errors[model][TOLERANCES.index(1e-5)][1] / way, model)
        lab.check("tolerance_gain", errors[model][TOLERANCES.index(1e-5)][1] / errors[model][TOLERANCES.index(1e-2)][1], model)
    return errors


def check_consistency(lab):
    kinds, panels = [(kind, model) for model, kind in models.MODELS], []
    for title, x, errors in (("error [m s]", "dt [s]", check_steps(lab)), ("error [m s]", "relative tolerance", check_tolerances(lab))):
        lines = [([(a, max(b, 1e-16)) for a, b in errors[model]], kind, True) for kind, model in kinds]
        places = [a for a, _ in errors["lagged"]]
        panels.append((title, Axis(x, places, 10), Axis("", [y for line, _, _ in lines for _, y in line], 10), lines))
    lab.figure("consistency", "Self-consistency in the step and in the tolerance (Comparison figs. 14, 15)", panels, kinds)


def run(lab):
    check_sliding(lab)
    check_errors(lab)
    check_dragged(lab)
    check_stack(lab)
    if not lab.quick:
        check_consistency(lab)
