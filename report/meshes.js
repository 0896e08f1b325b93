/* What is drawn: one instanced mesh a shape, and one mesh each for surfaces, arrows, planes and outlines, so that the
 * number of draw calls does not depend on the number of bodies. */

/* A unit sphere, or the two halves of a capsule; `side` says which half a point belongs to (0: sphere).  Octants differ a
 * little in brightness, so that one sees it roll. */
function roundGeometry(split, around) {
  const half = around / 4, rings = [];
  for (let ring = 0; ring <= 2 * half; ++ring) {
    const latitude = Math.PI * (ring / (2 * half) - 0.5);
    if (split && ring === half) rings.push([latitude, -1], [latitude, 1]);
    else rings.push([latitude, split ? Math.sign(ring - half) : 0]);
  }
  const position = [], side = [], colour = [], index = [];
  for (const [latitude, at] of rings)
    for (let k = 0; k <= around; ++k) {
      const longitude = 2 * Math.PI * k / around, c = Math.cos(latitude);
      position.push(c * Math.cos(longitude), c * Math.sin(longitude), Math.sin(latitude));
      side.push(at);
    }
  const row = around + 1;
  for (let ring = 0; ring + 1 < rings.length; ++ring)
    for (let k = 0; k < around; ++k) {
      const a = ring * row + k;
      index.push(a, a + 1, a + row + 1, a, a + row + 1, a + row);
    }
  for (let i = 0; i < position.length; i += 3) {
    const odd = (position[i] > 1e-6) !== (position[i + 1] > 1e-6) !== (position[i + 2] > 1e-6);
    const shade = odd ? 0.78 : 1;
    colour.push(shade, shade, shade);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(position), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(position), 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(colour), 3));
  geometry.setAttribute("side", new THREE.BufferAttribute(new Float32Array(side), 1));
  geometry.setIndex(index);
  return geometry;
}

function boxGeometry() {
  const geometry = new THREE.BoxGeometry(2, 2, 2), n = geometry.attributes.position.count;
  geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * n).fill(1), 3));
  return geometry;
}

/* A capsule's halves are moved apart by the length of its cylinder over its radius. */
function stretchAlong(material) {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute float side;\nattribute float stretch;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\ntransformed.z += side * stretch;");
  };
  material.customProgramCacheKey = () => "stretch";
  return material;
}

