/* SPDX-License-Identifier: MIT
   Model view: every head as a small heatmap. */
const thumbs = new Map();
const thumbKey = (id, side) =>
  [text.number, field.signed ? state.y : '', state.w, state.x, state.n, state.b, state.f, state.c, ink.dark, id, side].join('|');

/* A head's heatmap of at most side pixels; null: its weights are still packed. */
function thumb(id, side) {
  const key = thumbKey(id, side);
  if (thumbs.has(key)) return thumbs.get(key);
  if (!isLoaded(text, id)) return null;
  const room = Math.round(side * (devicePixelRatio || 1)),
    w = Math.min(field.nk, room),
    h = Math.min(field.nq, room);
  const a = new Float32Array(field.nq * field.nk);
  for (let q = 0; q < field.nq; q++) field.row(id, q, a.subarray(q * field.nk, (q + 1) * field.nk));
  const small = pool(a, field.nq, field.nk, w, h, field.seer(id));
  const image = paint(small, w, h, TONES[state.f](scaleOf(small).top || 1));
  if (thumbs.size > 2600) thumbs.clear();
  thumbs.set(key, image);
  return image;
}

function paintThumb(pen, id, x, y, side) {
  const slot = slotOf(id),
    bar = side >= 48 ? 16 : 0,
    inner = side - 6 - bar,
    metric = metricNow(),
    left = x + 3 + bar / 2;
  const image = thumbs.get(thumbKey(id, inner));
  if (image) pen.image(image, left, y + 3 + bar, inner, inner);
  else pen.rect(left, y + 3 + bar, inner, inner, ink.faint);
  pen.rect(left - 0.5, y + 2.5 + bar, inner + 1, inner + 1, null, ink.line);
  if (slot >= 0) pen.rect(x + 1.5, y + 1.5, side - 3, side - 3, null, colour(slot), 3);
  if (!bar) return;
  pen.text(left, y + 11, text.heads[id].name, {
    size: 10,
    weight: slot >= 0 ? 700 : 400,
    fill: slot >= 0 ? ink.ink : ink.soft,
  });
  if (metric && side >= 66)
    pen.text(left + inner, y + 11, short(metric.value[id]), { size: 10, anchor: 'end' });
  else if (!metric && inner - widthOf(text.heads[id].name, 10, 700) > 11)
    drawIcon(pen, typeOf(id), left + inner - 9, y + 6, 9, ink.soft);
}

const modelView = {
  build(host) {
    const width = host.clientWidth - 44,
      height = Math.max(320, (host.clientHeight || 500) - 30);
    host.classList.remove('links');
    host.onscroll = null;
    this.grid = new Grid(host, {
      label: 'All heads, as small heatmaps',
      paint: paintThumb,
      cell: (rows, columns) =>
        clamp(Math.floor(Math.min(width / columns, Math.max(height / rows, 62))), 22, 150),
    });
    this.grid.build();
    this.fill();
  },
  /* In slices of 12 ms, so that the page answers meanwhile. */
  fill() {
    const { grid } = this,
      side = grid.side - 6 - (grid.side >= 48 ? 16 : 0),
      left = [];
    grid.each((id, x, y) => {
      if (!thumbs.has(thumbKey(id, side))) left.push([id, x, y]);
    });
    const mine = (this.filling = {});
    const step = bound(() => {
      const start = performance.now();
      while (left.length && performance.now() - start < 12 && isLoaded(text, left[0][0])) {
        const [id, x, y] = left.shift();
        thumb(id, side);
        grid.pen.clear(x, y, grid.side, grid.side);
        paintThumb(grid.pen, id, x, y, grid.side);
      }
      if (left.length && mine === this.filling && isLoaded(text, left[0][0]) && grid.canvas.isConnected)
        requestAnimationFrame(step);
    });
    requestAnimationFrame(step);
  },
  refresh() {
    this.grid.update();
    this.fill();
  },
  jump() {},
  note() {
    return 'each head has its own range; a dot is the strongest weight it covers';
  },
  figure() {
    const rows = rowsOfHeads(),
      columns = Math.max(...rows.map((r) => r.ids.length)),
      side = Math.floor(clamp(1100 / columns, 34, 92));
    return {
      w: columns * side + 60,
      h: rows.length * side + 94,
      draw: (pen) =>
        rows.forEach((row, r) => {
          pen.text(34, 44 + (r + 0.5) * side, row.label, {
            size: 11,
            anchor: 'end',
            fill: ink.soft,
          });
          row.ids.forEach((id, c) => {
            thumb(id, side - 6 - (side >= 48 ? 16 : 0));
            paintThumb(pen, id, 40 + c * side, 44 + r * side, side);
          });
        }),
    };
  },
};
