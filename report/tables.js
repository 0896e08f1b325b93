/* Findings, summary and scene as text. */

function showFindings(meta, seekStep) {
  const section = document.getElementById("findings");
  const warnings = meta.findings.filter((finding) => finding.level === "warning").length;
  if (warnings === 0) section.append(finding("good", "Good", "No step failed or had to be done again, nothing penetrates deeply, the load is balanced."));
  for (const { level, text, step } of meta.findings) {
    const line = finding(level, level === "warning" ? "Warning" : "Note", text);
    if (step !== undefined) {
      const button = element("button", { type: "button" }, "Show");
      button.setAttribute("aria-label", `Show step ${step}`);
      button.addEventListener("click", () => seekStep(step));
      line.append(button);
    }
    section.append(line);
  }
}

function finding(kind, word, text) {
  return element("div", { class: `finding ${kind}` }, element("b", {}, word), element("p", {}, text));
}

/* Key, words for it, unit. */
const summaryRows = [
  ["status", "Status"], ["steps", "Steps"], ["time", "Simulated time", "s"], ["wall_s", "Wall time", "s"], ["ranks", "Ranks"], ["threads", "Threads a rank"],
  ["ms_total", "Wall time a step", "ms"], ["cpu_ms", "CPU time a step", "ms"], ["iterations_mean", "Newton iterations, mean"],
  ["iterations_max", "Newton iterations, largest"], ["contacts_mean", "Contacts, mean"], ["contacts_max", "Contacts, most"], ["islands_mean", "Islands, mean"],
  ["islands_max", "Islands, most"], ["factorizations", "Factorisations"], ["redone", "Steps done again in substeps"], ["roundoff", "Islands stopped at round-off"],
  ["penetration_max", "Largest penetration", "m"], ["momentum_residual", "Largest momentum error, relative"], ["kinetic_energy", "Kinetic energy at the end", "J"],
  ["potential_energy", "Potential energy at the end", "J"], ["cpu_max", "CPU time a step, busiest rank", "ms"], ["cpu_mean", "CPU time a step, mean of ranks", "ms"],
  ["messages", "Messages between ranks"], ["bytes", "Bytes between ranks"], ["peak_memory_mb", "Peak memory of the largest rank", "MB"], ["checksum", "Checksum of the last state"],
];

function fillTable(id, rows) {
  const body = document.querySelector(`#${id} tbody`);
  for (const [name, value] of rows) body.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)));
}

function showSummary(meta) {
  const summary = meta.summary;
  if (!summary) return fillTable("summary", [["Status", "there is no summary.json: the run goes on, or was killed"]]);
  fillTable("summary", summaryRows.filter(([key]) => summary[key] !== undefined)
    .map(([key, name, unit]) => [name, typeof summary[key] === "string" ? summary[key] : withUnit(summary[key], unit)]));
}

/* "20 spheres (fixed: 1)" a shape */
function countShapes(bodies) {
  const count = new Map();
  bodies.shape.forEach((shape, row) => {
    const entry = count.get(shape) || [0, 0];
    ++entry[bodies.moves[row] ? 0 : 1];
    count.set(shape, entry);
  });
  return [...count].map(([shape, [moving, fixed]]) => [`Shape: ${shape.replace("_", "-")}`, [moving && `${format(moving)} moving`, fixed && `${format(fixed)} fixed or driven`].filter(Boolean).join(", ")]);
}

function showScene(meta, bodies, movie) {
  const mass = bodies.mass.reduce((sum, m, row) => sum + (bodies.moves[row] ? m : 0), 0), last = meta.frames[meta.frames.length - 1];
  fillTable("scene-table", [
    ["Name", meta.scene], ["Contact model", meta.model], ["Time step", withUnit(meta.stepSize, "s")], ["Bodies", format(meta.bodies)], ...countShapes(bodies),
    ["Mass that moves", withUnit(mass, "kg")],
    ...(movie.nvertex > 0 ? [["Surface vertices of deformable bodies", format(movie.nvertex)], ["Surface triangles of deformable bodies", format(meta.soft.triangles)]] : []),
    ["Frames shown", `${format(meta.frames.length)} of ${format(meta.framesInRun)}, t = ${format(meta.frames[0][1])} to ${format(last[1])} s`],
    ["Accuracy of places here", withUnit(meta.quantum, "m")],
  ]);
}

function showTexts(meta) {
  const texts = document.getElementById("texts");
  if (meta.job) texts.append(element("details", {}, element("summary", {}, "Job (job.txt)"), element("pre", { tabindex: 0 }, meta.job)));
  if (meta.sceneText) texts.append(element("details", {}, element("summary", {}, "Scene file"), element("pre", { tabindex: 0 }, meta.sceneText)));
}

function showHead(meta) {
  document.title = `${meta.scene} – icf report`;
  document.getElementById("title").textContent = meta.scene;
  const facts = [["bodies", format(meta.bodies)], ["model", meta.model], ["step", withUnit(meta.stepSize, "s")]];
  if (meta.summary) facts.push(["simulated", withUnit(meta.summary.time, "s")], ["wall time", withUnit(meta.summary.wall_s, "s")],
    ["on", `${format(meta.summary.ranks)} × ${format(meta.summary.threads)} ranks × threads`]);
  const list = document.getElementById("facts");
  for (const [name, value] of facts) list.append(element("li", {}, `${name} `, element("b", {}, value)));
  document.getElementById("footer").textContent = `Written by icf ${meta.program}. Pictures by three.js (MIT licence). SI units.`;
}
