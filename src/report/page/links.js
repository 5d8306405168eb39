/* SPDX-License-Identifier: MIT
   Head view: queries at the left, keys at the right, a line for each link.  A canvas as high as the
   window stays under the two lists while they scroll, so long texts cost no more than short ones. */
const HEAD_PX = 26,
  TOKENS_BESIDE = 40;

/* Columns of the sheet: bars, tokens, gap, tokens, bars; the same for screen and figure. */
function planLinks(width, heads) {
  const wide = width >= 640,
    size = wide ? 15 : 14;
  const labels = [...field.queries.slice(0, 600), ...field.keys.slice(0, 600)].map((u) => u.label);
  const longest = Math.max(30, ...labels.map((label) => Math.min(220, widthOf(label, size))));
  const tokens = Math.ceil(Math.min(longest + (wide ? 50 : 30), wide ? 200 : 104));
  const room = (width - 2 * tokens - (wide ? 220 : 84)) / 2,
    each = wide ? 62 : 46;
  const columns = heads > 0 && heads <= (wide ? 4 : 1) && heads * each <= room ? heads : 1;
  const bars = Math.floor(clamp(columns * 78, Math.min(46, room), Math.max(46, room)));
  const gap = clamp(width - 2 * (tokens + bars), 70, wide ? 320 : 200);
  return {
    wide,
    size,
    tokens,
    bars,
    gap,
    columns,
    each: Math.floor(bars / columns),
    width: 2 * (tokens + bars) + gap,
    left: bars + tokens,
    right: bars + tokens + gap,
  };
}

/* Of a difference: what is more in the first, what is more in the second. */
const signColour = (v) => ink.tones[v > 0 ? 0 : 5];
const signDash = (v) => (v > 0 ? [] : [5, 3]);

/* Parallel lines of several heads stand beside each other. */
const strand = (i, n, h) => (i - (n - 1) / 2) * Math.min(3.2, (h * 0.7) / Math.max(1, n));

class LinksFigure {
  constructor(plan, h, sets) {
    Object.assign(this, { plan, h, sets });
  }
  line(pen, [w, q, k, slot, i], top, height, h) {
    const { plan } = this,
      middle = this.h / 2 - top,
      y1 = q * this.h + middle,
      y2 = k * this.h + middle,
      by = strand(i, this.sets.length, h);
    if ((y1 < -40 && y2 < -40) || (y1 > height + 40 && y2 > height + 40)) return;
    const faded = lit === null || lit === slot ? 1 : 0.07,
      size = Math.abs(w),
      alpha = clamp((0.04 + 0.96 * size ** 0.62) * faded, 0, 1);
    pen.curve(
      plan.left + 2,
      y1 + by,
      plan.right - 2,
      y2 + by,
      field.signed ? signColour(w) : colour(slot),
      Math.min(0.8 + 3.4 * size, Math.max(0.4, h * 0.45)),
      alpha,
      field.signed ? signDash(w) : dash(slot),
    );
  }
  /* act: {side, u, values} of the token that is pointed at; null: all links of the list */
  lines(pen, list, act, top, height) {
    if (!act) {
      for (const link of list) this.line(pen, link, top, height, this.h);
      return;
    }
    for (const [w, u, slot, i] of strongestOf(act.values, Math.max(0.01, state.min), 300)) {
      const link = act.side === 'q' ? [w, act.u, u, slot, i] : [w, u, act.u, slot, i];
      this.line(pen, link, top, height, 24);
    }
  }
  /* A bar with its number per head, or where there is no room for that their mean. */
  bars(pen, values, side, top, height, least) {
    const { plan, h } = this,
      out = side === 'k' ? 1 : -1,
      x0 = side === 'k' ? plan.right + plan.tokens : plan.bars;
    const columns =
      plan.columns === values.length ? values : values.length ? [this.mean(values, side)] : [];
    const from = Math.max(0, Math.floor(top / h) - 1),
      to = Math.min(field.units(side).length, Math.ceil((top + height) / h) + 1);
    columns.forEach(({ slot, v }, i) => {
      const room = plan.each - 34,
        x = x0 + out * (i * plan.each + 4);
      let last = -99;
      for (let u = from; u < to; u++) {
        const y = u * h + h / 2 - top,
          size = Math.abs(v[u]),
          length = Math.max(1, size * room);
        if (size < 0.0005) continue;
        pen.rect(
          out > 0 ? x : x - length,
          y - clamp(h * 0.23, 0.5, 5),
          length,
          clamp(h * 0.46, 1, 10),
          field.signed ? signColour(v[u]) : slot === null ? ink.edge : colour(slot),
        );
        if (size < least || (h < 12 && y - last < 12)) continue;
        last = y;
        pen.text(x + out * (length + 4), y + 0.5, short(v[u]), {
          size: 11,
          anchor: out > 0 ? 'start' : 'end',
          fill: size >= 0.1 ? ink.ink : ink.soft,
          weight: size >= 0.1 ? 700 : 400,
        });
      }
    });
  }
  mean(values, side) {
    const v = new Float32Array(field.units(side).length);
    for (const one of values) for (let u = 0; u < v.length; u++) v[u] += one.v[u] / values.length;
    return { slot: null, v };
  }
}

