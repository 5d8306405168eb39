/* SPDX-License-Identifier: MIT
 *
 * A page of any format to draw on.  It is first initialised, so that text can be measured in
 * its units; then opened with its size, which follows from the layout. */
#ifndef DRAW_PAGE_H
#define DRAW_PAGE_H

#include <cairo.h>
#include <stdio.h>

#include "draw/cmap.h"
#include "draw/label.h"
#include "draw/layout.h"
#include "draw/sheet.h"
#include "draw/text.h"

struct buffer { char *data; size_t n, cap; bool full; };    /* full: no memory */

/* A tooltip in an SVG; clean text. */
struct page_note { struct box at; const char *text; };
struct page_notes { struct page_note *note; size_t n, cap; };

struct page {
    const struct sheet *sheet;
    enum draw_format format;
    struct arena *arena;
    struct units units;
    struct text text;
    struct text_places places;  /* texts of an SVG that stay text */
    struct page_notes notes;
    bool vector;                /* not pixels: an SVG or PDF */
    int width, height;          /* whole pixels of a PNG */
    cairo_t *cr;                /* to paint with */
    cairo_surface_t *surface;
    const struct terminal *shown;   /* a PNG is written in this terminal's graphics protocol; NULL:
                                       as a file */
    FILE *file;
    struct buffer svg;
    cairo_status_t failed;      /* status of contexts other than cr */
};

void page_init(struct page *page, const struct sheet *sheet, enum draw_format format,
               struct arena *a);

/* ERR_USAGE for a picture that is too large; name: its name in messages. */
int page_check(double width, double height, const char *name, struct err *e);
/* Opens a white page whose picture goes to file. */
int page_open(struct page *page, double width, double height, FILE *file, const char *name,
              struct err *e);
/* Writes the picture; errors of the file are noticed by the caller that closes it. */
int page_commit(struct page *page, const char *name, struct err *e);
void page_finish(struct page *page);       /* frees it, after any of these functions */

/* Labels after text layout. */
struct page_labels {
    int n;
    const struct piece **piece; /* [n] */
    int *token;                 /* [n] first token of each */
    int *span;                  /* [n] number of tokens, >= 1 */
    double longest;             /* largest extent away from the axis; 0: no labels */
};

/* The position of the middle of label i, in tokens from the beginning. */
double page_label_middle(const struct page_labels *labels, int i);

/* Every step-th of the first n labels of a list; a label that tokens share appears once. */
struct page_labels page_labels(struct page *page, const struct label_list *list, long n,
                               long step, const struct style *style);

/* The positions, among the first n labels, that are multiples of step. */
struct page_labels page_positions(struct page *page, const struct label_list *list, long n,
                                  int step, const struct style *style);

/* at, rounded to a whole pixel in a PNG. */
double page_snap(const struct page *page, double at);

/* index [n_rows, n_cols], 0..255 or CELL_MASKED, as crisp cells that fill the box. */
void page_cells(struct page *page, const struct cmap *cmap, const unsigned short *index,
                int n_rows, int n_cols, struct box at);
/* Pixels of red, green and blue, row by row from the top. */
struct page_picture {
    int width, height;
    const unsigned char *rgb;   /* [height, width, 3] */
    int strip;                  /* height, in cells, of a strip below the cells of a heatmap; 0: it
                                   is drawn over them */
};

/* Paints the picture in grey, filling the box; half transparent, unless it is a strip. */
void page_grey(struct page *page, const struct page_picture *picture, struct box at);
/* Draws a gray line around the box, outside it. */
void page_frame(struct page *page, struct box at, double line);

/* In an SVG, adds a tooltip for the box; in other formats nothing. */
void page_note(struct page *page, struct box at, const char *clean);

/* A separate transparent surface, to draw once and paint often. */
cairo_surface_t *page_layer(const struct page *page, double width, double height);
/* Paints it with its corner at x, y. */
void page_layer_paint(struct page *page, cairo_surface_t *layer, double x, double y);
/* Destroys the context of a layer; the commit fails if cairo failed there. */
void page_layer_done(struct page *page, cairo_t *cr);

#endif
