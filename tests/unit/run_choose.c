/* SPDX-License-Identifier: MIT
 * Which token comes next: ties, and each rule alone and beside others. */
#include "check.h"

#include <string.h>

#include "run/generate.h"

enum { V = 8 };

static const struct generation none = { .forced_first = -1, .penalty = 1 };

/* The choice behind text[n], of which n_prompt were given and most may follow. */
static int choose(const struct generation *g, const int *text, int n, int n_prompt, int most,
                  const float *logits)
{
    struct continuation c = { .n_prompt = n_prompt, .most = most, .id = (int *)(uintptr_t)text,
                              .n = n };
    struct arena a;
    float own[V];
    int id;

    memcpy(own, logits, sizeof own);
    arena_init(&a, NULL, NULL);
    id = generate_choose(g, &c, own, V, &a);
    arena_finish(&a);
    return id;
}

static const int text[] = { 1, 2, 3, 1, 2 };
static const float rising[V] = { -1, 0, 1, 2, 3, 4, 5, 6 };

static void the_largest(void **state)
{
    const float ties[V] = { 1, 3, 3, 2, 3, 0, 0, 0 }, all_out[V] = {
        -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY
    }, nan[V] = { 0, 1, NAN, 2 };

    (void)state;
    assert_int_equal(choose(&none, text, 5, 5, 9, rising), 7);
    assert_int_equal(choose(&none, text, 5, 5, 9, ties), 1);
    assert_int_equal(choose(&none, text, 5, 5, 9, all_out), 0);
    assert_int_equal(choose(&none, text, 5, 5, 9, nan), -1);
}

static void what_is_never_said(void **state)
{
    static const int two[] = { 7, 2 }, six[] = { 1, 2, 6 }, seven[] = { 7 }, far[] = { 99, -4 };
    const struct id_list bad[] = { { 3, six }, { 1, seven } };
    struct generation g = none;

    (void)state;
    g.suppressed = (struct id_list){ 2, two };
    assert_int_equal(choose(&g, text, 5, 5, 9, rising), 6);
    g.suppressed = (struct id_list){ 2, far };      /* beyond the vocabulary */
    assert_int_equal(choose(&g, text, 5, 5, 9, rising), 7);
    g = none;
    g.bad = bad;
    g.n_bad = 2;
    assert_int_equal(choose(&g, text, 5, 5, 9, rising), 5);     /* ... 1 2 [6] */
    assert_int_equal(choose(&g, text, 4, 4, 9, rising), 6);
    assert_int_equal(choose(&g, text, 1, 1, 9, rising), 6);     /* shorter than 1 2 */
    g.end = (struct id_list){ 1, seven };           /* the end is no bad word */
    assert_int_equal(choose(&g, text, 5, 5, 9, rising), 7);
}

static void only_as_the_first(void **state)
{
    static const int seven[] = { 7 };
    struct generation g = none;

    (void)state;
    g.suppressed_first = (struct id_list){ 1, seven };
    assert_int_equal(choose(&g, text, 3, 3, 9, rising), 6);
    assert_int_equal(choose(&g, text, 4, 3, 9, rising), 7);
    g.forced_first = 5;                     /* takes the place after one token */
    assert_int_equal(choose(&g, text, 1, 1, 9, rising), 5);
    assert_int_equal(choose(&g, text, 2, 1, 9, rising), 6);
    assert_int_equal(choose(&g, text, 3, 1, 9, rising), 7);
}

static void the_end(void **state)
{
    static const int end[] = { 7, 3 }, forced[] = { 4, 2 };
    struct generation g = none;

    (void)state;
    g.end = (struct id_list){ 2, end };
    g.min_length = 5;
    assert_int_equal(choose(&g, text, 4, 2, 9, rising), 6);
    assert_int_equal(choose(&g, text, 5, 2, 9, rising), 7);
    g.min_length = 0;
    g.min_new = 3;
    assert_int_equal(choose(&g, text, 4, 2, 9, rising), 6);
    assert_int_equal(choose(&g, text, 5, 2, 9, rising), 7);
    g.forced_last = (struct id_list){ 2, forced };
    assert_int_equal(choose(&g, text, 4, 2, 3, rising), 2);     /* the lower of both */
    assert_int_equal(choose(&g, text, 3, 2, 3, rising), 6);
}

static void what_was_said_before(void **state)
{
    const float close[V] = { 0, 0, 5, 4.9f, 0, 0, 0, 0 };
    const float low[V] = { -9, -9, -1, -1.5f, -9, -9, -9, -9 };
    struct generation g = none;

    (void)state;
    g.penalty = 1.1;
    assert_int_equal(choose(&g, text, 2, 2, 9, close), 3);      /* 2 was there, 3 not */
    assert_int_equal(choose(&g, text, 5, 2, 9, close), 2);      /* once each, however often */
    g.penalty = 2;
    assert_int_equal(choose(&g, text, 2, 2, 9, low), 3);        /* below 0: times 2 */
    g = none;
    g.no_repeat = 3;
    assert_int_equal(choose(&g, text, 5, 2, 9, close), 2);      /* 1 2 [3] was there */
    g.no_repeat = 1;
    assert_int_equal(choose(&g, text, 5, 2, 9, rising), 7);
    assert_int_equal(choose(&g, text, 3, 2, 9, close), 0);
    g.no_repeat = 9;                        /* longer than the text */
    assert_int_equal(choose(&g, text, 5, 2, 9, close), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest), cmocka_unit_test(what_is_never_said),
        cmocka_unit_test(only_as_the_first), cmocka_unit_test(the_end),
        cmocka_unit_test(what_was_said_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
