/* SPDX-License-Identifier: MIT
 * What positions between tokens take. */
#include "check.h"

#include <stdio.h>

#include "run/special/relative.h"

/* Positions between tokens: rows of the table that are projected; other models have none. */
static void positions_between_tokens(void **state)
{
    static const struct { const char *name; int rows, by_head; } cases[] = {
        { "bert_decoder", 0, 0 }, { "llama", 0, 0 },
        { "xlnet", 19, 2 }, { "deberta", 19, 3 }, { "deberta_c2p", 19, 2 },
        { "deberta_p2c", 19, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = { ERR_NONE, "" };
        char path[128];
        struct arena a;
        struct model *m;
        double each;

        snprintf(path, sizeof path, "tests/ref/families/%s", cases[i].name);
        arena_init(&a, NULL, NULL);
        m = model_open(&a, path, &e);
        assert_non_null(m);
        each = m->config.d_model +
               (double)cases[i].by_head * m->config.n_heads * m->config.d_head;
        check_near(cases[i].name, 0, relative_memory(m, 10),
                   cases[i].rows > 0 ? cases[i].rows * each + 20 : 0, 0);
        model_close(m);
        arena_finish(&a);
    }
}

/* Of the longest text, all distances that it holds and no others. */
static void rows_of_distances(void **state)
{
    static const char *const names[] = { "xlnet", "xlnet_uni", "deberta", "deberta_v2" };
    static const int rows[] = { 19, 5, 19, 13 };    /* the second: up to 4, none ahead; the
                                                        last: 9 is in its sixth bucket */
    static const int start[] = { 0, 4, 14, 15 };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);

    (void)state;
    assert_non_null(par);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct batch batch = { .n_texts = 3, .start = start };
        struct arena a;
        struct pass p = { .b = &batch, .par = par, .call = &a, .N = 15 };
        char path[128];

        snprintf(path, sizeof path, "tests/ref/families/%s", names[i]);
        arena_init(&a, NULL, NULL);
        p.m = model_open(&a, path, &e);
        if (p.m == NULL)
            fail_msg("%s", e.msg);
        relative_rows(&p);
        assert_int_equal(p.relative->at.reach, 9);
        assert_int_equal(p.relative->at.row[0], 0);
        if (p.relative->n_rows != rows[i])
            fail_msg("%s: %d rows, expected %d", names[i], p.relative->n_rows, rows[i]);
        arena_finish(&a);
    }
    par_free(par);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_between_tokens), cmocka_unit_test(rows_of_distances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
