/* SPDX-License-Identifier: MIT
   The grid of heads, layers down and heads across: the map at the left and the view of all heads.
   Cells are elements, so that keys and screen readers reach them; one canvas lies over them. */
const metricNow = () => text.metric[state.m] ?? null;

/* Rows of heads: as they stand in the model; or by the value, within layers or over all. */
function rowsOfHeads() {
  const all = range(text.heads.length),
    value = metricNow()?.value;
  const byValue = value
    ? (a, b) => (value[b] ?? -Infinity) - (value[a] ?? -Infinity) || a - b
    : (a, b) => typeOf(a).localeCompare(typeOf(b)) || a - b;
  const widest = Math.max(
    ...text.layers.map((l) => all.filter((id) => text.heads[id].layer === l).length),
  );
  if (state.o === 'value') {
    all.sort(byValue);
    return range(Math.ceil(all.length / widest)).map((r) => ({
      label: '',
      ids: all.slice(r * widest, (r + 1) * widest),
    }));
  }
  return text.layers.map((l) => {
    const ids = all.filter((id) => text.heads[id].layer === l);
    return { label: String(l), ids: state.o === 'within' ? ids.sort(byValue) : ids };
  });
}

class Grid {
  /* look: {label, cell(rows, columns) in pixels, paint(pen, id, x, y, side)} */
  constructor(host, look) {
    Object.assign(this, { host, ...look, focus: 0 });
  }
  build() {
    this.rows = rowsOfHeads();
    this.columns = Math.max(...this.rows.map((r) => r.ids.length));
    this.side = this.cell(this.rows.length, this.columns);
    this.left = state.o === 'value' ? 0 : 24;
    this.top = state.o === 'model' ? 18 : 0;
    this.cells = new Map();
    this.canvas = place(element('canvas', { 'aria-hidden': 'true' }), {
      left: this.left,
      top: this.top,
    });
    const box = element(
      'div',
      { class: 'grid', role: 'grid', 'aria-label': this.label, 'aria-multiselectable': 'true' },
      this.top ? this.columnNames() : null,
      ...this.rows.map((row, r) => this.row(row, r)),
      this.canvas,
    );
    this.listen(box);
    this.host.replaceChildren(box);
    if (!this.cells.has(this.focus)) this.focus = this.rows[0].ids[0];
    this.update();
  }
  columnNames() {
    const every = this.side < 14 ? 4 : 1;
    const names = this.rows[0].ids.map((_, c) => {
      const { head } = text.heads[this.rows[0].ids[c]],
        ids = range(text.heads.length).filter((id) => text.heads[id].head === head);
      return place(
        element('div', {
          class: 'name',
          role: 'columnheader',
          text: c % every ? '' : String(head),
          title: `Head ${head} of every layer`,
          'aria-label': `head ${head} of every layer`,
          on: { click: () => toggleAll(ids) },
        }),
        { width: this.side, height: this.top },
      );
    });
    const corner = place(
      element(
        'div',
        { class: 'name', role: 'columnheader' },
        element('span', { class: 'unseen', text: 'layer' }),
      ),
      { width: this.left, height: this.top },
    );
    return element('div', { class: 'line', role: 'row' }, corner, ...names);
  }
  row(row, r) {
    const line = element('div', { class: 'line', role: 'row' });
    if (this.left)
      line.append(
        place(
          element('div', {
            class: 'name',
            role: 'rowheader',
            text: this.side < 12 && r % 4 ? '' : row.label,
            title: 'The whole layer',
            'aria-label': `layer ${row.label}`,
            on: { click: () => toggleAll(row.ids) },
          }),
          { width: this.left, height: this.side },
        ),
      );
    for (const id of row.ids) {
      const cell = place(element('div', { role: 'gridcell', tabindex: -1, 'data-id': id }), {
        width: this.side,
        height: this.side,
      });
      this.cells.set(id, cell);
      line.append(cell);
    }
    return line;
  }
  listen(box) {
    const idOf = (event) =>
      event.target.dataset?.id === undefined ? null : +event.target.dataset.id;
    const on = (name, call) =>
      box.addEventListener(
        name,
        bound((event) => {
          const id = idOf(event);
          if (id !== null) call(id, event);
        }),
      );
    on('click', (id, event) => {
      this.moveTo(id, false);
      if (event.shiftKey) this.extend(id);
      else toggle(id);
    });
    on('dblclick', (id) => isolate(id));
    on('keydown', (id, event) => this.key(id, event));
    on('pointerover', (id) => pointAtHead(id));
    on('focusin', (id) => {
      this.focus = id;
      describeHead(id);
    });
    box.addEventListener('pointerleave', () => pointAtHead(null));
  }
  placeOf(id) {
    const r = this.rows.findIndex((row) => row.ids.includes(id));
    return [r, this.rows[r].ids.indexOf(id)];
  }
  /* Adds the block between the head chosen last and this one. */
  extend(id) {
    if (anchor === null || !this.cells.has(anchor)) return toggle(id);
    const [r1, c1] = this.placeOf(anchor),
      [r2, c2] = this.placeOf(id);
    const rows = this.rows.slice(Math.min(r1, r2), Math.max(r1, r2) + 1);
    return select(
      withHeads(
        state.heads,
        rows.flatMap((row) => row.ids.slice(Math.min(c1, c2), Math.max(c1, c2) + 1)),
      ),
    );
  }
  moveTo(id, take = true) {
    this.cells.get(this.focus)?.setAttribute('tabindex', -1);
    this.focus = id;
    this.cells.get(id).setAttribute('tabindex', 0);
    if (take) this.cells.get(id).focus();
  }
  key(id, event) {
    const [r, c] = this.placeOf(id),
      last = (row) => (this.rows[row]?.ids.length ?? 1) - 1;
    const to = {
      ArrowLeft: [r, c - 1],
      ArrowRight: [r, c + 1],
      ArrowUp: [r - 1, Math.min(c, last(r - 1))],
      ArrowDown: [r + 1, Math.min(c, last(r + 1))],
      Home: [r, 0],
      End: [r, last(r)],
      PageUp: [0, c],
      PageDown: [this.rows.length - 1, Math.min(c, last(this.rows.length - 1))],
    }[event.key];
    if (to) {
      const next = this.rows[to[0]]?.ids[to[1]];
      if (next !== undefined && event.shiftKey) {
        anchor ??= id;
        this.extend(next);
      }
      if (next !== undefined) this.moveTo(next);
    } else if (event.key === ' ') {
      if (event.shiftKey) this.extend(id);
      else toggle(id);
    } else if (event.key === 'Enter') isolate(id);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey))
      select(withHeads(state.heads, range(text.heads.length)));
    else if (event.key === 'Escape') select([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  update() {
    const metric = metricNow();
    for (const [id, cell] of this.cells) {
      const said = metric ? `${metric.name} ${statistic(metric.value[id])}` : typeOf(id);
      cell.setAttribute('aria-selected', slotOf(id) >= 0);
      cell.setAttribute('aria-label', `${text.heads[id].name}, ${said}`);
      cell.setAttribute('tabindex', id === this.focus ? 0 : -1);
    }
    this.draw();
  }
  draw() {
    this.pen = new CanvasPen(this.canvas, this.columns * this.side, this.rows.length * this.side);
    this.each((id, x, y) => this.paint(this.pen, id, x, y, this.side));
  }
  each(call) {
    this.rows.forEach((row, r) =>
      row.ids.forEach((id, c) => call(id, c * this.side, r * this.side)),
    );
  }
}

// ---- the map: a square whose area is the value, or the picture of a type

function rangeOfMetric(metric) {
  const values = metric.value.filter((v) => v !== null);
  return { low: Math.min(0, ...values), top: Math.max(1e-9, ...values.map(Math.abs)) };
}
function paintHead(pen, id, x, y, side) {
  const slot = slotOf(id),
    on = slot >= 0,
    metric = metricNow(),
    tint = on ? colour(slot) : ink.mark;
  pen.rect(x + 0.5, y + 0.5, side - 1, side - 1, on && !metric ? tint : ink.faint);
  if (!metric) {
    const wide = Math.max(5, Math.floor((side - 5) / 6) * 6);
    drawIcon(
      pen,
      typeOf(id),
      x + (side - wide) / 2,
      y + (side - wide) / 2,
      wide,
      on ? ink.ground : ink.mark,
    );
    return;
  }
  const value = metric.value[id],
    area = value === null ? 0 : Math.sqrt(Math.abs(value) / rangeOfMetric(metric).top) * (side - 5);
  const a = Math.max(1.5, area),
    at = (side - a) / 2;
  if (on) pen.rect(x + 1.25, y + 1.25, side - 2.5, side - 2.5, null, tint, 2);
  if (value < 0) pen.rect(x + at + 0.75, y + at + 0.75, a - 1.5, a - 1.5, null, tint, 1.5);
  else pen.rect(x + at, y + at, a, a, tint);
}
function legendOfMap() {
  const metric = metricNow();
  if (!metric) {
    const names = [...new Set(text.types.filter((t) => t !== null))].sort();
    return element(
      'p',
      { class: 'note types' },
      ...names.map((name) => {
        const icon = element('canvas', { class: 'icon', 'aria-hidden': 'true' }),
          pen = new CanvasPen(icon, 14, 14);
        drawIcon(pen, name, 1, 1, 12, ink.mark);
        return element('span', { title: text.caption[name] }, icon, name);
      }),
    );
  }
  const { low, top } = rangeOfMetric(metric),
    canvas = element('canvas', { 'aria-hidden': 'true' }),
    pen = new CanvasPen(canvas, 284, 22);
  let x = 0;
  for (const share of [0.05, 0.25, 1]) {
    const side = Math.sqrt(share) * 15,
      label = statistic(share * top);
    pen.rect(x, 11 - side / 2, side, side, ink.mark);
    pen.text(x + side + 4, 11.5, label, { size: 11, fill: ink.soft });
    x += side + 14 + widthOf(label, 11);
  }
  if (low < 0) pen.rect(x + 0.75, 5.75, 10, 10, null, ink.mark, 1.5);
  pen.text(x + (low < 0 ? 15 : 0), 11.5, low < 0 ? 'negative' : metric.unit, {
    size: 11,
    fill: ink.soft,
  });
  return element('div', {}, canvas, element('p', { class: 'note', text: metric.help }));
}

/* The numbers of one head; beside each other, where two are compared. */
function describeHead(id) {
  const box = find('.about'),
    shown = id ?? selected()[0]?.id;
  if (shown === undefined) {
    box.replaceChildren(element('p', { class: 'note', text: 'Point at a head for its numbers.' }));
    return;
  }
  const type = typeOf(shown),
    other = compared && !isDifference() ? compared : null,
    otherType = other?.types[shown] ?? '',
    list = element('dl');
  for (const m of text.metrics.slice(0, 12)) {
    const beside = other?.metric[m.name];
    list.append(
      element('dt', { text: m.name, title: m.help }),
      element('dd', {
        text: statistic(m.value[shown]) + (beside ? ` | ${statistic(beside.value[shown])}` : ''),
      }),
    );
  }
  box.replaceChildren(
    element('b', { text: text.heads[shown].name }),
    type ? ` ${type}` : '',
    text.caption[type] ? `: ${text.caption[type]}` : '',
    otherType && otherType !== type ? ` | ${otherType}` : '',
    list,
  );
}

/* Pointing at a selected head fades the lines of the others. */
let lit = null;
function pointAtHead(id) {
  const slot = id === null ? -1 : slotOf(id),
    now = slot < 0 ? null : slot;
  describeHead(id);
  if (now === lit) return;
  lit = now;
  if (state.v === 'links') eachPane(() => views.links.draw());
}
