/* SPDX-License-Identifier: MIT
 * Options of the page (width, font) -> the layout of a figure's heatmaps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure/beside.h"
#include "draw/figure/blocks.h"
#include "draw/figure/board.h"
#include "task/figure/figure.h"

/* Of type, where the page has a width and --font-size does not say. */
static const double FONT_POINTS = 6.0;

/* In pixels at 100 dpi. */
static const struct unit { const char *name; double px; } units[] = {
    { "mm", 100.0 / 25.4 }, { "cm", 1000.0 / 25.4 }, { "in", 100.0 }, { "pt", 100.0 / 72.0 },
};

enum { N_UNITS = sizeof units / sizeof *units };

/* NaN: not a length. */
static double length_px(const char *s)
{
    char *end;
    double number;

    if (!(s[0] >= '0' && s[0] <= '9') && s[0] != '.')
        return NAN;
    number = strtod(s, &end);
    for (int i = 0; i < N_UNITS; i++)
        if (strcmp(end, units[i].name) == 0)
            return number * units[i].px;
    return NAN;
}

int figure_check_page(const struct figure_args *args, struct err *e)
{
    const double most = 100.0 * units[1].px;
    double px = args->width != NULL ? length_px(args->width) : 1.0;

    if (!(px > 0.0 && px <= most))
        return err_set(e, ERR_USAGE, "--width: '%s': expected a length up to 100cm with its "
                       "unit, such as 85mm, 17.4cm, 6in or 430pt", args->width);
    return 0;
}

static double width_px(const struct figure_args *args)
{
    return args->width != NULL ? length_px(args->width) : 0.0;
}

static double font_px(const struct figure_args *args)
{
    double points = !isnan(args->font_size) ? args->font_size :
                    args->width != NULL ? FONT_POINTS : 0.0;

    return points * 100.0 / 72.0;
}

struct sheet figure_sheet(const struct figure_args *args, const struct part *part,
                          const char *caption, const struct metadata *metadata)
{
    return (struct sheet){
        .title = args->title, .caption = args->no_caption ? NULL : caption, .font = args->font,
        .outlines = args->outlines,
        .width_px = width_px(args), .font_px = font_px(args), .dpi = args->dpi, .n_parts = 1,
        .parts = part, .metadata = metadata,
    };
}

/* Heads of a sheet's row stand side by side rather than beside bars of their own. */
static bool is_broken_by_bars(const struct heatmap_page *page, const struct figure_plan *plan)
{
    int columns = 0, pool;
    double least;

    return page->sheet && page->bars && !page->one_bar && plan->columns == 0 &&
           (heatmap_plan_page(page, plan->n_cols, plan->n_panels, &columns, &pool, &least) != 0 ||
            columns < plan->n_panels);
}

static int per_row(const struct figure_plan *plan)
{
    return plan->per_row > 0 ? plan->per_row : 1;
}

/* One map of each text: they stand as those of a grid do. */
static bool is_of_single_maps(const struct figure_plan *plan)
{
    return plan->n_beside > 1 && plan->n_panels == 1 && plan->n_rows_of_panels <= 1;
}

/* Of several texts in a row, each with a page of its own: whether their heads are beside each
 * other there, too, those of a sheet without bars of their own. */
static bool suits(const struct heatmap_page *page, const struct figure_plan *plan, int n)
{
    struct heatmap_page own = *page;
    int columns = plan->columns, pool;
    double least;

    own.width_px = beside_width_px(page, n);
    own.bars = page->bars && !page->one_bar && !page->sheet;
    return heatmap_plan_page(&own, plan->n_cols, plan->n_panels, &columns, &pool, &least) == 0 &&
           (columns > 1 || plan->n_panels == 1) && (!page->sheet || columns >= plan->n_panels);
}

