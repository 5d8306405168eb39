/* What follows from each change: the view, its options and its foot; texts. */
const timing = {};

// ---- the view

function options() {
  const box = find('.options'),
    colours = [
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
  const list = {
    links: [],
    matrix: [
      ...colours,
      choose('Range', 'k', [
        ['own', 'own of each head'],
        ['shared', 'one for all'],
      ]),
    ],
    model: colours,
    neuron: selected().length && text.neuron ? neuronView.options() : [],
    numbers: [],
  }[state.v];
  box.hidden = !list.length;
  box.replaceChildren(...list);
}
function foot() {
  const hidden = field.hidden
    ? `${count(field.hidden, state.w ? 'word' : 'token')} hidden${field.rescaled ? ', rows rescaled' : ''}`
    : '';
  const error = text.error < 0.00005 ? text.error.toExponential(0) : text.error.toFixed(4);
  find('.foot').textContent = [
    isEmpty() ? '' : views[state.v].note(),
    hidden,
    `weights have ${text.bits} bits, within ${error}${field.rescaled ? ' before rescaling' : ''}`,
  ]
    .filter((s) => s)
    .join(' · ');
}
const NEED_HEADS = new Set(['links', 'matrix', 'neuron']);
const isEmpty = () =>
  field.nq === 0 ||
  field.nk === 0 ||
  (!selected().length && NEED_HEADS.has(state.v));
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
    host.replaceChildren(
      element('p', {
        class: 'empty',
        text: field.nq && field.nk ? 'Select a head on the map.' : 'No token is left to show.',
      }),
    );
  } else views[state.v].build(host);
  foot();
}
function show(v) {
  state.v = v;
  changed('v');
}

function makeField() {
  field = new Field(text, {
    words: !!state.w,
    hideSpecial: state.x.includes('s'),
    hideFirst: state.x.includes('f'),
    rescale: !!state.n,
    between: state.b,
  });
}

/* The one place that knows what follows from a change. */
async function changed(what) {
  keepAddress();
  if (['w', 'x', 'n', 'b'].includes(what)) {
    makeField();
    state.p = '';
  }
  if (what === 'm' || what === 'o') {
    rail();
    if (state.v === 'model') view();
    return;
  }
  if (what === 'heads') {
    map.update();
    chips();
    await loadHeads(
      text,
      selected().map(({ id }) => id),
    );
    if (state.v === 'model' || state.v === 'numbers') {
      views[state.v].refresh();
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
  text = next;
  state.t = i;
  if (!text.metric[state.m] && !(state.m === 'type' && new Set(text.types).size > 1))
    state.m = text.metric.entropy_norm ? 'entropy_norm' : (text.metrics[0]?.name ?? 'type');
  if (!keep) state.p = '';
  if (!old || headsOfAddress !== null || old.heads.length !== text.heads.length)
    state.heads = readHeads();
  makeField();
  find('.bar select').value = String(i);
  find('.model').textContent =
    `${text.model}, ${count(text.layers.length, 'layer')}, ${count(text.heads.length, 'head')}, ${text.cross ? `${text.nq} × ${text.nk}` : text.nq} tokens`;
  await loadHeads(
    text,
    selected().map(({ id }) => id),
  );
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
}
function step(by) {
  const n = Math.max(1, find('.bar select').children.length);
  openText((state.t + by + n) % n);
}
