/* SPDX-License-Identifier: MIT
 * One row, three formats: the same names, numbers and nulls in all of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/record.h"

struct link {
    int query, key;
    float weight;
};

struct head {
    int layer;
    double mean, change;
    struct list links;
    struct link first;
    int64_t bytes;
};

struct size {
    int rows, columns;
};

struct text {
    int index;
    struct text_span text;
    const char *pair, *stack;
    const struct size *size;
    struct list shape, ids, heads;
    bool causal;
};

static const char *const stacks[] = { "encoder", "decoder", NULL };

static const char *show_name(struct arena *a, const void *row)
{
    return arena_printf(a, "L%d", ((const struct head *)row)->layer);
}

#define F(f) offsetof(struct link, f)
static const struct column link_columns[] = {
    { "query", "position", NULL, .kind = COLUMN_INT, .where = IN_ALL, .field = F(query) },
    { "key", "position", NULL, .kind = COLUMN_INT, .where = IN_ALL, .null = NULL_SHOWN,
      .field = F(key) },
    { "weight", "share", NULL, .kind = COLUMN_FLOAT, .where = IN_ALL, .most = 1,
      .field = F(weight) },
};
#undef F
static const struct record link_record = {
    .help = "a link", .size = sizeof(struct link), .tuple = true,
    RECORD_COLUMNS(link_columns),
};

#define F(f) offsetof(struct head, f)
static const struct column head_columns[] = {
    { "name", "layer", .kind = COLUMN_TEXT, .where = IN_TABLE, .show = show_name },
    { "layer", "number", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON, .field = F(layer) },
    { "mean", "mean of rows", "nats", "avg", "%.3f", COLUMN_REAL, .where = IN_ALL,
      .null = NULL_SHOWN, .field = F(mean) },
    { "change", "change", "nats", NULL, "%+.2f", COLUMN_REAL, .where = IN_ALL,
      .null = NULL_SHOWN, .field = F(change) },
    { "links", "links", .kind = COLUMN_RECORD, .list = true, .where = IN_JSON,
      .of = &link_record, .field = F(links) },
    { "first_key", "key", .kind = COLUMN_INT, .where = IN_TSV, .null = NULL_SHOWN,
      .field = F(first.key) },
    { "bytes", "memory", "bytes", .kind = COLUMN_LONG, .where = IN_ALL,
      .null = NULL_SHOWN, .field = F(bytes) },
};
#undef F
static const struct record head_record = {
    .help = "a head", .size = sizeof(struct head), RECORD_COLUMNS(head_columns),
};

#define F(f) offsetof(struct size, f)
static const struct column size_columns[] = {
    { "rows", "rows", .kind = COLUMN_INT, .where = IN_ALL, .field = F(rows) },
    { "columns", "columns", .kind = COLUMN_INT, .where = IN_ALL, .field = F(columns) },
};
#undef F
static const struct record size_record = {
    .help = "a size", .size = sizeof(struct size), RECORD_COLUMNS(size_columns),
};

#define F(f) offsetof(struct text, f)
static const struct column text_columns[] = {
    { "index", "number from 0", .kind = COLUMN_INT, .where = IN_TSV | IN_JSON,
      .field = F(index) },
    { "text", "as given", .kind = COLUMN_SPAN, .where = IN_JSON, .field = F(text) },
    { "pair", "second text", .kind = COLUMN_TEXT, .where = IN_JSON, .null = NULL_ABSENT,
      .field = F(pair) },
    { "stack", "stack", .kind = COLUMN_TEXT, .where = IN_ALL, .choices = stacks,
      .field = F(stack) },
    { "size", "sizes", .kind = COLUMN_RECORD, .where = IN_TSV | IN_JSON,
      .null = NULL_ABSENT, .of = &size_record, .field = F(size) },
    { "shape", "shape", .kind = COLUMN_LONG, .list = true, .null_items = true,
      .where = IN_TSV | IN_JSON, .null = NULL_ABSENT, .field = F(shape) },
    { "ids", "ids", .kind = COLUMN_INT, .list = true, .where = IN_JSON,
      .null = NULL_SHOWN, .field = F(ids) },
    { "heads", "one object per head", .kind = COLUMN_RECORD, .list = true,
      .where = IN_TSV | IN_JSON, .of = &head_record, .field = F(heads) },
    { "causal", "looks back", .kind = COLUMN_BOOL, .where = IN_JSON, .field = F(causal) },
};
#undef F
static const struct record text_record = {
    .schema = "test/1", .help = "a text", .size = sizeof(struct text),
    RECORD_COLUMNS(text_columns),
};

static const struct link links[] = { { 0, 1, 0.1f }, { 1, -1, 0 } };
static const struct head heads[] = {
    { 0, 0.25, -0.001, { links, 2 }, { 0, 3, 0.5f }, 1048576 },
    { 1, (double)NAN, 0.5, { NULL, 0 }, { 0, -1, 0 }, -1 },
};
static const int ids[] = { 7, 8 };
static const int64_t shape[] = { 3, -1, 224 };
static const struct size size = { 2, 4 };

static const struct text plain = {
    .index = 0, .text = { "a\tb", 3 }, .stack = "encoder", .shape = { NULL, -1 },
    .ids = { NULL, -1 }, .heads = { heads, 2 },
};
static const struct text full = {
    .index = 1, .text = { "", 0 }, .pair = "p", .stack = "decoder", .size = &size,
    .shape = { shape, 3 }, .ids = { ids, 2 }, .heads = { heads, 1 }, .causal = true,
};

/* What fn writes; freed by the caller. */
static char *written(void (*fn)(FILE *f))
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    fn(f);
    fclose(f);
    return text;
}

static void check(void (*fn)(FILE *f), const char *want)
{
    char *text = written(fn);

    assert_string_equal(text, want);
    free(text);
}

