/* SPDX-License-Identifier: MIT
 * The size of a board's cells, and the texts that fit into them. */
#include "draw/figure/board_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure/cells.h"
#include "draw/ticks.h"

const struct style board_label_style = { 10.0, 1.0, 0.13, false, false, 0.0 };
const struct style board_name_style = { 8.5, 0.9, 0.30, false, false, 0.0 };

/* Pixels at 100 dpi: all thumbnails side by side, one of them, gaps, the least side of a
 * number's cell, and what is free beside its text. */
enum { ALL = 840, MOST = 72, LEAST = 24, GAP = 4, NARROW_GAP = 2, NUMBER_GAP = 1,
       NUMBER_SIDE = 26, PADDING = 4, NARROW_PADDING = 1 };

/* A name that is cut has this many times the height of its line; else it is a brief one. */
enum { NAME_LINES = 4 };

/* Pixels of a device that a thumbnail has at least. */
enum { SMALLEST = 6 };

/* What is in a cell. */
struct texts {
    struct board_measured *m;
    struct page *page;
    double largest;             /* of the magnitudes */
};

/* ---- numbers ---- */

void board_number(char dst[BOARD_TEXT], double value, double largest, enum board_detail detail)
{
    int decimals = largest < 0.1 ? 3 : largest < 10.0 ? 2 : largest < 100.0 ? 1 : 0;
    bool power = largest < 0.01 || largest >= 1e5;

    if (detail == BOARD_ROUNDED && decimals > 0)
        decimals--;
    if (power)
        snprintf(dst, BOARD_TEXT, "%.*e", detail == BOARD_ROUNDED ? 0 : 1, value);
    else
        snprintf(dst, BOARD_TEXT, "%.*f", decimals, value);
    if (power)
        ticks_shorten(dst);
    else if (dst[0] == '-' && strtod(dst, NULL) == 0.0)
        memmove(dst, dst + 1, strlen(dst));
    if (detail != BOARD_WHOLE) {
        char *zero = dst + (dst[0] == '-');

        if (zero[0] == '0' && zero[1] == '.')
            memmove(zero, zero + 1, strlen(zero));
    }
}

static double board_measure_largest_of(const struct board *board)
{
    const struct panel *numbers = board->maps->panels;
    double largest = 0.0;

    for (int i = 0; i < board->n_rows * board->n_cols; i++)
        if (isfinite(numbers->value[i]))
            largest = fmax(largest, fabs((double)numbers->value[i]));
    return largest;
}

/* White on dark colours. */
static double gray_on(const struct cmap *cmap, int index)
{
    const unsigned char *rgb = index == CELL_MASKED ? NULL : cmap_colour(cmap, index);

    return rgb != NULL && 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] < 140.0 ? 1.0 : 0.1;
}

static const struct piece *number_piece(const struct texts *texts, int i, enum board_detail detail)
{
    const struct board *board = texts->m->board;
    double value = (double)board->maps->panels->value[i];
    struct style style = texts->m->text_style;
    char text[BOARD_TEXT];

    if (isnan(value))
        return NULL;
    board_number(text, value, texts->largest, detail);
    style.gray = gray_on(board->maps->cmap, texts->m->index[i]);
    return text_line(&texts->page->text, &style, arena_strdup(texts->page->arena, text));
}

static const struct piece *kind_piece(const struct texts *texts, int i, bool letters)
{
    const struct board_kinds *kinds = texts->m->board->kinds;
    const char *name;

    if (kinds->of[i] < 0)
        return NULL;
    if (letters)
        name = arena_printf(texts->page->arena, "%c", 'A' + kinds->of[i] % 26);
    else
        name = label_clean(texts->page->arena, kinds->name[kinds->of[i]],
                           strlen(kinds->name[kinds->of[i]]), 2 * LABEL_CHARS);
    return text_line(&texts->page->text, &texts->m->text_style, name);
}

