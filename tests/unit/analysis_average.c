/* SPDX-License-Identifier: MIT
 * Means over heads, layers and texts, of numbers that can be checked by hand. */
#include "check.h"

#include <math.h>

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

/* What the means come to, as a sink of either scope sees it. */
struct seen {
    int n, n_done;
    float w[L * H][T * T];
    bool hidden[L * H][T * T];
    double entropy[L * H][T];
    int n_visible[L * H][T];
};

static void see(void *self, const struct rows *rows, int n)
{
    struct seen *seen = self;

    for (int i = 0; i < n; i++) {
        int at = rows[i].layer * H + rows[i].head;

        assert_true(rows[i].n_rows == 1 && rows[i].n_keys == T && rows[i].n_all_keys == T);
        for (int k = 0; k < T; k++) {
            seen->w[at][rows[i].row0 * T + k] = rows[i].weight[k];
            seen->hidden[at][rows[i].row0 * T + k] = rows[i].hidden[k] != 0;
        }
        seen->entropy[at][rows[i].row0] = rows[i].entropy[0];
        seen->n_visible[at][rows[i].row0] = rows[i].n_visible[0];
        seen->n++;
    }
}

static void see_done(void *self, int text, int layer)
{
    struct seen *seen = self;

    (void)text;
    (void)layer;
    seen->n_done++;
}

static const struct average_size size = { .n_queries = T, .n_keys = T };

static struct average *run(const struct wanted *want, unsigned over)
{
    struct average *average = average_new(&arena, &model, want, over, &size, 1);

    pass(average_sink(average), want);
    return average;
}

static struct seen feed(const struct average *average, enum sink_scope scope)
{
    const struct wanted all = { .layer = NULL };
    struct seen seen = { .n = 0 };
    const struct sink sink = { scope, see, see_done, &seen };

    average_feed(average, 0, &arena, 0, &all, &sink, 1);
    return seen;
}

static void check_mean(const struct seen *seen, int at, float w)
{
    const float *mean = seen->w[at];
    double p = (double)w;

    assert_true(mean[0] == 1.0f && seen->hidden[at][1] && !seen->hidden[at][0]);
    assert_true(mean[1] == 0.0f && seen->n_visible[at][0] == 1 && seen->n_visible[at][1] == 2);
    assert_true(mean[2] == w && mean[3] == 1.0f - w);
    assert_true(seen->entropy[at][0] == 0.0);
    assert_true(w == 1.0f ||
                fabs(seen->entropy[at][1] + p * log(p) + (1.0 - p) * log(1.0 - p)) < 1e-12);
}

static void test_heads(void **state)
{
    const struct wanted all = { .layer = NULL };

    (void)state;
    for (enum sink_scope scope = SINK_HEAD; scope <= SINK_LAYER; scope++) {
        struct seen seen = feed(run(&all, AVERAGE_HEADS), scope);

        assert_int_equal(seen.n, L * T);
        assert_int_equal(seen.n_done, L);
        for (int l = 0; l < L; l++)
            check_mean(&seen, l * H, (weight_of(l, 0) + weight_of(l, 1)) / 2.0f);
    }
}

static void test_layers(void **state)
{
    static const bool layer[L] = { true, false, true };
    const struct wanted some = { .layer = layer };
    struct seen seen = feed(run(&some, AVERAGE_LAYERS), SINK_HEAD);

    (void)state;
    assert_int_equal(seen.n, H * T);
    for (int h = 0; h < H; h++)
        check_mean(&seen, h, (weight_of(0, h) + weight_of(2, h)) / 2.0f);
}

static void test_both(void **state)
{
    const struct wanted all = { .layer = NULL };
    struct seen seen = feed(run(&all, AVERAGE_HEADS | AVERAGE_LAYERS), SINK_LAYER);

    (void)state;
    assert_int_equal(seen.n, T);
    check_mean(&seen, 0, 0.5f);                     /* of 1/8, 2/8, 3/8, 5/8, 6/8 and 7/8 */
}

/* By name: L0H1, L1H0, L2H1. */
static void test_named(void **state)
{
    static const bool head[L * H] = { false, true, true, false, false, true };
    const struct wanted some = { .head = head, .head_stride = H };
    struct seen seen = feed(run(&some, AVERAGE_LAYERS), SINK_HEAD);

    (void)state;
    check_mean(&seen, 0, weight_of(1, 0));
    check_mean(&seen, 1, (weight_of(0, 1) + weight_of(2, 1)) / 2.0f);
}

/* Of texts each counts as much as another, and a key that only one of them sees is visible. */
static void test_texts(void **state)
{
    static const unsigned char none[T * T];
    const struct wanted all = { .layer = NULL };
    struct average *first = run(&all, AVERAGE_HEADS | AVERAGE_TEXTS), *second, *sum;
    struct seen seen = { .n = 0 };
    const struct sink sink = { SINK_HEAD, see, NULL, &seen };
    const float all_visible[T * T] = { 0.5f, 0.5f, 0.0f, 1.0f };

    (void)state;
    second = average_new(&arena, &model, &all, AVERAGE_HEADS | AVERAGE_TEXTS, &size, 1);
    for (int l = 0; l < L; l++)
        for (int h = 0; h < H; h++) {
            const struct rows rows = { .layer = l, .head = h, .n_rows = T, .n_keys = T,
                                       .n_queries = T, .n_all_keys = T, .stride = T,
                                       .weight = all_visible, .hidden = none };
            struct sink take = average_sink(second);

            take.take(take.self, &rows, 1);
        }
    sum = average_texts_new(&arena, first);
    average_add(sum, first);
    average_add(sum, second);
    average_feed(sum, 0, &arena, 0, &all, &sink, 1);
    for (int l = 0; l < L; l++) {
        float w = (weight_of(l, 0) + weight_of(l, 1)) / 2.0f;

        assert_true(seen.w[l * H][0] == 0.75f && seen.w[l * H][1] == 0.25f);
        assert_true(!seen.hidden[l * H][1] && seen.n_visible[l * H][0] == 2);
        assert_true(seen.w[l * H][2] == w / 2.0f && seen.w[l * H][3] == (1.0f - w + 1.0f) / 2.0f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_both),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_texts),
    };
    int failed;

    arena_init(&arena, NULL, NULL);
    failed = cmocka_run_group_tests_name("analysis_average", tests, NULL, NULL);
    arena_finish(&arena);
    return failed;
}
