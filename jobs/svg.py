"""Line plots as SVG text: axes, panels, pictures.  Needs Python 3.8 and nothing else."""
import html
import math
import re

BASE_STYLE = """text { font: 12px sans-serif; fill: #222 } .frame { fill: none; stroke: #555 } .grid { stroke: #ddd }
polyline, path { fill: none; stroke-width: 1.6 }"""


class Axis:
    """An axis, linear or logarithmic, over the range of the values that it is to show.

    log: the base, or None; ticks: the places that are marked, or None for round ones."""

    def __init__(self, title, values, log=None, ticks=None):
        self.title, self.log = title, log
        values = [value for value in values if math.isfinite(value) and (log is None or value > 0)]
        low, high = min(values), max(values)
        self.ticks = sorted(ticks) if ticks else (self.powers(low, high) if log else self.round_places(low, high))
        self.low, self.high = (min(low, self.ticks[0]), max(high, self.ticks[-1])) if not ticks else (low, high)
        if self.low == self.high:
            self.high = self.low * log if log else self.low + 1

    def powers(self, low, high):
        first = math.floor(math.log(low, self.log) + 1e-9)
        last = max(math.ceil(math.log(high, self.log) - 1e-9), first + 1)
        return [float(self.log) ** k for k in range(first, last + 1, max(1, round((last - first) / 8)))]

    @staticmethod
    def round_places(low, high):
        span = high - low or abs(high) or 1.0
        raw = span / 6
        decade = 10.0 ** math.floor(math.log10(raw))
        step = next(factor * decade for factor in (1, 2, 5, 10) if factor * decade >= raw)
        return [step * k for k in range(math.floor(low / step + 1e-9), math.ceil(low / step + span / step - 1e-9) + 1)]

    def fraction(self, value):
        """Where a value stands between the ends, from 0 to 1."""
        scale = (lambda x: math.log(x)) if self.log else (lambda x: x)
        return (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))

    def shows(self, value):
        return math.isfinite(value) and (self.log is None or value > 0)


def short(value):
    """A number as briefly as it can be: 1e5, not 1e+05."""
    return re.sub(r"e([+-])0*", lambda match: "e" + match.group(1).replace("+", ""), f"{value:.4g}")


class Panel:
    """Axes at a place of a picture, and what is drawn between them."""

    def __init__(self, left, top, title, x, y, width=330, height=260):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.x, self.y, self.parts = x, y, []
        self.draw_axes(title)

    def place(self, x, y):
        return (self.left + self.width * self.x.fraction(x), self.top + self.height * (1 - self.y.fraction(y)))

    def text(self, x, y, text, anchor="middle"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>')

    def draw_axes(self, title):
        self.text(self.left, self.top - 12, title, "start")
        self.parts.append(f'<rect x="{self.left}" y="{self.top}" width="{self.width}" height="{self.height}" class="frame"/>')
        for tick in self.y.ticks:
            y = self.top + self.height * (1 - self.y.fraction(tick))
            self.parts.append(f'<path d="M{self.left} {y:.1f}h{self.width}" class="grid"/>')
            self.text(self.left - 6, y + 4, short(tick), "end")
        for tick in self.x.ticks:
            self.text(self.left + self.width * self.x.fraction(tick), self.top + self.height + 18, short(tick))
        self.text(self.left + self.width / 2, self.top + self.height + 38, self.x.title)

    def draw(self, points, kind, marks=True):
        """points: (x, value); kind: the line's class; marks: a circle at every point."""
        places = [self.place(x, y) for x, y in points if self.x.shows(x) and self.y.shows(y)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.parts.append(f'<polyline points="{line}" class="{kind}"/>')
        if marks:
            self.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" class="{kind}"/>' for x, y in places]

    def draw_range(self, x, least, most, kind):
        (at, low), (_, high) = self.place(x, least), self.place(x, most)
        self.parts.append(f'<path d="M{at:.1f} {low:.1f}V{high:.1f}" class="{kind}"/>')


def legend(kinds, left, top, stride=115):
    """A sample of each line; kinds: (class, name)."""
    return [f'<polyline points="{left + stride * k},{top - 4} {left + stride * k + 36},{top - 4}" class="{kind}"/>'
            f'<text x="{left + stride * k + 42}" y="{top}">{html.escape(name)}</text>' for k, (kind, name) in enumerate(kinds)]


def picture(width, height, style, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n'
            f'<style>{BASE_STYLE}\n{style}</style>\n<rect width="{width}" height="{height}" fill="#fff"/>\n'
            + "\n".join(parts) + "\n</svg>\n")
