/* SPDX-License-Identifier: MIT
 *
 * Cells -> a table with aligned columns: cells are collected first, then every column is as wide
 * as its widest cell. */
#include "report/table.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"

static const char GAP[] = "  ";

struct table *table_new(struct arena *a, const struct table_column *columns, int n)
{
    struct table *table = arena_alloc(a, 1, sizeof *table);

    *table = (struct table){ .arena = a, .column = columns, .n = (size_t)n };
    table->width = arena_alloc(a, table->n, sizeof *table->width);
    for (size_t c = 0; c < table->n; c++)
        table->width[c] = utf8_width(columns[c].title);
    return table;
}

char *report_clean(struct arena *a, const char *s, size_t n)
{
    size_t out = 0;
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

/* An arena gives every string a cache line; cells are many and short. */
static const char *table_keep(struct table *table, const char *text, struct arena_mark before)
{
    size_t count = strlen(text) + 1;
    char *kept;

    if (count > CHUNK_BYTES)
        return text;
    if (count > table->left) {
        table->left = CHUNK_BYTES;
        table->room = arena_alloc_raw(table->arena, table->left, 1);
        kept = memcpy(table->room, text, count);
    } else {
        kept = memcpy(table->room, text, count);
        arena_reset(table->arena, before);      /* text goes */
    }
    table->room += count;
    table->left -= count;
    return kept;
}

static void add_cell(struct table *table, struct table_cell cell)
{
    size_t i = table->n_cells++, *width = &table->width[i % table->n];

    if (i % BLOCK_CELLS == 0) {
        struct table_block *more = arena_alloc(table->arena, 1, sizeof *more);

        if (table->last != NULL)
            table->last->next = more;
        else
            table->first = more;
        table->last = more;
    }
    table->last->cell[i % BLOCK_CELLS] = cell;
    if (cell.width > *width)
        *width = cell.width;
}

void table_cell(struct table *table, const char *fmt, ...)
{
    struct arena_mark before = arena_mark(table->arena);
    const char *text;
    va_list ap;

    va_start(ap, fmt);
    text = arena_vprintf(table->arena, fmt, ap);
    va_end(ap);
    text = table_keep(table, report_clean(table->arena, text, strlen(text)), before);
    add_cell(table, (struct table_cell){ text, utf8_width(text) });
}

static void print_cell(const struct table *table, size_t c, struct table_cell cell, FILE *file)
{
    int pad = (int)(table->width[c] - cell.width);
    bool last = c + 1 == table->n;

    if (table->column[c].align == ALIGN_RIGHT)
        fprintf(file, "%*s%s", pad, "", cell.text);
    else
        fprintf(file, "%s%*s", cell.text, last ? 0 : pad, "");
    fputs(last ? "\n" : GAP, file);
}

const struct table_cell *table_next(const struct table *table, struct table_walk *walk)
{
    size_t i = walk->i++;

    if (i >= table->n_cells)
        return NULL;
    if (i > 0 && i % BLOCK_CELLS == 0)
        walk->block = walk->block->next;
    return &walk->block->cell[i % BLOCK_CELLS];
}

void table_print(const struct table *table, FILE *file)
{
    struct table_walk walk = { .block = table->first };
    const struct table_cell *cell;

    assert(table->n_cells % table->n == 0);
    for (size_t c = 0; c < table->n; c++) {
        const char *title = table->column[c].title;

        print_cell(table, c, (struct table_cell){ title, utf8_width(title) }, file);
    }
    for (size_t i = 0; (cell = table_next(table, &walk)) != NULL; i++)
        print_cell(table, i % table->n, *cell, file);
}
