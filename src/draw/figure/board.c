/* SPDX-License-Identifier: MIT
 * A board as a part of a sheet: measures its texts, places its cells, paints them. */
#include "draw/figure/board.h"

#include <math.h>
#include <string.h>

#include "draw/figure/blocks.h"
#include "draw/figure/board_measure.h"
#include "draw/figure/cells.h"
#include "draw/part.h"
#include "draw/pen.h"

static void board_scripts(const void *of, struct label_scripts *scripts)
{
    const struct board *board = of;

    label_scripts_add_list(scripts, &board->rows);
    label_scripts_add_list(scripts, &board->cols);
}

static void *board_measure_part(const void *of, struct page *page, struct box *size)
{
    struct board_measured *m = board_measure(of, page);

    *size = (struct box){ .w = m->boxes.width, .h = m->boxes.height };
    return m;
}

/* ---- cells ---- */

static struct box board_cell_of(const struct board_measured *measured, struct box at, int i)
{
    return board_boxes_cell(&measured->boxes, at, i / measured->board->n_cols,
                            i % measured->board->n_cols);
}

static void paint_thumbnails(const struct board_measured *measured, struct page *page,
                             struct box at)
{
    const struct heatmaps *maps = measured->board->maps;
    const struct panel *shape = measured->shape;
    unsigned short *index = arena_alloc_raw(page->arena, (size_t)shape->n_rows *
                                            (size_t)shape->n_cols, sizeof *index);

    for (int i = 0; i < maps->n_panels; i++) {
        struct box cell = board_cell_of(measured, at, i);

        if (maps->panels[i].n_rows == 0)
            continue;
        cells_index(maps, &maps->panels[i], measured->range[i], index);
        page_frame(page, cell, measured->boxes.line);
        page_cells(page, maps->cmap, index, shape->n_rows, shape->n_cols, cell);
    }
}

