"""ICF XII-A: 40 objects fall into a bin; iterations, conditioning, stiction tolerance, stiffness."""
import math
import statistics

import piles
from lab import Bound
from piles import VARIANTS, between, geometric, mean, smooth
from svg import Axis

DECADES = tuple(10.0 ** k for k in range(4, 13))
STEPS = (1e-3, 2e-3, 5e-3, 1e-2, 2e-2)
EARLY, LATE = (0.3, 1.0), (2.0, 3.0)  # impacts, rest [s]

BOUNDS = {
    "condition_falls": Bound("condition number of the impacts over that at rest, geometric means", 1.0, None,
                             "ICF XII-A: higher in the transient"),
    "condition_rises": Bound("SAP: the same", None, 1.0, "ICF XII-A: reversed for SAP"),
    "transient": Bound("iterations of the impacts over those at rest", 1.5, None, "ICF XII-A: more in the transient"),
    "regularised": Bound("regularised Lagged: iterations of the impacts over those of Lagged", None, 1.0, "ICF XII-A: reduces them"),
    "regularised_condition": Bound("regularised Lagged: condition number of the impacts over that of Lagged", None, 1.0,
                                   "ICF XII-A: improves it"),
    "sap_tolerance": Bound("SAP: mean stiction tolerance at rest over v_s", None, 0.5, "ICF XII-A: much tighter", "was at most 0.2"),
    "loose": Bound("SAP: largest stiction tolerance over v_s", 10.0, None, "ICF XII-A: softened by impacts"),
    "regularised_rest": Bound("regularised Lagged: mean stiction tolerance at rest over v_s", 1.0, 1.05, "ICF (26)", "was at most 1.001"),
    "step_iterations": Bound("mean iterations at 20 ms over those at 1 ms", 1.3, None, "ICF fig. 17: fall with dt"),
    "step_sap": Bound("SAP: mean iterations, largest over least of all steps", None, 1.5, "ICF fig. 17: almost constant"),
    "step_condition": Bound("condition number at 20 ms over that at 1 ms", 3.0, None, "ICF fig. 17: improves as dt falls"),
    "step_condition_sap": Bound("SAP: condition number, largest over least of all steps", None, 3.0, "ICF fig. 17: almost unchanged"),
    "slope": Bound("Lagged: power of k that the penetration follows, 10⁴ to 10¹² N/m", -1.05, -0.95, "ICF fig. 18",
                   "was -1.03 to -0.97 of the mean of frames"),
    "slope_similar": Bound("Similar: the same, 10⁴ to 10⁹ N/m", -1.05, -0.95, "ICF fig. 18",
                           "was -1.03 to -0.97 of the mean of frames, to 10¹² N/m"),
    "force": Bound("Lagged: k times the penetration, largest over least of all k", None, 2.0, "ICF fig. 18"),
    "similar_tight": Bound("Similar, relative tolerance 10⁻⁸: k times the penetration at 10¹¹ N/m over that at 10⁷", 0.4, 2.5, "ICF fig. 18"),
    "flat": Bound("SAP: penetration at 10¹² over that at 10⁸ N/m", 0.7, 1.4, "SAP (29): R_n no longer depends on k"),
    "microns": Bound("penetration at 10⁶ N/m [µm]", 0.3, 30.0, "weight of a few objects over k"),
    "near_rigid": Bound("SAP: penetration at 10¹² N/m over g dt (dt + tau) beta²/(4 pi²)", 0.3, 3.0, "SAP V-B, one object a contact"),
    "clamp": Bound("SAP: penetration at 10⁶ over that at 10⁸ N/m", 0.99, 1.01, "ICF XII-A: near-rigid from 10⁶ N/m on"),
    "stiffness": Bound("mean iterations from 10⁵ to 10⁷ N/m, largest over least", None, 1.3, "ICF fig. 19: within 20 %"),
    "stiffness_similar": Bound("mean iterations from 10⁵ to 10⁷ N/m, largest over least", None, 1.8, "see below", "was at most 1.3"),
    "finishes": Bound("relative momentum error at 10¹² N/m", None, 1e-5, "ICF XII-A: up to 10¹² N/m"),
}

