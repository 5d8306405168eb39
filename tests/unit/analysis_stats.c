/* SPDX-License-Identifier: MIT
 * Rows made by hand through the sink: means over the rows that count, links, ties. */
#include "check.h"

#include <string.h>

#include "analysis/stats.h"

enum { STRIDE = 8 };

static struct arena arena;
static const struct family family = { .stack_id = STACK_DECODER };
static const unsigned char *special;        /* of the batch's tokens; NULL: none is */

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL, NULL);
    special = NULL;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_finish(&arena);
    return 0;
}

/* L 2, H 2, texts of these lengths. */
static struct stats *start(const int *starts, int n_texts, const struct wanted *want,
                           int n_top)
{
    static struct model m;
    static struct batch batch;          /* outlives the stats */
    const struct metric_opts opts = { 0 };

    batch = (struct batch){ n_texts, starts, NULL, NULL };
    m = (struct model){ .family = &family, .config = { .n_layers = 2, .n_heads = 2 } };
    struct attended *texts = arena_alloc(&arena, 1, sizeof *texts);

    *texts = (struct attended){ &batch, NULL, special, special };
    return stats_new(&arena, &m, texts, want, &opts, n_top);
}

/* Gives the rows weight[n, STRIDE] of a causal (or not) head to the sink, in two blocks. */
static void give(struct stats *s, int text, int layer, int head, int n,
                 const float *weight, bool causal)
{
    struct sink sink = stats_sink(s);
    int split = n / 2;

    assert_int_equal(sink.scope, SINK_HEAD);
    for (int block = 0; block < 2; block++) {
        int row0 = block ? split : 0, n_rows = block ? n - split : split;
        double entropy[STRIDE];
        int visible[STRIDE];
        unsigned char hidden[STRIDE * STRIDE] = { 0 };
        struct rows r = { .text = text, .stack = STACK_DECODER, .layer = layer,
                          .head = head, .row0 = row0, .n_rows = n_rows, .n_keys = n,
                          .n_queries = n, .n_all_keys = n, .stride = STRIDE,
                          .weight = weight + row0 * STRIDE, .entropy = entropy,
                          .n_visible = visible };

        if (n_rows == 0)
            continue;
        for (int t = 0; t < n_rows; t++) {
            entropy[t] = 0;
            visible[t] = causal ? row0 + t + 1 : n;
            for (int j = 0; j < n; j++) {
                float a = r.weight[t * STRIDE + j];

                entropy[t] -= a > 0 ? (double)a * log((double)a) : 0;
                hidden[t * STRIDE + j] = causal && j > row0 + t;
            }
        }
        if (causal)
            r.hidden = hidden;
        sink.take(sink.self, &r, 1);
    }
    sink.done(sink.self, text, layer);
}

