/* SPDX-License-Identifier: MIT
 * A part of a sheet: lines over one axis, each with its interval, and round ticks.
 *
 *     curve_bins.c      more places than there is room for -> fewer
 *     curve_span.c      what the axis of numbers spans
 *     curve.c           ink on a page
 *     curve_print.c     rows of a terminal */
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
    bool whole;                 /* the axis reaches as far as the intervals do */
};

/* Pixels at 100 dpi: between the axes, of a page without a width; a bin, at least, of few lines and
 * of more. */
enum { CURVE_PLOT_W = 520, CURVE_BIN_W = 3, CURVE_BIN_W_MANY = 8 };

struct part curve_part(const struct curve *curve);

/* Whether lines have colours and dashes of their own, and a legend. */
static inline bool curve_has_legend(const struct curve *curve)
{
    return curve->n_lines <= MOST_PENS;
}

/* Whether there are so few lines that a band around each can be told from the others. */
static inline bool curve_is_of_few(const struct curve *curve)
{
    return curve->n_lines <= 4;
}

/* Whether a line has an interval somewhere. */
bool curve_has_intervals(const struct curve *curve);

/* ---- curve_bins.c ---- */

/* The least of 1, 2, 5, 10, 20, 50, ... that makes at most so many bins of n places, or 10. */
int curve_bin_size(int n, double most);

/*
 * With bins of so many places, the last of what is left: the means of the places that have a
 * number, in the middle of the bin.  Around them the mean of the intervals, where each of these
 * places has one; or, of a few lines without any interval, from the least to the largest number.
 */
struct curve curve_in_bins(const struct curve *curve, int size, struct arena *a);

/* ---- curve_span.c ---- */

/* What the y axis spans: all numbers, intervals as far as half of their range beyond them (whole:
 * all of them), a little more, and zero where it is near. */
struct curve_span { double low, high; };
struct curve_span curve_span(const struct curve *curve);

/* How much wider the sheet, whose only part it is, would have to be for lines between its labels;
 * 0: it has room. */
double curve_lacks_px(const struct sheet *s, struct arena *a);

/* Where place i and the number y lie in a PNG of the sheet, whose only part it is. */
struct box curve_point(const struct sheet *s, struct arena *a, int i, double y);

/* ---- curve_print.c ---- */

/* A letter of its own at each place of a line, points between them; of few lines, colons for an
 * interval. */
void curve_print(const void *curve, struct canvas *canvas);

#endif
