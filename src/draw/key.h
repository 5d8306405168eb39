/* SPDX-License-Identifier: MIT
 * The names of kinds or lines, each behind a sample of it, in columns below a picture. */
#ifndef DRAW_KEY_H
#define DRAW_KEY_H

#include "draw/page.h"

enum key_mark { KEY_BOX, KEY_DOT, KEY_LINE };

struct key_entry {
    int pen;                    /* of draw/pen.h */
    const char *letter;         /* in the box; NULL: none */
    const char *name;           /* any bytes */
};

/* As it was measured. */
struct key {
    enum key_mark mark;
    int n, columns;
    const struct key_entry *entry;
    const struct piece **name, **letter;    /* [n] */
    double sample_w, gap;       /* of a sample; between things */
    double step_x, step_y;
    double width, height;
};

/* What fits on this width; each name is cut where it alone does not. */
void key_measure(struct key *l, struct page *page, enum key_mark mark,
                    const struct key_entry *entry, int n, double width);

/* The box of entry i: sample and name. */
struct box key_box(const struct key *l, struct box at, int i);

/* The samples, then the names. */
void key_paint(const struct key *l, struct page *page, struct box at);
void key_paint_text(const struct key *l, struct page *page, struct box at);

/* What a point of this kind looks like, of radius r: its colour, and one of four shapes. */
void key_dot(struct page *page, int kind, double x, double y, double r);
/* The path of a circle. */
void key_circle(struct page *page, double x, double y, double r);

#endif
