/* The picture: places bodies at a moment between two frames, paints them, and looks at them through a camera. */

const deep = { light: { back: 0xe9edf2, ground: 0xdfe4ea, lines: 0xc2cad4, edges: 0x7a8696 }, dark: { back: 0x20272f, ground: 0x2b333d, lines: 0x414c59, edges: 0x93a1b1 } };

class View {
  constructor(canvas, meta, bodies, meshes, movie) {
    Object.assign(this, { canvas, meta, bodies, meshes, movie });
    this.mode = "body";
    this.moment = 0;
    this.chosen = -1;
    this.position = new Float32Array(3 * bodies.n);
    this.turn = new Float32Array(4 * bodies.n);
    this.there = new Uint8Array(bodies.n);
    this.colours = new Float32Array(3 * bodies.n);
    this.shadows = bodies.n <= 3000;
    this.theme = matchMedia("(prefers-color-scheme: dark)").matches ? deep.dark : deep.light;
    this.scales = {
      speed: new Scale(movie.nvertex > 0 ? movie.vertexSpeed.length > movie.speed.length ? movie.vertexSpeed : movie.speed : movie.speed, "m/s", false),
      force: new Scale(movie.force, "N", true),
      stress: new Scale(movie.stress, "Pa", true),
    };
    this.measure();
    this.build();
    this.resize();
    this.fit();
    this.show(0);
  }

  /* Box round what moves, over the run, without the few that are far away. */
  measure() {
    const { movie, bodies } = this, lists = [[], [], []];
    const add = (list, base, rows, q) => {
      for (const row of rows) for (let k = 0; k < 3; ++k) lists[k].push(q * list[base + 3 * row + k]);
    };
    let rows = [...Array(bodies.n).keys()].filter((row) => bodies.moves[row] && bodies.shape[row] !== "deformable");
    if (rows.length === 0 && movie.nvertex === 0) rows = [...Array(bodies.n).keys()].filter((row) => bodies.shape[row] !== "half_space");
    rows = rows.filter((_, i) => i % Math.ceil(rows.length / 2000) === 0);
    const vertices = [...Array(movie.nvertex).keys()].filter((i) => i % Math.ceil(movie.nvertex / 500) === 0);
    for (let f = 0; f < movie.nframe; f += Math.ceil(movie.nframe / 20)) {
      add(movie.position, 3 * f * bodies.n, rows.filter((row) => movie.has(row, f)), movie.quantum);
      add(movie.vertex, 3 * f * movie.nvertex, vertices, 1);
    }
    let size = 0;
    for (const row of rows) size += Math.max(bodies.size[3 * row], bodies.size[3 * row + 1], bodies.size[3 * row + 2]) / rows.length;
    const low = [], high = [];
    lists.forEach((list, k) => {
      list.sort((a, b) => a - b);
      low[k] = (list[Math.floor(0.02 * list.length)] || 0) - size;
      high[k] = (list[Math.ceil(0.98 * (list.length - 1))] || 0) + size;
    });
    this.includeFixed(low, high);
    this.centre = new THREE.Vector3(...low.map((x, k) => 0.5 * (x + high[k])));
    this.half = low.map((x, k) => 0.5 * (high[k] - x) || 0.5);
    this.radius = Math.hypot(...this.half);
    this.bodySize = size || 0.2 * this.radius;
  }

  /* Makes the box hold what stands near, such as the walls of a bin. */
  includeFixed(low, high) {
    const { bodies, movie } = this, reach = high.map((x, k) => x - low[k]), size = 1.5 * Math.hypot(...reach);
    for (let row = 0; row < bodies.n; ++row) {
      const half = [0, 1, 2].map((k) => bodies.size[3 * row + k]), at = [0, 1, 2].map((k) => movie.quantum * movie.position[3 * row + k]);
      if (bodies.moves[row] || !(half[0] > 0) || 2 * Math.hypot(...half) > size || at.some((x, k) => x + half[k] < low[k] - reach[k] || x - half[k] > high[k] + reach[k])) continue;
      at.forEach((x, k) => {
        low[k] = Math.min(low[k], x - half[k]);
        high[k] = Math.max(high[k], x + half[k]);
      });
    }
  }

