/* SPDX-License-Identifier: MIT
 * Points with names -> rows of a terminal: a name stands where its point is. */
#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "draw/pen.h"
#include "draw/scatter.h"

enum { LEAST_ROWS = 10, MOST_ROWS = 40 };

struct plane {
    const struct scatter *scatter;
    struct canvas *canvas;
    int top, n_rows;
    double low[2], scale;       /* lower ends; distances in columns, of which a row has two */
    struct scale_range shades;
};

static void scatter_print_measure(struct plane *p)
{
    const struct scatter_point *point = p->scatter->point;
    double high[2] = { point->x, point->y }, reach[2], room = p->canvas->n_columns - 1;
    int rows;

    p->low[0] = point->x;
    p->low[1] = point->y;
    for (int i = 1; i < p->scatter->n; i++) {
        p->low[0] = fmin(p->low[0], point[i].x);
        p->low[1] = fmin(p->low[1], point[i].y);
        high[0] = fmax(high[0], point[i].x);
        high[1] = fmax(high[1], point[i].y);
    }
    reach[0] = high[0] - p->low[0];
    reach[1] = high[1] - p->low[1];
    room = fmax(room - 8.0, 8.0);       /* names of points at the right end */
    p->scale = fmin(reach[0] > 0.0 ? room / reach[0] : INFINITY,
                    reach[1] > 0.0 ? 2.0 * (MOST_ROWS - 1) / reach[1] : INFINITY);
    p->scale = isinf(p->scale) ? 0.0 : p->scale;
    rows = (int)ceil(reach[1] * p->scale / 2.0) + 1;
    p->n_rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static bool is_free(const struct plane *p, int row, int column, int n)
{
    if (column < 0 || column + n > p->canvas->n_columns)
        return false;
    for (int c = column > 0 ? column - 1 : 0; c < column + n + 1 && c < p->canvas->n_columns; c++)
        if (canvas_at(p->canvas, row, c)->text != NULL)
            return false;
    return true;
}

/* Of its kind, or of its shade; of no known kind: the terminal's own. */
static int ink_of(const struct plane *p, int i)
{
    const struct scatter *s = p->scatter;
    const unsigned char *rgb;

    if (s->n_kinds > 0 ? s->point[i].kind < 0 : s->shade == NULL)
        return CANVAS_PLAIN;
    rgb = s->n_kinds > 0 ? pen_colour(s->point[i].kind % PEN_TONES) :
                           cmap_colour(s->cmap, scale_index(SCALE_LINEAR, s->shade[i],
                                                            p->shades.lo, p->shades.hi));
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

static char letter_of(int kind)
{
    return (char)('A' + kind % 26);
}

/* "L0H1", with the letter of its kind where there are kinds: "L0H1:A". */
static const char *scatter_print_text_of(const struct plane *p, const struct scatter_point *point)
{
    const char *name = label_clean(p->canvas->arena, point->name, strlen(point->name),
                                   LABEL_CHARS);

    if (p->scatter->n_kinds == 0 || point->kind < 0)
        return p->scatter->no_names ? "•" : name;
    if (p->scatter->no_names)
        return arena_printf(p->canvas->arena, "%c", letter_of(point->kind));
    return arena_printf(p->canvas->arena, "%s:%c", name, letter_of(point->kind));
}

/* Its text where it is free; else a point, of which several may be one. */
static void print_point(const struct plane *p, int i)
{
    const struct scatter_point *point = &p->scatter->point[i];
    const char *text = scatter_print_text_of(p, point);
    int column = (int)lround((point->x - p->low[0]) * p->scale), w = canvas_width(text);
    int row = p->top + p->n_rows - 1 - (int)lround((point->y - p->low[1]) * p->scale / 2.0);

    if (column + w > p->canvas->n_columns)
        column = p->canvas->n_columns - w;
    if (!is_free(p, row, column, w)) {
        text = "•";
        w = 1;
        column = (int)lround((point->x - p->low[0]) * p->scale);
    }
    if (canvas_at(p->canvas, row, column)->text != NULL)
        return;
    canvas_text(p->canvas, row, column, w, text, false);
    for (int c = column; c < column + w; c++)
        canvas_at(p->canvas, row, c)->ink = ink_of(p, i);
}

/* "├────┤ 0.2 √nats": the largest round length of at most a third of the plane. */
static void print_ruler(const struct plane *p, int row)
{
    static const double steps[] = { 5.0, 2.0, 1.0 };
    double most = p->canvas->n_columns / 3.0, unit = 1e3, length = 0.0;
    int columns;

    for (; p->scale > 0.0 && length == 0.0 && unit > 1e-9; unit /= 10.0)
        for (int i = 0; i < 3 && length == 0.0; i++)
            if (steps[i] * unit * p->scale <= most)
                length = steps[i] * unit;
    columns = (int)lround(length * p->scale);
    if (columns < 2)
        return;
    for (int c = 0; c < columns; c++)
        canvas_text(p->canvas, row, c, 1, c == 0 ? "├" : c == columns - 1 ? "┤" : "─", false);
    canvas_text(p->canvas, row, columns + 1, p->canvas->n_columns,
                arena_printf(p->canvas->arena, "%g %s", length, p->scatter->unit), false);
}

static void print_kinds(const struct plane *p, int row)
{
    int column = 0;

    for (int i = 0; i < p->scatter->n_kinds; i++) {
        const char *kind = p->scatter->kind[i];
        const char *text = arena_printf(p->canvas->arena, "%c %s", letter_of(i),
                                        label_clean(p->canvas->arena, kind, strlen(kind),
                                                    3 * LABEL_CHARS));
        int w = canvas_width(text);

        if (column > 0 && column + w > p->canvas->n_columns) {
            row++;
            column = 0;
        }
        column += canvas_text(p->canvas, row, column, w, text, false) + 2;
    }
}

void scatter_print(const void *of, struct canvas *canvas)
{
    const struct scatter *scatter = of;
    struct plane p = { .scatter = scatter, .canvas = canvas, .top = canvas->n_rows };

    scatter_print_measure(&p);
    for (int i = 0; i < scatter->n && scatter->shade != NULL; i++)
        scale_widen(&p.shades, scatter->shade[i]);
    for (int i = 0; i < scatter->n; i++)
        print_point(&p, i);
    print_ruler(&p, p.top + p.n_rows);
    print_kinds(&p, p.top + p.n_rows + 1);
}
