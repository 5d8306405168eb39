/* SPDX-License-Identifier: MIT
 * Lines over an axis -> rows of a terminal: a letter of its own for each line. */
#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "draw/figure/curve.h"
#include "draw/pen.h"
#include "draw/ticks.h"

enum { LEAST_ROWS = 8, MOST_ROWS = 20, LABEL_ROWS = 4, TICK_COLUMNS = 8 };

struct plot {
    const struct curve *curve;
    struct canvas *canvas;
    struct curve_span span;
    int top, left;              /* the first row, and the first column right of the axis */
    int n_rows, n_columns;
};

static int column_at(const struct plot *plot, double x)
{
    double low = plot->curve->x[0], high = plot->curve->x[plot->curve->n - 1];

    return low == high ? plot->n_columns / 2 :
                         (int)lround((x - low) / (high - low) * (plot->n_columns - 1));
}

/* From the top; -1 or n_rows: beyond the span. */
static int curve_print_row_at(const struct plot *plot, double y)
{
    double from = (plot->span.high - y) / (plot->span.high - plot->span.low) * (plot->n_rows - 1);

    return from < -0.5 ? -1 : from > plot->n_rows - 0.5 ? plot->n_rows : (int)lround(from);
}

static int ink_of(const struct plot *plot, int i)
{
    const unsigned char *rgb = pen_colour(curve_has_legend(plot->curve) ? i : PEN_INK);

    return curve_has_legend(plot->curve) ? rgb[0] << 16 | rgb[1] << 8 | rgb[2] : CANVAS_PLAIN;
}

/* "a", ... "x"; of one line, or of more than have letters, a point. */
static const char *mark_of(const struct plot *plot, int i)
{
    return plot->curve->n_lines == 1 || !curve_has_legend(plot->curve) ? "•" :
               arena_printf(plot->canvas->arena, "%c", 'a' + i);
}

/* ---- axes ---- */

static struct ticks y_ticks(const struct plot *plot)
{
    const struct scale_range range = { (float)plot->span.low, (float)plot->span.high, true, false,
                                       false };

    return ticks_make(SCALE_LINEAR, range, 3.0 / plot->n_rows);
}

static void tick_text(char dst[TICK_TEXT], const struct ticks *ticks, int i)
{
    ticks_text(dst, ticks->value[i], ticks->decimals);
}

static int y_width(const struct plot *plot)
{
    struct ticks ticks = y_ticks(plot);
    int widest = 0;

    for (int i = 0; i < ticks.n; i++) {
        char text[TICK_TEXT];

        tick_text(text, &ticks, i);
        widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
    }
    return widest;
}

static void print_y(const struct plot *plot)
{
    struct ticks ticks = y_ticks(plot);

    for (int row = 0; row < plot->n_rows; row++)
        canvas_text(plot->canvas, plot->top + row, plot->left - 1, 1, "│", false);
    for (int i = 0; i < ticks.n; i++) {
        int row = curve_print_row_at(plot, ticks.value[i]);
        char text[TICK_TEXT];

        if (row < 0 || row >= plot->n_rows)
            continue;
        tick_text(text, &ticks, i);
        canvas_text(plot->canvas, plot->top + row, plot->left - 1 - (int)strlen(text), TICK_TEXT,
                    text, false);
        canvas_text(plot->canvas, plot->top + row, plot->left - 1, 1, "┤", false);
    }
}

/* Below the axis, where it has room beside the one before, which ends before column *end. */
static void print_place(const struct plot *plot, int row, double x, const char *name, int *end)
{
    const char *text = label_clean(plot->canvas->arena, name, strlen(name), LABEL_CHARS);
    int w = canvas_width(text), at = plot->left + column_at(plot, x) - w / 2;

    at = at + w > plot->canvas->n_columns ? plot->canvas->n_columns - w : at;
    at = at < 0 ? 0 : at;
    if (at <= *end)
        return;
    canvas_text(plot->canvas, row - 1, plot->left + column_at(plot, x), 1, "┴", false);
    *end = at + canvas_text(plot->canvas, row, at, w, text, false) + 1;
}

/* Of many places: round numbers. */
static void print_numbers(const struct plot *plot, int row)
{
    const double *x = plot->curve->x;
    const struct scale_range range = { (float)x[0], (float)x[plot->curve->n - 1], true, false,
                                       false };
    struct ticks ticks = ticks_make(SCALE_LINEAR, range, (double)TICK_COLUMNS / plot->n_columns);
    int end = -1;

    for (int i = 0; i < ticks.n; i++) {
        char text[TICK_TEXT];

        if (ticks.value[i] < x[0] || ticks.value[i] > x[plot->curve->n - 1])
            continue;
        tick_text(text, &ticks, i);
        print_place(plot, row, ticks.value[i], text, &end);
    }
}

static void print_places(const struct plot *plot, int row)
{
    const struct curve *curve = plot->curve;
    int end = -1;

    if (curve->x_label == NULL && curve->n > plot->n_columns / 2) {
        print_numbers(plot, row);
        return;
    }
    for (int i = 0; i < curve->n; i++)
        print_place(plot, row, curve->x[i], curve->x_label != NULL ? curve->x_label[i] :
                    arena_printf(plot->canvas->arena, "%g", curve->x[i]), &end);
}

