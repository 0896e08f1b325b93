// What a page must show: test_report.mjs BROWSER WORK (the runs and pages of test_report.sh).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "./browser.mjs";

const [program, work] = process.argv.slice(2);
const file = (name) => join(work, name);
const browser = new Browser(program);
let passed = 0, failed = 0;

async function test(name, body) {
  try {
    await body();
    console.log(`ok      ${name}`);
    ++passed;
  } catch (error) {
    console.log(`FAILED  ${name}\n${error.stack}`);
    ++failed;
  }
}

// Columns of stats.csv by name.
function readStats(run) {
  const [head, ...lines] = readFileSync(file(`${run}/stats.csv`), "utf8").trim().split("\n").map((line) => line.split(","));
  return Object.fromEntries(head.map((name, c) => [name, lines.map((line) => Number(line[c]))]));
}

const readTrace = (name) => readFileSync(file(name), "utf8").trim().split("\n").map((line) => JSON.parse(line));

// Differences between two pictures of the canvas, and colours of one, by drawing it into a small one.
const shrink = `(() => { const c = document.createElement("canvas"); c.width = 160; c.height = 100; const g = c.getContext("2d", { willReadFrequently: true });
  g.drawImage(icfReport.parts.view.canvas, 0, 0, 160, 100); return Array.from(g.getImageData(0, 0, 160, 100).data); })()`;

async function canvas(page) {
  await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  return page.run(shrink);
}

