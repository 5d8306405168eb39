/* SPDX-License-Identifier: MIT
 * A part of a sheet: links, lines from query tokens to key tokens, a colour per head; between two
 * lists of tokens, or as arcs above one. */
#ifndef DRAW_LINKS_H
#define DRAW_LINKS_H

#include <stdbool.h>

#include "draw/label.h"
#include "draw/layout.h"
#include "draw/sheet.h"

struct links_line {
    int query, key;             /* indices in the lists */
    int head;                   /* below n_heads */
    float weight;
};

struct links_figure {
    int n_heads;
    const char *const *name;    /* [n_heads] "L3H1: previous token"; no NULL */
    int n;
    const struct links_line *line;      /* [n] the weakest first */
    bool panels;                /* one panel per head; else one for all, with a legend */
    bool arcs;                  /* arcs above a single list, `rows`, whose tokens are queries and
                                   keys */
    const char *const *title;   /* [n_heads] titles of panels; each may be NULL: none */
    int columns;                /* panels in a row, >= 1 */
    int n_rows, n_cols;
    struct label_list rows, cols;       /* n 0: none */
    const char *row_name, *col_name;    /* above the lists, "query" */
};

struct part links_part(const struct links_figure *figure);

/*
 * Sets *columns, if it is 0, to the number of panels in a row of a page of this width, in pixels at
 * 100 dpi.  -1: there is no room; *least_px: the width that would suffice.
 */
int links_plan_page(const struct links_figure *figure, double width_px, double font_px,
                    int *columns, double *least_px);

#endif