const other = (side) => (side === 'q' ? 'k' : 'q');
const received = () =>
  views.links.links.sets.map(({ id, slot, links }) => ({ id, slot, v: links.received }));
function actOf(token) {
  return (
    token && {
      ...token,
      values: ready().map(({ id, slot }) => ({
        id,
        slot,
        v: field.values(token.side, id, token.u),
      })),
    }
  );
}

const linksView = {
  build(host) {
    const n = Math.max(field.nq, field.nk),
      room = Math.max(240, Math.min(host.clientHeight || 500, innerHeight) - HEAD_PX - 4);
    this.host = host;
    host.classList.add('links');
    this.links = gather(GATHER_MS);
    this.plan = planLinks(host.clientWidth - 12, selected().length);
    this.h = room / n > 20 ? clamp(room / n, 20, 27) : 21;
    this.figureNow = new LinksFigure(this.plan, this.h, this.links.sets);
    this.canvas = element('canvas', { class: 'marks', 'aria-hidden': 'true' });
    this.heading = element('div', { class: 'heading' });
    this.lists = { q: this.list('q'), k: this.list('k') };
    const sheet = place(
      element('div', { class: 'sheet' }, this.heading, this.canvas, this.lists.q, this.lists.k),
      { width: this.plan.width, height: n * this.h + HEAD_PX },
    );
    host.replaceChildren(sheet);
    host.onscroll = bound(() => {
      this.showTokens();
      this.draw();
    });
    this.pen = null;
    this.showTokens();
    this.drawNow();
    this.gatherMore();
  },
  /* Of many heads the rest, in slices, so that the page answers meanwhile. */
  gatherMore() {
    if (!this.links.missing) return;
    const { canvas } = this;
    setTimeout(
      bound(() => {
        if (canvas !== this.canvas || !canvas.isConnected || views.links !== this) return;
        this.links = gather(GATHER_MS);
        this.figureNow.sets = this.links.sets;
        this.draw();
        this.gatherMore();
      }),
    );
  },
  list(side) {
    const { plan, h } = this,
      units = field.units(side);
    const list = place(
      element('ol', {
        class: `tokens ${side}`,
        role: 'listbox',
        'aria-label':
          side === 'q' ? 'Queries: tokens that attend' : 'Keys: tokens that are attended to',
      }),
      { left: side === 'q' ? plan.bars : plan.right, width: plan.tokens, height: units.length * h },
    );
    const at = (event) =>
      clamp(
        Math.floor((event.clientY - list.getBoundingClientRect().top) / h),
        0,
        units.length - 1,
      );
    const on = (name, call) => list.addEventListener(name, bound(call));
    on('pointermove', (event) => {
      if (event.pointerType !== 'touch') this.point({ side, u: at(event) });
    });
    on('pointerleave', () => this.point(null));
    on('click', (event) => pin(side, at(event)));
    on('focusin', (event) => {
      if (event.target.matches(':focus-visible')) {
        this.point({ side, u: +event.target.dataset.u });
        sayToken(side, +event.target.dataset.u);
      }
    });
    on('focusout', () => this.point(null));
    on('keydown', (event) => this.key(event, side, +event.target.dataset.u));
    return list;
  },
  /* Of long lists only the tokens near the window are elements. */
  showTokens() {
    const { host, h } = this,
      room = Math.min(host.clientHeight || 600, innerHeight);
    for (const side of ['q', 'k']) {
      const list = this.lists[side],
        n = field.units(side).length,
        from = clamp(Math.floor(host.scrollTop / h) - TOKENS_BESIDE, 0, n),
        to = Math.min(n, Math.ceil((host.scrollTop + room) / h) + TOKENS_BESIDE);
      for (const li of [...list.children]) {
        const u = +li.dataset.u;
        if ((u < from || u >= to) && li !== document.activeElement) li.remove();
      }
      const there = new Map([...list.children].map((li) => [+li.dataset.u, li]));
      let next = list.firstChild;
      for (let u = from; u < to; u++) {
        const li = there.get(u);
        if (li) next = li.nextSibling;
        else list.insertBefore(this.token(side, u), next);
      }
      if (!find('[tabindex="0"]', list)) list.firstChild?.setAttribute('tabindex', 0);
    }
  },
  token(side, u) {
    const unit = field.units(side)[u];
    return place(
      element(
        'li',
        {
          role: 'option',
          'aria-selected': 'false',
          'aria-setsize': field.units(side).length,
          'aria-posinset': u + 1,
          tabindex: -1,
          'data-u': u,
          class: unit.special ? 'special' : null,
          title: unit.label,
        },
        element('small', { text: this.plan.wide ? String(unit.at[0]) : '', 'aria-hidden': 'true' }),
        element('bdi', { text: unit.label }),
      ),
      { top: u * this.h, height: this.h },
    );
  },
  itemOf: (list, u) => find(`[data-u="${u}"]`, list),
  go(side, to) {
    const u = clamp(to, 0, field.units(side).length - 1),
      list = this.lists[side];
    this.jump({ side, u });
    this.showTokens();
    const li = this.itemOf(list, u);
    for (const old of list.querySelectorAll('[tabindex="0"]')) old.setAttribute('tabindex', -1);
    li.setAttribute('tabindex', 0);
    li.focus();
  },
  key(event, side, u) {
    const to = {
      ArrowDown: u + 1,
      ArrowUp: u - 1,
      Home: 0,
      End: Infinity,
      PageDown: u + 10,
      PageUp: u - 10,
    }[event.key];
    if (to !== undefined) this.go(side, to);
    else if (event.key === 'ArrowLeft') this.go('q', u);
    else if (event.key === 'ArrowRight') this.go('k', u);
    else if (event.key === ' ' || event.key === 'Enter') pin(side, u);
    else return;
    event.preventDefault();
  },
  point(token) {
    if (hover?.side === token?.side && hover?.u === token?.u) return;
    hover = token;
    eachPane(() => views.links.draw());
  },
  draw() {
    this.waiting ??= requestAnimationFrame(
      bound(() => {
        this.waiting = null;
        if (this.canvas?.isConnected) this.drawNow();
      }),
    );
  },
  drawNow() {
    const { plan, h, host } = this,
      n = Math.max(field.nq, field.nk),
      start = performance.now();
    const height = Math.max(50, Math.min((host.clientHeight || 600) - HEAD_PX, n * h)),
      top = clamp(host.scrollTop, 0, Math.max(0, n * h - height));
    const act = actOf(hover && hover.u < field.units(hover.side).length ? hover : pinned());
    if (!this.pen || this.height !== height) {
      this.pen = new CanvasPen(this.canvas, plan.width, height);
      this.height = height;
    }
    this.pen.clear(0, 0, plan.width, height);
    this.figureNow.lines(this.pen, this.links.list, act, top, height);
    this.drawBars(this.figureNow, this.pen, act, top, height);
    this.mark(act);
    place(this.canvas, { marginBottom: -height });
    timing.hover = performance.now() - start;
  },
  drawBars(figure, pen, act, top, height) {
    if (act) figure.bars(pen, act.values, other(act.side), top, height, 0.005);
    else figure.bars(pen, received(), 'k', top, height, 0.095);
  },
  /* The tokens that are meant, and what stands above the columns. */
  mark(act) {
    for (const li of this.marked ?? []) li.classList.remove('on', 'strong', 'pinned');
    this.marked = [];
    const put = (side, u, name) => {
      const li = this.itemOf(this.lists[side], u);
      if (!li) return;
      li.classList.add(name);
      this.marked.push(li);
    };
    const stays = pinned();
    if (stays) put(stays.side, stays.u, 'pinned');
    if (act) {
      put(act.side, act.u, 'on');
      for (const li of this.lists[other(act.side)].children) {
        const u = +li.dataset.u;
        if (act.values.some(({ v }) => Math.abs(v[u]) >= 0.1)) put(other(act.side), u, 'strong');
      }
    }
    this.head(act);
    foot();
  },
  head(act) {
    const { plan } = this,
      side = act ? other(act.side) : 'k',
      values = act ? act.values : received();
    const put = (x, s, end, slot) => {
      const e = place(
        element('span', { text: s, class: slot === undefined ? null : 'of' }),
        end ? { right: plan.width - x } : { left: x },
      );
      if (slot !== undefined) e.style.borderColor = colour(slot);
      return e;
    };
    const [queries, keys] = text.cross
      ? ['decoder: attends from', 'encoder: attended to']
      : ['query: attends from', 'key: attended to'];
    const names =
      !act && widthOf(keys, 12) + 16 <= plan.tokens
        ? [queries, keys]
        : text.cross
          ? ['decoder', 'encoder']
          : ['query', 'key'];
    const out = side === 'k' ? 1 : -1,
      x0 = side === 'k' ? plan.right + plan.tokens + 4 : plan.bars - 4;
    const each =
      plan.columns === values.length && plan.wide
        ? values.map(({ id, slot }, i) =>
            put(
              x0 + out * i * plan.each,
              `${text.heads[id].name}${act ? '' : ' mean'}`,
              out < 0,
              slot,
            ),
          )
        : values.length
          ? [put(x0, values.length > 1 ? 'mean' : text.heads[values[0].id].name, out < 0)]
          : [];
    this.heading.replaceChildren(
      put(plan.left - 6, names[0], true),
      put(plan.right + 6, names[1]),
      ...each,
    );
  },
  jump(token) {
    const y = token.u * this.h;
    if (y < this.host.scrollTop || y > this.host.scrollTop + this.host.clientHeight - 60)
      this.host.scrollTop = y - this.host.clientHeight / 2;
  },
  note() {
    const { list, floor, all, total, missing } = this.links;
    if (missing) return `the links of ${count(missing, 'head')} are still to come`;
    if (floor > 0)
      return `the ${list.length.toLocaleString('en')} strongest of ${count(total, 'link')} (at least ${short(floor)})`;
    return `${list.length.toLocaleString('en')} of ${count(all, 'link')}`;
  },
  figure() {
    const links = gather(),
      plan = planLinks(900, selected().length),
      n = Math.max(field.nq, field.nk),
      h = n > 80 ? 15 : 22;
    return {
      w: plan.width + 40,
      h: n * h + 118,
      draw: (pen) => {
        const at = shifted(pen, 20, 52),
          figure = new LinksFigure(plan, h, links.sets),
          act = actOf(pinned());
        figure.lines(at, links.list, act, 0, n * h);
        this.drawBars(figure, at, act, 0, n * h);
        for (const side of ['q', 'k'])
          field
            .units(side)
            .forEach((unit, u) =>
              at.text(side === 'q' ? plan.left - 6 : plan.right + 6, u * h + h / 2, unit.label, {
                size: Math.min(14, h * 0.7),
                anchor: side === 'q' ? 'end' : 'start',
                max: plan.tokens - 8,
                fill: unit.special ? ink.soft : ink.ink,
                weight: act?.side === side && act.u === u ? 700 : 400,
              }),
            );
        drawLegend(pen, 20, n * h + 76, plan.width);
      },
    };
  },
};