/* Instances of one shape: the rows of the bodies, and what scales them. */
class ShapeGroup {
  constructor(shape, rows, bodies, moves, shadows) {
    const around = bodies.n > 4000 ? 12 : bodies.n > 800 ? 16 : 28;
    const geometry = shape === "box" ? boxGeometry() : roundGeometry(shape === "capsule", around);
    const settings = moves ? { vertexColors: true } : { transparent: true, opacity: 0.14, depthWrite: false, side: THREE.DoubleSide };
    const material = new THREE.MeshLambertMaterial(settings);
    this.rows = rows;
    this.scale = new Float32Array(3 * rows.length);
    this.mesh = new THREE.InstancedMesh(geometry, material, rows.length);
    if (shape === "capsule") this.stretch(geometry, material, bodies);
    rows.forEach((row, i) => this.setScale(shape, i, bodies.size.subarray(3 * row, 3 * row + 3)));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = shadows && moves;
    this.mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * rows.length).fill(1), 3);
    this.mesh.renderOrder = moves ? 0 : 2;
  }

  setScale(shape, i, size) {
    for (let k = 0; k < 3; ++k) this.scale[3 * i + k] = shape === "box" ? size[k] : size[0];
  }

  stretch(geometry, material, bodies) {
    const stretch = new Float32Array(this.rows.length);
    this.rows.forEach((row, i) => { stretch[i] = bodies.size[3 * row] > 0 ? bodies.size[3 * row + 2] / bodies.size[3 * row] - 1 : 0; });
    geometry.setAttribute("stretch", new THREE.InstancedBufferAttribute(stretch, 1));
    stretchAlong(material);
    this.mesh.customDepthMaterial = stretchAlong(new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking }));
  }

  /* Matrices from poses: position (3) and orientation w x y z (4) a body; who is absent has no size. */
  place(position, turn, there) {
    const out = this.mesh.instanceMatrix.array, scale = this.scale, rows = this.rows;
    for (let i = 0; i < rows.length; ++i) {
      const row = rows[i], m = 16 * i;
      const w = turn[4 * row], x = turn[4 * row + 1], y = turn[4 * row + 2], z = turn[4 * row + 3];
      const size = there[row], sx = size * scale[3 * i], sy = size * scale[3 * i + 1], sz = size * scale[3 * i + 2];
      out[m] = (1 - 2 * (y * y + z * z)) * sx;
      out[m + 1] = 2 * (x * y + w * z) * sx;
      out[m + 2] = 2 * (x * z - w * y) * sx;
      out[m + 4] = 2 * (x * y - w * z) * sy;
      out[m + 5] = (1 - 2 * (x * x + z * z)) * sy;
      out[m + 6] = 2 * (y * z + w * x) * sy;
      out[m + 8] = 2 * (x * z + w * y) * sz;
      out[m + 9] = 2 * (y * z - w * x) * sz;
      out[m + 10] = (1 - 2 * (x * x + y * y)) * sz;
      out[m + 12] = position[3 * row];
      out[m + 13] = position[3 * row + 1];
      out[m + 14] = position[3 * row + 2];
      out[m + 15] = 1;
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  paint(colours) {
    const out = this.mesh.instanceColor.array, rows = this.rows;
    for (let i = 0; i < rows.length; ++i) for (let k = 0; k < 3; ++k) out[3 * i + k] = colours[3 * rows[i] + k];
    this.mesh.instanceColor.needsUpdate = true;
  }
}

/* Surfaces given by triangles: rigid ones (local points) and deformable ones, in one mesh each. */
class SurfaceGroup {
  constructor(surface, shadows) {
    const n = surface.body.length;
    this.surface = surface;
    this.position = new Float32Array(3 * n);
    this.colour = new Float32Array(3 * n).fill(0.6);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.position, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(this.colour, 3));
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(surface.triangle), 1));
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ vertexColors: true, flatShading: true, side: THREE.DoubleSide }));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = shadows;
  }

  placeRigid(position, turn, there) {
    const { body, local } = this.surface, out = this.position;
    for (let v = 0; v < body.length; ++v) {
      const p = 3 * body[v], q = 4 * body[v];
      const w = turn[q], x = turn[q + 1], y = turn[q + 2], z = turn[q + 3];
      const size = there[body[v]], a = size * local[3 * v], b = size * local[3 * v + 1], c = size * local[3 * v + 2];
      const tx = 2 * (y * c - z * b), ty = 2 * (z * a - x * c), tz = 2 * (x * b - y * a);
      out[3 * v] = position[p] + a + w * tx + y * tz - z * ty;
      out[3 * v + 1] = position[p + 1] + b + w * ty + z * tx - x * tz;
      out[3 * v + 2] = position[p + 2] + c + w * tz + x * ty - y * tx;
    }
    this.mesh.geometry.attributes.position.needsUpdate = true;
  }

  /* vertices between two frames, at offsets of one array */
  placeSoft(vertex, a, b, share) {
    const out = this.position;
    for (let i = 0; i < out.length; ++i) out[i] = vertex[a + i] + share * (vertex[b + i] - vertex[a + i]);
    this.mesh.geometry.attributes.position.needsUpdate = true;
  }

  /* colour of each vertex by colourOf(vertex) -> offset in a table */
  paint(colourOf, table) {
    const out = this.colour;
    for (let v = 0; v < this.surface.body.length; ++v) {
      const at = colourOf(v);
      for (let k = 0; k < 3; ++k) out[3 * v + k] = table[at + k];
    }
    this.mesh.geometry.attributes.color.needsUpdate = true;
  }
}

