/* SPDX-License-Identifier: MIT
 *
 * What the files of this folder share.  A figure's strings are cleaned (label.c)
 * and measured (text.c), which gives boxes (layout.c); then cells, axes and bars
 * (heatmap.c, colourbar.c) become ink on a page that knows its format (page.c,
 * png.c, svg.c).  figure.c calls them in this order.
 *
 * Lengths are units of the page: pixels of a PNG, pixels at 100 dpi of an SVG,
 * points of a PDF.  y grows downwards. */
#ifndef DRAW_PRIV_H
#define DRAW_PRIV_H

#include <cairo.h>

#include "base/file.h"
#include "draw/draw.h"

/* ---- cmap_tables.c ---- */

extern const unsigned char cmap_viridis[256][3], cmap_magma[256][3],
    cmap_inferno[256][3], cmap_plasma[256][3], cmap_cividis[256][3],
    cmap_gray[256][3], cmap_bluered[256][3];

/* An index of a cell: 0..255 of the colour map, or this: flat gray. */
enum { CELL_MASKED = 256 };

/* ---- label.c: bytes that may be anything -> text that is safe to draw ---- */

enum {
    LABEL_CHARS = 16,           /* a token's label is cut here */
    CAPTION_CHARS = 4000        /* more than the lines of a caption hold */
};

/*
 * Valid UTF-8 without control characters: they, direction marks and bytes that
 * are not UTF-8 are escaped (\n, \x00, \u202e, <E6>).  Spaces at the ends go; a
 * label of nothing but spaces shows them as U+2423, one of nothing but invisible
 * characters shows their escapes.  More than max_chars characters (as a reader
 * counts them) are cut, with "…"; so is a character of over 12 code points.
 */
char *label_clean(struct arena *a, const char *s, size_t n, int max_chars);

/* "zh-cn" where s or t holds Han and neither holds kana; "ja" with kana; else "en". */
struct label_scripts { bool han, kana; };
void label_scripts_add(struct label_scripts *l, const char *s, size_t n);
const char *label_language(struct label_scripts l);

/* Debian's package of fonts for a character, as an index of label_packages. */
int label_package(int cp);
extern const char *const label_packages[];      /* ends with NULL */

/* ---- text.c: the only file that knows pango ---- */

enum role { ROLE_TITLE, ROLE_PANEL, ROLE_ROW, ROLE_COL, ROLE_VALUE, ROLE_CAPTION,
            N_ROLE };

struct piece;                   /* text that was laid out */

struct text {
    struct arena *arena;
    const char *font;           /* NULL: the default list */
    const char *language;
    double size[N_ROLE];        /* of the font */
    bool vector;                /* no hinting, no whole pixels */
    void *context[2];           /* upright, turned; made with the first text */
    struct piece *piece, **bucket;
    unsigned char *missing;     /* a bit a code point that no font has */
    int n_missing, first_missing;
    unsigned packages;          /* bits of label_packages */
    bool no_font;
};

/* label_px: the font size of row and column labels at 100 dpi; px: see sizes. */
void text_init(struct text *t, struct arena *a, const struct figure *f,
               double label_px, double px, bool vector);
void text_finish(struct text *t);

/* One line of clean text; equal ones are laid out once. */
const struct piece *text_line(struct text *t, enum role role, const char *clean);
/* Wrapped at width, max_lines lines at most; centred or from the left. */
const struct piece *text_paragraph(struct text *t, enum role role,
                                   const char *clean, double width, int max_lines,
                                   bool centred);
double text_width(const struct piece *p);
double text_height(const struct piece *p);
double text_line_height(const struct text *t, enum role role);

/* Its left end at x, its baseline at y; ink beyond max_h around it is clipped. */
void text_draw_line(const struct text *t, cairo_t *cr, const struct piece *p,
                    double x, double y, double max_h);
/* Turned 90 degrees against the clock: its end at y, its baseline at x. */
void text_draw_turned(const struct text *t, cairo_t *cr, const struct piece *p,
                      double x, double y, double max_h);
void text_draw_paragraph(const struct text *t, cairo_t *cr, const struct piece *p,
                         double x, double y);
