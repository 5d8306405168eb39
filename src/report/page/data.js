/* Blocks of this file -> texts and weights.  The script stands above the blocks: one of them is
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
  if (!e) return null;
  const text = JSON.parse(new TextDecoder().decode(await unpack(e.textContent)));
  text.number = i;
  text.cross = text.keys !== undefined;
  text.keys ??= text.queries;
  text.nq = text.queries.labels.length;
  text.nk = text.keys.labels.length;
  text.causal = !text.cross && text.blocks.every((b) => b.triangle);
  text.metric = Object.fromEntries(text.metrics.map((m) => [m.name, m]));
  text.caption = Object.fromEntries(text.captions);
  const blockOf = Object.fromEntries(text.blocks.map((b, at) => [b.layer, at])),
    seen = {};
  text.heads = text.heads.map(([layer, head]) => {
    seen[layer] = (seen[layer] ?? -1) + 1;
    return { layer, head, name: `L${layer}H${head}`, block: blockOf[layer], at: seen[layer] };
  });
  text.layers = [...new Set(text.heads.map((h) => h.layer))];
  text.loaded = [];
  text.pending = [];
  return (texts[i] = text);
}

/* A layer's weights: {max [heads * queries], code [heads, queries, keys] or triangles of them} */
async function readBlock(text, b) {
  const e = await block(`w${text.number}-${b}`);
  if (!e) throw new Error('This file is cut short: weights are missing.');
  const bytes = await unpack(e.textContent);
  const n = text.heads.filter((h) => h.block === b).length * text.nq;
  const Codes = text.bits === 8 ? Uint8Array : Uint16Array;
  e.remove();
  text.loaded[b] = {
    max: new Float32Array(bytes, 0, n),
    code: new Codes(bytes, 4 * n),
    triangle: text.blocks[b].triangle,
  };
}
function loadBlock(text, b) {
  return text.loaded[b] ? null : (text.pending[b] ??= readBlock(text, b));
}
const loadHeads = (text, ids) =>
  Promise.all([...new Set(ids.map((id) => text.heads[id].block))].map((b) => loadBlock(text, b)));

const isLoaded = (text, id) => text.loaded[text.heads[id].block] !== undefined;

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