/* Sets the texts of all cells; returns the width of the widest. */
static double set_texts(const struct texts *texts, enum board_detail detail)
{
    const struct board *board = texts->m->board;
    double widest = 0.0;

    for (int i = 0; i < board->n_rows * board->n_cols; i++) {
        const struct piece *piece = board->kinds != NULL ?
                                        kind_piece(texts, i, detail != BOARD_WHOLE) :
                                        number_piece(texts, i, detail);

        texts->m->text[i] = piece;
        texts->m->has_letters = board->kinds != NULL && detail != BOARD_WHOLE;
        widest = piece != NULL ? fmax(widest, text_width(piece)) : widest;
    }
    return widest;
}

/* What fits into cells of this width: all of it; less of it; the same smaller; nothing. */
static void fit_texts(const struct texts *texts, double room)
{
    struct style *style = &texts->m->text_style;

    if (set_texts(texts, BOARD_WHOLE) <= room || set_texts(texts, BOARD_SHORT) <= room)
        return;
    style->size_px *= 0.75;
    style->relative *= 0.75;
    if (set_texts(texts, BOARD_SHORT) > room && set_texts(texts, BOARD_ROUNDED) > room &&
        texts->m->board->kinds == NULL)
        texts->m->text = NULL;
}

/* Letters stand for names that are too long: those say what they are. */
static void add_legend(struct board_measured *measured, struct page *page, double width)
{
    const struct board_kinds *kinds = measured->board->kinds;
    struct key_entry *entry = arena_alloc(page->arena, (size_t)kinds->n, sizeof *entry);

    for (int i = 0; i < kinds->n; i++)
        entry[i] = (struct key_entry){ i % 8, arena_printf(page->arena, "%c", 'A' + i % 26),
                                          kinds->name[i] };
    key_measure(&measured->legend, page, KEY_BOX, entry, kinds->n, width);
}

static void size_texts(struct board_measured *measured, struct page *page,
                       struct board_sizes *sizes)
{
    bool narrow = page->sheet->width_px > 0.0;
    double line, padding = layout_units(page->units, narrow ? NARROW_PADDING : PADDING);
    double least = layout_units(page->units, NUMBER_SIDE);
    struct texts t = { measured, page,
                       measured->board->kinds == NULL ? board_measure_largest_of(measured->board) :
                                                        0.0 };
    size_t count = (size_t)measured->board->n_rows * (size_t)measured->board->n_cols;

    sizes->gap = layout_units(page->units, NUMBER_GAP);
    if (measured->board->kinds == NULL)
        least = fmax(least, layout_units(page->units, measured->board->maps->cell_px));
    measured->text = arena_alloc(page->arena, count, sizeof *measured->text);
    line = text_line_height(&page->text, &measured->text_style);
    if (narrow) {
        sizes->cell_w = fmax(
            board_boxes_room(sizes, page->sheet->width_px * page->units.px -
                                        2.0 * layout_units(page->units, LAYOUT_NARROW_MARGIN)),
            1.0);
        sizes->cell_w = page->vector ? sizes->cell_w : fmax(floor(sizes->cell_w), 1.0);
        fit_texts(&t, sizes->cell_w - 2.0 * padding);
        sizes->cell_h = layout_whole(page->units,
                                     fmax(1.5 * line, fmin(sizes->cell_w, 2.5 * line)));
    } else {
        sizes->cell_w = layout_whole(page->units, fmax(set_texts(&t, BOARD_WHOLE) + 2.0 * padding,
                                                       least));
        sizes->cell_h = layout_whole(page->units, fmax(1.8 * line, least));
    }
}

/* ---- thumbnails ---- */

static double gap_px(bool narrow)
{
    return narrow ? NARROW_GAP : GAP;
}

/* A thumbnail's longer side at 100 dpi, on a sheet that may be as wide as it likes. */
static double free_side(int n_cols)
{
    return fmin(fmax(floor((double)ALL / n_cols), LEAST), MOST);
}

static void size_thumbnails(struct board_measured *measured, struct page *page,
                            struct board_sizes *sizes)
{
    const struct panel *shape = measured->shape;
    double longest = fmax(fmax(shape->n_rows, shape->n_cols), 1.0), px = page->units.px;
    double side = free_side(sizes->n_cols) * px, scale;
    bool narrow = page->sheet->width_px > 0.0;

