/* What the picture means in words and numbers: the legend, and the values of the chosen body. */

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function chip([r, g, b]) {
  const byte = (x) => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  return element("span", { class: "chip", style: `background: rgb(${byte(r)} ${byte(g)} ${byte(b)})` });
}

class Readout {
  constructor(view, bodies, movie) {
    Object.assign(this, { view, bodies, movie });
    this.legend = document.getElementById("legend");
    this.text = document.getElementById("readout");
    this.movingRows = [...Array(bodies.n).keys()].filter((row) => bodies.moves[row]);
  }

  update() {
    this.legend.replaceChildren(...this.legendLines());
    if (this.view.chosen >= 0) this.text.textContent = this.describe(this.view.chosen);
  }

  legendLines() {
    const { view } = this, lines = [], mode = view.mode;
    if (mode === "body") lines.push(element("p", {}, "Colours only tell bodies apart."));
    else if (mode === "rank") lines.push(...this.rankLines());
    else if (mode === "island") lines.push(...this.islandLines());
    else lines.push(...this.scaleLines(view.scales[mode], mode));
    if (view.arrows.mesh.visible) lines.push(element("p", {}, this.arrowText()));
    if (view.gridSpacing > 0) lines.push(element("p", {}, `Grid of ${format(view.gridSpacing)} m.`));
    return lines;
  }

  scaleLines(scale, mode) {
    const title = { speed: "Speed", force: "Contact force on a body", stress: "Von Mises stress" }[mode];
    const ends = element("div", { class: "ends" });
    for (const share of [0, 0.5, 1]) ends.append(element("span", {}, (share === 1 ? "≥ " : share === 0 && scale.logarithmic ? "≤ " : "") + format(scale.at(share))));
    return [element("p", {}, `${title} [${scale.unit}]${scale.logarithmic ? ", logarithmic" : ""}`),
      element("span", { class: "ramp", style: `background: linear-gradient(to right, ${ramp.join(", ")})` }), ends, element("p", {}, this.rangeText(mode))];
  }

  /* the same in numbers: largest and mean of this frame */
  rangeText(mode) {
    const { movie, bodies, view } = this, unit = view.scales[mode].unit;
    const vertices = mode === "stress" || (mode === "speed" && this.movingRows.every((row) => bodies.shape[row] === "deformable"));
    const values = mode === "stress" ? movie.stress : vertices ? movie.vertexSpeed : movie[mode];
    const n = vertices ? movie.nvertex : bodies.n, base = view.frame * n;
    const rows = vertices ? [...Array(n).keys()] : this.movingRows.filter((row) => movie.has(row, view.frame));
    let sum = 0, most = 0;
    for (const row of rows) {
      sum += values[base + row];
      most = Math.max(most, values[base + row]);
    }
    return `Now: largest ${withUnit(most, unit)}, mean ${withUnit(rows.length > 0 ? sum / rows.length : 0, unit)}.`;
  }

  rankLines() {
    const { movie, bodies, view } = this, base = view.frame * bodies.n, count = new Map();
    for (let row = 0; row < bodies.n; ++row)
      if (movie.has(row, view.frame)) count.set(movie.rank[base + row], (count.get(movie.rank[base + row]) || 0) + 1);
    const ranks = [...count.keys()].sort((a, b) => a - b), list = element("ul");
    for (const rank of ranks.slice(0, 8)) list.append(element("li", {}, chip(apartLinear[rank % apart.length]), `rank ${rank}: ${format(count.get(rank))} bodies`));
    if (ranks.length > 8) list.append(element("li", {}, `and ${ranks.length - 8} more ranks; colours repeat`));
    return [element("p", {}, "Rank that owns a body"), list];
  }

  islandLines() {
    const size = this.view.islandSize, sizes = [...size].filter((n) => n > 1).sort((a, b) => b - a);
    const alone = [...size].filter((n) => n === 1).length;
    return [element("p", {}, "Bodies that contact forces hold together"),
      element("p", {}, `Now: ${format(sizes.length)} islands${sizes.length > 0 ? `, the largest of ${format(sizes[0])} bodies` : ""}; ${format(alone)} bodies alone (grey).`)];
  }

  arrowText() {
    const { view, movie } = this, shown = movie.contacts[view.frame].n, all = movie.ncontact[view.frame];
    const count = shown < all ? `the ${format(shown)} strongest of ${format(all)}` : format(shown);
    return `Arrows: ${count} contact forces on the second body; ${format(view.arrowLength())} m is ${format(view.strong)} N.`;
  }

  describe(row) {
    const { bodies, movie, view } = this, i = view.frame * bodies.n + row, p = view.position.subarray(3 * row, 3 * row + 3);
    const parts = [`${bodies.name(row)} (id ${bodies.id[row]}): ${bodies.shape[row].replace("_", "-")}${bodies.moves[row] ? "" : ", fixed or driven"}`];
    if (bodies.moves[row] && bodies.mass[row] > 0) parts.push(`${format(bodies.mass[row])} kg`);
    if (!movie.has(row, view.frame)) return [...parts, "not there in this frame"].join(" · ");
    if (bodies.shape[row] !== "half_space") parts.push(`at (${[...p].map((x) => format(x)).join(", ")}) m`);
    parts.push(`${format(movie.speed[i])} m/s`, `contact forces ${format(movie.force[i])} N`, `rank ${movie.rank[i]}`);
    if (bodies.moves[row]) parts.push(this.islandText(row, i));
    return parts.join(" · ");
  }

  islandText(row, i) {
    const { bodies, movie, view } = this, base = view.frame * bodies.n;
    let n = 0;
    for (let other = 0; other < bodies.n; ++other) n += bodies.moves[other] && movie.island[base + other] === movie.island[i] ? 1 : 0;
    return n > 1 ? `in an island of ${format(n)} bodies` : "alone";
  }
}
