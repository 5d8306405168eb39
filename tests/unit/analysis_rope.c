/* SPDX-License-Identifier: MIT
 * Shares of rotary planes, of queries and keys whose lengths are whole numbers. */
#include "check.h"

#include "analysis/metric.h"

enum { D = 6 };

static double share[D / 2 + 1];

/* The number of shares of a head with these T queries and S keys, which rope rotates. */
static int shares(const struct rope_plan *rope, const float *q, int T, const float *k, int S,
                  int d)
{
    const struct metric_rule *rule = &metric_rope_share;
    const struct metric_shape shape = { .n_queries = T, .n_keys = S, .d_head = D };
    const struct attend at = { .d = d };
    const int none = 0;
    const struct qkv_view view = { .T = T, .S = S, .H = 1, .G = 1, .q = q, .kv = k,
                                   .q_stride = d, .kv_stride = d, .q_at = &none,
                                   .k_at = &none, .at = &at, .rope = rope };
    struct arena arena;
    void *state;
    int n;

    arena_init(&arena, NULL, NULL);
    state = arena_alloc(&arena, 1, rule->state->size(&shape));
    rule->state->look(state, &view, 0);
    assert_true(rule->length(&shape) <= D / 2 + 1);
    n = rule->list(state, 0, 0, share);
    arena_finish(&arena);
    return n;
}

/* q = (3, 4 | 0, 1), k = (1, 0 | 0, 2): 5 x 1 and 1 x 2. */
static void pairs_and_halves(void **state)
{
    static const float q[] = { 3, 4, 0, 1 }, k[] = { 1, 0, 0, 2 };
    static const float q_halves[] = { 3, 0, 4, 1 }, k_halves[] = { 1, 0, 0, 2 };
    const struct rope_plan pairs = { .width = 4, .layout = ROPE_PAIRS };
    const struct rope_plan halves = { .width = 4, .layout = ROPE_HALVES };

    (void)state;
    assert_int_equal(shares(&pairs, q, 1, k, 1, 4), 2);
    check_close(share[0], 5.0 / 7, 1e-12);
    check_close(share[1], 2.0 / 7, 1e-12);
    assert_int_equal(shares(&halves, q_halves, 1, k_halves, 1, 4), 2);
    check_close(share[0], 5.0 / 7, 1e-12);
}

/* Means over the rows: q is 5 and 1 long in the plane, k 2; beside it q 12 and 4, k 3. */
static void the_rest_is_one_more(void **state)
{
    static const float q[] = { 12, 3, 4, 0, 4, 0, 1, 0 }, k[] = { 0, 2, 0, 3 };
    const struct rope_plan rope = { .first = 1, .width = 2, .layout = ROPE_PAIRS };

    (void)state;
    assert_int_equal(shares(&rope, q, 2, k, 1, 4), 2);
    check_close(share[0], 6.0 / 30, 1e-12);
    check_close(share[1], 24.0 / 30, 1e-12);
    assert_int_equal(shares(NULL, q, 2, k, 1, 4), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pairs_and_halves),
                                        cmocka_unit_test(the_rest_is_one_more) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