PAGE = """
## Clutter (ICF XII-A)

{command}: four columns of ten spheres (0.524 kg) and boxes (1 kg) fall into a bin of 80 cm; k = 10⁷ N/m, d = 10 s/m or tau = 0.1 ms, friction 1, dt = 2 ms, 3 s.
*regularised* is Lagged with ICF (26). Iterations are those of the island that takes most (the paper solves all objects as one problem); condition numbers are
`condition_max`, in the 1-norm; impacts are counted from 0.3 to 1 s, rest from 2 s on.

{figure_time}

{figure_tolerance}

{figure_step}

{figure_stiffness}

{figure_penetration}

{checks}

Mean iterations at 10⁴, 10⁵, ... 10¹² N/m, dt = 5 ms: {iterations}.

*Penetration* is the median of frames of the mean of contacts: some spheres roll on to the end, and where one falls off a box its impact, which a step does not resolve, goes
deeper than all that rests as soon as k is above 10⁸ N/m. With Lagged the force k times the penetration stays between {least} and {most} N over eight decades (the piles are not the same). Similar's is that of the
solver's tolerance from 10¹⁰ N/m on: velocities are exact to about 10⁻⁵ of 0.05 m/s, times dt some nanometres; with a tolerance of 10⁻⁸ it follows 1/k to 10¹¹ N/m. At 10⁶ N/m penetrations are
some microns; the paper's text has tenths of microns. SAP's is set by its clamp from 10⁶ N/m on, as the paper says.

*Differences.* Of Similar the paper says what it says of all models, 20 % more iterations at 10⁷ N/m; here they grow with k from 10⁵ N/m on, and {redone} of its steps beyond 10¹⁰ N/m were done in
two substeps. At large steps they grow with dt as well. Lagged and SAP are as in the paper. The condition numbers of Lagged and
Similar at large steps are far above SAP's: their friction is as stiff as mu gamma_n/v_s.
"""


def columns(model, regularized):
    return {"model": model, "contact_regularized": regularized, "solver_condition": True}


def check_time(lab):
    """Iterations, condition number and stiction tolerance over time."""
    scenes = {name: piles.scene(lab, name, **columns(model, regularized)) for name, _, model, regularized in VARIANTS}
    runs = lab.run_all(scenes, 10)
    stats = {name: runs[name].stats for name, _, _, _ in VARIANTS}
    iterations, condition = {}, {}
    for name, _, _, _ in VARIANTS:
        iterations[name] = [mean(between(stats[name], "iterations_max", *part)) for part in (EARLY, LATE)]
        condition[name] = [geometric(between(stats[name], "condition_max", *part)) for part in (EARLY, LATE)]
        lab.check("transient", iterations[name][0] / iterations[name][1], name)
    for name in ("lagged", "similar"):
        lab.check("condition_falls", condition[name][0] / condition[name][1], name)
    lab.check("condition_rises", condition["sap"][0] / condition["sap"][1])
    lab.check("regularised", iterations["regularised"][0] / iterations["lagged"][0])
    lab.check("regularised_condition", condition["regularised"][0] / condition["lagged"][0])
    draw_time(lab, stats)
    check_tolerance(lab, {name: tolerances(runs[name], scenes[name][0], name) for name in ("regularised", "sap")})


def draw_time(lab, stats):
    panels = []
    for title, column, log in (("Newton iterations, mean over 20 ms", "iterations_max", None), ("condition number, mean over 20 ms", "condition_max", 10)):
        lines = [(smooth(stats[name]["time"], stats[name][column], 0.02), kind, False) for name, kind, _, _ in VARIANTS]
        panels.append((title, Axis("t [s]", [0, 3]), Axis("", [y for line, _, _ in lines for _, y in line], log), lines))
    lab.figure("time", "Iterations and condition number over time (ICF fig. 15)", panels, [(kind, name) for name, kind, _, _ in VARIANTS])


def tolerances(run, path, name):
    """(time, mean, largest) of the effective stiction tolerance of the contacts with a force [m/s]."""
    inverse, rows = piles.inverse_masses(path), []
    for frame in run.frames:
        values = []
        for contact in frame["contacts"]:
            soft = 1e-3 * piles.effective(frame, inverse, contact) * contact["normal_impulse"]  # sigma w mu gamma_n, mu = 1
            values.append(soft if name == "sap" else max(1e-4, soft))
        if values:
            rows.append((frame["time"], mean(values), max(values)))
    return rows


def check_tolerance(lab, rows):
    rest = {name: mean(row[1] for row in rows[name] if row[0] > LATE[0]) / 1e-4 for name in rows}
    lab.check("sap_tolerance", rest["sap"])
    lab.check("regularised_rest", rest["regularised"])
    lab.check("loose", max(row[2] for row in rows["sap"]) / 1e-4)
    kinds = {name: kind for name, kind, _, _ in VARIANTS}
    lines = [([(t, value) for t, value, _ in rows[name]], kinds[name], False) for name in rows]
    lines.append(([(0, 1e-4), (3, 1e-4)], "dash", False))
    lab.figure("tolerance", "Effective stiction tolerance, mean of the contacts; dashed: v_s of Lagged and Similar (ICF fig. 16)",
               [("tolerance [m/s]", Axis("t [s]", [0, 3]), Axis("", [y for line, _, _ in lines for _, y in line], 10), lines)],
               [(kinds[name], name) for name in rows])


