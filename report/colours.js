/* Colours of bodies, and the scales that legends show. */

/* Eight colours that are told apart by those who see few of them. */
const apart = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#7a6fbf"];
const calm = ["#4c78a8", "#f2a154", "#6aa786", "#b56576", "#7cb5d4", "#c9b458", "#8f7fb8", "#d98880", "#5f9ea0", "#a3785c"];
const neutral = [0.62, 0.66, 0.71];

/* From dark blue over green to yellow; lightness grows all the way. */
const ramp = ["#352a6e", "#3b4f93", "#2f7096", "#2a9089", "#4fae70", "#96c455", "#ddd04e", "#fbe96a"];

function toRgb(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
}

/* 256 colours along a ramp, red green blue, in the linear numbers that lighting wants. */
function makeTable(stops) {
  const table = new Float32Array(3 * 256), colours = stops.map(toRgb);
  for (let i = 0; i < 256; ++i) {
    const x = i / 255 * (stops.length - 1), k = Math.min(Math.floor(x), stops.length - 2);
    for (let c = 0; c < 3; ++c) table[3 * i + c] = toLinear(colours[k][c] + (x - k) * (colours[k + 1][c] - colours[k][c]));
  }
  return table;
}

function toLinear(value) {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

const rampTable = makeTable(ramp);
const linearList = (list) => list.map((hex) => Float32Array.from(toRgb(hex), toLinear));
const apartLinear = linearList(apart), calmLinear = linearList(calm), neutralLinear = Float32Array.from(neutral, toLinear);

/* A number that scatters neighbouring ones. */
function scatter(i) {
  let x = Math.imul(i + 1, 0x9e3779b1);
  x ^= x >>> 15;
  x = Math.imul(x, 0x85ebca6b);
  return (x ^ (x >>> 13)) >>> 0;
}

/* Value below which a share of a sample of positive numbers lies; 0 when there is none. */
function quantile(values, share) {
  const stride = Math.max(1, Math.floor(values.length / 200000)), sample = [];
  for (let i = 0; i < values.length; i += stride) if (values[i] > 0) sample.push(values[i]);
  sample.sort((a, b) => a - b);
  return sample.length > 0 ? sample[Math.min(sample.length - 1, Math.floor(share * sample.length))] : 0;
}

/* A scale from values to 0..255: linear from 0, or logarithmic over three decades. */
class Scale {
  constructor(values, unit, logarithmic) {
    this.unit = unit;
    this.logarithmic = logarithmic;
    this.high = quantile(values, 0.99) || 1;
    this.low = logarithmic ? this.high / 1000 : 0;
  }

  index(value) {
    if (!(value > this.low)) return 0;
    const x = this.logarithmic ? Math.log(value / this.low) / Math.log(1000) : value / this.high;
    return Math.min(255, Math.round(255 * x));
  }

  /* value at a share of the ramp */
  at(share) {
    return this.logarithmic ? this.low * 1000 ** share : this.high * share;
  }
}

/* A number for reading: so many digits, thousands apart.  Making a format takes long, using one does not. */
const wholeFormat = new Intl.NumberFormat("en-US"), formats = new Map();
function format(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0"; // and not -0
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return wholeFormat.format(value).replace("-", "−");
  if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 1).replace(/\.?0*e\+?/, "e").replaceAll("-", "−");
  if (!formats.has(digits)) formats.set(digits, new Intl.NumberFormat("en-US", { maximumSignificantDigits: digits }));
  return formats.get(digits).format(value).replace("-", "−");
}

function withUnit(value, unit) {
  return unit ? `${format(value)} ${unit}` : format(value);
}
