/* SPDX-License-Identifier: MIT
   What is seen, as files. */
function title() {
  const what = compared
    ? `${nameOf(panes[0].text)} ${isDifference() ? '−' : 'beside'} ${nameOf(compared)}`
    : text.text || text.input || 'ids';
  return text.pair === undefined ? what : `${what} | ${text.pair}`;
}

/* What is shown, and what was done to it, in a line. */
function caption() {
  const parts = [text.model, ...(text.stack === 'cross' ? ['cross-attention'] : [])];
  if (state.w) parts.push('words in place of their pieces');
  if (state.x)
    parts.push(
      `hidden: ${[...state.x].map((c) => ({ s: 'special tokens', f: 'the first token' })[c]).join(', ')}`,
    );
  if (field.rescaled) parts.push('rows rescaled to 1');
  if (state.b !== 'all') parts.push(`only ${state.b[0]} to ${state.b[1]}`);
  if (state.v === 'links') parts.push(`links that hold ${state.s} % of a row`);
  else if (state.v === 'trace') parts.push(HEADS_OF_TRACE[state.of]);
  if (state.v === 'picture') parts.push(`attention of ${views.picture.queryName()}`);
  if (['matrix', 'picture', 'model', 'trace'].includes(state.v))
    parts.push(`colours: ${{ linear: 'linear', sqrt: 'square root', log: 'logarithm' }[state.f]}`);
  if (text.weight !== 'plain') parts.push(`weights times norms (${text.weight})`);
  return `${parts.join('; ')}${text.changes}.`;
}

function drawFigure(pen, figure) {
  pen.text(20, 20, title(), { size: 13, weight: 700, max: figure.w - 40 });
  figure.draw(pen);
  pen.text(20, figure.h - 18, caption(), { size: 11, fill: ink.soft, max: figure.w - 40 });
}
function svgOf(figure) {
  const pen = new SvgPen(figure.w, figure.h, title());
  drawFigure(pen, figure);
  return pen.svg;
}

function download(name, blob) {
  const link = element('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const fileName = (ending) => `attention-${state.t + 1}-${state.v}.${ending}`;

/* The table has no picture; nor has a view without heads. */
const figureOfPane = () =>
  state.v === 'numbers' || isEmpty()
    ? views.model.figure()
    : views[state.v].figure();
function figureNow() {
  if (panes.length === 1) return figureOfPane();
  const parts = eachPane(() => figureOfPane());
  return {
    w: parts[0].w + parts[1].w,
    h: Math.max(...parts.map((p) => p.h)) + 20,
    draw: (pen) =>
      eachPane((p, i) => {
        const at = shifted(pen, i * parts[0].w, 20);
        at.text(20, 22, nameOf(text), { size: 12, weight: 700, max: parts[i].w - 40 });
        parts[i].draw(at);
      }),
  };
}

function saveSvg() {
  download(
    fileName('svg'),
    new Blob([new XMLSerializer().serializeToString(svgOf(figureNow()))], {
      type: 'image/svg+xml',
    }),
  );
}
function savePng() {
  const figure = figureNow(),
    canvas = element('canvas'),
    scale = Math.min(2, 16000 / figure.w, 16000 / figure.h);
  const pen = new CanvasPen(canvas, figure.w, figure.h, scale);
  pen.rect(0, 0, figure.w, figure.h, ink.ground);
  drawFigure(pen, figure);
  canvas.toBlob((blob) => {
    if (blob) download(fileName('png'), blob);
    else say('The picture is too large for this browser.');
  });
}

const cell = (s) =>
  String(s)
    .replace(/\\/g, '\\\\')
    .replace(/\t/g, '\\t')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r');
function tsvOfHeads() {
  const lines = [['layer', 'head', 'type', ...text.metrics.map((m) => m.name)]];
  text.heads.forEach((h, id) =>
    lines.push([h.layer, h.head, typeOf(id), ...text.metrics.map((m) => m.value[id] ?? '')]),
  );
  return lines;
}
function tsvOfLinks() {
  const lines = [['layer', 'head', 'query', 'query_label', 'key', 'key_label', 'weight']];
  for (const { id } of ready()) {
    const { layer, head } = text.heads[id];
    for (let q = 0; q < field.nq; q++)
      field.row(id, q).forEach((w, k) => {
        if (Math.abs(w) >= 0.0005)
          lines.push([
            layer,
            head,
            field.queries[q].at[0],
            cell(field.queries[q].label),
            field.keys[k].at[0],
            cell(field.keys[k].label),
            +w.toPrecision(4),
          ]);
      });
  }
  return lines;
}
function saveTsv() {
  const neuron = state.v === 'neuron' && selected().length && views.neuron.found;
  const lines = neuron
    ? tsvOfNeuron()
    : state.v === 'trace' && !isEmpty() && views.trace.found
      ? tsvOfTrace()
      : state.v === 'numbers' || state.v === 'model'
        ? tsvOfHeads()
        : tsvOfLinks();
  download(
    fileName('tsv'),
    new Blob([lines.map((l) => `${l.join('\t')}\n`).join('')], {
      type: 'text/tab-separated-values',
    }),
  );
}
async function copyAddress() {
  if (location.protocol === 'about:') {
    say('In a frame the page has no address: save it as a file');
    return;
  }
  history.replaceState(null, '', toAddress());
  try {
    await navigator.clipboard.writeText(location.href);
    say('Address copied');
  } catch {
    say('The address bar has it');
  }
}

/* On paper the page is its figure, on white. */
function beforePrint() {
  const was = root.dataset.theme;
  root.dataset.theme = 'light';
  readInk();
  thumbs.clear();
  find('.printed').replaceChildren(svgOf(figureNow()));
  root.dataset.theme = was;
  readInk();
}
