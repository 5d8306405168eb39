/* SPDX-License-Identifier: MIT
 * A board on a terminal: small blocks for thumbnails, names or letters for kinds. */
#include <math.h>
#include <string.h>

#include "draw/blocks.h"
#include "draw/board.h"
#include "draw/cells.h"
#include "draw/pen.h"

enum { LABEL = 6, GAP = 1, LEAST_SIDE = 4, MOST_SIDE = 16, ONE_BAR = 40 };

struct table {
    const struct board *board;
    struct canvas *canvas;
    int label;                  /* columns of the labels at the left, with their gap */
    int width;                  /* of a cell */
    int columns;                /* of the board side by side; the others follow below */
};

static const char *board_print_label_of(const struct table *t, const struct label_list *list, int i)
{
    return i >= list->n ? "" :
               label_clean(t->canvas->arena, list->text[i], label_size(list, i), LABEL_CHARS);
}

static const char *board_name_of(const struct table *t, const char *name)
{
    return label_clean(t->canvas->arena, name, strlen(name), 2 * LABEL_CHARS);
}

static void board_print_begin(struct table *t, const struct board *board, struct canvas *canvas)
{
    *t = (struct table){ .board = board, .canvas = canvas };
    for (int i = 0; i < board->rows.n; i++) {
        int w = canvas_width(board_print_label_of(t, &board->rows, i)) + 1;

        t->label = w > t->label ? w : t->label;
    }
    t->label = t->label > LABEL ? LABEL : t->label;
}

/* So many columns of the board as fit, the same number in each row as far as that goes. */
static void choose_columns(struct table *t)
{
    int n = t->board->n_cols, fit = (t->canvas->n_columns - t->label + GAP) / (t->width + GAP);
    int lines;

    fit = fit < 1 ? 1 : fit < n ? fit : n;
    lines = (n + fit - 1) / fit;
    t->columns = (n + lines - 1) / lines;
}

static int column_of(const struct table *t, int i)
{
    return t->label + (i % t->columns) * (t->width + GAP);
}

/* Above the cells of columns first .. end - 1. */
static int print_names(const struct table *t, int at, int row, int first, int end)
{
    const struct board *board = t->board;

    if (board->cols.n == 0 && board->name == NULL)
        return at;
    for (int c = first; c < end; c++) {
        const char *name = board->brief != NULL ? board->brief[row * board->n_cols + c] :
                           board->cols.n > 0 ? board_print_label_of(t, &board->cols, c) : NULL;

        if (name != NULL)
            canvas_text(t->canvas, at, column_of(t, c - first), t->width, board_name_of(t, name),
                        false);
    }
    return at + 1;
}

static void print_row_label(const struct table *t, int at, int row)
{
    if (t->label > 0)
        canvas_text(t->canvas, at, 0, t->label - 1, board_print_label_of(t, &t->board->rows, row),
                    false);
}

/* ---- thumbnails ---- */

/* A thumbnail of n_rows x n_cols as cells of h x w: the largest that each holds. */
static void shrink(const struct panel *p, float *to, int h, int w)
{
    for (int i = 0; i < h * w; i++)
        to[i] = NAN;
    for (int i = 0; i < p->n_rows; i++)
        for (int j = 0; j < p->n_cols; j++) {
            float value = p->value[(size_t)i * (size_t)p->n_cols + (size_t)j];
            float *at = to + (int)((int64_t)i * h / p->n_rows) * w +
                        (int)((int64_t)j * w / p->n_cols);

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

static void measure_thumbs(struct thumbs *t, const struct panel *shape)
{
    struct table *table = &t->table;
    int n = table->board->n_cols;
    int side = (table->canvas->n_columns - table->label + GAP) / n - GAP;

    side = side < LEAST_SIDE ? LEAST_SIDE : side > MOST_SIDE ? MOST_SIDE : side;
    t->w = side < shape->n_cols ? side : shape->n_cols;
    table->width = t->w < LEAST_SIDE ? LEAST_SIDE : t->w;
    choose_columns(table);
    t->h = (int)lround((double)t->w * shape->n_rows / shape->n_cols);
    t->half = table->canvas->way != TERMINAL_DIGITS;
    if (!t->half)
        t->h = (t->h + 1) / 2;
    t->h = t->h < 1 ? 1 : t->h > shape->n_rows ? shape->n_rows : t->h;
    t->h = t->h > MOST_SIDE ? MOST_SIDE : t->h;
    t->lines = t->half ? (t->h + 1) / 2 : t->h;
}

static void print_thumb(const struct thumbs *t, int at, int column, int i)
{
    const struct heatmaps *maps = t->table.board->maps;
    struct canvas *canvas = t->table.canvas;
    struct panel small = { .n_rows = t->h, .n_cols = t->w, .value = t->value };

    if (maps->panels[i].n_rows == 0)
        return;
    shrink(&maps->panels[i], t->value, t->h, t->w);
    cells_index(maps, &small, t->range[i], t->index);
    for (int line = 0; line < t->lines; line++)
        for (int c = 0; c < t->w; c++) {
            const unsigned short *index = t->index + (t->half ? 2 * line : line) * t->w + c;

            if (t->half)
                blocks_halves(canvas, at + line, column + c, maps->cmap, *index,
                              2 * line + 1 < t->h ? index[t->w] : CELL_MASKED);
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

static void print_kind(const struct table *t, int at, int column, int kind, bool letters)
{
    struct canvas *canvas = t->canvas;
    int ground = canvas->way == TERMINAL_DIGITS || kind < 0 ? CANVAS_PLAIN : ground_of(kind);

    if (kind == BOARD_NO_CELL)
        return;
    canvas_text(canvas, at, column, t->width,
                kind < 0 ? "·" : letters ? letter_of(canvas->arena, kind) :
                                           board_name_of(t, t->board->kinds->name[kind]), false);
    for (int c = 0; c < t->width && column + c < canvas->n_columns; c++) {
        struct glyph *glyph = canvas_at(canvas, at, column + c);

        glyph->ground = ground;
        glyph->ink = ground == CANVAS_PLAIN ? CANVAS_PLAIN : 0;
    }
}

/* What the letters stand for. */
static void board_print_legend(const struct table *t, int at)
{
    const struct board_kinds *kinds = t->board->kinds;
    struct canvas *canvas = t->canvas;
    int column = 0;

    for (int i = 0; i < kinds->n; i++) {
        const char *text = arena_printf(canvas->arena, "%s %s", letter_of(canvas->arena, i),
                                        board_name_of(t, kinds->name[i]));
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