def check_steps(lab):
    """Means over the run against the step."""
    iterations, condition = {}, {}
    for name, _, model, regularized in VARIANTS:
        scenes = {f"step_{name}_{step}": piles.scene(lab, f"step_{name}_{step}", step=step, **columns(model, regularized)) for step in STEPS}
        runs = lab.run_all(scenes, 1000)
        stats = [runs[key].stats for key in scenes]
        iterations[name] = [mean(one["iterations_max"]) for one in stats]
        condition[name] = [mean(value for value in one["condition_max"] if value > 0) for one in stats]
    for name in ("lagged", "similar"):
        lab.check("step_iterations", iterations[name][-1] / iterations[name][0], name)
        lab.check("step_condition", condition[name][-1] / condition[name][0], name)
    lab.check("step_sap", max(iterations["sap"]) / min(iterations["sap"]))
    lab.check("step_condition_sap", max(condition["sap"]) / min(condition["sap"]))
    panels = []
    for title, values, log in (("mean iterations a step", iterations, None), ("mean condition number", condition, 10)):
        lines = [(list(zip(STEPS, values[name])), kind, True) for name, kind, _, _ in VARIANTS]
        panels.append((title, Axis("dt [s]", STEPS, 10), Axis("", [y for line, _, _ in lines for _, y in line] + [0.0], log), lines))
    lab.figure("step", "Iterations and condition number against the step (ICF fig. 17)", panels, [(kind, name) for name, kind, _, _ in VARIANTS])


def depth(run):
    """Penetration at rest: mean of the contacts with a force, median of the frames of the last 1.25 s [m]."""
    return statistics.median(mean(piles.penetrations(frame)) for frame in run.frames if frame["time"] > 1.75)


def check_stiffness(lab):
    """Penetration, iterations and condition number over the stiffness."""
    step, depths, iterations, condition, redone = 5e-3, {}, {}, {}, {}
    decades = (1e5, 1e6, 1e7) if lab.quick else DECADES
    variants = [row for row in VARIANTS if row[0] != "lagged"]
    for name, _, model, regularized in variants:
        scenes = {f"k_{name}_{k:g}": piles.scene(lab, f"k_{name}_{k:g}", step=step, stiffness=k, **columns(model, regularized)) for k in decades}
        runs = lab.run_all(scenes, 5)
        stats = [runs[key].stats for key in scenes]
        depths[name] = [depth(runs[key]) for key in scenes]
        iterations[name] = [mean(one["iterations_max"]) for one in stats]
        condition[name] = [mean(value for value in one["condition_max"] if value > 0) for one in stats]
        redone[name] = sum(value > 1 for one in stats for value in one["substeps"])
        if not lab.quick:
            lab.check("finishes", max(stats[-1]["momentum_residual"]), name)
    for name in ("regularised", "similar"):
        if not lab.quick:
            last = decades.index(1e12 if name == "regularised" else 1e9)
            slope = math.log(depths[name][last] / depths[name][0]) / math.log(decades[last] / decades[0])
            lab.check("slope" if name == "regularised" else "slope_similar", slope)
        lab.check("microns", 1e6 * depths[name][decades.index(1e6)], name)
        at = [iterations[name][decades.index(k)] for k in (1e5, 1e6, 1e7)]
        lab.check("stiffness_similar" if name == "similar" else "stiffness", max(at) / min(at), name)
    at = [iterations["sap"][decades.index(k)] for k in (1e5, 1e6, 1e7)]
    lab.check("stiffness", max(at) / min(at), "sap")
    lab.facts["iterations"] = "; ".join(f"{name} " + ", ".join(f"{value:.1f}" for value in iterations[name]) for name in iterations)
    lab.facts["redone"] = redone["similar"]
    if lab.quick:
        return
    forces = [k * one for k, one in zip(decades, depths["regularised"])]
    lab.facts["least"], lab.facts["most"] = f"{min(forces):.1f}", f"{max(forces):.1f}"
    lab.check("force", max(forces) / min(forces))
    tight = lab.run("tight", piles.scene(lab, "tight", step=step, stiffness=1e11, model="similar", contact_regularized=False,
                                         solver_relative_tolerance=1e-8), 5)
    lab.check("similar_tight", 1e4 * depth(tight) / depths["similar"][decades.index(1e7)])
    lab.check("clamp", depths["sap"][decades.index(1e6)] / depths["sap"][decades.index(1e8)])
    lab.check("flat", depths["sap"][-1] / depths["sap"][decades.index(1e8)])
    lab.check("near_rigid", depths["sap"][-1] / (piles.GRAVITY * step * (step + 1e-4) / (4 * math.pi ** 2)))
    kinds = [(kind, name) for name, kind, _, _ in variants]
    panels = []
    for title, values, log in (("mean iterations a step", iterations, None), ("mean condition number", condition, 10)):
        lines = [(list(zip(decades, values[name])), kind, True) for kind, name in kinds]
        panels.append((title, Axis("k [N/m]", decades, 10), Axis("", [y for line, _, _ in lines for _, y in line] + [0.0], log), lines))
    lab.figure("stiffness", "Iterations and condition number against the stiffness, dt = 5 ms (ICF fig. 19)", panels, kinds)
    lines = [(list(zip(decades, depths[name])), kind, True) for kind, name in kinds]
    lab.figure("penetration", "Penetration in the last 1.25 s, mean of contacts, median of frames, dt = 5 ms (ICF fig. 18)",
               [("penetration [m]", Axis("k [N/m]", decades, 10), Axis("", [y for line, _, _ in lines for _, y in line], 10), lines)], kinds)


def run(lab):
    if not lab.quick:
        check_time(lab)
        check_steps(lab)
    check_stiffness(lab)
