/* SPDX-License-Identifier: MIT
 * The strongest links of a head, for every number of them, ties included. */
#include "unit/analysis_rows.h"

#include "analysis/top.h"

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

/* After the rows of one head. */
static const struct head_top *top_of(int n, const float *weight, bool causal, int n_links)
{
    const struct attended texts = rows_texts(&arena, &n, 1, NULL);
    struct top *top = top_new(&arena, &rows_model, &texts, &all, n_links);

    rows_give(top_sink(top), 0, 0, 1, n, weight, causal);
    return top_head(top, 0, 0, 1);
}

static void hidden_keys_are_no_links(void **state)
{
    const struct head_top *top;
    float a[4 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++)
            a[i * STRIDE + j] = 1.0f / (float)(i + 1);
    top = top_of(4, a, true, 3);
    /* 1 at (0,0), then 1/2 at (1,0) before (1,1) */
    assert_int_equal(top->n, 3);
    assert_true(top->link[0].query == 0 && top->link[0].key == 0);
    assert_true(top->link[1].query == 1 && top->link[1].key == 0);
    assert_true(top->link[2].query == 1 && top->link[2].key == 1);
    assert_true(top->link[2].weight == 0.5f);
    assert_int_equal(top_of(4, a, true, 100)->n, 10);
}

/* All weights alike: the order is by query, then by key, whatever came first. */
static void ties_by_query_then_key(void **state)
{
    const struct head_top *top;
    float a[4 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            a[i * STRIDE + j] = 0.25f;
    top = top_of(4, a, false, 7);
    for (int k = 0; k < 7; k++) {
        assert_int_equal(top->link[k].query, k / 4);
        assert_int_equal(top->link[k].key, k % 4);
    }
}

/* Against sorting everything: weights with many ties. */
static void for_every_number_of_links(void **state)
{
    float a[7 * STRIDE] = { 0 };

    (void)state;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            a[i * STRIDE + j] = (float)((i * 5 + j * 3) % 4) / 8.0f;
    for (int n_links = 0; n_links <= 60; n_links++) {
        const struct head_top *top = top_of(7, a, false, n_links);
        bool used[49] = { false };

        assert_int_equal(top->n, n_links < 49 ? n_links : 49);
        for (int k = 0; k < top->n; k++) {
            int best = -1;

            for (int c = 0; c < 49; c++)
                if (!used[c] && (best < 0 || a[c / 7 * STRIDE + c % 7] >
                                             a[best / 7 * STRIDE + best % 7]))
                    best = c;
            used[best] = true;
            assert_int_equal(top->link[k].query, best / 7);
            assert_int_equal(top->link[k].key, best % 7);
        }
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(hidden_keys_are_no_links), TEST(ties_by_query_then_key),
        TEST(for_every_number_of_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
