/* The run as the page holds it: parts of the document are decoded once, frames into typed arrays.
 * What the parts hold is described in io/report_data.h and io/report_movie.h. */
"use strict";

/* Bytes of a part of the page. */
async function readPart(id) {
  const element = document.getElementById(id);
  const text = atob(element.textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
  element.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/* Reads whole numbers of 7 bits a byte. */
class NumberReader {
  constructor(buffer) {
    this.bytes = new Uint8Array(buffer);
    this.at = 0;
  }

  count() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127, scale = 128;
    do {
      byte = bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    return value;
  }

  signed() {
    const folded = this.count();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }
}

/* Numbers with 10 bits behind the leading one, by their code. */
const floatBits = new Uint32Array(1);
const floatValue = new Float32Array(floatBits.buffer);
function decodeFloat(code) {
  floatBits[0] = Math.abs(code) * 8192;
  return code < 0 ? -floatValue[0] : floatValue[0];
}

/* What changes from frame to frame, one number a body or vertex. */
class Channel {
  constructor(n) {
    this.last = new Float64Array(n);
    this.before = new Float64Array(n);
  }

  /* last + difference, each given to put(i, value) */
  read(reader, put) {
    const last = this.last;
    for (let i = 0; i < last.length; ++i) put(i, last[i] += reader.signed());
  }

  /* a place that goes on as it did, + difference */
  readPlace(reader, put) {
    const last = this.last, before = this.before;
    for (let i = 0; i < last.length; ++i) {
      const value = 2 * last[i] - before[i] + reader.signed();
      before[i] = last[i];
      last[i] = value;
      put(i, value);
    }
  }
}

/* Arrays of all frames; frame k of n bodies begins at k n (times the numbers a body). */
class Movie {
  constructor(meta) {
    const frames = meta.frames.length, n = meta.bodies, v = meta.soft.vertices;
    this.nframe = frames;
    this.nbody = n;
    this.nvertex = v;
    this.quantum = meta.quantum;
    this.step = meta.frames.map((frame) => frame[0]);
    this.time = meta.frames.map((frame) => frame[1]);
    this.ncontact = meta.frames.map((frame) => frame[2]);
    this.position = new Int32Array(3 * n * frames);
    this.turn = new Int16Array(4 * n * frames);
    this.speed = new Float32Array(n * frames);
    this.force = new Float32Array(n * frames);
    this.island = new Int32Array(n * frames);
    this.rank = new Int32Array(n * frames); /* -1: the body is absent */
    this.vertex = new Float32Array(3 * v * frames);
    this.vertexSpeed = new Float32Array(v * frames);
    this.stress = new Float32Array(v * frames);
    this.contacts = [];
    this.channels = {
      position: [new Channel(n), new Channel(n), new Channel(n)],
      turn: [new Channel(n), new Channel(n), new Channel(n), new Channel(n)],
      speed: new Channel(n), force: new Channel(n), island: new Channel(n), rank: new Channel(n),
      vertex: [new Channel(v), new Channel(v), new Channel(v)], vertexSpeed: new Channel(v), stress: new Channel(v),
    };
  }

  readFrame(reader, k) {
    const channels = this.channels, n = this.nbody, v = this.nvertex;
    const base = k * n, vertexBase = k * v, quantum = this.quantum;
    channels.position.forEach((c, axis) => c.readPlace(reader, (i, x) => { this.position[3 * (base + i) + axis] = x; }));
    channels.turn.forEach((c, axis) => c.read(reader, (i, x) => { this.turn[4 * (base + i) + axis] = x; }));
    channels.speed.read(reader, (i, x) => { this.speed[base + i] = decodeFloat(x); });
    channels.force.read(reader, (i, x) => { this.force[base + i] = decodeFloat(x); });
    channels.island.read(reader, (i, x) => { this.island[base + i] = x; });
    channels.rank.read(reader, (i, x) => { this.rank[base + i] = x; });
    channels.vertex.forEach((c, axis) => c.readPlace(reader, (i, x) => { this.vertex[3 * (vertexBase + i) + axis] = x * quantum; }));
    channels.vertexSpeed.read(reader, (i, x) => { this.vertexSpeed[vertexBase + i] = decodeFloat(x); });
    channels.stress.read(reader, (i, x) => { this.stress[vertexBase + i] = decodeFloat(x); });
    this.contacts.push(this.readContacts(reader));
  }

  /* Whether a body is there in a frame. */
  has(row, frame) {
    return this.rank[frame * this.nbody + row] >= 0;
  }

  readContacts(reader) {
    const n = reader.count();
    const contacts = { n, first: new Int32Array(n), second: new Int32Array(n), point: new Float32Array(3 * n), force: new Float32Array(3 * n) };
    for (let c = 0, row = 0; c < n; ++c) contacts.first[c] = row += reader.signed();
    for (let c = 0; c < n; ++c) contacts.second[c] = contacts.first[c] + reader.signed();
    for (let axis = 0; axis < 3; ++axis)
      for (let c = 0, x = 0; c < n; ++c) contacts.point[3 * c + axis] = this.quantum * (x += reader.signed());
    for (let axis = 0; axis < 3; ++axis)
      for (let c = 0; c < n; ++c) contacts.force[3 * c + axis] = decodeFloat(reader.signed());
    return contacts;
  }
}

/* Lets the browser breathe. */
function nextTurn() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function readMovie(meta, progress) {
  const movie = new Movie(meta), reader = new NumberReader(await readPart("icf-frames"));
  let began = performance.now();
  for (let k = 0; k < movie.nframe; ++k) {
    movie.readFrame(reader, k);
    if (performance.now() - began < 40) continue;
    progress(k + 1, movie.nframe);
    await nextTurn();
    began = performance.now();
  }
  movie.channels = null;
  return movie;
}

/* Ids, half extents, masses, shapes of the bodies, and which of them the solver moves. */
async function readBodies(meta) {
  const buffer = await readPart("icf-bodies"), n = meta.bodies, id = new Float64Array(buffer, 0, n);
  return {
    n,
    id,
    size: new Float32Array(buffer, 8 * n, 3 * n),
    mass: new Float32Array(buffer, 20 * n, n),
    shape: Array.from(new Uint8Array(buffer, 24 * n, n), (type) => meta.shapes[type] || "other"),
    moves: new Uint8Array(buffer, 25 * n, n),
    name: (row) => meta.names[row] || `body${id[row]}`,
  };
}

/* Surfaces: of rigid bodies in their frames, of deformable ones by their vertices. */
async function readMeshes(meta) {
  const buffer = await readPart("icf-meshes");
  const { vertices, triangles } = meta.rigid, soft = meta.soft;
  let at = 0;
  const take = (type, n) => {
    const list = new type(buffer, at, n);
    at += 4 * n;
    return list;
  };
  return {
    rigid: { body: take(Int32Array, vertices), triangle: take(Int32Array, 3 * triangles), local: take(Float32Array, 3 * vertices) },
    soft: { body: take(Int32Array, soft.vertices), triangle: take(Int32Array, 3 * soft.triangles) },
  };
}

/* Columns of stats.csv by name. */
async function readStats(meta) {
  const buffer = await readPart("icf-stats"), stats = { lines: meta.lines, column: {} };
  meta.columns.forEach((name, c) => { stats.column[name] = new Float64Array(buffer, 8 * c * meta.lines, meta.lines); });
  return stats;
}
