/* SPDX-License-Identifier: MIT
 * Bands -> rows of a terminal: colours, or characters without them; numbers. */
#include <math.h>
#include <string.h>

#include "draw/canvas.h"
#include "draw/figure/bands.h"
#include "draw/figure/numbers.h"
#include "draw/scale.h"

enum { LABEL = 12, LEAST_BAND = 6 };

struct table {
    const struct bands *bands;
    struct canvas *canvas;
    int label_w;
    int *column, *width;        /* [n_fields]; width 0: there is no room for it */
};

static const char *bands_print_label_of(const struct table *table, int i)
{
    const struct bands *bands = table->bands;

    if (i < 0)
        return label_clean(table->canvas->arena, bands->lead_label, strlen(bands->lead_label),
                           LABEL_CHARS);
    return i >= bands->rows.n ? "" :
               label_clean(table->canvas->arena, bands->rows.text[i], label_size(&bands->rows, i),
                           LABEL_CHARS);
}

static int label_width(const struct table *table)
{
    int most = table->canvas->n_columns / 4, widest = 1;

    most = most > LABEL ? LABEL : most < 1 ? 1 : most;
    for (int i = table->bands->lead != NULL ? -1 : 0; i < table->bands->n_rows; i++) {
        int w = canvas_width(bands_print_label_of(table, i));

        widest = w > widest ? w : widest;
    }
    return widest < most ? widest : most;
}

static int number_width(const struct bands_field *field, int n)
{
    int widest = canvas_width(field->title);

    for (int i = 0; i < n; i++) {
        char text[NUMBER_TEXT];

        numbers_text(text, field->value[i]);
        widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
    }
    return widest;
}

/* Numbers from the last field on, as many as fit; bands share what is left. */
static void bands_print_place(struct table *table)
{
    const struct bands *bands = table->bands;
    int room = table->canvas->n_columns - table->label_w, n_bands = 0, at = table->label_w + 1;

    for (int f = bands->n_fields - 1; f >= 0; f--) {
        int w = bands->field[f].n_cols == 1 ? number_width(&bands->field[f], bands->n_rows) : 0;

        n_bands += bands->field[f].n_cols > 1;
        table->width[f] = w + 1 <= room ? w : 0;
        room -= table->width[f] > 0 ? table->width[f] + 1 : 0;
    }
    for (int f = bands->n_fields - 1; f >= 0; f--) {
        int w;

        if (bands->field[f].n_cols == 1)
            continue;
        w = room / n_bands-- - 1;
        w = w < bands->field[f].n_cols ? w : bands->field[f].n_cols;
        table->width[f] = w >= LEAST_BAND || w == bands->field[f].n_cols ? w : 0;
        room -= table->width[f] > 0 ? table->width[f] + 1 : 0;
    }
    for (int f = 0; f < bands->n_fields; f++) {
        table->column[f] = at;
        at += table->width[f] > 0 ? table->width[f] + 1 : 0;
    }
}

/* Of the columns that share a cell, the number that is farthest from 0. */
static float bands_print_strongest(const float *value, int n_cols, int width, int cell)
{
    int first = (int)((int64_t)cell * n_cols / width);
    int end = (int)((int64_t)(cell + 1) * n_cols / width);
    float best = value[first];

    for (int c = first + 1; c < end; c++)
        best = fabsf(value[c]) > fabsf(best) ? value[c] : best;
    return best;
}

/* Nothing is told by colour alone: without colours, the sign of what is far from 0. */
static struct glyph glyph_of(const struct table *table, const struct bands_field *field,
                             float value)
{
    float far = fmaxf(fabsf(field->low), fabsf(field->high)) / 4.0f;
    const unsigned char *rgb;

    if (isnan(value))
        return (struct glyph){ "?", CANVAS_PLAIN, CANVAS_PLAIN, false };
    rgb = cmap_colour(field->cmap, scale_index(SCALE_LINEAR, value, field->low, field->high));
    if (table->canvas->way == TERMINAL_DIGITS)
        return (struct glyph){ value > far ? "+" : value < -far ? "-" : "·", CANVAS_PLAIN,
                               CANVAS_PLAIN, false };
    return (struct glyph){ NULL, CANVAS_PLAIN, rgb[0] << 16 | rgb[1] << 8 | rgb[2], false };
}

static void print_band(const struct table *table, int row, int f, const float *value)
{
    const struct bands_field *field = &table->bands->field[f];

    for (int c = 0; c < table->width[f]; c++)
        *canvas_at(table->canvas, row, table->column[f] + c) =
            glyph_of(table, field, bands_print_strongest(value, field->n_cols, table->width[f], c));
}

static void print_label(const struct table *table, int row, int i)
{
    const char *label = bands_print_label_of(table, i);
    int w = canvas_width(label);

    canvas_text(table->canvas, row, w < table->label_w ? table->label_w - w : 0, table->label_w,
                label, false);
}

static void print_row(const struct table *table, int row, int i)
{
    print_label(table, row, i);
    for (int f = 0; f < table->bands->n_fields; f++) {
        const struct bands_field *field = &table->bands->field[f];
        const float *value = field->value + (size_t)i * (size_t)field->n_cols;
        char text[NUMBER_TEXT];

        if (table->width[f] == 0)
            continue;
        if (field->n_cols > 1) {
            print_band(table, row, f, value);
            continue;
        }
        numbers_text(text, *value);
        canvas_text(table->canvas, row, table->column[f] + table->width[f] - (int)strlen(text),
                    table->width[f], text, false);
    }
}

static void print_titles(const struct table *table, int row)
{
    for (int f = 0; f < table->bands->n_fields; f++) {
        const struct bands_field *field = &table->bands->field[f];
        int w = canvas_width(field->title), inset = field->n_cols == 1 ? table->width[f] - w : 0;

        if (table->width[f] > 0)
            canvas_text(table->canvas, row, table->column[f] + (inset > 0 ? inset : 0),
                        table->width[f], field->title, true);
    }
}

void bands_print(const void *of, struct canvas *canvas)
{
    const struct bands *bands = of;
    struct table t = { .bands = bands, .canvas = canvas };
    int row = canvas->n_rows > 0 ? canvas->n_rows + 1 : 0;

    t.column = arena_alloc(canvas->arena, (size_t)bands->n_fields, sizeof *t.column);
    t.width = arena_alloc(canvas->arena, (size_t)bands->n_fields, sizeof *t.width);
    t.label_w = label_width(&t);
    bands_print_place(&t);
    if (bands->lead != NULL && t.width[0] > 0) {
        canvas_text(canvas, row, t.column[0], t.width[0], bands->lead_title, true);
        print_label(&t, row + 1, -1);
        print_band(&t, row + 1, 0, bands->lead);
        row += 2;
    }
    print_titles(&t, row++);
    for (int i = 0; i < bands->n_rows; i++)
        print_row(&t, row++, i);
}
