/* SPDX-License-Identifier: MIT
 *
 * The functions that draw a kind of part on a sheet.  To add a kind: a header with its data, and
 * a file with the functions below.  One measures its texts and computes its boxes (in a function
 * of their sizes alone, so that it can be tested); the others paint into the boxes. */
#ifndef DRAW_PART_H
#define DRAW_PART_H

#include "draw/canvas.h"
#include "draw/page.h"

struct part_type {
    /* Adds the scripts of its texts, from which the sheet's language follows; NULL: no texts. */
    void (*scripts)(const void *of, struct label_scripts *scripts);
    /* Sets *size's w and h, in units of the page; returns the data for painting, in the page's
     * arena. */
    void *(*measure)(const void *of, struct page *page, struct box *size);
    void (*paint)(const void *measured, struct page *page, struct box at);
    /* Paints text over it, after the sheet's title and caption; NULL: none. */
    void (*paint_text)(const void *measured, struct page *page, struct box at);
    /* Draws it on a terminal, appended to the canvas. */
    void (*print)(const void *of, struct canvas *canvas);
    /* The font size of numbers in its cells, in pixels at 100 dpi; 0: there are none.  NULL: it
     * never
       has numbers. */
    double (*number_px)(const void *measured);
};

/* A sheet with its texts measured and its boxes computed. */
struct plan {
    struct layout layout;
    void **measured;            /* [n_parts] results of each part's measure */
    const struct piece *title, *caption;    /* NULL: none */
};

/* Measures the sheet; page: initialised, not yet open. */
void sheet_plan(struct plan *plan, struct page *page);

#endif
