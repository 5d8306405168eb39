/* SPDX-License-Identifier: MIT
   Blocks of this file -> texts and weights.  The script stands above the blocks: one of them is
   there when something follows it, or the page is whole. */
const texts = [];

async function unpack(letters) {
  const bytes = Uint8Array.from(atob(letters), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).arrayBuffer();
}

const isWhole = () => document.readyState !== 'loading';

function blockNow(id) {
  const e = document.getElementById(id);
  return e && (e.nextElementSibling || isWhole()) ? e : null;
}

/* The block's letters; null: the page is whole and has no such block. */
function block(id) {
  const now = blockNow(id);
  if (now || isWhole()) return Promise.resolve(now);
  return new Promise((resolve) => {
    const watch = new MutationObserver(() => look());
    const look = () => {
      const e = blockNow(id);
      if (!e && !isWhole()) return;
      watch.disconnect();
      resolve(e);
    };
    watch.observe(document.body, { childList: true });
    document.addEventListener('DOMContentLoaded', look, { once: true });
  });
}

/* Text i; null: there is none. */
async function readText(i) {
  if (texts[i]) return texts[i];
  const e = await block(`t${i}`);
  return e && (texts[i] = textOf(i, await unpack(e.textContent)));
}

/* What the JSON says, and what follows from it; its blocks are read when they are needed. */
function textOf(i, json) {
  const text = JSON.parse(new TextDecoder().decode(json));
  text.number = i;
  text.cross = text.keys !== undefined;
  text.keys ??= text.queries;
  text.nq = text.queries.labels.length;
  text.nk = text.keys.labels.length;
  text.metric = Object.fromEntries(text.metrics.map((m) => [m.name, m]));
  text.caption = Object.fromEntries(text.captions);
  const blockOf = Object.fromEntries(text.blocks.map((b, at) => [b.layer, at])),
    seen = {};
  text.heads = text.heads.map(([layer, head]) => {
    seen[layer] = (seen[layer] ?? -1) + 1;
    return { layer, head, name: `L${layer}H${head}`, block: blockOf[layer], at: seen[layer] };
  });
  text.layers = [...new Set(text.heads.map((h) => h.layer))];
  text.neuron = text.blocks.length > 0 && text.blocks.every((b) => b.vectors);
  text.vectors = [];
  text.vectorsOf = [];
  text.loaded = [];
  text.pending = [];
  return text;
}

/* A block of the text: 'w', weights, or 'v', queries and keys; of one that was computed in the page
   (live.js) it is there. */
async function blockOf(text, kind, b) {
  const made = text.made?.[kind + b];
  if (made) return made;
  const e = await block(`${kind}${text.number}-${b}`);
  if (!e) throw new Error('This file is cut short: a part of a text is missing.');
  const bytes = await unpack(e.textContent);
  e.remove();
  return bytes;
}

/* A layer's weights: {max [heads * queries], code [heads, queries, keys] or triangles of them} */
async function readBlock(text, b) {
  const bytes = await blockOf(text, 'w', b);
  const n = text.heads.filter((h) => h.block === b).length * text.nq;
  const Codes = text.bits === 8 ? Uint8Array : Uint16Array;
  const { triangle, seen } = text.blocks[b];
  const codes = triangle ? (n * (text.nq + 1)) / 2 : n * text.nk;
  text.loaded[b] = {
    max: new Float32Array(bytes, 0, n),
    code: new Codes(bytes, 4 * n, codes),
    triangle,
    seen: new Uint8Array(bytes, 4 * n + codes * Codes.BYTES_PER_ELEMENT),
    each: seen > 1,
  };
}

/* Whether query q of the head sees key k. */
function seesOf(text, id, q, k) {
  const { block: b, at } = text.heads[id],
    { seen, each, triangle } = text.loaded[b];
  if (!seen.length) return !triangle || k <= q;
  const row = Math.ceil(text.nk / 8);
  return ((seen[((each ? at * text.nq : 0) + q) * row + (k >> 3)] >> (k & 7)) & 1) === 1;
}

