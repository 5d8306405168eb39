/* SPDX-License-Identifier: MIT
   Which links are drawn: of each row the strongest that together hold a share of it, none below a
   least weight, and of those the strongest MOST_LINKS. */
const MOST_LINKS = 4000;

/* The least weight with which the strongest of a row still hold `share` of its sum; a histogram of
   square roots, which is how weights are kept, stands for sorting. */
function leastOfRow(row, max, sum, share, bins) {
  if (share >= 1) return 0;
  bins.fill(0);
  for (const v of row) bins[Math.floor(Math.sqrt(v / max) * 255)] += v;
  let b = 255,
    held = bins[255];
  while (b > 0 && held < sum * share) held += bins[--b];
  return max * (b / 255) ** 2 * 0.999999;
}

/* Bins of square roots, which is how weights are kept. */
const BINS = 2049;
const binOf = (w) => Math.floor(Math.sqrt(Math.min(Math.abs(w), 1)) * (BINS - 1));

/* The weight that at most `most` of those in the bins reach. */
function floorOf(bins, most) {
  let n = 0,
    b = BINS - 1;
  while (b >= 0 && n + bins[b] <= most) n += bins[b--];
  return b < 0 ? 0 : ((b + 1) / (BINS - 1)) ** 2;
}

/* The links of a head, of which only the strongest are listed; bins has all of them. */
function linksOf(id) {
  const row = new Float32Array(field.nk),
    sign = field.signed ? new Float32Array(field.nk) : row,
    held = new Float64Array(256),
    received = new Float64Array(field.nk);
  const out = { q: [], k: [], w: [], all: 0, total: 0, received, bins: new Uint32Array(BINS) };
  let floor = 0;
  for (let q = 0; q < field.nq; q++) {
    field.row(id, q, row);
    let max = 0,
      sum = 0;
    if (field.signed) sign.set(row);
    for (let k = 0; k < field.nk; k++) {
      received[k] += row[k] / field.nq;
      const v = (row[k] = Math.abs(row[k]));
      sum += v;
      if (v > max) max = v;
      if (v > 0) out.all++;
    }
    if (max === 0) continue;
    const least = Math.max(state.min, leastOfRow(row, max, sum, state.s / 100, held), 5e-4);
    for (let k = 0; k < field.nk; k++) {
      if (row[k] < least) continue;
      out.total++;
      out.bins[binOf(row[k])]++;
      if (row[k] < floor) continue;
      out.q.push(q);
      out.k.push(k);
      out.w.push(sign[k]);
    }
    if (out.w.length > 2 * MOST_LINKS) {
      floor = floorOf(out.bins, MOST_LINKS);
      keepLinks(out, floor);
    }
  }
  return packLinks(out);
}
function keepLinks(links, floor) {
  let n = 0;
  links.w.forEach((w, i) => {
    if (Math.abs(w) < floor) return;
    links.q[n] = links.q[i];
    links.k[n] = links.k[i];
    links.w[n++] = w;
  });
  links.q.length = links.k.length = links.w.length = n;
}
const packLinks = (links) =>
  Object.assign(links, {
    q: Uint32Array.from(links.q),
    k: Uint32Array.from(links.k),
    w: Float32Array.from(links.w),
    bins: compact(links.bins),
  });
/* The bins that hold something, as many heads have few. */
const compact = (bins) =>
  Uint32Array.from([...bins.entries()].filter(([, n]) => n > 0).flat());

/* Links of all selected heads, as far as there was time for them: `missing` are left. */
const GATHER_MS = 60;
function gather(ms = Infinity) {
  const start = performance.now(),
    key = [state.s, state.min].join('|'),
    gathered = (field.gathered ??= { key: '', cache: new Map() });
  if (gathered.key !== key) {
    gathered.cache.clear();
    gathered.key = key;
  }
  const sets = [],
    heads = ready();
  for (const { id, slot } of heads) {
    if (!gathered.cache.has(id)) {
      if (sets.length && performance.now() - start > ms) continue;
      gathered.cache.set(id, linksOf(id));
    }
    sets.push({ id, slot, links: gathered.cache.get(id) });
  }
  return { ...listOf(sets), missing: heads.length - sets.length };
}
/* The strongest of them all, the weakest first. */
function listOf(sets) {
  const bins = new Uint32Array(BINS);
  for (const { links } of sets)
    for (let i = 0; i < links.bins.length; i += 2) bins[links.bins[i]] += links.bins[i + 1];
  const floor = floorOf(bins, MOST_LINKS),
    list = [];
  sets.forEach(({ slot, links }, i) =>
    links.w.forEach((w, at) => {
      if (Math.abs(w) >= floor) list.push([w, links.q[at], links.k[at], slot, i]);
    }),
  );
  list.sort((a, b) => Math.abs(a[0]) - Math.abs(b[0]));
  return {
    sets,
    list,
    floor,
    all: sets.reduce((n, s) => n + s.links.all, 0),
    total: sets.reduce((n, s) => n + s.links.total, 0),
  };
}

/* Of a token's links those that are drawn: at least `least`, and the strongest `most`. */
function strongestOf(values, least, most) {
  const bins = new Uint32Array(BINS);
  for (const { v } of values)
    for (const w of v) if (w >= least || w <= -least) bins[binOf(w)]++;
  const floor = Math.max(least, floorOf(bins, most)),
    out = [];
  values.forEach(({ slot, v }, i) =>
    v.forEach((w, u) => {
      if (w >= floor || w <= -floor) out.push([w, u, slot, i]);
    }),
  );
  return out.sort((a, b) => Math.abs(a[0]) - Math.abs(b[0]));
}
