/* SPDX-License-Identifier: MIT
 * Values of heads with tabs or commas between, as other programs and mha-viz stats --tsv and --csv
 * write them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "task/model/model.h"

/* In messages: bytes of a field, names of columns. */
enum { MOST_SHOWN = 40, MOST_NAMED = 12 };

/* Bytes between tabs or commas, or a line; not ended by a NUL. */
struct field { const char *s; size_t n; };

/* Where the columns that are read stand; -1: not wanted. */
enum { LAYER, HEAD, SHOWN, SORTED, N_READ };

struct table {
    struct arena *a;
    const char *at, *end;       /* what is left */
    int line;                   /* that was taken last, from 1 */
    int header;                 /* the line that names the columns */
    char separator;             /* of fields: a tab, or a comma where that line has no tab */
    int n_columns;
    int place[N_READ];
    int *seen;                  /* [MODEL_TABLE_SIDE, MODEL_TABLE_SIDE] its line; 0: none */
};

static const char no_lines[] = "no line below the names of its columns";

static const char *model_table_shown(const struct table *table, struct field f)
{
    return arena_strndup(table->a, f.s, f.n < MOST_SHOWN ? f.n : MOST_SHOWN);
}

static bool is(struct field f, const char *name)
{
    return strlen(name) == f.n && memcmp(f.s, name, f.n) == 0;
}

/* The next line without its end; false: there is none. */
static bool model_table_next_line(struct table *table, struct field *line)
{
    const char *feed;

    if (table->at == table->end)
        return false;
    feed = memchr(table->at, '\n', (size_t)(table->end - table->at));
    *line = (struct field){ table->at, (size_t)((feed != NULL ? feed : table->end) - table->at) };
    table->at = feed != NULL ? feed + 1 : table->end;
    if (line->n > 0 && line->s[line->n - 1] == '\r')
        line->n--;
    table->line++;
    return true;
}

/* The bytes of a quoted field at s, of n, with its quotes, to the comma after it or to the end. */
static size_t quoted_size(const char *s, size_t n)
{
    size_t i = 1;

    while (i < n && (s[i] != '"' || (i + 1 < n && s[i + 1] == '"')))
        i += s[i] == '"' ? 2 : 1;
    while (i < n && s[i] != ',')
        i++;
    return i;
}

/* The same without them, and each pair of quotes inside as one. */
static struct field unquoted(const struct table *table, struct field f)
{
    char *s = arena_alloc(table->a, f.n + 1, 1);
    size_t n = 0;

    for (size_t i = 1; i < f.n; i++) {
        if (f.s[i] == '"' && (i + 1 == f.n || f.s[i + 1] != '"'))
            break;
        i += f.s[i] == '"';
        s[n++] = f.s[i];
    }
    return (struct field){ s, n };
}

/* Takes the line's next field off; the last leaves line->s NULL. */
static struct field next_field(const struct table *table, struct field *line)
{
    bool quoted = table->separator == ',' && line->n > 0 && *line->s == '"';
    const char *end = line->n > 0 && !quoted ? memchr(line->s, table->separator, line->n) : NULL;
    size_t n = quoted ? quoted_size(line->s, line->n) :
               end != NULL ? (size_t)(end - line->s) : line->n;
    struct field field = { line->s, n };

    *line = n < line->n ? (struct field){ line->s + n + 1, line->n - n - 1 } :
                          (struct field){ NULL, 0 };
    return quoted ? unquoted(table, field) : field;
}

/* ---- numbers ---- */

static int read_index(const struct table *table, const char *name, struct field f, int *v,
                      struct err *e)
{
    int n = 0;

    for (size_t i = 0; i < f.n; i++) {
        if (f.s[i] < '0' || f.s[i] > '9' || n >= MODEL_TABLE_SIDE) {
            n = MODEL_TABLE_SIDE;
            break;
        }
        n = 10 * n + (f.s[i] - '0');
    }
    *v = n;
    if (f.n > 0 && n < MODEL_TABLE_SIDE)
        return 0;
    return err_set(e, ERR_INPUT, "%s: found '%s', expected a whole number from 0 to %d", name,
                   model_table_shown(table, f), MODEL_TABLE_SIDE - 1);
}

/* What other programs write where there is no number. */
static bool is_undefined(struct field f)
{
    return f.n == 0 || is(f, "null") || is(f, "nan") || is(f, "NaN") || is(f, "NA");
}

