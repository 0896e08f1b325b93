/* Plots over time as SVG.  A series is known by its dash and its name as well as by its colour, every value can be read as a
 * number, and a click or Enter takes the playback to a step. */

const svgSpace = "http://www.w3.org/2000/svg";
const dashes = ["", "7 4", "2 3", "9 3 2 3", "12 4", "4 2", "1 2", "6 2 1 2"];
const margin = { left: 62, right: 12, top: 12, bottom: 26, height: 210 };

function svg(tag, attributes, text) {
  const made = document.createElementNS(svgSpace, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* Round numbers from low to high, about n of them. */
function ticks(low, high, n) {
  const rough = (high - low) / n || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough) || power;
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) list.push(k * step);
  return list;
}

function powersOfTen(low, high) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9), list = [];
  for (let k = first; k <= last; k += Math.max(1, Math.ceil((last - first) / 5))) list.push(10 ** k);
  return list;
}

class Plot {
  /* spec: title, unit, series [{name, values}], stacked, logarithmic */
  constructor(spec, time, step, onSeek) {
    Object.assign(this, spec, { time, step, onSeek });
    this.at = -1;
    this.svg = svg("svg", { tabindex: 0, role: "slider", "aria-label": `${this.title}, over time`, "aria-valuemin": time[0], "aria-valuemax": time[time.length - 1],
      "aria-valuenow": time[0] });
    this.list = element("ul");
    this.where = element("p", { class: "at" });
    this.figure = element("figure", { class: "plot" },
      element("figcaption", {}, this.title, element("span", {}, this.unit ? `[${this.unit}]` : "")), this.svg, this.list, this.where, this.table());
    this.listSeries();
    this.bind();
  }

