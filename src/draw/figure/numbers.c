/* SPDX-License-Identifier: MIT
 * Numbers in cells: their text, the font that fits, black or white by the ground. */
#include "draw/figure/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void numbers_text(char dst[NUMBER_TEXT], float value)
{
    double v = (double)value;

    if (!isfinite(v)) {
        dst[0] = '\0';
        return;
    }
    snprintf(dst, NUMBER_TEXT, fabs(v) < 99.995 ? "%.2f" : "%.3g", v);
    if (strtod(dst, NULL) == 0.0)
        strcpy(dst, "0");
}

/* By the luminance that has the same contrast with both; a gamma of 2 is near enough. */
bool numbers_are_black(const unsigned char rgb[3])
{
    double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;

    return 0.2126 * r * r + 0.7152 * g * g + 0.0722 * b * b > 0.179;
}

static struct style style_of(const struct page *page, double font, bool black)
{
    double base = page->sheet->font_px;

    return (struct style){ font, base > 0.0 ? font / base : 1.0, black ? 0.0 : 1.0, false, false,
                           0.0 };
}

static size_t count_cells(const struct panel *panel)
{
    return (size_t)panel->n_rows * (size_t)panel->n_cols;
}

static double draw_numbers_width_of(struct page *page, const struct style *style, float value)
{
    char text[NUMBER_TEXT];

    numbers_text(text, value);
    return text[0] != '\0' ?
        text_width(text_line(&page->text, style, arena_strdup(page->arena, text))) : 0.0;
}

double numbers_font(struct page *page, const struct heatmaps *maps, double cell)
{
    enum { TRIAL = 10, LARGEST = 11 };
    static const double share = 0.8;    /* of the cell's side */
    struct style style = style_of(page, TRIAL, true);
    double widest = 0.0;

    for (int p = 0; p < maps->n_panels; p++)
        for (size_t i = 0; i < count_cells(&maps->panels[p]); i++)
            widest = fmax(widest, draw_numbers_width_of(page, &style, maps->panels[p].value[i]));
    return widest > 0.0 ? fmin(TRIAL * share * cell / widest, LARGEST) : 0.0;
}

static void paint_number(struct page *page, const char *text, const struct style *style,
                         struct box cell)
{
    const struct piece *piece = text_line(&page->text, style, arena_strdup(page->arena, text));

    text_draw_line(&page->text, page->cr, piece, TEXT_CENTRE,
                   page_snap(page, cell.x + (cell.w - text_width(piece)) / 2.0),
                   page_snap(page, cell.y + cell.h / 2.0 + text_middle(&page->text, style)),
                   2.0 * cell.h);
}

void numbers_paint(struct page *page, const struct heatmaps *maps, const struct panel *panel,
                   const unsigned short *index, double font, struct box cells)
{
    const struct style light = style_of(page, font, false), dark = style_of(page, font, true);
    double w = cells.w / panel->n_cols, h = cells.h / panel->n_rows;
    char text[NUMBER_TEXT];

    for (int i = 0; i < panel->n_rows; i++)
        for (int j = 0; j < panel->n_cols; j++) {
            int at = i * panel->n_cols + j;

            numbers_text(text, panel->value[at]);
            if (text[0] != '\0' && index[at] != CELL_MASKED)
                paint_number(page, text,
                             numbers_are_black(cmap_colour(maps->cmap, index[at])) ? &dark :
                                                                                     &light,
                             (struct box){ cells.x + j * w, cells.y + i * h, w, h });
        }
}
