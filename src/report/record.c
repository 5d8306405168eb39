/* SPDX-License-Identifier: MIT
 * Rows of a record -> JSON, TSV or a table. */
#include "report/provenance.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

/* Of the formats in `where`, those that the column may be left out of. */
static unsigned removable(const struct column *column, unsigned where)
{
    return column->optional ? where : where & IN_TABLE;
}

struct record *record_without(struct arena *a, const struct record *record, unsigned where,
                              const char *const *names)
{
    struct record *copy = arena_alloc(a, 1, sizeof *copy);
    struct column *columns = arena_alloc(a, (size_t)record->n, sizeof *columns);

    *copy = *record;
    copy->columns = columns;
    memcpy(columns, record->columns, (size_t)record->n * sizeof *columns);
    for (int k = 0; k < record->n; k++) {
        for (int i = 0; columns[k].where != 0 && names[i] != NULL; i++)
            if (strcmp(columns[k].name, names[i]) == 0)
                columns[k].where &= ~removable(&columns[k], where);
        if (columns[k].of != NULL && columns[k].where != 0)
            columns[k].of = record_without(a, columns[k].of, where, names);
    }
    return copy;
}

/* Its heading, where that is its name, goes with it. */
static void rename_column(struct column *column, const char *to)
{
    if (column->heading != NULL && strcmp(column->heading, column->name) == 0)
        column->heading = to;
    column->name = to;
}

struct record *record_renamed(struct arena *a, const struct record *record, const char *const *from,
                              const char *const *to, int n)
{
    struct record *copy = arena_alloc(a, 1, sizeof *copy);
    struct column *columns = arena_alloc(a, (size_t)record->n, sizeof *columns);

    *copy = *record;
    copy->columns = columns;
    memcpy(columns, record->columns, (size_t)record->n * sizeof *columns);
    for (int k = 0; k < record->n; k++) {
        if (columns[k].of != NULL && columns[k].where != 0)
            columns[k].of = record_renamed(a, columns[k].of, from, to, n);
        for (int i = 0; columns[k].where != 0 && i < n; i++)
            if (strcmp(record->columns[k].name, from[i]) == 0)
                rename_column(&columns[k], to[i]);
    }
    return copy;
}

/* ---- values ---- */

/* An integer of any kind. */
static int64_t record_whole(enum column_kind kind, const void *at)
{
    switch (kind) {
    case COLUMN_LONG:
        return *(const int64_t *)at;
    case COLUMN_BYTE:
        return *(const unsigned char *)at;
    case COLUMN_BOOL:
        return *(const bool *)at;
    default:
        return *(const int *)at;
    }
}

static double real(enum column_kind kind, const void *at)
{
    return kind == COLUMN_FLOAT ? (double)*(const float *)at : *(const double *)at;
}

static bool is_real(enum column_kind kind)
{
    return kind == COLUMN_REAL || kind == COLUMN_FLOAT;
}

static struct text_span record_text(enum column_kind kind, const void *at)
{
    const char *s;

    if (kind == COLUMN_SPAN)
        return *(const struct text_span *)at;
    s = *(const char *const *)at;
    return (struct text_span){ s, s != NULL ? strlen(s) : 0 };
}

/* A pointer of any kind, without asking what it points to. */
static bool is_null(const void *at)
{
    const char *cursor;

    memcpy(&cursor, at, sizeof cursor);
    return cursor == NULL;
}

static bool record_undefined(enum column_kind kind, const void *at)
{
    if (is_real(kind))
        return !isfinite(real(kind, at));
    if (kind == COLUMN_TEXT || kind == COLUMN_SPAN || kind == COLUMN_RECORD)
        return is_null(at);
    return record_whole(kind, at) < 0;
}

static const void *field(const struct column *column, const void *row)
{
    return (const char *)row + column->field;
}

static bool column_undefined(const struct column *column, const void *row)
{
    const void *at = field(column, row);

    if (column->null == NULL_NEVER)
        return !column->list && is_real(column->kind) && record_undefined(column->kind, at);
    return column->list ? ((const struct list *)at)->n < 0 : record_undefined(column->kind, at);
}

static size_t element_size(const struct column *column)
{
    static const size_t size[] = {
        [COLUMN_INT] = sizeof(int), [COLUMN_LONG] = sizeof(int64_t), [COLUMN_BYTE] = 1,
        [COLUMN_BOOL] = sizeof(bool), [COLUMN_REAL] = sizeof(double),
        [COLUMN_FLOAT] = sizeof(float), [COLUMN_TEXT] = sizeof(char *),
        [COLUMN_SPAN] = sizeof(struct text_span),
    };

    return column->kind == COLUMN_RECORD ? column->of->size : size[column->kind];
}

