/* SPDX-License-Identifier: MIT
 * What is left of a head where it keeps few keys: numbers by hand. */
#include "unit/analysis_rows.h"

#include "analysis/choice.h"
#include "analysis/stats.h"

#include <limits.h>

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

static const struct wanted all = { 0 };
static const struct metric_set two_keys = {
    metric_table, N_METRIC, { .budget = { 2 }, .prompt = 3, .snap_window = 1, .stream_last = 8 }
};
static const float rows[4 * STRIDE] = {
    1, [STRIDE] = 0.5f, 0.5f, [2 * STRIDE] = 0.7f, 0.1f, 0.2f,
    [3 * STRIDE] = 0.4f, 0.3f, 0.2f, 0.1f,
};

/* Both heads of layer 0, row by row, as a pass gives them to the sink of layers. */
static struct stats *give(const struct model *m, const float *first, const float *second, int n,
                          bool causal)
{
    const struct attended texts = rows_texts(&arena, &n, 1, NULL);
    struct stats *s = stats_new(&arena, m, &texts, &all, &two_keys);
    const float *weight[] = { first, second };
    struct sink sinks[STATS_SINKS];

    assert_int_equal(stats_sinks(s, sinks), 2);
    for (int i = 0; i < n; i++) {
        struct rows_block block[2];
        struct rows both[2];

        for (int h = 0; h < 2; h++) {
            rows_block(&block[h], 0, 0, h, i, 1, n, weight[h], causal);
            both[h] = block[h].rows;
        }
        sinks[1].take(sinks[1].self, both, 2);
    }
    sinks[1].done(sinks[1].self, 0, 0);
    return s;
}

static void expect(const struct stats *s, int head, enum metric_id id, double want)
{
    check_near(metric_table[id].name, head, stats_head(s, 0, 0, head)->value[id], want, 2e-7);
}

/* Rows 2 and 3 see more than two keys. */
static void two_of_four(void **state)
{
    struct stats *s = give(&rows_model, rows, rows, 4, true);

    (void)state;
    expect(s, 1, METRIC_cache_oracle_16, (.9 + .7) / 2);
    expect(s, 1, METRIC_cache_oracle_16_p5, .7 + .05 * .2);
    expect(s, 1, METRIC_cache_recency_16, (.3 + .3) / 2);
    expect(s, 1, METRIC_cache_h2o_16, (.9 + .5) / 2);
    expect(s, 1, METRIC_cache_h2o_16_p5, .5 + .05 * .4);
    expect(s, 1, METRIC_cache_h2o_even_16, (.9 + .5) / 2);
    /* row 2 gives .7 and .1, with neighbours .8 and .8: the first; row 3 is the only later one */
    expect(s, 1, METRIC_cache_snapkv_16, .4 + .2 + .1);
    expect(s, 1, METRIC_cache_snapkv_16_p5, .7);
    expect(s, 1, METRIC_cache_recency_16_share, .6 / 1.6);
    expect(s, 1, METRIC_cache_h2o_16_share, 1.4 / 1.6);
    expect(s, 1, METRIC_cache_h2o_even_16_share, 1.4 / 1.6);
    /* against .4 and .3; of keys 0 and 1, both keep key 0 */
    expect(s, 1, METRIC_cache_snapkv_16_share, .7 / .7);
    expect(s, 1, METRIC_cache_snapkv_16_agree, 1);
    assert_true(isnan(stats_head(s, 0, 0, 1)->value[METRIC_cache_oracle_64]));
}

/* Key 1 gets .5 + .8 of rows 1 and 2, 1.3 of three rows, key 0 1.7 of three: by what rows that
 * see it give, key 1 leads. */
static void old_keys(void **state)
{
    static const float a[4 * STRIDE] = {
        1, [STRIDE] = 0.5f, 0.5f, [2 * STRIDE] = 0.1f, 0.8f, 0.1f,
        [3 * STRIDE] = 0.3f, 0.6f, 0, 0.1f,
    };
    struct stats *s = give(&rows_model, a, a, 4, true);

    (void)state;
    expect(s, 0, METRIC_cache_h2o_16, ((.1 + .1) + (.1 + .3)) / 2);
    expect(s, 0, METRIC_cache_h2o_even_16, ((.1 + .1) + (.1 + .6)) / 2);
}

/* What both heads give is counted where they share keys: key 1 then has 1.6, key 0 2.4 of them;
 * by itself head 1 would keep key 1. */
static void heads_that_share(void **state)
{
    static const float b[4 * STRIDE] = {
        1, [STRIDE] = 0, 1, [2 * STRIDE] = 0, 1, 0, [3 * STRIDE] = 0.1f, 0.8f, 0.1f, 0,
    };
    struct model one = rows_model;
    struct stats *s;

    (void)state;
    s = give(&one, rows, b, 4, true);
    expect(s, 1, METRIC_cache_h2o_16, (0 + .8) / 2);
    one.config.n_kv_heads = 1;
    s = give(&one, rows, b, 4, true);
    expect(s, 1, METRIC_cache_h2o_16, (0 + .1) / 2);
    expect(s, 0, METRIC_cache_h2o_16, (.9 + .5) / 2);
}