    sizes->gap = layout_units(page->units, gap_px(narrow));
    if (narrow)
        side = fmax(board_boxes_room(sizes, page->sheet->width_px * px -
                                            2.0 * layout_units(page->units, LAYOUT_NARROW_MARGIN)),
                    1.0);
    else if (measured->board->maps->cell_px > 0)
        side = measured->board->maps->cell_px * longest * px;
    scale = side / longest;
    if (!page->vector && !narrow && scale >= 1.0)
        scale = floor(scale);       /* of a page all of the width is used */
    sizes->cell_w = fmax(shape->n_cols * scale, side / 3.0);
    sizes->cell_h = fmax(shape->n_rows * scale, side / 3.0);
    if (!page->vector) {
        sizes->cell_w = fmax(floor(sizes->cell_w), 1.0);
        sizes->cell_h = fmax(floor(sizes->cell_h), 1.0);
    }
}

int board_pool(const struct heatmap_page *page, int n, int n_cols, int cell_px,
               double *least_px)
{
    double font = page->font_px > 0.0 ? page->font_px : board_label_style.size_px;
    double beside = 2.0 * LAYOUT_NARROW_MARGIN + (page->labels ? 6.0 * font : 0.0) +
                    (page->one_bar && page->bars ? 30.0 + 4.0 * font : 0.0);
    bool vector = page->format == DRAW_SVG || page->format == DRAW_PDF;
    double pixels = vector ? 3.0 : page->dpi / 100.0, side, room;
    int pool = 1;

    if (cell_px > 0)
        return 1;
    side = page->width_px > 0.0 ? (page->width_px - beside) / n_cols - NARROW_GAP
                                : free_side(n_cols);
    room = floor(side * pixels);
    if (page->width_px > 0.0 && room < SMALLEST) {
        *least_px = ceil(beside + n_cols * (SMALLEST / pixels + NARROW_GAP));
        return 0;
    }
    while ((n - 1) / pool + 1 > fmax(room, 1.0))
        pool *= 2;
    return pool;
}

/* ---- labels ---- */

static const struct piece *board_measure_line_of(struct page *page, const struct style *style,
                                                 const char *text)
{
    return text_line(&page->text, style,
                     label_clean(page->arena, text, strlen(text), 6 * LABEL_CHARS));
}

static void measure_rows(struct board_measured *measured, struct page *page,
                         struct board_sizes *sizes)
{
    const struct board *board = measured->board;
    struct style up = board_label_style;
    double line = text_line_height(&page->text, &board_label_style);

    up.rotated = true;
    if (board->rows.n > 0)
        measured->rows = page_labels(page, &board->rows, board->rows.n, 1, &board_label_style);
    sizes->row_label = measured->rows.longest;
    if (board->row_name != NULL) {
        measured->row_name = board_measure_line_of(page, &up, board->row_name);
        sizes->row_name = 1.4 * line;
    }
}

/* Of cells lower than a line every second, fourth, ... has a label. */
static void thin_rows(struct board_measured *measured, struct page *page,
                      const struct board_sizes *sizes)
{
    double line = text_line_height(&page->text, &board_label_style);
    int step = grid_label_step(sizes->cell_h + sizes->name_h + sizes->gap, line);

    if (measured->board->rows.n > 0)
        measured->rows = page_labels(page, &measured->board->rows, measured->board->rows.n, step,
                                     &board_label_style);
}

/* Turned where they are wider than their cells. */
static void measure_cols(struct board_measured *measured, struct page *page,
                         struct board_sizes *sizes)
{
    const struct board *board = measured->board;
    double line = text_line_height(&page->text, &board_label_style);
    double step_x = sizes->cell_w + sizes->gap;

    measured->col_style = board_label_style;
    if (board->col_name != NULL) {
        measured->col_name = board_measure_line_of(page, &board_label_style, board->col_name);
        sizes->col_name = 1.4 * line;
    }
    if (board->cols.n == 0)
        return;
    measured->cols = page_labels(page, &board->cols, board->cols.n, 1, &measured->col_style);
    sizes->col_label = line;
    if (measured->cols.longest <= step_x - layout_units(page->units, NARROW_GAP))
        return;
    measured->col_style.rotated = true;
    measured->cols = page_labels(page, &board->cols, board->cols.n, grid_label_step(step_x, line),
                                 &measured->col_style);
    sizes->col_label = measured->cols.longest;
}

