/* SPDX-License-Identifier: MIT
 * Means over heads and over layers, of numbers that can be checked by hand. */
#include "check.h"

#include "analysis/average.h"

enum { L = 3, H = 2, T = 2 };

static struct arena arena;
static const struct model model = { .config = { .n_layers = L, .n_heads = H } };

/* Layer l, head h: [[1, hidden], [w, 1 - w]] with w = (l + 1) / 8 + h / 2. */
static float weight_of(int l, int h)
{
    return (float)(l + 1) / 8.0f + (float)h / 2.0f;
}

static void fill_rows(struct rows rows[H], float (*w)[T * T], int l)
{
    static const unsigned char hidden[T * T] = { 0, 1, 0, 0 };

    for (int h = 0; h < H; h++) {
        w[h][0] = 1.0f;
        w[h][1] = 0.0f;
        w[h][2] = weight_of(l, h);
        w[h][3] = 1.0f - weight_of(l, h);
        rows[h] = (struct rows){ .layer = l, .head = h, .n_rows = T, .n_keys = T,
                                 .n_queries = T, .n_all_keys = T, .stride = T, .weight = w[h],
                                 .hidden = hidden };
    }
}

/* Gives a pass over the layers and heads that are wanted. */
static void pass(struct sink sink, const struct wanted *want)
{
    for (int l = 0; l < L; l++) {
        float w[H][T * T];
        struct rows rows[H], some[H];
        int n = 0;

        fill_rows(rows, w, l);
        for (int h = 0; h < H; h++)
            if (wanted_layer(want, l) && wanted_head(want, l, h))
                some[n++] = rows[h];
        if (sink.scope == SINK_LAYER && n > 0)
            sink.take(sink.self, some, n);
        for (int i = 0; sink.scope == SINK_HEAD && i < n; i++)
            sink.take(sink.self, &some[i], n);
    }
}

static void check_mean(const float *mean, float w)
{
    assert_true(mean[0] == 1.0f && isnan(mean[1]));
    assert_true(mean[2] == w && mean[3] == 1.0f - w);
}

static void test_heads(void **state)
{
    const struct wanted all = { .layer = NULL };
    struct average *average;

    (void)state;
    average = average_new(&arena, &model, &all, OVER_HEADS, T, T);
    pass(average_sink(average), &all);
    for (int l = 0; l < L; l++)
        check_mean(average_of(average, l), (weight_of(l, 0) + weight_of(l, 1)) / 2.0f);
}

static void test_layers(void **state)
{
    static const bool layer[L] = { true, false, true };
    const struct wanted some = { .layer = layer };
    struct average *average;

    (void)state;
    average = average_new(&arena, &model, &some, OVER_LAYERS, T, T);
    pass(average_sink(average), &some);
    for (int h = 0; h < H; h++)
        check_mean(average_of(average, h), (weight_of(0, h) + weight_of(2, h)) / 2.0f);
}

/* By name: L0H1, L1H0, L2H1. */
static void test_named(void **state)
{
    static const bool head[L * H] = { false, true, true, false, false, true };
    const struct wanted some = { .head = head, .head_stride = H };
    struct average *average;

    (void)state;
    average = average_new(&arena, &model, &some, OVER_LAYERS, T, T);
    pass(average_sink(average), &some);
    check_mean(average_of(average, 0), weight_of(1, 0));
    check_mean(average_of(average, 1), (weight_of(0, 1) + weight_of(2, 1)) / 2.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_named),
    };
    int failed;

    arena_init(&arena, NULL, NULL);
    failed = cmocka_run_group_tests_name("analysis_average", tests, NULL, NULL);
    arena_finish(&arena);
    return failed;
}
