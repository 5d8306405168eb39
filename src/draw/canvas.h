/* SPDX-License-Identifier: MIT
 *
 * A canvas for terminals: rows of character cells, each with a glyph, its colour and its background
 * colour.  Rows are added as they are written to. */
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/terminal.h"

enum { CANVAS_PLAIN = -1,       /* the terminal's default colour */
       CANVAS_LEAST = 20 };     /* fewest columns for a picture */

struct glyph {
    const char *text;           /* clean text of one or two columns; NULL: a space; "": the second
                                   column of the glyph before */
    int ink, ground;            /* 0xrrggbb, or CANVAS_PLAIN */
    bool bold;
};

struct canvas {
    struct arena *arena;
    enum terminal_way way;      /* kind of output: colours, or plain */
    int n_columns, n_rows;
    int room;                   /* rows allocated in glyph */
    struct glyph *glyph;        /* [n_rows, n_columns] */
};

void canvas_init(struct canvas *canvas, struct arena *a, const struct terminal *terminal);

/* The glyph at a position, whose row may be the next one, or further below. */
struct glyph *canvas_at(struct canvas *canvas, int row, int column);

/* Width of clean text in columns. */
int canvas_width(const char *clean);

/*
 * Writes the first character of clean s[n], n > 0, with its combining marks, if it fits; returns
 * its bytes.
 */
size_t canvas_put(struct canvas *canvas, int row, int column, const char *s, size_t n, bool bold);

/*
 * Writes a line of clean text in at most `most` columns, and at most to the edge, cut with "…" if
 * it is longer.  Returns its width in columns.
 */
int canvas_text(struct canvas *canvas, int row, int column, int most, const char *clean, bool bold);

/* Writes clean text from this row on, broken between words; returns the row after it. */
int canvas_paragraph(struct canvas *canvas, int row, const char *clean, bool bold);

/* Writes the canvas to file; errors are those of the stream. */
void canvas_write(const struct canvas *canvas, FILE *file);

/* The nearest of xterm's colours 16 to 255, which themes of terminals do not change. */
int canvas_colour_256(int rgb);

#endif
