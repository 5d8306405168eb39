/* SPDX-License-Identifier: MIT
 *
 * Numbers -> text: a table that a person likes to read, TSV, JSON.  Write errors
 * stick to the stream and are seen at out_commit.  Numbers never depend on the
 * locale. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

/* ---- JSON, written as it comes ---- */

struct json {
    FILE *file;
    int depth;
    bool comma[32];         /* per level: something stands before */
    bool after_key;
};

void json_init(struct json *j, FILE *f);
void json_object(struct json *j);       /* { */
void json_array(struct json *j);        /* [ */
void json_end(struct json *j, char bracket);        /* '}' or ']' */
void json_key(struct json *j, const char *key);
/* Strings: UTF-8 passes, the rest is escaped; bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *j, const char *s);
void json_string_n(struct json *j, const char *s, size_t n);
void json_int(struct json *j, int64_t v);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
/* The shortest decimal that reads back as the same number; null where not finite. */
void json_double(struct json *j, double v);
void json_float(struct json *j, float v);
void json_newline(struct json *j);      /* ends a record of an object a line */

/* ---- tables ---- */

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct column {
    const char *title;
    enum align align;
};

/*
 * A table of strings (of arena a).  Cells are cleaned as err_set cleans, and
 * padded by what a terminal shows (wide characters count two, marks none).
 */
struct table;

struct table *table_new(struct arena *a, const struct column *columns, int n);
void table_cell(struct table *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));      /* left to right, row by row */
void table_print(const struct table *t, FILE *f);

/* TSV: a tab between, tab, newline and backslash in a field as \t \n \\. */
void tsv_field(FILE *f, bool first, const char *s, size_t n);
void tsv_double(FILE *f, bool first, double v);     /* empty where not finite */
void tsv_end(FILE *f);

/* "1,048,576" */
char *report_thousands(struct arena *a, int64_t v);
/* "576.0 MiB" */
char *report_bytes(struct arena *a, uint64_t bytes);

#endif
