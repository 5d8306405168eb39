/* SPDX-License-Identifier: MIT
 * Rows of a record -> JSON, TSV or a table. */
#include "report/provenance.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

/* Of the formats in `where`, those that the column may be left out of. */
static unsigned removable(const struct column *c, unsigned where)
{
    return c->optional ? where : where & IN_TABLE;
}

struct record *record_without(struct arena *a, const struct record *r, unsigned where,
                              const char *const *names)
{
    struct record *copy = arena_alloc(a, 1, sizeof *copy);
    struct column *columns = arena_alloc(a, (size_t)r->n, sizeof *columns);

    *copy = *r;
    copy->columns = columns;
    memcpy(columns, r->columns, (size_t)r->n * sizeof *columns);
    for (int k = 0; k < r->n; k++) {
        for (int i = 0; columns[k].where != 0 && names[i] != NULL; i++)
            if (strcmp(columns[k].name, names[i]) == 0)
                columns[k].where &= ~removable(&columns[k], where);
        if (columns[k].of != NULL && columns[k].where != 0)
            columns[k].of = record_without(a, columns[k].of, where, names);
    }
    return copy;
}

/* Its heading, where that is its name, goes with it. */
static void rename_column(struct column *c, const char *to)
{
    if (c->heading != NULL && strcmp(c->heading, c->name) == 0)
        c->heading = to;
    c->name = to;
}

