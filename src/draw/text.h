/* SPDX-License-Identifier: MIT
 * Layout and drawing of clean text.  Only text.c and text_placed.c use pango, which is initialised
 * with the first line: a picture without text requires no fonts. */
#ifndef DRAW_TEXT_H
#define DRAW_TEXT_H

#include <cairo.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

/* The style of a text. */
struct style {
    double size_px;             /* of the font, in pixels at 100 dpi */
    double relative;            /* font size relative to the sheet's, if that has one */
    double gray;                /* 0 black .. 1 white */
    bool bold;
    bool rotated;               /* 90 degrees counter-clockwise */
    double max_w;               /* width at which it is cut, in units; 0: not cut */
};

extern const struct style text_title, text_caption;     /* of a sheet */
extern const struct style text_heading;                 /* above a panel */
extern const struct style text_value;                   /* beside a colour bar */

struct piece;                   /* text after layout */

/* The anchor of a line: the point that stays in place if a viewer has another font than the one in
 * which the line was measured. */
enum text_hold { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT };

/* Characters of one font. */
struct text_run { const char *text, *family; };    /* clean */

/* A line of a picture that is stored as text (SVG). */
struct text_placed {
    const struct text_run *span;   /* [n_spans] in reading order */
    int n_spans;                /* >= 1 */
    const char *family;         /* font family of the line, that of most spans */
    const struct style *style;
    double size;                /* of the font, in units */
    enum text_hold hold;
    double x, y;                /* position of the anchor, on the baseline */
    struct { double x, y, w, h; } clip;     /* before rotation; w 0: not clipped */
    bool turned;                /* 90 degrees counter-clockwise, around x and y */
    bool to_left;               /* right-to-left text */
    cairo_surface_t *on;        /* surface of the page, or of a layer */
};

/* Such lines, in the order in which they were drawn. */
struct text_places { struct text_placed *line; size_t n, cap; };

struct text {
    struct arena *arena;
    const char *font;           /* family list */
    const char *language;       /* "en", "zh-cn": chooses among glyphs of a character */
    double px;                  /* units per pixel at 100 dpi */
    double base_px;             /* font size of the sheet; 0: each style has its own */
    bool vector;                /* no hinting, no whole pixels */
    void *context[2];           /* upright, rotated; created with the first text */
    struct piece *piece, **bucket;
    struct text_places *places; /* stores lines in place of drawing them by cairo; NULL: drawn */
    unsigned char *missing;     /* a bit per code point: no font has it */
    int n_missing, first_missing;
    unsigned packages;          /* bits of label_packages */
    bool no_font;
    const char *bad_font;       /* an installed font that cannot be opened; NULL: none */
};

/* font: a family list of any bytes; NULL: the default one.  The language is "en", until
 * it is set, which is before the first text. */
void text_init(struct text *text, struct arena *a, const char *font, double px,
               bool vector);
void text_finish(struct text *text);

/* Lays out one line of clean text; equal ones only once. */
const struct piece *text_line(struct text *text, const struct style *style,
                              const char *clean);
/* Lays out a paragraph, wrapped at width, at most max_lines lines; centred or left-aligned. */
const struct piece *text_paragraph(struct text *text, const struct style *style,
                                   const char *clean, double width, int max_lines,
                                   bool centred);
double text_width(const struct piece *piece);
bool text_is_rotated(const struct piece *piece);
double text_height(const struct piece *piece);
double text_line_height(const struct text *text, const struct style *style);
/* Distance from the middle of a line to its baseline, the same for every script. */
double text_middle(const struct text *text, const struct style *style);

/* Draws a line with its left end at x, its baseline at y; ink beyond max_h around it is clipped. */
void text_draw_line(const struct text *text, cairo_t *cr, const struct piece *piece,
                    enum text_hold hold, double x, double y, double max_h);
/* The same for a rotated style: its end at y, its baseline at x. */
void text_draw_rotated(const struct text *text, cairo_t *cr, const struct piece *piece,
                       enum text_hold hold, double x, double y, double max_h);
void text_draw_paragraph(const struct text *text, cairo_t *cr, const struct piece *piece,
                         double x, double y);

/* Forgets a layer that is destroyed: a new one may have the same address. */
void text_forget(const struct text *text, const cairo_surface_t *layer);

/* Repeats the lines placed on a layer on another surface. */
void text_repeat(const struct text *text, cairo_surface_t *layer, cairo_surface_t *on, double x,
                 double y);

/* ERR_SYSTEM if a required font cannot be opened; name: the picture's. */
int text_check(const struct text *text, const char *name, struct err *e);

/* The one warning about characters without a font, if there were any. */
void text_warn(const struct text *text, const struct warn *warn);

#endif