/* Row 3 alone gives key 1 the most of keys 0 and 1, which row 2 keeps key 0 of. */
static void disagreement(void **state)
{
    static const float a[4 * STRIDE] = {
        1, [STRIDE] = 0.5f, 0.5f, [2 * STRIDE] = 0.7f, 0.1f, 0.2f,
        [3 * STRIDE] = 0.1f, 0.6f, 0.2f, 0.1f,
    };
    struct stats *s = give(&rows_model, a, a, 4, true);

    (void)state;
    expect(s, 0, METRIC_cache_snapkv_16, .1 + .2 + .1);
    expect(s, 0, METRIC_cache_snapkv_16_share, .4 / .8);
    expect(s, 0, METRIC_cache_snapkv_16_agree, 0);
}

/* An encoder has no cache; nor has a text that is not longer than the budget. */
static void undefined(void **state)
{
    static const float even[3 * STRIDE] = {
        0.25f, 0.25f, 0.5f, [STRIDE] = 0.25f, 0.25f, 0.5f, [2 * STRIDE] = 0.25f, 0.25f, 0.5f,
    };
    struct stats *s = give(&rows_model, even, even, 3, false);

    (void)state;
    for (int i = METRIC_cache_oracle_16; i <= METRIC_cache_snapkv_256_agree; i++)
        assert_true(isnan(stats_head(s, 0, 0, 0)->value[i]));
    s = give(&rows_model, rows, rows, 2, true);
    for (int i = METRIC_cache_oracle_16; i <= METRIC_cache_snapkv_256_agree; i++)
        assert_true(isnan(stats_head(s, 0, 0, 0)->value[i]));
}

/* a = .4 .1 .3 .1 .1 of values 1 2 5 0 1: z = 2.2; of the first key and the last two .5 / .6. */
static void a_stream(void **state)
{
    static const float a[5 * STRIDE] = {
        1, [STRIDE] = 1, [2 * STRIDE] = 1, [3 * STRIDE] = 1,
        [4 * STRIDE] = 0.4f, 0.1f, 0.3f, 0.1f, 0.1f,
    };
    static const int length[] = { 5 }, zero[] = { 0, 0 };
    static const struct metric_set set = { metric_table, N_METRIC,
                                           { .stream_first = 1, .stream_last = 2 } };
    /* What head 0 writes is three times its value, what head 1 does is minus its own. */
    static const float v[] = { 1, 2, 5, 0, 1 }, w[] = { 3, -1 };
    static const struct attend one = { .S = 5, .d = 1, .d_v = 1, .scale = 1, .lo = INT_MAX };
    const struct attend at[] = { one, one };
    const struct param out = { .matrix = { .data = (const unsigned char *)w, .size_bytes = 4,
                                           .N = 1, .K = 2, .stride = 2 } };
    const struct qkv_view view = { .out = &out, .room = &arena, .stack = STACK_DECODER, .T = 5,
                                   .S = 5, .H = 2, .G = 1, .q = v, .kv = v, .q_stride = 1,
                                   .kv_stride = 1, .q_at = zero, .k_at = zero, .v_at = zero,
                                   .at = at };
    struct model m = rows_model;
    const struct attended texts = rows_texts(&arena, length, 1, NULL);
    struct stats *s;
    struct sink sinks[STATS_SINKS];

    (void)state;
    m.config.d_head = 1;
    s = stats_new(&arena, &m, &texts, &all, &set);
    assert_int_equal(stats_sinks(s, sinks), 2);
    assert_int_equal(stats_tap(s)->take(stats_tap(s)->self, &view, NULL), 0);
    for (int h = 0; h < 2; h++) {
        struct rows_block b;

        rows_block(&b, 0, 0, h, 4, 1, 5, a, true);
        sinks[0].take(sinks[0].self, &b.rows, 1);
        sinks[1].take(sinks[1].self, &b.rows, 1);
    }
    sinks[0].done(sinks[0].self, 0, 0);
    sinks[1].done(sinks[1].self, 0, 0);
    expect(s, 0, METRIC_stream_dev, (2.2 - .5 / .6) / 2.2);
    expect(s, 1, METRIC_stream_dev, (2.2 - .5 / .6) / 2.2);
    expect(s, 0, METRIC_stream_omitted, .4);
    expect(s, 0, METRIC_write_rms, 1.5);
    expect(s, 1, METRIC_write_rms, 0.5);
}

/* Names have the budgets that are asked for. */
static void names(void **state)
{
    struct metric_opts o = metric_opts_default();
    struct metric_choice c = { 0 };
    struct err e;
    int n;

    (void)state;
    o.budget[0] = 4;
    o.budget[1] = 16;
    o.budget[2] = 0;
    c.names = metric_names_of(&arena, &o);
    assert_int_equal(metric_choice_add(&c, "cache_h2o_4,cache_snapkv_16_p5", &e), 0);
    assert_true(c.wanted[METRIC_cache_h2o_16] && c.wanted[METRIC_cache_snapkv_64_p5]);
    assert_string_equal(metric_choice_list(&c, &arena, &n)[1].name, "cache_snapkv_16_p5");
    assert_int_equal(metric_choice_add(&c, "cache_h2o_256", &e), -1);
    assert_int_equal(metric_choice_add(&c, "cache,", &e), -1);
    metric_choice_drop_unnamed(&c);
    metric_choice_list(&c, &arena, &n);
    assert_int_equal(n, 30);    /* 2 budgets: mean, quantile of 5 rules, share of 4, 1 agreement */
    assert_false(c.named[METRIC_cache_oracle_16_p5]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_of_four), TEST(old_keys), TEST(disagreement), TEST(heads_that_share),
        TEST(undefined),
        TEST(a_stream), TEST(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