  listSeries() {
    this.numbers = this.series.map((series, k) => {
      const number = element("b"), key = svg("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" });
      if (this.stacked) key.append(svg("rect", { width: 26, height: 10, fill: apart[k % apart.length] }));
      else key.append(svg("line", { x1: 0, y1: 5, x2: 26, y2: 5, stroke: apart[k % apart.length], "stroke-width": 2.5, "stroke-dasharray": dashes[k] }));
      this.list.append(element("li", {}, key, series.name, number));
      return number;
    });
  }

  /* Least, mean, largest and last value of every series. */
  table() {
    const body = element("tbody"), head = element("tr");
    for (const title of ["", "least", "mean", "largest", "last"]) head.append(element("th", { scope: "col" }, title));
    for (const { name, values } of this.series) {
      const finite = values.filter(Number.isFinite), row = element("tr", {}, element("th", { scope: "row" }, name));
      const mean = finite.reduce((sum, x) => sum + x, 0) / finite.length;
      const least = finite.reduce((a, b) => Math.min(a, b), Infinity), largest = finite.reduce((a, b) => Math.max(a, b), -Infinity);
      for (const value of [least, mean, largest, values[values.length - 1]]) row.append(element("td", {}, format(value)));
      body.append(row);
    }
    const details = element("details", {}, element("summary", {}, "Numbers"));
    details.append(element("table", {}, element("thead", {}, head), body));
    return details;
  }

  bind() {
    this.svg.addEventListener("pointermove", (event) => this.readAt(this.lineAt(event)));
    this.svg.addEventListener("pointerleave", () => this.readAt(-1));
    this.svg.addEventListener("click", (event) => this.onSeek(this.time[this.lineAt(event)]));
    this.svg.addEventListener("blur", () => this.readAt(-1));
    this.svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    const last = this.time.length - 1, page = Math.max(1, Math.round(last / 20));
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -page, PageUp: page, Home: -last, End: last };
    if (event.key === "Enter") this.onSeek(this.time[Math.max(0, this.at)]);
    else if (event.key in moves) this.readAt(Math.max(0, Math.min(last, (this.at < 0 ? this.nearest(this.now) : this.at) + moves[event.key])));
    else return;
    event.preventDefault();
  }

  lineAt(event) {
    const box = this.svg.getBoundingClientRect();
    const x = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
    return this.nearest(this.time[0] + x * (this.time[this.time.length - 1] - this.time[0]));
  }

  nearest(time) {
    let low = 0, high = this.time.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle;
    }
    return time - this.time[low] < this.time[high] - time ? low : high;
  }

  /* Shows the values of a line; of the moment of the playback when it is -1. */
  readAt(line) {
    this.at = line;
    const i = this.read = line >= 0 ? line : this.nearest(this.now);
    this.where.textContent = `${line >= 0 ? "At" : "Now:"} t = ${format(this.time[i], 5)} s, step ${format(this.step[i])}`;
    this.numbers.forEach((number, k) => { number.textContent = format(this.series[k].values[i], 4); });
    this.svg.setAttribute("aria-valuenow", this.time[i]);
    this.svg.setAttribute("aria-valuetext", `${this.where.textContent}: ${this.series.map((s) => `${s.name} ${format(s.values[i], 4)}`).join(", ")}`);
    this.cursor?.setAttribute("visibility", line >= 0 ? "visible" : "hidden");
    if (line >= 0) this.moveLine(this.cursor, this.time[i]);
  }

  setNow(time) {
    this.now = time;
    this.moveLine(this.nowLine, time);
    if (this.at < 0 && this.read !== this.nearest(time)) this.readAt(-1);
  }

  moveLine(line, time) {
    line?.setAttribute("transform", `translate(${this.x(time).toFixed(1)} 0)`);
  }

  /* ---- drawing ---- */

  x(time) {
    const first = this.time[0], last = this.time[this.time.length - 1];
    return margin.left + (this.width - margin.left - margin.right) * (last > first ? (Math.max(first, Math.min(last, time)) - first) / (last - first) : 0.5);
  }

  y(value) {
    const place = this.logarithmic ? Math.log(Math.max(value, this.low) / this.low) / Math.log(this.high / this.low) : (value - this.low) / (this.high - this.low);
    return margin.height - margin.bottom - (margin.height - margin.top - margin.bottom) * place;
  }

  /* Series as they are drawn: one on top of the other when they are stacked. */
  drawn() {
    if (!this.stacked) return this.series.map((series) => series.values);
    const sum = new Float64Array(this.time.length);
    return this.series.map(({ values }) => Float64Array.from(values, (value, i) => (sum[i] += Number.isFinite(value) ? value : 0)));
  }

  measure(lists) {
    let low = Infinity, high = -Infinity;
    for (const list of lists)
      for (const value of list) {
        if (!Number.isFinite(value) || (this.logarithmic && value <= 0)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    if (!(high >= low)) [low, high] = this.logarithmic ? [0.1, 1] : [0, 1];
    if (this.logarithmic) {
      this.low = 10 ** Math.floor(Math.log10(low));
      this.high = Math.max(10 ** Math.ceil(Math.log10(high)), 10 * this.low);
    } else {
      this.low = Math.min(0, low);
      this.high = Math.max(0, high);
      if (this.high === this.low) this.high = this.low + 1;
      this.high += 0.04 * (this.high - this.low);
    }
  }

  draw() {
    this.width = Math.max(200, this.svg.clientWidth || 430);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${margin.height}`);
    const lists = this.drawn();
    this.measure(lists);
    this.svg.replaceChildren(...this.axes());
    if (this.stacked) for (let k = lists.length - 1; k >= 0; --k) this.svg.append(svg("path", { d: this.areaPath(lists[k], lists[k - 1]), fill: apart[k % apart.length], class: "series" }));
    else lists.forEach((list, k) => this.svg.append(svg("path", { d: this.linePath(list), fill: "none", stroke: apart[k % apart.length], "stroke-width": 2,
      "stroke-dasharray": dashes[k], "stroke-linejoin": "round", class: "series" })));
    const span = { y1: margin.top, y2: margin.height - margin.bottom };
    this.nowLine = svg("line", { ...span, class: "now" });
    this.cursor = svg("line", { ...span, class: "cursor", visibility: "hidden" });
    this.svg.append(this.nowLine, this.cursor);
    this.setNow(this.now ?? this.time[0]);
  }

  axes() {
    const parts = [], right = this.width - margin.right, bottom = margin.height - margin.bottom;
    for (const value of this.logarithmic ? powersOfTen(this.low, this.high) : ticks(this.low, this.high, 4)) {
      parts.push(svg("line", { class: "grid", x1: margin.left, x2: right, y1: this.y(value), y2: this.y(value) }));
      parts.push(svg("text", { class: "tick-y", "data-value": value, x: margin.left - 7, y: this.y(value) + 4, "text-anchor": "end" }, format(value)));
    }
    for (const value of ticks(this.time[0], this.time[this.time.length - 1], this.width > 380 ? 6 : 4))
      parts.push(svg("text", { class: "tick-x", "data-value": value, x: this.x(value), y: bottom + 17, "text-anchor": "middle" }, format(value)));
    parts.push(svg("text", { x: margin.left - 7, y: bottom + 17, "text-anchor": "end" }, "t [s]"));
    return parts;
  }

  /* Lines of the list that are drawn: all, or the least and the largest in every half pixel. */
  points(list) {
    const n = list.length, bins = 2 * Math.ceil(this.width);
    if (n <= 2 * bins) return list.map((_, i) => i);
    const kept = [];
    for (let bin = 0; bin < bins; ++bin) {
      const first = Math.floor(bin * n / bins), end = Math.floor((bin + 1) * n / bins);
      let least = first, largest = first;
      for (let i = first; i < end; ++i) {
        if (list[i] < list[least]) least = i;
        if (list[i] > list[largest]) largest = i;
      }
      kept.push(Math.min(least, largest), Math.max(least, largest));
    }
    return kept;
  }

  linePath(list) {
    let path = "", open = false;
    for (const i of this.points(list)) {
      const known = Number.isFinite(list[i]) && !(this.logarithmic && list[i] <= 0);
      if (known) path += `${open ? "L" : "M"}${this.x(this.time[i]).toFixed(2)} ${this.y(list[i]).toFixed(2)}`;
      open = known;
    }
    return path;
  }

  areaPath(upper, lower) {
    const at = (list) => (i) => `${this.x(this.time[i]).toFixed(2)} ${this.y(list ? list[i] : 0).toFixed(2)}`;
    const points = Array.from(this.points(upper));
    return `M${points.map(at(upper)).join("L")}L${points.reverse().map(at(lower)).join("L")}Z`;
  }
}

/* The plots of a run; series that a run does not have, and those of nothing, are left out. */
function plotSpecs(stats) {
  const column = stats.column, some = (name) => column[name] && column[name].some((x) => x !== 0);
  const series = (names) => names.filter(([key]) => column[key]).map(([key, name]) => ({ name, key, values: column[key] }));
  const energy = series([["kinetic_energy", "kinetic"], ["potential_energy", "potential"], ...(some("elastic_energy") ? [["elastic_energy", "elastic"]] : [])]);
  if (energy.length > 1) energy.push({ name: "sum", key: "sum", values: Float64Array.from(energy[0].values, (_, i) => energy.reduce((sum, s) => sum + s.values[i], 0)) });
  const phases = Object.keys(column).filter((name) => name.startsWith("ms_") && name !== "ms_total");
  const specs = [
    { key: "contacts", title: "Contacts", unit: "", series: series([["candidates", "candidates"], ["active", "with force"], ["islands", "islands"]]) },
    { key: "iterations", title: "Newton iterations", unit: "a step and island", series: series([["iterations_mean", "mean"], ["iterations_max", "largest"]]) },
    { key: "energy", title: "Energy", unit: "J", series: energy },
    { key: "penetration", title: "Largest penetration", unit: "m", series: series([["penetration_max", "penetration"]]) },
    { key: "residual", title: "Momentum error", unit: "relative", logarithmic: true, series: series([["momentum_residual", "worst island"]]) },
    { key: "phases", title: "Time of a step by phase", unit: "ms, slowest rank", stacked: true, series: series(phases.map((name) => [name, name.slice(3).replace("_", " ")])) },
    { key: "load", title: "Load of the ranks", unit: "CPU ms a step", series: series([["cpu_max", "busiest rank"], ["cpu_mean", "mean of ranks"]]) },
    { key: "memory", title: "Memory of the largest rank", unit: "MB", series: series([["memory_mb", "peak so far"]]) },
    { key: "contact-force", title: "Largest contact force of a pair", unit: "N", series: some("contact_force_max") ? series([["contact_force_max", "force"]]) : [] },
  ];
  return specs.filter((spec) => spec.series.length > 0);
}

function makePlots(stats, onSeek) {
  const grid = document.getElementById("plot-grid");
  if (stats.lines === 0) {
    grid.append(element("p", {}, "There are no statistics: stats.csv is missing or has no steps."));
    return [];
  }
  const plots = plotSpecs(stats).map((spec) => new Plot(spec, stats.column.time, stats.column.step, onSeek));
  grid.append(...plots.map((plot) => plot.figure));
  return plots;
}
