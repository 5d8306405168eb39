/* SPDX-License-Identifier: MIT
   For tests, and for who looks at the page with the browser's tools. */
window.mhaViz = { timing, state, texts, get text() { return text; }, get field() { return field; } };
start().catch((error) => {
  document.body.append(element('p', { class: 'fatal', role: 'alert', text: error.message }));
});
})();
