/* SPDX-License-Identifier: MIT
 *
 * Numbers -> text: the parts that record.h is made of.  Write errors stick to the
 * stream and are seen at out_commit.  Numbers never depend on the locale. */
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

/* s[n] as err_set cleans a message: nothing that a terminal would obey, no NUL. */
char *report_clean(struct arena *a, const char *s, size_t n);

/* ---- JSON, written as it comes (jansson, which reads it, owns json_*) ---- */

enum { JSONW_DEPTH = 32 };

struct jsonw {
    FILE *file;
    int depth;
    bool comma[JSONW_DEPTH]; /* per level: something stands before */
    bool after_key;
    bool indented;           /* two spaces per level, one member per line; set it first */
};

void jsonw_init(struct jsonw *j, FILE *f);
void jsonw_object(struct jsonw *j);       /* { */
void jsonw_array(struct jsonw *j);        /* [ */
void jsonw_end(struct jsonw *j, char bracket);        /* '}' or ']' */
void jsonw_key(struct jsonw *j, const char *key);
/*
 * Strings: UTF-8 passes, controls (utf8_is_control) are escaped, each byte that is
 * not UTF-8 becomes U+FFFD.
 */
void jsonw_string(struct jsonw *j, const char *s);
void jsonw_string_n(struct jsonw *j, const char *s, size_t n);
void jsonw_int(struct jsonw *j, int64_t v);
void jsonw_bool(struct jsonw *j, bool v);
void jsonw_null(struct jsonw *j);
/* As number_double and number_float write them; null where not finite. */
void jsonw_double(struct jsonw *j, double v);
void jsonw_float(struct jsonw *j, float v);
void jsonw_newline(struct jsonw *j);      /* ends an object of one line */

/* A member of an object: its key, then its value; a string that is NULL is null. */
void jsonw_member_string(struct jsonw *j, const char *key, const char *s);
void jsonw_member_int(struct jsonw *j, const char *key, int64_t v);
void jsonw_member_double(struct jsonw *j, const char *key, double v);

/* ---- tables ---- */

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct table_column {
    const char *title;
    enum align align;
};

/*
 * A table of strings (of arena a).  Cells are cleaned (report_clean), and
 * padded by what a terminal shows (wide characters count two, marks none).
 */
struct table;

struct table *table_new(struct arena *a, const struct table_column *columns, int n);
void table_cell(struct table *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));      /* left to right, row by row */
void table_print(const struct table *t, FILE *f);

/* How a terminal shows a table. */
struct table_look {
    int columns;                /* of the terminal */
    bool colours;
    const char *const *spare;   /* titles of columns that are left out first, in this order; ends
                                   with NULL; NULL: none */
    const int *group;           /* [rows] a rule stands above rows of another; NULL: one */
};

/*
 * No line is wider than the terminal: texts are cut, with "…", then columns left out, which a line
 * below names.  Of six numbers or more in a column, one that is more than two standard deviations
 * from their mean has a star behind it, and where there are colours, one.
 */
void table_print_fitted(const struct table *t, const struct table_look *look, FILE *f);

/* As much of clean text as has room, with "…" where it has more. */
char *table_cut(struct arena *a, const char *clean, size_t columns);

/* Clean text, broken between words. */
void table_paragraph(struct arena *a, const char *text, const struct table_look *look, FILE *f);

/*
 * TSV: a tab between; tab, line feed, carriage return and backslash in a field as
 * \t \n \r \\, other controls and bytes that are not UTF-8 as utf8_show has them.
 */
void delimited_tsv(FILE *f, bool first, const char *s, size_t n);
/* CSV by RFC 4180: a comma between; a field with a comma, a quotation mark or a line break in
 * quotation marks, the latter twice; bytes that are not UTF-8, and other controls, as TSV has
 * them. */
void delimited_csv(FILE *f, bool first, const char *s, size_t n);
void delimited_end(FILE *f);          /* of both */

#endif
