/* Which links are drawn: of each row the strongest that together hold a share of it, none below a
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

function linksOf(id) {
  const row = new Float32Array(field.nk),
    sign = field.signed ? new Float32Array(field.nk) : row,
    bins = new Float64Array(256),
    received = new Float64Array(field.nk);
  const out = { q: [], k: [], w: [], all: 0, received };
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
    const least = Math.max(state.min, leastOfRow(row, max, sum, state.s / 100, bins), 5e-4);
    for (let k = 0; k < field.nk; k++)
      if (row[k] >= least) {
        out.q.push(q);
        out.k.push(k);
        out.w.push(sign[k]);
      }
  }
  return out;
}

/* The weight that MOST_LINKS links reach. */
function floorOf(sets) {
  const bins = new Uint32Array(2049);
  for (const { links } of sets)
    for (const w of links.w) bins[Math.floor(Math.sqrt(Math.min(Math.abs(w), 1)) * 2048)]++;
  let n = 0,
    b = 2048;
  while (b >= 0 && n + bins[b] <= MOST_LINKS) n += bins[b--];
  return b < 0 ? 0 : ((b + 1) / 2048) ** 2;
}

function gather() {
  const key = [state.s, state.min].join('|'),
    gathered = (field.gathered ??= { key: '', cache: new Map() });
  if (gathered.key !== key) {
    gathered.cache.clear();
    gathered.key = key;
  }
  const sets = ready().map(({ id, slot }) => {
    if (!gathered.cache.has(id)) gathered.cache.set(id, linksOf(id));
    return { id, slot, links: gathered.cache.get(id) };
  });
  const floor = floorOf(sets),
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
    total: sets.reduce((n, s) => n + s.links.w.length, 0),
  };
}
