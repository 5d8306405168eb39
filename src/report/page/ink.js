/* SPDX-License-Identifier: MIT
   Colours.  Colour belongs to the selected heads alone: 8 of them times 3 dashes; beyond those
   nothing tells heads apart, and all are of one ink. */
const DASHES = [[], [7, 3], [2, 3]];
const MOST_COLOURS = 24;
const ink = {};

const few = () => selected().length <= MOST_COLOURS;
const colour = (slot) => (few() ? ink.tones[slot % 8] : ink.mark);
const dash = (slot) => (few() ? DASHES[Math.floor(slot / 8) % DASHES.length] : []);

/* The style's colours, which change with the ground. */
function readInk() {
  const style = getComputedStyle(root),
    body = getComputedStyle(document.body);
  for (const name of ['ground', 'ink', 'soft', 'line', 'edge', 'mark', 'faint', 'masked'])
    ink[name] = style.getPropertyValue(`--${name}`).trim();
  ink.tones = range(8).map((i) => style.getPropertyValue(`--tone${i}`).trim());
  ink.font = body.fontFamily;
  ink.dark = root.dataset.theme === 'dark';
  ink.ramp = ink.more = ink.less = null;
}

const RAMPS = {
  light: ['#fcfcfa', '#dfe6ef', '#a9c1de', '#6591c4', '#2f5f9e', '#163768', '#0a1836'],
  dark: ['#14161a', '#1d2a41', '#294b7c', '#3f78b8', '#73a9dc', '#b9daf2', '#fdfdf6'],
};
const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const pixel = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

/* 256 colours from ground to ink, as pixels of a canvas. */
function ramp() {
  if (ink.ramp) return ink.ramp;
  const stops = RAMPS[ink.dark ? 'dark' : 'light'].map(channels);
  ink.ramp = Uint32Array.from(range(256), (i) => {
    const x = (i / 255) * (stops.length - 1),
      from = Math.min(Math.floor(x), stops.length - 2),
      share = x - from;
    return pixel(
      range(3).map((c) => Math.round(stops[from][c] * (1 - share) + stops[from + 1][c] * share)),
    );
  });
  return ink.ramp;
}
/* The same from ground to the colour of a sign. */
function rampOfSign(negative) {
  const key = negative ? 'less' : 'more';
  if (ink[key]) return ink[key];
  const from = channels(ink.ground),
    to = channels(ink.tones[negative ? 5 : 0]);
  ink[key] = Uint32Array.from(range(256), (i) =>
    pixel(range(3).map((c) => Math.round(from[c] + ((to[c] - from[c]) * i) / 255))),
  );
  return ink[key];
}
/* Value -> pixel. */
function toneOf(tone) {
  if (!field.signed) {
    const table = ramp();
    return (v) => table[tone(v)];
  }
  const [more, less] = [rampOfSign(false), rampOfSign(true)];
  return (v) => (v < 0 ? less : more)[tone(Math.abs(v))];
}
const isDark = (p) => (p & 255) * 0.3 + ((p >> 8) & 255) * 0.59 + ((p >> 16) & 255) * 0.11 < 140;

/* Weight -> 0 to 255 of the ramp; top is the weight at its end. */
const TONES = {
  linear: (top) => (v) => clamp(Math.round((255 * v) / top), 0, 255),
  sqrt: (top) => (v) => clamp(Math.round(255 * Math.sqrt(v / top)), 0, 255),
  log: (top) => (v) =>
    clamp(Math.round(255 * (1 + Math.log10(Math.max(v, 1e-9) / top) / 3)), 0, 255),
};

/* The range of colours: to the largest weight, or where it is clipped to the quantile .99 of those
   above 0. */
function scaleOf(values) {
  let max = 0,
    n = 0;
  for (const v of values)
    if (v > 0 || v < 0) {
      n++;
      if (Math.abs(v) > max) max = Math.abs(v);
    }
  if (!clips() || max === 0) return { top: max, max, clipped: false };
  const bins = new Uint32Array(1025);
  for (const v of values)
    if (v > 0 || v < 0) bins[Math.floor(Math.sqrt(Math.abs(v) / max) * 1024)]++;
  let left = n * 0.01,
    b = 1024;
  while (b > 0 && left > bins[b]) left -= bins[b--];
  const top = max * Math.min(1, (b + 1) / 1024) ** 2;
  return top < max * 0.98 ? { top, max, clipped: true } : { top: max, max, clipped: false };
}

/* Values [h, w] -> a picture; NaN is masked. */
function paint(values, w, h, tone) {
  const canvas = element('canvas'),
    shade = toneOf(tone),
    masked = pixel(channels(ink.masked));
  canvas.width = w;
  canvas.height = h;
  const context = canvas.getContext('2d'),
    image = context.createImageData(w, h),
    out = new Uint32Array(image.data.buffer);
  for (let i = 0; i < values.length; i++)
    out[i] = values[i] === values[i] ? shade(values[i]) : masked;
  context.putImageData(image, 0, 0);
  return canvas;
}

/* a [nq, nk] -> [h, w]: as it is, or where it shrinks the strongest of each dot. */
function pool(a, nq, nk, w, h, sees) {
  const out = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    const q0 = Math.floor((y * nq) / h),
      q1 = Math.max(q0 + 1, Math.floor(((y + 1) * nq) / h));
    for (let x = 0; x < w; x++) {
      const k0 = Math.floor((x * nk) / w),
        k1 = Math.max(k0 + 1, Math.floor(((x + 1) * nk) / w));
      let best = 0;
      for (let q = q0; q < q1; q++)
        for (let i = q * nk + k0, end = q * nk + k1; i < end; i++)
          if (Math.abs(a[i]) > Math.abs(best)) best = a[i];
      out[y * w + x] = best === 0 && !sees(q0, q1, k0, k1) ? NaN : best;
    }
  }
  return out;
}

/* A type as a picture of its matrix, queries down and keys across, in a grid of 6 x 6: no font has
   to have it. */
const six = range(6);
const ICONS = [
  [/previous/, six.slice(0, 5).map((i) => [i, i + 1])],
  [/next/, six.slice(0, 5).map((i) => [i + 1, i])],
  [/self|duplicate/, six.map((i) => [i, i])],
  [/first|sink/, six.map((i) => [0, i])],
  [
    /separator|punctuation|end/,
    six.flatMap((i) => [
      [2, i],
      [5, i],
    ]),
  ],
  [
    /local|window/,
    six
      .flatMap((i) => [
        [i, i],
        [i - 1, i],
      ])
      .filter(([x]) => x >= 0),
  ],
  [
    /broad|diffuse|uniform/,
    [0, 2, 4].flatMap((i) => [
      [i + 0.5, 0.5],
      [i + 0.5, 2.5],
      [i + 0.5, 4.5],
    ]),
  ],
  [/induction/, six.slice(2).map((i) => [i - 2, i])],
  [
    /block/,
    [0, 1, 2].flatMap((i) =>
      [0, 1, 2].flatMap((j) => [
        [i, j],
        [i + 3, j + 3],
      ]),
    ),
  ],
];
const dotsOf = (type) => ICONS.find(([words]) => words.test(type))?.[1] ?? [[2.5, 2.5]];
function drawIcon(pen, type, x, y, side, fill) {
  const unit = side / 6;
  for (const [i, j] of dotsOf(type))
    pen.rect(x + i * unit, y + j * unit, unit + 0.15, unit + 0.15, fill);
}
