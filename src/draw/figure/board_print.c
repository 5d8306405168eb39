/* SPDX-License-Identifier: MIT
 * A board on a terminal: small blocks for thumbnails, names or letters for kinds. */
#include <math.h>
#include <string.h>

#include "draw/figure/blocks.h"
#include "draw/figure/board.h"
#include "draw/figure/cells.h"
#include "draw/pen.h"

enum { LABEL = 6, GAP = 1, LEAST_SIDE = 4, MOST_SIDE = 16, ONE_BAR = 40 };

struct table {
    const struct board *board;
    struct canvas *canvas;
    int label;                  /* columns of the labels at the left, with their gap */
    int width;                  /* of a cell */
    int columns;                /* of the board side by side; the others follow below */
};

static const char *board_print_label_of(const struct table *table, const struct label_list *list,
                                        int i)
{
    return i >= list->n ? "" :
               label_clean(table->canvas->arena, list->text[i], label_size(list, i), LABEL_CHARS);
}

static const char *board_name_of(const struct table *table, const char *name)
{
    return label_clean(table->canvas->arena, name, strlen(name), 2 * LABEL_CHARS);
}

static void board_print_begin(struct table *table, const struct board *board, struct canvas *canvas)
{
    *table = (struct table){ .board = board, .canvas = canvas };
    for (int i = 0; i < board->rows.n; i++) {
        int w = canvas_width(board_print_label_of(table, &board->rows, i)) + 1;

        table->label = w > table->label ? w : table->label;
    }
    table->label = table->label > LABEL ? LABEL : table->label;
}

/* So many columns of the board as fit, the same number in each row as far as that goes. */
static void choose_columns(struct table *table)
{
    int n = table->board->n_cols,
        fit = (table->canvas->n_columns - table->label + GAP) / (table->width + GAP);
    int lines;

    fit = fit < 1 ? 1 : fit < n ? fit : n;
    lines = (n + fit - 1) / fit;
    table->columns = (n + lines - 1) / lines;
}

static int column_of(const struct table *table, int i)
{
    return table->label + (i % table->columns) * (table->width + GAP);
}

/* Above the cells of columns first .. end - 1. */
static int print_names(const struct table *table, int at, int row, int first, int end)
{
    const struct board *board = table->board;

    if (board->cols.n == 0 && board->name == NULL)
        return at;
    for (int c = first; c < end; c++) {
        const char *name = board->brief != NULL ? board->brief[row * board->n_cols + c] :
                           board->cols.n > 0 ? board_print_label_of(table, &board->cols, c) : NULL;

        if (name != NULL)
            canvas_text(table->canvas, at, column_of(table, c - first), table->width,
                        board_name_of(table, name), false);
    }
    return at + 1;
}

static void print_row_label(const struct table *table, int at, int row)
{
    if (table->label > 0)
        canvas_text(table->canvas, at, 0, table->label - 1,
                    board_print_label_of(table, &table->board->rows, row), false);
}

/* ---- thumbnails ---- */

/* A thumbnail of n_rows x n_cols as cells of h x w: the largest that each holds. */
static void shrink(const struct panel *panel, float *to, int h, int w)
{
    for (int i = 0; i < h * w; i++)
        to[i] = NAN;
    for (int i = 0; i < panel->n_rows; i++)
        for (int j = 0; j < panel->n_cols; j++) {
            float value = panel->value[(size_t)i * (size_t)panel->n_cols + (size_t)j];
            float *at = to + (int)((int64_t)i * h / panel->n_rows) * w +
                        (int)((int64_t)j * w / panel->n_cols);

            *at = isnan(value) ? *at : isnan(*at) ? value : fmaxf(*at, value);
        }
}

struct thumbs {
    struct table table;
    int h, w;                   /* cells of a thumbnail */
    bool half;                  /* a line holds two rows of them */
    int lines;
    struct scale_range *range;  /* [n_rows, n_cols] */
    float *value;               /* [h, w] */
    unsigned short *index;
};

static void measure_thumbs(struct thumbs *thumbs, const struct panel *shape)
{
    struct table *table = &thumbs->table;
    int n = table->board->n_cols;
    int side = (table->canvas->n_columns - table->label + GAP) / n - GAP;

    side = side < LEAST_SIDE ? LEAST_SIDE : side > MOST_SIDE ? MOST_SIDE : side;
    thumbs->w = side < shape->n_cols ? side : shape->n_cols;
    table->width = thumbs->w < LEAST_SIDE ? LEAST_SIDE : thumbs->w;
    choose_columns(table);
    thumbs->h = (int)lround((double)thumbs->w * shape->n_rows / shape->n_cols);
    thumbs->half = table->canvas->way != TERMINAL_DIGITS;
    if (!thumbs->half)
        thumbs->h = (thumbs->h + 1) / 2;
    thumbs->h = thumbs->h < 1 ? 1 : thumbs->h > shape->n_rows ? shape->n_rows : thumbs->h;
    thumbs->h = thumbs->h > MOST_SIDE ? MOST_SIDE : thumbs->h;
    thumbs->lines = thumbs->half ? (thumbs->h + 1) / 2 : thumbs->h;
}

