/* SPDX-License-Identifier: MIT
 *
 * Numbers -> pictures.  The only folder that includes cairo and pango; it knows
 * neither models nor files' weights.  Layout (layout.c) is pure: counts and label
 * widths in, boxes out.  The same figure gives the same bytes on every run. */
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* ---- colour maps ---- */

struct cmap {
    const char *name;                       /* "viridis" */
    const unsigned char (*rgb)[3];          /* [256] */
};

extern const struct cmap cmap_table[];      /* viridis first; ends with name NULL */
extern const char *const cmap_names[];      /* the same names, ends with NULL */
const struct cmap *cmap_find(const char *name);     /* NULL: none of that name */

/* What a masked cell looks like in every colour map: flat gray, 0x.. each. */
enum { CMAP_MASKED = 0xd0 };

/* ---- how numbers become colours ---- */

enum scale { SCALE_LINEAR, SCALE_SQRT, SCALE_LOG, SCALE_ROW, N_SCALE };
extern const char *const scale_names[];     /* "linear", "sqrt", "log", "row", NULL */

/*
 * The position of value in the colour map, 0..255, of range [lo, hi]:
 *     linear  (v - lo) / (hi - lo)        sqrt   the square root of that
 *     log     ln(max(v, floor)) between ln(max(lo, floor)) and ln(hi), floor 1e-6
 *     row     linear, after each row was divided by its own maximum
 * x 256, truncated, as matplotlib does it; clipped; hi == lo gives 0.
 */
int scale_index(enum scale s, float value, float lo, float hi);

/* ---- a figure: a grid of heatmaps ---- */

/* One heatmap.  Cells may stand for several tokens each (figure.pool). */
struct panel {
    const char *title;          /* "Head 3" */
    int n_rows, n_cols;         /* cells */
    const float *value;         /* [n_rows, n_cols]; NaN: masked */
};

struct label_list {
    int n;                      /* tokens, not cells */
    const char *const *text;    /* [n] any bytes; cleaned before they are drawn */
    const size_t *size;         /* [n] bytes of each (they may hold NULs), or NULL */
};

enum draw_format { DRAW_PNG, DRAW_SVG, DRAW_PDF, N_DRAW_FORMAT };
extern const char *const draw_format_names[];   /* "png", "svg", "pdf", NULL */

struct metadata { const char *key, *value; };   /* UTF-8; iTXt in PNG */

struct figure {
    const char *title;          /* above everything; NULL: none */
    const char *caption;        /* one paragraph below, wrapped; NULL: none */
    int n_panels;
    const struct panel *panels; /* all of the same number of cells */
    int columns;                /* panels a row of the grid, >= 1 */
    struct label_list rows, cols;   /* left, and below (turned 90 degrees) */
    int pool;                   /* tokens a cell in each direction, >= 1 */
    const struct cmap *cmap;
    enum scale scale;
    bool shared;                /* one range for all panels, from the data */
    float vmin, vmax;           /* NaN: from the data; given: for all panels */
    int cell_px;                /* side of a cell at 100 dpi; 0: draw_plan chooses */
    int dpi;                    /* PNG only: pixels are scaled by dpi / 100 */
    const char *font;           /* family list; NULL: the default */
    const struct metadata *metadata;    /* ends with key NULL; NULL: none */
};

/*
 * How to show n_rows x n_cols tokens: sets *cell_px and *pool so that the longer
 * side of a panel is at most about 600 px at 100 dpi with `columns` panels a row:
 * large cells for a short sentence, 1 px cells, then pooled ones.  want_cell_px
 * > 0 is kept, as long as the picture stays under 32,000 px a side (then *pool
 * grows).
 */
void draw_plan(int n_rows, int n_cols, int n_panels, int columns, int want_cell_px,
               int dpi, int *cell_px, int *pool);

/* Where a cell of a panel lies in the picture, in pixels of a PNG at this dpi;
 * for tests and for pages that point at cells. */
struct box { double x, y, w, h; };

/* The layout alone: *width, *height and one box a panel (its cells' area). */
void draw_boxes(const struct figure *f, struct arena *a, struct box *panels,
                double *width, double *height);

/*
 * Draws to PATH (written beside and renamed; "-" is stdout).
 *
 * Labels are drawn through pango, which is touched only if there is text.  They
 * thin out when they would touch.  Control characters, NULs, direction marks and
 * bytes that are not UTF-8 are drawn as escapes (\n, \x00, <E6>); nothing in a
 * label is ever interpreted.  Characters that no font has: one warning, naming
 * the count, the first of them and a package of fonts.
 *
 * Errors: ERR_SYSTEM for a failed write; ERR_USAGE for a picture over 32,000 px
 * a side or 400 million pixels.
 */
int draw_figure(const struct figure *f, enum draw_format format, const char *path,
                const struct warn *w, struct err *e);

/* "cairo 1.16.0, pango 1.50.12, libpng 1.6.39": as found at run time. */
void draw_version(char *dst, size_t size);

#endif