static const void *element(const struct column *column, const struct list *list, int i)
{
    return (const char *)list->at + (size_t)i * element_size(column);
}

/* ---- JSON ---- */

static void json_row(struct jsonw *json, const struct record *record, const void *row,
                     const struct provenance *run);

/* The value at `at`, which is defined; a record's row itself. */
static void json_value(struct jsonw *json, const struct column *column, const void *at)
{
    struct text_span span;

    switch (column->kind) {
    case COLUMN_REAL:
        jsonw_double(json, *(const double *)at);
        break;
    case COLUMN_FLOAT:
        jsonw_float(json, *(const float *)at);
        break;
    case COLUMN_BOOL:
        jsonw_bool(json, *(const bool *)at);
        break;
    case COLUMN_TEXT:
    case COLUMN_SPAN:
        span = record_text(column->kind, at);
        jsonw_string_n(json, span.s, span.n);
        break;
    case COLUMN_RECORD:
        json_row(json, column->of, at, NULL);
        break;
    default:
        jsonw_int(json, record_whole(column->kind, at));
    }
}

static void json_list(struct jsonw *json, const struct column *column, const struct list *list)
{
    jsonw_array(json);
    for (int i = 0; i < list->n; i++) {
        const void *at = element(column, list, i);

        if (column->null_items && record_undefined(column->kind, at))
            jsonw_null(json);
        else
            json_value(json, column, at);
    }
    jsonw_end(json, ']');
}

static void json_column(struct jsonw *json, const struct column *column, const void *row)
{
    const void *at = field(column, row);

    if (column_undefined(column, row))
        jsonw_null(json);
    else if (column->list)
        json_list(json, column, at);
    else
        json_value(json, column, column->kind == COLUMN_RECORD ? *(const void *const *)at : at);
}

static bool is_member(const struct column *column, const void *row)
{
    return (column->where & IN_JSON) != 0 &&
           !(column->null == NULL_ABSENT && column_undefined(column, row));
}

/* run NULL: nothing is said of it. */
static void json_row(struct jsonw *json, const struct record *record, const void *row,
                     const struct provenance *run)
{
    if (record->tuple)
        jsonw_array(json);
    else
        jsonw_object(json);
    if (record->schema != NULL)
        jsonw_member_string(json, "schema", record->schema);
    if (run != NULL) {
        jsonw_key(json, "provenance");
        json_row(json, &provenance_record, run, NULL);
    }
    for (int i = 0; i < record->n; i++) {
        if (!is_member(&record->columns[i], row))
            continue;
        if (!record->tuple)
            jsonw_key(json, record->columns[i].name);
        json_column(json, &record->columns[i], row);
    }
    jsonw_end(json, record->tuple ? ']' : '}');
}

static void write_json(const struct record *record, const void *row, const struct provenance *run,
                       FILE *file)
{
    struct jsonw json;

    jsonw_init(&json, file);
    json_row(&json, record, row, run);
    jsonw_newline(&json);
}

void record_json(const struct record *record, const void *row, FILE *file)
{
    write_json(record, row, NULL, file);
}

size_t record_json_head(const struct record *record)
{
    return strlen("{\"schema\":\"") + strlen(record->schema) + strlen("\"");
}

/* ---- TSV ---- */

/* A record and what stands around it; rows NULL: all that is in them is undefined. */
struct around {
    const struct around *outer;     /* NULL: none */
    const struct record *r;
    const void *row;
};

struct line {
    FILE *f;
    bool first, csv;
};

/* The column whose elements give a line each; NULL: there is none. */
static const struct column *record_lines_of(const struct record *record)
{
    for (int i = 0; i < record->n; i++) {
        const struct column *column = &record->columns[i];

        if (column->list && column->kind == COLUMN_RECORD && !column->of->tuple &&
            (column->where & IN_TSV) != 0)
            return column;
    }
    return NULL;
}

static void tsv_part(struct line *line, const char *s, size_t n)
{
    (line->csv ? delimited_csv : delimited_tsv)(line->f, line->first, s, n);
    line->first = false;
}

