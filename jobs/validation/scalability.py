"""SAP VI-C: clutter of more and more objects with and without walls; the slip parameter."""
import math

import piles
from lab import Bound
from piles import between, mean
from svg import Axis

STEP, DURATION, STIFFNESS = 1e-2, 10.0, 1e12
BODIES = (4, 8, 20, 40, 80, 160, 320)
SIGMAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
PLACES = (("walls", "a", True), ("no walls", "b", False))
SEEDS = (12345, 1, 2, 3)  # of the slip parameter; sizes take the first two

BOUNDS = {
    "transient": Bound("40 objects, walls: most iterations of a step in the first 2 s", 10, 42, "SAP VI-C: 21 at step 60"),
    "steady": Bound("40 objects, walls: mean iterations in the last 2 s", 0.5, 4.0, "SAP VI-C: about 3"),
    "momentum": Bound("mean momentum error e_m, largest of all numbers of objects", None, 1e-5, "SAP fig. 13"),
    "more_contacts": Bound("contacts without walls over those with walls, at the end, mean of 40 objects and more", 0.8, 1.25,
                           "SAP fig. 11 has more without walls, see below", "was at least 1"),
    "linear": Bound("power of the number of objects that contacts follow", 0.85, 1.15, "SAP fig. 11"),
    "cheaper": Bound("operations of factorisations with walls over those without, 160 and 320 objects, the lesser", 1.0, None,
                     "SAP VI-C: islands", "was of CPU time"),
    "slip": Bound("mean slip of sticking contacts at the end over sigma mu dt g, largest of all sigma", None, 1.0, "SAP (31), fig. 14",
                  "was of all contacts"),
    "slip_power": Bound("walls: power of sigma that this slip follows, 10⁻⁵ to 10⁻²", 0.8, 1.2, "SAP fig. 14", "was of all contacts"),
    "sticking": Bound("share of contacts that stick at the end, least of all sigma", 0.8, None, "SAP fig. 14: a static configuration", "added"),
    "condition_power": Bound("power of sigma that the final condition number follows, 10⁻⁵ to 10⁻²", -1.2, -0.8, "SAP fig. 15: 1/sigma"),
    "iterations": Bound("walls: mean iterations at sigma = 10⁻⁵ over those at 10⁻¹", 1.0, 5.0, "SAP fig. 15: as ln(sigma)"),
}

PAGE = """
## Clutter, its size and the slip parameter (SAP VI-C)

{command}: four columns of objects in a bin of 80 cm or on the ground alone; model SAP, near-rigid (k = 10¹² N/m, beta = 1), tau = dt = 10 ms, friction 1, 10 s.
Iterations are those of the island that takes most. Numbers are means of two runs with other shifts at the start (seeds), those of the slip parameter of four.

{figure_contacts}

{figure_iterations}

{table}

The slip parameter sigma, 40 objects:

{figure_slip}

{figure_condition}

{checks}

CPU times are of one core of a machine in use and count as ratios only. The paper's speed-ups are against Gurobi, which is not measured here.

*Differences.* The paper has more contacts without walls, since many boxes lie flat on the ground; here the bin has as many, since boxes that lie flat on boxes have up to
eight contacts too. A few objects still roll or rock after 10 s; their contacts slip far more than the estimate, which is 1 µm/s at sigma = 10⁻⁵, so
the slip is that of the contacts whose friction is below its limit.
"""


