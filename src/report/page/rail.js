/* SPDX-License-Identifier: MIT
   The rail at the left: controls, the map of heads, what is shown of tokens; and the chips. */
let map = null;

// ---- controls

function choose(label, key, options) {
  const list = element(
    'select',
    {
      on: {
        change: () => {
          state[key] = typeof START[key] === 'number' ? +list.value : list.value;
          changed(key);
        },
      },
    },
    ...options.map(([value, name]) => element('option', { value: String(value), text: name })),
  );
  list.value = String(state[key]);
  return element('label', { class: 'field' }, element('span', { text: label }), list);
}
function slide(label, key, [low, high, step], shown) {
  const out = element('output', { text: shown(state[key]) });
  const input = element('input', {
    type: 'range',
    min: String(low),
    max: String(high),
    step: String(step),
    on: {
      input: () => {
        state[key] = +input.value;
        out.textContent = shown(state[key]);
        changed(key);
      },
    },
  });
  input.value = String(state[key]);
  return element('label', { class: 'slider' }, element('span', { text: label }), input, out);
}
function tick(label, on, set, help) {
  const input = element('input', {
    type: 'checkbox',
    checked: on,
    on: { change: () => set(input.checked) },
  });
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
  const words = text.queries.word || text.keys.word,
    two = text.queries.second && !text.cross;
  return [
    element('h2', { text: 'Tokens' }),
    words
      ? tick(
          'Words in place of pieces',
          !!state.w,
          (on) => {
            state.w = on ? 1 : 0;
            changed('w');
          },
          'a word is, as a key, the sum of its pieces and, as a query, their mean',
        )
      : null,
    tick('Hide special tokens', state.x.includes('s'), (on) => hide('s', on)),
    tick('Hide the first token', state.x.includes('f'), (on) => hide('f', on)),
    tick('Rescale rows to 1 after that', !!state.n, (on) => {
      state.n = on ? 1 : 0;
      changed('n');
    }),
    two
      ? choose('Between', 'b', [
          ['all', 'all tokens'],
          ['AA', 'text A → A'],
          ['AB', 'text A → B'],
          ['BA', 'text B → A'],
          ['BB', 'text B → B'],
        ])
      : null,
  ];
}
/* Another text of the page, beside this one or less it. */
function railOfCompare() {
  const others = othersOf(texts[state.t]);
  if (!others.length) return [];
  const name = (one) =>
    `${one.text || one.input || 'ids'}${one.side === undefined ? '' : `, ${one.given ?? one.model}`}`;
  return [
    element('h2', { text: 'Compare' }),
    choose('With', 'y', [
      ['-1', 'none'],
      ...others.map((one) => [one.number, `${one.number + 1}: ${name(one)}`.slice(0, 60)]),
    ]),
    choose('As', 'd', [
      ['', 'not at all'],
      ['side', 'beside each other'],
      ['diff', 'difference'],
    ]),
    ...notesOfCompare().map((text) => element('p', { class: 'note', text })),
  ];
}
/* What is known of the heads of one of them alone. */
function notesOfCompare() {
  if (!compared) return [];
  const all = [texts[state.t], compared],
    only = (has) => (has(all[0]) === has(all[1]) ? null : all.find(has)),
    typed = only((one) => one.typed),
    worth = only((one) => one.metrics.some((m) => m.help.startsWith('ablation')));
  return [
    typed && `Types from a file: of ${nameOf(typed)} alone; of the other from its text.`,
    worth && `What heads are worth: of ${nameOf(worth)} alone.`,
  ].filter((s) => s);
}
function rail() {
  const mapBox = element('div'),
    legend = element('div'),
    columns = rowsOfHeads()[0].ids.length;
  const types = text.types.some((t) => t !== null);
  find('.rail').replaceChildren(
    element(
      'h2',
      {},
      'Heads',
      element('span', { class: 'chosen' }),
      element('button', {
        class: 'link',
        text: 'none',
        'aria-label': 'none of the heads',
        on: { click: () => select([]) },
      }),
    ),
    element(
      'div',
      { class: 'pair' },
      choose('Show', 'm', [
        ...(types ? [['type', 'type']] : []),
        ...text.metrics.map((m) => [m.name, m.name]),
      ]),
      choose('Order', 'o', [
        ['model', 'as in the model'],
        ['within', 'by value, in layers'],
        ['value', 'by value, all'],
      ]),
    ),
    mapBox,
    legend,
    element('p', { class: 'note', text: 'Click: on or off. Double click: alone. Shift: a block.' }),
    element('div', { class: 'about' }),
    element(
      'details',
      { class: 'settings', open: innerWidth >= 760 },
      element('summary', { text: 'Tokens and links' }),
      ...railOfCompare(),
      ...railOfTokens().filter((e) => e !== null),
      element('h2', { text: 'Links shown' }),
      slide('Share of row', 's', [5, 100, 1], (v) => `${v} %`),
      slide('At least', 'min', [0, 0.5, 0.01], (v) => (v ? short(v) : '0')),
    ),
  );
  map = new Grid(mapBox, {
    label: 'Map of heads',
    paint: paintHead,
    cell: () =>
      clamp(Math.floor((innerWidth < 760 ? Math.min(innerWidth - 52, 420) : 258) / columns), 7, 30),
  });
  map.build();
  legend.replaceChildren(legendOfMap());
  describeHead(null);
  chips();
}
function chips() {
  const list = selected();
  find('.chosen').textContent = `${list.length} of ${text.heads.length}`;
  find('.chips').replaceChildren(
    ...(!list.length
      ? [element('span', { class: 'note', text: 'No head is selected' })]
      : !few()
        ? [
            element('span', {
              class: 'note',
              text: `${list.length} heads in one colour: up to ${MOST_COLOURS} can be told apart`,
            }),
          ]
        : list.map(({ id, slot }) =>
            element(
              'button',
              {
                class: 'chip',
                title: 'Turn off',
                on: {
                  click: () => {
                    pointAtHead(null);
                    toggle(id);
                  },
                  pointerenter: () => pointAtHead(id),
                  pointerleave: () => pointAtHead(null),
                },
              },
              swatch(slot),
              text.heads[id].name,
              element('i', { text: typeOf(id) }),
              element('i', { text: '×', 'aria-hidden': 'true' }),
              element('span', { class: 'unseen', text: ': turn off' }),
            ),
          )),
  );
}