  build() {
    const { canvas, theme } = this;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.shadowMap.enabled = this.shadows;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(theme.back);
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01 * this.radius, 100 * this.radius);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => { this.dirty = true; });
    this.light();
    this.addBodies();
    const planes = planeObjects(this.meta.planes, this.centre, 1.7 * this.radius, theme);
    this.gridSpacing = this.meta.planes.length > 0 ? planes.spacing : 0;
    this.planes = planes.objects;
    this.scene.add(...this.planes);
  }

  light() {
    const sun = new THREE.DirectionalLight(0xffffff, 2.2), r = 1.5 * this.radius;
    sun.position.copy(this.centre).add(new THREE.Vector3(0.9 * r, -1.3 * r, 2.2 * r));
    sun.target.position.copy(this.centre);
    sun.castShadow = this.shadows;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 6 * r });
    sun.shadow.bias = -0.0015;
    sun.shadow.normalBias = 0.003 * r;
    const sky = new THREE.HemisphereLight(0xffffff, 0x8d99a8, 1.5);
    sky.position.set(0, 0, 1);
    this.scene.add(sun, sun.target, sky);
  }

  addBodies() {
    const { bodies, meshes, movie } = this, groups = new Map();
    for (const shape of ["sphere", "box", "capsule"]) for (const moves of [1, 0]) groups.set(`${shape} ${moves}`, []);
    for (let row = 0; row < bodies.n; ++row) groups.get(`${bodies.shape[row]} ${bodies.moves[row]}`)?.push(row);
    for (const [key, rows] of groups) if (rows.length === 0) groups.delete(key);
    this.groups = [...groups].map(([key, rows]) => {
      const [shape, moves] = key.split(" ");
      return new ShapeGroup(shape, rows, bodies, moves === "1", this.shadows);
    });
    this.fixedGroups = this.groups.filter((group) => !bodies.moves[group.rows[0]]);
    this.rigid = meshes.rigid.body.length > 0 ? new SurfaceGroup(meshes.rigid, this.shadows) : null;
    this.soft = movie.nvertex > 0 ? new SurfaceGroup(meshes.soft, this.shadows) : null;
    this.fixedBoxes = [...Array(bodies.n).keys()].filter((row) => bodies.shape[row] === "box" && !bodies.moves[row]).slice(0, 200);
    this.edges = new Outlines(this.fixedBoxes.length, this.theme.edges, false);
    this.choice = new Outlines(1, 0xd0021b, true);
    this.arrows = new Arrows(movie.contacts.reduce((most, contacts) => Math.max(most, contacts.n), 0));
    this.strong = this.typicalForce();
    for (const group of this.groups) this.scene.add(group.mesh);
    for (const group of [this.rigid, this.soft]) if (group) this.scene.add(group.mesh);
    this.scene.add(this.edges.lines, this.choice.lines, this.arrows.mesh);
  }

  /* A force that few contacts are stronger than [N]. */
  typicalForce() {
    const sizes = [];
    for (const { n, force } of this.movie.contacts)
      for (let c = 0; c < n; c += Math.ceil(n / 300)) sizes.push(Math.hypot(force[3 * c], force[3 * c + 1], force[3 * c + 2]));
    return quantile(sizes, 0.9) || 1;
  }

  /* ---- camera ---- */

  /* Looks at the box round what moves from an azimuth and elevation [degrees], as near as it fits. */
  look(azimuth, elevation, zoom = 1) {
    const a = azimuth * Math.PI / 180, e = Math.max(-89.9, Math.min(89.9, elevation)) * Math.PI / 180;
    const back = new THREE.Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
    const right = new THREE.Vector3(-Math.sin(a), Math.cos(a), 0), up = new THREE.Vector3().crossVectors(back, right);
    const tall = Math.tan(this.camera.fov * Math.PI / 360), wide = tall * this.camera.aspect, corner = new THREE.Vector3();
    let distance = 0;
    for (let k = 0; k < 8; ++k) {
      corner.set(...this.half.map((half, axis) => (k >> axis & 1 ? half : -half)));
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall);
      distance = Math.max(distance, corner.dot(back) + 1.12 * across);
    }
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(back, distance / zoom);
    this.controls.update();
    this.dirty = true;
  }

  fit() {
    this.look(-60, 22);
  }

  /* Turns by angles [degrees] and zooms, for keys. */
  orbit(turn, tilt, zoom) {
    const arm = this.camera.position.clone().sub(this.controls.target), distance = arm.length();
    const azimuth = Math.atan2(arm.y, arm.x) + turn * Math.PI / 180;
    const elevation = Math.max(-1.55, Math.min(1.55, Math.asin(arm.z / distance) + tilt * Math.PI / 180));
    arm.set(Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation));
    this.camera.position.copy(this.controls.target).addScaledVector(arm, distance / zoom);
    this.controls.update();
    this.dirty = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  /* ---- a moment ---- */

  /* Places everything at a moment, counted in frames. */
  show(moment) {
    const last = this.movie.nframe - 1;
    this.moment = Math.max(0, Math.min(last, moment));
    const a = Math.floor(this.moment), b = Math.min(last, a + 1), share = this.moment - a;
    this.interpolate(a, b, share);
    for (const group of this.groups) group.place(this.position, this.turn, this.there);
    this.rigid?.placeRigid(this.position, this.turn, this.there);
    const stride = 3 * this.movie.nvertex;
    this.soft?.placeSoft(this.movie.vertex, a * stride, b * stride, share);
    if (this.frame !== this.nearest()) this.enterFrame();
    this.outline();
    this.dirty = true;
  }

  nearest() {
    return Math.round(this.moment);
  }

  interpolate(a, b, share) {
    const { nbody: n, quantum } = this.movie, from = this.movie.position, turns = this.movie.turn;
    const rest = 1 - share, position = this.position, turn = this.turn;
    for (let i = 0, p = 3 * a * n, q = 3 * b * n; i < 3 * n; ++i) position[i] = quantum * (rest * from[p + i] + share * from[q + i]);
    for (let i = 0, p = 4 * a * n, q = 4 * b * n; i < 4 * n; i += 4) {
      const w = rest * turns[p + i] + share * turns[q + i], x = rest * turns[p + i + 1] + share * turns[q + i + 1];
      const y = rest * turns[p + i + 2] + share * turns[q + i + 2], z = rest * turns[p + i + 3] + share * turns[q + i + 3];
      const scale = 1 / (Math.sqrt(w * w + x * x + y * y + z * z) || 1);
      turn[i] = w * scale;
      turn[i + 1] = x * scale;
      turn[i + 2] = y * scale;
      turn[i + 3] = z * scale;
    }
    for (let row = 0; row < n; ++row) this.there[row] = this.movie.has(row, this.nearest()) ? 1 : 0;
    if (a !== b) this.holdArrivals(a, b);
  }

  /* Who comes with frame b has its pose from there alone. */
  holdArrivals(a, b) {
    const { nbody: n, quantum, position, turn } = this.movie;
    for (let row = 0; row < n; ++row) {
      if (this.movie.has(row, a)) continue;
      for (let k = 0; k < 3; ++k) this.position[3 * row + k] = quantum * position[3 * (b * n + row) + k];
      for (let k = 0; k < 4; ++k) this.turn[4 * row + k] = turn[4 * (b * n + row) + k] / 32767;
    }
  }

  /* What does not change between frames: colours, arrows, outlines. */
  enterFrame() {
    const first = this.frame === undefined;
    this.frame = this.nearest();
    if (first || this.mode !== "body") this.paint();
    if (this.arrows.mesh.visible) this.placeArrows();
    if (this.onFrame) this.onFrame(this.frame);
  }

  outline() {
    const box = (row) => [this.position.subarray(3 * row, 3 * row + 3), this.turn.subarray(4 * row, 4 * row + 4), this.halfExtents(row)];
    if (this.fixedBoxes.length > 0) this.edges.place(this.fixedBoxes.map(box));
    this.choice.place(this.chosen >= 0 && this.there[this.chosen] ? [box(this.chosen)] : []);
  }

  /* Half extents of a body for outlines and picking; of surfaces from their points. */
  halfExtents(row) {
    const half = this.bodies.size.subarray(3 * row, 3 * row + 3);
    if (half[0] > 0) return half;
    this.extents = this.extents || new Map();
    if (this.bodies.shape[row] === "deformable" || !this.extents.has(row)) this.extents.set(row, this.surfaceExtents(row));
    return this.extents.get(row);
  }

  surfaceExtents(row) {
    const soft = this.bodies.shape[row] === "deformable", group = soft ? this.soft : this.rigid, half = [0, 0, 0];
    if (!group) return half;
    const points = soft ? group.position : group.surface.local;
    group.surface.body.forEach((body, v) => {
      if (body !== row) return;
      for (let k = 0; k < 3; ++k) half[k] = Math.max(half[k], Math.abs(points[3 * v + k] - (soft ? this.position[3 * row + k] : 0)));
    });
    return half;
  }

  /* ---- colours ---- */

  colourBy(mode) {
    this.mode = mode;
    this.paint();
    this.dirty = true;
  }

  /* A colour that does not follow from a scale: by body, rank or island. */
  colourOf(row, base) {
    const { movie, bodies, mode } = this;
    const rank = movie.rank[base + row];
    if (mode === "rank") return rank < 0 ? neutralLinear : apartLinear[rank % apart.length];
    if (!bodies.moves[row] || mode === "stress") return neutralLinear;
    const key = mode === "island" ? movie.island[base + row] : row;
    return mode === "island" && this.islandSize[key] === 1 ? neutralLinear : calmLinear[scatter(key) % calm.length];
  }

  paintBodies() {
    const { bodies, movie, colours, mode } = this, base = this.frame * bodies.n;
    if (mode === "speed" || mode === "force") return this.paintByScale(movie[mode], this.scales[mode], base);
    if (mode === "island") this.countIslands(base);
    for (let row = 0; row < bodies.n; ++row) colours.set(this.colourOf(row, base), 3 * row);
  }

  paintByScale(values, scale, base) {
    const { bodies, colours } = this, grey = neutralLinear;
    for (let row = 0, c = 0; row < bodies.n; ++row, c += 3) {
      const moves = bodies.moves[row], at = moves ? 3 * scale.index(values[base + row]) : 0, list = moves ? rampTable : grey;
      colours[c] = list[at];
      colours[c + 1] = list[at + 1];
      colours[c + 2] = list[at + 2];
    }
  }

  paint() {
    const body = this.rigid?.surface.body;
    this.paintBodies();
    for (const group of this.groups) group.paint(this.colours);
    this.rigid?.paint((v) => 3 * body[v], this.colours);
    this.paintSoft(this.movie);
  }

  paintSoft(movie) {
    if (!this.soft) return;
    const base = this.frame * movie.nvertex, body = this.soft.surface.body, { speed, stress } = this.scales;
    if (this.mode === "speed") this.soft.paint((v) => 3 * speed.index(movie.vertexSpeed[base + v]), rampTable);
    else if (this.mode === "stress") this.soft.paint((v) => 3 * stress.index(movie.stress[base + v]), rampTable);
    else this.soft.paint((v) => 3 * body[v], this.colours);
  }

  countIslands(base) {
    const { movie, bodies } = this, size = this.islandSize = new Int32Array(bodies.n);
    for (let row = 0; row < bodies.n; ++row) if (bodies.moves[row] && this.there[row]) ++size[movie.island[base + row]];
  }

  /* ---- parts ---- */

  showArrows(on) {
    this.arrows.mesh.visible = on;
    if (on) this.placeArrows();
    this.dirty = true;
  }

  placeArrows() {
    this.arrows.place(this.movie.contacts[this.frame], this.strong, this.arrowLength());
  }

  /* Length of an arrow of the typical force [m]. */
  arrowLength() {
    return Math.max(2.2 * this.bodySize, 0.06 * this.radius);
  }

  showFixed(on) {
    for (const group of this.fixedGroups) group.mesh.visible = on;
    for (const object of [...this.planes, this.edges.lines]) object.visible = on;
    this.dirty = true;
  }

  choose(row) {
    this.chosen = row;
    this.outline();
    this.dirty = true;
  }

  /* Row of the first moving body under a point of the canvas (0..1 from the left and the top); -1: none. */
  pick(x, y) {
    const far = new THREE.Vector3(2 * x - 1, 1 - 2 * y, 0.5).unproject(this.camera), origin = this.camera.position;
    const direction = far.sub(origin).normalize(), arm = new THREE.Vector3(), local = new THREE.Vector3(), rotation = new THREE.Quaternion();
    let best = Infinity, row = -1;
    for (let i = 0; i < this.bodies.n; ++i) {
      if (!this.there[i] || (!this.bodies.moves[i] && this.bodies.shape[i] !== "deformable")) continue;
      rotation.set(-this.turn[4 * i + 1], -this.turn[4 * i + 2], -this.turn[4 * i + 3], this.turn[4 * i]);
      arm.set(origin.x - this.position[3 * i], origin.y - this.position[3 * i + 1], origin.z - this.position[3 * i + 2]).applyQuaternion(rotation);
      local.copy(direction).applyQuaternion(rotation);
      const t = this.bodies.shape[i] === "sphere" ? hitSphere(arm, local, this.bodies.size[3 * i]) : hitBox(arm, local, this.halfExtents(i));
      if (t < best) [best, row] = [t, i];
    }
    return row;
  }

  /* Draws when something changed; gives whether it did. */
  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }
}

/* Distances along a ray to a sphere and a box about the origin; Infinity when they are missed. */
function hitSphere(origin, direction, radius) {
  const b = origin.dot(direction), root = b * b - origin.lengthSq() + radius * radius;
  return root >= 0 && -b - Math.sqrt(root) > 0 ? -b - Math.sqrt(root) : Infinity;
}

function hitBox(origin, direction, half) {
  let near = -Infinity, far = Infinity;
  ["x", "y", "z"].forEach((axis, k) => {
    const a = (-half[k] - origin[axis]) / direction[axis], b = (half[k] - origin[axis]) / direction[axis];
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  });
  return near <= far && near > 0 ? near : Infinity;
}
