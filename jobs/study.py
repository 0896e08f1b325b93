#!/usr/bin/env python3
"""Turns the runs of a scaling study into a table (CSV) and a picture (SVG).

Reads what jobs/mpirun/scaling.sh and the Slurm arrays leave in a study's folder,

    STUDY/ranks-P/scene.yaml  STUDY/ranks-P/run-R/{summary.json, stats.csv, job.txt}, ranks.csv if it was asked for

and writes STUDY/study.csv and STUDY/study.svg.  Beside the measured time stands that of `icf plan`,
where the program has it.  Needs Python 3.8 and nothing else.
"""
import argparse
import concurrent.futures
import csv
import html
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

import svg

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ("geometry", "islands", "assembly", "factor", "solve", "line_search")
COLUMNS = ("machine", "study", "scene", "bodies", "ranks", "threads", "repeats", "first_step", "steps",
           "ms_step", "ms_step_least", "ms_step_most", "ms_work", "ms_exchange", "cpu_ms", "speedup", "efficiency",
           "least_ms_step", "least_speedup", "cpu_max", "cpu_mean", "cpu_speedup",
           "contacts", "largest_island_dofs", "largest_step", "messages", "bytes", "peak_memory_mb", "checksum",
           "predicted_ms_step", "predicted_memory_mb", "predicted_speedup", "predicted_efficiency",
           "predicted_cpu_max", "predicted_cpu_speedup", "predicted_messages", "predicted_bytes")


def fail(text):
    sys.exit(f"icf: error: {text}")


# ---- runs ----

