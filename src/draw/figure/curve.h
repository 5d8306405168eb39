/* SPDX-License-Identifier: MIT
 * A part of a sheet: a curve, lines over one axis, with intervals and round ticks.
 *
 *     curve_bins.c      reduces the points to bins, if there is no room for all
 *     curve_span.c      the range of the y axis
 *     curve.c           draws on a page
 *     curve_print.c     draws on a terminal */
#ifndef DRAW_CURVE_H
#define DRAW_CURVE_H

#include "draw/label.h"
#include "draw/layout.h"
#include "draw/pen.h"
#include "draw/sheet.h"

struct canvas;

struct curve_line {
    const char *name;
    const double *y;            /* [n] NaN: no point */
    const double *low, *high;   /* [n] NaN: no interval */
};

/* A single point, in addition to the lines. */
struct curve_dot { double x, y; };

struct curve {
    int n;                      /* >= 1 points along the axis ("places") */
    const double *x;            /* [n] in rising order */
    const char *const *x_label; /* [n] names of the points; NULL: numbers */
    int n_lines;                /* >= 1 */
    const struct curve_line *line;
    int n_dots;
    const struct curve_dot *dot;
    const char *x_name, *y_name;
    bool whole;                 /* the y axis includes all intervals */
};

/* Pixels at 100 dpi: width of the plot on a page without a given width; least width of a bin, with
 * few lines and with more. */
enum { CURVE_PLOT_W = 520, CURVE_BIN_W = 3, CURVE_BIN_W_MANY = 8 };

struct part curve_part(const struct curve *curve);

/* Whether lines have different colours and dashes, and a legend. */
static inline bool curve_has_legend(const struct curve *curve)
{
    return curve->n_lines <= MOST_PENS;
}

/* Whether lines are so few that a band around each can be distinguished. */
static inline bool curve_is_of_few(const struct curve *curve)
{
    return curve->n_lines <= 4;
}

/* Whether a line has an interval somewhere. */
bool curve_has_intervals(const struct curve *curve);

/* ---- curve_bins.c ---- */

/* The least of 1, 2, 5, 10, 20, 50, ... with which n places make at most so many bins, or 10. */
int curve_bin_size(int n, double most);

/*
 * The curve in bins of `size` places, the last with the rest: a point is the mean of the places
 * that have a number, in the middle of the bin.  Its interval is the mean of theirs, if each of
 * these places has one; or, for a few lines without intervals, from the least to the largest
 * number.
 */
struct curve curve_in_bins(const struct curve *curve, int size, struct arena *a);

/* ---- curve_span.c ---- */

/* The range of the y axis: all numbers, intervals up to half of their range beyond (whole: all of
 * them), a margin, and zero if it is near. */
struct curve_span { double low, high; };
struct curve_span curve_span(const struct curve *curve);

/* How much wider a sheet with this part alone would have to be to have room for the lines between
 * its labels; 0 if it has room. */
double curve_lacks_px(const struct sheet *sheet, struct arena *a);

/* The position of place i and number y in a PNG of a sheet that has this part alone. */
struct box curve_point(const struct sheet *sheet, struct arena *a, int i, double y);

/* ---- curve_print.c ---- */

/* Draws a different letter at the points of each line, dots between them; for few lines, colons for
 * intervals. */
void curve_print(const void *curve, struct canvas *canvas);

#endif
