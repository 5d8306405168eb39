/* SPDX-License-Identifier: MIT
 * What commands print, by their columns: assets/schema/ holds a JSON Schema of each record,
 * and the manual pages a table of its columns.  Both are written anew, where columns have
 * changed, by
 *
 *     MHA_VIZ_WRITE=1 build/tests/unit/cmd_records */
#include "check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "report/record.h"

static const char TABLE_BEGIN[] = ".\\\" columns\n", TABLE_END[] = ".\\\" end of columns\n";

/* "mha-viz/stats/1" -> "assets/schema/mha-viz-stats-1.json" */
static void schema_path(char dst[128], const struct record *r)
{
    int n = snprintf(dst, 128, "assets/schema/%s.json", r->schema);

    assert_in_range(n, 1, 127);
    for (char *s = dst + strlen("assets/schema/"); *s != '\0'; s++)
        if (*s == '/')
            *s = '-';
}

/* What fn writes; freed by the caller. */
static char *written(void (*fn)(const struct record *r, FILE *f), const struct record *r)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    fn(r, f);
    fclose(f);
    return text;
}

/* A whole file, freed by the caller; "" where there is none. */
static char *contents(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(text);
    if (f == NULL)
        return text;
    assert_in_range(fread(text, 1, 1 << 20, f), 0, (1 << 20) - 1);
    fclose(f);
    return text;
}

static bool is_writing(void)
{
    return getenv("MHA_VIZ_WRITE") != NULL;
}

/* The file holds the text; or it is given it. */
static void keep(const char *path, const char *text)
{
    char *found;

    if (is_writing()) {
        FILE *f = fopen(path, "w");

        assert_non_null(f);
        fputs(text, f);
        fclose(f);
        return;
    }
    found = contents(path);
    if (strcmp(found, text) != 0)
        fail_msg("%s is not what the columns say: see the top of %s", path, __FILE__);
    free(found);
}

static void each_record(void (*fn)(const struct cmd *c, const struct record *r))
{
    for (int i = 0; cmd_table[i] != NULL; i++)
        for (int k = 0; cmd_table[i]->records != NULL && cmd_table[i]->records[k] != NULL; k++)
            fn(cmd_table[i], cmd_table[i]->records[k]);
}

/* ---- schemas ---- */

static int n_schemas;

static void check_schema(const struct cmd *c, const struct record *r)
{
    char path[128];
    char *text = written(record_schema, r);

    (void)c;
    schema_path(path, r);
    keep(path, text);
    free(text);
    n_schemas++;
}

static void test_schemas(void **state)
{
    DIR *dir;
    int n = 0;

    (void)state;
    each_record(check_schema);
    dir = opendir("assets/schema");
    for (const struct dirent *d; (d = readdir(dir)) != NULL;)
        n += d->d_name[0] != '.';
    closedir(dir);
    assert_int_equal(n, n_schemas);     /* none is left of an older number */
}

/* ---- names ---- */

/* Names of one list of columns differ, and hold no unit. */
static void check_names(const struct record *r)
{
    static const char *const units[] = { "nats", "seconds", "tokens_count", NULL };

    for (int i = 0; i < r->n; i++) {
        const struct column *c = &r->columns[i];

        assert_true(c->help != NULL && c->help[0] != '\0');
        assert_null(strchr(c->help, '"'));
        for (int k = 0; k < i; k++)
            assert_true(c->where == IN_TABLE || (c->where & r->columns[k].where) == 0 ||
                        strcmp(c->name, r->columns[k].name) != 0);
        for (int k = 0; units[k] != NULL; k++)
            assert_null(strstr(c->name, units[k]));
        if (c->of != NULL)
            check_names(c->of);
    }
}

static void check_record(const struct cmd *c, const struct record *r)
{
    (void)c;
    check_names(r);
}

static void test_names(void **state)
{
    (void)state;
    each_record(check_record);
}

/* ---- tables of the manual ---- */