static void uniform_causal(void **state)
{
    static const int starts[] = { 0, 4 };
    const struct wanted want = { 0 };
    struct stats *s = start(starts, 1, &want, 3);
    const struct head_stats *h;
    float a[4 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++)
            a[i * STRIDE + j] = 1.0f / (float)(i + 1);
    give(s, 0, 1, 0, 4, a, true);
    h = stats_head(s, 0, 1, 0);
    assert_int_equal(h->layer, 1);
    assert_int_equal(h->head, 0);
    assert_int_equal(h->stack, STACK_DECODER);
    check_close(h->mean[METRIC_entropy], (log(2) + log(3) + log(4)) / 4, 1e-7);
    check_close(h->mean[METRIC_entropy_norm], 1, 1e-7);              /* rows 1, 2, 3 */
    check_close(h->mean[METRIC_max_mean], (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 4, 1e-7);
    check_close(h->mean[METRIC_distance], -(0 + 0.5 + 1 + 1.5) / 4, 1e-7);
    check_close(h->mean[METRIC_prev], (1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 3, 1e-7);
    check_close(h->mean[METRIC_next], 0, 1e-7);
    check_close(h->mean[METRIC_first], (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0) / 4, 1e-7);
    /* ties: the smaller key */
    assert_int_equal(h->n_links, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(h->link[i].query, i);
        assert_int_equal(h->link[i].key, 0);
    }
    /* 1 at (0,0), then 1/2 at (1,0) before (1,1) */
    assert_int_equal(h->n_top, 3);
    assert_true(h->top[0].query == 0 && h->top[0].key == 0);
    assert_true(h->top[1].query == 1 && h->top[1].key == 0);
    assert_true(h->top[2].query == 1 && h->top[2].key == 1);
    check_close((double)h->top[2].weight, 0.5, 1e-7);
}

/* All weights alike: the order is by query, then by key, whatever came first. */
static void ties_by_query_then_key(void **state)
{
    static const int starts[] = { 0, 4 };
    const struct wanted want = { 0 };
    struct stats *s = start(starts, 1, &want, 7);
    const struct head_stats *h;
    float a[4 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            a[i * STRIDE + j] = 0.25f;
    give(s, 0, 0, 1, 4, a, false);
    h = stats_head(s, 0, 0, 1);
    for (int k = 0; k < 7; k++) {
        assert_int_equal(h->top[k].query, k / 4);
        assert_int_equal(h->top[k].key, k % 4);
    }
}

/* Against sorting everything: weights with many ties, each K. */
static void strongest_links_for_every_k(void **state)
{
    static const int starts[] = { 0, 7 };
    const struct wanted want = { 0 };
    float a[7 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            a[i * STRIDE + j] = (float)((i * 5 + j * 3) % 4) / 8.0f;
    for (int K = 0; K <= 60; K++) {
        struct stats *s = start(starts, 1, &want, K);
        const struct head_stats *h;
        bool used[49] = { false };
        int n = K < 49 ? K : 49;

        give(s, 0, 0, 0, 7, a, false);
        h = stats_head(s, 0, 0, 0);
        assert_int_equal(h->n_top, n);
        for (int k = 0; k < n; k++) {
            int best = -1;

            for (int c = 0; c < 49; c++)
                if (!used[c] && (best < 0 || a[c / 7 * STRIDE + c % 7] >
                                             a[best / 7 * STRIDE + best % 7]))
                    best = c;
            used[best] = true;
            assert_int_equal(h->top[k].query, best / 7);
            assert_int_equal(h->top[k].key, best % 7);
        }
    }
}

/* A row in which all is hidden: no link, and in no mean. */
static void a_row_that_sees_nothing(void **state)
{
    static const int starts[] = { 0, 2 };
    const struct wanted want = { 0 };
    struct stats *s = start(starts, 1, &want, 5);
    struct sink sink = stats_sink(s);
    const float a[2 * STRIDE] = { [STRIDE] = 0.5f, [STRIDE + 1] = 0.5f };
    const unsigned char hidden[2 * STRIDE] = { 1, 1 };
    const double entropy[] = { 0, log(2) };
    const int visible[] = { 0, 2 };
    const struct rows r = { .n_rows = 2, .n_keys = 2, .n_queries = 2, .n_all_keys = 2,
                            .stride = STRIDE, .weight = a, .hidden = hidden,
                            .entropy = entropy, .n_visible = visible };
    const struct head_stats *h;

    (void)state;
    sink.take(sink.self, &r, 1);
    sink.done(sink.self, 0, 0);
    h = stats_head(s, 0, 0, 0);
    assert_int_equal(h->link[0].key, -1);
    assert_int_equal(h->link[1].key, 0);
    assert_int_equal(h->n_top, 2);
    check_close(h->mean[METRIC_entropy], log(2), 1e-7);
    check_close(h->mean[METRIC_self], 0.5, 1e-7);
}

static void undefined_for_every_row(void **state)
{
    static const int starts[] = { 0, 1 };
    const struct wanted want = { 0 };
    struct stats *s = start(starts, 1, &want, 5);
    const float a[STRIDE] = { 1 };
    const struct head_stats *h;

    (void)state;
    give(s, 0, 0, 0, 1, a, true);
    h = stats_head(s, 0, 0, 0);
    assert_true(isnan(h->mean[METRIC_prev]) && isnan(h->mean[METRIC_next]));
    assert_true(isnan(h->mean[METRIC_entropy_norm]));
    check_close(h->mean[METRIC_entropy], 0, 1e-7);
    check_close(h->mean[METRIC_self], 1, 1e-7);
    assert_int_equal(h->n_top, 1);
}

static void texts_and_heads_do_not_mix(void **state)
{
    static const int starts[] = { 0, 2, 5 };
    static const bool layers[] = { true, false }, heads[] = { false, true };
    const struct wanted want = { .layer = layers, .head = heads };
    struct stats *s = start(starts, 2, &want, 1);
    float self[3 * STRIDE] = { 0 }, first[3 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 3; i++)
        self[i * STRIDE + i] = first[i * STRIDE] = 1;
    give(s, 1, 0, 1, 3, first, true);
    give(s, 0, 0, 1, 2, self, true);
    assert_null(stats_head(s, 0, 0, 0));
    assert_null(stats_head(s, 0, 1, 1));
    assert_null(stats_head(s, 1, 1, 0));
    check_close(stats_head(s, 0, 0, 1)->mean[METRIC_self], 1, 1e-7);
    check_close(stats_head(s, 0, 0, 1)->mean[METRIC_first], 0.5, 1e-7);
    check_close(stats_head(s, 1, 0, 1)->mean[METRIC_self], 1 / 3.0, 1e-7);
    check_close(stats_head(s, 1, 0, 1)->mean[METRIC_first], 1, 1e-7);
    assert_int_equal(stats_head(s, 0, 0, 1)->n_links, 2);
    assert_int_equal(stats_head(s, 1, 0, 1)->n_links, 3);
}

/* For tables: the strongest link that says something about the text. */
static void the_link_between_two_words(void **state)
{
    static const int starts[] = { 0, 4, 8 };
    static const unsigned char marked[] = { 1, 0, 0, 0, 1, 0, 0, 1 };
    const struct wanted want = { 0 };
    float a[4 * STRIDE] = { 0 };
    struct stats *s;
    struct link w;

    (void)state;
    a[0] = 1;                           /* itself */
    a[STRIDE + 0] = 0.9f;               /* 1 -> 0 */
    a[2 * STRIDE + 1] = 0.4f;           /* 2 -> 1 */
    a[3 * STRIDE + 1] = 0.4f;           /* 3 -> 1: a tie, later */
    a[3 * STRIDE + 3] = 0.6f;           /* itself */
    s = start(starts, 2, &want, 1);
    give(s, 0, 0, 0, 4, a, true);
    w = stats_head(s, 0, 0, 0)->words;
    assert_true(w.query == 1 && w.key == 0 && w.weight == 0.9f);
    special = marked;                   /* token 0 of both texts, token 3 of the second */
    s = start(starts, 2, &want, 1);
    give(s, 0, 0, 0, 4, a, true);
    give(s, 1, 0, 0, 4, a, true);
    w = stats_head(s, 0, 0, 0)->words;
    assert_true(w.query == 2 && w.key == 1 && w.weight == 0.4f);
    w = stats_head(s, 1, 0, 0)->words;
    assert_true(w.query == 2 && w.key == 1);
}

/* One word between special tokens: no link of the kind. */
static void no_link_between_words(void **state)
{
    static const int starts[] = { 0, 3 };
    static const unsigned char marked[] = { 1, 0, 1 };
    const struct wanted want = { 0 };
    const float a[3 * STRIDE] = { [0] = 1, [STRIDE + 1] = 1, [2 * STRIDE] = 1 };
    struct stats *s;

    (void)state;
    special = marked;
    s = start(starts, 1, &want, 1);
    give(s, 0, 0, 0, 3, a, false);
    assert_int_equal(stats_head(s, 0, 0, 0)->words.key, -1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(uniform_causal), TEST(ties_by_query_then_key),
        TEST(strongest_links_for_every_k), TEST(a_row_that_sees_nothing),
        TEST(undefined_for_every_row), TEST(texts_and_heads_do_not_mix),
        TEST(the_link_between_two_words), TEST(no_link_between_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
