/* SPDX-License-Identifier: MIT
   A part of the heatmaps, the same of all of them: which queries and keys are shown.  state.z has
   it, "q0-q1,k0-k1", ends left out; empty: all. */
const LEAST_UNITS = 4,
  ZOOM_STEP = 0.7;

const windowOfAll = (whole) => ({ q: [0, whole.nq], k: [0, whole.nk] });
function windowOf(whole) {
  const found = /^(\d+)-(\d+),(\d+)-(\d+)$/.exec(state.z);
  if (!found) return windowOfAll(whole);
  const [q0, q1, k0, k1] = found.slice(1).map(Number),
    within = (low, high, n) => {
      const from = clamp(low, 0, Math.max(0, n - 1));
      return [from, clamp(high, from + 1, n)];
    };
  return { q: within(q0, q1, whole.nq), k: within(k0, k1, whole.nk) };
}
const isAll = (whole, { q, k }) => q[0] === 0 && k[0] === 0 && q[1] === whole.nq && k[1] === whole.nk;

/* A field of these queries and keys; the field itself where that is all. */
function partOf(whole, window) {
  if (isAll(whole, window)) return whole;
  const [q0, q1] = window.q,
    [k0, k1] = window.k,
    kept = new Map();
  return Object.assign(Object.create(whole), {
    queries: whole.queries.slice(q0, q1),
    keys: whole.keys.slice(k0, k1),
    nq: q1 - q0,
    nk: k1 - k0,
    seer(id) {
      const sees = whole.seer(id);
      return (a, b, c, d) => sees(a + q0, b + q0, c + k0, d + k0);
    },
    full(id) {
      if (kept.has(id)) return kept.get(id);
      const all = whole.full(id),
        a = new Float32Array((q1 - q0) * (k1 - k0));
      for (let q = q0; q < q1; q++)
        a.set(all.subarray(q * whole.nk + k0, q * whole.nk + k1), (q - q0) * (k1 - k0));
      if (kept.size >= 40) kept.clear();
      kept.set(id, a);
      return a;
    },
  });
}

/* n units of which [low, high) are seen, after a step by which unit `at` stays where it is. */
function scaledSide([low, high], n, factor, at) {
  const size = high - low,
    next = clamp(Math.round(size * factor), Math.min(LEAST_UNITS, n), n),
    from = clamp(Math.round(at - ((at - low) / size) * next), 0, n - next);
  return [from, from + next];
}
function movedSide([low, high], n, by) {
  const from = clamp(low + by, 0, n - (high - low));
  return [from, from + high - low];
}

function setWindow(window) {
  const { whole } = views.matrix,
    { q, k } = window;
  state.z = isAll(whole, window) ? '' : `${q.join('-')},${k.join('-')}`;
  keepAddress();
  eachPane(() => views.matrix.refit());
  foot();
}
/* Around a cell of the whole; without one around the middle. */
function zoomBy(factor, cell = null) {
  const { whole, window } = views.matrix,
    middle = ([low, high]) => (low + high) / 2;
  setWindow({
    q: scaledSide(window.q, whole.nq, factor, cell ? cell.q + 0.5 : middle(window.q)),
    k: scaledSide(window.k, whole.nk, factor, cell ? cell.k + 0.5 : middle(window.k)),
  });
}
function panBy(q, k) {
  const { whole, window } = views.matrix;
  setWindow({ q: movedSide(window.q, whole.nq, q), k: movedSide(window.k, whole.nk, k) });
}
/* A quarter of what is seen, at least one. */
function panByShare(q, k) {
  const { window } = views.matrix,
    step = ([low, high]) => Math.max(1, Math.round((high - low) / 4));
  panBy(q * step(window.q), k * step(window.k));
}
const zoomToAll = () => setWindow(windowOfAll(views.matrix.whole));

/* The pointer on a heatmap: drag a block to see it alone, or, of a part, drag to move; Ctrl and the
   wheel, or two fingers; a double click for all. */