/* As many maps in a row as have room for labels of their own, with the least empty places. */
static int count_single_maps(const struct heatmap_page *page, int n)
{
    enum { MOST = 8, LABELLED = 150, BARE = 60 };   /* pixels at 100 dpi */
    int most = n < MOST ? n : MOST, best;

    while (most > 1 && beside_width_px(page, most) < (page->labels ? LABELLED : BARE))
        most--;
    best = most;
    for (int k = most; 2 * k > most; k--)
        if ((k - n % k) % k < (best - n % best) % best)
            best = k;
    return best;
}

/* Texts in a row; leaves *page what each of them has. */
static void share_page(struct heatmap_page *page, struct figure_plan *plan)
{
    if (is_of_single_maps(plan)) {
        plan->per_row = plan->columns > 0 ? plan->columns :
                        count_single_maps(page, plan->n_beside);
        plan->columns = 1;
    } else {
        plan->per_row = plan->n_beside < FIGURE_COLUMNS ? plan->n_beside : FIGURE_COLUMNS;
        while (plan->per_row > 1 && !suits(page, plan, plan->per_row))
            plan->per_row--;
    }
    if (plan->per_row > plan->n_beside)
        plan->per_row = plan->n_beside;
    page->width_px = beside_width_px(page, plan->per_row);
    page->bars &= !page->one_bar;
}

static int plan_page(const struct figure_args *args, struct figure_plan *plan, struct err *e)
{
    struct heatmap_page page = {
        plan->format == DRAW_TERMINAL ? DRAW_PNG : plan->format, args->dpi, width_px(args),
        font_px(args),
        !args->no_labels, !args->no_bars && !plan->no_bars, plan->one_bar, !args->no_titles,
        plan->n_rows_of_panels > 0,
    };
    double least;

    if (plan->n_beside > 1)
        share_page(&page, plan);
    if (is_broken_by_bars(&page, plan)) {
        plan->no_bars = true;
        page.bars = false;
    }
    if (heatmap_plan_page(&page, plan->n_cols, plan->n_panels, &plan->columns, &plan->pool,
                          &least) == 0)
        return 0;
    least = least * per_row(plan) + width_px(args) - page.width_px * per_row(plan);
    return err_set(e, ERR_USAGE, "--width %s: labels and bars leave no room for %d heatmap%s "
                   "side by side; expected at least %.0fmm, a smaller --font-size, or "
                   "--no-labels, --no-bars", args->width, plan->columns,
                   plan->columns == 1 ? "" : "s", ceil(least * 25.4 / 100.0));
}

static int plan_terminal(const struct figure_args *args, struct figure_plan *plan, struct err *e)
{
    int least, width = plan->terminal->columns;

    if (blocks_plan(width, !args->no_labels, plan->n_cols, &plan->pool, &least) == 0)
        return 0;
    return err_set(e, ERR_USAGE, "a terminal of %d column%s has no room for a heatmap; expected "
                   "at least %d", width, width == 1 ? "" : "s", least);
}

static bool has_sign(const struct panel *panel)
{
    for (int i = 0; i < panel->n_rows * panel->n_cols; i++)
        if (panel->value[i] < 0.0f)
            return true;
    return false;
}

void figure_note_cmap(const struct heatmaps *maps, const struct warn *note)
{
    for (int i = 0; i < maps->n_panels && maps->cmap->diverges; i++)
        if (has_sign(&maps->panels[i]))
            return;
    if (maps->cmap->diverges && note != NULL)
        err_warn(note, "--cmap %s is for numbers with a sign, and none is below 0 here: its "
                 "middle is not 0", maps->cmap->name);
}

/* The side of a cell that was asked for; numbers need larger ones than colours. */
static int figure_page_cell_of(const struct figure_args *args)
{
    enum { OF_NUMBERS = 26 };

    return args->cell == 0 && args->numbers ? OF_NUMBERS : args->cell;
}

/* A row of the sheet's may take several of the grid's; so many sheets are beside and below each
 * other. */