static void print_thumb(const struct thumbs *thumbs, int at, int column, int i)
{
    const struct heatmaps *maps = thumbs->table.board->maps;
    struct canvas *canvas = thumbs->table.canvas;
    struct panel small = { .n_rows = thumbs->h, .n_cols = thumbs->w, .value = thumbs->value };

    if (maps->panels[i].n_rows == 0)
        return;
    shrink(&maps->panels[i], thumbs->value, thumbs->h, thumbs->w);
    cells_index(maps, &small, thumbs->range[i], thumbs->index);
    for (int line = 0; line < thumbs->lines; line++)
        for (int c = 0; c < thumbs->w; c++) {
            const unsigned short *index = thumbs->index +
                                          (thumbs->half ? 2 * line : line) * thumbs->w + c;

            if (thumbs->half)
                blocks_halves(canvas, at + line, column + c, maps->cmap, *index,
                              2 * line + 1 < thumbs->h ? index[thumbs->w] : CELL_MASKED);
            else
                blocks_put(canvas, at + line, column + c, maps->cmap, *index);
        }
}

void board_print_thumbnails(const void *of, struct canvas *canvas)
{
    const struct board *board = of;
    const struct heatmaps *maps = board->maps;
    struct arena *a = canvas->arena;
    struct thumbs t = { .h = 0 };
    int at = canvas->n_rows, shape = 0;

    while (shape < maps->n_panels - 1 && maps->panels[shape].n_rows == 0)
        shape++;
    board_print_begin(&t.table, board, canvas);
    measure_thumbs(&t, &maps->panels[shape]);
    t.range = arena_alloc(a, (size_t)maps->n_panels, sizeof *t.range);
    t.value = arena_alloc(a, (size_t)t.h, (size_t)t.w * sizeof *t.value);
    t.index = arena_alloc(a, (size_t)t.h, (size_t)t.w * sizeof *t.index);
    cells_ranges(maps, t.range, a);
    for (int row = 0; row < board->n_rows; row++)
        for (int first = 0; first < board->n_cols; first += t.table.columns) {
            int end = first + t.table.columns < board->n_cols ? first + t.table.columns :
                                                                board->n_cols;

            at += row > 0 || first > 0;
            if (row == 0 || t.table.columns < board->n_cols || board->name != NULL)
                at = print_names(&t.table, at, row, first, end);
            print_row_label(&t.table, at, row);
            for (int c = first; c < end; c++)
                print_thumb(&t, at, column_of(&t.table, c - first), row * board->n_cols + c);
            at += t.lines;
        }
    if (maps->shared && !maps->no_bars)
        blocks_bar(maps, canvas, at + 1, t.table.label,
                   ONE_BAR < canvas->n_columns - t.table.label ? ONE_BAR :
                                                                 canvas->n_columns - t.table.label,
                   t.range[shape]);
}

/* ---- kinds ---- */

static int ground_of(int kind)
{
    unsigned char rgb[3];

    pen_pale(rgb, kind % PEN_TONES);
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

static const char *letter_of(struct arena *a, int kind)
{
    return arena_printf(a, "%c", 'A' + kind % 26);
}

static void print_kind(const struct table *table, int at, int column, int kind, bool letters)
{
    struct canvas *canvas = table->canvas;
    int ground = canvas->way == TERMINAL_DIGITS || kind < 0 ? CANVAS_PLAIN : ground_of(kind);

    if (kind == BOARD_NO_CELL)
        return;
    canvas_text(canvas, at, column, table->width,
                kind < 0 ? "·" :
                letters  ? letter_of(canvas->arena, kind) :
                           board_name_of(table, table->board->kinds->name[kind]),
                false);
    for (int c = 0; c < table->width && column + c < canvas->n_columns; c++) {
        struct glyph *glyph = canvas_at(canvas, at, column + c);

        glyph->ground = ground;
        glyph->ink = ground == CANVAS_PLAIN ? CANVAS_PLAIN : 0;
    }
}

/* What the letters stand for. */
static void board_print_legend(const struct table *table, int at)
{
    const struct board_kinds *kinds = table->board->kinds;
    struct canvas *canvas = table->canvas;
    int column = 0;

    for (int i = 0; i < kinds->n; i++) {
        const char *text = arena_printf(canvas->arena, "%s %s", letter_of(canvas->arena, i),
                                        board_name_of(table, kinds->name[i]));
        int w = canvas_width(text);

        if (column > 0 && column + w > canvas->n_columns) {
            at++;
            column = 0;
        }
        column += canvas_text(canvas, at, column, canvas->n_columns, text, false) + 2;
    }
}

void board_print_kinds(const void *of, struct canvas *canvas)
{
    const struct board *board = of;
    struct table t;
    int at = canvas->n_rows, longest = 1, room;
    bool letters;

    board_print_begin(&t, board, canvas);
    for (int i = 0; i < board->kinds->n; i++) {
        int w = canvas_width(board_name_of(&t, board->kinds->name[i]));

        longest = w > longest ? w : longest;
    }
    room = (canvas->n_columns - t.label + GAP) / board->n_cols - GAP;
    letters = room < longest;
    t.width = letters ? 3 : longest;
    choose_columns(&t);
    for (int row = 0; row < board->n_rows; row++)
        for (int first = 0; first < board->n_cols; first += t.columns) {
            int end = first + t.columns < board->n_cols ? first + t.columns : board->n_cols;

            if (row == 0 || t.columns < board->n_cols || board->name != NULL)
                at = print_names(&t, at, row, first, end);
            print_row_label(&t, at, row);
            for (int c = first; c < end; c++)
                print_kind(&t, at, column_of(&t, c - first),
                           board->kinds->of[row * board->n_cols + c], letters);
            at++;
        }
    if (letters)
        board_print_legend(&t, at + 1);
}
