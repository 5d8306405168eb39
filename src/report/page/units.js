/* SPDX-License-Identifier: MIT
   What is shown of a text: units are tokens, or words in their place, without those that are
   hidden.  A word is, as a key, the sum of its pieces and, as a query, their mean. */
function unitsOf(side, choice, second) {
  const groups = [],
    special = new Set(side.special),
    of = new Set(side.second ?? []);
  side.labels.forEach((label, i) => {
    const word = choice.words && side.word ? side.word[i] : -1,
      last = groups.at(-1);
    if (word >= 0 && last && last.word === word) last.at.push(i);
    else
      groups.push({
        label: word >= 0 ? side.words[word] : label,
        word,
        special: special.has(i),
        second: of.has(i),
        at: [i],
      });
  });
  const kept = groups.filter(
    (u) =>
      !(choice.hideSpecial && u.special) &&
      !(choice.hideFirst && u.at[0] === 0) &&
      (second === null || u.second === second),
  );
  return { all: groups.length, units: kept };
}

const BETWEEN = {
  all: [null, null],
  AA: [false, false],
  AB: [false, true],
  BA: [true, false],
  BB: [true, true],
};

class Field {
  constructor(text, choice) {
    const [q, k] = BETWEEN[choice.between] ?? BETWEEN.all;
    const queries = unitsOf(text.queries, choice, q),
      keys = unitsOf(text.keys, choice, k);
    this.text = text;
    this.queries = queries.units;
    this.keys = keys.units;
    this.nq = this.queries.length;
    this.nk = this.keys.length;
    this.hidden = queries.all - this.nq + keys.all - this.nk;
    this.rescaled = choice.rescale && keys.all > this.nk;
    this.plain = this.nq === text.nq && this.nk === text.nk;
    this.same = !text.cross && q === k; /* queries and keys are the same units */
    this.buffer = new Float32Array(text.nk);
    this.cache = new Map();
    this.signed = false;
  }
  /* Whether a query of [q0, q1) of the head sees a key of [k0, k1); a word sees another where one
     of its pieces sees one. */
  seer(id) {
    const { queries, keys, text } = this,
      { seen, triangle } = text.loaded[text.heads[id].block];
    if (!seen.length)
      return (q0, q1, k0) => !triangle || keys[k0].at[0] <= queries[q1 - 1].at.at(-1);
    const sees = (q, k) => queries[q].at.some((t) => keys[k].at.some((s) => seesOf(text, id, t, s)));
    return (q0, q1, k0, k1) => {
      for (let q = q0; q < q1; q++) for (let k = k0; k < k1; k++) if (sees(q, k)) return true;
      return false;
    };
  }
  sees(id, q, k) {
    return this.seer(id)(q, q + 1, k, k + 1);
  }
  /* Query q over the keys: out [nk] */
  row(id, q, out = new Float32Array(this.nk)) {
    if (this.plain) {
      weightsOf(this.text, id, q, out);
      return out;
    }
    const { at } = this.queries[q];
    out.fill(0);
    for (const piece of at) {
      weightsOf(this.text, id, piece, this.buffer);
      for (let k = 0; k < this.nk; k++)
        for (const p of this.keys[k].at) out[k] += this.buffer[p] / at.length;
    }
    if (!this.rescaled) return out;
    const sum = out.reduce((a, v) => a + v, 0);
    if (sum > 0) for (let k = 0; k < this.nk; k++) out[k] /= sum;
    return out;
  }
  /* All queries: [nq, nk]; some heads are kept. */
  full(id) {
    let a = this.cache.get(id);
    if (a) return a;
    a = new Float32Array(this.nq * this.nk);
    for (let q = 0; q < this.nq; q++) this.row(id, q, a.subarray(q * this.nk, (q + 1) * this.nk));
    if (this.cache.size >= 40) this.cache.delete(this.cache.keys().next().value);
    this.cache.set(id, a);
    return a;
  }
  /* Key k over the queries: [nq] */
  column(id, k) {
    const { text } = this,
      out = new Float32Array(this.nq),
      kept = this.cache.get(id);
    if (!kept && !this.plain) this.full(id);
    const a = this.cache.get(id);
    if (a) {
      for (let q = 0; q < this.nq; q++) out[q] = a[q * this.nk + k];
      return out;
    }
    const { block: b, at } = text.heads[id],
      { max, code, triangle } = text.loaded[b];
    const T = text.nq,
      table = square[text.bits],
      base = (at * T * (T + 1)) / 2;
    for (let q = triangle ? k : 0; q < T; q++)
      out[q] =
        max[at * T + q] *
        table[code[triangle ? base + (q * (q + 1)) / 2 + k : (at * T + q) * text.nk + k]];
    return out;
  }
  values(side, id, u) {
    return side === 'q' ? this.row(id, u) : this.column(id, u);
  }
  units(side) {
    return side === 'q' ? this.queries : this.keys;
  }
}
