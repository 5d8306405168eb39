/* SPDX-License-Identifier: MIT
   What follows from each change: the view, its options and its foot; texts. */
const timing = {};

// ---- the view

function options() {
  const box = find('.options');
  const colours = () => [
    choose('Scale', 'f', [
      ['linear', 'linear'],
      ['sqrt', 'square root'],
      ['log', 'log, 3 decades'],
    ]),
    tick(
      'Clip at 99 %',
      clips(),
      (on) => {
        state.c = on ? 1 : 0;
        changed('c');
      },
      'the 1 % strongest weights share one colour, so that a sink does not hide the rest',
    ),
  ];
  const range = () =>
    choose('Range', 'k', [
      ['own', 'own of each head'],
      ['shared', 'one for all'],
    ]);
  /* Made for the view that is open: the others may have nothing to choose from in this text. */
  const list = {
    links: () => [],
    matrix: () => [...colours(), range(), zoomButtons()],
    picture: () => [views.picture.chooseQuery(), ...colours(), range()],
    model: colours,
    trace: () => (isEmpty() ? [] : [...views.trace.options(), ...colours()]),
    neuron: () => (selected().length && text.neuron ? views.neuron.options() : []),
    numbers: () => [],
  }[state.v]();
  box.hidden = !list.length;
  box.replaceChildren(...list);
}
function foot() {
  const unpaired = field.unpaired
    ? `${count(field.unpaired, 'token')} without a counterpart left out`
    : '';
  const hidden = field.hidden
    ? `${count(field.hidden, state.w ? 'word' : 'token')} hidden${field.rescaled ? ', rows rescaled' : ''}`
    : '';
  const taken = text.metric.null_mass?.value,
    mean = taken ? `, on average ${short(taken.reduce((sum, v) => sum + v, 0) / taken.length)}` : '';
  const sink = text.sink ? `rows sum to less than 1: a sink that is not a key takes the rest${mean}` : '';
  const error = text.error < 0.00005 ? text.error.toExponential(0) : text.error.toFixed(4);
  find('.foot').textContent = [
    isEmpty() ? '' : views[state.v].note(),
    hidden,
    sink,
    field.signed ? `${nameOf(texts[state.t])} less ${nameOf(compared)}: a dashed line, a minus where it is less` : '',
    unpaired,
    `weights have ${text.bits} bits, within ${error}${field.rescaled ? ' before rescaling' : ''}`,
  ]
    .filter((s) => s)
    .join(' · ');
}
const NEED_HEADS = new Set(['links', 'matrix', 'picture', 'neuron']);
const isEmpty = () =>
  field.nq === 0 ||
  field.nk === 0 ||
  (!selected().length && (NEED_HEADS.has(state.v) || (state.v === 'trace' && state.of === 'chosen')));
function view() {
  for (const [v] of VIEWS) {
    const tab = find(`#tab-${v}`);
    tab.setAttribute('aria-selected', String(v === state.v));
    tab.setAttribute('tabindex', v === state.v ? 0 : -1);
    tab.hidden = !offered().includes(v);
  }
  const host = find('#view');
  host.setAttribute('aria-labelledby', `tab-${state.v}`);
  options();
  hover = null;
  if (isEmpty()) {
    host.onscroll = null;
    host.replaceChildren(
      element('p', {
        class: 'empty',
        text: field.nq && field.nk ? 'Select a head on the map.' : 'No token is left to show.',
      }),
    );
  } else if (panes.length === 1) views[state.v].build(host);
  else buildPanes(host);
  foot();
  timing.views = (timing.views ?? 0) + 1;
}
/* Two panes, each with its name above its view. */
function buildPanes(host) {
  host.onscroll = null;
  host.classList.remove('links');
  const parts = eachPane(() =>
    element(
      'section',
      { class: 'pane', 'aria-label': nameOf(text) },
      element('h3', { text: nameOf(text) }),
      element('div', { class: 'part' }),
    ),
  );
  host.replaceChildren(element('div', { class: 'panes' }, ...parts));
  eachPane((p, i) => views[state.v].build(parts[i].lastChild));
}
function show(v) {
  state.v = v;
  changed('v');
}

