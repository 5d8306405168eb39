/* SPDX-License-Identifier: MIT
   Attention over a picture: of each selected head the map of one token over the patches, with the
   picture, half transparent and grey, upon it, as heatmap --image draws them. */

/* Red, green and blue of the picture; read once. */
const pixelsOf = (one) => (one.picture.rgb ??= blockOf(one, 'p', 0).then((b) => new Uint8Array(b)));

/* The picture in luma of ITU-R 601. */
async function greyOf(one) {
  const { width, height } = one.picture,
    rgb = await pixelsOf(one),
    canvas = element('canvas', { width, height }),
    context = canvas.getContext('2d'),
    image = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const luma = Math.floor((299 * rgb[3 * i] + 587 * rgb[3 * i + 1] + 114 * rgb[3 * i + 2]) / 1000);
    image.data.fill(luma, 4 * i, 4 * i + 3);
    image.data[4 * i + 3] = 128;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}
/* Smoothly of another size, as pens enlarge dot by dot. */
function resized(canvas, w, h) {
  const out = element('canvas', { width: Math.round(w), height: Math.round(h) }),
    context = out.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(canvas, 0, 0, out.width, out.height);
  return out;
}

/* ---- patches ---- */

const patchOf = (unit) => unit.at[0] - text.picture.first; /* below 0: [CLS] and its like */
const rowsOfPatches = () => Math.ceil((text.nk - text.picture.first) / text.picture.columns);

/* Of the query: a value for each patch, NaN where it is hidden. */
function patchMap(id, query) {
  const map = new Float32Array(rowsOfPatches() * text.picture.columns).fill(Number.NaN);
  field.row(id, query).forEach((w, k) => {
    const patch = patchOf(field.keys[k]);
    if (patch >= 0) map[patch] = w;
  });
  return map;
}

/* The token that is chosen, else [CLS], or the patch in the middle of a model without it. */
function queryOfPicture() {
  const stays = pinned();
  const { first, columns } = text.picture;
  if (stays && (stays.side === 'q' || field.same)) return stays.u;
  return first > 0 ? 0 : Math.floor(rowsOfPatches() / 2) * columns + Math.floor(columns / 2);
}

/* The map, a token's patches framed, and the bar of colours below. */
function drawPatches(pen, plan, map, scale, grey) {
  const { columns } = text.picture;
  pen.image(
    paint(map, columns, rowsOfPatches(), TONES[state.f](scale.top || 1)),
    0,
    0,
    plan.w,
    plan.h,
  );
  pen.image(resized(grey, plan.w * pen.scale, plan.h * pen.scale), 0, 0, plan.w, plan.h);
  pen.rect(-0.5, -0.5, plan.w + 1, plan.h + 1, null, ink.line);
  drawScale(pen, plan, scale);
}
function framePatch(pen, plan, patch, stroke) {
  const w = plan.w / text.picture.columns,
    h = plan.h / rowsOfPatches(),
    x = (patch % text.picture.columns) * w,
    y = Math.floor(patch / text.picture.columns) * h;
  if (patch < 0) return;
  pen.rect(x + 1, y + 1, w - 2, h - 2, null, ink.ground, 4);
  pen.rect(x + 1, y + 1, w - 2, h - 2, null, stroke, 2);
}

/* A picture within side x side pixels. */
function planPicture(side) {
  const { width, height } = text.picture,
    share = Math.min(side / width, side / height);
  return { pad: 0, w: Math.round(width * share), h: Math.round(height * share) };
}