def read_rows(path, options):
    """The rows of stats.csv that count, as numbers: the first ones, or the last part.  A step is what it takes without
    output, as in the plan: the first frame of a run alone takes as long as some steps."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    for row in rows:
        row["ms_step"] = row["ms_total"] - row["ms_output"]
    return rows[:options.first] if options.first else rows[math.floor((1 - options.part) * len(rows)):]


def read_machine(directory):
    """The CPU that the run took place on."""
    try:
        lines = (directory / "job.txt").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    return next((line[len("machine: "):] for line in lines if line.startswith("machine: ")), "unknown")


def find_largest(path, last):
    """The step with the largest island up to a step, whose solution takes the most memory."""
    with open(path, newline="", encoding="utf-8") as file:
        sizes = {int(row["step"]): float(row["largest_island_dofs"]) for row in csv.DictReader(file) if float(row["step"]) <= last}
    return max(sizes, key=sizes.get)


def read_run(directory, options):
    """A run that is done, as means over its last steps; None for one that is not."""
    try:
        summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if summary["status"] != "done":
        return None
    rows = read_rows(directory / "stats.csv", options)
    mean = {key: statistics.fmean(row[key] for row in rows) for key in rows[0]}
    return {"machine": read_machine(directory), "summary": summary, "first": int(rows[0]["step"]), "last": int(rows[-1]["step"]), "mean": mean,
            "rows": rows, "ranks": read_ranks(directory, rows), "largest": find_largest(directory / "stats.csv", rows[-1]["step"]), "work": sum(mean[f"ms_{phase}"] for phase in WORK)}


def least(runs, key):
    """Mean over steps of the least that a step took in any repeat: the repeats of a step do the same work, and what other
    work on the machine adds differs from one to the next."""
    return statistics.fmean(min(values) for values in zip(*([row[key] for row in run["rows"]] for run in runs)))


def read_ranks(directory, rows):
    """CPU ms of each rank in each of these steps, by rows; nothing where ranks.csv does not have them all."""
    try:
        with open(directory / "ranks.csv", newline="", encoding="utf-8") as file:
            cpu = {(int(row["step"]), int(row["rank"])): float(row["cpu"]) for row in csv.DictReader(file)}
    except OSError:
        return []
    ranks = 1 + max((rank for _, rank in cpu), default=0)
    steps = [[cpu.get((int(row["step"]), rank)) for rank in range(ranks)] for row in rows]
    return [] if any(None in step for step in steps) else steps


def least_of_ranks(runs, of_ranks, key):
    """The same for a number made of those of the ranks, each of which does the same work in every repeat, too: of the
    busiest rank, say, the one that would be busiest without other work on the machine."""
    if not all(run["ranks"] for run in runs):
        return least(runs, key)
    steps = zip(*(run["ranks"] for run in runs))
    return statistics.fmean(of_ranks(min(values) for values in zip(*repeats)) for repeats in steps)


def summarize(ranks, runs):
    """A row of the table: medians over the repeats of a number of ranks."""
    middle = lambda value: statistics.median(value(run) for run in runs)
    times = [run["mean"]["ms_step"] for run in runs]
    last = runs[-1]
    checksums = {run["summary"]["checksum"] for run in runs}
    return {
        "machine": last["machine"], "scene": last["summary"]["scene"], "bodies": last["summary"]["bodies"],
        "ranks": ranks, "threads": last["summary"]["threads"], "repeats": len(runs),
        "first_step": last["first"], "steps": last["last"], "largest_step": last["largest"],
        "ms_step": statistics.median(times), "ms_step_least": min(times), "ms_step_most": max(times),
        "ms_work": middle(lambda run: run["work"]), "ms_exchange": middle(lambda run: run["mean"]["ms_exchange"]),
        "cpu_ms": middle(lambda run: run["mean"]["cpu_ms"]), "contacts": middle(lambda run: run["mean"]["active"]),
        "cpu_median": middle(lambda run: run["mean"]["cpu_max"]), "least_ms_step": least(runs, "ms_step"), "cpu_max": least_of_ranks(runs, max, "cpu_max"), "cpu_mean": least_of_ranks(runs, statistics.fmean, "cpu_mean"),
        "largest_island_dofs": middle(lambda run: run["mean"]["largest_island_dofs"]),
        "messages": middle(lambda run: run["mean"]["messages"]), "bytes": middle(lambda run: run["mean"]["bytes"]),
        "peak_memory_mb": max(run["rows"][-1]["memory_mb"] for run in runs),
        "checksum": checksums.pop() if len(checksums) == 1 else "differs",
    }


def read_points(study, options):
    """The rows of a study, by ranks."""
    points = []
    for directory in study.glob("ranks-*"):
        runs = [run for run in (read_run(path, options) for path in sorted(directory.glob("run-*"))) if run]
        if runs:
            points.append(summarize(int(directory.name[len("ranks-"):]), runs))
    if not points:
        fail(f"{study}: there are no runs that are done")
    points.sort(key=lambda point: point["ranks"])
    return points


# ---- the model ----

def ask_plan(options, scene, point, step, more):
    """What `icf plan` says of a step of a scene on a number of ranks; None where it cannot say."""
    command = [options.icf, "plan", str(scene), "--ranks", str(point["ranks"]), "--json"]
    state = step - 1
    settled = next((path for path in (scene.parent / "settled", scene.parent.parent / "settled") if path.is_dir()), None)
    if settled:
        checkpoint = max(settled.glob("checkpoint-*.h5"), key=lambda path: int(path.stem[len("checkpoint-"):]))
        step -= int(checkpoint.stem[len("checkpoint-"):])
        command += ["--restart", str(checkpoint)]
    command += ["--settle", str(step - 1)] if "--settle" not in more else []
    if options.cut_at is not None and state > options.cut_at:
        command += ["--age", str(state - options.cut_at)]
    command += more
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=options.plan_timeout, check=True)
        return json.loads(result.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = getattr(error, "stderr", None) or error
        print(f"icf: no prediction for {point['ranks']} ranks: {str(reason).strip().splitlines()[0]}", file=sys.stderr)
        return None


def planned_steps(point):
    """The first, the middle and the last step that counts."""
    first, last = point["first_step"], point["steps"]
    return sorted({first, (first + last) // 2, last})


def keep_plans(study, options):
    """Asks for the plan of one of these steps, of each in turn as there are more runs, and keeps it beside them."""
    for point in read_points(study, options):
        directory = study / f"ranks-{point['ranks']}"
        step = planned_steps(point)[(point["repeats"] - 1) % len(planned_steps(point))]
        ask = lambda _: ask_plan(options, directory / "scene.yaml", point, step, options.plan.split())
        at_once = min(point["ranks"], os.cpu_count() or 1)  # cores that are all at work are slower than one alone
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            for copy, plan in enumerate(pool.map(ask, range(at_once))):
                if plan:
                    kept = directory / f"plan-{step}-{point['repeats']}-{copy}.json"
                    kept.write_text(json.dumps(plan), encoding="utf-8")


def plans_of(options, scene, point, step, more):
    """Plans of a step: those kept beside the runs, else as many as there would be of these."""
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(scene.parent.glob(f"plan-{step}-*.json"))]
    often = math.ceil(min(point["repeats"], 5) / 3) if "--calibrate" in more else 1
    return kept or [plan for plan in (ask_plan(options, scene, point, step, more) for _ in range(often)) if plan]


def predict_times(options, scene, point, more):
    """The means over steps are those predicted; rates are measured as often as steps were, and the least counts as with
    them."""
    plans = [plans_of(options, scene, point, step, more) for step in planned_steps(point)]
    if not all(plans):
        return None
    for name, key in (("predicted_ms_step", "ms_step"), ("predicted_cpu_max", "cpu_max")):
        point[name] = statistics.fmean(min(plan["total"][key] for plan in repeats) for repeats in plans)
    return plans[len(plans) // 2][0]["total"]


def predict(options, study, points):
    """Adds the model's columns, or leaves them empty."""
    for point in () if options.no_plan else points:
        scene, more = study / f"ranks-{point['ranks']}" / "scene.yaml", options.plan.split()
        total = predict_times(options, scene, point, more)
        without_rates = [word for word in more if word != "--calibrate"]
        largest = ask_plan(options, scene, point, point["largest_step"], without_rates) if total else None
        if largest:
            point["predicted_messages"], point["predicted_bytes"] = total["messages"], total["bytes"]
            point["predicted_memory_mb"] = max(rank["memory_mb"] for rank in largest["ranks"])


