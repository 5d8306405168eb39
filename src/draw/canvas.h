/* SPDX-License-Identifier: MIT
 *
 * Rows of character cells, as a terminal shows them: what stands in each, its colour and the
 * colour of its ground.  Rows are added as they are written to. */
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/terminal.h"

enum { CANVAS_PLAIN = -1,       /* the colour that the terminal has by itself */
       CANVAS_LEAST = 20 };     /* columns that any picture needs */

struct glyph {
    const char *text;           /* clean, of one or two columns; NULL: a space; "": the second
                                   column of what stands before it */
    int ink, ground;            /* 0xrrggbb, or CANVAS_PLAIN */
    bool bold;
};

struct canvas {
    struct arena *arena;
    enum terminal_way way;      /* which of it is written */
    int n_columns, n_rows;
    int room;                   /* rows that glyph has memory for */
    struct glyph *glyph;        /* [n_rows, n_columns] */
};

void canvas_init(struct canvas *c, struct arena *a, const struct terminal *t);

/* Of a row that may be the next one, or lie below. */
struct glyph *canvas_at(struct canvas *c, int row, int column);

/* Columns of clean text. */
int canvas_width(const char *clean);

/*
 * The first character of clean s[n], n > 0, which has a letter's marks with it, where there
 * is room for it; returns its bytes.
 */
size_t canvas_put(struct canvas *c, int row, int column, const char *s, size_t n, bool bold);

/*
 * A line of clean text in at most `most` columns, cut with "…" where it has more; at most to
 * the edge.  Returns the columns it takes.
 */
int canvas_text(struct canvas *c, int row, int column, int most, const char *clean, bool bold);

/* Clean text from this row on, broken between words; the row after it. */
int canvas_paragraph(struct canvas *c, int row, const char *clean, bool bold);

/* Errors are the file's. */
void canvas_write(const struct canvas *c, FILE *f);

/* The nearest of the 256 colours of xterm that no terminal's theme changes: 16 to 255. */
int canvas_colour_256(int rgb);

#endif
