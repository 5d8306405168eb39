/* SPDX-License-Identifier: MIT
   Finding a token, keys, what stands above the views, and the start. */

// ---- finding a token

let hits = [],
  hit = -1;
function search(what, next) {
  const word = what.trim().toLowerCase();
  hits = word
    ? ['q', 'k'].flatMap((side) =>
        side === 'k' && field.same
          ? []
          : range(field.units(side).length)
              .filter((u) => field.units(side)[u].label.toLowerCase().includes(word))
              .map((u) => ({ side, u })),
      )
    : [];
  hit = hits.length ? (next ? (hit + 1) % hits.length : 0) : -1;
  find('.hits').textContent = word ? `${hit + 1}/${hits.length}` : '';
  if (hit < 0) {
    state.p = '';
  } else state.p = hits[hit].side + hits[hit].u;
  keepAddress();
  if (isEmpty()) return;
  eachPane(() => {
    const found = hits[hit];
    if (found && found.u < field.units(found.side).length) views[state.v].jump(found);
    views[state.v].draw?.();
  });
}

// ---- keys, ground, start

const HELP = [
  ['click, Space', 'a head on or off'],
  ['double click, Enter', 'the head alone; again: its whole layer'],
  ['Shift + click, Shift + arrows', 'a block of heads'],
  ['Ctrl + A, Esc on the map', 'all heads, none'],
  ['point at a token', 'only its links, with their weights'],
  ['click a token, Space', 'keep it; again: let it go'],
  ['arrows', 'move over heads, tokens and cells; left and right change the side of tokens'],
  ['drag on a heatmap', 'that block alone; of a part, move it; double click: all'],
  ['Ctrl + wheel, two fingers, + − 0', 'a smaller or larger part of the heatmaps, all of them'],
  ['Shift + arrows there', 'the part moves'],
  ['arrows, Space on a picture', 'move over patches; the patch becomes the query'],
  ['1, 2, …', 'view'],
  ['/, Enter', 'find a token; the next one'],
  ['[ and ]', 'previous and next text'],
  ['Compare', 'two texts, or two models, beside each other, or the first less the second'],
  ['w, x, f', 'words, hide special tokens, hide the first token'],
  ['?', 'this list'],
];

function press(event) {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.target.matches('input[type=search], input[type=number], textarea, select') ||
    find('dialog').open
  )
    return;
  const number = '1234567'.slice(0, offered().length).indexOf(event.key);
  const calls = {
    '/': () => find('.bar input').focus(),
    '?': () => find('dialog').showModal(),
    '[': () => step(-1),
    ']': () => step(1),
    w: () => {
      state.w = state.w ? 0 : 1;
      changed('w').then(rail);
    },
    x: () => {
      hide('s');
      rail();
    },
    f: () => {
      hide('f');
      rail();
    },
    Escape: () => {
      state.p = '';
      keepAddress();
      eachPane(() => views[state.v].draw?.());
    },
  };
  if (number >= 0) show(VIEWS[number][0]);
  else if (calls[event.key]) calls[event.key]();
  else return;
  event.preventDefault();
}