/* From the middle of a line to its baseline, the same for every script. */
double text_middle(const struct text *t, enum role role);

/* The one warning about characters without a font, if there were any. */
void text_warn(const struct text *t, const struct warn *w);

/* ---- layout.c: pure geometry ---- */

struct sizes {
    int n_panels, columns;
    int n_rows, n_cols;         /* cells of a panel */
    double cell;                /* side of a cell */
    double px;                  /* one pixel at 100 dpi */
    bool whole;                 /* boxes lie on whole units */
    double row_label, col_label;    /* the longest label; 0: none */
    double label_h;             /* a line of labels */
    double value_w, value_h;    /* the widest end value of a bar; 0: no bar */
    double panel_w, panel_h;    /* the widest panel title; 0: none */
    double title_w, title_h;    /* 0: none */
    bool caption;
};

struct layout {
    double width, height;
    double line, tick, label_gap;   /* widths: of lines, of ticks, beyond ticks */
    double bar_gap, bar_w, value_gap;   /* to the right of the cells */
    double panel_gap;           /* from a panel's title to its frame */
    double margin;
    struct box title, caption;  /* the caption's height: layout_add_caption */
    struct box *panel;          /* [n_panels] its cells */
};

void layout_make(struct layout *l, const struct sizes *s, struct arena *a);
void layout_add_caption(struct layout *l, double height);

/* Every how many cells a label stands, so that lines of label_h do not touch. */
int layout_label_step(double cell, double label_h);
/* The size of a label's font at 100 dpi for cells of this size. */
double layout_label_px(int cell_px);

/* ---- page.c, png.c, svg.c: formats ---- */

struct buffer { char *data; size_t n, cap; bool full; };    /* full: no memory */

struct page {
    enum draw_format format;
    const struct figure *figure;
    struct arena *arena;
    int width, height;          /* whole pixels of a PNG */
    cairo_surface_t *surface;
    cairo_t *cr;
    struct out out;
    struct buffer svg;
};

/* ERR_USAGE for a picture that is too large, before anything is written. */
int page_open(struct page *p, double width, double height, const char *path,
              struct err *e);
int page_commit(struct page *p, struct err *e);
void page_close(struct page *p);        /* after a commit or instead of one */

/* index [n_rows, n_cols] as crisp cells that fill the box. */
void page_cells(struct page *p, const unsigned short *index, int n_rows, int n_cols,
                struct box at);
/* A gray line around the box, outside it. */
void page_frame(struct page *p, struct box at, double line);

/* A transparent sheet of its own, to draw once and paint often. */
cairo_surface_t *page_sheet(const struct page *p, double width, double height);

/* Both return -1 only where libpng fails (no memory). */
typedef void png_put(void *self, const void *data, size_t n);
int png_page(const struct page *p, png_put *put, void *self);
/* times: pixels a cell, in both directions. */
int png_cells(const unsigned short *index, int n_rows, int n_cols, int times,
              const struct cmap *cmap, png_put *put, void *self);

void svg_write(const struct page *p, FILE *f);

/* ---- heatmap.c, colourbar.c ---- */

struct range { float lo, hi; bool any; };       /* any: a cell is not masked */

void heatmap_ranges(const struct figure *f, struct range *range);
void heatmap_index(const struct figure *f, const struct panel *p, struct range r,
                   unsigned short *index);

struct axis { int n, step; const struct piece **piece; double longest; };

void heatmap_axis(struct axis *x, const struct figure *f, bool rows, int n_cells,
                  double cell, struct text *t);
cairo_surface_t *heatmap_row_sheet(const struct page *p, const struct layout *l,
                                   const struct axis *x, const struct text *t,
                                   double cell);
cairo_surface_t *heatmap_col_sheet(const struct page *p, const struct layout *l,
                                   const struct axis *x, const struct text *t,
                                   double cell);

/* The two end values as text; both "" where there are none. */
struct bar_text { char lo[24], hi[24]; };
struct bar_text bar_text(enum scale s, struct range r);
void bar_draw(struct page *p, const struct layout *l, struct text *t,
              struct range r, struct box cells);

#endif
