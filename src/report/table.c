/* SPDX-License-Identifier: MIT
 *
 * A table for a terminal: cells are gathered first, then every column is as wide
 * as its widest cell. */
#include "report/report.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"

static const char GAP[] = "  ";

struct cell {
    const char *text;           /* clean UTF-8 */
    size_t width;               /* terminal columns */
};

struct table {
    struct arena *arena;
    const struct column *column;    /* [n] */
    int n;
    struct cell *cell;              /* [n_cells], row by row */
    size_t n_cells, cap;
};

struct table *table_new(struct arena *a, const struct column *columns, int n)
{
    struct table *t = arena_alloc(a, 1, sizeof *t);

    t->arena = a;
    t->column = columns;
    t->n = n;
    return t;
}

/* Columns that clean text takes on a terminal. */
static size_t width_of(const char *s)
{
    size_t n = strlen(s), width = 0;
    int cp, len;

    for (; (len = utf8_decode(s, n, &cp)) > 0; s += len, n -= (size_t)len)
        width += (size_t)utf8proc_charwidth(cp);
    return width;
}

static const char *clean(struct arena *a, const char *s)
{
    size_t n = strlen(s), out = 0;
    char *dst = arena_alloc(a, n + 1, sizeof "\\uNNNN");

    while (n > 0) {
        char piece[8];
        int len = utf8_show(s, n, piece);
        size_t size = strlen(piece);

        memcpy(dst + out, piece, size);
        out += size;
        s += len;
        n -= (size_t)len;
    }
    return dst;
}

void table_cell(struct table *t, const char *fmt, ...)
{
    struct cell c;
    va_list ap;

    va_start(ap, fmt);
    c.text = clean(t->arena, arena_vprintf(t->arena, fmt, ap));
    va_end(ap);
    c.width = width_of(c.text);
    if (t->n_cells == t->cap) {
        t->cap = 2 * t->cap + 64;
        t->cell = arena_grow(t->arena, t->cell, t->n_cells, t->cap,
                             sizeof *t->cell);
    }
    t->cell[t->n_cells++] = c;
}

static size_t column_width(const struct table *t, int c)
{
    size_t width = width_of(t->column[c].title);

    for (size_t i = (size_t)c; i < t->n_cells; i += (size_t)t->n)
        if (t->cell[i].width > width)
            width = t->cell[i].width;
    return width;
}

static void print_cell(const struct table *t, int c, struct cell cell,
                       size_t width, FILE *f)
{
    int pad = (int)(width - cell.width);
    bool last = c + 1 == t->n;

    if (t->column[c].align == ALIGN_RIGHT)
        fprintf(f, "%*s%s", pad, "", cell.text);
    else
        fprintf(f, "%s%*s", cell.text, last ? 0 : pad, "");
    fputs(last ? "\n" : GAP, f);
}

void table_print(const struct table *t, FILE *f)
{
    struct arena_mark mark = arena_mark(t->arena);
    size_t *width = arena_alloc(t->arena, (size_t)t->n, sizeof *width);

    assert(t->n_cells % (size_t)t->n == 0);
    for (int c = 0; c < t->n; c++) {
        const char *title = t->column[c].title;

        width[c] = column_width(t, c);
        print_cell(t, c, (struct cell){ title, width_of(title) }, width[c], f);
    }
    for (size_t i = 0; i < t->n_cells; i++) {
        int c = (int)(i % (size_t)t->n);

        print_cell(t, c, t->cell[i], width[c], f);
    }
    arena_reset(t->arena, mark);
}
