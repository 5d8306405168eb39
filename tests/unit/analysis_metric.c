/* SPDX-License-Identifier: MIT
 * Each metric on rows whose values are computed by hand. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/metric.h"

enum { N = 6 };

static const struct token_list tokens = { .n = N }, token = { .n = 1 };
static const struct metric_opts exact = { 0 };

/* A row of a text of N tokens that sees keys 0 .. n - 1. */
static struct metric_row row_of(const float *a, int query, int n)
{
    struct metric_row r = { .query = query, .n_keys = n, .a = a, .n_visible = n,
                            .queries = &tokens, .keys = &tokens,
                            .opts = &exact };

    for (int j = 0; j < n; j++)
        r.entropy -= a[j] > 0 ? (double)a[j] * log((double)a[j]) : 0;
    return r;
}

static void expect(const struct metric_row *r, enum metric_id id, double want)
{
    double v = NAN;

    assert_true(metric_table[id].rule->row(r, &v));
    check_near(metric_table[id].name, r->query, v, want, 1e-7);
}

static void expect_undefined(const struct metric_row *r, enum metric_id id)
{
    double v;

    if (metric_table[id].rule->row(r, &v))
        fail_msg("%s of row %d is defined", metric_table[id].name, r->query);
}

/* A causal head that looks at all it may: a = 1 / (i + 1). */
static void uniform_and_causal(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        float a[N];
        struct metric_row r;

        for (int j = 0; j <= i; j++)
            a[j] = 1.0f / (float)(i + 1);
        r = row_of(a, i, i + 1);
        expect(&r, METRIC_entropy, log(i + 1));
        if (i == 0)
            expect_undefined(&r, METRIC_entropy_norm);
        else
            expect(&r, METRIC_entropy_norm, 1);
        expect(&r, METRIC_max_mean, 1.0 / (i + 1));
        expect(&r, METRIC_distance, -i / 2.0);
        expect(&r, METRIC_distance_abs, i / 2.0);
        expect(&r, METRIC_self, 1.0 / (i + 1));
        expect(&r, METRIC_first, 1.0 / (i + 1));
        if (i == 0)
            expect_undefined(&r, METRIC_prev);
        else
            expect(&r, METRIC_prev, 1.0 / (i + 1));
        if (i == N - 1)
            expect_undefined(&r, METRIC_next);
        else
            expect(&r, METRIC_next, 0);
    }
}

/* Everything on the token before; the first token on itself. */
static void previous_token(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        float a[N] = { 0 };
        struct metric_row r;

        a[i > 0 ? i - 1 : 0] = 1;
        r = row_of(a, i, N);
        expect(&r, METRIC_entropy, 0);
        expect(&r, METRIC_entropy_norm, 0);
        expect(&r, METRIC_max_mean, 1);
        expect(&r, METRIC_distance, i > 0 ? -1 : 0);
        expect(&r, METRIC_distance_abs, i > 0 ? 1 : 0);
        expect(&r, METRIC_self, i == 0);
        expect(&r, METRIC_first, i <= 1);
        if (i > 0)
            expect(&r, METRIC_prev, 1);
        if (i < N - 1)
            expect(&r, METRIC_next, 0);
    }
}

static void the_token_itself(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) {
        float a[N] = { 0 };
        struct metric_row r;

        a[i] = 1;
        r = row_of(a, i, N);
        expect(&r, METRIC_self, 1);
        expect(&r, METRIC_distance, 0);
        expect(&r, METRIC_distance_abs, 0);
        expect(&r, METRIC_first, i == 0);
    }
}

/* Half on the first, half on the last token: signed distances cancel out in the middle. */
static void half_and_half(void **state)
{
    const float a[N] = { 0.5f, 0, 0, 0, 0, 0.5f };
    struct metric_row r = row_of(a, 2, N);

    (void)state;
    expect(&r, METRIC_entropy, log(2));
    expect(&r, METRIC_entropy_norm, log(2) / log(N));
    expect(&r, METRIC_max_mean, 0.5);
    expect(&r, METRIC_distance, (-2 + 3) / 2.0);
    expect(&r, METRIC_distance_abs, (2 + 3) / 2.0);
    expect(&r, METRIC_prev, 0);
    expect(&r, METRIC_next, 0);
    expect(&r, METRIC_first, 0.5);
    r = row_of(a, 4, N);
    expect(&r, METRIC_next, 0.5);
    r = row_of(a, 1, N);
    expect(&r, METRIC_prev, 0.5);
}

/* A window that starts at key 3: what lies outside has no weight. */
static void keys_from_the_middle(void **state)
{
    const float a[2] = { 0.25f, 0.75f };
    struct metric_row r = row_of(a, 4, 2);

    (void)state;
    r.key0 = 3;
    expect(&r, METRIC_first, 0);
    expect(&r, METRIC_prev, 0.25);
    expect(&r, METRIC_self, 0.75);
    expect(&r, METRIC_next, 0);
    expect(&r, METRIC_distance, -0.25);
    expect(&r, METRIC_entropy_norm, r.entropy / log(2));
    assert_true(metric_weight(&r, 2) == 0 && metric_weight(&r, 5) == 0);
    assert_true(metric_weight(&r, -1) == 0);
}