class Dragging {
  constructor(view, part) {
    Object.assign(this, { view, part, from: null, touches: new Map(), pinch: null });
    const on = (name, call, how) => part.box.addEventListener(name, bound(call), how);
    on('pointerdown', (event) => this.down(event));
    on('pointermove', (event) => this.move(event));
    on('pointerup', (event) => this.up(event));
    on('pointercancel', (event) => {
      this.lift(event);
      this.end();
    });
    on('dblclick', () => zoomToAll());
    on(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const cell = view.cellAt(part, event);
        zoomBy(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, cell && view.inWhole(cell));
      },
      { passive: false },
    );
  }
  /* Two fingers: how far they are from each other, and the cell between them, of the whole. */
  between() {
    const [a, b] = this.touches.values(),
      middle = { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
    return {
      apart: Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)),
      cell: this.view.inWhole(this.view.cellAt(this.part, middle, true)),
    };
  }
  touch({ pointerId, clientX, clientY }) {
    this.touches.set(pointerId, { clientX, clientY });
    this.pinch = this.touches.size === 2 ? { ...this.between(), ...this.view.window } : null;
  }
  spread({ pointerId, clientX, clientY }) {
    const { pinch, view } = this;
    if (!this.touches.has(pointerId)) return;
    this.touches.set(pointerId, { clientX, clientY });
    if (!pinch) return;
    const factor = pinch.apart / this.between().apart;
    setWindow({
      q: scaledSide(pinch.q, view.whole.nq, factor, pinch.cell.q + 0.5),
      k: scaledSide(pinch.k, view.whole.nk, factor, pinch.cell.k + 0.5),
    });
  }
  lift({ pointerId }) {
    this.touches.delete(pointerId);
    this.pinch = null;
  }
  down(event) {
    const cell = this.view.cellAt(this.part, event);
    if (event.pointerType === 'touch') this.touch(event);
    if (event.button !== 0 || event.pointerType === 'touch' || !cell) return;
    this.from = { cell, x: event.clientX, y: event.clientY, window: this.view.window };
    this.part.box.setPointerCapture(event.pointerId);
  }
  move(event) {
    const { from, view } = this;
    if (event.pointerType === 'touch') this.spread(event);
    if (!from) return;
    if (isAll(view.whole, from.window)) {
      view.block = this.blockTo(event);
      view.draw();
      return;
    }
    const by = (now, then) => -Math.round((now - then) / view.plan.cell);
    setWindow({
      q: movedSide(from.window.q, view.whole.nq, by(event.clientY, from.y)),
      k: movedSide(from.window.k, view.whole.nk, by(event.clientX, from.x)),
    });
  }
  up(event) {
    this.lift(event);
    const { from, view } = this,
      block = from && isAll(view.whole, from.window) ? this.blockTo(event) : null;
    this.end();
    if (!block) return;
    const side = ([low, high], n) => {
      const size = Math.max(high - low, Math.min(LEAST_UNITS, n)),
        first = clamp(low, 0, n - size);
      return [first, first + size];
    };
    setWindow({ q: side(block.q, view.whole.nq), k: side(block.k, view.whole.nk) });
  }
  end() {
    this.from = this.view.block = null;
    this.view.draw();
  }
  /* The block from where the button went down; null: hardly moved. */
  blockTo(event) {
    const { from, view } = this;
    if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < 8) return null;
    const to = view.cellAt(this.part, event, true),
      side = (a, b) => [Math.min(a, b), Math.max(a, b) + 1];
    return { q: side(from.cell.q, to.q), k: side(from.cell.k, to.k) };
  }
}

/* The buttons above the heatmaps. */
function zoomButtons() {
  const button = (label, name, call) =>
    element('button', { text: label, title: name, 'aria-label': name, on: { click: call } });
  return element(
    'span',
    { class: 'zoom', role: 'group', 'aria-label': 'Part of the heatmaps' },
    button('+', 'Zoom in', () => zoomBy(ZOOM_STEP)),
    button('−', 'Zoom out', () => zoomBy(1 / ZOOM_STEP)),
    button('All', 'All queries and keys', zoomToAll),
    button('←', 'Earlier keys', () => panByShare(0, -1)),
    button('→', 'Later keys', () => panByShare(0, 1)),
    button('↑', 'Earlier queries', () => panByShare(-1, 0)),
    button('↓', 'Later queries', () => panByShare(1, 0)),
  );
}
