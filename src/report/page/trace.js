/* SPDX-License-Identifier: MIT
   Token view: one token through the layers.  A row for each other token: how much the one attends
   to it, and is attended to by it, in each layer. */
const TRACE_ROW = 24,
  TRACE_STRIP = 18;

const unitOfTrace = () => clamp(Math.floor(300 / text.layers.length), 7, 24);
const tracedToken = () => pinned() ?? { side: 'q', u: field.nq - 1 };

const HEADS_OF_TRACE = {
  mean: 'mean of all heads',
  max: 'largest of all heads',
  chosen: 'mean of the selected heads',
};
const headsOfTrace = (layer) =>
  range(text.heads.length).filter(
    (id) => text.heads[id].layer === layer && (state.of !== 'chosen' || slotOf(id) >= 0),
  );

/* Of heads the mean, or the one that is furthest from 0. */
function together(rows, n) {
  const out = new Float32Array(n);
  for (const row of rows)
    for (let i = 0; i < n; i++)
      if (state.of !== 'max') out[i] += row[i] / rows.length;
      else if (Math.abs(row[i]) > Math.abs(out[i])) out[i] = row[i];
  return out;
}
/* A layer: weights of the token to those of the other side, NaN where no head sees. */
function traceOf({ side, u }, ids) {
  const n = field.units(other(side)).length,
    out = together(ids.map((id) => field.values(side, id, u)), n),
    seers = ids.map((id) => field.seer(id));
  for (let i = 0; i < n; i++) {
    if (out[i] !== 0) continue;
    const [q, k] = side === 'q' ? [u, i] : [i, u];
    if (!seers.some((sees) => sees(q, q + 1, k, k + 1))) out[i] = NaN;
  }
  return out;
}

const traceView = {
  build(host) {
    host.classList.remove('links');
    host.onscroll = null;
    this.host = host;
    this.token = tracedToken();
    this.found = null;
    /* Both directions where a token is a query and a key. */
    const sides = field.same ? ['q', 'k'] : [this.token.side];
    this.say = element('p', { class: 'empty', text: 'Unpacking …' });
    host.replaceChildren(this.say);
    this.read({
      layers: text.layers.filter((layer) => headsOfTrace(layer).length),
      parts: sides.map((side) => ({ side, layers: [] })),
    });
  },
  /* Layer by layer, so that the page answers meanwhile. */
  read(found) {
    const at = found.parts[0].layers.length,
      layer = found.layers[at],
      { say: mine } = this;
    if (layer === undefined) return this.show(found);
    const ids = headsOfTrace(layer);
    mine.textContent = `Reading layer ${at + 1} of ${found.layers.length} …`;
    const one = bound(() => {
      if (!mine.isConnected) return;
      for (const part of found.parts)
        part.layers.push(traceOf({ side: part.side, u: this.token.u }, ids));
      if (at % 4 === 3) setTimeout(bound(() => mine.isConnected && this.read(found)));
      else this.read(found);
    });
    if (ids.every((id) => isLoaded(text, id))) one();
    else loadHeads(text, ids).then(one);
    return undefined;
  },
  show(found) {
    const values = found.parts.flatMap((part) => part.layers),
      all = new Float32Array(values.reduce((n, v) => n + v.length, 0));
    let at = 0;
    for (const v of values) {
      all.set(v, at);
      at += v.length;
    }
    this.found = found;
    this.scale = scaleOf(all);
    this.tone = TONES[state.f](this.scale.top || 1);
    this.units = field.units(field.same ? 'q' : other(this.token.side));
    const body = element('tbody');
    this.host.replaceChildren(element('table', { class: 'trace' }, this.caption(), this.head(), body));
    this.rows = new Rows(this.host, body, {
      n: this.units.length,
      height: TRACE_ROW,
      make: (i) => this.row(i),
    });
    body.addEventListener('pointermove', bound((event) => this.point(event)));
    foot();
  },
  label() {
    return field.units(this.token.side)[this.token.u].label;
  },
  caption() {
    return element('caption', {
      class: 'unseen',
      text: `${this.label()} through ${count(this.found.layers.length, 'layer')}`,
    });
  },
  head() {
    const what = { q: 'attends to', k: 'is attended to by' };
    return element(
      'thead',
      {},
      element('tr', {}, element('td', { colspan: 9 }, this.pointed())),
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, element('bdi', { text: this.label() })),
        ...this.found.parts.flatMap(({ side }) => [
          element('th', { scope: 'col' }, what[side], this.layers()),
          element('th', { scope: 'col', text: 'largest', title: 'over the layers, and its layer' }),
        ]),
      ),
    );
  },
  /* What is under the pointer. */
  pointed() {
    this.out = element('output', { text: 'Point at a layer for its weight.' });
    return this.out;
  },
  /* Numbers of layers above a strip. */
  layers() {
    const { layers } = this.found,
      unit = unitOfTrace(),
      step = unit >= 16 ? 1 : unit >= 10 ? 2 : 4,
      canvas = element('canvas', { 'aria-hidden': 'true' }),
      pen = new CanvasPen(canvas, layers.length * unit, 14);
    drawLayers(pen, layers, unit, step, 0, 8);
    return canvas;
  },
  row(i) {
    const unit = this.units[i],
      side = field.same ? 'q' : other(this.token.side),
      on = field.same && i === this.token.u;
    return element(
      'tr',
      { class: on ? 'on' : null },
      element(
        'th',
        { scope: 'row' },
        element('small', { text: String(unit.at[0]) }),
        element('button', {
          class: 'link',
          title: 'Trace this token',
          text: unit.label,
          on: { click: () => traceToken(side, i) },
        }),
      ),
      ...this.found.parts.flatMap((part, p) => this.cells(part, p, i)),
    );
  },
  cells({ side, layers }, p, i) {
    const unit = unitOfTrace(),
      values = layers.map((v) => v[i]),
      canvas = element('canvas', {
        'data-part': p,
        'data-unit': i,
        role: 'img',
        'aria-label': `${side === 'q' ? 'attends to' : 'is attended to by'}, by layer: ${values.map(short).join(' ')}`,
      }),
      best = largestOf(values);
    drawTrace(new CanvasPen(canvas, layers.length * unit, TRACE_STRIP), values, this.tone, unit, 0, 0);
    return [
      element('td', {}, canvas),
      element('td', {
        class: 'value',
        text: best < 0 ? '–' : `${exact(values[best])} L${this.found.layers[best]}`,
      }),
    ];
  },
  point(event) {
    const { part, unit } = event.target.dataset ?? {};
    if (part === undefined) return;
    const { side, layers } = this.found.parts[+part],
      l = clamp(Math.floor(event.offsetX / unitOfTrace()), 0, layers.length - 1),
      v = layers[l][+unit],
      [from, to] = [this.label(), this.units[+unit].label];
    this.out.textContent = `layer ${this.found.layers[l]}: ${side === 'q' ? `${from} → ${to}` : `${to} → ${from}`} ${Number.isNaN(v) ? 'masked' : exact(v)}`;
  },
  jump({ side, u }) {
    traceToken(side, u, true);
  },
  draw() {
    const { side, u } = tracedToken();
    if (side !== this.token.side || u !== this.token.u) this.build(this.host);
  },
  note() {
    return `${HEADS_OF_TRACE[state.of]} of each layer; colours from 0 to ${this.found ? short(this.scale.top) : '…'}${this.found?.layers.length < text.layers.length ? '; layers without a selected head left out' : ''}`;
  },
  options() {
    const side = tracedToken().side,
      list = element(
        'select',
        { on: { change: () => traceToken(list.value[0], +list.value.slice(1), true) } },
        ...(field.same ? ['q'] : ['q', 'k']).flatMap((s) =>
          field.units(s).map((unit, u) =>
            element('option', { value: s + u, text: `${unit.at[0]} ${unit.label}` }),
          ),
        ),
      );
    list.value = (field.same ? 'q' : side) + tracedToken().u;
    return [
      element('label', { class: 'field' }, element('span', { text: 'Token' }), list),
      choose('Heads', 'of', Object.entries(HEADS_OF_TRACE)),
    ];
  },
  figure() {
    if (!this.found) return views.model.figure();
    const unit = unitOfTrace(),
      { layers, parts } = this.found,
      n = Math.min(this.units.length, 300),
      left = 150,
      wide = layers.length * unit + 90;
    return {
      w: Math.max(left + parts.length * wide + 20, 400),
      h: n * 18 + 120,
      draw: (pen) => {
        parts.forEach(({ side }, p) => {
          const x = left + p * wide;
          pen.text(x, 46, `${this.label()} ${side === 'q' ? 'attends to' : 'is attended to by'}`, {
            size: 11,
            weight: 700,
            max: wide - 10,
          });
          drawLayers(pen, layers, unit, unit >= 16 ? 1 : unit >= 10 ? 2 : 4, x, 64);
        });
        for (let i = 0; i < n; i++) {
          const y = 74 + i * 18;
          pen.text(left - 8, y + 8, this.units[i].label, { size: 12, anchor: 'end', max: left - 30 });
          parts.forEach((part, p) => {
            const values = part.layers.map((v) => v[i]),
              best = largestOf(values),
              x = left + p * wide;
            drawTrace(pen, values, this.tone, unit, x, y, 16);
            if (best >= 0)
              pen.text(x + layers.length * unit + 8, y + 8, `${exact(values[best])} L${layers[best]}`, {
                size: 11,
                fill: ink.soft,
              });
          });
        }
      },
    };
  },
};