# ---- scaling ----

def rate(points, kind, time, prefix):
    """Speed-up and efficiency against the fewest ranks, which count as used perfectly."""
    first = points[0]
    for point in points:
        if not first.get(time) or not point.get(time):
            continue
        ratio = first[time] / point[time]
        more = point["ranks"] / first["ranks"]
        point[prefix + "speedup"] = ratio * (more if kind == "weak" else 1)
        point[prefix + "efficiency"] = ratio if kind == "weak" else ratio / more


def rounded(value):
    return f"{value:.6g}" if isinstance(value, float) else value


def write_table(points, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: rounded(value) for key, value in point.items()} for point in points)


# ---- the picture ----

def column(points, key):
    return [(point["ranks"], point[key]) for point in points if point.get(key)]


def draw_panel(left, title, points, keys, ideal):
    lines = [(kind, column(points, key)) for kind, key in keys] + [("ideal", ideal)]
    ranks = [point["ranks"] for point in points]
    values = [value for _, line in lines for _, value in line]
    panel = svg.Panel(left, 60, title, svg.Axis("ranks", ranks, log=2, ticks=ranks), svg.Axis("", values, log=2))
    for kind, line in reversed(lines):
        if line:
            panel.draw(line, kind, marks=kind != "ideal")
    return panel


STYLE = """polyline.measured, path.measured { stroke: #0b62a4 }
circle.measured { fill: #0b62a4 } polyline.predicted { stroke: #c8501e; stroke-dasharray: 7 4 }
circle.predicted { fill: #fff; stroke: #c8501e; stroke-width: 1.6 } polyline.ideal { stroke: #888; stroke-dasharray: 2 4 }"""