/* The selected heads with their lines. */
function drawLegend(pen, x, y, width) {
  let at = x;
  for (const { id, slot } of few() && !field.signed ? selected() : []) {
    const label = `${text.heads[id].name} ${typeOf(id)}`.trim(),
      w = widthOf(label, 11) + 46;
    if (at + w > x + width) break;
    pen.curve(at, y, at + 24, y, colour(slot), 3, 1, dash(slot));
    pen.text(at + 30, y, label, { size: 11 });
    at += w;
  }
}

function pin(side, u) {
  state.p = state.p === side + u ? '' : side + u;
  state.q = -1;
  keepAddress();
  sayToken(side, u);
  eachPane(() => views[state.v].draw?.());
}

/* For those who cannot see the lines: the strongest links of a token. */
function sayToken(side, u) {
  const parts = actOf({ side, u })
    .values.slice(0, 4)
    .map(({ id, v }) => {
      const best = range(v.length)
        .sort((a, b) => Math.abs(v[b]) - Math.abs(v[a]))
        .slice(0, 3)
        .filter((i) => v[i] !== 0);
      return `${text.heads[id].name}: ${best.map((i) => `${field.units(other(side))[i].label} ${short(v[i])}`).join(', ') || 'nothing'}`;
    });
  say(
    `${field.units(side)[u].label}, ${side === 'q' ? 'attends to' : 'is attended to by'}: ${parts.join('; ')}`,
  );
}
