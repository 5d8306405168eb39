/* SPDX-License-Identifier: MIT
   The page of attention, put together from the files of this folder; end.js closes the function.
   What comes from a text or a model goes to the page through textContent or a canvas alone,
   never as markup. */
'use strict';
(() => {