def runs(lab, name, seeds, bodies, walls, **settings):
    return piles.runs(lab, name, 1000, seeds, bodies=bodies, height=max(1, bodies // 4), walls=walls, model="sap", step=STEP,
                      duration=2.0 if lab.quick else DURATION, stiffness=STIFFNESS, relaxation=STEP, **settings)


def check_size(lab):
    stats, count = {}, (20, 40) if lab.quick else BODIES
    for place, _, walls in PLACES:
        stats[place] = [[run.stats for run in runs(lab, f"{place[:2]}_{n}", SEEDS[:2], n, walls)] for n in count]
    walled = stats["walls"][count.index(40)]
    lab.check("transient", max(max(between(one, "iterations_max", 0, 2)) for one in walled))
    lab.check("momentum", max(mean(one["momentum_residual"]) for sizes in stats.values() for seeds in sizes for one in seeds))
    if lab.quick:
        return
    lab.check("steady", mean(mean(between(one, "iterations_max", DURATION - 2, DURATION)) for one in walled))
    contacts = {place: [mean(mean(between(one, "active", DURATION - 1, DURATION)) for one in seeds) for seeds in stats[place]]
                for place, _, _ in PLACES}
    large = range(BODIES.index(40), len(BODIES))
    lab.check("more_contacts", mean(contacts["no walls"][k] / contacts["walls"][k] for k in large))
    for place, _, _ in PLACES:
        lab.check("linear", math.log(contacts[place][-1] / contacts[place][0]) / math.log(BODIES[-1] / BODIES[0]), place)
    cpu = {place: whole(stats[place], "cpu_ms") for place, _, _ in PLACES}
    flops = {place: whole(stats[place], "flops") for place, _, _ in PLACES}
    lab.check("cheaper", min(flops["walls"][k] / flops["no walls"][k] for k in (-2, -1)))
    draw_size(lab, stats, contacts, cpu)


def whole(sizes, column):
    """Mean of a column over runs and steps, by size."""
    return [mean(mean(one[column]) for one in seeds) for seeds in sizes]


def draw_size(lab, stats, contacts, cpu):
    kinds, x = [(kind, place) for place, kind, _ in PLACES], Axis("objects", BODIES, 10)
    lines = [(list(zip(BODIES, contacts[place])), kind, True) for kind, place in kinds]
    lab.figure("contacts", "Contacts with a force at the end (SAP fig. 11)",
               [("contacts", x, Axis("", [y for line, _, _ in lines for _, y in line], 10), lines)], kinds)
    walled = [(kind, piles.smooth(one["time"], one["iterations_max"], 0.05)) for kind, one in
              ((kind, stats[place][BODIES.index(40)][0]) for kind, place in kinds)]
    of_time = [(line, kind, False) for kind, line in walled]
    of_size = [(list(zip(BODIES, whole(stats[place], "iterations_max"))), kind, True) for kind, place in kinds]
    lab.figure("iterations", "Iterations: 40 objects over time (SAP fig. 9), means against the number of objects",
               [("iterations, mean over 50 ms", Axis("t [s]", [0, DURATION]), Axis("", [0] + [y for line, _, _ in of_time for _, y in line]), of_time),
                ("mean iterations a step", x, Axis("", [0] + [y for line, _, _ in of_size for _, y in line]), of_size)], kinds)
    rows = ["| objects | contacts, walls | contacts, no walls | iterations, walls | iterations, no walls | CPU time with over without walls |"
            " e_m, walls | e_m, no walls |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    iterations = {place: whole(stats[place], "iterations_max") for place, _, _ in PLACES}
    errors = {place: whole(stats[place], "momentum_residual") for place, _, _ in PLACES}
    for k, n in enumerate(BODIES):
        rows.append(f"| {n} | {contacts['walls'][k]:.0f} | {contacts['no walls'][k]:.0f} | {iterations['walls'][k]:.2f} | "
                    f"{iterations['no walls'][k]:.2f} | {cpu['walls'][k] / cpu['no walls'][k]:.2f} | "
                    f"{errors['walls'][k]:.1e} | {errors['no walls'][k]:.1e} |")
    lab.facts["table"] = "\n".join(rows)


def check_sigma(lab):
    slips, conditions, iterations, sticking = {}, {}, {}, []
    for place, _, walls in PLACES:
        slips[place], conditions[place], iterations[place] = [], [], []
        for sigma in SIGMAS:
            found = runs(lab, f"sigma_{place[:2]}_{sigma:g}", SEEDS, 40, walls, contact_sigma=sigma, solver_condition=True)
            last = [list(run.frames)[-1] for run in found]
            stuck = [slip for frame in last for slip in piles.sticking_slips(frame, STEP)]
            sticking.append(len(stuck) / sum(len(frame["contacts"]) for frame in last))
            slips[place].append(mean(stuck))
            conditions[place].append(piles.geometric(run.stats["condition_max"][-1] for run in found))
            iterations[place].append(mean(mean(run.stats["iterations_max"]) for run in found))
        lab.check("slip", max(slip / (sigma * STEP * piles.GRAVITY) for slip, sigma in zip(slips[place], SIGMAS)), place)
        lab.check("condition_power", power(conditions[place]), place)
    lab.check("slip_power", power(slips["walls"]))
    lab.check("sticking", min(sticking))
    lab.check("iterations", iterations["walls"][0] / iterations["walls"][-1])
    draw_sigma(lab, slips, conditions, iterations)


def power(values):
    """Slope between the ends of the first four."""
    return math.log(values[3] / values[0]) / math.log(SIGMAS[3] / SIGMAS[0])


def draw_sigma(lab, slips, conditions, iterations):
    kinds, x = [(kind, place) for place, kind, _ in PLACES], Axis("sigma", SIGMAS, 10)

    def panel(title, values, log, more=()):
        lines = [*more, *((list(zip(SIGMAS, values[place])), kind, True) for kind, place in kinds)]
        ends = [0.0] if log is None else []
        return (title, x, Axis("", ends + [y for line, _, _ in lines for _, y in line], log), lines)

    bound = ([(sigma, sigma * STEP * piles.GRAVITY) for sigma in SIGMAS], "dash", False)
    lab.figure("slip", "Mean slip of sticking contacts at the end; dashed: sigma mu dt g (SAP fig. 14)", [panel("slip [m/s]", slips, 10, [bound])], kinds)
    lab.figure("condition", "Mean iterations and final condition number (SAP fig. 15)",
               [panel("mean iterations a step", iterations, None), panel("condition number at the end", conditions, 10)], kinds)


def run(lab):
    check_size(lab)
    if not lab.quick:
        check_sigma(lab)
