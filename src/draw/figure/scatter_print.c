/* SPDX-License-Identifier: MIT
 * Points with names -> rows of a terminal: a name stands where its point is. */
#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "draw/figure/scatter.h"
#include "draw/pen.h"

enum { LEAST_ROWS = 10, MOST_ROWS = 40 };

struct plane {
    const struct scatter *scatter;
    struct canvas *canvas;
    int top, n_rows;
    double low[2], scale;       /* lower ends; distances in columns, of which a row has two */
    struct scale_range shades;
};

static void scatter_print_measure(struct plane *plane)
{
    const struct scatter_point *point = plane->scatter->point;
    double high[2] = { point->x, point->y }, reach[2], room = plane->canvas->n_columns - 1;
    int rows;

    plane->low[0] = point->x;
    plane->low[1] = point->y;
    for (int i = 1; i < plane->scatter->n; i++) {
        plane->low[0] = fmin(plane->low[0], point[i].x);
        plane->low[1] = fmin(plane->low[1], point[i].y);
        high[0] = fmax(high[0], point[i].x);
        high[1] = fmax(high[1], point[i].y);
    }
    reach[0] = high[0] - plane->low[0];
    reach[1] = high[1] - plane->low[1];
    room = fmax(room - 8.0, 8.0);       /* names of points at the right end */
    plane->scale = fmin(reach[0] > 0.0 ? room / reach[0] : INFINITY,
                        reach[1] > 0.0 ? 2.0 * (MOST_ROWS - 1) / reach[1] : INFINITY);
    plane->scale = isinf(plane->scale) ? 0.0 : plane->scale;
    rows = (int)ceil(reach[1] * plane->scale / 2.0) + 1;
    plane->n_rows = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static bool is_free(const struct plane *plane, int row, int column, int n)
{
    if (column < 0 || column + n > plane->canvas->n_columns)
        return false;
    for (int c = column > 0 ? column - 1 : 0; c < column + n + 1 && c < plane->canvas->n_columns;
         c++)
        if (canvas_at(plane->canvas, row, c)->text != NULL)
            return false;
    return true;
}

/* Of its kind, or of its shade; of no known kind: the terminal's own. */
static int ink_of(const struct plane *plane, int i)
{
    const struct scatter *s = plane->scatter;
    const unsigned char *rgb;

    if (s->n_kinds > 0 ? s->point[i].kind < 0 : s->shade == NULL)
        return CANVAS_PLAIN;
    rgb = s->n_kinds > 0 ? pen_colour(s->point[i].kind % PEN_TONES) :
                           cmap_colour(s->cmap, scale_index(SCALE_LINEAR, s->shade[i],
                                                            plane->shades.lo, plane->shades.hi));
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

static char letter_of(int kind)
{
    return (char)('A' + kind % 26);
}

/* "L0H1", with the letter of its kind where there are kinds: "L0H1:A". */
static const char *scatter_print_text_of(const struct plane *plane,
                                         const struct scatter_point *point)
{
    const char *name = label_clean(plane->canvas->arena, point->name, strlen(point->name),
                                   LABEL_CHARS);

    if (plane->scatter->n_kinds == 0 || point->kind < 0)
        return plane->scatter->no_names ? "•" : name;
    if (plane->scatter->no_names)
        return arena_printf(plane->canvas->arena, "%c", letter_of(point->kind));
    return arena_printf(plane->canvas->arena, "%s:%c", name, letter_of(point->kind));
}

/* Its text where it is free; else a point, of which several may be one. */
static void print_point(const struct plane *plane, int i)
{
    const struct scatter_point *point = &plane->scatter->point[i];
    const char *text = scatter_print_text_of(plane, point);
    int column = (int)lround((point->x - plane->low[0]) * plane->scale), w = canvas_width(text);
    int row = plane->top + plane->n_rows - 1 -
              (int)lround((point->y - plane->low[1]) * plane->scale / 2.0);

    if (column + w > plane->canvas->n_columns)
        column = plane->canvas->n_columns - w;
    if (!is_free(plane, row, column, w)) {
        text = "•";
        w = 1;
        column = (int)lround((point->x - plane->low[0]) * plane->scale);
    }
    if (canvas_at(plane->canvas, row, column)->text != NULL)
        return;
    canvas_text(plane->canvas, row, column, w, text, false);
    for (int c = column; c < column + w; c++)
        canvas_at(plane->canvas, row, c)->ink = ink_of(plane, i);
}

/* "├────┤ 0.2 √nats": the largest round length of at most a third of the plane. */
static void print_ruler(const struct plane *plane, int row)
{
    static const double steps[] = { 5.0, 2.0, 1.0 };
    double most = plane->canvas->n_columns / 3.0, unit = 1e3, length = 0.0;
    int columns;

    for (; plane->scale > 0.0 && length == 0.0 && unit > 1e-9; unit /= 10.0)
        for (int i = 0; i < 3 && length == 0.0; i++)
            if (steps[i] * unit * plane->scale <= most)
                length = steps[i] * unit;
    columns = (int)lround(length * plane->scale);
    if (columns < 2)
        return;
    for (int c = 0; c < columns; c++)
        canvas_text(plane->canvas, row, c, 1, c == 0 ? "├" : c == columns - 1 ? "┤" : "─", false);
    canvas_text(plane->canvas, row, columns + 1, plane->canvas->n_columns,
                arena_printf(plane->canvas->arena, "%g %s", length, plane->scatter->unit), false);
}

static void print_kinds(const struct plane *plane, int row)
{
    int column = 0;

    for (int i = 0; i < plane->scatter->n_kinds; i++) {
        const char *kind = plane->scatter->kind[i];
        const char *text = arena_printf(plane->canvas->arena, "%c %s", letter_of(i),
                                        label_clean(plane->canvas->arena, kind, strlen(kind),
                                                    3 * LABEL_CHARS));
        int w = canvas_width(text);

        if (column > 0 && column + w > plane->canvas->n_columns) {
            row++;
            column = 0;
        }
        column += canvas_text(plane->canvas, row, column, w, text, false) + 2;
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
