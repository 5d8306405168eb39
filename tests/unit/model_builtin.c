/* SPDX-License-Identifier: MIT
 * Models inside the program: their names, and what is said of one that is none. */
#include "check.h"

#include <string.h>

#include "model/builtin.h"
#include "model/model.h"

static void names(void **state)
{
    struct builtin first, second;
    struct err e = { ERR_NONE, "" };

    (void)state;
    assert_true(builtin_is(NULL));
    assert_true(builtin_is("builtin:nothing"));
    assert_false(builtin_is("builtin"));
    assert_int_equal(builtin_find(&first, NULL, &e), 0);
    assert_int_equal(builtin_find(&second, builtin_names[0], &e), 0);
    assert_ptr_equal(first.weights.data, second.weights.data);
    for (int i = 0; builtin_names[i] != NULL; i++) {
        assert_true(builtin_is(builtin_names[i]));
        assert_int_equal(builtin_find(&second, builtin_names[i], &e), 0);
        assert_true(second.config.size > 0 && second.tokenizer.size > 0 &&
                    second.weights.size > 0);
    }
    assert_true(second.weights.data != first.weights.data);
}

static void unknown(void **state)
{
    struct builtin b;
    struct err e = { ERR_NONE, "" };
    struct arena a;

    (void)state;
    arena_init(&a, NULL, NULL);
    assert_int_equal(builtin_find(&b, "builtin:decode", &e), -1);
    assert_int_equal(e.kind, ERR_INPUT);
    assert_non_null(strstr(e.msg, "builtin:decode: no such built-in model: expected one of "
                                  "builtin:decoder, "));
    assert_non_null(strstr(e.msg, "; did you mean 'builtin:decoder'?"));
    assert_int_equal(builtin_find(&b, "builtin:0123456789", &e), -1);
    assert_null(strstr(e.msg, "did you mean"));
    assert_null(model_open(&a, "builtin:0123456789", &e));
    assert_string_equal(model_name(&a, "builtin:0123456789"), "builtin:0123456789");
    arena_finish(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names), cmocka_unit_test(unknown) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