/* Queries and keys of a layer, and what its scores have beside their products. */
async function readVectors(text, b) {
  const bytes = await blockOf(text, 'v', b);
  const { group, scale, cap, parts } = text.blocks[b].vectors,
    groups = Math.max(...group) + 1;
  const { nq: T, nk: S, width: d } = text,
    H = group.length;
  let at = 0;
  const take = (Kind, n) => {
    const out = new Kind(bytes, at, n);
    at += n * Kind.BYTES_PER_ELEMENT;
    return out;
  };
  return {
    group,
    scale,
    cap,
    qmax: take(Float32Array, H * T),
    kmax: take(Float32Array, groups * S),
    parts: parts.map((name) => ({ name, value: take(Float32Array, H * T * S) })),
    q: take(Int16Array, H * T * d),
    k: take(Int16Array, groups * S * d),
  };
}
async function loadVectors(text, id) {
  const { block: b } = text.heads[id];
  text.vectorsOf[b] ??= readVectors(text, b);
  text.vectors[b] ??= await text.vectorsOf[b];
}

/* One query of a head taken apart: its q, and of each key that it sees k, q.k, the score and the
   weight.  The largest weight of a row is exact, so that the scores give the others; weights that
   are multiplied by norms are those of the page. */
function neuronOf(text, id, q) {
  const { block: b, at } = text.heads[id],
    v = text.vectors[b],
    { nq: T, nk: S, width: d } = text;
  const vector = (code, max, row) =>
    Float32Array.from(range(d), (c) => (code[row * d + c] / 32767) * max[row]);
  const query = vector(v.q, v.qmax, at * T + q),
    keys = [];
  for (let key = 0; key < S; key++) {
    if (!seesOf(text, id, q, key)) continue;
    const k = vector(v.k, v.kmax, v.group[at] * S + key),
      product = query.map((x, c) => x * k[c]);
    const dot = product.reduce((sum, x) => sum + x, 0),
      plain = dot * v.scale[at],
      cap = v.cap[at];
    const scaled = cap ? cap * Math.tanh(plain / cap) : plain,
      parts = v.parts.map(({ value }) => value[(at * T + q) * S + key]);
    keys.push({ key, k, product, dot, scaled, parts, score: parts.reduce((a, x) => a + x, scaled) });
  }
  const weights = new Float32Array(S),
    most = Math.max(...keys.map((key) => key.score));
  weightsOf(text, id, q, weights);
  const largest = Math.max(...weights);
  for (const key of keys)
    key.weight =
      text.weight === 'plain' ? largest * Math.exp(key.score - most) : weights[key.key];
  return { query, keys, scale: v.scale[at], cap: v.cap[at], parts: v.parts.map((p) => p.name) };
}
function loadBlock(text, b) {
  return text.loaded[b] ? null : (text.pending[b] ??= readBlock(text, b));
}
const loadHeads = (text, ids) =>
  Promise.all(
    text.of
      ? text.of.map((one) => loadHeads(one, ids))
      : [...new Set(ids.map((id) => text.heads[id].block))].map((b) => loadBlock(text, b)),
  );

const isLoaded = (text, id) =>
  text.of
    ? text.of.every((one) => isLoaded(one, id))
    : text.loaded[text.heads[id].block] !== undefined;

const square = {
  8: Float32Array.from(range(256), (c) => (c / 255) ** 2),
  16: Float32Array.from(range(65536), (c) => (c / 65535) ** 2),
};

/* Weights of query q over all keys of the text: out [nk] */
function weightsOf(text, id, q, out) {
  const { block: b, at } = text.heads[id],
    { max, code, triangle } = text.loaded[b];
  const T = text.nq,
    m = max[at * T + q],
    table = square[text.bits];
  const n = triangle ? q + 1 : text.nk;
  const start = triangle ? (at * T * (T + 1)) / 2 + (q * (q + 1)) / 2 : (at * T + q) * text.nk;
  for (let k = 0; k < n; k++) out[k] = m * table[code[start + k]];
  out.fill(0, n);
}