/* Returns the row after the axis. */
static int print_x(const struct plot *plot)
{
    int row = plot->top + plot->n_rows, w;

    canvas_text(plot->canvas, row, plot->left - 1, 1, "└", false);
    for (int c = 0; c < plot->n_columns; c++)
        canvas_text(plot->canvas, row, plot->left + c, 1, "─", false);
    row++;
    print_places(plot, row++);
    w = canvas_width(plot->curve->x_name);
    canvas_text(plot->canvas, row,
                plot->left + (w < plot->n_columns ? (plot->n_columns - w) / 2 : 0), plot->n_columns,
                plot->curve->x_name, false);
    return row + 1;
}

/* ---- lines ---- */

static void curve_print_put(const struct plot *plot, int column, int row, const char *mark, int ink,
                            bool over)
{
    struct glyph *glyph;

    if (row < 0 || row >= plot->n_rows)
        return;
    glyph = canvas_at(plot->canvas, plot->top + row, plot->left + column);
    if (over || glyph->text == NULL)
        *glyph = (struct glyph){ mark, ink, CANVAS_PLAIN, false };
}

/* Number y at column c, between places k and k + 1. */
static double curve_print_between(const struct plot *plot, const double *y, int k, int c)
{
    int first = column_at(plot, plot->curve->x[k]), last = column_at(plot, plot->curve->x[k + 1]);

    return last == first ? y[k] : y[k] + (y[k + 1] - y[k]) * (c - first) / (last - first);
}

/* What stands between two places: a lighter mark than theirs. */
static void curve_print_line(const struct plot *plot, int i)
{
    const struct curve *curve = plot->curve;
    const double *y = curve->line[i].y;

    for (int k = 0; k + 1 < curve->n; k++) {
        int first = column_at(plot, curve->x[k]), last = column_at(plot, curve->x[k + 1]);

        for (int c = first + 1; c < last && !isnan(y[k]) && !isnan(y[k + 1]); c++)
            curve_print_put(plot, c, curve_print_row_at(plot, curve_print_between(plot, y, k, c)),
                            "·", ink_of(plot, i), false);
    }
}

static void print_marks(const struct plot *plot, int i)
{
    const struct curve *curve = plot->curve;

    for (int k = 0; k < curve->n; k++)
        if (!isnan(curve->line[i].y[k]))
            curve_print_put(plot, column_at(plot, curve->x[k]),
                            curve_print_row_at(plot, curve->line[i].y[k]), mark_of(plot, i),
                            ink_of(plot, i), true);
}

static void print_colons(const struct plot *plot, int column, double low, double high, int ink)
{
    int from = curve_print_row_at(plot, high), to = curve_print_row_at(plot, low);

    for (int row = from < 0 ? 0 : from; row <= to && row < plot->n_rows; row++)
        curve_print_put(plot, column, row, ":", ink, false);
}

/* At places, and in a column between two of them. */
static void print_interval(const struct plot *plot, int i)
{
    const struct curve_line *line = &plot->curve->line[i];
    const double *x = plot->curve->x, *low = line->low, *high = line->high;

    for (int k = 0; k < plot->curve->n; k++) {
        int column = column_at(plot, x[k]);

        if (isnan(low[k]))
            continue;
        print_colons(plot, column, low[k], high[k], ink_of(plot, i));
        if (k + 1 < plot->curve->n && !isnan(low[k + 1]) && column_at(plot, x[k + 1]) == column + 2)
            print_colons(plot, column + 1, (low[k] + low[k + 1]) / 2.0,
                         (high[k] + high[k + 1]) / 2.0, ink_of(plot, i));
    }
}

static void curve_print_legend(const struct plot *plot, int row)
{
    const struct curve *curve = plot->curve;
    int column = 0;

    if (curve->n_lines < 2 || !curve_has_legend(curve))
        return;
    for (int i = 0; i < curve->n_lines; i++) {
        const char *name = label_clean(plot->canvas->arena, curve->line[i].name,
                                       strlen(curve->line[i].name), 3 * LABEL_CHARS);
        int w = canvas_width(name) + 2;

        if (column > 0 && column + w > plot->canvas->n_columns) {
            row++;
            column = 0;
        }
        *canvas_at(plot->canvas, row, column) =
            (struct glyph){ mark_of(plot, i), ink_of(plot, i), CANVAS_PLAIN, false };
        column += 2;
        if (column < plot->canvas->n_columns)
            column += canvas_text(plot->canvas, row, column, w, name, false) + 2;
    }
}

/* ---- all of it ---- */

static void curve_print_measure(struct plot *plot)
{
    int rows = plot->canvas->n_columns / LABEL_ROWS;

    plot->n_rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    plot->span = curve_span(plot->curve);
    plot->left = y_width(plot) + 1;
    plot->n_columns = plot->canvas->n_columns - plot->left;
    plot->n_columns = plot->n_columns < 1 ? 1 : plot->n_columns;
}

void curve_print(const void *of, struct canvas *canvas)
{
    const struct curve *curve = of;
    struct plot p = { .curve = curve, .canvas = canvas, .top = canvas->n_rows };
    int row;

    curve_print_measure(&p);
    canvas_text(canvas, p.top++, 0, canvas->n_columns, curve->y_name, false);
    print_y(&p);
    row = print_x(&p);
    for (int i = 0; i < curve->n_lines; i++)
        print_marks(&p, i);
    for (int i = 0; i < curve->n_dots; i++)
        curve_print_put(&p, column_at(&p, curve->dot[i].x), curve_print_row_at(&p, curve->dot[i].y),
                        "o", CANVAS_PLAIN, false);
    for (int i = 0; i < curve->n_lines; i++)
        curve_print_line(&p, i);
    for (int i = 0; i < curve->n_lines && curve_is_of_few(curve); i++)
        print_interval(&p, i);
    curve_print_legend(&p, row);
}
