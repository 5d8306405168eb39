/* SPDX-License-Identifier: MIT
   The statistics of all heads, as a table that any column sorts. */
const NUMBERS_ROW = 26;

const numbersView = {
  build(host) {
    host.classList.remove('links');
    this.host = host;
    const [key, back] = [state.sort.replace(/^-/, ''), state.sort.startsWith('-')];
    const head = element(
      'tr',
      {},
      this.heading('', 'head', 'layer and head', key, back),
      this.typed() ? this.heading('type', 'type', 'what the head is', key, back) : null,
      ...text.metrics.map((m) =>
        this.heading(m.name, m.name, m.unit ? `${m.help} (${m.unit})` : m.help, key, back),
      ),
    );
    this.body = element('tbody');
    this.ids = this.order(key, back);
    this.ranges = text.metrics.map(rangeOfMetric);
    host.replaceChildren(
      element(
        'table',
        {},
        element('caption', { class: 'unseen', text: 'Statistics of each head' }),
        element('thead', {}, head),
        this.body,
      ),
    );
    this.rows = new Rows(host, this.body, {
      n: this.ids.length,
      height: NUMBERS_ROW,
      make: (i) => this.row(this.ids[i]),
    });
  },
  typed() {
    return text.types.some((t) => t !== null);
  },
  heading(key, label, help, now, back) {
    const on = key === now,
      next = on ? (back ? '' : `-${key}`) : key;
    return element(
      'th',
      { scope: 'col', 'aria-sort': on && key ? (back ? 'ascending' : 'descending') : null },
      element('button', {
        title: help,
        text: label + (on && key ? (back ? ' ▲' : ' ▼') : ''),
        on: {
          click: () => {
            state.sort = key === '' ? '' : next;
            changed('sort');
          },
        },
      }),
    );
  },
  order(key, back) {
    const ids = range(text.heads.length),
      value = text.metric[key]?.value;
    if (key === 'type') ids.sort((a, b) => typeOf(a).localeCompare(typeOf(b)) || a - b);
    else if (value) ids.sort((a, b) => (value[b] ?? -Infinity) - (value[a] ?? -Infinity) || a - b);
    return back ? ids.reverse() : ids;
  },
  row(id) {
    const box = element('input', {
      type: 'checkbox',
      'data-id': id,
      checked: slotOf(id) >= 0,
      on: { change: () => toggle(id) },
    });
    const cells = text.metrics.map((m, i) => {
      const { low, top } = this.ranges[i],
        cell = element('td', { class: 'number', text: statistic(m.value[id]) });
      if (low >= 0) cell.style.setProperty('--share', String((m.value[id] ?? 0) / top));
      return cell;
    });
    const row = element(
      'tr',
      { class: slotOf(id) >= 0 ? 'on' : null },
      element('th', { scope: 'row' }, element('label', {}, box, text.heads[id].name)),
      this.typed()
        ? element('td', { class: 'type', text: typeOf(id), title: text.caption[typeOf(id)] })
        : null,
      ...cells,
    );
    row.addEventListener(
      'pointerenter',
      bound(() => describeHead(id)),
    );
    return row;
  },
  refresh() {
    for (const box of this.body.querySelectorAll('input')) {
      const slot = slotOf(+box.dataset.id);
      box.checked = slot >= 0;
      box.closest('tr').classList.toggle('on', slot >= 0);
    }
  },
  jump() {},
  note() {
    return field.signed
      ? 'the first less the second'
      : 'the same numbers as mha-viz stats prints';
  },
  figure() {
    return null;
  },
};
const VIEW_KINDS = {
  links: linksView,
  matrix: matrixView,
  picture: pictureView,
  model: modelView,
  trace: traceView,
  neuron: neuronView,
  numbers: numbersView,
};
