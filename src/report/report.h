/* SPDX-License-Identifier: MIT
 *
 * Numbers and texts -> JSON, tables, TSV and CSV: the building blocks of record.h.  Write errors
 * stay in the stream and are reported by out_commit.  Numbers never depend on the locale. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/out.h"

/* ---- numbers ---- */

/* "1,048,576" */
char *report_thousands(struct arena *a, int64_t v);
/* "576.0 MiB", "512 B" */
char *report_bytes(struct arena *a, uint64_t bytes);

/* ---- text ---- */

/* s[n] cleaned like messages of err_set: no control characters, no NUL. */
char *report_clean(struct arena *a, const char *s, size_t n);

/* ---- a JSON writer (names json_* belong to jansson, the reader) ---- */

enum { JSONW_DEPTH = 32 };

struct jsonw {
    FILE *file;
    int depth;
    bool comma[JSONW_DEPTH]; /* per level: a comma is required before the next item */
    bool after_key;
    bool indented;           /* two spaces per level, one member per line; set it first */
};

void jsonw_init(struct jsonw *json, FILE *file);
void jsonw_object(struct jsonw *json);       /* { */
void jsonw_array(struct jsonw *json);        /* [ */
void jsonw_end(struct jsonw *json, char bracket);        /* '}' or ']' */
void jsonw_key(struct jsonw *json, const char *key);
/*
 * Write strings: UTF-8 is unchanged, controls (utf8_is_control) are escaped, each byte that
 * is not UTF-8 becomes U+FFFD.
 */
void jsonw_string(struct jsonw *json, const char *s);
void jsonw_string_n(struct jsonw *json, const char *s, size_t n);
void jsonw_int(struct jsonw *json, int64_t v);
void jsonw_bool(struct jsonw *json, bool v);
void jsonw_null(struct jsonw *json);
/* Write numbers as number_double and number_float do; null if not finite. */
void jsonw_double(struct jsonw *json, double v);
void jsonw_float(struct jsonw *json, float v);
void jsonw_newline(struct jsonw *json);      /* ends an object of one line */

/* A member of an object: its key, then its value; a string that is NULL is null. */
void jsonw_member_string(struct jsonw *json, const char *key, const char *s);
void jsonw_member_int(struct jsonw *json, const char *key, int64_t v);
void jsonw_member_double(struct jsonw *json, const char *key, double v);

/* ---- tables ---- */

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct table_column {
    const char *title;
    enum align align;
};

/*
 * A table of strings, in arena a.  Cells are cleaned (report_clean), and padded by their width on
 * a terminal (wide characters two columns, marks none).
 */
struct table;

struct table *table_new(struct arena *a, const struct table_column *columns, int n);
void table_cell(struct table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));      /* left to right, row by row */
void table_print(const struct table *table, FILE *file);

/* The look of a table on a terminal. */
struct table_look {
    int columns;                /* width of the terminal */
    bool colours;
    const char *const *spare;   /* titles of columns that are left out first, in this order; ends
                                   with NULL; NULL: none */
    const int *group;           /* [rows] group of each; a rule separates groups; NULL: one group */
};

/*
 * Prints a table whose lines are not wider than the terminal: texts are cut, with "…", then columns
 * left out, which a line below names.  In columns of six numbers or more, one that is more than two
 * standard deviations from their mean is marked by a star, and by a colour if there are colours.
 */
void table_print_fitted(const struct table *table, const struct table_look *look, FILE *file);

/* Clean text cut to so many columns, with "…" if it is longer. */
char *table_cut(struct arena *a, const char *clean, size_t columns);

/* Writes clean text, broken between words. */
void table_paragraph(struct arena *a, const char *text, const struct table_look *look, FILE *file);

/*
 * Writes a TSV field: tab, line feed, carriage return and backslash as \t \n \r \\, other
 * controls and bytes that are not UTF-8 as by utf8_show; separated by tabs.
 */
void delimited_tsv(FILE *file, bool first, const char *s, size_t n);
/* Writes a CSV field by RFC 4180, separated by commas: in quotation marks if it has a comma, a
 * quotation mark (doubled) or a line break; bytes that are not UTF-8, and other controls, as in
 * TSV. */
void delimited_csv(FILE *file, bool first, const char *s, size_t n);
void delimited_end(FILE *file);          /* ends a line of either */

#endif
