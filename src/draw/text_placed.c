/* SPDX-License-Identifier: MIT
 * Text that was laid out to lines that a picture holds as text: their characters, as far as
 * they were not cut, the fonts that they were measured in, and where they stand. */
#include "draw/text_priv.h"

#include <stdlib.h>
#include <string.h>

#include "draw/label.h"

/* ---- characters and fonts ---- */

/* Part of a line that has one font. */
struct run { const PangoItem *item; };

static int text_placed_by_offset(const void *x, const void *y)
{
    int a = ((const struct run *)x)->item->offset, b = ((const struct run *)y)->item->offset;

    return (a > b) - (a < b);
}

/* As they are read; pango has them from left to right. */
static struct run *runs_of(struct arena *a, const PangoLayoutLine *line, int *n)
{
    struct run *run = arena_alloc(a, g_slist_length(line->runs) + 1u, sizeof *run);

    *n = 0;
    for (const GSList *at = line->runs; at != NULL; at = at->next)
        run[(*n)++].item = ((const PangoLayoutRun *)at->data)->item;
    qsort(run, (size_t)*n, sizeof *run, text_placed_by_offset);
    return run;
}

static const char *text_placed_text_of(struct arena *a, const char *clean, const PangoItem *item)
{
    if (item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS)
        return "…";
    return arena_strndup(a, clean + item->offset, (size_t)item->length);
}

static const char *family_of(struct arena *a, PangoFont *font)
{
    PangoFontDescription *d = pango_font_describe(font);
    const char *name = pango_font_description_get_family(d);
    const char *family = label_clean(a, name, strlen(name), LABEL_TEXT_CHARS);

    pango_font_description_free(d);
    return family;
}

/* Where a line was broken. */
static void trim_end(struct arena *a, struct text_run *last)
{
    size_t length = strlen(last->text);

    while (length > 0 && last->text[length - 1] == ' ')
        length--;
    last->text = arena_strndup(a, last->text, length);
}

/* Runs of one font are one span. */
static struct text_run *spans_of(struct arena *a, const struct piece *piece,
                                  const PangoLayoutLine *line, int *n_spans)
{
    int n, used = 0;
    const struct run *run = runs_of(a, line, &n);
    struct text_run *span = arena_alloc(a, (size_t)n + 1, sizeof *span);

    for (int i = 0; i < n; i++) {
        const PangoItem *item = run[i].item;
        const char *text = text_placed_text_of(a, piece->clean, item);
        const char *family = family_of(a, item->analysis.font);

        if (used > 0 && strcmp(span[used - 1].family, family) == 0)
            span[used - 1].text = arena_printf(a, "%s%s", span[used - 1].text, text);
        else
            span[used++] = (struct text_run){ text, family };
    }
    if (used > 0)
        trim_end(a, &span[used - 1]);
    *n_spans = used;
    return span;
}

/* The one that was asked for, if any span has it. */
static const char *line_family(struct arena *a, const struct piece *piece,
                               const struct text_run *span, int n)
{
    PangoFont *own = pango_context_load_font(pango_layout_get_context(piece->layout),
                                             pango_layout_get_font_description(piece->layout));
    const char *family = own != NULL ? family_of(a, own) : "";

    if (own != NULL)
        g_object_unref(own);
    for (int i = 0; i < n; i++)
        if (strcmp(span[i].family, family) == 0)
            return family;
    return span[0].family;
}

/* ---- places ---- */

static struct text_placed *text_placed_add(const struct text *text)
{
    struct text_places *all = text->places;

    if (all->n == all->cap) {
        size_t cap = 2 * all->cap + 64;

        all->line = arena_grow(text->arena, all->line, all->n, cap, sizeof *all->line);
        all->cap = cap;
    }
    return &all->line[all->n++];
}

/* A line of w units, which may be one of a paragraph. */
static void text_place_line(const struct text *text, cairo_t *cr, const struct piece *piece,
                            const PangoLayoutLine *line, double w, const struct text_spot *spot)
{
    static const double share[] = { [TEXT_CENTRE] = 0.5, [TEXT_RIGHT] = 1.0 };
    int n;
    const struct text_run *span = spans_of(text->arena, piece, line, &n);
    double along = share[spot->hold] * w;
    struct text_placed *placed;

    if (n == 0)
        return;
    placed = text_placed_add(text);
    *placed = (struct text_placed){
        .span = span, .n_spans = n, .family = line_family(text->arena, piece, span, n),
        .style = &piece->style, .size = spot->size, .hold = spot->hold,
        .x = spot->turned ? spot->x : spot->x + along,
        .y = spot->turned ? spot->y - along : spot->y, .turned = spot->turned,
        .to_left = line->resolved_dir == PANGO_DIRECTION_RTL, .on = cairo_get_target(cr),
    };
    cairo_user_to_device(cr, &placed->x, &placed->y);
    if (spot->max_h > 0.0) {
        placed->clip.x = placed->x - along - spot->max_h;
        placed->clip.y = placed->y - spot->middle - spot->max_h / 2.0;
        placed->clip.w = w + 2.0 * spot->max_h;
        placed->clip.h = spot->max_h;
    }
}

void text_place(const struct text *text, cairo_t *cr, const struct piece *piece,
                const struct text_spot *spot)
{
    text_place_line(text, cr, piece, pango_layout_get_line_readonly(piece->layout, 0), piece->w,
                    spot);
}

void text_place_lines(const struct text *text, cairo_t *cr, const struct piece *piece, double size,
                      double x, double y)
{
    PangoLayoutIter *at = pango_layout_get_iter(piece->layout);
    bool centred = pango_layout_get_alignment(piece->layout) == PANGO_ALIGN_CENTER;

    do {
        const PangoLayoutLine *line = pango_layout_iter_get_line_readonly(at);
        struct text_spot spot = { .hold = TEXT_LEFT, .size = size };
        PangoRectangle logical;

        pango_layout_iter_get_line_extents(at, NULL, &logical);
        if (centred)
            spot.hold = TEXT_CENTRE;
        else if (line->resolved_dir == PANGO_DIRECTION_RTL)
            spot.hold = TEXT_RIGHT;
        spot.x = x + logical.x / (double)PANGO_SCALE;
        spot.y = y + pango_layout_iter_get_baseline(at) / (double)PANGO_SCALE;
        text_place_line(text, cr, piece, line, logical.width / (double)PANGO_SCALE, &spot);
    } while (pango_layout_iter_next_line(at));
    pango_layout_iter_free(at);
}

void text_forget(const struct text *text, const cairo_surface_t *layer)
{
    for (size_t i = 0; text->places != NULL && i < text->places->n; i++)
        if (text->places->line[i].on == layer)
            text->places->line[i].on = NULL;
}

void text_repeat(const struct text *text, cairo_surface_t *layer, cairo_surface_t *on, double x,
                 double y)
{
    size_t n = text->places != NULL ? text->places->n : 0;

    for (size_t i = 0; i < n; i++) {
        struct text_placed *placed;

        if (text->places->line[i].on != layer)
            continue;
        placed = text_placed_add(text);
        *placed = text->places->line[i];
        placed->on = on;
        placed->x += x;
        placed->y += y;
        placed->clip.x += x;
        placed->clip.y += y;
    }
}
