/* SPDX-License-Identifier: MIT
 * A part of a sheet: fields side by side that share their rows.  A row of a field of several
 * columns is a band of colours; of a field of one it is a number on its colour. */
#ifndef DRAW_BANDS_H
#define DRAW_BANDS_H

#include "draw/cmap.h"
#include "draw/label.h"
#include "draw/layout.h"
#include "draw/sheet.h"

struct canvas;

struct bands_field {
    const char *title;          /* above it, UTF-8 */
    int n_cols;                 /* >= 1 */
    const float *value;         /* [n_rows, n_cols] */
    const struct cmap *cmap;
    float low, high;            /* what the ends of its colours stand for; low < high */
    const char *bar;            /* above its bar of colours; NULL: it has none */
};

struct bands {
    int n_rows;                 /* >= 1 */
    struct label_list rows;     /* left of the first field */
    int n_fields;               /* >= 1 */
    const struct bands_field *field;
    /* A row by itself, above the first field and in its colours. */
    const float *lead;          /* [field[0].n_cols]; NULL: none */
    const char *lead_title, *lead_label;
};

struct part bands_part(const struct bands *bands);

/* The least width of a sheet with this part alone that has room for it, in pixels at 100 dpi. */
double bands_least(const struct sheet *s, enum draw_format format, struct arena *a);

/* Where row i of a field stands in a PNG of the sheet, whose only part it is; i -1: the lead. */
struct box bands_box(const struct sheet *s, struct arena *a, int i, int field);

/* ---- bands_print.c ---- */

void bands_print(const void *bands, struct canvas *canvas);

#endif
