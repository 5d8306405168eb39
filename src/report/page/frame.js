/* What stands around the views: bar, rail, tabs; and what follows from each change. */
const timing = {};
let map = null;

// ---- controls

function choose(label, key, options) {
  const list = element('select', { on: { change: () => { state[key] = typeof START[key] === 'number' ? +list.value : list.value; changed(key); } } },
    ...options.map(([value, name]) => element('option', { value: String(value), text: name })));
  list.value = String(state[key]);
  return element('label', { class: 'field' }, element('span', { text: label }), list);
}
function slide(label, key, [low, high, step], shown) {
  const out = element('output', { text: shown(state[key]) });
  const input = element('input', { type: 'range', min: String(low), max: String(high), step: String(step), on: { input: () => { state[key] = +input.value; out.textContent = shown(state[key]); changed(key); } } });
  input.value = String(state[key]);
  return element('label', { class: 'slider' }, element('span', { text: label }), input, out);
}
function tick(label, on, set, help) {
  const input = element('input', { type: 'checkbox', checked: on, on: { change: () => set(input.checked) } });
  return element('label', { class: 'tick', title: help }, input, label);
}
function swatch(slot) {
  const canvas = element('canvas', { class: 'swatch', 'aria-hidden': 'true' });
  new CanvasPen(canvas, 22, 10).curve(0, 5, 22, 5, colour(slot), 4, 1, dash(slot));
  return canvas;
}

// ---- the rail

function hide(which, on = !state.x.includes(which)) {
  state.x = [...'sf'].filter((c) => (c === which ? on : state.x.includes(c))).join('');
  changed('x');
}
function railOfTokens() {
  const words = text.queries.word || text.keys.word, two = text.queries.second && !text.cross;
  return [element('h2', { text: 'Tokens' }),
    words ? tick('Words in place of pieces', !!state.w, (on) => { state.w = on ? 1 : 0; changed('w'); }, 'a word is, as a key, the sum of its pieces and, as a query, their mean') : null,
    tick('Hide special tokens', state.x.includes('s'), (on) => hide('s', on)), tick('Hide the first token', state.x.includes('f'), (on) => hide('f', on)),
    tick('Rescale rows to 1 after that', !!state.n, (on) => { state.n = on ? 1 : 0; changed('n'); }),
    two ? choose('Between', 'b', [['all', 'all tokens'], ['AA', 'text A → A'], ['AB', 'text A → B'], ['BA', 'text B → A'], ['BB', 'text B → B']]) : null];
}
function rail() {
  const mapBox = element('div'), legend = element('div'), columns = rowsOfHeads()[0].ids.length;
  const types = text.types.some((t) => t !== null);
  find('.rail').replaceChildren(
    element('h2', {}, 'Heads', element('span', { class: 'chosen' }), element('button', { class: 'link', text: 'none', 'aria-label': 'Select no head', on: { click: () => select([]) } })),
    element('div', { class: 'pair' }, choose('Show', 'm', [...(types ? [['type', 'type']] : []), ...text.metrics.map((m) => [m.name, m.name])]),
      choose('Order', 'o', [['model', 'as in the model'], ['within', 'by value, in layers'], ['value', 'by value, all']])),
    mapBox, legend, element('p', { class: 'note', text: 'Click: on or off. Double click: alone. Shift: a block.' }), element('div', { class: 'about' }),
    element('details', { class: 'settings', open: innerWidth >= 760 }, element('summary', { text: 'Tokens and links' }), ...railOfTokens().filter((e) => e !== null),
      element('h2', { text: 'Links shown' }), slide('Share of row', 's', [5, 100, 1], (v) => `${v} %`), slide('At least', 'min', [0, 0.5, 0.01], (v) => (v ? short(v) : '0'))));
  map = new Grid(mapBox, { label: 'Map of heads', paint: paintHead, cell: () => clamp(Math.floor((innerWidth < 760 ? Math.min(innerWidth - 52, 420) : 258) / columns), 7, 30) });
  map.build();
  legend.replaceChildren(legendOfMap());
  describeHead(null);
  chips();
}
function chips() {
  const list = selected();
  find('.chosen').textContent = `${list.length} of ${text.heads.length}`;
  find('.chips').replaceChildren(...(!list.length ? [element('span', { class: 'note', text: 'No head is selected' })] : !few() ? [element('span', { class: 'note', text: `${list.length} heads in one colour: up to ${MOST_COLOURS} can be told apart` })]
    : list.map(({ id, slot }) => element('button', { class: 'chip', title: 'Turn off', on: { click: () => { pointAtHead(null); toggle(id); }, pointerenter: () => pointAtHead(id), pointerleave: () => pointAtHead(null) } },
      swatch(slot), text.heads[id].name, element('i', { text: typeOf(id) }), element('i', { text: '×', 'aria-hidden': 'true' }), element('span', { class: 'unseen', text: ': turn off' })))));
}

