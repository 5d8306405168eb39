/* SPDX-License-Identifier: MIT
 * What positions between tokens take. */
#include "check.h"

#include <stdio.h>

#include "run/relative.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(positions_between_tokens) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