/* NaN: undefined. */
static bool parse_number(struct field f, double *v)
{
    char text[MOST_SHOWN + 1], *end = text;

    *v = NAN;
    if (is_undefined(f))
        return true;
    if (f.n <= MOST_SHOWN) {
        memcpy(text, f.s, f.n);
        text[f.n] = '\0';
        if (strspn(text, "+-.0123456789eE") == f.n)     /* no hexadecimal digits, no spaces */
            *v = strtod(text, &end);
    }
    return end == text + f.n && fabs(*v) < 1e30;
}

static int model_table_read_number(const struct table *table, const char *name, struct field f,
                                   double *v, struct err *e)
{
    if (parse_number(f, v))
        return 0;
    return err_set(e, ERR_INPUT, "%s: found '%s', expected a number", name,
                   model_table_shown(table, f));
}

/* ---- the names of the columns ---- */

/* "layer, head, entropy, ...": all, or only those that numeric says. */
static const char *name_columns(const struct table *table, struct field header, const bool *numeric)
{
    char *names = arena_strdup(table->a, "");
    int n = 0;

    for (int i = 0; header.s != NULL && n <= MOST_NAMED; i++) {
        struct field name = next_field(table, &header);

        if (numeric != NULL && !numeric[i])
            continue;
        names = arena_printf(table->a, "%s%s%s", names, n > 0 ? ", " : "",
                             n < MOST_NAMED ? model_table_shown(table, name) : "...");
        n++;
    }
    return names;
}

static int no_column(const struct table *table, const char *name, struct field header,
                     struct err *e)
{
    return err_set(e, ERR_INPUT, "line %d: no column '%s' among %s", table->header, name,
                   name_columns(table, header, NULL));
}

static int find_column(struct table *table, const char *name, struct field header, int *place,
                       struct err *e)
{
    struct field rest = header;

    *place = -1;
    for (int i = 0; name != NULL && rest.s != NULL; i++) {
        if (!is(next_field(table, &rest), name))
            continue;
        if (*place >= 0)
            return err_set(e, ERR_INPUT, "line %d: column '%s' is there twice", table->header,
                           name);
        *place = i;
    }
    return name == NULL || *place >= 0 ? 0 : no_column(table, name, header, e);
}

/* Which columns have numbers, one at least, and nothing else; layer and head are none. */
static const bool *find_numeric(const struct table *table, struct field header)
{
    bool *numeric = arena_alloc(table->a, (size_t)table->n_columns, sizeof *numeric);
    bool *other = arena_alloc(table->a, (size_t)table->n_columns, sizeof *other);
    struct table ahead = *table;
    struct field line;

    for (int i = 0; header.s != NULL; i++) {
        struct field name = next_field(table, &header);

        other[i] = is(name, "layer") || is(name, "head");
    }
    while (model_table_next_line(&ahead, &line))
        for (int i = 0; line.n > 0 && line.s != NULL && i < table->n_columns; i++) {
            double v = NAN;

            if (!parse_number(next_field(table, &line), &v))
                other[i] = true;
            numeric[i] |= !isnan(v);
        }
    for (int i = 0; i < table->n_columns; i++)
        numeric[i] &= !other[i];
    return numeric;
}

static bool has_lines(const struct table *table)
{
    struct table ahead = *table;
    struct field line;

    while (model_table_next_line(&ahead, &line))
        if (line.n > 0)
            return true;
    return false;
}

/* The one column of numbers. */
static int choose_column(struct table *table, struct field header, const char **metric,
                         struct err *e)
{
    const bool *numeric = find_numeric(table, header);
    struct field rest = header;
    int n = 0;

    for (int i = 0; rest.s != NULL; i++) {
        struct field name = next_field(table, &rest);

        if (numeric[i] && n++ == 0)
            *metric = arena_strndup(table->a, name.s, name.n);
    }
    if (n == 1)
        return 0;
    if (!has_lines(table))
        return err_set(e, ERR_INPUT, "%s", no_lines);
    if (n == 0)
        return err_set(e, ERR_INPUT, "no column of numbers beside layer and head; found %s",
                       name_columns(table, header, NULL));
    return err_set(e, ERR_USAGE, "expected --metric with one of the columns of numbers: %s",
                   name_columns(table, header, numeric));
}

static int model_table_read_header(struct table *table, const char **metric, const char *sort,
                                   struct err *e)
{
    const char *name[N_READ] = { "layer", "head", NULL, sort };
    struct field header, rest;

