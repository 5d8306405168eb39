/* SPDX-License-Identifier: MIT
 * Heatmaps -> character cells: layout for the terminal, cells, labels, titles, bars. */
#include "draw/blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "draw/cells.h"
#include "draw/colourbar.h"

enum {
    GAP = 2,                    /* columns between panels */
    LEAST_SLOT = 16,            /* of a panel: its title and its bar */
    ROW_LABEL = 12, COL_LABEL = 8,      /* the longest: columns, and lines */
    ONE_BAR = 40, LONG_TEXT = 100
};

struct blocks {
    const struct heatmaps *maps;
    struct canvas *canvas;
    const char **row_label, **col_label;    /* [cells] clean; NULL: none is shown */
    int n_rows, all_cols;       /* cells of a panel */
    int n_cols, from;           /* columns of them that stand side by side, and the first: a
                                   panel that is too wide goes on below */
    int label;                  /* columns of the labels at the left, with their gap */
    int wide;                   /* columns of a cell */
    bool half;                  /* a line holds two rows of cells */
    int header;                 /* lines above the cells: 0 or 1 */
    int columns, slot;          /* panels side by side, and the columns of each */
    struct scale_range *range;  /* [n_panels] */
    unsigned short *index;      /* [n_rows, all_cols] */
};

/* ---- what fits ---- */

/* The most that labels at the left may take, with their gap. */
static int label_room(int n_columns, bool labels)
{
    int room = n_columns / 4;

    if (!labels)
        return 0;
    return (room < 4 ? 4 : room > ROW_LABEL ? ROW_LABEL : room) + 1;
}

int blocks_plan(int n_columns, bool labels, int n_cols, int *pool, int *least)
{
    int room = n_columns - label_room(n_columns, labels);

    if (n_columns >= CANVAS_LEAST && room >= LEAST_SLOT) {
        *pool = (n_cols + room - 1) / room;
        return 0;
    }
    for (*least = CANVAS_LEAST; *least - label_room(*least, labels) < LEAST_SLOT; (*least)++)
        ;
    return -1;
}

