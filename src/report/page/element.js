/* SPDX-License-Identifier: MIT
   Elements, and numbers as text. */
const root = document.documentElement;
const find = (selector, at = document) => at.querySelector(selector);

/* element('button', {class, text, on: {click}, 'aria-label'}, children...) */
function element(tag, set = {}, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(set)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'text') e.textContent = value;
    else if (key === 'on')
      for (const [name, call] of Object.entries(value)) e.addEventListener(name, bound(call));
    else if (key === 'value' || key === 'checked') e[key] = value;
    else e.setAttribute(key, value === true ? '' : value);
  }
  e.append(...children.filter((child) => child !== null && child !== undefined));
  return e;
}

/* Style by properties, which the page's policy allows; numbers are pixels. */
function place(e, props) {
  for (const key in props)
    e.style[key] = typeof props[key] === 'number' ? `${props[key]}px` : props[key];
  return e;
}

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const range = (n) => Array.from({ length: n }, (_, i) => i);

/* A weight in as few characters as say something: .43, 1.0, .004 */
function short(v) {
  if (!Number.isFinite(v)) return '–';
  if (Math.abs(v) >= 0.995) return v.toFixed(Math.abs(v) >= 10 ? 0 : 1);
  return v.toFixed(Math.abs(v) < 0.0095 ? 3 : 2).replace('0.', '.');
}
function exact(v) {
  if (v < 0) return `−${exact(-v)}`;
  if (v === 0) return '0';
  if (v >= 0.1) return v.toFixed(3);
  return v >= 0.001 ? v.toFixed(4) : v.toExponential(1);
}
function statistic(v) {
  if (v === null || v === undefined) return '–';
  const size = Math.abs(v);
  return v.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 3).replace('-', '−');
}
const count = (n, one) => `${n.toLocaleString('en')} ${one}${n === 1 ? '' : 's'}`;

/* Said to those who listen to the page. */
function say(text) {
  find('#say').textContent = text;
}