static void put_column(FILE *f, const struct column *c, const char *path)
{
    static const char *const where[] = {
        [IN_TABLE] = "table", [IN_TSV] = "TSV", [IN_JSON] = "JSON",
        [IN_TABLE | IN_TSV] = "table, TSV", [IN_TSV | IN_JSON] = "TSV, JSON",
        [IN_TABLE | IN_JSON] = "table, JSON", [IN_ALL] = "table, TSV, JSON",
    };

    fprintf(f, ".It Va %s Ta %s Ta %s\n", path, where[c->where],
            c->unit != NULL && c->unit[0] != '\0' ? c->unit : "\\(en");
}

/* Six members or more, of the same names. */
static bool are_alike(const struct column *a, const struct column *b)
{
    bool alike = a->kind == COLUMN_RECORD && b->kind == COLUMN_RECORD && !a->list && !b->list &&
                 a->of->n >= 6 && a->of->n == b->of->n;

    for (int i = 0; alike && i < a->of->n; i++)
        alike = strcmp(a->of->columns[i].name, b->of->columns[i].name) == 0;
    return alike;
}

static void put_columns(FILE *f, const struct record *r, const char *prefix)
{
    for (int i = 0; i < r->n; i++) {
        const struct column *c = &r->columns[i], *like;
        char path[128];
        bool many = c->list && c->kind == COLUMN_RECORD;

        if ((c->where & (IN_TSV | IN_JSON)) == 0)
            continue;
        snprintf(path, sizeof path, "%s%s", prefix, c->name);
        if (c->kind != COLUMN_RECORD || c->of->tuple) {
            put_column(f, c, path);
            continue;
        }
        for (like = r->columns; like < c && !are_alike(like, c);)
            like++;
        if (like < c) {
            fprintf(f, ".It Va %s Ta like %s Ta \\(en\n", path, like->name);
            continue;
        }
        strcat(path, many ? "[]." : ".");
        put_columns(f, c->of, (c->where & IN_JSON) != 0 ? path : prefix);
    }
}

/* The longest name of the rows, ".It Va NAME Ta ...", and its length. */
static const char *longest_name(const char *rows, int *n)
{
    static const char row[] = ".It Va ";
    const char *longest = rows;

    *n = 0;
    for (const char *at = strstr(rows, row); at != NULL; at = strstr(at, row)) {
        int length;

        at += strlen(row);
        length = (int)strcspn(at, " ");
        if (length > *n) {
            *n = length;
            longest = at;
        }
    }
    return longest;
}

/* The last column has no width: what does not fit goes on below it, in all formatters. */
static void put_table(const struct record *r, FILE *f)
{
    char *rows;
    const char *name;
    size_t size;
    int n;
    FILE *to = open_memstream(&rows, &size);

    fprintf(to, ".It Va schema Ta JSON Ta \\(en\n");
    put_columns(to, r, "");
    fclose(to);
    name = longest_name(rows, &n);
    fprintf(f, "%s.Bl -column \"%.*s\" \"table, TSV, JSON\"\n.It Sy name Ta Sy in Ta Sy unit\n",
            TABLE_BEGIN, n, name);
    fprintf(f, "%s.El\n%s", rows, TABLE_END);
    free(rows);
}

/* One block after the other, in the order of the command's records. */
static void check_page(const struct cmd *c)
{
    char path[64], *text, *at, *new;
    size_t n;
    FILE *f = open_memstream(&new, &n);

    snprintf(path, sizeof path, "man/mha-viz-%s.1", c->name);
    text = at = contents(path);
    for (int k = 0; c->records[k] != NULL; k++) {
        char *begin = strstr(at, TABLE_BEGIN), *end = strstr(at, TABLE_END);

        if (begin == NULL || end == NULL)
            fail_msg("%s has no table of the columns", path);
        fwrite(at, 1, (size_t)(begin - at), f);
        put_table(c->records[k], f);
        at = end + strlen(TABLE_END);
    }
    fputs(at, f);
    fclose(f);
    keep(path, new);
    free(text);
    free(new);
}

static void test_pages(void **state)
{
    (void)state;
    for (int i = 0; cmd_table[i] != NULL; i++)
        if (cmd_table[i]->records != NULL)
            check_page(cmd_table[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schemas),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
