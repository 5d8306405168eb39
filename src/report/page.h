/* SPDX-License-Identifier: MIT
 *
 * The interactive page: one HTML file that loads nothing.  Its script and style are the files of
 * report/page/; all data are blocks of base64 in it, so that no token can be markup.
 *
 *     <script type="text/plain" id="t0">      text 0: JSON
 *     <script type="text/plain" id="w0-3">    its weights, fourth block
 *     <script type="text/plain" id="v0-3">    queries and keys of that block
 *     <script type="text/plain" id="p0-0">    the picture that is the input: red, green and
 *                                             blue of each pixel, row by row; not for a text
 *
 * and in a live page (task/report/live.c), which contains the program, after the first text:
 *
 *     <script type="text/plain" id="worker">  the worker that runs it: page/worker.js
 *     <script type="text/plain" id="module">  the program: module/
 *     <script type="text/plain" id="live">    its files and its command line: JSON
 *     <script type="text/plain" id="f0-3">    its first file, fourth piece
 *
 * Blocks are deflated (pack.h), except pieces that the JSON marks as not.  The end tags of body and
 * html are left out, as HTML allows: the text's JSON has the number of blocks that follow it. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "base/file.h"
#include "report/pack.h"
#include "report/provenance.h"

/*
 * Writes all before the first text.  Its Content-Security-Policy allows the page's own script and
 * style, by their hashes, and nothing else; in a live page also its own worker and WebAssembly.
 * run: provenance, NULL: none.  ferror tells whether a write has failed.
 */
void page_begin(FILE *file, const char *title, bool live, const struct provenance *run,
                struct arena *a);

/* Write the JSON of text number `text`, the blocks of its weights, of its queries and keys. */
void page_text(FILE *file, int text, const struct packed *json);
void page_weights(FILE *file, int text, int block, const struct packed *weights);
void page_vectors(FILE *file, int text, int block, const struct packed *vectors);
void page_picture(FILE *file, int text, const struct packed *rgb);

/* ---- live pages ---- */

/* Whether the program was built with the module, and its bytes. */
bool page_has_module(void);
struct span page_module_bytes(void);

void page_module(FILE *file, const struct packed *module); /* writes the worker, too, before it */
void page_live(FILE *file, const struct packed *json);
/* Writes a piece of a file: packed, or if that is NULL the n bytes, not deflated. */
void page_piece(FILE *f, int file, int piece, const struct packed *packed, const void *bytes,
                size_t n);

#endif
