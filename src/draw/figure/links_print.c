/* SPDX-License-Identifier: MIT
 * Links -> rows of a terminal: a table with bars. */
#include "draw/figure/links_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/figure/stroke.h"

/* Links of a query; columns of a label and of a bar. */
enum { EACH = 3, LABEL = 14, BAR = 20 };

struct table {
    const struct links_figure *figure;
    struct canvas *canvas;
    int row;
    int query_w, key_w;         /* columns of the widest label */
    int *best;                  /* [n_rows, EACH] of one head: lines; -1: none */
};

static const char *links_print_label_of(const struct table *table, const struct label_list *list,
                                        int i)
{
    return list->n == 0 ? "" :
               label_clean(table->canvas->arena, list->text[i], label_size(list, i), LABEL_CHARS);
}

/* Two labels and a number have room in any terminal. */
static int links_print_widest(const struct table *table, const struct label_list *list)
{
    int most = 0, room = (table->canvas->n_columns - 8) / 2;

    for (int i = 0; i < list->n; i++) {
        int w = canvas_width(links_print_label_of(table, list, i));

        most = w > most ? w : most;
    }
    room = room < 1 ? 1 : room < LABEL ? room : LABEL;
    return most < room ? most : room;
}

/* The strongest of each query: lines come from the weakest. */
static void links_print_choose(const struct table *table, int head)
{
    const struct links_figure *f = table->figure;

    for (int i = 0; i < f->n_rows * EACH; i++)
        table->best[i] = -1;
    for (int i = f->n - 1; i >= 0; i--) {
        int *best = table->best + f->line[i].query * EACH, at = 0;

        while (at < EACH && best[at] >= 0)
            at++;
        if (f->line[i].head == head && at < EACH)
            best[at] = i;
    }
}

/* "cat  saw  0.53 ██████" */
static void links_print_line(struct table *table, const struct links_line *line, bool first)
{
    const struct links_figure *f = table->figure;
    const unsigned char *rgb = stroke_colour(line->head, f->n_heads);
    int key_at = table->query_w + 2, at = key_at + table->key_w + 2;
    int cells = (int)lround(line->weight * BAR);
    char number[16];

    if (first)
        canvas_text(table->canvas, table->row, 0, table->query_w,
                    links_print_label_of(table, &f->rows, line->query), false);
    canvas_text(table->canvas, table->row, key_at, table->key_w,
                links_print_label_of(table, f->arcs ? &f->rows : &f->cols, line->key), false);
    snprintf(number, sizeof number, "%.2f", (double)line->weight);
    at += canvas_text(table->canvas, table->row, at, (int)sizeof number, number, false) + 1;
    for (int i = 0; i < cells && at + i < table->canvas->n_columns; i++)
        *canvas_at(table->canvas, table->row, at + i) =
            (struct glyph){ "█", rgb[0] << 16 | rgb[1] << 8 | rgb[2], CANVAS_PLAIN, false };
    table->row++;
}

static void print_head(struct table *table, int head)
{
    const struct links_figure *f = table->figure;
    const char *name = f->name[head];

    table->row += canvas_text(
                      table->canvas, table->row, 0, table->canvas->n_columns,
                      label_clean(table->canvas->arena, name, strlen(name), 3 * LABEL_CHARS),
                      true) > 0;
    links_print_choose(table, head);
    for (int i = 0; i < f->n_rows * EACH; i++)
        if (table->best[i] >= 0)
            links_print_line(table, &f->line[table->best[i]], i % EACH == 0);
}

void links_print(const void *figure, struct canvas *canvas)
{
    const struct links_figure *f = figure;
    struct table table = { .figure = f, .canvas = canvas, .row = canvas->n_rows };

    table.query_w = links_print_widest(&table, &f->rows);
    table.key_w = links_print_widest(&table, f->arcs ? &f->rows : &f->cols);
    table.best = arena_alloc(canvas->arena, (size_t)f->n_rows, EACH * sizeof *table.best);
    for (int head = 0; head < f->n_heads; head++) {
        table.row += head > 0;
        print_head(&table, head);
    }
}
