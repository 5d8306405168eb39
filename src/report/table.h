/* SPDX-License-Identifier: MIT
 * Private interface of table.c and table_fit.c: the cells of a table. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "report/report.h"

struct table_cell {
    const char *text;           /* clean UTF-8 */
    size_t width;               /* terminal columns */
};

/* A list, not an array that grows: a million rows are never copied. */
enum { BLOCK_CELLS = 1024, CHUNK_BYTES = 1 << 16 };

struct table_block {
    struct table_block *next;
    struct table_cell cell[BLOCK_CELLS];
};

struct table {
    struct arena *arena;
    const struct table_column *column;  /* [n] */
    size_t *width;                  /* [n] width of the widest cell so far */
    size_t n, n_cells;              /* cells row by row */
    struct table_block *first, *last;
    char *room;                     /* storage of the next text */
    size_t left;                    /* bytes left there */
};

/* An iterator over the cells; begin it with block: the table's first. */
struct table_walk {
    const struct table_block *block;
    size_t i;
};

/* The next cell; NULL if there is none. */
const struct table_cell *table_next(const struct table *table, struct table_walk *walk);

#endif