static int widest_title(const struct heatmaps *maps)
{
    int widest = LEAST_SLOT;

    for (int i = 0; i < maps->n_panels; i++) {
        const char *title = maps->panels[i].title;
        int width = title != NULL ? canvas_width(title) : 0;

        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Panels that rows of panels are made of. */
static int blocks_group_of(const struct heatmaps *maps)
{
    return maps->group > 0 ? maps->group : maps->n_panels;
}

/* How many panels fit side by side with cells of this width; sets the slot. */
static int fit(struct blocks *b, int wide, int title)
{
    int room = b->canvas->n_columns - b->label, columns;

    b->wide = wide;
    b->slot = b->n_cols * wide > title ? b->n_cols * wide : title;
    b->slot = b->slot > room && b->n_cols * wide <= room ? room : b->slot;
    columns = (room + GAP) / (b->slot + GAP);
    return columns < blocks_group_of(b->maps) ? columns : blocks_group_of(b->maps);
}

/* The same number of n things in each row, at most `columns`, as far as that goes. */
static int balanced(int n, int columns)
{
    int rows = (n + columns - 1) / columns;

    return (n + rows - 1) / rows;
}

static void blocks_choose(struct blocks *b)
{
    int title = widest_title(b->maps), most = b->maps->columns;

    b->columns = fit(b, 2, title);
    if (b->columns == 0)
        b->columns = fit(b, 1, title);
    if (most > 0 && b->columns > most)
        b->columns = most;
    b->columns = balanced(blocks_group_of(b->maps), b->columns);
    b->half = b->wide == 1 && b->canvas->way != TERMINAL_DIGITS;
}

/* ---- labels ---- */

/* 10, 20, 50, 100, ...: the least with this many cells from one to the next. */
static int position_step(int pool, int cells)
{
    static const int steps[] = { 1, 2, 5 };
    int unit = 10;

    for (int i = 0; ; i++) {
        if (i > 0 && i % 3 == 0)
            unit *= 10;
        if (steps[i % 3] * unit / pool >= cells)
            return steps[i % 3] * unit;
    }
}

/* The numbers of the tokens that a step divides, each at its cell. */
static void label_positions(struct blocks *b, const struct label_list *list,
                            const char **label, int cells)
{
    int pool = b->maps->pool, step = position_step(pool, cells);

    for (int i = 0; i < list->n; i++) {
        int position = list->position != NULL ? list->position[i] : i;

        if (position >= 0 && position % step == 0)
            label[i / pool] = arena_printf(b->canvas->arena, "%d", position);
    }
}

static void label_tokens(struct blocks *b, const struct label_list *list, const char **label,
                         int most)
{
    int n = label == b->row_label ? b->n_rows : b->all_cols;

    for (int i = 0; i < list->n && i < n; i++)
        label[i] = label_clean(b->canvas->arena, list->text[i], label_size(list, i), most);
}

static bool is_long(const struct blocks *b, const struct label_list *list)
{
    return b->maps->pool > 1 || list->n > LONG_TEXT;
}

/* Before the widths are chosen: they decide on them. */
static void label_rows(struct blocks *b)
{
    const struct heatmaps *maps = b->maps;
    int most = label_room(b->canvas->n_columns, true) - 1, widest = 0;

    if (maps->rows.n == 0)
        return;
    if (is_long(b, &maps->rows))
        label_positions(b, &maps->rows, b->row_label, 4);
    else
        label_tokens(b, &maps->rows, b->row_label, LABEL_CHARS);
    if (maps->row_name != NULL)
        widest = (int)fmax(canvas_width(maps->row_name), canvas_width(maps->col_name));
    for (int i = 0; i < b->n_rows; i++)
        if (b->row_label[i] != NULL && canvas_width(b->row_label[i]) > widest)
            widest = canvas_width(b->row_label[i]);
    b->label = (widest < most ? widest : most) + 1;
}

/* Letters below each other are as wide as a cell. */
static bool stand_upright(const struct blocks *b, const char *label)
{
    size_t n = strlen(label);
    int width;

    for (size_t used; n > 0; label += used, n -= used) {
        used = utf8_cluster(label, n, &width);
        if (width > b->wide)
            return false;
    }
    return true;
}

static bool label_cols(struct blocks *b)
{
    const struct label_list *list = &b->maps->cols;
    bool positions = is_long(b, list);

    if (!positions) {
        label_tokens(b, list, b->col_label, COL_LABEL);
        for (int i = 0; i < list->n; i++)
            positions |= !stand_upright(b, b->col_label[i]);
    }
    if (!positions)
        return false;
    memset(b->col_label, 0, (size_t)b->all_cols * sizeof *b->col_label);
    label_positions(b, list, b->col_label, 6);
    return true;
}

/* ---- ink ---- */

int blocks_colour(const struct cmap *cmap, unsigned index)
{
    const unsigned char *rgb;

    if (index == CELL_MASKED)
        return CANVAS_PLAIN;
    rgb = cmap_colour(cmap, (int)index);
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

/* The tenth of the scale; the lowest is a point. */
static const char *const digits[] = { ".", "1", "2", "3", "4", "5", "6", "7", "8", "9" };

void blocks_put(struct canvas *c, int row, int column, const struct cmap *cmap, unsigned index)
{
    struct glyph *glyph = canvas_at(c, row, column);

    if (c->way != TERMINAL_DIGITS)
        glyph->ground = blocks_colour(cmap, index);
    else if (index != CELL_MASKED)
        glyph->text = digits[index * 10 / 256];
}

void blocks_halves(struct canvas *c, int row, int column, const struct cmap *cmap, unsigned above,
                   unsigned below)
{
    struct glyph *glyph = canvas_at(c, row, column);
    int top = blocks_colour(cmap, above), bottom = blocks_colour(cmap, below);

    if (top == CANVAS_PLAIN && bottom == CANVAS_PLAIN)
        return;
    *glyph = top == CANVAS_PLAIN ? (struct glyph){ "▄", bottom, CANVAS_PLAIN, false } :
                                   (struct glyph){ "▀", top, bottom, false };
}

static void put_line(const struct blocks *b, int row, int column, int line)
{
    int n = b->all_cols, first = b->half ? 2 * line : line;
    const unsigned short *index = b->index + (size_t)first * (size_t)n + b->from;

    const struct cmap *cmap = b->maps->cmap;

    for (int j = 0; j < b->n_cols && b->from + j < n; j++)
        if (b->half) {
            blocks_halves(b->canvas, row, column + j, cmap, index[j],
                          first + 1 < b->n_rows ? index[n + j] : CELL_MASKED);
        } else {
            blocks_put(b->canvas, row, column + j * b->wide, cmap, index[j]);
            if (b->wide == 2 && b->canvas->way != TERMINAL_DIGITS)
                blocks_put(b->canvas, row, column + j * b->wide + 1, cmap, index[j]);
        }
}

/* ---- bars ---- */

void blocks_bar(const struct heatmaps *maps, struct canvas *c, int row, int column, int room,
                struct scale_range range)
{
    struct colourbar_text ends = colourbar_text(maps->scale, range);
    const char *lo = arena_printf(c->arena, "%s%s ", range.below ? "≤" : "", ends.lo);
    const char *hi = arena_printf(c->arena, " %s%s", range.above ? "≥" : "", ends.hi);
    int n, most = c->way == TERMINAL_DIGITS ? 10 : 20;

    if (!range.any)
        return;
    if (ends.lo[0] == '\0')
        lo = "";
    n = room - canvas_width(lo) - canvas_width(hi);
    n = range.lo == range.hi ? 1 : n > most ? most : n;
    column += canvas_text(c, row, column, room, lo, false);
    for (int i = 0; i < n; i++)
        blocks_put(c, row, column++, maps->cmap, n == 1 ? 0u :
                                                 (unsigned)((i * 255 + (n - 1) / 2) / (n - 1)));
    canvas_text(c, row, column, room, hi, false);
}

/* ---- panels ---- */

static int blocks_lines_of(const struct blocks *b)
{
    return b->half ? (b->n_rows + 1) / 2 : b->n_rows;
}

/* Flush with the cells. */
static void put_row_label(const struct blocks *b, int row, const char *label)
{
    int room = b->label - 1, width = canvas_width(label);

    canvas_text(b->canvas, row, width < room ? room - width : 0, room, label, false);
}

static void put_row_labels(const struct blocks *b, int row)
{
    for (int line = 0; line < blocks_lines_of(b); line++) {
        int cell = b->half ? 2 * line : line;
        const char *label = b->row_label[cell];

        if (label == NULL && b->half && cell + 1 < b->n_rows && is_long(b, &b->maps->rows))
            label = b->row_label[cell + 1];
        if (label != NULL)
            put_row_label(b, row + line, label);
    }
}

/* Letters below each other; the lines of the longest. */
static int put_upright(const struct blocks *b, int row, int column)
{
    int lines = 0;

    for (int j = 0; j < b->n_cols && b->from + j < b->all_cols; j++) {
        const char *label = b->col_label[b->from + j];
        int line = 0;

        for (; label != NULL && *label != '\0'; line++)
            label += canvas_put(b->canvas, row + line, column + j * b->wide, label,
                                strlen(label), false);
        lines = line > lines ? line : lines;
    }
    return lines;
}

/* Numbers that do not touch. */
static void put_positions(const struct blocks *b, int row, int column)
{
    int end = -1;

    for (int j = 0; j < b->n_cols && b->from + j < b->all_cols; j++) {
        const char *label = b->col_label[b->from + j];
        int at = j * b->wide;

        if (label == NULL || at <= end || at + canvas_width(label) > b->slot)
            continue;
        end = at + canvas_text(b->canvas, row, column + at, b->slot - at, label, false);
    }
}

/* The cell of token i, which begins a sentence; -1: it begins none, or labels are tokens. */
static int sentence_at(const struct blocks *b, const struct label_list *list, int i)
{
    bool begins = list->sentence != NULL && list->sentence[i];

    return begins && is_long(b, list) ? i / b->maps->pool : -1;
}

/* Beside the rows at which sentences begin. */
static void mark_rows(const struct blocks *b, int row)
{
    const struct label_list *list = &b->maps->rows;

    for (int i = 0; i < list->n; i++) {
        int cell = sentence_at(b, list, i);

        if (cell >= 0)
            canvas_text(b->canvas, row + (b->half ? cell / 2 : cell), b->label - 1, 1, "╴", false);
    }
}

/* A line of marks stands below the cells. */
static bool has_col_marks(const struct blocks *b)
{
    for (int i = 0; i < b->maps->cols.n; i++)
        if (sentence_at(b, &b->maps->cols, i) >= 0)
            return true;
    return false;
}

/* Below the columns at which they do. */
static void mark_cols(const struct blocks *b, int row, int column)
{
    for (int i = 0; i < b->maps->cols.n; i++) {
        int cell = sentence_at(b, &b->maps->cols, i);

        if (cell >= b->from && cell < b->from + b->n_cols)
            canvas_text(b->canvas, row, column + (cell - b->from) * b->wide, 1, "╵", false);
    }
}

/* A panel without its bar; the row after it. */
static int put_panel(const struct blocks *b, int panel, int row, int column, bool positions)
{
    const struct panel *p = &b->maps->panels[panel];
    int lines = blocks_lines_of(b);

    if (p->title != NULL)
        canvas_text(b->canvas, row, column, b->slot,
                    label_clean(b->canvas->arena, p->title, strlen(p->title), 2 * LABEL_CHARS),
                    true);
    cells_index(b->maps, p, b->range[panel], b->index);
    row += b->header;
    for (int line = 0; line < lines; line++)
        put_line(b, row + line, column, line);
    row += lines;
    if (b->maps->cols.n == 0)
        return row;
    if (!positions)
        return row + put_upright(b, row, column);
    mark_cols(b, row, column);
    row += has_col_marks(b);
    put_positions(b, row, column);
    return row + 1;
}

/* Panels from first to before last, side by side; the row after them. */
static int put_beside(const struct blocks *b, int first, int last, int row, bool positions)
{
    const struct heatmaps *maps = b->maps;
    int end = row;

    if (b->label > 0) {
        put_row_labels(b, row + b->header);
        mark_rows(b, row + b->header);
        if (maps->row_name != NULL) {
            put_row_label(b, row, maps->row_name);
            put_row_label(b, row + b->header + blocks_lines_of(b) + has_col_marks(b),
                          maps->col_name);
        }
    }
    for (int i = 0; first + i < last; i++) {
        int after = put_panel(b, first + i, row, b->label + i * (b->slot + GAP), positions);

        end = after > end ? after : end;
    }
    if (maps->no_bars || cells_have_one_range(maps) || b->from + b->n_cols < b->all_cols)
        return end;
    for (int i = 0; first + i < last; i++)
        blocks_bar(maps, b->canvas, end, b->label + i * (b->slot + GAP), b->slot,
                   b->range[first + i]);
    return end + 1;
}

static void blocks_measure(struct blocks *b)
{
    const struct heatmaps *maps = b->maps;
    struct arena *a = b->canvas->arena;

    b->n_rows = maps->panels[0].n_rows;
    b->n_cols = b->all_cols = maps->panels[0].n_cols;
    b->row_label = arena_alloc(a, (size_t)b->n_rows, sizeof *b->row_label);
    b->col_label = arena_alloc(a, (size_t)b->n_cols, sizeof *b->col_label);
    b->range = arena_alloc(a, (size_t)maps->n_panels, sizeof *b->range);
    b->index = arena_alloc_raw(a, (size_t)b->n_rows * (size_t)b->n_cols, sizeof *b->index);
    cells_ranges(maps, b->range, a);
    b->header = maps->rows.n > 0 && maps->row_name != NULL;
    for (int i = 0; i < maps->n_panels; i++)
        b->header |= maps->panels[i].title != NULL;
    label_rows(b);
    if (b->all_cols > b->canvas->n_columns - b->label)
        b->n_cols = balanced(b->all_cols, b->canvas->n_columns - b->label);
    blocks_choose(b);
}

void blocks_print(const void *maps, struct canvas *c)
{
    struct blocks b = { .maps = maps, .canvas = c };
    int row = c->n_rows;
    bool positions;

    blocks_measure(&b);
    positions = label_cols(&b);
    for (int first = 0, last; first < b.maps->n_panels; first = last) {
        int end = first + blocks_group_of(b.maps) - first % blocks_group_of(b.maps);

        last = first + b.columns < end ? first + b.columns : end;
        for (b.from = 0; b.from < b.all_cols; b.from += b.n_cols) {
            row += first > 0 || b.from > 0;
            row = put_beside(&b, first, last, row, positions);
        }
    }
    if (!b.maps->no_bars && cells_have_one_range(b.maps))
        blocks_bar(b.maps, c, row, b.label, ONE_BAR < c->n_columns - b.label ? ONE_BAR :
                                            c->n_columns - b.label,
                                            cells_common_range(b.maps, b.range));
}
