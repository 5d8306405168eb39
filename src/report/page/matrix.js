/* SPDX-License-Identifier: MIT
   Heatmaps of the selected heads: rows query, columns key. */
const CELL_OF_NUMBERS = 26,
  CELL_OF_LABELS = 10;

/* A heatmap within w x h pixels: its labels' room and its cells. */
function planMatrix(w, h) {
  const sizeOf = (cell) => clamp(Math.floor(cell * 0.78), 9, 13);
  const longest = (size) =>
    Math.min(
      104,
      Math.max(
        20,
        ...[...field.queries, ...field.keys].slice(0, 400).map((u) => widthOf(u.label, size)),
      ),
    ) + 8;
  let pad = longest(sizeOf(Math.min(w / field.nk, h / field.nq)));
  const cellOf = () => Math.min((w - pad) / field.nk, (h - pad - 24) / field.nq, 34);
  let cell = cellOf();
  const labels = cell >= CELL_OF_LABELS;
  if (!labels) {
    pad = 30;
    cell = cellOf();
  }
  if (cell >= 3) cell = Math.floor(cell);
  cell = Math.max(cell, 0.2);
  return {
    pad,
    cell,
    labels,
    size: sizeOf(cell),
    w: field.nk * cell,
    h: field.nq * cell,
    width: pad + field.nk * cell + 1,
    height: pad + field.nq * cell + 24,
  };
}

function drawCells(pen, plan, id, a, scale) {
  const { pad, cell, w, h } = plan,
    tone = TONES[state.f](scale.top || 1);
  const dots = cell < 3,
    dw = dots ? Math.max(1, Math.round(w * pen.scale)) : field.nk,
    dh = dots ? Math.max(1, Math.round(h * pen.scale)) : field.nq;
  pen.image(
    paint(
      pool(a, field.nq, field.nk, dw, dh, field.seer(id)),
      dw,
      dh,
      tone,
    ),
    pad,
    pad,
    w,
    h,
  );
  if (cell >= 9) {
    for (let q = 1; q < field.nq; q++) pen.rect(pad, pad + q * cell - 0.5, w, 1, ink.ground);
    for (let k = 1; k < field.nk; k++) pen.rect(pad + k * cell - 0.5, pad, 1, h, ink.ground);
  }
  pen.rect(pad - 0.5, pad - 0.5, w + 1, h + 1, null, ink.line);
  if (cell < CELL_OF_NUMBERS) return;
  a.forEach((v, i) => {
    if (Math.abs(v) < 0.005) return;
    const x = pad + ((i % field.nk) + 0.5) * cell,
      y = pad + (Math.floor(i / field.nk) + 0.5) * cell + 0.5;
    pen.text(x, y, short(v), {
      size: 10,
      anchor: 'middle',
      fill: isDark(toneOf(tone)(v)) ? '#ffffff' : '#111111',
    });
  });
}

/* Tokens, or where there is no room for them positions. */
function drawAxes(pen, plan) {
  const { pad, cell, labels, size } = plan,
    fill = (unit) => (unit.special ? ink.soft : ink.ink);
  if (labels) {
    field.queries.forEach((unit, q) =>
      pen.text(pad - 5, pad + (q + 0.5) * cell, unit.label, {
        size,
        anchor: 'end',
        max: pad - 6,
        fill: fill(unit),
      }),
    );
    field.keys.forEach((unit, k) =>
      textAbove(pen, pad + (k + 0.5) * cell, pad - 5, unit.label, {
        size,
        max: pad - 6,
        fill: fill(unit),
      }),
    );
    return;
  }
  const step = [10, 20, 50, 100, 200, 500, 1000].find((s) => s * cell >= 34) ?? 5000;
  const look = { size: 10, fill: ink.soft };
  for (let q = 0; q < field.nq; q += step)
    pen.text(pad - 5, pad + (q + 0.5) * cell, String(field.queries[q].at[0]), {
      ...look,
      anchor: 'end',
    });
  for (let k = 0; k < field.nk; k += step) {
    const label = String(field.keys[k].at[0]),
      half = widthOf(label, 10) / 2;
    pen.text(Math.min(pad + (k + 0.5) * cell, plan.width - half), pad - 10, label, {
      ...look,
      anchor: 'middle',
    });
  }
}

