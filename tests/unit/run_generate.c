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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_number), cmocka_unit_test(by_bytes) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
