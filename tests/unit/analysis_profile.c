/* SPDX-License-Identifier: MIT
 * Peak and period of a head that looks back by fours. */
#include "check.h"

#include "analysis/metric.h"

enum { N = 80, LAG = 4 };

static const struct token_list tokens = { .n = N };

/* Weight 4 at distances 4, 8, 12 .., 1 at others, divided by the row's sum. */
static void by_fours(void **state)
{
    const struct metric_rule *peak = &metric_profile_peak;
    const struct metric_shape shape = { N, N, 1, 1, NULL };
    struct arena arena;
    double v;
    void *profile;

    (void)state;
    arena_init(&arena, NULL, NULL);
    profile = arena_alloc(&arena, 1, peak->state->size(&shape));
    assert_false(peak->value(profile, 0, 0, &v));
    assert_int_equal(metric_profile.list(profile, 0, 0, &v), -1);
    for (int i = 0; i < N; i++) {
        float a[N], sum = 0;
        struct metric_row r = { .query = i, .n_keys = i + 1, .a = a, .n_visible = i + 1,
                                .queries = &tokens, .keys = &tokens };

        for (int j = 0; j <= i; j++)
            sum += a[j] = i > j && (i - j) % LAG == 0 ? 4 : 1;
        for (int j = 0; j <= i; j++)
            a[j] /= sum;
        peak->state->take(profile, &r, 1);
    }
    assert_true(metric_period.value(profile, 0, 0, &v));
    check_close(v, LAG, 0);
    assert_true(peak->value(profile, 0, 0, &v));
    assert_int_equal((int)v % LAG, 0);
    assert_in_range((int)v, LAG, N - 32);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_fours) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
