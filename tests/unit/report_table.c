/* SPDX-License-Identifier: MIT
 * Columns line up on a terminal, whatever the cells hold. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
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

/* A table of 6 rows on a terminal of so many columns. */
static void check_fitted(int n_columns, bool colours, const char *want)
{
    static const struct table_column wide[] = {
        { "head", ALIGN_LEFT }, { "x", ALIGN_RIGHT }, { "y", ALIGN_RIGHT },
        { "link", ALIGN_LEFT },
    };
    static const char *const spare[] = { "x", NULL };
    static const int group[] = { 0, 0, 0, 1, 1, 1 };
    const struct table_look look = { n_columns, colours, spare, group };
    struct arena a;
    struct table *t;
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);

    arena_init(&a, NULL, NULL);
    t = table_new(&a, wide, 4);
    for (int i = 0; i < 6; i++) {
        table_cell(t, "H%d", i);
        table_cell(t, "%d", i == 4 ? 900 : i);
        table_cell(t, "%d", i);
        table_cell(t, "%s", i == 1 ? "我喜欢吃 → 苹果苹果" : "abc");
    }
    table_print_fitted(t, &look, f);
    fclose(f);
    assert_string_equal(text, want);
    free(text);
    arena_finish(&a);
}

static void test_fitted(void **state)
{
    (void)state;
    check_fitted(40, false,
                 "head    x  y  link\n"
                 "─────────────────────────────────\n"
                 "H0      0  0  abc\n"
                 "H1      1  1  我喜欢吃 → 苹果苹果\n"
                 "H2      2  2  abc\n"
                 "─────────────────────────────────\n"
                 "H3      3  3  abc\n"
                 "H4    900* 4  abc\n"
                 "H5      5  5  abc\n");
    check_fitted(26, true,
                 "\033[1mhead   x y link\033[0m\n"
                 "──────────────────────────\n"
                 "H0     0 0 abc\n"
                 "H1     1 1 我喜欢吃 → 苹…\n"
                 "H2     2 2 abc\n"
                 "──────────────────────────\n"
                 "H3     3 3 abc\n"
                 "H4   \033[1;33m900\033[0m*4 abc\n"
                 "H5     5 5 abc\n");
    check_fitted(22, false,
                 "head y link\n"
                 "──────────────────────\n"
                 "H0   0 abc\n"
                 "H1   1 我喜欢吃 → 苹…\n"
                 "H2   2 abc\n"
                 "──────────────────────\n"
                 "H3   3 abc\n"
                 "H4   4 abc\n"
                 "H5   5 abc\n"
                 "(no room: x)\n");
}

/* Never wider than the terminal, whatever its width. */
static void test_any_width(void **state)
{
    (void)state;
    for (int width = 1; width <= 60; width++) {
        const struct table_look look = { width, false, NULL, NULL };
        struct arena a;
        struct table *t;
        char *text, *line;
        size_t n;
        FILE *f = open_memstream(&text, &n);

        arena_init(&a, NULL, NULL);
        t = table_new(&a, columns, 3);
        table_cell(t, "我喜欢吃苹果");
        table_cell(t, "-1.5");
        table_cell(t, "a note of many words, longer than most terminals of this test");
        table_print_fitted(t, &look, f);
        table_paragraph(&a, "words and averyveryverylongwordofmanyletters 我喜欢", &look, f);
        fclose(f);
        for (line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
            assert_true(utf8_width(line) <= (size_t)width);
        free(text);
        arena_finish(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_wide_sets_the_width),
        cmocka_unit_test(test_cells_are_clean),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_fitted),
        cmocka_unit_test(test_any_width),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