// ---- the view

function options() {
  const box = find('.options'), colours = [choose('Scale', 'f', [['linear', 'linear'], ['sqrt', 'square root'], ['log', 'log, 3 decades']]),
    tick('Clip at 99 %', clips(), (on) => { state.c = on ? 1 : 0; changed('c'); }, 'the 1 % strongest weights share one colour, so that a sink does not hide the rest')];
  const list = { links: [], matrix: [...colours, choose('Range', 'k', [['own', 'own of each head'], ['shared', 'one for all']])], model: colours, numbers: [] }[state.v];
  box.hidden = !list.length;
  box.replaceChildren(...list);
}
function foot() {
  const hidden = field.hidden ? `${count(field.hidden, state.w ? 'word' : 'token')} hidden${field.rescaled ? ', rows rescaled' : ''}` : '';
  const error = text.error < 0.00005 ? text.error.toExponential(0) : text.error.toFixed(4);
  find('.foot').textContent = [isEmpty() ? '' : views[state.v].note(), hidden, `weights have ${text.bits} bits, within ${error}${field.rescaled ? ' before rescaling' : ''}`].filter((s) => s).join(' · ');
}
const isEmpty = () => field.nq === 0 || field.nk === 0 || (!selected().length && (state.v === 'links' || state.v === 'matrix'));
function view() {
  for (const [v] of VIEWS) {
    const tab = find(`#tab-${v}`);
    tab.setAttribute('aria-selected', String(v === state.v));
    tab.setAttribute('tabindex', v === state.v ? 0 : -1);
  }
  const host = find('#view');
  host.setAttribute('aria-labelledby', `tab-${state.v}`);
  options();
  hover = null;
  if (isEmpty()) {
    host.onscroll = null;
    host.replaceChildren(element('p', { class: 'empty', text: field.nq && field.nk ? 'Select a head on the map.' : 'No token is left to show.' }));
  } else views[state.v].build(host);
  foot();
}
function show(v) {
  state.v = v;
  changed('v');
}

function makeField() {
  field = new Field(text, { words: !!state.w, hideSpecial: state.x.includes('s'), hideFirst: state.x.includes('f'), rescale: !!state.n, between: state.b });
}

/* The one place that knows what follows from a change. */
async function changed(what) {
  keepAddress();
  if (['w', 'x', 'n', 'b'].includes(what)) { makeField(); state.p = ''; }
  if (what === 'm' || what === 'o') { rail(); if (state.v === 'model') view(); return; }
  if (what === 'heads') {
    map.update();
    chips();
    await loadHeads(text, selected().map(({ id }) => id));
    if (state.v === 'model' || state.v === 'numbers') { views[state.v].refresh(); return; }
  }
  if (['s', 'min'].includes(what) && state.v !== 'links') return;
  const host = find('#view'), y = host.scrollTop;
  view();
  if (what !== 'v') host.scrollTop = y;
}

// ---- texts