/* An arrow along +z of length 1 and half width 1. */
function arrowGeometry() {
  const sides = 8, position = [], index = [];
  const rings = [[0, 0], [0.45, 0], [0.45, 0.68], [1, 0.68], [0, 1]];
  for (const [radius, z] of rings)
    for (let k = 0; k < sides; ++k) {
      const angle = 2 * Math.PI * k / sides;
      position.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
    }
  for (let ring = 0; ring + 1 < rings.length; ++ring)
    for (let k = 0; k < sides; ++k) {
      const a = ring * sides + k, b = ring * sides + (k + 1) % sides;
      index.push(a, b, b + sides, a, b + sides, a + sides);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(position), 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

/* Contact forces as arrows at the contact points, drawn over the bodies. */
class Arrows {
  constructor(most) {
    const material = new THREE.MeshLambertMaterial({ color: 0xc81e3a, emissive: 0x5a0a16, depthTest: false, transparent: true, opacity: 0.9 });
    this.mesh = new THREE.InstancedMesh(arrowGeometry(), material, Math.max(1, most));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 5;
    this.mesh.visible = false;
    this.mesh.count = 0;
  }

  /* length [m] of an arrow of `strong` [N]; longer ones are cut at twice that */
  place(contacts, strong, length) {
    const out = this.mesh.instanceMatrix.array;
    const { n, point, force } = contacts;
    for (let c = 0; c < n; ++c) {
      const fx = force[3 * c], fy = force[3 * c + 1], fz = force[3 * c + 2], size = Math.hypot(fx, fy, fz) || 1;
      const l = length * Math.min(2, size / strong), width = 0.045 * length * Math.min(1, 0.35 + size / strong), m = 16 * c;
      const zx = fx / size, zy = fy / size, zz = fz / size;
      /* any direction across, from the smallest part */
      let xx = Math.abs(zx) < 0.6 ? 1 : 0, xy = 1 - xx, xz = 0;
      const dot = xx * zx + xy * zy;
      xx -= dot * zx; xy -= dot * zy; xz -= dot * zz;
      const norm = 1 / Math.hypot(xx, xy, xz);
      xx *= norm; xy *= norm; xz *= norm;
      out[m] = xx * width; out[m + 1] = xy * width; out[m + 2] = xz * width;
      out[m + 4] = (zy * xz - zz * xy) * width; out[m + 5] = (zz * xx - zx * xz) * width; out[m + 6] = (zx * xy - zy * xx) * width;
      out[m + 8] = zx * l; out[m + 9] = zy * l; out[m + 10] = zz * l;
      out[m + 12] = point[3 * c]; out[m + 13] = point[3 * c + 1]; out[m + 14] = point[3 * c + 2];
      out[m + 15] = 1;
    }
    this.mesh.count = n;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/* Two axes across a normal. */
function axesAcross(normal) {
  const helper = Math.abs(normal.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  const u = helper.addScaledVector(normal, -helper.dot(normal)).normalize();
  return [u, new THREE.Vector3().crossVectors(normal, u)];
}

/* Half-spaces as squares of lines, in one mesh and one set of lines; they lie under the centre of what moves. */
function planeObjects(planes, centre, reach, colours) {
  const corner = [], normals = [], index = [], line = [], power = 10 ** Math.floor(Math.log10(reach / 8));
  const spacing = power * [1, 2, 5, 10].find((m) => m * power >= reach / 8);
  for (const plane of planes) {
    const normal = new THREE.Vector3(...plane.normal), [u, v] = axesAcross(normal);
    const foot = centre.clone().addScaledVector(normal, plane.offset - normal.dot(centre));
    const at = (a, b) => foot.clone().addScaledVector(u, a).addScaledVector(v, b).toArray();
    const first = corner.length / 3, cells = Math.ceil(reach / spacing), edge = cells * spacing;
    corner.push(...at(-edge, -edge), ...at(edge, -edge), ...at(edge, edge), ...at(-edge, edge));
    for (let k = 0; k < 4; ++k) normals.push(...normal.toArray());
    index.push(first, first + 1, first + 2, first, first + 2, first + 3);
    for (let k = -cells; k <= cells; ++k) line.push(...at(k * spacing, -edge), ...at(k * spacing, edge), ...at(-edge, k * spacing), ...at(edge, k * spacing));
  }
  const geometry = new THREE.BufferGeometry(), lines = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(corner), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(index);
  lines.setAttribute("position", new THREE.BufferAttribute(new Float32Array(line), 3));
  const square = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color: colours.ground, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
  square.receiveShadow = true;
  return { objects: [square, new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: colours.lines }))], spacing };
}

/* Edges of a unit box. */
const boxEdges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

/* Outlines of boxes: of those that stand fixed, and of the one that is chosen. */
class Outlines {
  constructor(most, colour, overAll) {
    this.position = new Float32Array(3 * boxEdges.length * Math.max(1, most));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.position, 3));
    geometry.setDrawRange(0, 0);
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: colour, depthTest: !overAll }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = overAll ? 6 : 3;
  }

  /* list of [position (3), turn (4), half extents (3)] */
  place(boxes) {
    const corner = new THREE.Vector3(), rotation = new THREE.Quaternion();
    let n = 0;
    for (const [p, q, half] of boxes)
      for (const edge of boxEdges) {
        corner.set(edge & 4 ? half[0] : -half[0], edge & 2 ? half[1] : -half[1], edge & 1 ? half[2] : -half[2]);
        corner.applyQuaternion(rotation.set(q[1], q[2], q[3], q[0]));
        this.position[n++] = corner.x + p[0];
        this.position[n++] = corner.y + p[1];
        this.position[n++] = corner.z + p[2];
      }
    this.lines.geometry.setDrawRange(0, n / 3);
    this.lines.geometry.attributes.position.needsUpdate = true;
  }
}
