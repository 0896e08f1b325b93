"""What all studies use: runs of the program, checks against bounds, pictures, the study's part of the page."""
import collections
import concurrent.futures
import csv
import html
import json
import math
import subprocess
import sys

import svg

STYLE = "\n".join(
    f"polyline.{name} {{ stroke: {colour} }} circle.{name} {{ fill: {colour} }}" for name, colour in
    (("a", "#0b62a4"), ("b", "#c8501e"), ("c", "#2a8a3a"), ("d", "#7a3fa0"), ("e", "#b08a00"), ("f", "#00888a"))
) + "\npolyline.dash { stroke: #888; stroke-dasharray: 2 4 }"


class Bound:
    """What a number must be, and where that comes from.  Bounds stand in the studies and are there before a run; one
    that a run has changed says what it was (`changed`), and the page shows it."""

    def __init__(self, what, least, most, source, changed=""):
        self.what, self.least, self.most, self.source, self.changed = what, least, most, source, changed

    def holds(self, value):
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def text(self):
        if self.least is None:
            return f"at most {self.most:.8g}"
        if self.most is None:
            return f"at least {self.least:.8g}"
        return f"{self.least:.8g} to {self.most:.8g}"


class Run:
    """The results of a run: columns of stats.csv and frames of the trace."""

    def __init__(self, directory):
        self.directory = directory

    @property
    def stats(self):
        """The columns of stats.csv, as lists of numbers."""
        with open(self.directory / "stats.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {key: [float(row[key]) for row in rows] for key in rows[0]}

    @property
    def summary(self):
        return json.loads((self.directory / "summary.json").read_text(encoding="utf-8"))

    @property
    def frames(self):
        """The frames of the trace, one after the other."""
        with open(self.directory / "trace.jsonl", encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)


class Lab:
    """Runs the program for one study and keeps what came out.

    quick: the few short runs of the tests; facts: what the study's text names in braces."""

    def __init__(self, icf, work, study, options):
        self.icf, self.work, self.study = icf, work, study
        self.quick, self.jobs, self.directory = options.quick, options.jobs, options.docs / "validation"
        self.name = study.__name__
        self.rows, self.good, self.facts = [], True, {}

    def run(self, name, scene, every=1):
        """Runs a scene (a dictionary, or the path of a file and options), with a frame in `every` steps."""
        directory = self.work / self.name / name
        directory.mkdir(parents=True, exist_ok=True)
        more = []
        if isinstance(scene, dict):
            path = directory / "scene.json"
            path.write_text(json.dumps(scene), encoding="utf-8")
        else:
            path, *more = scene
        command = [self.icf, "run", path, *more, "--output", directory, "--trace", directory / "trace.jsonl", "--every", str(every),
                   "--threads", "1", "--quiet"]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{result.stderr}")
        return Run(directory)

    def run_all(self, scenes, every=1):
        """Runs scenes by name, a few at a time; returns the runs by name."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            runs = {name: pool.submit(self.run, name, scene, every) for name, scene in scenes.items()}
            return {name: run.result() for name, run in runs.items()}

    def make(self, name, kind, *options):
        """Writes a scene by `icf make`; returns its path."""
        directory = self.work / self.name
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{name}.yaml"
        subprocess.run([str(word) for word in (self.icf, "make", kind, *options, "--output", path)], check=True)
        return path

    def check(self, key, value, note=""):
        """Compares a number with the bound of that name; note: which of several numbers it is."""
        bound = self.study.BOUNDS[key]
        good = math.isfinite(value) and bound.holds(value)
        what = bound.what + (f", {note}" if note else "")
        print(f"{'ok    ' if good else 'MISSED'} {self.name}: {what}: {value:.4g}, expected {bound.text()}", flush=True)
        changed = f" (after the first run; {bound.changed})" if bound.changed else ""
        cells = (what, f"{value:.4g}", bound.text() + changed, bound.source, "yes" if good else "**no**")
        self.rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        self.good &= good

    def figure(self, name, caption, panels, kinds):
        """Writes a picture of panels side by side; the study's text has it as {figure_NAME}.

        panels: (title, x axis, y axis, [(points, class, marks)]); kinds: (class, name) of the legend."""
        parts = [f'<text x="20" y="24">{html.escape(caption)}</text>', *svg.legend(kinds, 60, 50, 130)]
        for k, (title, x, y, lines) in enumerate(panels):
            panel = svg.Panel(80 + 430 * k, 90, title, x, y)
            for points, kind, marks in lines:
                panel.draw(points, kind, marks)
            parts += panel.parts
        self.directory.mkdir(parents=True, exist_ok=True)
        file = f"{self.name}_{name}.svg"
        width = max(10 + 430 * len(panels), 40 + 7 * len(caption))
        text = svg.picture(width, 400, STYLE, parts)
        (self.directory / file).write_text(text, encoding="utf-8")
        self.facts[f"figure_{name}"] = f"![{caption}](validation/{file})"

    def page(self):
        """The study's part of the page."""
        head = ["| what | measured | expected | from | holds |", "| --- | --- | --- | --- | --- |"]
        # short runs leave out some of the numbers and pictures
        facts = collections.defaultdict(str) if self.quick else {}
        facts.update(self.facts, checks="\n".join(head + self.rows), command=f"`bash jobs/validate.sh {self.name}`")
        return self.study.PAGE.strip().format_map(facts)


# ---- numbers ----

def thin(points, most=400):
    """Every n-th of many points, for a picture."""
    stride = max(1, len(points) // most)
    return points[::stride]


def order(coarse, fine):
    """Order of convergence between two (step, error)."""
    return math.log(coarse[1] / fine[1]) / math.log(coarse[0] / fine[0])


def mean_square(values):
    """Root of the mean of squares."""
    values = list(values)
    return math.sqrt(sum(value * value for value in values) / len(values))