static void board_measure_names(struct board_measured *measured, struct page *page,
                                struct board_sizes *sizes)
{
    const struct board *board = measured->board;
    struct style style = board_name_style;
    size_t count = (size_t)board->n_rows * (size_t)board->n_cols;
    double line = text_line_height(&page->text, &board_name_style);

    if (board->name == NULL)
        return;
    style.max_w = sizes->cell_w + sizes->gap / 2.0;
    measured->name = arena_alloc(page->arena, count, sizeof *measured->name);
    for (size_t i = 0; i < count; i++) {
        if (board->name[i] == NULL)
            continue;
        measured->name[i] = board_measure_line_of(page, &board_name_style, board->name[i]);
        if (text_width(measured->name[i]) > style.max_w)
            measured->name[i] = board_measure_line_of(
                page, &style, style.max_w > NAME_LINES * line ? board->name[i] : board->brief[i]);
    }
}

/* ---- the bar ---- */

/* That of the first panel which has one: all share it. */
static struct scale_range bar_range(const struct board_measured *measured)
{
    int i = 0;

    while (i < measured->board->maps->n_panels - 1 && !measured->range[i].any)
        i++;
    return measured->range[i];
}

static void board_measure_bar(struct board_measured *measured, struct page *page,
                              struct board_sizes *sizes)
{
    const struct heatmaps *maps = measured->board->maps;
    struct scale_range range;

    if (maps == NULL)
        return;
    measured->range = arena_alloc(page->arena, (size_t)maps->n_panels, sizeof *measured->range);
    cells_ranges(maps, measured->range, page->arena);
    measured->has_bar = !maps->no_bars && (!measured->board->thumbnails || maps->shared);
    if (!measured->has_bar)
        return;
    range = bar_range(measured);
    colourbar_measure(&measured->bar, 1, page, maps->scale, &range,
                      layout_units(page->units, ALL / 12));
    sizes->value_w = colourbar_width(&measured->bar);
    sizes->value_h = text_line_height(&page->text, &text_value);
}

/* ---- all of it ---- */

static const struct panel *board_measure_shape_of(const struct heatmaps *maps)
{
    int i = 0;

    while (maps != NULL && i < maps->n_panels - 1 && maps->panels[i].n_rows == 0)
        i++;
    return maps != NULL ? &maps->panels[i] : NULL;
}

static void measure_cells(struct board_measured *measured, struct page *page,
                          struct board_sizes *sizes)
{
    const struct board *board = measured->board;

    if (board->thumbnails) {
        size_thumbnails(measured, page, sizes);
        return;
    }
    if (board->kinds == NULL) {
        measured->index = arena_alloc(page->arena, (size_t)board->n_rows * (size_t)board->n_cols,
                                      sizeof *measured->index);
        cells_index(board->maps, board->maps->panels, measured->range[0], measured->index);
    }
    size_texts(measured, page, sizes);
}

struct board_measured *board_measure(const struct board *board, struct page *page)
{
    struct board_measured *m = arena_alloc(page->arena, 1, sizeof *m);
    struct board_sizes s = { .units = page->units, .n_rows = board->n_rows,
                             .n_cols = board->n_cols };

    *m = (struct board_measured){ .board = board, .shape = board_measure_shape_of(board->maps),
                                  .text_style = { 9.0, 1.0, 0.10, false, false, 0.0 } };
    if (board->name != NULL)
        s.name_h = 1.15 * text_line_height(&page->text, &board_name_style);
    measure_rows(m, page, &s);
    board_measure_bar(m, page, &s);
    measure_cells(m, page, &s);
    thin_rows(m, page, &s);
    measure_cols(m, page, &s);
    board_measure_names(m, page, &s);
    if (m->has_letters)
        add_legend(m, page, s.n_cols * (s.cell_w + s.gap) - s.gap);
    s.legend_w = m->legend.width;
    s.legend_h = m->legend.height;
    board_boxes_make(&m->boxes, &s);
    return m;
}