    table->header = table->line + 1;
    if (!model_table_next_line(table, &header) || header.n == 0)
        return err_set(e, ERR_INPUT, "line %d: empty, expected names of columns with tabs "
                       "between, layer and head among them", table->header);
    table->separator = memchr(header.s, '\t', header.n) != NULL ? '\t' : ',';
    for (rest = header; rest.s != NULL; table->n_columns++)
        next_field(table, &rest);
    for (int i = LAYER; i <= HEAD; i++)
        if (find_column(table, name[i], header, &table->place[i], e) != 0)
            return -1;
    if (*metric == NULL && choose_column(table, header, metric, e) != 0)
        return -1;
    name[SHOWN] = *metric;
    for (int i = SHOWN; i < N_READ; i++)
        if (find_column(table, name[i], header, &table->place[i], e) != 0)
            return -1;
    return 0;
}

/* ---- lines ---- */

static int read_fields(struct table *table, struct field line, struct field *field, struct err *e)
{
    int n = 0;

    for (; line.s != NULL; n++) {
        struct field next = next_field(table, &line);

        for (int i = 0; i < N_READ; i++)
            if (table->place[i] == n)
                field[i] = next;
    }
    if (n == table->n_columns)
        return 0;
    return err_set(e, ERR_INPUT, "%d field%s, expected %d as in line %d", n, n == 1 ? "" : "s",
                   table->n_columns, table->header);
}

static int model_table_read_head(struct table *table, struct field line, const char *metric,
                                 const char *sort, struct model_view_head *head, struct err *e)
{
    struct field field[N_READ] = { { NULL, 0 } };
    int *seen;

    *head = (struct model_view_head){ .shown = NAN, .sorted = NAN, .x = NAN, .y = NAN };
    if (read_fields(table, line, field, e) != 0 ||
        read_index(table, "layer", field[LAYER], &head->layer, e) != 0 ||
        read_index(table, "head", field[HEAD], &head->head, e) != 0 ||
        model_table_read_number(table, metric, field[SHOWN], &head->shown, e) != 0 ||
        (sort != NULL &&
         model_table_read_number(table, sort, field[SORTED], &head->sorted, e) != 0))
        return -1;
    seen = &table->seen[head->layer * MODEL_TABLE_SIDE + head->head];
    if (*seen > 0)
        return err_set(e, ERR_INPUT, "L%dH%d stands in line %d already: expected one line for "
                       "each head, such as mha-viz stats --summary --tsv writes", head->layer,
                       head->head, *seen);
    *seen = table->line;
    return 0;
}

static int model_table_by_place(const void *x, const void *y)
{
    const struct model_view_head *a = x, *b = y;

    return a->layer != b->layer ? a->layer - b->layer : a->head - b->head;
}

static int model_table_read_lines(struct table *table, const char *metric, const char *sort,
                                  struct model_view_heads *heads, struct err *e)
{
    struct field line;
    size_t most = 1;

    for (const char *s = table->at; s < table->end; s++)
        most += *s == '\n';
    heads->head = arena_alloc(table->a, most, sizeof *heads->head);
    while (model_table_next_line(table, &line)) {
        if (line.n == 0)
            continue;
        if (model_table_read_head(table, line, metric, sort, &heads->head[heads->n], e) != 0)
            return err_under(e, "line %d", table->line);
        heads->n++;
    }
    if (heads->n == 0)
        return err_set(e, ERR_INPUT, "%s", no_lines);
    qsort(heads->head, (size_t)heads->n, sizeof *heads->head, model_table_by_place);
    return 0;
}

/* What --provenance writes above the names. */
static void skip_provenance(struct table *table)
{
    static const char begin[] = "# {";
    struct field comment;

    if ((size_t)(table->end - table->at) >= strlen(begin) &&
        memcmp(table->at, begin, strlen(begin)) == 0)
        model_table_next_line(table, &comment);
}

int model_table_read(struct arena *a, struct span bytes, const char **metric, const char *sort,
                     struct model_view_heads *heads, struct err *e)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct table t = { .a = a, .at = (const char *)bytes.data };

    *heads = (struct model_view_heads){ 0, NULL };
    t.end = t.at + bytes.size;
    if (bytes.size >= strlen(mark) && memcmp(t.at, mark, strlen(mark)) == 0)
        t.at += strlen(mark);
    t.seen = arena_alloc(a, MODEL_TABLE_SIDE, MODEL_TABLE_SIDE * sizeof *t.seen);
    skip_provenance(&t);
    if (model_table_read_header(&t, metric, sort, e) != 0)
        return -1;
    return model_table_read_lines(&t, *metric, sort, heads, e);
}
