/* SPDX-License-Identifier: MIT
 *
 * How a kind of part is drawn on a sheet.  Adding one: a header with what it shows, and
 * a file with the functions below.  One measures its texts and computes
 * its boxes (in a function of their sizes alone, so that it can be tested); the others
 * turn boxes into ink. */
#ifndef DRAW_PART_H
#define DRAW_PART_H

#include "draw/canvas.h"
#include "draw/page.h"

struct part_type {
    /* Adds its texts, which choose the language of the sheet's; NULL: no such texts. */
    void (*scripts)(const void *of, struct label_scripts *scripts);
    /* Sets *size's w and h, in units of the page; returns what painting needs, in the
     * page's arena. */
    void *(*measure)(const void *of, struct page *page, struct box *size);
    void (*paint)(const void *measured, struct page *page, struct box at);
    /* Text over it, painted after the sheet's title and caption; NULL: none. */
    void (*paint_text)(const void *measured, struct page *page, struct box at);
    /* The same on a terminal, below what stands on the canvas. */
    void (*print)(const void *of, struct canvas *canvas);
    /* The font of the numbers in its cells, in pixels at 100 dpi; 0: there are none.  NULL:
       never any. */
    double (*number_px)(const void *measured);
};

/* A sheet with its texts measured and its boxes computed. */
struct plan {
    struct layout layout;
    void **measured;            /* [n_parts] by each part's measure */
    const struct piece *title, *caption;    /* NULL: none */
};

/* page: initialised, not yet open. */
void sheet_plan(struct plan *plan, struct page *page);

#endif