const coloursOf = (pixels) => new Set(pixels.map((_, i) => (i % 4 === 0 ? (pixels[i] >> 4) * 256 + (pixels[i + 1] >> 4) * 16 + (pixels[i + 2] >> 4) : -1))).size;
const changed = (a, b) => a.filter((value, i) => Math.abs(value - b[i]) > 12).length;
const text = (page, selector) => page.run(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const near = (value, right, bound, what) => assert.ok(Math.abs(value - right) <= bound, `${what}: ${value}, expected ${right} within ${bound}`);

async function choose(page, selector, value) {
  await page.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event("change", { bubbles: true })); })()`);
}

// ---- one page, wide ----

const page = await browser.open(file("one/report.html"), 1600, 1000);

await test("the picture is not blank", async () => {
  assert.ok(coloursOf(await canvas(page)) > 20);
});

await test("poses are those of the trace", async () => {
  const trace = readTrace("one.jsonl"), quantum = await page.run("icfReport.meta.quantum");
  assert.ok(quantum > 0 && quantum < 1e-4);
  const shown = await page.run(`(() => { const { movie, bodies } = icfReport.parts; return { step: movie.step, time: movie.time, ids: Array.from(bodies.id),
    name: Array.from(bodies.id, (_, row) => bodies.name(row)), position: Array.from(movie.position), turn: Array.from(movie.turn), speed: Array.from(movie.speed), n: bodies.n }; })()`);
  assert.equal(shown.step.length, trace.length + 1);
  let looked = 0;
  for (const line of trace) {
    const k = shown.step.indexOf(line.step);
    near(shown.time[k], line.time, 1e-12, "time");
    for (const body of line.bodies) {
      const row = shown.name.indexOf(body.name), i = k * shown.n + row;
      body.position.forEach((x, axis) => near(shown.position[3 * i + axis] * quantum, x, 0.51 * quantum, `position of ${body.name}`));
      const q = shown.turn.slice(4 * i, 4 * i + 4).map((x) => x / 32767), sign = Math.sign(q.reduce((sum, x, c) => sum + x * body.orientation[c], 0));
      body.orientation.forEach((x, c) => near(q[c] * sign, x, 2e-5, `orientation of ${body.name}`));
      const speed = Math.hypot(...body.linear_velocity);
      near(shown.speed[i], speed, 6e-4 * speed + quantum, `speed of ${body.name}`);
      ++looked;
    }
  }
  assert.equal(looked, 40 * trace.length);
});

await test("contact forces are those of the trace, and bodies that they hold together are an island", async () => {
  const trace = readTrace("one.jsonl"), step = 0.01;
  const shown = await page.run(`(() => { const { movie, bodies } = icfReport.parts; return { step: movie.step, ncontact: movie.ncontact, n: bodies.n,
    name: Array.from(bodies.id, (_, row) => bodies.name(row)), moves: Array.from(bodies.moves), force: Array.from(movie.force), island: Array.from(movie.island),
    contacts: movie.contacts.map((c) => ({ n: c.n, first: Array.from(c.first), second: Array.from(c.second), point: Array.from(c.point), force: Array.from(c.force) })) }; })()`);
  for (const line of trace) {
    const k = shown.step.indexOf(line.step), contacts = shown.contacts[k], sum = new Array(shown.n).fill(0);
    const group = shown.moves.map((_, row) => row), find = (row) => (group[row] === row ? row : find(group[row]));
    assert.equal(contacts.n, line.contacts.length);
    assert.equal(shown.ncontact[k], line.contacts.length);
    line.contacts.forEach((contact, c) => {
      const [first, second] = contact.bodies.map((name) => shown.name.indexOf(name)), force = contact.impulse.map((x) => x / step), size = Math.hypot(...force);
      assert.deepEqual([contacts.first[c], contacts.second[c]], [first, second]);
      contact.point.forEach((x, axis) => near(contacts.point[3 * c + axis], x, 3e-5, "point"));
      force.forEach((x, axis) => near(contacts.force[3 * c + axis], x, 1.1e-3 * size, "force"));
      for (const row of [first, second]) sum[row] += size;
      if (shown.moves[first] && shown.moves[second]) group[Math.max(find(first), find(second))] = Math.min(find(first), find(second));
    });
    for (let row = 0; row < shown.n; ++row) {
      near(shown.force[k * shown.n + row], sum[row], 6e-4 * sum[row], "force on a body");
      assert.equal(shown.island[k * shown.n + row], find(row));
    }
  }
});

await test("plots hold the numbers of stats.csv", async () => {
  const stats = readStats("one"), plots = await page.run("icfReport.plots.map((p) => ({ key: p.key, series: p.series.map((s) => ({ key: s.key, values: Array.from(s.values) })) }))");
  const keys = plots.map((plot) => plot.key);
  for (const key of ["contacts", "iterations", "energy", "penetration", "residual", "phases", "load", "memory"]) assert.ok(keys.includes(key), key);
  for (const { key, series } of plots)
    for (const { key: column, values } of series) {
      const right = column === "sum" ? stats.kinetic_energy.map((x, i) => x + stats.potential_energy[i]) : stats[column];
      assert.deepEqual(values, right, `${key}: ${column}`);
    }
  const phases = plots.find((plot) => plot.key === "phases").series.map((s) => s.key);
  assert.deepEqual(phases, Object.keys(stats).filter((name) => name.startsWith("ms_") && name !== "ms_total"));
});

// Place of a value on the axis of a plot, from two of its ticks.
const axis = (plot, kind, way) => `(() => { const t = Array.from(icfReport.plots.find((p) => p.key === "${plot}").svg.querySelectorAll(".tick-${kind}"), (e) =>
  [Number(e.dataset.value), Number(e.getAttribute("${way}"))]); return [t[0], t[t.length - 1]]; })()`;
const along = ([[a, at], [b, bt]], value) => at + (value - a) / (b - a) * (bt - at);

await test("lines and areas are drawn where their axes say", async () => {
  const stats = readStats("one");
  const points = (plot, k) => page.run(`icfReport.plots.find((p) => p.key === "${plot}").svg.querySelectorAll("path.series")[${k}].getAttribute("d").slice(1).replace("Z", "").split("L").map((p) => p.split(" ").map(Number))`);
  const zeros = await page.run(`Array.from(document.querySelectorAll(".tick-y")).filter((e) => Number(e.dataset.value) === 0).map((e) => e.textContent)`);
  assert.ok(zeros.length > 3 && zeros.every((zero) => zero === "0"), zeros.join(" "));
  const x = await page.run(axis("contacts", "x", "x")), y = await page.run(axis("contacts", "y", "y")), line = await points("contacts", 0);
  assert.equal(line.length, stats.time.length);
  line.forEach(([px, py], i) => {
    near(px, along(x, stats.time[i]), 0.02, "x");
    near(py + 4, along(y, stats.candidates[i]), 0.02, "y"); // a label stands 4 below its line
  });
  // the highest area of the stack, which is drawn first, is the sum of all phases
  const top = await points("phases", 0), scale = await page.run(axis("phases", "y", "y")), names = Object.keys(stats).filter((name) => name.startsWith("ms_") && name !== "ms_total");
  for (const i of [0, 37, 99]) near(top[i][1] + 4, along(scale, names.reduce((sum, name) => sum + stats[name][i], 0)), 0.02, "sum of the phases");
});

await test("a plot is read with the keyboard, and Enter takes the playback there", async () => {
  const stats = readStats("one");
  await page.focus(".plot svg");
  await page.press("Home");
  for (let k = 0; k < 3; ++k) await page.press("ArrowRight");
  assert.match(await text(page, ".plot .at"), /^At t = 0\.04 s, step 4$/);
  const numbers = await page.run(`Array.from(document.querySelectorAll(".plot")[0].querySelectorAll("li b"), (e) => e.textContent)`);
  assert.deepEqual(numbers, ["candidates", "active", "islands"].map((name) => String(stats[name][3])));
  await page.press("Enter");
  assert.match(await text(page, "#clock"), /^t = 0\.040? s/);
  await page.press("End");
  assert.match(await text(page, ".plot .at"), /step 100$/);
});

await test("a click in a plot takes the playback there", async () => {
  await page.click(".plot:nth-child(3) svg", 0.6);
  const [time, box] = [await page.run("icfReport.parts.player.time"), await page.run(`document.querySelector(".plot:nth-child(3) svg").getBoundingClientRect().width`)];
  near(time, 0.01 + 0.99 * (0.6 * box - 62) / (box - 74), 0.02, "time");
});

await test("the slider shows a frame", async () => {
  await page.focus("#slider");
  await page.press("Home");
  const first = await canvas(page);
  assert.equal(await text(page, "#clock"), "t = 0.000 s · step 0 · frame 1 of 21");
  for (let k = 0; k < 10; ++k) await page.press("ArrowRight");
  assert.equal(await text(page, "#clock"), "t = 0.500 s · step 50 · frame 11 of 21");
  assert.ok(changed(first, await canvas(page)) > 500);
  await page.click("#slider", 0.999);
  assert.match(await text(page, "#clock"), /frame 21 of 21$/);
});

await test("play, pause, and one frame back and forward", async () => {
  await page.press("Home");
  await page.click("#play");
  assert.equal(await text(page, "#play"), "Pause");
  await page.until("icfReport.parts.player.time > 0.1");
  await page.click("#play");
  const time = await page.run("icfReport.parts.player.time");
  await canvas(page);
  assert.equal(await page.run("icfReport.parts.player.time"), time);
  assert.equal(await text(page, "#play"), "Play");
  await page.run("icfReport.parts.player.seekFrame(5)");
  await page.click("#forward");
  assert.match(await text(page, "#clock"), /frame 7 of 21/);
  await page.click("#back");
  await page.click("#back");
  assert.match(await text(page, "#clock"), /frame 5 of 21/);
});

await test("playback keeps to the clock at every speed, and repeats", async () => {
  for (const speed of ["0.1", "1"]) {
    await choose(page, "#speed", speed);
    const covered = await page.run(`(() => { const p = icfReport.parts.player; p.seek(0.2); p.advance(0.15); return p.time - 0.2; })()`);
    near(covered, 0.15 * Number(speed), 1e-9, `speed ${speed}`);
  }
  assert.equal(await page.run("(() => { const p = icfReport.parts.player; p.seek(0.95); p.advance(0.2); return p.time; })()"), 0);
});

await test("between two frames bodies are between their places", async () => {
  const moved = await page.run(`(() => { const { view, movie, bodies } = icfReport.parts, n = bodies.n, row = 20, at = (k) => movie.position[3 * (k * n + row) + 2] * movie.quantum;
    view.show(2.25); return [view.position[3 * row + 2], 0.75 * at(2) + 0.25 * at(3), at(3) - at(2)]; })()`);
  near(moved[0], moved[1], 1e-6, "height");
  assert.ok(Math.abs(moved[2]) > 1e-3);
});

await test("colours and their legends, with numbers", async () => {
  await page.run("icfReport.parts.player.seekFrame(9)");
  let last = await canvas(page);
  for (const [mode, legend] of [["rank", /rank 0: 45 bodies/], ["island", /Now: \d+ islands, the largest of \d+ bodies/], ["speed", /Speed \[m\/s\].*≥.*Now: largest [\d.]+ m\/s/], ["force", /Contact force on a body \[N\], logarithmic.*Now: largest [\d,.]+ N/]]) {
    await choose(page, "#colour", mode);
    const now = await canvas(page);
    assert.ok(changed(last, now) > 300, mode);
    assert.match(await text(page, "#legend"), legend);
    last = now;
  }
  const line = readTrace("one.jsonl").find((l) => l.step === 45), largest = Math.max(...line.bodies.map((body) => Math.hypot(...body.linear_velocity)));
  await choose(page, "#colour", "speed");
  near(Number((await text(page, "#legend")).match(/largest ([\d.]+)/)[1]), largest, 6e-3 * largest, "largest speed");
});

await test("contact forces as arrows; fixed bodies come and go", async () => {
  const before = await canvas(page);
  await page.click("#arrows");
  const after = await canvas(page);
  assert.ok(changed(before, after) > 50);
  assert.equal(await page.run("icfReport.parts.view.arrows.mesh.count"), readTrace("one.jsonl").find((l) => l.step === 45).contacts.length);
  assert.match(await text(page, "#legend"), /Arrows: \d+ contact forces/);
  await page.click("#fixed");
  assert.ok(changed(after, await canvas(page)) > 500);
  await page.click("#fixed");
  assert.equal(changed(after, await canvas(page)), 0);
  await page.click("#arrows");
});

await test("an arrow lies at its point, along its force, with a length of its size", async () => {
  const [matrix, point, force, scale] = await page.run(`(() => { const v = icfReport.parts.view; v.showArrows(true); const c = icfReport.parts.movie.contacts[v.frame];
    return [Array.from(v.arrows.mesh.instanceMatrix.array.slice(0, 16 * c.n)), Array.from(c.point), Array.from(c.force), v.arrowLength() / v.strong]; })()`);
  for (let c = 0; c < point.length / 3; ++c) {
    const f = force.slice(3 * c, 3 * c + 3), length = scale * Math.min(Math.hypot(...f), 2 / scale * await page.run("icfReport.parts.view.arrowLength()"));
    for (let k = 0; k < 3; ++k) {
      near(matrix[16 * c + 12 + k], point[3 * c + k], 1e-6, "point");
      near(matrix[16 * c + 8 + k], length * f[k] / Math.hypot(...f), 1e-5, "arrow");
    }
    if (c === 5) break;
  }
});

await test("a click on a body, or its id, reads its values", async () => {
  await page.run("icfReport.parts.player.seekFrame(20); icfReport.parts.view.look(-60, 60)");
  await canvas(page);
  // the highest body of all is in sight
  const [row, x, y] = await page.run(`(() => { const { view, bodies } = icfReport.parts; let row = 0;
    for (let i = 0; i < bodies.n; ++i) if (bodies.moves[i] && (row === 0 || view.position[3 * i + 2] > view.position[3 * row + 2])) row = i;
    const p = view.centre.clone().set(...view.position.slice(3 * row, 3 * row + 3)).project(view.camera); return [row, (p.x + 1) / 2, (1 - p.y) / 2]; })()`);
  await page.click("#canvas", x, y);
  const name = await page.run(`icfReport.parts.bodies.name(${row})`), body = readTrace("one.jsonl").at(-1).bodies.find((b) => b.name === name);
  const shown = await text(page, "#readout");
  assert.ok(shown.startsWith(`${name} (id ${row}): `), shown);
  const place = shown.match(/at \((.*?)\) m/)[1].replaceAll("−", "-").split(", ").map((value) => Number(value.replace(/e/, "e")));
  body.position.forEach((value, k) => near(place[k], value, 5e-3 * Math.abs(value) + 3e-5, "place"));
  await page.run(`document.getElementById("body").focus(); document.getElementById("body").select()`);
  for (const digit of "7") await page.press(digit);
  assert.match(await text(page, "#readout"), /^body7 \(id 7\)/);
});

await test("keys on the picture turn, zoom, fit and play", async () => {
  await page.focus("#canvas");
  await page.press("f");
  const start = await canvas(page), place = () => page.run("icfReport.parts.view.camera.position.toArray()");
  for (const key of ["ArrowLeft", "ArrowUp", "+", "ArrowRight", "ArrowDown", "-"]) {
    const before = await place();
    await page.press(key);
    assert.notDeepEqual(await place(), before, key);
  }
  await page.press("f");
  assert.ok(changed(start, await canvas(page)) < 20);
  await page.press(" ");
  assert.equal(await text(page, "#play"), "Pause");
  await page.press(" ");
  assert.equal(await text(page, "#play"), "Play");
  await page.press(".");
});

await test("the mouse turns and the wheel zooms", async () => {
  const [x, y] = await page.placeOf("#canvas"), place = () => page.run("icfReport.parts.view.camera.position.toArray()"), before = await place();
  await page.mouse("mousePressed", x, y, "left", 1);
  await page.mouse("mouseMoved", x + 60, y + 10, "left", 1);
  await page.mouse("mouseReleased", x + 60, y + 10, "left");
  await canvas(page);
  const turned = await place();
  assert.notDeepEqual(turned, before);
  await page.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY: 240 });
  await page.until(`icfReport.parts.view.camera.position.toArray().some((value, k) => Math.abs(value - ${JSON.stringify(turned)}[k]) > 1e-6)`);
});

await test("Tab reaches every control, and each has a name", async () => {
  await page.run("document.activeElement.blur(); window.scrollTo(0, 0)");
  const reached = new Set();
  for (let k = 0; k < 60; ++k) {
    await page.press("Tab");
    reached.add(await page.run("document.activeElement.id || document.activeElement.tagName"));
  }
  for (const id of ["canvas", "back", "play", "forward", "slider", "speed", "colour", "arrows", "fixed", "loop", "fit", "top", "side", "body", "svg"]) assert.ok(reached.has(id), id);
  const { nodes } = await page.send("Accessibility.getFullAXTree", {});
  const roles = ["button", "slider", "combobox", "checkbox", "spinbutton", "image"], nameless = nodes.filter((node) => !node.ignored && roles.includes(node.role?.value) && !node.name?.value);
  assert.deepEqual(nameless.map((node) => node.role.value), []);
});

await test("series are told apart without colour", async () => {
  const marks = await page.run(`Array.from(document.querySelectorAll(".plot"), (plot) => Array.from(plot.querySelectorAll("path.series"), (path) => path.getAttribute("stroke-dasharray")))`);
  for (const list of marks.filter((list) => list[0] !== null)) assert.equal(new Set(list).size, list.length);
  const names = await page.run(`Array.from(document.querySelectorAll(".plot li"), (li) => li.textContent)`);
  assert.ok(names.every((name) => /[a-z].*[\d–]/.test(name)), names.join("; "));
});

await test("summary and scene", async () => {
  const summary = JSON.parse(readFileSync(file("one/summary.json"), "utf8")), shown = await text(page, "#summary");
  assert.ok(shown.includes(summary.checksum));
  assert.ok(shown.includes(`Steps${summary.steps}`));
  assert.match(await text(page, "#scene-table"), /clutter-40.*lagged.*0\.01 s.*23 moving, 4 fixed/s);
  assert.equal(await text(page, "#texts pre"), "machine: a test\n");
  assert.equal(await page.run(`document.querySelectorAll("#texts pre")[1].textContent`), readFileSync(file("clutter.yaml"), "utf8"));
});

await test("findings stand first", async () => {
  const order = await page.run(`Array.from(document.querySelectorAll("main > section"), (section) => section.id || section.getAttribute("aria-labelledby"))`);
  assert.equal(order[0], "findings");
  assert.match(await text(page, "#findings"), /Deep penetration: 0\.00671 m at step 16/);
  await page.click("#findings button");
  assert.match(await text(page, "#clock"), /^t = 0\.160 s/);
});

await test("nothing is wider than the window at 1600", async () => {
  assert.equal(await page.run("document.documentElement.scrollWidth"), 1600);
});

await test("a dark page for those who want one", async () => {
  await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  const back = await page.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)");
  assert.ok(Math.max(...back) < 60);
});

await test("no error, no warning, no request", async () => {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.run("icfReport.errors"), []);
});
await page.close();

// ---- the same, narrow ----

await test("at 400 pixels everything is there, and nothing is wider than the window", async () => {
  const narrow = await browser.open(file("one/report.html"), 400, 800, "", true);
  assert.equal(await narrow.run("document.documentElement.scrollWidth"), 400);
  const outside = await narrow.run(`Array.from(document.querySelectorAll("button, input, select, .plot svg, canvas, table, .finding"))
    .filter((e) => { const b = e.getBoundingClientRect(); return b.width < 8 || b.left < 0 || b.right > 400; }).map((e) => e.id || e.className || e.tagName)`);
  assert.deepEqual(outside, []);
  assert.ok(coloursOf(await canvas(narrow)) > 20);
  await narrow.click("#forward");
  assert.match(await text(narrow, "#clock"), /frame 2 of 21/);
  await narrow.click("#colour");
  const legend = await narrow.run(`(() => { const b = document.getElementById("legend").getBoundingClientRect(), c = document.getElementById("canvas").getBoundingClientRect(); return b.width * b.height / (c.width * c.height); })()`);
  assert.ok(legend < 0.35, `the legend covers ${legend} of the picture`);
  assert.deepEqual(narrow.complaints, []);
  await narrow.close();
});

await test("without WebGL plots and tables stay", async () => {
  const plain = await browser.open(file("one/report.html"), 800, 600, "", false, "HTMLCanvasElement.prototype.getContext = () => null;");
  assert.match(await text(plain, "#status"), /cannot draw in three dimensions \(WebGL 2\); plots and tables work without it/);
  assert.equal(await plain.run("document.querySelectorAll('.plot path.series').length > 10"), true);
  assert.match(await text(plain, "#scene-table"), /clutter-40/);
  assert.deepEqual(plain.complaints, []);
  await plain.close();
});

// ---- two ranks ----

await test("a run of two ranks shows the same motion, and its ranks", async () => {
  const places = "Array.from(icfReport.parts.movie.position)", pages = [];
  for (const run of ["one", "two"]) {
    const shown = await browser.open(file(`${run}/report.html`), 800, 600, "#colour=rank&time=0.5");
    pages.push([await shown.run(places), await text(shown, "#legend"), shown.complaints]);
    await shown.close();
  }
  assert.deepEqual(pages[0][0], pages[1][0]);
  const counts = [...pages[1][1].matchAll(/rank (\d): (\d+) bodies/g)].map((match) => Number(match[2]));
  assert.equal(counts.length, 2);
  assert.equal(counts[0] + counts[1], 45);
  assert.ok(Math.min(...counts) > 0);
  assert.deepEqual(pages[1][2], []);
});

// ---- emitters ----

await test("bodies are shown from the frame on that has them", async () => {
  const page = await browser.open(file("emitters/report.html"), 600, 400, "#colour=rank&time=0");
  // rows and sizes of what is drawn of moving bodies: the length of the first axis, 0 when there is nothing to see
  const drawn = "icfReport.parts.view.groups.filter((g) => icfReport.parts.bodies.moves[g.rows[0]]).flatMap((g) => g.rows.map((row, i) => [row, Math.hypot(...g.mesh.instanceMatrix.array.subarray(16 * i, 16 * i + 3))]))";
  const names = await page.run("Array.from(icfReport.parts.bodies.id, (_, row) => icfReport.parts.bodies.name(row))"), quantum = await page.run("icfReport.meta.quantum");
  const seen = async (time) => {
    await page.run(`icfReport.parts.player.seek(${time})`);
    return (await page.run(drawn)).filter(([, size]) => size > 0).map(([row]) => names[row]).sort();
  };
  const trace = readTrace("emitters.jsonl"), present = (line) => line.bodies.map((body) => body.name).sort();
  for (const line of trace) assert.deepEqual(await seen(line.time), present(line));
  const counts = trace.map((line) => line.bodies.length);
  assert.deepEqual([counts[0] < counts.at(-1), counts.at(-1)], [true, 61]);
  assert.equal((await seen(0)).length, 20); // the packing
  assert.match(await text(page, "#legend"), /rank 0: 25 bodies/);
  // between two frames who comes is seen from the middle on, where the second has it
  const k = trace.findIndex((line, i) => i > 0 && line.bodies.length > counts[i - 1]), [a, b] = [trace[k - 1], trace[k]];
  const comer = b.bodies.find((body) => !present(a).includes(body.name)), row = names.indexOf(comer.name);
  assert.ok(!(await seen(a.time + 0.4 * (b.time - a.time))).includes(comer.name));
  await page.run(`(() => { const b = document.getElementById("body"); b.value = icfReport.parts.bodies.id[${row}]; b.dispatchEvent(new Event("input")); })()`);
  assert.match(await text(page, "#readout"), /· not there in this frame$/);
  assert.ok((await seen(a.time + 0.6 * (b.time - a.time))).includes(comer.name));
  const place = await page.run(`Array.from(icfReport.parts.view.position.subarray(${3 * row}, ${3 * row + 3}))`);
  comer.position.forEach((x, axis) => near(place[axis], x, 0.6 * quantum, `position of ${comer.name}`));
  assert.match(await text(page, "#readout"), /contact forces/);
  for (const mode of ["body", "island", "speed", "force"]) await choose(page, "#colour", mode);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

// ---- all shapes ----

await test("every shape, a deformable body, and a name that looks like markup", async () => {
  const shapes = await browser.open(file("shapes/report.html"), 1000, 700, "#time=0.5");
  assert.equal(await text(shapes, "h1"), "shapes <b>&</b> </script>");
  assert.match(await text(shapes, "#scene-table"), /half-space1 fixed.*capsule1 moving, 1 fixed.*sphere1 moving.*box1 moving.*none1 fixed.*deformable1 moving/);
  const end = readTrace("shapes.jsonl").at(-1), quantum = await shapes.run("icfReport.meta.quantum");
  const surface = await shapes.run("Array.from(icfReport.parts.view.soft.position)"), right = end.deformables[0].vertices;
  assert.equal(surface.length / 3, 44); // 48 vertices, 4 of them inside
  for (let v = 0; v < surface.length; v += 3) assert.ok(right.some((p) => p.every((x, k) => Math.abs(x - surface[v + k]) < quantum)));
  // all triangles look outwards: the enclosed volume is positive, about that of the body
  const volume = await shapes.run(`(() => { const p = icfReport.parts.view.soft.position, t = icfReport.parts.view.meshes.soft.triangle; let sum = 0;
    for (let i = 0; i < t.length; i += 3) { const [a, b, c] = [t[i], t[i + 1], t[i + 2]].map((v) => p.slice(3 * v, 3 * v + 3));
      sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]); } return sum / 6; })()`);
  near(volume, 0.00225, 0.0004, "volume");
  await choose(shapes, "#colour", "stress");
  assert.match(await text(shapes, "#legend"), /Von Mises stress \[Pa\]/);
  for (const id of [2, 3, 4, 6]) {
    await shapes.run(`(() => { const b = document.getElementById("body"); b.value = ${id}; b.dispatchEvent(new Event("input")); })()`);
    assert.match(await text(shapes, "#readout"), new RegExp(`\\(id ${id}\\)`));
  }
  assert.deepEqual(shapes.complaints, []);
  await shapes.close();
});

await test("each shape is drawn as large as it is", async () => {
  const shapes = await browser.open(file("shapes/report.html"), 600, 400, "#time=0");
  // farthest point of each mesh from the body's centre, along its three axes, as the shader places it
  const reach = await shapes.run(`icfReport.parts.view.groups.map(({ mesh, rows }) => { const p = mesh.geometry.attributes, far = [0, 0, 0], m = mesh.instanceMatrix.array;
    for (let i = 0; i < p.position.count; ++i) { const z = p.position.getZ(i) + (p.stretch ? p.side.getX(i) * p.stretch.getX(0) : 0);
      [p.position.getX(i), p.position.getY(i), z].forEach((x, k) => { far[k] = Math.max(far[k], Math.abs(x) * Math.hypot(m[4 * k], m[4 * k + 1], m[4 * k + 2])); }); }
    return [icfReport.parts.bodies.name(rows[0]), far]; })`);
  const right = { "stone <1>": [0.05, 0.05, 0.05], brick: [0.1, 0.05, 0.03], pill: [0.04, 0.04, 0.1], post: [0.03, 0.03, 0.13] };
  assert.deepEqual(reach.map(([name]) => name).sort(), Object.keys(right).sort());
  for (const [name, far] of reach) far.forEach((x, k) => near(x, right[name][k], 0.002, name));
  await shapes.close();
});

// ---- fewer frames, pictures ----

await test("a smaller page leaves frames out evenly, and says so", async () => {
  const few = await browser.open(file("few.html"), 800, 600);
  const steps = await few.run("icfReport.parts.movie.step"), n = steps.length;
  assert.ok(n >= 2 && n < 21, `${n} frames`);
  assert.equal(steps[0], 0);
  assert.equal(steps[n - 1], 100);
  const gaps = steps.slice(1).map((step, k) => step - steps[k]);
  assert.ok(Math.max(...gaps) - Math.min(...gaps) <= 5, gaps.join(" "));
  assert.match(await text(few, "#findings"), new RegExp(`${n} of the 21 frames are shown`));
  assert.ok(readFileSync(file("few.html")).length <= readFileSync(file("one/report.html")).length - 25000);
  await few.close();
});

await test("--image writes what the page shows", async () => {
  const png = readFileSync(file("picture.png"));
  assert.deepEqual([...png.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10]);
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [640, 360]);
  const shown = await browser.open(file("picture.html"), 640, 360, "#picture=1&time=0.3&azimuth=30&elevation=20&zoom=1.2&colour=stress&arrows=1");
  await canvas(shown);
  const { data } = await shown.send("Page.captureScreenshot", { format: "png" });
  const difference = await shown.run(`(async () => { const lists = [];
    for (const data of ${JSON.stringify([png.toString("base64"), data])}) { const image = await createImageBitmap(await (await fetch("data:image/png;base64," + data)).blob());
      const c = new OffscreenCanvas(640, 360), g = c.getContext("2d"); g.drawImage(image, 0, 0); lists.push(g.getImageData(0, 0, 640, 360).data); }
    return lists[0].reduce((n, x, i) => n + (Math.abs(x - lists[1][i]) > 24), 0); })()`);
  assert.ok(difference < 500, `${difference} numbers differ`);
  assert.equal(await shown.run("icfReport.parts.player.time"), 0.3);
  await shown.close();
});

// ---- many bodies ----

await test("10,000 bodies: at most 20 draw calls, and 10 ms of script a frame", async () => {
  const many = await browser.open(file("pile/report.html"), 400, 300, "#arrows=1&colour=speed");
  const calls = await many.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(icfReport.parts.view.renderer.info.render.calls))))");
  assert.ok(calls > 3 && calls <= 20, `${calls} draw calls`);
  // processor time of the page's thread in scripts, whatever else the machine does
  await many.send("Performance.enable", { timeDomain: "threadTicks" });
  const script = async () => (await many.send("Performance.getMetrics")).metrics.find((metric) => metric.name === "ScriptDuration").value;
  await choose(many, "#speed", "0.05");
  // scripts are compiled while they run: what is measured is the playback that goes on, not its first moments
  await many.run("for (let k = 0; k < 200; ++k) { icfReport.parts.player.advance(0.02); icfReport.parts.view.paint(); }");
  await many.click("#play");
  const costs = [];
  for (let k = 0; k < 3; ++k) {
    const drawn = "icfReport.parts.view.renderer.info.render.frame", first = await many.run(drawn), before = await script();
    await many.until(`${drawn} >= ${first + 4}`, 120);
    costs.push(1000 * (await script() - before) / (await many.run(drawn) - first));
  }
  console.log(`        ${calls} draw calls; ${costs.map((cost) => cost.toFixed(2)).join(", ")} ms of script a frame`);
  assert.ok(Math.min(...costs) > 0.05, "no script was measured");
  assert.ok(Math.min(...costs) <= 10, `${costs} ms`);
  assert.deepEqual(many.complaints, []);
  await many.close();
});

await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