async function openText(i, keep) {
  const old = text, next = await readText(i);
  if (!next) return;
  text = next;
  state.t = i;
  if (!text.metric[state.m] && !(state.m === 'type' && new Set(text.types).size > 1)) state.m = text.metric.entropy_norm ? 'entropy_norm' : text.metrics[0]?.name ?? 'type';
  if (!keep) state.p = '';
  if (!old || headsOfAddress !== null || old.heads.length !== text.heads.length) state.heads = readHeads();
  makeField();
  find('.bar select').value = String(i);
  find('.model').textContent = `${text.model}, ${count(text.layers.length, 'layer')}, ${count(text.heads.length, 'head')}, ${text.cross ? `${text.nq} × ${text.nk}` : text.nq} tokens`;
  await loadHeads(text, selected().map(({ id }) => id));
  rail();
  view();
  keepAddress();
  timing.ready ??= performance.now();
  setTimeout(() => loadRest(text));
}
async function loadRest(mine) {
  for (let b = 0; b < mine.blocks.length && mine === text; b++) await loadBlock(mine, b);
  if (mine !== text) return;
  if (state.v === 'model') modelView.fill();
  timing.all ??= performance.now();
}

/* Texts that follow the first are named once the page is whole. */
async function listTexts() {
  const list = find('.bar select');
  for (let i = 0; document.getElementById(`t${i}`) || texts[i]; i++) {
    const t = await readText(i), what = t.text || t.input || `ids ${i + 1}`;
    if (!list.children[i]) list.append(element('option', { value: String(i), text: what.length > 60 ? `${what.slice(0, 60)}…` : what }));
  }
  list.value = String(state.t);
  find('.texts').hidden = list.children.length < 2;
}
function step(by) {
  const n = Math.max(1, find('.bar select').children.length);
  openText((state.t + by + n) % n);
}

// ---- finding a token

let hits = [], hit = -1;
function search(what, next) {
  const word = what.trim().toLowerCase();
  hits = word ? ['q', 'k'].flatMap((side) => (side === 'k' && field.same ? [] : range(field.units(side).length).filter((u) => field.units(side)[u].label.toLowerCase().includes(word)).map((u) => ({ side, u })))) : [];
  hit = hits.length ? (next ? (hit + 1) % hits.length : 0) : -1;
  find('.hits').textContent = word ? `${hit + 1}/${hits.length}` : '';
  if (hit < 0) { state.p = ''; } else state.p = hits[hit].side + hits[hit].u;
  keepAddress();
  if (isEmpty()) return;
  if (hit >= 0) views[state.v].jump(hits[hit]);
  views[state.v].draw?.();
}

// ---- keys, ground, start

const HELP = [['click, Space', 'a head on or off'], ['double click, Enter', 'the head alone; again: its whole layer'], ['Shift + click, Shift + arrows', 'a block of heads'],
  ['Ctrl + A, Esc on the map', 'all heads, none'], ['point at a token', 'only its links, with their weights'], ['click a token, Space', 'keep it; again: let it go'],
  ['arrows', 'move over heads, tokens and cells; left and right change the side of tokens'], ['1 to 4', 'view'], ['/, Enter', 'find a token; the next one'],
  ['[ and ]', 'previous and next text'], ['w, x, f', 'words, hide special tokens, hide the first token'], ['?', 'this list']];

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input[type=search], select') || find('dialog').open) return;
  const number = '1234'.indexOf(event.key);
  const calls = { '/': () => find('.bar input').focus(), '?': () => find('dialog').showModal(), '[': () => step(-1), ']': () => step(1),
    w: () => { state.w = state.w ? 0 : 1; changed('w').then(rail); }, x: () => { hide('s'); rail(); }, f: () => { hide('f'); rail(); },
    Escape: () => { state.p = ''; keepAddress(); views[state.v].draw?.(); } };
  if (number >= 0) show(VIEWS[number][0]);
  else if (calls[event.key]) calls[event.key]();
  else return;
  event.preventDefault();
}

function theme() {
  root.dataset.theme = state.th || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  readInk();
  const button = find('.ground');
  if (button) button.textContent = ink.dark ? 'Light' : 'Dark';
}
function redraw() {
  thumbs.clear();
  rail();
  view();
}

