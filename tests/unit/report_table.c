/* SPDX-License-Identifier: MIT
 * Columns line up on a terminal, whatever the cells hold. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static const struct table_column columns[] = {
    { "token", ALIGN_LEFT }, { "id", ALIGN_RIGHT }, { "note", ALIGN_LEFT },
};

static void check(struct arena *a, const struct table *t, const char *want)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    (void)a;
    table_print(t, f);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
}

static void test_alignment(void **state)
{
    struct arena a;
    struct table *t;

    (void)state;
    arena_init(&a, NULL, NULL);
    t = table_new(&a, columns, 3);
    check(&a, t, "token  id  note\n");
    table_cell(t, "%s", "apple");
    table_cell(t, "%d", 7);
    table_cell(t, "%s", "");
    table_cell(t, "%s", "\xe6\x88\x91");            /* wide: two columns */
    table_cell(t, "%d", 12345);
    table_cell(t, "%s", "x");
    table_cell(t, "%s", "\xf0\x9f\x98\x80");        /* an emoji: two */
    table_cell(t, "%d", 1);
    table_cell(t, "%s", "yy");
    table_cell(t, "%s", "e\xcc\x81");               /* e and a mark: one */
    table_cell(t, "%d", 2);
    table_cell(t, "%s", "z");
    check(&a, t, "token     id  note\n"
                 "apple      7  \n"
                 "\xe6\x88\x91     12345  x\n"
                 "\xf0\x9f\x98\x80         1  yy\n"
                 "e\xcc\x81          2  z\n");
    arena_finish(&a);
}

static void test_wide_sets_the_width(void **state)
{
    struct arena a;
    struct table *t;

    (void)state;
    arena_init(&a, NULL, NULL);
    t = table_new(&a, columns, 3);
    table_cell(t, "%s", "\xe6\x88\x91\xe5\x96\x9c\xe6\xac\xa2\xe5\x90\x83");
    table_cell(t, "1");
    table_cell(t, "n");
    check(&a, t, "token     id  note\n"
                 "\xe6\x88\x91\xe5\x96\x9c\xe6\xac\xa2\xe5\x90\x83   1  n\n");
    arena_finish(&a);
}

static void test_cells_are_clean(void **state)
{
    struct arena a;
    struct table *t;

    (void)state;
    arena_init(&a, NULL, NULL);
    t = table_new(&a, columns, 3);
    table_cell(t, "a\nb\x1b[31m");
    table_cell(t, "1");
    table_cell(t, "%s", "\xff\xe2\x80\xae");
    check(&a, t, "token         id  note\n"
                 "a\\nb\\x1b[31m   1  \\xff\\u202e\n");
    arena_finish(&a);
}

static void test_many_rows(void **state)
{
    struct arena a;
    struct table *t;
    char *text;
    size_t n, lines = 0;
    FILE *f = open_memstream(&text, &n);

    (void)state;
    arena_init(&a, NULL, NULL);
    t = table_new(&a, columns, 3);
    for (int i = 0; i < 3 * 5000; i++)
        table_cell(t, "%05d", i);
    table_print(t, f);
    fclose(f);
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 5001);
    assert_int_equal(n, 5001 * (sizeof "token     id  note" + 1) - 1);
    free(text);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_wide_sets_the_width),
        cmocka_unit_test(test_cells_are_clean),
        cmocka_unit_test(test_many_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
