/* SPDX-License-Identifier: MIT
 *
 * Records: a C struct -> a table, TSV and JSON, by a list of columns, so that a number has
 * the same name, unit and null in all three.
 *
 *     JSON   one object per row; lists of records are arrays of objects
 *     TSV    a header, then one line per element of the record's list of records, the
 *            record's own columns first; one line per row where it has no such list.
 *            A single record inside another is flattened: "decoder_heads"
 *     table  rows of one record, aligned, with headings; flattened too
 *
 * The same columns give the record's JSON Schema. */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <stddef.h>

#include "report/report.h"

enum column_kind {
    COLUMN_INT,         /* int */
    COLUMN_LONG,        /* int64_t */
    COLUMN_BYTE,        /* unsigned char, 0 or 1 */
    COLUMN_BOOL,        /* bool */
    COLUMN_REAL,        /* double */
    COLUMN_FLOAT,       /* float: in JSON as few digits as read back the same float */
    COLUMN_TEXT,        /* const char * */
    COLUMN_SPAN,        /* struct text_span */
    COLUMN_RECORD       /* const void *, to a row of the record `of` */
};

/*
 * When a number is undefined: an integer below 0, a real number that is not finite, a
 * pointer that is NULL, a list of fewer than 0 elements.
 */
enum column_null {
    NULL_NEVER,
    NULL_SHOWN,         /* null in JSON, empty in TSV, "-" in a table */
    NULL_ABSENT         /* the same, but JSON leaves the member out */
};

enum { IN_TABLE = 1, IN_TSV = 2, IN_JSON = 4, IN_ALL = 7 };

struct text_span {
    const char *s;              /* [n] UTF-8, not terminated; NULL: undefined */
    size_t n;
};

/* The field of a column that is a list. */
struct list {
    const void *at;             /* [n] of the column's kind; for COLUMN_RECORD rows themselves, not
                                   pointers to them */
    int n;                      /* -1: undefined */
};

struct record;
struct provenance;

struct column {
    const char *name;           /* in JSON and TSV: "entropy_norm"; no unit in it */
    const char *help;           /* description for the schema: one line, no full stop */
    const char *unit;           /* "nats", "tokens"; NULL: none */
    const char *heading;        /* in the table; NULL: the name */
    const char *format;         /* in the table: one conversion of a double; NULL: as TSV */
    enum column_kind kind;
    bool list;                  /* the field is a struct list */
    bool null_items;            /* its integers may be undefined: null */
    bool optional;              /* a command may leave it out: record_without */
    unsigned where;             /* IN_TABLE | IN_TSV | IN_JSON; IN_TABLE also if a command prints
                                   it above the table, in words */
    enum column_null null;
    size_t field;               /* offsetof() in the row's struct */
    const struct record *of;    /* COLUMN_RECORD: the record of its rows */
    const char *const *choices; /* values that a text can have; ends with NULL; NULL: any */
    double least, most;         /* for the schema, inclusive; both 0: no limits */
    /* Text of the table's cell, from the whole row; NULL: by format and kind. */
    const char *(*show)(struct arena *a, const void *row);
};

struct record {
    const char *schema;         /* "mha-viz/stats/1", the first member in JSON; NULL: none */
    const char *help;           /* description of a row for the schema: one line */
    size_t size;                /* of a row's struct */
    const struct column *columns;
    int n;
    bool tuple;                 /* in JSON an array of the columns' values, not an object */
};

/* The columns of an array, as the last members of a record's initialiser. */
#define RECORD_COLUMNS(array) .columns = (array), .n = sizeof(array) / sizeof *(array)

/*
 * A copy of record, in arena a, without the columns `names` (ends with NULL), also of records in
 * it, in the formats `where`: for columns that an option turns on.  TSV and JSON keep those that
 * are not optional, which their schema requires.
 */
struct record *record_without(struct arena *a, const struct record *record, unsigned where,
                              const char *const *names);

/*
 * A copy of record, in arena a, with columns renamed from from[n] to to[n], also in tables and in
 * records in it.
 */
struct record *record_renamed(struct arena *a, const struct record *record, const char *const *from,
                              const char *const *to, int n);

/* One object and a line feed. */
void record_json(const struct record *record, const void *row, FILE *file);

/* Number of bytes of the object before the provenance that report_row inserts. */
size_t record_json_head(const struct record *record);


/* Writes a table of n rows, an array of structs. */
void record_table(const struct record *record, const void *rows, int n, struct arena *a,
                  FILE *file);
/* The same, fitted to a terminal. */
void record_table_fitted(const struct record *record, const void *rows, int n,
                         const struct table_look *look, struct arena *a, FILE *file);

/* Writes a legend of the table: title, help and unit of each column. */
void record_legend(const struct record *record, const struct table_look *look, struct arena *a,
                   FILE *file);

/*
 * Writes the JSON Schema (draft 2020-12) of record_json's objects.  Members that are never left out
 * are required; further members are allowed, as new fields do not raise the version.
 */
void record_schema(const struct record *record, FILE *file);

/* ---- a command's report: rows of one record, in one format ---- */

enum report_format { REPORT_TABLE, REPORT_TSV, REPORT_CSV, REPORT_JSON };

struct report {
    const struct record *record;
    enum report_format format;
    FILE *file;
    bool begun;                 /* TSV, CSV: the header was written */
    const struct provenance *run;       /* provenance, written in the first JSON row, or above the
                                   TSV header; NULL: none, or already written */
};

/* Writes the header of TSV or CSV, unless it was written. */
void report_begin(struct report *report);
/* Writes one row in TSV, CSV or JSON, after the header.  Tables are written by the command. */
void report_row(struct report *report, const void *row);
/* Writes one row of the report's record; in a table, the line `lead` and the rows `rows`, which are
 * of the record `of`, in its place. */
void report_row_or_table(struct report *report, const void *row, const char *lead,
                         const struct record *record, struct list rows, struct arena *a);
/* Called after the last row: TSV and CSV get their header even without rows. */
void report_end(struct report *report);

#endif
