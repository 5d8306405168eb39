/* SPDX-License-Identifier: MIT
 * Rows made by hand through the sinks: means over the rows that count, and metrics
 * that see a head, a layer or a text at once. */
#include "unit/analysis_rows.h"

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
/* The first of the table are the basic ones. */
static const struct metric_set every = { metric_table, METRIC_first + 1, { 0 } };

static struct stats *start(const int *length, int n_texts, const struct wanted *want,
                           const struct metric_set *set)
{
    const struct attended texts = rows_texts(&arena, length, n_texts, NULL);

    return stats_new(&arena, &rows_model, &texts, want, set);
}

/* The sink of metrics that see no more than a head. */
static struct sink sink_of(struct stats *s)
{
    struct sink sinks[STATS_SINKS];

    assert_int_equal(stats_sinks(s, sinks), 1);
    return sinks[0];
}

static void uniform_causal(void **state)
{
    static const int length[] = { 4 };
    struct stats *s = start(length, 1, &all, &every);
    const struct head_stats *h;
    float a[4 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++)
            a[i * STRIDE + j] = 1.0f / (float)(i + 1);
    rows_give(sink_of(s), 0, 1, 0, 4, a, true);
    h = stats_head(s, 0, 1, 0);
    assert_int_equal(h->layer, 1);
    assert_int_equal(h->head, 0);
    assert_int_equal(h->stack, STACK_DECODER);
    check_close(h->value[METRIC_entropy], (log(2) + log(3) + log(4)) / 4, 1e-7);
    check_close(h->value[METRIC_entropy_norm], 1, 1e-7);        /* rows 1, 2, 3 */
    check_close(h->value[METRIC_max_mean], (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 4, 1e-7);
    check_close(h->value[METRIC_distance], -(0 + 0.5 + 1 + 1.5) / 4, 1e-7);
    check_close(h->value[METRIC_prev], (1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 3, 1e-7);
    check_close(h->value[METRIC_next], 0, 1e-7);
    check_close(h->value[METRIC_first], (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 4, 1e-7);
}

/* The variance of ln p under p. */
static double var3(double x, double y, double z)
{
    double mean = x * log(x) + y * log(y) + z * log(z);

    return x * pow(log(x) - mean, 2) + y * pow(log(y) - mean, 2) + z * pow(log(z) - mean, 2);
}

/* Rows 1 | 1/2 1/2 | .7 .1 .2 | .4 .3 .2 .1 of a decoder: numbers by hand. */
static void of_all_rows(void **state)
{
    static const int length[] = { 4 };
    static const struct metric_set table = { metric_table, N_METRIC, { 0 } };
    static const float a[4 * STRIDE] = {
        1, [STRIDE] = 0.5f, 0.5f, [2 * STRIDE] = 0.7f, 0.1f, 0.2f,
        [3 * STRIDE] = 0.4f, 0.3f, 0.2f, 0.1f,
    };
    const double h2 = -(.7 * log(.7) + .1 * log(.1) + .2 * log(.2));
    const double h3 = -(.4 * log(.4) + .3 * log(.3) + .2 * log(.2) + .1 * log(.1));
    const double sum = log(2) + h2 + h3, most = log(2) + log(3) + log(4);
    const struct {
        enum metric_id id;
        double want;
    } expected[] = {
        { METRIC_entropy_norm_ratio, sum / most },
        { METRIC_neff, (1 + 2 + exp(h2) + exp(h3)) / 4 },
        { METRIC_neff_of_mean, exp(sum / 4) },
        { METRIC_participation, (1 + 2 + 1 / .54 + 1 / .3) / 4 },
        { METRIC_kl_uniform, (most - sum) / 4 },
        { METRIC_uniformity_gap_norm, 1 - (1 + h2 / log(3) + h3 / log(4)) / 3 },
        { METRIC_tv_uniform, ((.7 - 1 / 3.0) + .2) / 4 },
        { METRIC_frob2, 1 + .5 + .54 + .3 },
        { METRIC_top1_mass, (1 + .5 + .7 + .4) / 4 },
        { METRIC_top2_mass, (1 + 1 + .9 + .7) / 4 },
        { METRIC_top4_mass, 1 },
        { METRIC_top16_mass, 1 },
        { METRIC_k90, (1 + 2 + 2 + 3) / 4.0 },
        { METRIC_tau_uniform, 0 },
        { METRIC_distance_sd, (0 + .5 + sqrt(.7 * 4 + .1 - 2.25) + 1) / 4 },
        { METRIC_distance_norm, (0 + .5 + 1.5 / 2 + 2 / 3.0) / 4 },
        { METRIC_distance_vig, (.1 + .6 + .2) / (.5 + .3 + .6) },
        { METRIC_local_1, (1 + 1 + .3 + .3) / 4 },
        { METRIC_local_2, (1 + 1 + 1 + .6) / 4 },
        { METRIC_local_4, 1 },
        { METRIC_tl_prev, (.5 + .1 + .2) / 4 },
        { METRIC_bos, (.5 + .7 + .4) / 3 },
        { METRIC_alpha_0, (1 + .5 + .7 + .4) / 4 },
        { METRIC_sink_0, 1 },
        { METRIC_query_independence, (2.6 * 2.6 + .81 + .16 + .01) / (4 * 2.34) },
        { METRIC_pattern_vertical, (2.6 + .9) / 4 },
        { METRIC_pattern_diagonal, .8 / 3 + 1.8 / 4 },
        { METRIC_pattern_rest, 1 - 3.5 / 4 - .8 / 3 - 1.8 / 4 },
        { METRIC_kovaleva, 0 },
        { METRIC_profile_half, 1 },     /* 1.8 and .8 of 4 lie at distances 0 and 1 */
        { METRIC_var_logit, (var3(.7, .1, .2) + .4 * pow(log(.4), 2) + .3 * pow(log(.3), 2) +
                             .2 * pow(log(.2), 2) + .1 * pow(log(.1), 2) - h3 * h3) / 4 },
    };
    const struct {
        enum metric_id id;
        int n;
        double want[4];
    } lists[] = {
        { METRIC_received, 4, { 2.6 / 4, .9 / 3, .4 / 2, .1 } },
        { METRIC_sinks, 1, { 0 } },     /* of key 1 there are too few rows */
        { METRIC_profile, 4, { 1.8 / 4, .8 / 3, 1 / 2.0, .4 } },
        { METRIC_profile_lift, 4, { 1.8 / (25 / 12.0), .8 / (13 / 12.0), 1 / (7 / 12.0), 1.6 } },
    };
    struct stats *s = start(length, 1, &all, &table);
    struct sink sinks[STATS_SINKS];

    (void)state;
    stats_sinks(s, sinks);
    rows_give(sinks[0], 0, 0, 0, 4, a, true);
    assert_true(isnan(stats_head(s, 0, 0, 0)->value[METRIC_profile_peak]));
    assert_true(isnan(stats_head(s, 0, 0, 0)->value[METRIC_period]));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct stats_list *list = &stats_head(s, 0, 0, 0)->list[lists[i].id];

        assert_int_equal(list->n, lists[i].n);
        for (int k = 0; k < list->n; k++)
            check_near(metric_table[lists[i].id].name, k, list->v[k], lists[i].want[k], 2e-7);
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        check_near(metric_table[expected[i].id].name, 0,
                   stats_head(s, 0, 0, 0)->value[expected[i].id], expected[i].want, 2e-7);
}

/* Weights below a hundredth, and what a mask hides, which is no entry. */
static void entries_that_hardly_count(void **state)
{
    static const int length[] = { 3 };
    static const struct metric_set table = { metric_table, N_METRIC, { 0 } };
    static const float a[3 * STRIDE] = {
        1, [STRIDE] = 0.999f, 0.001f, [2 * STRIDE] = 0.2f, 0.796f, 0.004f,
    };
    struct stats *s = start(length, 1, &all, &table);
    struct sink sinks[STATS_SINKS];

    (void)state;
    stats_sinks(s, sinks);
    rows_give(sinks[0], 0, 0, 0, 3, a, true);
    check_close(stats_head(s, 0, 0, 0)->value[METRIC_tau_uniform], 1 / 6.0, 1e-12);
    check_close(stats_head(s, 0, 0, 0)->value[METRIC_tau_rowmax], 2 / 6.0, 1e-12);
}

/* Tokens 5 6 5 5 of a decoder, and of an encoder that sees what follows. */
static void the_same_token_again(void **state)
{
    static const int length[] = { 4 }, id[] = { 5, 6, 5, 5 };
    static const struct metric_set table = { metric_table, N_METRIC, { 0 } };
    static const float a[4 * STRIDE] = {
        1, [STRIDE] = 0.5f, 0.5f, [2 * STRIDE] = 0.7f, 0.1f, 0.2f,
        [3 * STRIDE] = 0.4f, 0.3f, 0.2f, 0.1f,
    };
    struct attended texts = rows_texts(&arena, length, 1, NULL);
    struct attended_text *text = arena_alloc(&arena, 1, sizeof *text);

    (void)state;
    *text = texts.text[0];
    texts.text = text;
    for (int known = 0; known < 2; known++)
        for (int causal = 0; causal < 2; causal++) {
            struct sink sinks[STATS_SINKS];
            const double *value;
            struct stats *s;

            text->keys.id = known ? id : NULL;
            s = stats_new(&arena, &rows_model, &texts, &all, &table);
            stats_sinks(s, sinks);
            rows_give(sinks[0], 0, 0, 0, 4, a, causal);
            value = stats_head(s, 0, 0, 0)->value;
            if (!known) {
                assert_true(isnan(value[METRIC_duplicate]));
                assert_true(isnan(value[METRIC_induction_coverage]));
                continue;
            }
            /* row 2 on key 0, row 3 on keys 0 and 2; row 0 sees another in an encoder */
            check_close(value[METRIC_duplicate], (.7 + .4 + .2) / 4, 2e-7);
            check_close(value[METRIC_duplicate_coverage], causal ? 2 / 4.0 : 3 / 4.0, 0);
            check_close(value[METRIC_duplicate_covered], 1.3 / (causal ? 2 : 3), 2e-7);
            /* row 2 on key 1, row 3 on keys 1 and 3 */
            check_close(value[METRIC_induction], (.1 + .3 + .1) / 4, 2e-7);
            check_close(value[METRIC_induction_coverage], 2 / 4.0, 0);
            check_close(value[METRIC_induction_covered], .5 / 2, 2e-7);
        }
}

/* Tokens 5 6 7 6 3 of a decoder, 3 their end, of a corpus of more than 500 ids in which 7 is the
 * rarest, then 6; and 8, 9, which are as rare as 6. */
static void rare_tokens(void **state)
{
    enum { N_IDS = 600 };
    static const int length[] = { 5 }, id[] = { 5, 6, 7, 6, 3 }, equal[] = { 5, 8, 9, 6, 3 };
    static const unsigned char mark[] = { 0, 0, 0, 0, TOKEN_ENDS };
    static const float a[5 * STRIDE] = {
        1, [STRIDE] = 0.4f, 0.6f, [2 * STRIDE] = 0.3f, 0.5f, 0.2f,
        [3 * STRIDE] = 0.1f, 0.2f, 0.6f, 0.1f, [4 * STRIDE] = 0, 0, 0, 0, 1,
    };
    int64_t count[N_IDS];
    struct metric_set table = { metric_table, N_METRIC, { 0 } };
    struct attended texts = rows_texts(&arena, length, 1, NULL);
    struct attended_text *text = arena_alloc(&arena, 1, sizeof *text);

    (void)state;
    *text = texts.text[0];
    texts.text = text;
    text->keys.mark = text->queries.mark = mark;
    for (int i = 0; i < N_IDS; i++)
        count[i] = i == 7 ? 3 : i == 6 || i == 8 || i == 9 ? 4 : 1000;
    for (int k = 0; k < 4; k++) {
        struct sink sinks[STATS_SINKS];
        const double *value;
        struct stats *s;

        /* in the last two rounds: 6, 7 and 3 are not rare; nothing is known */
        if (k == 2)
            for (int i = 5; i < 8; i++)
                count[i] = 2000;
        table.opts.counts = k < 3 ? metric_counts_new(&arena, count, N_IDS) : NULL;
        text->keys.id = k == 1 ? equal : id;
        s = stats_new(&arena, &rows_model, &texts, &all, &table);
        stats_sinks(s, sinks);
        rows_give(sinks[0], 0, 0, 0, 5, a, true);
        value = stats_head(s, 0, 0, 0)->value;
        if (k >= 2) {
            assert_true(isnan(value[METRIC_rare1]) && isnan(value[METRIC_rare2]) &&
                        isnan(value[METRIC_rare_rho]) && isnan(value[METRIC_rare1_text]) &&
                        isnan(value[METRIC_rare2_text]));
            continue;
        }
        /* rows 1, 2 and 3: 5 | 6; 5 6 | 7; of equally rare ones the first two, 8 and 9 */
        check_close(value[METRIC_rare1], 2 / 3.0, 1e-12);
        check_close(value[METRIC_rare2], 1, 1e-12);
        /* 5 gets most */
        assert_true(value[METRIC_rare1_text] == 0 && value[METRIC_rare2_text] == 0);
        /* gets 1.8 / 5, 1.3 / 4, .8 / 3, .1 / 2, 1: ranks 3 2 1 0 4; of counts 3.5 1.5 0 1.5 3.5
           or 3.5 1 1 1 3.5 */
        check_close(value[METRIC_rare_rho], k == 0 ? 7.5 / sqrt(10 * 9.0) : 7.5 / sqrt(10 * 7.5),
                    1e-12);
    }
}

/* The token that gets most is the rarest, the next, another; the only one. */
static void rarest_of_a_text(void **state)
{
    enum { N_IDS = 600 };
    static const struct { int id[4]; double rare1, rare2; } texts_of[] = {
        { { 7, 5, 6, 3 }, 1, 1 }, { { 6, 5, 7, 3 }, 0, 1 }, { { 5, 6, 7, 3 }, 0, 0 },
        { { 7, 7, 7, 3 }, -1, -1 },             /* undefined */
    };
    static const int length[] = { 4 };
    static const unsigned char mark[] = { 0, 0, 0, TOKEN_ENDS };
    /* The end gets most of all, and is left out. */
    static const float a[4 * STRIDE] = {
        0.4f, [STRIDE] = 0.3f, 0.2f, [2 * STRIDE] = 0.3f, 0.1f, 0.1f,
        [3 * STRIDE] = 0.1f, 0, 0, 0.9f,
    };
    struct metric_set table = { metric_table, N_METRIC, { 0 } };
    struct attended texts = rows_texts(&arena, length, 1, NULL);
    struct attended_text *text = arena_alloc(&arena, 1, sizeof *text);
    int64_t count[N_IDS];

    (void)state;
    *text = texts.text[0];
    texts.text = text;
    text->keys.mark = text->queries.mark = mark;
    for (int i = 0; i < N_IDS; i++)
        count[i] = i == 7 ? 1 : i == 6 ? 2 : 1000;
    table.opts.counts = metric_counts_new(&arena, count, N_IDS);
    for (size_t i = 0; i < sizeof texts_of / sizeof *texts_of; i++) {
        struct sink sinks[STATS_SINKS];
        const double *value;
        struct stats *s;

        text->keys.id = texts_of[i].id;
        s = stats_new(&arena, &rows_model, &texts, &all, &table);
        stats_sinks(s, sinks);
        rows_give(sinks[0], 0, 0, 0, 4, a, true);
        value = stats_head(s, 0, 0, 0)->value;
        if (texts_of[i].rare1 < 0) {
            assert_true(isnan(value[METRIC_rare1_text]) && isnan(value[METRIC_rare2_text]));
            continue;
        }
        check_close(value[METRIC_rare1_text], texts_of[i].rare1, 0);
        check_close(value[METRIC_rare2_text], texts_of[i].rare2, 0);
    }
}

/* Keys by kind, and rows without ends: [CLS] a . [SEP] of an encoder. */
static void kinds_of_tokens(void **state)
{
    static const int length[] = { 4 };
    static const struct metric_set table = { metric_table, N_METRIC, { 0 } };
    static const unsigned char special[] = { 1, 0, 0, 1 };
    static const unsigned char mark[] = { 0, 0, TOKEN_PUNCTUATION,
                                          TOKEN_ENDS | TOKEN_SEPARATES };
    static const float a[4 * STRIDE] = {
        0.5f, 0.25f, 0.25f, 0, [STRIDE] = 0.1f, 0.3f, 0.2f, 0.4f,
        [2 * STRIDE] = 0.2f, 0.6f, 0, 0.2f, [3 * STRIDE] = 0, 0, 0, 1,
    };
    struct attended texts = rows_texts(&arena, length, 1, special);
    struct attended_text *text = arena_alloc(&arena, 1, sizeof *text);
    const struct {
        enum metric_id id;
        double want;
    } expected[] = {
        { METRIC_special, (.5 + .5 + .4 + 1) / 4 },
        { METRIC_special_lift, .6 / .5 },
        { METRIC_punct, (.25 + .2) / 4 },
        { METRIC_punct_lift, .45 },
        { METRIC_sep, (.4 + .2 + 1) / 4 },
        { METRIC_sep_lift, 1.6 },
        { METRIC_sep_from_sep, 1 },
        { METRIC_sep_from_other, (.4 + .2) / 3 },
        { METRIC_confidence, (.5 + .3 + .6) / 3 },
        { METRIC_argmax_prev, 1 / 2.0 },        /* rows 1, 2: keys 1, 1 */
        { METRIC_argmax_self, 2 / 3.0 },        /* rows 0, 1, 2: keys 0, 1, 1 */
        { METRIC_argmax_next, 0 },
    };
    struct sink sinks[STATS_SINKS];
    const double *value;
    struct stats *s;

    (void)state;
    *text = texts.text[0];
    texts.text = text;
    text->queries.mark = text->keys.mark = mark;
    s = stats_new(&arena, &rows_model, &texts, &all, &table);
    stats_sinks(s, sinks);
    rows_give(sinks[0], 0, 0, 0, 4, a, false);
    value = stats_head(s, 0, 0, 0)->value;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        check_near(metric_table[expected[i].id].name, 0, value[expected[i].id],
                   expected[i].want, 2e-7);
}

/* Tokens 0 1 of a segment, 2 3 of another: all four, or without 0, which is special. */
static void segments(void **state)
{
    static const int length[] = { 4 }, type[] = { 0, 0, 1, 1 };
    static const unsigned char special[] = { 1, 0, 0, 0 };
    static const struct metric_set table = { metric_table, N_METRIC, { 0 } };
    static const float a[4 * STRIDE] = {
        1, [STRIDE] = 0.5f, 0.5f, [2 * STRIDE] = 0.7f, 0.1f, 0.2f,
        [3 * STRIDE] = 0.4f, 0.3f, 0.2f, 0.1f,
    };
    /* rows 0 to 3; rows 1 to 3, row 2 of .3 and row 3 of .6 */
    const double within[] = { (1 + 1 + .2 + .3) / 4, (1 + .2 / .3 + .3 / .6) / 3 };
    const double chance[] = { (1 + 1 + 1 / 3.0 + 2 / 4.0) / 4, (1 + 1 / 2.0 + 2 / 3.0) / 3 };

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct attended texts = rows_texts(&arena, length, 1, k ? special : NULL);
        struct attended_text *text = arena_alloc(&arena, 1, sizeof *text);
        struct sink sinks[STATS_SINKS];
        struct stats *s;

        *text = texts.text[0];
        text->keys.type = type;
        texts.text = text;
        s = stats_new(&arena, &rows_model, &texts, &all, &table);
        stats_sinks(s, sinks);
        rows_give(sinks[0], 0, 0, 0, 4, a, true);
        check_close(stats_head(s, 0, 0, 0)->value[METRIC_pattern_block],
                    (within[k] - chance[k]) / (1 - chance[k]), 1e-6);
    }
}

/* Of (1 0), (1/2 1/2): squares of the singular values (3 +- sqrt 5) / 4. */
static void ranks(void **state)
{
    static const int length[] = { 2 };
    static const struct metric_set table = { metric_table, N_METRIC, { 0 } };
    static const float a[2 * STRIDE] = { 1, [STRIDE] = 0.5f, 0.5f },
                       equal[2 * STRIDE] = { 0.25f, 0.75f, [STRIDE] = 0.25f, 0.75f };
    const double large = (3 + sqrt(5)) / 4, small = (3 - sqrt(5)) / 4;
    const double p = sqrt(large) / (sqrt(large) + sqrt(small)), p2 = large / (large + small);
    struct stats *s = start(length, 1, &all, &table);
    const double *value;
    struct sink sinks[STATS_SINKS];

    (void)state;
    stats_sinks(s, sinks);
    rows_give(sinks[0], 0, 0, 0, 2, a, true);
    rows_give(sinks[0], 0, 1, 0, 2, equal, false);
    value = stats_head(s, 0, 0, 0)->value;
    check_close(value[METRIC_erank], exp(-p * log(p) - (1 - p) * log(1 - p)), 1e-6);
    check_close(value[METRIC_erank_sq], exp(-p2 * log(p2) - (1 - p2) * log(1 - p2)), 1e-6);
    check_close(value[METRIC_stable_rank], 1.5 / large, 1e-6);
    check_close(stats_head(s, 0, 1, 0)->value[METRIC_erank], 1, 1e-6);
}

/* q(i) = (i, 1), k(j) = (1, -3 j), lengths of values 1/2 3 1 2: rows as above, sink 0. */
static void what_is_read(void **state)
{
    static const int length[] = { 4 }, q_at[] = { 0, 0 }, k_at[] = { 0 }, v_at[] = { 2 };
    static const struct metric_set table = { metric_table, N_METRIC, { 0 } };
    static const float a[4 * STRIDE] = {
        1, [STRIDE] = 0.5f, 0.5f, [2 * STRIDE] = 0.7f, 0.1f, 0.2f,
        [3 * STRIDE] = 0.4f, 0.3f, 0.2f, 0.1f,
    };
    static const float q[] = { 0, 1, 1, 1, 2, 1, 3, 1 },
                       kv[] = { 1, 0, 0.5f, 1, -3, -3, 1, -6, 1, 1, -9, 2 };
    const struct attend one = { .S = 4, .d = 2, .d_v = 1, .scale = 0.5f, .lo = INT_MAX };
    const struct attend at[] = { one, one };
    /* What head 0 writes is in the first column, what head 1 does in the second. */
    static const float w[] = { 9, 3, 9, 4 };
    const struct param out = { .matrix = { .data = (const unsigned char *)w, .size_bytes = 4,
                                           .N = 2, .K = 2, .stride = 2 } };
    struct qkv_view view = { .out = &out, .room = &arena, .stack = STACK_DECODER, .T = 4, .S = 4,
                             .H = 2, .G = 1, .q = q,
                             .kv = kv, .q_stride = 2, .kv_stride = 3, .q_at = q_at,
                             .k_at = k_at, .v_at = v_at, .at = at };
    struct stats *s = start(length, 1, &all, &table);
    const struct tap *tap = stats_tap(s);
    const struct head_stats *h;
    struct sink sinks[STATS_SINKS];

    (void)state;
    stats_sinks(s, sinks);
    assert_int_equal(tap->take(tap->self, &view, NULL), 0);
    view.stack = STACK_CROSS;           /* another, which is not asked for */
    view.layer = 1;
    assert_int_equal(tap->take(tap->self, &view, NULL), 0);
    for (int layer = 0; layer < 2; layer++)
        rows_give(sinks[0], 0, layer, 1, 4, a, true);
    h = stats_head(s, 0, 0, 1);
    check_close(h->value[METRIC_max_logit], 1.5, 0);        /* query 3, key 0 */
    check_close(h->value[METRIC_max_abs_logit], 3, 0);      /* query 3, key 3 */
    assert_int_equal(h->list[METRIC_drain_v].n, 1);
    check_close(h->list[METRIC_drain_v].v[0], 0.25, 0);
    check_close(h->list[METRIC_drain_out].v[0], 0.25, 1e-7);    /* all 5 times as long */
    h = stats_head(s, 0, 1, 1);
    assert_true(isnan(h->value[METRIC_max_logit]));
    assert_int_equal(h->list[METRIC_drain_v].n, -1);
    assert_null(stats_tap(start(length, 1, &all, &every)));
}

/* A row in which all is hidden is in no mean. */
static void a_row_that_sees_nothing(void **state)
{
    static const int length[] = { 2 };
    struct stats *s = start(length, 1, &all, &every);
    const struct head_stats *h;

    (void)state;
    rows_give_blind(sink_of(s));
    h = stats_head(s, 0, 0, 0);
    assert_int_equal(h->n_skipped, 1);
    check_close(h->value[METRIC_entropy], log(2), 1e-7);
    check_close(h->value[METRIC_self], 0.5, 1e-7);
}

static void undefined_for_every_row(void **state)
{
    static const int length[] = { 1 };
    struct stats *s = start(length, 1, &all, &every);
    const float a[STRIDE] = { 1 };
    const struct head_stats *h;

    (void)state;
    rows_give(sink_of(s), 0, 0, 0, 1, a, true);
    h = stats_head(s, 0, 0, 0);
    assert_true(isnan(h->value[METRIC_prev]) && isnan(h->value[METRIC_next]));
    assert_true(isnan(h->value[METRIC_entropy_norm]));
    check_close(h->value[METRIC_entropy], 0, 1e-7);
    check_close(h->value[METRIC_self], 1, 1e-7);
}

/* There is no token before another text's. */
static void places_of_two_texts(void **state)
{
    static const int length[] = { 2 };
    const float a[2 * STRIDE] = { [0] = 1, [STRIDE] = 1 };
    struct attended texts = rows_texts(&arena, length, 1, NULL);
    const struct head_stats *h;
    struct stats *s;

    (void)state;
    texts.two_axes = true;
    s = stats_new(&arena, &rows_model, &texts, &all, &every);
    rows_give(sink_of(s), 0, 0, 0, 2, a, false);
    h = stats_head(s, 0, 0, 0);
    assert_int_equal(h->stack, STACK_CROSS);
    assert_true(isnan(h->value[METRIC_prev]) && isnan(h->value[METRIC_distance]));
    check_close(h->value[METRIC_first], 1, 1e-7);
}

static void texts_and_heads_do_not_mix(void **state)
{
    static const int length[] = { 2, 3 };
    static const bool layers[] = { true, false }, heads[] = { false, true };
    const struct wanted want = { .layer = layers, .head = heads };
    struct stats *s = start(length, 2, &want, &every);
    float self[3 * STRIDE] = { 0 }, first[3 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 3; i++)
        self[i * STRIDE + i] = first[i * STRIDE] = 1;
    rows_give(sink_of(s), 1, 0, 1, 3, first, true);
    rows_give(sink_of(s), 0, 0, 1, 2, self, true);
    assert_null(stats_head(s, 0, 0, 0));
    assert_null(stats_head(s, 0, 1, 1));
    assert_null(stats_head(s, 1, 1, 0));
    check_close(stats_head(s, 0, 0, 1)->value[METRIC_self], 1, 1e-7);
    check_close(stats_head(s, 0, 0, 1)->value[METRIC_first], 0.5, 1e-7);
    check_close(stats_head(s, 1, 0, 1)->value[METRIC_self], 1 / 3.0, 1e-7);
    check_close(stats_head(s, 1, 0, 1)->value[METRIC_first], 1, 1e-7);
}

/* ---- metrics made up for each scope ---- */

/* Weight on tokens that the template put there: a row may ask about a key's token. */
static bool row_special(const struct metric_row *r, double *v)
{
    *v = 0;
    for (int j = 0; j < r->n_keys; j++)
        if (r->keys->special[r->key0 + j])
            *v += (double)r->a[j];
    return true;
}

/* The largest sum of a column: what the rows of a head give to one key. */
static size_t column_size(const struct metric_shape *shape)
{
    return (size_t)shape->n_keys * sizeof(double);
}

static void column_take(void *state, const struct metric_row *rows, int n)
{
    double *column = state;

    assert_int_equal(n, 1);
    for (int j = 0; j < rows->n_keys; j++)
        column[rows->key0 + j] += (double)rows->a[j];
}

static bool column_value(const void *state, int layer, int head, double *v)
{
    const double *column = state;

    (void)layer;
    (void)head;
    *v = fmax(fmax(column[0], column[1]), column[2]);
    return true;
}

/* Counts calls and heads; the value tells the head. */
struct seen { int n_calls, n_rows, last_layer; };

static size_t seen_size(const struct metric_shape *shape)
{
    assert_int_equal(shape->n_layers, 2);
    assert_int_equal(shape->n_heads, 2);
    return sizeof(struct seen);
}

static void seen_take(void *state, const struct metric_row *rows, int n)
{
    struct seen *seen = state;

    for (int i = 1; i < n; i++)
        assert_true(rows[i].query == rows[0].query && rows[i].layer == rows[0].layer &&
                    rows[i].head > rows[0].head);
    seen->n_calls++;
    seen->n_rows += n;
    seen->last_layer = rows[0].layer;
}

static bool seen_value(const void *state, int layer, int head, double *v)
{
    const struct seen *seen = state;

    *v = 1000 * seen->n_calls + 100 * seen->n_rows + 10 * layer + head;
    return seen->last_layer >= layer;
}

static const struct metric_rule special_rule = { .row = row_special };
static const struct metric_state column_state = { SCOPE_HEAD, column_size, column_take };
static const struct metric_rule column_rule = { .state = &column_state, .value = column_value };
static const struct metric_state layer_state = { SCOPE_LAYER, seen_size, seen_take };
static const struct metric_rule layer_rule = { .state = &layer_state, .value = seen_value };
static const struct metric_state text_state = { SCOPE_TEXT, seen_size, seen_take };
static const struct metric_rule text_rule = { .state = &text_state, .value = seen_value };

/* Of the state that LAYER has. */
static bool calls_value(const void *state, int layer, int head, double *v)
{
    const struct seen *seen = state;

    (void)layer;
    (void)head;
    *v = seen->n_calls;
    return true;
}

static const struct metric_rule calls_rule = { .state = &layer_state, .value = calls_value };

enum { SPECIAL, COLUMN, LAYER, TEXT, CALLS, N_MADE_UP };
static const struct metric made_up[N_MADE_UP] = {
    [SPECIAL] = { .name = "special", .rule = &special_rule },
    [COLUMN] = { .name = "column", .rule = &column_rule },
    [LAYER] = { .name = "layer", .rule = &layer_rule },
    [TEXT] = { .name = "text", .rule = &text_rule },
    [CALLS] = { .name = "calls", .rule = &calls_rule },
};

/* The rows of both heads of a layer, query by query. */
static void give_heads(struct sink sink, int layer, int n, const float *first,
                       const float *second)
{
    assert_int_equal(sink.scope, SINK_LAYER);
    for (int i = 0; i < n; i++) {
        struct rows_block b[2];
        struct rows rows[2];

        for (int h = 0; h < 2; h++) {
            rows_block(&b[h], 0, layer, h, i, 1, n, h == 0 ? first : second, true);
            rows[h] = b[h].rows;
        }
        sink.take(sink.self, rows, 2);
    }
    sink.done(sink.self, 0, layer);
}

static void give_layer(struct sink sink, int layer, int n, const float *weight)
{
    give_heads(sink, layer, n, weight, weight);
}

static void every_scope(void **state)
{
    static const int length[] = { 3 };
    static const unsigned char special[] = { 1, 0, 0 };
    const struct metric_set set = { made_up, N_MADE_UP, { 0 } };
    const float a[3 * STRIDE] = { [0] = 1, [STRIDE] = 0.75f, [STRIDE + 1] = 0.25f,
                                  [2 * STRIDE] = 0.5f, [2 * STRIDE + 1] = 0.5f };
    struct attended texts = rows_texts(&arena, length, 1, special);
    struct stats *s = stats_new(&arena, &rows_model, &texts, &all, &set);
    struct sink sinks[STATS_SINKS];

    (void)state;
    assert_int_equal(stats_sinks(s, sinks), 2);
    for (int layer = 0; layer < 2; layer++) {
        for (int head = 0; head < 2; head++)
            rows_give(sinks[0], 0, layer, head, 3, a, true);
        give_layer(sinks[1], layer, 3, a);
    }
    for (int layer = 0; layer < 2; layer++)
        for (int head = 0; head < 2; head++) {
            const struct head_stats *h = stats_head(s, 0, layer, head);

            check_close(h->value[SPECIAL], 2.25 / 3, 1e-12);
            check_close(h->value[COLUMN], 2.25, 1e-12);
            /* 3 queries, 6 rows of two heads; a text has those of both layers */
            check_close(h->value[LAYER], 3600 + 10 * layer + head, 0);
            check_close(h->value[TEXT], 7200 + 10 * layer + head, 0);
            check_close(h->value[CALLS], 3, 0);
        }
}

/* ---- between heads ---- */

/* Heads a, a, b, c: b shares no key with a in row 1, c half of one. */
static void distances_of_heads(void **state)
{
    static const int length[] = { 2 };
    static const float a[2 * STRIDE] = { 1, [STRIDE] = 1 },
                       b[2 * STRIDE] = { 1, [STRIDE] = 0, 1 },
                       c[2 * STRIDE] = { 1, [STRIDE] = 0.5f, 0.5f };
    const struct metric_set set = { &metric_table[METRIC_js], METRIC_js_cluster - METRIC_js + 1,
                                    { .n_clusters = 2 } };
    const double far = log(2) / 2, half = (log(4 / 3.0) + .5 * log(2 / 3.0) + .5 * log(2)) / 4;
    const double js[4][4] = { { 0, 0, far, half }, { 0, 0, far, half }, { far, far, 0, half },
                              { half, half, half, 0 } };
    static const int cluster[] = { 0, 0, 1, 0 };
    struct attended texts = rows_texts(&arena, length, 1, NULL);
    struct stats *s = stats_new(&arena, &rows_model, &texts, &all, &set);
    struct sink sinks[STATS_SINKS];
    double squared = 0;

    (void)state;
    assert_int_equal(stats_sinks(s, sinks), 2);
    give_heads(sinks[1], 0, 2, a, a);
    assert_true(isnan(stats_head(s, 0, 0, 0)->value[2]));      /* not before the last layer */
    give_heads(sinks[1], 1, 2, b, c);
    for (int i = 0; i < 4; i++) {
        const struct head_stats *h = stats_head(s, 0, i / 2, i % 2);

        assert_int_equal(h->list[0].n, 4);
        assert_int_equal(h->list[1].n, 2);
        for (int k = 0; k < 4; k++)
            check_near("js", 4 * i + k, h->list[0].v[k], js[i][k], 1e-7);
        check_close(h->value[2], cluster[i], 0);
    }
    /* a and b are as far apart in the plane as they are */
    for (int k = 0; k < 2; k++)
        squared += pow(stats_head(s, 0, 0, 0)->list[1].v[k] -
                           stats_head(s, 0, 1, 0)->list[1].v[k], 2);
    check_close(squared, far, 1e-7);
}

/* ---- through all layers ---- */

/* Rows 1 | 1/2 1/2 in all heads of both layers: Â = 1 0 | 1/4 3/4, its square 1 0 | 7/16 9/16;
 * from token 1 flow 1/4 + 1/4 to token 0, by two ways, and 3/4 to itself. */
static void through_layers(void **state)
{
    static const int length[] = { 2 };
    static const float a[2 * STRIDE] = { 1, [STRIDE] = 0.5f, 0.5f };
    const struct metric_set set = { &metric_table[METRIC_rollout], 2, { 0 } };
    static const double want[2][4] = { { 1, 0, 7 / 16.0, 9 / 16.0 },
                                       { 1, 0, .5 / 1.25, .75 / 1.25 } };
    struct stats *s = start(length, 1, &all, &set);
    struct sink sinks[STATS_SINKS];

    (void)state;
    assert_int_equal(stats_sinks(s, sinks), 2);
    assert_null(stats_map(s, 0, 0));
    for (int layer = 0; layer < 2; layer++)
        give_layer(sinks[1], layer, 2, a);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++)
            check_near(set.metric[k].name, i, stats_map(s, 0, k)[i], want[k][i], 1e-12);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(uniform_causal), TEST(of_all_rows), TEST(entries_that_hardly_count),
        TEST(the_same_token_again), TEST(rare_tokens), TEST(rarest_of_a_text),
        TEST(kinds_of_tokens),
        TEST(segments), TEST(ranks), TEST(what_is_read),
        TEST(a_row_that_sees_nothing),
        TEST(undefined_for_every_row), TEST(places_of_two_texts),
        TEST(texts_and_heads_do_not_mix), TEST(every_scope), TEST(distances_of_heads),
        TEST(through_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