const largestOf = (values) =>
  values.reduce(
    (best, v, i) =>
      !Number.isNaN(v) && (best < 0 || Math.abs(v) > Math.abs(values[best])) ? i : best,
    -1,
  );
const css = (p) => `rgb(${p & 255} ${(p >> 8) & 255} ${(p >> 16) & 255})`;
function drawTrace(pen, values, tone, unit, x, y, height = TRACE_STRIP) {
  const shade = toneOf(tone);
  values.forEach((v, l) =>
    pen.rect(x + l * unit, y, unit - 1, height - 1, Number.isNaN(v) ? ink.masked : css(shade(v)), null),
  );
  pen.rect(x + 0.5, y + 0.5, values.length * unit - 1, height - 1, null, ink.line);
}
function drawLayers(pen, layers, unit, step, x, y) {
  layers.forEach((layer, l) => {
    if (l % step === 0)
      pen.text(x + (l + 0.5) * unit, y, String(layer), { size: 10, anchor: 'middle', fill: ink.soft });
  });
}

/* again: without a token that is let go */
function traceToken(side, u, again = false) {
  if (!again && state.p === side + u) return;
  state.p = side + u;
  state.q = -1;
  changed('p');
}

/* A line for each layer and token. */
function tsvOfTrace() {
  const { found, units } = views.trace,
    names = found.parts.map(({ side }) => (side === 'q' ? 'to' : 'from')),
    lines = [['layer', 'token', 'label', ...names]];
  found.layers.forEach((layer, l) =>
    units.forEach((unit, i) =>
      lines.push([
        layer,
        unit.at[0],
        cell(unit.label),
        ...found.parts.map(({ layers }) =>
          Number.isNaN(layers[l][i]) ? '' : +layers[l][i].toPrecision(4),
        ),
      ]),
    ),
  );
  return lines;
}
