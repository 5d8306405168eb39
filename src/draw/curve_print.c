/* SPDX-License-Identifier: MIT
 * Lines over an axis -> rows of a terminal: a letter of its own for each line. */
#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "draw/curve.h"
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

static int column_at(const struct plot *p, double x)
{
    double low = p->curve->x[0], high = p->curve->x[p->curve->n - 1];

    return low == high ? p->n_columns / 2 :
                         (int)lround((x - low) / (high - low) * (p->n_columns - 1));
}

/* From the top; -1 or n_rows: beyond the span. */
static int curve_print_row_at(const struct plot *p, double y)
{
    double from = (p->span.high - y) / (p->span.high - p->span.low) * (p->n_rows - 1);

    return from < -0.5 ? -1 : from > p->n_rows - 0.5 ? p->n_rows : (int)lround(from);
}

static int ink_of(const struct plot *p, int i)
{
    const unsigned char *rgb = pen_colour(curve_has_legend(p->curve) ? i : PEN_INK);

    return curve_has_legend(p->curve) ? rgb[0] << 16 | rgb[1] << 8 | rgb[2] : CANVAS_PLAIN;
}

/* "a", ... "x"; of one line, or of more than have letters, a point. */
static const char *mark_of(const struct plot *p, int i)
{
    return p->curve->n_lines == 1 || !curve_has_legend(p->curve) ? "•" :
               arena_printf(p->canvas->arena, "%c", 'a' + i);
}

/* ---- axes ---- */

static struct ticks y_ticks(const struct plot *p)
{
    const struct scale_range range = { (float)p->span.low, (float)p->span.high, true, false,
                                       false };

    return ticks_make(SCALE_LINEAR, range, 3.0 / p->n_rows);
}

static void tick_text(char dst[TICK_TEXT], const struct ticks *t, int i)
{
    ticks_text(dst, t->value[i], t->decimals);
}

static int y_width(const struct plot *p)
{
    struct ticks ticks = y_ticks(p);
    int widest = 0;

    for (int i = 0; i < ticks.n; i++) {
        char text[TICK_TEXT];

        tick_text(text, &ticks, i);
        widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
    }
    return widest;
}

static void print_y(const struct plot *p)
{
    struct ticks ticks = y_ticks(p);

    for (int row = 0; row < p->n_rows; row++)
        canvas_text(p->canvas, p->top + row, p->left - 1, 1, "│", false);
    for (int i = 0; i < ticks.n; i++) {
        int row = curve_print_row_at(p, ticks.value[i]);
        char text[TICK_TEXT];

        if (row < 0 || row >= p->n_rows)
            continue;
        tick_text(text, &ticks, i);
        canvas_text(p->canvas, p->top + row, p->left - 1 - (int)strlen(text), TICK_TEXT, text,
                    false);
        canvas_text(p->canvas, p->top + row, p->left - 1, 1, "┤", false);
    }
}

/* Below the axis, where it has room beside the one before, which ends before column *end. */
static void print_place(const struct plot *p, int row, double x, const char *name, int *end)
{
    const char *text = label_clean(p->canvas->arena, name, strlen(name), LABEL_CHARS);
    int w = canvas_width(text), at = p->left + column_at(p, x) - w / 2;

    at = at + w > p->canvas->n_columns ? p->canvas->n_columns - w : at;
    at = at < 0 ? 0 : at;
    if (at <= *end)
        return;
    canvas_text(p->canvas, row - 1, p->left + column_at(p, x), 1, "┴", false);
    *end = at + canvas_text(p->canvas, row, at, w, text, false) + 1;
}

/* Of many places: round numbers. */
static void print_numbers(const struct plot *p, int row)
{
    const double *x = p->curve->x;
    const struct scale_range range = { (float)x[0], (float)x[p->curve->n - 1], true, false, false };
    struct ticks ticks = ticks_make(SCALE_LINEAR, range, (double)TICK_COLUMNS / p->n_columns);
    int end = -1;

    for (int i = 0; i < ticks.n; i++) {
        char text[TICK_TEXT];

        if (ticks.value[i] < x[0] || ticks.value[i] > x[p->curve->n - 1])
            continue;
        tick_text(text, &ticks, i);
        print_place(p, row, ticks.value[i], text, &end);
    }
}

static void print_places(const struct plot *p, int row)
{
    const struct curve *curve = p->curve;
    int end = -1;

    if (curve->x_label == NULL && curve->n > p->n_columns / 2) {
        print_numbers(p, row);
        return;
    }
    for (int i = 0; i < curve->n; i++)
        print_place(p, row, curve->x[i], curve->x_label != NULL ? curve->x_label[i] :
                    arena_printf(p->canvas->arena, "%g", curve->x[i]), &end);
}

