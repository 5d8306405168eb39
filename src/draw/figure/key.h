/* SPDX-License-Identifier: MIT
 * A key: names of kinds or lines, each after a sample, in columns below a picture. */
#ifndef DRAW_KEY_H
#define DRAW_KEY_H

#include "draw/page.h"

enum key_mark { KEY_BOX, KEY_DOT, KEY_LINE };

struct key_entry {
    int pen;                    /* of draw/pen.h */
    const char *letter;         /* in the box; NULL: none */
    const char *name;           /* any bytes */
};

/* A measured key. */
struct key {
    enum key_mark mark;
    int n, columns;
    const struct key_entry *entry;
    const struct piece **name, **letter;    /* [n] */
    double sample_w, gap;       /* width of a sample; gap between items */
    double step_x, step_y;
    double width, height;
};

/* Measures the key for this width; a name that is too long is cut. */
void key_measure(struct key *key, struct page *page, enum key_mark mark,
                    const struct key_entry *entry, int n, double width);

/* The box of entry i: sample and name. */
struct box key_box(const struct key *key, struct box at, int i);

/* The samples, then the names. */
void key_paint(const struct key *key, struct page *page, struct box at);
void key_paint_text(const struct key *key, struct page *page, struct box at);

/* Draws a point of this kind, of radius r: its colour, and one of four shapes. */
void key_dot(struct page *page, int kind, double x, double y, double r);
/* Adds the path of a circle. */
void key_circle(struct page *page, double x, double y, double r);

#endif
