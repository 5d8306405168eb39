/* SPDX-License-Identifier: MIT
 * How many texts are continued together: 64, or as many as have room in 256 MiB. */
#include "check.h"

#include "run/generate.h"

static const double ROOM = 256.0 * 1024 * 1024;

static struct model *open_model(struct arena *a)
{
    struct err e = { ERR_NONE, "" };
    struct model *m = model_open(a, "tests/ref/gpt2", &e);

    assert_non_null(m);
    return m;
}

static void by_number(void **state)
{
    struct generate_group group = { 0 };
    struct arena a;
    struct model *m;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = open_model(&a);
    assert_true(65 * generate_memory(m, 8, 0) < ROOM);
    for (int i = 0; i < 64; i++)
        assert_true(generate_join(&group, m, 8, 0));
    assert_false(generate_join(&group, m, 8, 0));
    assert_int_equal(group.n, 64);
    check_close(group.bytes, 64 * generate_memory(m, 8, 0), 0.5);
    model_close(m);
    arena_finish(&a);
}

static void by_bytes(void **state)
{
    struct generate_group group;
    struct arena a;
    struct model *m;
    double one;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = open_model(&a);
    one = generate_memory(m, 60, 0);
    group = (struct generate_group){ .n = 1, .bytes = ROOM - one };
    assert_true(generate_join(&group, m, 60, 0));
    assert_false(generate_join(&group, m, 60, 0));
    group = (struct generate_group){ .n = 1, .bytes = ROOM - one + 1 };
    assert_false(generate_join(&group, m, 60, 0));
    assert_int_equal(group.n, 1);
    group = (struct generate_group){ .n = 0, .bytes = ROOM };  /* alone, whatever it takes */
    assert_true(generate_join(&group, m, 60, 0));
    model_close(m);
    arena_finish(&a);
}

/* Any of the tokens of the end does, whichever stands first among them; it is kept. */
static void ends(void **state)
{
    enum { PROMPT = 3, MOST = 8 };
    int plain[PROMPT + MOST] = { 1, 2, 3 };
    struct continuation text = { .n_prompt = PROMPT, .most = MOST, .id = plain };
    struct generation rules = { .start = -1, .forced_first = -1, .penalty = 1 };
    struct err e = { ERR_NONE, "" };
    struct par *par = par_new(1, &e);
    struct arena a;
    struct model *m;

    (void)state;
    arena_init(&a, NULL, NULL);
    m = open_model(&a);
    assert_int_equal(run_generate(m, &rules, NULL, &text, 1, NULL, 0, par, &a, &e), 0);
    assert_int_equal(text.n, PROMPT + MOST);
    assert_false(text.ended);
    for (int at = PROMPT; at < PROMPT + MOST; at++)
        for (int place = 0; place < 3; place++) {
            int id[PROMPT + MOST] = { 1, 2, 3 }, end[3] = { -1, -1, -1 }, first = PROMPT;
            struct continuation again = { .n_prompt = PROMPT, .most = MOST, .id = id };

            while (plain[first] != plain[at])
                first++;
            end[place] = plain[at];
            rules.end.id = end;
            rules.end.n = 3;
            assert_int_equal(run_generate(m, &rules, NULL, &again, 1, NULL, 0, par,
                                          &a, &e), 0);
            assert_true(again.ended);
            assert_int_equal(again.n, first + 1);
            assert_memory_equal(id, plain, (size_t)again.n * sizeof *id);
        }
    model_close(m);
    par_free(par);
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_number), cmocka_unit_test(by_bytes),
                                        cmocka_unit_test(ends) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
