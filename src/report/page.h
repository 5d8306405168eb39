/* SPDX-License-Identifier: MIT
 *
 * The interactive page: one file of HTML that loads nothing.  Its script and style are the files
 * of report/page/; all that comes from outside stands in it as blocks of base64, so that no
 * token can be markup.
 *
 *     <script type="text/plain" id="t0">      text 0: JSON
 *     <script type="text/plain" id="w0-3">    its weights, fourth block
 *     <script type="text/plain" id="v0-3">    queries and keys of that block
 *
 * Blocks are deflated (pack.h).  The end tags of body and html are left out, as HTML allows:
 * the text's JSON says how many blocks follow it. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include "report/pack.h"

/*
 * Everything above the first text.  Its Content-Security-Policy allows the page's own script
 * and style, by their hashes, and nothing else.  ferror says whether a write has failed.
 */
void page_begin(FILE *f, const char *title);

/* What is known of text number `text`, the blocks of its weights, its queries and keys. */
void page_text(FILE *f, int text, const struct packed *json);
void page_weights(FILE *f, int text, int block, const struct packed *weights);
void page_vectors(FILE *f, int text, int block, const struct packed *vectors);

#endif