static void tsv_names(struct line *line, const struct record *record, const char *prefix)
{
    const struct column *rows = record_lines_of(record);

    for (int i = 0; i < record->n; i++) {
        const struct column *column = &record->columns[i];
        char name[128];
        int count = snprintf(name, sizeof name, "%s%s", prefix, column->name);

        if ((column->where & IN_TSV) == 0 || column == rows)
            continue;
        assert(count > 0 && (size_t)count + 2 < sizeof name);
        if (column->kind == COLUMN_RECORD) {
            strcat(name, "_");
            tsv_names(line, column->of, name);
        } else {
            tsv_part(line, name, (size_t)count);
        }
    }
    if (rows != NULL)
        tsv_names(line, rows->of, "");
}

static size_t record_number(char dst[NUMBER_SIZE], const struct column *column, const void *at)
{
    if (is_real(column->kind))
        return (size_t)number_double(dst, real(column->kind, at));
    return (size_t)number_int(dst, record_whole(column->kind, at));
}

static void tsv_value(struct line *line, const struct column *column, const void *at)
{
    char digits[NUMBER_SIZE];
    struct text_span span;

    if (column->kind == COLUMN_TEXT || column->kind == COLUMN_SPAN) {
        span = record_text(column->kind, at);
        tsv_part(line, span.s, span.n);
    } else {
        tsv_part(line, digits, record_number(digits, column, at));
    }
}

/* Integers with commas between, an undefined one is empty; or words of the program, which have
 * neither commas nor tabs in them. */
static void tsv_list(struct line *line, const struct column *column, const struct list *list)
{
    char digits[NUMBER_SIZE];

    assert(column->kind == COLUMN_INT || column->kind == COLUMN_LONG ||
           column->kind == COLUMN_TEXT);
    tsv_part(line, "", 0);
    if (line->csv && list->n > 1)
        putc('"', line->f);
    for (int i = 0; i < list->n; i++) {
        const void *at = element(column, list, i);

        if (i > 0)
            putc(',', line->f);
        if (column->kind == COLUMN_TEXT)
            fwrite(record_text(column->kind, at).s, 1, record_text(column->kind, at).n, line->f);
        else if (!record_undefined(column->kind, at))
            fwrite(digits, 1, record_number(digits, column, at), line->f);
    }
    if (line->csv && list->n > 1)
        putc('"', line->f);
}

static void tsv_columns(struct line *line, const struct record *record, const void *row)
{
    const struct column *rows = record_lines_of(record);

    for (int i = 0; i < record->n; i++) {
        const struct column *column = &record->columns[i];

        if ((column->where & IN_TSV) == 0 || column == rows)
            continue;
        if (column->kind == COLUMN_RECORD)
            tsv_columns(line, column->of,
                        row != NULL ? *(const void *const *)field(column, row) : NULL);
        else if (row == NULL || column_undefined(column, row))
            tsv_part(line, "", 0);
        else if (column->list)
            tsv_list(line, column, field(column, row));
        else
            tsv_value(line, column, field(column, row));
    }
}

static void tsv_around(struct line *line, const struct around *x)
{
    if (x->outer != NULL)
        tsv_around(line, x->outer);
    tsv_columns(line, x->r, x->row);
}

static void tsv_lines(const struct around *x, bool csv, FILE *file)
{
    const struct column *rows = record_lines_of(x->r);
    struct line line = { file, true, csv };
    const struct list *list;

    if (rows == NULL) {
        tsv_around(&line, x);
        delimited_end(file);
        return;
    }
    list = field(rows, x->row);
    for (int i = 0; i < list->n; i++)
        tsv_lines(&(struct around){ x, rows->of, element(rows, list, i) }, csv, file);
}

static void print_header(const struct record *record, bool csv, FILE *file)
{
    struct line line = { file, true, csv };

    tsv_names(&line, record, "");
    delimited_end(file);
}

/* ---- tables ---- */

/* "-0.000" would look as if its sign said something. */
static void drop_sign(char *s, bool plus)
{
    if (s[0] != '-' || strpbrk(s, "123456789") != NULL)
        return;
    if (plus)
        s[0] = '+';
    else
        memmove(s, s + 1, strlen(s));
}

static void table_value(struct table *table, struct arena *a, const struct column *column,
                        const void *at)
{
    char cell[400];             /* the largest double has 309 digits before its point */
    struct text_span span;

    if (column->kind == COLUMN_TEXT) {
        table_cell(table, "%s", *(const char *const *)at);
    } else if (column->kind == COLUMN_SPAN) {
        span = record_text(column->kind, at);
        table_cell(table, "%s", report_clean(a, span.s, span.n));
    } else if (is_real(column->kind) && column->format != NULL) {
        snprintf(cell, sizeof cell, column->format, real(column->kind, at));
        drop_sign(cell, strchr(column->format, '+') != NULL);
        table_cell(table, "%s", cell);
    } else {
        record_number(cell, column, at);
        table_cell(table, "%s", cell);
    }
}