/* -sum a ln(a + 1e-9): a hair below 0 for a single key, never above ln n. */
static void entropy_with_an_epsilon(void **state)
{
    const struct metric_opts o = { 1e-9 };
    const float one[3] = { 0, 1, 0 }, four[4] = { 0.25f, 0.25f, 0.25f, 0.25f };
    struct metric_row r = row_of(one, 2, 3);
    double v;

    (void)state;
    r.entropy = 99;             /* not what counts here */
    r.opts = &o;
    assert_true(metric_table[METRIC_entropy].rule->row(&r, &v));
    assert_true(v == -log(1 + 1e-9) && v < 0);
    r = row_of(four, 3, 4);
    r.opts = &o;
    assert_true(metric_table[METRIC_entropy].rule->row(&r, &v));
    check_close(v, -log(0.25 + 1e-9), 1e-15);
    assert_true(metric_table[METRIC_entropy_norm].rule->row(&r, &v));
    check_close(v, -log(0.25 + 1e-9) / log(4), 1e-15);
}

/* A text of one token: nothing before, nothing after, nothing to choose. */
static void a_single_token(void **state)
{
    const float a[1] = { 1 };
    struct metric_row r = row_of(a, 0, 1);

    (void)state;
    r.queries = r.keys = &token;
    expect(&r, METRIC_entropy, 0);
    expect(&r, METRIC_self, 1);
    expect(&r, METRIC_first, 1);
    expect_undefined(&r, METRIC_entropy_norm);
    expect_undefined(&r, METRIC_prev);
    expect_undefined(&r, METRIC_next);
}

/* The most keys that it takes, beyond those whose masses are kept: 0.9 of 20 are 18. */
static void many_keys_alike(void **state)
{
    enum { MANY = 20 };
    const struct metric_rule *rule = metric_table[METRIC_k90].rule;
    const struct metric_shape shape = { .n_keys = MANY };
    struct metric_row r = { .n_keys = MANY, .n_visible = MANY };
    void *sums = calloc(1, rule->state->size(&shape));
    float a[MANY];
    double v;

    (void)state;
    assert_non_null(sums);
    for (int j = 0; j < MANY; j++)
        a[j] = 1.0f / MANY;
    r.a = a;
    rule->state->take(sums, &r, 1);
    assert_true(rule->value(sums, 0, 0, &v));
    check_close(v, 18, 0);
    assert_true(metric_table[METRIC_top16_mass].rule->value(sums, 0, 0, &v));
    check_close(v, 16.0 / MANY, 1e-6);
    free(sums);
}

/* Everything on the next token: the last row, which has none, is not one of its mean. */
static void next_token(void **state)
{
    const struct metric_rule *rule = metric_table[METRIC_pattern_diagonal].rule;
    const struct metric_shape shape = { .n_keys = N };
    void *sums = calloc(1, rule->state->size(&shape));
    double v;

    (void)state;
    assert_non_null(sums);
    for (int i = 0; i < N; i++) {
        float a[N] = { 0 };
        struct metric_row r = row_of(a, i, N);

        a[i < N - 1 ? i + 1 : 0] = 1;
        rule->state->take(sums, &r, 1);
    }
    assert_true(rule->value(sums, 0, 0, &v));
    check_close(v, 1, 1e-12);
    free(sums);
}

/* Scores 0 and ln 3 beside a sink of ln 4: 1/8 and 3/8. */
static void a_sink_that_is_no_key(void **state)
{
    static const float a[] = { 0.125f, 0.375f }, nothing[] = { 0, 0 };
    struct metric_row r = row_of(a, 1, 2), other;

    (void)state;
    r.null_mass = 0.5;
    expect(&r, METRIC_entropy, 0.125 * log(8) - 0.375 * log(0.375));
    expect(&r, METRIC_max_mean, 0.375);
    expect(&r, METRIC_null_mass, 0.5);
    expect(&r, METRIC_entropy_renorm, 0.25 * log(4) - 0.75 * log(0.75));
    expect(&r, METRIC_neff_renorm, exp(0.25 * log(4) - 0.75 * log(0.75)));
    expect(&r, METRIC_max_mean_renorm, 0.75);
    other = row_of(nothing, 1, 2);
    other.null_mass = 1;
    expect(&other, METRIC_null_mass, 1);
    expect_undefined(&other, METRIC_entropy_renorm);
    expect_undefined(&other, METRIC_max_mean_renorm);
    r.null_mass = NAN;
    for (int id = METRIC_null_mass; id <= METRIC_max_mean_renorm; id++)
        expect_undefined(&r, (enum metric_id)id);
}

static void the_table(void **state)
{
    (void)state;
    for (int k = 0; k < N_METRIC; k++) {
        const struct metric *m = &metric_table[k];

        assert_true((m->rule->row != NULL) != (m->rule->state != NULL));
        assert_int_equal((m->rule->value != NULL) + (m->rule->list != NULL) +
                         (m->rule->map != NULL), m->rule->state != NULL);
        assert_true((m->kind == METRIC_MAP) == (m->rule->map != NULL));
        assert_true((m->kind == METRIC_LIST) == (m->rule->list != NULL));
        assert_true((m->kind == METRIC_WORD) == (m->rule->words != NULL));
        assert_true(strlen(m->help) > 0 && strlen(m->heading) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_and_causal), cmocka_unit_test(previous_token),
        cmocka_unit_test(the_token_itself), cmocka_unit_test(half_and_half),
        cmocka_unit_test(keys_from_the_middle), cmocka_unit_test(entropy_with_an_epsilon),
        cmocka_unit_test(a_single_token), cmocka_unit_test(the_table),
        cmocka_unit_test(many_keys_alike), cmocka_unit_test(next_token),
        cmocka_unit_test(a_sink_that_is_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