/* The bar of colours below, with what its ends are. */
function drawScale(pen, plan, scale) {
  const look = { size: 10, fill: ink.soft },
    low = field.signed
      ? short(-scale.top)
      : state.f === 'log'
        ? `≤ ${short(scale.top / 1000)}`
        : '0';
  const high = scale.clipped
    ? `≥ ${short(scale.top)}, largest ${short(scale.max)}`
    : short(scale.top);
  const x = plan.pad + widthOf(low, 10) + 5,
    y = plan.pad + plan.h + 9,
    w = clamp(plan.w - widthOf(low + high, 10) - 12, 20, 110);
  const strip = paint(
    Float32Array.from(range(256), (i) => (field.signed ? i / 127.5 - 1 : i / 255)),
    256,
    1,
    TONES.linear(1),
  );
  pen.text(plan.pad, y + 4, low, look);
  pen.image(strip, x, y, w, 8);
  pen.rect(x, y, w, 8, null, ink.line);
  pen.text(x + w + 5, y + 4, high, look);
}

function drawMatrix(pen, plan, id, scale) {
  drawCells(pen, plan, id, field.full(id), scale);
  drawAxes(pen, plan);
  drawScale(pen, plan, scale);
}

/* Of each head its own range, or one for all that are selected: of all queries and keys. */
function scalesOf(ids) {
  if (state.k === 'own') return (id) => scaleOf(field.full(id));
  const all = ids.map((id) => scaleOf(field.full(id)));
  const shared = {
    top: Math.max(...all.map((s) => s.top)),
    max: Math.max(...all.map((s) => s.max)),
  };
  shared.clipped = shared.top < shared.max;
  return () => shared;
}