struct record *record_renamed(struct arena *a, const struct record *r, const char *const *from,
                              const char *const *to, int n)
{
    struct record *copy = arena_alloc(a, 1, sizeof *copy);
    struct column *columns = arena_alloc(a, (size_t)r->n, sizeof *columns);

    *copy = *r;
    copy->columns = columns;
    memcpy(columns, r->columns, (size_t)r->n * sizeof *columns);
    for (int k = 0; k < r->n; k++) {
        if (columns[k].of != NULL && columns[k].where != 0)
            columns[k].of = record_renamed(a, columns[k].of, from, to, n);
        for (int i = 0; columns[k].where != 0 && i < n; i++)
            if (strcmp(r->columns[k].name, from[i]) == 0)
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

static const void *field(const struct column *c, const void *row)
{
    return (const char *)row + c->field;
}

static bool column_undefined(const struct column *c, const void *row)
{
    const void *at = field(c, row);

    if (c->null == NULL_NEVER)
        return !c->list && is_real(c->kind) && record_undefined(c->kind, at);
    return c->list ? ((const struct list *)at)->n < 0 : record_undefined(c->kind, at);
}

static size_t element_size(const struct column *c)
{
    static const size_t size[] = {
        [COLUMN_INT] = sizeof(int), [COLUMN_LONG] = sizeof(int64_t), [COLUMN_BYTE] = 1,
        [COLUMN_BOOL] = sizeof(bool), [COLUMN_REAL] = sizeof(double),
        [COLUMN_FLOAT] = sizeof(float), [COLUMN_TEXT] = sizeof(char *),
        [COLUMN_SPAN] = sizeof(struct text_span),
    };

    return c->kind == COLUMN_RECORD ? c->of->size : size[c->kind];
}

static const void *element(const struct column *c, const struct list *list, int i)
{
    return (const char *)list->at + (size_t)i * element_size(c);
}

/* ---- JSON ---- */

static void json_row(struct jsonw *j, const struct record *r, const void *row,
                     const struct provenance *run);

/* The value at `at`, which is defined; a record's row itself. */
static void json_value(struct jsonw *j, const struct column *c, const void *at)
{
    struct text_span span;

    switch (c->kind) {
    case COLUMN_REAL:
        jsonw_double(j, *(const double *)at);
        break;
    case COLUMN_FLOAT:
        jsonw_float(j, *(const float *)at);
        break;
    case COLUMN_BOOL:
        jsonw_bool(j, *(const bool *)at);
        break;
    case COLUMN_TEXT:
    case COLUMN_SPAN:
        span = record_text(c->kind, at);
        jsonw_string_n(j, span.s, span.n);
        break;
    case COLUMN_RECORD:
        json_row(j, c->of, at, NULL);
        break;
    default:
        jsonw_int(j, record_whole(c->kind, at));
    }
}

static void json_list(struct jsonw *j, const struct column *c, const struct list *list)
{
    jsonw_array(j);
    for (int i = 0; i < list->n; i++) {
        const void *at = element(c, list, i);

        if (c->null_items && record_undefined(c->kind, at))
            jsonw_null(j);
        else
            json_value(j, c, at);
    }
    jsonw_end(j, ']');
}

static void json_column(struct jsonw *j, const struct column *c, const void *row)
{
    const void *at = field(c, row);

    if (column_undefined(c, row))
        jsonw_null(j);
    else if (c->list)
        json_list(j, c, at);
    else
        json_value(j, c, c->kind == COLUMN_RECORD ? *(const void *const *)at : at);
}

static bool is_member(const struct column *c, const void *row)
{
    return (c->where & IN_JSON) != 0 &&
           !(c->null == NULL_ABSENT && column_undefined(c, row));
}

/* run NULL: nothing is said of it. */
static void json_row(struct jsonw *j, const struct record *r, const void *row,
                     const struct provenance *run)
{
    if (r->tuple)
        jsonw_array(j);
    else
        jsonw_object(j);
    if (r->schema != NULL)
        jsonw_member_string(j, "schema", r->schema);
    if (run != NULL) {
        jsonw_key(j, "provenance");
        json_row(j, &provenance_record, run, NULL);
    }
    for (int i = 0; i < r->n; i++) {
        if (!is_member(&r->columns[i], row))
            continue;
        if (!r->tuple)
            jsonw_key(j, r->columns[i].name);
        json_column(j, &r->columns[i], row);
    }
    jsonw_end(j, r->tuple ? ']' : '}');
}

static void write_json(const struct record *r, const void *row, const struct provenance *run,
                       FILE *f)
{
    struct jsonw json;

    jsonw_init(&json, f);
    json_row(&json, r, row, run);
    jsonw_newline(&json);
}

void record_json(const struct record *r, const void *row, FILE *f)
{
    write_json(r, row, NULL, f);
}

size_t record_json_head(const struct record *r)
{
    return strlen("{\"schema\":\"") + strlen(r->schema) + strlen("\"");
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
static const struct column *record_lines_of(const struct record *r)
{
    for (int i = 0; i < r->n; i++) {
        const struct column *column = &r->columns[i];

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

static void tsv_names(struct line *line, const struct record *r, const char *prefix)
{
    const struct column *rows = record_lines_of(r);

    for (int i = 0; i < r->n; i++) {
        const struct column *column = &r->columns[i];
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

static size_t record_number(char dst[NUMBER_SIZE], const struct column *c, const void *at)
{
    if (is_real(c->kind))
        return (size_t)number_double(dst, real(c->kind, at));
    return (size_t)number_int(dst, record_whole(c->kind, at));
}

static void tsv_value(struct line *line, const struct column *c, const void *at)
{
    char digits[NUMBER_SIZE];
    struct text_span span;

    if (c->kind == COLUMN_TEXT || c->kind == COLUMN_SPAN) {
        span = record_text(c->kind, at);
        tsv_part(line, span.s, span.n);
    } else {
        tsv_part(line, digits, record_number(digits, c, at));
    }
}

/* Integers with commas between, an undefined one is empty; or words of the program, which have
 * neither commas nor tabs in them. */
static void tsv_list(struct line *line, const struct column *c, const struct list *list)
{
    char digits[NUMBER_SIZE];

    assert(c->kind == COLUMN_INT || c->kind == COLUMN_LONG || c->kind == COLUMN_TEXT);
    tsv_part(line, "", 0);
    if (line->csv && list->n > 1)
        putc('"', line->f);
    for (int i = 0; i < list->n; i++) {
        const void *at = element(c, list, i);

        if (i > 0)
            putc(',', line->f);
        if (c->kind == COLUMN_TEXT)
            fwrite(record_text(c->kind, at).s, 1, record_text(c->kind, at).n, line->f);
        else if (!record_undefined(c->kind, at))
            fwrite(digits, 1, record_number(digits, c, at), line->f);
    }
    if (line->csv && list->n > 1)
        putc('"', line->f);
}

static void tsv_columns(struct line *line, const struct record *r, const void *row)
{
    const struct column *rows = record_lines_of(r);

    for (int i = 0; i < r->n; i++) {
        const struct column *column = &r->columns[i];

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

static void tsv_lines(const struct around *x, bool csv, FILE *f)
{
    const struct column *rows = record_lines_of(x->r);
    struct line line = { f, true, csv };
    const struct list *list;

    if (rows == NULL) {
        tsv_around(&line, x);
        delimited_end(f);
        return;
    }
    list = field(rows, x->row);
    for (int i = 0; i < list->n; i++)
        tsv_lines(&(struct around){ x, rows->of, element(rows, list, i) }, csv, f);
}

static void print_header(const struct record *r, bool csv, FILE *f)
{
    struct line line = { f, true, csv };

    tsv_names(&line, r, "");
    delimited_end(f);
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

static void table_value(struct table *t, struct arena *a, const struct column *c,
                        const void *at)
{
    char cell[400];             /* the largest double has 309 digits before its point */
    struct text_span span;

    if (c->kind == COLUMN_TEXT) {
        table_cell(t, "%s", *(const char *const *)at);
    } else if (c->kind == COLUMN_SPAN) {
        span = record_text(c->kind, at);
        table_cell(t, "%s", report_clean(a, span.s, span.n));
    } else if (is_real(c->kind) && c->format != NULL) {
        snprintf(cell, sizeof cell, c->format, real(c->kind, at));
        drop_sign(cell, strchr(c->format, '+') != NULL);
        table_cell(t, "%s", cell);
    } else {
        record_number(cell, c, at);
        table_cell(t, "%s", cell);
    }
}

/* A single record's columns stand among those around it. */
static void table_columns(struct table *t, struct arena *a, const struct record *r,
                          const void *row)
{
    for (int i = 0; i < r->n; i++) {
        const struct column *column = &r->columns[i];

        if ((column->where & IN_TABLE) == 0)
            continue;
        if (column->show != NULL)
            table_cell(t, "%s", column->show(a, row));
        else if (column->kind == COLUMN_RECORD)
            table_columns(t, a, column->of,
                          row != NULL ? *(const void *const *)field(column, row) : NULL);
        else if (row == NULL || column_undefined(column, row))
            table_cell(t, "-");
        else
            table_value(t, a, column, field(column, row));
    }
}

static enum align align_of(const struct column *c)
{
    return c->kind == COLUMN_TEXT || c->kind == COLUMN_SPAN ? ALIGN_LEFT : ALIGN_RIGHT;
}

static const char *title_of(const struct column *c)
{
    return c->heading != NULL ? c->heading : c->name;
}

/* Fills out, unless it is NULL; returns how many there are. */
static int headings(struct table_column *out, const struct record *r)
{
    int count = 0;

    for (int i = 0; i < r->n; i++) {
        const struct column *column = &r->columns[i];

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

void record_legend(const struct record *r, const struct table_look *look, struct arena *a, FILE *f)
{
    for (int i = 0; i < r->n; i++) {
        const struct column *column = &r->columns[i];
        const char *unit = column->unit != NULL && column->unit[0] != '\0' ?
                               arena_printf(a, " (%s)", column->unit) : "";

        if ((column->where & IN_TABLE) == 0 || title_of(column)[0] == '\0')
            continue;
        if (column->kind == COLUMN_RECORD)
            record_legend(column->of, look, a, f);
        else
            table_paragraph(a, arena_printf(a, "%s: %s%s", title_of(column), column->help, unit),
                            look, f);
    }
}

static const struct table *record_table_of(const struct record *r, const void *rows, int n,
                                           struct arena *a)
{
    int n_columns = headings(NULL, r);
    struct table_column *columns = arena_alloc(a, (size_t)n_columns, sizeof *columns);
    struct table *table;

    headings(columns, r);
    table = table_new(a, columns, n_columns);
    for (int i = 0; i < n; i++)
        table_columns(table, a, r, (const char *)rows + (size_t)i * r->size);
    return table;
}

void record_table(const struct record *r, const void *rows, int n, struct arena *a, FILE *f)
{
    table_print(record_table_of(r, rows, n, a), f);
}

void record_table_fitted(const struct record *r, const void *rows, int n,
                         const struct table_look *look, struct arena *a, FILE *f)
{
    table_print_fitted(record_table_of(r, rows, n, a), look, f);
}

/* ---- a command's report ---- */

void report_begin(struct report *r)
{
    bool csv = r->format == REPORT_CSV;

    if ((r->format == REPORT_TSV || csv) && !r->begun) {
        if (r->run != NULL && !csv) {
            fputs("# ", r->file);
            record_json(&provenance_record, r->run, r->file);
        }
        print_header(r->record, csv, r->file);
    }
    r->begun = true;
}

void report_row(struct report *r, const void *row)
{
    assert(r->format != REPORT_TABLE);
    report_begin(r);
    if (r->format != REPORT_JSON)
        tsv_lines(&(struct around){ NULL, r->record, row }, r->format == REPORT_CSV, r->file);
    else
        write_json(r->record, row, r->run, r->file);
    r->run = NULL;
}

void report_row_or_table(struct report *r, const void *row, const char *lead,
                         const struct record *of, struct list rows, struct arena *a)
{
    if (r->format != REPORT_TABLE) {
        report_row(r, row);
        return;
    }
    fprintf(r->file, "%s\n", report_clean(a, lead, strlen(lead)));
    record_table(of, rows.at, rows.n, a, r->file);
}

void report_end(struct report *r)
{
    report_begin(r);
}