def draw_study(points, kind):
    first, last = points[0], points[-1]
    gain = last["ranks"] / first["ranks"]
    ends = (first["ranks"], last["ranks"])
    same, falls, grows = [(1, 1)] * 2, [(1, 1), (1, 1 / gain)], [(1, 1), (1, gain)]
    ideal = lambda start, factors: [(rank, start * factor[1]) for rank, factor in zip(ends, factors)]
    time = draw_panel(70, "time a step [ms]", points, [("measured", "ms_step"), ("predicted", "predicted_ms_step")],
                      ideal(first["ms_step"], same if kind == "weak" else falls))
    for point in points:
        time.draw_range(point["ranks"], point["ms_step_least"], point["ms_step_most"], "measured")
    speed = draw_panel(490, "speed-up" if kind == "strong" else "speed-up of a problem that grows", points,
                       [("measured", "speedup"), ("predicted", "predicted_speedup")], ideal(1, grows))
    head = f"{kind} scaling: {first['scene']}{' ...' if kind == 'weak' else ''}, {first['threads']} thread(s) a rank; {first['machine']}"
    shown = ("measured", "predicted", "ideal") if column(points, "predicted_ms_step") else ("measured", "ideal")
    return svg.picture(860, 390, STYLE, [f'<text x="20" y="28">{html.escape(head)}</text>',
                                         *svg.legend([(kind, kind) for kind in shown], 500, 28), *time.parts, *speed.parts])


# ---- the command ----

SHOWN = (("ranks", "ranks"), ("bodies", "bodies"), ("ms/step", "ms_step"), ("speed-up", "speedup"), ("least", "least_ms_step"),
         ("speed-up", "least_speedup"), ("cpu_max", "cpu_max"), ("cpu_mean", "cpu_mean"), ("speed-up", "cpu_speedup"),
         ("exchange", "ms_exchange"), ("messages", "messages"), ("bytes", "bytes"), ("MB", "peak_memory_mb"), ("plan:", "predicted_ms_step"), ("speed-up", "predicted_speedup"),
         ("cpu_max", "predicted_cpu_max"), ("speed-up", "predicted_cpu_speedup"), ("messages", "predicted_messages"), ("bytes", "predicted_bytes"),
         ("MB", "predicted_memory_mb"))


def print_table(points):
    print("".join(f"{title:>9}" for title, _ in SHOWN))
    for point in points:
        print("".join(f"{point[key]:9.4g}" if point.get(key) is not None else f"{'-':>9}" for _, key in SHOWN))


# ---- what is expected ----

def compare(what, value, bound, good):
    print(f"{'ok    ' if good else 'MISSED'} {what}: {value:.2f}, expected {bound}")
    return good


def print_both_cores(one, options):
    """What two cores get done beside one: twice the time of a run of one rank alone over that of two of them at once."""
    runs = [run for run in (read_run(path, options) for path in sorted(options.copies.glob("run-*"))) if run]
    if runs:
        both = statistics.median(run["mean"]["cpu_max"] for run in runs)
        print(f"       two runs of one rank at the same time get {2 * one['cpu_median'] / both:.2f} times as much done as one (medians)")


def check(points, options):
    """Speed-up of two ranks along the critical path, and what many ranks on the cores of two cost."""
    by_ranks, good = {point["ranks"]: point for point in points}, True
    if options.copies and 1 in by_ranks:
        print_both_cores(by_ranks[1], options)
    if options.least_speedup is not None and 2 in by_ranks:
        value = by_ranks[2]["cpu_speedup"]
        good &= compare("speed-up of 2 ranks, CPU time outside waits of the busiest", value, f">= {options.least_speedup}",
                        value >= options.least_speedup)
    if options.most_oversubscribed is not None and 2 in by_ranks and 8 in by_ranks:
        value = by_ranks[8]["least_ms_step"] / by_ranks[2]["least_ms_step"]
        good &= compare("wall time of 8 ranks against 2", value, f"<= {options.most_oversubscribed}",
                        value <= options.most_oversubscribed)
    bounds = [("CPU time", "cpu_max", options.time_within), ("memory", "peak_memory_mb", options.memory_within),
              ("messages", "messages", options.counts_within), ("bytes", "bytes", options.counts_within)]
    for what, measured, bound in bounds:
        if bound is None:
            continue
        predicted = f"predicted_{measured.removeprefix('peak_')}"
        off = [(point[predicted] / point[measured] - 1) * 100
               for point in points if point.get("predicted_ms_step") and point[measured] > 0]
        worst = max(off, key=abs, default=math.inf)
        good &= compare(f"prediction of {what}, worst [%]", worst, f"within {bound}", abs(worst) <= bound)
    return good