function theme() {
  /* Colours that the reader's system forces have a ground of their own. */
  const chosen = matchMedia('(forced-colors: active)').matches ? '' : state.th;
  root.dataset.theme =
    chosen || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
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
  const items = [
    ['Figure as SVG', saveSvg],
    ['Figure as PNG', savePng],
    ['Numbers as TSV', saveTsv],
    ['Copy the address', copyAddress],
    ['Print', () => print()],
  ];
  const list = element(
    'div',
    { hidden: true },
    ...items.map(([name, call]) =>
      element('button', {
        text: name,
        on: {
          click: () => {
            open(false);
            call();
          },
        },
      }),
    ),
  );
  const opener = element('button', {
    text: 'Save',
    'aria-haspopup': 'true',
    'aria-expanded': 'false',
    on: { click: () => open(list.hidden) },
  });
  const open = (on) => {
    list.hidden = !on;
    opener.setAttribute('aria-expanded', String(on));
    if (on) list.firstChild.focus();
  };
  const box = element('div', { class: 'menu' }, opener, list);
  box.addEventListener('keydown', (event) => {
    const at = [...list.children].indexOf(document.activeElement),
      move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      open(false);
      opener.focus();
    } else if (move && at >= 0)
      list.children[(at + move + list.children.length) % list.children.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  box.addEventListener('focusout', (event) => {
    if (!box.contains(event.relatedTarget)) open(false);
  });
  return box;
}
function bar() {
  const list = element('select', {
    'aria-label': 'Text',
    on: { change: () => openText(+list.value) },
  });
  const input = element('input', {
    type: 'search',
    placeholder: 'Find a token',
    'aria-label': 'Find a token',
    on: {
      input: () => search(input.value),
      keydown: (event) => {
        if (event.key === 'Enter') search(input.value, true);
        if (event.key === 'Escape') {
          input.value = '';
          search('');
          input.blur();
        }
      },
    },
  });
  return element(
    'header',
    { class: 'bar' },
    element('h1', { text: 'Attention' }),
    element('span', { class: 'texts', hidden: true }, list),
    element('span', { class: 'model' }),
    element('span', { class: 'finder' }, input, element('span', { class: 'hits', role: 'status' })),
    element(
      'div',
      { class: 'tools' },
      menu(),
      element('button', {
        class: 'ground',
        'aria-label': 'Light or dark ground',
        on: {
          click: () => {
            state.th = ink.dark ? 'light' : 'dark';
            theme();
            redraw();
            keepAddress();
          },
        },
      }),
      element('button', {
        text: '?',
        'aria-label': 'Help: keys and pointer',
        on: { click: () => find('dialog').showModal() },
      }),
    ),
  );
}
function tabs() {
  const box = element(
    'div',
    { class: 'tabs', role: 'tablist', 'aria-label': 'View' },
    ...VIEWS.map(([v, name]) =>
      element('button', {
        role: 'tab',
        id: `tab-${v}`,
        'aria-controls': 'view',
        text: name,
        on: { click: () => show(v) },
      }),
    ),
  );
  box.addEventListener('keydown', (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key],
      all = offered(),
      at = all.indexOf(state.v);
    if (!move) return;
    show(all[(at + move + all.length) % all.length]);
    find(`#tab-${state.v}`).focus();
    event.preventDefault();
  });
  return box;
}
function frame() {
  const help = element(
    'dialog',
    { 'aria-label': 'Keys and pointer' },
    element('h2', { text: 'Keys and pointer' }),
    element(
      'table',
      {},
      element(
        'tbody',
        {},
        ...HELP.map(([keys, what]) =>
          element('tr', {}, element('td', { text: keys }), element('td', { text: what })),
        ),
      ),
    ),
    element('p', {}, element('button', { text: 'Close', on: { click: () => help.close() } })),
  );
  document.body.prepend(
    element(
      'div',
      { class: 'page' },
      bar(),
      element(
        'main',
        { class: 'main' },
        element('aside', { class: 'rail', 'aria-label': 'Heads, and what is shown of them' }),
        element(
          'section',
          { class: 'stage', 'aria-label': 'View' },
          tabs(),
          element('div', { class: 'chips' }),
          element('div', { class: 'options' }),
          element('div', { class: 'view', id: 'view', role: 'tabpanel', tabindex: 0 }),
          element('div', { class: 'foot' }),
        ),
      ),
    ),
    element('div', { class: 'unseen', id: 'say', role: 'status', 'aria-live': 'polite' }),
    help,
    element('div', { class: 'printed' }),
  );
}
function listen() {
  let timer = 0;
  document.addEventListener('keydown', press);
  addEventListener('resize', () => {
    clearTimeout(timer);
    timer = setTimeout(redraw, 120);
  });
  addEventListener('hashchange', () => {
    if (location.hash !== toAddress()) {
      fromAddress();
      theme();
      openText(state.t, true);
    }
  });
  addEventListener('beforeprint', beforePrint);
  for (const media of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
    matchMedia(media).addEventListener('change', () => {
      theme();
      redraw();
    });
}

async function start() {
  if (typeof DecompressionStream === 'undefined')
    throw new Error(
      'This browser cannot unpack the weights: it has no DecompressionStream. Firefox 113, Chrome 103 and Safari 16.4 have it.',
    );
  fromAddress();
  theme();
  frame();
  theme();
  if (!(await readText(state.t))) state.t = 0;
  if (!(await readText(0))) throw new Error('This file holds no text.');
  if (texts[0].picture) {
    START.v = 'picture';
    fromAddress();
  }
  await openText(state.t, true);
  listen();
  if (isWhole()) listTexts();
  else document.addEventListener('DOMContentLoaded', listTexts);
}
