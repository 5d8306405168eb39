/* SPDX-License-Identifier: MIT
 * Groups of texts that are continued together: their limits, and that they say the same as
 * each text alone. */
#include "check.h"

#include <string.h>

#include "run/generate.h"
#include "run_room.h"

static void groups_have_limits(void **state)
{
    struct generate_group texts = { 0 }, bytes = { 0 };
    struct err e = { ERR_NONE, "" };
    struct arena a;
    struct model *m;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/gpt2", &e);
    assert_non_null(m);
    for (int i = 0; i < 64; i++)
        assert_true(generate_join(&texts, m, 8, 0));
    assert_false(generate_join(&texts, m, 8, 0));
    assert_int_equal(texts.n, 64);
    assert_true(generate_join(&bytes, m, 1 << 24, 0));      /* the first, however long */
    assert_false(generate_join(&bytes, m, 1, 0));
    model_close(m);
    arena_finish(&a);
}

enum { N = 2, MOST = 6 };

static void together_as_alone(void **state)
{
    static const int lengths[N] = { 5, 3 };
    struct generation rules;
    struct continuation text[N];
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);
    struct batch source;
    struct arena a;
    struct model *m;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = model_open(&a, "tests/ref/seq2seq/t5", &e);
    assert_non_null(m);
    assert_int_equal(generation_read(&rules, &a, m, &e), 0);
    source = room_batch(&a, m, lengths, N, 1);
    for (int i = 0; i < N; i++) {
        int *id = arena_alloc(&a, 1 + MOST, sizeof *id);

        id[0] = rules.start;
        text[i] = (struct continuation){ .n_prompt = 1, .most = MOST, .id = id };
    }
    assert_int_equal(run_generate_pair(m, &rules, &source, text, N, NULL, 1e9, par, &a,
                                       &e), 0);
    for (int i = 0; i < N; i++) {
        int start[] = { 0, lengths[i] }, id[1 + MOST] = { rules.start };
        struct continuation alone = { .n_prompt = 1, .most = MOST, .id = id };
        struct batch one = { .n_texts = 1, .start = start,
                             .id = source.id + source.start[i],
                             .type = source.type + source.start[i] };

        assert_int_equal(run_generate_pair(m, &rules, &one, &alone, 1, NULL, 1e9, par, &a,
                                           &e), 0);
        assert_int_equal(alone.n, text[i].n);
        assert_memory_equal(id, text[i].id, (size_t)alone.n * sizeof *id);
    }
    model_close(m);
    par_free(par);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_have_limits),
        cmocka_unit_test(together_as_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
