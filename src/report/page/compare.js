/* SPDX-License-Identifier: MIT
   Two texts beside each other, or their difference.  Views read `text`, `field` and `views`, which are
   those of the pane at hand: what a pane has made is called within it. */
let panes = [],
  pane = null,
  text,
  field,
  views;

function use(p) {
  pane = p;
  ({ text, field, views } = p);
}
function within(p, call) {
  if (!panes.includes(p) || p === pane) return call();
  const was = pane;
  use(p);
  try {
    return call();
  } finally {
    use(panes.includes(was) ? was : panes[0]);
  }
}
function bound(call) {
  const mine = pane;
  return (...args) => within(mine, () => call(...args));
}
const eachPane = (call) => panes.map((p, i) => within(p, () => call(p, i)));

/* ---- the difference ---- */

/* Pairs of units: by place where there are as many, else the longest run of labels in common. */
function pairsOf(a, b) {
  if (a.length === b.length) return a.map((_, i) => [i, i]);
  const width = b.length + 1,
    best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] =
        a[i].label === b[j].label
          ? best[(i + 1) * width + j + 1] + 1
          : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (a[i].label === b[j].label) pairs.push([i++, j++]);
    else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
    else j++;
  return pairs;
}

/* Weights of the first less those of the second, of the units that both have. */
class Difference extends Field {
  constructor(text, first, second, choice) {
    super(text, choice);
    const sides = ['queries', 'keys'].map((side) => pairsOf(first[side], second[side]));
    const unit = (side) => ([i, j]) => {
      const a = first[side][i],
        b = second[side][j];
      return a.label === b.label ? a : { ...a, label: `${a.label} / ${b.label}` };
    };
    Object.assign(this, {
      first,
      second,
      pairs: sides,
      queries: sides[0].map(unit('queries')),
      keys: sides[1].map(unit('keys')),
      nq: sides[0].length,
      nk: sides[1].length,
      plain: false,
      signed: true,
      unpaired: Math.max(first.nq, second.nq) - sides[0].length,
    });
  }
  row(id, q, out = new Float32Array(this.nk)) {
    const [queries, keys] = this.pairs,
      a = this.first.row(id, queries[q][0]),
      b = this.second.row(id, queries[q][1]);
    keys.forEach(([i, j], k) => (out[k] = a[i] - b[j]));
    return out;
  }
  seer(id) {
    const [queries, keys] = this.pairs,
      a = this.first.seer(id),
      b = this.second.seer(id);
    return (q0, q1, k0, k1) => {
      for (let q = q0; q < q1; q++)
        for (let k = k0; k < k1; k++) {
          const [i, j] = queries[q],
            [x, y] = keys[k];
          if (a(i, i + 1, x, x + 1) || b(j, j + 1, y, y + 1)) return true;
        }
      return false;
    };
  }
}

/* The heads of two texts, with the difference of each number. */
function textOfDifference(a, b) {
  const metrics = a.metrics
    .filter((m) => b.metric[m.name])
    .map((m) => ({
      ...m,
      value: m.value.map((v, id) => {
        const other = b.metric[m.name].value[id];
        return v === null || other === null ? null : v - other;
      }),
    }));
  return {
    ...a,
    of: [a, b],
    neuron: false,
    error: a.error + b.error,
    metrics,
    metric: Object.fromEntries(metrics.map((m) => [m.name, m])),
  };
}

/* ---- what is compared ---- */

const sameHeads = (a, b) =>
  a.heads.length === b.heads.length && a.heads.every((h, i) => h.name === b.heads[i].name);

const isDifference = () => state.d === 'diff' && state.v !== 'neuron';

/* What a pane is called: the model where there are two, by its path where they have one name; else
   the text. */
function nameOf(one) {
  const [a, b] = [texts[state.t], compared];
  if (a.model !== b.model) return one.model;
  return a.given !== b.given ? one.given : one.text || one.input || `ids ${one.number + 1}`;
}
let compared = null;

/* The text of state.y; null: none is compared, or it has other heads. */
async function readCompared(first) {
  const other = state.d === '' || state.y < 0 ? null : await readText(state.y);
  compared = other && other !== first && sameHeads(first, other) ? other : null;
  return compared;
}

/* The text that the program put beside this one: of the same number, of the other side. */
async function partnerOf(one) {
  if (one.side === undefined) return -1;
  for (let i = 0; ; i++) {
    const other = await readText(i);
    if (!other) return -1;
    if (other.side !== undefined && other.side !== one.side && other.index === one.index) return i;
  }
}

/* A text to compare with is needed to compare, and the reverse. */
function chooseCompared(what) {
  if (what === 'y') state.d = state.y < 0 ? '' : state.d || 'side';
  else if (state.d && state.y < 0) state.y = othersOf(texts[state.t])[0]?.number ?? -1;
}
const othersOf = (one) =>
  texts.filter((other) => other && other !== one && sameHeads(other, one));

function makePanes(first) {
  const choice = {
    words: !!state.w,
    hideSpecial: state.x.includes('s'),
    hideFirst: state.x.includes('f'),
    rescale: !!state.n,
    between: state.b,
  };
  const make = (one, of) => ({
    text: one,
    field: of,
    views: Object.fromEntries(Object.entries(VIEW_KINDS).map(([v, kind]) => [v, Object.create(kind)])),
  });
  const a = new Field(first, choice);
  if (!compared) panes = [make(first, a)];
  else {
    const b = new Field(compared, choice),
      both = textOfDifference(first, compared);
    panes = isDifference()
      ? [make(both, new Difference(both, a, b, choice))]
      : [make(first, a), make(compared, b)];
  }
  use(panes[0]);
}
