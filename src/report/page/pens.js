/* SPDX-License-Identifier: MIT
   Two pens with the same verbs, so that the screen, PNG and SVG agree. */
class CanvasPen {
  constructor(canvas, w, h, scale = devicePixelRatio || 1) {
    canvas.width = Math.max(1, Math.round(w * scale));
    canvas.height = Math.max(1, Math.round(h * scale));
    place(canvas, { width: w, height: h });
    this.context = canvas.getContext('2d');
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.scale = scale;
  }
  clear(x, y, w, h) {
    this.context.clearRect(x, y, w, h);
  }
  rect(x, y, w, h, fill, stroke, width = 1) {
    const c = this.context;
    if (fill) {
      c.fillStyle = fill;
      c.fillRect(x, y, w, h);
    }
    if (stroke) {
      c.strokeStyle = stroke;
      c.lineWidth = width;
      c.strokeRect(x, y, w, h);
    }
  }
  curve(x1, y1, x2, y2, stroke, width, alpha, dashes) {
    const c = this.context,
      middle = (x1 + x2) / 2;
    c.globalAlpha = alpha;
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.setLineDash(dashes);
    c.beginPath();
    c.moveTo(x1, y1);
    c.bezierCurveTo(middle, y1, middle, y2, x2, y2);
    c.stroke();
    c.globalAlpha = 1;
  }
  text(
    x,
    y,
    s,
    { size = 12, fill = ink.ink, anchor: side = 'start', weight = 400, turn = 0, max = 0 } = {},
  ) {
    const c = this.context;
    c.font = `${weight} ${size}px ${ink.font}`;
    c.fillStyle = fill;
    c.textBaseline = 'middle';
    c.textAlign = { start: 'left', middle: 'center', end: 'right' }[side];
    c.save();
    c.translate(x, y);
    c.rotate((turn * Math.PI) / 180);
    c.fillText(max ? fit(s, max, size, weight) : s, 0, 0);
    c.restore();
  }
  image(canvas, x, y, w, h) {
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(canvas, x, y, w, h);
  }
}

class SvgPen {
  constructor(w, h, title) {
    this.scale = 2;
    this.svg = this.make('svg', {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${w} ${h}`,
      width: w,
      height: h,
      'font-family': ink.font,
    });
    const name = this.make('title');
    name.textContent = title;
    this.svg.append(name);
    this.rect(0, 0, w, h, ink.ground);
  }
  make(tag, set = {}) {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const key in set)
      e.setAttribute(key, typeof set[key] === 'number' ? +set[key].toFixed(2) : set[key]);
    return e;
  }
  clear() {}
  rect(x, y, w, h, fill, stroke, width = 1) {
    this.svg.append(
      this.make('rect', {
        x,
        y,
        width: w,
        height: h,
        fill: fill || 'none',
        ...(stroke ? { stroke, 'stroke-width': width } : {}),
      }),
    );
  }
  curve(x1, y1, x2, y2, stroke, width, alpha, dashes) {
    const middle = (x1 + x2) / 2,
      r = (v) => +v.toFixed(1);
    this.svg.append(
      this.make('path', {
        d: `M${r(x1)} ${r(y1)}C${r(middle)} ${r(y1)} ${r(middle)} ${r(y2)} ${r(x2)} ${r(y2)}`,
        fill: 'none',
        stroke,
        'stroke-width': width,
        'stroke-opacity': alpha,
        ...(dashes.length ? { 'stroke-dasharray': dashes.join(' ') } : {}),
      }),
    );
  }
  text(
    x,
    y,
    s,
    { size = 12, fill = ink.ink, anchor: side = 'start', weight = 400, turn = 0, max = 0 } = {},
  ) {
    const e = this.make('text', {
      x,
      y,
      'font-size': size,
      fill,
      'text-anchor': side,
      'dominant-baseline': 'central',
      ...(weight !== 400 ? { 'font-weight': weight } : {}),
      ...(turn ? { transform: `rotate(${turn} ${x} ${y})` } : {}),
    });
    e.textContent = max ? fit(s, max, size, weight) : s;
    this.svg.append(e);
  }
  image(canvas, x, y, w, h) {
    this.svg.append(
      this.make('image', {
        x,
        y,
        width: w,
        height: h,
        preserveAspectRatio: 'none',
        'image-rendering': 'pixelated',
        href: canvas.toDataURL(),
      }),
    );
  }
}

/* A pen whose origin is moved. */
const shifted = (pen, dx, dy) => ({
  scale: pen.scale,
  clear() {},
  rect: (x, y, ...rest) => pen.rect(x + dx, y + dy, ...rest),
  curve: (x1, y1, x2, y2, ...rest) => pen.curve(x1 + dx, y1 + dy, x2 + dx, y2 + dy, ...rest),
  text: (x, y, ...rest) => pen.text(x + dx, y + dy, ...rest),
  image: (canvas, x, y, w, h) => pen.image(canvas, x + dx, y + dy, w, h),
});

const ruler = document.createElement('canvas').getContext('2d'),
  widths = new Map();
function widthOf(s, size, weight = 400) {
  const key = `${size}|${weight}|${s}`;
  let width = widths.get(key);
  if (width === undefined) {
    ruler.font = `${weight} ${size}px ${ink.font}`;
    width = ruler.measureText(s).width;
    widths.set(key, width);
  }
  return width;
}

const segmenter = Intl.Segmenter ? new Intl.Segmenter() : null;
const characters = (s) =>
  segmenter ? Array.from(segmenter.segment(s), (x) => x.segment) : Array.from(s);

/* Cut by width, between characters as a reader counts them. */
function fit(s, max, size, weight) {
  if (widthOf(s, size, weight) <= max) return s;
  const parts = characters(s);
  let low = 0,
    high = parts.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(`${parts.slice(0, middle).join('')}…`, size, weight) <= max) low = middle;
    else high = middle - 1;
  }
  return `${parts.slice(0, low).join('')}…`;
}

/* A label above a column: turned, but a single character stands upright. */
function textAbove(pen, x, y, s, look) {
  if (s.length < 9 && characters(s).length === 1)
    pen.text(x, y - look.size / 2, s, { ...look, anchor: 'middle' });
  else pen.text(x, y, s, { ...look, turn: -90 });
}
