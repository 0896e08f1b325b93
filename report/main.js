/* Puts the page together: text first, then the frames.  `icfReport.ready` is there for those who drive the page by script;
 * the address may end in #time=1.5&azimuth=-60&elevation=22&zoom=1&colour=speed&arrows=1&picture=1. */

const icfReport = (window.icfReport = { errors: [] });
window.addEventListener("error", (event) => icfReport.errors.push(String(event.message)));

function setStatus(text) {
  document.getElementById("status").textContent = text;
}

function hasPicture() {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl2"));
  } catch {
    return false;
  }
}

/* Controls that change the picture. */
function bindControls({ view, readout, bodies }) {
  const control = (id, event, act) => document.getElementById(id).addEventListener(event, act);
  control("colour", "change", (event) => { view.colourBy(event.target.value); readout.update(); });
  control("arrows", "change", (event) => { view.showArrows(event.target.checked); readout.update(); });
  control("fixed", "change", (event) => view.showFixed(event.target.checked));
  control("fit", "click", () => view.fit());
  control("top", "click", () => view.look(-90, 89.9));
  control("side", "click", () => view.look(-90, 0));
  control("body", "input", (event) => {
    const row = event.target.value === "" ? -1 : bodies.id.indexOf(Number(event.target.value));
    view.choose(row);
    readout.text.textContent = row < 0 ? "There is no body of this id." : "";
    readout.update();
  });
}

/* A click chooses a body, a drag does not. */
function bindPicking({ view, readout, bodies }) {
  let from = [0, 0];
  view.canvas.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; });
  view.canvas.addEventListener("click", (event) => {
    if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4) return;
    const box = view.canvas.getBoundingClientRect();
    const row = view.pick((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    view.choose(row);
    document.getElementById("body").value = row >= 0 ? bodies.id[row] : "";
    readout.text.textContent = row >= 0 ? "" : "No body there.";
    readout.update();
  });
}

function bindKeys({ view, player }) {
  const keys = {
    ArrowLeft: () => view.orbit(-5, 0, 1), ArrowRight: () => view.orbit(5, 0, 1), ArrowUp: () => view.orbit(0, 5, 1), ArrowDown: () => view.orbit(0, -5, 1),
    "+": () => view.orbit(0, 0, 1.15), "=": () => view.orbit(0, 0, 1.15), "-": () => view.orbit(0, 0, 1 / 1.15),
    f: () => view.fit(), F: () => view.fit(), " ": () => player.toggle(), ",": () => player.step(-1), ".": () => player.step(1),
  };
  view.canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    keys[event.key]();
    event.preventDefault();
  });
}

/* What the address asks for. */
function applyAddress({ view, player, readout }) {
  const asked = new URLSearchParams(location.hash.slice(1)), number = (key, usual) => (asked.has(key) ? Number(asked.get(key)) : usual);
  if (asked.has("picture")) {
    document.getElementById("scene").closest("section").classList.add("keep");
    document.body.classList.add("picture");
    view.resize();
    view.fit();
  }
  if (asked.has("azimuth") || asked.has("elevation") || asked.has("zoom")) view.look(number("azimuth", -60), number("elevation", 22), number("zoom", 1));
  if (asked.has("colour") && document.querySelector(`#colour option[value="${CSS.escape(asked.get("colour"))}"]`)) {
    document.getElementById("colour").value = asked.get("colour");
    view.colourBy(asked.get("colour"));
  }
  if (asked.get("arrows") === "1") {
    document.getElementById("arrows").checked = true;
    view.showArrows(true);
  }
  if (asked.has("time")) player.seek(Math.max(view.movie.time[0], Math.min(view.movie.time[view.movie.nframe - 1], number("time", 0))));
  readout.update();
}

async function startPlayback(meta, bodies, meshes) {
  const movie = await readMovie(meta, (done, all) => setStatus(`Loading frame ${done} of ${all}`));
  showScene(meta, bodies, movie);
  if (movie.nvertex > 0) document.getElementById("colour").append(new Option("von Mises stress", "stress"));
  if (!hasPicture()) {
    setStatus("This browser cannot draw in three dimensions (WebGL 2); plots and tables work without it.");
    return null;
  }
  const view = new View(document.getElementById("canvas"), meta, bodies, meshes, movie);
  const readout = new Readout(view, bodies, movie), player = new Player(view, movie);
  const parts = { view, readout, player, bodies, movie };
  view.onFrame = () => readout.update();
  new ResizeObserver(() => view.resize()).observe(view.canvas.parentElement);
  bindControls(parts);
  bindPicking(parts);
  bindKeys(parts);
  setStatus("");
  return parts;
}

async function main() {
  const meta = JSON.parse(document.getElementById("icf-meta").textContent);
  showHead(meta);
  showSummary(meta);
  showTexts(meta);
  let parts = null;
  const seek = (time) => parts?.player.seek(time);
  const seekStep = (step) => seek(step * meta.stepSize);
  showFindings(meta, seekStep);
  const stats = await readStats(meta), plots = makePlots(stats, seek);
  const draw = () => plots.forEach((plot) => plot.draw());
  draw();
  new ResizeObserver(draw).observe(document.getElementById("plot-grid"));
  parts = await startPlayback(meta, await readBodies(meta), await readMeshes(meta));
  parts?.player.listeners.push((time) => plots.forEach((plot) => plot.setNow(time)));
  Object.assign(icfReport, { meta, stats, plots, parts });
  if (parts) applyAddress(parts);
  parts?.view.draw();
}

icfReport.ready = main().catch((error) => {
  icfReport.errors.push(String(error));
  setStatus(`This page could not be shown: ${error.message}`);
  throw error;
});