function menu() {
  const items = [['Figure as SVG', saveSvg], ['Figure as PNG', savePng], ['Numbers as TSV', saveTsv], ['Copy the address', copyAddress], ['Print', () => print()]];
  const list = element('div', { hidden: true }, ...items.map(([name, call]) => element('button', { text: name, on: { click: () => { open(false); call(); } } })));
  const opener = element('button', { text: 'Save', 'aria-haspopup': 'true', 'aria-expanded': 'false', on: { click: () => open(list.hidden) } });
  const open = (on) => { list.hidden = !on; opener.setAttribute('aria-expanded', String(on)); if (on) list.firstChild.focus(); };
  const box = element('div', { class: 'menu' }, opener, list);
  box.addEventListener('keydown', (event) => {
    const at = [...list.children].indexOf(document.activeElement), move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') { open(false); opener.focus(); } else if (move && at >= 0) list.children[(at + move + list.children.length) % list.children.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  box.addEventListener('focusout', (event) => { if (!box.contains(event.relatedTarget)) open(false); });
  return box;
}
function bar() {
  const list = element('select', { 'aria-label': 'Text', on: { change: () => openText(+list.value) } });
  const input = element('input', { type: 'search', placeholder: 'Find a token', 'aria-label': 'Find a token', on: { input: () => search(input.value),
    keydown: (event) => { if (event.key === 'Enter') search(input.value, true); if (event.key === 'Escape') { input.value = ''; search(''); input.blur(); } } } });
  return element('header', { class: 'bar' }, element('h1', { text: 'Attention' }), element('span', { class: 'texts', hidden: true }, list), element('span', { class: 'model' }),
    element('span', { class: 'finder' }, input, element('span', { class: 'hits', role: 'status' })),
    element('div', { class: 'tools' }, menu(), element('button', { class: 'ground', 'aria-label': 'Light or dark ground', on: { click: () => { state.th = ink.dark ? 'light' : 'dark'; theme(); redraw(); keepAddress(); } } }),
      element('button', { text: '?', 'aria-label': 'Help: keys and pointer', on: { click: () => find('dialog').showModal() } })));
}
function tabs() {
  const box = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'View' }, ...VIEWS.map(([v, name]) => element('button', { role: 'tab', id: `tab-${v}`, 'aria-controls': 'view', text: name, on: { click: () => show(v) } })));
  box.addEventListener('keydown', (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key], at = VIEWS.findIndex(([v]) => v === state.v);
    if (!move) return;
    show(VIEWS[(at + move + VIEWS.length) % VIEWS.length][0]);
    find(`#tab-${state.v}`).focus();
    event.preventDefault();
  });
  return box;
}
function frame() {
  const help = element('dialog', { 'aria-label': 'Keys and pointer' }, element('h2', { text: 'Keys and pointer' }),
    element('table', {}, element('tbody', {}, ...HELP.map(([keys, what]) => element('tr', {}, element('td', { text: keys }), element('td', { text: what }))))),
    element('p', {}, element('button', { text: 'Close', on: { click: () => help.close() } })));
  document.body.prepend(
    element('div', { class: 'page' }, bar(), element('main', { class: 'main' }, element('aside', { class: 'rail', 'aria-label': 'Heads, and what is shown of them' }),
      element('section', { class: 'stage', 'aria-label': 'View' }, tabs(), element('div', { class: 'chips' }), element('div', { class: 'options' }),
        element('div', { class: 'view', id: 'view', role: 'tabpanel', tabindex: 0 }), element('div', { class: 'foot' })))),
    element('div', { class: 'unseen', id: 'say', role: 'status', 'aria-live': 'polite' }), help, element('div', { class: 'printed' }));
}
function listen() {
  let timer = 0;
  document.addEventListener('keydown', press);
  addEventListener('resize', () => { clearTimeout(timer); timer = setTimeout(redraw, 120); });
  addEventListener('hashchange', () => { if (location.hash !== toAddress()) { fromAddress(); theme(); openText(state.t, true); } });
  addEventListener('beforeprint', beforePrint);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { theme(); redraw(); });
}

async function start() {
  if (typeof DecompressionStream === 'undefined') throw new Error('This browser cannot unpack the weights: it has no DecompressionStream. Firefox 113, Chrome 103 and Safari 16.4 have it.');
  fromAddress();
  theme();
  frame();
  theme();
  if (!await readText(state.t)) state.t = 0;
  if (!await readText(0)) throw new Error('This file holds no text.');
  await openText(state.t, true);
  listen();
  if (isWhole()) listTexts(); else document.addEventListener('DOMContentLoaded', listTexts);
}