const pictureView = {
  build(host) {
    const heads = ready(),
      width = host.clientWidth - 34,
      columns = clamp(heads.length, 1, Math.max(1, Math.floor(width / 240)));
    host.classList.remove('links');
    host.onscroll = null;
    this.plan = planPicture(clamp((width - (columns - 1) * 22) / columns, 120, 420));
    this.query = queryOfPicture();
    this.cursor = -1; /* the patch that is pointed at */
    this.pointed = null; /* before a finger touched one; null: a mouse or a key */
    this.parts = heads.map((head) => this.part(head));
    host.replaceChildren(element('div', { class: 'matrices' }, ...this.parts.map((p) => p.figure)));
    greyOf(text).then(
      bound((grey) => {
        this.grey = grey;
        this.paint();
      }),
    );
  },
  part({ id, slot }) {
    const base = element('canvas'),
      over = element('canvas'),
      value = element('output'),
      box = place(
        element('div', { class: 'box', role: 'img', tabindex: 0, 'data-head': id }, base, over),
        { width: this.plan.w, height: this.plan.h + 24 },
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
      { width: Math.max(this.plan.w, 160) },
    );
    const on = (name, call) => box.addEventListener(name, bound(call));
    on('pointermove', (event) => this.point(this.patchAt(box, event)));
    on('pointerleave', (event) => event.pointerType === 'touch' || this.point(-1));
    on('pointerdown', (event) => {
      this.pointed = event.pointerType === 'touch' ? this.cursor : null;
    });
    on('click', (event) => this.click(this.patchAt(box, event)));
    on('keydown', (event) => this.key(event, id));
    return { id, base, over, value, box, figure };
  },
  paint() {
    const { plan } = this,
      maps = this.parts.map(({ id }) => patchMap(id, this.query)),
      scales = this.scales(maps);
    this.parts.forEach((part, i) => {
      part.map = maps[i];
      part.box.setAttribute('aria-label', this.describe(part));
      drawPatches(new CanvasPen(part.base, plan.w + 1, plan.h + 24), plan, maps[i], scales[i], this.grey);
      part.pen = new CanvasPen(part.over, plan.w + 1, plan.h + 24);
    });
    this.drawOver();
  },
  scales(maps) {
    const all = maps.map((map) => scaleOf(map.filter((w) => w === w)));
    if (state.k === 'own' || !all.length) return all;
    const top = Math.max(...all.map((s) => s.top)),
      max = Math.max(...all.map((s) => s.max));
    return all.map(() => ({ top, max, clipped: top < max }));
  },
  queryName: () => field.queries[queryOfPicture()].label,
  chooseQuery() {
    const list = choose('Query', 'p', [
        ['', field.queries[0]?.label ?? ''],
        ...field.queries.map((unit, q) => [`q${q}`, unit.label]).slice(1),
      ]),
      q = queryOfPicture();
    find('select', list).value = q ? `q${q}` : '';
    return list;
  },
  describe({ id, map }) {
    const { columns } = text.picture,
      best = [...map.entries()].filter(([, w]) => w === w).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
    return `${text.heads[id].name}, attention of ${this.queryName()} over ${rowsOfPatches()} by ${columns} patches. Strongest: ${best
      .slice(0, 3)
      .map(([patch, w]) => `${this.nameOfPatch(patch)} ${short(w)}`)
      .join(', ')}. Arrow keys move over the patches, Space makes one the query.`;
  },
  nameOfPatch: (patch) =>
    `${Math.floor(patch / text.picture.columns)},${patch % text.picture.columns}`,
  patchAt(box, event) {
    const at = box.getBoundingClientRect(),
      x = Math.floor(((event.clientX - at.left) / this.plan.w) * text.picture.columns),
      y = Math.floor(((event.clientY - at.top) / this.plan.h) * rowsOfPatches());
    return x >= 0 && x < text.picture.columns && y >= 0 && y < rowsOfPatches()
      ? y * text.picture.columns + x
      : -1;
  },
  point(patch) {
    if (patch === this.cursor) return;
    this.cursor = patch;
    this.drawOver();
  },
  /* A finger does not hover: it reads the value of a patch first, and chooses that patch next. */
  click(patch) {
    if (this.pointed === null || patch === this.pointed) this.choose(patch);
    else this.point(patch);
  },
  /* A patch, or where it is the query already none: the first token is again. */
  choose(patch) {
    const q = field.queries.findIndex((unit) => patchOf(unit) === patch);
    if (patch < 0 || q < 0) return;
    state.p = q === this.query ? '' : `q${q}`;
    find('.options select').value = state.p;
    keepAddress();
    eachPane(() => views.picture.draw());
    foot();
  },
  key(event, id) {
    const { columns } = text.picture,
      n = rowsOfPatches() * columns,
      step = { ArrowUp: -columns, ArrowDown: columns, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const to = this.cursor < 0 ? 0 : this.cursor + step;
      if (to >= 0 && to < n) this.point(to);
      say(`${this.nameOfPatch(this.cursor)}: ${this.valueAt(this.parts.find((p) => p.id === id))}`);
    } else if (event.key === ' ' || event.key === 'Enter') this.choose(this.cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  },
  valueAt({ map }) {
    const w = map[this.cursor];
    return w === w ? exact(w) : 'hidden';
  },
  /* The query that is chosen may be another one. */
  draw() {
    const query = queryOfPicture();
    if (!this.grey) return;
    if (query === this.query) this.drawOver();
    else {
      this.query = query;
      this.paint();
    }
  },
  drawOver() {
    const start = performance.now(),
      { plan } = this;
    for (const part of this.parts) {
      if (!part.pen) continue;
      part.pen.clear(0, 0, plan.w + 1, plan.h + 24);
      framePatch(part.pen, plan, patchOf(field.queries[this.query]), ink.tones[0]);
      framePatch(part.pen, plan, this.cursor, ink.ink);
      part.value.textContent =
        this.cursor < 0
          ? ''
          : `${field.queries[this.query].label} → ${this.nameOfPatch(this.cursor)} ${this.valueAt(part)}`;
    }
    timing.hover = performance.now() - start;
  },
  jump() {},
  note() {
    const how = matchMedia('(hover: none)').matches
      ? 'a tap on a patch reads its weight, a second one'
      : 'a click on a patch';
    return `attention of ${this.queryName()} to the patches; ${how} makes it the query`;
  },
  figure() {
    const heads = ready().slice(0, 48),
      columns = Math.min(heads.length, heads.length > 4 ? 4 : 2) || 1,
      plan = planPicture(heads.length === 1 ? 620 : 420),
      maps = heads.map(({ id }) => patchMap(id, queryOfPicture())),
      scales = this.scales(maps),
      w = plan.w + 24,
      h = plan.h + 68;
    return {
      w: Math.max(columns * w + 20, 400),
      h: Math.ceil(heads.length / columns) * h + 84,
      draw: (pen) =>
        heads.forEach(({ id }, i) => {
          const at = shifted(pen, 20 + (i % columns) * w, 44 + Math.floor(i / columns) * h);
          at.text(0, 6, `${text.heads[id].name} ${typeOf(id)}`.trim(), { size: 12, weight: 700 });
          if (this.grey) drawPatches(shifted(at, 0, 18), plan, maps[i], scales[i], this.grey);
        }),
    };
  },
};
