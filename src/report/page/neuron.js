/* SPDX-License-Identifier: MIT
   Neuron view: one query of one head; of each key that it sees k, their products, and what the
   softmax makes of the score.  A number of a vector is a bar up or down. */
const NEURON_ROW = 28,
  STRIP_HEIGHT = 22;

const headOfNeuron = () => {
  const id = text.heads.findIndex((h) => `${h.layer}.${h.head}` === state.nh);
  return id >= 0 && slotOf(id) >= 0 ? id : selected()[0].id;
};
function queryOfNeuron() {
  if (state.q >= 0) return Math.min(Math.floor(state.q), text.nq - 1);
  const stays = pinned();
  return stays?.side === 'q' ? field.queries[stays.u].at.at(-1) : text.nq - 1;
}
function lookFrom(q) {
  state.q = q;
  changed('q');
}

/* Bars of a vector from (x, y) on, each `unit` wide; most is the number that is full height. */
function drawVector(pen, vector, most, x, y, unit) {
  const half = STRIP_HEIGHT / 2;
  pen.rect(x, y + half - 0.5, vector.length * unit, 1, ink.line);
  vector.forEach((v, c) => {
    const h = Math.max((Math.abs(v) / most) * (half - 1), v ? 0.5 : 0);
    const wide = unit > 2 ? unit - 1 : unit;
    pen.rect(x + c * unit, v > 0 ? y + half - h : y + half, wide, h, ink.tones[v > 0 ? 0 : 5]);
  });
}
const mostOf = (vectors) =>
  Math.max(1e-20, ...vectors.map((v) => v.reduce((m, x) => Math.max(m, Math.abs(x)), 0)));
const unitOfStrip = () => clamp(Math.floor(216 / text.width), 1, 6);

/* The columns of numbers that this head has: [name, help, of a key] */
function columnsOfNeuron(found) {
  const { scale, cap, parts } = found;
  const of = (get) => (key) => statistic(get(key));
  const scaled = cap ? `capped at ${cap}` : `× ${+scale.toPrecision(4)}`;
  return [
    ['q·k', 'the sum of the products', of((key) => key.dot)],
    [scaled, 'q·k times the scale of the head', of((key) => key.scaled)],
    ...parts.map((name, i) => [
      name.replace('_', ' '),
      'what is added to the score',
      of((key) => key.parts[i]),
    ]),
    ...(parts.length ? [['score', 'what the softmax reads', of((key) => key.score)]] : []),
  ];
}

