/* SPDX-License-Identifier: MIT
 * Clean text -> a size, and ink.  Only text.c and text_placed.c know pango, which is touched
 * with the first line that is laid out: a picture without text needs no fonts. */
#ifndef DRAW_TEXT_H
#define DRAW_TEXT_H

#include <cairo.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

/* What a text looks like. */
struct style {
    double size_px;             /* of the font, in pixels at 100 dpi */
    double relative;            /* the same, to the size that a sheet gives */
    double gray;                /* 0 black .. 1 white */
    bool bold;
    bool rotated;               /* 90 degrees against the clock */
    double max_w;               /* where it is cut, in units; 0: nowhere */
};

extern const struct style text_title, text_caption;     /* of a sheet */
extern const struct style text_heading;                 /* above a panel */
extern const struct style text_value;                   /* beside a colour bar */

struct piece;                   /* text that was laid out */

/* What of a line stays at its place where a viewer has another font than the one that the line
 * was measured in. */
enum text_hold { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT };

/* Characters of one font. */
struct text_run { const char *text, *family; };    /* clean */

/* A line of a picture that holds text as text. */
struct text_placed {
    const struct text_run *span;   /* [n_spans] in the order of reading */
    int n_spans;                /* >= 1 */
    const char *family;         /* that of the line, which most spans have */
    const struct style *style;
    double size;                /* of the font, in units */
    enum text_hold hold;
    double x, y;                /* of what is held, on the baseline */
    struct { double x, y, w, h; } clip;     /* before it is turned; w 0: none is needed */
    bool turned;                /* 90 degrees against the clock, around x and y */
    bool to_left;               /* it is read from right to left */
    cairo_surface_t *on;        /* the page's, or a layer's */
};

/* Such lines, in the order in which they were drawn. */
struct text_places { struct text_placed *line; size_t n, cap; };

struct text {
    struct arena *arena;
    const char *font;           /* family list */
    const char *language;       /* "en", "zh-cn": picks among shapes of a character */
    double px;                  /* units of a pixel at 100 dpi */
    double base_px;             /* size that a sheet gives; 0: each style has its own */
    bool vector;                /* no hinting, no whole pixels */
    void *context[2];           /* upright, rotated; made with the first text */
    struct piece *piece, **bucket;
    struct text_places *places; /* lines go there instead of to cairo; NULL: none do */
    unsigned char *missing;     /* a bit for each code point that no font has */
    int n_missing, first_missing;
    unsigned packages;          /* bits of label_packages */
    bool no_font;
    const char *bad_font;       /* one that is installed and cannot be opened; NULL: none */
};

/* font: a family list of any bytes; NULL: the default one.  The language is "en", until
 * it is set, which is before the first text. */
void text_init(struct text *t, struct arena *a, const char *font, double px,
               bool vector);
void text_finish(struct text *t);

/* One line of clean text; equal ones are laid out once. */
const struct piece *text_line(struct text *t, const struct style *style,
                              const char *clean);
/* Wrapped at width, at most max_lines lines; centred or from the left. */
const struct piece *text_paragraph(struct text *t, const struct style *style,
                                   const char *clean, double width, int max_lines,
                                   bool centred);
double text_width(const struct piece *p);
bool text_is_rotated(const struct piece *p);
double text_height(const struct piece *p);
double text_line_height(const struct text *t, const struct style *style);
/* From the middle of a line to its baseline, the same for every script. */
double text_middle(const struct text *t, const struct style *style);

/* Its left end at x, its baseline at y; ink beyond max_h around it is clipped. */
void text_draw_line(const struct text *t, cairo_t *cr, const struct piece *p,
                    enum text_hold hold, double x, double y, double max_h);
/* For a rotated style: its end at y, its baseline at x. */
void text_draw_rotated(const struct text *t, cairo_t *cr, const struct piece *p,
                       enum text_hold hold, double x, double y, double max_h);
void text_draw_paragraph(const struct text *t, cairo_t *cr, const struct piece *p,
                         double x, double y);

/* A new layer may have the address of one that is gone. */
void text_forget(const struct text *t, const cairo_surface_t *layer);

/* Lines placed on a layer, once more, on another surface. */
void text_repeat(const struct text *t, cairo_surface_t *layer, cairo_surface_t *on, double x,
                 double y);

/* ERR_SYSTEM where a font of what was laid out cannot be opened; name: the picture's. */
int text_check(const struct text *t, const char *name, struct err *e);

/* The one warning about characters without a font, if there were any. */
void text_warn(const struct text *t, const struct warn *w);

#endif
