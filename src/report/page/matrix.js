/* Heatmaps of the selected heads: rows query, columns key. */
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

/* Of each head its own range, or one for all that are selected. */
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
    this.plan = planMatrix(Math.max(180, side), Math.max(180, side));
    this.scale = scalesOf(state.k === 'own' ? [] : heads.map(({ id }) => id));
    this.seen?.disconnect();
    this.seen = new IntersectionObserver(
      bound((entries) => {
        for (const e of entries)
          if (e.isIntersecting) {
            this.seen.unobserve(e.target);
            this.paint(+e.target.dataset.part);
          }
      }),
      { root: host, rootMargin: '200px' },
    );
    this.parts = heads.map((head, i) => this.part(head, i));
    host.replaceChildren(element('div', { class: 'matrices' }, ...this.parts.map((p) => p.figure)));
    for (const p of this.parts) this.seen.observe(p.box);
    this.cross = null;
    this.draw();
  },
  part({ id, slot }, i) {
    const { plan } = this,
      base = element('canvas'),
      over = element('canvas'),
      value = element('output');
    const box = place(
      element(
        'div',
        { class: 'box', role: 'img', tabindex: 0, 'data-part': i, 'aria-label': this.describe(id) },
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
    return part;
  },
  paint(i) {
    const { plan } = this,
      part = this.parts[i];
    drawMatrix(
      new CanvasPen(part.base, plan.width, plan.height),
      plan,
      part.id,
      this.scale(part.id),
    );
    part.pen = new CanvasPen(part.over, plan.width, plan.height);
    this.drawOver(part);
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
  cellAt(part, event) {
    const { pad, cell } = this.plan,
      at = part.box.getBoundingClientRect();
    const q = Math.floor((event.clientY - at.top - pad) / cell),
      k = Math.floor((event.clientX - at.left - pad) / cell);
    return q >= 0 && q < field.nq && k >= 0 && k < field.nk ? { q, k } : null;
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
    if (!step) return;
    const at = this.cross ?? { q: 0, k: 0 },
      q = clamp(at.q + step[0], 0, field.nq - 1),
      k = clamp(at.k + step[1], 0, field.nk - 1);
    this.moveTo({ q, k });
    say(`${field.queries[q].label} to ${field.keys[k].label}: ${this.valueAt(id, { q, k })}`);
    event.preventDefault();
  },
  valueAt(id, { q, k }) {
    return field.sees(id, q, k) ? exact(field.full(id)[q * field.nk + k]) : 'masked';
  },
  /* The cross over all of them, and its value in each caption. */
  draw() {
    const start = performance.now();
    for (const part of this.parts ?? []) if (part.pen) this.drawOver(part);
    timing.hover = performance.now() - start;
  },
  drawOver({ id, pen, value }) {
    const { pad, cell, w, h, width, height, size } = this.plan,
      stays = pinned();
    const q = this.cross?.q ?? (stays?.side === 'q' ? stays.u : null),
      k = this.cross?.k ?? (stays?.side === 'k' ? stays.u : null);
    pen.clear(0, 0, width + 1, height + 1);
    if (q !== null)
      pen.rect(pad - 0.5, pad + q * cell - 0.5, w + 1, Math.max(cell, 1) + 1, null, ink.ink);
    if (k !== null)
      pen.rect(pad + k * cell - 0.5, pad - 0.5, Math.max(cell, 1) + 1, h + 1, null, ink.ink);
    value.textContent = this.cross
      ? `${fit(field.queries[q].label, 80, size)} → ${fit(field.keys[k].label, 80, size)} ${this.valueAt(id, this.cross)}`
      : '';
  },
  jump() {
    this.draw();
  },
  note() {
    return clips() ? 'colours end at 99 % of the weights above 0' : '';
  },
  figure() {
    const heads = ready().slice(0, 48),
      columns = Math.min(heads.length, heads.length > 4 ? 4 : 2) || 1,
      plan = planMatrix(heads.length === 1 ? 620 : 420, heads.length === 1 ? 620 : 420);
    const w = plan.width + 24,
      h = plan.height + 34,
      scale = scalesOf(heads.map(({ id }) => id));
    return {
      w: Math.max(columns * w + 20, 400),
      h: Math.ceil(heads.length / columns) * h + 84,
      draw: (pen) =>
        heads.forEach(({ id }, i) => {
          const at = shifted(pen, 20 + (i % columns) * w, 44 + Math.floor(i / columns) * h);
          at.text(0, 6, `${text.heads[id].name} ${typeOf(id)}`.trim(), { size: 12, weight: 700 });
          drawMatrix(shifted(at, 0, 18), plan, id, scale(id));
        }),
    };
  },
};