static void plan_thumbs(const struct figure_args *args, struct figure_plan *plan, int across,
                        int down)
{
    int rows, columns;

    if (plan->columns == 0)
        plan->columns = plan->n_panels < FIGURE_MOST ? plan->n_panels : FIGURE_MOST;
    rows = plan->n_rows_of_panels * ((plan->n_panels + plan->columns - 1) / plan->columns) * down;
    columns = plan->columns * across;
    heatmap_plan_thumbs(plan->n_rows, plan->n_cols, rows * columns, columns,
                        figure_page_cell_of(args), args->dpi, &plan->cell_px, &plan->pool);
}

int figure_check_numbers(const struct figure_args *args, const struct sheet *sheet,
                         const struct figure_plan *plan, struct arena *a, struct err *e)
{
    static const double least = 4.0;    /* points */
    double points;

    if (!args->numbers || plan->format == DRAW_TERMINAL)
        return 0;
    if (plan->pool > 1)
        return err_set(e, ERR_USAGE, "--numbers: a cell is %d x %d weights; expected fewer "
                       "tokens", plan->pool, plan->pool);
    points = sheet_number_points(sheet, plan->format, a);
    if (points == 0.0 || points >= least)
        return 0;
    return err_set(e, ERR_USAGE, "--numbers: they would be %.1f points high in cells of this "
                   "size; expected at least %g: fewer tokens or heads, %s", points, least,
                   args->width != NULL ? "or a larger --width" : "or a larger --cell");
}

/* Texts beside each other take as many columns together as one text does. */
static void plan_beside(struct figure_plan *plan)
{
    plan->per_row = plan->n_beside < FIGURE_COLUMNS ? plan->n_beside : FIGURE_COLUMNS;
    if (is_of_single_maps(plan)) {
        plan->per_row = plan->columns > 0 ? plan->columns : plan->per_row;
        plan->columns = 1;
    } else if (plan->columns == 0 && plan->n_rows_of_panels == 0) {
        plan->columns = FIGURE_COLUMNS / plan->per_row;
    }
}

static int plan_pixels(const struct figure_args *args, struct figure_plan *plan, struct err *e)
{
    int across, down;

    if (args->width != NULL)
        return plan_page(args, plan, e);
    if (plan->n_beside > 1)
        plan_beside(plan);
    across = per_row(plan);
    down = plan->n_beside > 1 ? (plan->n_beside + across - 1) / across : 1;
    if (plan->n_rows_of_panels > 0) {
        plan_thumbs(args, plan, across, down);
        return 0;
    }
    if (plan->columns == 0)
        plan->columns = FIGURE_COLUMNS;
    heatmap_plan(plan->n_rows, plan->n_cols, plan->n_panels * across * down, plan->columns * across,
                 figure_page_cell_of(args), args->dpi, &plan->cell_px, &plan->pool);
    return 0;
}

int figure_plan(const struct figure_args *args, struct figure_plan *plan, struct err *e)
{
    if (plan->format == DRAW_TERMINAL && plan_terminal(args, plan, e) != 0)
        return -1;
    if (plan->format == DRAW_TERMINAL && plan->terminal->way < TERMINAL_SIXEL)
        return 0;
    return plan_pixels(args, plan, e);
}

int figure_plan_board(const struct figure_args *args, enum draw_format format, int n_tokens,
                      int n_heads, int *pool, struct err *e)
{
    const struct heatmap_page page = {
        format, args->dpi, width_px(args), font_px(args), !args->no_labels, !args->no_bars,
        args->shared_scale, false,
    };
    double least;

    *pool = board_pool(&page, n_tokens, n_heads, args->cell, &least);
    if (*pool > 0)
        return 0;
    return err_set(e, ERR_USAGE, "--width %s: too narrow for %d heads side by side: expected at "
                   "least %.0fmm, or fewer heads (-H)", args->width, n_heads,
                   ceil(least * 25.4 / 100.0));
}
