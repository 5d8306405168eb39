/* SPDX-License-Identifier: MIT
 * The bar beside a panel: its colours from below to above, and its two ends. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw_priv.h"

/* "1e-05" -> "1e-5" */
static void tidy(char *s)
{
    char *e = strchr(s, 'e'), *from;

    if (e == NULL)
        return;
    e += e[1] == '-' ? 2 : 1;
    for (from = e; *from == '+' || (*from == '0' && from[1] != '\0'); from++)
        ;
    memmove(e, from, strlen(from) + 1);
}

static void number(char dst[24], bool fixed, int digits, double v)
{
    snprintf(dst, 24, fixed ? "%.*f" : "%.*g", digits, v);
    if (strtod(dst, NULL) == 0.0)
        snprintf(dst, 24, "%.*f", fixed ? digits : 2, 0.0);     /* not -0.00 */
    tidy(dst);
}

struct bar_text bar_text(enum scale s, struct range r)
{
    double lo = r.lo, hi = r.hi;
    struct bar_text b = { "", "" };
    bool small, large;

    if (!r.any)
        return b;
    if (s == SCALE_LOG) {
        lo = fmax(lo, 1e-6);    /* the scale's floor: less looks the same */
        hi = fmax(hi, 1e-6);
    }
    large = fmax(fabs(lo), fabs(hi)) >= 1000.0;
    small = fmax(fabs(lo), fabs(hi)) < 0.1;
    if (lo == hi) {
        number(b.hi, !small && !large, 2, hi);
        return b;
    }
    /* As many digits as tell the ends apart. */
    for (int digits = 2; digits < 9; digits++) {
        bool fine = s == SCALE_LOG && fabs(lo) < 0.1;

        number(b.lo, !small && !large && !fine, digits, lo);
        number(b.hi, !small && !large, digits, hi);
        if (strcmp(b.lo, b.hi) != 0)
            break;
    }
    return b;
}

/*
 * The colours, from the top: as many as a PNG has pixels, so that the first and
 * the last are the map's ends; one flat colour where there is no range.
 */
static void draw_colours(struct page *p, struct text *t, struct range r,
                         struct box bar)
{
    int n = t->vector ? 256 : (int)bar.h;
    unsigned short *index = arena_alloc_raw(t->arena, (size_t)n, sizeof *index);

    for (int i = 0; i < n; i++)
        index[i] = (unsigned short)
            (!r.any ? CELL_MASKED : r.lo == r.hi ? 0 :
             255 - (n > 1 ? (i * 255 + (n - 1) / 2) / (n - 1) : 0));
    page_cells(p, index, n, 1, bar);
}

void bar_draw(struct page *p, const struct layout *l, struct text *t,
              struct range r, struct box cells)
{
    struct box bar = { cells.x + cells.w + l->line + l->bar_gap, cells.y, l->bar_w,
                       cells.h };
    struct bar_text b = bar_text(p->figure->scale, r);
    double x = bar.x + bar.w + l->value_gap, line = text_line_height(t, ROLE_VALUE);
    double middle = bar.y + bar.h / 2.0, half = text_middle(t, ROLE_VALUE);
    double reach = fmax(bar.h / 2.0, line), top = middle - reach + 2.0 * half;

    page_frame(p, bar, l->line);
    draw_colours(p, t, r, bar);
    if (b.lo[0] == '\0')
        top = middle + half;
    text_draw_line(t, p->cr, text_line(t, ROLE_VALUE, arena_strdup(t->arena, b.hi)),
                   x, t->vector ? top : round(top), 2.0 * line);
    text_draw_line(t, p->cr, text_line(t, ROLE_VALUE, arena_strdup(t->arena, b.lo)),
                   x, t->vector ? middle + reach : round(middle + reach),
                   2.0 * line);
}