/* Returns the row after the axis. */
static int print_x(const struct plot *p)
{
    int row = p->top + p->n_rows, w;

    canvas_text(p->canvas, row, p->left - 1, 1, "└", false);
    for (int c = 0; c < p->n_columns; c++)
        canvas_text(p->canvas, row, p->left + c, 1, "─", false);
    row++;
    print_places(p, row++);
    w = canvas_width(p->curve->x_name);
    canvas_text(p->canvas, row, p->left + (w < p->n_columns ? (p->n_columns - w) / 2 : 0),
                p->n_columns, p->curve->x_name, false);
    return row + 1;
}

/* ---- lines ---- */

static void curve_print_put(const struct plot *p, int column, int row, const char *mark, int ink,
                            bool over)
{
    struct glyph *glyph;

    if (row < 0 || row >= p->n_rows)
        return;
    glyph = canvas_at(p->canvas, p->top + row, p->left + column);
    if (over || glyph->text == NULL)
        *glyph = (struct glyph){ mark, ink, CANVAS_PLAIN, false };
}

/* Number y at column c, between places k and k + 1. */
static double curve_print_between(const struct plot *p, const double *y, int k, int c)
{
    int first = column_at(p, p->curve->x[k]), last = column_at(p, p->curve->x[k + 1]);

    return last == first ? y[k] : y[k] + (y[k + 1] - y[k]) * (c - first) / (last - first);
}

/* What stands between two places: a lighter mark than theirs. */
static void curve_print_line(const struct plot *p, int i)
{
    const struct curve *curve = p->curve;
    const double *y = curve->line[i].y;

    for (int k = 0; k + 1 < curve->n; k++) {
        int first = column_at(p, curve->x[k]), last = column_at(p, curve->x[k + 1]);

        for (int c = first + 1; c < last && !isnan(y[k]) && !isnan(y[k + 1]); c++)
            curve_print_put(p, c, curve_print_row_at(p, curve_print_between(p, y, k, c)), "·",
                            ink_of(p, i), false);
    }
}

static void print_marks(const struct plot *p, int i)
{
    const struct curve *curve = p->curve;

    for (int k = 0; k < curve->n; k++)
        if (!isnan(curve->line[i].y[k]))
            curve_print_put(p, column_at(p, curve->x[k]),
                            curve_print_row_at(p, curve->line[i].y[k]), mark_of(p, i), ink_of(p, i),
                            true);
}

static void print_colons(const struct plot *p, int column, double low, double high, int ink)
{
    int from = curve_print_row_at(p, high), to = curve_print_row_at(p, low);

    for (int row = from < 0 ? 0 : from; row <= to && row < p->n_rows; row++)
        curve_print_put(p, column, row, ":", ink, false);
}

/* At places, and in a column between two of them. */
static void print_interval(const struct plot *p, int i)
{
    const struct curve_line *line = &p->curve->line[i];
    const double *x = p->curve->x, *low = line->low, *high = line->high;

    for (int k = 0; k < p->curve->n; k++) {
        int column = column_at(p, x[k]);

        if (isnan(low[k]))
            continue;
        print_colons(p, column, low[k], high[k], ink_of(p, i));
        if (k + 1 < p->curve->n && !isnan(low[k + 1]) && column_at(p, x[k + 1]) == column + 2)
            print_colons(p, column + 1, (low[k] + low[k + 1]) / 2.0,
                         (high[k] + high[k + 1]) / 2.0, ink_of(p, i));
    }
}

static void curve_print_legend(const struct plot *p, int row)
{
    const struct curve *curve = p->curve;
    int column = 0;

    if (curve->n_lines < 2 || !curve_has_legend(curve))
        return;
    for (int i = 0; i < curve->n_lines; i++) {
        const char *name = label_clean(p->canvas->arena, curve->line[i].name,
                                       strlen(curve->line[i].name), 3 * LABEL_CHARS);
        int w = canvas_width(name) + 2;

        if (column > 0 && column + w > p->canvas->n_columns) {
            row++;
            column = 0;
        }
        *canvas_at(p->canvas, row, column) =
            (struct glyph){ mark_of(p, i), ink_of(p, i), CANVAS_PLAIN, false };
        column += 2;
        if (column < p->canvas->n_columns)
            column += canvas_text(p->canvas, row, column, w, name, false) + 2;
    }
}

/* ---- all of it ---- */

static void curve_print_measure(struct plot *p)
{
    int rows = p->canvas->n_columns / LABEL_ROWS;

    p->n_rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
    p->span = curve_span(p->curve);
    p->left = y_width(p) + 1;
    p->n_columns = p->canvas->n_columns - p->left;
    p->n_columns = p->n_columns < 1 ? 1 : p->n_columns;
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
