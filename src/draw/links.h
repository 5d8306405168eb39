/* SPDX-License-Identifier: MIT
 * A part of a sheet: lines from tokens that attend to tokens that are attended to, a colour
 * for each head; between two lists, or as arcs above one. */
#ifndef DRAW_LINKS_H
#define DRAW_LINKS_H

#include <stdbool.h>

#include "draw/label.h"
#include "draw/layout.h"
#include "draw/sheet.h"

struct links_line {
    int query, key;             /* places in the lists */
    int head;                   /* below n_heads */
    float weight;
};

struct links_figure {
    int n_heads;
    const char *const *name;    /* [n_heads] "L3H1: previous token"; no NULL */
    int n;
    const struct links_line *line;      /* [n] the weakest first */
    bool panels;                /* one for each head; else one for all, with a legend */
    bool arcs;                  /* above the one list, of rows: queries are its tokens, too */
    const char *const *title;   /* [n_heads] above panels; each may be NULL: none */
    int columns;                /* panels in a row, >= 1 */
    int n_rows, n_cols;
    struct label_list rows, cols;       /* n 0: none */
    const char *row_name, *col_name;    /* above the lists, "query" */
};

struct part links_part(const struct links_figure *figure);

/*
 * How many panels stand in a row of a page of this width, in pixels at 100 dpi: *columns where
 * that is not 0.  -1: they have no room; *least_px is the width that would have some.
 */
int links_plan_page(const struct links_figure *figure, double width_px, double font_px,
                    int *columns, double *least_px);

#endif
