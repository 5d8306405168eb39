/* SPDX-License-Identifier: MIT
   What is chosen, and the same in the address.  heads: slot -> head or undefined; a slot is a
   colour and a dash. */
const VIEWS = [
  ['links', 'Links'],
  ['matrix', 'Heatmap'],
  ['model', 'All heads'],
  ['trace', 'Token'],
  ['neuron', 'Neuron'],
  ['numbers', 'Numbers'],
  ['picture', 'Picture'],
];
/* Those that the text has. */
const offered = () => VIEWS.filter(([v]) => v !== 'picture' || text.picture).map(([v]) => v);
const START = {
  v: 'links',
  t: 0,
  m: 'type',
  o: 'model',
  s: 70,
  min: 0,
  w: 0,
  x: '',
  n: 0,
  b: 'all',
  f: 'linear',
  c: -1,
  k: 'own',
  th: '',
  d: '',
  y: -1,
  p: '',
  q: -1,
  nh: '',
  z: '',
  of: 'mean',
  sort: '',
};
const CHOICES = {
  v: VIEWS.map(([v]) => v),
  o: ['model', 'within', 'value'],
  b: Object.keys(BETWEEN),
  f: ['linear', 'sqrt', 'log'],
  k: ['own', 'shared'],
  of: ['mean', 'max', 'chosen'],
  th: ['', 'light', 'dark'],
  d: ['', 'side', 'diff'],
};
const RANGES = { t: [0, 1e9], s: [5, 100], min: [0, 0.5], w: [0, 1], n: [0, 1], c: [-1, 1], q: [-1, 1e9], y: [-1, 1e9] };
const state = { ...START, heads: [] };
let hover = null;

const selected = () =>
  state.heads.map((id, slot) => ({ id, slot })).filter((h) => h.id !== undefined);
const slotOf = (id) => state.heads.indexOf(id);
const ready = () => selected().filter(({ id }) => isLoaded(text, id));
const clips = () => (state.c < 0 ? field.nk > 100 : state.c === 1);
const typeOf = (id) => text.types[id] ?? '';

/* "q12": a token that stays chosen */
function pinned() {
  const m = /^([qk])(\d+)$/.exec(state.p);
  return m && +m[2] < field.units(m[1]).length ? { side: m[1], u: +m[2] } : null;
}

function toAddress() {
  const parts = Object.keys(START)
    .filter((key) => state[key] !== START[key])
    .map((key) => `${key}=${encodeURIComponent(state[key])}`);
  const heads = state.heads.map((id) =>
    id === undefined ? '' : `${text.heads[id].layer}.${text.heads[id].head}`,
  );
  return `#${[...parts, `h=${heads.join(',')}`].join('&')}`;
}
let addressTimer = 0;
function keepAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    try {
      history.replaceState(null, '', toAddress());
    } catch {
      /* a frame without an address */
    }
  }, 150);
}

/* A value of the address; what it cannot be is left as it was. */
function readChoice(key, value) {
  if (CHOICES[key]) {
    if (CHOICES[key].includes(value)) state[key] = value;
  } else if (RANGES[key]) {
    if (value !== '' && Number.isFinite(+value)) state[key] = clamp(+value, ...RANGES[key]);
  } else state[key] = value;
}
let headsOfAddress = null;
function fromAddress() {
  Object.assign(state, START);
  headsOfAddress = null;
  for (const part of location.hash.slice(1).split('&')) {
    const [key, raw] = part.split('=');
    let value = '';
    try {
      value = decodeURIComponent(raw ?? '');
    } catch {
      continue;
    }
    if (key === 'h') headsOfAddress = value;
    else if (Object.hasOwn(START, key)) readChoice(key, value);
  }
  state.t = Math.floor(state.t);
  state.y = Math.floor(state.y);
}

/* The heads that the address names, of the text that is open. */
function readHeads() {
  if (headsOfAddress === null) return telling();
  const heads = headsOfAddress.split(',').map((name) => {
    const id = text.heads.findIndex((h) => `${h.layer}.${h.head}` === name);
    return id < 0 ? undefined : id;
  });
  headsOfAddress = null;
  return heads.every((id) => id === undefined)
    ? []
    : heads.filter((id, i) => id === undefined || heads.indexOf(id) === i);
}

/* The first picture: the head that looks back most, one that follows words rather than places (an
   induction head where one is known), and the one that looks ahead most. */
function telling() {
  const of = (name, id) => text.metric[name]?.value[id] ?? 0,
    ids = range(text.heads.length);
  const best = (value, least) =>
    ids.filter((id) => value(id) >= least).sort((a, b) => value(b) - value(a) || a - b)[0];
  const mixed = (id) =>
    -Math.abs(of('entropy_norm', id) - 0.35) -
    2 * of('first', id) -
    2 * of('self', id) -
    of('prev', id) -
    of('next', id);
  const sharp = (id) => 2 - of('first', id) - of('entropy_norm', id);
  const chosen = [
    best((id) => of('prev', id), 0.4),
    best((id) => (typeOf(id) === 'induction' ? sharp(id) : -1), 0) ?? best(mixed, -Infinity),
    best((id) => of('next', id), 0.4),
  ];
  return [...new Set(chosen)].filter((id) => id !== undefined);
}

// ---- the selection

function select(heads) {
  state.heads = heads;
  while (state.heads.length && state.heads.at(-1) === undefined) state.heads.pop();
  changed('heads');
}
function withHeads(heads, ids) {
  const out = heads.slice();
  for (const id of ids) {
    if (out.includes(id)) continue;
    const free = out.findIndex((h) => h === undefined);
    if (free < 0) out.push(id);
    else out[free] = id;
  }
  return out;
}
const withoutHeads = (heads, ids) => heads.map((id) => (ids.includes(id) ? undefined : id));

let anchor = null;
function toggle(id) {
  anchor = id;
  select(slotOf(id) >= 0 ? withoutHeads(state.heads, [id]) : withHeads(state.heads, [id]));
}
/* All of these, or none where all are chosen. */
function toggleAll(ids) {
  select(
    ids.every((id) => slotOf(id) >= 0)
      ? withoutHeads(state.heads, ids)
      : withHeads(state.heads, ids),
  );
}
/* Alone; again: all of its layer. */
function isolate(id) {
  const alone = selected().length === 1 && slotOf(id) >= 0,
    { layer } = text.heads[id];
  anchor = id;
  select(alone ? range(text.heads.length).filter((i) => text.heads[i].layer === layer) : [id]);
}
