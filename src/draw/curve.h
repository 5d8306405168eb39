/* SPDX-License-Identifier: MIT
 * A part of a sheet: lines over one axis, each with its interval, and round ticks. */
#ifndef DRAW_CURVE_H
#define DRAW_CURVE_H

#include "draw/label.h"
#include "draw/layout.h"
#include "draw/pen.h"
#include "draw/sheet.h"

struct canvas;

struct curve_line {
    const char *name;
    const double *y;            /* [n] NaN: there is none */
    const double *low, *high;   /* [n] NaN: there is no interval */
};

/* A number of its own, beside the lines. */
struct curve_dot { double x, y; };

struct curve {
    int n;                      /* >= 1 places along the axis */
    const double *x;            /* [n] rising */
    const char *const *x_label; /* [n] names of the places; NULL: numbers */
    int n_lines;                /* >= 1 */
    const struct curve_line *line;
    int n_dots;
    const struct curve_dot *dot;
    const char *x_name, *y_name;
    bool no_labels;             /* of axes */
};

struct part curve_part(const struct curve *curve);

/* Whether lines have colours and dashes of their own, and a legend. */
static inline bool curve_has_legend(const struct curve *curve)
{
    return curve->n_lines <= MOST_PENS;
}

/* What the y axis spans: all numbers, intervals as far as half of their range beyond them, a little
 * more, and zero where it is near. */
struct curve_span { double low, high; };
struct curve_span curve_span(const struct curve *curve);

/* Where place i and the number y lie in a PNG of the sheet, whose only part it is. */
struct box curve_point(const struct sheet *s, struct arena *a, int i, double y);

/* ---- curve_print.c ---- */

/* Whether there are so few lines that a terminal shows their intervals. */
bool curve_prints_intervals(const struct curve *curve);

/* A letter of its own at each place of a line, points between them, colons for an interval. */
void curve_print(const void *curve, struct canvas *canvas);

#endif
