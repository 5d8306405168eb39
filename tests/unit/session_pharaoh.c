/* SPDX-License-Identifier: MIT
 * Alignments of words: what is read, what is refused; and the error rate, by hand. */
#include "check.h"

#include <string.h>

#include "gold/alignment.h"
#include "gold/pharaoh.h"

static struct pharaoh *read(struct arena *a, const char *text, size_t n, struct err *e)
{
    return pharaoh_read(a, (struct span){ (const unsigned char *)text, n }, "f", e);
}

static void expect(const struct pharaoh_line *line, int i, int source, int target, bool sure)
{
    assert_true(i < line->n);
    assert_int_equal(line->link[i].source, source);
    assert_int_equal(line->link[i].target, target);
    assert_int_equal(line->link[i].sure, sure);
}

static void lines(void **state)
{
    static const char text[] = " 1-2\t0-0  10?3 2p1\r\n\n0-1 0?1 0-1 1?1 1-1";
    struct arena a;
    struct err e;
    const struct pharaoh *all;

    (void)state;
    arena_init(&a, NULL, NULL);
    all = read(&a, text, strlen(text), &e);
    assert_non_null(all);
    assert_int_equal(all->n, 3);
    assert_int_equal(all->line[0].n, 4);
    expect(&all->line[0], 0, 0, 0, true);
    expect(&all->line[0], 1, 1, 2, true);
    expect(&all->line[0], 2, 2, 1, false);
    expect(&all->line[0], 3, 10, 3, false);
    assert_int_equal(all->line[1].n, 0);
    assert_int_equal(all->line[2].n, 2);        /* a sure one wins over the same possible one */
    expect(&all->line[2], 0, 0, 1, true);
    expect(&all->line[2], 1, 1, 1, true);
    assert_int_equal(read(&a, "", 0, &e)->n, 0);
    assert_int_equal(read(&a, "\n", 1, &e)->n, 1);
    arena_finish(&a);
}

static void wrong(void **state)
{
    static const char *const parts[] = { "1", "1-", "-1", "1-2-3", "a-b", "1:2", "1--2", "1-2,3-4",
                                         "1-99999999999999999999", "1-16777216",
                                         "1111111111111111111111111111111-2222", NULL };
    struct arena a;
    struct err e;

    (void)state;
    arena_init(&a, NULL, NULL);
    for (int i = 0; parts[i] != NULL; i++) {
        const char *text = arena_printf(&a, "0-0\n0-1 %s 2-2\n", parts[i]);

        assert_null(read(&a, text, strlen(text), &e));
        assert_int_equal(e.kind, ERR_INPUT);
        if (strncmp(e.msg, "f: line 2: '", 12) != 0 ||
            strstr(e.msg, "' is not a link of two words, such as 0-2 or 0?2") == NULL)
            fail_msg("%s: %s", parts[i], e.msg);
    }
    assert_null(read(&a, "0-0 1\0-1", 8, &e));
    arena_finish(&a);
}

/* S = {00, 11}, P = S and 21, A = {00, 12, 21}: 1 - (1 + 2) / (3 + 2). */
static void error_rate(void **state)
{
    const struct alignment_counts counts = { .links = 3, .sure = 2, .hit_sure = 1,
                                             .hit_possible = 2 };
    const struct alignment_counts none = { 0 };

    (void)state;
    check_near("aer", 0, alignment_error(&counts), 0.4, 1e-15);
    assert_true(isnan(alignment_error(&none)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines), cmocka_unit_test(wrong), cmocka_unit_test(error_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