/* The one place that knows what follows from a change. */
async function changed(what) {
  keepAddress();
  use(panes[0]);
  if (what === 'd' || what === 'y') {
    chooseCompared(what);
    await openText(state.t, true);
    return;
  }
  if (['w', 'x', 'n', 'b'].includes(what)) {
    makePanes(texts[state.t]);
    state.p = state.z = '';
  }
  /* Queries and keys have no difference: the two stand beside each other. */
  if (what === 'v' && compared && (panes.length === 1) !== isDifference()) {
    makePanes(texts[state.t]);
    rail();
  }
  if (what === 'm' || what === 'o') {
    rail();
    if (state.v === 'model') view();
    return;
  }
  if (what === 'heads') {
    map.update();
    chips();
    await loadChosen();
    if (state.v === 'trace' && state.of !== 'chosen') return;
    if (state.v === 'model' || state.v === 'numbers') {
      eachPane(() => views[state.v].refresh());
      return;
    }
  }
  if (['s', 'min'].includes(what) && state.v !== 'links') return;
  const host = find('#view'),
    y = host.scrollTop;
  view();
  if (what !== 'v') host.scrollTop = y;
}

// ---- texts

async function openText(i, keep) {
  const old = text,
    next = await readText(i);
  if (!next) return;
  state.t = i;
  if (next.side !== undefined && (old ? state.d : state.y < 0)) {
    state.y = await partnerOf(next);
    state.d ||= 'side';
  }
  await readCompared(next);
  makePanes(next);
  if (!text.metric[state.m] && !(state.m === 'type' && new Set(text.types).size > 1))
    state.m = text.metric.entropy_norm ? 'entropy_norm' : (text.metrics[0]?.name ?? 'type');
  if (!keep) state.p = state.z = '';
  if (!offered().includes(state.v)) state.v = 'links';
  if (!old || headsOfAddress !== null || old.heads.length !== text.heads.length)
    state.heads = readHeads();
  find('.bar select').value = String(i);
  find('.model').textContent =
    `${text.model}, ${count(text.layers.length, 'layer')}, ${count(text.heads.length, 'head')}, ${text.cross ? `${text.nq} × ${text.nk}` : text.nq} tokens`;
  await loadChosen();
  rail();
  view();
  keepAddress();
  timing.ready ??= performance.now();
  setTimeout(() => loadRest(next, compared ? [next, compared] : [next]));
}
const loadChosen = () =>
  Promise.all(panes.map((p) => loadHeads(p.text, selected().map(({ id }) => id))));
async function loadRest(mine, all) {
  for (const one of all)
    for (let b = 0; b < one.blocks.length && mine === texts[state.t]; b++) {
      await loadBlock(one, b);
      if (mine === texts[state.t] && state.v === 'model') eachPane(() => views.model.fill());
    }
  if (mine !== texts[state.t]) return;
  timing.all ??= performance.now();
}

/* Texts that follow the first are named once the page is whole. */
async function listTexts() {
  const list = find('.bar select');
  for (let i = 0; document.getElementById(`t${i}`) || texts[i]; i++) {
    const t = await readText(i),
      what = t.text || t.input || `ids ${i + 1}`;
    if (!list.children[i])
      list.append(
        element('option', {
          value: String(i),
          text: what.length > 60 ? `${what.slice(0, 60)}…` : what,
        }),
      );
  }
  list.value = String(state.t);
  find('.texts').hidden = list.children.length < 2;
  if (list.children.length > 1) rail();
}
function step(by) {
  const n = Math.max(1, find('.bar select').children.length);
  openText((state.t + by + n) % n);
}