const matrixView = {
  build(host) {
    const heads = ready(),
      n = heads.length,
      width = host.clientWidth - 34,
      height = Math.max(300, (host.clientHeight || 500) - 40);
    host.classList.remove('links');
    host.onscroll = null;
    this.host = host;
    let columns = 1,
      side = 0;
    for (let c = 1; c <= n; c++) {
      const room = Math.min((width - (c - 1) * 22) / c, height / Math.ceil(n / c) - 34);
      if (room > side) {
        side = room;
        columns = c;
      }
    }
    if (side < 250) {
      columns = clamp(Math.floor((width + 22) / 282), 1, n);
      side = (width - (columns - 1) * 22) / columns;
    }
    this.side = Math.max(180, side);
    this.look();
    this.scale = scalesOf(state.k === 'own' ? [] : heads.map(({ id }) => id));
    this.seen?.disconnect();
    this.seen = new IntersectionObserver(
      bound((entries) => {
        for (const e of entries)
          if (e.isIntersecting) this.paint(+e.target.dataset.part);
          else this.release(+e.target.dataset.part);
      }),
      { root: host, rootMargin: '200px' },
    );
    this.parts = heads.map((head, i) => this.part(head, i));
    host.replaceChildren(element('div', { class: 'matrices' }, ...this.parts.map((p) => p.figure)));
    for (const p of this.parts) this.seen.observe(p.box);
    this.cross = null;
    this.draw();
  },
  /* The part that state.z has of the field, and its plan. */
  look() {
    this.whole = field;
    this.window = windowOf(field);
    this.shown = partOf(field, this.window);
    this.plan = this.inPart(() => planMatrix(this.side, this.side));
  },
  /* What is drawn reads `field`: here that of the part. */
  inPart(call) {
    const was = field;
    field = this.shown;
    try {
      return call();
    } finally {
      field = was;
    }
  },
  inWhole({ q, k }) {
    return { q: q + this.window.q[0], k: k + this.window.k[0] };
  },
  /* Another part, in the same elements. */
  refit() {
    const cross = this.cross && this.inWhole(this.cross);
    this.look();
    const {
      q: [q0, q1],
      k: [k0, k1],
    } = this.window;
    this.cross =
      cross && cross.q >= q0 && cross.q < q1 && cross.k >= k0 && cross.k < k1
        ? { q: cross.q - q0, k: cross.k - k0 }
        : null;
    this.parts.forEach((part, i) => {
      place(part.box, { width: this.plan.width, height: this.plan.height });
      place(part.figure, { width: Math.max(this.plan.width, 160) });
      if (!part.pen) return;
      part.pen = null;
      this.paint(i);
    });
  },
  part({ id, slot }, i) {
    const { plan } = this,
      base = element('canvas'),
      over = element('canvas'),
      value = element('output');
    const box = place(
      element(
        'div',
        { class: 'box', role: 'img', tabindex: 0, 'data-part': i, 'aria-label': text.heads[id].name },
        base,
        over,
      ),
      { width: plan.width, height: plan.height },
    );
    const figure = place(
      element(
        'figure',
        { class: 'matrix' },
        element(
          'figcaption',
          {},
          swatch(slot),
          element('b', { text: text.heads[id].name }),
          element('span', { text: typeOf(id) }),
          value,
        ),
        box,
      ),
      { width: Math.max(plan.width, 160) },
    );
    const part = { id, slot, base, over, value, box, figure };
    const on = (name, call) => box.addEventListener(name, bound(call));
    on('pointermove', (event) => this.moveTo(this.cellAt(part, event)));
    on('pointerleave', () => this.moveTo(null));
    on('keydown', (event) => this.key(event, id));
    new Dragging(this, part);
    return part;
  },
  paint(i) {
    const { plan } = this,
      part = this.parts[i];
    if (part.pen) return;
    const scale = this.scale(part.id);
    this.inPart(() => {
      part.box.setAttribute('aria-label', this.describe(part.id));
      drawMatrix(new CanvasPen(part.base, plan.width, plan.height), plan, part.id, scale);
    });
    part.pen = new CanvasPen(part.over, plan.width, plan.height);
    this.drawOver(part);
  },
  /* What is out of sight needs no pixels. */
  release(i) {
    const part = this.parts[i];
    part.pen = null;
    for (const canvas of [part.base, part.over]) canvas.width = canvas.height = 1;
  },
  describe(id) {
    const a = field.full(id),
      best = [];
    for (let q = 0; q < field.nq; q++) {
      const row = a.subarray(q * field.nk, (q + 1) * field.nk),
        v = row.reduce((m, x) => (Math.abs(x) > Math.abs(m) ? x : m), 0);
      if (v !== 0) best.push([v, q, row.indexOf(v)]);
    }
    best.sort((x, y) => Math.abs(y[0]) - Math.abs(x[0]));
    return `${text.heads[id].name}, ${field.nq} queries by ${field.nk} keys. Strongest: ${best
      .slice(0, 3)
      .map(([v, q, k]) => `${field.queries[q].label} to ${field.keys[k].label} ${short(v)}`)
      .join(', ')}. Arrow keys move over the cells.`;
  },
  /* The cell of the part under the pointer; null: none, or, where it is held, the nearest. */
  cellAt(part, event, held = false) {
    const { pad, cell } = this.plan,
      { nq, nk } = this.shown,
      at = part.box.getBoundingClientRect();
    const q = Math.floor((event.clientY - at.top - pad) / cell),
      k = Math.floor((event.clientX - at.left - pad) / cell);
    if (held) return { q: clamp(q, 0, nq - 1), k: clamp(k, 0, nk - 1) };
    return q >= 0 && q < nq && k >= 0 && k < nk ? { q, k } : null;
  },
  moveTo(cell) {
    if (cell?.q === this.cross?.q && cell?.k === this.cross?.k) return;
    this.cross = cell;
    this.draw();
  },
  key(event, id) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
      event.key
    ];
    const at = this.cross && this.inWhole(this.cross);
    if (event.key === '+' || event.key === '=') zoomBy(ZOOM_STEP, at);
    else if (event.key === '-') zoomBy(1 / ZOOM_STEP, at);
    else if (event.key === '0') zoomToAll();
    else if (step && event.shiftKey) panByShare(...step);
    else if (step) this.step(step, id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  },
  /* A cell on; at the edge of a part the part moves with it. */
  step([dq, dk], id) {
    const now = this.cross ?? { q: 0, k: 0 },
      to = { q: now.q + dq, k: now.k + dk };
    if (to.q < 0 || to.q >= this.shown.nq) panBy(dq, 0);
    if (to.k < 0 || to.k >= this.shown.nk) panBy(0, dk);
    const q = clamp(to.q, 0, this.shown.nq - 1),
      k = clamp(to.k, 0, this.shown.nk - 1);
    this.moveTo({ q, k });
    const { queries, keys } = this.shown;
    say(`${queries[q].label} to ${keys[k].label}: ${this.valueAt(id, { q, k })}`);
  },
  valueAt(id, { q, k }) {
    return this.shown.sees(id, q, k) ? exact(this.shown.full(id)[q * this.shown.nk + k]) : 'masked';
  },
  /* The cross over all of them, and its value in each caption. */
  draw() {
    const start = performance.now();
    for (const part of this.parts ?? []) if (part.pen) this.drawOver(part);
    timing.hover = performance.now() - start;
  },
  /* Where the token that stays chosen stands in the part; null: elsewhere. */
  pinnedAt(side) {
    const stays = pinned(),
      [low, high] = this.window[side];
    return stays?.side === side && stays.u >= low && stays.u < high ? stays.u - low : null;
  },
  drawOver({ id, pen, value }) {
    const { pad, cell, w, h, width, height, size } = this.plan,
      { block } = this,
      q = this.cross?.q ?? this.pinnedAt('q'),
      k = this.cross?.k ?? this.pinnedAt('k');
    pen.clear(0, 0, width + 1, height + 1);
    if (q !== null)
      pen.rect(pad - 0.5, pad + q * cell - 0.5, w + 1, Math.max(cell, 1) + 1, null, ink.ink);
    if (k !== null)
      pen.rect(pad + k * cell - 0.5, pad - 0.5, Math.max(cell, 1) + 1, h + 1, null, ink.ink);
    if (block) {
      const [q0, q1] = block.q,
        [k0, k1] = block.k;
      pen.rect(pad + k0 * cell, pad + q0 * cell, (k1 - k0) * cell, (q1 - q0) * cell, null, ink.ink, 2);
    }
    const { queries, keys } = this.shown;
    value.textContent = this.cross
      ? `${fit(queries[q].label, 80, size)} → ${fit(keys[k].label, 80, size)} ${this.valueAt(id, this.cross)}`
      : '';
  },
  jump({ side, u }) {
    const [low, high] = this.window[side],
      n = side === 'q' ? this.whole.nq : this.whole.nk;
    if (u < low || u >= high)
      setWindow({ ...this.window, [side]: movedSide([low, high], n, u - ((low + high) >> 1)) });
    else this.draw();
  },
  note() {
    const part = ([low, high]) => `${low} to ${high - 1}`;
    return [
      isAll(this.whole, this.window)
        ? ''
        : `queries ${part(this.window.q)}, keys ${part(this.window.k)} of ${this.whole.nq} and ${this.whole.nk}`,
      clips() ? 'colours end at 99 % of the weights above 0' : '',
    ]
      .filter((s) => s)
      .join(' · ');
  },
  figure() {
    const heads = ready().slice(0, 48),
      columns = Math.min(heads.length, heads.length > 4 ? 4 : 2) || 1,
      side = heads.length === 1 ? 620 : 420,
      scale = scalesOf(heads.map(({ id }) => id)),
      scales = heads.map(({ id }) => scale(id));
    this.look();
    const plan = this.inPart(() => planMatrix(side, side)),
      w = plan.width + 24,
      h = plan.height + 34;
    return {
      w: Math.max(columns * w + 20, 400),
      h: Math.ceil(heads.length / columns) * h + 84,
      draw: (pen) =>
        this.inPart(() =>
          heads.forEach(({ id }, i) => {
            const at = shifted(pen, 20 + (i % columns) * w, 44 + Math.floor(i / columns) * h);
            at.text(0, 6, `${text.heads[id].name} ${typeOf(id)}`.trim(), { size: 12, weight: 700 });
            drawMatrix(shifted(at, 0, 18), plan, id, scales[i]);
          }),
        ),
    };
  },
};
