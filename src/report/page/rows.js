/* SPDX-License-Identifier: MIT
   Rows of a table of which only those near the window are elements; all are `height` pixels high. */
const ROWS_BESIDE = 12;

class Rows {
  constructor(host, body, { n, height, make }) {
    Object.assign(this, { host, body, n, height, make, from: 0, to: 0 });
    body.closest('table').setAttribute('aria-rowcount', n);
    host.onscroll = bound(() => this.show());
    this.show(true);
  }
  show(anew = false) {
    const { host, height, n } = this,
      from = clamp(Math.floor(host.scrollTop / height) - ROWS_BESIDE, 0, n),
      to = Math.min(n, from + Math.ceil((host.clientHeight || 600) / height) + 2 * ROWS_BESIDE);
    if (!anew && from === this.from && to === this.to) return;
    Object.assign(this, { from, to });
    const old = new Map(anew ? [] : [...this.body.children].map((e) => [e.ariaRowIndex, e]));
    const row = (i) => {
      const e = old.get(String(i + 1)) ?? place(this.make(i), { height });
      e.ariaRowIndex = String(i + 1);
      return e;
    };
    this.body.replaceChildren(
      this.space(from),
      ...range(to - from).map((i) => row(from + i)),
      this.space(n - to),
    );
  }
  space(rows) {
    const e = element('tr', { 'aria-hidden': 'true' });
    return place(e, { height: rows * this.height });
  }
  /* Row i comes to where it can be seen. */
  reach(i) {
    const y = i * this.height,
      { host } = this;
    if (y < host.scrollTop || y > host.scrollTop + host.clientHeight - 80)
      host.scrollTop = y - host.clientHeight / 2;
    this.show();
  }
}