/* A single record's columns stand among those around it. */
static void table_columns(struct table *table, struct arena *a, const struct record *record,
                          const void *row)
{
    for (int i = 0; i < record->n; i++) {
        const struct column *column = &record->columns[i];

        if ((column->where & IN_TABLE) == 0)
            continue;
        if (column->show != NULL)
            table_cell(table, "%s", column->show(a, row));
        else if (column->kind == COLUMN_RECORD)
            table_columns(table, a, column->of,
                          row != NULL ? *(const void *const *)field(column, row) : NULL);
        else if (row == NULL || column_undefined(column, row))
            table_cell(table, "-");
        else
            table_value(table, a, column, field(column, row));
    }
}

static enum align align_of(const struct column *column)
{
    return column->kind == COLUMN_TEXT || column->kind == COLUMN_SPAN ? ALIGN_LEFT : ALIGN_RIGHT;
}

static const char *title_of(const struct column *column)
{
    return column->heading != NULL ? column->heading : column->name;
}

/* Fills out, unless it is NULL; returns how many there are. */
static int headings(struct table_column *out, const struct record *record)
{
    int count = 0;

    for (int i = 0; i < record->n; i++) {
        const struct column *column = &record->columns[i];

        if ((column->where & IN_TABLE) == 0)
            continue;
        if (column->kind == COLUMN_RECORD)
            count += headings(out != NULL ? out + count : NULL, column->of);
        else if (out != NULL)
            out[count++] = (struct table_column){
                title_of(column), align_of(column),
            };
        else
            count++;
    }
    return count;
}

void record_legend(const struct record *record, const struct table_look *look, struct arena *a,
                   FILE *file)
{
    for (int i = 0; i < record->n; i++) {
        const struct column *column = &record->columns[i];
        const char *unit = column->unit != NULL && column->unit[0] != '\0' ?
                               arena_printf(a, " (%s)", column->unit) : "";

        if ((column->where & IN_TABLE) == 0 || title_of(column)[0] == '\0')
            continue;
        if (column->kind == COLUMN_RECORD)
            record_legend(column->of, look, a, file);
        else
            table_paragraph(a, arena_printf(a, "%s: %s%s", title_of(column), column->help, unit),
                            look, file);
    }
}

static const struct table *record_table_of(const struct record *record, const void *rows, int n,
                                           struct arena *a)
{
    int n_columns = headings(NULL, record);
    struct table_column *columns = arena_alloc(a, (size_t)n_columns, sizeof *columns);
    struct table *table;

    headings(columns, record);
    table = table_new(a, columns, n_columns);
    for (int i = 0; i < n; i++)
        table_columns(table, a, record, (const char *)rows + (size_t)i * record->size);
    return table;
}

void record_table(const struct record *record, const void *rows, int n, struct arena *a, FILE *file)
{
    table_print(record_table_of(record, rows, n, a), file);
}

void record_table_fitted(const struct record *record, const void *rows, int n,
                         const struct table_look *look, struct arena *a, FILE *file)
{
    table_print_fitted(record_table_of(record, rows, n, a), look, file);
}

/* ---- a command's report ---- */

void report_begin(struct report *report)
{
    bool csv = report->format == REPORT_CSV;

    if ((report->format == REPORT_TSV || csv) && !report->begun) {
        if (report->run != NULL && !csv) {
            fputs("# ", report->file);
            record_json(&provenance_record, report->run, report->file);
        }
        print_header(report->record, csv, report->file);
    }
    report->begun = true;
}

void report_row(struct report *report, const void *row)
{
    assert(report->format != REPORT_TABLE);
    report_begin(report);
    if (report->format != REPORT_JSON)
        tsv_lines(&(struct around){ NULL, report->record, row }, report->format == REPORT_CSV,
                  report->file);
    else
        write_json(report->record, row, report->run, report->file);
    report->run = NULL;
}

void report_row_or_table(struct report *report, const void *row, const char *lead,
                         const struct record *record, struct list rows, struct arena *a)
{
    if (report->format != REPORT_TABLE) {
        report_row(report, row);
        return;
    }
    fprintf(report->file, "%s\n", report_clean(a, lead, strlen(lead)));
    record_table(record, rows.at, rows.n, a, report->file);
}

void report_end(struct report *report)
{
    report_begin(report);
}