/* The colour of a cell that is of one. */
static void set_colour(const struct board_measured *measured, cairo_t *cr, int i)
{
    const struct board *board = measured->board;
    const unsigned char *rgb;

    if (board->kinds != NULL) {
        pen_tint(cr, board->kinds->of[i] >= 0 ? board->kinds->of[i] % PEN_TONES : PEN_INK);
    } else if (measured->index[i] == CELL_MASKED) {
        cairo_set_source_rgb(cr, CMAP_MASKED / 255.0, CMAP_MASKED / 255.0,
                             CMAP_MASKED / 255.0);
    } else {
        rgb = cmap_colour(board->maps->cmap, measured->index[i]);
        cairo_set_source_rgb(cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
    }
}

static void paint_colours(const struct board_measured *measured, struct page *page, struct box at)
{
    for (int i = 0; i < measured->board->n_rows * measured->board->n_cols; i++) {
        struct box cell = board_cell_of(measured, at, i);

        if (measured->board->kinds != NULL && measured->board->kinds->of[i] == BOARD_NO_CELL)
            continue;
        set_colour(measured, page->cr, i);
        cairo_rectangle(page->cr, cell.x, cell.y, cell.w, cell.h);
        cairo_fill(page->cr);
    }
}

/* Its label, or its number where there are none. */
static const char *board_label_of(struct arena *a, const struct label_list *list, int i)
{
    return i < list->n ? label_clean(a, list->text[i], label_size(list, i), LABEL_CHARS) :
                         arena_printf(a, "%d", i);
}

/* What a cell says where one points at it: its number, kind or name; "": nothing of them. */
static const char *said_of(const struct board *board, struct arena *a, int i)
{
    const char *name = board->name != NULL ? board->name[i] : NULL;

    if (board->kinds != NULL)
        name = board->kinds->of[i] >= 0 ? board->kinds->name[board->kinds->of[i]] : NULL;
    else if (!board->thumbnails && !isnan(board->maps->panels[0].value[i]))
        return arena_printf(a, ": %.4g", (double)board->maps->panels[0].value[i]);
    return name != NULL ? arena_printf(a, ": %s", label_clean(a, name, strlen(name),
                                                              2 * LABEL_CHARS)) : "";
}

/* "L3, H2: 0.1234" in an SVG. */
static void note_cells(const struct board_measured *measured, struct page *page, struct box at)
{
    const struct board *board = measured->board;
    int n = board->n_rows * board->n_cols;

    if (page->format != DRAW_SVG || n > HEATMAP_NOTES)
        return;
    for (int i = 0; i < n; i++) {
        if (board->kinds != NULL ? board->kinds->of[i] == BOARD_NO_CELL :
            board->thumbnails && board->maps->panels[i].n_rows == 0)
            continue;
        page_note(page, board_cell_of(measured, at, i),
                  arena_printf(page->arena, "%s, %s%s",
                               board_label_of(page->arena, &board->rows, i / board->n_cols),
                               board_label_of(page->arena, &board->cols, i % board->n_cols),
                               said_of(board, page->arena, i)));
    }
}

static void board_paint(const void *measured, struct page *page, struct box at)
{
    const struct board_measured *m = measured;
    struct box legend = m->boxes.legend;

    if (m->board->thumbnails)
        paint_thumbnails(m, page, at);
    else
        paint_colours(m, page, at);
    note_cells(m, page, at);
    legend.x += at.x;
    legend.y += at.y;
    key_paint(&m->legend, page, legend);
}

/* ---- text ---- */

/* Centred there; the middle of its line at y. */
static void draw_centred(struct page *page, const struct piece *piece,
                         const struct style *style, double x, double y)
{
    const struct text *text = &page->text;

    text_draw_line(text, page->cr, piece, TEXT_CENTRE, page_snap(page, x - text_width(piece) / 2.0),
                   page_snap(page, y + text_middle(text, style)),
                   2.0 * text_line_height(text, style));
}

static void paint_in_cells(const struct board_measured *measured, struct page *page, struct box at)
{
    double name_h = measured->boxes.name_h;

    for (int i = 0; i < measured->board->n_rows * measured->board->n_cols; i++) {
        struct box cell = board_cell_of(measured, at, i);
        double x = cell.x + cell.w / 2.0;

        if (measured->text != NULL && measured->text[i] != NULL)
            draw_centred(page, measured->text[i], &measured->text_style, x, cell.y + cell.h / 2.0);
        if (measured->name != NULL && measured->name[i] != NULL)
            draw_centred(page, measured->name[i], &board_name_style, x,
                         cell.y - measured->boxes.line - name_h / 2.0);
    }
}

static void paint_row_labels(const struct board_measured *measured, struct page *page,
                             struct box at)
{
    const struct text *text = &page->text;

    for (int i = 0; i < measured->rows.n; i++) {
        struct box cell = board_cell_of(measured, at,
                                        measured->rows.token[i] * measured->board->n_cols);
        double right = cell.x - measured->boxes.line - measured->boxes.label_gap;

        text_draw_line(text, page->cr, measured->rows.piece[i], TEXT_RIGHT,
                       page_snap(page, right - text_width(measured->rows.piece[i])),
                       page_snap(page, cell.y + cell.h / 2.0 +
                                       text_middle(text, &board_label_style)),
                       2.0 * text_line_height(text, &board_label_style));
    }
}

static void paint_col_labels(const struct board_measured *measured, struct page *page,
                             struct box at)
{
    const struct text *text = &page->text;
    double line = text_line_height(text, &measured->col_style);

    for (int i = 0; i < measured->cols.n; i++) {
        struct box cell = board_cell_of(measured, at, measured->cols.token[i]);
        double x = cell.x + cell.w / 2.0;
        double bottom = cell.y - measured->boxes.name_h - measured->boxes.line -
                        measured->boxes.label_gap;
        double width = text_width(measured->cols.piece[i]);

        if (text_is_rotated(measured->cols.piece[i]))
            text_draw_rotated(text, page->cr, measured->cols.piece[i], TEXT_LEFT,
                              page_snap(page, x + text_middle(text, &measured->col_style)),
                              bottom - width, 2.0 * line);
        else
            draw_centred(page, measured->cols.piece[i], &measured->col_style, x,
                         bottom - line / 2.0);
    }
}

static void board_paint_names(const struct board_measured *measured, struct page *page,
                              struct box at)
{
    const struct text *text = &page->text;
    const struct board_boxes *b = &measured->boxes;
    double line = text_line_height(text, &board_label_style);
    double middle = text_middle(text, &board_label_style);
    int n_rows = measured->board->n_rows, n_cols = measured->board->n_cols;
    double cells_w = n_cols * b->step_x - (b->step_x - b->first.w);
    double cells_h = n_rows * b->step_y - (b->step_y - b->first.h);

    if (measured->col_name != NULL)
        draw_centred(page, measured->col_name, &board_label_style,
                     fmax(at.x + b->first.x + cells_w / 2.0,
                          at.x + text_width(measured->col_name) / 2.0), at.y + line / 2.0);
    if (measured->row_name != NULL)
        text_draw_rotated(text, page->cr, measured->row_name, TEXT_CENTRE,
                          page_snap(page, at.x + line / 2.0 + middle),
                          at.y + b->first.y + (cells_h - text_width(measured->row_name)) / 2.0,
                          2.0 * line);
}

static void board_paint_bar(const struct board_measured *measured, struct page *page, struct box at)
{
    const struct board_boxes *b = &measured->boxes;
    const struct grid widths = { .line = b->line, .bar_gap = b->bar_gap, .bar_w = b->bar_w,
                                 .value_gap = b->value_gap };
    struct box bar = { at.x + b->bar.x, at.y + b->bar.y, b->bar.w, b->bar.h };

    if (measured->has_bar)
        colourbar_paint(&measured->bar, page, &widths, measured->board->maps->cmap, bar);
}

static void board_paint_text(const void *measured, struct page *page, struct box at)
{
    const struct board_measured *m = measured;
    struct box legend = m->boxes.legend;

    paint_in_cells(m, page, at);
    paint_row_labels(m, page, at);
    paint_col_labels(m, page, at);
    board_paint_names(m, page, at);
    board_paint_bar(m, page, at);
    legend.x += at.x;
    legend.y += at.y;
    key_paint_text(&m->legend, page, legend);
}

static void print_numbers(const void *of, struct canvas *canvas)
{
    const struct board *board = of;
    struct heatmaps maps = *board->maps;

    maps.rows = board->rows;
    maps.cols = board->cols;
    maps.row_name = board->row_name;
    maps.col_name = board->col_name;
    blocks_print(&maps, canvas);
}

struct part board_part(const struct board *board)
{
    static const struct part_type thumbnails = { board_scripts, board_measure_part, board_paint,
                                                 board_paint_text, board_print_thumbnails };
    static const struct part_type kinds = { board_scripts, board_measure_part, board_paint,
                                            board_paint_text, board_print_kinds };
    static const struct part_type numbers = { board_scripts, board_measure_part, board_paint,
                                              board_paint_text, print_numbers };

    return (struct part){ board->thumbnails ? &thumbnails :
                          board->kinds != NULL ? &kinds : &numbers, board };
}

void board_cells(const struct sheet *sheet, struct arena *a, struct box *cells)
{
    const struct board_measured *m;
    struct plan plan;
    struct page page;

    page_init(&page, sheet, DRAW_PNG, a);
    sheet_plan(&plan, &page);
    m = plan.measured[0];
    for (int i = 0; i < m->board->n_rows * m->board->n_cols; i++)
        cells[i] = board_cell_of(m, plan.layout.part[0], i);
    page_finish(&page);
}
