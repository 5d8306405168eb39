/* SPDX-License-Identifier: MIT
 *
 * A page of any format to draw on.  First it is initialised, so that text can be
 * measured in its units; then opened with its size, which the layout has found. */
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

/* What a viewer of an SVG shows where one points there; clean. */
struct page_note { struct box at; const char *text; };
struct page_notes { struct page_note *note; size_t n, cap; };

struct page {
    const struct sheet *sheet;
    enum draw_format format;
    struct arena *arena;
    struct units units;
    struct text text;
    struct text_places places;  /* of an SVG's text that stays text */
    struct page_notes notes;
    bool vector;                /* not pixels: an SVG or PDF */
    int width, height;          /* whole pixels of a PNG */
    cairo_t *cr;                /* to paint with */
    cairo_surface_t *surface;
    const struct terminal *shown;   /* a PNG is written as it shows pictures; NULL: as it is */
    FILE *file;
    struct buffer svg;
    cairo_status_t failed;      /* of what was drawn beside cr */
};

void page_init(struct page *p, const struct sheet *s, enum draw_format format,
               struct arena *a);

/* ERR_USAGE for a picture that is too large; name: what messages call it. */
int page_check(double width, double height, const char *name, struct err *e);
/* White paper; the picture goes to file. */
int page_open(struct page *p, double width, double height, FILE *file, const char *name,
              struct err *e);
/* Writes the picture; errors of the file are seen by whoever closes it. */
int page_commit(struct page *p, const char *name, struct err *e);
void page_finish(struct page *p);       /* after any of them */

/* Labels that were laid out. */
struct page_labels {
    int n;
    const struct piece **piece; /* [n] */
    int *token;                 /* [n] whose they are */
    int *span;                  /* [n] and of how many from there on, >= 1 */
    double longest;             /* away from the axis; 0: there is none */
};

/* From the first token's beginning to the middle of label i, in tokens. */
double page_label_middle(const struct page_labels *labels, int i);

/* Of the first n labels of a list every step-th; a label that tokens share stands once. */
struct page_labels page_labels(struct page *p, const struct label_list *list, long n,
                               long step, const struct style *style);

/* Of the first n labels the numbers of those that the step divides. */
struct page_labels page_positions(struct page *p, const struct label_list *list, long n,
                                  int step, const struct style *style);

/* at, on a whole pixel in a PNG. */
double page_snap(const struct page *p, double at);

/* index [n_rows, n_cols], 0..255 or CELL_MASKED, as crisp cells that fill the box. */
void page_cells(struct page *p, const struct cmap *cmap, const unsigned short *index,
                int n_rows, int n_cols, struct box at);
/* Pixels of red, green and blue, row by row from the top. */
struct page_picture {
    int width, height;
    const unsigned char *rgb;   /* [height, width, 3] */
    int strip;                  /* sides of a cell that it is high, below the cells of a
                                   heatmap; 0: it lies over them */
};

/* The picture in grey, filling the box; over what is there, half of each, unless it is a strip. */
void page_grey(struct page *p, const struct page_picture *picture, struct box at);
/* A gray line around the box, outside it. */
void page_frame(struct page *p, struct box at, double line);

/* In an SVG, text for who points at the box; elsewhere nothing. */
void page_note(struct page *p, struct box at, const char *clean);

/* A transparent surface of its own, to draw once and paint often. */
cairo_surface_t *page_layer(const struct page *p, double width, double height);
/* Paints it with its corner there. */
void page_layer_paint(struct page *p, cairo_surface_t *layer, double x, double y);
/* Destroys what drew on a layer; the commit fails where cairo did. */
void page_layer_done(struct page *p, cairo_t *cr);

#endif
