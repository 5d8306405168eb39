/* SPDX-License-Identifier: MIT
 *
 * The interactive page: one file of HTML that loads nothing.  Its script and style are the files
 * of report/page/; all that comes from outside stands in it as blocks of base64, so that no
 * token can be markup.
 *
 *     <script type="text/plain" id="t0">      text 0: JSON
 *     <script type="text/plain" id="w0-3">    its weights, fourth block
 *     <script type="text/plain" id="v0-3">    queries and keys of that block
 *     <script type="text/plain" id="p0-0">    the picture that it is of: red, green and blue of
 *     each pixel,
 *                                             row by row; not of a text
 *
 * and in a live page (task/report/live.c), which has the program in it, after the first text:
 *
 *     <script type="text/plain" id="worker">  what runs it: page/worker.js
 *     <script type="text/plain" id="module">  the program: module/
 *     <script type="text/plain" id="live">    its files, and how it is called: JSON
 *     <script type="text/plain" id="f0-3">    its first file, fourth piece
 *
 * Blocks are deflated (pack.h), but for pieces of which the JSON says that they are not.  The end
 * tags of body and html are left out, as HTML allows:
 * the text's JSON says how many blocks follow it. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "base/file.h"
#include "report/pack.h"
#include "report/provenance.h"

/*
 * Everything above the first text.  Its Content-Security-Policy allows the page's own script
 * and style, by their hashes, and nothing else; of a live page also a worker of its own and
 * WebAssembly.  Of the run it says what `run` does, NULL: nothing.  ferror says whether a write has
 * failed.
 */
void page_begin(FILE *f, const char *title, bool live, const struct provenance *run,
                struct arena *a);

/* What is known of text number `text`, the blocks of its weights, its queries and keys. */
void page_text(FILE *f, int text, const struct packed *json);
void page_weights(FILE *f, int text, int block, const struct packed *weights);
void page_vectors(FILE *f, int text, int block, const struct packed *vectors);
void page_picture(FILE *f, int text, const struct packed *rgb);

/* ---- of a live page ---- */

/* Whether the program was built with the module, and its bytes. */
bool page_has_module(void);
struct span page_module_bytes(void);

void page_module(FILE *f, const struct packed *module);     /* and the worker before it */
void page_live(FILE *f, const struct packed *json);
/* packed, or where that is NULL the n bytes as they are. */
void page_piece(FILE *f, int file, int piece, const struct packed *packed, const void *bytes,
                size_t n);

#endif