def report(study, options):
    points = read_points(study, options)
    kind = "strong" if len({point["bodies"] for point in points}) == 1 else "weak"
    predict(options, study, points)
    for point in points:
        point["study"] = kind
    rate(points, kind, "ms_step", "")
    rate(points, kind, "predicted_ms_step", "predicted_")
    rate(points, kind, "least_ms_step", "least_")
    rate(points, kind, "cpu_max", "cpu_")
    rate(points, kind, "predicted_cpu_max", "predicted_cpu_")
    write_table(points, study / "study.csv")
    (study / "study.svg").write_text(draw_study(points, kind), encoding="utf-8")
    print(f"{kind} scaling, {points[0]['machine']}: mean over steps {points[0]['first_step']} to {points[0]['steps']}, "
          f"median of {points[0]['repeats']} run(s)")
    print_table(points)
    print(f"written: {study / 'study.csv'}, {study / 'study.svg'}; load of the machine now {os.getloadavg()[0]:.1f}")
    return check(points, options)


def share(text):
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError("must be above 0 and at most 1")
    return value


def main():
    parser = argparse.ArgumentParser(description="Turns the runs of scaling studies into STUDY/study.csv and STUDY/study.svg.")
    parser.add_argument("study", nargs="+", type=pathlib.Path, help="folder of a study, such as out/strong")
    parser.add_argument("--part", type=share, default=0.5, help="the last part of the steps that counts (default 0.5)")
    parser.add_argument("--first", type=int, help="the first N steps count instead")
    parser.add_argument("--icf", default=str(ROOT / "build" / "icf"), help="the program, for `icf plan` (default build/icf)")
    parser.add_argument("--plan", default="--calibrate", help="options for `icf plan` (default \"--calibrate\"; without --settle the "
                        "plan is of the middle of the steps that count; on another machine than the runs' leave out --calibrate)")
    parser.add_argument("--cut-at", type=int, metavar="STEP", help="the runs were cut anew after this step and not since: plans have those parts")
    parser.add_argument("--keep-plans", action="store_true", help="only ask for the plan of one of the steps that count, the next "
                        "one whenever there is one run more, and keep it: rates are measured beside the runs")
    parser.add_argument("--plan-timeout", type=float, default=3600, help="seconds for a prediction (default 3600)")
    parser.add_argument("--no-plan", action="store_true", help="no predictions")
    parser.add_argument("--least-speedup", type=float, help="exit code 1 when 2 ranks are less fast than this")
    parser.add_argument("--copies", type=pathlib.Path, metavar="DIR", help="runs of one rank that ran at the same time as another: says "
                        "how much more two cores get done than one, and so what speed-up can be seen")
    parser.add_argument("--most-oversubscribed", type=float, help="exit code 1 when a step on 8 ranks takes more times that on 2")
    for what, name in (("time", "CPU time"), ("memory", "memory"), ("counts", "messages and bytes")):
        parser.add_argument(f"--{what}-within", type=float, metavar="PERCENT",
                            help=f"exit code 1 when the plan's {name} of any number of ranks are off by more")
    options = parser.parse_args()
    if options.keep_plans:
        for study in options.study:
            keep_plans(study, options)
        return
    if not all([report(study, options) for study in options.study]):
        sys.exit(1)


if __name__ == "__main__":
    main()