const neuronView = {
  build(host) {
    host.classList.remove('links');
    host.onscroll = null;
    this.host = host;
    this.id = headOfNeuron();
    this.query = queryOfNeuron();
    this.found = null;
    const mine = text;
    if (!text.neuron) {
      host.replaceChildren(
        element('p', {
          class: 'empty',
          text: 'This page has weights alone: mha-viz report --neuron always puts queries and keys beside them, where a model has them.',
        }),
      );
      return;
    }
    host.replaceChildren(element('p', { class: 'empty', text: 'Unpacking …' }));
    loadVectors(text, this.id).then(
      bound(() => {
        if (mine === text && state.v === 'neuron') this.show();
      }),
    );
  },
  show() {
    const { host } = this,
      found = neuronOf(text, this.id, this.query);
    this.found = found;
    this.most = {
      q: mostOf([found.query]),
      k: mostOf(found.keys.map((key) => key.k)),
      product: mostOf(found.keys.map((key) => key.product)),
    };
    this.columns = columnsOfNeuron(found);
    const body = element('tbody');
    host.replaceChildren(
      element('table', { class: 'neuron' }, this.caption(), this.head(), body),
    );
    this.rows = new Rows(host, body, {
      n: found.keys.length,
      height: NEURON_ROW,
      make: (i) => this.row(found.keys[i]),
    });
    body.addEventListener(
      'pointermove',
      bound((event) => this.point(event)),
    );
    foot();
  },
  caption() {
    const label = text.queries.labels[this.query];
    return element('caption', {
      class: 'unseen',
      text: `${text.heads[this.id].name}: ${label} looks at ${count(this.found.keys.length, 'key')}`,
    });
  },
  strip(vector, most, kind, key) {
    const canvas = element('canvas', {
        'data-kind': kind,
        'data-key': key,
        role: 'img',
        'aria-label': `${kind}, ${text.width} numbers, largest ${statistic(mostOf([vector]))}`,
      }),
      unit = unitOfStrip();
    drawVector(new CanvasPen(canvas, text.width * unit, STRIP_HEIGHT), vector, most, 0, 0, unit);
    return element('td', {}, canvas);
  },
  head() {
    const th = (label, help) => element('th', { scope: 'col', text: label, title: help });
    return element(
      'thead',
      {},
      element(
        'tr',
        {},
        th('key', 'a token that the query sees'),
        th('k', 'the key, as it meets the query: normed and rotated'),
        th('q × k', 'their product in each dimension'),
        ...this.columns.map(([name, help]) => th(name, help)),
        th(text.weight === 'plain' ? 'softmax' : 'weight', 'the weight of the key'),
      ),
      element(
        'tr',
        { class: 'query' },
        element('th', { scope: 'row' }, 'q of ', element('bdi', { text: text.queries.labels[this.query] })),
        this.strip(this.found.query, this.most.q, 'q', ''),
        element('td', { colspan: this.columns.length + 2 }, this.pointed()),
      ),
    );
  },
  /* What is under the pointer. */
  pointed() {
    this.out = element('output', { text: 'Point at a bar for its numbers.' });
    return this.out;
  },
  row(key) {
    const label = text.keys.labels[key.key];
    const name = text.cross
      ? element('bdi', { text: label })
      : element('button', {
          class: 'link',
          title: 'Look from this token',
          text: label,
          on: { click: () => lookFrom(key.key) },
        });
    const weight = element('td', { class: 'number', text: exact(key.weight) });
    weight.style.setProperty('--share', String(key.weight));
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('small', { text: String(key.key) }), name),
      this.strip(key.k, this.most.k, 'k', key.key),
      this.strip(key.product, this.most.product, 'q times k', key.key),
      ...this.columns.map(([, , show]) => element('td', { class: 'number', text: show(key) })),
      weight,
    );
  },
  point(event) {
    const { kind, key: at } = event.target.dataset ?? {};
    if (!kind) return;
    const key = this.found.keys.find((k) => k.key === +at),
      c = clamp(Math.floor(event.offsetX / unitOfStrip()), 0, text.width - 1);
    const [q, k, product] = [this.found.query[c], key.k[c], key.product[c]].map(statistic);
    this.out.textContent = `${text.keys.labels[key.key]}, dimension ${c}: q ${q}, k ${k}, q × k ${product}`;
  },
  jump({ side, u }) {
    if (side === 'q') lookFrom(field.queries[u].at.at(-1));
    else this.rows?.reach(this.found.keys.findIndex((key) => key.key === field.keys[u].at[0]));
  },
  note() {
    return this.found
      ? `q and k have 16 bits, within ${text.vectors_error.toExponential(0)}; tokens as the model has them`
      : '';
  },
  options() {
    const heads = element(
      'select',
      { on: { change: () => { state.nh = heads.value; changed('nh'); } } },
      ...selected().map(({ id }) => {
        const { layer, head, name } = text.heads[id];
        return element('option', { value: `${layer}.${head}`, text: `${name} ${typeOf(id)}` });
      }),
    );
    const queries = element(
      'select',
      { on: { change: () => lookFrom(+queries.value) } },
      ...text.queries.labels.map((label, q) =>
        element('option', { value: String(q), text: `${q} ${label}` }),
      ),
    );
    const { layer, head } = text.heads[headOfNeuron()];
    heads.value = `${layer}.${head}`;
    queries.value = String(queryOfNeuron());
    return [
      element('label', { class: 'field' }, element('span', { text: 'Head' }), heads),
      element('label', { class: 'field' }, element('span', { text: 'Query' }), queries),
    ];
  },
  figure() {
    if (!this.found) return views.model.figure();
    const unit = unitOfStrip(),
      strip = text.width * unit,
      keys = this.found.keys.slice(0, 200),
      row = 26;
    const left = 130,
      numbers = left + 2 * (strip + 16),
      w = numbers + (this.columns.length + 1) * 74 + 60;
    const columns = [...this.columns, ['weight', '', (key) => exact(key.weight)]];
    return {
      w: Math.max(w, 520),
      h: (keys.length + 2) * row + 90,
      draw: (pen) => {
        const small = { size: 11, fill: ink.soft },
          at = (i) => 46 + i * row;
        const name = `${text.heads[this.id].name}: q of ${text.queries.labels[this.query]}`;
        pen.text(20, at(1) + 11, name, { size: 11, weight: 700, max: left - 26 });
        pen.text(left, at(0) + 14, 'k', small);
        pen.text(left + strip + 16, at(0) + 14, 'q × k', small);
        columns.forEach(([label], i) =>
          pen.text(numbers + (i + 1) * 74, at(0) + 14, label, { ...small, anchor: 'end' }),
        );
        drawVector(pen, this.found.query, this.most.q, left, at(1), unit);
        keys.forEach((key, i) => {
          const y = at(i + 2);
          pen.text(left - 10, y + 11, text.keys.labels[key.key], {
            size: 12,
            anchor: 'end',
            max: left - 30,
          });
          drawVector(pen, key.k, this.most.k, left, y, unit);
          drawVector(pen, key.product, this.most.product, left + strip + 16, y, unit);
          columns.forEach(([, , show], c) =>
            pen.text(numbers + (c + 1) * 74, y + 11, show(key), { size: 11, anchor: 'end' }),
          );
        });
      },
    };
  },
};

/* A line for each dimension of each key, as `mha-viz neuron --dims --tsv` has them. */
function tsvOfNeuron() {
  const { found, id, query } = views.neuron,
    { layer, head } = text.heads[id];
  const lines = [
    ['layer', 'head', 'query', 'key', 'token', 'dim', 'q', 'k', 'product', 'score', 'weight'],
  ];
  for (const key of found.keys)
    found.query.forEach((x, c) =>
      lines.push([
        layer,
        head,
        query,
        key.key,
        cell(text.keys.labels[key.key]),
        c,
        ...[x, key.k[c], key.product[c], key.score, key.weight].map((v) => +v.toPrecision(5)),
      ]),
    );
  return lines;
}
