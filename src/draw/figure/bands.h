/* SPDX-License-Identifier: MIT
 * A part of a sheet: bands, fields side by side that share their rows.  A row of a field is a band
 * of colours, one per column; a field of one column shows a number on its colour. */
#ifndef DRAW_BANDS_H
#define DRAW_BANDS_H

#include "draw/cmap.h"
#include "draw/label.h"
#include "draw/layout.h"
#include "draw/sheet.h"

struct canvas;

struct bands_field {
    const char *title;          /* above the field, UTF-8 */
    int n_cols;                 /* >= 1 */
    const float *value;         /* [n_rows, n_cols] */
    const struct cmap *cmap;
    float low, high;            /* numbers at the ends of its colours; low < high */
    const char *bar;            /* title of its colour bar; NULL: no bar */
};

struct bands {
    int n_rows;                 /* >= 1 */
    struct label_list rows;     /* left of the first field */
    int n_fields;               /* >= 1 */
    const struct bands_field *field;
    /* A separate row above the first field, in its colours. */
    const float *lead;          /* [field[0].n_cols]; NULL: none */
    const char *lead_title, *lead_label;
};

struct part bands_part(const struct bands *bands);

/* The least width, in pixels at 100 dpi, of a sheet that has this part alone. */
double bands_least(const struct sheet *sheet, enum draw_format format, struct arena *a);

/* The box of row i of a field in a PNG of a sheet that has this part alone; i -1: the lead row. */
struct box bands_box(const struct sheet *sheet, struct arena *a, int i, int field);

/* ---- bands_print.c ---- */

void bands_print(const void *bands, struct canvas *canvas);

#endif
