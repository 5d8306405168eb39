/* SPDX-License-Identifier: MIT
 * Heatmaps -> character cells: layout for the terminal, cells, labels, titles, bars. */
#include "draw/figure/blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "draw/figure/cells.h"
#include "draw/figure/colourbar.h"

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
static int fit(struct blocks *blocks, int wide, int title)
{
    int room = blocks->canvas->n_columns - blocks->label, columns;

    blocks->wide = wide;
    blocks->slot = blocks->n_cols * wide > title ? blocks->n_cols * wide : title;
    blocks->slot = blocks->slot > room && blocks->n_cols * wide <= room ? room : blocks->slot;
    columns = (room + GAP) / (blocks->slot + GAP);
    return columns < blocks_group_of(blocks->maps) ? columns : blocks_group_of(blocks->maps);
}

/* The same number of n things in each row, at most `columns`, as far as that goes. */
static int balanced(int n, int columns)
{
    int rows = (n + columns - 1) / columns;

    return (n + rows - 1) / rows;
}

static void blocks_choose(struct blocks *blocks)
{
    int title = widest_title(blocks->maps), most = blocks->maps->columns;

    blocks->columns = fit(blocks, 2, title);
    if (blocks->columns == 0)
        blocks->columns = fit(blocks, 1, title);
    if (most > 0 && blocks->columns > most)
        blocks->columns = most;
    blocks->columns = balanced(blocks_group_of(blocks->maps), blocks->columns);
    blocks->half = blocks->wide == 1 && blocks->canvas->way != TERMINAL_DIGITS;
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
static void label_positions(struct blocks *blocks, const struct label_list *list,
                            const char **label, int cells)
{
    int pool = blocks->maps->pool, step = position_step(pool, cells);

    for (int i = 0; i < list->n; i++) {
        int position = list->position != NULL ? list->position[i] : i;

        if (position >= 0 && position % step == 0)
            label[i / pool] = arena_printf(blocks->canvas->arena, "%d", position);
    }
}

static void label_tokens(struct blocks *blocks, const struct label_list *list, const char **label,
                         int most)
{
    int n = label == blocks->row_label ? blocks->n_rows : blocks->all_cols;

    for (int i = 0; i < list->n && i < n; i++)
        label[i] = label_clean(blocks->canvas->arena, list->text[i], label_size(list, i), most);
}

static bool is_long(const struct blocks *blocks, const struct label_list *list)
{
    return blocks->maps->pool > 1 || list->n > LONG_TEXT;
}

/* Before the widths are chosen: they decide on them. */
static void label_rows(struct blocks *blocks)
{
    const struct heatmaps *maps = blocks->maps;
    int most = label_room(blocks->canvas->n_columns, true) - 1, widest = 0;

    if (maps->rows.n == 0)
        return;
    if (is_long(blocks, &maps->rows))
        label_positions(blocks, &maps->rows, blocks->row_label, 4);
    else
        label_tokens(blocks, &maps->rows, blocks->row_label, LABEL_CHARS);
    if (maps->row_name != NULL)
        widest = (int)fmax(canvas_width(maps->row_name), canvas_width(maps->col_name));
    for (int i = 0; i < blocks->n_rows; i++)
        if (blocks->row_label[i] != NULL && canvas_width(blocks->row_label[i]) > widest)
            widest = canvas_width(blocks->row_label[i]);
    blocks->label = (widest < most ? widest : most) + 1;
}

/* Letters below each other are as wide as a cell. */
static bool stand_upright(const struct blocks *blocks, const char *label)
{
    size_t n = strlen(label);
    int width;

    for (size_t used; n > 0; label += used, n -= used) {
        used = utf8_cluster(label, n, &width);
        if (width > blocks->wide)
            return false;
    }
    return true;
}

static bool label_cols(struct blocks *blocks)
{
    const struct label_list *list = &blocks->maps->cols;
    bool positions = is_long(blocks, list);

    if (!positions) {
        label_tokens(blocks, list, blocks->col_label, COL_LABEL);
        for (int i = 0; i < list->n; i++)
            positions |= !stand_upright(blocks, blocks->col_label[i]);
    }
    if (!positions)
        return false;
    memset(blocks->col_label, 0, (size_t)blocks->all_cols * sizeof *blocks->col_label);
    label_positions(blocks, list, blocks->col_label, 6);
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

void blocks_put(struct canvas *canvas, int row, int column, const struct cmap *cmap, unsigned index)
{
    struct glyph *glyph = canvas_at(canvas, row, column);

    if (canvas->way != TERMINAL_DIGITS)
        glyph->ground = blocks_colour(cmap, index);
    else if (index != CELL_MASKED)
        glyph->text = digits[index * 10 / 256];
}

void blocks_halves(struct canvas *canvas, int row, int column, const struct cmap *cmap,
                   unsigned above, unsigned below)
{
    struct glyph *glyph = canvas_at(canvas, row, column);
    int top = blocks_colour(cmap, above), bottom = blocks_colour(cmap, below);

    if (top == CANVAS_PLAIN && bottom == CANVAS_PLAIN)
        return;
    *glyph = top == CANVAS_PLAIN ? (struct glyph){ "▄", bottom, CANVAS_PLAIN, false } :
                                   (struct glyph){ "▀", top, bottom, false };
}

static void put_line(const struct blocks *blocks, int row, int column, int line)
{
    int n = blocks->all_cols, first = blocks->half ? 2 * line : line;
    const unsigned short *index = blocks->index + (size_t)first * (size_t)n + blocks->from;

    const struct cmap *cmap = blocks->maps->cmap;

    for (int j = 0; j < blocks->n_cols && blocks->from + j < n; j++)
        if (blocks->half) {
            blocks_halves(blocks->canvas, row, column + j, cmap, index[j],
                          first + 1 < blocks->n_rows ? index[n + j] : CELL_MASKED);
        } else {
            blocks_put(blocks->canvas, row, column + j * blocks->wide, cmap, index[j]);
            if (blocks->wide == 2 && blocks->canvas->way != TERMINAL_DIGITS)
                blocks_put(blocks->canvas, row, column + j * blocks->wide + 1, cmap, index[j]);
        }
}

/* ---- bars ---- */

void blocks_bar(const struct heatmaps *maps, struct canvas *canvas, int row, int column, int room,
                struct scale_range range)
{
    struct colourbar_text ends = colourbar_text(maps->scale, range);
    const char *lo = arena_printf(canvas->arena, "%s%s ", range.below ? "≤" : "", ends.lo);
    const char *hi = arena_printf(canvas->arena, " %s%s", range.above ? "≥" : "", ends.hi);
    int n, most = canvas->way == TERMINAL_DIGITS ? 10 : 20;

    if (!range.any)
        return;
    if (ends.lo[0] == '\0')
        lo = "";
    n = room - canvas_width(lo) - canvas_width(hi);
    n = range.lo == range.hi ? 1 : n > most ? most : n;
    column += canvas_text(canvas, row, column, room, lo, false);
    for (int i = 0; i < n; i++)
        blocks_put(canvas, row, column++, maps->cmap,
                   n == 1 ? 0u : (unsigned)((i * 255 + (n - 1) / 2) / (n - 1)));
    canvas_text(canvas, row, column, room, hi, false);
}

/* ---- panels ---- */

static int blocks_lines_of(const struct blocks *blocks)
{
    return blocks->half ? (blocks->n_rows + 1) / 2 : blocks->n_rows;
}

/* Flush with the cells. */
static void put_row_label(const struct blocks *blocks, int row, const char *label)
{
    int room = blocks->label - 1, width = canvas_width(label);

    canvas_text(blocks->canvas, row, width < room ? room - width : 0, room, label, false);
}

static void put_row_labels(const struct blocks *blocks, int row)
{
    for (int line = 0; line < blocks_lines_of(blocks); line++) {
        int cell = blocks->half ? 2 * line : line;
        const char *label = blocks->row_label[cell];

        if (label == NULL && blocks->half && cell + 1 < blocks->n_rows &&
            is_long(blocks, &blocks->maps->rows))
            label = blocks->row_label[cell + 1];
        if (label != NULL)
            put_row_label(blocks, row + line, label);
    }
}

/* Letters below each other; the lines of the longest. */
static int put_upright(const struct blocks *blocks, int row, int column)
{
    int lines = 0;

    for (int j = 0; j < blocks->n_cols && blocks->from + j < blocks->all_cols; j++) {
        const char *label = blocks->col_label[blocks->from + j];
        int line = 0;

        for (; label != NULL && *label != '\0'; line++)
            label += canvas_put(blocks->canvas, row + line, column + j * blocks->wide, label,
                                strlen(label), false);
        lines = line > lines ? line : lines;
    }
    return lines;
}

/* Numbers that do not touch. */
static void put_positions(const struct blocks *blocks, int row, int column)
{
    int end = -1;

    for (int j = 0; j < blocks->n_cols && blocks->from + j < blocks->all_cols; j++) {
        const char *label = blocks->col_label[blocks->from + j];
        int at = j * blocks->wide;

        if (label == NULL || at <= end || at + canvas_width(label) > blocks->slot)
            continue;
        end = at + canvas_text(blocks->canvas, row, column + at, blocks->slot - at, label, false);
    }
}

/* The cell of token i, which begins a sentence; -1: it begins none, or labels are tokens. */
static int sentence_at(const struct blocks *blocks, const struct label_list *list, int i)
{
    bool begins = list->sentence != NULL && list->sentence[i];

    return begins && is_long(blocks, list) ? i / blocks->maps->pool : -1;
}

/* Beside the rows at which sentences begin. */
static void mark_rows(const struct blocks *blocks, int row)
{
    const struct label_list *list = &blocks->maps->rows;

    for (int i = 0; i < list->n; i++) {
        int cell = sentence_at(blocks, list, i);

        if (cell >= 0)
            canvas_text(blocks->canvas, row + (blocks->half ? cell / 2 : cell), blocks->label - 1,
                        1, "╴", false);
    }
}

/* A line of marks stands below the cells. */
static bool has_col_marks(const struct blocks *blocks)
{
    for (int i = 0; i < blocks->maps->cols.n; i++)
        if (sentence_at(blocks, &blocks->maps->cols, i) >= 0)
            return true;
    return false;
}

/* Below the columns at which they do. */
static void mark_cols(const struct blocks *blocks, int row, int column)
{
    for (int i = 0; i < blocks->maps->cols.n; i++) {
        int cell = sentence_at(blocks, &blocks->maps->cols, i);

        if (cell >= blocks->from && cell < blocks->from + blocks->n_cols)
            canvas_text(blocks->canvas, row, column + (cell - blocks->from) * blocks->wide, 1, "╵",
                        false);
    }
}

/* A panel without its bar; the row after it. */
static int put_panel(const struct blocks *blocks, int panel, int row, int column, bool positions)
{
    const struct panel *p = &blocks->maps->panels[panel];
    int lines = blocks_lines_of(blocks);

    if (p->title != NULL)
        canvas_text(blocks->canvas, row, column, blocks->slot,
                    label_clean(blocks->canvas->arena, p->title, strlen(p->title), 2 * LABEL_CHARS),
                    true);
    cells_index(blocks->maps, p, blocks->range[panel], blocks->index);
    row += blocks->header;
    for (int line = 0; line < lines; line++)
        put_line(blocks, row + line, column, line);
    row += lines;
    if (blocks->maps->cols.n == 0)
        return row;
    if (!positions)
        return row + put_upright(blocks, row, column);
    mark_cols(blocks, row, column);
    row += has_col_marks(blocks);
    put_positions(blocks, row, column);
    return row + 1;
}

/* Panels from first to before last, side by side; the row after them. */
static int put_beside(const struct blocks *blocks, int first, int last, int row, bool positions)
{
    const struct heatmaps *maps = blocks->maps;
    int end = row;

    if (blocks->label > 0) {
        put_row_labels(blocks, row + blocks->header);
        mark_rows(blocks, row + blocks->header);
        if (maps->row_name != NULL) {
            put_row_label(blocks, row, maps->row_name);
            put_row_label(blocks,
                          row + blocks->header + blocks_lines_of(blocks) + has_col_marks(blocks),
                          maps->col_name);
        }
    }
    for (int i = 0; first + i < last; i++) {
        int after = put_panel(blocks, first + i, row, blocks->label + i * (blocks->slot + GAP),
                              positions);

        end = after > end ? after : end;
    }
    if (maps->no_bars || cells_have_one_range(maps) ||
        blocks->from + blocks->n_cols < blocks->all_cols)
        return end;
    for (int i = 0; first + i < last; i++)
        blocks_bar(maps, blocks->canvas, end, blocks->label + i * (blocks->slot + GAP),
                   blocks->slot, blocks->range[first + i]);
    return end + 1;
}

static void blocks_measure(struct blocks *blocks)
{
    const struct heatmaps *maps = blocks->maps;
    struct arena *a = blocks->canvas->arena;

    blocks->n_rows = maps->panels[0].n_rows;
    blocks->n_cols = blocks->all_cols = maps->panels[0].n_cols;
    blocks->row_label = arena_alloc(a, (size_t)blocks->n_rows, sizeof *blocks->row_label);
    blocks->col_label = arena_alloc(a, (size_t)blocks->n_cols, sizeof *blocks->col_label);
    blocks->range = arena_alloc(a, (size_t)maps->n_panels, sizeof *blocks->range);
    blocks->index = arena_alloc_raw(a, (size_t)blocks->n_rows * (size_t)blocks->n_cols,
                                    sizeof *blocks->index);
    cells_ranges(maps, blocks->range, a);
    blocks->header = maps->rows.n > 0 && maps->row_name != NULL;
    for (int i = 0; i < maps->n_panels; i++)
        blocks->header |= maps->panels[i].title != NULL;
    label_rows(blocks);
    if (blocks->all_cols > blocks->canvas->n_columns - blocks->label)
        blocks->n_cols = balanced(blocks->all_cols, blocks->canvas->n_columns - blocks->label);
    blocks_choose(blocks);
}

void blocks_print(const void *maps, struct canvas *canvas)
{
    struct blocks b = { .maps = maps, .canvas = canvas };
    int row = canvas->n_rows;
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
        blocks_bar(b.maps, canvas, row, b.label, ONE_BAR < canvas->n_columns - b.label ? ONE_BAR :
                                                 canvas->n_columns - b.label,
                                                 cells_common_range(b.maps, b.range));
}