static void write_json(FILE *f)
{
    record_json(&text_record, &plain, f);
    record_json(&text_record, &full, f);
}

static void test_json(void **state)
{
    (void)state;
    check(write_json,
          "{\"schema\":\"test/1\",\"index\":0,\"text\":\"a\\tb\",\"stack\":\"encoder\","
          "\"ids\":null,\"heads\":["
          "{\"layer\":0,\"mean\":0.25,\"change\":-0.001,\"links\":[[0,1,0.1],[1,null,0]],"
          "\"bytes\":1048576},"
          "{\"layer\":1,\"mean\":null,\"change\":0.5,\"links\":[],\"bytes\":null}],"
          "\"causal\":false}\n"
          "{\"schema\":\"test/1\",\"index\":1,\"text\":\"\",\"pair\":\"p\","
          "\"stack\":\"decoder\",\"size\":{\"rows\":2,\"columns\":4},"
          "\"shape\":[3,null,224],\"ids\":[7,8],\"heads\":["
          "{\"layer\":0,\"mean\":0.25,\"change\":-0.001,\"links\":[[0,1,0.1],[1,null,0]],"
          "\"bytes\":1048576}],\"causal\":true}\n");
}

static void write_report(FILE *f)
{
    struct report r = { &text_record, REPORT_TSV, f, false };

    report_row(&r, &plain);
    report_row(&r, &full);
    report_end(&r);
}

static void write_nothing(FILE *f)
{
    struct report r = { &text_record, REPORT_TSV, f, false };

    report_end(&r);
}

#define HEADER "index\tstack\tsize_rows\tsize_columns\tshape\tlayer\tmean\tchange\tfirst_key" \
               "\tbytes\n"

static void test_tsv(void **state)
{
    (void)state;
    check(write_report, HEADER
          "0\tencoder\t\t\t\t0\t0.25\t-0.001\t3\t1048576\n"
          "0\tencoder\t\t\t\t1\t\t0.5\t\t\n"
          "1\tdecoder\t2\t4\t3,,224\t0\t0.25\t-0.001\t3\t1048576\n");
}

static void test_an_empty_report_has_a_header(void **state)
{
    (void)state;
    check(write_nothing, HEADER);
}

static void write_table(FILE *f)
{
    struct arena a;

    arena_init(&a, NULL, NULL);
    record_table(&head_record, heads, 2, &a, f);
    arena_finish(&a);
}

/* Headings and formats are the columns'; a zero has no minus. */
static void test_table(void **state)
{
    (void)state;
    check(write_table, "name    avg  change    bytes\n"
                       "L0    0.250   +0.00  1048576\n"
                       "L1        -   +0.50        -\n");
}

static void write_without(FILE *f)
{
    static const char *const names[] = { "mean", "bytes", NULL };
    struct arena a;

    arena_init(&a, NULL, NULL);
    record_table(record_without(&a, &head_record, IN_TABLE, names), heads, 1, &a, f);
    arena_finish(&a);
}

/* The field of a link that is required, under the name of one that a command may leave out. */
static void write_required(FILE *f)
{
    static const char *const names[] = { "weight", NULL };
    static const struct link link = { 1, 2, 0.5f };
    struct arena a;

    arena_init(&a, NULL, NULL);
    record_json(record_without(&a, &link_record, IN_TSV | IN_JSON, names), &link, f);
    arena_finish(&a);
}

static void test_columns_left_out(void **state)
{
    (void)state;
    check(write_without, "name  change\nL0     +0.00\n");
    check(write_required, "[1,2,0.5]\n");
}

static void write_schema(FILE *f)
{
    record_schema(&text_record, f);
}

static json_t *at(json_t *o, const char *a, const char *b, const char *c)
{
    o = json_object_get(o, a);
    o = b != NULL ? json_object_get(o, b) : o;
    o = c != NULL ? json_object_get(o, c) : o;
    assert_non_null(o);
    return o;
}

static void check_dump(const json_t *o, const char *want)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_ENCODE_ANY);

    assert_string_equal(text, want);
    free(text);
}

static void test_schema(void **state)
{
    char *text = written(write_schema);
    json_t *o = json_loads(text, 0, NULL), *head;

    (void)state;
    assert_non_null(o);
    check_dump(at(o, "required", NULL, NULL),
               "[\"schema\",\"index\",\"text\",\"stack\",\"ids\",\"heads\",\"causal\"]");
    check_dump(at(o, "properties", "schema", NULL), "{\"const\":\"test/1\"}");
    check_dump(at(o, "properties", "stack", "enum"), "[\"encoder\",\"decoder\"]");
    check_dump(at(o, "properties", "ids", "type"), "[\"array\",\"null\"]");
    check_dump(at(o, "properties", "shape", "items"),
               "{\"type\":[\"integer\",\"null\"],\"minimum\":0}");
    head = at(o, "properties", "heads", "items");
    check_dump(at(head, "properties", "mean", NULL),
               "{\"description\":\"mean of rows; unit: nats\",\"type\":[\"number\",\"null\"]}");
    check_dump(at(at(head, "properties", "links", "items"), "prefixItems", NULL, NULL),
               "[{\"description\":\"position\",\"type\":\"integer\",\"minimum\":0},"
               "{\"description\":\"position\",\"type\":[\"integer\",\"null\"],\"minimum\":0},"
               "{\"description\":\"share\",\"type\":\"number\",\"minimum\":0,"
               "\"maximum\":1}]");
    assert_null(json_object_get(at(head, "properties", NULL, NULL), "first_key"));
    json_decref(o);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_tsv),
        cmocka_unit_test(test_an_empty_report_has_a_header),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_columns_left_out),
        cmocka_unit_test(test_schema),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
